#include "asked.h"

#include <string.h>

static void assign(struct rig *r, const char *head, const char *body)
{
    rig_expect(r, "PUT", asked_path("/api/v1/heads/%s", head), RIG_ADMIN,
               asked_path("{\"head_body_id\":\"%s\",\"stream\":{\"stream_url\":\"moonlight://x\",\"stream_app_id\":\"%s\"}}", body,
                          RIG_EXPERIENCE),
               200, "", "");
}

static void test_config__unassigned_head__has_no_stream_block_and_changes_nothing(void **state)
{
    struct rig *r = *state;
    char body[HC_ID_SIZE], body_token[RIG_TOKEN_SIZE], head[HC_ID_SIZE], token[RIG_TOKEN_SIZE];
    struct reply reply;
    rig_body(r, "pickle", "north", body, body_token);
    rig_head(r, "tablet", "north", head, token);
    rig_report(r, body);
    rig_ask(r, "GET", asked_path("/api/v1/heads/%s", head), token, NULL, &reply);
    assert_int_equal(reply.status, 200);
    assert_string_equal(reply_text(&reply, "name"), "tablet");
    assert_string_equal(reply_text(&reply, "type"), "");
    assert_string_equal(reply_text(&reply, "district"), RIG_DISTRICT);
    assert_string_equal(reply_text(&reply, "venue"), "north");
    assert_null(json_object_get(reply.json, "stream"));
    assert_null(json_object_get(reply.json, "xr_client_hostname"));
    assert_false(reply_bool(&reply, "per_device_identity"));
    assert_int_equal(reply_count(&reply, "pairing_targets"), 1);
    assert_string_equal(reply_text(&reply, "pairing_targets[0].body_id"), body);
    assert_string_equal(reply_text(&reply, "pairing_targets[0].hosts[0]"), "192.168.1.40");
    assert_true(reply_null(&reply, "pairing_targets[0].server_cert_fp"));
    assert_true(reply_null(&reply, "status") && reply_null(&reply, "body_id") && reply_null(&reply, "diagnostics"));
    reply_free(&reply);
    rig_ask(r, "GET", asked_path("/api/v1/nodes/%s", head), RIG_ADMIN, NULL, &reply);
    assert_true(reply_null(&reply, "lease_id"));
    reply_free(&reply);
}

static void test_config__sunshine_credentials__go_to_the_head_itself_alone(void **state)
{
    struct rig *r = *state;
    char head[HC_ID_SIZE], token[RIG_TOKEN_SIZE];
    static const char *const others[] = { "admin", "read" };
    struct reply reply;
    rig_head(r, "tablet", "north", head, token);
    rig_ask(r, "GET", asked_path("/api/v1/heads/%s", head), token, NULL, &reply);
    assert_string_equal(reply_text(&reply, "sunshine_username"), "sunny");
    assert_string_equal(reply_text(&reply, "sunshine_password"), "shine");
    assert_true(reply_has(&reply, "Cache-Control: no-store"));
    reply_free(&reply);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        rig_ask(r, "GET", asked_path("/api/v1/heads/%s", head), i == 0 ? RIG_ADMIN : RIG_READ, NULL, &reply);
        assert_int_equal(reply.status, 200);
        assert_null(strstr(reply.body, "shine"));
        reply_free(&reply);
    }
    rig_expect(r, "PUT", asked_path("/api/v1/nodes/%s", head), RIG_ADMIN, "{\"district\":\"d2\"}", 200, "", "");
    rig_ask(r, "GET", asked_path("/api/v1/heads/%s", head), token, NULL, &reply);
    assert_null(strstr(reply.body, "shine"));
    reply_free(&reply);
}

static void test_config__assigned_head__fetch_is_a_claim_point_and_an_admins_look_is_not(void **state)
{
    struct rig *r = *state;
    char body[HC_ID_SIZE], body_token[RIG_TOKEN_SIZE], head[HC_ID_SIZE], token[RIG_TOKEN_SIZE];
    struct reply reply;
    rig_body(r, "pickle", "north", body, body_token);
    rig_head(r, "tablet", "north", head, token);
    rig_report(r, body);
    assign(r, head, body);
    rig_ask(r, "HEAD", asked_path("/api/v1/heads/%s", head), token, NULL, &reply);      /* shows no body: no claim */
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
    rig_ask(r, "GET", asked_path("/api/v1/heads/%s", head), RIG_ADMIN, NULL, &reply);
    assert_null(json_object_get(reply.json, "stream"));
    reply_free(&reply);
    rig_ask(r, "GET", asked_path("/api/v1/heads/%s", head), token, NULL, &reply);
    assert_string_equal(reply_text(&reply, "stream.stream_url"), "moonlight://x");
    assert_string_equal(reply_text(&reply, "stream.stream_app_id"), RIG_EXPERIENCE);
    assert_string_equal(reply_text(&reply, "stream.stream_url_lan"), "");
    reply_free(&reply);
    rig_ask(r, "GET", asked_path("/api/v1/heads/%s", head), RIG_ADMIN, NULL, &reply);
    assert_string_equal(reply_text(&reply, "stream.stream_url"), "moonlight://x");
    reply_free(&reply);
    rig_expect(r, "PUT", asked_path("/api/v1/heads/%s", head), RIG_ADMIN, "{\"stream\":{}}", 200, "", "");
    rig_ask(r, "GET", asked_path("/api/v1/heads/%s", head), token, NULL, &reply);
    assert_null(json_object_get(reply.json, "stream"));
    reply_free(&reply);
}

static void test_config__assigned_body_taken__has_no_stream_block(void **state)
{
    struct rig *r = *state;
    char body[HC_ID_SIZE], body_token[RIG_TOKEN_SIZE], head[HC_ID_SIZE], token[RIG_TOKEN_SIZE];
    char other[HC_ID_SIZE], other_token[RIG_TOKEN_SIZE];
    struct reply reply;
    rig_body(r, "pickle", "north", body, body_token);
    rig_head(r, "tablet", "north", head, token);
    rig_head(r, "other", "north", other, other_token);
    rig_report(r, body);
    rig_read(r, other_token, &reply);
    reply_free(&reply);
    assign(r, head, body);
    rig_ask(r, "GET", asked_path("/api/v1/heads/%s", head), token, NULL, &reply);
    assert_int_equal(reply.status, 200);
    assert_null(json_object_get(reply.json, "stream"));
    reply_free(&reply);
}

static void test_config__assigned_body_about_to_be_free__fetch_waits_for_it(void **state)
{
    struct rig *r = *state;
    char body[HC_ID_SIZE], body_token[RIG_TOKEN_SIZE], head[HC_ID_SIZE], token[RIG_TOKEN_SIZE];
    char other[HC_ID_SIZE], other_token[RIG_TOKEN_SIZE];
    struct reply reply;
    rig_body(r, "pickle", "north", body, body_token);
    rig_head(r, "tablet", "north", head, token);
    rig_head(r, "other", "north", other, other_token);
    rig_report(r, body);
    rig_read(r, other_token, &reply);
    reply_free(&reply);
    assign(r, head, body);
    rig_expect(r, "DELETE", asked_path("/api/v1/heads/%s/stream", other), other_token, NULL, 204, "", "");
    int fd = rig_start(r, "GET", asked_path("/api/v1/heads/%s", head), token, NULL);
    rig_parked(r, "slot", 1);
    rig_report(r, body);
    rig_answer(r, fd, &reply);
    assert_string_equal(reply_text(&reply, "stream.stream_app_id"), RIG_EXPERIENCE);
    reply_free(&reply);
}

static void test_experiences__by_mode_and_venue__are_those_of_the_head(void **state)
{
    struct rig *r = *state;
    char head[HC_ID_SIZE], token[RIG_TOKEN_SIZE], path[128];
    struct reply made, reply;
    rig_head(r, "tablet", "north", head, token);
    rig_ask(r, "POST", "/api/v1/heads", RIG_FLEET, "{\"name\":\"quest\",\"type\":\"hydraheadquest\",\"venue\":\"south\"}", &made);
    rig_expect(r, "PUT", "/api/v1/experiences/everywhere", RIG_ADMIN, "{\"label\":\"Every\",\"enable_microphone\":true}", 200, "", "");
    rig_expect(r, "PUT", "/api/v1/experiences/flying", RIG_ADMIN, "{\"stream_mode\":\"xr\"}", 200, "", "");
    rig_expect(r, "PUT", "/api/v1/experiences/northern", RIG_ADMIN, "{\"venues\":[\"north\"],\"orientation\":\"portrait\"}", 200, "", "");
    rig_ask(r, "GET", asked_path("/api/v1/heads/%s/experiences", head), token, NULL, &reply);
    assert_int_equal(reply_count(&reply, ""), 2);
    assert_string_equal(reply_text(&reply, "[0].name"), "everywhere");
    assert_string_equal(reply_text(&reply, "[0].label"), "Every");
    assert_true(reply_bool(&reply, "[0].enable_microphone"));
    assert_string_equal(reply_text(&reply, "[1].label"), "northern");
    assert_string_equal(reply_text(&reply, "[1].orientation"), "portrait");
    reply_free(&reply);
    hc_copy(path, sizeof path, asked_path("/api/v1/heads/%s/experiences", reply_text(&made, "head_id")));
    rig_ask(r, "GET", path, reply_text(&made, "token"), NULL, &reply);
    assert_int_equal(reply_count(&reply, ""), 2);
    assert_string_equal(reply_text(&reply, "[1].name"), "flying");
    assert_string_equal(reply_text(&reply, "[1].stream_mode"), "xr");
    reply_free(&reply);
    reply_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(test_config__unassigned_head__has_no_stream_block_and_changes_nothing),
        RIG_TEST(test_config__sunshine_credentials__go_to_the_head_itself_alone),
        RIG_TEST(test_config__assigned_head__fetch_is_a_claim_point_and_an_admins_look_is_not),
        RIG_TEST(test_config__assigned_body_taken__has_no_stream_block),
        RIG_TEST(test_config__assigned_body_about_to_be_free__fetch_waits_for_it),
        RIG_TEST(test_experiences__by_mode_and_venue__are_those_of_the_head),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
