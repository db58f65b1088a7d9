#include "fixture.h"

static struct core_result *drain(struct fleet *f, int64_t deadline_ms, bool dry_run)
{
    struct core_event ev = fleet_event(f, CORE_DRAIN, CALLER_ADMIN, "");
    ev.u.drain = (struct drain_req){ "b1", deadline_ms };
    ev.dry_run = dry_run;
    return fleet_step(f, &ev);
}

static struct core_result *undrain(struct fleet *f, const char *body_id)
{
    struct core_event ev = fleet_event(f, CORE_UNDRAIN, CALLER_ADMIN, "");
    ev.u.body.body_id = body_id;
    return fleet_step(f, &ev);
}

/* h1 streams on b1, h2 waits. */
static void busy_body(struct fleet *f, char lease_id[HC_ID_SIZE])
{
    fleet_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadflatscreen");
    fleet_head(f, "h2", "north", "hydraheadflatscreen");
    (void)fleet_report(f, "b1");
    assert_int_equal(fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->answer, ANSWER_LEASE_NEW);
    hc_copy(lease_id, HC_ID_SIZE, f->last.lease.id);
    fleet_session(f, "b1", 0, SESSION_STREAMING, lease_id, "launch-1");
    f->now = hc_time_add(f->now, 5000);
    (void)fleet_report(f, "b1");
    assert_int_equal(fleet_claim(f, "h2", "a2", FLEET_EXPERIENCE)->answer, ANSWER_TICKET);
}

/* rules §14: the preview lists leases and tickets touched, and changes nothing. */
static void test_drain__preview__lists_what_it_would_touch(void **state)
{
    struct fleet *f = *state;
    char lease_id[HC_ID_SIZE];
    busy_body(f, lease_id);
    assert_int_equal(drain(f, 60000, true)->answer, ANSWER_DRAIN);
    assert_false(f->last.drain.armed);
    assert_int_equal(f->last.drain.lease_count, 1);
    assert_string_equal(f->last.drain.lease_ids[0], lease_id);
    assert_int_equal(f->last.drain.ticket_count, 1);
    assert_string_equal(f->last.drain.ticket_ids[0], alloc_ticket(f->alloc, "h2")->id);
    assert_false(alloc_body(f->alloc, "b1")->maintenance);
}

static void test_drain__deadline_over__streaming_leases_end_revoked(void **state)
{
    struct fleet *f = *state;
    char lease_id[HC_ID_SIZE];
    busy_body(f, lease_id);
    assert_true(drain(f, 60000, false)->drain.armed);
    assert_int_equal(fleet_notes(&f->last, NOTE_DRAIN_ARMED), 1);
    assert_true(alloc_body(f->alloc, "b1")->maintenance);
    fleet_pass(f, 50000);
    assert_int_equal(fleet_lease(f, lease_id)->state, LEASE_STREAMING);
    fleet_pass(f, 10000 + f->config.timers.watchdog_tick_ms);
    assert_int_equal(fleet_lease(f, lease_id)->state, LEASE_REVOKED);
    assert_int_equal(fleet_lease(f, lease_id)->why, WHY_DRAINED);
    assert_null(fleet_live(f, "b1", 0));                    /* cordoned: nobody is let in */
}

static void test_drain__deadline_of_zero__ends_at_once(void **state)
{
    struct fleet *f = *state;
    char lease_id[HC_ID_SIZE];
    busy_body(f, lease_id);
    (void)drain(f, 0, false);
    assert_int_equal(fleet_lease(f, lease_id)->state, LEASE_REVOKED);
}

static void test_undrain__of_a_drain__takes_back_its_own_cordon_only(void **state)
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    (void)drain(f, 60000, false);
    assert_int_equal(fleet_notes(undrain(f, "b1"), NOTE_DRAIN_UNDONE), 1);
    assert_false(alloc_body(f->alloc, "b1")->maintenance);
    assert_false(hc_time_set(alloc_body(f->alloc, "b1")->drain_deadline_at));
    assert_false(undrain(f, "b1")->dirty);                  /* again: nothing to undo */

    struct core_event ev = fleet_event(f, CORE_SLOTS_PUT, CALLER_ADMIN, "");
    ev.u.slots = (struct slots_req){ .body_id = "b1", .maintenance = { true, true } };
    (void)fleet_step(f, &ev);
    (void)drain(f, 60000, false);
    (void)undrain(f, "b1");
    assert_true(alloc_body(f->alloc, "b1")->maintenance);   /* an admin had set it before the drain */
}

static void test_drain__maintenance_lifted_by_hand__is_undone(void **state)
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    (void)drain(f, 60000, false);
    struct core_event ev = fleet_event(f, CORE_SLOTS_PUT, CALLER_ADMIN, "");
    ev.u.slots = (struct slots_req){ .body_id = "b1", .maintenance = { true, false } };
    assert_int_equal(fleet_notes(fleet_step(f, &ev), NOTE_DRAIN_UNDONE), 1);
    assert_false(hc_time_set(alloc_body(f->alloc, "b1")->drain_deadline_at));
}

static void test_drain__bad_input__is_refused(void **state)
{
    struct fleet *f = *state;
    assert_int_equal(drain(f, 60000, false)->deny, DENY_NOT_FOUND);
    assert_int_equal(undrain(f, "b1")->deny, DENY_NOT_FOUND);
    fleet_body(f, "b1", "north");
    assert_int_equal(drain(f, -1, false)->deny, DENY_BAD_REQUEST);
    assert_string_equal(f->last.field, "deadline_seconds");
    assert_int_equal(drain(f, 8 * HC_DAY_MS, false)->deny, DENY_BAD_REQUEST);
    f->store_down = true;
    assert_int_equal(drain(f, 60000, false)->deny, DENY_STORE);
    assert_int_equal(undrain(f, "b1")->deny, DENY_STORE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLEET_TEST(test_drain__preview__lists_what_it_would_touch),
        FLEET_TEST(test_drain__deadline_over__streaming_leases_end_revoked),
        FLEET_TEST(test_drain__deadline_of_zero__ends_at_once),
        FLEET_TEST(test_undrain__of_a_drain__takes_back_its_own_cordon_only),
        FLEET_TEST(test_drain__maintenance_lifted_by_hand__is_undone),
        FLEET_TEST(test_drain__bad_input__is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
