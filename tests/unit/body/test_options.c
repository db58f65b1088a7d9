#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "../../../src/body/cluster.h"
#include "../../../src/body/gpu.h"
#include "../../../src/body/options.h"
#include "../../../src/body/stream_edge.h"

#define WORDS_MAX 8

static bool parse(const char *const *words, struct options *options, struct hc_diag *diag)
{
    char *argv[WORDS_MAX + 1] = { NULL };
    int argc = 0;
    static char program[] = "hydrabody";
    argv[argc++] = program;
    for (size_t i = 0; i < WORDS_MAX - 1 && words[i] != NULL; i++)
        argv[argc++] = (char *)(uintptr_t)words[i];
    return options_parse(argc, argv, options, diag);
}

static void test_options__command_lines__understood(void **state)
{
    (void)state;
    struct options options;
    const char *const none[] = { NULL }, *const check[] = { "check", "--config", "/x.yaml", NULL };
    const char *const hook[] = { "hook", "ended", "--slot", "3", "--port", "4000", NULL };
    assert_true(parse(none, &options, NULL));
    assert_int_equal(options.command, COMMAND_SERVE);
    assert_string_equal(options.config_file, BODY_CONFIG_FILE);
    assert_true(parse(check, &options, NULL));
    assert_int_equal(options.command, COMMAND_CHECK);
    assert_string_equal(options.config_file, "/x.yaml");
    assert_true(parse(hook, &options, NULL));
    assert_int_equal(options.command, COMMAND_HOOK_ENDED);
    assert_true(options.slot_told && options.port_told);
    assert_int_equal(options.slot, 3);
    assert_int_equal(options.port, 4000);
}

static void test_options__mistakes__name_the_word(void **state)
{
    (void)state;
    static const struct { const char *words[4], *says; } rows[] = {
        { { "--confg" }, "--confg" }, { { "--config" }, "--config" }, { { "--slot", "16" }, "--slot" }, { { "--slot", "x" }, "--slot" },
        { { "--port", "0" }, "--port" }, { { "--port", "65536" }, "--port" }, { { "hook" }, "hook" }, { { "hook", "begun" }, "hook begun" },
        { { "check", "it" }, "check it" }, { { "serve" }, "serve" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct options options;
        struct hc_diag diag = { "" };
        const char *const words[] = { rows[i].words[0], rows[i].words[1], rows[i].words[2], NULL };
        if (parse(words, &options, &diag) || strstr(diag.text, rows[i].says) == NULL)
            fail_msg("%s: `%s`", rows[i].says, diag.text);
    }
}

static void test_app_without_token__table__experience_alone(void **state)
{
    (void)state;
    static const struct { const char *app, *plain; } rows[] = {
        { "rupelmonde#00112233445566778899aabbccddeeff", "rupelmonde" }, { "rupelmonde", "rupelmonde" }, { "", "" },
        { "room #4", "room #4" }, { "#00112233445566778899aabbccddeeff", "" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char out[BODY_STATUS_APP_MAX + 1];
        app_without_token(rows[i].app, out);
        assert_string_equal(out, rows[i].plain);
    }
}

static void test_gpu_listing__table__first_card_or_nothing(void **state)
{
    (void)state;
    static const struct { const char *text, *name; uint32_t mb; } rows[] = {
        { "NVIDIA RTX A4000, 16376\n", "NVIDIA RTX A4000", 16376 }, { "A, B, 8192\nC, 1\n", "A, B", 8192 },
        { "NVIDIA RTX A4000, [N/A]\n", "NVIDIA RTX A4000", 0 }, { "", "", 0 }, { "No devices were found\n", "", 0 }, { ", 5\n", "", 0 },
        { "A, 99999999999999999999\n", "A", 0 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gpu gpu = { .memory_total_mb = 0 };
        gpu_read_listing(rows[i].text, &gpu);
        assert_string_equal(gpu.name, rows[i].name);
        assert_int_equal(gpu.memory_total_mb, rows[i].mb);
    }
}

static void test_cluster_backoff__failures__doubles_to_a_bound_and_spreads(void **state)
{
    (void)state;
    static const struct { unsigned failures; int64_t least, most; } rows[] = {
        { 1, 500, 1000 }, { 2, 1000, 2000 }, { 5, 8000, 16000 }, { 6, 15000, 30000 }, { 4000000000U, 15000, 30000 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int64_t low = INT64_MAX, high = 0;
        for (uint32_t random = 0; random < 40000; random += 7) {
            int64_t ms = cluster_backoff_ms(rows[i].failures, random);
            low = ms < low ? ms : low;
            high = ms > high ? ms : high;
        }
        assert_true(low >= rows[i].least && high <= rows[i].most && high - low > (rows[i].most - rows[i].least) / 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options__command_lines__understood),
        cmocka_unit_test(test_options__mistakes__name_the_word),
        cmocka_unit_test(test_app_without_token__table__experience_alone),
        cmocka_unit_test(test_gpu_listing__table__first_card_or_nothing),
        cmocka_unit_test(test_cluster_backoff__failures__doubles_to_a_bound_and_spreads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
