#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "../../../src/sim/options.h"

#define WORDS_MAX 12
struct line { const char *words[WORDS_MAX]; };

static bool parse(const struct line *line, struct options *options, struct hc_diag *diag)
{
    static char storage[WORDS_MAX + 1][64];
    static char program[] = "hydrasim";
    char *argv[WORDS_MAX + 2] = { program };
    int argc = 1;
    for (; argc <= WORDS_MAX && line->words[argc - 1] != NULL; argc++) {
        HC_SET(storage[argc], line->words[argc - 1]);
        argv[argc] = storage[argc];
    }
    return options_parse(argc, argv, options, diag);
}

static void test_options__mistakes__refused_by_flag(void **state)
{
    (void)state;
    static const struct { struct line line; const char *names; } rows[] = {
        { { { NULL } }, "--server" },
        { { { "--server", "http://x", NULL } }, "--admin-token-file" },
        { { { "--server", NULL } }, "--server" },
        { { { "--bodys", "4", NULL } }, "--bodys" },
        { { { "fast", NULL } }, "fast" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct options options;
        struct hc_diag diag = { "" };
        assert_false(parse(&rows[i].line, &options, &diag));
        assert_non_null(strstr(diag.text, rows[i].names));
    }
}

static void test_options__values__refused_by_flag_and_value(void **state)
{
    (void)state;
    static const struct { struct line line; const char *flag, *value; } rows[] = {
        { { { "--check", "--bodies", "many", NULL } }, "--bodies", "many" },
        { { { "--check", "--heads", "-1", NULL } }, "--heads", "-1" },
        { { { "--check", "--heads", "20001", NULL } }, "--heads", "20001" },
        { { { "--check", "--legacy-bodies", "5", NULL } }, "--legacy-bodies", "5" },
        { { { "--check", "--mix", "ipad=1,phone=2", NULL } }, "--mix", "phone" },
        { { { "--check", "--mix", "ipad=0", NULL } }, "--mix", "ipad=0" },
        { { { "--check", "--mix", "ipad", NULL } }, "--mix", "ipad" },
        { { { "--check", "--duration", "soon", NULL } }, "--duration", "soon" },
        { { { "--check", "--time-scale", "0", NULL } }, "--time-scale", "0" },
        { { { "--check", "--seed", "x", NULL } }, "--seed", "x" },
        { { { "--check", "--scenario", "no-such", NULL } }, "no-such", "" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct options options;
        struct hc_diag diag = { "" };
        struct scenario scenario;
        assert_true(parse(&rows[i].line, &options, &diag));
        assert_false(options_scenario(&options, &scenario, &diag));
        if (strstr(diag.text, rows[i].flag) == NULL || strstr(diag.text, rows[i].value) == NULL)
            fail_msg("%s %s -> %s", rows[i].flag, rows[i].value, diag.text);
        scenario_free(&scenario);
    }
}

static void test_options__fleet__dealt_as_asked(void **state)
{
    (void)state;
    const struct line line = { { "--check", "--bodies", "8", "--heads", "6", "--mix", "quest=1,p2=2", "--duration", "30", "--faults",
                                 NULL } };
    struct options options;
    struct hc_diag diag = { "" };
    struct scenario scenario;
    assert_true(parse(&line, &options, &diag));
    if (!options_scenario(&options, &scenario, &diag))
        fail_msg("%s", diag.text);
    size_t quests = 0, legacy = 0;
    for (size_t i = 0; i < scenario.head_count; i++)
        quests += scenario.heads[i].kind == HEAD_QUEST;
    for (size_t i = 0; i < scenario.body_count; i++)
        legacy += scenario.bodies[i].legacy;
    assert_true(quests == 2 && scenario.head_count == 6 && legacy == 2 && scenario.body_count == 8);
    assert_true(scenario.duration_ms == 30000 && scenario.random_faults && scenario.seed == 1);
    scenario_free(&scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options__mistakes__refused_by_flag),
        cmocka_unit_test(test_options__values__refused_by_flag_and_value),
        cmocka_unit_test(test_options__fleet__dealt_as_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
