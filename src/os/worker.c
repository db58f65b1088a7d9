#include "hydra/os/worker.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "hydra/os/clock.h"
#include "hydra/os/file.h"

#define POLL_MAX_MS 60000      /* poll() counts in int */

static void *worker_main(void *arg)
{
    struct os_worker *worker = arg;
    uint64_t one = 1;
    worker->run(worker->arg);
    ssize_t n = write(worker->over_fd, &one, sizeof one);
    (void)n;                                  /* an empty counter takes it */
    return NULL;
}

enum hc_err os_worker_start(struct os_worker *worker, void (*run)(void *arg), void *arg)
{
    sigset_t all, before;
    worker->run = run;
    worker->arg = arg;
    worker->over_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (worker->over_fd < 0)
        return HC_ERR_NOMEM;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    worker->running = pthread_create(&worker->thread, NULL, worker_main, worker) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!worker->running)
        os_close(&worker->over_fd);
    return worker->running ? HC_OK : HC_ERR_NOMEM;
}

static bool over_within(const struct os_worker *worker, int64_t most_ms)
{
    struct pollfd fd = { .fd = worker->over_fd, .events = POLLIN };
    int64_t by_ms = os_monotonic_ms() + most_ms, left_ms = most_ms;
    do {
        int got = poll(&fd, 1, left_ms > POLL_MAX_MS ? POLL_MAX_MS : left_ms < 0 ? 0 : (int)left_ms);
        if (got > 0)
            return true;
        if (got < 0 && errno != EINTR)
            return false;
        left_ms = by_ms - os_monotonic_ms();
    } while (left_ms > 0);
    return false;
}

bool os_worker_end(struct os_worker *worker, int64_t most_ms)
{
    if (!worker->running)
        return true;
    if (!over_within(worker, most_ms))
        return false;
    (void)pthread_join(worker->thread, NULL);      /* it has nothing left to do */
    worker->running = false;
    os_close(&worker->over_fd);
    return true;
}
