#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "../../../src/head/command_words.h"

static struct hc_arena arena;

static int tear_down(void **state)
{
    (void)state;
    hc_arena_free(&arena);
    return 0;
}

static const struct command_fact facts[] = {
    { "host", "10.0.0.7" }, { "port", "47989" }, { "app", "Rupel monde#7c1e; rm -rf '$HOME'" }, { "cert", "/s/client.pem" },
    { "key", "/s/client.key" }, { "pin", "/s/pins/U.pem" }, { "uniqueid", "b46dd30b225109ce" },
};

static char **filled(const char *text)
{
    struct command_words words;
    struct hc_diag diag = { "" };
    char **argv = NULL;
    if (command_split(text, &arena, &words, &diag) != HC_OK ||
        command_fill(&words, facts, sizeof facts / sizeof facts[0], &arena, &argv, &diag) != HC_OK)
        fail_msg("%s: %s", text, diag.text);
    return argv;
}

static void test_command__blanks_and_quotes__one_argument_each(void **state)
{
    (void)state;
    char **argv = filled("  moonlight  'a b' \"c 'd'\" e\\ f g'h 'i \"\" ");
    static const char *const want[] = { "moonlight", "a b", "c 'd'", "e f", "gh i", "" };
    for (size_t i = 0; i < 6; i++)
        assert_string_equal(argv[i], want[i]);
    assert_null(argv[6]);
}

static void test_command__facts__filled_in_inside_and_never_split(void **state)
{
    (void)state;
    char **argv = filled("moonlight stream {host}:{port} {app} --cert={cert} {{literal} {uniqueid}");
    assert_string_equal(argv[2], "10.0.0.7:47989");
    assert_string_equal(argv[3], "Rupel monde#7c1e; rm -rf '$HOME'");          /* no shell ever sees it */
    assert_string_equal(argv[4], "--cert=/s/client.pem");
    assert_string_equal(argv[5], "{literal}");
    assert_string_equal(argv[6], "b46dd30b225109ce");
    assert_null(argv[7]);
}

static void test_command__what_cannot_be__refused(void **state)
{
    (void)state;
    static const struct { const char *text; enum hc_err err; } rows[] = {
        { "", HC_ERR_SYNTAX }, { "   ", HC_ERR_SYNTAX }, { "''", HC_ERR_SYNTAX }, { "a 'b", HC_ERR_SYNTAX }, { "a \"b", HC_ERR_SYNTAX },
        { "a \\", HC_ERR_SYNTAX }, { "a {nobody}", HC_ERR_SYNTAX }, { "a {", HC_ERR_SYNTAX }, { "a {host", HC_ERR_SYNTAX },
    };
    struct command_words words;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct hc_diag diag = { "" };
        assert_int_equal(command_split(rows[i].text, &arena, &words, &diag), rows[i].err);
        assert_true(diag.text[0] != '\0');
    }
    char many[2 * (COMMAND_WORDS_MAX + 1) + 1], longest[COMMAND_BYTES_MAX + 2];
    for (size_t i = 0; i < sizeof many - 1; i++)
        many[i] = i % 2 == 0 ? 'a' : ' ';
    many[sizeof many - 1] = '\0';
    assert_int_equal(command_split(many, &arena, &words, NULL), HC_ERR_LIMIT);
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_int_equal(command_split(longest, &arena, &words, NULL), HC_ERR_LIMIT);
}

static void test_command__a_fact_that_is_not_there__said(void **state)
{
    (void)state;
    struct command_words words;
    char **argv = NULL;
    struct hc_diag diag = { "" };
    assert_int_equal(command_split("a {pin}", &arena, &words, NULL), HC_OK);
    assert_int_equal(command_fill(&words, facts, 2, &arena, &argv, &diag), HC_ERR_CONFIG);
    assert_non_null(strstr(diag.text, "{pin}"));
}

static void test_command__program__found_in_path_or_named(void **state)
{
    (void)state;
    const char *path = NULL;
    struct hc_diag diag = { "" };
    assert_int_equal(command_find("sh", &arena, &path, &diag), HC_OK);
    assert_true(path[0] == '/');
    assert_int_equal(command_find("/bin/sh", &arena, &path, &diag), HC_OK);
    assert_string_equal(path, "/bin/sh");
    assert_int_equal(command_find("no-such-program-7c1e", &arena, &path, &diag), HC_ERR_NOTFOUND);
    assert_non_null(strstr(diag.text, "no-such-program-7c1e"));
    assert_int_equal(command_find("/etc/hostname-7c1e", &arena, &path, &diag), HC_ERR_NOTFOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_command__blanks_and_quotes__one_argument_each, tear_down),
        cmocka_unit_test_teardown(test_command__facts__filled_in_inside_and_never_split, tear_down),
        cmocka_unit_test_teardown(test_command__what_cannot_be__refused, tear_down),
        cmocka_unit_test_teardown(test_command__a_fact_that_is_not_there__said, tear_down),
        cmocka_unit_test_teardown(test_command__program__found_in_path_or_named, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
