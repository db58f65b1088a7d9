#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "hydra/base/arena.h"
#include "hydra/base/buf.h"

static void test_buf__pieces_of_each_kind__one_text(void **state)
{
    (void)state;
    HC_CLEANUP(hc_buf_freep) struct hc_buf buf = { 0 };
    hc_buf_str(&buf, "a");
    hc_buf_char(&buf, '=');
    hc_buf_add(&buf, "xyz", 2);
    hc_buf_add(&buf, NULL, 0);
    hc_buf_printf(&buf, "|%03d|", 7);
    assert_string_equal(buf.data, "a=xy|007|");
    assert_int_equal(buf.len, 9);
    assert_false(buf.failed);
}

static void test_buf__numbers_at_their_ends__decimal(void **state)
{
    (void)state;
    HC_CLEANUP(hc_buf_freep) struct hc_buf buf = { 0 };
    static const int64_t numbers[] = { 0, -1, 9, 10, INT64_MAX, INT64_MIN };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        hc_buf_i64(&buf, numbers[i]);
        hc_buf_char(&buf, ' ');
    }
    hc_buf_u64(&buf, 0);
    hc_buf_char(&buf, ' ');
    hc_buf_u64(&buf, UINT64_MAX);
    assert_string_equal(buf.data, "0 -1 9 10 9223372036854775807 -9223372036854775808 0 18446744073709551615");
}

static void test_buf__grows_over_every_border__keeps_all(void **state)
{
    (void)state;
    HC_CLEANUP(hc_buf_freep) struct hc_buf buf = { 0 };
    for (size_t i = 0; i < 5000; i++) {
        hc_buf_char(&buf, (char)('a' + i % 26));
        assert_int_equal(buf.len, i + 1);
        assert_true(buf.len < buf.size);
        assert_int_equal(buf.data[buf.len], '\0');
    }
    for (size_t i = 0; i < 5000; i++)
        assert_int_equal(buf.data[i], 'a' + i % 26);
    hc_buf_printf(&buf, "%*s", 20000, "x");
    assert_int_equal(buf.len, 25000);
    assert_int_equal(strlen(buf.data), 25000);
}

static void test_buf__cleared__keeps_its_memory(void **state)
{
    (void)state;
    struct hc_buf buf = { 0 };
    hc_buf_clear(&buf);
    hc_buf_str(&buf, "text");
    const char *data = buf.data;
    hc_buf_clear(&buf);
    assert_int_equal(buf.len, 0);
    assert_string_equal(buf.data, "");
    hc_buf_str(&buf, "x");
    assert_ptr_equal(buf.data, data);
    assert_string_equal(buf.data, "x");
    hc_buf_free(&buf);
    assert_null(buf.data);
    assert_int_equal(buf.size, 0);
    hc_buf_free(&buf);
}

static void test_buf__memory_runs_out__failed_until_cleared(void **state)
{
    (void)state;
    HC_CLEANUP(hc_buf_freep) struct hc_buf buf = { 0 };
    hc_buf_str(&buf, "kept");
    char lengthy[1000];
    memset(lengthy, 'x', sizeof lengthy);
    hc_alloc_fail_after(1);
    hc_buf_add(&buf, lengthy, sizeof lengthy);
    hc_alloc_fail_after(0);
    assert_true(buf.failed);
    hc_buf_str(&buf, "more");
    hc_buf_printf(&buf, "%d", 5);
    hc_buf_json_str(&buf, "j");
    assert_string_equal(buf.data, "kept");
    hc_buf_clear(&buf);
    hc_buf_str(&buf, "again");
    assert_false(buf.failed);
    assert_string_equal(buf.data, "again");
}

static void test_buf__absurd_length__failed(void **state)
{
    (void)state;
    HC_CLEANUP(hc_buf_freep) struct hc_buf buf = { 0 };
    hc_buf_add(&buf, "", SIZE_MAX - 1);
    assert_true(buf.failed);
    assert_null(buf.data);
}

static void test_json_str__what_must_be_escaped__is(void **state)
{
    (void)state;
    static const struct { const char *text, *json; } rows[] = {
        { NULL, "null" }, { "", "\"\"" }, { "plain", "\"plain\"" }, { "\"", "\"\\\"\"" }, { "a\\b", "\"a\\\\b\"" },
        { "\n\t", "\"\\u000a\\u0009\"" }, { "x\x01y\x1f", "\"x\\u0001y\\u001f\"" }, { "Zürich", "\"Zürich\"" }, { "\x7f", "\"\x7f\"" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        HC_CLEANUP(hc_buf_freep) struct hc_buf buf = { 0 };
        hc_buf_json_str(&buf, rows[i].text);
        assert_string_equal(buf.data, rows[i].json);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_buf__pieces_of_each_kind__one_text),
        cmocka_unit_test(test_buf__numbers_at_their_ends__decimal),
        cmocka_unit_test(test_buf__grows_over_every_border__keeps_all),
        cmocka_unit_test(test_buf__cleared__keeps_its_memory),
        cmocka_unit_test(test_buf__memory_runs_out__failed_until_cleared),
        cmocka_unit_test(test_buf__absurd_length__failed),
        cmocka_unit_test(test_json_str__what_must_be_escaped__is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
