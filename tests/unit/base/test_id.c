#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "hydra/base/id.h"

static void test_id__every_byte__only_the_alphabet(void **state)
{
    (void)state;
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    for (int c = 1; c < 256; c++) {
        const char text[] = { 'a', (char)c, '\0' };
        assert_int_equal(hc_id_ok(text), strchr(alphabet, c) != NULL);
    }
}

static void test_id__length__one_to_sixty_four(void **state)
{
    (void)state;
    char text[HC_ID_MAX + 2];
    memset(text, 'x', sizeof text);
    text[HC_ID_MAX + 1] = '\0';
    assert_false(hc_id_ok(text));
    text[HC_ID_MAX] = '\0';
    assert_true(hc_id_ok(text));
    assert_true(hc_id_ok("x"));
    assert_false(hc_id_ok(""));
}

static void test_name__length_and_content__as_the_limit_says(void **state)
{
    (void)state;
    char text[HC_NAME_MAX + 2];
    memset(text, 'x', sizeof text);
    text[HC_NAME_MAX + 1] = '\0';
    assert_false(hc_name_ok(text));
    text[HC_NAME_MAX] = '\0';
    assert_true(hc_name_ok(text));
    assert_true(hc_name_ok("Salle n° 3, 漢字"));
    assert_true(hc_name_ok(" "));
    static const char *const bad[] = { "", "a\nb", "\x01", "\x1f", "\x7f", "a\xff", "\xc3" };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(hc_name_ok(bad[i]));
}

static void test_utf8__borders_of_the_standard__told_apart(void **state)
{
    (void)state;
    static const char *const good[] = { "", "a", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
                                        "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf" };
    static const char *const bad[] = { "\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc2", "\xc2\x41", "\xe0\x9f\xbf", "\xe0\xa0",
                                       "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf0\x90\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80",
                                       "\xff", "\xe2\x28\xa1" };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_true(hc_utf8_ok(good[i], strlen(good[i])));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(hc_utf8_ok(bad[i], strlen(bad[i])));
    assert_true(hc_utf8_ok("a\0b", 3));
    assert_true(hc_utf8_ok("\xc3\xa9", 2));
    assert_false(hc_utf8_ok("\xc3\xa9", 1));    /* nothing beyond the length is looked at */
}

static void test_copy__exactly_fitting__whole(void **state)
{
    (void)state;
    char small[4] = "zzz";
    HC_SET(small, "abc");
    assert_string_equal(small, "abc");
    HC_SET(small, "");
    assert_string_equal(small, "");
}

static void test_same__null_is_empty__compared_by_content(void **state)
{
    (void)state;
    assert_true(hc_same("a", "a"));
    assert_false(hc_same("a", "A"));
    assert_true(hc_same(NULL, ""));
    assert_true(hc_same("", NULL));
    assert_true(hc_same(NULL, NULL));
    assert_false(hc_same(NULL, "a"));
}

static void test_hex__all_digits__lower_case(void **state)
{
    (void)state;
    static const uint8_t bytes[] = { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef };
    char out[2 * sizeof bytes + 1];
    hc_hex(bytes, sizeof bytes, out);
    assert_string_equal(out, "0123456789abcdef");
    hc_hex(bytes, 0, out);
    assert_string_equal(out, "");
}

static void test_fnv1a64__published_vectors__match_and_chain(void **state)
{
    (void)state;
    assert_true(hc_fnv1a64(HC_FNV1A64_START, "") == UINT64_C(0xcbf29ce484222325));
    assert_true(hc_fnv1a64(HC_FNV1A64_START, "a") == UINT64_C(0xaf63dc4c8601ec8c));
    assert_true(hc_fnv1a64(HC_FNV1A64_START, "foobar") == UINT64_C(0x85944171f73967e8));
    assert_true(hc_fnv1a64(hc_fnv1a64(HC_FNV1A64_START, "foo"), "bar") == UINT64_C(0x85944171f73967e8));
}

static void test_hex_digit__every_byte__only_the_22_digits(void **state)
{
    (void)state;
    static const char digits[] = "0123456789abcdef", upper[] = "ABCDEF";
    for (int c = 0; c < 256; c++) {
        const char *low = c == 0 ? NULL : strchr(digits, c), *high = c == 0 ? NULL : strchr(upper, c);
        int expected = low != NULL ? (int)(low - digits) : high != NULL ? 10 + (int)(high - upper) : -1;
        assert_int_equal(hc_hex_digit((char)c), expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hex_digit__every_byte__only_the_22_digits),
        cmocka_unit_test(test_id__every_byte__only_the_alphabet),
        cmocka_unit_test(test_id__length__one_to_sixty_four),
        cmocka_unit_test(test_name__length_and_content__as_the_limit_says),
        cmocka_unit_test(test_utf8__borders_of_the_standard__told_apart),
        cmocka_unit_test(test_copy__exactly_fitting__whole),
        cmocka_unit_test(test_same__null_is_empty__compared_by_content),
        cmocka_unit_test(test_hex__all_digits__lower_case),
        cmocka_unit_test(test_fnv1a64__published_vectors__match_and_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
