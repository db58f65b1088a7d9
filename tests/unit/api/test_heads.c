#include "asked.h"

#include <stdio.h>
#include <string.h>

static void test_heartbeat__of_the_head__is_seen_and_renews(void **state)
{
    struct rig *r = *state;
    char head[HC_ID_SIZE], token[RIG_TOKEN_SIZE];
    struct reply reply;
    rig_head(r, "tablet", "north", head, token);
    rig_ask(r, "PUT", asked_path("/api/v1/heads/%s", head), token,
            "{\"status\":\"streaming\",\"body_id\":null,\"diagnostics\":{\"latency_ms\":\"12\",\"wireguard\":\"up 3 days\"},"
            "\"protocol_version\":2,\"stream\":{\"stream_url\":7},\"head_body_id\":[],\"name\":\"other\"}", &reply);
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
    rig_ask(r, "GET", asked_path("/api/v1/heads/%s", head), RIG_ADMIN, NULL, &reply);
    assert_string_equal(reply_text(&reply, "status"), "streaming");
    assert_string_equal(reply_text(&reply, "name"), "tablet");
    assert_true(reply_null(&reply, "body_id"));
    assert_string_equal(reply_text(&reply, "diagnostics.latency_ms"), "12");
    reply_free(&reply);
}

static void test_heartbeat__starting__moves_the_hold_to_pairing(void **state)
{
    struct rig *r = *state;
    char body[HC_ID_SIZE], body_token[RIG_TOKEN_SIZE], head[HC_ID_SIZE], token[RIG_TOKEN_SIZE];
    struct reply reply;
    rig_body(r, "pickle", "north", body, body_token);
    rig_head(r, "tablet", "north", head, token);
    rig_report(r, body);
    rig_read(r, token, &reply);
    reply_free(&reply);
    rig_expect(r, "PUT", asked_path("/api/v1/heads/%s", head), token, "{\"status\":\"starting\",\"body_id\":null}", 200, "", "");
    rig_ask(r, "GET", asked_path("/api/v1/heads/%s/admission", head), token, NULL, &reply);
    assert_string_equal(reply_text(&reply, "lease.state"), "pairing");
    reply_free(&reply);
}

static void test_heads__bad_input__is_refused_by_field(void **state)
{
    struct rig *r = *state;
    char body[HC_ID_SIZE], body_token[RIG_TOKEN_SIZE], head[HC_ID_SIZE], token[RIG_TOKEN_SIZE];
    rig_body(r, "pickle", "north", body, body_token);
    rig_head(r, "tablet", "north", head, token);
#define H "/api/v1/heads/{h}"
    const struct asked rows[] = {
        { "PUT", H, token,     "{\"status\":\"012345678901234567890123456789012\"}", 400, "bad_request", "status" },
        { "PUT", H, token,     "{\"body_id\":\"a b\"}",                              400, "bad_request", "body_id" },
        { "PUT", H, token,     "{\"lease_state\":\"flying\"}",                       400, "bad_request", "lease_state" },
        { "PUT", H, token,     "{\"protocol_version\":\"2\"}",                       400, "bad_request", "protocol_version" },
        { "PUT", H, token,     "{\"pairing_protocol\":-1}",                          400, "bad_request", "pairing_protocol" },
        { "PUT", H, token,     "{\"stream_id\":5}",                                  400, "bad_request", "stream_id" },
        { "PUT", H, RIG_ADMIN, "{\"stream\":{\"stream_url\":7}}",                    400, "bad_request", "stream.stream_url" },
        { "PUT", H, RIG_ADMIN, "{\"stream\":[]}",                                    400, "bad_request", "stream" },
        { "PUT", H, RIG_ADMIN, "{\"head_body_id\":\"a b\"}",                         400, "bad_request", "head_body_id" },
        { "PUT", H, RIG_ADMIN, "{\"head_body_id\":\"none\"}",                        400, "bad_request", "head_body_id" },
        { "PUT", H, RIG_ADMIN, "{\"head_body_id\":null,\"stream\":null}",            200, "", "" },
        { "PUT", "/api/v1/heads/{b}", RIG_ADMIN, "{}",                               404, "node_not_found", "" },
        { "GET", "/api/v1/heads/none", RIG_ADMIN, NULL,                              404, "node_not_found", "" },
        { "GET", H "/commands", token, NULL,                                         200, "", "" },
        { "GET", H "/xr-session", token, NULL,                                       404, "not_found", "" },
        { "POST", H "/xr-session", token, "{}",                                      400, "bad_request", "body_id" },
        { "PUT", H "/xr-session", token, "{}",                                       405, "method_not_allowed", "" },
        { "POST", H "/screenshot", token, NULL,                                      415, "unsupported_media_type", "" },
        { "GET", "/api/v1/heads/{b}/commands", body_token, NULL,                     404, "node_not_found", "" },
    };
#undef H
    asked_all(r, rows, sizeof rows / sizeof rows[0], head, body);
}

static void test_heartbeat__diagnostics_over_8_kib__are_refused(void **state)
{
    struct rig *r = *state;
    char head[HC_ID_SIZE], token[RIG_TOKEN_SIZE], body[DIAGNOSTICS_MAX + 64];
    rig_head(r, "tablet", "north", head, token);
    memset(body, 'x', sizeof body);
    int start = snprintf(body, 32, "{\"diagnostics\":{\"a\":\"");
    body[start] = 'x';
    (void)snprintf(body + sizeof body - 8, 8, "\"}}");
    rig_expect(r, "PUT", asked_path("/api/v1/heads/%s", head), token, body, 400, "bad_request", "diagnostics");
}

static void test_commands__always__say_no_screenshot(void **state)
{
    struct rig *r = *state;
    char head[HC_ID_SIZE], token[RIG_TOKEN_SIZE];
    struct reply reply;
    rig_head(r, "tablet", "north", head, token);
    rig_ask(r, "GET", asked_path("/api/v1/heads/%s/commands", head), token, NULL, &reply);
    assert_string_equal(reply.body, "{\"screenshot\":false}");
    reply_free(&reply);
}

static const char *lease_of(struct rig *r, const char *head, char out[HC_ID_SIZE])
{
    struct reply reply;
    rig_ask(r, "GET", asked_path("/api/v1/nodes/%s", head), RIG_ADMIN, NULL, &reply);
    hc_copy(out, HC_ID_SIZE, reply_null(&reply, "lease_id") ? "" : reply_text(&reply, "lease_id"));
    reply_free(&reply);
    return out;
}

static void test_stream_delete__by_the_head__ends_its_own_lease_and_is_always_2xx(void **state)
{
    struct rig *r = *state;
    char body[HC_ID_SIZE], body_token[RIG_TOKEN_SIZE], head[HC_ID_SIZE], token[RIG_TOKEN_SIZE], lease[HC_ID_SIZE];
    static const char *const kept[] = { "{\"body_id\":\"node-00000000\"}", "{\"body_id\":\"no id at all\"}", "{\"body_id\":7}" };
    struct reply reply;
    rig_body(r, "pickle", "north", body, body_token);
    rig_head(r, "tablet", "north", head, token);
    const char *path = asked_path("/api/v1/heads/%s/stream", head);
    rig_expect(r, "DELETE", path, token, NULL, 204, "", "");                /* without a lease, too */
    rig_report(r, body);
    rig_read(r, token, &reply);
    reply_free(&reply);
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        rig_expect(r, "DELETE", path, token, kept[i], 204, "", "");
        assert_string_not_equal(lease_of(r, head, lease), "");
    }
    rig_ask_raw(r, "DELETE", path, token, "Content-Type: text/plain\r\n", "{", 1, &reply);
    assert_int_equal(reply.status, 204);
    reply_free(&reply);
    assert_string_equal(lease_of(r, head, lease), "");
    rig_expect(r, "DELETE", path, token, NULL, 204, "", "");
    rig_expect(r, "DELETE", path, RIG_ADMIN, "{", 400, "bad_request", "body");
    rig_expect(r, "DELETE", path, RIG_ADMIN, NULL, 204, "", "");
}

static void test_wireguard__put_by_an_admin__is_the_heads_to_read(void **state)
{
    struct rig *r = *state;
    char head[HC_ID_SIZE], token[RIG_TOKEN_SIZE], large[WIREGUARD_MAX + 2];
    struct reply reply;
    static const char text[] = "[Interface]\nAddress = 10.0.0.2/32\n";
    rig_head(r, "tablet", "north", head, token);
    const char *path = asked_path("/api/v1/heads/%s/wireguard-config", head);
    rig_expect(r, "GET", path, token, NULL, 404, "not_found", "");
    rig_ask_raw(r, "PUT", path, RIG_ADMIN, "Content-Type: text/plain\r\n", text, sizeof text - 1, &reply);
    assert_int_equal(reply.status, 204);
    reply_free(&reply);
    rig_ask(r, "GET", path, token, NULL, &reply);
    assert_int_equal(reply.status, 200);
    assert_string_equal(reply.body, text);
    assert_true(reply_has(&reply, "Content-Type: text/plain") && reply_has(&reply, "Cache-Control: no-store"));
    reply_free(&reply);
    rig_expect(r, "PUT", path, token, "x", 403, "forbidden", "");
    memset(large, 'x', sizeof large - 1);
    large[sizeof large - 1] = '\0';
    rig_expect(r, "PUT", path, RIG_ADMIN, large, 400, "bad_request", "body");
    rig_expect(r, "PUT", path, RIG_ADMIN, "\xff\xfe", 400, "bad_request", "body");
    rig_expect(r, "PUT", path, RIG_ADMIN, "", 204, "", "");
    rig_expect(r, "GET", path, token, NULL, 404, "not_found", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(test_heartbeat__of_the_head__is_seen_and_renews),
        RIG_TEST(test_heartbeat__starting__moves_the_hold_to_pairing),
        RIG_TEST(test_heads__bad_input__is_refused_by_field),
        RIG_TEST(test_heartbeat__diagnostics_over_8_kib__are_refused),
        RIG_TEST(test_commands__always__say_no_screenshot),
        RIG_TEST(test_stream_delete__by_the_head__ends_its_own_lease_and_is_always_2xx),
        RIG_TEST(test_wireguard__put_by_an_admin__is_the_heads_to_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
