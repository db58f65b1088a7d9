/* A thread whose end is awaited with a bound. */
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <cmocka.h>

#include "hydra/os/clock.h"
#include "hydra/os/worker.h"

#define WAIT_MS  10000
#define SHORT_MS 30

struct job { int go_fd; bool done; sigset_t blocked; };

static void wait_then_work(void *arg)
{
    struct job *job = arg;
    struct pollfd fd = { .fd = job->go_fd, .events = POLLIN };
    (void)poll(&fd, 1, WAIT_MS);
    (void)pthread_sigmask(SIG_SETMASK, NULL, &job->blocked);
    job->done = true;
}

static void let_go(const struct job *job)
{
    uint64_t one = 1;
    assert_int_equal(write(job->go_fd, &one, sizeof one), sizeof one);
}

static void test_worker__that_ends__is_awaited(void **state)
{
    (void)state;
    struct os_worker worker = { 0 };
    struct job job = { .go_fd = eventfd(0, EFD_CLOEXEC) };
    assert_int_equal(os_worker_start(&worker, wait_then_work, &job), HC_OK);
    let_go(&job);
    assert_true(os_worker_end(&worker, WAIT_MS));
    assert_true(job.done);
    assert_int_equal(sigismember(&job.blocked, SIGTERM), 1);
    assert_true(os_worker_end(&worker, 0));          /* once more: it is over */
    (void)close(job.go_fd);
}

static void test_worker__that_hangs__is_given_up_when_the_time_is_over(void **state)
{
    (void)state;
    struct os_worker worker = { 0 };
    struct job job = { .go_fd = eventfd(0, EFD_CLOEXEC) };
    assert_int_equal(os_worker_start(&worker, wait_then_work, &job), HC_OK);
    int64_t begin = os_monotonic_ms();
    assert_false(os_worker_end(&worker, SHORT_MS));
    int64_t took = os_monotonic_ms() - begin;
    assert_true(took >= SHORT_MS && took < WAIT_MS);
    assert_false(os_worker_end(&worker, 0));
    let_go(&job);
    assert_true(os_worker_end(&worker, WAIT_MS));
    assert_true(job.done);
    (void)close(job.go_fd);
}

static void test_worker__never_started__has_ended(void **state)
{
    (void)state;
    struct os_worker worker = { 0 };
    assert_true(os_worker_end(&worker, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worker__that_ends__is_awaited),
        cmocka_unit_test(test_worker__that_hangs__is_given_up_when_the_time_is_over),
        cmocka_unit_test(test_worker__never_started__has_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
