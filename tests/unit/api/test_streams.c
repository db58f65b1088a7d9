#include "asked.h"

#include <stdio.h>
#include <string.h>

struct fleet {
    char body[HC_ID_SIZE], body_token[RIG_TOKEN_SIZE], head[HC_ID_SIZE], token[RIG_TOKEN_SIZE];
    char other[HC_ID_SIZE], other_token[RIG_TOKEN_SIZE];
};

static void make_fleet(struct rig *r, struct fleet *f)
{
    rig_body(r, "pickle", "north", f->body, f->body_token);
    rig_head(r, "tablet", "north", f->head, f->token);
    rig_head(r, "other", "south", f->other, f->other_token);
    rig_report(r, f->body);
}

static void create(struct rig *r, const char *head, const char *token, const char *attempt, struct reply *ret)
{
    char body[256];
    (void)snprintf(body, sizeof body,
                   "{\"attempt_id\":\"%s\",\"experience\":\"%s\",\"device_uid\":\"0123456789abcdef\",\"protocol_version\":2}", attempt,
                   RIG_EXPERIENCE);
    rig_ask(r, "POST", asked_path("/api/v1/heads/%s/streams", head), token, body, ret);
}

static void test_stream__created__is_201_bound_or_seeking(void **state)
{
    struct rig *r = *state;
    struct fleet f;
    struct reply first, second, again;
    make_fleet(r, &f);
    create(r, f.head, f.token, "a-1", &first);
    assert_int_equal(first.status, 201);
    assert_string_equal(reply_text(&first, "stream.head_id"), f.head);
    assert_string_equal(reply_text(&first, "stream.experience"), RIG_EXPERIENCE);
    assert_string_equal(reply_text(&first, "stream.state"), "binding");
    assert_string_equal(reply_text(&first, "stream.lease_id"), reply_text(&first, "lease.id"));
    assert_int_equal(reply_int(&first, "stream.age_seconds"), 0);
    assert_true(reply_null(&first, "stream.reason") && reply_null(&first, "stream.ticket_id"));
    assert_true(reply_null(&first, "stream.unattended_seconds"));
    create(r, f.other, f.other_token, "a-2", &second);
    assert_int_equal(second.status, 201);
    assert_string_equal(reply_text(&second, "stream.state"), "seeking_body");
    assert_string_equal(reply_text(&second, "stream.ticket_id"), reply_text(&second, "ticket.id"));
    assert_true(reply_null(&second, "stream.lease_id") && reply_null(&second, "lease"));
    create(r, f.head, f.token, "a-3", &again);              /* it has its stream already */
    assert_int_equal(again.status, 201);
    assert_string_equal(reply_text(&again, "stream.id"), reply_text(&first, "stream.id"));
    assert_true(reply_null(&again, "lease.claim_token"));
    reply_free(&first);
    reply_free(&second);
    reply_free(&again);
}

static void test_stream__read_and_ended__by_its_head_alone(void **state)
{
    struct rig *r = *state;
    struct fleet f;
    struct reply made, reply;
    char path[256];
    make_fleet(r, &f);
    create(r, f.head, f.token, "a-1", &made);
    (void)snprintf(path, sizeof path, "/api/v1/heads/%s/streams/%s", f.head, reply_text(&made, "stream.id"));
    rig_ask(r, "GET", path, f.token, NULL, &reply);
    assert_int_equal(reply.status, 200);
    assert_string_equal(reply_text(&reply, "stream.id"), reply_text(&made, "stream.id"));
    reply_free(&reply);
    const char *foreign = asked_path("/api/v1/heads/%s/streams/%s", f.other, reply_text(&made, "stream.id"));
    rig_expect(r, "GET", foreign, f.other_token, NULL, 404, "not_found", "");
    rig_expect(r, "GET", asked_path("%s?wait=25", foreign), f.other_token, NULL, 404, "not_found", "");
    rig_expect(r, "DELETE", foreign, f.other_token, NULL, 403, "not_your_stream", "");
    rig_expect(r, "GET", path, f.other_token, NULL, 403, "forbidden", "");
    rig_expect(r, "GET", asked_path("%s?wait=26", path), f.token, NULL, 400, "bad_request", "wait");
    rig_expect(r, "DELETE", path, f.token, NULL, 204, "", "");
    rig_expect(r, "DELETE", path, f.token, NULL, 204, "", "");
    rig_ask(r, "GET", path, f.token, NULL, &reply);
    assert_string_equal(reply_text(&reply, "stream.state"), "ended");
    assert_string_equal(reply_text(&reply, "stream.reason"), "released");
    reply_free(&reply);
    reply_free(&made);
}

static void test_stream__waited_for__is_told_when_it_is_bound(void **state)
{
    struct rig *r = *state;
    struct fleet f;
    struct reply holder, waits, reply;
    make_fleet(r, &f);
    create(r, f.head, f.token, "a-1", &holder);
    create(r, f.other, f.other_token, "a-2", &waits);
    int fd = rig_start(r, "GET", asked_path("/api/v1/heads/%s/streams/%s?wait=25", f.other, reply_text(&waits, "stream.id")), f.other_token,
                       NULL);
    rig_parked(r, "news", 1);
    rig_expect(r, "DELETE", asked_path("/api/v1/heads/%s/streams/%s", f.head, reply_text(&holder, "stream.id")), f.token, NULL, 204, "",
               "");
    rig_report(r, f.body);
    rig_answer(r, fd, &reply);
    assert_int_equal(reply.status, 200);
    assert_string_equal(reply_text(&reply, "stream.state"), "binding");
    reply_free(&reply);
    reply_free(&holder);
    reply_free(&waits);
}

static size_t listed(struct rig *r, const char *query)
{
    struct reply reply;
    rig_ask(r, "GET", asked_path("/api/v1/streams%s", query), RIG_READ, NULL, &reply);
    if (reply.status != 200)
        fail_msg("%s: %d %s", query, reply.status, reply.body);
    size_t count = reply_count(&reply, "");
    reply_free(&reply);
    return count;
}

static void test_streams__filters__keep_what_was_asked_for(void **state)
{
    struct rig *r = *state;
    struct fleet f;
    struct reply first, second;
    make_fleet(r, &f);
    assert_int_equal(listed(r, ""), 0);
    create(r, f.head, f.token, "a-1", &first);
    create(r, f.other, f.other_token, "a-2", &second);
    assert_int_equal(listed(r, ""), 2);
    assert_int_equal(listed(r, "?state=binding"), 1);
    assert_int_equal(listed(r, "?state=live"), 0);
    assert_int_equal(listed(r, "?venue=south"), 1);
    assert_int_equal(listed(r, "?venue=south&state=binding"), 0);
    assert_int_equal(listed(r, "?district=" RIG_DISTRICT), 2);
    assert_int_equal(listed(r, "?district=none"), 0);
    assert_int_equal(listed(r, "?unattended_over=0"), 0);
    rig_report_session(r, f.body, SESSION_STREAMING, reply_text(&first, "lease.id"));
    assert_int_equal(listed(r, "?state=live"), 1);
    for (int i = 0; i < 4; i++) {
        rig_pass(r, 60 * HC_SECOND_MS);
        rig_report_session(r, f.body, SESSION_STREAMING, reply_text(&first, "lease.id"));
    }
    assert_int_equal(listed(r, "?unattended_over=120"), 1);          /* its head says nothing */
    assert_int_equal(listed(r, "?unattended_over=3600"), 0);
    reply_free(&first);
    reply_free(&second);
    static const struct asked rows[] = {
        { "GET", "/api/v1/streams?state=dead",        "read-token", NULL, 400, "bad_request", "state" },
        { "GET", "/api/v1/streams?cursor=x",          "read-token", NULL, 400, "bad_request", "cursor" },
        { "GET", "/api/v1/streams?cursor=1.a%20b",    "read-token", NULL, 400, "bad_request", "cursor" },
        { "GET", "/api/v1/streams?unattended_over=x", "read-token", NULL, 400, "bad_request", "unattended_over" },
        { "GET", "/api/v1/streams?venue=a%07",        "read-token", NULL, 400, "bad_request", "venue" },
    };
    asked_all(r, rows, sizeof rows / sizeof rows[0], f.head, f.body);
    rig_expect(r, "GET", "/api/v1/streams", f.token, NULL, 403, "forbidden", "");
}

static void next_cursor(const struct reply *reply, char out[128])
{
    const char *at = strstr(reply->head, "X-Next-Cursor: ");
    size_t len = at == NULL ? 0 : strcspn(at + 15, "\r");
    assert_true(len < 128);
    memcpy(out, at == NULL ? "" : at + 15, len);
    out[len] = '\0';
}

static void test_streams__pages__are_newest_first_and_whole(void **state)
{
    struct rig *r = *state;
    struct fleet f;
    struct reply reply;
    char ids[5][HC_ID_SIZE], cursor[128] = "";
    make_fleet(r, &f);
    for (int i = 0; i < 5; i++) {
        char head[HC_ID_SIZE], token[RIG_TOKEN_SIZE];
        rig_head(r, "visitor", "north", head, token);
        create(r, head, token, "a-1", &reply);
        hc_copy(ids[i], sizeof ids[i], reply_text(&reply, "stream.id"));
        reply_free(&reply);
        rig_pass(r, 10);
    }
    for (int seen = 0; seen < 5;) {
        rig_ask(r, "GET", asked_path("/api/v1/streams?limit=2%s%s", cursor[0] == '\0' ? "" : "&cursor=", cursor), RIG_ADMIN, NULL, &reply);
        assert_int_equal(reply_count(&reply, ""), seen < 4 ? 2 : 1);
        for (size_t i = 0; i < reply_count(&reply, ""); i++, seen++)
            assert_string_equal(reply_text(&reply, asked_path("[%zu].id", i)), ids[4 - seen]);
        next_cursor(&reply, cursor);
        assert_int_equal(cursor[0] != '\0', seen < 5);
        reply_free(&reply);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(test_stream__created__is_201_bound_or_seeking),
        RIG_TEST(test_stream__read_and_ended__by_its_head_alone),
        RIG_TEST(test_stream__waited_for__is_told_when_it_is_bound),
        RIG_TEST(test_streams__filters__keep_what_was_asked_for),
        RIG_TEST(test_streams__pages__are_newest_first_and_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
