/* waits.h - the last waits of each pool and venue, for medians. */
#ifndef FEED_WAITS_H
#define FEED_WAITS_H

#include <stddef.h>
#include <stdint.h>

#include "hydra/core/query.h"

#define WAITS_KEPT    200
#define WAIT_KEYS_MAX 1024
#define WAIT_KEY_SIZE (POOL_SIZE + 8)      /* "venue/" or "pool/" and the name */

struct wait_key { char key[WAIT_KEY_SIZE]; size_t count, next; int64_t ms[WAITS_KEPT]; };
struct waits { struct wait_key *keys[WAIT_KEYS_MAX]; size_t count; };
void waits_free(struct waits *waits);
void waits_add(struct waits *waits, const char *kind, const char *name, int64_t ms);      /* "pool" or "venue"; a "" name is not counted */
void waits_query(const struct waits *waits, const char *key, int64_t *ret_median_ms, int64_t *ret_p90_ms);

#endif
