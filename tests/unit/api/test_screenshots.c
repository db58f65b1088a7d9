/* Screenshots: asked for by an operator, sent by the head, handed on to all who wait, kept nowhere. */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hydra/os/clock.h"

#define PICTURE_MAX ((size_t)8 * 1024 * 1024)
static const char jpeg[] = "\xff\xd8\xff\xe0 a picture \0 with a zero \xff\xd9";
#define JPEG_LEN (sizeof jpeg - 1)

struct screen { char head[HC_ID_SIZE], token[RIG_TOKEN_SIZE], path[128], commands[128]; };

static void screen_of(struct rig *r, const char *name, struct screen *ret)
{
    rig_head(r, name, "north", ret->head, ret->token);
    (void)snprintf(ret->path, sizeof ret->path, "/api/v1/heads/%s/screenshot", ret->head);
    (void)snprintf(ret->commands, sizeof ret->commands, "/api/v1/heads/%s/commands", ret->head);
}

static bool asked(struct rig *r, const struct screen *s)
{
    struct reply reply;
    rig_ask(r, "GET", s->commands, s->token, NULL, &reply);
    assert_int_equal(reply.status, 200);
    bool is = reply_bool(&reply, "screenshot");
    reply_free(&reply);
    return is;
}

static int post(struct rig *r, const struct screen *s, const char *type, const char *bytes, size_t len)
{
    struct reply reply;
    char header[128] = "";
    if (type != NULL)
        (void)snprintf(header, sizeof header, "Content-Type: %s\r\n", type);
    rig_ask_raw(r, "POST", s->path, s->token, header, bytes, len, &reply);
    int status = reply.status;
    reply_free(&reply);
    return status;
}

static void is_the_picture(struct reply *reply)
{
    assert_int_equal(reply->status, 200);
    assert_true(reply_has(reply, "Content-Type: image/jpeg"));
    assert_true(reply_has(reply, "Cache-Control: no-store"));
    assert_int_equal(reply->body_len, JPEG_LEN);
    assert_memory_equal(reply->body, jpeg, JPEG_LEN);
    reply_free(reply);
}

static void test_screenshot__two_ask__share_the_one_that_the_head_sends(void **state)
{
    struct rig *r = *state;
    struct screen s, other;
    struct reply reply;
    screen_of(r, "h1", &s);
    screen_of(r, "h2", &other);
    assert_false(asked(r, &s));
    int first = rig_start(r, "GET", s.path, RIG_ADMIN, NULL), second = rig_start(r, "GET", s.path, RIG_ADMIN, NULL);
    rig_parked(r, "news", 2);
    assert_true(asked(r, &s));
    assert_false(asked(r, &other));
    assert_int_equal(post(r, &other, "image/jpeg", jpeg, JPEG_LEN), 204);      /* not asked: taken and dropped */
    assert_false(rig_answered(r, first));
    assert_int_equal(post(r, &s, "image/jpeg", jpeg, JPEG_LEN), 204);
    rig_answer(r, first, &reply);
    is_the_picture(&reply);
    rig_answer(r, second, &reply);
    is_the_picture(&reply);
    assert_false(asked(r, &s));
    int third = rig_start(r, "GET", s.path, RIG_ADMIN, NULL);                  /* the picture was handed on, not kept */
    rig_parked(r, "news", 1);
    assert_int_equal(post(r, &s, NULL, jpeg, JPEG_LEN), 204);                  /* heads that name no type are believed */
    rig_answer(r, third, &reply);
    is_the_picture(&reply);
}

static void test_screenshot__head_is_silent__504_after_five_seconds_and_a_late_one_is_for_the_next(void **state)
{
    struct rig *r = *state;
    struct screen s;
    struct reply reply;
    screen_of(r, "h1", &s);
    int64_t start_ms = os_monotonic_ms();
    rig_ask(r, "GET", s.path, RIG_ADMIN, NULL, &reply);
    assert_int_equal(reply.status, 504);
    assert_string_equal(reply_text(&reply, "error"), "no_screenshot");
    assert_in_range(os_monotonic_ms() - start_ms, 4900, 7500);
    reply_free(&reply);
    assert_true(asked(r, &s));                                                 /* its picture may be under way */
    assert_int_equal(post(r, &s, "image/jpeg", jpeg, JPEG_LEN), 204);
    assert_false(asked(r, &s));
    rig_ask(r, "GET", s.path, RIG_ADMIN, NULL, &reply);
    is_the_picture(&reply);
    int fd = rig_start(r, "GET", s.path, RIG_ADMIN, NULL);                     /* it was for one */
    rig_parked(r, "news", 1);
    assert_int_equal(post(r, &s, "image/jpeg", jpeg, JPEG_LEN), 204);
    rig_answer(r, fd, &reply);
    is_the_picture(&reply);
}

static void test_screenshot__not_a_jpeg__is_refused(void **state)
{
    static const struct { const char *type, *bytes; size_t len; int status; } rows[] = {
        { "image/png", jpeg, JPEG_LEN, 415 },        { "application/json", jpeg, JPEG_LEN, 415 },
        { "image/jpeg", "{\"a\":1}", 7, 415 },       { "image/jpeg", "\x89PNG\r\n\x1a\n", 8, 415 },
        { "image/jpeg", "\xff\xd8\xff", 3, 415 },    { "image/jpeg", "", 0, 415 },
        { NULL, "<html>", 6, 415 },                  { "image/jpeg; x=y", jpeg, JPEG_LEN, 204 },
        { "IMAGE/JPEG", jpeg, JPEG_LEN, 204 },       { "application/octet-stream", jpeg, JPEG_LEN, 204 },
    };
    struct rig *r = *state;
    struct screen s;
    screen_of(r, "h1", &s);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (post(r, &s, rows[i].type, rows[i].bytes, rows[i].len) != rows[i].status)
            fail_msg("row %zu", i);
}

/* 8 MiB on this route, 256 KiB on the others. */
static void test_screenshot__sizes__eight_mebibytes_and_not_a_byte_more(void **state)
{
    struct rig *r = *state;
    struct screen s;
    struct reply reply;
    char *big = calloc(1, PICTURE_MAX + 1);
    assert_non_null(big);
    memcpy(big, jpeg, JPEG_LEN);
    screen_of(r, "h1", &s);
    int fd = rig_start(r, "GET", s.path, RIG_ADMIN, NULL);
    rig_parked(r, "news", 1);
    rig_ask_raw(r, "POST", s.path, s.token, "Content-Type: image/jpeg\r\n", big, PICTURE_MAX + 1, &reply);
    assert_int_equal(reply.status, 413);
    reply_free(&reply);
    rig_ask_raw(r, "POST", s.path, RIG_ADMIN, "Content-Type: image/jpeg\r\n", big, 300 * 1024, &reply);
    assert_int_equal(reply.status, 403);
    reply_free(&reply);
    char beat[128];
    (void)snprintf(beat, sizeof beat, "/api/v1/heads/%s", s.head);
    rig_ask_raw(r, "PUT", beat, s.token, "Content-Type: application/json\r\n", big, 300 * 1024, &reply);
    assert_int_equal(reply.status, 413);
    reply_free(&reply);
    assert_int_equal(post(r, &s, "image/jpeg", big, PICTURE_MAX), 204);
    rig_answer(r, fd, &reply);
    assert_int_equal(reply.status, 200);
    assert_int_equal(reply.body_len, PICTURE_MAX);
    assert_memory_equal(reply.body, jpeg, JPEG_LEN);
    reply_free(&reply);
    free(big);
}

static void test_screenshot__who__self_sends_and_admin_looks(void **state)
{
    struct rig *r = *state;
    struct screen s, other;
    char body_id[HC_ID_SIZE], body_token[RIG_TOKEN_SIZE], path[128];
    screen_of(r, "h1", &s);
    screen_of(r, "h2", &other);
    rig_body(r, "b1", "north", body_id, body_token);
    rig_expect(r, "GET", s.path, RIG_READ, NULL, 403, "forbidden", "");        /* a picture of visitors is no list */
    rig_expect(r, "GET", s.path, s.token, NULL, 403, "forbidden", "");
    rig_expect(r, "GET", s.path, NULL, NULL, 401, "unauthorized", "");
    rig_expect(r, "POST", s.path, other.token, "x", 403, "forbidden", "");
    rig_expect(r, "POST", s.path, RIG_ADMIN, "x", 403, "forbidden", "");
    rig_expect(r, "GET", "/api/v1/heads/node-none/screenshot", RIG_ADMIN, NULL, 404, "node_not_found", "");
    (void)snprintf(path, sizeof path, "/api/v1/heads/%s/screenshot", body_id);
    rig_expect(r, "GET", path, RIG_ADMIN, NULL, 404, "node_not_found", "");
    struct reply reply;
    rig_ask(r, "HEAD", s.path, RIG_ADMIN, NULL, &reply);
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
    assert_false(asked(r, &s));
}

static void test_screenshot__many_ask__the_ninth_is_told_to_come_again(void **state)
{
    struct rig *r = *state;
    struct screen s;
    struct reply reply;
    int fds[8];
    screen_of(r, "h1", &s);
    for (size_t i = 0; i < 8; i++)
        fds[i] = rig_start(r, "GET", s.path, RIG_ADMIN, NULL);
    rig_parked(r, "news", 8);
    rig_ask(r, "GET", s.path, RIG_ADMIN, NULL, &reply);
    assert_int_equal(reply.status, 429);
    assert_true(reply_has(&reply, "Retry-After: "));
    reply_free(&reply);
    assert_int_equal(post(r, &s, "image/jpeg", jpeg, JPEG_LEN), 204);
    for (size_t i = 0; i < 8; i++) {
        rig_answer(r, fds[i], &reply);
        is_the_picture(&reply);
    }
}

static void test_screenshot__uploads_that_dawdle__leave_room_for_everybody_else(void **state)
{
    struct rig *r = *state;
    struct screen s[3];
    struct reply reply;
    int slow[2];
    for (size_t i = 0; i < 3; i++) {
        char name[8];
        (void)snprintf(name, sizeof name, "h%zu", i);
        screen_of(r, name, &s[i]);
    }
    for (size_t i = 0; i < 2; i++)
        slow[i] = rig_promise(r, "POST", s[i].path, s[i].token, PICTURE_MAX);
    rig_ask_raw(r, "POST", s[2].path, s[2].token, "Content-Type: image/jpeg\r\n", jpeg, JPEG_LEN, &reply);
    assert_int_equal(reply.status, 429);
    assert_true(reply_has(&reply, "Retry-After: 1"));
    reply_free(&reply);
    rig_expect(r, "PUT", "/api/v1/venues/x", RIG_ADMIN, "{}", 200, "", "");
    rig_hang_up(r, slow[0]);
    rig_hang_up(r, slow[1]);
    assert_int_equal(post(r, &s[2], "image/jpeg", jpeg, JPEG_LEN), 204);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(test_screenshot__two_ask__share_the_one_that_the_head_sends),
        RIG_TEST(test_screenshot__head_is_silent__504_after_five_seconds_and_a_late_one_is_for_the_next),
        RIG_TEST(test_screenshot__not_a_jpeg__is_refused),
        RIG_TEST(test_screenshot__sizes__eight_mebibytes_and_not_a_byte_more),
        RIG_TEST(test_screenshot__who__self_sends_and_admin_looks),
        RIG_TEST(test_screenshot__many_ask__the_ninth_is_told_to_come_again),
        RIG_TEST(test_screenshot__uploads_that_dawdle__leave_room_for_everybody_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
