/* What the tick does beside clocks: renewals saved late (§3.8), edges of nodes, unconfirmed bodies (§8.3), what is kept no longer. */
#include "visits.h"

static void test_renewal__by_the_body__is_saved_at_most_every_quantum(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_plays(f, lease);
    hc_time saved = fleet_lease(f, lease)->renewed_at;
    f->now = hc_time_add(f->now, 5000);
    assert_false(fleet_report(f, "b1")->dirty);
    assert_int_equal(fleet_lease(f, lease)->renewed_at.ms, saved.ms);
    assert_int_equal(lease_clock(f->obs, fleet_lease(f, lease)).renewed_at.ms, f->now.ms);
    fleet_pass(f, 2 * HC_MINUTE_MS);
    int64_t behind = hc_time_since(f->now, fleet_lease(f, lease)->renewed_at);
    assert_true(behind <= f->config.timers.renew_write_quantum_ms + f->config.timers.watchdog_tick_ms);
}

static void test_clock__its_lease_is_gone__goes_too(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_plays(f, lease);
    (void)visit_shows(f, "b1", SESSION_STREAMING, "", "l1");
    assert_non_null(observed_get(f->obs, OBS_CLOCK, lease));
    visit_revoke(f, lease);
    const char *ids[] = { lease };
    struct core_event ev = fleet_event(f, CORE_HISTORY_WRITTEN, CALLER_SYSTEM, "");
    ev.u.history = (struct history_req){ ids, 1 };
    (void)fleet_step(f, &ev);
    (void)fleet_tick(f);
    assert_null(observed_get(f->obs, OBS_CLOCK, lease));
}

static void test_node__falls_silent__is_told_offline_once(void **state)
{
    struct fleet *f = *state;
    visit_fleet(f);
    (void)fleet_heartbeat(f, "h1", "idle", "");
    size_t told = 0, quiet = 0;
    for (unsigned i = 0; i < 30; i++) {
        f->now = hc_time_add(f->now, 10000);
        (void)fleet_report(f, "b1");
        const struct core_result *got = fleet_tick(f);
        for (size_t n = 0; n < got->note_count; n++)
            told += got->notes[n].type == NOTE_NODE_OFFLINE && hc_same(got->notes[n].head_id, "h1") ? 1 : 0;
        quiet += told == 0 ? 1 : 0;
    }
    assert_int_equal(told, 1);
    assert_int_equal(quiet, 12);                   /* nodeOffline 120 s */
    assert_int_equal(fleet_notes(fleet_heartbeat(f, "h1", "idle", ""), NOTE_NODE_ONLINE), 1);
}

static void test_last_seen__is_saved__about_once_a_minute(void **state)
{
    struct fleet *f = *state;
    visit_fleet(f);
    size_t saves = 0;
    for (unsigned i = 0; i < 30; i++) {
        f->now = hc_time_add(f->now, 10000);
        (void)fleet_heartbeat(f, "h1", "idle", "");
        (void)fleet_report(f, "b1");
        hc_time before = alloc_node(f->alloc, "h1")->last_seen;
        (void)fleet_tick(f);
        saves += alloc_node(f->alloc, "h1")->last_seen.ms != before.ms ? 1 : 0;
    }
    assert_in_range(saves, 4, 5);
}

static void test_stop__asked_for__writes_who_was_there_until_then(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_hold(f, "h1", lease);
    (void)fleet_tick(f);
    f->now = hc_time_add(f->now, 9000);
    (void)fleet_heartbeat(f, "h1", "idle", "");
    (void)fleet_report(f, "b1");
    assert_true(hc_time_before(alloc_node(f->alloc, "h1")->last_seen, f->now));
    assert_true(hc_time_before(fleet_lease(f, lease)->renewed_at, f->now));
    struct core_event ev = fleet_event(f, CORE_STOP, CALLER_SYSTEM, "");
    assert_true(fleet_step(f, &ev)->dirty);
    assert_int_equal(alloc_node(f->alloc, "h1")->last_seen.ms, f->now.ms);
    assert_int_equal(alloc_node(f->alloc, "b1")->last_seen.ms, f->now.ms);
    assert_int_equal(fleet_lease(f, lease)->renewed_at.ms, f->now.ms);
    ev = fleet_event(f, CORE_STOP, CALLER_SYSTEM, "");
    assert_false(fleet_step(f, &ev)->dirty);          /* nothing is new */
}

/* §8.3: the body's node lives, its agent does not. */
static void test_body__online_without_a_report__is_unconfirmed_once_until_it_reports(void **state)
{
    struct fleet *f = *state;
    visit_fleet(f);
    fleet_silent(f, "b1");
    size_t told = 0;
    for (unsigned i = 0; i < 60; i++) {
        f->now = hc_time_add(f->now, 10000);
        struct core_event ev = fleet_event(f, CORE_SEEN, CALLER_NODE, "b1");
        ev.u.seen.node_id = "b1";
        (void)fleet_step(f, &ev);
        told += fleet_notes(fleet_tick(f), NOTE_BODY_UNCONFIRMED);
    }
    assert_int_equal(told, 1);
    assert_int_equal(fleet_notes(fleet_report(f, "b1"), NOTE_BODY_CONFIRMED), 1);
    assert_false(alloc_body(f->alloc, "b1")->unconfirmed_told);
}

/* A crash loop whose period is shorter than the window must not hide a dead agent. */
static void test_body__daemon_crashes_again_and_again__is_unconfirmed_all_the_same(void **state)
{
    struct fleet *f = *state;
    visit_fleet(f);
    fleet_silent(f, "b1");
    size_t told = 0;
    for (unsigned boot = 0; boot < 8; boot++) {
        (void)visit_restart(f, 5000);
        for (unsigned i = 0; i < 6; i++) {
            f->now = hc_time_add(f->now, 10000);
            struct core_event ev = fleet_event(f, CORE_SEEN, CALLER_NODE, "b1");
            ev.u.seen.node_id = "b1";
            (void)fleet_step(f, &ev);
            told += fleet_notes(fleet_tick(f), NOTE_BODY_UNCONFIRMED);
        }
    }
    assert_int_equal(told, 1);
    assert_int_equal(alloc_body(f->alloc, "b1")->boots_unconfirmed, 8);
}

static void test_streams__ended__the_newest_of_a_head_is_kept_for_an_hour(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], newest[HC_ID_SIZE] = "";
    visit_fleet(f);
    for (unsigned i = 0; i < 3; i++) {
        visit_hold(f, "h1", lease);
        HC_SET(newest, fleet_lease(f, lease)->stream_id);
        visit_revoke(f, lease);
        (void)visit_idle(f, "b1");
    }
    fleet_pass(f, 10000);
    assert_int_equal(alloc_count(f->alloc, REC_STREAM), 1);
    assert_non_null(alloc_stream(f->alloc, newest));
    fleet_pass(f, 61 * HC_MINUTE_MS);
    assert_int_equal(alloc_count(f->alloc, REC_STREAM), 0);
}

static void test_tick__nothing_new__saves_nothing(void **state)
{
    struct fleet *f = *state;
    visit_fleet(f);
    (void)fleet_tick(f);
    assert_false(fleet_tick(f)->dirty);
}

static void test_tick__store_is_down__ends_nothing(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_hold(f, "h1", lease);
    f->store_down = true;
    f->now = hc_time_add(f->now, HC_HOUR_MS);
    assert_false(fleet_tick(f)->dirty);
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_HELD);
}

/* Every allocation that may fail does: the tick happens whole or not at all, and the next one does what was due. */
static void test_tick__each_allocation_failing__is_whole_or_not_at_all(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_hold(f, "h1", lease);
    (void)fleet_claim(f, "p1", "a1", FLEET_EXPERIENCE);
    f->now = hc_time_add(f->now, 41000);
    (void)fleet_report(f, "b1");
    enum hc_err err = HC_ERR_NOMEM;
    f->now = hc_time_add(f->now, HC_MINUTE_MS);
    for (unsigned n = 1; err != HC_OK; n++) {
        struct core_event ev = fleet_event(f, CORE_TICK, CALLER_SYSTEM, "");
        size_t leases = fleet_slot(f, "b1", 0)->lease_count, streams = alloc_count(f->alloc, REC_STREAM);
        core_result_free(&f->last);
        hc_alloc_fail_after(n);
        err = core_step(f->alloc, f->obs, &ev, &f->last);
        hc_alloc_fail_after(0);
        assert_true(err == HC_OK || err == HC_ERR_NOMEM);
        if (err != HC_OK) {
            assert_int_equal(fleet_slot(f, "b1", 0)->lease_count, leases);
            assert_int_equal(alloc_count(f->alloc, REC_STREAM), streams);
        }
        assert_true(n < 1000);
    }
    assert_true(lease_is_terminal(fleet_lease(f, lease)->state));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLEET_TEST(test_renewal__by_the_body__is_saved_at_most_every_quantum),
        FLEET_TEST(test_clock__its_lease_is_gone__goes_too),
        FLEET_TEST(test_node__falls_silent__is_told_offline_once),
        FLEET_TEST(test_last_seen__is_saved__about_once_a_minute),
        FLEET_TEST(test_stop__asked_for__writes_who_was_there_until_then),
        FLEET_TEST(test_body__online_without_a_report__is_unconfirmed_once_until_it_reports),
        FLEET_TEST(test_body__daemon_crashes_again_and_again__is_unconfirmed_all_the_same),
        FLEET_TEST(test_streams__ended__the_newest_of_a_head_is_kept_for_an_hour),
        FLEET_TEST(test_tick__nothing_new__saves_nothing),
        FLEET_TEST(test_tick__store_is_down__ends_nothing),
        FLEET_TEST(test_tick__each_allocation_failing__is_whole_or_not_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
