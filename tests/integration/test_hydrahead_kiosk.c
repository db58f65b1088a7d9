/* test_hydrahead_kiosk.c - hydrahead as kiosk, visitor and service manager meet it: its local API, the page, what it leaves behind. */
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "head_scene.h"
#include "hydra/base/arena.h"
#include "hydra/os/file.h"
#include "raw.h"
#include "service_manager.h"

static struct agent_head *start_head(const char *name, const char *more)
{
    const struct agent_head_options options = { .more = more };
    struct agent_head *head = head_scene_head(name, &options);
    agent_head_start(head);
    return head;
}

static bool knows_experiences(void *ctx)
{
    struct call call = agent_head_call(ctx, "GET", "/api/v1/experiences", NULL);
    bool yes = json_array_size(call.json) == 1;
    call_free(&call);
    return yes;
}

static void test_kiosk__its_routes__as_it_reads_them(void **state)
{
    (void)state;
    struct agent_head *head = start_head("h1", "district: bxl1\nvenue: atomium\n");
    struct call call = agent_head_call(head, "GET", "/api/v1/config", NULL);
    assert_string_equal(call.text, "{\"district\":\"bxl1\",\"venue\":\"atomium\"}");
    call_free(&call);
    assert_true(wait_until(knows_experiences, head, SCENE_WAIT_MS));
    call = agent_head_call(head, "GET", "/api/v1/experiences", NULL);
    assert_string_equal(call.text, "[{\"name\":\"" FLEET_EXPERIENCE "\",\"label\":\"Rupelmonde\"}]");
    call_free(&call);
    head_scene_waits(head, "ready");
    call = agent_head_call(head, "GET", "/api/v1/version", NULL);
    assert_true(strlen(call_str(&call, "version")) > 0);
    call_free(&call);
    call = agent_head_call(head, "GET", "/api/v1/diagnostics", NULL);
    assert_string_equal(call_str(&call, "checks.0.label"), "Cluster");
    assert_string_equal(call_str(&call, "checks.0.status"), "ok");
    assert_true(strlen(call_str(&call, "checks.2.detail")) > 0);
    call_free(&call);
    call = agent_head_call(head, "GET", "/api/v1/logs", NULL);
    assert_true(json_array_size(call_value(&call, "entries")) > 0);
    assert_non_null(strstr(call_str(&call, "entries.0.message"), "event="));
    assert_int_equal(strlen(call_str(&call, "entries.0.timestamp")), 24);
    call_free(&call);
    call = agent_head_call(head, "GET", "/api/v1/nothing", NULL);
    assert_int_equal(call.status, 404);
    call_free(&call);
    call = agent_head_call(head, "GET", "/api/v1/stream/stop", NULL);
    assert_int_equal(call.status, 405);
    call_free(&call);
}

static void test_kiosk__wishes_that_cannot_be__said(void **state)
{
    (void)state;
    struct stand_in_body *body = head_scene_body("b1");
    struct agent_head *head = start_head("h1", NULL);
    struct call call = agent_head_call(head, "POST", "/api/v1/stream/start", "{}");
    assert_int_equal(call.status, 400);                 /* none named, none configured */
    call_free(&call);
    call = agent_head_call(head, "POST", "/api/v1/stream/start", "{\"experience\":7}");
    assert_int_equal(call.status, 400);
    call_free(&call);
    agent_head_wants(head, FLEET_EXPERIENCE);
    agent_head_wants(head, FLEET_EXPERIENCE);           /* a second tap is none */
    call = agent_head_call(head, "POST", "/api/v1/stream/start", "{\"experience\":\"another\"}");
    assert_int_equal(call.status, 409);
    assert_string_equal(call_str(&call, "error"), "busy");
    call_free(&call);
    head_scene_streams(head, body);
    agent_head_leaves(head);
    agent_head_wants(head, FLEET_EXPERIENCE);           /* while the last visit still ends */
    head_scene_streams(head, body);
    assert_int_equal(head_scene_asked(body, "https GET /launch"), 2);
}

static void test_kiosk__an_experience_that_no_body_has__an_error_with_its_reason(void **state)
{
    (void)state;
    (void)head_scene_body("b1");
    struct agent_head *head = start_head("h1", NULL);
    agent_head_wants(head, "atlantis");
    head_scene_waits(head, "error");
    struct call call = agent_head_call(head, "GET", "/api/v1/stream/status", NULL);
    assert_true(strlen(call_str(&call, "message")) > 0);
    call_free(&call);
}

/* One request as a browser would send it. */
static long ask_raw(struct agent_head *head, const char *method, const char *path, const char *headers, char answer[RAW_TEXT_SIZE])
{
    char bytes[1024];
    (void)snprintf(bytes, sizeof bytes, "%s %s HTTP/1.1\r\n%sContent-Length: %d\r\nConnection: close\r\n\r\n%s", method, path, headers,
                   strcmp(method, "POST") == 0 ? 2 : 0, strcmp(method, "POST") == 0 ? "{}" : "");
    return raw_ask(head->local.url, bytes, answer, SCENE_WAIT_MS);
}

static void test_kiosk__other_origins_and_names__refused(void **state)
{
    (void)state;
    struct agent_head *head = start_head("h1", "experience: " FLEET_EXPERIENCE "\n");
    const char *authority = head->local.url + strlen("http://");
    char headers[512], answer[RAW_TEXT_SIZE];
    (void)snprintf(headers, sizeof headers, "Host: %s\r\nOrigin: http://evil.example\r\nContent-Type: application/json\r\n", authority);
    assert_int_equal(ask_raw(head, "POST", "/api/v1/stream/start", headers, answer), 403);
    (void)snprintf(headers, sizeof headers, "Host: evil.example\r\n");
    assert_int_equal(ask_raw(head, "GET", "/api/v1/logs", headers, answer), 403);
    (void)snprintf(headers, sizeof headers, "Host: %s\r\nContent-Type: text/plain\r\n", authority);
    assert_int_equal(ask_raw(head, "POST", "/api/v1/stream/start", headers, answer), 415);
    struct call call = agent_head_call(head, "GET", "/api/v1/stream/status", NULL);
    assert_true(strcmp(call_str(&call, "status"), "ready") == 0 || strcmp(call_str(&call, "status"), "idle") == 0);
    call_free(&call);                                   /* none of them started anything */
    (void)snprintf(headers, sizeof headers, "Host: %s\r\nOrigin: %s\r\nContent-Type: application/json\r\n", authority, head->local.url);
    assert_int_equal(ask_raw(head, "POST", "/api/v1/stream/start", headers, answer), 200);
    assert_null(strstr(answer, "Access-Control"));
}

static void test_kiosk__the_page__has_its_policy_and_nothing_from_elsewhere(void **state)
{
    (void)state;
    struct agent_head *head = start_head("h1", NULL);
    char headers[256], answer[RAW_TEXT_SIZE], other[RAW_TEXT_SIZE], *nonce;
    (void)snprintf(headers, sizeof headers, "Host: %s\r\n", head->local.url + strlen("http://"));
    assert_int_equal(ask_raw(head, "GET", "/", headers, answer), 200);
    assert_non_null(strstr(answer, "Content-Security-Policy: default-src 'none'"));
    assert_non_null(strstr(answer, "text/html; charset=utf-8"));
    assert_non_null(strstr(answer, ">Cancel</button>"));
    assert_int_equal(ask_raw(head, "GET", "/", headers, other), 200);
    nonce = strstr(answer, "script-src 'nonce-");
    assert_non_null(nonce);
    nonce[strlen("script-src 'nonce-") + 32] = '\0';
    assert_null(strstr(other, nonce));                  /* another for each page */
}

static bool is_asked(void *ctx)
{
    struct call call = agent_head_call(ctx, "GET", "/api/v1/stream/status", NULL);
    bool asked = json_is_true(call_value(&call, "queue.confirm"));
    call_free(&call);
    return asked;
}

static bool is_not_asked(void *ctx) { return !is_asked(ctx) && agent_head_place(ctx) == 1; }

static void test_kiosk__asked_whether_somebody_is_there__says_so_and_keeps_the_place(void **state)
{
    (void)state;
    struct stand_in_body *body = head_scene_body("b1");
    struct agent_head *first = start_head("h1", NULL), *second = start_head("h2", NULL);
    agent_head_wants(first, FLEET_EXPERIENCE);
    head_scene_streams(first, body);
    agent_head_wants(second, FLEET_EXPERIENCE);
    assert_true(wait_until(is_asked, second, SCENE_WAIT_MS));
    struct call call = agent_head_call(second, "POST", "/api/v1/stream/accept", "{}");
    assert_int_equal(call.status, 200);
    call_free(&call);
    assert_true(wait_until(is_not_asked, second, SCENE_WAIT_MS));
    agent_head_leaves(first);
    head_scene_streams(second, body);
}

static void test_kiosk__accept_auto__answers_by_itself(void **state)
{
    (void)state;
    struct stand_in_body *body = head_scene_body("b1");
    struct agent_head *first = start_head("h1", NULL), *second = start_head("h2", "accept: auto\n");
    agent_head_wants(first, FLEET_EXPERIENCE);
    head_scene_streams(first, body);
    agent_head_wants(second, FLEET_EXPERIENCE);
    head_scene_waits_log(second, "to=queued");
    struct call call;
    for (bool waits = true; waits;) {                   /* older than the question's time, and nobody was asked */
        assert_false(is_asked(second));
        call = daemon_call(&scene.daemon, scene.home.admin_token, "GET", "/api/v1/queue", NULL);
        waits = call_int(&call, "0.waited_seconds") < 3;
        call_free(&call);
        (void)poll(NULL, 0, 20);
    }
    agent_head_leaves(first);
    head_scene_streams(second, body);
}

static void private_file(const char *name)
{
    char path[HOME_PATH_SIZE];
    struct stat facts;
    home_path(&scene.home, name, path);
    assert_int_equal(stat(path, &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0600);
}

static void test_secrets__of_a_whole_visit__in_private_files_and_no_log(void **state)
{
    (void)state;
    struct stand_in_body *body = head_scene_body("b1");
    char conf[HOME_PATH_SIZE], more[HOME_PATH_SIZE + 64], token[128] = "";
    home_path(&scene.home, "h1/moon/Moonlight.conf", conf);
    (void)snprintf(more, sizeof more, "moonlight_settings: %s\n", conf);
    struct agent_head *head = start_head("h1", more);
    agent_head_wants(head, FLEET_EXPERIENCE);
    head_scene_streams(head, body);
    private_file("h1/state/attempt.json");
    private_file("h1/state/client.key");
    private_file("h1/moon/Moonlight.conf");
    char *attempt = home_read(&scene.home, "h1/state/attempt.json"), *settings = home_read(&scene.home, "h1/moon/Moonlight.conf");
    char *at = strstr(attempt, "\"claim_token\":\"");
    assert_non_null(at);
    assert_int_equal(sscanf(at, "\"claim_token\":\"%127[^\"]\"", token), 1);
    assert_non_null(strstr(settings, "[hosts]\n1\\hostname=\"b1\"\n"));
    assert_non_null(strstr(settings, "key=\"@ByteArray(-----BEGIN"));
    assert_false(agent_head_log_has(head, token));
    assert_false(agent_head_log_has(head, heads.nodes[0].token));
    assert_false(agent_head_log_has(head, "PRIVATE KEY"));
    hc_free(attempt);
    hc_free(settings);
    agent_head_leaves(head);
    head_scene_lease(body, "", NULL);
    head_scene_waits(head, "ready");
    assert_int_equal(agent_head_stop(head), 0);
    assert_false(home_has(&scene.home, "h1/state/attempt.json"));
}

/* ---- the service manager ---- */

static void test_service__manager__is_told_ready_alive_and_stopping(void **state)
{
    (void)state;
    HC_CLEANUP(service_manager_close) struct service_manager manager;
    service_manager_open(&manager, &scene.home);
    struct agent_head *head = start_head("h1", NULL);
    service_manager_hears_life(&manager);
    daemon_signal(&head->local, SIGTERM);
    service_manager_hears(&manager, "STOPPING=1");
    assert_int_equal(daemon_wait(&head->local, AGENT_HEAD_STOP_MS), 0);
}

#define ASKING_TEST(function) cmocka_unit_test_setup_teardown(function, head_scene_open_asking, head_scene_close)
int main(void)
{
    const struct CMUnitTest tests[] = {
        HEAD_TEST(test_kiosk__its_routes__as_it_reads_them),
        HEAD_TEST(test_kiosk__wishes_that_cannot_be__said),
        HEAD_TEST(test_kiosk__an_experience_that_no_body_has__an_error_with_its_reason),
        HEAD_TEST(test_kiosk__other_origins_and_names__refused),
        HEAD_TEST(test_kiosk__the_page__has_its_policy_and_nothing_from_elsewhere),
        ASKING_TEST(test_kiosk__asked_whether_somebody_is_there__says_so_and_keeps_the_place),
        ASKING_TEST(test_kiosk__accept_auto__answers_by_itself),
        HEAD_TEST(test_secrets__of_a_whole_visit__in_private_files_and_no_log),
        HEAD_TEST(test_service__manager__is_told_ready_alive_and_stopping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
