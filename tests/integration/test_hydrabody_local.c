/* test_hydrabody_local.c - the agent's own API and its command line: who may ask what, and what `check` finds (wire §6, §8). */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "body_scene.h"
#include "hydra/base/arena.h"
#include "raw.h"

#define OUTPUT_SIZE  8192
#define REQUEST_SIZE 1024

/* One request on a connection of its own; the status. */
static long ask(const char *method, const char *path, const char *token, const char *type, const char *body, char *answer)
{
    char request[REQUEST_SIZE];
    int len = snprintf(request, sizeof request, "%s %s HTTP/1.1\r\nHost: x\r\n%s%s%sContent-Type: %s\r\nContent-Length: %zu\r\n"
                                                "Connection: close\r\n\r\n%s",
                       method, path, token == NULL ? "" : "Authorization: Bearer ", token == NULL ? "" : token, token == NULL ? "" : "\r\n",
                       type, strlen(body), body);
    assert_true(len > 0 && (size_t)len < sizeof request);
    return raw_ask(here.agent.url, request, answer, BODY_WAIT_MS);
}

static void test_local_api__table__each_refusal_has_its_status(void **state)
{
    (void)state;
    static const char json[] = "application/json", start[] = "/api/v1/stream/started", good[] = AGENT_BODY_TOKEN;
    static const struct { const char *method, *path, *token, *type, *body; long status; const char *says; } rows[] = {
        { "GET", "/api/v1/status", NULL, json, "", 401, "\"unauthorized\"" },
        { "GET", "/api/v1/status", "wrong", json, "", 401, "\"unauthorized\"" },
        { "GET", "/api/v1/status", good, json, "", 200, "\"applied_epoch\"" },
        { "GET", "/api/v1/stream/sessions", NULL, json, "", 401, "\"unauthorized\"" },
        { "GET", "/api/v1/stream/sessions", good, json, "", 200, "[]" },
        { "POST", "/api/v1/stream/stop", NULL, json, "{}", 401, "\"unauthorized\"" },
        { "POST", "/api/v1/stream/stop", good, json, "{\"slot\":5}", 404, "\"slot_not_found\"" },
        { "POST", "/api/v1/status", good, json, "{}", 405, "Allow: GET, HEAD" },
        { "GET", "/api/v1/stream/started", good, json, "", 405, "Allow: POST" },
        { "GET", "/api/v1/nothing", good, json, "", 404, "\"not_found\"" },
        { "POST", start, NULL, json, "{", 400, "\"bad_request\"" },
        { "POST", start, NULL, json, "{\"slot\":\"x\"}", 400, "\"field\":\"slot\"" },
        { "POST", start, NULL, json, "{\"slot\":0,\"launch_id\":\"a b\"}", 400, "\"field\":\"launch_id\"" },
        { "POST", start, NULL, "text/html", "{\"slot\":0}", 415, "\"unsupported_media_type\"" },
        { "POST", start, NULL, json, "{\"slot\":9}", 404, "\"slot_not_found\"" },
        { "POST", "/api/v1/stream/ended", NULL, json, "{\"slot\":0}", 200, "\"noted\":true" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char answer[RAW_TEXT_SIZE] = "";
        long status = ask(rows[i].method, rows[i].path, rows[i].token, rows[i].type, rows[i].body, answer);
        if (status != rows[i].status || strstr(answer, rows[i].says) == NULL)
            fail_msg("%s %s: %ld, not %ld with %s: %s", rows[i].method, rows[i].path, status, rows[i].status, rows[i].says, answer);
    }
}

static void test_local_api__forwarded_hook__is_no_hook(void **state)
{
    (void)state;
    char answer[RAW_TEXT_SIZE];
    static const char request[] = "POST /api/v1/stream/started HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 10.0.0.9\r\nContent-Length: 10\r\n"
                                  "Connection: close\r\n\r\n{\"slot\":0}";
    assert_int_equal(raw_ask(here.agent.url, request, answer, BODY_WAIT_MS), 403);
}

static void test_local_api__page_in_a_browser_here__is_no_hook(void **state)
{
    (void)state;
    char answer[RAW_TEXT_SIZE];
    static const char request[] = "POST /api/v1/stream/ended HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://elsewhere.example\r\n"
                                  "Content-Length: 10\r\nConnection: close\r\n\r\n{\"slot\":0}";
    assert_int_equal(raw_ask(here.agent.url, request, answer, BODY_WAIT_MS), 403);
}

static void test_local_api__body_too_large__413(void **state)
{
    (void)state;
    static const char request[] = "POST /api/v1/stream/started HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\nExpect: 100-continue\r\n"
                                  "Connection: close\r\n\r\n";
    assert_int_equal(raw_ask(here.agent.url, request, NULL, BODY_WAIT_MS), 413);
}

static void test_stop__leased_session__refused_unless_forced(void **state)
{
    (void)state;
    body_scene_pairs(&here.head);
    body_scene_claims(&here.head);
    assert_true(body_scene_streams(here.app_name));
    assert_true(body_scene_waits_row("lease.state", "streaming"));
    struct call call = agent_body_call(&here.agent, "POST", "/api/v1/stream/stop", "{\"slot\":0}");
    assert_int_equal(call.status, 409);
    assert_string_equal(call_str(&call, "error"), "session_live");
    call_free(&call);
    assert_true(process_running(&here.client));
    call = agent_body_call(&here.agent, "GET", "/api/v1/stream/sessions", NULL);
    assert_string_equal(call_str(&call, "0.state"), "streaming");
    assert_string_equal(call_str(&call, "0.lease_id"), here.lease.id);
    assert_string_equal(call_str(&call, "0.app"), FLEET_EXPERIENCE);        /* without the token */
    call_free(&call);
    call = agent_body_call(&here.agent, "POST", "/api/v1/stream/stop", "{\"slot\":0,\"force\":true}");
    assert_int_equal(call.status, 200);
    call_free(&call);
    assert_true(body_scene_client_ends());
    assert_true(body_scene_waits_host_free());
}

/* ---- check ---- */

static int check(char output[OUTPUT_SIZE])
{
    char config[HOME_PATH_SIZE];
    int len = snprintf(config, sizeof config, "%s/hydrabody.yaml", here.agent.folder);
    assert_true(len > 0 && len < (int)sizeof config);
    const char *const words[] = { "check", "--config", config, NULL };
    output[0] = '\0';
    return agent_body_run(&here.agent, words, NULL, output, OUTPUT_SIZE);
}

/* The agent's port as the configuration has it: a check wants one that stays. */
static void fix_port(void)
{
    char listen[64];
    (void)snprintf(listen, sizeof listen, "listen: \"127.0.0.1%s\"", strrchr(here.agent.url, ':'));
    scene_edit("body-0/hydrabody.yaml", "listen: \"127.0.0.1:0\"", listen);
}

static void expect_line(const char *output, const char *text)
{
    if (strstr(output, text) == NULL)
        fail_msg("no `%s` in:\n%s", text, output);
}

static void test_check__everything_there__ok_lines_and_exit_0(void **state)
{
    (void)state;
    char output[OUTPUT_SIZE];
    fix_port();
    int code = check(output);
    if (code != 0 || strstr(output, "FAILED") != NULL)
        fail_msg("%d:\n%s", code, output);
    expect_line(output, "takes the token of");
    expect_line(output, "the agent runs");
    expect_line(output, "takes the user name and password");
    expect_line(output, "the hook is installed");
    expect_line(output, "epoch floor");
}

static void test_check__things_missing__each_said_with_what_to_do(void **state)
{
    (void)state;
    char output[OUTPUT_SIZE];
    fix_port();
    agent_body_kill(&here.agent);
    sunshine_kill(&here.sun);
    home_write(&scene.home, "body-0/token", "not-the-token\n");
    home_write(&scene.home, "body-0/state/slot-0/slot_epoch.json", "{}");
    assert_int_equal(check(output), 1);
    expect_line(output, "answers 401 unauthorized");
    expect_line(output, "FAILED slot 0: Sunshine at 127.0.0.1");
    expect_line(output, "slot_epoch.json");
    expect_line(output, "nothing answers there");
    assert_null(strstr(output, "not-the-token"));
}

static void test_check__no_hook__says_the_very_line(void **state)
{
    (void)state;
    char output[OUTPUT_SIZE];
    fix_port();
    agent_body_kill(&here.agent);
    sunshine_kill(&here.sun);
    home_write(&scene.home, "sun-0/apps.json",
               "{\"env\":{},\"apps\":[{\"name\":\"" FLEET_EXPERIENCE "\",\"prep-cmd\":[],\"detached\":[]}]}");
    sunshine_again(&here.sun);
    assert_int_equal(check(output), 1);
    expect_line(output, "global_prep_cmd = [{\"do\":\"/usr/bin/hydrabody hook started --slot 0");
}

/* ---- the program ---- */

static void test_program__wrong_configuration__exit_2_with_file_line_and_key(void **state)
{
    (void)state;
    char config[HOME_PATH_SIZE];
    scene_edit("body-0/hydrabody.yaml", "server_url", "serverurl");
    home_path(&scene.home, "body-0/hydrabody.yaml", config);
    const char *const words[] = { "--config", config, NULL };
    assert_int_equal(agent_body_run(&here.agent, words, NULL, NULL, 0), 2);
    assert_true(agent_body_log_has(&here.agent, "hydrabody.yaml:1:1: serverurl: unknown key"));
}

static void test_program__told_to_end_with_cluster_and_host_away__exit_0_within_5_s(void **state)
{
    (void)state;
    daemon_kill(&scene.daemon);
    sunshine_kill(&here.sun);
    assert_true(body_scene_waits_log("event=host_away"));
    process_signal(&here.agent.process, SIGTERM);
    assert_int_equal(process_wait(&here.agent.process, 5000), 0);
}

static void test_program__stopped_host__ends_within_5_s(void **state)
{
    (void)state;
    process_signal(&here.sun.process, SIGSTOP);                 /* it takes connections and answers nothing */
    assert_true(body_scene_waits_log("event=host_away"));
    process_signal(&here.agent.process, SIGTERM);
    assert_int_equal(process_wait(&here.agent.process, 5500), 0);
    process_signal(&here.sun.process, SIGCONT);
}

static void test_program__secret_others_may_read__exit_2_but_not_as_a_credential(void **state)
{
    (void)state;
    static const char *const files[] = { "token", "local-token", "password" };
    char config[HOME_PATH_SIZE], path[HOME_PATH_SIZE], name[64], says[64];
    home_path(&scene.home, "body-0/hydrabody.yaml", config);
    const char *const words[] = { "--config", config, NULL };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        (void)snprintf(name, sizeof name, "body-0/%s", files[i]);
        (void)snprintf(says, sizeof says, "/%s: others may read or change it (mode 0440); chmod 600 ", files[i]);
        home_path(&scene.home, name, path);
        assert_int_equal(chmod(path, 0440), 0);
        assert_int_equal(agent_body_run(&here.agent, words, NULL, NULL, 0), 2);
        if (!agent_body_log_has(&here.agent, says))
            fail_msg("no `%s` in the log", says);
        assert_int_equal(chmod(path, 0600), 0);
    }
    home_path(&scene.home, "body-0/token", path);
    assert_int_equal(chmod(path, 0440), 0);
    assert_int_equal(setenv("CREDENTIALS_DIRECTORY", here.agent.folder, 1), 0);       /* as systemd's LoadCredential hands it on */
    agent_body_start(&here.agent);
    assert_int_equal(unsetenv("CREDENTIALS_DIRECTORY"), 0);
}

static void test_program__started_before_cluster_and_host__works_when_they_come(void **state)
{
    (void)state;
    char listen[64];
    (void)snprintf(listen, sizeof listen, "127.0.0.1%s", strrchr(scene.daemon.url, ':'));
    sunshine_kill(&here.sun);
    daemon_kill(&scene.daemon);
    daemon_end(&scene.daemon);
    agent_body_start(&here.agent);
    assert_true(body_scene_waits_log("event=directive_not_heard"));
    sunshine_again(&here.sun);
    assert_true(body_scene_waits_log("event=host_answers"));
    const struct daemon_options options = { .timers = BODY_TIMERS, .listen = listen };
    scene_start(&options);
    assert_true(body_scene_waits_grantable(true));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BODY_TEST_STARTED(test_local_api__table__each_refusal_has_its_status),
        BODY_TEST_STARTED(test_local_api__forwarded_hook__is_no_hook),
        BODY_TEST_STARTED(test_local_api__page_in_a_browser_here__is_no_hook),
        BODY_TEST_STARTED(test_local_api__body_too_large__413),
        BODY_TEST_STARTED(test_stop__leased_session__refused_unless_forced),
        BODY_TEST_STARTED(test_check__everything_there__ok_lines_and_exit_0),
        BODY_TEST_STARTED(test_check__things_missing__each_said_with_what_to_do),
        BODY_TEST_STARTED(test_check__no_hook__says_the_very_line),
        BODY_TEST(test_program__wrong_configuration__exit_2_with_file_line_and_key),
        BODY_TEST(test_program__secret_others_may_read__exit_2_but_not_as_a_credential),
        BODY_TEST_STARTED(test_program__told_to_end_with_cluster_and_host_away__exit_0_within_5_s),
        BODY_TEST_STARTED(test_program__stopped_host__ends_within_5_s),
        BODY_TEST(test_program__started_before_cluster_and_host__works_when_they_come),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
