#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "hydra/base/arena.h"

#define LARGE 100000

static void test_arena__many_sizes__aligned_zeroed_apart(void **state)
{
    (void)state;
    static const size_t sizes[] = { 0, 1, 7, 16, 17, 4000, 4064, 4065, 3, LARGE, 5 };
    enum { COUNT = sizeof sizes / sizeof sizes[0], ROUNDS = 20 };
    struct hc_arena arena = { 0 };
    unsigned char *got[ROUNDS * COUNT];
    for (size_t i = 0; i < ROUNDS * COUNT; i++) {
        size_t size = sizes[i % COUNT];
        got[i] = hc_arena_alloc(&arena, size);
        assert_non_null(got[i]);
        assert_int_equal((uintptr_t)got[i] % _Alignof(max_align_t), 0);
        for (size_t k = 0; k < size; k++)
            assert_int_equal(got[i][k], 0);
        memset(got[i], (int)(i % 251) + 1, size);
    }
    for (size_t i = 0; i < ROUNDS * COUNT; i++)
        for (size_t k = 0; k < sizes[i % COUNT]; k++)
            assert_int_equal(got[i][k], (int)(i % 251) + 1);
    hc_arena_free(&arena);
    assert_null(arena.head);
    assert_int_equal(arena.used_total, 0);
}

static void test_arena__large_piece_between_small__block_in_use_goes_on(void **state)
{
    (void)state;
    struct hc_arena arena = { 0 };
    char *first = hc_arena_alloc(&arena, 16);
    assert_non_null(hc_arena_alloc(&arena, LARGE));
    assert_ptr_equal(hc_arena_alloc(&arena, 16), first + 16);
    assert_int_equal(arena.used_total, 32 + LARGE);
    hc_arena_free(&arena);
}

static void test_arena__freed__usable_again(void **state)
{
    (void)state;
    struct hc_arena arena = { 0 };
    hc_arena_free(&arena);
    assert_non_null(hc_arena_alloc(&arena, 8));
    hc_arena_free(&arena);
    assert_non_null(hc_arena_alloc(&arena, 8));
    hc_arena_free(&arena);
}

static void test_arena_array__sizes_that_overflow__null(void **state)
{
    (void)state;
    struct hc_arena arena = { 0 };
    assert_null(hc_arena_array(&arena, SIZE_MAX / 2, 3));
    assert_null(hc_arena_array(&arena, 2, SIZE_MAX / 2 + 1));
    assert_null(hc_arena_alloc(&arena, SIZE_MAX));
    assert_null(hc_arena_alloc(&arena, SIZE_MAX - 15));
    assert_non_null(hc_arena_array(&arena, 3, 5));
    assert_non_null(hc_arena_array(&arena, SIZE_MAX, 0));
    hc_arena_free(&arena);
}

static void test_arena_texts__copied_and_formatted__equal(void **state)
{
    (void)state;
    struct hc_arena arena = { 0 };
    char source[] = "text";
    char *copy = hc_arena_strdup(&arena, source), *part = hc_arena_strndup(&arena, source, 2);
    source[0] = 'n';
    assert_string_equal(copy, "text");
    assert_string_equal(part, "te");
    assert_string_equal(hc_arena_strdup(&arena, ""), "");
    assert_string_equal(hc_arena_printf(&arena, "%s-%d", "a", 7), "a-7");
    char *lengthy = hc_arena_printf(&arena, "%*s", LARGE, "x");
    assert_int_equal(strlen(lengthy), LARGE);
    hc_arena_free(&arena);
}

static void test_arena__each_allocation_fails_once__null_and_nothing_lost(void **state)
{
    (void)state;
    unsigned failed = 0;
    for (unsigned n = 1; n < 20; n++) {
        struct hc_arena arena = { 0 };
        hc_alloc_fail_after(n);
        char *small = hc_arena_strdup(&arena, "small"), *large = hc_arena_alloc(&arena, LARGE);
        char *text = hc_arena_printf(&arena, "%*s", 5000, "x");
        hc_alloc_fail_after(0);
        unsigned missing = (small == NULL ? 1u : 0) + (large == NULL ? 1u : 0) + (text == NULL ? 1u : 0);
        assert_int_equal(missing, n <= 3);
        failed += missing;
        assert_non_null(hc_arena_strdup(&arena, "after"));
        if (small != NULL)
            assert_string_equal(small, "small");
        hc_arena_free(&arena);
    }
    assert_int_equal(failed, 3);
}

static void test_alloc__fail_after__the_nth_only(void **state)
{
    (void)state;
    hc_alloc_fail_after(2);
    char *first = hc_alloc(4), *second = hc_alloc(4), *third = hc_alloc(0);
    assert_non_null(first);
    assert_null(second);
    assert_non_null(third);
    assert_int_equal(first[0] | first[3], 0);
    first[3] = 'z';
    hc_alloc_fail_after(1);
    assert_null(hc_realloc(first, 100));          /* the old one stands */
    assert_int_equal(first[3], 'z');
    first = hc_realloc(first, 100);
    assert_int_equal(first[3], 'z');
    hc_alloc_fail_after(1);
    hc_alloc_fail_after(0);
    second = hc_realloc(NULL, 0);
    assert_non_null(second);
    hc_free(first);
    hc_free(second);
    hc_free(third);
    hc_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arena__many_sizes__aligned_zeroed_apart),
        cmocka_unit_test(test_arena__large_piece_between_small__block_in_use_goes_on),
        cmocka_unit_test(test_arena__freed__usable_again),
        cmocka_unit_test(test_arena_array__sizes_that_overflow__null),
        cmocka_unit_test(test_arena_texts__copied_and_formatted__equal),
        cmocka_unit_test(test_arena__each_allocation_fails_once__null_and_nothing_lost),
        cmocka_unit_test(test_alloc__fail_after__the_nth_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
