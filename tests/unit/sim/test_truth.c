#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "../../../src/sim/truth.h"

#define LEGACY false
#define TOLD   true

static int make(void **state)
{
    struct truth *truth;
    assert_int_equal(truth_new(3, 8, &truth), HC_OK);
    *state = truth;
    return 0;
}

static int drop(void **state)
{
    *state = truth_free(*state);
    return 0;
}

static bool holds(struct truth *truth, size_t head, bool can_be_told, int64_t until_ms, int64_t now_ms)
{
    const struct truth_hold hold = { .head = head, .body = 1, .slot = 0, .until_ms = until_ms, .can_be_told = can_be_told };
    struct truth_conflict conflict;
    return truth_holds(truth, &hold, now_ms, &conflict);
}

static void test_truth__two_pictures_from_one_slot__conflict_with_names(void **state)
{
    struct truth_conflict conflict = { 0 };
    assert_false(truth_sees(*state, 2, 1, 3, 10, &conflict));
    assert_true(truth_sees(*state, 5, 1, 3, 20, &conflict));
    assert_int_equal(conflict.kind, TRUTH_TWO_PICTURES);
    assert_int_equal(conflict.head, 5);
    assert_int_equal(conflict.other, 2);
    assert_int_equal(conflict.body, 1);
    assert_int_equal(conflict.slot, 3);
    assert_int_equal(truth_conflicts(*state), 1);
    assert_int_equal(truth_viewer(*state, 1, 3, 1), 5);
}

static void test_truth__one_after_the_other__no_conflict(void **state)
{
    struct truth_conflict conflict;
    assert_false(truth_sees(*state, 2, 1, 0, 10, &conflict));
    truth_dark(*state, 2);
    assert_false(truth_sees(*state, 5, 1, 0, 20, &conflict));
    assert_false(truth_sees(*state, 2, 1, 1, 20, &conflict));
    assert_int_equal(truth_pictures(*state), 2);
    assert_int_equal(truth_conflicts(*state), 0);
    assert_int_equal(truth_picture_of(*state, 5), 1);
}

static void test_truth__two_legacy_holders__conflict_while_the_first_is_sure(void **state)
{
    assert_false(holds(*state, 1, LEGACY, 1000, 10));
    assert_true(holds(*state, 2, LEGACY, 2000, 999));
    truth_drops(*state, 2);
    truth_drops(*state, 1);
    assert_false(holds(*state, 3, LEGACY, 1000, 10));
    assert_false(holds(*state, 4, LEGACY, 2000, 1000));
}

static void test_truth__hold_given_up__free_for_the_next(void **state)
{
    assert_false(holds(*state, 1, LEGACY, 1000, 10));
    truth_drops(*state, 1);
    assert_false(holds(*state, 2, LEGACY, 1000, 20));
    assert_int_equal(truth_conflicts(*state), 0);
}

static void test_truth__preempted_head__conflict_only_if_a_later_renewal_is_granted(void **state)
{
    struct truth_conflict conflict;
    assert_false(holds(*state, 1, TOLD, 5000, 10));
    assert_false(holds(*state, 2, LEGACY, 6000, 100));
    assert_false(truth_renewed(*state, 1, 90, 5500, &conflict));
    assert_true(truth_renewed(*state, 1, 110, 5600, &conflict));
    assert_int_equal(conflict.kind, TRUTH_TWO_HOLDERS);
    assert_int_equal(conflict.other, 1);
}

static void test_truth__held_while_another_looks__conflict_either_way(void **state)
{
    struct truth_conflict conflict;
    assert_false(truth_sees(*state, 1, 1, 0, 10, &conflict));
    assert_true(holds(*state, 2, LEGACY, 1000, 20));
    truth_drops(*state, 2);
    truth_dark(*state, 1);
    assert_false(holds(*state, 3, LEGACY, 1000, 30));
    assert_true(truth_sees(*state, 4, 1, 0, 40, &conflict));
    assert_int_equal(conflict.kind, TRUTH_HELD_WHILE_SEEN);
}

static void test_truth__more_heads_than_fit__still_told_and_counted(void **state)
{
    struct truth_conflict conflict;
    struct truth *truth = truth_free(*state);
    assert_int_equal(truth_new(1, 3 * TRUTH_HEADS_MAX, &truth), HC_OK);
    *state = truth;
    for (size_t i = 0; i < 3 * TRUTH_HEADS_MAX; i++)
        assert_int_equal(truth_sees(truth, i, 0, 0, 10, &conflict), i > 0);
    for (size_t i = 0; i < 3 * TRUTH_HEADS_MAX; i++)
        truth_dark(truth, i);
    assert_int_equal(truth_pictures(truth), 0);
    assert_int_equal(truth_viewer(truth, 0, 0, 0), TRUTH_NOBODY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_truth__two_pictures_from_one_slot__conflict_with_names, make, drop),
        cmocka_unit_test_setup_teardown(test_truth__one_after_the_other__no_conflict, make, drop),
        cmocka_unit_test_setup_teardown(test_truth__two_legacy_holders__conflict_while_the_first_is_sure, make, drop),
        cmocka_unit_test_setup_teardown(test_truth__hold_given_up__free_for_the_next, make, drop),
        cmocka_unit_test_setup_teardown(test_truth__preempted_head__conflict_only_if_a_later_renewal_is_granted, make, drop),
        cmocka_unit_test_setup_teardown(test_truth__held_while_another_looks__conflict_either_way, make, drop),
        cmocka_unit_test_setup_teardown(test_truth__more_heads_than_fit__still_told_and_counted, make, drop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
