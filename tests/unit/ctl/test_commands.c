/* The table itself, and what is made from it: help, completion; the man page says neither less nor more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../../src/ctl/command.h"

#define MAN_PATH "docs/man/hydractl.1"
#define MAN_MAX  ((size_t)256 * 1024)

static size_t argument_count(const struct command *command)
{
    size_t count = 0;
    while (count < ARGUMENTS_MAX && command->arguments[count].name != NULL)
        count++;
    return count;
}

static size_t holes(const char *path)
{
    size_t count = 0;
    for (const char *at = path; at != NULL && (at = strstr(at, "{}")) != NULL; at += 2)
        count++;
    return count;
}

static void test_commands__each_row__is_complete(void **state)
{
    (void)state;
    static const char *const scopes[] = { "read", "admin", "public", "none" };
    for (size_t i = 0; i < command_count; i++) {
        const struct command *command = &commands[i];
        bool known = false;
        for (size_t s = 0; s < sizeof scopes / sizeof scopes[0]; s++)
            known |= strcmp(scopes[s], command->scope) == 0;
        assert_true(known);
        assert_non_null(command->run);
        assert_true(command->help[0] != '\0');
        assert_true(command->flag_count <= FLAGS_MAX);
        assert_true(holes(command->path) <= argument_count(command));
        assert_int_equal(command->path == NULL, strcmp(command->scope, "none") == 0);
        /* Who changes something is an admin; a GET is for readers, but of what holds secrets. */
        if (command->method != NULL && strcmp(command->method, "GET") != 0)
            assert_string_equal(command->scope, "admin");
        if (command->run == run_call)
            assert_true(command->view != NULL || command->done != NULL);
    }
}

static void test_commands__names__are_unique(void **state)
{
    (void)state;
    for (size_t i = 0; i < command_count; i++)
        for (size_t k = 0; k < command_count; k++) {
            assert_true(i == k || strcmp(commands[i].words, commands[k].words) != 0);
            assert_true(commands[i].also == NULL || strcmp(commands[i].also, commands[k].words) != 0);
            assert_true(i == k || commands[i].also == NULL || commands[k].also == NULL || strcmp(commands[i].also, commands[k].also) != 0);
        }
}

static void test_commands__flags__do_not_hide_each_other_and_go_somewhere(void **state)
{
    (void)state;
    for (size_t i = 0; i < command_count; i++)
        for (size_t f = 0; f < commands[i].flag_count; f++) {
            const struct flag *flag = &commands[i].flags[f];
            assert_int_equal(flag->kind == FLAG_SWITCH, flag->argument == NULL);
            assert_int_equal(flag->place == FLAG_LOCAL, flag->key == NULL);
            assert_true(flag->place != FLAG_BODY || strcmp(commands[i].method, "GET") != 0);
            assert_true(flag->kind != FLAG_WORDS || flag->place == FLAG_BODY);
            for (size_t g = 0; g < global_flag_count; g++)
                assert_string_not_equal(flag->name, global_flags[g].name);
            for (size_t k = 0; k < f; k++)
                assert_string_not_equal(flag->name, commands[i].flags[k].name);
        }
}

static void test_help__lists_all_and_of_one_its_flags(void **state)
{
    (void)state;
    struct hc_buf all = { 0 };
    help_all(&all);
    for (size_t i = 0; i < command_count; i++) {
        struct hc_buf one = { 0 };
        assert_non_null(strstr(all.data, commands[i].words));
        assert_non_null(strstr(all.data, commands[i].help));
        help_of(&commands[i], &one);
        assert_false(one.failed);
        for (size_t f = 0; f < commands[i].flag_count; f++)
            assert_non_null(strstr(one.data, commands[i].flags[f].help));
        hc_buf_free(&one);
    }
    for (size_t g = 0; g < global_flag_count; g++)
        assert_non_null(strstr(all.data, global_flags[g].help));
    hc_buf_free(&all);
}

static void test_completion__every_shell__knows_every_word_and_flag(void **state)
{
    (void)state;
    static const char *const shells[] = { "bash", "zsh", "fish" };
    for (size_t s = 0; s < sizeof shells / sizeof shells[0]; s++) {
        struct hc_buf script = { 0 };
        assert_true(completion_write(shells[s], &script));
        assert_false(script.failed);
        for (size_t i = 0; i < command_count; i++) {
            const char *space = strchr(commands[i].words, ' ');
            assert_non_null(strstr(script.data, space == NULL ? commands[i].words : space + 1));
            for (size_t f = 0; f < commands[i].flag_count; f++) {
                char text[64];
                (void)snprintf(text, sizeof text, s == 2 ? "-l %s" : "--%s", commands[i].flags[f].name);
                assert_non_null(strstr(script.data, text));
            }
        }
        hc_buf_free(&script);
    }
    struct hc_buf none = { 0 };
    assert_false(completion_write("tcsh", &none));
    hc_buf_free(&none);
}

/* ---- the man page ---- */

/* Its text with \- as it is read. For free(). */
static char *man_page(void)
{
    char *text = calloc(1, MAN_MAX), *to = text;
    FILE *in = fopen(MAN_PATH, "r");
    assert_non_null(text);
    assert_non_null(in);
    size_t len = fread(text, 1, MAN_MAX - 1, in);
    assert_true(len > 0 && feof(in));
    assert_int_equal(fclose(in), 0);
    for (const char *from = text; *from != '\0'; from++)
        if (from[0] != '\\' || from[1] != '-')
            *to++ = *from;
    *to = '\0';
    return text;
}

/* The section of a command: from its .SS to the next. For free(). */
static char *section_of(const char *page, const struct command *command)
{
    char title[128];
    (void)snprintf(title, sizeof title, "\n.SS %s", command->words);
    for (const char *at = page; (at = strstr(at, title)) != NULL; at++) {
        const char *behind = at + strlen(title), *end = strstr(behind, "\n.S");
        if (*behind == '\n' || (*behind == ' ' && (behind[1] == '[' || (behind[1] >= 'A' && behind[1] <= 'Z'))))
            return strndup(at, end == NULL ? strlen(at) : (size_t)(end - at));
    }
    fail_msg("%s has no section for `%s`", MAN_PATH, command->words);
    return NULL;
}

static size_t count_of(const char *text, const char *what)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, what)) != NULL; at += strlen(what))
        count++;
    return count;
}

static void test_man_page__commands_and_flags__are_those_of_the_table(void **state)
{
    (void)state;
    char *page = man_page();
    assert_int_equal(count_of(page, "\n.SS "), command_count);
    for (size_t i = 0; i < command_count; i++) {
        char *section = section_of(page, &commands[i]);
        assert_int_equal(count_of(section, "\n.TP\n"), commands[i].flag_count);
        for (size_t f = 0; f < commands[i].flag_count; f++) {
            char flag[64];
            (void)snprintf(flag, sizeof flag, "--%s", commands[i].flags[f].name);
            if (strstr(section, flag) == NULL)
                fail_msg("%s: `%s` lacks %s", MAN_PATH, commands[i].words, flag);
        }
        free(section);
    }
    for (size_t g = 0; g < global_flag_count; g++)
        assert_non_null(strstr(page, global_flags[g].name));
    free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_commands__each_row__is_complete),
        cmocka_unit_test(test_commands__names__are_unique),
        cmocka_unit_test(test_commands__flags__do_not_hide_each_other_and_go_somewhere),
        cmocka_unit_test(test_help__lists_all_and_of_one_its_flags),
        cmocka_unit_test(test_completion__every_shell__knows_every_word_and_flag),
        cmocka_unit_test(test_man_page__commands_and_flags__are_those_of_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
