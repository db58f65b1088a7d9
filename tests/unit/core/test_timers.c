#include <string.h>

#include "fixture.h"

static void test_defaults__of_every_row__pass_the_orderings(void **state)
{
    (void)state;
    struct timers timers;
    struct hc_diag diag;
    memset(&timers, 0xff, sizeof timers);
    timers_default(&timers);
    assert_int_equal(timers_check(&timers, &diag), HC_OK);
    assert_int_equal(timer_row_count * sizeof(int64_t), sizeof timers);
    for (size_t i = 0; i < timer_row_count; i++) {
        assert_true(timer_rows[i].default_ms > 0 && strlen(timer_rows[i].why) > 0);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(timer_rows[i].name, timer_rows[k].name);
    }
    assert_int_equal(timers.lease_ttl_ms, 90000);
    assert_int_equal(timers.enforce_observation_ms, 86400000);
}

static void test_set__known_and_unknown_names__are_told_apart(void **state)
{
    (void)state;
    struct timers timers;
    struct hc_diag diag = { "" };
    timers_default(&timers);
    assert_int_equal(timers_set(&timers, "claimThrottleWindow", 0, &diag), HC_OK);
    assert_int_equal(timers.claim_throttle_window_ms, 0);
    assert_int_equal(timers_set(&timers, "leaseTtl", 1, &diag), HC_ERR_NOTFOUND);
    assert_non_null(strstr(diag.text, "leaseTtl"));
    assert_int_equal(timers_set(&timers, "leaseTTL", -1, &diag), HC_ERR_RANGE);
    assert_int_equal(timers.lease_ttl_ms, 90000);
    assert_int_equal(timers_set(&timers, "watchdogTick", 0, &diag), HC_ERR_RANGE);      /* it would spin */
    assert_int_equal(timers.watchdog_tick_ms, 10000);
    assert_int_equal(timers_set(&timers, "watchdogTick", 10, &diag), HC_OK);
}

/* rules §15 */
struct bound { const char *name; int64_t bad_ms, good_ms; };
static const struct bound bounds[] = {
    { "softHoldInitial", 30000, 30001 }, { "startDeadlineLegacy", 180000, 180001 }, { "leaseTTL", 45000, 45001 },
        { "drainGrace", 35000, 35001 },
    { "implicitIdempotencyWindow", 15000, 14999 }, { "claimWait", 15000, 14999 }, { "renewWriteQuantum", 30000, 29999 },
};

static void test_check__each_ordering_broken__is_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        struct timers timers;
        struct hc_diag diag = { "" };
        timers_default(&timers);
        assert_int_equal(timers_set(&timers, bounds[i].name, bounds[i].bad_ms, NULL), HC_OK);
        assert_int_equal(timers_check(&timers, &diag), HC_ERR_CONFIG);
        assert_non_null(strstr(diag.text, bounds[i].name));
        assert_int_equal(timers_set(&timers, bounds[i].name, bounds[i].good_ms, NULL), HC_OK);
        assert_int_equal(timers_check(&timers, NULL), HC_OK);
    }
}

static void test_check__no_time_at_all__is_refused_but_for_the_throttle(void **state)
{
    (void)state;
    for (size_t i = 0; i < timer_row_count; i++) {
        struct timers timers;
        struct hc_diag diag = { "" };
        bool throttle = strcmp(timer_rows[i].name, "claimThrottleWindow") == 0;
        timers_default(&timers);
        memset((char *)&timers + timer_rows[i].offset, 0, sizeof(int64_t));
        assert_int_equal(timers_check(&timers, &diag), throttle ? HC_OK : HC_ERR_CONFIG);
        if (!throttle)
            assert_non_null(strstr(diag.text, timer_rows[i].name));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults__of_every_row__pass_the_orderings),
        cmocka_unit_test(test_set__known_and_unknown_names__are_told_apart),
        cmocka_unit_test(test_check__each_ordering_broken__is_named),
        cmocka_unit_test(test_check__no_time_at_all__is_refused_but_for_the_throttle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
