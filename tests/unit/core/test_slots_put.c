#include "fixture.h"

static struct core_result *put(struct fleet *f, struct slots_req req)
{
    struct core_event ev = fleet_event(f, CORE_SLOTS_PUT, CALLER_ADMIN, "");
    req.body_id = req.body_id == NULL ? "b1" : req.body_id;
    ev.u.slots = req;
    return fleet_step(f, &ev);
}

static void test_slots__raised_and_lowered__are_made_and_go(void **state)
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    assert_int_equal(put(f, (struct slots_req){ .slots_total = { true, 4 } })->answer, ANSWER_DONE);
    assert_int_equal(alloc_body(f->alloc, "b1")->slot_count, 4);
    assert_int_equal(fleet_slot(f, "b1", 3)->index, 3);
    (void)put(f, (struct slots_req){ .slots_total = { true, 2 } });
    assert_int_equal(alloc_body(f->alloc, "b1")->slot_count, 2);
}

/* rules §5.4: a lowered slot goes when its lease ends; §6.1: an epoch never comes again. */
static void test_slots__lowered_under_a_lease__stays_until_it_ends_and_keeps_its_epoch(void **state)
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadflatscreen");
    fleet_head(f, "h2", "north", "hydraheadflatscreen");
    fleet_slots(f, "b1", 2);
    (void)fleet_report(f, "b1");
    assert_int_equal(fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->answer, ANSWER_LEASE_NEW);
    assert_int_equal(fleet_claim(f, "h2", "a2", FLEET_EXPERIENCE)->answer, ANSWER_LEASE_NEW);
    assert_int_equal(f->last.slot, 1);
    char lease_id[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE];
    HC_SET(lease_id, f->last.lease.id);
    HC_SET(token, f->last.claim_token);
    (void)put(f, (struct slots_req){ .slots_total = { true, 1 } });
    assert_int_equal(alloc_body(f->alloc, "b1")->slot_count, 2);
    assert_non_null(fleet_live(f, "b1", 1));
    (void)fleet_release(f, "h2", lease_id, token, WHY_USER_EXIT);
    uint64_t epoch = fleet_slot(f, "b1", 1)->epoch;
    const char *ids[] = { lease_id };
    struct core_event ev = fleet_event(f, CORE_HISTORY_WRITTEN, CALLER_SYSTEM, "");
    ev.u.history = (struct history_req){ ids, 1 };
    (void)fleet_step(f, &ev);
    assert_int_equal(alloc_body(f->alloc, "b1")->slot_count, 2);       /* the file's generation is still below its epoch */
    f->alloc->generation = epoch;
    (void)put(f, (struct slots_req){ .home_venue_reserve = { true, RESERVE_AUTO } });
    assert_int_equal(alloc_body(f->alloc, "b1")->slot_count, 1);
    (void)put(f, (struct slots_req){ .slots_total = { true, 2 } });
    assert_true(fleet_slot(f, "b1", 1)->epoch >= epoch);
}

static void test_slots__bad_input__names_the_field_and_changes_nothing(void **state)
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    assert_int_equal(put(f, (struct slots_req){ .body_id = "nobody" })->deny, DENY_NOT_FOUND);
    assert_int_equal(put(f, (struct slots_req){ .slots_total = { true, 0 }, .maintenance = { true, true } })->deny, DENY_BAD_REQUEST);
    assert_string_equal(f->last.field, "slots_total");
    assert_false(alloc_body(f->alloc, "b1")->maintenance);
    assert_int_equal(put(f, (struct slots_req){ .slots_total = { true, BODY_SLOTS_MAX + 1 } })->deny, DENY_BAD_REQUEST);
    assert_int_equal(put(f, (struct slots_req){ .home_venue_reserve = { true, -2 } })->deny, DENY_BAD_REQUEST);
    assert_string_equal(f->last.field, "home_venue_reserve");
    f->store_down = true;
    assert_int_equal(put(f, (struct slots_req){ .maintenance = { true, true } })->deny, DENY_STORE);
}

/* rules §10.7 */
static void test_enforce__before_a_quiet_day__is_refused_unless_forced(void **state)
{
    struct fleet *f = *state;
    int64_t day_ms = f->config.timers.enforce_observation_ms;
    fleet_body(f, "b1", "north");
    const struct slots_req on = { .set_enforce = true, .enforce = ENFORCE_ENFORCE };
    f->now = hc_time_add(f->now, day_ms - 1);
    assert_int_equal(put(f, on)->deny, DENY_ENFORCE_NOT_READY);
    struct slots_req forced = on;
    forced.force = true;
    assert_int_equal(put(f, forced)->answer, ANSWER_DONE);
    assert_int_equal(alloc_body(f->alloc, "b1")->enforce, ENFORCE_ENFORCE);
    assert_int_equal(put(f, on)->answer, ANSWER_DONE);                 /* it is on: nothing to refuse */
    (void)put(f, (struct slots_req){ .set_enforce = true, .enforce = ENFORCE_OBSERVE });
    f->now = hc_time_add(f->now, day_ms - 1);
    assert_int_equal(put(f, on)->deny, DENY_ENFORCE_NOT_READY);        /* observing began anew */
    f->now = hc_time_add(f->now, 1);
    assert_int_equal(put(f, on)->answer, ANSWER_DONE);
}

static void test_enforce__after_an_unauthorized_launch__waits_a_day_from_there(void **state)
{
    struct fleet *f = *state;
    int64_t day_ms = f->config.timers.enforce_observation_ms;
    fleet_body(f, "b1", "north");
    f->now = hc_time_add(f->now, 2 * day_ms);
    struct body_rec *body = (struct body_rec *)alloc_edit(f->alloc, REC_BODY, "b1");
    body->last_unauthorized_at = hc_time_add(f->now, 1 - day_ms);
    bool changed;
    assert_int_equal(alloc_end_step(f->alloc, &changed), HC_OK);
    const struct slots_req on = { .set_enforce = true, .enforce = ENFORCE_ENFORCE };
    assert_int_equal(put(f, on)->deny, DENY_ENFORCE_NOT_READY);
    f->now = hc_time_add(f->now, 1);
    assert_int_equal(put(f, on)->answer, ANSWER_DONE);
}

static void test_maintenance__set_and_lifted__decides_grants(void **state)
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadflatscreen");
    (void)fleet_report(f, "b1");
    (void)put(f, (struct slots_req){ .maintenance = { true, true } });
    assert_int_equal(fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->answer, ANSWER_TICKET);
    (void)put(f, (struct slots_req){ .maintenance = { true, false } });
    assert_non_null(fleet_live(f, "b1", 0));                           /* the waiting ticket is served by the same event */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLEET_TEST(test_slots__raised_and_lowered__are_made_and_go),
        FLEET_TEST(test_slots__lowered_under_a_lease__stays_until_it_ends_and_keeps_its_epoch),
        FLEET_TEST(test_slots__bad_input__names_the_field_and_changes_nothing),
        FLEET_TEST(test_enforce__before_a_quiet_day__is_refused_unless_forced),
        FLEET_TEST(test_enforce__after_an_unauthorized_launch__waits_a_day_from_there),
        FLEET_TEST(test_maintenance__set_and_lifted__decides_grants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
