#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "../../../src/http/target.h"

static char fault_field[128];

static enum hc_err parse(struct hc_arena *arena, const char *text, struct http_target *target)
{
    const char *detail = NULL, *field = NULL;
    char *raw = hc_arena_strdup(arena, text);
    assert_non_null(raw);
    enum hc_err err = http_target_parse(arena, raw, target, &detail, &field);
    if (err == HC_ERR_SYNTAX || err == HC_ERR_LIMIT)
        assert_non_null(detail);
    if (err == HC_ERR_SYNTAX || err == HC_ERR_LIMIT)
        (void)snprintf(fault_field, sizeof fault_field, "%s", field);
    return err;
}

static void test_target__paths__decoded_once(void **state)
{
    (void)state;
    static const struct { const char *raw, *path; } rows[] = {
        { "/", "/" }, { "/a", "/a" }, { "/a/", "/a" }, { "/a/b/?x=1", "/a/b" }, { "/a%20b", "/a b" }, { "/a%2520b", "/a%20b" },
        { "/a+b", "/a+b" }, { "/%41%5a%7a", "/AZz" }, { "http://host:8080/p/q", "/p/q" }, { "HTTPS://h/p?x", "/p" }, { "/a?", "/a" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct hc_arena arena = { 0 };
        struct http_target target;
        assert_int_equal(parse(&arena, rows[i].raw, &target), HC_OK);
        assert_string_equal(target.path, rows[i].path);
        hc_arena_free(&arena);
    }
}

static void test_target__bad_text__refused(void **state)
{
    (void)state;
    static const char *const bad[] = { "", "a", "*", "host:443", "/%", "/%4", "/%zz", "/%4g", "/a%00b", "/a%2Fb", "/a%2fb", "/a?x=%",
                                       "/a?x%0=1", "/a?x=%00", "/a b", "/a\tb", "/a\x7f", "http://host", "http://host?x=/y" };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct hc_arena arena = { 0 };
        struct http_target target;
        assert_int_equal(parse(&arena, bad[i], &target), HC_ERR_SYNTAX);
        hc_arena_free(&arena);
    }
}

static void test_target__bad_text__its_field_is_named(void **state)
{
    (void)state;
    static const struct { const char *raw, *field; } rows[] = {
        { "/a%00b", "path" }, { "/a%2Fb", "path" }, { "/a\x7f", "path" }, { "/a?x=%00", "x" }, { "/a?x=1&wait=%zz&y=2", "wait" },
        { "/a?x%00=1", "query" }, { "/a?%22x%22=%00", "query" }, { "/a?=%00", "query" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct hc_arena arena = { 0 };
        struct http_target target;
        assert_int_equal(parse(&arena, rows[i].raw, &target), HC_ERR_SYNTAX);
        assert_string_equal(fault_field, rows[i].field);
        hc_arena_free(&arena);
    }
}

static void test_target__query__keys_and_values(void **state)
{
    (void)state;
    struct hc_arena arena = { 0 };
    struct http_target target;
    assert_int_equal(parse(&arena, "/p?a=1&&b&c=&d=x%26y+z%2Fw&e=k=v&", &target), HC_OK);
    static const struct http_param want[] = { { "a", "1" }, { "b", "" }, { "c", "" }, { "d", "x&y z/w" }, { "e", "k=v" } };
    assert_int_equal(target.count, sizeof want / sizeof want[0]);
    for (size_t i = 0; i < target.count; i++) {
        assert_string_equal(target.params[i].key, want[i].key);
        assert_string_equal(target.params[i].value, want[i].value);
    }
    hc_arena_free(&arena);
}

static void test_target__parameters_at_and_over_the_limit__last_one_refused(void **state)
{
    (void)state;
    char text[8 + 4 * (HTTP_PARAMS_MAX + 1)] = "/p?a=1";
    for (int i = 1; i < HTTP_PARAMS_MAX; i++)
        strncat(text, "&a=1", sizeof text - strlen(text) - 1);
    struct hc_arena arena = { 0 };
    struct http_target target;
    assert_int_equal(parse(&arena, text, &target), HC_OK);
    assert_int_equal(target.count, HTTP_PARAMS_MAX);
    strncat(text, "&a=1", sizeof text - strlen(text) - 1);
    assert_int_equal(parse(&arena, text, &target), HC_ERR_LIMIT);
    hc_arena_free(&arena);
}

static void test_target__no_memory_for_parameters__said(void **state)
{
    (void)state;
    struct hc_arena arena = { 0 };
    char raw[] = "/p?a=1";
    struct http_target target;
    const char *detail, *field;
    hc_alloc_fail_after(1);
    assert_int_equal(http_target_parse(&arena, raw, &target, &detail, &field), HC_ERR_NOMEM);
    hc_alloc_fail_after(0);
    hc_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_target__paths__decoded_once),
        cmocka_unit_test(test_target__bad_text__refused),
        cmocka_unit_test(test_target__bad_text__its_field_is_named),
        cmocka_unit_test(test_target__query__keys_and_values),
        cmocka_unit_test(test_target__parameters_at_and_over_the_limit__last_one_refused),
        cmocka_unit_test(test_target__no_memory_for_parameters__said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
