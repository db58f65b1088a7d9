#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "hydra/os/clock.h"
#include "hydra/os/file.h"
#include "hydra/os/random.h"
#include "hydra/os/service.h"

static void test_clock__read_twice__never_back_and_near_the_wall(void **state)
{
    (void)state;
    os_clock_start();
    hc_time first = os_now();
    int64_t first_ms = os_monotonic_ms(), first_us = os_monotonic_us();
    assert_true(os_now().ms >= first.ms);
    assert_true(os_monotonic_ms() >= first_ms);
    assert_true(os_monotonic_us() >= first_us && first_us / 1000 >= first_ms);
    int64_t apart_ms = hc_time_since(os_wall(), first);
    assert_true(apart_ms > -60000 && apart_ms < 60000);
}

static void on_alarm(int signo)
{
    (void)signo;
}

static void test_pause__signals_come__still_lasts_as_long(void **state)
{
    (void)state;
    struct sigaction caught = { .sa_handler = on_alarm }, before;
    const struct itimerval often = { { 0, 2000 }, { 0, 2000 } }, never = { 0 };
    assert_int_equal(sigaction(SIGALRM, &caught, &before), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
    int64_t start_us = os_monotonic_us();
    os_pause_ms(20);
    int64_t took_us = os_monotonic_us() - start_us;
    assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
    assert_int_equal(sigaction(SIGALRM, &before, NULL), 0);
    assert_true(took_us >= 20000);
}

static void test_random__two_fills__differ_and_stay_inside(void **state)
{
    (void)state;
    unsigned char a[34] = { 0 }, b[34] = { 0 };
    os_random(a + 1, 32);
    os_random(b + 1, 32);
    assert_memory_not_equal(a, b, sizeof a);
    assert_int_equal(a[0] | a[33] | b[0] | b[33], 0);
    os_random(a, 0);
}

static void test_signals__raised__come_by_descriptor(void **state)
{
    (void)state;
    int fd;
    struct hc_diag diag;
    assert_int_equal(os_signals(&fd, &diag), HC_OK);
    assert_int_equal(os_signal_next(fd), 0);
    assert_int_equal(raise(SIGTERM), 0);
    assert_int_equal(os_signal_next(fd), SIGTERM);
    assert_int_equal(raise(SIGHUP), 0);
    assert_int_equal(os_signal_next(fd), SIGHUP);
    assert_int_equal(os_signal_next(fd), 0);
    assert_int_equal(raise(SIGPIPE), 0);            /* the process lives on */
    os_close(&fd);
}

static void test_notify__manager_listens__gets_the_state(void **state)
{
    (void)state;
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    char got[32] = "";
    /* An abstract address: nothing is left in a folder. */
    int len = snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "hydra-notify-%ld", (long)getpid());
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, size), 0);
    char name[sizeof address.sun_path];
    (void)snprintf(name, sizeof name, "@%s", address.sun_path + 1);
    assert_int_equal(setenv("NOTIFY_SOCKET", name, 1), 0);
    os_notify("READY=1");
    assert_int_equal(recv(fd, got, sizeof got - 1, MSG_DONTWAIT), 7);
    assert_string_equal(got, "READY=1");
    assert_int_equal(unsetenv("NOTIFY_SOCKET"), 0);
    os_notify("READY=1");
    assert_true(recv(fd, got, sizeof got - 1, MSG_DONTWAIT) < 0);
    os_close(&fd);
}

static void test_descriptors__within_and_over_the_hard_limit__raised_or_refused(void **state)
{
    (void)state;
    struct rlimit limit, after;
    struct hc_diag diag = { "" };
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    struct rlimit low = { 64, limit.rlim_max < 4096 ? limit.rlim_max : 4096 };
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    assert_int_equal(os_descriptors_at_least(64, &diag), HC_OK);
    assert_int_equal(os_descriptors_at_least((unsigned)low.rlim_max, &diag), HC_OK);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &after), 0);
    assert_int_equal(after.rlim_cur, low.rlim_max);
    assert_int_equal(os_descriptors_at_least((unsigned)low.rlim_max + 1, &diag), HC_ERR_LIMIT);
    assert_non_null(strstr(diag.text, "LimitNOFILE"));
}

static void test_core_dumps__switched_off__kernel_says_so(void **state)
{
    (void)state;
    struct rlimit limit;
    os_no_core_dumps();
    assert_int_equal(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0), 0);
    assert_int_equal(getrlimit(RLIMIT_CORE, &limit), 0);
    assert_int_equal(limit.rlim_max, 0);
    assert_int_equal(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0), 0);    /* a leak checker looks into the process at its end */
}

static void test_resident__this_process__plausible(void **state)
{
    (void)state;
    long kib = os_resident_kib();
    assert_true(kib > 100 && kib < 64L * 1024 * 1024);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clock__read_twice__never_back_and_near_the_wall),
        cmocka_unit_test(test_pause__signals_come__still_lasts_as_long),
        cmocka_unit_test(test_random__two_fills__differ_and_stay_inside),
        cmocka_unit_test(test_signals__raised__come_by_descriptor),
        cmocka_unit_test(test_notify__manager_listens__gets_the_state),
        cmocka_unit_test(test_descriptors__within_and_over_the_hard_limit__raised_or_refused),
        cmocka_unit_test(test_core_dumps__switched_off__kernel_says_so),
        cmocka_unit_test(test_resident__this_process__plausible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
