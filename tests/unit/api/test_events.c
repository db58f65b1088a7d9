/* GET /events: the list with its cursor, and the stream. */
#include "fixture.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../../src/api/call.h"
#include "hydra/os/clock.h"

#define READERS 64

static void publish(struct rig *r, unsigned count, enum note_type type)
{
    for (unsigned i = 0; i < count; i++) {
        struct core_note note = { .type = type, .at = rig_now(), .slot = type == NOTE_SLOT_CONFLICT ? 2 : -1,
                                  .waited_ms = -1, .eta_ms = -1 };
        HC_SET(note.district, RIG_DISTRICT);
        (void)snprintf(note.detail, sizeof note.detail, "event %u", i);
        if (type == NOTE_SLOT_CONFLICT)
            HC_SET(note.body_id, "node-1");
        assert_int_equal(feed_publish(r->feed, &note, 1), HC_OK);
    }
}

static void test_events__list__is_newest_first_with_a_cursor(void **state)
{
    struct rig *r = *state;
    struct reply reply;
    publish(r, 5, NOTE_NODE_CHANGED);
    rig_ask(r, "GET", "/api/v1/events?limit=2&type=node_changed", RIG_READ, NULL, &reply);
    assert_int_equal(reply.status, 200);
    assert_int_equal(reply_count(&reply, ""), 2);
    assert_string_equal(reply_text(&reply, "[0].detail"), "event 4");
    assert_string_equal(reply_text(&reply, "[0].type"), "node_changed");
    assert_string_equal(reply_text(&reply, "[0].district"), RIG_DISTRICT);
    assert_false(reply_bool(&reply, "[0].expected_legacy"));
    assert_null(json_object_get(json_array_get(reply.json, 0), "slot"));
    assert_null(json_object_get(json_array_get(reply.json, 0), "body_id"));
    char path[160];
    (void)snprintf(path, sizeof path, "/api/v1/events?limit=2&type=node_changed&cursor=%s", reply_text(&reply, "[1].id"));
    assert_true(reply_has(&reply, "X-Next-Cursor: "));
    reply_free(&reply);
    rig_ask(r, "GET", path, RIG_READ, NULL, &reply);
    assert_string_equal(reply_text(&reply, "[0].detail"), "event 2");
    reply_free(&reply);
}

static void test_events__since__is_oldest_first_and_what_came_after(void **state)
{
    struct rig *r = *state;
    struct reply reply;
    char path[160];
    publish(r, 1, NOTE_NODE_CHANGED);
    (void)snprintf(path, sizeof path, "/api/v1/events?since=%s", feed_last_id(r->feed));
    publish(r, 2, NOTE_SLOT_CONFLICT);
    rig_ask(r, "GET", path, RIG_READ, NULL, &reply);
    assert_int_equal(reply_count(&reply, ""), 2);
    assert_string_equal(reply_text(&reply, "[0].detail"), "event 0");
    assert_string_equal(reply_text(&reply, "[1].detail"), "event 1");
    assert_int_equal(reply_int(&reply, "[0].slot"), 2);
    assert_string_equal(reply_text(&reply, "[0].body_id"), "node-1");
    assert_false(reply_has(&reply, "X-Next-Cursor"));
    reply_free(&reply);
}

static void test_events__wrong_caller_or_query__is_refused(void **state)
{
    static const struct { const char *query, *field; } cases[] = {
        { "type=gossip", "type" }, { "limit=0", "limit" }, { "limit=1001", "limit" }, { "limit=x", "limit" },
        { "since=yesterday", "since" },
        { "since=1-", "since" }, { "cursor=-1", "cursor" }, { "follow=1&since=x", "since" },
        { "since=1-999999999999999999999999999999999999999999", "since" },
    };
    struct rig *r = *state;
    struct reply reply;
    char path[160];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        (void)snprintf(path, sizeof path, "/api/v1/events?%s", cases[i].query);
        rig_expect(r, "GET", path, RIG_READ, NULL, 400, "bad_request", cases[i].field);
    }
    rig_ask_raw(r, "GET", "/api/v1/events?follow=1", RIG_READ, "Last-Event-ID: what?\r\n", NULL, 0, &reply);
    assert_int_equal(reply.status, 400);
    assert_string_equal(reply_text(&reply, "field"), "Last-Event-ID");
    reply_free(&reply);
    rig_expect(r, "GET", "/api/v1/events", NULL, NULL, 401, "unauthorized", "");
    rig_expect(r, "GET", "/api/v1/events?follow=1", RIG_FLEET, NULL, 403, "forbidden", "");
}

/* ---- the stream ---- */

struct listener { int fd; char text[65536]; size_t len; };

/* `more`: further header lines, each after a line end. */
static void listen_with(struct rig *r, struct listener *l, const char *path, const char *more)
{
    char token[256];
    l->len = 0;
    l->text[0] = '\0';
    (void)snprintf(token, sizeof token, "%s%s", RIG_READ, more);
    l->fd = rig_start(r, "GET", path, token, NULL);
}

static void listen_on(struct rig *r, struct listener *l, const char *path)
{
    listen_with(r, l, path, "");
}

/* Turns until the stream has said `text`. */
static void hear(struct rig *r, struct listener *l, const char *text)
{
    int64_t end_ms = os_monotonic_ms() + RIG_WAIT_MS;
    while (strstr(l->text, text) == NULL) {
        ssize_t n = recv(l->fd, l->text + l->len, sizeof l->text - 1 - l->len, 0);
        if (n > 0) {
            l->len += (size_t)n;
            l->text[l->len] = '\0';
            continue;
        }
        if (n == 0 || errno != EAGAIN || os_monotonic_ms() > end_ms)
            fail_msg("never heard %s in: %s", text, l->text);
        rig_turn(r, 20);
    }
}

static void test_events__follow__hears_what_is_published_from_now_on(void **state)
{
    struct rig *r = *state;
    struct listener l;
    publish(r, 1, NOTE_STORE_UP);
    listen_on(r, &l, "/api/v1/events?follow=1");
    hear(r, &l, ": still here\n\n");
    assert_non_null(strstr(l.text, "text/event-stream"));
    assert_null(strstr(l.text, "store_up"));
    publish(r, 1, NOTE_NODE_CHANGED);
    char id[128];
    (void)snprintf(id, sizeof id, "id: %s\nevent: node_changed\ndata: {\"id\":", feed_last_id(r->feed));
    hear(r, &l, id);
    hear(r, &l, "\"detail\":\"event 0\"}\n\n");
    publish(r, 1, NOTE_SLOT_CONFLICT);
    hear(r, &l, "event: slot_conflict\n");
    (void)close(l.fd);
}

static void test_events__real_change__is_heard_without_asking_again(void **state)
{
    struct rig *r = *state;
    struct listener l;
    char id[HC_ID_SIZE], token[RIG_TOKEN_SIZE];
    listen_on(r, &l, "/api/v1/events?follow=1&type=node_enrolled");
    hear(r, &l, ": still here\n\n");
    rig_head(r, "h1", "north", id, token);
    hear(r, &l, "event: node_enrolled\n");
    hear(r, &l, id);
    (void)close(l.fd);
}

static void test_events__last_event_id__goes_on_behind_it(void **state)
{
    struct rig *r = *state;
    struct listener l;
    char headers[160];
    publish(r, 1, NOTE_NODE_CHANGED);
    (void)snprintf(headers, sizeof headers, "\r\nAccept: text/event-stream\r\nLast-Event-ID: %s", feed_last_id(r->feed));
    publish(r, 3, NOTE_SLOT_CONFLICT);
    listen_with(r, &l, "/api/v1/events", headers);
    hear(r, &l, "event 2");
    assert_non_null(strstr(l.text, "event 0"));
    assert_null(strstr(l.text, "node_changed"));
    (void)close(l.fd);
}

static void test_events__daemon_stops__the_stream_ends(void **state)
{
    struct rig *r = *state;
    struct listener l;
    listen_on(r, &l, "/api/v1/events?follow=1");
    hear(r, &l, ": still here\n\n");
    api_stopping(r->api);
    hear(r, &l, "\r\n0\r\n");
    (void)close(l.fd);
}

static int64_t ahead_ms;

static int64_t clock_ahead(void)
{
    return os_monotonic_ms() + ahead_ms;
}

static void test_events__quiet_for_15_seconds__says_that_it_is_still_there(void **state)
{
    struct rig *r = *state;
    struct listener l;
    ahead_ms = 0;
    r->api->config.monotonic_ms = clock_ahead;
    listen_on(r, &l, "/api/v1/events?follow=1");
    hear(r, &l, ": still here\n\n");
    for (int i = 0; i < 5; i++)
        rig_turn(r, 1);
    assert_true(recv(l.fd, l.text, 1, MSG_PEEK) < 0);      /* not at every turn */
    l.len = 0;
    l.text[0] = '\0';
    ahead_ms = 15000;
    hear(r, &l, ": still here\n\n");
    (void)close(l.fd);
}

static void test_events__followed_for_an_hour__the_stream_ends(void **state)
{
    struct rig *r = *state;
    struct listener l;
    ahead_ms = 0;
    r->api->config.monotonic_ms = clock_ahead;
    listen_on(r, &l, "/api/v1/events?follow=1");
    hear(r, &l, ": still here\n\n");
    ahead_ms = HC_HOUR_MS;
    hear(r, &l, "\r\n0\r\n");
    (void)close(l.fd);
}

static void test_events__more_than_a_piece_of_them__all_arrive_once(void **state)
{
    struct rig *r = *state;
    struct listener l;
    char path[160];
    publish(r, 1, NOTE_STORE_UP);
    (void)snprintf(path, sizeof path, "/api/v1/events?follow=1&since=%s", feed_last_id(r->feed));
    publish(r, 250, NOTE_NODE_CHANGED);
    listen_on(r, &l, path);
    hear(r, &l, "\"event 249\"");
    unsigned count = 0;
    for (const char *at = l.text; (at = strstr(at, "\nevent: node_changed")) != NULL; at++)
        count++;
    assert_int_equal(count, 250);
    (void)close(l.fd);
}

static void test_events__too_many_followers__are_refused_until_one_leaves(void **state)
{
    struct rig *r = *state;
    struct reply reply;
    static struct listener listeners[READERS];
    for (size_t i = 0; i < READERS; i++) {
        listen_on(r, &listeners[i], "/api/v1/events?follow=1");
        hear(r, &listeners[i], ": still here\n\n");
    }
    rig_ask(r, "GET", "/api/v1/events?follow=1", RIG_READ, NULL, &reply);
    assert_int_equal(reply.status, 503);
    assert_string_equal(reply_text(&reply, "error"), "too_many_followers");
    assert_true(reply_has(&reply, "Retry-After: "));
    reply_free(&reply);
    (void)close(listeners[0].fd);
    int64_t end_ms = os_monotonic_ms() + RIG_WAIT_MS;
    for (bool heard = false; !heard;) {
        assert_true(os_monotonic_ms() < end_ms);
        publish(r, 1, NOTE_NODE_CHANGED);      /* writing to the peer that left shows that it has */
        listen_on(r, &listeners[0], "/api/v1/events?follow=1");
        while (!rig_answered(r, listeners[0].fd))
            assert_true(os_monotonic_ms() < end_ms);
        char head[16] = "";
        assert_true(recv(listeners[0].fd, head, sizeof head - 1, MSG_PEEK) > 0);
        heard = strncmp(head, "HTTP/1.1 200", 12) == 0;
        if (!heard)
            (void)close(listeners[0].fd);
    }
    for (size_t i = 0; i < READERS; i++)
        (void)close(listeners[i].fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(test_events__list__is_newest_first_with_a_cursor),
        RIG_TEST(test_events__since__is_oldest_first_and_what_came_after),
        RIG_TEST(test_events__wrong_caller_or_query__is_refused),
        RIG_TEST(test_events__follow__hears_what_is_published_from_now_on),
        RIG_TEST(test_events__real_change__is_heard_without_asking_again),
        RIG_TEST(test_events__last_event_id__goes_on_behind_it),
        RIG_TEST(test_events__daemon_stops__the_stream_ends),
        RIG_TEST(test_events__quiet_for_15_seconds__says_that_it_is_still_there),
        RIG_TEST(test_events__followed_for_an_hour__the_stream_ends),
        RIG_TEST(test_events__more_than_a_piece_of_them__all_arrive_once),
        RIG_TEST(test_events__too_many_followers__are_refused_until_one_leaves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
