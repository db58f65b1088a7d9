/* How leases end, and what stays of them: rules §6.1, §6.2, §6.5.2, §7.9. */
#include "visits.h"

#include <string.h>

/* §6.1: at every grant and every terminal transition. */
static void test_epoch__at_grant_and_end__grows(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    uint64_t before = fleet_slot(f, "b1", 0)->epoch;
    visit_hold(f, "h1", lease);
    uint64_t granted = fleet_slot(f, "b1", 0)->epoch;
    assert_true(granted > before);
    assert_int_equal(fleet_lease(f, lease)->grant_epoch, granted);
    visit_revoke(f, lease);
    assert_true(fleet_slot(f, "b1", 0)->epoch > granted);
    assert_int_equal(fleet_lease(f, lease)->grant_epoch, granted);
}

/* §6.1: a body that knows a higher epoch, and a file whose generation is higher. */
static void test_epoch__body_and_generation_are_ahead__passes_both(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    f->alloc->generation = 5000;
    visit_hold(f, "h1", lease);
    assert_int_equal(fleet_slot(f, "b1", 0)->epoch, 5001);
}

/* §6.2 row held: 40 s for the first hold, then silence. */
static void test_hold__never_renewed__expires_at_40_s(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_hold(f, "h1", lease);
    fleet_pass(f, 39000);
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_HELD);
    fleet_pass(f, 11000);
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_EXPIRED);
    assert_int_equal(fleet_lease(f, lease)->why, WHY_SILENCE);
    assert_int_equal(visit_stream(f, lease)->why, STREAM_WHY_HEAD_SILENT);
}

/* I8: nobody renews past the start deadline. */
static void test_hold__renewed_for_ever__fails_at_the_start_deadline_i8(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_hold(f, "h1", lease);
    visit_beats(f, 200000, "h1", "starting", "");
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_PAIRING);
    visit_beats(f, 20000, "h1", "starting", "");
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_FAILED);
    assert_int_equal(fleet_lease(f, lease)->why, WHY_START_TIMEOUT);
}

/* §6.2.6: its head may still launch. */
static void test_hold__legacy_falls_silent__its_slot_ranks_last(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_hold(f, "h1", lease);
    fleet_pass(f, 50000);
    assert_true(hc_time_before(f->now, fleet_slot(f, "b1", 0)->silent_until));
}

static void test_grant__never_renewed__expires_by_ttl(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE];
    visit_fleet(f);
    f->config.timers.lease_ttl_ms = 60000;        /* below the start deadline, which comes first when both are due */
    visit_grant(f, "p1", "a1", lease, token);
    fleet_pass(f, 75000);
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_EXPIRED);
    assert_int_equal(fleet_lease(f, lease)->why, WHY_TTL);
    assert_false(hc_time_set(fleet_slot(f, "b1", 0)->silent_until));      /* protocol 2 */
}

/* §4.4: absolute clocks before rolling ones. */
static void test_grant__both_clocks_are_due__the_deadline_comes_first(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE];
    visit_fleet(f);
    visit_grant(f, "p1", "a1", lease, token);
    fleet_pass(f, 100000);
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_FAILED);
    assert_int_equal(fleet_lease(f, lease)->why, WHY_START_TIMEOUT);
}

/* §6.2 point 2: the body is modern, fresh and idle. */
static void test_release__before_it_streams_and_body_is_idle__ends_at_once(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE];
    visit_fleet(f);
    visit_grant(f, "p1", "a1", lease, token);
    (void)fleet_release(f, "p1", lease, token, WHY_USER_EXIT);
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_ENDED);
    assert_int_equal(fleet_lease(f, lease)->why, WHY_USER_EXIT);
    assert_int_equal(visit_stream(f, lease)->state, STREAM_ENDED);
}

static struct core_result *stop(struct fleet *f, const char *head_id)
{
    struct core_event ev = fleet_event(f, CORE_STREAM_STOP, CALLER_NODE, head_id);
    ev.u.stream_stop = (struct stream_stop_req){ .head_id = head_id, .body_id = "" };
    return fleet_step(f, &ev);
}

/* §6.2 point 2: a legacy body, and no idle report since the head began to start. */
static void test_release__legacy_body_not_idle_since__drains_and_is_abandoned(void **state)
{
    struct fleet *f = *state;
    fleet_legacy_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadipad");
    (void)fleet_report(f, "b1");
    char lease[HC_ID_SIZE];
    visit_hold(f, "h1", lease);
    f->now = hc_time_add(f->now, 1000);
    (void)fleet_heartbeat(f, "h1", "starting", "");
    (void)stop(f, "h1");
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_DRAINING);
    assert_int_equal(visit_stream(f, lease)->state, STREAM_ENDED);      /* §9.2: the visit is over at once */
    (void)visit_idle(f, "b1");
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_ABANDONED);
    assert_int_equal(fleet_lease(f, lease)->why, WHY_RELEASED);
}

static void test_release__legacy_body_idle_since__is_abandoned_at_once(void **state)
{
    struct fleet *f = *state;
    fleet_legacy_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadipad");
    (void)fleet_report(f, "b1");
    char lease[HC_ID_SIZE];
    visit_hold(f, "h1", lease);
    f->now = hc_time_add(f->now, 1000);
    (void)fleet_heartbeat(f, "h1", "starting", "");
    (void)visit_idle(f, "b1");
    (void)stop(f, "h1");
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_ABANDONED);
}

static void test_release__while_it_streams__drains_until_the_session_is_gone(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_plays(f, lease);
    (void)stop(f, "h1");
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_DRAINING);
    (void)visit_shows(f, "b1", SESSION_STREAMING, "", "l1");
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_DRAINING);
    (void)visit_shows(f, "b1", SESSION_ENDING, "", "l1");       /* §13.4: the session is gone, the app closes */
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_ENDED);
    assert_int_equal(fleet_lease(f, lease)->why, WHY_RELEASED);
    assert_int_equal(visit_stream(f, lease)->why, STREAM_WHY_RELEASED);
}

/* §6.2: 45 s; §6.2.3: what goes on is not adopted, until an idle report. */
static void test_drain__session_goes_on__times_out_and_is_refused(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_plays(f, lease);
    (void)stop(f, "h1");
    fleet_pass(f, 60000);
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_FAILED);
    assert_int_equal(fleet_lease(f, lease)->why, WHY_DRAIN_TIMEOUT);
    assert_null(fleet_live(f, "b1", 0));
    assert_int_equal(visit_ghosts(f, "b1"), 1);
    (void)visit_idle(f, "b1");
    assert_int_equal(visit_ghosts(f, "b1"), 0);
    (void)visit_shows(f, "b1", SESSION_STREAMING, "", "l2");
    assert_int_equal(fleet_live(f, "b1", 0)->state, LEASE_ADOPTED);
}

static void test_revoke__while_it_streams__refuses_the_same_launch(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_plays(f, lease);
    visit_revoke(f, lease);
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_REVOKED);
    (void)visit_shows(f, "b1", SESSION_STREAMING, "", "l1");
    assert_null(fleet_live(f, "b1", 0));
    assert_int_equal(visit_stream(f, lease)->why, STREAM_WHY_REVOKED);
}

static void test_release__of_an_unknown_lease__ends_at_once_and_stays_occupied(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_plays(f, lease);
    fleet_silent(f, "b1");
    visit_beats(f, 110000, "h1", "streaming", "b1");
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_UNKNOWN);
    (void)stop(f, "h1");
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_ENDED);
    struct core_view view = fleet_view(f);
    assert_true((slot_occupied(&view, alloc_body(f->alloc, "b1"), 0) & WHY_NOT_STALE_REPORT) != 0);
}

/* §6.5.2 */
static void test_attempt__its_lease_ended__is_remembered_for_ten_minutes(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE];
    visit_fleet(f);
    visit_grant(f, "p1", "a1", lease, token);
    (void)fleet_release(f, "p1", lease, token, WHY_USER_EXIT);
    const struct attempts_rec *memory = alloc_attempts(f->alloc, "p1");
    assert_non_null(memory);
    assert_int_equal(memory->count, 1);
    assert_string_equal(memory->at[0].lease_id, lease);
    assert_int_equal(fleet_claim(f, "p1", "a1", FLEET_EXPERIENCE)->deny, DENY_LEASE_LOST);
    fleet_pass(f, 11 * HC_MINUTE_MS);
    assert_null(alloc_attempts(f->alloc, "p1"));
}

/* §7.9: through no act of its visitor, twice; the third time it ends. */
static void test_stream__start_times_out__returns_twice_then_ends(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], stream[HC_ID_SIZE];
    visit_fleet(f);
    visit_hold(f, "h1", lease);
    HC_SET(stream, fleet_lease(f, lease)->stream_id);
    hc_time created = alloc_stream(f->alloc, stream)->created_at;
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(alloc_stream(f->alloc, stream)->returns, i);
        assert_string_equal(fleet_lease(f, lease)->stream_id, stream);
        visit_beats(f, 220000, "h1", "starting", "");
        assert_int_equal(fleet_lease(f, lease)->why, WHY_START_TIMEOUT);
        if (i < 2) {
            assert_int_equal(alloc_stream(f->alloc, stream)->state, STREAM_SEEKING);
            assert_int_equal(alloc_ticket(f->alloc, "h1")->created_at.ms, created.ms);
            visit_hold(f, "h1", lease);
        }
    }
    assert_int_equal(alloc_stream(f->alloc, stream)->state, STREAM_ENDED);
    assert_int_equal(alloc_stream(f->alloc, stream)->why, STREAM_WHY_START_FAILED);
    assert_null(alloc_ticket(f->alloc, "h1"));
}

static void test_lease_end__operator_names_a_reason__the_event_tells_it(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_hold(f, "h1", lease);
    visit_revoke(f, lease);
    const struct core_note *note = visit_note(&f->last, NOTE_LEASE_ENDED);
    assert_int_equal(note->state, LEASE_REVOKED);
    assert_string_equal(note->detail, "operator_revoke: test");
    struct core_event ev = fleet_event(f, CORE_LEASE_END, CALLER_ADMIN, "");
    ev.u.lease_end = (struct lease_end_req){ .lease_id = "lse-none", .reason = "" };
    assert_int_equal(fleet_step(f, &ev)->deny, DENY_NOT_FOUND);
    f->store_down = true;
    ev = fleet_event(f, CORE_LEASE_END, CALLER_ADMIN, "");
    ev.u.lease_end = (struct lease_end_req){ .lease_id = lease, .reason = "" };
    assert_int_equal(fleet_step(f, &ev)->deny, DENY_STORE);
}

/* §3.10: a terminal lease stays until its history line is written. */
static void test_history__is_written__lets_go_of_ended_leases_only(void **state)
{
    struct fleet *f = *state;
    char ended[HC_ID_SIZE], live[HC_ID_SIZE];
    visit_fleet(f);
    visit_hold(f, "h1", ended);
    visit_revoke(f, ended);
    (void)visit_idle(f, "b1");
    visit_hold(f, "h2", live);
    const char *ids[] = { ended, live, "lse-none" };
    struct core_event ev = fleet_event(f, CORE_HISTORY_WRITTEN, CALLER_SYSTEM, "");
    ev.u.history = (struct history_req){ ids, 3 };
    assert_true(fleet_step(f, &ev)->dirty);
    assert_int_equal(fleet_slot(f, "b1", 0)->lease_count, 1);
    assert_string_equal(fleet_live(f, "b1", 0)->id, live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLEET_TEST(test_epoch__at_grant_and_end__grows),
        FLEET_TEST(test_epoch__body_and_generation_are_ahead__passes_both),
        FLEET_TEST(test_hold__never_renewed__expires_at_40_s),
        FLEET_TEST(test_hold__renewed_for_ever__fails_at_the_start_deadline_i8),
        FLEET_TEST(test_hold__legacy_falls_silent__its_slot_ranks_last),
        FLEET_TEST(test_grant__never_renewed__expires_by_ttl),
        FLEET_TEST(test_grant__both_clocks_are_due__the_deadline_comes_first),
        FLEET_TEST(test_release__before_it_streams_and_body_is_idle__ends_at_once),
        FLEET_TEST(test_release__legacy_body_not_idle_since__drains_and_is_abandoned),
        FLEET_TEST(test_release__legacy_body_idle_since__is_abandoned_at_once),
        FLEET_TEST(test_release__while_it_streams__drains_until_the_session_is_gone),
        FLEET_TEST(test_drain__session_goes_on__times_out_and_is_refused),
        FLEET_TEST(test_revoke__while_it_streams__refuses_the_same_launch),
        FLEET_TEST(test_release__of_an_unknown_lease__ends_at_once_and_stays_occupied),
        FLEET_TEST(test_attempt__its_lease_ended__is_remembered_for_ten_minutes),
        FLEET_TEST(test_stream__start_times_out__returns_twice_then_ends),
        FLEET_TEST(test_lease_end__operator_names_a_reason__the_event_tells_it),
        FLEET_TEST(test_history__is_written__lets_go_of_ended_leases_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
