/* test_stop.c - SIGTERM under load: answers in flight are finished or refused, never half-told; parked polls are answered; what was
 * acknowledged is there after the restart (wire §8). */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "hydra/os/clock.h"
#include "crowd.h"
#include "raw.h"
#include "scene.h"

#define CLAIMS   48
#define POLLS    8
#define BODIES   12
#define EARLY    6                      /* claims that are answered before the signal */
#define STOP_MS  5000                   /* wire §8 */
#define SLACK_MS 2000

static struct node bodies[BODIES], heads[CLAIMS];
static struct crowd crowd;

static int set_up(void **state)
{
    static const struct daemon_options options = { .faults = true };
    (void)scene_open(state);
    fault_set(&scene.home, "");
    scene_start(&options);
    crowd_open(&crowd, scene.daemon.url, NULL);
    return 0;
}

static int tear_down(void **state)
{
    crowd_close(&crowd);
    return scene_close(state);
}

static void fleet(void)
{
    char name[32];
    for (size_t i = 0; i < BODIES; i++) {
        (void)snprintf(name, sizeof name, "b%zu", i);
        bodies[i] = fleet_body(&scene.daemon, name, "north");
        struct call call = fleet_reports_modern(&scene.daemon, &bodies[i], "idle", NULL);
        call_free(&call);
    }
    for (size_t i = 0; i < CLAIMS; i++) {
        (void)snprintf(name, sizeof name, "h%zu", i);
        heads[i] = fleet_head(&scene.daemon, name, "north");
    }
}

static void expect_whole(const struct crowd_call *call)
{
    if (call->call.err != HC_OK)
        return;                         /* refused: the connection was closed */
    long status = call->call.status;
    if (status != 201 && status != 202 && status != 200 && status != 503)
        fail_msg("%s %s: %ld %s", call->method, call->path, status, call->call.text);
    if (call->call.json == NULL)
        fail_msg("%s %s is half told: %ld %s", call->method, call->path, status, call->call.text);
}

static void stop_within_bound(void)
{
    int64_t begin = os_monotonic_ms();
    daemon_signal(&scene.daemon, SIGTERM);
    assert_true(crowd_done(&crowd, STOP_MS + SLACK_MS));
    assert_int_equal(daemon_wait(&scene.daemon, STOP_MS + SLACK_MS), 0);
    int64_t took = os_monotonic_ms() - begin;
    print_message("stopped within %lld ms\n", (long long)took);
    assert_true(took < STOP_MS + SLACK_MS);
}

static bool disk_is_asked(void *ctx)
{
    (void)ctx;
    return fault_hits(&scene.home, "fsync allocation.yaml delay=300") > 0;
}

static void test_stop__under_claims__finished_or_refused_and_the_acknowledged_are_there(void **state)
{
    (void)state;
    static struct crowd_call calls[CLAIMS];
    static char paths[CLAIMS][FLEET_CLAIM_SIZE], texts[CLAIMS][FLEET_CLAIM_SIZE];
    static struct held_lease leases[CLAIMS];
    fleet();
    for (size_t i = 0; i < CLAIMS; i++) {
        char attempt[32];
        (void)snprintf(attempt, sizeof attempt, "a-%zu", i);
        fleet_claim_path(&heads[i], paths[i]);
        fleet_claim_body(attempt, texts[i]);
        calls[i] = (struct crowd_call){ .token = heads[i].token, .method = "POST", .path = paths[i], .body = texts[i] };
        crowd_start(&crowd, i + 1, &calls[i]);
        if (i + 1 == EARLY) {
            assert_true(crowd_done(&crowd, SCENE_WAIT_MS));
            fault_set(&scene.home, "fsync allocation.yaml delay=300\n");
        }
    }
    crowd_until(&crowd, disk_is_asked, NULL, SCENE_WAIT_MS);        /* the first of them wait for it */
    stop_within_bound();
    fault_set(&scene.home, "");
    size_t acknowledged = 0;
    for (size_t i = 0; i < CLAIMS; i++) {
        expect_whole(&calls[i]);
        leases[i].id[0] = '\0';
        acknowledged += calls[i].call.err == HC_OK && calls[i].call.status == 201 && fleet_lease_of(&calls[i].call, &leases[i]);
    }
    print_message("%zu of %d claims were granted before the end\n", acknowledged, CLAIMS);
    assert_true(acknowledged >= EARLY);
    scene_start(NULL);
    struct call slots = fleet_slots(&scene.daemon);
    for (size_t i = 0; i < CLAIMS; i++)
        if (leases[i].id[0] != '\0')
            assert_string_equal(fleet_lease_id(&slots, leases[i].body_id), leases[i].id);
    call_free(&slots);
    crowd_free(calls, CLAIMS);
}

static bool all_parked(void *ctx)
{
    (void)ctx;
    return scene_parked("news") == POLLS;
}

static void test_stop__parked_polls__answered_not_cut(void **state)
{
    (void)state;
    static struct crowd_call polls[POLLS];
    static char paths[POLLS][256];
    fleet();
    for (size_t i = 0; i < POLLS; i++) {
        if (i % 2 == 0) {
            struct call call = fleet_reports_modern(&scene.daemon, &bodies[i], "idle", NULL);
            (void)snprintf(paths[i], sizeof paths[i], "/api/v1/bodies/%.64s/desired?since=%.64s&wait=25", bodies[i].id,
                           call_str(&call, "desired.digest"));
            call_free(&call);
        } else {
            (void)snprintf(paths[i], sizeof paths[i], "/api/v1/heads/%.64s/admission?wait=25", heads[i].id);
        }
        polls[i] = (struct crowd_call){ .token = i % 2 == 0 ? bodies[i].token : heads[i].token, .method = "GET", .path = paths[i] };
        crowd_start(&crowd, i + 1, &polls[i]);
    }
    crowd_until(&crowd, all_parked, NULL, SCENE_WAIT_MS);
    assert_int_equal(crowd.under_way, POLLS);
    stop_within_bound();
    for (size_t i = 0; i < POLLS; i++) {
        if (polls[i].call.err != HC_OK)
            fail_msg("%s was cut", polls[i].path);
        expect_whole(&polls[i]);
        call_free(&polls[i].call);
    }
}

static void test_stop__follower_of_events__does_not_hold_it_up(void **state)
{
    (void)state;
    char request[512], text[RAW_TEXT_SIZE];
    (void)fleet_body(&scene.daemon, "b0", "north");
    (void)snprintf(request, sizeof request, "GET /api/v1/events?follow=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n",
                   scene.home.admin_token);
    int fd = raw_connect(scene.daemon.url);
    raw_send(fd, request);
    assert_true(raw_read(fd, "text/event-stream", text, SCENE_WAIT_MS));
    stop_within_bound();
    assert_true(raw_closed(fd, SCENE_WAIT_MS));
    raw_close(&fd);
}

/* Every answer says how long it is or ends with its last chunk: a list that is cut would show. */
static void test_stop__while_lists_are_read__every_answer_is_whole(void **state)
{
    (void)state;
    static struct crowd_call calls[CLAIMS];
    fleet();
    for (size_t i = 0; i < CLAIMS; i++) {
        calls[i] = (struct crowd_call){ .token = scene.home.admin_token, .method = "GET", .path = "/api/v1/slots" };
        crowd_start(&crowd, i + 1, &calls[i]);
    }
    crowd_turn(&crowd, 1);
    stop_within_bound();
    for (size_t i = 0; i < CLAIMS; i++)
        expect_whole(&calls[i]);
    crowd_free(calls, CLAIMS);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_stop__under_claims__finished_or_refused_and_the_acknowledged_are_there),
        TEST(test_stop__parked_polls__answered_not_cut),
        TEST(test_stop__follower_of_events__does_not_hold_it_up),
        TEST(test_stop__while_lists_are_read__every_answer_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
