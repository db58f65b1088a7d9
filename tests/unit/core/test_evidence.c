/* What reports mean for leases: rules §6.2 (streaming, unknown, draining), §6.2.5 (warm-up, reboot), §6.1 (regressed epochs), §10.4. */
#include "asks.h"
#include "visits.h"

#include <string.h>

static enum lease_state state_of(struct fleet *f, const char *lease_id)
{
    return fleet_lease(f, lease_id)->state;
}

/* A head's word alone never makes a lease stream. */
static void test_lease__head_says_streaming__waits_for_the_body(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE];
    visit_fleet(f);
    visit_grant(f, "p1", "a1", lease, token);
    (void)fleet_heartbeat_lease(f, "p1", "streaming", lease, HEAD_LEASE_STREAMING);
    assert_int_equal(state_of(f, lease), LEASE_GRANTED);
    (void)visit_shows(f, "b1", SESSION_STARTING, lease, "l1");
    assert_int_equal(state_of(f, lease), LEASE_GRANTED);
    (void)visit_shows(f, "b1", SESSION_STREAMING, lease, "l1");
    assert_int_equal(state_of(f, lease), LEASE_STREAMING);
    assert_int_equal(visit_stream(f, lease)->state, STREAM_LIVE);
    assert_string_equal(fleet_lease(f, lease)->launch_id, "l1");
}

/* Today's bodies name no lease. */
static void test_lease__legacy_body_streams__is_streaming(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    fleet_legacy_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadipad");
    (void)fleet_report(f, "b1");
    visit_hold(f, "h1", lease);
    (void)visit_shows(f, "b1", SESSION_STREAMING, "", "");
    assert_int_equal(state_of(f, lease), LEASE_STREAMING);
}

/* Two idle reports, first to last at least 60 s; never by leaseTTL. */
static void test_streaming__body_is_idle__ends_after_confirmation(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_plays(f, lease);
    fleet_pass(f, 20 * HC_MINUTE_MS);             /* the head says nothing: the body vouches */
    assert_int_equal(state_of(f, lease), LEASE_STREAMING);
    (void)visit_idle(f, "b1");
    fleet_pass(f, 50000);
    assert_int_equal(state_of(f, lease), LEASE_STREAMING);
    fleet_pass(f, 15000);
    assert_int_equal(state_of(f, lease), LEASE_ENDED);
    assert_int_equal(fleet_lease(f, lease)->why, WHY_BODY_IDLE);
    assert_int_equal(visit_stream(f, lease)->why, STREAM_WHY_FINISHED);
}

static void test_streaming__session_comes_back_in_time__goes_on(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_plays(f, lease);
    (void)visit_idle(f, "b1");
    fleet_pass(f, 40000);
    (void)visit_shows(f, "b1", SESSION_STREAMING, "", "l2");
    fleet_pass(f, 40000);
    (void)visit_idle(f, "b1");
    fleet_pass(f, 40000);
    assert_int_equal(state_of(f, lease), LEASE_STREAMING);
    assert_string_equal(fleet_lease(f, lease)->launch_id, "l2");
}

/* I8: bounded although the body vouches for ever. */
static void test_streaming__no_head_for_half_an_hour__drains_unattended_i8(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_plays(f, lease);
    fleet_pass(f, 29 * HC_MINUTE_MS);
    assert_int_equal(state_of(f, lease), LEASE_STREAMING);
    fleet_pass(f, 70000);
    assert_int_equal(fleet_lease(f, lease)->why, WHY_UNATTENDED);
    assert_int_equal(state_of(f, lease), LEASE_DRAINING);
    (void)visit_idle(f, "b1");
    assert_int_equal(state_of(f, lease), LEASE_FAILED);
    assert_int_equal(fleet_lease(f, lease)->why, WHY_UNATTENDED);
    assert_int_equal(visit_stream(f, lease)->why, STREAM_WHY_UNATTENDED);
}

static void test_draining_unattended__its_head_streams__is_taken_back(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_plays(f, lease);
    while (state_of(f, lease) == LEASE_STREAMING)
        fleet_pass(f, 10000);
    assert_int_equal(state_of(f, lease), LEASE_DRAINING);
    (void)fleet_heartbeat(f, "h1", "streaming", "b1");
    assert_int_equal(state_of(f, lease), LEASE_STREAMING);
    fleet_pass(f, HC_MINUTE_MS);
    assert_int_equal(state_of(f, lease), LEASE_STREAMING);
}

static void test_draining_unattended__taken_back_from_a_silent_body__is_unknown_at_once(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_plays(f, lease);
    f->config.timers.drain_grace_ms = 10 * HC_MINUTE_MS;
    while (state_of(f, lease) == LEASE_STREAMING)
        fleet_pass(f, 10000);
    fleet_silent(f, "b1");
    fleet_pass(f, 3 * HC_MINUTE_MS);
    assert_int_equal(state_of(f, lease), LEASE_DRAINING);
    (void)fleet_heartbeat(f, "h1", "streaming", "b1");
    assert_int_equal(state_of(f, lease), LEASE_UNKNOWN);
}

static void test_streaming__body_is_silent__is_unknown_then_back(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_plays(f, lease);
    fleet_silent(f, "b1");
    fleet_pass(f, 80000);
    assert_int_equal(state_of(f, lease), LEASE_STREAMING);
    fleet_pass(f, 30000);
    assert_int_equal(state_of(f, lease), LEASE_UNKNOWN);
    (void)visit_shows(f, "b1", SESSION_STREAMING, "", "l1");
    assert_int_equal(state_of(f, lease), LEASE_STREAMING);
}

static void test_unknown__body_never_returns__expires_loudly(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    size_t loud = 0;
    visit_fleet(f);
    visit_plays(f, lease);
    fleet_silent(f, "b1");
    for (unsigned i = 0; i < 80; i++) {
        fleet_pass(f, 10000);
        loud += fleet_notes(&f->last, NOTE_UNKNOWN_EXPIRED);
    }
    assert_int_equal(loud, 1);
    assert_int_equal(state_of(f, lease), LEASE_EXPIRED);
    assert_int_equal(fleet_lease(f, lease)->why, WHY_UNKNOWN_HOLD);
    assert_int_equal(visit_stream(f, lease)->why, STREAM_WHY_BODY_LOST);
    assert_null(fleet_live(f, "b1", 0));           /* and the stale report is not adopted */
}

/* §6.2.5: a restarted agent's registry is empty at first. */
static void test_agent__restarts_while_it_streams__nothing_ends(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_plays(f, lease);
    fleet_reboot(f, "b1");
    fleet_machine(f, "b1")->uptime_ms = 2000;
    (void)visit_idle(f, "b1");
    fleet_pass(f, 50000);
    assert_int_equal(state_of(f, lease), LEASE_STREAMING);
    assert_false(hc_time_set(fleet_lease(f, lease)->idle_since));
    assert_string_equal(alloc_body(f->alloc, "b1")->boot_id, fleet_machine(f, "b1")->boot_id);
    fleet_pass(f, 80000);                          /* warm now, and idle for a minute */
    assert_int_equal(state_of(f, lease), LEASE_ENDED);
}

static void test_agent__restarts_while_it_drains__the_drain_clock_waits(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_plays(f, lease);
    struct core_event ev = fleet_event(f, CORE_LEASE_END, CALLER_ADMIN, "");
    ev.u.lease_end = (struct lease_end_req){ .lease_id = lease, .reason = "" };
    (void)fleet_step(f, &ev);
    assert_int_equal(state_of(f, lease), LEASE_DRAINING);
    fleet_reboot(f, "b1");
    fleet_machine(f, "b1")->uptime_ms = 2000;
    (void)visit_idle(f, "b1");
    fleet_pass(f, 47000);
    assert_int_equal(state_of(f, lease), LEASE_DRAINING);
    fleet_pass(f, 20000);
    assert_int_equal(state_of(f, lease), LEASE_ENDED);
}

static void test_body__reboots__lease_is_unknown_then_needs_idle_confirmation(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_plays(f, lease);
    fleet_reboot(f, "b1");                         /* up for 90 s already */
    f->now = hc_time_add(f->now, 5000);
    const struct core_result *got = fleet_report(f, "b1");
    assert_int_equal(visit_note(got, NOTE_LEASE_UNKNOWN)->why, WHY_BODY_REBOOT);
    assert_int_equal(state_of(f, lease), LEASE_STREAMING);      /* the same report brings it back */
    fleet_pass(f, 50000);
    assert_int_equal(state_of(f, lease), LEASE_STREAMING);
    fleet_pass(f, 30000);
    assert_int_equal(state_of(f, lease), LEASE_ENDED);
}

/* §6.2.1 */
static void test_body__reboots__a_hold_runs_on(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_hold(f, "h1", lease);
    fleet_reboot(f, "b1");
    (void)visit_idle(f, "b1");
    assert_int_equal(state_of(f, lease), LEASE_HELD);
}

static struct core_result *report_epoch(struct fleet *f, uint64_t max_epoch_seen)
{
    struct fleet_body *machine = fleet_machine(f, "b1");
    struct session_obs row = { .index = 0, .state = SESSION_IDLE, .has_applied_epoch = true, .applied_epoch = max_epoch_seen,
        .since_ms = -1 };
    f->now = hc_time_add(f->now, 5000);
    struct core_event ev = fleet_event(f, CORE_BODY_REPORT, CALLER_NODE, "b1");
    ev.u.report = (struct report_req){
        .body_id = "b1", .modern = true, .boot_id = machine->boot_id, .report_seq = ++machine->seq, .uptime_ms = 3600000,
        .stream_status = STATUS_IDLE, .xr_state = "", .gpu = "", .provider_status = "", .provider_version = "", .hydrabody_version = "",
        .sunshine_cert_fp = "", .paired_digest = "", .sessions = &row, .session_count = 1, .max_epoch_seen = &max_epoch_seen,
        .max_epoch_count = 1,
    };
    return fleet_step(f, &ev);
}

/* §6.1: a restored backup. */
static void test_epoch__body_has_seen_a_higher_one__is_raised_and_the_lease_doubted(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_plays(f, lease);
    const struct core_result *got = report_epoch(f, 900);
    assert_int_equal(fleet_notes(got, NOTE_EPOCH_REGRESSED), 1);
    assert_int_equal(fleet_slot(f, "b1", 0)->epoch, 901);
    assert_true(fleet_slot(f, "b1", 0)->epoch_regressed);
    assert_int_equal(state_of(f, lease), LEASE_UNKNOWN);
    assert_int_equal(fleet_lease(f, lease)->why, WHY_EPOCH_REGRESSED);
    assert_int_equal(fleet_notes(report_epoch(f, 900), NOTE_EPOCH_REGRESSED), 0);
    (void)visit_shows(f, "b1", SESSION_STREAMING, lease, "l1");
    assert_int_equal(state_of(f, lease), LEASE_STREAMING);
    assert_false(fleet_slot(f, "b1", 0)->epoch_regressed);
}

/* The largest number that the wire takes, from a broken or hostile body: it is written as it came (the file has the same limit), and the
 * slot, which has no number left to be fenced with, serves nobody. */
static void test_slot__largest_epoch_reported__stays_in_bounds_and_is_not_granted(void **state)
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    fleet_head(f, "p1", "north", "hydrahead");
    (void)fleet_report(f, "b1");
    (void)report_epoch(f, HC_EPOCH_MAX);
    assert_true(fleet_slot(f, "b1", 0)->epoch == HC_EPOCH_MAX);
    const struct core_result *again = report_epoch(f, HC_EPOCH_MAX);      /* applied: confirmed, and still no number for a grant */
    assert_int_equal(fleet_notes(again, NOTE_EPOCH_REGRESSED), 0);
    assert_false(fleet_slot(f, "b1", 0)->epoch_regressed);
    assert_int_equal(fleet_claim(f, "p1", "a1", FLEET_EXPERIENCE)->answer, ANSWER_TICKET);
    assert_null(fleet_live(f, "b1", 0));
    assert_true(fleet_slot(f, "b1", 0)->epoch == HC_EPOCH_MAX);
}

static void client(struct fleet *f, const char *uuid, const char *name)
{
    struct fleet_body *machine = fleet_machine(f, "b1");
    struct session_obs *session = &machine->sessions[machine->session_count - 1];
    HC_SET(session->client_uuid, uuid);
    HC_SET(session->client_name, name);
}

/* §10.4, §10.5, I9: the incident is a row, an event once, and never a renewal. */
static void test_slot__second_client_joins__is_a_conflict_told_once_i9(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_plays(f, lease);
    size_t told = 0;
    for (unsigned i = 0; i < 5; i++) {
        f->now = hc_time_add(f->now, 5000);
        fleet_no_session(f, "b1");
        fleet_session(f, "b1", 0, SESSION_STREAMING, "", "l1");
        client(f, "uuid-1", "hydra-h1");
        fleet_session(f, "b1", 0, SESSION_STREAMING, "", "l2");
        client(f, "uuid-2", "hydra-h2");
        const struct core_result *got = fleet_report(f, "b1");
        told += fleet_notes(got, NOTE_SLOT_CONFLICT);
        if (i == 0) {
            assert_string_equal(visit_note(got, NOTE_SLOT_CONFLICT)->head_id, "h2");
            assert_true(visit_note(got, NOTE_SLOT_CONFLICT)->expected_legacy);
        }
    }
    assert_int_equal(told, 1);
    assert_string_equal(fleet_lease(f, lease)->sunshine_client_uuid, "uuid-1");
}

static void test_slot__only_a_strangers_session__renews_nothing(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_plays(f, lease);
    hc_time renewed = lease_clock(f->obs, fleet_lease(f, lease)).renewed_at;
    f->now = hc_time_add(f->now, 5000);
    fleet_no_session(f, "b1");
    fleet_session(f, "b1", 0, SESSION_STREAMING, "", "l9");
    client(f, "uuid-9", "hydra-h2");
    assert_int_equal(fleet_notes(fleet_report(f, "b1"), NOTE_SLOT_CONFLICT), 1);
    assert_int_equal(lease_clock(f->obs, fleet_lease(f, lease)).renewed_at.ms, renewed.ms);
    assert_int_equal(state_of(f, lease), LEASE_STREAMING);
}

/* §3.5: while the store is down nothing changes state, and what was reported takes effect afterwards. */
static void test_store__is_down__reports_are_facts_only(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_hold(f, "h1", lease);
    f->store_down = true;
    assert_false(visit_shows(f, "b1", SESSION_STREAMING, "", "l1")->dirty);
    fleet_pass(f, 5 * HC_MINUTE_MS);
    assert_int_equal(state_of(f, lease), LEASE_HELD);
    f->store_down = false;
    struct core_event ev = fleet_event(f, CORE_OUTAGE_OVER, CALLER_SYSTEM, "");
    ev.u.outage.outage_ms = 5 * HC_MINUTE_MS + 5000;
    (void)fleet_step(f, &ev);
    /* its start deadline passed while we could not act: the session is adopted under the same visit */
    const struct lease *live = fleet_live(f, "b1", 0);
    assert_non_null(live);
    assert_int_equal(alloc_body(f->alloc, "b1")->circuit.failure_count, 0);
    assert_null(alloc_get(f->alloc, REC_DEMOTION, "b1/h1"));
}

/* §9.3: the visitor sits elsewhere by now. */
static void test_left_behind__body_returns__drains_what_plays_ends_what_does_not(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    for (unsigned plays = 0; plays < 2; plays++) {
        if (plays == 0) {
            visit_fleet(f);
            fleet_body(f, "b2", "north");
        } else {
            visit_revoke(f, fleet_live(f, "b2", 0)->id);
            (void)visit_idle(f, "b1");
        }
        visit_plays(f, lease);
        (void)fleet_report(f, "b2");
        fleet_silent(f, "b1");
        fleet_pass(f, 110000);
        assert_int_equal(state_of(f, lease), LEASE_UNKNOWN);
        assert_int_equal(fleet_read(f, "h1", FLEET_EXPERIENCE)->answer, ANSWER_ROWS);
        assert_true(fleet_lease(f, lease)->left_behind);
        assert_string_equal(fleet_live(f, "b2", 0)->stream_id, fleet_lease(f, lease)->stream_id);
        if (plays == 0) {
            (void)visit_idle(f, "b1");
            assert_int_equal(state_of(f, lease), LEASE_ENDED);
        } else {
            (void)visit_shows(f, "b1", SESSION_STREAMING, "", "l1");
            assert_int_equal(state_of(f, lease), LEASE_DRAINING);
        }
        assert_int_equal(fleet_lease(f, lease)->why, WHY_REHOMED);
        assert_int_not_equal(visit_stream(f, lease)->state, STREAM_ENDED);
    }
}

/* Two idle reports with a stranger in between are no idle stretch. */
static void test_streaming__stranger_between_idle_reports__is_not_idle(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_plays(f, lease);
    (void)visit_idle(f, "b1");
    fleet_pass(f, 40000);
    f->now = hc_time_add(f->now, 5000);
    fleet_session(f, "b1", 0, SESSION_STREAMING, "", "l9");
    client(f, "uuid-9", "hydra-h2");
    (void)fleet_report(f, "b1");
    assert_false(hc_time_set(fleet_lease(f, lease)->idle_since));
    (void)visit_idle(f, "b1");
    fleet_pass(f, 40000);
    assert_int_equal(state_of(f, lease), LEASE_STREAMING);
}

/* A legacy head that was handed its body again cannot be told that another got it meanwhile: it gets the time of a start, once. */
static void test_streaming__handed_out_again_while_idle__waits_for_that_start_once(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_plays(f, lease);
    (void)fleet_heartbeat(f, "h1", "streaming", "b1");
    (void)visit_idle(f, "b1");
    fleet_pass(f, 50000);
    assert_int_equal(fleet_read(f, "h1", FLEET_EXPERIENCE)->answer, ANSWER_ROWS);
    assert_string_equal(alloc_head_lease(f->alloc, "h1"), lease);
    fleet_pass(f, 3 * HC_MINUTE_MS);
    assert_int_equal(state_of(f, lease), LEASE_STREAMING);
    (void)fleet_heartbeat(f, "h1", "streaming", "b1");
    f->now = hc_time_add(f->now, 1000);
    (void)fleet_read(f, "h1", FLEET_EXPERIENCE);
    fleet_pass(f, 60000);
    assert_int_equal(state_of(f, lease), LEASE_ENDED);      /* I8: no read renews it for ever */
    assert_int_equal(fleet_lease(f, lease)->why, WHY_BODY_IDLE);
}

/* The same while the body is silent: what it says when it is back is older than the start that was promised meanwhile. */
static void test_streaming__handed_out_again_while_silent__waits_for_that_start(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_plays(f, lease);
    (void)fleet_heartbeat(f, "h1", "streaming", "b1");
    f->now = hc_time_add(f->now, 40000);
    assert_int_equal(fleet_read(f, "h1", FLEET_EXPERIENCE)->answer, ANSWER_ROWS);
    assert_string_equal(alloc_head_lease(f->alloc, "h1"), lease);
    f->now = hc_time_add(f->now, 20000);
    (void)visit_idle(f, "b1");
    fleet_pass(f, 90000);
    (void)fleet_heartbeat(f, "h1", "streaming", "b1");       /* its picture has begun: a report of the moment before may come after that */
    (void)visit_idle(f, "b1");
    assert_int_equal(state_of(f, lease), LEASE_STREAMING);
    fleet_pass(f, 100000);
    assert_int_equal(state_of(f, lease), LEASE_ENDED);      /* it never began */
}

/* A read before its body showed the picture again promises nothing: that visit ends after two idle reports. */
static void test_streaming__read_before_it_was_shown__ends_when_idle(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_plays(f, lease);
    (void)fleet_heartbeat(f, "h1", "streaming", "b1");
    f->now = hc_time_add(f->now, 20000);
    (void)fleet_read(f, "h1", FLEET_EXPERIENCE);
    f->now = hc_time_add(f->now, 5000);
    (void)visit_shows(f, "b1", SESSION_STREAMING, "", "l1");
    f->now = hc_time_add(f->now, 5000);
    (void)visit_idle(f, "b1");
    fleet_pass(f, 65000);
    assert_int_equal(state_of(f, lease), LEASE_ENDED);
}

/* A head of protocol 2 that is given its lease again begins anew: what idle reports say until then is no end of that start. */
static void begins_anew_once(struct fleet *f, struct core_result *(*ask)(struct fleet *f), enum core_answer answer)
{
    char lease[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE];
    visit_fleet(f);
    visit_grant(f, "p1", "a1", lease, token);
    (void)visit_shows(f, "b1", SESSION_STREAMING, lease, "l1");
    (void)visit_idle(f, "b1");
    fleet_pass(f, 50000);
    assert_int_equal(ask(f)->answer, answer);
    assert_string_equal(f->last.claim_token, token);
    fleet_pass(f, 85000);
    assert_int_equal(state_of(f, lease), LEASE_STREAMING);
    (void)ask(f);
    fleet_pass(f, 10000);
    assert_int_equal(state_of(f, lease), LEASE_STREAMING);
    fleet_pass(f, 10000);
    assert_int_equal(state_of(f, lease), LEASE_ENDED);      /* I8: nothing that it asks renews it for ever */
    assert_int_equal(fleet_lease(f, lease)->why, WHY_BODY_IDLE);
}

static struct core_result *claims(struct fleet *f) { return fleet_claim(f, "p1", "a1", FLEET_EXPERIENCE); }
static struct core_result *polls(struct fleet *f) { return ask_admission(f, "p1", "a1"); }

static void test_streaming__claimed_again_while_idle__waits_for_that_start_once(void **state)
{
    begins_anew_once(*state, claims, ANSWER_LEASE_SAME);
}

static void test_streaming__polled_again_while_idle__waits_for_that_start_once(void **state)
{
    begins_anew_once(*state, polls, ANSWER_STREAM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLEET_TEST(test_lease__head_says_streaming__waits_for_the_body),
        FLEET_TEST(test_lease__legacy_body_streams__is_streaming),
        FLEET_TEST(test_streaming__body_is_idle__ends_after_confirmation),
        FLEET_TEST(test_streaming__session_comes_back_in_time__goes_on),
        FLEET_TEST(test_streaming__no_head_for_half_an_hour__drains_unattended_i8),
        FLEET_TEST(test_draining_unattended__its_head_streams__is_taken_back),
        FLEET_TEST(test_draining_unattended__taken_back_from_a_silent_body__is_unknown_at_once),
        FLEET_TEST(test_streaming__body_is_silent__is_unknown_then_back),
        FLEET_TEST(test_unknown__body_never_returns__expires_loudly),
        FLEET_TEST(test_agent__restarts_while_it_streams__nothing_ends),
        FLEET_TEST(test_agent__restarts_while_it_drains__the_drain_clock_waits),
        FLEET_TEST(test_body__reboots__lease_is_unknown_then_needs_idle_confirmation),
        FLEET_TEST(test_body__reboots__a_hold_runs_on),
        FLEET_TEST(test_epoch__body_has_seen_a_higher_one__is_raised_and_the_lease_doubted),
        FLEET_TEST(test_slot__largest_epoch_reported__stays_in_bounds_and_is_not_granted),
        FLEET_TEST(test_slot__second_client_joins__is_a_conflict_told_once_i9),
        FLEET_TEST(test_slot__only_a_strangers_session__renews_nothing),
        FLEET_TEST(test_store__is_down__reports_are_facts_only),
        FLEET_TEST(test_streaming__stranger_between_idle_reports__is_not_idle),
        FLEET_TEST(test_streaming__handed_out_again_while_idle__waits_for_that_start_once),
        FLEET_TEST(test_streaming__handed_out_again_while_silent__waits_for_that_start),
        FLEET_TEST(test_streaming__read_before_it_was_shown__ends_when_idle),
        FLEET_TEST(test_streaming__claimed_again_while_idle__waits_for_that_start_once),
        FLEET_TEST(test_streaming__polled_again_while_idle__waits_for_that_start_once),
        FLEET_TEST(test_left_behind__body_returns__drains_what_plays_ends_what_does_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
