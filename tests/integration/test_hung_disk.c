/* test_hung_disk.c - a disk that hangs or is slow: health, metrics and body reports go on, claims wait or are told 503, and a slow disk
 * costs one save for many (architecture §6.7, rules §3.4). */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "hydra/os/clock.h"
#include "crowd.h"
#include "scene.h"

#define HEALTH_CALLS   200
#define HEALTH_P99_MS  10               /* architecture §6.7 */
#define REPORT_MS      1100             /* the same */
#define BUSY_FACTOR    8                /* this machine is shared, and sanitizers slow the daemon down */
#define SLOW_SAVE_MS   200
#define CROWD          24

static const char hang[] = "fsync allocation.yaml hang\n", hang_hit[] = "fsync allocation.yaml hang";
static struct node body, heads[CROWD];
static struct crowd crowd;

static int tear_down(void **state)
{
    crowd_close(&crowd);
    return scene_close(state);
}

static void fleet(const struct daemon_options *options, size_t head_count)
{
    fault_set(&scene.home, "");
    scene_start(options);
    crowd_open(&crowd, scene.daemon.url, NULL);
    body = fleet_body(&scene.daemon, "b1", "north");
    for (size_t i = 0; i < head_count; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "h%zu", i);
        heads[i] = fleet_head(&scene.daemon, name, "north");
    }
    struct call call = fleet_reports_modern(&scene.daemon, &body, "idle", NULL);
    call_free(&call);
}

static bool disk_is_asked(void *hit)
{
    return fault_hits(&scene.home, hit) > 0;
}

/* The call that was started is on its way to the disk, and waits for it. */
static void until_disk_is_asked(const char *hit)
{
    crowd_until(&crowd, disk_is_asked, (void *)(uintptr_t)hit, SCENE_WAIT_MS);
    assert_int_equal(crowd.under_way, 1);
}

struct claim { char path[FLEET_CLAIM_SIZE], body[FLEET_CLAIM_SIZE]; struct crowd_call call; };

static void prepare(struct claim *claim, const struct node *head, const char *attempt)
{
    fleet_claim_path(head, claim->path);
    fleet_claim_body(attempt, claim->body);
    claim->call = (struct crowd_call){ .token = head->token, .method = "POST", .path = claim->path, .body = claim->body };
}

static int compare(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* p99 of calls made one after another. */
static int64_t p99_us(const char *path)
{
    static int64_t took[HEALTH_CALLS];
    for (size_t i = 0; i < HEALTH_CALLS; i++) {
        int64_t begin = os_monotonic_us();
        struct call call = daemon_call(&scene.daemon, NULL, "GET", path, NULL);
        took[i] = os_monotonic_us() - begin;
        assert_int_equal(call.status, 200);
        call_free(&call);
    }
    qsort(took, HEALTH_CALLS, sizeof took[0], compare);
    return took[HEALTH_CALLS * 99 / 100];
}

static void test_hung_disk__health_metrics_and_reports__go_on(void **state)
{
    (void)state;
    static const struct daemon_options options = { .faults = true };
    static const char *const paths[] = { "/health", "/livez", "/metrics" };
    static struct claim claim;                          /* outlives a failure: it is answered when the crowd is closed */
    fleet(&options, 1);
    fault_set(&scene.home, hang);
    prepare(&claim, &heads[0], "a-1");
    crowd_start(&crowd, 1, &claim.call);
    until_disk_is_asked(hang_hit);
    for (size_t i = 0; i < 3; i++) {
        int64_t us = p99_us(paths[i]);
        print_message("%s while a save hangs: p99 %.2f ms\n", paths[i], (double)us / 1000);
        assert_true(us < HEALTH_P99_MS * BUSY_FACTOR * 1000);
    }
    for (unsigned i = 0; i < 2; i++) {
        char report[1024];
        int64_t begin = os_monotonic_ms();
        fleet_modern_report(&body, "idle", NULL, report, sizeof report);
        struct call call = daemon_call(&scene.daemon, body.token, "POST", "/api/v1/body/status", report);
        int64_t took = os_monotonic_ms() - begin;
        assert_int_equal(call.status, 200);
        /* the committed directive: the grant that waits is not told */
        assert_string_equal(call_str(&call, "desired.slots.0.action"), "free");
        call_free(&call);
        if (took > REPORT_MS * 2)
            fail_msg("a report took %lld ms", (long long)took);
    }
    assert_false(claim.call.done);
    fault_set(&scene.home, "");
    assert_true(crowd_done(&crowd, SCENE_WAIT_MS));
    assert_int_equal(claim.call.call.status, 201);
    call_free(&claim.call.call);
}

static void test_hung_disk__longer_than_a_commit_may_take__503_and_the_outcome_is_kept(void **state)
{
    (void)state;
    static const struct daemon_options options = { .faults = true, .timers = "commitWait: 500ms\nreportCommitWait: 100ms\n" };
    struct held_lease lease;
    fleet(&options, 2);
    fault_set(&scene.home, hang);
    scene_expect(fleet_claims(&scene.daemon, &heads[0], "a-1"), 503, "store_unavailable");
    scene_expect(fleet_reads(&scene.daemon, &heads[1]), 503, "store_unavailable");
    fault_set(&scene.home, "");
    assert_true(fleet_waits_ready(&scene.daemon, true, SCENE_WAIT_MS));
    struct call call = fleet_claims(&scene.daemon, &heads[0], "a-1");       /* outcome unknown: the same attempt again */
    assert_true(call.status == 200 || call.status == 201);
    assert_true(fleet_lease_of(&call, &lease));
    call_free(&call);
    struct call slots = fleet_slots(&scene.daemon);
    assert_int_equal(json_array_size(slots.json), 1);
    assert_string_equal(fleet_lease_id(&slots, body.id), lease.id);
    call_free(&slots);
    scene_expect(fleet_reads(&scene.daemon, &heads[1]), 409, "no_slot_available");
}

static void test_slow_disk__many_claims_at_once__share_a_save(void **state)
{
    (void)state;
    static const struct daemon_options options = { .faults = true };
    static struct claim claims[CROWD];
    char rule[64];
    fleet(&options, CROWD);
    (void)snprintf(rule, sizeof rule, "fsync allocation.yaml delay=%d\n", SLOW_SAVE_MS);
    fault_set(&scene.home, rule);
    int64_t begin = os_monotonic_ms();
    for (size_t i = 0; i < CROWD; i++) {
        char attempt[32];
        (void)snprintf(attempt, sizeof attempt, "a-%zu", i);
        prepare(&claims[i], &heads[i], attempt);
        crowd_start(&crowd, i + 1, &claims[i].call);
    }
    assert_true(crowd_done(&crowd, SCENE_WAIT_MS));
    int64_t took = os_monotonic_ms() - begin;
    size_t granted = 0, waiting = 0;
    for (size_t i = 0; i < CROWD; i++) {
        granted += claims[i].call.call.status == 201;
        waiting += claims[i].call.call.status == 202;
        call_free(&claims[i].call.call);
    }
    assert_int_equal(granted, 1);
    assert_int_equal(waiting, CROWD - 1);
    print_message("%d claims at once on a disk of %d ms: %lld ms\n", CROWD, SLOW_SAVE_MS, (long long)took);
    assert_true(took >= SLOW_SAVE_MS);                  /* none was answered before its save */
    assert_true(took < SLOW_SAVE_MS * CROWD / 2);       /* one save each would take CROWD times as long */
    fault_set(&scene.home, "");
}

static void test_hung_disk__asked_to_stop__ends_all_the_same(void **state)
{
    (void)state;
    static const struct daemon_options options = { .faults = true };
    static struct claim claim;                          /* outlives a failure: it is answered when the crowd is closed */
    fleet(&options, 1);
    fault_set(&scene.home, "fsync allocation.yaml delay=2000\n");
    prepare(&claim, &heads[0], "a-1");
    crowd_start(&crowd, 1, &claim.call);
    until_disk_is_asked("fsync allocation.yaml delay=2000");
    daemon_signal(&scene.daemon, SIGTERM);
    assert_true(crowd_done(&crowd, SCENE_WAIT_MS));
    /* Finished or refused, and what was said is true after the restart. */
    bool granted = claim.call.call.err == HC_OK && claim.call.call.status == 201;
    assert_true(granted || claim.call.call.err != HC_OK || claim.call.call.status == 503);
    assert_int_equal(daemon_wait(&scene.daemon, DAEMON_STOP_MS), 0);
    fault_set(&scene.home, "");
    scene_start(&options);
    struct call slots = fleet_slots(&scene.daemon);
    bool there = fleet_lease_id(&slots, body.id)[0] != '\0';
    assert_true(there || !granted);
    call_free(&slots);
    call_free(&claim.call.call);
}

#define STOP_MS  5000                   /* wire §8: for open requests */
#define SAVE_MS  10000                  /* serve.c: for what is on its way to the disk */
#define SLACK_MS 10000                  /* this machine is shared */

static void test_hung_disk__for_good_when_asked_to_stop__exits_1_in_bounds_and_says_what_is_lost(void **state)
{
    (void)state;
    static const struct daemon_options options = { .faults = true };
    static struct claim claims[2];
    fleet(&options, 2);
    struct call call = fleet_claims(&scene.daemon, &heads[0], "a-0");
    struct held_lease lease;
    assert_true(fleet_lease_of(&call, &lease));
    call_free(&call);
    fault_set(&scene.home, "fsync allocation.yaml hang\nwrite events.jsonl hang\n");
    prepare(&claims[1], &heads[1], "a-1");
    crowd_start(&crowd, 1, &claims[1].call);
    until_disk_is_asked(hang_hit);
    int64_t begin = os_monotonic_ms();
    daemon_signal(&scene.daemon, SIGTERM);
    assert_true(crowd_done(&crowd, SCENE_WAIT_MS));
    assert_true(claims[1].call.call.err != HC_OK || claims[1].call.call.status == 503);
    assert_int_equal(daemon_wait(&scene.daemon, STOP_MS + SAVE_MS + SLACK_MS), 1);
    int64_t took = os_monotonic_ms() - begin;
    print_message("stopped within %lld ms\n", (long long)took);
    assert_true(took >= SAVE_MS);                       /* it was given its time */
    assert_true(scene_log_has("stop_without_save"));
    assert_true(scene_log_has("has not come back"));
    fault_set(&scene.home, "");
    scene_start(&options);
    struct call slots = fleet_slots(&scene.daemon);
    assert_string_equal(fleet_lease_id(&slots, lease.body_id), lease.id);       /* what was acknowledged is there */
    call_free(&slots);
    call_free(&claims[1].call.call);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, scene_open, tear_down)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_hung_disk__health_metrics_and_reports__go_on),
        TEST(test_hung_disk__longer_than_a_commit_may_take__503_and_the_outcome_is_kept),
        TEST(test_slow_disk__many_claims_at_once__share_a_save),
        TEST(test_hung_disk__asked_to_stop__ends_all_the_same),
        TEST(test_hung_disk__for_good_when_asked_to_stop__exits_1_in_bounds_and_says_what_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
