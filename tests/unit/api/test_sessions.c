/* GET /sessions, /sessions/history, and the operator's hand: leases ended, circuits closed, safe modes ended. */
#include "fixture.h"

#include <stdio.h>
#include <string.h>

struct node { char id[HC_ID_SIZE], token[RIG_TOKEN_SIZE]; };
struct scene { struct node b, h; char lease_id[HC_ID_SIZE]; };

static const char *const session_keys[] = { "lease_id", "stream_id", "head_id", "head_venue", "body_id", "body_venue", "slot", "experience",
    "protocol", "source", "mode", "grant_epoch", "granted_at", "streaming_at", "ended_at", "state", "reason" };

static void granted(struct rig *r, struct scene *s)
{
    struct reply reply;
    rig_body(r, "b1", "north", s->b.id, s->b.token);
    rig_head(r, "h1", "south", s->h.id, s->h.token);
    rig_report(r, s->b.id);
    rig_claim(r, s->h.id, s->h.token, "a-1", 201, &reply);
    HC_SET(s->lease_id, reply_text(&reply, "lease.id"));
    reply_free(&reply);
}

static void end_path(const struct scene *s, const char *how, char out[160])
{
    (void)snprintf(out, 160, "/api/v1/leases/%s/%s", s->lease_id, how);
}

static void test_sessions__live_lease__is_a_row_with_every_key(void **state)
{
    struct rig *r = *state;
    struct scene s;
    struct reply reply;
    granted(r, &s);
    rig_ask(r, "GET", "/api/v1/sessions", RIG_READ, NULL, &reply);
    assert_int_equal(reply.status, 200);
    assert_int_equal(reply_count(&reply, ""), 1);
    for (size_t i = 0; i < sizeof session_keys / sizeof session_keys[0]; i++)
        assert_non_null(json_object_get(json_array_get(reply.json, 0), session_keys[i]));
    assert_int_equal(json_object_size(json_array_get(reply.json, 0)), sizeof session_keys / sizeof session_keys[0]);
    assert_string_equal(reply_text(&reply, "[0].lease_id"), s.lease_id);
    assert_string_equal(reply_text(&reply, "[0].head_venue"), "south");
    assert_string_equal(reply_text(&reply, "[0].body_venue"), "north");
    assert_string_equal(reply_text(&reply, "[0].state"), "granted");
    assert_true(reply_null(&reply, "[0].streaming_at"));
    assert_true(reply_null(&reply, "[0].ended_at"));
    assert_true(reply_null(&reply, "[0].reason"));
    reply_free(&reply);
}

struct history { struct rig *r; const char *path; size_t rows; };

static bool has_history(void *arg)
{
    const struct history *wanted = arg;
    struct reply reply;
    rig_ask(wanted->r, "GET", wanted->path, RIG_READ, NULL, &reply);
    assert_int_equal(reply.status, 200);
    bool there = reply_count(&reply, "") == wanted->rows;
    reply_free(&reply);
    return there;
}

static void test_lease__revoked_by_an_operator__is_over_and_in_the_history(void **state)
{
    struct rig *r = *state;
    struct scene s;
    struct reply reply;
    char path[160];
    granted(r, &s);
    rig_ask(r, "GET", "/api/v1/slots", RIG_READ, NULL, &reply);
    int64_t epoch = reply_int(&reply, "[0].epoch");
    reply_free(&reply);
    end_path(&s, "revoke", path);
    rig_ask(r, "POST", path, RIG_ADMIN, "{\"reason\":\"wrong visitor\"}", &reply);
    assert_int_equal(reply.status, 200);
    assert_string_equal(reply_text(&reply, "lease.id"), s.lease_id);
    assert_string_equal(reply_text(&reply, "lease.state"), "revoked");
    assert_string_equal(reply_text(&reply, "lease.reason"), "operator_revoke");
    assert_true(reply_int(&reply, "lease.epoch") > epoch);
    reply_free(&reply);
    rig_ask(r, "GET", "/api/v1/sessions", RIG_READ, NULL, &reply);
    assert_int_equal(reply_count(&reply, ""), 0);
    reply_free(&reply);
    rig_until(r, has_history, &(struct history){ r, "/api/v1/sessions/history", 1 });
    rig_ask(r, "GET", "/api/v1/sessions/history", RIG_READ, NULL, &reply);
    for (size_t i = 0; i < sizeof session_keys / sizeof session_keys[0]; i++)
        assert_non_null(json_object_get(json_array_get(reply.json, 0), session_keys[i]));
    assert_string_equal(reply_text(&reply, "[0].lease_id"), s.lease_id);
    assert_string_equal(reply_text(&reply, "[0].state"), "revoked");
    assert_string_equal(reply_text(&reply, "[0].reason"), "operator_revoke");
    assert_false(reply_null(&reply, "[0].ended_at"));
    assert_false(reply_has(&reply, "X-Next-Cursor"));
    reply_free(&reply);
    rig_ask(r, "GET", "/api/v1/events?type=lease_ended", RIG_READ, NULL, &reply);
    assert_non_null(strstr(reply_text(&reply, "[0].detail"), "wrong visitor"));
    reply_free(&reply);
}

static void test_lease__released_by_an_operator__ends_or_drains(void **state)
{
    struct rig *r = *state;
    struct scene s;
    struct reply reply;
    char path[160];
    granted(r, &s);
    rig_report_session(r, s.b.id, SESSION_STREAMING, s.lease_id);
    end_path(&s, "release", path);
    rig_ask(r, "POST", path, RIG_ADMIN, NULL, &reply);
    assert_int_equal(reply.status, 200);
    assert_string_equal(reply_text(&reply, "lease.state"), "draining");
    assert_string_equal(reply_text(&reply, "lease.reason"), "operator_release");
    reply_free(&reply);
}

static void test_lease__ended_by_hand_in_error__is_refused(void **state)
{
    struct rig *r = *state;
    struct scene s;
    char path[160];
    granted(r, &s);
    rig_expect(r, "POST", "/api/v1/leases/nobody/release", RIG_ADMIN, "{}", 404, "not_found", "");
    rig_expect(r, "POST", "/api/v1/leases/nobody/revoke", RIG_ADMIN, "{}", 404, "not_found", "");
    rig_expect(r, "POST", "/api/v1/leases/no%20body/revoke", RIG_ADMIN, "{}", 400, "bad_request", "lease_id");
    end_path(&s, "revoke", path);
    rig_expect(r, "POST", path, RIG_ADMIN, "{\"reason\":5}", 400, "bad_request", "reason");
    rig_expect(r, "POST", path, RIG_ADMIN, "{\"reason\":\"a\\nb\"}", 400, "bad_request", "reason");
    rig_expect(r, "POST", path, RIG_READ, "{}", 403, "forbidden", "");
    rig_expect(r, "POST", path, s.h.token, "{}", 403, "forbidden", "");
    rig_expect(r, "POST", path, NULL, "{}", 401, "unauthorized", "");
    rig_expect(r, "GET", path, RIG_ADMIN, NULL, 405, "method_not_allowed", "");
}

static void test_history__filters_and_pages__give_what_was_asked_for(void **state)
{
    struct rig *r = *state;
    struct reply reply;
    struct session_row rows[5];
    memset(rows, 0, sizeof rows);
    for (size_t i = 0; i < 5; i++) {
        (void)snprintf(rows[i].lease_id, sizeof rows[i].lease_id, "lse-%zu", i);
        HC_SET(rows[i].head_id, i % 2 == 0 ? "h-even" : "h-odd");
        HC_SET(rows[i].body_id, "b-1");
        HC_SET(rows[i].body_venue, "north");
        rows[i].state = LEASE_ENDED;
        rows[i].granted_at = (hc_time){ 1000 + (int64_t)i };
        rows[i].ended_at = (hc_time){ (int64_t)1e12 + (int64_t)i * HC_HOUR_MS };
    }
    assert_int_equal(feed_history_add(r->feed, rows, 5), HC_OK);
    static const struct { const char *query; size_t rows; } cases[] = {
        { "", 5 }, { "?head=h-even", 3 }, { "?head=nobody", 0 }, { "?body=b-1", 5 }, { "?body=b-2", 0 }, { "?venue=north", 5 },
        { "?venue=south", 0 },
        { "?since=2001-09-09T04:00:00Z", 2 }, { "?limit=2", 2 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char path[160];
        (void)snprintf(path, sizeof path, "/api/v1/sessions/history%s", cases[i].query);
        rig_ask(r, "GET", path, RIG_READ, NULL, &reply);
        if (reply.status != 200 || reply_count(&reply, "") != cases[i].rows)
            fail_msg("%s: %d %s", cases[i].query, reply.status, reply.body);
        reply_free(&reply);
    }
}

static void test_history__cursor__leads_through_all_rows(void **state)
{
    struct rig *r = *state;
    struct reply reply;
    struct session_row rows[5];
    memset(rows, 0, sizeof rows);
    for (size_t i = 0; i < 5; i++) {
        (void)snprintf(rows[i].lease_id, sizeof rows[i].lease_id, "lse-%zu", i);
        rows[i].state = LEASE_ENDED;
        rows[i].ended_at = (hc_time){ (int64_t)1e12 + (int64_t)i };
    }
    assert_int_equal(feed_history_add(r->feed, rows, 5), HC_OK);
    char path[256] = "/api/v1/sessions/history?limit=2";
    size_t seen = 0;
    for (unsigned page = 0; page < 4; page++) {
        rig_ask(r, "GET", path, RIG_READ, NULL, &reply);
        assert_int_equal(reply.status, 200);
        for (size_t i = 0; i < reply_count(&reply, ""); i++, seen++) {
            char expected[16];
            (void)snprintf(expected, sizeof expected, "lse-%zu", 4 - seen);
            assert_string_equal(json_string_value(json_object_get(json_array_get(reply.json, i), "lease_id")), expected);
        }
        const char *cursor = strcasestr(reply.head, "X-Next-Cursor: ");
        if (cursor == NULL) {
            reply_free(&reply);
            break;
        }
        cursor += strlen("X-Next-Cursor: ");
        (void)snprintf(path, sizeof path, "/api/v1/sessions/history?limit=2&cursor=%.*s", (int)strcspn(cursor, "\r"), cursor);
        reply_free(&reply);
    }
    assert_int_equal(seen, 5);
}

static void test_history__wrong_caller_or_query__is_refused(void **state)
{
    static const struct { const char *query, *field; } cases[] = {
        { "head=a%20b", "head" }, { "venue=%01", "venue" }, { "since=yesterday", "since" }, { "limit=0", "limit" },
        { "limit=1001", "limit" }, { "cursor=a%20b", "cursor" },
    };
    struct rig *r = *state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char path[160];
        (void)snprintf(path, sizeof path, "/api/v1/sessions/history?%s", cases[i].query);
        rig_expect(r, "GET", path, RIG_READ, NULL, 400, "bad_request", cases[i].field);
    }
    rig_expect(r, "GET", "/api/v1/sessions", NULL, NULL, 401, "unauthorized", "");
    rig_expect(r, "GET", "/api/v1/sessions/history", RIG_FLEET, NULL, 403, "forbidden", "");
}

static void test_circuit_reset__of_a_body__is_done_and_else_refused(void **state)
{
    struct rig *r = *state;
    struct node b, h;
    char path[160];
    rig_body(r, "b1", "north", b.id, b.token);
    rig_head(r, "h1", "north", h.id, h.token);
    (void)snprintf(path, sizeof path, "/api/v1/nodes/%s/circuit/reset", b.id);
    rig_expect(r, "POST", path, RIG_ADMIN, NULL, 204, "", "");
    rig_expect(r, "POST", path, RIG_READ, NULL, 403, "forbidden", "");
    rig_expect(r, "POST", path, b.token, NULL, 403, "forbidden", "");
    (void)snprintf(path, sizeof path, "/api/v1/nodes/%s/circuit/reset", h.id);
    rig_expect(r, "POST", path, RIG_ADMIN, NULL, 404, "node_not_found", "");
    rig_expect(r, "POST", "/api/v1/nodes/nobody/circuit/reset", RIG_ADMIN, NULL, 404, "node_not_found", "");
}

static void test_safe_mode_end__by_an_admin__is_done_and_else_refused(void **state)
{
    struct rig *r = *state;
    rig_expect(r, "POST", "/api/v1/safe-mode/end", RIG_ADMIN, NULL, 204, "", "");
    rig_expect(r, "POST", "/api/v1/safe-mode/end", RIG_ADMIN, "{\"district\":\"d1\"}", 204, "", "");
    rig_expect(r, "POST", "/api/v1/safe-mode/end", RIG_ADMIN, "{\"district\":4}", 400, "bad_request", "district");
    rig_expect(r, "POST", "/api/v1/safe-mode/end", RIG_READ, "{}", 403, "forbidden", "");
    rig_store_fails(r, true);
    rig_expect(r, "PUT", "/api/v1/venues/x", RIG_ADMIN, "{}", 503, "store_unavailable", "");
    rig_expect(r, "POST", "/api/v1/safe-mode/end", RIG_ADMIN, NULL, 503, "store_unavailable", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(test_sessions__live_lease__is_a_row_with_every_key),
        RIG_TEST(test_lease__revoked_by_an_operator__is_over_and_in_the_history),
        RIG_TEST(test_lease__released_by_an_operator__ends_or_drains),
        RIG_TEST(test_lease__ended_by_hand_in_error__is_refused),
        RIG_TEST(test_history__filters_and_pages__give_what_was_asked_for),
        RIG_TEST(test_history__cursor__leads_through_all_rows),
        RIG_TEST(test_history__wrong_caller_or_query__is_refused),
        RIG_TEST(test_circuit_reset__of_a_body__is_done_and_else_refused),
        RIG_TEST(test_safe_mode_end__by_an_admin__is_done_and_else_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
