#include "head_rig.h"

static void claim(struct head_rig *rig)
{
    rig_make(rig, HEAD_P2);
    rig_ask(rig);
    assert_non_null(rig_last(rig, HEAD_CLAIM));
}

static void stream(struct head_rig *rig)
{
    claim(rig);
    rig_give_lease(rig, HEAD_CLAIM, "lease-1", true);
    rig_until_launch(rig);
    rig_event(rig, HEAD_LAUNCHED);
    assert_int_equal(rig->head.phase, HEAD_STREAMING);
}

static void test_head_p2__lease__pairs_launches_its_token_and_releases(void **state)
{
    (void)state;
    struct head_rig rig;
    claim(&rig);
    rig_give_lease(&rig, HEAD_CLAIM, "lease-1", true);
    rig_until_launch(&rig);
    assert_int_equal(rig.launches, 1);
    assert_true(rig.handshakes == 1 && rig.pairings == 1);
    assert_string_equal(rig.app, "mercator-talks#0123");
    rig_event(&rig, HEAD_LAUNCHED);
    rig_pass(&rig, 100);
    assert_string_equal(rig_last(&rig, HEAD_BEAT)->lease_state, "streaming");
    assert_string_equal(rig_last(&rig, HEAD_BEAT)->lease_id, "lease-1");
    rig_event(&rig, HEAD_LEAVE);
    assert_string_equal(rig_last(&rig, HEAD_RELEASE)->lease_id, "lease-1");
    assert_string_equal(rig_last(&rig, HEAD_RELEASE)->claim_token, "secret");
    assert_string_equal(rig_last(&rig, HEAD_RELEASE)->reason, "user_exit");
}

static void test_head_p2__directive_not_applied__asks_until_it_is(void **state)
{
    (void)state;
    struct head_rig rig;
    claim(&rig);
    rig_give_lease(&rig, HEAD_CLAIM, "lease-1", false);
    assert_int_equal(rig.head.phase, HEAD_READYING);
    rig_pass(&rig, 1500);
    assert_false(rig_last(&rig, HEAD_ADMISSION)->long_poll);
    rig_answer_full(&rig, (struct head_answer){ .call = HEAD_ADMISSION, .status = 200, .directive_applied = false });
    assert_int_equal(rig.head.phase, HEAD_READYING);
    rig_pass(&rig, 1500);
    rig_answer_full(&rig, (struct head_answer){ .call = HEAD_ADMISSION, .status = 200, .directive_applied = true });
    assert_int_equal(rig.head.phase, HEAD_PAIRING);
}

static void test_head_p2__no_answer__claims_again_with_the_same_attempt(void **state)
{
    (void)state;
    struct head_rig rig;
    claim(&rig);
    char attempt[HC_ID_SIZE];
    HC_SET(attempt, rig_last(&rig, HEAD_CLAIM)->attempt_id);
    rig_answer(&rig, HEAD_CLAIM, 0, "");
    rig_pass(&rig, 3000);
    assert_int_equal(rig_count(&rig, HEAD_CLAIM), 2);
    assert_string_equal(rig_last(&rig, HEAD_CLAIM)->attempt_id, attempt);
}

static void test_head_p2__queued__long_polls_and_takes_the_promotion(void **state)
{
    (void)state;
    struct head_rig rig;
    claim(&rig);
    rig_answer_full(&rig, (struct head_answer){ .call = HEAD_CLAIM, .status = 202, .has_ticket = true, .stream_id = "str-1",
                                                .reason = "no_slot" });
    assert_int_equal(rig.head.phase, HEAD_WAITING);
    rig_pass(&rig, 200);
    assert_true(rig_last(&rig, HEAD_ADMISSION)->long_poll);
    assert_string_equal(rig_last(&rig, HEAD_ADMISSION)->attempt_id, rig_last(&rig, HEAD_CLAIM)->attempt_id);
    rig_answer_full(&rig, (struct head_answer){ .call = HEAD_ADMISSION, .status = 200, .has_ticket = true });
    rig_pass(&rig, 500);
    assert_int_equal(rig_count(&rig, HEAD_ADMISSION), 2);
    rig_give_lease(&rig, HEAD_ADMISSION, "lease-2", true);
    assert_int_equal(rig.head.phase, HEAD_PAIRING);
    assert_int_equal(rig.holds, 1);
}

static void test_head_p2__must_accept__accepts(void **state)
{
    (void)state;
    struct head_rig rig;
    claim(&rig);
    rig_answer_full(&rig, (struct head_answer){ .call = HEAD_CLAIM, .status = 202, .has_ticket = true });
    rig_pass(&rig, 200);
    rig_answer_full(&rig, (struct head_answer){ .call = HEAD_ADMISSION, .status = 200, .has_ticket = true, .must_accept = true });
    assert_non_null(rig_last(&rig, HEAD_ACCEPT));
    rig_give_lease(&rig, HEAD_ACCEPT, "lease-3", true);
    assert_int_equal(rig.head.phase, HEAD_PAIRING);
}

static void test_head_p2__renewals_unheard__gives_up_before_the_lease_can_be_anothers(void **state)
{
    (void)state;
    struct head_rig rig;
    claim(&rig);
    rig_give_lease(&rig, HEAD_CLAIM, "lease-1", true);
    rig_until_launch(&rig);
    int64_t until_ms = rig.last_until_ms;
    while (rig.now_ms <= until_ms) {
        rig_pass(&rig, 1000);
        if ((rig.head.under_way & (1u << HEAD_RENEW)) != 0)
            rig_answer(&rig, HEAD_RENEW, 0, "");
    }
    assert_int_equal(rig.drops, 1);
    assert_int_equal(rig.closes, 1);
    assert_true(rig_count(&rig, HEAD_RENEW) > 1);
    assert_int_equal(rig.head.phase, HEAD_ASKING);
}

static void test_head_p2__renewed__holds_for_longer(void **state)
{
    (void)state;
    struct head_rig rig;
    stream(&rig);
    rig_pass(&rig, 21000);
    rig_answer_full(&rig, (struct head_answer){ .call = HEAD_RENEW, .status = 200, .ttl_ms = 90000, .lease_id = "lease-9" });
    assert_int_equal(rig.renewals, 2);
    assert_string_equal(rig.head.lease_id, "lease-9");
    rig_pass(&rig, 21000);
    assert_string_equal(rig_last(&rig, HEAD_RENEW)->lease_id, "lease-9");
}

static void test_head_p2__preempted_while_it_pairs__does_not_launch(void **state)
{
    (void)state;
    struct head_rig rig;
    claim(&rig);
    rig_give_lease(&rig, HEAD_CLAIM, "lease-1", true);
    rig_until(&rig, HEAD_STARTING, 10000);
    rig_pass(&rig, 300);
    assert_string_equal(rig_last(&rig, HEAD_BEAT)->lease_state, "starting");
    struct head_answer lost = { .call = HEAD_RENEW, .status = 410, .reason = "preempted_by_home_venue" };
    rig_answer_full(&rig, lost);
    assert_int_equal(rig.launches, 0);
    assert_int_equal(rig.drops, 1);
    rig_pass(&rig, 3000);
    assert_int_equal(rig_count(&rig, HEAD_CLAIM), 2);
    assert_string_equal(rig_last(&rig, HEAD_CLAIM)->stream_id, "str-1");
}

static void test_head_p2__renewal_asked_before_it_said_starting__proves_nothing(void **state)
{
    (void)state;
    struct head_rig rig;
    claim(&rig);
    rig_give_lease(&rig, HEAD_CLAIM, "lease-1", true);
    rig_until(&rig, HEAD_STARTING, 10000);
    struct head_answer early = { .call = HEAD_RENEW, .status = 200, .ttl_ms = 90000, .asked_ms = rig.now_ms - 500,
                                 .round = rig.head.round };
    const struct head_event event = { .type = HEAD_ANSWERED, .answer = &early };
    head_step(&rig.head, &event, rig.now_ms, &rig.acts);
    assert_int_equal(rig.head.phase, HEAD_STARTING);
    rig_until_launch(&rig);
}

static void test_head_p2__lease_lost_while_streaming__plays_on_unless_taken_away(void **state)
{
    (void)state;
    static const struct { const char *reason; bool stops; } rows[] = {
        { "body_idle", false }, { "expired", false }, { "revoked", true }, { "superseded", true },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct head_rig rig;
        stream(&rig);
        rig_pass(&rig, 21000);
        struct head_answer lost = { .call = HEAD_RENEW, .status = 410 };
        HC_SET(lost.reason, rows[i].reason);
        rig_answer_full(&rig, lost);
        assert_int_equal(rig.head.phase == HEAD_STREAMING, !rows[i].stops);
        assert_int_equal(rig.closes, rows[i].stops ? 1 : 0);
    }
}

static void test_head_p2__picture_lost__says_so_and_seeks_with_its_stream(void **state)
{
    (void)state;
    struct head_rig rig;
    stream(&rig);
    rig_event(&rig, HEAD_LOST);
    rig_pass(&rig, 100);
    assert_string_equal(rig_last(&rig, HEAD_BEAT)->lease_state, "lost");
    assert_string_equal(rig_last(&rig, HEAD_BEAT)->lease_id, "lease-1");
    rig_pass(&rig, 3000);
    assert_int_equal(rig_count(&rig, HEAD_CLAIM), 2);
    assert_string_equal(rig_last(&rig, HEAD_CLAIM)->stream_id, "str-1");
    assert_string_equal(rig_last(&rig, HEAD_CLAIM)->claim_token, "");
    rig_answer(&rig, HEAD_CLAIM, 409, "head_busy");
    assert_string_equal(rig_last(&rig, HEAD_CLAIM)->claim_token, "secret");
}

static void test_head_p2__host_is_busy__releases_unreachable_and_claims_afresh(void **state)
{
    (void)state;
    struct head_rig rig;
    claim(&rig);
    rig_give_lease(&rig, HEAD_CLAIM, "lease-1", true);
    rig_until_launch(&rig);
    rig_event(&rig, HEAD_REFUSED);
    assert_string_equal(rig_last(&rig, HEAD_RELEASE)->reason, "unreachable");
    assert_string_equal(rig_last(&rig, HEAD_RELEASE)->lease_id, "lease-1");
    assert_int_equal(rig_count(&rig, HEAD_CLAIM), 1);
    rig_answer(&rig, HEAD_RELEASE, 204, "");
    assert_int_equal(rig_count(&rig, HEAD_CLAIM), 2);
    assert_string_not_equal(rig.calls[rig.call_count - 1].attempt_id, rig.calls[0].attempt_id);
}

static void test_head_p2__busy_without_a_token__ends_what_it_has_first(void **state)
{
    (void)state;
    struct head_rig rig;
    claim(&rig);
    rig_answer(&rig, HEAD_CLAIM, 409, "head_busy");
    assert_non_null(rig_last(&rig, HEAD_STOP));
    rig_answer(&rig, HEAD_STOP, 204, "");
    assert_int_equal(rig_count(&rig, HEAD_CLAIM), 2);
}

static void test_head_p2__refused_for_good__stops_asking(void **state)
{
    (void)state;
    static const long statuses[] = { 400, 401, 404, 422 };
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        struct head_rig rig;
        claim(&rig);
        rig_answer(&rig, HEAD_CLAIM, statuses[i], "experience_unavailable");
        assert_int_equal(rig.head.phase, HEAD_ERROR);
        rig_pass(&rig, 60000);
        assert_int_equal(rig_count(&rig, HEAD_CLAIM), 1);
    }
}

static void test_head_p2__throttled__waits_as_long_as_told(void **state)
{
    (void)state;
    struct head_rig rig;
    claim(&rig);
    rig_answer_full(&rig, (struct head_answer){ .call = HEAD_CLAIM, .status = 429, .error = "claim_throttled", .retry_ms = 6000 });
    rig_pass(&rig, 5500);
    assert_int_equal(rig_count(&rig, HEAD_CLAIM), 1);
    rig_pass(&rig, 1000);
    assert_int_equal(rig_count(&rig, HEAD_CLAIM), 2);
}

static void test_head_p2__leaves_the_line__ends_its_stream(void **state)
{
    (void)state;
    struct head_rig rig;
    claim(&rig);
    rig_answer_full(&rig, (struct head_answer){ .call = HEAD_CLAIM, .status = 202, .has_ticket = true });
    rig_event(&rig, HEAD_LEAVE);
    assert_non_null(rig_last(&rig, HEAD_STOP));
    assert_null(rig_last(&rig, HEAD_RELEASE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_head_p2__lease__pairs_launches_its_token_and_releases),
        cmocka_unit_test(test_head_p2__directive_not_applied__asks_until_it_is),
        cmocka_unit_test(test_head_p2__no_answer__claims_again_with_the_same_attempt),
        cmocka_unit_test(test_head_p2__queued__long_polls_and_takes_the_promotion),
        cmocka_unit_test(test_head_p2__must_accept__accepts),
        cmocka_unit_test(test_head_p2__renewals_unheard__gives_up_before_the_lease_can_be_anothers),
        cmocka_unit_test(test_head_p2__renewed__holds_for_longer),
        cmocka_unit_test(test_head_p2__preempted_while_it_pairs__does_not_launch),
        cmocka_unit_test(test_head_p2__renewal_asked_before_it_said_starting__proves_nothing),
        cmocka_unit_test(test_head_p2__lease_lost_while_streaming__plays_on_unless_taken_away),
        cmocka_unit_test(test_head_p2__picture_lost__says_so_and_seeks_with_its_stream),
        cmocka_unit_test(test_head_p2__host_is_busy__releases_unreachable_and_claims_afresh),
        cmocka_unit_test(test_head_p2__busy_without_a_token__ends_what_it_has_first),
        cmocka_unit_test(test_head_p2__refused_for_good__stops_asking),
        cmocka_unit_test(test_head_p2__throttled__waits_as_long_as_told),
        cmocka_unit_test(test_head_p2__leaves_the_line__ends_its_stream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
