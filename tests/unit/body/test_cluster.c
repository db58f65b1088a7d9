/* How long an agent waits for a cluster that is away, and what it says of that. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "hydra/base/log.h"
#include "hydra/os/clock.h"

#include "../../../src/body/cluster.h"

static unsigned lines;

static void count_lines(const char *line)
{
    lines += strstr(line, "event=nobody_there") != NULL;
}

static void test_backoff__failures_in_a_row__doubles_up_to_half_a_minute(void **state)
{
    (void)state;
    assert_in_range(cluster_backoff_ms(1, 0), 500, 1000);
    assert_int_equal(cluster_backoff_ms(1, 500), 1000);
    assert_int_equal(cluster_backoff_ms(3, 2000), 4000);
    for (uint32_t random = 0; random < 50000; random += 777)
        assert_in_range(cluster_backoff_ms(40, random), 15000, 30000);
}

/* It is to stop: no wait is left, and what is logged can be counted. */
static void test_silence__same_status_again__said_once_until_it_changes_or_is_heard(void **state)
{
    (void)state;
    const atomic_bool stop = true;
    const struct hc_diag diag = { "nobody answers" };
    struct cluster_silence silence = { 0 };
    lines = 0;
    hc_log_sink_set(count_lines);
    for (unsigned i = 0; i < 3; i++)
        cluster_silent(&silence, &stop, "nobody_there", 0, &diag);
    assert_int_equal(lines, 1);
    cluster_silent(&silence, &stop, "nobody_there", 503, &diag);
    assert_int_equal(lines, 2);
    assert_int_equal(cluster_heard(&silence), 4);
    assert_int_equal(cluster_heard(&silence), 0);
    cluster_silent(&silence, &stop, "nobody_there", 503, &diag);
    hc_log_sink_set(NULL);
    assert_int_equal(lines, 3);
    assert_int_equal(silence.failures, 1);
}

static void test_silence__not_to_stop__waits(void **state)
{
    (void)state;
    const atomic_bool stop = false;
    const struct hc_diag diag = { "" };
    struct cluster_silence silence = { 0 };
    int64_t start_ms = os_monotonic_ms();
    cluster_silent(&silence, &stop, "nobody_there", 0, &diag);
    assert_true(os_monotonic_ms() - start_ms >= 500);       /* half of the first wait is never left out */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_backoff__failures_in_a_row__doubles_up_to_half_a_minute),
        cmocka_unit_test(test_silence__same_status_again__said_once_until_it_changes_or_is_heard),
        cmocka_unit_test(test_silence__not_to_stop__waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
