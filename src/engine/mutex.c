#include <poll.h>
#include <unistd.h>

#include "engine_state.h"
#include "hydra/os/clock.h"

void engine_lock(struct engine *e)
{
    (void)pthread_mutex_lock(&e->mutex);
    e->locked_us = os_monotonic_us();
}

void engine_unlock(struct engine *e)
{
    int64_t held_us = os_monotonic_us() - e->locked_us;
    (void)pthread_mutex_unlock(&e->mutex);
    metrics_observe(e->config.metrics, METRIC_MUTEX_HELD, (double)held_us / 1e6);
}

void engine_wait(struct engine *e)
{
    (void)pthread_cond_wait(&e->work, &e->mutex);
    e->locked_us = os_monotonic_us();
}

void engine_wait_until(struct engine *e, int64_t until_us)
{
    struct timespec until = { .tv_sec = until_us / 1000000, .tv_nsec = until_us % 1000000 * 1000 };
    (void)pthread_cond_timedwait(&e->work, &e->mutex, &until);
    e->locked_us = os_monotonic_us();
}

void engine_wake_loop(const struct engine *e)
{
    uint64_t one = 1;
    ssize_t n = write(e->config.wake_fd, &one, sizeof one);
    (void)n;                              /* a full counter is a wake that stands already */
}
