#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "hydra/base/err.h"

static void test_err__every_one__a_text_of_its_own_and_a_kind(void **state)
{
    (void)state;
    for (int i = 0; i < HC_ERR_COUNT; i++) {
        assert_true(strlen(hc_err_text((enum hc_err)i)) > 0);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(hc_err_text((enum hc_err)i), hc_err_text((enum hc_err)k));
        assert_int_equal(hc_err_kind((enum hc_err)i) == HC_KIND_NONE, i == HC_OK);
    }
}

static void test_err__kinds_that_callers_branch_on__as_listed(void **state)
{
    (void)state;
    assert_int_equal(hc_err_kind(HC_ERR_NOMEM), HC_KIND_FATAL);
    assert_int_equal(hc_err_kind(HC_ERR_IO), HC_KIND_RETRY);
    assert_int_equal(hc_err_kind(HC_ERR_SCHEMA), HC_KIND_CALLER);
    assert_int_equal(hc_err_kind(HC_ERR_EDGE), HC_KIND_BUG);
    assert_string_equal(hc_err_text(HC_OK), "ok");
}

static void test_err__out_of_the_list__unknown_and_a_bug(void **state)
{
    (void)state;
    assert_string_equal(hc_err_text(HC_ERR_COUNT), "unknown error");
    assert_int_equal(hc_err_kind(HC_ERR_COUNT), HC_KIND_BUG);
}

static void test_fail__message__written_and_the_error_handed_on(void **state)
{
    (void)state;
    struct hc_diag diag = { "" };
    assert_int_equal(hc_fail(&diag, HC_ERR_FULL, "cannot write %s: %d", "f", 28), HC_ERR_FULL);
    assert_string_equal(diag.text, "cannot write f: 28");
    assert_int_equal(hc_fail(NULL, HC_ERR_IO, "%s", "nobody reads it"), HC_ERR_IO);
    assert_int_equal(hc_fail(&diag, HC_ERR_IO, "%*s", 2 * HC_DIAG_SIZE, "x"), HC_ERR_IO);
    assert_int_equal(strlen(diag.text), HC_DIAG_SIZE - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_err__every_one__a_text_of_its_own_and_a_kind),
        cmocka_unit_test(test_err__kinds_that_callers_branch_on__as_listed),
        cmocka_unit_test(test_err__out_of_the_list__unknown_and_a_bug),
        cmocka_unit_test(test_fail__message__written_and_the_error_handed_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
