/* The desired slot table: seed E3 (app entries), rules §1 (terminate_stream), §8.1, §10.4, §13.6; and how a drain reaches a body. */
#include "visits.h"

#include <stdio.h>
#include <string.h>

struct told { struct hc_arena arena; struct directive d; };

static const struct directive_slot *tell(struct fleet *f, struct told *told)
{
    struct core_view view = fleet_view(f);
    hc_arena_free(&told->arena);
    assert_int_equal(query_directive(&view, "b1", &told->arena, &told->d), HC_OK);
    assert_int_equal(told->d.slot_count, 1);
    assert_int_equal(told->d.slots[0].epoch, fleet_slot(f, "b1", 0)->epoch);
    assert_int_equal(told->d.epoch_floor, fleet_slot(f, "b1", 0)->epoch);
    return &told->d.slots[0];
}

static void setting(struct fleet *f, bool enforce, bool maintenance)
{
    struct core_event ev = fleet_event(f, CORE_SLOTS_PUT, CALLER_ADMIN, "");
    ev.u.slots = (struct slots_req){ .body_id = "b1", .set_enforce = true, .enforce = enforce ? ENFORCE_ENFORCE : ENFORCE_OBSERVE,
                                     .maintenance = { true, maintenance }, .force = true };
    assert_int_equal(fleet_step(f, &ev)->answer, ANSWER_DONE);
}

static void test_directive__slot_is_free__has_the_plain_entries(void **state)
{
    struct fleet *f = *state;
    struct told told = { 0 };
    visit_fleet(f);
    const struct directive_slot *slot = tell(f, &told);
    assert_int_equal(slot->action, ACTION_FREE);
    assert_int_equal(slot->entry_count, 1);
    assert_string_equal(slot->entries[0], FLEET_EXPERIENCE);
    assert_true(told.d.modern);
    assert_false(told.d.terminate_stream);
    hc_arena_free(&told.arena);
}

static void test_directive__legacy_lease__has_its_plain_entry(void **state)
{
    struct fleet *f = *state;
    struct told told = { 0 };
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    setting(f, true, false);
    visit_hold(f, "h1", lease);
    const struct directive_slot *slot = tell(f, &told);
    assert_int_equal(slot->action, ACTION_SERVE);
    assert_string_equal(slot->lease_id, lease);
    assert_int_equal(slot->entry_count, 1);
    assert_string_equal(slot->entries[0], FLEET_EXPERIENCE);
    hc_arena_free(&told.arena);
}

/* §13.6 and the E3 table, row by row. */
static void test_directive__protocol_2_lease__entries_by_enforce_and_maintenance(void **state)
{
    struct fleet *f = *state;
    struct told told = { 0 };
    char lease[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE], secret[HC_NAME_SIZE + APP_TOKEN_SIZE];
    visit_fleet(f);
    visit_grant(f, "p1", "a1", lease, token);
    (void)snprintf(secret, sizeof secret, "%s#%s", FLEET_EXPERIENCE, fleet_lease(f, lease)->app_token);
    const struct directive_slot *slot = tell(f, &told);      /* observe: both */
    assert_int_equal(slot->entry_count, 2);
    assert_string_equal(slot->entries[0], FLEET_EXPERIENCE);
    assert_string_equal(slot->entries[1], secret);
    assert_string_equal(slot->head_id, "p1");
    assert_int_equal(slot->protocol, 2);
    setting(f, true, false);
    slot = tell(f, &told);
    assert_int_equal(slot->entry_count, 1);
    assert_string_equal(slot->entries[0], secret);
    setting(f, true, true);
    slot = tell(f, &told);
    assert_int_equal(slot->entry_count, 2);
    assert_string_equal(slot->entries[0], FLEET_EXPERIENCE);
    assert_string_equal(slot->entries[1], "Desktop");
    assert_true(told.d.maintenance);
    hc_arena_free(&told.arena);
}

static void release(struct fleet *f, const char *lease_id)
{
    struct core_event ev = fleet_event(f, CORE_LEASE_END, CALLER_ADMIN, "");
    ev.u.lease_end = (struct lease_end_req){ .lease_id = lease_id, .reason = "" };
    (void)fleet_step(f, &ev);
}

static void test_directive__lease_drains__terminates_until_the_session_is_gone(void **state)
{
    struct fleet *f = *state;
    struct told told = { 0 };
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_plays(f, lease);
    assert_int_equal(tell(f, &told)->action, ACTION_SERVE);
    release(f, lease);
    const struct directive_slot *slot = tell(f, &told);
    assert_int_equal(slot->action, ACTION_TERMINATE);
    assert_string_equal(slot->lease_id, lease);
    assert_false(told.d.terminate_stream);         /* modern bodies are told by slot alone */
    (void)visit_idle(f, "b1");
    assert_int_equal(tell(f, &told)->action, ACTION_FREE);
    hc_arena_free(&told.arena);
}

static void test_directive__legacy_body_drains__says_terminate_stream(void **state)
{
    struct fleet *f = *state;
    struct told told = { 0 };
    char lease[HC_ID_SIZE];
    fleet_legacy_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadipad");
    (void)fleet_report(f, "b1");
    visit_hold(f, "h1", lease);
    (void)visit_shows(f, "b1", SESSION_STREAMING, "", "");
    (void)tell(f, &told);
    assert_false(told.d.terminate_stream);
    release(f, lease);
    (void)tell(f, &told);
    assert_true(told.d.terminate_stream);
    (void)visit_idle(f, "b1");
    (void)tell(f, &told);
    assert_false(told.d.terminate_stream);
    hc_arena_free(&told.arena);
}

/* §6.2.3 */
static void test_directive__revoked_session_goes_on__stays_terminate(void **state)
{
    struct fleet *f = *state;
    struct told told = { 0 };
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_plays(f, lease);
    visit_revoke(f, lease);
    fleet_pass(f, HC_MINUTE_MS);
    const struct directive_slot *slot = tell(f, &told);
    assert_int_equal(slot->action, ACTION_TERMINATE);
    assert_string_equal(slot->lease_id, lease);
    (void)visit_idle(f, "b1");
    assert_int_equal(tell(f, &told)->action, ACTION_FREE);
    hc_arena_free(&told.arena);
}

/* I3: a body that we cannot reach is not told to stop. */
static void test_directive__lease_is_unknown__serves(void **state)
{
    struct fleet *f = *state;
    struct told told = { 0 };
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_plays(f, lease);
    fleet_silent(f, "b1");
    fleet_pass(f, 110000);
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_UNKNOWN);
    assert_int_equal(tell(f, &told)->action, ACTION_SERVE);
    hc_arena_free(&told.arena);
}

/* §8.1: no terminate leaves, except ends asked for since the start. */
static void test_directive__boot_safe_mode__only_new_asks_terminate(void **state)
{
    struct fleet *f = *state;
    struct told told = { 0 };
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    fleet_body(f, "b2", "north");
    (void)fleet_report(f, "b2");
    fleet_silent(f, "b2");
    struct core_event ev = fleet_event(f, CORE_SLOTS_PUT, CALLER_ADMIN, "");
    ev.u.slots = (struct slots_req){ .body_id = "b2", .maintenance = { true, true } };
    (void)fleet_step(f, &ev);
    visit_plays(f, lease);
    release(f, lease);
    ev = fleet_event(f, CORE_SLOTS_PUT, CALLER_ADMIN, "");
    ev.u.slots = (struct slots_req){ .body_id = "b2", .maintenance = { true, false } };
    (void)fleet_step(f, &ev);
    assert_int_equal(tell(f, &told)->action, ACTION_TERMINATE);
    visit_restart(f, 1000);                        /* b2 is awaited from now on */
    (void)visit_shows(f, "b1", SESSION_STREAMING, "", "l1");
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_DRAINING);
    assert_int_equal(tell(f, &told)->action, ACTION_SERVE);
    struct core_event over = fleet_event(f, CORE_OUTAGE_OVER, CALLER_SYSTEM, "");
    over.u.outage.outage_ms = 1000;                /* moves its clock, not the moment in which it was asked for */
    (void)fleet_step(f, &over);
    assert_int_equal(tell(f, &told)->action, ACTION_SERVE);
    visit_revoke(f, lease);
    assert_int_equal(tell(f, &told)->action, ACTION_TERMINATE);
    hc_arena_free(&told.arena);
}

static void two_clients(struct fleet *f, const char *second_name)
{
    struct fleet_body *machine = fleet_machine(f, "b1");
    f->now = hc_time_add(f->now, 5000);
    fleet_no_session(f, "b1");
    fleet_session(f, "b1", 0, SESSION_STREAMING, "", "l1");
    HC_SET(machine->sessions[0].client_name, "hydra-h1");
    fleet_session(f, "b1", 0, SESSION_STREAMING, "", "l2");
    HC_SET(machine->sessions[1].client_name, second_name);
    (void)fleet_report(f, "b1");
}

/* §10.4: only with enforce, only a client that is known and is not the lease's. */
static void test_directive__stranger_on_a_leased_slot__is_evicted_with_enforce_only(void **state)
{
    struct fleet *f = *state;
    struct told told = { 0 };
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_plays(f, lease);
    two_clients(f, "hydra-h2");
    assert_int_equal(tell(f, &told)->evict_count, 0);
    setting(f, true, false);
    const struct directive_slot *slot = tell(f, &told);
    assert_int_equal(slot->evict_count, 1);
    assert_string_equal(slot->evict[0], "l2");
    two_clients(f, "roth");                        /* who that is nobody knows */
    assert_int_equal(tell(f, &told)->evict_count, 0);
    hc_arena_free(&told.arena);
}

static void test_directive__unknown_body__is_not_found(void **state)
{
    struct fleet *f = *state;
    struct hc_arena arena = { 0 };
    struct directive d;
    struct core_view view = fleet_view(f);
    assert_int_equal(query_directive(&view, "b9", &arena, &d), HC_ERR_NOTFOUND);
}

static void test_directive__each_allocation_failing__says_no_memory(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE];
    visit_fleet(f);
    visit_grant(f, "p1", "a1", lease, token);
    struct core_view view = fleet_view(f);
    enum hc_err err = HC_ERR_NOMEM;
    for (unsigned n = 1; err != HC_OK; n++) {
        struct hc_arena arena = { 0 };
        struct directive d;
        hc_alloc_fail_after(n);
        err = query_directive(&view, "b1", &arena, &d);
        hc_alloc_fail_after(0);
        hc_arena_free(&arena);
        assert_true(err == HC_OK || err == HC_ERR_NOMEM);
        assert_true(n < 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLEET_TEST(test_directive__slot_is_free__has_the_plain_entries),
        FLEET_TEST(test_directive__legacy_lease__has_its_plain_entry),
        FLEET_TEST(test_directive__protocol_2_lease__entries_by_enforce_and_maintenance),
        FLEET_TEST(test_directive__lease_drains__terminates_until_the_session_is_gone),
        FLEET_TEST(test_directive__legacy_body_drains__says_terminate_stream),
        FLEET_TEST(test_directive__revoked_session_goes_on__stays_terminate),
        FLEET_TEST(test_directive__lease_is_unknown__serves),
        FLEET_TEST(test_directive__boot_safe_mode__only_new_asks_terminate),
        FLEET_TEST(test_directive__stranger_on_a_leased_slot__is_evicted_with_enforce_only),
        FLEET_TEST(test_directive__unknown_body__is_not_found),
        FLEET_TEST(test_directive__each_allocation_failing__says_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
