#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sample.h"

static void test_has__bits_of_the_present_word__by_key(void **state)
{
    (void)state;
    struct sample_part part = { .present = 5 };
    assert_true(codec_has(&sample_part_table, &part, "id"));
    assert_false(codec_has(&sample_part_table, &part, "state"));
    assert_true(codec_has(&sample_part_table, &part, "numbers"));
}

static void test_word_index__known_empty_unknown__index_or_minus_one(void **state)
{
    (void)state;
    static const char *const texts[] = { "", "idle", "busy" };
    const struct hc_words words = { texts, 3 };
    assert_int_equal(codec_word_index(&words, ""), 0);
    assert_int_equal(codec_word_index(&words, "busy"), 2);
    assert_int_equal(codec_word_index(&words, "Busy"), -1);
    assert_int_equal(codec_word_index(&words, "bus"), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_has__bits_of_the_present_word__by_key),
        cmocka_unit_test(test_word_index__known_empty_unknown__index_or_minus_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
