/* Venues, orgs, experiences and districts over the wire. */
#include "fixture.h"

#include <stdio.h>

static void test_venue__put__is_what_get_and_list_say(void **state)
{
    struct rig *r = *state;
    struct reply reply;
    rig_ask(r, "PUT", "/api/v1/venues/north", RIG_ADMIN,
            "{\"district\":\"d1\",\"owner\":\"acme\",\"max_concurrent_grants\":3,\"queue_accept_mode\":\"confirm\","
            "\"unheard_of\":[1]}", &reply);
    assert_int_equal(reply.status, 200);
    assert_string_equal(reply_text(&reply, "name"), "north");
    assert_int_equal(reply_int(&reply, "max_concurrent_grants"), 3);
    reply_free(&reply);
    rig_ask(r, "GET", "/api/v1/venues/north", RIG_READ, NULL, &reply);
    assert_int_equal(reply.status, 200);
    assert_string_equal(reply_text(&reply, "district"), "d1");
    assert_string_equal(reply_text(&reply, "owner"), "acme");
    assert_string_equal(reply_text(&reply, "queue_accept_mode"), "confirm");
    reply_free(&reply);
    rig_ask(r, "GET", "/api/v1/venues", RIG_READ, NULL, &reply);
    assert_int_equal(reply_count(&reply, ""), 1);
    assert_string_equal(reply_text(&reply, "[0].name"), "north");
    reply_free(&reply);
}

static void test_venue__put_again_without_cap__has_none_and_keeps_its_owner(void **state)
{
    struct rig *r = *state;
    struct reply reply;
    rig_expect(r, "PUT", "/api/v1/venues/north", RIG_ADMIN,
               "{\"district\":\"d1\",\"owner\":\"acme\",\"max_concurrent_grants\":0,\"queue_accept_mode\":\"confirm\"}", 200, "", "");
    rig_ask(r, "GET", "/api/v1/venues/north", RIG_ADMIN, NULL, &reply);
    assert_int_equal(reply_int(&reply, "max_concurrent_grants"), 0);
    reply_free(&reply);
    rig_ask(r, "PUT", "/api/v1/venues/north", RIG_ADMIN, "{\"max_concurrent_grants\":null}", &reply);
    assert_int_equal(reply.status, 200);
    assert_true(reply_null(&reply, "max_concurrent_grants"));
    assert_string_equal(reply_text(&reply, "owner"), "acme");
    assert_string_equal(reply_text(&reply, "district"), "d1");
    assert_string_equal(reply_text(&reply, "queue_accept_mode"), "auto");
    reply_free(&reply);
}

static void test_venue__without_a_district__stands_in_the_default_one(void **state)
{
    struct rig *r = *state;
    struct reply reply;
    rig_ask(r, "PUT", "/api/v1/venues/north", RIG_ADMIN, "", &reply);
    assert_int_equal(reply.status, 200);
    assert_string_equal(reply_text(&reply, "district"), RIG_DISTRICT);
    assert_true(reply_null(&reply, "owner"));
    reply_free(&reply);
}

static void test_venue__deleted__is_unknown(void **state)
{
    struct rig *r = *state;
    rig_expect(r, "PUT", "/api/v1/venues/sint%20niklaas", RIG_ADMIN, "{\"district\":\"d1\"}", 200, "", "");
    rig_expect(r, "GET", "/api/v1/venues/sint%20niklaas", RIG_ADMIN, NULL, 200, "", "");
    rig_expect(r, "DELETE", "/api/v1/venues/sint%20niklaas", RIG_ADMIN, NULL, 204, "", "");
    rig_expect(r, "GET", "/api/v1/venues/sint%20niklaas", RIG_ADMIN, NULL, 404, "not_found", "");
    rig_expect(r, "DELETE", "/api/v1/venues/sint%20niklaas", RIG_ADMIN, NULL, 404, "not_found", "");
}

static void test_org__put_and_deleted__has_its_cap_until_then(void **state)
{
    struct rig *r = *state;
    struct reply reply;
    rig_expect(r, "PUT", "/api/v1/orgs/acme", RIG_ADMIN, "{\"max_concurrent_grants\":7}", 200, "", "");
    rig_ask(r, "GET", "/api/v1/orgs/acme", RIG_READ, NULL, &reply);
    assert_string_equal(reply_text(&reply, "name"), "acme");
    assert_int_equal(reply_int(&reply, "max_concurrent_grants"), 7);
    reply_free(&reply);
    rig_ask(r, "GET", "/api/v1/orgs", RIG_READ, NULL, &reply);
    assert_int_equal(reply_count(&reply, ""), 1);
    reply_free(&reply);
    rig_expect(r, "PUT", "/api/v1/orgs/acme", RIG_ADMIN, "{}", 200, "", "");
    rig_ask(r, "GET", "/api/v1/orgs/acme", RIG_READ, NULL, &reply);
    assert_true(reply_null(&reply, "max_concurrent_grants"));
    reply_free(&reply);
    rig_expect(r, "DELETE", "/api/v1/orgs/acme", RIG_ADMIN, NULL, 204, "", "");
    rig_expect(r, "GET", "/api/v1/orgs/acme", RIG_ADMIN, NULL, 404, "not_found", "");
}

static void test_experience__put__is_what_get_and_list_say(void **state)
{
    struct rig *r = *state;
    struct reply reply;
    rig_ask(r, "PUT", "/api/v1/experiences/rupelmonde", RIG_ADMIN,
            "{\"label\":\"Rupelmonde\",\"orientation\":\"portrait\",\"enable_microphone\":true,\"stream_mode\":\"flat\","
            "\"venues\":[\"b\",\"a\"]}",
            &reply);
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
    rig_ask(r, "GET", "/api/v1/experiences/rupelmonde", RIG_READ, NULL, &reply);
    assert_string_equal(reply_text(&reply, "name"), "rupelmonde");
    assert_string_equal(reply_text(&reply, "label"), "Rupelmonde");
    assert_string_equal(reply_text(&reply, "orientation"), "portrait");
    assert_string_equal(reply_text(&reply, "stream_mode"), "flat");
    assert_true(reply_bool(&reply, "enable_microphone"));
    assert_int_equal(reply_count(&reply, "venues"), 2);
    assert_string_equal(reply_text(&reply, "venues[0]"), "a");
    reply_free(&reply);
    rig_ask(r, "PUT", "/api/v1/experiences/rupelmonde", RIG_ADMIN, "{}", &reply);
    assert_string_equal(reply_text(&reply, "label"), "Rupelmonde");
    assert_true(reply_null(&reply, "orientation"));
    assert_true(reply_null(&reply, "venues"));
    assert_false(reply_bool(&reply, "enable_microphone"));
    reply_free(&reply);
    rig_ask(r, "GET", "/api/v1/experiences", RIG_READ, NULL, &reply);
    assert_int_equal(reply_count(&reply, ""), 1);
    reply_free(&reply);
    rig_expect(r, "DELETE", "/api/v1/experiences/rupelmonde", RIG_ADMIN, NULL, 204, "", "");
    rig_expect(r, "GET", "/api/v1/experiences/rupelmonde", RIG_ADMIN, NULL, 404, "not_found", "");
}

static void test_experience__without_label__has_its_name(void **state)
{
    struct rig *r = *state;
    struct reply reply;
    rig_ask(r, "PUT", "/api/v1/experiences/boom", RIG_ADMIN, "{\"venues\":[]}", &reply);
    assert_string_equal(reply_text(&reply, "label"), "boom");
    reply_free(&reply);
}

static void test_district__of_new_nodes__says_what_holds_identities_back(void **state)
{
    struct rig *r = *state;
    struct reply reply;
    char body[HC_ID_SIZE], head[HC_ID_SIZE], token[RIG_TOKEN_SIZE];
    rig_body(r, "b1", "north", body, token);
    rig_head(r, "h1", "north", head, token);
    rig_ask(r, "GET", "/api/v1/districts/" RIG_DISTRICT, RIG_READ, NULL, &reply);
    assert_int_equal(reply.status, 200);
    assert_string_equal(reply_text(&reply, "district"), RIG_DISTRICT);
    assert_string_equal(reply_text(&reply, "safe_mode"), "none");
    assert_true(reply_null(&reply, "safe_mode_since"));
    assert_int_equal(reply_count(&reply, "awaited"), 0);
    assert_false(reply_bool(&reply, "per_device_identity"));
    assert_true(reply_null(&reply, "per_device_identity_at"));
    assert_int_equal(reply_count(&reply, "held_back_by"), 2);
    reply_free(&reply);
    rig_report(r, body);
    rig_ask(r, "GET", "/api/v1/districts/" RIG_DISTRICT, RIG_READ, NULL, &reply);
    assert_int_equal(reply_count(&reply, "held_back_by"), 1);
    assert_string_equal(reply_text(&reply, "held_back_by[0].node_id"), head);
    assert_string_equal(reply_text(&reply, "held_back_by[0].name"), "h1");
    assert_string_equal(reply_text(&reply, "held_back_by[0].role"), "head");
    assert_string_equal(reply_text(&reply, "held_back_by[0].reason"), "pairing_protocol");
    reply_free(&reply);
}

static void test_district__empty_default__lacks_bodies_and_heads(void **state)
{
    struct rig *r = *state;
    struct reply reply;
    rig_ask(r, "GET", "/api/v1/districts/" RIG_DISTRICT, RIG_READ, NULL, &reply);
    assert_string_equal(reply_text(&reply, "held_back_by[0].reason"), "no_body");
    assert_string_equal(reply_text(&reply, "held_back_by[1].reason"), "no_head");
    reply_free(&reply);
    rig_expect(r, "GET", "/api/v1/districts/elsewhere", RIG_READ, NULL, 404, "not_found", "");
}

static void test_settings__malformed__are_refused_by_field(void **state)
{
    static const struct { const char *path, *body, *field; } cases[] = {
        { "/api/v1/venues/north", "{\"district\":1}", "district" },
        { "/api/v1/venues/north", "{\"owner\":\"a\\u0007b\"}", "owner" },
        { "/api/v1/venues/north", "{\"max_concurrent_grants\":-1}", "max_concurrent_grants" },
        { "/api/v1/venues/north", "{\"max_concurrent_grants\":\"3\"}", "max_concurrent_grants" },
        { "/api/v1/venues/north", "{\"queue_accept_mode\":\"maybe\"}", "queue_accept_mode" },
        { "/api/v1/venues/north", "{", "body" },
        { "/api/v1/venues/no%07rth", "{}", "venue" },
        { "/api/v1/orgs/acme", "{\"max_concurrent_grants\":1000001}", "max_concurrent_grants" },
        { "/api/v1/experiences/x", "{\"label\":\"\"}", "label" },
        { "/api/v1/experiences/x", "{\"enable_microphone\":\"yes\"}", "enable_microphone" },
        { "/api/v1/experiences/x", "{\"stream_mode\":\"cubic\"}", "stream_mode" },
        { "/api/v1/experiences/x", "{\"orientation\":\"123456789012345678901234567890123\"}", "orientation" },
        { "/api/v1/experiences/x", "{\"venues\":[\"a\",7]}", "venues[1]" },
    };
    struct rig *r = *state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        rig_expect(r, "PUT", cases[i].path, RIG_ADMIN, cases[i].body, 400, "bad_request", cases[i].field);
}

static void test_settings__without_the_right_token__are_not_told(void **state)
{
    static const char *const lists[] = { "/api/v1/venues", "/api/v1/orgs", "/api/v1/experiences", ("/api/v1/districts/" RIG_DISTRICT) };
    static const char *const things[] = { "/api/v1/venues/x", "/api/v1/orgs/x", "/api/v1/experiences/x" };
    struct rig *r = *state;
    char id[HC_ID_SIZE], token[RIG_TOKEN_SIZE];
    rig_head(r, "h1", "north", id, token);
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        rig_expect(r, "GET", lists[i], NULL, NULL, 401, "unauthorized", "");
        rig_expect(r, "GET", lists[i], token, NULL, 403, "forbidden", "");
        rig_expect(r, "GET", lists[i], RIG_FLEET, NULL, 403, "forbidden", "");
        rig_expect(r, "POST", lists[i], RIG_ADMIN, "{}", 405, "method_not_allowed", "");
    }
    for (size_t i = 0; i < sizeof things / sizeof things[0]; i++) {
        rig_expect(r, "PUT", things[i], RIG_READ, "{}", 403, "forbidden", "");
        rig_expect(r, "DELETE", things[i], RIG_READ, NULL, 403, "forbidden", "");
        rig_expect(r, "GET", things[i], token, NULL, 403, "forbidden", "");
    }
}

static void test_settings__while_the_store_fails__change_nothing(void **state)
{
    struct rig *r = *state;
    struct reply reply;
    rig_store_fails(r, true);
    rig_ask(r, "PUT", "/api/v1/venues/north", RIG_ADMIN, "{\"district\":\"d1\"}", &reply);
    assert_int_equal(reply.status, 503);
    assert_string_equal(reply_text(&reply, "error"), "store_unavailable");
    assert_true(reply_has(&reply, "Retry-After: "));
    reply_free(&reply);
    rig_expect(r, "GET", "/api/v1/venues/north", RIG_ADMIN, NULL, 404, "not_found", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(test_venue__put__is_what_get_and_list_say),
        RIG_TEST(test_venue__put_again_without_cap__has_none_and_keeps_its_owner),
        RIG_TEST(test_venue__without_a_district__stands_in_the_default_one),
        RIG_TEST(test_venue__deleted__is_unknown),
        RIG_TEST(test_org__put_and_deleted__has_its_cap_until_then),
        RIG_TEST(test_experience__put__is_what_get_and_list_say),
        RIG_TEST(test_experience__without_label__has_its_name),
        RIG_TEST(test_district__of_new_nodes__says_what_holds_identities_back),
        RIG_TEST(test_district__empty_default__lacks_bodies_and_heads),
        RIG_TEST(test_settings__malformed__are_refused_by_field),
        RIG_TEST(test_settings__without_the_right_token__are_not_told),
        RIG_TEST(test_settings__while_the_store_fails__change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
