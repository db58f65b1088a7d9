#include "asked.h"

#include <stdio.h>
#include <string.h>

struct body { char id[HC_ID_SIZE], token[RIG_TOKEN_SIZE]; };

/* Polls until the custodian asks something; answers it. Fails when it asks nothing. */
static void answer(struct rig *r, const struct body *body, const char *wanted_op, const char *result)
{
    struct reply reply;
    char op[HC_ID_SIZE];
    rig_ask(r, "GET", asked_path("/api/v1/nodes/%s/ops/next?wait=5", body->id), body->token, NULL, &reply);
    assert_int_equal(reply.status, 200);
    assert_string_equal(reply_text(&reply, "op"), wanted_op);
    HC_SET(op, reply_text(&reply, "op_id"));
    reply_free(&reply);
    rig_expect(r, "POST", asked_path("/api/v1/nodes/%s/ops/%s/result", body->id, op), body->token, result, 204, "", "");
}

static struct body polling_body(struct rig *r)
{
    struct body body;
    rig_body(r, "pickle", "north", body.id, body.token);
    rig_report(r, body.id);
    rig_expect(r, "GET", asked_path("/api/v1/nodes/%s/ops/next", body.id), body.token, NULL, 204, "", "");
    struct core_event tick = { .type = CORE_TICK };
    rig_event(r, &tick);
    return body;
}

static void test_pairing__custodian_has_listed__shows_who_is_there_since_when(void **state)
{
    struct rig *r = *state;
    struct body body = polling_body(r);
    struct reply reply;
    const char *path = asked_path("/api/v1/nodes/%s/pairing", body.id);
    rig_ask(r, "GET", path, RIG_READ, NULL, &reply);
    assert_int_equal(reply.status, 200);
    assert_int_equal(reply_count(&reply, "clients"), 0);
    assert_true(reply_null(&reply, "custodian_last_success_at"));
    assert_true(reply_null(&reply, "custodian"));
    assert_true(reply_null(&reply, "sunshine_cert_fp"));
    assert_true(reply_null(&reply, "sunshine_cert_rotated_at"));
    assert_int_equal(reply_count(&reply, "evictions"), 0);
    assert_false(reply_null(&reply, "operations_polled_at"));
    reply_free(&reply);
    answer(r, &body, "sunshine.list_clients",
           "{\"state\":\"done\",\"output\":{\"named_certs\":[{\"name\":\"roth\",\"uuid\":\"B\"},{\"name\":\"hydra-x\",\"uuid\":\"A\"}]}}");
    rig_ask(r, "GET", path, RIG_ADMIN, NULL, &reply);
    assert_int_equal(reply_count(&reply, "clients"), 2);
    assert_string_equal(reply_text(&reply, "clients[0].uuid"), "A");
    assert_string_equal(reply_text(&reply, "clients[0].name"), "hydra-x");
    assert_false(reply_null(&reply, "clients[1].first_seen"));
    assert_false(reply_null(&reply, "custodian_last_success_at"));
    assert_string_equal(reply_text(&reply, "custodian"), "ok");
    reply_free(&reply);
}

static void test_pairing__html_for_a_list__is_trim_parse_failed_and_nobody_goes(void **state)
{
    struct rig *r = *state;
    struct body body = polling_body(r);
    struct reply reply;
    answer(r, &body, "sunshine.list_clients", "{\"state\":\"done\",\"output\":{\"raw\":\"<!DOCTYPE html><html></html>\"}}");
    rig_ask(r, "GET", asked_path("/api/v1/nodes/%s/pairing", body.id), RIG_ADMIN, NULL, &reply);
    assert_string_equal(reply_text(&reply, "custodian"), "trim_parse_failed");
    assert_true(reply_null(&reply, "custodian_last_success_at"));
    reply_free(&reply);
    rig_ask(r, "GET", "/api/v1/events?type=trim_parse_failed", RIG_ADMIN, NULL, &reply);
    assert_int_equal(reply_count(&reply, ""), 1);
    reply_free(&reply);
}

static void test_pairing__too_many__the_oldest_are_unpaired_and_told(void **state)
{
    struct rig *r = *state;
    struct body body = polling_body(r);
    struct hc_buf list = { 0 };
    struct reply reply;
    hc_buf_str(&list, "{\"state\":\"done\",\"output\":{\"status\":true,\"named_certs\":[");
    for (unsigned i = 0; i < 102; i++)
        hc_buf_printf(&list, "%s{\"name\":\"roth\",\"uuid\":\"U-%03u\"}", i == 0 ? "" : ",", i);
    hc_buf_str(&list, "]}}");
    answer(r, &body, "sunshine.list_clients", list.data);
    hc_buf_free(&list);
    answer(r, &body, "sunshine.unpair", "{\"state\":\"done\",\"output\":{\"status\":true}}");
    answer(r, &body, "sunshine.unpair", "{\"state\":\"done\",\"output\":{\"status\":\"true\"}}");
    rig_expect(r, "GET", asked_path("/api/v1/nodes/%s/ops/next", body.id), body.token, NULL, 204, "", "");
    rig_ask(r, "GET", asked_path("/api/v1/nodes/%s/pairing", body.id), RIG_ADMIN, NULL, &reply);
    assert_int_equal(reply_count(&reply, "clients"), 100);
    assert_int_equal(reply_count(&reply, "evictions"), 2);
    assert_string_equal(reply_text(&reply, "clients[0].uuid"), "U-002");
    assert_string_equal(reply_text(&reply, "evictions[0].name"), "roth");
    reply_free(&reply);
}

static void test_pairing__bad_input__is_refused(void **state)
{
    struct rig *r = *state;
    char head[HC_ID_SIZE], token[RIG_TOKEN_SIZE];
    rig_head(r, "tablet", "north", head, token);
    rig_expect(r, "GET", asked_path("/api/v1/nodes/%s/pairing", head), RIG_ADMIN, NULL, 404, "node_not_found", "");
    rig_expect(r, "GET", "/api/v1/nodes/nobody/pairing", RIG_ADMIN, NULL, 404, "node_not_found", "");
    rig_expect(r, "GET", "/api/v1/nodes/nobody/pairing", token, NULL, 403, "forbidden", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(test_pairing__custodian_has_listed__shows_who_is_there_since_when),
        RIG_TEST(test_pairing__html_for_a_list__is_trim_parse_failed_and_nobody_goes),
        RIG_TEST(test_pairing__too_many__the_oldest_are_unpaired_and_told),
        RIG_TEST(test_pairing__bad_input__is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
