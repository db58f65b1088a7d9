#include "asked.h"

#include <stdio.h>
#include <string.h>

struct agent { char id[HC_ID_SIZE], token[RIG_TOKEN_SIZE]; };

static struct agent new_body(struct rig *r)
{
    struct agent agent;
    rig_body(r, "pickle", "north", agent.id, agent.token);
    rig_report(r, agent.id);
    return agent;
}

static void ask_op(struct rig *r, const struct agent *agent, const char *body, char ret_id[HC_ID_SIZE])
{
    struct reply reply;
    rig_ask(r, "POST", asked_path("/api/v1/nodes/%s/ops", agent->id), RIG_ADMIN, body, &reply);
    assert_int_equal(reply.status, 202);
    HC_SET(*(char (*)[HC_ID_SIZE])ret_id, reply_text(&reply, "op_id"));
    reply_free(&reply);
}

static void poll_op(struct rig *r, const struct agent *agent, struct reply *reply)
{
    rig_ask(r, "GET", asked_path("/api/v1/nodes/%s/ops/next", agent->id), agent->token, NULL, reply);
}

static const char *result_path(const struct agent *agent, const char *op_id)
{
    return asked_path("/api/v1/nodes/%s/ops/%s/result", agent->id, op_id);
}

static void test_operations__asked_polled_answered__has_one_result(void **state)
{
    struct rig *r = *state;
    struct agent agent = new_body(r);
    char op[HC_ID_SIZE];
    struct reply reply;
    ask_op(r, &agent, "{\"op\":\"sunshine.list_clients\",\"args\":null}", op);
    rig_ask(r, "GET", result_path(&agent, op), RIG_READ, NULL, &reply);
    assert_string_equal(reply_text(&reply, "state"), "pending");
    assert_true(reply_null(&reply, "output"));
    assert_true(reply_null(&reply, "error"));
    assert_int_equal(strncmp(reply_text(&reply, "asked_by"), "admin", 5), 0);
    assert_false(reply_null(&reply, "asked_at"));
    reply_free(&reply);
    poll_op(r, &agent, &reply);
    assert_int_equal(reply.status, 200);
    assert_string_equal(reply_text(&reply, "op_id"), op);
    assert_string_equal(reply_text(&reply, "op"), "sunshine.list_clients");
    assert_non_null(reply_at(&reply, "args"));
    reply_free(&reply);
    rig_expect(r, "GET", asked_path("/api/v1/nodes/%s/ops/next", agent.id), agent.token, NULL, 204, "", "");      /* given already */
    const char *done = "{\"state\":\"done\",\"output\":{\"named_certs\":[{\"name\":\"roth\",\"uuid\":\"U-1\"}],\"status\":true}}";
    rig_expect(r, "POST", result_path(&agent, op), agent.token, done, 204, "", "");
    rig_expect(r, "POST", result_path(&agent, op), agent.token, done, 409, "op_finished", "");
    rig_ask(r, "GET", result_path(&agent, op), RIG_ADMIN, NULL, &reply);
    assert_string_equal(reply_text(&reply, "state"), "done");
    assert_string_equal(reply_text(&reply, "op"), "sunshine.list_clients");
    assert_string_equal(reply_text(&reply, "output.named_certs[0].uuid"), "U-1");
    reply_free(&reply);
}

static void test_operations__long_poll__gets_what_is_asked_meanwhile(void **state)
{
    struct rig *r = *state;
    struct agent agent = new_body(r);
    char op[HC_ID_SIZE];
    struct reply reply;
    int fd = rig_start(r, "GET", asked_path("/api/v1/nodes/%s/ops/next?wait=25", agent.id), agent.token, NULL);
    rig_parked(r, "news", 1);
    ask_op(r, &agent, "{\"op\":\"sunshine.unpair\",\"args\":{\"uuid\":\"U-7\"}}", op);
    rig_answer(r, fd, &reply);
    assert_int_equal(reply.status, 200);
    assert_string_equal(reply_text(&reply, "op_id"), op);
    assert_string_equal(reply_text(&reply, "args.uuid"), "U-7");
    reply_free(&reply);
}

static void test_operations__answer_after_its_time__is_op_finished_and_it_is_expired(void **state)
{
    struct rig *r = *state;
    struct agent agent = new_body(r);
    char op[HC_ID_SIZE];
    struct reply reply;
    ask_op(r, &agent, "{\"op\":\"sunshine.restart\"}", op);
    rig_pass(r, r->core.timers.op_ttl_ms + 1);
    rig_ask(r, "GET", result_path(&agent, op), RIG_ADMIN, NULL, &reply);
    assert_string_equal(reply_text(&reply, "state"), "expired");
    reply_free(&reply);
    rig_expect(r, "POST", result_path(&agent, op), agent.token, "{\"state\":\"done\"}", 409, "op_finished", "");
    rig_expect(r, "GET", asked_path("/api/v1/nodes/%s/ops/next", agent.id), agent.token, NULL, 204, "", "");
}

static void test_operations__pin__is_shown_to_the_agent_alone(void **state)
{
    struct rig *r = *state;
    struct agent agent = new_body(r);
    char op[HC_ID_SIZE];
    struct reply reply;
    ask_op(r, &agent, "{\"op\":\"sunshine.submit_pin\",\"args\":{\"pin\":\"8613\",\"name\":\"hydra-x\"}}", op);
    poll_op(r, &agent, &reply);
    assert_string_equal(reply_text(&reply, "args.pin"), "8613");
    assert_string_equal(reply_text(&reply, "args.name"), "hydra-x");
    assert_true(reply_has(&reply, "Cache-Control: no-store"));
    reply_free(&reply);
    rig_expect(r, "POST", result_path(&agent, op), agent.token, "{\"state\":\"failed\",\"error\":\"no answer\"}", 204, "", "");
    const char *const paths[] = { result_path(&agent, op), "/api/v1/events", asked_path("/api/v1/nodes/%s/pairing", agent.id) };
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        rig_ask(r, "GET", paths[i], RIG_ADMIN, NULL, &reply);
        assert_int_equal(reply.status, 200);
        assert_null(strstr(reply.body, "8613"));
        reply_free(&reply);
    }
    const struct rec *rec = engine_get(r->engine, REC_OP, op);
    assert_non_null(rec);
    assert_string_equal(((const struct op_rec *)rec)->pin, "");
    engine_release(r->engine, rec);
}

static void test_operations__a_list_of_1024_clients__fits(void **state)
{
    struct rig *r = *state;
    struct agent agent = new_body(r);
    char op[HC_ID_SIZE];
    struct hc_buf list = { 0 };
    struct reply reply;
    hc_buf_str(&list, "{\"state\":\"done\",\"output\":{\"named_certs\":[");
    for (unsigned i = 0; i < 1024; i++)
        hc_buf_printf(&list,
                      "%s{\"enabled\":true,\"name\":\"hydra-node-%08x\",\"uuid\":\"%08X-0000-4000-8000-000000000000\"}",
                      i == 0 ? "" : ",", i, i);
    hc_buf_str(&list, "],\"status\":true}}");
    assert_false(list.failed);
    ask_op(r, &agent, "{\"op\":\"sunshine.list_clients\"}", op);
    rig_expect(r, "POST", result_path(&agent, op), agent.token, list.data, 204, "", "");
    rig_ask(r, "GET", result_path(&agent, op), RIG_ADMIN, NULL, &reply);
    assert_int_equal(reply_count(&reply, "output.named_certs"), 1024);
    reply_free(&reply);
    hc_buf_free(&list);
}

static void test_operations__raw_text__is_at_most_4_kib(void **state)
{
    struct rig *r = *state;
    struct agent agent = new_body(r);
    char op[HC_ID_SIZE];
    struct hc_buf most = { 0 }, more = { 0 };
    ask_op(r, &agent, "{\"op\":\"sunshine.list_clients\"}", op);
    hc_buf_str(&most, "{\"state\":\"done\",\"output\":{\"raw\":\"");
    for (unsigned i = 0; i < 2048; i++)
        hc_buf_str(&most, "<\\n");                    /* two bytes of text, three on the wire */
    hc_buf_printf(&more, "%sx\"}}", most.data);
    hc_buf_str(&most, "\"}}");
    rig_expect(r, "POST", result_path(&agent, op), agent.token, more.data, 400, "bad_request", "output.raw");
    rig_expect(r, "POST", result_path(&agent, op), agent.token, most.data, 204, "", "");
    hc_buf_free(&most);
    hc_buf_free(&more);
}

static void test_operations__session_live__needs_force(void **state)
{
    struct rig *r = *state;
    struct agent agent = new_body(r);
    char head[HC_ID_SIZE], token[RIG_TOKEN_SIZE], lease[HC_ID_SIZE];
    struct reply reply;
    rig_head(r, "tablet", "north", head, token);
    rig_claim(r, head, token, "a-1", 201, &reply);
    HC_SET(lease, reply_text(&reply, "lease.id"));
    reply_free(&reply);
    rig_report_session(r, agent.id, SESSION_STREAMING, lease);
    const char *path = asked_path("/api/v1/nodes/%s/ops", agent.id);
    rig_expect(r, "POST", path, RIG_ADMIN, "{\"op\":\"sunshine.close_app\"}", 409, "session_live", "");
    rig_expect(r, "POST", path, RIG_ADMIN, "{\"op\":\"sunshine.restart\",\"args\":{\"force\":false}}", 409, "session_live", "");
    rig_expect(r, "POST", path, RIG_ADMIN, "{\"op\":\"sunshine.restart\",\"args\":{\"force\":true}}", 202, "", "");
    rig_expect(r, "POST", path, RIG_ADMIN, "{\"op\":\"sunshine.list_clients\"}", 202, "", "");
}

static void test_operations__bad_input__is_refused_by_field(void **state)
{
    struct rig *r = *state;
    struct agent agent = new_body(r);
    char head[HC_ID_SIZE], token[RIG_TOKEN_SIZE], op[HC_ID_SIZE];
    rig_head(r, "tablet", "north", head, token);
    ask_op(r, &agent, "{\"op\":\"sunshine.close_app\"}", op);
#define OPS  "/api/v1/nodes/{b}/ops"
#define PIN(pin) "{\"op\":\"sunshine.submit_pin\",\"args\":{\"pin\":" pin ",\"name\":\"hydra-x\"}}"
    const struct asked rows[] = {
        { "POST", OPS, RIG_ADMIN, "{}",                                                    400, "bad_request", "op" },
        { "POST", OPS, RIG_ADMIN, "{\"op\":\"shell\"}",                                    400, "bad_request", "op" },
        { "POST", OPS, RIG_ADMIN, "{\"op\":7}",                                            400, "bad_request", "op" },
        { "POST", OPS, RIG_ADMIN, "{\"op\":\"sunshine.unpair\"}",                          400, "bad_request", "args.uuid" },
        { "POST", OPS, RIG_ADMIN, "{\"op\":\"sunshine.unpair\",\"args\":{\"uuid\":\"a b\"}}", 400, "bad_request", "args.uuid" },
        { "POST", OPS, RIG_ADMIN, "{\"op\":\"sunshine.unpair\",\"args\":7}",               400, "bad_request", "args" },
        { "POST", OPS, RIG_ADMIN, "{\"op\":\"sunshine.restart\",\"args\":{\"force\":1}}",  400, "bad_request", "args.force" },
        { "POST", OPS, RIG_ADMIN, PIN("\"123\""),                                          400, "bad_request", "args.pin" },
        { "POST", OPS, RIG_ADMIN, PIN("\"12345\""),                                        400, "bad_request", "args.pin" },
        { "POST", OPS, RIG_ADMIN, PIN("\"12a4\""),                                         400, "bad_request", "args.pin" },
        { "POST", OPS, RIG_ADMIN, PIN("1234"),                                             400, "bad_request", "args.pin" },
        { "POST", OPS, RIG_ADMIN, "{\"op\":\"sunshine.submit_pin\",\"args\":{\"pin\":\"1234\"}}", 400, "bad_request", "args.name" },
        { "POST", OPS, RIG_READ,  "{\"op\":\"sunshine.restart\"}",                         403, "forbidden", "" },
        { "POST", OPS, token,     "{\"op\":\"sunshine.restart\"}",                         403, "forbidden", "" },
        { "POST", "/api/v1/nodes/nobody/ops", RIG_ADMIN, "{\"op\":\"sunshine.restart\"}",  404, "node_not_found", "" },
        { "GET",  OPS "/next", RIG_ADMIN, NULL,                                            403, "forbidden", "" },
        { "GET",  OPS "/next", token, NULL,                                                403, "forbidden", "" },
        { "GET",  OPS "/next?wait=26", agent.token, NULL,                                  400, "bad_request", "wait" },
        { "POST", OPS "/op-none/result", agent.token, "{\"state\":\"done\"}",              404, "not_found", "" },
        { "GET",  OPS "/op-none/result", RIG_ADMIN, NULL,                                  404, "not_found", "" },
    };
    asked_all(r, rows, sizeof rows / sizeof rows[0], head, agent.id);
    const char *path = result_path(&agent, op);
    rig_expect(r, "POST", path, agent.token, "{}", 400, "bad_request", "state");
    rig_expect(r, "POST", path, agent.token, "{\"state\":\"pending\"}", 400, "bad_request", "state");
    rig_expect(r, "POST", path, agent.token, "{\"state\":\"done\",\"output\":[]}", 400, "bad_request", "output");
    rig_expect(r, "POST", path, agent.token, "{\"state\":\"done\",\"output\":\"<html>\"}", 400, "bad_request", "output");
    rig_expect(r, "POST", path, agent.token, "{\"state\":\"done\",\"output\":{\"raw\":7}}", 400, "bad_request", "output.raw");
    rig_expect(r, "POST", path, token, "{\"state\":\"done\"}", 403, "forbidden", "");
    rig_expect(r, "POST", path, RIG_ADMIN, "{\"state\":\"done\"}", 403, "forbidden", "");
    rig_expect(r, "POST", asked_path("/api/v1/nodes/%s/ops/%s/result", head, op), token, "{\"state\":\"done\"}", 404, "not_found", "");
}

static void test_operations__store_down__is_not_acknowledged(void **state)
{
    struct rig *r = *state;
    struct agent agent = new_body(r);
    rig_store_fails(r, true);
    rig_expect(r, "POST", asked_path("/api/v1/nodes/%s/ops", agent.id), RIG_ADMIN, "{\"op\":\"sunshine.list_clients\"}", 503,
               "store_unavailable", "");
    rig_store_fails(r, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(test_operations__asked_polled_answered__has_one_result),
        RIG_TEST(test_operations__long_poll__gets_what_is_asked_meanwhile),
        RIG_TEST(test_operations__answer_after_its_time__is_op_finished_and_it_is_expired),
        RIG_TEST(test_operations__pin__is_shown_to_the_agent_alone),
        RIG_TEST(test_operations__a_list_of_1024_clients__fits),
        RIG_TEST(test_operations__raw_text__is_at_most_4_kib),
        RIG_TEST(test_operations__session_live__needs_force),
        RIG_TEST(test_operations__bad_input__is_refused_by_field),
        RIG_TEST(test_operations__store_down__is_not_acknowledged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
