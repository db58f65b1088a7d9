/* test_disk.c - a disk that fails in each step of a save: 503, nothing acknowledged is lost, serving resumes by itself (rules §3.5). */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "hydra/base/arena.h"
#include "hydra/base/buf.h"
#include "scene.h"

static const struct daemon_options faulty = { .faults = true };
static struct node bodies[2], heads[2];

static void report_all(void)
{
    for (size_t i = 0; i < 2; i++) {
        struct call call = fleet_reports_modern(&scene.daemon, &bodies[i], "idle", NULL);
        call_free(&call);
    }
}

static void fleet(void)
{
    fault_set(&scene.home, "");
    scene_start(&faulty);
    bodies[0] = fleet_body(&scene.daemon, "b1", "north");
    bodies[1] = fleet_body(&scene.daemon, "b2", "north");
    heads[0] = fleet_head(&scene.daemon, "h1", "north");
    heads[1] = fleet_head(&scene.daemon, "h2", "north");
    report_all();
}

static struct held_lease claim(size_t head, const char *attempt, long *ret_status)
{
    struct held_lease lease = { .id = "" };
    struct call call = fleet_claims(&scene.daemon, &heads[head], attempt);
    *ret_status = call.status;
    if ((call.status != 201 && call.status != 200) || !fleet_lease_of(&call, &lease))
        fail_msg("claim %s: %ld %s", attempt, call.status, call.text);
    call_free(&call);
    return lease;
}

static void expect_held(const struct held_lease *lease)
{
    struct call slots = fleet_slots(&scene.daemon);
    assert_string_equal(fleet_lease_id(&slots, lease->body_id), lease->id);
    assert_true(json_integer_value(json_object_get(fleet_row(&slots, lease->body_id), "epoch")) >= lease->epoch);
    call_free(&slots);
}

static size_t leases_in_slots(void)
{
    size_t i, count = 0;
    json_t *row;
    struct call slots = fleet_slots(&scene.daemon);
    json_array_foreach(slots.json, i, row)
        count += json_is_object(json_object_get(row, "lease"));
    call_free(&slots);
    return count;
}

static void expect_down(void)
{
    struct call call = daemon_call(&scene.daemon, NULL, "GET", "/health", NULL);
    assert_int_equal(call.status, 200);
    assert_string_equal(call_str(&call, "status"), "degraded");
    call_free(&call);
    call = daemon_call(&scene.daemon, NULL, "GET", "/readyz", NULL);
    assert_int_equal(call.status, 503);
    assert_non_null(strstr(call.text, "store_down"));
    call_free(&call);
    call = daemon_call(&scene.daemon, NULL, "GET", "/livez", NULL);
    assert_int_equal(call.status, 200);
    call_free(&call);
}

/* One lease is there, the disk fails, a second head asks, the disk is well again. */
static void claim_over(const char *rules, const char *hit, bool kept_in_memory)
{
    long status;
    fleet();
    struct held_lease first = claim(0, "a-1", &status);
    fault_set(&scene.home, rules);
    struct call refused = fleet_claims(&scene.daemon, &heads[1], "b-1");
    assert_true(refused.retry_after_seconds > 0);
    scene_expect(refused, 503, "store_unavailable");
    assert_true(fault_hits(&scene.home, hit) > 0);
    expect_down();
    report_all();                                       /* bodies are answered while it is down */
    expect_held(&first);
    assert_int_equal(leases_in_slots(), 1);             /* what was not acknowledged is not told */
    scene_expect(fleet_claims(&scene.daemon, &heads[1], "b-2"), 503, "store_unavailable");
    fault_set(&scene.home, "");
    assert_true(fleet_waits_ready(&scene.daemon, true, SCENE_WAIT_MS));
    assert_int_equal(fleet_renews(&scene.daemon, &heads[0], &first), 200);
    report_all();
    struct held_lease second = claim(1, kept_in_memory ? "b-1" : "b-2", &status);
    if (!kept_in_memory)
        assert_int_equal(status, 201);
    assert_string_not_equal(second.body_id, first.body_id);
    scene_restart_killed(&faulty);                      /* what was acknowledged is in the file */
    expect_held(&first);
    expect_held(&second);
    assert_int_equal(leases_in_slots(), 2);
    scene_stop();
}

static void test_disk__each_step_fails__refused_and_recovered(void **state)
{
    (void)state;
    static const struct { const char *rules, *hit; } rows[] = {
        { "open allocation.yaml EMFILE\n", "open allocation.yaml EMFILE" },
        { "open allocation.yaml EROFS\n", "open allocation.yaml EROFS" },
        { "write allocation.yaml ENOSPC\n", "write allocation.yaml ENOSPC" },
        { "write allocation.yaml EIO\n", "write allocation.yaml EIO" },
        { "fsync allocation.yaml EIO\n", "fsync allocation.yaml EIO" },
        { "fsync allocation.yaml EDQUOT\n", "fsync allocation.yaml EDQUOT" },
        { "rename allocation.yaml EIO\n", "rename allocation.yaml EIO" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        claim_over(rows[i].rules, rows[i].hit, false);
        (void)scene_close(NULL);
        (void)scene_open(NULL);
    }
}

/* After the rename there is no way back: memory stays, nothing leaves until a later save proves it. */
static void test_disk__folder_sync_fails__nothing_leaves_until_it_is_proven(void **state)
{
    (void)state;
    claim_over("fsyncdir . EIO\n", "fsyncdir data EIO", true);
}

static void test_disk__killed_between_rename_and_folder_sync__one_lease_at_most_per_slot(void **state)
{
    (void)state;
    long status;
    fleet();
    struct held_lease first = claim(0, "a-1", &status);
    fault_set(&scene.home, "fsyncdir . EIO\n");
    scene_expect(fleet_claims(&scene.daemon, &heads[1], "b-1"), 503, "store_unavailable");
    fault_set(&scene.home, "");
    scene_restart_killed(&faulty);
    report_all();
    struct held_lease second = claim(1, "b-1", &status);     /* the outcome was unknown: the same attempt is answered either way */
    expect_held(&first);
    expect_held(&second);
    assert_int_equal(leases_in_slots(), 2);
}

static void test_disk__short_writes__are_no_fault(void **state)
{
    (void)state;
    long status;
    fleet();
    fault_set(&scene.home, "write allocation.yaml short\nwrite nodes.yaml short\n");
    struct held_lease first = claim(0, "a-1", &status);
    (void)fleet_head(&scene.daemon, "h3", "north");
    assert_true(fault_hits(&scene.home, "write allocation.yaml short") > 0);
    assert_true(fault_hits(&scene.home, "write nodes.yaml short") > 0);
    scene_restart_killed(&faulty);
    expect_held(&first);
}

static void test_disk__release_is_not_saved__the_lease_is_not_lost(void **state)
{
    (void)state;
    long status;
    fleet();
    struct held_lease first = claim(0, "a-1", &status);
    fault_set(&scene.home, "fsync allocation.yaml EIO\n");
    assert_int_equal(fleet_releases(&scene.daemon, &heads[0], &first, "user_exit"), 503);
    expect_held(&first);
    fault_set(&scene.home, "");
    assert_true(fleet_waits_ready(&scene.daemon, true, SCENE_WAIT_MS));
    assert_int_equal(fleet_releases(&scene.daemon, &heads[0], &first, "user_exit"), 204);
    scene_restart_killed(&faulty);
    struct call slots = fleet_slots(&scene.daemon);
    assert_string_equal(fleet_lease_id(&slots, first.body_id), "");
    call_free(&slots);
}

static size_t nodes_named(const char *name)
{
    size_t i, count = 0;
    json_t *row;
    struct call call = daemon_call(&scene.daemon, scene.home.admin_token, "GET", "/api/v1/nodes", NULL);
    json_array_foreach(call.json, i, row)
        count += strcmp(json_string_value(json_object_get(row, "name")), name) == 0;
    call_free(&call);
    return count;
}

static void test_disk__registry_cannot_be_written__nobody_is_enrolled(void **state)
{
    (void)state;
    static const char *const rules[] = { "write nodes.yaml ENOSPC\n", "fsync nodes.yaml EIO\n", "rename nodes.yaml EIO\n" };
    fleet();
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        char body[96], name[32];
        (void)snprintf(name, sizeof name, "new-%zu", i);
        (void)snprintf(body, sizeof body, "{\"name\":\"%s\",\"roles\":[\"head\"]}", name);
        fault_set(&scene.home, rules[i]);
        assert_int_equal(scene_admin("POST", "/api/v1/nodes", body), 503);
        assert_int_equal(nodes_named(name), 0);
        fault_set(&scene.home, "");
        assert_true(fleet_waits_ready(&scene.daemon, true, SCENE_WAIT_MS));
        assert_int_equal(nodes_named(name), 0);
        assert_int_equal(scene_admin("POST", "/api/v1/nodes", body), 201);
        scene_restart_killed(&faulty);
        assert_int_equal(nodes_named(name), 1);
    }
}

/* History waits for its own disk; the lease that it is about stays in the store meanwhile (rules §3.10). */
static bool history_has(void *ctx)
{
    if (!home_has(&scene.home, "data/sessions.jsonl"))
        return false;
    char *text = home_read(&scene.home, "data/sessions.jsonl");
    bool has = strstr(text, ctx) != NULL;
    hc_free(text);
    return has;
}

static void test_disk__history_cannot_be_written__written_after_all(void **state)
{
    (void)state;
    long status;
    fleet();
    struct held_lease first = claim(0, "a-1", &status);
    fault_set(&scene.home, "fsync sessions.jsonl EIO\nwrite sessions.jsonl ENOSPC\n");
    assert_int_equal(fleet_releases(&scene.daemon, &heads[0], &first, "user_exit"), 204);
    fault_wait_hits(&scene.home, "write sessions.jsonl ENOSPC", 1, SCENE_WAIT_MS);
    assert_false(history_has(first.id));
    fault_set(&scene.home, "");
    scene_restart_killed(&faulty);                      /* not even a kill loses the line */
    if (!wait_until(history_has, first.id, SCENE_WAIT_MS))
        fail_msg("no line of %s", first.id);
}

/* ---- the history in parts ---- */

#define PART_LINE_SIZE 256
#define PART_BYTES_MIN ((size_t)1024 * 1024)        /* sessions.segment_bytes may not be less */
static const char parts_config[] = "sessions:\n  segment_bytes: 1048576\n  keep_bytes: 2097152\n";

/* sessions.jsonl is a line short of full. */
static void fill_history(void)
{
    struct hc_buf text = { 0 };
    for (unsigned i = 0; text.len < PART_BYTES_MIN - PART_LINE_SIZE; i++)
        hc_buf_printf(&text, "{\"lease_id\":\"old-%06u\",\"stream_id\":\"s\",\"head_id\":\"h\",\"body_id\":\"b\",\"slot\":0,"
                      "\"experience\":\"x\",\"protocol\":2,\"source\":\"explicit\",\"mode\":\"flat\",\"grant_epoch\":1,"
                      "\"granted_at\":\"2026-08-01T09:00:00.000Z\",\"ended_at\":\"2026-08-01T09:05:00.000Z\","
                      "\"state\":\"ended\",\"reason\":null}\n", i);
    assert_false(text.failed);
    home_write(&scene.home, "data/sessions.jsonl", text.data);
    hc_buf_free(&text);
}

static const struct daemon_options *parts_options(void)
{
    static char config[HOME_PATH_SIZE];
    static const char *const args[] = { "--config", config, NULL };
    static const struct daemon_options options = { .args = args, .faults = true };
    home_path(&scene.home, "parts.yaml", config);
    home_write(&scene.home, "parts.yaml", parts_config);
    return &options;
}

/* How often the lease stands in all parts together. */
static unsigned lines_of(const char *lease_id)
{
    static const char *const names[] = { "data/sessions.jsonl", "data/sessions.jsonl.1", "data/sessions.jsonl.2", "data/sessions.jsonl.3" };
    unsigned count = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *text = home_has(&scene.home, names[i]) ? home_read(&scene.home, names[i]) : NULL;
        for (const char *at = text; at != NULL && (at = strstr(at, lease_id)) != NULL; at++)
            count++;
        hc_free(text);
    }
    return count;
}

static bool has_line(void *ctx) { return lines_of(ctx) > 0; }

static bool growing_is_told(void *ctx)
{
    (void)ctx;
    return scene_log_has("event=file_not_rotated file=sessions.jsonl");
}

/* A visit that ends while these faults are there, and one that ends after them. */
static void visits_over(const char *rules, const char *hit, bool killed)
{
    long status;
    fleet();
    scene_stop();
    fill_history();
    scene_start(parts_options());
    report_all();
    struct held_lease first = claim(0, "a-1", &status);
    fault_set(&scene.home, rules);
    assert_int_equal(fleet_releases(&scene.daemon, &heads[0], &first, "user_exit"), 204);
    if (hit != NULL)
        fault_wait_hits(&scene.home, hit, 1, SCENE_WAIT_MS);
    if (hit != NULL && !killed)
        assert_true(wait_until(growing_is_told, NULL, SCENE_WAIT_MS));
    if (killed)
        daemon_kill(&scene.daemon);
    fault_set(&scene.home, "");
    if (killed) {
        daemon_end(&scene.daemon);
        scene_start(parts_options());
    }
    report_all();
    struct held_lease second = claim(1, "b-1", &status);
    assert_int_equal(fleet_releases(&scene.daemon, &heads[1], &second, "user_exit"), 204);
    if (!wait_until(has_line, first.id, SCENE_WAIT_MS) || !wait_until(has_line, second.id, SCENE_WAIT_MS))
        fail_msg("no line of %s or %s", first.id, second.id);
    scene_stop();
    scene_start(parts_options());               /* what ended is looked for in the parts, and is not written again */
    scene_stop();
    assert_true(home_has(&scene.home, "data/sessions.jsonl.1"));
    assert_int_equal(lines_of(first.id), 1);
    assert_int_equal(lines_of(second.id), 1);
    assert_int_equal(lines_of("old-000000\""), 1);
}

static void test_disk__history_begins_a_new_part__no_line_lost_or_twice(void **state)
{
    (void)state;
    static const struct { const char *rules, *hit; bool killed; } rows[] = {
        { "", NULL, false },
        { "rename sessions.jsonl EIO\n", "rename sessions.jsonl EIO", false },
        { "rename sessions.jsonl EIO\n", "rename sessions.jsonl EIO", true },
        { "rename sessions.jsonl.1 hang\n", "rename sessions.jsonl.1 hang", true },
        { "open sessions.jsonl EMFILE\n", "open sessions.jsonl EMFILE", true },     /* moved, and no new one: then killed */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        visits_over(rows[i].rules, rows[i].hit, rows[i].killed);
        (void)scene_close(NULL);
        (void)scene_open(NULL);
    }
}

static void test_disk__start_on_a_failing_disk__is_not_ready(void **state)
{
    (void)state;
    fleet();
    scene_stop();
    fault_set(&scene.home, "fsync allocation.yaml EIO\n");
    assert_int_equal(daemon_refuses(&scene.home, &faulty, NULL), 1);
    fault_set(&scene.home, "");
    scene_start(&faulty);
    report_all();
    long status;
    (void)claim(0, "a-1", &status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCENE_TEST(test_disk__each_step_fails__refused_and_recovered),
        SCENE_TEST(test_disk__folder_sync_fails__nothing_leaves_until_it_is_proven),
        SCENE_TEST(test_disk__killed_between_rename_and_folder_sync__one_lease_at_most_per_slot),
        SCENE_TEST(test_disk__short_writes__are_no_fault),
        SCENE_TEST(test_disk__release_is_not_saved__the_lease_is_not_lost),
        SCENE_TEST(test_disk__registry_cannot_be_written__nobody_is_enrolled),
        SCENE_TEST(test_disk__history_cannot_be_written__written_after_all),
        SCENE_TEST(test_disk__history_begins_a_new_part__no_line_lost_or_twice),
        SCENE_TEST(test_disk__start_on_a_failing_disk__is_not_ready),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
