/* rng.h - the seeded randomness of one peer: the same seed gives the same visitors, pairing times and faults. */
#ifndef RNG_H
#define RNG_H

#include <stdbool.h>
#include <stdint.h>

struct rng { uint64_t state; };

struct rng rng_of(uint64_t seed, uint64_t peer);                      /* one stream for each peer */
uint64_t rng_next(struct rng *rng);
int64_t rng_between(struct rng *rng, int64_t least, int64_t most);    /* both included */
bool rng_chance(struct rng *rng, uint32_t per_mille);

#endif
