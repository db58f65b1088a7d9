/* Starts and outages: rules §3.6, §3.7, §4.2, §4.3, §8. */
#include "visits.h"

#include <string.h>

static const struct district_rec *district(struct fleet *f)
{
    const struct district_rec *rec = alloc_district(f->alloc, FLEET_DISTRICT);
    assert_non_null(rec);
    return rec;
}

static struct core_result *start(struct fleet *f, const struct start_req *req)
{
    observed_free(f->obs);
    assert_int_equal(observed_new(&f->obs), HC_OK);
    struct core_event ev = fleet_event(f, CORE_START, CALLER_SYSTEM, "");
    ev.u.start = *req;
    return fleet_step(f, &ev);
}

/* §4.3: a lease that had 30 s left has 30 s left, however long we were away. */
static void test_outage__long__rolling_clocks_go_on_where_they_stood(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_hold(f, "h1", lease);
    fleet_pass(f, 10000);
    visit_restart(f, 2 * HC_MINUTE_MS);
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_HELD);
    fleet_pass(f, 25000);
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_HELD);
    fleet_pass(f, 15000);
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_EXPIRED);
}

static void test_outage__of_hours__ends_no_live_stream(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_plays(f, lease);
    fleet_pass(f, 20 * HC_MINUTE_MS);
    visit_restart(f, 5 * HC_HOUR_MS);
    (void)visit_shows(f, "b1", SESSION_STREAMING, "", "l1");
    fleet_pass(f, 9 * HC_MINUTE_MS);
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_STREAMING);
    fleet_pass(f, 75000);                          /* 30 min without its head, ours not counted */
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_DRAINING);
}

/* §4.3: the deadline is not moved, but nobody is blamed. */
static void test_outage__start_deadline_passed__counts_against_nobody(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], stream[HC_ID_SIZE];
    visit_fleet(f);
    visit_hold(f, "h1", lease);
    HC_SET(stream, fleet_lease(f, lease)->stream_id);
    visit_beats(f, 30000, "h1", "starting", "");
    visit_restart(f, 4 * HC_MINUTE_MS);
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_FAILED);
    assert_int_equal(fleet_lease(f, lease)->why, WHY_START_TIMEOUT);
    assert_int_equal(alloc_body(f->alloc, "b1")->circuit.failure_count, 0);
    assert_int_equal(alloc_count(f->alloc, REC_DEMOTION), 0);
    assert_int_equal(alloc_stream(f->alloc, stream)->state, STREAM_SEEKING);
    assert_int_equal(alloc_stream(f->alloc, stream)->returns, 0);
}

static void test_start__no_report_yet__no_lease_changes_for_want_of_one(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_plays(f, lease);
    visit_restart(f, 10 * HC_MINUTE_MS);
    fleet_pass(f, 85000);
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_STREAMING);
    fleet_pass(f, 20000);
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_UNKNOWN);
}

/* I2: restart with a live stream: it is the same lease, and nothing is terminated. */
static void test_restart__stream_is_live__keeps_its_lease_i2(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_plays(f, lease);
    uint64_t epoch = fleet_slot(f, "b1", 0)->epoch;
    visit_restart(f, 1000);
    (void)visit_shows(f, "b1", SESSION_STREAMING, "", "l1");
    assert_string_equal(fleet_live(f, "b1", 0)->id, lease);
    assert_int_equal(fleet_slot(f, "b1", 0)->epoch, epoch);
}

/* §6.2.5: our restart is not the body's reboot. */
static void test_restart__same_boot_id__is_no_reboot(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_plays(f, lease);
    visit_restart(f, 1000);
    assert_int_equal(fleet_notes(visit_shows(f, "b1", SESSION_STREAMING, "", "l1"), NOTE_LEASE_UNKNOWN), 0);
    assert_false(hc_time_set(observed_body(f->obs, "b1")->boot_first_at));
}

/* §4.2 */
static void test_clock__went_back__futures_become_now_and_deadlines_what_remained(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_hold(f, "h1", lease);
    fleet_pass(f, 10000);
    hc_time saved_at = f->now;
    int64_t left = hc_time_since(fleet_lease(f, lease)->expires_at, saved_at);
    f->now = hc_time_add(f->now, -HC_DAY_MS);
    (void)start(f, &(struct start_req){ .saved_at = saved_at });
    const struct lease *now = fleet_lease(f, lease);
    assert_int_equal(now->granted_at.ms, f->now.ms);
    assert_int_equal(hc_time_since(now->expires_at, f->now), left);
    assert_int_equal(hc_time_since(now->start_deadline_at, f->now), 200000);
    assert_int_equal(alloc_node(f->alloc, "h1")->last_seen.ms, f->now.ms);
    assert_true(alloc_stream(f->alloc, now->stream_id)->created_at.ms <= f->now.ms);
}

static void test_clock__a_deadline_beyond_its_rule__gets_its_full_length(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_hold(f, "h1", lease);
    f->now = hc_time_add(f->now, -HC_DAY_MS);
    (void)start(f, &(struct start_req){ .saved_at = HC_TIME_NEVER });
    assert_int_equal(hc_time_since(fleet_lease(f, lease)->start_deadline_at, f->now), 210000);
    assert_int_equal(hc_time_since(fleet_lease(f, lease)->expires_at, f->now), 75000);
}

/* §8.1 */
static void test_boot_mode__a_body_is_awaited__ends_when_it_reports(void **state)
{
    struct fleet *f = *state;
    visit_fleet(f);
    const struct core_result *got = visit_restart(f, 60000);
    assert_int_equal(fleet_notes(got, NOTE_SAFE_MODE_ENTERED), 1);
    assert_int_equal(district(f)->safe_mode, SAFE_BOOT);
    assert_int_equal(district(f)->awaited_count, 1);
    assert_int_equal(fleet_read(f, "h1", FLEET_EXPERIENCE)->deny, DENY_RECONCILING);
    got = fleet_report(f, "b1");
    assert_int_equal(fleet_notes(got, NOTE_SAFE_MODE_ENDED), 1);
    assert_int_equal(district(f)->safe_mode, SAFE_NONE);
    char lease[HC_ID_SIZE];
    visit_hold(f, "h1", lease);
}

static void test_boot_mode__one_of_two_has_reported__that_one_is_granted(void **state)
{
    struct fleet *f = *state;
    visit_fleet(f);
    fleet_body(f, "b2", "north");
    (void)fleet_report(f, "b2");
    visit_restart(f, 60000);
    (void)fleet_report(f, "b1");
    assert_int_equal(district(f)->safe_mode, SAFE_BOOT);
    char lease[HC_ID_SIZE];
    visit_hold(f, "h1", lease);
    assert_int_equal(fleet_read(f, "h2", FLEET_EXPERIENCE)->deny, DENY_RECONCILING);
}

static void test_boot_mode__body_never_reports__ends_after_180_s(void **state)
{
    struct fleet *f = *state;
    visit_fleet(f);
    visit_restart(f, 60000);
    fleet_pass(f, 170000);
    assert_int_equal(district(f)->safe_mode, SAFE_BOOT);
    fleet_pass(f, 20000);
    assert_int_equal(district(f)->safe_mode, SAFE_NONE);
}

static void test_boot_mode__body_in_maintenance_or_long_unheard__is_not_awaited(void **state)
{
    struct fleet *f = *state;
    visit_fleet(f);
    struct core_event ev = fleet_event(f, CORE_SLOTS_PUT, CALLER_ADMIN, "");
    ev.u.slots = (struct slots_req){ .body_id = "b1", .maintenance = { true, true } };
    (void)fleet_step(f, &ev);
    fleet_body(f, "b2", "north");
    (void)fleet_report(f, "b2");
    fleet_silent(f, "b2");
    fleet_pass(f, 10000);
    f->now = hc_time_add(f->now, 25 * HC_HOUR_MS);      /* served, but b2 was not heard */
    visit_restart(f, 1000);
    assert_null(alloc_district(f->alloc, FLEET_DISTRICT));
}

/* §8.2 */
static void test_downgrade__old_version_wrote_nodes__nothing_is_granted_until_all_report(void **state)
{
    struct fleet *f = *state;
    visit_fleet(f);
    fleet_body(f, "b2", "north");
    (void)fleet_report(f, "b2");
    const struct core_result *got = start(f, &(struct start_req){ .saved_at = f->now, .downgrade = true });
    assert_int_equal(fleet_notes(got, NOTE_DOWNGRADE), 1);
    assert_int_equal(district(f)->safe_mode, SAFE_DOWNGRADE);
    (void)fleet_report(f, "b1");
    assert_int_equal(fleet_read(f, "h1", FLEET_EXPERIENCE)->deny, DENY_RECONCILING);
    visit_restart(f, 1000);                        /* it survives a restart */
    assert_int_equal(district(f)->safe_mode, SAFE_DOWNGRADE);
    (void)fleet_report(f, "b1");
    (void)fleet_report(f, "b2");
    assert_int_equal(district(f)->safe_mode, SAFE_NONE);
}

static void test_downgrade__an_admin_ends_it__or_15_minutes(void **state)
{
    struct fleet *f = *state;
    visit_fleet(f);
    (void)start(f, &(struct start_req){ .saved_at = f->now, .downgrade = true });
    struct core_event ev = fleet_event(f, CORE_SAFE_MODE_END, CALLER_ADMIN, "");
    ev.u.district.district = FLEET_DISTRICT;
    assert_int_equal(fleet_notes(fleet_step(f, &ev), NOTE_SAFE_MODE_ENDED), 1);
    assert_int_equal(district(f)->safe_mode, SAFE_NONE);
    fleet_silent(f, "b1");
    (void)start(f, &(struct start_req){ .saved_at = f->now, .downgrade = true });
    fleet_pass(f, 10 * HC_MINUTE_MS);
    assert_int_equal(district(f)->safe_mode, SAFE_DOWNGRADE);
    fleet_pass(f, 6 * HC_MINUTE_MS);
    assert_int_equal(district(f)->safe_mode, SAFE_NONE);
}

/* §3.6 */
static void test_allocation__is_missing__bodies_get_records_and_nothing_is_granted(void **state)
{
    struct fleet *f = *state;
    visit_fleet(f);
    assert_int_equal(alloc_put(f->alloc, REC_BODY, "b1", NULL), HC_OK);
    const struct core_result *got = start(f, &(struct start_req){ .saved_at = HC_TIME_NEVER, .allocation_missing = true });
    assert_int_equal(fleet_notes(got, NOTE_ALLOCATION_MISSING), 1);
    assert_non_null(alloc_body(f->alloc, "b1"));
    assert_int_equal(alloc_body(f->alloc, "b1")->slot_count, 1);
    assert_int_equal(district(f)->safe_mode, SAFE_DOWNGRADE);
    (void)visit_shows(f, "b1", SESSION_STREAMING, "", "l1");
    assert_int_equal(fleet_live(f, "b1", 0)->state, LEASE_ADOPTED);
}

/* The stop is not known: neither when it was, nor who had been heard before it. */
static void test_allocation__is_missing__every_approved_body_is_awaited(void **state)
{
    struct fleet *f = *state;
    visit_fleet(f);
    size_t approved = alloc_count(f->alloc, REC_BODY);
    while (alloc_count(f->alloc, REC_BODY) > 0)
        assert_int_equal(alloc_put(f->alloc, REC_BODY, alloc_at(f->alloc, REC_BODY, 0)->key, NULL), HC_OK);
    f->now = hc_time_add(f->now, 3 * HC_DAY_MS);             /* longer than any of them is remembered */
    (void)start(f, &(struct start_req){ .saved_at = HC_TIME_NEVER, .allocation_missing = true });
    assert_true(approved > 0);
    assert_int_equal(district(f)->safe_mode, SAFE_DOWNGRADE);
    assert_int_equal(district(f)->awaited_count, approved);
}

/* §3.1: a lease on a body that nodes.yaml lacks is kept, and ends at unknownHold. */
static void test_body__nodes_lacks_it__its_lease_ends_at_unknown_hold(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_plays(f, lease);
    assert_int_equal(alloc_put(f->alloc, REC_NODE, "b1", NULL), HC_OK);
    visit_restart(f, 1000);
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_STREAMING);
    fleet_pass(f, 110000);
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_UNKNOWN);
    fleet_pass(f, 10 * HC_MINUTE_MS);
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_EXPIRED);
}

static void test_ticket__its_head_is_gone__waits_no_longer(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_plays(f, lease);
    assert_int_equal(fleet_claim(f, "p1", "a1", FLEET_EXPERIENCE)->answer, ANSWER_TICKET);
    assert_int_equal(alloc_put(f->alloc, REC_NODE, "p1", NULL), HC_OK);
    visit_restart(f, 1000);
    assert_null(alloc_ticket(f->alloc, "p1"));
}

/* §3.5, §4.3: the store comes back. */
static void test_store__comes_back__clocks_move_by_its_outage(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], other[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE];
    visit_fleet(f);
    fleet_body(f, "b2", "north");
    (void)fleet_report(f, "b2");
    assert_int_equal(fleet_read(f, "h1", FLEET_EXPERIENCE)->answer, ANSWER_ROWS);
    HC_SET(lease, alloc_head_lease(f->alloc, "h1"));
    visit_grant(f, "p1", "a1", other, token);
    f->store_down = true;
    fleet_pass(f, 80000);
    f->store_down = false;
    struct core_event ev = fleet_event(f, CORE_OUTAGE_OVER, CALLER_SYSTEM, "");
    ev.u.outage.outage_ms = 80000;
    (void)fleet_step(f, &ev);
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_HELD);
    assert_int_equal(hc_time_since(fleet_lease(f, lease)->expires_at, f->now), 40000);
    assert_int_equal(fleet_lease(f, other)->state, LEASE_GRANTED);      /* its absolute clock has 10 s left */
    fleet_pass(f, 25000);
    assert_int_equal(fleet_lease(f, other)->why, WHY_START_TIMEOUT);
}

static void test_start__each_allocation_failing__is_whole_or_not_at_all(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_hold(f, "h1", lease);
    (void)fleet_claim(f, "p1", "a1", FLEET_EXPERIENCE);
    struct lease before = *fleet_lease(f, lease);
    hc_time saved_at = f->now;
    f->now = hc_time_add(f->now, 20000);
    enum hc_err err = HC_ERR_NOMEM;
    for (unsigned n = 1; err != HC_OK; n++) {
        observed_free(f->obs);
        assert_int_equal(observed_new(&f->obs), HC_OK);
        struct core_event ev = fleet_event(f, CORE_START, CALLER_SYSTEM, "");
        ev.u.start = (struct start_req){ .outage_ms = 20000, .saved_at = saved_at };
        core_result_free(&f->last);
        hc_alloc_fail_after(n);
        err = core_step(f->alloc, f->obs, &ev, &f->last);
        hc_alloc_fail_after(0);
        assert_true(err == HC_OK || err == HC_ERR_NOMEM);
        if (err != HC_OK) {
            assert_int_equal(fleet_lease(f, lease)->expires_at.ms, before.expires_at.ms);
            assert_null(alloc_district(f->alloc, FLEET_DISTRICT));
        }
        assert_true(n < 1000);
    }
    assert_int_equal(hc_time_since(fleet_lease(f, lease)->expires_at, before.expires_at), 20000);
    assert_int_equal(district(f)->safe_mode, SAFE_BOOT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLEET_TEST(test_outage__long__rolling_clocks_go_on_where_they_stood),
        FLEET_TEST(test_outage__of_hours__ends_no_live_stream),
        FLEET_TEST(test_outage__start_deadline_passed__counts_against_nobody),
        FLEET_TEST(test_start__no_report_yet__no_lease_changes_for_want_of_one),
        FLEET_TEST(test_restart__stream_is_live__keeps_its_lease_i2),
        FLEET_TEST(test_restart__same_boot_id__is_no_reboot),
        FLEET_TEST(test_clock__went_back__futures_become_now_and_deadlines_what_remained),
        FLEET_TEST(test_clock__a_deadline_beyond_its_rule__gets_its_full_length),
        FLEET_TEST(test_boot_mode__a_body_is_awaited__ends_when_it_reports),
        FLEET_TEST(test_boot_mode__one_of_two_has_reported__that_one_is_granted),
        FLEET_TEST(test_boot_mode__body_never_reports__ends_after_180_s),
        FLEET_TEST(test_boot_mode__body_in_maintenance_or_long_unheard__is_not_awaited),
        FLEET_TEST(test_downgrade__old_version_wrote_nodes__nothing_is_granted_until_all_report),
        FLEET_TEST(test_downgrade__an_admin_ends_it__or_15_minutes),
        FLEET_TEST(test_allocation__is_missing__every_approved_body_is_awaited),
        FLEET_TEST(test_allocation__is_missing__bodies_get_records_and_nothing_is_granted),
        FLEET_TEST(test_body__nodes_lacks_it__its_lease_ends_at_unknown_hold),
        FLEET_TEST(test_ticket__its_head_is_gone__waits_no_longer),
        FLEET_TEST(test_store__comes_back__clocks_move_by_its_outage),
        FLEET_TEST(test_start__each_allocation_failing__is_whole_or_not_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
