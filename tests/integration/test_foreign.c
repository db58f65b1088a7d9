/* test_foreign.c - another process writes our files while we run: its changes are taken over, nothing acknowledged is lost, no epoch
 * falls; a file that cannot be understood stops the store, not the daemon. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "hydra/base/arena.h"
#include "scene.h"

#define ALLOCATION "data/allocation.yaml"
#define NODES      "data/nodes.yaml"

/* Two modern bodies, three heads of protocol 2. */
static struct node bodies[2], heads[3];

static void confirm_all(void)
{
    for (size_t i = 0; i < 2; i++) {
        struct call call = fleet_reports_modern(&scene.daemon, &bodies[i], "idle", NULL);
        call_free(&call);
    }
}

static void fleet(void)
{
    static const char *const names[] = { "h1", "h2", "h3" };
    bodies[0] = fleet_body(&scene.daemon, "b1", "north");
    bodies[1] = fleet_body(&scene.daemon, "b2", "north");
    for (size_t i = 0; i < 3; i++)
        heads[i] = fleet_head(&scene.daemon, names[i], "north");
    confirm_all();
}

static struct held_lease claim(size_t head, const char *attempt)
{
    struct held_lease lease = { .id = "" };
    struct call call = fleet_claims(&scene.daemon, &heads[head], attempt);
    if (call.status != 201 || !fleet_lease_of(&call, &lease))
        fail_msg("claim: %ld %s", call.status, call.text);
    call_free(&call);
    return lease;
}

static long touch_store(void)
{
    return scene_admin("PUT", "/api/v1/venues/elsewhere", "{\"max_concurrent_grants\":3}");
}

/* The only body's row under `bodies:` of this id gets another setting, as an operator with an editor would do it. */
static void set_maintenance(const char *body_id)
{
    char *text = home_read(&scene.home, ALLOCATION), *at = strstr(text, body_id);
    assert_non_null(at);
    char *value = strstr(at, "maintenance: false");
    assert_non_null(value);
    memcpy(value, "maintenance: true ", strlen("maintenance: false"));
    home_write(&scene.home, ALLOCATION, text);
    hc_free(text);
}

static bool in_maintenance(const char *body_id)
{
    char path[128];
    (void)snprintf(path, sizeof path, "/api/v1/nodes/%s", body_id);
    struct call call = daemon_call(&scene.daemon, scene.home.admin_token, "GET", path, NULL);
    bool is = call_bool(&call, "body.maintenance");
    call_free(&call);
    return is;
}

static void test_foreign__file_edited_in_place__taken_over_with_an_event(void **state)
{
    (void)state;
    fleet();
    struct held_lease lease = claim(0, "a-1");
    const char *other = strcmp(lease.body_id, bodies[0].id) == 0 ? bodies[1].id : bodies[0].id;
    set_maintenance(other);
    scene_next_generation(ALLOCATION);
    assert_false(in_maintenance(other));
    assert_int_equal(touch_store(), 200);
    assert_true(in_maintenance(other));
    assert_int_equal(fleet_events(&scene.daemon, "generation_conflict"), 1);
    struct call slots = fleet_slots(&scene.daemon);
    assert_string_equal(fleet_lease_id(&slots, lease.body_id), lease.id);
    call_free(&slots);
    assert_int_equal(fleet_renews(&scene.daemon, &heads[0], &lease), 200);
    scene_restart_killed(NULL);                         /* and both are in the file */
    assert_true(in_maintenance(other));
    assert_int_equal(fleet_renews(&scene.daemon, &heads[0], &lease), 200);
}

static void test_foreign__two_foreign_saves_in_a_row__both_taken_over(void **state)
{
    (void)state;
    fleet();
    for (size_t i = 0; i < 2; i++) {
        set_maintenance(bodies[i].id);
        scene_next_generation(ALLOCATION);
        assert_int_equal(touch_store(), 200);
        assert_int_equal(fleet_events(&scene.daemon, "generation_conflict"), i + 1);
    }
    assert_true(in_maintenance(bodies[0].id) && in_maintenance(bodies[1].id));
    scene_expect(fleet_reads(&scene.daemon, &heads[0]), 409, "no_slot_available");
}

/* A restored backup: the file of before the grant, put back under a running daemon. */
static void test_foreign__file_of_before_a_grant__lease_is_kept_and_no_epoch_falls(void **state)
{
    (void)state;
    fleet();
    char *before = home_read(&scene.home, ALLOCATION);
    struct held_lease lease = claim(0, "a-1");
    home_write(&scene.home, ALLOCATION, before);
    hc_free(before);
    assert_int_equal(touch_store(), 200);
    assert_int_equal(fleet_events(&scene.daemon, "generation_conflict"), 1);
    struct call slots = fleet_slots(&scene.daemon);
    json_t *row = fleet_row(&slots, lease.body_id);
    assert_true(json_integer_value(json_object_get(row, "epoch")) >= lease.epoch);
    assert_string_equal(fleet_lease_id(&slots, lease.body_id), lease.id);
    assert_string_equal(fleet_lease_state(&slots, lease.body_id), "unknown");
    call_free(&slots);
    assert_int_equal(fleet_renews(&scene.daemon, &heads[0], &lease), 200);
    confirm_all();
    struct held_lease second = claim(1, "b-1");              /* the other body: the kept lease still counts */
    assert_string_not_equal(second.body_id, lease.body_id);
}

/* The backup gave the slot to somebody else meanwhile: one of the two loses, loudly. */
static void test_foreign__slot_has_another_lease_in_the_file__ours_is_revoked(void **state)
{
    (void)state;
    struct node body = fleet_body(&scene.daemon, "b1", "north"), first = fleet_head(&scene.daemon, "h1", "north"),
                second = fleet_head(&scene.daemon, "h2", "north");
    struct held_lease theirs, ours;
    struct call report = fleet_reports_modern(&scene.daemon, &body, "idle", NULL);
    call_free(&report);
    struct call call = fleet_claims(&scene.daemon, &first, "a-1");
    assert_true(fleet_lease_of(&call, &theirs));
    call_free(&call);
    char *with_theirs = home_read(&scene.home, ALLOCATION);
    assert_int_equal(fleet_releases(&scene.daemon, &first, &theirs, "user_exit"), 204);
    report = fleet_reports_modern(&scene.daemon, &body, "idle", NULL);
    call_free(&report);
    call = fleet_claims(&scene.daemon, &second, "b-1");
    assert_true(fleet_lease_of(&call, &ours));
    call_free(&call);
    home_write(&scene.home, ALLOCATION, with_theirs);
    hc_free(with_theirs);
    assert_int_equal(touch_store(), 200);
    struct call slots = fleet_slots(&scene.daemon);
    assert_string_equal(fleet_lease_id(&slots, body.id), theirs.id);
    assert_true(json_integer_value(json_object_get(fleet_row(&slots, body.id), "epoch")) >= ours.epoch);
    call_free(&slots);
    assert_int_equal(fleet_renews(&scene.daemon, &second, &ours), 410);
}

static void test_foreign__nodes_file_edited__taken_over(void **state)
{
    (void)state;
    fleet();
    scene_edit(NODES, "name: b2", "name: renamed");
    scene_next_generation(NODES);
    assert_int_equal(touch_store(), 200);
    struct call nodes = daemon_call(&scene.daemon, scene.home.admin_token, "GET", "/api/v1/nodes", NULL);
    assert_non_null(strstr(nodes.text, "\"renamed\""));
    assert_null(strstr(nodes.text, "\"b2\""));
    call_free(&nodes);
    assert_int_equal(fleet_events(&scene.daemon, "generation_conflict"), 1);
}

static void refused_then_mended(const char *file, const char *from, const char *to, const char *place)
{
    char *right = home_read(&scene.home, file);
    scene_edit(file, from, to);
    char *wrong = home_read(&scene.home, file);
    struct call call = daemon_call(&scene.daemon, scene.home.admin_token, "PUT", "/api/v1/venues/elsewhere",
                                   "{\"max_concurrent_grants\":4}");
    assert_true(call.retry_after_seconds > 0);
    scene_expect(call, 503, "store_unavailable");
    assert_true(fleet_waits_ready(&scene.daemon, false, SCENE_WAIT_MS));
    call = daemon_call(&scene.daemon, NULL, "GET", "/readyz", NULL);
    if (strstr(call.text, place) == NULL)
        fail_msg("`%s` is not named in %s", place, call.text);
    call_free(&call);
    assert_true(scene_log_has(place));
    call = daemon_call(&scene.daemon, NULL, "GET", "/api/v1/health", NULL);
    assert_int_equal(call.status, 200);
    assert_string_equal(call_str(&call, "status"), "degraded");
    call_free(&call);
    fleet_reports(&scene.daemon, &bodies[0], "idle");   /* reports are answered all the same */
    char *after = home_read(&scene.home, file);
    assert_string_equal(wrong, after);                  /* never overwritten */
    home_write(&scene.home, file, right);
    assert_true(fleet_waits_ready(&scene.daemon, true, SCENE_WAIT_MS));
    assert_int_equal(touch_store(), 200);
    hc_free(right);
    hc_free(wrong);
    hc_free(after);
}

static void test_foreign__file_that_is_refused__store_is_down_until_it_is_mended(void **state)
{
    (void)state;
    fleet();
    struct held_lease lease = claim(0, "a-1");
    refused_then_mended(ALLOCATION, "    slots_total: 1\n", "    slots_totl: 1\n", "allocation.yaml:8:5: slots_totl");
    assert_int_equal(fleet_renews(&scene.daemon, &heads[0], &lease), 200);
    refused_then_mended(NODES, "schema_version: 2\n", "schema_version: 3\n", "nodes.yaml:2:17: schema_version");
    refused_then_mended(ALLOCATION, "\nend: ", "\n# end: ", "allocation.yaml");
    assert_int_equal(fleet_renews(&scene.daemon, &heads[0], &lease), 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCENE_TEST_STARTED(test_foreign__file_edited_in_place__taken_over_with_an_event),
        SCENE_TEST_STARTED(test_foreign__two_foreign_saves_in_a_row__both_taken_over),
        SCENE_TEST_STARTED(test_foreign__file_of_before_a_grant__lease_is_kept_and_no_epoch_falls),
        SCENE_TEST_STARTED(test_foreign__slot_has_another_lease_in_the_file__ours_is_revoked),
        SCENE_TEST_STARTED(test_foreign__nodes_file_edited__taken_over),
        SCENE_TEST_STARTED(test_foreign__file_that_is_refused__store_is_down_until_it_is_mended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
