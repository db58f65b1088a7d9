/* GET /explain?lease=...: why a lease was granted, what became of it, why it ended; while it lives and from the history. */
#include <stdio.h>
#include <string.h>

#include "asked.h"
#include "fixture.h"

struct node { char id[HC_ID_SIZE], token[RIG_TOKEN_SIZE]; };
struct scene { struct node b, h; char lease_id[HC_ID_SIZE], path[160]; };

/* The head of another venue asks for that body. */
static void granted(struct rig *r, struct scene *s)
{
    struct reply reply;
    char path[ASKED_PATH_SIZE], body[256];
    rig_body(r, "b1", "north", s->b.id, s->b.token);
    rig_head(r, "h1", "south", s->h.id, s->h.token);
    rig_report(r, s->b.id);
    (void)snprintf(path, sizeof path, "/api/v1/heads/%s/slot-claims", s->h.id);
    (void)snprintf(body, sizeof body, "{\"attempt_id\":\"a1\",\"experience\":\"%s\","
                   "\"device_uid\":\"0123456789abcdef\",\"protocol_version\":2,"
                   "\"prefer_body_id\":\"%s\"}", RIG_EXPERIENCE, s->b.id);
    rig_ask(r, "POST", path, s->h.token, body, &reply);
    assert_int_equal(reply.status, 201);
    HC_SET(s->lease_id, reply_text(&reply, "lease.id"));
    reply_free(&reply);
    (void)snprintf(s->path, sizeof s->path, "/api/v1/explain?lease=%s", s->lease_id);
}

struct wanted { struct rig *r; const struct scene *s; const char *found_in; };

static bool found_there(void *arg)
{
    const struct wanted *wanted = arg;
    struct reply reply;
    rig_ask(wanted->r, "GET", wanted->s->path, RIG_READ, NULL, &reply);
    assert_int_equal(reply.status, 200);
    bool there = strcmp(reply_text(&reply, "found_in"), wanted->found_in) == 0;
    reply_free(&reply);
    return there;
}

static bool events_are_complete(void *arg)
{
    const struct wanted *wanted = arg;
    struct reply reply;
    rig_ask(wanted->r, "GET", wanted->s->path, RIG_READ, NULL, &reply);
    bool complete = reply_bool(&reply, "events_complete");
    reply_free(&reply);
    return complete;
}

static void check_granted(const struct reply *reply, const struct scene *s)
{
    assert_string_equal(reply_text(reply, "lease_id"), s->lease_id);
    assert_string_equal(reply_text(reply, "session.lease_id"), s->lease_id);
    assert_string_equal(reply_text(reply, "session.experience"), RIG_EXPERIENCE);
    assert_string_equal(reply_text(reply, "granted.source"), "explicit");
    assert_string_equal(reply_text(reply, "granted.head_id"), s->h.id);
    assert_string_equal(reply_text(reply, "granted.body_id"), s->b.id);
    assert_int_equal(reply_int(reply, "granted.slot"), 0);
    assert_false(reply_null(reply, "granted.at"));
    assert_int_equal(reply_count(reply, "granted.facts"), 2);
    assert_string_equal(reply_text(reply, "granted.facts[0]"), "preferred");
    assert_string_equal(reply_text(reply, "granted.facts[1]"), "other_venue");
}

static void test_explain_lease__it_lives__tells_to_whom_and_why(void **state)
{
    struct rig *r = *state;
    struct scene s;
    struct reply reply;
    granted(r, &s);
    rig_until(r, events_are_complete, &(struct wanted){ r, &s, "" });
    rig_ask(r, "GET", s.path, RIG_READ, NULL, &reply);
    assert_int_equal(reply.status, 200);
    assert_string_equal(reply_text(&reply, "found_in"), "store");
    check_granted(&reply, &s);
    assert_true(reply_null(&reply, "ended"));
    assert_string_equal(reply_text(&reply, "events[0].type"), "lease_granted");
    assert_string_equal(reply_text(&reply, "events[0].lease_id"), s.lease_id);
    reply_free(&reply);
}

static void test_explain_lease__it_ended__history_tells_why_it_came_and_went(void **state)
{
    struct rig *r = *state;
    struct scene s;
    struct reply reply;
    char path[160];
    granted(r, &s);
    (void)snprintf(path, sizeof path, "/api/v1/leases/%s/revoke", s.lease_id);
    rig_ask(r, "POST", path, RIG_ADMIN, "{\"reason\":\"wrong visitor\"}", &reply);
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
    rig_until(r, found_there, &(struct wanted){ r, &s, "history" });
    rig_until(r, events_are_complete, &(struct wanted){ r, &s, "" });
    rig_ask(r, "GET", s.path, RIG_READ, NULL, &reply);
    check_granted(&reply, &s);
    assert_string_equal(reply_text(&reply, "ended.state"), "revoked");
    assert_string_equal(reply_text(&reply, "ended.reason"), "operator_revoke");
    assert_false(reply_null(&reply, "ended.at"));
    size_t count = reply_count(&reply, "events");
    assert_true(count >= 2);
    (void)snprintf(path, sizeof path, "events[%zu].type", count - 1);
    assert_string_equal(reply_text(&reply, path), "lease_ended");
    reply_free(&reply);
}

static void test_explain_lease__unknown_or_ambiguous__is_refused(void **state)
{
    struct rig *r = *state;
    rig_expect(r, "GET", "/api/v1/explain?lease=lse-none", RIG_READ, NULL, 404, "lease_not_found", "");
    rig_expect(r, "GET", "/api/v1/explain?lease=lse-none&head_id=h", RIG_READ, NULL, 400, "bad_request", "lease");
    rig_expect(r, "GET", "/api/v1/explain?lease=a%20b", RIG_READ, NULL, 400, "bad_request", "lease");
    rig_expect(r, "GET", "/api/v1/explain?lease=", RIG_READ, NULL, 400, "bad_request", "lease");
    rig_expect(r, "GET", "/api/v1/explain?lease=lse-none", NULL, NULL, 401, "unauthorized", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(test_explain_lease__it_lives__tells_to_whom_and_why),
        RIG_TEST(test_explain_lease__it_ended__history_tells_why_it_came_and_went),
        RIG_TEST(test_explain_lease__unknown_or_ambiguous__is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
