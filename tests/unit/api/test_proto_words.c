/* The wire's words and limits (proto) are the core's, in the same order. */
#include "fixture.h"

#include "hydra/proto/body_status.h"
#include "hydra/proto/venue_put.h"

static void same_words(const struct hc_words *wire, const struct hc_words *core)
{
    assert_int_equal(wire->count, core->count);
    for (size_t i = 0; i < wire->count; i++)
        assert_string_equal(wire->words[i], core->words[i]);
}

static void test_words__of_reports_and_venues__are_the_cores(void **state)
{
    (void)state;
    same_words(&body_session_words, &session_words);
    same_words(&body_stream_words, &stream_status_words);
    same_words(&body_gate_words, &gate_mode_words);
    same_words(&accept_words, &accept_mode_words);
}

static void test_limits__of_reports__fit_the_core(void **state)
{
    (void)state;
    assert_int_equal(BODY_STATUS_SLOTS_MAX, REPORT_SESSIONS_MAX);
    assert_int_equal(BODY_STATUS_INDEX_MAX, BODY_SLOTS_MAX - 1);
    assert_true(BODY_STATUS_CLIENTS_MAX >= REPORT_CLIENTS_MAX);      /* more are heard than kept: a long list makes its digest unknown */
    assert_int_equal(BODY_STATUS_EVENTS_MAX, REPORT_EVENTS_MAX);
    assert_int_equal(BODY_STATUS_EPOCHS_MAX, BODY_SLOTS_MAX);
    assert_int_equal(BODY_STATUS_EXPERIENCES_MAX, EXPERIENCES_MAX);
    assert_int_equal(BODY_STATUS_WORD_MAX, WORD_SIZE - 1);
    assert_int_equal(BODY_STATUS_APP_MAX, sizeof ((struct session_obs *)NULL)->app - 1);
    assert_true(VENUE_CAP_MAX < NO_CAP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words__of_reports_and_venues__are_the_cores),
        cmocka_unit_test(test_limits__of_reports__fit_the_core),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
