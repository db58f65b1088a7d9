/* test_web.c - the web API: access, shapes and rules by release, clients and apps, and what breaks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "hydra/base/arena.h"
#include "stage.h"

#define TYPE "Content-Type: application/json\r\n"

static json_t *list(struct reply *reply)
{
    return web_ask(&stage.host, "GET", "/api/clients/list", NULL, NULL, reply);
}

static void uuid_of(const char *name, char out[64])
{
    struct reply reply;
    size_t index;
    json_t *row, *json = list(&reply);
    out[0] = '\0';
    json_array_foreach(json_object_get(json, "named_certs"), index, row)
        if (strcmp(json_string_value(json_object_get(row, "name")), name) == 0)
            (void)snprintf(out, 64, "%s", json_string_value(json_object_get(row, "uuid")));
    json_decref(json);
}

static bool say_uuid(const char *path, const char *uuid, const char *more)
{
    char body[256];
    (void)snprintf(body, sizeof body, "{\"uuid\":\"%s\"%s}", uuid, more);
    return web_says_true(&stage.host, "POST", path, body);
}

static int http_of(const char *method, const char *path, const char *more, const char *body)
{
    struct reply reply;
    json_decref(web_ask(&stage.host, method, path, more, body, &reply));
    return reply.http;
}

static void test_web__credentials__401_and_307(void **state)
{
    (void)state;
    struct reply reply;
    json_t *json = web_ask(&stage.host, "GET", "/api/config", "Authorization: Basic YWRtaW46d3Jvbmc=\r\n", NULL, &reply);
    assert_int_equal(reply.http, 401);
    assert_int_equal(json != NULL, stage_since("v2025.118"));
    json_decref(json);
    assert_int_equal(http_of("GET", "/api/config", "Authorization: Basic QURNSU46c2VzYW1l\r\n", NULL), 200);    /* ADMIN: no case */
    sunshine_say(&stage.host, "lose-credentials");
    json_decref(web_ask(&stage.host, "GET", "/api/clients/list", NULL, NULL, &reply));
    assert_int_equal(reply.http, 307);
    assert_non_null(strstr(reply.text, "Location: /welcome\r\n"));
    json_decref(web_ask(&stage.host, "GET", "/welcome", NULL, NULL, &reply));
    assert_int_equal(reply.http, 200);
    assert_non_null(strstr(reply.body, "<html>"));
}

static void test_web__shapes__by_release(void **state)
{
    (void)state;
    struct reply reply;
    json_t *json = list(&reply);
    if (!stage_since("v2025.118")) {
        assert_int_equal(reply.http, 404);
    } else {
        const json_t *status = json_object_get(json, "status"), *row = json_array_get(json_object_get(json, "named_certs"), 0);
        assert_int_equal(json_is_boolean(status), stage_since("v2025.628"));
        assert_int_equal(json_is_boolean(json_object_get(row, "enabled")), stage_since("v2026.516"));
        assert_int_equal(json_object_get(row, "enabled") != NULL, stage_since("v2026.516"));
        assert_string_equal(json_string_value(json_object_get(row, "name")), "one");
    }
    json_decref(json);
    json = web_ask(&stage.host, "GET", "/api/config", NULL, NULL, &reply);
    const char *version = json_string_value(json_object_get(json, "version"));
    assert_non_null(version);
    assert_memory_equal(version, stage.host.version + 1, strlen(stage.host.version) - 1);
    json_decref(json);
    if (stage_since("v2025.118")) {
        assert_true(web_says_true(&stage.host, "POST", "/api/clients/unpair-all", NULL));
        json = list(&reply);
        const json_t *certs = json_object_get(json, "named_certs");
        assert_true(stage_since("v2025.628") ? json_is_array(certs) && json_array_size(certs) == 0
                                             : json_is_string(certs) && json_string_length(certs) == 0);
        json_decref(json);
    }
    json_decref(web_ask(&stage.host, "GET", "/api/no-such", NULL, NULL, &reply));
    assert_int_equal(reply.http, 404);
    assert_int_equal(http_of("POST", "/api/no-such", NULL, "{}"), stage_since("v2025.118") ? 400 : 404);
}

static void test_web__content_type__by_release(void **state)
{
    (void)state;
    bool everywhere = stage_since("v2025.628") && !stage_since("v2025.924"), posts = stage_since("v2025.628") && !stage_since("v2026.516");
    bool bodies = stage_since("v2025.628");
    const char *none = "Content-Type-Not: x\r\n", *other = "Content-Type: text/plain\r\n";
    assert_int_equal(http_of("POST", "/api/apps/close", none, NULL), posts ? 400 : 200);
    assert_int_equal(http_of("POST", "/api/apps/close", TYPE, NULL), 200);
    assert_int_equal(http_of("POST", "/api/pin", none, "{\"pin\":\"4711\",\"name\":\"n\"}"), bodies ? 400 : 200);
    assert_int_equal(http_of("POST", "/api/pin", other, "{\"pin\":\"4711\",\"name\":\"n\"}"), bodies ? 400 : 200);
    assert_int_equal(http_of("DELETE", "/api/apps/0", none, NULL), everywhere ? 400 : 200);
    assert_int_equal(http_of("DELETE", "/api/apps/99", TYPE, NULL), stage_since("v2025.118") ? 400 : 200);
}

static void test_web__csrf__by_release(void **state)
{
    (void)state;
    struct reply reply;
    char more[512];
    const char *foreign = "Origin: https://evil.example\r\n";
    bool rules = stage_since("v2026.516");
    assert_int_equal(http_of("POST", "/api/apps/close", foreign, NULL), rules ? 400 : 200);
    assert_int_equal(http_of("POST", "/api/apps/close", "Referer: https://evil.example/\r\n", NULL), rules ? 400 : 200);
    (void)snprintf(more, sizeof more, "Origin: https://localhost:%u\r\n", stage.host.web);
    assert_int_equal(http_of("POST", "/api/apps/close", more, NULL), 200);
    assert_int_equal(http_of("GET", "/api/config", foreign, NULL), 200);
    json_t *json = web_ask(&stage.host, "GET", "/api/csrf-token", NULL, NULL, &reply);
    if (rules) {
        (void)snprintf(more, sizeof more, "%sX-CSRF-Token: %s\r\n", foreign, json_string_value(json_object_get(json, "csrf_token")));
        assert_int_equal(http_of("POST", "/api/apps/close", more, NULL), 200);
        (void)snprintf(more, sizeof more, "%sX-CSRF-Token: 00\r\n", foreign);
        assert_int_equal(http_of("POST", "/api/apps/close", more, NULL), 400);
    } else {
        assert_int_equal(reply.http, 404);
    }
    json_decref(json);
}

static void test_web__unpair__one_or_all_by_release(void **state)
{
    (void)state;
    char uuid[64];
    struct reply reply;
    if (!stage_since("v2025.118")) {                                /* the same path, another meaning */
        assert_true(say_uuid("/api/clients/unpair", "whatever", ""));
        assert_false(peer_is_in(&stage.host, &stage.one));
        assert_false(peer_is_in(&stage.host, &stage.two));
        return;
    }
    stage_launch(&stage.one, "Map", &reply);
    assert_int_equal(sunshine_number(&stage.host, "connect"), 1);
    uuid_of("one", uuid);
    assert_true(say_uuid("/api/clients/unpair", uuid, ""));
    assert_false(say_uuid("/api/clients/unpair", uuid, ""));        /* unknown now */
    assert_false(peer_is_in(&stage.host, &stage.one));              /* from the next connection on */
    assert_true(peer_is_in(&stage.host, &stage.two));
    assert_true(stage_game() > 0);                                  /* the running session is left alone */
    assert_true(sunshine_refuses(&stage.host, "open one"));
    uuid_of("two", uuid);
    assert_true(say_uuid("/api/clients/unpair", uuid, ""));
    assert_int_equal(stage_game() > 0, !stage_since("v2026.516"));  /* the last one takes the app with it */
}

static long sessions(void)
{
    json_t *status = sunshine_status(&stage.host);
    long count = (long)json_array_size(json_object_get(status, "sessions"));
    json_decref(status);
    return count;
}

static void test_web__update__whose_sessions_end_by_release(void **state)
{
    (void)state;
    char one[64], two[64];
    struct reply reply;
    if (!stage_since("v2026.516")) {
        assert_int_equal(http_of("POST", "/api/clients/update", NULL, "{\"uuid\":\"x\",\"enabled\":false}"),
                         stage_since("v2025.118") ? 400 : 404);
        return;
    }
    stage_launch(&stage.one, "Map", &reply);
    assert_int_equal(sunshine_number(&stage.host, "connect"), 1);
    sunshine_say(&stage.host, "open two");
    uuid_of("one", one);
    uuid_of("two", two);
    assert_false(say_uuid("/api/clients/update", "no-such", ",\"enabled\":false"));
    assert_true(say_uuid("/api/clients/update", two, ",\"enabled\":false"));
    assert_int_equal(sessions(), stage_since("v2026.816") ? 1 : 0);
    assert_int_equal(stage_game() > 0, stage_since("v2026.816"));
    if (!stage_since("v2026.816"))
        return;
    sunshine_say(&stage.host, "close all");                         /* the holder is away for a moment … */
    assert_true(stage_game() > 0);
    assert_true(say_uuid("/api/clients/update", two, ",\"enabled\":true"));
    assert_true(stage_game() > 0);
    assert_true(say_uuid("/api/clients/update", two, ",\"enabled\":false"));
    assert_int_equal(stage_game(), 0);                              /* … and loses the app to somebody else's disable */
    assert_true(peer_is_in(&stage.host, &stage.one));
}

static void first_app(char out[64])
{
    struct reply reply;
    json_t *json = web_ask(&stage.host, "GET", "/api/apps", NULL, NULL, &reply);
    const json_t *app = json_array_get(json_object_get(json, "apps"), 0);
    (void)snprintf(out, 64, "%s", json_string_value(json_object_get(app, "name")));
    json_decref(json);
}

static void test_web__apps__replaced_sorted_deleted_closed(void **state)
{
    (void)state;
    char name[64];
    struct reply reply;
    const char *no_lists = "{\"name\":\"Zoo\",\"index\":-1,\"cmd\":\"\"}";
    assert_int_equal(web_says_true(&stage.host, "POST", "/api/apps", no_lists), stage_since("v2025.628"));
    assert_true(web_says_true(&stage.host, "POST", "/api/apps",
                              "{\"name\":\"Aquarium\",\"index\":-1,\"cmd\":\"\",\"prep-cmd\":[],\"detached\":[]}"));
    first_app(name);
    assert_string_equal(name, stage_since("v2025.118") ? "Aquarium" : "Map");
    assert_true(web_says_true(&stage.host, "POST", "/api/apps", "{\"name\":\"B\",\"index\":0,\"prep-cmd\":[],\"detached\":[]}"));
    first_app(name);
    assert_string_equal(name, "B");
    assert_true(web_says_true(&stage.host, "POST", "/api/apps", "{\"name\":\"C\",\"index\":99,\"prep-cmd\":[],\"detached\":[]}"));
    first_app(name);
    assert_string_equal(name, "B");
    assert_true(web_says_true(&stage.host, "DELETE", "/api/apps/0", NULL));
    first_app(name);
    assert_string_not_equal(name, "B");
    stage_launch(&stage.one, "Desktop", &reply);
    assert_int_equal(reply_root(&reply), 200);
    assert_int_equal(sunshine_number(&stage.host, "connect"), 1);
    assert_true(web_says_true(&stage.host, "POST", "/api/apps/close", NULL));
    assert_int_equal(sessions(), 0);
    assert_int_equal(stage_game(), -1);                             /* for a while: the session was young */
    assert_true(web_says_true(&stage.host, "POST", "/api/apps/close", NULL));
}

static void test_web__apps_file_edited_by_hand__shown_and_not_used(void **state)
{
    (void)state;
    char name[64];
    struct reply reply;
    home_write(&stage.home, "sun/apps.json", "{\"env\": {}, \"apps\": [{\"name\": \"Edited\"}]}");
    first_app(name);
    assert_string_equal(name, "Edited");
    peer_https(&stage.host, &stage.one, "/applist", &reply);
    assert_null(strstr(reply.body, "Edited"));
    assert_non_null(strstr(reply.body, "<AppTitle>Map</AppTitle>"));
}

static bool answers(void *ctx)
{
    (void)ctx;
    char log[HOME_PATH_SIZE];
    home_path(&stage.home, "sun/sunshine.log.1", log);
    return home_has(&stage.home, "sun/sunshine.log.1");
}

static void test_web__restart__comes_back_on_the_same_ports(void **state)
{
    (void)state;
    char line[PROCESS_LINE_MAX];
    struct reply reply;
    stage_launch(&stage.one, "Map", &reply);
    json_decref(web_ask(&stage.host, "POST", "/api/restart", NULL, NULL, &reply));
    assert_false(reply.answered);
    assert_true(process_line(&stage.host.process, line, PEER_WAIT_MS));
    assert_memory_equal(line, "ready ", 6);
    assert_true(wait_until(answers, NULL, PEER_WAIT_MS));
    assert_int_equal(stage_game(), 0);
    assert_int_equal(stage_hook_count("undo"), 2);
    assert_true(peer_is_in(&stage.host, &stage.one));
}

static void test_web__config__replaced_and_used_at_the_next_start(void **state)
{
    (void)state;
    struct reply reply;
    char body[HOME_PATH_SIZE + 256];
    (void)snprintf(body, sizeof body, "{\"sunshine_name\":\"x\",\"global_prep_cmd\":\"[{\\\"do\\\":\\\"/bin/sh %s/hook.sh global-do\\\","
                   "\\\"undo\\\":\\\"\\\"}]\"}", stage.host.dir);
    assert_true(web_says_true(&stage.host, "POST", "/api/config", body));
    json_t *json = web_ask(&stage.host, "GET", "/api/config", NULL, NULL, &reply);
    assert_string_equal(json_string_value(json_object_get(json, "sunshine_name")), "x");
    json_decref(json);
    stage_launch(&stage.one, "Map", &reply);
    assert_int_equal(stage_hook_count("global-do"), 0);
    sunshine_kill(&stage.host);
    sunshine_again(&stage.host);
    stage_launch(&stage.one, "Map", &reply);
    assert_int_equal(reply_root(&reply), 200);
    assert_int_equal(stage_hook_count("global-do"), 1);
    char *hooks = home_read(&stage.home, "sun/hooks");
    const char *global = strstr(hooks, "global-do");
    assert_non_null(strstr(global, "first-do"));                    /* the app's own come behind */
    hc_free(hooks);
}

static void test_web__logs__text(void **state)
{
    (void)state;
    struct reply reply;
    json_decref(web_ask(&stage.host, "GET", "/api/config", "Authorization: Basic eDp5\r\n", NULL, &reply));
    json_decref(web_ask(&stage.host, "GET", "/api/logs", NULL, NULL, &reply));
    assert_non_null(strstr(reply.text, "Content-Type: text/plain"));
    assert_non_null(strstr(reply.body, "Web UI: [127.0.0.1] -- not authorized"));
}

#define ROW(function, word) { #function " " word, function, stage_set_up_paired, stage_tear_down, (void *)(uintptr_t)word }
#define ROWS(word)                                                                      \
    ROW(test_web__shapes__by_release, word),                                            \
    ROW(test_web__content_type__by_release, word),                                      \
    ROW(test_web__csrf__by_release, word),                                              \
    ROW(test_web__unpair__one_or_all_by_release, word),                                 \
    ROW(test_web__update__whose_sessions_end_by_release, word),                         \
    ROW(test_web__apps__replaced_sorted_deleted_closed, word),
#define ENDS_ROWS(word)                                                                 \
    ROW(test_web__credentials__401_and_307, word),                                      \
    ROW(test_web__apps_file_edited_by_hand__shown_and_not_used, word),                  \
    ROW(test_web__restart__comes_back_on_the_same_ports, word),                         \
    ROW(test_web__config__replaced_and_used_at_the_next_start, word),                   \
    ROW(test_web__logs__text, word),
int main(void)
{
    const struct CMUnitTest tests[] = { STAGE_TESTED(ROWS) STAGE_ENDS(ENDS_ROWS) };
    return cmocka_run_group_tests(tests, stage_open, stage_close);
}
