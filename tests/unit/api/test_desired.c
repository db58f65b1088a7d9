/* GET /bodies/{id}/desired: a long poll for the directive. */
#include "fixture.h"

#include <stdio.h>

struct body { char id[HC_ID_SIZE], token[RIG_TOKEN_SIZE], digest[HC_ID_SIZE]; };

static void desired_path(const struct body *b, const char *since, int wait, char out[256])
{
    (void)snprintf(out, 256, "/api/v1/bodies/%s/desired?since=%s&wait=%d", b->id, since, wait);
}

static void poll_now(struct rig *r, struct body *b)
{
    char path[256];
    struct reply reply;
    desired_path(b, "", 0, path);
    rig_ask(r, "GET", path, b->token, NULL, &reply);
    if (reply.status != 200)
        fail_msg("%d %s", reply.status, reply.body);
    HC_SET(b->digest, reply_text(&reply, "desired.digest"));
    reply_free(&reply);
}

static void test_desired__digest_differs__answers_at_once(void **state)
{
    struct rig *r = *state;
    struct body b;
    struct reply reply;
    char path[256];
    rig_body(r, "b1", "north", b.id, b.token);
    rig_report(r, b.id);
    desired_path(&b, "0123456789abcdef", 25, path);
    int64_t start_ms = r->config.monotonic_ms();
    rig_ask(r, "GET", path, b.token, NULL, &reply);
    assert_int_equal(reply.status, 200);
    assert_true(r->config.monotonic_ms() - start_ms < 5000);
    assert_string_equal(reply_text(&reply, "desired.slots[0].action"), "free");
    assert_int_equal(reply_int(&reply, "trust.max_clients"), 150);
    assert_null(json_object_get(reply.json, "next_report_seconds"));
    reply_free(&reply);
}

static void test_desired__same_digest__answers_at_the_end_of_the_wait(void **state)
{
    struct rig *r = *state;
    struct body b;
    struct reply reply;
    char path[256];
    rig_body(r, "b1", "north", b.id, b.token);
    rig_report(r, b.id);
    poll_now(r, &b);
    desired_path(&b, b.digest, 1, path);
    int64_t start_ms = r->config.monotonic_ms();
    rig_ask(r, "GET", path, b.token, NULL, &reply);
    int64_t took_ms = r->config.monotonic_ms() - start_ms;
    assert_int_equal(reply.status, 200);
    assert_true(took_ms >= 900 && took_ms < 5000);
    assert_string_equal(reply_text(&reply, "desired.digest"), b.digest);
    reply_free(&reply);
}

static void test_desired__a_lease_is_granted_while_it_waits__is_told_at_once(void **state)
{
    struct rig *r = *state;
    struct body b;
    struct reply reply;
    char path[256], head[HC_ID_SIZE], token[RIG_TOKEN_SIZE];
    rig_body(r, "b1", "north", b.id, b.token);
    rig_head(r, "h1", "north", head, token);
    rig_report(r, b.id);
    poll_now(r, &b);
    desired_path(&b, b.digest, 25, path);
    int fd = rig_start(r, "GET", path, b.token, NULL);
    rig_parked(r, "news", 1);
    rig_claim(r, head, token, "a-1", 201, &reply);
    reply_free(&reply);
    int64_t start_ms = r->config.monotonic_ms();
    rig_answer(r, fd, &reply);
    assert_true(r->config.monotonic_ms() - start_ms < 5000);
    assert_int_equal(reply.status, 200);
    assert_string_equal(reply_text(&reply, "desired.slots[0].action"), "serve");
    assert_string_equal(reply_text(&reply, "desired.slots[0].head_id"), head);
    reply_free(&reply);
}

static void test_desired__maintenance_is_switched_on_while_it_waits__is_told(void **state)
{
    struct rig *r = *state;
    struct body b;
    struct reply reply;
    char path[256];
    rig_body(r, "b1", "north", b.id, b.token);
    rig_report(r, b.id);
    poll_now(r, &b);
    desired_path(&b, b.digest, 25, path);
    int fd = rig_start(r, "GET", path, b.token, NULL);
    rig_parked(r, "news", 1);
    struct core_event ev = { .type = CORE_SLOTS_PUT, .caller.kind = CALLER_ADMIN };
    ev.u.slots = (struct slots_req){ .body_id = b.id, .maintenance = { true, true } };
    rig_event(r, &ev);
    rig_answer(r, fd, &reply);
    assert_true(reply_bool(&reply, "desired.maintenance"));
    reply_free(&reply);
}

static void test_desired__news_of_another_body__goes_on_waiting(void **state)
{
    struct rig *r = *state;
    struct body b, other;
    struct reply reply;
    char path[256];
    rig_body(r, "b1", "north", b.id, b.token);
    rig_body(r, "b2", "north", other.id, other.token);
    rig_report(r, b.id);
    poll_now(r, &b);
    desired_path(&b, b.digest, 1, path);
    int fd = rig_start(r, "GET", path, b.token, NULL);
    rig_parked(r, "news", 1);
    rig_report(r, other.id);
    rig_report(r, b.id);
    assert_false(rig_answered(r, fd));
    rig_answer(r, fd, &reply);
    assert_string_equal(reply_text(&reply, "desired.digest"), b.digest);
    reply_free(&reply);
}

static void test_desired__wrong_caller_or_query__is_refused(void **state)
{
    struct rig *r = *state;
    struct body b, other;
    char path[256], head[HC_ID_SIZE], token[RIG_TOKEN_SIZE], base[160];
    rig_body(r, "b1", "north", b.id, b.token);
    rig_body(r, "b2", "north", other.id, other.token);
    rig_head(r, "h1", "north", head, token);
    desired_path(&b, "", 0, path);
    rig_expect(r, "GET", path, other.token, NULL, 403, "forbidden", "");
    rig_expect(r, "GET", path, RIG_ADMIN, NULL, 403, "forbidden", "");
    rig_expect(r, "GET", path, NULL, NULL, 401, "unauthorized", "");
    (void)snprintf(base, sizeof base, "/api/v1/bodies/%s/desired", head);
    rig_expect(r, "GET", base, token, NULL, 404, "node_not_found", "");
    desired_path(&b, "", 26, path);
    rig_expect(r, "GET", path, b.token, NULL, 400, "bad_request", "wait");
    desired_path(&b, "a%20b", 0, path);
    rig_expect(r, "GET", path, b.token, NULL, 400, "bad_request", "since");
    (void)snprintf(path, sizeof path, "/api/v1/bodies/%s/desired?wait=soon", b.id);
    rig_expect(r, "GET", path, b.token, NULL, 400, "bad_request", "wait");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(test_desired__digest_differs__answers_at_once),
        RIG_TEST(test_desired__same_digest__answers_at_the_end_of_the_wait),
        RIG_TEST(test_desired__a_lease_is_granted_while_it_waits__is_told_at_once),
        RIG_TEST(test_desired__maintenance_is_switched_on_while_it_waits__is_told),
        RIG_TEST(test_desired__news_of_another_body__goes_on_waiting),
        RIG_TEST(test_desired__wrong_caller_or_query__is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
