#include "asked.h"

#include <stdio.h>
#include <string.h>

struct who { char id[HC_ID_SIZE], token[RIG_TOKEN_SIZE]; };
struct scene { struct who body, one, two; };

static struct scene open_scene(struct rig *r)
{
    struct scene s;
    rig_body(r, "pickle", "north", s.body.id, s.body.token);
    rig_head(r, "tablet", "north", s.one.id, s.one.token);
    rig_head(r, "screen", "north", s.two.id, s.two.token);
    rig_report(r, s.body.id);
    return s;
}

static void pair(struct rig *r, const struct who *head, const char *body_id, struct reply *reply)
{
    char body[128];
    (void)snprintf(body, sizeof body, "{\"body_id\":\"%s\",\"slot\":0}", body_id);
    rig_ask(r, "POST", asked_path("/api/v1/heads/%s/pair-leases", head->id), head->token, body, reply);
}

static void expect_pair(struct rig *r, const struct who *head, const char *body_id, int status, const char *error)
{
    struct reply reply;
    pair(r, head, body_id, &reply);
    assert_int_equal(reply.status, status);
    if (error[0] != '\0')
        assert_string_equal(reply_text(&reply, "error"), error);
    reply_free(&reply);
}

static int send_pin(struct rig *r, const struct who *head, const struct who *body, const char *json)
{
    return rig_start(r, "POST", asked_path("/api/v1/nodes/%s/sunshine-pin", body->id), head->token, json);
}

/* The body's agent: takes the PIN, and answers it so. */
static void agent_answers(struct rig *r, const struct who *body, const char *result, const char *name)
{
    struct reply reply;
    char op[HC_ID_SIZE];
    rig_ask(r, "GET", asked_path("/api/v1/nodes/%s/ops/next?wait=5", body->id), body->token, NULL, &reply);
    assert_int_equal(reply.status, 200);
    assert_string_equal(reply_text(&reply, "op"), "sunshine.submit_pin");
    assert_string_equal(reply_text(&reply, "args.name"), name);
    HC_SET(op, reply_text(&reply, "op_id"));
    reply_free(&reply);
    rig_expect(r, "POST", asked_path("/api/v1/nodes/%s/ops/%s/result", body->id, op), body->token, result, 204, "", "");
}

static void expect_answer(struct rig *r, int fd, int status, const char *error)
{
    struct reply reply;
    rig_answer(r, fd, &reply);
    assert_int_equal(reply.status, status);
    if (error[0] != '\0')
        assert_string_equal(reply_text(&reply, "error"), error);
    else
        assert_true(reply_bool(&reply, "status"));
    reply_free(&reply);
}

static void test_pair_lease__granted__keeps_the_slot_and_others_out(void **state)
{
    struct rig *r = *state;
    struct scene s = open_scene(r);
    struct reply reply;
    char lease[HC_ID_SIZE];
    pair(r, &s.one, s.body.id, &reply);
    assert_int_equal(reply.status, 201);
    HC_SET(lease, reply_text(&reply, "lease.id"));
    assert_string_equal(reply_text(&reply, "lease.mode"), "pair");
    assert_string_equal(reply_text(&reply, "lease.body_id"), s.body.id);
    assert_true(reply_int(&reply, "lease.ttl_seconds") > 50);
    reply_free(&reply);
    expect_pair(r, &s.two, s.body.id, 409, "pair_contention");
    rig_claim(r, s.two.id, s.two.token, "a-1", 202, &reply);
    reply_free(&reply);
    rig_ask(r, "GET", "/api/v1/slots", RIG_ADMIN, NULL, &reply);
    assert_string_equal(reply_text(&reply, "[0].why_not[0]"), "pair_lease");
    assert_false(reply_bool(&reply, "[0].grantable"));
    assert_false(reply_bool(&reply, "[0].occupied"));
    reply_free(&reply);
    const char *path = asked_path("/api/v1/heads/%s/pair-leases/%s", s.one.id, lease);
    rig_expect(r, "DELETE", path, s.one.token, NULL, 204, "", "");
    rig_expect(r, "DELETE", path, s.one.token, NULL, 204, "", "");
    rig_ask(r, "GET", asked_path("/api/v1/heads/%s/admission", s.two.id), s.two.token, NULL, &reply);
    assert_string_equal(reply_text(&reply, "lease.state"), "granted");      /* who waited has it at once */
    reply_free(&reply);
    expect_pair(r, &s.one, s.body.id, 409, "body_busy");
    expect_pair(r, &s.two, s.body.id, 201, "");
}

static void test_pair_lease__bad_input__is_refused_by_field(void **state)
{
    struct rig *r = *state;
    struct scene s = open_scene(r);
#define PAIRS "/api/v1/heads/{h}/pair-leases"
    char slot[128], low[128];
    (void)snprintf(slot, sizeof slot, "{\"body_id\":\"%s\",\"slot\":1}", s.body.id);
    (void)snprintf(low, sizeof low, "{\"body_id\":\"%s\",\"slot\":-1}", s.body.id);
    const struct asked rows[] = {
        { "POST", PAIRS, s.one.token, "{}",                         400, "bad_request", "body_id" },
        { "POST", PAIRS, s.one.token, "{\"body_id\":\"a b\"}",      400, "bad_request", "body_id" },
        { "POST", PAIRS, s.one.token, "{\"body_id\":\"nobody\"}",   404, "not_found", "" },
        { "POST", PAIRS, s.one.token, slot,                         400, "bad_request", "slot" },
        { "POST", PAIRS, s.one.token, low,                          400, "bad_request", "slot" },
        { "POST", PAIRS, s.two.token, slot,                         403, "forbidden", "" },
        { "POST", PAIRS, s.body.token, slot,                        403, "forbidden", "" },
        { "DELETE", PAIRS "/pair-none", s.one.token, NULL,          204, "", "" },
    };
    asked_all(r, rows, sizeof rows / sizeof rows[0], s.one.id, s.body.id);
}

static void test_pin__sunshine_says_true__is_200_in_the_heads_name(void **state)
{
    struct rig *r = *state;
    struct scene s = open_scene(r);
    char name[HC_NAME_SIZE];
    static const char *const trues[] = { "{\"state\":\"done\",\"output\":{\"status\":true}}",
                                        "{\"state\":\"done\",\"output\":{\"status\":\"true\"}}" };
    (void)snprintf(name, sizeof name, "hydra-%s", s.one.id);
    expect_pair(r, &s.one, s.body.id, 201, "");
    for (size_t i = 0; i < 2; i++) {
        int fd = send_pin(r, &s.one, &s.body, "{\"pin\":\"4711\",\"name\":\"hydra-somebody-else\"}");
        agent_answers(r, &s.body, trues[i], name);
        expect_answer(r, fd, 200, "");
    }
}

static void test_pin__sunshine_says_anything_else__is_502(void **state)
{
    struct rig *r = *state;
    struct scene s = open_scene(r);
    char name[HC_NAME_SIZE];
    static const char *const others[] = {
        "{\"state\":\"done\",\"output\":{\"status\":false}}", "{\"state\":\"done\",\"output\":{\"status\":\"false\"}}",
        "{\"state\":\"done\",\"output\":{\"status\":1}}", "{\"state\":\"done\",\"output\":{\"raw\":\"<html></html>\"}}",
        "{\"state\":\"done\"}", "{\"state\":\"failed\",\"output\":{\"status\":true},\"error\":\"timeout\"}", "{\"state\":\"failed\"}",
    };
    (void)snprintf(name, sizeof name, "hydra-%s", s.one.id);
    expect_pair(r, &s.one, s.body.id, 201, "");
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        int fd = send_pin(r, &s.one, &s.body, "{\"pin\":\"4711\"}");
        agent_answers(r, &s.body, others[i], name);
        expect_answer(r, fd, 502, "pin_refused");
    }
}

static void test_pin__two_at_once__the_second_is_contention(void **state)
{
    struct rig *r = *state;
    struct scene s = open_scene(r);
    char name[HC_NAME_SIZE];
    struct reply reply;
    (void)snprintf(name, sizeof name, "hydra-%s", s.one.id);
    expect_pair(r, &s.one, s.body.id, 201, "");
    int first = send_pin(r, &s.one, &s.body, "{\"pin\":\"4711\"}");
    rig_parked(r, "news", 1);
    rig_expect(r, "POST", asked_path("/api/v1/nodes/%s/sunshine-pin", s.body.id), s.one.token, "{\"pin\":\"4712\"}", 409,
               "pair_contention", "");
    agent_answers(r, &s.body, "{\"state\":\"done\",\"output\":{\"status\":true}}", name);
    expect_answer(r, first, 200, "");
    rig_ask(r, "GET", "/api/v1/events?type=pair_contention", RIG_ADMIN, NULL, &reply);
    assert_int_equal(reply_count(&reply, ""), 1);
    assert_string_equal(reply_text(&reply, "[0].body_id"), s.body.id);
    assert_string_equal(reply_text(&reply, "[0].head_id"), s.one.id);
    reply_free(&reply);
}

static void test_pin__nobody_answers__is_504_and_nothing_is_stuck(void **state)
{
    struct rig *r = *state;
    struct scene s = open_scene(r);
    char name[HC_NAME_SIZE];
    (void)snprintf(name, sizeof name, "hydra-%s", s.one.id);
    expect_pair(r, &s.one, s.body.id, 201, "");
    int fd = send_pin(r, &s.one, &s.body, "{\"pin\":\"4711\"}");
    rig_parked(r, "news", 1);
    struct core_event tick = { .type = CORE_TICK };
    rig_pass(r, r->core.timers.op_ttl_ms + 1);
    rig_event(r, &tick);                              /* says so, and wakes it */
    expect_answer(r, fd, 504, "body_unreachable");
    expect_pair(r, &s.one, s.body.id, 201, "");       /* its pair lease ran out too */
    fd = send_pin(r, &s.one, &s.body, "{\"pin\":\"4711\"}");
    agent_answers(r, &s.body, "{\"state\":\"done\",\"output\":{\"status\":true}}", name);
    expect_answer(r, fd, 200, "");
}

static void test_pin__who_holds_nothing_there__is_refused(void **state)
{
    struct rig *r = *state;
    struct scene s = open_scene(r);
    struct reply reply;
    char name[HC_NAME_SIZE];
#define PIN_PATH "/api/v1/nodes/{b}/sunshine-pin"
    const struct asked rows[] = {
        { "POST", PIN_PATH, s.one.token,  "{\"pin\":\"4711\"}", 403, "forbidden", "" },
        { "POST", PIN_PATH, s.body.token, "{\"pin\":\"4711\"}", 403, "forbidden", "" },
        { "POST", PIN_PATH, RIG_ADMIN,    "{\"pin\":\"4711\"}", 403, "forbidden", "" },
        { "POST", PIN_PATH, s.one.token,  "{\"pin\":\"471\"}",  400, "bad_request", "pin" },
        { "POST", PIN_PATH, s.one.token,  "{\"pin\":\"47110\"}", 400, "bad_request", "pin" },
        { "POST", PIN_PATH, s.one.token,  "{\"pin\":\"47x1\"}", 400, "bad_request", "pin" },
        { "POST", PIN_PATH, s.one.token,  "{\"pin\":4711}",     400, "bad_request", "pin" },
        { "POST", PIN_PATH, s.one.token,  "{}",                 400, "bad_request", "pin" },
        { "POST", "/api/v1/nodes/{h}/sunshine-pin", s.one.token, "{\"pin\":\"4711\"}", 404, "node_not_found", "" },
    };
    asked_all(r, rows, sizeof rows / sizeof rows[0], s.one.id, s.body.id);
    rig_read(r, s.one.token, &reply);                 /* a hold is enough */
    reply_free(&reply);
    (void)snprintf(name, sizeof name, "hydra-%s", s.one.id);
    int fd = send_pin(r, &s.one, &s.body, "{\"pin\":\"4711\"}");
    agent_answers(r, &s.body, "{\"state\":\"done\",\"output\":{\"status\":true}}", name);
    expect_answer(r, fd, 200, "");
}

/* Nobody polls yet. What takes the right away answers the head at once, and the agent is given nothing. */
static void test_pin__right_is_taken_while_it_waits__is_refused_and_never_given(void **state)
{
    struct rig *r = *state;
    struct scene s = open_scene(r);
    struct reply reply;
    char lease[HC_ID_SIZE];
    pair(r, &s.one, s.body.id, &reply);
    HC_SET(lease, reply_text(&reply, "lease.id"));
    reply_free(&reply);
    int fd = send_pin(r, &s.one, &s.body, "{\"pin\":\"4711\"}");
    rig_parked(r, "news", 1);
    rig_expect(r, "DELETE", asked_path("/api/v1/heads/%s/pair-leases/%s", s.one.id, lease), s.one.token, NULL, 204, "", "");
    expect_answer(r, fd, 502, "pin_refused");
    rig_expect(r, "GET", asked_path("/api/v1/nodes/%s/ops/next", s.body.id), s.body.token, NULL, 204, "", "");
    expect_pair(r, &s.one, s.body.id, 201, "");
    fd = send_pin(r, &s.one, &s.body, "{\"pin\":\"4711\"}");
    rig_parked(r, "news", 1);
    rig_expect(r, "DELETE", asked_path("/api/v1/nodes/%s", s.one.id), RIG_ADMIN, NULL, 204, "", "");
    expect_answer(r, fd, 401, "unauthorized");        /* a head that is gone is nobody's to answer */
    rig_expect(r, "GET", asked_path("/api/v1/nodes/%s/ops/next", s.body.id), s.body.token, NULL, 204, "", "");
}

static void test_pin__agent_repeats_it__is_told_to_nobody(void **state)
{
    struct rig *r = *state;
    struct scene s = open_scene(r);
    struct reply reply;
    char op[HC_ID_SIZE];
    expect_pair(r, &s.one, s.body.id, 201, "");
    int fd = send_pin(r, &s.one, &s.body, "{\"pin\":\"7392\"}");
    rig_ask(r, "GET", asked_path("/api/v1/nodes/%s/ops/next?wait=5", s.body.id), s.body.token, NULL, &reply);
    HC_SET(op, reply_text(&reply, "op_id"));
    reply_free(&reply);
    rig_expect(r, "POST", asked_path("/api/v1/nodes/%s/ops/%s/result", s.body.id, op), s.body.token,
               "{\"state\":\"failed\",\"error\":\"PIN 7392 refused\",\"output\":{\"raw\":\"7392\"}}", 204, "", "");
    rig_answer(r, fd, &reply);
    assert_int_equal(reply.status, 502);
    assert_null(strstr(reply.body, "7392"));
    reply_free(&reply);
    rig_ask(r, "GET", asked_path("/api/v1/nodes/%s/ops/%s/result", s.body.id, op), RIG_ADMIN, NULL, &reply);
    assert_int_equal(reply.status, 200);
    assert_null(strstr(reply.body, "7392"));
    reply_free(&reply);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(test_pair_lease__granted__keeps_the_slot_and_others_out),
        RIG_TEST(test_pair_lease__bad_input__is_refused_by_field),
        RIG_TEST(test_pin__sunshine_says_true__is_200_in_the_heads_name),
        RIG_TEST(test_pin__sunshine_says_anything_else__is_502),
        RIG_TEST(test_pin__two_at_once__the_second_is_contention),
        RIG_TEST(test_pin__nobody_answers__is_504_and_nothing_is_stuck),
        RIG_TEST(test_pin__who_holds_nothing_there__is_refused),
        RIG_TEST(test_pin__right_is_taken_while_it_waits__is_refused_and_never_given),
        RIG_TEST(test_pin__agent_repeats_it__is_told_to_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
