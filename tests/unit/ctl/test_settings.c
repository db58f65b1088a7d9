#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "../../../src/ctl/settings.h"

static char home[64], token_path[96], file_path[128];
static char *server_env, *token_env;

static char *env(const char *name)
{
    return strcmp(name, "HOME") == 0 ? home : strcmp(name, "HYDRACTL_SERVER") == 0 ? server_env
           : strcmp(name, "HYDRACTL_TOKEN_FILE") == 0 ? token_env : NULL;
}

static void write_file(const char *path, const char *text, size_t len, mode_t mode)
{
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_int_equal(fwrite(text, 1, len, out), len);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(chmod(path, mode), 0);
}

static int set_up(void **state)
{
    char folder[96];
    (void)state;
    (void)snprintf(home, sizeof home, "/tmp/hydractl-XXXXXX");
    assert_non_null(mkdtemp(home));
    (void)snprintf(folder, sizeof folder, "%s/.config", home);
    assert_int_equal(mkdir(folder, 0700), 0);
    (void)snprintf(token_path, sizeof token_path, "%s/token", home);
    (void)snprintf(file_path, sizeof file_path, "%s/.config/hydractl.yaml", home);
    server_env = token_env = NULL;
    return 0;
}

static int tear_down(void **state)
{
    char folder[96];
    (void)state;
    (void)unlink(file_path);
    (void)unlink(token_path);
    (void)snprintf(folder, sizeof folder, "%s/.config", home);
    (void)rmdir(folder);
    assert_int_equal(rmdir(home), 0);
    return 0;
}

static void test_settings__nothing_said__defaults(void **state)
{
    (void)state;
    struct hc_arena arena = { 0 };
    const struct invocation invocation = { 0 };
    struct settings settings;
    assert_int_equal(settings_read(&invocation, env, &arena, &settings, NULL), HC_OK);
    assert_string_equal(settings.server, SETTINGS_SERVER_DEFAULT);
    assert_null(settings.token_file);
    assert_int_equal(settings.output, OUTPUT_TABLE);
    struct hc_diag diag = { "" };
    assert_int_equal(settings_token(&settings, &diag), HC_ERR_CONFIG);
    assert_non_null(strstr(diag.text, "--token-file"));
    hc_arena_free(&arena);
}

static void test_settings__flag_over_environment_over_file(void **state)
{
    (void)state;
    static const char text[] = "server: https://in.file\ntoken_file: ~/token\noutput: yaml\n";
    struct hc_arena arena = { 0 };
    struct invocation invocation = { 0 };
    struct settings settings;
    write_file(file_path, text, sizeof text - 1, 0644);
    assert_int_equal(settings_read(&invocation, env, &arena, &settings, NULL), HC_OK);
    assert_string_equal(settings.server, "https://in.file");
    assert_string_equal(settings.token_file, token_path);
    assert_int_equal(settings.output, OUTPUT_YAML);
    server_env = (char *)(uintptr_t)"https://in.environment";
    token_env = (char *)(uintptr_t)"/elsewhere";
    assert_int_equal(settings_read(&invocation, env, &arena, &settings, NULL), HC_OK);
    assert_string_equal(settings.server, "https://in.environment");
    assert_string_equal(settings.token_file, "/elsewhere");
    invocation.globals[GLOBAL_SERVER] = "https://in.flag";
    invocation.globals[GLOBAL_OUTPUT] = "wide";
    assert_int_equal(settings_read(&invocation, env, &arena, &settings, NULL), HC_OK);
    assert_string_equal(settings.server, "https://in.flag");
    assert_int_equal(settings.output, OUTPUT_WIDE);
    hc_arena_free(&arena);
}

static void test_settings__broken_file__file_line_and_key(void **state)
{
    (void)state;
    static const struct { const char *text, *says; } rows[] = {
        { "servr: x\n", "hydractl.yaml:1:1: servr" },
        { "server: x\noutput: xml\n", "hydractl.yaml:2:9: output" },
        { "server: [\n", "hydractl.yaml:" },
        { "token: secret\n", "token" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct hc_arena arena = { 0 };
        const struct invocation invocation = { 0 };
        struct settings settings;
        struct hc_diag diag = { "" };
        write_file(file_path, rows[i].text, strlen(rows[i].text), 0600);
        assert_int_not_equal(settings_read(&invocation, env, &arena, &settings, &diag), HC_OK);
        if (strstr(diag.text, rows[i].says) == NULL)
            fail_msg("%s", diag.text);
        assert_null(strstr(diag.text, "secret"));
        hc_arena_free(&arena);
    }
}

static enum hc_err token_of(const char *server, bool insecure, struct settings *settings, struct hc_diag *diag)
{
    *settings = (struct settings){ .server = server, .token_file = token_path, .insecure_http = insecure };
    return settings_token(settings, diag);
}

static void test_token__mode__only_the_owner(void **state)
{
    (void)state;
    static const struct { mode_t mode; bool good; } rows[] = { { 0600, true }, { 0400, true }, { 0640, false }, { 0604, false },
                                                               { 0620, false }, { 0602, false }, { 0601, false } };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct settings settings;
        struct hc_diag diag = { "" };
        write_file(token_path, "tok-1\n", 6, 0600);
        assert_int_equal(chmod(token_path, rows[i].mode), 0);
        assert_int_equal(token_of("https://x", false, &settings, &diag) == HC_OK, rows[i].good);
        if (rows[i].good)
            assert_string_equal(settings.token, "tok-1");
        else
            assert_non_null(strstr(diag.text, "chmod 600"));
        settings_forget(&settings);
        assert_string_equal(settings.token, "");
    }
}

static void test_token__file_that_holds_none_or_more__refused_without_showing_it(void **state)
{
    (void)state;
    char large[2048];
    memset(large, 's', sizeof large);
    const struct { const char *text; size_t len; } rows[] = { { "", 0 }, { " \n\t", 3 }, { "secret one", 10 }, { "secret\nsecret\n", 14 },
                                                              { "sec\0ret", 7 }, { large, 513 }, { large, sizeof large } };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct settings settings;
        struct hc_diag diag = { "" };
        write_file(token_path, rows[i].text, rows[i].len, 0600);
        assert_int_equal(token_of("https://x", false, &settings, &diag), HC_ERR_CONFIG);
        assert_non_null(strstr(diag.text, token_path));
        assert_null(strstr(diag.text, "sec"));
    }
    struct settings settings;
    struct hc_diag diag = { "" };
    write_file(token_path, large, 512, 0600);
    assert_int_equal(token_of("https://x", false, &settings, &diag), HC_OK);
    assert_int_equal(unlink(token_path), 0);
    assert_int_equal(token_of("https://x", false, &settings, &diag), HC_ERR_CONFIG);
    assert_int_equal(mkdir(token_path, 0700), 0);
    assert_int_equal(token_of("https://x", false, &settings, &diag), HC_ERR_CONFIG);
    assert_int_equal(rmdir(token_path), 0);
}

static void test_token__plain_http__only_to_this_machine(void **state)
{
    (void)state;
    static const struct { const char *server; bool insecure, good; } rows[] = {
        { "http://127.0.0.1:8080", false, true },   { "http://localhost:1", false, true },      { "http://[::1]:8080/", false, true },
        { "https://hydra.example", false, true },   { "http://hydra.example", false, false },   { "HTTP://10.0.0.1", false, false },
        { "http://127.0.0.1.evil.example", false, false }, { "http://localhost.evil", false, false }, { "http://hydra.example", true,
            true },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct settings settings;
        struct hc_diag diag = { "" };
        write_file(token_path, "tok-1", 5, 0600);
        if ((token_of(rows[i].server, rows[i].insecure, &settings, &diag) == HC_OK) != rows[i].good)
            fail_msg("%s: %s", rows[i].server, diag.text);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_settings__nothing_said__defaults),
        TEST(test_settings__flag_over_environment_over_file),
        TEST(test_settings__broken_file__file_line_and_key),
        TEST(test_token__mode__only_the_owner),
        TEST(test_token__file_that_holds_none_or_more__refused_without_showing_it),
        TEST(test_token__plain_http__only_to_this_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
