#include <string.h>

#include "fixture.h"
#include "hydra/core/observed.h"

static void test_strings__given_in_any_order_with_doubles__are_sorted_and_single(void **state)
{
    (void)state;
    const char *const items[] = { "rupelmonde", "atlas", "rupelmonde", "" };
    struct strings *one = strings_new(items, 4), *two = strings_new(items + 1, 3), *other = strings_new(items, 2);
    assert_int_equal(one->count, 3);
    assert_true(strings_has(one, "atlas") && strings_has(one, "") && !strings_has(one, "atla") && !strings_has(NULL, "atlas"));
    assert_true(strings_same(one, two) && !strings_same(one, other) && !strings_same(one, NULL) && strings_same(NULL, NULL));
    strings_unref(strings_ref(one));
    strings_unref(one);
    strings_unref(two);
    strings_unref(other);
    strings_unref(NULL);
}

static void test_strings__each_allocation_failing__gives_null(void **state)
{
    (void)state;
    const char *const items[] = { "a", "b" };
    struct strings *made = NULL;
    unsigned n = 0;
    while (made == NULL) {
        hc_alloc_fail_after(++n);
        made = strings_new(items, 2);
    }
    hc_alloc_fail_after(0);
    assert_int_equal(n, 4);
    strings_unref(made);
}

static void fill_observed(struct observed *obs)
{
    const char *const drivers[] = { "openxr" };
    struct body_obs *body = (struct body_obs *)observed_edit(obs, OBS_BODY, "b1");
    body->xr_drivers = strings_new(drivers, 1);
    body->sessions = hc_alloc(2 * sizeof body->sessions[0]);
    body->session_count = 2;
    HC_SET(body->sessions[1].launch_id, "launch-1");
    body->clients = hc_alloc(sizeof body->clients[0]);
    body->client_count = 1;
    struct node_obs *node = (struct node_obs *)observed_edit(obs, OBS_NODE, "h1");
    node->diagnostics = text_new("{}", 2);
}

static void test_observed__edited_after_a_snapshot__the_snapshot_keeps_the_old_facts(void **state)
{
    (void)state;
    struct observed *obs, *snapshot;
    assert_int_equal(observed_new(&obs), HC_OK);
    fill_observed(obs);
    struct rec *before = observed_edit(obs, OBS_BODY, "b1");
    assert_int_equal(observed_snapshot(obs, &snapshot), HC_OK);
    struct body_obs *edit = (struct body_obs *)observed_edit(obs, OBS_BODY, "b1");
    assert_ptr_not_equal(edit, before);
    HC_SET(edit->sessions[1].launch_id, "launch-2");
    assert_ptr_equal(observed_edit(obs, OBS_BODY, "b1"), &edit->rec);
    assert_string_equal(observed_body(snapshot, "b1")->sessions[1].launch_id, "launch-1");
    assert_true(strings_has(observed_body(snapshot, "b1")->xr_drivers, "openxr"));
    observed_remove(obs, OBS_NODE, "h1");
    observed_remove(obs, OBS_NODE, "h1");
    assert_null(observed_node(obs, "h1"));
    assert_string_equal(observed_node(snapshot, "h1")->diagnostics->bytes, "{}");
    observed_free(obs);
    assert_int_equal(observed_count(snapshot, OBS_BODY), 1);
    assert_string_equal(observed_at(snapshot, OBS_NODE, 0)->key, "h1");
    observed_free(snapshot);
    observed_free(NULL);
}

static void test_observed__each_allocation_failing__keeps_what_was_there(void **state)
{
    (void)state;
    struct observed *obs, *snapshot = NULL;
    assert_int_equal(observed_new(&obs), HC_OK);
    fill_observed(obs);
    unsigned n = 0;
    enum hc_err err = HC_ERR_NOMEM;
    while (err != HC_OK) {
        hc_alloc_fail_after(++n);
        err = observed_snapshot(obs, &snapshot);
    }
    assert_true(n > 2);
    struct rec *edit = NULL;
    for (n = 0; edit == NULL;) {
        hc_alloc_fail_after(++n);
        edit = observed_edit(obs, OBS_BODY, "b1");
    }
    assert_int_equal(n, 4);
    for (edit = NULL, n = 0; edit == NULL;) {
        hc_alloc_fail_after(++n);
        edit = observed_edit(obs, OBS_CLOCK, "l1");
    }
    assert_int_equal(n, 4);
    hc_alloc_fail_after(0);
    assert_int_equal(observed_count(obs, OBS_CLOCK), 1);
    observed_free(snapshot);
    observed_free(obs);
}

static void test_lease_clock__saved_and_observed__the_later_counts(void **state)
{
    (void)state;
    struct observed *obs;
    assert_int_equal(observed_new(&obs), HC_OK);
    struct lease lease = { .id = "l1", .renewed_at = { 50 }, .head_renewed_at = { 10 }, .expires_at = { 100 } };
    assert_int_equal(lease_clock(obs, &lease).expires_at.ms, 100);
    struct clock_obs *clock = (struct clock_obs *)observed_edit(obs, OBS_CLOCK, "l1");
    clock->renewed_at.ms = 40;
    clock->head_renewed_at.ms = 20;
    clock->expires_at.ms = 130;
    assert_int_equal(lease_clock(obs, &lease).renewed_at.ms, 50);
    assert_int_equal(lease_clock(obs, &lease).head_renewed_at.ms, 20);
    assert_int_equal(lease_clock(obs, &lease).expires_at.ms, 130);
    lease.expires_at = HC_TIME_NEVER;                     /* streaming: a renewal from before is no clock */
    assert_false(hc_time_set(lease_clock(obs, &lease).expires_at));
    observed_free(obs);
}

/* rules §1: a node without an owner has its venue's; empty equals none. */
static void test_owner__of_a_node_without_one__is_its_venues(void **state)
{
    struct fleet *f = *state;
    fleet_head(f, "h1", "north", "hydraheadquest");
    struct node_rec *node = (struct node_rec *)alloc_edit(f->alloc, REC_NODE, "h1");
    assert_true(node_is_quest(node));
    assert_string_equal(node_owner(f->alloc, node), FLEET_OWNER);
    node->owner[0] = '\0';
    assert_string_equal(node_owner(f->alloc, node), "");
    struct venue_rec *venue = (struct venue_rec *)alloc_create(f->alloc, REC_VENUE, "north");
    HC_SET(venue->owner, "city");
    assert_string_equal(node_owner(f->alloc, node), "city");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strings__given_in_any_order_with_doubles__are_sorted_and_single),
        cmocka_unit_test(test_strings__each_allocation_failing__gives_null),
        cmocka_unit_test(test_observed__edited_after_a_snapshot__the_snapshot_keeps_the_old_facts),
        cmocka_unit_test(test_observed__each_allocation_failing__keeps_what_was_there),
        cmocka_unit_test(test_lease_clock__saved_and_observed__the_later_counts),
        FLEET_TEST(test_owner__of_a_node_without_one__is_its_venues),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
