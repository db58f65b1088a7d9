/* Posted forms, where a login leads, and texts in a page. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "../../../src/web/form.h"

static void field_is(const char *form, const char *name, const char *expected)
{
    char out[16] = "untouched";
    bool found = form_field(form, strlen(form), name, out, sizeof out);
    assert_int_equal(found, expected != NULL);
    if (expected != NULL)
        assert_string_equal(out, expected);
}

static void test_form__fields__decoded_or_refused(void **state)
{
    (void)state;
    field_is("token=abc&next=%2Fx", "token", "abc");
    field_is("token=abc&next=%2Fx", "next", "/x");
    field_is("a+b=1&token=x+y%26", "token", "x y&");
    field_is("token=", "token", "");
    field_is("tokens=1&atoken=2", "token", NULL);
    field_is("", "token", NULL);
    field_is("token=%4", "token", NULL);
    field_is("token=%zz", "token", NULL);
    field_is("token=a%00b", "token", NULL);
    field_is("token=123456789012345", "token", "123456789012345");
    field_is("token=1234567890123456", "token", NULL);
}

static void test_form__next__only_a_path_of_ours(void **state)
{
    (void)state;
    static const char *const bad[] = { "", "x", "//evil.example", "/\\evil.example", "https://evil.example", "/a\r\nSet-Cookie: x", "/ b",
                                       "/\xc3\xa9" };
    assert_string_equal(form_next("/"), "/");
    assert_string_equal(form_next("/enroll?x=1"), "/enroll?x=1");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_string_equal(form_next(bad[i]), "/");
}

static void test_form__template__values_are_text(void **state)
{
    (void)state;
    static const char text[] = "<p title=\"{{a}}\">{{b}}{{none}}</p>{{";
    const struct form_value values[] = { { "a", "\"><script>" }, { "b", "x & 'y'" } };
    HC_CLEANUP(hc_buf_freep) struct hc_buf out = { 0 };
    form_fill(text, sizeof text - 1, values, 2, &out);
    assert_string_equal(out.data, "<p title=\"&quot;&gt;&lt;script&gt;\">x &amp; &#39;y&#39;</p>{{");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_form__fields__decoded_or_refused),
        cmocka_unit_test(test_form__next__only_a_path_of_ours),
        cmocka_unit_test(test_form__template__values_are_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
