/* test_protocol2.c - a visit by protocol 2 from claim to history, and the queue with its promotion, over the real wire. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "crowd.h"
#include "scene.h"

static struct node body, heads[3];
static struct crowd crowd;

static int set_up(void **state)
{
    static const char *const names[] = { "h1", "h2", "h3" };
    (void)scene_open_started(state);
    crowd_open(&crowd, scene.daemon.url, NULL);
    body = fleet_body(&scene.daemon, "b1", "north");
    for (size_t i = 0; i < 3; i++)
        heads[i] = fleet_head(&scene.daemon, names[i], "north");
    struct call call = fleet_reports_modern(&scene.daemon, &body, "idle", NULL);
    call_free(&call);
    return 0;
}

static int tear_down(void **state)
{
    crowd_close(&crowd);
    return scene_close(state);
}

static void report(const char *state, const char *lease_id)
{
    struct call call = fleet_reports_modern(&scene.daemon, &body, state, lease_id);
    call_free(&call);
}

static struct held_lease claim(const struct node *head, const char *attempt, long status)
{
    struct held_lease lease = { .id = "" };
    struct call call = fleet_claims(&scene.daemon, head, attempt);
    if (call.status != status || !fleet_lease_of(&call, &lease))
        fail_msg("claim %s: %ld %s", attempt, call.status, call.text);
    call_free(&call);
    return lease;
}

static void expect_state(const char *state)
{
    struct call slots = fleet_slots(&scene.daemon);
    assert_string_equal(fleet_lease_state(&slots, body.id), state);
    call_free(&slots);
}

static struct call ask(const struct node *head, const char *method, const char *what)
{
    char path[FLEET_CLAIM_SIZE];
    (void)snprintf(path, sizeof path, "/api/v1/heads/%s/%s", head->id, what);
    return daemon_call(&scene.daemon, head->token, method, path, NULL);
}

static void test_visit__claim_stream_release__ends_in_the_history(void **state)
{
    (void)state;
    struct call call = fleet_claims(&scene.daemon, &heads[0], "a-1");
    struct held_lease lease;
    assert_int_equal(call.status, 201);
    assert_true(fleet_lease_of(&call, &lease));
    assert_string_equal(call_str(&call, "lease.state"), "granted");
    assert_int_equal(call_int(&call, "lease.ttl_seconds"), 90);
    assert_int_equal(call_int(&call, "lease.renew_after_seconds"), 20);
    assert_string_equal(call_str(&call, "body.id"), body.id);
    assert_false(call_bool(&call, "body.directive_applied"));
    call_free(&call);
    call = fleet_reports_modern(&scene.daemon, &body, "idle", NULL);        /* the body hears of it and confirms */
    assert_string_equal(call_str(&call, "desired.slots.0.action"), "serve");
    assert_string_equal(call_str(&call, "desired.slots.0.lease_id"), lease.id);
    assert_int_equal(body.applied_epoch, lease.epoch);
    call_free(&call);
    call = fleet_claims(&scene.daemon, &heads[0], "a-1");                   /* the same attempt: the same lease */
    assert_int_equal(call.status, 200);
    assert_string_equal(call_str(&call, "lease.id"), lease.id);
    assert_string_equal(call_str(&call, "lease.claim_token"), lease.claim_token);
    assert_true(call_bool(&call, "body.directive_applied"));
    call_free(&call);
    report("starting", lease.id);
    report("streaming", lease.id);
    expect_state("streaming");
    assert_int_equal(fleet_renews(&scene.daemon, &heads[0], &lease), 200);
    struct held_lease stranger = lease;
    (void)snprintf(stranger.claim_token, sizeof stranger.claim_token, "not-the-token");
    assert_int_equal(fleet_renews(&scene.daemon, &heads[0], &stranger), 403);
    assert_int_equal(fleet_releases(&scene.daemon, &heads[0], &lease, "user_exit"), 204);
    expect_state("draining");                                               /* its picture is still there */
    report("idle", NULL);
    expect_state("");
    assert_int_equal(fleet_releases(&scene.daemon, &heads[0], &lease, "user_exit"), 204);
    assert_int_equal(fleet_renews(&scene.daemon, &heads[0], &lease), 410);
    call = daemon_call(&scene.daemon, scene.home.admin_token, "GET", "/api/v1/sessions/history", NULL);
    assert_string_equal(call_str(&call, "0.lease_id"), lease.id);
    assert_string_equal(call_str(&call, "0.reason"), "user_exit");
    assert_int_equal(call_int(&call, "0.grant_epoch"), lease.epoch);
    call_free(&call);
}

static void test_visit__body_has_not_confirmed_the_end__slot_is_not_granted(void **state)
{
    (void)state;
    struct held_lease lease = claim(&heads[0], "a-1", 201);
    report("idle", NULL);
    assert_int_equal(fleet_releases(&scene.daemon, &heads[0], &lease, "user_exit"), 204);
    struct call call = daemon_call(&scene.daemon, scene.home.admin_token, "GET", "/api/v1/slots", NULL);
    assert_false(call_bool(&call, "0.grantable"));
    assert_string_equal(call_str(&call, "0.why_not.0"), "epoch_unconfirmed");
    call_free(&call);
    call = fleet_claims(&scene.daemon, &heads[1], "b-1");
    assert_int_equal(call.status, 202);
    call_free(&call);
    report("idle", NULL);                               /* confirms; the reconciler promotes the one who waits */
    call = fleet_claims(&scene.daemon, &heads[1], "b-1");
    assert_int_equal(call.status, 200);
    call_free(&call);
}

static bool poll_is_parked(void *ctx)
{
    (void)ctx;
    return scene_parked("news") == 1;
}

static void test_queue__promotion__long_poll_collects_it(void **state)
{
    (void)state;
    static struct crowd_call poll;
    static char path[FLEET_CLAIM_SIZE];
    struct held_lease first = claim(&heads[0], "a-1", 201), second;
    report("idle", NULL);
    for (size_t i = 1; i < 3; i++) {
        struct call call = fleet_claims(&scene.daemon, &heads[i], i == 1 ? "b-1" : "c-1");
        assert_int_equal(call.status, 202);
        assert_int_equal(call_int(&call, "ticket.position"), (int64_t)i);
        assert_string_equal(call_str(&call, "ticket.reason"), "no_slot");
        assert_string_equal(call_str(&call, "ticket.state"), "waiting");
        call_free(&call);
    }
    (void)snprintf(path, sizeof path, "/api/v1/heads/%s/admission?attempt_id=b-1&wait=20", heads[1].id);
    poll = (struct crowd_call){ .token = heads[1].token, .method = "GET", .path = path };
    crowd_start(&crowd, 1, &poll);
    crowd_until(&crowd, poll_is_parked, NULL, SCENE_WAIT_MS);
    assert_int_equal(fleet_releases(&scene.daemon, &heads[0], &first, "user_exit"), 204);
    report("idle", NULL);
    assert_true(crowd_done(&crowd, SCENE_WAIT_MS));
    assert_int_equal(poll.call.status, 200);
    assert_true(poll.took_ms < SCENE_WAIT_MS);
    assert_true(fleet_lease_of(&poll.call, &second));
    assert_true(second.epoch > first.epoch);
    call_free(&poll.call);
    report("idle", NULL);
    assert_int_equal(fleet_renews(&scene.daemon, &heads[1], &second), 200);
    struct call call = ask(&heads[2], "GET", "admission");
    assert_int_equal(call_int(&call, "ticket.position"), 1);        /* everybody moves up */
    call_free(&call);
}

static void test_queue__over_a_kill__the_order_is_kept(void **state)
{
    (void)state;
    struct held_lease first = claim(&heads[0], "a-1", 201);
    report("idle", NULL);
    for (size_t i = 2; i > 0; i--) {                    /* h3 comes before h2 */
        struct call call = fleet_claims(&scene.daemon, &heads[i], "q-1");
        assert_int_equal(call.status, 202);
        call_free(&call);
    }
    scene_restart_killed(NULL);
    report("idle", NULL);
    struct call queue = daemon_call(&scene.daemon, scene.home.admin_token, "GET", "/api/v1/queue", NULL);
    assert_int_equal(json_array_size(queue.json), 2);
    assert_string_equal(call_str(&queue, "0.head_id"), heads[2].id);
    assert_string_equal(call_str(&queue, "1.head_id"), heads[1].id);
    call_free(&queue);
    assert_int_equal(fleet_releases(&scene.daemon, &heads[0], &first, "user_exit"), 204);
    report("idle", NULL);
    (void)claim(&heads[2], "q-1", 200);
}

static void test_claim__dry_run__changes_nothing(void **state)
{
    (void)state;
    char path[2 * FLEET_CLAIM_SIZE], base[FLEET_CLAIM_SIZE], text[FLEET_CLAIM_SIZE];
    struct call before = fleet_slots(&scene.daemon);
    fleet_claim_path(&heads[0], base);
    fleet_claim_body("a-1", text);
    (void)snprintf(path, sizeof path, "%s?dry_run=1", base);
    struct call call = daemon_call(&scene.daemon, heads[0].token, "POST", path, text);
    assert_int_equal(call.status, 200);
    assert_string_equal(call_str(&call, "would.body_id"), body.id);
    assert_null(strstr(call.text, "claim_token"));
    call_free(&call);
    struct call after = fleet_slots(&scene.daemon);
    assert_string_equal(fleet_lease_id(&after, body.id), "");
    assert_int_equal(json_integer_value(json_object_get(fleet_row(&before, body.id), "epoch")),
                     json_integer_value(json_object_get(fleet_row(&after, body.id), "epoch")));
    call_free(&before);
    call_free(&after);
    (void)claim(&heads[0], "a-1", 201);
}

static void test_claim__second_attempt_and_reused_attempt__refused(void **state)
{
    (void)state;
    char path[FLEET_CLAIM_SIZE];
    struct held_lease lease = claim(&heads[0], "a-1", 201);
    struct call call = fleet_claims(&scene.daemon, &heads[0], "a-2");
    assert_string_equal(call_str(&call, "lease.id"), lease.id);
    scene_expect(call, 409, "head_busy");
    fleet_claim_path(&heads[0], path);
    call = daemon_call(&scene.daemon, heads[0].token, "POST", path,
                       "{\"attempt_id\":\"a-1\",\"experience\":\"other\",\"device_uid\":\"0123456789abcdef\",\"protocol_version\":2}");
    scene_expect(call, 409, "attempt_reused");
}

static void test_operator__revoke__the_head_is_told_and_the_slot_is_fenced(void **state)
{
    (void)state;
    char path[FLEET_CLAIM_SIZE];
    struct held_lease lease = claim(&heads[0], "a-1", 201);
    report("streaming", lease.id);
    (void)snprintf(path, sizeof path, "/api/v1/leases/%s/revoke", lease.id);
    assert_true(scene_admin("POST", path, "{\"reason\":\"test\"}") / 100 == 2);
    assert_int_equal(fleet_renews(&scene.daemon, &heads[0], &lease), 410);
    struct call call = fleet_reports_modern(&scene.daemon, &body, "streaming", lease.id);
    assert_string_equal(call_str(&call, "desired.slots.0.action"), "terminate");
    assert_true(call_int(&call, "desired.slots.0.epoch") > lease.epoch);
    call_free(&call);
}

static void test_stream__as_the_unit__seeks_and_is_listed(void **state)
{
    (void)state;
    char path[FLEET_CLAIM_SIZE], text[FLEET_CLAIM_SIZE];
    (void)claim(&heads[0], "a-1", 201);
    (void)snprintf(path, sizeof path, "/api/v1/heads/%s/streams", heads[1].id);
    fleet_claim_body("b-1", text);
    struct call call = daemon_call(&scene.daemon, heads[1].token, "POST", path, text);
    assert_int_equal(call.status, 201);                 /* no slot is no error for a stream */
    assert_string_equal(call_str(&call, "stream.state"), "seeking_body");
    call_free(&call);
    call = daemon_call(&scene.daemon, scene.home.admin_token, "GET", "/api/v1/streams", NULL);
    assert_int_equal(json_array_size(call.json), 2);
    call_free(&call);
}

static void test_events__followed__come_in_order_and_resume_by_id(void **state)
{
    (void)state;
    struct held_lease lease = claim(&heads[0], "a-1", 201);
    struct call all = daemon_call(&scene.daemon, scene.home.admin_token, "GET", "/api/v1/events", NULL);
    size_t count = json_array_size(all.json);
    assert_true(count > 3);
    char path[FLEET_CLAIM_SIZE], index[32];
    (void)snprintf(index, sizeof index, "%zu.id", count - 1);       /* the oldest: the list is newest first */
    (void)snprintf(path, sizeof path, "/api/v1/events?since=%s", call_str(&all, index));
    struct call since = daemon_call(&scene.daemon, scene.home.admin_token, "GET", path, NULL);
    assert_int_equal(json_array_size(since.json), count - 1);
    for (size_t i = 0; i + 1 < count; i++)              /* and oldest first when something is named */
        assert_true(json_equal(json_array_get(since.json, i), json_array_get(all.json, count - 2 - i)));
    call_free(&since);
    call_free(&all);
    assert_int_equal(fleet_releases(&scene.daemon, &heads[0], &lease, "user_exit"), 204);
    assert_true(fleet_events(&scene.daemon, "lease_granted") == 1);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_visit__claim_stream_release__ends_in_the_history),
        TEST(test_visit__body_has_not_confirmed_the_end__slot_is_not_granted),
        TEST(test_queue__promotion__long_poll_collects_it),
        TEST(test_queue__over_a_kill__the_order_is_kept),
        TEST(test_claim__dry_run__changes_nothing),
        TEST(test_claim__second_attempt_and_reused_attempt__refused),
        TEST(test_operator__revoke__the_head_is_told_and_the_slot_is_fenced),
        TEST(test_stream__as_the_unit__seeks_and_is_listed),
        TEST(test_events__followed__come_in_order_and_resume_by_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
