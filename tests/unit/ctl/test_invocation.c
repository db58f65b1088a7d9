#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "../../../src/ctl/command.h"

#define ARGS_MAX 12

static enum hc_err read_line(const char *const *args, struct invocation *ret, struct hc_diag *diag)
{
    char *argv[ARGS_MAX + 1] = { "hydractl" };
    int argc = 1;
    for (; args[argc - 1] != NULL; argc++)
        argv[argc] = (char *)(uintptr_t)args[argc - 1];
    return invocation_read(argc, argv, ret, diag);
}

static struct invocation good(const char *const *args)
{
    struct invocation invocation;
    struct hc_diag diag = { "" };
    if (read_line(args, &invocation, &diag) != HC_OK)
        fail_msg("%s", diag.text);
    return invocation;
}

#define GOOD(...) good((const char *const[]){ __VA_ARGS__, NULL })

static void test_invocation__words_arguments_flags__in_any_order(void **state)
{
    (void)state;
    struct invocation a = GOOD("-o", "json", "drain", "--deadline=5min", "b1", "--server", "http://x");
    assert_string_equal(a.command->words, "drain");
    assert_string_equal(a.arguments[0], "b1");
    assert_string_equal(invocation_flag(&a, "deadline"), "5min");
    assert_null(invocation_flag(&a, "dry-run"));
    assert_string_equal(a.globals[GLOBAL_OUTPUT], "json");
    assert_string_equal(a.globals[GLOBAL_SERVER], "http://x");
    a = GOOD("events", "-f");
    assert_string_equal(invocation_flag(&a, "follow"), "");
    a = GOOD("nodes", "show", "--", "--odd-name");
    assert_string_equal(a.arguments[0], "--odd-name");
    a = GOOD("nodes", "-o", "json", "show", "b1");
    assert_string_equal(a.command->words, "nodes show");
    assert_string_equal(a.arguments[0], "b1");
    a = GOOD("backup", "-");
    assert_string_equal(a.arguments[0], "-");
}

static void test_invocation__other_names__the_same_command(void **state)
{
    (void)state;
    assert_string_equal(GOOD("nodes").command->words, "nodes list");
    assert_string_equal(GOOD("token", "b1").command->words, "nodes token");
    assert_string_equal(GOOD("export", "x").command->words, "backup");
    assert_string_equal(GOOD("district", "default").command->words, "district show");
    assert_null(GOOD("--version").command);
    assert_string_equal(GOOD("release", "--help").command->words, "release");         /* its argument may be missing */
}

static void test_invocation__what_is_wrong__named(void **state)
{
    (void)state;
    static const struct { const char *args[5], *says; } rows[] = {
        { { "nope" }, "nope: no such command" },
        { { "maintenance" }, "needs behind it one of on, off" },
        { { "maintenance", "maybe" }, "it has one of on, off" },
        { { "nodes", "nope" }, "it has one of list, show, approve" },
        { { "slots", "--nope" }, "--nope: no such option of slots" },
        { { "--nope" }, "--nope: no such option" },
        { { "-x", "slots" }, "-x: no such option" },
        { { "slots", "--divergent=1" }, "takes no value" },
        { { "slots", "--divergent", "--divergent" }, "twice" },
        { { "slots", "--venue" }, "needs NAME" },
        { { "slots", "--venue", "" }, "needs NAME" },
        { { "release" }, "needs LEASE" },
        { { "release", "a", "b" }, "b is one argument too many" },
        { { "release", "" }, "empty" },
        { { "release", "\xff" }, "no UTF-8" },
        { { "completion", "bash zsh" }, "one of: bash zsh fish" },
        { { "completion", "bas" }, "one of: bash zsh fish" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct invocation invocation;
        struct hc_diag diag = { "" };
        assert_int_equal(read_line(rows[i].args, &invocation, &diag), HC_ERR_CONFIG);
        if (strstr(diag.text, rows[i].says) == NULL)
            fail_msg("row %zu: %s", i, diag.text);
    }
}

static void test_invocation__an_argument_over_its_limit__refused(void **state)
{
    (void)state;
    char text[1026];
    struct invocation invocation;
    struct hc_diag diag = { "" };
    memset(text, 'x', sizeof text - 1);
    text[1025] = '\0';
    assert_int_equal(read_line((const char *const[]){ "release", text, NULL }, &invocation, &diag), HC_ERR_CONFIG);
    assert_int_equal(read_line((const char *const[]){ "slots", "--venue", text, NULL }, &invocation, &diag), HC_ERR_CONFIG);
    text[1024] = '\0';
    assert_int_equal(read_line((const char *const[]){ "release", text, NULL }, &invocation, &diag), HC_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_invocation__words_arguments_flags__in_any_order),
        cmocka_unit_test(test_invocation__other_names__the_same_command),
        cmocka_unit_test(test_invocation__what_is_wrong__named),
        cmocka_unit_test(test_invocation__an_argument_over_its_limit__refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
