/* test_hydrahead_commands.c - hydrahead's commands, its exit codes, and a device that was cloned. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "head_scene.h"
#include "hydra/base/arena.h"

#define OUT_SIZE 4096

static int run(const struct agent_head *head, const char *a, const char *b, const char *c, char out[OUT_SIZE])
{
    const char *const words[] = { a, b, c, NULL };
    out[0] = '\0';
    return agent_head_run(head, words, out, OUT_SIZE);
}

static void expect(const char *out, const char *text)
{
    if (strstr(out, text) == NULL)
        fail_msg("no `%s` in:\n%s", text, out);
}

static void test_command_check__all_is_well__a_line_each(void **state)
{
    (void)state;
    struct agent_head *head = head_scene_head("h1", NULL);
    char out[OUT_SIZE];
    assert_int_equal(run(head, "check", NULL, NULL, out), 0);
    static const char *const lines[] = { "ok configuration ", "ok token ", "ok state_dir ", "ok command ", "ok moonlight_settings ",
                                         "ok cluster http://" };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        expect(out, lines[i]);
    assert_null(strstr(out, "FAILED"));
    assert_null(strstr(out, heads.nodes[0].token));
}

static void test_command_check__what_is_wrong__says_what_to_do(void **state)
{
    (void)state;
    const struct agent_head_options options = { .command = "no-such-moonlight-7c1e {host}" };
    struct agent_head *head = head_scene_head("h1", &options);
    char out[OUT_SIZE], token[HOME_PATH_SIZE];
    home_path(&scene.home, "h1/token", token);
    assert_int_equal(chmod(token, 0644), 0);
    assert_int_equal(run(head, "check", NULL, NULL, out), 1);
    expect(out, "FAILED command: no-such-moonlight-7c1e");
    expect(out, "FAILED token: token_file: ");
    expect(out, ": others may read or change it (mode 0644); chmod 600 ");
    home_write(&scene.home, "h1/token", "not-the-token");
    assert_int_equal(run(head, "check", NULL, NULL, out), 1);
    expect(out, "FAILED cluster: the token is not known there");
    daemon_kill(&scene.daemon);
    assert_int_equal(run(head, "check", NULL, NULL, out), 1);
    expect(out, "FAILED cluster: server_url does not answer");
    home_write(&scene.home, "h1/config.yaml", "server_url: https://c.example\nnode_id: h1\ncolour: red\n");
    assert_int_equal(run(head, "check", NULL, NULL, out), 2);
    expect(out, "FAILED configuration: ");
    expect(out, "config.yaml:3:1");
}

static void test_command_status__says_what_the_agent_does(void **state)
{
    (void)state;
    struct stand_in_body *body = head_scene_body("b1");
    struct agent_head *first = head_scene_head("h1", NULL), *second = head_scene_head("h2", NULL);
    char out[OUT_SIZE];
    assert_int_equal(run(first, "status", NULL, NULL, out), 1);          /* it does not run */
    agent_head_start(first);
    agent_head_start(second);
    head_scene_waits(first, "ready");
    assert_int_equal(run(first, "status", "--once", NULL, out), 0);
    assert_string_equal(out, "ready\n");
    agent_head_wants(first, FLEET_EXPERIENCE);
    head_scene_streams(first, body);
    assert_int_equal(run(first, "status", NULL, NULL, out), 0);          /* no terminal: once */
    assert_string_equal(out, "streaming\n");
    agent_head_wants(second, FLEET_EXPERIENCE);
    head_scene_waits_log(second, "to=queued");
    assert_int_equal(run(second, "status", NULL, NULL, out), 0);
    expect(out, "queued: next in line");
}

static void test_command_pair__ahead_of_a_visit__says_each_step(void **state)
{
    (void)state;
    struct stand_in_body *body = head_scene_body("b1");
    struct agent_head *head = head_scene_head("h1", NULL);
    char out[OUT_SIZE], port[16];
    const char *const words[] = { "pair", "--body", body->node.id, "--port", port, NULL };
    (void)snprintf(port, sizeof port, "%u", body->host.http);
    out[0] = '\0';
    if (agent_head_run(head, words, out, sizeof out) != 0) {
        char *log = home_read(&scene.home, "h1/run.log");
        fail_msg("%s%s", out, log);
    }
    static const char *const steps[] = { "found body ", "pair lease ", "pairing with 127.0.0.1", "verifying 127.0.0.1", "gave back ",
                                         "paired with " };
    const char *at = out;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        at = strstr(at, steps[i]);
        if (at == NULL)
            fail_msg("no `%s` in its place in:\n%s", steps[i], out);
    }
    assert_int_equal(atomic_load(&body->pins), 1);
    agent_head_start(head);
    agent_head_wants(head, FLEET_EXPERIENCE);
    head_scene_streams(head, body);
    assert_int_equal(atomic_load(&body->pins), 1);      /* its first visit needs no PIN */
    assert_false(agent_head_log_has(head, "to=pairing"));
}

static void test_command_pair__no_such_body_or_one_in_use__said(void **state)
{
    (void)state;
    struct stand_in_body *body = head_scene_body("b1");
    struct agent_head *first = head_scene_head("h1", NULL), *second = head_scene_head("h2", NULL);
    char out[OUT_SIZE], port[16];
    const char *const words[] = { "pair", "--body", "b1", "--port", port, NULL };
    (void)snprintf(port, sizeof port, "%u", body->host.http);
    assert_int_equal(run(first, "pair", "--body", "atlantis", out), 1);
    agent_head_start(first);
    agent_head_wants(first, FLEET_EXPERIENCE);
    head_scene_streams(first, body);
    assert_int_equal(agent_head_run(second, words, out, sizeof out), 1);
    char *log = home_read(&scene.home, "h2/run.log");
    expect(log, "hydrahead: b1:");
    hc_free(log);
    assert_int_equal(stand_in_body_sessions(body), 1);
}

static void test_command_line__usage_and_configuration__exit_2(void **state)
{
    (void)state;
    struct agent_head *head = head_scene_head("h1", NULL);
    char out[OUT_SIZE];
    assert_int_equal(run(head, "fly", NULL, NULL, out), 2);
    assert_int_equal(run(head, "pair", NULL, NULL, out), 2);
    assert_int_equal(run(head, "--help", NULL, NULL, out), 0);
    expect(out, "--body HOST");
    assert_int_equal(run(head, "--version", NULL, NULL, out), 0);
    expect(out, "hydrahead ");
    char token[HOME_PATH_SIZE];
    home_path(&scene.home, "h1/token", token);
    assert_int_equal(unlink(token), 0);
    const char *const serve[] = { NULL };
    assert_int_equal(agent_head_run(head, serve, NULL, 0), 2);
    char *log = home_read(&scene.home, "h1/run.log");
    expect(log, "hydrahead: token_file: ");
    hc_free(log);
}

static void test_program__token_others_may_read__exit_2_but_not_as_a_credential(void **state)
{
    (void)state;
    struct agent_head *head = head_scene_head("h1", NULL);
    char token[HOME_PATH_SIZE], folder[HOME_PATH_SIZE];
    const char *const serve[] = { NULL };
    home_path(&scene.home, "h1/token", token);
    home_path(&scene.home, "h1", folder);
    assert_int_equal(chmod(token, 0440), 0);
    assert_int_equal(agent_head_run(head, serve, NULL, 0), 2);
    char *log = home_read(&scene.home, "h1/run.log");
    expect(log, "hydrahead: token_file: ");
    expect(log, ": others may read or change it (mode 0440); chmod 600 ");
    assert_null(strstr(log, heads.nodes[0].token));
    hc_free(log);
    assert_int_equal(setenv("CREDENTIALS_DIRECTORY", folder, 1), 0);       /* as systemd's LoadCredential hands it on */
    agent_head_start(head);
    assert_int_equal(unsetenv("CREDENTIALS_DIRECTORY"), 0);
    assert_int_equal(agent_head_stop(head), 0);
}

static void copy_file(const char *from, const char *to)
{
    char *text = home_read(&scene.home, from);
    home_write(&scene.home, to, text);
    hc_free(text);
}

static void test_identity__of_a_cloned_device__made_anew_and_registered(void **state)
{
    (void)state;
    struct stand_in_body *body = head_scene_body("b1");
    struct agent_head *first = head_scene_head("h1", &(struct agent_head_options){ .makes_identity = true });
    struct agent_head *clone = head_scene_head("h2", NULL);
    agent_head_start(first);
    head_scene_waits_log(first, "event=identity_registered");
    copy_file("h1/state/client.key", "h2/state/client.key");
    copy_file("h1/state/client.pem", "h2/state/client.pem");
    agent_head_start(clone);
    head_scene_waits_log(clone, "event=identity_renewed");
    head_scene_waits_log(clone, "event=identity_registered");
    char *one = home_read(&scene.home, "h1/state/client.pem"), *two = home_read(&scene.home, "h2/state/client.pem");
    assert_string_not_equal(one, two);
    hc_free(one);
    hc_free(two);
    assert_true(fleet_events(&scene.daemon, "duplicate_head_identity") > 0);
    agent_head_wants(clone, FLEET_EXPERIENCE);          /* and with the new one it pairs and streams */
    head_scene_streams(clone, body);
}

static void test_identity__half_of_it_lost__does_not_start(void **state)
{
    (void)state;
    struct agent_head *head = head_scene_head("h1", NULL);
    char path[HOME_PATH_SIZE];
    agent_head_start(head);
    assert_int_equal(agent_head_stop(head), 0);
    home_path(&scene.home, "h1/state/client.pem", path);
    assert_int_equal(unlink(path), 0);
    const char *const serve[] = { NULL };
    assert_int_equal(agent_head_run(head, serve, NULL, 0), 2);
    char *log = home_read(&scene.home, "h1/run.log");
    expect(log, "client.pem");
    hc_free(log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        HEAD_TEST(test_command_check__all_is_well__a_line_each),
        HEAD_TEST(test_command_check__what_is_wrong__says_what_to_do),
        HEAD_TEST(test_command_status__says_what_the_agent_does),
        HEAD_TEST(test_command_pair__ahead_of_a_visit__says_each_step),
        HEAD_TEST(test_command_pair__no_such_body_or_one_in_use__said),
        HEAD_TEST(test_command_line__usage_and_configuration__exit_2),
        HEAD_TEST(test_program__token_others_may_read__exit_2_but_not_as_a_credential),
        HEAD_TEST(test_identity__of_a_cloned_device__made_anew_and_registered),
        HEAD_TEST(test_identity__half_of_it_lost__does_not_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
