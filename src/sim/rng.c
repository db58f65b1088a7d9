#include "rng.h"

#include <assert.h>

#define GOLDEN UINT64_C(0x9e3779b97f4a7c15)

/* splitmix64: small, and every seed is a good one. */
uint64_t rng_next(struct rng *rng)
{
    rng->state += GOLDEN;
    uint64_t z = rng->state;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

struct rng rng_of(uint64_t seed, uint64_t peer)
{
    struct rng mixer = { seed };
    struct rng rng = { rng_next(&mixer) ^ (peer + 1) * GOLDEN };
    (void)rng_next(&rng);
    return rng;
}

int64_t rng_between(struct rng *rng, int64_t least, int64_t most)
{
    assert(least <= most);
    return least + (int64_t)(rng_next(rng) % (uint64_t)(most - least + 1));
}

bool rng_chance(struct rng *rng, uint32_t per_mille)
{
    return rng_next(rng) % 1000 < per_mille;
}
