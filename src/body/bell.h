/* bell.h - wakes one thread that waits: rung by any thread, heard once however often it was rung. */
#ifndef BODY_BELL_H
#define BODY_BELL_H

#include <stdbool.h>
#include <stdint.h>

struct bell { int fd; };        /* -1: closed */

bool bell_open(struct bell *bell);              /* false: no descriptor */
void bell_close(struct bell *bell);
void bell_ring(const struct bell *bell);
void bell_wait(const struct bell *bell, int64_t most_ms);      /* returns when it was rung, or after the time; below 0 is 0 */

#endif
