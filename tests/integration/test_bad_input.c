/* test_bad_input.c - malformed, oversized, mistyped, foreign and late requests: a typed error that names the field, and nothing changed. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "bad_input_rows.h"
#include "hydra/base/arena.h"
#include "hydra/base/buf.h"
#include "raw.h"
#include "scene.h"

#define ANSWER_MS 20000
#define BIG_BYTES ((size_t)300 * 1024)          /* 307200, 0x4b000: over the 256 KiB of a body */

static struct node body, head, other;
static struct held_lease lease;

static int set_up(void **state)
{
    /* Ticks save what was seen meanwhile: here a changed file must mean a changed state. */
    static const struct daemon_options options = { .timers = "watchdogTick: 1h\n" };
    (void)scene_open(state);
    scene_start(&options);
    body = fleet_body(&scene.daemon, "b1", "north");
    head = fleet_head(&scene.daemon, "h1", "north");
    other = fleet_head(&scene.daemon, "h2", "north");
    struct call call = fleet_reports_modern(&scene.daemon, &body, "idle", NULL);
    call_free(&call);
    call = fleet_claims(&scene.daemon, &head, "a-1");
    assert_true(fleet_lease_of(&call, &lease));
    call_free(&call);
    call = fleet_reports_modern(&scene.daemon, &body, "idle", NULL);
    call_free(&call);
    fleet_beats(&scene.daemon, &other, "idle", NULL);   /* any request is a sign of life: its first one is news */
    return 0;
}

/* ---- what the fleet is, without what moves by itself (events may tell of a refusal, so they do not count) ---- */

static bool moves(const char *key)
{
    return strstr(key, "seconds") != NULL || strcmp(key, "last_seen") == 0 || strcmp(key, "expires_in_s") == 0;
}

static void still(json_t *value)
{
    void *next;
    const char *key;
    json_t *part;
    size_t i;
    json_array_foreach(value, i, part)
        still(part);
    json_object_foreach_safe(value, next, key, part) {
        if (moves(key))
            (void)json_object_del(value, key);
        else
            still(part);
    }
}

static json_t *snapshot(void)
{
    static const char *const paths[] = { "/api/v1/slots", "/api/v1/nodes", "/api/v1/queue", "/api/v1/streams", "/api/v1/venues",
                                         "/api/v1/experiences", "/api/v1/sessions" };
    json_t *all = json_array();
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        struct call call = daemon_call(&scene.daemon, scene.home.admin_token, "GET", paths[i], NULL);
        assert_int_equal(call.status, 200);
        still(call.json);
        assert_int_equal(json_array_append(all, call.json), 0);
        call_free(&call);
    }
    char *nodes = home_read(&scene.home, "data/nodes.yaml"), *allocation = home_read(&scene.home, "data/allocation.yaml");
    assert_int_equal(json_array_append_new(all, json_string(nodes)), 0);
    assert_int_equal(json_array_append_new(all, json_string(allocation)), 0);
    hc_free(nodes);
    hc_free(allocation);
    return all;
}

static void expect_same(json_t *before, const char *what)
{
    json_t *after = snapshot();
    for (size_t i = 0; i < json_array_size(before); i++)
        if (!json_equal(json_array_get(before, i), json_array_get(after, i))) {
            char *was = json_dumps(json_array_get(before, i), JSON_ENCODE_ANY), *is = json_dumps(json_array_get(after, i), JSON_ENCODE_ANY);
            fail_msg("%s changed something:\n%s\nis now\n%s", what, was, is);
        }
    json_decref(after);
}

/* ---- the table ---- */

static void expand(const char *text, struct hc_buf *out)
{
    for (const char *at = text; *at != '\0'; at++) {
        if (*at != '%') {
            hc_buf_char(out, *at);
            continue;
        }
        switch (*++at) {
        case 'H': hc_buf_str(out, head.id); break;
        case 'O': hc_buf_str(out, other.id); break;
        case 'B': hc_buf_str(out, body.id); break;
        case 'L': hc_buf_str(out, lease.id); break;
        case 'S': hc_buf_str(out, lease.stream_id); break;
        case 'T': hc_buf_str(out, lease.claim_token); break;
        default: hc_buf_char(out, '%'); break;
        }
    }
}

static const char *token_of(enum asker as)
{
    const char *const tokens[] = { [AS_HEAD] = head.token, [AS_OTHER] = other.token, [AS_BODY] = body.token,
                                   [AS_ADMIN] = scene.home.admin_token, [AS_FLEET] = scene.home.fleet_token };
    return tokens[as];
}

static void request(const struct bad_row *row, struct hc_buf *out)
{
    struct hc_buf text = { 0 };
    hc_buf_str(&text, "");
    if (row->body != NULL)
        expand(row->body, &text);
    hc_buf_printf(out, "%s ", row->method);
    expand(row->path, out);
    hc_buf_printf(out, " HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer %s\r\n", token_of(row->as));
    if (row->body != NULL)
        hc_buf_printf(out, "Content-Type: %s\r\nContent-Length: %zu\r\n", row->type == NULL ? "application/json" : row->type, text.len);
    hc_buf_str(out, "\r\n");
    if (text.len > 0)
        hc_buf_add(out, text.data, text.len);
    hc_buf_free(&text);
    assert_false(out->failed);
}

static void check_row(const struct bad_row *row)
{
    struct hc_buf bytes = { 0 };
    char answer[RAW_TEXT_SIZE];
    request(row, &bytes);
    long status = raw_ask(scene.daemon.url, bytes.data, answer, ANSWER_MS);
    const char *text = strstr(answer, "\r\n\r\n");
    json_t *json = text == NULL ? NULL : json_loads(text + 4, 0, NULL);
    const char *error = json_string_value(json_object_get(json, "error")), *field = json_string_value(json_object_get(json, "field"));
    bool right = status == row->status && error != NULL && strcmp(error, row->error) == 0 &&
                 json_integer_value(json_object_get(json, "code")) == status &&
                 json_is_string(json_object_get(json, "detail")) && strstr(answer, "\r\nX-Request-Id: ") != NULL &&
                 (row->field == NULL ? field == NULL : field != NULL && strcmp(field, row->field) == 0);
    if (!right)
        fail_msg("%s\nexpected %ld %s field %s, got\n%s", bytes.data, row->status, row->error, row->field == NULL ? "none" : row->field,
                 answer);
    json_decref(json);
    hc_buf_free(&bytes);
}

static void test_bad_input__each_row__typed_error_with_its_field_and_nothing_changed(void **state)
{
    (void)state;
    json_t *before = snapshot();
    for (size_t i = 0; i < bad_row_count; i++)
        check_row(&bad_rows[i]);
    expect_same(before, "a refused request");
    json_decref(before);
    assert_int_equal(fleet_renews(&scene.daemon, &head, &lease), 200);
}

/* ---- too much ---- */

static char *filled(size_t len, char with)
{
    char *text = hc_alloc(len + 1);
    assert_non_null(text);
    memset(text, with, len);
    return text;
}

static void test_bad_input__body_too_large__413_announced_or_not(void **state)
{
    (void)state;
    json_t *before = snapshot();
    char *big = filled(BIG_BYTES, 'x'), answer[RAW_TEXT_SIZE];
    struct hc_buf bytes = { 0 };
    const char *head_lines = "POST /api/v1/body/status HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n";
    static const struct { const char *lines; bool sends; } ways[] = {
        { "Expect: 100-continue\r\nContent-Length: 307200\r\n\r\n", false },   /* told before a byte of it was sent */
        { "Content-Length: 4294967296\r\n\r\n", false },                      /* nobody will send us that */
        { "Content-Length: 307200\r\n\r\n", true },
        { "Transfer-Encoding: chunked\r\n\r\n4b000\r\n", true },
    };
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        hc_buf_clear(&bytes);
        hc_buf_printf(&bytes, "%sAuthorization: Bearer %s\r\n%s", head_lines, body.token, ways[i].lines);
        if (ways[i].sends)
            hc_buf_add(&bytes, big, BIG_BYTES);
        if (i == 3)
            hc_buf_str(&bytes, "\r\n0\r\n\r\n");
        long status = raw_ask(scene.daemon.url, bytes.data, answer, ANSWER_MS);
        if (status != 413 || strstr(answer, "\"body_too_large\"") == NULL)
            fail_msg("%s: %s", ways[i].lines, answer);
    }
    hc_buf_free(&bytes);
    hc_free(big);
    expect_same(before, "an oversized body");
    json_decref(before);
}

static void test_bad_input__lists_over_their_limit__400_with_the_field(void **state)
{
    (void)state;
    static const struct { const char *key, *item; size_t count; } lists[] = {
        { "slots", "{\"index\":0,\"state\":\"idle\"}", 5000 }, { "installed_experiences", "\"e\"", 20000 },
        { "max_epoch_seen", "1", 20000 }, { "events", "{\"type\":\"x\"}", 10000 }, { "paired_clients", "{\"uuid\":\"u\"}", 10000 },
    };
    json_t *before = snapshot();
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        struct hc_buf text = { 0 };
        hc_buf_printf(&text, "{\"%s\":[", lists[i].key);
        for (size_t n = 0; n < lists[i].count; n++)
            hc_buf_printf(&text, "%s%s", n == 0 ? "" : ",", lists[i].item);
        hc_buf_str(&text, "]}");
        struct call call = daemon_call(&scene.daemon, body.token, "POST", "/api/v1/body/status", text.data);
        assert_string_equal(call_str(&call, "field"), lists[i].key);
        scene_expect(call, 400, "bad_request");
        hc_buf_free(&text);
    }
    char *long_text = filled(9000, 'd'), path[FLEET_CLAIM_SIZE];
    (void)snprintf(path, sizeof path, "/api/v1/heads/%s", head.id);
    struct call call = daemon_callf(&scene.daemon, head.token, "PUT", path, "{\"status\":\"idle\",\"diagnostics\":{\"x\":\"%s\"}}",
                                    long_text);
    assert_string_equal(call_str(&call, "field"), "diagnostics");
    scene_expect(call, 400, "bad_request");
    hc_free(long_text);
    expect_same(before, "a list over its limit");
    json_decref(before);
}

/* ---- late ---- */

static void test_bad_input__report_that_was_overtaken__200_and_changes_nothing(void **state)
{
    (void)state;
    char late[1024];
    struct node overtaken = body;
    overtaken.report_seq = 0;
    fleet_modern_report(&overtaken, "streaming", NULL, late, sizeof late);
    struct call before = fleet_slots(&scene.daemon);
    struct call call = daemon_call(&scene.daemon, body.token, "POST", "/api/v1/body/status", late);
    assert_int_equal(call.status, 200);
    call_free(&call);
    struct call after = fleet_slots(&scene.daemon);
    still(before.json);
    still(after.json);
    assert_true(json_equal(before.json, after.json));
    call_free(&before);
    call_free(&after);
}

static bool forgotten(void *ctx)
{
    (void)ctx;
    char *allocation = home_read(&scene.home, "data/allocation.yaml"), item[HC_ID_SIZE + 8];
    (void)snprintf(item, sizeof item, "- id: %s", lease.id);   /* its stream and its attempt name it for longer */
    bool there = strstr(allocation, item) != NULL;
    hc_free(allocation);
    return !there;
}

static void test_bad_input__calls_for_a_lease_that_is_over__410_and_204(void **state)
{
    (void)state;
    assert_false(forgotten(NULL));
    assert_int_equal(fleet_releases(&scene.daemon, &head, &lease, "user_exit"), 204);
    struct call call = fleet_reports_modern(&scene.daemon, &body, "idle", NULL);
    call_free(&call);
    /* The daemon's own next step: an ended lease leaves the store when its history line is on the disk. */
    assert_true(wait_until(forgotten, NULL, ANSWER_MS));
    json_t *before = snapshot();
    assert_int_equal(fleet_renews(&scene.daemon, &head, &lease), 410);
    assert_int_equal(fleet_releases(&scene.daemon, &head, &lease, "user_exit"), 204);
    call = fleet_claims(&scene.daemon, &head, "a-1");
    assert_string_equal(call_str(&call, "stream_id"), lease.stream_id);
    scene_expect(call, 410, "lease_lost");
    expect_same(before, "a late call");
    json_decref(before);
}

/* ---- HTTP itself ---- */

static void test_bad_input__broken_http__refused_or_closed_and_the_daemon_lives(void **state)
{
    (void)state;
    static const char *const requests[] = {
        "GET /api/v1/slots%00 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        "GET /api/v1/nodes/a%2Fb HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        "POST /api/v1/body/status HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}",
        "POST /api/v1/body/status HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        "POST /api/v1/body/status HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: two\r\n\r\n{}",
        "POST /api/v1/body/status HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: -2\r\n\r\n{}",
        "POST /api/v1/body/status HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: gzip\r\n\r\n{}",
        "BREW /api/v1/slots HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        "GET /api/v1/slots HTTP/3.7\r\nHost: x\r\nConnection: close\r\n\r\n",
        "GET\r\n\r\n",
        "\x16\x03\x01\x02\x01\x01\r\n\r\n",
    };
    json_t *before = snapshot();
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        char answer[RAW_TEXT_SIZE];
        long status = raw_ask(scene.daemon.url, requests[i], answer, ANSWER_MS);
        if (status != 0 && (status < 400 || status > 505 || status == 500))
            fail_msg("%s\n%s", requests[i], answer);
    }
    char *long_text = filled(12000, 'h');
    struct hc_buf bytes = { 0 };
    hc_buf_printf(&bytes, "GET /api/v1/slots?x=%s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", long_text);
    long status = raw_ask(scene.daemon.url, bytes.data, NULL, ANSWER_MS);
    assert_true(status == 414 || status == 431 || status == 0);
    hc_buf_clear(&bytes);
    hc_buf_printf(&bytes, "GET /api/v1/slots HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Long: %s\r\n\r\n", long_text);
    status = raw_ask(scene.daemon.url, bytes.data, NULL, ANSWER_MS);
    assert_true(status == 431 || status == 0);
    hc_buf_free(&bytes);
    hc_free(long_text);
    expect_same(before, "broken HTTP");
    json_decref(before);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, scene_close)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_bad_input__each_row__typed_error_with_its_field_and_nothing_changed),
        TEST(test_bad_input__body_too_large__413_announced_or_not),
        TEST(test_bad_input__lists_over_their_limit__400_with_the_field),
        TEST(test_bad_input__report_that_was_overtaken__200_and_changes_nothing),
        TEST(test_bad_input__calls_for_a_lease_that_is_over__410_and_204),
        TEST(test_bad_input__broken_http__refused_or_closed_and_the_daemon_lives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
