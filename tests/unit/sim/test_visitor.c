#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "../../../src/sim/visitor.h"

#define MINUTE_MS ((int64_t)60000)

/* Looks every second until the visitor wishes something other than nothing. */
static enum visitor_wish next_wish(struct visitor *visitor, enum head_phase phase, int64_t *now_ms, int64_t most_ms)
{
    for (int64_t end = *now_ms + most_ms; *now_ms < end; *now_ms += VISITOR_LOOKS_MS) {
        enum visitor_wish wish = visitor_step(visitor, phase, *now_ms);
        if (wish != VISITOR_NOTHING)
            return wish;
    }
    return VISITOR_NOTHING;
}

static void test_visitor__picture__stays_a_while_and_goes(void **state)
{
    (void)state;
    struct visitor visitor;
    int64_t now_ms = 1000;
    visitor_init(&visitor, rng_of(1, 1), now_ms);
    assert_int_equal(next_wish(&visitor, HEAD_IDLE, &now_ms, 2 * MINUTE_MS), VISITOR_ASKS);
    int64_t began_ms = now_ms;
    assert_int_equal(next_wish(&visitor, HEAD_STREAMING, &now_ms, 3 * MINUTE_MS), VISITOR_LEAVES);
    assert_true(now_ms - began_ms >= 20000);
    assert_int_equal(next_wish(&visitor, HEAD_IDLE, &now_ms, 2 * MINUTE_MS), VISITOR_ASKS);
}

static void test_visitor__error_screen__taps_a_few_times_then_goes(void **state)
{
    (void)state;
    struct visitor visitor;
    int64_t now_ms = 1000;
    visitor_init(&visitor, rng_of(1, 1), now_ms);
    assert_int_equal(next_wish(&visitor, HEAD_IDLE, &now_ms, 2 * MINUTE_MS), VISITOR_ASKS);
    unsigned taps = 0;
    enum visitor_wish wish;
    while ((wish = next_wish(&visitor, HEAD_ERROR, &now_ms, 5 * MINUTE_MS)) == VISITOR_ASKS)
        assert_true(++taps <= 4);
    assert_int_equal(wish, VISITOR_LEAVES);
    assert_true(taps > 0);
}

static void test_visitor__never_served__loses_patience(void **state)
{
    (void)state;
    struct visitor visitor;
    int64_t now_ms = 1000;
    visitor_init(&visitor, rng_of(1, 1), now_ms);
    assert_int_equal(next_wish(&visitor, HEAD_IDLE, &now_ms, 2 * MINUTE_MS), VISITOR_ASKS);
    assert_int_equal(next_wish(&visitor, HEAD_WAITING, &now_ms, 5 * MINUTE_MS), VISITOR_LEAVES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_visitor__picture__stays_a_while_and_goes),
        cmocka_unit_test(test_visitor__error_screen__taps_a_few_times_then_goes),
        cmocka_unit_test(test_visitor__never_served__loses_patience),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
