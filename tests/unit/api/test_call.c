#include "asked.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BODY_TOO_LARGE (HTTP_BODY_MAX + 1)

static void test_pipeline__unknown_route_and_method__404_and_405(void **state)
{
    struct rig *r = *state;
    struct reply reply;
    rig_expect(r, "GET", "/api/v1/nothing", RIG_ADMIN, NULL, 404, "not_found", "");
    rig_expect(r, "GET", "/api/v1/nothing", NULL, NULL, 404, "not_found", "");
    rig_ask(r, "PATCH", "/api/v1/nodes", NULL, NULL, &reply);
    assert_int_equal(reply.status, 405);
    assert_true(reply_has(&reply, "Allow: POST, GET, HEAD\r\n"));
    assert_string_equal(reply_text(&reply, "error"), "method_not_allowed");
    reply_free(&reply);
}

static void test_pipeline__tokens__401_403_and_scopes(void **state)
{
    struct rig *r = *state;
    char head[HC_ID_SIZE], head_token[RIG_TOKEN_SIZE], other[HC_ID_SIZE], other_token[RIG_TOKEN_SIZE];
    struct reply reply;
    rig_head(r, "one", "north", head, head_token);
    rig_head(r, "two", "north", other, other_token);
    const struct asked rows[] = {
        { "GET",    "/api/v1/nodes",                  NULL,        NULL, 401, "unauthorized", "" },
        { "GET",    "/api/v1/nodes",                  "wrong",     NULL, 401, "unauthorized", "" },
        { "GET",    "/api/v1/nodes",                  RIG_READ,    NULL, 200, "",             "" },
        { "GET",    "/api/v1/nodes",                  RIG_FLEET,   NULL, 403, "forbidden",    "" },
        { "GET",    "/api/v1/nodes",                  head_token,  NULL, 403, "forbidden",    "" },
        { "PUT",    "/api/v1/nodes/{h}",              RIG_READ,    "{}", 403, "forbidden",    "" },
        { "DELETE", "/api/v1/nodes/{h}",              RIG_READ,    NULL, 403, "forbidden",    "" },
        { "GET",    "/api/v1/heads/{h}/commands",     other_token, NULL, 403, "forbidden",    "" },
        { "PUT",    "/api/v1/heads/{h}",              other_token, "{}", 403, "forbidden",    "" },
        { "POST",   "/api/v1/heads/{h}/slot-claims",  other_token, "{}", 403, "forbidden",    "" },
        { "DELETE", "/api/v1/heads/{h}/stream",       other_token, NULL, 403, "forbidden",    "" },
        { "GET",    "/api/v1/heads/{h}/commands",     RIG_ADMIN,   NULL, 403, "forbidden",    "" },
        { "GET",    "/api/v1/heads/{h}/wireguard-config", RIG_READ, NULL, 403, "forbidden",   "" },
        { "POST",   "/api/v1/heads",                  RIG_ADMIN,   "{}", 403, "forbidden",    "" },
        { "GET",    "/api/v1/heads/{h}/commands",     head_token,  NULL, 200, "",             "" },
    };
    asked_all(r, rows, sizeof rows / sizeof rows[0], head, "");
    rig_ask(r, "GET", "/api/v1/nodes", NULL, NULL, &reply);
    assert_true(reply_has(&reply, "WWW-Authenticate: Bearer"));
    reply_free(&reply);
}

static void test_pipeline__denied_and_pending_nodes__are_refused_everywhere(void **state)
{
    struct rig *r = *state;
    char head[HC_ID_SIZE], token[RIG_TOKEN_SIZE], path[128];
    struct reply reply;
    rig_head(r, "one", "north", head, token);
    rig_expect(r, "PUT", asked_path("/api/v1/nodes/%s", head), RIG_ADMIN, "{\"approval\":\"denied\"}", 200, "", "");
    (void)snprintf(path, sizeof path, "/api/v1/heads/%s/commands", head);
    rig_expect(r, "GET", path, token, NULL, 403, "node_denied", "");
    rig_expect(r, "GET", "/api/v1/bodies/eligible", token, NULL, 403, "node_denied", "");
    rig_expect(r, "PUT", asked_path("/api/v1/nodes/%s", head), RIG_ADMIN, "{\"approval\":\"approved\"}", 200, "", "");
    rig_expect(r, "GET", path, token, NULL, 200, "", "");

    r->config.enrol_pending = true;
    api_configure(r->api, &r->config);
    rig_ask(r, "POST", "/api/v1/heads", RIG_FLEET, "{\"name\":\"waits\"}", &reply);
    assert_int_equal(reply.status, 201);
    (void)snprintf(path, sizeof path, "/api/v1/heads/%s/commands", reply_text(&reply, "head_id"));
    rig_expect(r, "GET", path, reply_text(&reply, "token"), NULL, 403, "not_approved", "");
    reply_free(&reply);
}

static void test_pipeline__order__scope_then_size_then_type_then_node_then_body(void **state)
{
    struct rig *r = *state;
    char head[HC_ID_SIZE], token[RIG_TOKEN_SIZE], path[128];
    struct reply reply;
    char *large = malloc(BODY_TOO_LARGE);
    assert_non_null(large);
    memset(large, 'x', BODY_TOO_LARGE);
    rig_head(r, "one", "north", head, token);
    (void)snprintf(path, sizeof path, "/api/v1/heads/%s", head);
    rig_ask_raw(r, "PUT", path, NULL, "Content-Type: text/plain\r\n", large, BODY_TOO_LARGE, &reply);
    assert_int_equal(reply.status, 401);
    reply_free(&reply);
    rig_ask_raw(r, "PUT", path, token, "Content-Type: text/plain\r\n", large, BODY_TOO_LARGE, &reply);
    assert_int_equal(reply.status, 413);
    reply_free(&reply);
    rig_ask_raw(r, "PUT", "/api/v1/heads/none", RIG_ADMIN, "Content-Type: text/plain\r\n", "{", 1, &reply);
    assert_int_equal(reply.status, 415);
    assert_string_equal(reply_text(&reply, "error"), "unsupported_media_type");
    reply_free(&reply);
    rig_expect(r, "PUT", "/api/v1/heads/none", RIG_ADMIN, "{", 404, "node_not_found", "");
    rig_expect(r, "PUT", path, token, "{", 400, "bad_request", "body");
    rig_expect(r, "PUT", path, token, "{\"status\":7}", 400, "bad_request", "status");
    free(large);
}

static void test_pipeline__content_types__json_and_silence_are_read(void **state)
{
    struct rig *r = *state;
    char head[HC_ID_SIZE], token[RIG_TOKEN_SIZE], path[128];
    static const struct { const char *headers; int status; } rows[] = {
        { "Content-Type: application/json\r\n", 200 }, { "Content-Type: application/json; charset=utf-8\r\n", 200 },
        { "Content-Type: Application/JSON\r\n", 200 }, { "", 200 }, { "Content-Type: application/problem+json\r\n", 200 },
        { "Content-Type: application/jsonx\r\n", 415 }, { "Content-Type: application/x-www-form-urlencoded\r\n", 415 },
    };
    rig_head(r, "one", "north", head, token);
    (void)snprintf(path, sizeof path, "/api/v1/heads/%s", head);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct reply reply;
        rig_ask_raw(r, "PUT", path, token, rows[i].headers, "{\"status\":\"idle\"}", 17, &reply);
        assert_int_equal(reply.status, rows[i].status);
        reply_free(&reply);
    }
}

static void test_pipeline__head_method__answers_like_get_without_a_body(void **state)
{
    struct rig *r = *state;
    struct reply reply;
    rig_ask(r, "HEAD", "/api/v1/nodes", RIG_ADMIN, NULL, &reply);
    assert_int_equal(reply.status, 200);
    assert_int_equal(reply.body_len, 0);
    assert_true(reply_has(&reply, "Content-Length: 2\r\n"));
    reply_free(&reply);
}

static void test_pipeline__ids_outside_their_alphabet__400_with_the_place(void **state)
{
    struct rig *r = *state;
    const struct asked rows[] = {
        { "GET",    "/api/v1/nodes/a%20b",                             RIG_ADMIN, NULL, 400, "bad_request", "id" },
        { "GET",    "/api/v1/heads/a%3Bb",                             RIG_ADMIN, NULL, 400, "bad_request", "id" },
        { "DELETE", "/api/v1/heads/x/slot-claims/a%20b",               RIG_ADMIN, NULL, 400, "bad_request", "lease_id" },
        { "GET",    "/api/v1/heads/x/streams/%C3%A9",                  RIG_ADMIN, NULL, 400, "bad_request", "stream_id" },
        { "GET",    "/api/v1/bodies/eligible?head_id=a%20b",           RIG_ADMIN, NULL, 400, "bad_request", "head_id" },
        { "GET",    "/api/v1/bodies/eligible?experience=a%0Ab",        RIG_ADMIN, NULL, 400, "bad_request", "experience" },
        { "GET",    "/api/v1/streams?limit=1001",                      RIG_ADMIN, NULL, 400, "bad_request", "limit" },
        { "GET",    "/api/v1/streams?limit=x",                         RIG_ADMIN, NULL, 400, "bad_request", "limit" },
        { "GET",    "/api/v1/streams?limit=99999999999",               RIG_ADMIN, NULL, 400, "bad_request", "limit" },
    };
    asked_all(r, rows, sizeof rows / sizeof rows[0], "", "");
}

static void test_pipeline__store_that_fails__503_with_retry_after_and_nothing_kept(void **state)
{
    struct rig *r = *state;
    struct reply reply;
    rig_store_fails(r, true);
    rig_ask(r, "POST", "/api/v1/nodes", RIG_ADMIN, "{\"name\":\"x\",\"roles\":[\"head\"]}", &reply);
    assert_int_equal(reply.status, 503);
    assert_string_equal(reply_text(&reply, "error"), "store_unavailable");
    assert_true(reply_has(&reply, "Retry-After: 5\r\n"));
    reply_free(&reply);
    rig_ask(r, "POST", "/api/v1/nodes", RIG_ADMIN, "{\"name\":\"y\",\"roles\":[\"head\"]}", &reply);
    assert_int_equal(reply.status, 503);
    assert_true(reply_has(&reply, "Retry-After: "));
    reply_free(&reply);
    rig_store_fails(r, false);
    rig_ask(r, "GET", "/api/v1/nodes", RIG_ADMIN, NULL, &reply);
    assert_int_equal(reply_count(&reply, ""), 0);
    reply_free(&reply);
}

static void test_pipeline__save_that_hangs__answer_waits_and_is_late_at_last(void **state)
{
    struct rig *r = *state;
    struct reply reply;
    r->core.timers.commit_wait_ms = 300;
    rig_store_hangs(r, true);
    int fd = rig_start(r, "POST", "/api/v1/nodes", RIG_ADMIN, "{\"name\":\"x\",\"roles\":[\"head\"]}");
    rig_parked(r, "commit", 1);
    rig_answer(r, fd, &reply);
    assert_int_equal(reply.status, 503);
    assert_string_equal(reply_text(&reply, "error"), "store_unavailable");
    reply_free(&reply);
    rig_parked(r, "commit", 0);
    rig_store_hangs(r, false);
}

/* wire §0: a body that is not JSON is 415, one that is malformed is 400, on routes that read none too. */
static void test_call__body_that_the_route_does_not_read__must_be_json(void **state)
{
    struct rig *r = *state;
    char b[HC_ID_SIZE], h[HC_ID_SIZE], token[RIG_TOKEN_SIZE], head_token[RIG_TOKEN_SIZE];
    rig_body(r, "b1", "north", b, token);
    rig_head(r, "h1", "north", h, head_token);
    const struct asked rows[] = {
        { "DELETE", "/api/v1/nodes/{b}/drain",          RIG_ADMIN,  "{",       400, "bad_request", "body" },
        { "DELETE", "/api/v1/nodes/{b}/drain",          RIG_ADMIN,  "[]",      400, "bad_request", "body" },
        { "DELETE", "/api/v1/nodes/{b}/drain",          RIG_ADMIN,  "{\"a\":1}", 204, "",          "" },
        { "POST",   "/api/v1/nodes/{b}/circuit/reset",  RIG_ADMIN,  "junk",    400, "bad_request", "body" },
        { "POST",   "/api/v1/nodes/{b}/circuit/reset",  RIG_ADMIN,  "",        204, "",            "" },
        { "POST",   "/api/v1/nodes/{b}/token",          RIG_ADMIN,  "junk",    400, "bad_request", "body" },
        { "POST",   "/api/v1/heads/{h}/admission/accept", head_token, "junk",  400, "bad_request", "body" },
        { "DELETE", "/api/v1/venues/north",             RIG_ADMIN,  "junk",    400, "bad_request", "body" },
        { "DELETE", "/api/v1/nodes/{h}",                RIG_ADMIN,  "junk",    400, "bad_request", "body" },
        { "DELETE", "/api/v1/nodes/none",               RIG_ADMIN,  "junk",    404, "node_not_found", "" },
        { "DELETE", "/api/v1/heads/{h}/stream",         head_token, "junk",    204, "",            "" },
    };
    struct reply reply;
    asked_all(r, rows, sizeof rows / sizeof rows[0], h, b);
    rig_ask_raw(r, "DELETE", asked_path("/api/v1/nodes/%s/drain", b), RIG_ADMIN, "Content-Type: text/plain\r\n", "junk", 4, &reply);
    assert_int_equal(reply.status, 415);
    reply_free(&reply);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(test_pipeline__unknown_route_and_method__404_and_405),
        RIG_TEST(test_pipeline__tokens__401_403_and_scopes),
        RIG_TEST(test_pipeline__denied_and_pending_nodes__are_refused_everywhere),
        RIG_TEST(test_pipeline__order__scope_then_size_then_type_then_node_then_body),
        RIG_TEST(test_pipeline__content_types__json_and_silence_are_read),
        RIG_TEST(test_pipeline__head_method__answers_like_get_without_a_body),
        RIG_TEST(test_pipeline__ids_outside_their_alphabet__400_with_the_place),
        RIG_TEST(test_pipeline__store_that_fails__503_with_retry_after_and_nothing_kept),
        RIG_TEST(test_pipeline__save_that_hangs__answer_waits_and_is_late_at_last),
        RIG_TEST(test_call__body_that_the_route_does_not_read__must_be_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
