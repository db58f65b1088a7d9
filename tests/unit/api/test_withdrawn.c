/* Who asked may no longer have the answer: a token replaced, a node denied or deleted, an operator's token revoked meanwhile. */
#include "asked.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "hydra/os/clock.h"

struct who { char id[HC_ID_SIZE], token[RIG_TOKEN_SIZE]; };
struct scene { struct who body, head, other; };

/* One body, held by `other`: `head` waits. */
static struct scene open_scene(struct rig *r)
{
    struct scene s;
    struct reply reply;
    rig_body(r, "pickle", "north", s.body.id, s.body.token);
    rig_head(r, "tablet", "north", s.head.id, s.head.token);
    rig_head(r, "screen", "north", s.other.id, s.other.token);
    rig_report(r, s.body.id);
    rig_claim(r, s.other.id, s.other.token, "a-other", 201, &reply);
    reply_free(&reply);
    return s;
}

static void new_token(struct rig *r, const struct who *node)
{
    struct reply reply;
    rig_ask(r, "POST", asked_path("/api/v1/nodes/%s/token", node->id), RIG_ADMIN, NULL, &reply);
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
}

static void deny(struct rig *r, const struct who *node)
{
    rig_expect(r, "PUT", asked_path("/api/v1/nodes/%s", node->id), RIG_ADMIN, "{\"approval\":\"denied\"}", 200, "", "");
}

static void delete(struct rig *r, const struct who *node)
{
    rig_expect(r, "DELETE", asked_path("/api/v1/nodes/%s?force=1", node->id), RIG_ADMIN, NULL, 204, "", "");
}

static void expect_refused(struct rig *r, int fd, int status, const char *error)
{
    struct reply reply;
    rig_answer(r, fd, &reply);
    assert_int_equal(reply.status, status);
    assert_string_equal(reply_text(&reply, "error"), error);
    assert_int_equal(reply_has(&reply, "WWW-Authenticate: Bearer"), status == 401);
    reply_free(&reply);
}

static int start_for(struct rig *r, const char *pattern, const struct who *node)
{
    char path[256];
    const char *id = strstr(pattern, "{id}");
    (void)snprintf(path, sizeof path, "%.*s%s%s", (int)(id - pattern), pattern, node->id, id + strlen("{id}"));
    return rig_start(r, "GET", path, node->token, NULL);
}

/* ---- requests that wait ---- */

static const struct { const char *path; bool by_body; } waits[] = {
    { "/api/v1/nodes/{id}/ops/next?wait=25",                 true },
    { "/api/v1/heads/{id}/admission?wait=25&attempt_id=a-h", false },
    { "/api/v1/nodes/{id}/ops/next?wait=25",                 false },
};

static void each_wait(struct rig *r, void (*withdraw)(struct rig *r, const struct who *node), int status, const char *error)
{
    for (size_t i = 0; i < sizeof waits / sizeof waits[0]; i++) {
        struct who node;
        if (waits[i].by_body)
            rig_body(r, asked_path("b-%zu", i), "north", node.id, node.token);
        else
            rig_head(r, asked_path("h-%zu", i), "north", node.id, node.token);
        int fd = start_for(r, waits[i].path, &node);
        rig_parked(r, "news", 1);
        withdraw(r, &node);
        expect_refused(r, fd, status, error);
    }
}

static void test_withdrawn__token_replaced__what_waits_with_the_old_one_is_401(void **state)
{
    each_wait(*state, new_token, 401, "unauthorized");
}

static void test_withdrawn__node_denied__what_waits_is_403(void **state)
{
    each_wait(*state, deny, 403, "node_denied");
}

static void test_withdrawn__node_deleted__what_waits_is_401(void **state)
{
    each_wait(*state, delete, 401, "unauthorized");
}

static void desired_path(struct rig *r, const struct who *body, char path[256])
{
    struct reply reply;
    rig_ask(r, "GET", asked_path("/api/v1/bodies/%s/desired", body->id), body->token, NULL, &reply);
    assert_int_equal(reply.status, 200);
    (void)snprintf(path, 256, "/api/v1/bodies/%s/desired?wait=25&since=%s", body->id, reply_text(&reply, "desired.digest"));
    reply_free(&reply);
}

static void test_withdrawn__desired__is_not_told_to_the_old_token(void **state)
{
    struct rig *r = *state;
    struct scene s = open_scene(r);
    char path[256];
    desired_path(r, &s.body, path);
    int fd = rig_start(r, "GET", path, s.body.token, NULL);
    rig_parked(r, "news", 1);
    new_token(r, &s.body);
    expect_refused(r, fd, 401, "unauthorized");
}

static void test_withdrawn__promotion__is_not_collected_by_the_old_token(void **state)
{
    struct rig *r = *state;
    struct scene s = open_scene(r);
    struct reply reply;
    rig_claim(r, s.head.id, s.head.token, "a-h", 202, &reply);
    reply_free(&reply);
    int fd = start_for(r, "/api/v1/heads/{id}/admission?wait=25&attempt_id=a-h", &s.head);
    rig_parked(r, "news", 1);
    new_token(r, &s.head);
    delete(r, &s.other);
    rig_report(r, s.body.id);
    expect_refused(r, fd, 401, "unauthorized");
}

static void test_withdrawn__claiming_read_that_waits__is_refused(void **state)
{
    struct rig *r = *state;
    struct reply reply;
    struct who body, head, other;
    rig_body(r, "pickle", "north", body.id, body.token);
    rig_head(r, "tablet", "north", head.id, head.token);
    rig_head(r, "screen", "north", other.id, other.token);
    rig_report(r, body.id);
    rig_read(r, other.token, &reply);
    reply_free(&reply);
    /* The other lets go: the slot is free as soon as the body has confirmed its epoch, and the read waits for that. */
    rig_expect(r, "DELETE", asked_path("/api/v1/heads/%s/stream", other.id), other.token, NULL, 204, "", "");
    int fd = rig_start(r, "GET", "/api/v1/bodies/eligible?experience=" RIG_EXPERIENCE, head.token, NULL);
    rig_parked(r, "slot", 1);
    deny(r, &head);
    expect_refused(r, fd, 403, "node_denied");
}

static void test_withdrawn__pin_that_waits__is_refused(void **state)
{
    struct rig *r = *state;
    struct scene s = open_scene(r);
    int fd = rig_start(r, "POST", asked_path("/api/v1/nodes/%s/sunshine-pin", s.body.id), s.other.token, "{\"pin\":\"4711\"}");
    rig_parked(r, "news", 1);
    new_token(r, &s.other);
    expect_refused(r, fd, 401, "unauthorized");
}

static void test_withdrawn__operator_that_waits__is_refused(void **state)
{
    struct rig *r = *state;
    struct who head;
    rig_head(r, "tablet", "north", head.id, head.token);
    int fd = rig_start(r, "GET", asked_path("/api/v1/heads/%s/admission?wait=25", head.id), RIG_READ, NULL);
    rig_parked(r, "news", 1);
    r->revoked = PRINCIPAL_READ;
    new_token(r, &head);                     /* any news of that head */
    expect_refused(r, fd, 401, "unauthorized");
}

/* ---- a body that comes late ---- */

static void test_withdrawn__while_the_body_is_on_its_way__is_refused(void **state)
{
    struct rig *r = *state;
    struct scene s = open_scene(r);
    static const char json[] = "{\"version\":\"1.0\"}";
    struct reply reply;
    int fd = rig_promise(r, "POST", asked_path("/api/v1/nodes/%s/heartbeat", s.head.id), s.head.token, sizeof json - 1);
    for (int i = 0; i < 20; i++)
        rig_turn(r, 1);
    new_token(r, &s.head);
    assert_int_equal(send(fd, json, sizeof json - 1, 0), sizeof json - 1);
    rig_answer(r, fd, &reply);
    assert_int_equal(reply.status, 401);
    reply_free(&reply);
}

/* ---- the stream of events ---- */

struct heard { int fd; char text[16384]; size_t len; };

static void hear(struct rig *r, struct heard *h, const char *text)
{
    int64_t end_ms = os_monotonic_ms() + RIG_WAIT_MS;
    while (strstr(h->text, text) == NULL) {
        ssize_t n = recv(h->fd, h->text + h->len, sizeof h->text - 1 - h->len, 0);
        if (n > 0) {
            h->len += (size_t)n;
            h->text[h->len] = '\0';
            continue;
        }
        if (n == 0 || errno != EAGAIN || os_monotonic_ms() > end_ms)
            fail_msg("never heard %s in: %s", text, h->text);
        rig_turn(r, 20);
    }
}

static void publish(struct rig *r)
{
    struct core_note note = { .type = NOTE_NODE_CHANGED, .at = rig_now(), .slot = -1, .waited_ms = -1, .eta_ms = -1 };
    HC_SET(note.district, RIG_DISTRICT);
    HC_SET(note.detail, "a secret of the house");
    assert_int_equal(feed_publish(r->feed, &note, 1), HC_OK);
}

static void test_withdrawn__events__hear_nothing_more_and_end(void **state)
{
    struct rig *r = *state;
    struct heard h = { .fd = rig_start(r, "GET", "/api/v1/events?follow=1", RIG_READ, NULL) };
    hear(r, &h, ": still here\n\n");
    r->revoked = PRINCIPAL_READ;
    publish(r);
    hear(r, &h, "\r\n0\r\n");
    assert_null(strstr(h.text, "a secret of the house"));
    (void)close(h.fd);
}

static void test_withdrawn__quiet_events__end_within_seconds(void **state)
{
    struct rig *r = *state;
    struct heard h = { .fd = rig_start(r, "GET", "/api/v1/events?follow=1", RIG_READ, NULL) };
    hear(r, &h, ": still here\n\n");
    r->revoked = PRINCIPAL_READ;
    hear(r, &h, "\r\n0\r\n");
    (void)close(h.fd);
}

/* ---- pages and pictures ---- */

static void test_withdrawn__enrolment_page_that_waits__shows_no_code(void **state)
{
    struct rig *r = *state;
    r->enrolment_hangs = true;
    int fd = rig_start(r, "GET", "/enroll", RIG_ADMIN, NULL);
    int64_t end_ms = os_monotonic_ms() + RIG_WAIT_MS;
    while (r->enrolment_asked == 0) {
        assert_true(os_monotonic_ms() < end_ms);
        rig_turn(r, 1);
    }
    r->revoked = PRINCIPAL_ADMIN;
    expect_refused(r, fd, 401, "unauthorized");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(test_withdrawn__token_replaced__what_waits_with_the_old_one_is_401),
        RIG_TEST(test_withdrawn__node_denied__what_waits_is_403),
        RIG_TEST(test_withdrawn__node_deleted__what_waits_is_401),
        RIG_TEST(test_withdrawn__desired__is_not_told_to_the_old_token),
        RIG_TEST(test_withdrawn__promotion__is_not_collected_by_the_old_token),
        RIG_TEST(test_withdrawn__claiming_read_that_waits__is_refused),
        RIG_TEST(test_withdrawn__pin_that_waits__is_refused),
        RIG_TEST(test_withdrawn__operator_that_waits__is_refused),
        RIG_TEST(test_withdrawn__while_the_body_is_on_its_way__is_refused),
        RIG_TEST(test_withdrawn__events__hear_nothing_more_and_end),
        RIG_TEST(test_withdrawn__quiet_events__end_within_seconds),
        RIG_TEST(test_withdrawn__enrolment_page_that_waits__shows_no_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
