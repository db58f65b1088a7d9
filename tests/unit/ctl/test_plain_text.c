#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <string.h>
#include <cmocka.h>

#include "../../../src/ctl/plain_text.h"

static void expect_plain(const char *text, const char *shown)
{
    struct hc_buf out = { 0 };
    hc_buf_str(&out, "");
    plain_add(text, &out);
    assert_false(out.failed);
    assert_string_equal(out.data, shown);
    hc_buf_free(&out);
}

static void test_plain__escape_codes_and_controls__are_shown(void **state)
{
    (void)state;
    expect_plain("\033[31mred\033[0m", "\\x1b[31mred\\x1b[0m");
    expect_plain("a\nb\tc\rd", "a\\nb\\tc\\rd");
    expect_plain("bell\a del\x7f", "bell\\x07 del\\x7f");
    expect_plain("csi \xc2\x9b" "31m", "csi \\u{009b}31m");              /* C1: one character that begins a code */
    expect_plain("\xe2\x80\xae" "gnp", "\\u{202e}gnp");
    expect_plain("\xef\xbb\xbf" "x", "\\u{feff}x");
    expect_plain("\xf3\xa0\x81\x81", "\\u{e0041}");
}

static void test_plain__text_of_any_language__stays(void **state)
{
    (void)state;
    expect_plain("", "");
    expect_plain("Mus\xc3\xa9" "e \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x98\x80 <b>&amp;</b> \\",
                 "Mus\xc3\xa9" "e \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x98\x80 <b>&amp;</b> \\");
}

static void test_plain__no_utf8__each_byte_is_shown(void **state)
{
    (void)state;
    expect_plain("\xff" "a\xc3", "\\xffa\\xc3");
    expect_plain("\xc0\x80", "\\xc0\\x80");                              /* a NUL in disguise */
    expect_plain("\xed\xa0\x80", "\\xed\\xa0\\x80");                     /* half of a pair */
    expect_plain("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");            /* beyond the last character */
}

static void test_plain_width__wide_and_joining_characters__columns(void **state)
{
    (void)state;
    assert_int_equal(plain_width(""), 0);
    assert_int_equal(plain_width("abc"), 3);
    assert_int_equal(plain_width("\xc3\xa9"), 1);
    assert_int_equal(plain_width("\xe6\x97\xa5"), 2);
    assert_int_equal(plain_width("e\xcc\x81"), 1);
}

static void expect_fitted(const char *text, size_t width, bool fill, const char *fitted, bool cut)
{
    struct hc_buf out = { 0 };
    hc_buf_str(&out, "");
    assert_int_equal(plain_add_fitted(text, width, fill, &out), cut);
    assert_string_equal(out.data, fitted);
    hc_buf_free(&out);
}

static void test_plain_fitted__shorter_longer_exact(void **state)
{
    (void)state;
    expect_fitted("abc", 5, true, "abc  ", false);
    expect_fitted("abc", 5, false, "abc", false);
    expect_fitted("abc", 3, true, "abc", false);
    expect_fitted("abcd", 3, true, "ab\xe2\x80\xa6", true);
    expect_fitted("\xe6\x97\xa5\xe6\x9c\xac", 3, true, "\xe6\x97\xa5\xe2\x80\xa6", true);
    expect_fitted("a\xe6\x97\xa5\xe6\x9c\xac", 3, true, "a\xe2\x80\xa6 ", true);       /* half a character is none */
    expect_fitted("abc", 0, true, "", true);
}

int main(void)
{
    (void)setlocale(LC_CTYPE, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain__escape_codes_and_controls__are_shown),
        cmocka_unit_test(test_plain__text_of_any_language__stays),
        cmocka_unit_test(test_plain__no_utf8__each_byte_is_shown),
        cmocka_unit_test(test_plain_width__wide_and_joining_characters__columns),
        cmocka_unit_test(test_plain_fitted__shorter_longer_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
