#include "asked.h"

static void test_slots_put__settings__are_answered_as_they_are_now(void **state)
{
    struct rig *r = *state;
    char body[HC_ID_SIZE], token[RIG_TOKEN_SIZE];
    struct reply reply;
    rig_body(r, "pickle", "north", body, token);
    rig_ask(r, "PUT", asked_path("/api/v1/nodes/%s/slots", body), RIG_ADMIN,
            "{\"slots_total\":3,\"maintenance\":true,\"home_venue_reserve\":2}", &reply);
    assert_int_equal(reply.status, 200);
    assert_int_equal(reply_int(&reply, "slots_total"), 3);
    assert_true(reply_bool(&reply, "maintenance"));
    assert_int_equal(reply_int(&reply, "home_venue_reserve"), 2);
    assert_string_equal(reply_text(&reply, "enforce"), "observe");
    reply_free(&reply);
    rig_ask(r, "PUT", asked_path("/api/v1/nodes/%s/slots", body), RIG_ADMIN, "{\"home_venue_reserve\":\"auto\"}", &reply);
    assert_int_equal(reply_int(&reply, "slots_total"), 3);
    assert_string_equal(reply_text(&reply, "home_venue_reserve"), "auto");
    reply_free(&reply);
}

static void test_slots_put__enforce__needs_a_day_or_force(void **state)
{
    struct rig *r = *state;
    char body[HC_ID_SIZE], token[RIG_TOKEN_SIZE];
    rig_body(r, "pickle", "north", body, token);
    rig_expect(r, "PUT", asked_path("/api/v1/nodes/%s/slots", body), RIG_ADMIN, "{\"enforce\":\"enforce\"}", 409, "enforce_not_ready", "");
    rig_expect(r, "PUT", asked_path("/api/v1/nodes/%s/slots?force=1", body), RIG_ADMIN, "{\"enforce\":\"enforce\"}", 200, "", "");
}

static void test_drain__preview_then_armed_then_undone__says_what_it_touches(void **state)
{
    struct rig *r = *state;
    char body[HC_ID_SIZE], body_token[RIG_TOKEN_SIZE], head[HC_ID_SIZE], token[RIG_TOKEN_SIZE];
    struct reply reply;
    rig_body(r, "pickle", "north", body, body_token);
    rig_head(r, "tablet", "north", head, token);
    rig_report(r, body);
    rig_read(r, token, &reply);
    reply_free(&reply);
    const char *path = asked_path("/api/v1/nodes/%s/drain", body);
    rig_ask(r, "POST", path, RIG_ADMIN, "{\"dry_run\":true}", &reply);
    assert_int_equal(reply.status, 200);
    assert_false(reply_bool(&reply, "armed"));
    assert_int_equal(reply_count(&reply, "leases"), 1);
    assert_int_equal(reply_count(&reply, "tickets"), 0);
    reply_free(&reply);
    rig_ask(r, "GET", asked_path("/api/v1/nodes/%s", body), RIG_ADMIN, NULL, &reply);
    assert_false(reply_bool(&reply, "body.maintenance"));
    reply_free(&reply);
    rig_ask(r, "POST", path, RIG_ADMIN, "{\"deadline_seconds\":600}", &reply);
    assert_true(reply_bool(&reply, "armed"));
    assert_int_equal(reply_count(&reply, "leases"), 1);
    reply_free(&reply);
    rig_ask(r, "GET", asked_path("/api/v1/nodes/%s", body), RIG_ADMIN, NULL, &reply);
    assert_true(reply_bool(&reply, "body.maintenance"));
    assert_false(reply_null(&reply, "body.drain_deadline_at"));
    reply_free(&reply);
    rig_expect(r, "DELETE", path, RIG_ADMIN, NULL, 204, "", "");
    rig_ask(r, "GET", asked_path("/api/v1/nodes/%s", body), RIG_ADMIN, NULL, &reply);
    assert_false(reply_bool(&reply, "body.maintenance"));
    reply_free(&reply);
}

static void test_settings__bad_input__is_refused_by_field(void **state)
{
    struct rig *r = *state;
    char body[HC_ID_SIZE], body_token[RIG_TOKEN_SIZE], head[HC_ID_SIZE], token[RIG_TOKEN_SIZE];
    rig_body(r, "pickle", "north", body, body_token);
    rig_head(r, "tablet", "north", head, token);
#define SLOTS "/api/v1/nodes/{b}/slots"
#define DRAIN "/api/v1/nodes/{b}/drain"
    const struct asked rows[] = {
        { "PUT",    SLOTS, RIG_ADMIN, "{\"slots_total\":0}",                 400, "bad_request", "slots_total" },
        { "PUT",    SLOTS, RIG_ADMIN, "{\"slots_total\":17}",                400, "bad_request", "slots_total" },
        { "PUT",    SLOTS, RIG_ADMIN, "{\"slots_total\":-1}",                400, "bad_request", "slots_total" },
        { "PUT",    SLOTS, RIG_ADMIN, "{\"enforce\":\"always\"}",            400, "bad_request", "enforce" },
        { "PUT",    SLOTS, RIG_ADMIN, "{\"maintenance\":\"yes\"}",           400, "bad_request", "maintenance" },
        { "PUT",    SLOTS, RIG_ADMIN, "{\"home_venue_reserve\":\"some\"}",   400, "bad_request", "home_venue_reserve" },
        { "PUT",    SLOTS, RIG_ADMIN, "{\"home_venue_reserve\":99}",         400, "bad_request", "home_venue_reserve" },
        { "PUT",    SLOTS, RIG_READ,  "{}",                                  403, "forbidden", "" },
        { "PUT",    "/api/v1/nodes/{h}/slots", RIG_ADMIN, "{}",              404, "node_not_found", "" },
        { "POST",   DRAIN, RIG_ADMIN, "{}",                                  400, "bad_request", "deadline_seconds" },
        { "POST",   DRAIN, RIG_ADMIN, "{\"deadline_seconds\":-5}",           400, "bad_request", "deadline_seconds" },
        { "POST",   DRAIN, RIG_ADMIN, "{\"deadline_seconds\":99999999}",     400, "bad_request", "deadline_seconds" },
        { "POST",   "/api/v1/nodes/none/drain", RIG_ADMIN, "{}",             404, "node_not_found", "" },
        { "DELETE", "/api/v1/nodes/{h}/drain", RIG_ADMIN, NULL,              404, "node_not_found", "" },
    };
#undef SLOTS
#undef DRAIN
    asked_all(r, rows, sizeof rows / sizeof rows[0], head, body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(test_slots_put__settings__are_answered_as_they_are_now),
        RIG_TEST(test_slots_put__enforce__needs_a_day_or_force),
        RIG_TEST(test_drain__preview_then_armed_then_undone__says_what_it_touches),
        RIG_TEST(test_settings__bad_input__is_refused_by_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
