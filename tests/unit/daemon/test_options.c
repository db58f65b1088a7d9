#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "../../../src/daemon/options.h"

#define WORDS_MAX 8
struct line { const char *words[WORDS_MAX]; };

static bool parse(const struct line *line, struct options *options, struct hc_diag *diag)
{
    static char storage[WORDS_MAX][64];     /* options point into it */
    char *argv[WORDS_MAX + 1] = { NULL };
    int argc = 0;
    static char program[] = "hydraclusterd";
    argv[argc++] = program;
    for (; argc <= WORDS_MAX - 1 && line->words[argc - 1] != NULL; argc++) {
        hc_copy(storage[argc], sizeof storage[argc], line->words[argc - 1]);
        argv[argc] = storage[argc];
    }
    return options_parse(argc, argv, options, diag);
}

static void test_options__commands__found(void **state)
{
    (void)state;
    static const struct { struct line line; enum command command; } rows[] = {
        { { { NULL } }, COMMAND_SERVE },
        { { { "init", "--data-dir", "/x", NULL } }, COMMAND_INIT },
        { { { "token", "new", "read", NULL } }, COMMAND_TOKEN_NEW },
        { { { "--data-dir", "/x", "token", "list", NULL } }, COMMAND_TOKEN_LIST },
        { { { "token", "revoke", "tok-1", NULL } }, COMMAND_TOKEN_REVOKE },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct options options;
        struct hc_diag diag = { "" };
        assert_true(parse(&rows[i].line, &options, &diag));
        assert_int_equal(options.command, rows[i].command);
    }
}

static void test_options__mistakes__refused_by_name(void **state)
{
    (void)state;
    static const struct { struct line line; const char *names; } rows[] = {
        { { { "--listne", NULL } }, "--listne" },       { { { "--listen", NULL } }, "--listen" },
        { { { "--listen", "", NULL } }, "--listen" },   { { { "init", "now", NULL } }, "init" },
        { { { "token", NULL } }, "token" },             { { { "token", "new", NULL } }, "token new" },
        { { { "token", "list", "x", NULL } }, "token list" }, { { { "serve", NULL } }, "serve" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct options options;
        struct hc_diag diag = { "" };
        assert_false(parse(&rows[i].line, &options, &diag));
        assert_non_null(strstr(diag.text, rows[i].names));
    }
}

static void test_options__flags__land_in_their_places(void **state)
{
    (void)state;
    struct line line = { { "--insecure-http", "--timers", "t.yaml", "--unsafe-timers", "--check-config", NULL } };
    struct options options;
    assert_true(parse(&line, &options, NULL));
    assert_true(options.flags.insecure_http && options.flags.unsafe_timers && options.check_config);
    assert_false(options.help || options.version);
    assert_string_equal(options.flags.timers_file, "t.yaml");
    assert_null(options.flags.config_file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options__commands__found),
        cmocka_unit_test(test_options__mistakes__refused_by_name),
        cmocka_unit_test(test_options__flags__land_in_their_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
