#include "chance.h"

#include <assert.h>

uint64_t chance_next(struct chance *c)
{
    uint64_t x = c->state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

int64_t chance_between(struct chance *c, int64_t low, int64_t high)
{
    assert(low <= high);
    return low + (int64_t)(chance_next(c) % (uint64_t)(high - low + 1));
}

bool chance_percent(struct chance *c, unsigned percent)
{
    return chance_next(c) % 100 < percent;
}

int64_t chance_seconds(struct chance *c, int64_t low_s, int64_t high_s)
{
    return chance_between(c, low_s * 1000, high_s * 1000);
}
