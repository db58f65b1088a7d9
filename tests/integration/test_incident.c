/* test_incident.c - 2026-09-04, replayed: three legacy heads at the same instant, two bodies of another venue with the same owner. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "crowd.h"
#include "scene.h"

#define HEADS 3
#define ASK_MS 15000                    /* heads give up then */

static struct node bodies[2], heads[HEADS];
static struct crowd crowd;

static int set_up(void **state)
{
    static const char *const names[] = { "iPad 1", "iPad 2", "iPad 3" };
    (void)scene_open_started(state);
    crowd_open(&crowd, scene.daemon.url, NULL);
    fleet_venue(&scene.daemon, "harbour", "museum");
    fleet_venue(&scene.daemon, "north", "museum");
    bodies[0] = fleet_body(&scene.daemon, "b1", "north");
    bodies[1] = fleet_body(&scene.daemon, "b2", "north");
    for (size_t i = 0; i < HEADS; i++)
        heads[i] = fleet_head(&scene.daemon, names[i], "harbour");
    fleet_reports(&scene.daemon, &bodies[0], "idle");
    fleet_reports(&scene.daemon, &bodies[1], "idle");
    return 0;
}

static int tear_down(void **state)
{
    crowd_close(&crowd);
    return scene_close(state);
}

/* All three ask at once. body_of[i]: what head i got, "" for the one that is refused; its index is returned. */
static size_t ask_at_once(char body_of[HEADS][HC_ID_SIZE])
{
    static struct crowd_call calls[HEADS];
    static char paths[HEADS][FLEET_CLAIM_SIZE];
    size_t refused = HEADS;
    for (size_t i = 0; i < HEADS; i++) {
        fleet_read_path(&heads[i], paths[i]);
        calls[i] = (struct crowd_call){ .token = heads[i].token, .method = "GET", .path = paths[i] };
    }
    crowd_run(&crowd, calls, HEADS, ASK_MS);
    assert_int_equal(crowd_count(calls, HEADS, 200), 2);
    assert_int_equal(crowd_count(calls, HEADS, 409), 1);
    for (size_t i = 0; i < HEADS; i++) {
        struct call *call = &calls[i].call;
        body_of[i][0] = '\0';
        if (call->status == 409) {
            refused = i;
            assert_string_equal(call_str(call, "error"), "no_slot_available");
            assert_string_equal(call_str(call, "reason"), "no_slot");
            assert_true(call_int(call, "retry_after_seconds") > 0);
            continue;
        }
        assert_int_equal(json_array_size(call->json), 1);           /* exactly one: the one that is held */
        assert_int_equal(call_int(call, "0.stream_count"), 0);      /* the reader's own hold does not count */
        (void)snprintf(body_of[i], HC_ID_SIZE, "%s", call_str(call, "0.id"));
    }
    crowd_free(calls, HEADS);
    return refused;
}

static void test_incident__three_heads_two_bodies__two_pictures_and_one_place_in_the_queue(void **state)
{
    (void)state;
    char body_of[HEADS][HC_ID_SIZE];
    size_t waits = ask_at_once(body_of), first = (waits + 1) % HEADS, second = (waits + 2) % HEADS;
    assert_string_not_equal(body_of[first], body_of[second]);
    struct call queue = daemon_call(&scene.daemon, scene.home.admin_token, "GET", "/api/v1/queue", NULL);
    assert_int_equal(json_array_size(queue.json), 1);
    assert_string_equal(call_str(&queue, "0.head_id"), heads[waits].id);
    assert_int_equal(call_int(&queue, "0.position"), 1);
    call_free(&queue);
    scene_expect(fleet_reads(&scene.daemon, &heads[waits]), 409, "no_slot_available");
    fleet_beats(&scene.daemon, &heads[first], "error", NULL);       /* its launch failed */
    struct call call = fleet_reads(&scene.daemon, &heads[waits]);
    assert_int_equal(call.status, 200);
    assert_string_equal(call_str(&call, "0.id"), body_of[first]);
    call_free(&call);
    struct call slots = fleet_slots(&scene.daemon);
    assert_int_equal(json_array_size(slots.json), 2);
    assert_string_equal(fleet_holder(&slots, body_of[first]), heads[waits].id);
    assert_string_equal(fleet_holder(&slots, body_of[second]), heads[second].id);
    call_free(&slots);
}

static void test_incident__repeated_read_of_a_holder__the_same_body_and_nothing_new(void **state)
{
    (void)state;
    char body_of[HEADS][HC_ID_SIZE];
    size_t waits = ask_at_once(body_of), first = (waits + 1) % HEADS;
    struct call before = fleet_slots(&scene.daemon), again = fleet_reads(&scene.daemon, &heads[first]);
    assert_int_equal(again.status, 200);
    assert_string_equal(call_str(&again, "0.id"), body_of[first]);
    struct call after = fleet_slots(&scene.daemon);
    assert_string_equal(fleet_lease_id(&before, body_of[first]), fleet_lease_id(&after, body_of[first]));
    call_free(&before);
    call_free(&again);
    call_free(&after);
}

/* What nobody could see that night: it is in one call now. */
static void test_incident__third_head_streams_anyway__the_slot_shows_the_conflict(void **state)
{
    (void)state;
    char body_of[HEADS][HC_ID_SIZE];
    size_t waits = ask_at_once(body_of), first = (waits + 1) % HEADS;
    fleet_beats(&scene.daemon, &heads[first], "streaming", body_of[first]);
    for (size_t i = 0; i < 2; i++)
        fleet_reports(&scene.daemon, &bodies[i], strcmp(bodies[i].id, body_of[first]) == 0 ? "streaming" : "idle");
    fleet_beats(&scene.daemon, &heads[waits], "streaming", body_of[first]);
    struct call call = daemon_call(&scene.daemon, scene.home.admin_token, "GET", "/api/v1/slots?divergent=1", NULL);
    assert_int_equal(call.status, 200);
    assert_non_null(strstr(call.text, "unauthorized_stream"));
    assert_non_null(strstr(call.text, heads[waits].id));
    call_free(&call);
    call = daemon_call(&scene.daemon, scene.home.admin_token, "GET", "/api/v1/conflicts", NULL);
    assert_int_equal(json_array_size(call.json), 1);
    assert_string_equal(call_str(&call, "0.kind"), "unauthorized_stream");
    assert_string_equal(call_str(&call, "0.holder_head_id"), heads[first].id);
    assert_string_equal(call_str(&call, "0.observed_head_id"), heads[waits].id);
    assert_true(call_bool(&call, "0.expected_legacy"));
    call_free(&call);
    assert_true(fleet_events(&scene.daemon, "slot_conflict") > 0);
}

static void test_incident__whole_visit_over_a_kill__ends_in_the_history(void **state)
{
    (void)state;
    char body_of[HEADS][HC_ID_SIZE], path[FLEET_CLAIM_SIZE];
    size_t waits = ask_at_once(body_of), first = (waits + 1) % HEADS;
    struct node *body = strcmp(bodies[0].id, body_of[first]) == 0 ? &bodies[0] : &bodies[1];
    fleet_beats(&scene.daemon, &heads[first], "starting", NULL);
    fleet_reports(&scene.daemon, body, "streaming");
    fleet_beats(&scene.daemon, &heads[first], "streaming", body->id);
    scene_restart_killed(NULL);
    fleet_reports(&scene.daemon, body, "streaming");
    struct call slots = fleet_slots(&scene.daemon);
    assert_string_equal(fleet_lease_state(&slots, body->id), "streaming");
    assert_string_equal(fleet_holder(&slots, body->id), heads[first].id);
    call_free(&slots);
    (void)snprintf(path, sizeof path, "/api/v1/heads/%s/stream", heads[first].id);
    struct call call = daemon_callf(&scene.daemon, heads[first].token, "DELETE", path, "{\"body_id\":\"%s\"}", body->id);
    assert_int_equal(call.status, 204);
    call_free(&call);
    fleet_reports(&scene.daemon, body, "idle");
    slots = fleet_slots(&scene.daemon);
    assert_string_equal(fleet_lease_id(&slots, body->id), "");
    call_free(&slots);
    call = daemon_call(&scene.daemon, scene.home.admin_token, "GET", "/api/v1/sessions/history", NULL);
    assert_string_equal(call_str(&call, "0.head_id"), heads[first].id);
    assert_string_equal(call_str(&call, "0.state"), "ended");
    call_free(&call);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_incident__three_heads_two_bodies__two_pictures_and_one_place_in_the_queue),
        TEST(test_incident__repeated_read_of_a_holder__the_same_body_and_nothing_new),
        TEST(test_incident__third_head_streams_anyway__the_slot_shows_the_conflict),
        TEST(test_incident__whole_visit_over_a_kill__ends_in_the_history),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
