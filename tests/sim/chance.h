/* chance.h - the one source of randomness of a run: its seed names the run. */
#ifndef SIM_CHANCE_H
#define SIM_CHANCE_H

#include <stdbool.h>
#include <stdint.h>

struct chance { uint64_t state; };

uint64_t chance_next(struct chance *c);
int64_t chance_between(struct chance *c, int64_t low, int64_t high);      /* both ends included */
bool chance_percent(struct chance *c, unsigned percent);
int64_t chance_seconds(struct chance *c, int64_t low_s, int64_t high_s);  /* in ms */

#endif
