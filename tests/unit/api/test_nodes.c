#include "asked.h"

#include <string.h>

#include "hydra/crypto/digest.h"

static void test_heads_post__names_and_kinds__are_the_legacy_ones(void **state)
{
    struct rig *r = *state;
    struct reply first, second, third;
    rig_ask(r, "POST", "/api/v1/heads", RIG_FLEET, NULL, &first);
    rig_ask(r, "POST", "/api/v1/heads", RIG_FLEET, "{}", &second);
    rig_ask(r, "POST", "/api/v1/heads", RIG_FLEET, "{\"name\":\"quest\",\"type\":\"hydraheadquest\",\"venue\":\"north\",\"more\":[1]}",
            &third);
    assert_int_equal(first.status, 201);
    assert_int_equal(second.status, 201);
    assert_int_equal(third.status, 201);
    assert_true(strncmp(reply_text(&first, "head_id"), "node-", 5) == 0 && strlen(reply_text(&first, "head_id")) == 13);
    assert_int_equal(strlen(reply_text(&first, "token")), 43);
    assert_string_equal(reply_text(&first, "server_url"), "http://cluster.example");
    assert_true(reply_has(&first, "Cache-Control: no-store"));
    struct reply list;
    rig_ask(r, "GET", asked_path("/api/v1/nodes/%s", reply_text(&second, "head_id")), RIG_READ, NULL, &list);
    assert_string_equal(reply_text(&list, "name"), "ipad-head-2");
    assert_string_equal(reply_text(&list, "kind"), "hydraheadipad");
    assert_string_equal(reply_text(&list, "district"), RIG_DISTRICT);
    reply_free(&list);
    rig_ask(r, "GET", asked_path("/api/v1/nodes/%s", reply_text(&third, "head_id")), RIG_READ, NULL, &list);
    assert_string_equal(reply_text(&list, "kind"), "hydraheadquest");
    assert_string_equal(reply_text(&list, "venue"), "north");
    reply_free(&list);
    reply_free(&first);
    reply_free(&second);
    reply_free(&third);
}

static void test_nodes__record__has_every_key_and_no_secret(void **state)
{
    struct rig *r = *state;
    char body[HC_ID_SIZE], token[RIG_TOKEN_SIZE], head[HC_ID_SIZE], head_token[RIG_TOKEN_SIZE], hash[HC_HASH_SIZE];
    struct reply reply;
    rig_body(r, "pickle", "north", body, token);
    rig_head(r, "tablet", "north", head, head_token);
    rig_report(r, body);
    rig_ask(r, "GET", asked_path("/api/v1/nodes/%s", body), RIG_ADMIN, NULL, &reply);
    assert_int_equal(reply.status, 200);
    assert_string_equal(reply_text(&reply, "id"), body);
    assert_string_equal(reply_text(&reply, "name"), "pickle");
    assert_string_equal(reply_text(&reply, "body_version"), "1.0");
    assert_true(reply_bool(&reply, "online"));
    assert_true(reply_null(&reply, "status") && reply_null(&reply, "arch") && reply_null(&reply, "lease_id"));
    assert_string_equal(reply_text(&reply, "roles[0]"), "body");
    assert_string_equal(reply_text(&reply, "approval"), "approved");
    assert_string_equal(reply_text(&reply, "body.enforce"), "observe");
    assert_string_equal(reply_text(&reply, "body.home_venue_reserve"), "auto");
    assert_true(reply_bool(&reply, "body.modern"));
    crypto_sha256_hex(token, strlen(token), hash);
    assert_null(strstr(reply.body, token));
    assert_null(strstr(reply.body, hash));
    reply_free(&reply);
    rig_ask(r, "GET", "/api/v1/nodes", RIG_READ, NULL, &reply);
    assert_int_equal(reply_count(&reply, ""), 2);
    reply_free(&reply);
    rig_ask(r, "GET", "/api/v1/heads", RIG_READ, NULL, &reply);
    assert_int_equal(reply_count(&reply, ""), 1);
    assert_string_equal(reply_text(&reply, "[0].id"), head);
    assert_true(reply_null(&reply, "[0].body"));
    reply_free(&reply);
}

static void test_nodes_put__named_fields__change_alone(void **state)
{
    struct rig *r = *state;
    char head[HC_ID_SIZE], token[RIG_TOKEN_SIZE];
    struct reply reply;
    rig_head(r, "tablet", "north", head, token);
    rig_ask(r, "PUT", asked_path("/api/v1/nodes/%s", head), RIG_ADMIN,
            "{\"venue\":\"south\",\"owner\":\"\",\"roles\":[\"head\",\"body\"],\"token\":\"mine\",\"name\":null}", &reply);
    assert_int_equal(reply.status, 200);
    assert_string_equal(reply_text(&reply, "venue"), "south");
    assert_string_equal(reply_text(&reply, "name"), "tablet");
    assert_true(reply_null(&reply, "owner"));
    assert_int_equal(reply_count(&reply, "roles"), 2);
    assert_int_equal(reply_int(&reply, "body.slots_total"), 1);
    reply_free(&reply);
    rig_expect(r, "GET", asked_path("/api/v1/heads/%s/commands", head), token, NULL, 200, "", "");
}

static void test_nodes__delete__refused_with_a_lease_unless_forced(void **state)
{
    struct rig *r = *state;
    char body[HC_ID_SIZE], body_token[RIG_TOKEN_SIZE], head[HC_ID_SIZE], token[RIG_TOKEN_SIZE];
    struct reply reply;
    rig_body(r, "pickle", "north", body, body_token);
    rig_head(r, "tablet", "north", head, token);
    rig_report(r, body);
    rig_read(r, token, &reply);
    reply_free(&reply);
    rig_expect(r, "DELETE", asked_path("/api/v1/nodes/%s", head), RIG_ADMIN, NULL, 409, "node_has_lease", "");
    rig_expect(r, "DELETE", asked_path("/api/v1/nodes/%s", body), RIG_ADMIN, NULL, 409, "node_has_lease", "");
    rig_expect(r, "DELETE", asked_path("/api/v1/nodes/%s?force=1", head), RIG_ADMIN, NULL, 204, "", "");
    rig_expect(r, "GET", asked_path("/api/v1/heads/%s/commands", head), token, NULL, 401, "unauthorized", "");
    rig_expect(r, "DELETE", asked_path("/api/v1/nodes/%s", head), RIG_ADMIN, NULL, 404, "node_not_found", "");
}

static void test_nodes__new_token__kills_the_old_one_at_once(void **state)
{
    struct rig *r = *state;
    char head[HC_ID_SIZE], token[RIG_TOKEN_SIZE];
    struct reply reply;
    rig_head(r, "tablet", "north", head, token);
    rig_ask(r, "POST", asked_path("/api/v1/nodes/%s/token", head), RIG_ADMIN, NULL, &reply);
    assert_int_equal(reply.status, 200);
    assert_string_equal(reply_text(&reply, "node_id"), head);
    assert_string_not_equal(reply_text(&reply, "token"), token);
    rig_expect(r, "GET", asked_path("/api/v1/heads/%s/commands", head), token, NULL, 401, "unauthorized", "");
    rig_expect(r, "GET", asked_path("/api/v1/heads/%s/commands", head), reply_text(&reply, "token"), NULL, 200, "", "");
    reply_free(&reply);
}

static void test_nodes__heartbeat__keeps_version_and_arch(void **state)
{
    struct rig *r = *state;
    char body[HC_ID_SIZE], token[RIG_TOKEN_SIZE];
    struct reply reply;
    rig_body(r, "pickle", "north", body, token);
    rig_expect(r, "POST", asked_path("/api/v1/nodes/%s/heartbeat", body), token,
               "{\"version\":\"2.1\",\"arch\":\"amd64\",\"ip\":\"10.0.0.9\"}", 200, "", "");
    rig_expect(r, "POST", asked_path("/api/v1/nodes/%s/heartbeat", body), token, NULL, 200, "", "");
    rig_ask(r, "GET", asked_path("/api/v1/nodes/%s", body), RIG_ADMIN, NULL, &reply);
    assert_string_equal(reply_text(&reply, "arch"), "amd64");
    assert_string_equal(reply_text(&reply, "version"), "2.1");
    assert_string_equal(reply_text(&reply, "ip"), "10.0.0.9");
    reply_free(&reply);
}

static void test_nodes__bad_input__is_refused_by_field(void **state)
{
    struct rig *r = *state;
    char head[HC_ID_SIZE], token[RIG_TOKEN_SIZE];
    struct reply reply;
    rig_head(r, "tablet", "north", head, token);
#define N "/api/v1/nodes"
    const struct asked rows[] = {
        { "POST", N, RIG_ADMIN, "{\"roles\":[\"head\"]}",                                          400, "bad_request", "name" },
        { "POST", N, RIG_ADMIN, "{\"name\":\"\",\"roles\":[\"head\"]}",                            400, "bad_request", "name" },
        { "POST", N, RIG_ADMIN, "{\"name\":\"a\\u0007\",\"roles\":[\"head\"]}",                    400, "bad_request", "name" },
        { "POST", N, RIG_ADMIN, "{\"name\":\"a\"}",                                                400, "bad_request", "roles" },
        { "POST", N, RIG_ADMIN, "{\"name\":\"a\",\"roles\":[]}",                                   400, "bad_request", "roles" },
        { "POST", N, RIG_ADMIN, "{\"name\":\"a\",\"roles\":[\"king\"]}",                           400, "bad_request", "roles" },
        { "POST", N, RIG_ADMIN, "{\"name\":\"a\",\"roles\":\"head\"}",                             400, "bad_request", "roles" },
        { "POST", N, RIG_ADMIN, "{\"name\":\"a\",\"roles\":[\"head\"],\"venue\":7}",               400, "bad_request", "venue" },
        { "POST", N, RIG_ADMIN, "{\"name\":\"a\",\"name\":\"b\",\"roles\":[\"head\"]}",            400, "bad_request", "body" },
        { "POST", N, RIG_ADMIN, "[]",                                                              400, "bad_request", "body" },
        { "POST", "/api/v1/heads", RIG_FLEET, "{\"type\":\"0123456789012345678901234567890123\"}", 400, "bad_request", "type" },
        { "PUT",  N "/{h}", RIG_ADMIN, "{\"name\":\"\"}",                                          400, "bad_request", "name" },
        { "PUT",  N "/{h}", RIG_ADMIN, "{\"district\":\"\"}",                                      400, "bad_request", "district" },
        { "PUT",  N "/{h}", RIG_ADMIN, "{\"approval\":\"pending\"}",                               400, "bad_request", "approval" },
        { "PUT",  N "/{h}", RIG_ADMIN, "{\"roles\":[\"head\",\"x\"]}",                             400, "bad_request", "roles" },
        { "PUT",  N "/none", RIG_ADMIN, "{\"roles\":[\"x\"]}",                                     404, "node_not_found", "" },
        { "GET",  N "/none", RIG_ADMIN, NULL,                                                      404, "node_not_found", "" },
        { "POST", N "/none/token", RIG_ADMIN, NULL,                                                404, "node_not_found", "" },
        { "POST", N "/{h}/heartbeat", RIG_ADMIN, NULL,                                             403, "forbidden", "" },
    };
#undef N
    asked_all(r, rows, sizeof rows / sizeof rows[0], head, "");
    rig_ask(r, "GET", "/api/v1/nodes", RIG_ADMIN, NULL, &reply);
    assert_int_equal(reply_count(&reply, ""), 1);
    assert_string_equal(reply_text(&reply, "[0].name"), "tablet");
    reply_free(&reply);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(test_heads_post__names_and_kinds__are_the_legacy_ones),
        RIG_TEST(test_nodes__record__has_every_key_and_no_secret),
        RIG_TEST(test_nodes_put__named_fields__change_alone),
        RIG_TEST(test_nodes__delete__refused_with_a_lease_unless_forced),
        RIG_TEST(test_nodes__new_token__kills_the_old_one_at_once),
        RIG_TEST(test_nodes__heartbeat__keeps_version_and_arch),
        RIG_TEST(test_nodes__bad_input__is_refused_by_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
