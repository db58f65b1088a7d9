#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../../src/head/config.h"

#define LEAST "server_url: https://cluster.example\nnode_id: node-1a2b3c4d\n"

struct fixture { char folder[64], file[96], token[96]; struct head_config config; struct hc_diag diag; };

static void put(const char *path, const char *text)
{
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
}

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    if (f == NULL)
        return -1;
    (void)snprintf(f->folder, sizeof f->folder, "/tmp/hydra-head-XXXXXX");
    *state = f;
    if (mkdtemp(f->folder) == NULL)
        return -1;
    (void)snprintf(f->file, sizeof f->file, "%s/c.yaml", f->folder);
    (void)snprintf(f->token, sizeof f->token, "%s/token", f->folder);
    (void)umask(0077);                      /* a token that others may read is refused */
    return unsetenv("CREDENTIALS_DIRECTORY");
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    head_config_free(&f->config);
    (void)unlink(f->file);
    (void)unlink(f->token);
    int failed = rmdir(f->folder);
    free(f);
    return failed;
}

static enum hc_err load(struct fixture *f, const char *text)
{
    put(f->file, text);
    head_config_free(&f->config);
    f->diag.text[0] = '\0';
    return head_config_load(f->file, &f->config, &f->diag);
}

/* The message names file, line, column and key. */
static void refused(struct fixture *f, const char *text, const char *place, const char *why)
{
    char start[160];
    assert_int_not_equal(load(f, text), HC_OK);
    (void)snprintf(start, sizeof start, "%s:%s", f->file, place);
    if (strncmp(f->diag.text, start, strlen(start)) != 0 || strstr(f->diag.text, why) == NULL)
        fail_msg("expected %s ... %s, got: %s", start, why, f->diag.text);
}

static void test_config__example_file__loads_and_equals_the_defaults(void **state)
{
    struct fixture *f = *state;
    struct head_config example;
    if (head_config_load("docs/hydrahead.example.yaml", &example, &f->diag) != HC_OK)
        fail_msg("%s", f->diag.text);
    assert_int_equal(load(f, LEAST), HC_OK);
    const struct head_config *plain = &f->config;
    assert_string_equal(example.server_url, plain->server_url);
    assert_string_equal(example.node_id, plain->node_id);
    assert_string_equal(example.token_file, plain->token_file);
    assert_string_equal(example.state_dir, plain->state_dir);
    assert_string_equal(example.listen, plain->listen);
    assert_string_equal(example.command, plain->command);
    assert_string_equal(example.experience, plain->experience);
    assert_null(example.ca_file);
    assert_null(example.moonlight_settings);
    assert_int_equal(example.network, plain->network);
    assert_int_equal(example.accept, plain->accept);
    assert_int_equal(example.insecure_http, plain->insecure_http);
    assert_int_equal(example.plays_after_ms, plain->plays_after_ms);
    assert_int_equal(example.stop_grace_ms, plain->stop_grace_ms);
    head_config_free(&example);
}

static void test_config__every_key__is_in_the_example(void **state)
{
    (void)state;
    static const char *const keys[] = { "server_url", "ca_file", "insecure_http", "token_file", "node_id", "state_dir", "listen", "network",
                                        "command", "moonlight_settings", "accept", "experience", "district", "venue", "plays_after",
                                        "stop_grace" };
    char text[8192];
    FILE *in = fopen("docs/hydrahead.example.yaml", "r");
    assert_non_null(in);
    size_t len = fread(text, 1, sizeof text - 1, in);
    (void)fclose(in);
    text[len] = '\0';
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        char plain[48], off[48];
        (void)snprintf(plain, sizeof plain, "\n%s:", keys[i]);
        (void)snprintf(off, sizeof off, "\n#%s:", keys[i]);
        if (strstr(text, plain) == NULL && strstr(text, off) == NULL)
            fail_msg("%s is not explained", keys[i]);
    }
}

static void test_config__all_said__taken(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(load(f, LEAST "listen: \"[::1]:0\"\nnetwork: wireguard\naccept: auto\ncommand: \"/bin/true '{app} x' {host}\"\n"
                             "experience: Rupelmonde\nplays_after: 250ms\nstop_grace: 1s\n"), HC_OK);
    assert_string_equal(f->config.address, "::1");
    assert_int_equal(f->config.port, 0);
    assert_int_equal(f->config.network, NETWORK_WIREGUARD);
    assert_int_equal(f->config.accept, ACCEPT_AUTO);
    assert_int_equal(f->config.words.count, 3);
    assert_string_equal(f->config.words.words[1], "{app} x");
    assert_string_equal(f->config.experience, "Rupelmonde");
    assert_int_equal(f->config.plays_after_ms, 250);
    assert_int_equal(f->config.stop_grace_ms, 1000);
}

static void test_config__mistakes__named_with_their_place(void **state)
{
    struct fixture *f = *state;
    refused(f, "node_id: a\n", "1:1: server_url", "missing");
    refused(f, "server_url: https://c.example\n", "1:1: node_id", "missing");
    refused(f, LEAST "colour: red\n", "3:1", "colour");
    refused(f, LEAST "listen: 0.0.0.0:9740\n", "3:9: listen", "this machine only");
    refused(f, LEAST "listen: 127.0.0.1:65536\n", "3:9: listen", "PORT");
    refused(f, LEAST "network: wifi\n", "3:10", "network");
    refused(f, LEAST "command: \"moonlight {hots}\"\n", "3:10: command", "{hots}");
    refused(f, LEAST "command: \"moonlight 'a\"\n", "3:10: command", "not closed");
    refused(f, LEAST "command: \"\"\n", "3:10: command", "no program");
    refused(f, LEAST "moonlight_settings: Moonlight.conf\n", "3:21: moonlight_settings", "whole path");
    refused(f, LEAST "stop_grace: 10min\n", "3:13", "stop_grace");
    refused(f, "server_url: http://10.0.0.1:8080\nnode_id: a\n", "1:13: server_url", "insecure_http");
    refused(f, "server_url: ftp://c.example\nnode_id: a\n", "1:13: server_url", "https://HOST");
    refused(f, "server_url: https://c.example\nnode_id: a b\n", "2:10: node_id", "enrolment");
    refused(f, "- a\n", "1:1", "map");
}

static void test_config__plain_http__on_loopback_or_when_said(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(load(f, "server_url: http://127.0.0.1:8080\nnode_id: a\n"), HC_OK);
    assert_int_equal(load(f, "server_url: http://10.0.0.1:8080\nnode_id: a\ninsecure_http: true\n"), HC_OK);
}

static void test_config__no_file__said(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(head_config_load("/nonexistent/hydrahead.yaml", &f->config, &f->diag), HC_ERR_CONFIG);
    assert_non_null(strstr(f->diag.text, "/nonexistent/hydrahead.yaml"));
}

static void test_token__one_line__read_and_never_shown(void **state)
{
    struct fixture *f = *state;
    char text[256], token[HEAD_NODE_TOKEN + 1] = "";
    (void)snprintf(text, sizeof text, LEAST "token_file: %s\n", f->token);
    assert_int_equal(load(f, text), HC_OK);
    assert_int_equal(head_token_load(&f->config, token, &f->diag), HC_ERR_CONFIG);
    assert_non_null(strstr(f->diag.text, f->token));
    put(f->token, "s3cret-token\n");
    assert_int_equal(head_token_load(&f->config, token, &f->diag), HC_OK);
    assert_string_equal(token, "s3cret-token");
    static const char *const bad[] = { "", "\n", "s3cret one\n", "s3cret\nmore\n" };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        put(f->token, bad[i]);
        assert_int_equal(head_token_load(&f->config, token, &f->diag), HC_ERR_CONFIG);
        assert_null(strstr(f->diag.text, "s3cret"));
    }
}

static void test_token__others_may_read_it__refused_with_what_to_do(void **state)
{
    struct fixture *f = *state;
    char text[256], says[320], token[HEAD_NODE_TOKEN + 1] = "";
    static const mode_t modes[] = { 0640, 0604, 0660, 0644 };
    (void)snprintf(text, sizeof text, LEAST "token_file: %s\n", f->token);
    assert_int_equal(load(f, text), HC_OK);
    put(f->token, "s3cret-token\n");
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        assert_int_equal(chmod(f->token, modes[i]), 0);
        assert_int_equal(head_token_load(&f->config, token, &f->diag), HC_ERR_CONFIG);
        (void)snprintf(says, sizeof says, "token_file: %s: others may read or change it (mode %04o); chmod 600 %s", f->token,
                       (unsigned)modes[i], f->token);
        assert_string_equal(f->diag.text, says);
    }
    assert_int_equal(chmod(f->token, 0400), 0);
    assert_int_equal(head_token_load(&f->config, token, &f->diag), HC_OK);
}

static void test_token__loaded_by_the_service_manager__found_there(void **state)
{
    struct fixture *f = *state;
    char token[HEAD_NODE_TOKEN + 1];
    put(f->token, "of-the-manager\n");
    assert_int_equal(setenv("CREDENTIALS_DIRECTORY", f->folder, 1), 0);
    assert_int_equal(load(f, LEAST), HC_OK);
    assert_int_equal(head_token_load(&f->config, token, &f->diag), HC_OK);
    assert_string_equal(token, "of-the-manager");
    assert_int_equal(chmod(f->token, 0440), 0);         /* as systemd hands it on: the group's bit is the access list's mask */
    assert_int_equal(head_token_load(&f->config, token, &f->diag), HC_OK);
    assert_int_equal(chmod(f->token, 0444), 0);
    assert_int_equal(head_token_load(&f->config, token, &f->diag), HC_ERR_CONFIG);
    assert_int_equal(unsetenv("CREDENTIALS_DIRECTORY"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_config__example_file__loads_and_equals_the_defaults, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_config__every_key__is_in_the_example, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_config__all_said__taken, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_config__mistakes__named_with_their_place, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_config__plain_http__on_loopback_or_when_said, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_config__no_file__said, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_token__one_line__read_and_never_shown, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_token__others_may_read_it__refused_with_what_to_do, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_token__loaded_by_the_service_manager__found_there, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
