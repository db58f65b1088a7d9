#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "../../../src/sim/due.h"
#include "../../../src/sim/rng.h"

#define NUMBERS 200

static void test_due__random_settings__come_out_in_order(void **state)
{
    (void)state;
    struct due *due;
    assert_int_equal(due_new(NUMBERS, &due), HC_OK);
    struct rng rng = rng_of(3, 1);
    int64_t at_ms[NUMBERS] = { 0 };
    for (int round = 0; round < 2000; round++) {
        size_t number = (size_t)rng_between(&rng, 0, NUMBERS - 1);
        at_ms[number] = rng_chance(&rng, 200) ? 0 : rng_between(&rng, 1, 500);
        due_set(due, number, at_ms[number]);
    }
    int64_t before_ms = 0;
    size_t number;
    while (due_next(due) != 0) {
        int64_t next_ms = due_next(due);
        assert_false(due_take(due, next_ms - 1, &number));
        assert_true(due_take(due, next_ms, &number));
        assert_int_equal(at_ms[number], next_ms);
        assert_true(next_ms >= before_ms);
        before_ms = next_ms;
        at_ms[number] = 0;
    }
    for (size_t i = 0; i < NUMBERS; i++)
        assert_int_equal(at_ms[i], 0);
    assert_null(due_free(due));
}

static void test_rng__same_seed__same_numbers_and_other_peers_others(void **state)
{
    (void)state;
    struct rng a = rng_of(5, 1), b = rng_of(5, 1), c = rng_of(5, 2);
    unsigned same = 0;
    for (int i = 0; i < 100; i++) {
        uint64_t drawn = rng_next(&a);
        assert_int_equal(drawn, rng_next(&b));
        same += drawn == rng_next(&c);
    }
    assert_int_equal(same, 0);
    for (int i = 0; i < 1000; i++) {
        int64_t drawn = rng_between(&a, -3, 3);
        assert_true(drawn >= -3 && drawn <= 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_due__random_settings__come_out_in_order),
        cmocka_unit_test(test_rng__same_seed__same_numbers_and_other_peers_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
