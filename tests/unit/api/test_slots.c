/* GET /slots and GET /conflicts: every key of every row, filters, refusals. */
#include "fixture.h"

#include <stdio.h>
#include <string.h>

struct node { char id[HC_ID_SIZE], token[RIG_TOKEN_SIZE]; };

static void has_keys(const struct reply *reply, const char *path, const char *const *keys)
{
    json_t *object = reply_at(reply, path);
    size_t count = 0;
    for (; keys[count] != NULL; count++)
        if (json_object_get(object, keys[count]) == NULL)
            fail_msg("%s lacks %s in %s", path, keys[count], reply->body);
    assert_int_equal(json_object_size(object), count);
}

static const char *const row_keys[] = { "body_id", "body_name", "venue", "district", "slot", "epoch", "occupied", "grantable", "why_not",
    "lease", "observed", "divergence", NULL };
static const char *const lease_keys[] = { "id", "state", "reason", "source", "protocol", "mode", "experience", "head_id", "head_name",
    "head_venue", "stream_id", "grant_epoch", "left_behind", "granted_at", "age_seconds", "expires_in_seconds", "start_deadline_in_seconds",
    "seconds_since_head_renewal", "unattended_seconds", NULL };
static const char *const observed_keys[] = { "source", "state", "stream_status", "lease_id", "launch_id", "client_uuid", "client_name",
    "app", "head_id", "applied_epoch", "boot_id", "report_seq", "reported_at", "age_seconds", "gate", NULL };
static const char *const gate_keys[] = { "mode", "reason", NULL };

static void test_slots__body_that_never_reported__is_one_row_of_nulls(void **state)
{
    struct rig *r = *state;
    struct node b;
    struct reply reply;
    rig_body(r, "b1", "north", b.id, b.token);
    rig_ask(r, "GET", "/api/v1/slots", RIG_READ, NULL, &reply);
    assert_int_equal(reply.status, 200);
    assert_int_equal(reply_count(&reply, ""), 1);
    has_keys(&reply, "[0]", row_keys);
    assert_string_equal(reply_text(&reply, "[0].body_id"), b.id);
    assert_string_equal(reply_text(&reply, "[0].body_name"), "b1");
    assert_string_equal(reply_text(&reply, "[0].venue"), "north");
    assert_string_equal(reply_text(&reply, "[0].district"), RIG_DISTRICT);
    assert_true(reply_bool(&reply, "[0].occupied"));
    assert_false(reply_bool(&reply, "[0].grantable"));
    assert_string_equal(reply_text(&reply, "[0].why_not[0]"), "no_report");
    assert_true(reply_null(&reply, "[0].lease"));
    assert_true(reply_null(&reply, "[0].observed"));
    assert_int_equal(reply_count(&reply, "[0].divergence"), 0);
    reply_free(&reply);
}

static void test_slots__free_slot__is_grantable_and_observed(void **state)
{
    struct rig *r = *state;
    struct node b;
    struct reply reply;
    rig_body(r, "b1", "north", b.id, b.token);
    rig_report(r, b.id);
    rig_ask(r, "GET", "/api/v1/slots", RIG_READ, NULL, &reply);
    assert_true(reply_bool(&reply, "[0].grantable"));
    assert_false(reply_bool(&reply, "[0].occupied"));
    assert_int_equal(reply_count(&reply, "[0].why_not"), 0);
    has_keys(&reply, "[0].observed", observed_keys);
    has_keys(&reply, "[0].observed.gate", gate_keys);
    assert_string_equal(reply_text(&reply, "[0].observed.source"), "body");
    assert_string_equal(reply_text(&reply, "[0].observed.state"), "idle");
    assert_string_equal(reply_text(&reply, "[0].observed.boot_id"), "boot-1");
    assert_true(reply_null(&reply, "[0].observed.stream_status"));
    assert_true(reply_null(&reply, "[0].observed.lease_id"));
    assert_true(reply_null(&reply, "[0].observed.gate.mode"));
    assert_true(reply_int(&reply, "[0].observed.age_seconds") >= 0);
    assert_int_equal(reply_int(&reply, "[0].observed.applied_epoch"), reply_int(&reply, "[0].epoch"));
    reply_free(&reply);
}

/* 0.6 s and what the test itself takes: far from a second on, but rounded up it would be one more. */
static void test_slots__report_of_a_moment_ago__has_not_been_a_second_yet(void **state)
{
    struct rig *r = *state;
    struct node b;
    struct reply reply;
    rig_body(r, "b1", "north", b.id, b.token);
    rig_report(r, b.id);
    hc_time reported = rig_now();
    rig_pass(r, 600);
    rig_ask(r, "GET", "/api/v1/slots", RIG_READ, NULL, &reply);
    int64_t age_s = reply_int(&reply, "[0].observed.age_seconds"), most_ms = hc_time_since(rig_now(), reported) + 100;
    assert_true(age_s * HC_SECOND_MS <= most_ms);
    reply_free(&reply);
}

static void test_slots__granted_slot__shows_lease_and_holder(void **state)
{
    struct rig *r = *state;
    struct node b, h;
    struct reply reply;
    rig_body(r, "b1", "north", b.id, b.token);
    rig_head(r, "h1", "south", h.id, h.token);
    rig_report(r, b.id);
    rig_claim(r, h.id, h.token, "a-1", 201, &reply);
    char lease_id[HC_ID_SIZE];
    HC_SET(lease_id, reply_text(&reply, "lease.id"));
    reply_free(&reply);
    rig_ask(r, "GET", "/api/v1/slots", RIG_READ, NULL, &reply);
    assert_int_equal(reply_count(&reply, ""), 1);
    has_keys(&reply, "[0].lease", lease_keys);
    assert_string_equal(reply_text(&reply, "[0].lease.id"), lease_id);
    assert_string_equal(reply_text(&reply, "[0].lease.state"), "granted");
    assert_true(reply_null(&reply, "[0].lease.reason"));
    assert_string_equal(reply_text(&reply, "[0].lease.source"), "explicit");
    assert_int_equal(reply_int(&reply, "[0].lease.protocol"), 2);
    assert_string_equal(reply_text(&reply, "[0].lease.mode"), "flat");
    assert_string_equal(reply_text(&reply, "[0].lease.experience"), RIG_EXPERIENCE);
    assert_string_equal(reply_text(&reply, "[0].lease.head_id"), h.id);
    assert_string_equal(reply_text(&reply, "[0].lease.head_name"), "h1");
    assert_string_equal(reply_text(&reply, "[0].lease.head_venue"), "south");
    assert_int_equal(reply_int(&reply, "[0].lease.grant_epoch"), reply_int(&reply, "[0].epoch"));
    assert_false(reply_bool(&reply, "[0].lease.left_behind"));
    assert_in_range(reply_int(&reply, "[0].lease.expires_in_seconds"), 80, 90);
    assert_in_range(reply_int(&reply, "[0].lease.start_deadline_in_seconds"), 80, 90);
    assert_true(reply_null(&reply, "[0].lease.unattended_seconds"));
    assert_string_equal(reply_text(&reply, "[0].why_not[0]"), "leased");
    reply_free(&reply);
}

static void test_slots__session_that_no_lease_covers__is_a_conflict_too(void **state)
{
    struct rig *r = *state;
    struct node b, h1, h2;
    struct reply reply;
    char path[160], text[256];
    static const char *const conflict_keys[] = { "body_id", "slot", "kind", "lease_id", "holder_head_id", "observed_head_id", "client_uuid",
        "client_name", "source", "since_seconds", "expected_legacy", NULL };
    rig_body(r, "b1", "north", b.id, b.token);
    rig_head(r, "h1", "north", h1.id, h1.token);
    rig_head(r, "h2", "north", h2.id, h2.token);
    rig_report(r, b.id);
    rig_claim(r, h1.id, h1.token, "a-1", 201, &reply);
    reply_free(&reply);
    (void)snprintf(path, sizeof path, "/api/v1/heads/%s", h2.id);
    (void)snprintf(text, sizeof text, "{\"status\":\"streaming\",\"body_id\":\"%s\"}", b.id);
    rig_ask(r, "PUT", path, h2.token, text, &reply);
    if (reply.status != 200)
        fail_msg("heartbeat: %d %s", reply.status, reply.body);
    reply_free(&reply);
    rig_ask(r, "GET", "/api/v1/slots?divergent=1", RIG_READ, NULL, &reply);
    assert_int_equal(reply_count(&reply, ""), 1);
    assert_true(reply_null(&reply, "[0].lease"));
    assert_string_equal(reply_text(&reply, "[0].divergence[0]"), "unauthorized_stream");
    assert_string_equal(reply_text(&reply, "[0].observed.source"), "head");
    assert_string_equal(reply_text(&reply, "[0].observed.head_id"), h2.id);
    reply_free(&reply);
    rig_ask(r, "GET", "/api/v1/slots", RIG_READ, NULL, &reply);
    assert_int_equal(reply_count(&reply, ""), 2);
    assert_string_equal(reply_text(&reply, "[0].lease.head_id"), h1.id);
    reply_free(&reply);
    rig_ask(r, "GET", "/api/v1/conflicts", RIG_READ, NULL, &reply);
    assert_int_equal(reply_count(&reply, ""), 1);
    has_keys(&reply, "[0]", conflict_keys);
    assert_string_equal(reply_text(&reply, "[0].kind"), "unauthorized_stream");
    assert_string_equal(reply_text(&reply, "[0].source"), "head");
    assert_string_equal(reply_text(&reply, "[0].holder_head_id"), h1.id);
    assert_string_equal(reply_text(&reply, "[0].observed_head_id"), h2.id);
    assert_true(reply_null(&reply, "[0].client_uuid"));
    assert_true(reply_bool(&reply, "[0].expected_legacy"));
    reply_free(&reply);
}

static void test_conflicts__quiet_fleet__has_none(void **state)
{
    struct rig *r = *state;
    struct reply reply;
    rig_ask(r, "GET", "/api/v1/conflicts", RIG_READ, NULL, &reply);
    assert_int_equal(reply.status, 200);
    assert_int_equal(reply_count(&reply, ""), 0);
    reply_free(&reply);
}

static void test_slots__filters__keep_what_was_asked_for(void **state)
{
    struct rig *r = *state;
    struct node b1, b2;
    struct reply reply;
    char path[160];
    rig_body(r, "b1", "north", b1.id, b1.token);
    rig_body(r, "b2", "south", b2.id, b2.token);
    (void)snprintf(path, sizeof path, "/api/v1/slots?body=%s", b2.id);
    struct { const char *path; size_t rows; } cases[] = {
        { "/api/v1/slots", 2 }, { "/api/v1/slots?venue=south", 1 }, { "/api/v1/slots?venue=", 2 },
        { "/api/v1/slots?district=" RIG_DISTRICT, 2 },
        { "/api/v1/slots?district=other", 0 }, { path, 1 }, { "/api/v1/slots?divergent=1", 0 }, { "/api/v1/slots/", 2 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        rig_ask(r, "GET", cases[i].path, RIG_ADMIN, NULL, &reply);
        assert_int_equal(reply.status, 200);
        if (reply_count(&reply, "") != cases[i].rows)
            fail_msg("%s: %s", cases[i].path, reply.body);
        reply_free(&reply);
    }
}

static void test_slots__order__is_by_body_then_slot(void **state)
{
    struct rig *r = *state;
    struct node nodes[3];
    struct reply reply;
    char before[HC_ID_SIZE] = "";
    for (size_t i = 0; i < 3; i++)
        rig_body(r, "b", "north", nodes[i].id, nodes[i].token);
    rig_ask(r, "GET", "/api/v1/slots", RIG_READ, NULL, &reply);
    assert_int_equal(reply_count(&reply, ""), 3);
    for (size_t i = 0; i < 3; i++) {
        const char *id = json_string_value(json_object_get(json_array_get(reply.json, i), "body_id"));
        assert_true(strcmp(before, id) < 0);
        HC_SET(before, id);
    }
    reply_free(&reply);
}

static void test_slots__wrong_caller_or_query__is_refused(void **state)
{
    static const struct { const char *path, *token; int status; const char *error, *field; } cases[] = {
        { "/api/v1/slots?body=a%20b", "read-token", 400, "bad_request", "body" },
        { "/api/v1/slots?venue=a%07", "read-token", 400, "bad_request", "venue" },
        { "/api/v1/slots?district=%ff", "read-token", 400, "bad_request", "district" },
        { "/api/v1/slots", NULL, 401, "unauthorized", "" },
        { "/api/v1/slots", "fleet-token", 403, "forbidden", "" },
        { "/api/v1/conflicts", NULL, 401, "unauthorized", "" },
        { "/api/v1/conflicts", "fleet-token", 403, "forbidden", "" },
    };
    struct rig *r = *state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        rig_expect(r, "GET", cases[i].path, cases[i].token, NULL, cases[i].status, cases[i].error, cases[i].field);
    rig_expect(r, "POST", "/api/v1/slots", RIG_ADMIN, "{}", 405, "method_not_allowed", "");
}

#define MANY 450      /* more than two turns of the loop */

static void test_slots__fleet_of_many_turns__is_every_body_once_in_order(void **state)
{
    struct rig *r = *state;
    struct node b;
    struct reply reply;
    for (unsigned i = 0; i < MANY; i++) {
        char name[HC_ID_SIZE];
        (void)snprintf(name, sizeof name, "b%u", i);
        rig_body(r, name, i % 2 == 0 ? "north" : "south", b.id, b.token);
    }
    rig_ask(r, "GET", "/api/v1/slots", RIG_READ, NULL, &reply);
    assert_int_equal(reply.status, 200);
    assert_int_equal(reply_count(&reply, ""), MANY);
    char before[HC_ID_SIZE] = "";
    for (unsigned i = 0; i < MANY; i++) {
        char path[HC_ID_SIZE];
        (void)snprintf(path, sizeof path, "[%u].body_id", i);
        assert_true(strcmp(before, reply_text(&reply, path)) < 0);
        hc_copy(before, sizeof before, reply_text(&reply, path));
    }
    reply_free(&reply);
    rig_ask(r, "GET", "/api/v1/slots?venue=south", RIG_READ, NULL, &reply);
    assert_int_equal(reply_count(&reply, ""), MANY / 2);
    reply_free(&reply);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(test_slots__fleet_of_many_turns__is_every_body_once_in_order),
        RIG_TEST(test_slots__body_that_never_reported__is_one_row_of_nulls),
        RIG_TEST(test_slots__free_slot__is_grantable_and_observed),
        RIG_TEST(test_slots__report_of_a_moment_ago__has_not_been_a_second_yet),
        RIG_TEST(test_slots__granted_slot__shows_lease_and_holder),
        RIG_TEST(test_slots__session_that_no_lease_covers__is_a_conflict_too),
        RIG_TEST(test_conflicts__quiet_fleet__has_none),
        RIG_TEST(test_slots__filters__keep_what_was_asked_for),
        RIG_TEST(test_slots__order__is_by_body_then_slot),
        RIG_TEST(test_slots__wrong_caller_or_query__is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
