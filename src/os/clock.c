#include "hydra/os/clock.h"

#include <assert.h>
#include <errno.h>
#include <time.h>

static bool started;
static int64_t wall_minus_boot_ms;    /* written once before threads, read by all */

static int64_t read_us(clockid_t clock)
{
    struct timespec now;
    int failed = clock_gettime(clock, &now);
    assert(failed == 0);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

void os_clock_start(void)
{
    wall_minus_boot_ms = read_us(CLOCK_REALTIME) / 1000 - os_monotonic_ms();
    started = true;
}

hc_time os_now(void)
{
    assert(started);
    return (hc_time){ wall_minus_boot_ms + os_monotonic_ms() };
}

int64_t os_monotonic_ms(void)
{
    return read_us(CLOCK_BOOTTIME) / 1000;
}

int64_t os_monotonic_us(void)
{
    return read_us(CLOCK_BOOTTIME);
}

void os_pause_ms(unsigned ms)
{
    struct timespec left = { .tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000 };
    while (nanosleep(&left, &left) < 0 && errno == EINTR)
        continue;
}

hc_time os_wall(void)
{
    return (hc_time){ read_us(CLOCK_REALTIME) / 1000 };
}
