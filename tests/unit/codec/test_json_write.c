#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "hydra/codec/json.h"
#include "sample.h"

static void test_write__every_type__read_back_equal(void **state)
{
    (void)state;
    struct sample full, back;
    struct hc_arena arena = { 0 };
    struct json_refusal refusal;
    HC_CLEANUP(hc_buf_freep) struct hc_buf text = { 0 };
    sample_fill(&full);
    json_write(&sample_json, &full, &text);
    assert_false(text.failed);
    assert_int_equal(json_read(&sample_json, text.data, text.len, false, &arena, &back, &refusal), HC_OK);
    assert_same_sample(&full, &back);
    hc_arena_free(&arena);
}

static void test_write__nothing_set__nulls_and_empty_texts(void **state)
{
    (void)state;
    struct sample sample = { .age_ms = -1, .wait_ms = -1 };
    HC_CLEANUP(hc_buf_freep) struct hc_buf text = { 0 };
    json_write(&sample_json, &sample, &text);
    assert_string_equal(text.data, "{\"label\":\"\",\"id\":\"\",\"other_id\":null,\"name\":\"\",\"note\":null,"
                                   "\"on\":false,\"small\":0,\"big\":0,\"delta\":0,\"state\":\"\",\"at\":null,"
                                   "\"age_seconds\":null,\"wait\":null,\"part\":{},\"maybe\":null,"
                                   "\"parts\":[],\"names\":[],\"ids\":[],\"numbers\":[],\"raw\":null}");
}

static void test_write__seconds_and_durations__rounded_up_and_short(void **state)
{
    (void)state;
    static const struct { int64_t ms; const char *seconds, *wait; } rows[] = {
        { 0, "0", "0s" }, { 1, "1", "1ms" }, { 999, "1", "999ms" }, { 1000, "1", "1s" }, { 1001, "2", "1001ms" },
        { 90000, "90", "90s" }, { 600000, "600", "10min" }, { 7200000, "7200", "2h" }, { 604800000, "604800", "7d" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct sample sample = { .age_ms = rows[i].ms, .wait_ms = rows[i].ms };
        HC_CLEANUP(hc_buf_freep) struct hc_buf text = { 0 }, want = { 0 };
        json_write(&sample_json, &sample, &text);
        hc_buf_printf(&want, "\"age_seconds\":%s,\"wait\":\"%s\",", rows[i].seconds, rows[i].wait);
        assert_non_null(strstr(text.data, want.data));
    }
}

static void test_write__age__rounded_down(void **state)
{
    (void)state;
    struct age { int64_t ms; };
    static const struct codec_field fields[] = {
        { .key = "age", .type = CODEC_SECONDS, .offset = offsetof(struct age, ms), .flags = CODEC_PAST },
    };
    static const struct codec_table table = CODEC_TABLE("age", fields, struct age, CODEC_NO_PRESENT);
    static const struct { int64_t ms; const char *text; } rows[] = {
        { -1, "{\"age\":null}" }, { 0, "{\"age\":0}" }, { 1, "{\"age\":0}" }, { 600, "{\"age\":0}" }, { 999, "{\"age\":0}" },
        { 1000, "{\"age\":1}" }, { 1999, "{\"age\":1}" }, { 90001, "{\"age\":90}" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct age age = { rows[i].ms };
        HC_CLEANUP(hc_buf_freep) struct hc_buf text = { 0 };
        json_write(&table, &age, &text);
        assert_string_equal(text.data, rows[i].text);
    }
}

static void test_write_members__first_and_later__commas_between(void **state)
{
    (void)state;
    const struct sample_part empty = { 0 }, part = { .id = "p", .state = SAMPLE_IDLE };
    HC_CLEANUP(hc_buf_freep) struct hc_buf text = { 0 };
    assert_false(json_write_members(&sample_part_table, &empty, true, &text));
    assert_true(json_write_members(&sample_part_table, &part, true, &text));
    assert_false(json_write_members(&sample_part_table, &empty, false, &text));
    assert_true(json_write_members(&sample_part_table, &part, false, &text));
    assert_string_equal(text.data, "\"id\":\"p\",\"state\":\"idle\",\"id\":\"p\",\"state\":\"idle\"");
}

static void test_write_array__none_and_two__bare_lists(void **state)
{
    (void)state;
    const struct sample_part parts[] = { { .id = "a" }, { .id = "b" } };
    HC_CLEANUP(hc_buf_freep) struct hc_buf text = { 0 };
    json_write_array(&sample_part_table, NULL, 0, &text);
    json_write_array(&sample_part_table, parts, 2, &text);
    assert_string_equal(text.data, "[][{\"id\":\"a\"},{\"id\":\"b\"}]");
}

static void test_write__memory_runs_out_anywhere__buffer_says_failed(void **state)
{
    (void)state;
    struct sample full;
    sample_fill(&full);
    bool done = false;
    for (unsigned n = 1; n < 100 && !done; n++) {
        struct hc_buf text = { 0 };
        hc_alloc_fail_after(n);
        json_write(&sample_json, &full, &text);
        hc_alloc_fail_after(0);
        done = !text.failed;
        assert_true(!done || n > 1);
        hc_buf_free(&text);
    }
    assert_true(done);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_write__every_type__read_back_equal),
        cmocka_unit_test(test_write__nothing_set__nulls_and_empty_texts),
        cmocka_unit_test(test_write__seconds_and_durations__rounded_up_and_short),
        cmocka_unit_test(test_write__age__rounded_down),
        cmocka_unit_test(test_write_members__first_and_later__commas_between),
        cmocka_unit_test(test_write_array__none_and_two__bare_lists),
        cmocka_unit_test(test_write__memory_runs_out_anywhere__buffer_says_failed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
