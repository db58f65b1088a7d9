#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <jansson.h>

#include "hydra/codec/json.h"
#include "hydra/proto/body_status.h"
#include "hydra/proto/claim.h"
#include "hydra/proto/device_identity.h"
#include "hydra/proto/head_put.h"
#include "hydra/proto/operation.h"

#include "../../../src/sim/wire_in.h"
#include "../../../src/sim/wire_out.h"

static const struct wire_head who = { .id = "node-1", .district = "default", .venue = "Sint Niklaas", .protocol = 2 };

static struct head_args args_of(enum head_call call)
{
    return (struct head_args){ .call = call, .experience = "mercator talks", .attempt_id = "att-1", .body_id = "b1", .lease_id = "lease-1",
                               .stream_id = "str-1", .claim_token = "secret", .status = "starting", .lease_state = "pairing",
                               .reason = "user_exit" };
}

/* The daemon's own tables must read what we send. */
static void read_by(const struct codec_table *table, const struct wire_request *request, void *object)
{
    struct hc_arena arena = { 0 };
    struct json_refusal refusal;
    if (json_read(table, request->body.data, request->body.len, false, &arena, object, &refusal) != HC_OK)
        fail_msg("%s: %s in %s", refusal.field, refusal.detail, request->body.data);
    hc_arena_free(&arena);
}

static void test_wire_out__every_head_call__has_method_and_path(void **state)
{
    (void)state;
    static const struct { enum head_call call; const char *method, *path; } rows[HEAD_CALLS] = {
        { HEAD_BEAT, "PUT", "/api/v1/heads/node-1" },
        { HEAD_CONFIG, "GET", "/api/v1/heads/node-1" },
        { HEAD_COMMANDS, "GET", "/api/v1/heads/node-1/commands" },
        { HEAD_READ, "GET", "/api/v1/bodies/eligible?head_id=node-1&district=default&venue=Sint%20Niklaas&experience=mercator%20talks" },
        { HEAD_CLAIM, "POST", "/api/v1/heads/node-1/slot-claims" },
        { HEAD_RENEW, "POST", "/api/v1/heads/node-1/slot-claims/lease-1/renew" },
        { HEAD_ADMISSION, "GET", "/api/v1/heads/node-1/admission?attempt_id=att-1" },
        { HEAD_ACCEPT, "POST", "/api/v1/heads/node-1/admission/accept" },
        { HEAD_RELEASE, "DELETE", "/api/v1/heads/node-1/slot-claims/lease-1" },
        { HEAD_STOP, "DELETE", "/api/v1/heads/node-1/stream" },
    };
    for (size_t i = 0; i < HEAD_CALLS; i++) {
        struct wire_request request;
        const struct head_args args = args_of(rows[i].call);
        wire_head_request(&who, &args, &request);
        assert_string_equal(request.method, rows[i].method);
        assert_string_equal(request.path.data, rows[i].path);
        wire_request_free(&request);
    }
}

static void test_wire_out__bodies_of_calls__read_by_the_daemons_tables(void **state)
{
    (void)state;
    struct wire_request request;
    struct head_args args = args_of(HEAD_CLAIM);
    struct claim_body claim;
    wire_head_request(&who, &args, &request);
    read_by(&claim_table, &request, &claim);
    assert_string_equal(claim.experience, "mercator talks");
    assert_string_equal(claim.attempt_id, "att-1");
    assert_string_equal(claim.claim_token, "secret");
    assert_int_equal(claim.protocol_version, 2);
    wire_request_free(&request);
    args = args_of(HEAD_BEAT);
    struct heartbeat beat;
    wire_head_request(&who, &args, &request);
    read_by(&heartbeat_table, &request, &beat);
    assert_string_equal(beat.status, "starting");
    assert_string_equal(beat.lease_id, "lease-1");
    wire_request_free(&request);
    args = args_of(HEAD_RELEASE);
    struct release_body release;
    wire_head_request(&who, &args, &request);
    read_by(&release_table, &request, &release);
    assert_int_equal(release.reason, RELEASE_USER_EXIT);
    wire_request_free(&request);
}

static const char *const experiences[] = { "talk" };
static const struct wire_body what = { .gpu = "g", .memory_mb = 8192, .experiences = experiences, .experience_count = 1, .scale = 2 };

static void test_wire_out__modern_report__names_boot_slots_sessions_and_real_seconds(void **state)
{
    (void)state;
    struct body *body = calloc(1, sizeof *body);
    struct body_status *status = calloc(1, sizeof *status);
    assert_true(body != NULL && status != NULL);
    body_init(body, "b1", true, 2, 1000);
    body->agent_since_ms = 1000;
    body->report_seq = 4;
    body->has_directive = true;
    body->applied[1] = body->floor[1] = 9;
    body->session_count = 1;
    body->sessions[0] = (struct session){ .head = 1, .slot = 1, .phase = SESSION_STREAMS, .since_ms = 1000, .client_uuid = "u",
                                          .lease_id = "l1" };
    struct wire_request request;
    struct hc_arena arena = { 0 };
    struct json_refusal refusal;
    wire_report(&what, body, 21000, &request);
    if (json_read(&body_status_table, request.body.data, request.body.len, false, &arena, status, &refusal) != HC_OK)
        fail_msg("%s: %s in %s", refusal.field, refusal.detail, request.body.data);
    const struct body_status_slot *slots = status->slots.items;
    assert_true(status->report_seq == 4 && status->slots_total == 2 && status->slots.count == 2 && status->provider_uptime_ms == 10000);
    assert_true(slots[1].index == 1 && slots[1].applied_epoch == 9 && slots[1].since_ms == 10000 && slots[1].ports.gamestream != 0);
    assert_string_equal(slots[1].lease_id, "l1");
    assert_int_equal(((const uint64_t *)status->max_epoch_seen.items)[1], 9);
    assert_int_not_equal(slots[0].ports.gamestream, slots[1].ports.gamestream);
    hc_arena_free(&arena);
    wire_request_free(&request);
    free(status);
    free(body);
}

static void test_wire_out__legacy_report__has_nothing_modern(void **state)
{
    (void)state;
    struct body *body = calloc(1, sizeof *body);
    assert_non_null(body);
    body_init(body, "b1", false, 1, 1000);
    struct wire_request request;
    wire_report(&what, body, 2000, &request);
    json_t *json = json_loads(request.body.data, 0, NULL);
    assert_string_equal(json_string_value(json_object_get(json, "stream_status")), "idle");
    assert_null(json_object_get(json, "boot_id"));
    assert_null(json_object_get(json, "slots"));
    json_decref(json);
    wire_request_free(&request);
    free(body);
}

static struct body *body_with_clients(void)
{
    struct body *body = calloc(1, sizeof *body);
    assert_non_null(body);
    body_init(body, "b1", true, 1, 1000);
    assert_true(store_pair(&body->trust, "u1", "hydra-node-1") && store_pair(&body->trust, "u2", "a \"quoted\" name"));
    return body;
}

static void test_wire_out__report__lists_paired_clients_and_a_digest_that_changes_with_them(void **state)
{
    (void)state;
    struct body *body = body_with_clients();
    char before[HC_HASH_SIZE] = "";
    for (size_t left = 2; left > 0; left--) {
        struct body_status *status = calloc(1, sizeof *status);
        struct wire_request request;
        struct hc_arena arena = { 0 };
        struct json_refusal refusal;
        assert_non_null(status);
        wire_report(&what, body, 2000, &request);
        if (json_read(&body_status_table, request.body.data, request.body.len, false, &arena, status, &refusal) != HC_OK)
            fail_msg("%s: %s in %s", refusal.field, refusal.detail, request.body.data);
        const struct body_status_client *clients = status->paired_clients.items;
        assert_int_equal(status->paired_clients.count, left);
        assert_string_equal(clients[left - 1].uuid, left == 2 ? "u2" : "u1");
        assert_string_equal(clients[left - 1].name, left == 2 ? "a \"quoted\" name" : "hydra-node-1");
        assert_string_not_equal(status->paired_digest, before);
        HC_SET(before, status->paired_digest);
        hc_arena_free(&arena);
        wire_request_free(&request);
        free(status);
        assert_true(store_remove(&body->trust, left == 2 ? "u2" : "u1"));
    }
    body_free(body);
    free(body);
}

static void test_wire_out__ends_of_operations__read_as_sunshines_answers(void **state)
{
    (void)state;
    static const struct {
        enum operation op;
        bool failed, status;
        const char *error;
        enum operation_status says;
        size_t clients;
    } rows[] = {
        { OPERATION_LIST_CLIENTS, false, true, NULL, OPERATION_STATUS_TRUE, 2 },
        { OPERATION_UNPAIR, false, false, NULL, OPERATION_STATUS_FALSE, 0 },
        { OPERATION_SUBMIT_PIN, false, true, NULL, OPERATION_STATUS_TRUE, 0 },
        { OPERATION_RESTART, true, false, "session_live", OPERATION_STATUS_NONE, 0 },
    };
    struct body *body = body_with_clients();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        body->op_end = (struct body_op_end){ .op_id = "op-1", .op = rows[i].op, .failed = rows[i].failed, .status = rows[i].status,
                                             .error = rows[i].error };
        struct wire_request request;
        struct operation_result result;
        struct operation_output output = { 0 };
        struct hc_arena arena = { 0 };
        struct json_refusal refusal;
        wire_op_result(body, &request);
        assert_string_equal(request.path.data, "/api/v1/nodes/b1/ops/op-1/result");
        if (json_read(&operation_result_table, request.body.data, request.body.len, false, &arena, &result, &refusal) != HC_OK)
            fail_msg("%s: %s in %s", refusal.field, refusal.detail, request.body.data);
        assert_int_equal(result.state, rows[i].failed ? OPERATION_FAILED : OPERATION_DONE);
        assert_string_equal(result.error, rows[i].failed ? rows[i].error : "");
        if (result.output != NULL)
            assert_int_equal(operation_output_read(result.output, &arena, &output), HC_OK);
        assert_int_equal(output.status, rows[i].says);
        assert_int_equal(output.client_count, rows[i].clients);
        assert_int_equal(output.has_clients, rows[i].op == OPERATION_LIST_CLIENTS);
        hc_arena_free(&arena);
        wire_request_free(&request);
    }
    body_free(body);
    free(body);
}

static void test_wire_out__identity__reads_by_the_daemons_table(void **state)
{
    (void)state;
    struct device_certificate certificate;
    struct device_identity identity;
    struct wire_request request;
    struct hc_arena arena = { 0 };
    struct json_refusal refusal;
    assert_int_equal(device_certificate_new("node-1", &certificate), HC_OK);
    wire_identity("node-1", &certificate, &request);
    if (json_read(&device_identity_table, request.body.data, request.body.len, false, &arena, &identity, &refusal) != HC_OK)
        fail_msg("%s: %s in %s", refusal.field, refusal.detail, request.body.data);
    assert_string_equal(identity.device_uid, "35971be6e9bb024a");
    assert_string_equal(identity.cert_fingerprint, certificate.fingerprint);
    assert_string_equal(identity.cert_pem, certificate.pem.data);
    assert_int_equal(identity.not_after.ms, certificate.not_after.ms);
    hc_arena_free(&arena);
    wire_request_free(&request);
    device_certificate_free(&certificate);
}

static void test_wire_in__operation__kind_and_arguments_or_nothing(void **state)
{
    (void)state;
    struct body_op op;
    static const char unpair[] = "{\"op_id\":\"op-1\",\"op\":\"sunshine.unpair\",\"args\":{\"uuid\":\"u1\"}}";
    static const char list[] = "{\"op_id\":\"op-2\",\"op\":\"sunshine.list_clients\",\"args\":{}}";
    static const char *const bad[] = { "", "[]", "{\"op_id\":\"op-1\"}", "{\"op_id\":\"op-1\",\"op\":\"sh\"}",
                                      "{\"op\":\"sunshine.restart\"}" };
    assert_true(wire_operation(unpair, strlen(unpair), &op));
    assert_int_equal(op.op, OPERATION_UNPAIR);
    assert_string_equal(op.op_id, "op-1");
    assert_string_equal(op.args.uuid, "u1");
    assert_true(wire_operation(list, strlen(list), &op) && op.op == OPERATION_LIST_CLIENTS);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(wire_operation(bad[i], strlen(bad[i]), &op));
}

static void test_wire_in__directive__names_whom_to_remove_as_many_as_fit(void **state)
{
    (void)state;
    struct body_directive *got = calloc(1, sizeof *got);
    struct hc_buf text = { 0 };
    assert_non_null(got);
    hc_buf_str(&text, "{\"desired\":{\"digest\":\"d\",\"slots\":[]},"
                      "\"trust\":{\"desired_clients\":[{\"uuid\":null,\"name\":\"x\"}],\"remove\":[\"u0\"");
    for (unsigned i = 1; i <= BODY_REMOVE_MAX; i++)
        hc_buf_printf(&text, ",\"u%u\"", i);
    hc_buf_str(&text, "],\"max_clients\":150}}");
    assert_true(wire_directive(200, text.data, text.len, 1, got));
    assert_int_equal(got->remove_count, BODY_REMOVE_MAX);
    assert_string_equal(got->remove[0], "u0");
    assert_string_equal(got->remove[BODY_REMOVE_MAX - 1], "u31");
    hc_buf_free(&text);
    free(got);
}

static bool answer(enum head_call call, long status, const char *text, struct head_answer *ret)
{
    *ret = (struct head_answer){ 0 };
    return wire_head_answer(call, status, text, strlen(text), 3, ret);
}

static void test_wire_in__eligible__takes_the_first_body_that_nobody_streams_from(void **state)
{
    (void)state;
    struct head_answer got;
    assert_true(answer(HEAD_READ, 200, "[{\"id\":\"b1\",\"stream_count\":1},{\"id\":\"b2\",\"slot\":2,\"stream_count\":0}]", &got));
    assert_true(got.has_body && got.slot == 2);
    assert_string_equal(got.body_id, "b2");
    assert_true(answer(HEAD_READ, 200, "[]", &got));
    assert_false(got.has_body);
    assert_false(answer(HEAD_READ, 200, "{}", &got));
    assert_true(answer(HEAD_READ, 409, "{\"error\":\"no_slot_available\",\"reason\":\"no_slot\",\"retry_after_seconds\":10}", &got));
    assert_string_equal(got.error, "no_slot_available");
    assert_int_equal(got.retry_ms, 30000);
}

static void test_wire_in__claims__leases_tickets_and_losses(void **state)
{
    (void)state;
    struct head_answer got;
    assert_true(answer(HEAD_CLAIM, 201,
                       "{\"lease\":{\"id\":\"l1\",\"epoch\":4,\"slot\":1,\"state\":\"granted\",\"claim_token\":\"t\",\"ttl_seconds\":90,"
                       "\"renew_after_seconds\":20,\"stream_id\":\"s1\"},"
                       "\"body\":{\"id\":\"b1\",\"app_name\":\"x#1\",\"directive_applied\":true},"
                       "\"pair\":{\"required\":true,\"reason\":null}}",
                       &got));
    assert_true(got.has_lease && got.directive_applied && got.slot == 1 && got.ttl_ms == 270000 && got.renew_ms == 60000);
    assert_string_equal(got.claim_token, "t");
    assert_string_equal(got.app, "x#1");
    assert_true(answer(HEAD_CLAIM, 202, "{\"ticket\":{\"id\":\"t1\",\"stream_id\":\"s1\",\"position\":3,\"state\":\"waiting\"}}", &got));
    assert_true(got.has_ticket && !got.must_accept && got.position == 3);
    assert_true(answer(HEAD_ADMISSION, 200, "{\"lease\":null,\"ticket\":{\"state\":\"confirm_required\"},\"body\":null}", &got));
    assert_true(got.must_accept && !got.has_lease);
    assert_true(answer(HEAD_RENEW, 410, "{\"error\":\"lease_lost\",\"reason\":\"body_idle\",\"stream_id\":\"s1\"}", &got));
    assert_string_equal(got.reason, "body_idle");
    assert_true(answer(HEAD_STOP, 204, "", &got));
    assert_false(answer(HEAD_CLAIM, 201, "<html>", &got));
}

static void test_wire_in__directive__slots_actions_entries(void **state)
{
    (void)state;
    const char *text = "{\"terminate_stream\":true,\"desired\":{\"digest\":\"d1\",\"epoch_floor\":3,\"enforce\":\"enforce\","
                       "\"slots\":[{\"index\":0,\"action\":\"terminate\",\"lease_id\":\"l1\",\"epoch\":7,\"head_id\":null,\"protocol\":2,"
                       "\"app_entries\":[\"talk\",\"talk#1\"],\"evict\":[\"launch-1\"]}]},\"next_report_seconds\":5}";
    struct body_directive *got = calloc(1, sizeof *got);
    assert_non_null(got);
    assert_true(wire_directive(200, text, strlen(text), 2, got));
    assert_true(got->terminate_stream && got->enforce && got->next_report_ms == 10000 && got->wish_count == 1);
    assert_true(got->wishes[0].action == BODY_TERMINATE && got->wishes[0].epoch == 7 && got->wishes[0].entry_count == 2);
    assert_string_equal(got->wishes[0].entries[1], "talk#1");
    assert_string_equal(got->wishes[0].evict[0], "launch-1");
    assert_false(wire_directive(200, "{}", 2, 2, got));
    assert_true(wire_directive(503, "{}", 2, 2, got));
    free(got);
}

static void count_row(void *ctx, const struct wire_slot_row *row)
{
    size_t *divergences = ctx;
    *divergences += row->divergences;
}

static void test_wire_in__operators_lists__read(void **state)
{
    (void)state;
    const char *slots = "[{\"body_id\":\"b1\",\"slot\":0,\"epoch\":3,\"lease\":null,\"divergence\":[\"stale_report\"]}]";
    const char *queue = "[{\"head_id\":\"node-1\",\"position\":1},{\"head_id\":\"node-2\",\"position\":2,\"eta_seconds\":90}]";
    size_t divergences = 0, count = 0;
    assert_true(wire_slots(slots, strlen(slots), count_row, &divergences));
    assert_int_equal(divergences, 1);
    struct wire_place *places = calloc(WIRE_QUEUE_MAX, sizeof places[0]);
    assert_true(places != NULL && wire_queue(queue, strlen(queue), places, &count));
    assert_true(count == 2 && places[1].position == 2 && places[1].eta_ms == 90000);
    free(places);
    assert_true(wire_count(slots, strlen(slots), &count));
    assert_int_equal(count, 1);
    char words[200];
    const char *error = "{\"error\":\"bad_request\",\"detail\":\"The name is empty.\"}";
    wire_error(error, strlen(error), words);
    assert_string_equal(words, "bad_request: The name is empty.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wire_out__every_head_call__has_method_and_path),
        cmocka_unit_test(test_wire_out__bodies_of_calls__read_by_the_daemons_tables),
        cmocka_unit_test(test_wire_out__modern_report__names_boot_slots_sessions_and_real_seconds),
        cmocka_unit_test(test_wire_out__legacy_report__has_nothing_modern),
        cmocka_unit_test(test_wire_out__report__lists_paired_clients_and_a_digest_that_changes_with_them),
        cmocka_unit_test(test_wire_out__ends_of_operations__read_as_sunshines_answers),
        cmocka_unit_test(test_wire_out__identity__reads_by_the_daemons_table),
        cmocka_unit_test(test_wire_in__operation__kind_and_arguments_or_nothing),
        cmocka_unit_test(test_wire_in__directive__names_whom_to_remove_as_many_as_fit),
        cmocka_unit_test(test_wire_in__eligible__takes_the_first_body_that_nobody_streams_from),
        cmocka_unit_test(test_wire_in__claims__leases_tickets_and_losses),
        cmocka_unit_test(test_wire_in__directive__slots_actions_entries),
        cmocka_unit_test(test_wire_in__operators_lists__read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
