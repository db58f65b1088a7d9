#include <string.h>

#include "asks.h"
#include "fixture.h"
#include "hydra/base/arena.h"

static struct hc_arena arena;

static int setup(void **state)
{
    return fleet_setup(state);
}

static int teardown(void **state)
{
    hc_arena_free(&arena);
    return fleet_teardown(state);
}

static size_t slots(struct fleet *f, struct slot_filter filter, struct slot_row **ret_rows)
{
    struct core_view v = fleet_view(f);
    size_t count;
    assert_int_equal(query_slots(&v, &filter, &arena, ret_rows, &count), HC_OK);
    return count;
}

/* h1 streams on slot 0 of b1; its lease id. */
static void stream(struct fleet *f, char lease_id[HC_ID_SIZE])
{
    fleet_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadflatscreen");
    (void)fleet_report(f, "b1");
    assert_int_equal(fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->answer, ANSWER_LEASE_NEW);
    hc_copy(lease_id, HC_ID_SIZE, f->last.lease.id);
    fleet_session(f, "b1", 0, SESSION_STREAMING, lease_id, "launch-1");
    f->now = hc_time_add(f->now, 5000);
    (void)fleet_report(f, "b1");
}

/* §5, grantable 3: a slot that an older visitor's ticket would get is nobody else's. */
static void test_slots__free_but_somebody_waits_for_it__kept_for_older(void **state)
{
    struct fleet *f = *state;
    struct slot_row *rows;
    struct pool_row *pools;
    size_t count;
    fleet_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadipad");
    (void)fleet_report(f, "b1");
    edit_body(f, "b1")->maintenance = true;
    edit_done(f);
    assert_int_equal(fleet_read(f, "h1", FLEET_EXPERIENCE)->deny, DENY_NO_SLOT);
    edit_body(f, "b1")->maintenance = false;
    edit_done(f);
    assert_int_equal(slots(f, (struct slot_filter){ 0 }, &rows), 1);
    assert_int_equal(rows[0].why_not, WHY_NOT_KEPT_FOR_OLDER);
    assert_false(rows[0].grantable || rows[0].occupied);
    struct core_view v = fleet_view(f);
    assert_int_equal(query_pools(&v, &arena, &pools, &count), HC_OK);
    assert_int_equal(pools[0].grantable, 0);
    f->now = hc_time_add(f->now, f->config.timers.ticket_ttl_ms);      /* who does not read again has walked away */
    (void)fleet_report(f, "b1");
    assert_int_equal(slots(f, (struct slot_filter){ 0 }, &rows), 1);
    assert_true(rows[0].grantable);
}

static void test_slots__free_slot__is_one_row_without_divergence(void **state)
{
    struct fleet *f = *state;
    struct slot_row *rows;
    fleet_body(f, "b2", "south");
    fleet_body(f, "b1", "north");
    fleet_slots(f, "b1", 2);
    (void)fleet_report(f, "b1");
    assert_int_equal(slots(f, (struct slot_filter){ 0 }, &rows), 3);
    assert_string_equal(rows[0].body_id, "b1");
    assert_int_equal(rows[1].slot, 1);
    assert_string_equal(rows[2].body_id, "b2");
    assert_null(rows[0].lease);
    assert_false(rows[0].occupied);
    assert_true(rows[0].grantable);
    assert_true(rows[0].has_observed && rows[0].observed.has_state && rows[0].observed.state == SESSION_IDLE);
    assert_true(rows[0].expires_in_ms < 0 && rows[0].age_ms < 0 && rows[0].unattended_ms < 0);
    assert_int_equal(rows[0].divergence, 0);
    assert_true(rows[2].occupied && (rows[2].why_not & WHY_NOT_NO_REPORT) != 0);
    assert_false(rows[2].has_observed);
    assert_int_equal(rows[2].divergence, 0);
    assert_int_equal(slots(f, (struct slot_filter){ .venue = "south" }, &rows), 1);
    assert_int_equal(slots(f, (struct slot_filter){ .body_id = "b1", .district = FLEET_DISTRICT }, &rows), 2);
    assert_int_equal(slots(f, (struct slot_filter){ .district = "d9" }, &rows), 0);
    assert_int_equal(slots(f, (struct slot_filter){ .divergent = true }, &rows), 0);
}

static void test_slots__stream_with_its_session__is_one_row_without_divergence(void **state)
{
    struct fleet *f = *state;
    struct slot_row *rows;
    char lease_id[HC_ID_SIZE];
    stream(f, lease_id);
    assert_int_equal(slots(f, (struct slot_filter){ 0 }, &rows), 1);
    assert_string_equal(rows[0].lease->id, lease_id);
    assert_int_equal(rows[0].lease->state, LEASE_STREAMING);
    assert_string_equal(rows[0].head_name, "h1");
    assert_string_equal(rows[0].head_venue, "north");
    assert_string_equal(rows[0].observed.launch_id, "launch-1");
    assert_int_equal(rows[0].divergence, 0);
    assert_true(rows[0].expires_in_ms < 0);                     /* never by leaseTTL (§6.2) */
    assert_int_equal(rows[0].age_ms, 5000);
    assert_true(rows[0].unattended_ms < 0);
}

static void test_slots__pre_stream_lease__tells_its_clocks(void **state)
{
    struct fleet *f = *state;
    struct slot_row *rows;
    fleet_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadflatscreen");
    (void)fleet_report(f, "b1");
    (void)fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE);
    f->now = hc_time_add(f->now, 1000);
    assert_int_equal(slots(f, (struct slot_filter){ 0 }, &rows), 1);
    assert_int_equal(rows[0].expires_in_ms, f->config.timers.lease_ttl_ms - 1000);
    assert_int_equal(rows[0].start_deadline_in_ms, f->config.timers.start_deadline_ms - 1000);
    assert_int_equal(rows[0].since_head_renewal_ms, 1000);
    assert_int_equal(rows[0].divergence, 0);                    /* no session yet is no divergence */
}

static void test_divergence__idle_report_of_a_stream__is_lease_without_stream(void **state)
{
    struct fleet *f = *state;
    struct slot_row *rows;
    char lease_id[HC_ID_SIZE];
    stream(f, lease_id);
    fleet_no_session(f, "b1");
    (void)fleet_report(f, "b1");
    assert_int_equal(slots(f, (struct slot_filter){ .divergent = true }, &rows), 1);
    assert_int_equal(rows[0].divergence, DIVERGENCE_LEASE_WITHOUT_STREAM);
}

static void test_divergence__old_report_under_a_lease__is_stale_report(void **state)
{
    struct fleet *f = *state;
    struct slot_row *rows;
    char lease_id[HC_ID_SIZE];
    stream(f, lease_id);
    f->now = hc_time_add(f->now, f->config.timers.body_report_fresh_ms + 1);
    assert_int_equal(slots(f, (struct slot_filter){ 0 }, &rows), 1);
    assert_int_equal(rows[0].divergence, DIVERGENCE_STALE_REPORT);
    assert_true((rows[0].why_not & WHY_NOT_STALE_REPORT) != 0);
    assert_true(rows[0].unattended_ms > 0);                     /* §9.5: visible at once */
}

static void test_divergence__session_nobody_asked_for__is_adopted_of_unknown_head(void **state)
{
    struct fleet *f = *state;
    struct slot_row *rows;
    fleet_body(f, "b1", "north");
    fleet_session(f, "b1", 0, SESSION_STREAMING, "", "launch-x");
    (void)fleet_report(f, "b1");
    assert_int_equal(slots(f, (struct slot_filter){ 0 }, &rows), 1);
    assert_int_equal(rows[0].lease->state, LEASE_ADOPTED);
    assert_int_equal(rows[0].divergence, DIVERGENCE_ADOPTED_UNKNOWN_HEAD);
}

/* rules §10.4, §10.5 */
static void test_divergence__second_session_of_another_client__is_a_row_of_its_own(void **state)
{
    struct fleet *f = *state;
    struct slot_row *rows;
    char lease_id[HC_ID_SIZE];
    stream(f, lease_id);
    fleet_session(f, "b1", 0, SESSION_STREAMING, "", "launch-2");
    HC_SET(fleet_machine(f, "b1")->sessions[1].client_name, "hydra-h9");
    f->now = hc_time_add(f->now, 5000);
    (void)fleet_report(f, "b1");
    assert_int_equal(slots(f, (struct slot_filter){ 0 }, &rows), 2);
    assert_string_equal(rows[0].lease->id, lease_id);
    assert_string_equal(rows[0].observed.launch_id, "launch-1");
    assert_null(rows[1].lease);
    assert_string_equal(rows[1].observed.launch_id, "launch-2");
    assert_string_equal(rows[1].observed.head_id, "h9");
    assert_int_equal(rows[0].divergence, DIVERGENCE_SECOND_LAUNCH);
    assert_int_equal(rows[1].divergence, DIVERGENCE_SECOND_LAUNCH | DIVERGENCE_WRONG_CLIENT);

    struct core_view v = fleet_view(f);
    struct conflict_row *conflicts;
    size_t count;
    assert_int_equal(query_conflicts(&v, &arena, &conflicts, &count), HC_OK);
    assert_int_equal(count, 1);
    assert_int_equal(conflicts[0].kind, CONFLICT_WRONG_CLIENT);
    assert_string_equal(conflicts[0].lease_id, lease_id);
    assert_string_equal(conflicts[0].holder_head_id, "h1");
    assert_string_equal(conflicts[0].observed_head_id, "h9");
    assert_string_equal(conflicts[0].client_name, "hydra-h9");
}

static void test_divergence__second_session_of_nobody__is_unauthorized(void **state)
{
    struct fleet *f = *state;
    struct slot_row *rows;
    char lease_id[HC_ID_SIZE];
    stream(f, lease_id);
    fleet_session(f, "b1", 0, SESSION_STREAMING, "lse-other", "launch-2");
    f->now = hc_time_add(f->now, 5000);
    (void)fleet_report(f, "b1");
    assert_int_equal(slots(f, (struct slot_filter){ 0 }, &rows), 2);
    assert_int_equal(rows[1].divergence, DIVERGENCE_SECOND_LAUNCH | DIVERGENCE_UNAUTHORIZED_STREAM);
    struct core_view v = fleet_view(f);
    struct conflict_row *conflicts;
    size_t count;
    assert_int_equal(query_conflicts(&v, &arena, &conflicts, &count), HC_OK);
    assert_int_equal(count, 1);
    assert_int_equal(conflicts[0].kind, CONFLICT_SECOND_LAUNCH);
    fleet_silent(f, "b1");
    f->now = hc_time_add(f->now, f->config.timers.body_report_fresh_ms + 1);
    v = fleet_view(f);
    assert_int_equal(query_conflicts(&v, &arena, &conflicts, &count), HC_OK);
    assert_int_equal(count, 0);                                 /* live mismatches only */
}

/* rules §10.3: the incident's only trace. */
static void test_divergence__head_that_claims_a_leased_body__is_a_witness_row(void **state)
{
    struct fleet *f = *state;
    struct slot_row *rows;
    char lease_id[HC_ID_SIZE];
    stream(f, lease_id);
    fleet_head(f, "h2", "south", "hydraheadipad");
    (void)fleet_heartbeat(f, "h2", "streaming", "b1");
    f->now = hc_time_add(f->now, 1000);
    assert_int_equal(slots(f, (struct slot_filter){ 0 }, &rows), 2);
    assert_int_equal(rows[0].divergence, 0);
    assert_int_equal(rows[1].divergence, DIVERGENCE_UNAUTHORIZED_STREAM);
    assert_true(rows[1].observed.from_head);
    assert_string_equal(rows[1].observed.head_id, "h2");
    struct core_view v = fleet_view(f);
    struct conflict_row *conflicts;
    size_t count;
    assert_int_equal(query_conflicts(&v, &arena, &conflicts, &count), HC_OK);
    assert_int_equal(count, 1);
    assert_true(conflicts[0].from_head && conflicts[0].expected_legacy);
    assert_int_equal(conflicts[0].since_ms, 1000);
    (void)fleet_heartbeat(f, "h2", "idle", "");
    assert_int_equal(slots(f, (struct slot_filter){ 0 }, &rows), 1);
}

static void test_divergence__refused_second_launch__shows_for_two_minutes(void **state)
{
    struct fleet *f = *state;
    struct slot_row *rows;
    char lease_id[HC_ID_SIZE];
    stream(f, lease_id);
    ((struct body_obs *)observed_edit(f->obs, OBS_BODY, "b1"))->second_launch_at[0] = f->now;
    assert_int_equal(slots(f, (struct slot_filter){ .divergent = true }, &rows), 1);
    assert_int_equal(rows[0].divergence, DIVERGENCE_SECOND_LAUNCH);
    struct core_view v = fleet_view(f);
    struct conflict_row *conflicts;
    size_t count;
    assert_int_equal(query_conflicts(&v, &arena, &conflicts, &count), HC_OK);
    assert_int_equal(count, 1);
    assert_int_equal(conflicts[0].kind, CONFLICT_SECOND_LAUNCH);
    f->now = hc_time_add(f->now, 120001);
    ((struct body_obs *)observed_edit(f->obs, OBS_BODY, "b1"))->reported_at = f->now;
    assert_int_equal(slots(f, (struct slot_filter){ .divergent = true }, &rows), 0);
}

static void test_divergence__epochs_downgrade_and_unknown_body__are_told(void **state)
{
    struct fleet *f = *state;
    struct slot_row *rows;
    bool changed;
    fleet_body(f, "b1", "north");
    (void)fleet_report(f, "b1");
    struct body_rec *body = (struct body_rec *)alloc_edit(f->alloc, REC_BODY, "b1");
    body->slots[0].epoch += 5;
    body->slots[0].epoch_regressed = true;
    struct district_rec *district = (struct district_rec *)alloc_create(f->alloc, REC_DISTRICT, FLEET_DISTRICT);
    district->safe_mode = SAFE_DOWNGRADE;
    assert_int_equal(alloc_end_step(f->alloc, &changed), HC_OK);
    ((struct body_obs *)observed_edit(f->obs, OBS_BODY, "b1"))->below_floor_at[0] = f->now;
    assert_int_equal(slots(f, (struct slot_filter){ 0 }, &rows), 1);
    assert_int_equal(rows[0].divergence, DIVERGENCE_EPOCH_REGRESSED | DIVERGENCE_EPOCH_BELOW_FLOOR | DIVERGENCE_DOWNGRADE);
    assert_int_equal(alloc_remove(f->alloc, REC_NODE, "b1"), HC_OK);
    assert_int_equal(alloc_end_step(f->alloc, &changed), HC_OK);
    assert_int_equal(slots(f, (struct slot_filter){ 0 }, &rows), 1);
    assert_true((rows[0].divergence & DIVERGENCE_UNKNOWN_BODY) != 0);
    assert_int_equal(slots(f, (struct slot_filter){ .district = FLEET_DISTRICT }, &rows), 0);
}

/* A body may report a slot that it does not have. */
static void test_slots__session_on_a_slot_that_is_not_there__is_shown(void **state)
{
    struct fleet *f = *state;
    struct slot_row *rows;
    fleet_body(f, "b1", "north");
    fleet_session(f, "b1", 3, SESSION_STREAMING, "", "launch-x");
    (void)fleet_report(f, "b1");
    size_t count = slots(f, (struct slot_filter){ 0 }, &rows);
    assert_true(count > 1);
    assert_int_equal(rows[count - 1].slot, 3);
    assert_true(rows[count - 1].occupied && !rows[count - 1].grantable);
    assert_int_equal(rows[count - 1].divergence, DIVERGENCE_UNAUTHORIZED_STREAM);
}

static void test_slots__each_allocation_failing__is_an_error_and_no_leak(void **state)
{
    struct fleet *f = *state;
    char lease_id[HC_ID_SIZE];
    stream(f, lease_id);
    struct core_view v = fleet_view(f);
    struct slot_row *rows;
    struct conflict_row *conflicts;
    size_t count;
    unsigned n = 0;
    for (enum hc_err err = HC_ERR_NOMEM; err != HC_OK; hc_arena_free(&arena)) {
        hc_alloc_fail_after(++n);
        err = query_slots(&v, &(struct slot_filter){ 0 }, &arena, &rows, &count);
    }
    assert_true(n > 1);
    hc_alloc_fail_after(1);
    assert_int_equal(query_conflicts(&v, &arena, &conflicts, &count), HC_ERR_NOMEM);
    hc_alloc_fail_after(0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_slots__free_but_somebody_waits_for_it__kept_for_older),
        TEST(test_slots__free_slot__is_one_row_without_divergence),
        TEST(test_slots__stream_with_its_session__is_one_row_without_divergence),
        TEST(test_slots__pre_stream_lease__tells_its_clocks),
        TEST(test_divergence__idle_report_of_a_stream__is_lease_without_stream),
        TEST(test_divergence__old_report_under_a_lease__is_stale_report),
        TEST(test_divergence__session_nobody_asked_for__is_adopted_of_unknown_head),
        TEST(test_divergence__second_session_of_another_client__is_a_row_of_its_own),
        TEST(test_divergence__second_session_of_nobody__is_unauthorized),
        TEST(test_divergence__head_that_claims_a_leased_body__is_a_witness_row),
        TEST(test_divergence__refused_second_launch__shows_for_two_minutes),
        TEST(test_divergence__epochs_downgrade_and_unknown_body__are_told),
        TEST(test_slots__session_on_a_slot_that_is_not_there__is_shown),
        TEST(test_slots__each_allocation_failing__is_an_error_and_no_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
