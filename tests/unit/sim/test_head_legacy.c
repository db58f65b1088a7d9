#include "head_rig.h"

static void stream(struct head_rig *rig, enum head_kind kind)
{
    rig_make(rig, kind);
    rig_ask(rig);
    rig_give_body(rig);
    rig_until(rig, HEAD_LAUNCHING, 100000);
    rig_event(rig, HEAD_LAUNCHED);
    assert_int_equal(rig->head.phase, HEAD_STREAMING);
}

static void test_head_legacy__body_in_the_answer__pairs_launches_streams_leaves(void **state)
{
    (void)state;
    static const enum head_kind kinds[] = { HEAD_IPAD, HEAD_GO, HEAD_QUEST };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct head_rig rig;
        stream(&rig, kinds[i]);
        assert_int_equal(rig.holds, 1);
        assert_int_equal(rig.launches, 1);
        assert_true(rig.handshakes == 1 && rig.pairings == 1);
        assert_string_equal(rig.paired_with, "b1");
        rig_pass(&rig, 100);
        assert_string_equal(rig_last(&rig, HEAD_BEAT)->status, "streaming");
        assert_string_equal(rig_last(&rig, HEAD_BEAT)->body_id, "b1");
        rig_event(&rig, HEAD_LEAVE);
        assert_int_equal(rig.closes, 1);
        assert_string_equal(rig_last(&rig, HEAD_STOP)->body_id, "b1");
        rig_answer(&rig, HEAD_STOP, 204, "");
        assert_int_equal(rig.head.phase, HEAD_IDLE);
    }
}

static void test_head_legacy__denied__ipad_and_quest_show_an_error_until_tapped(void **state)
{
    (void)state;
    static const enum head_kind kinds[] = { HEAD_IPAD, HEAD_QUEST };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct head_rig rig;
        rig_make(&rig, kinds[i]);
        rig_ask(&rig);
        rig_answer(&rig, HEAD_READ, 409, "no_slot_available");
        assert_int_equal(rig.head.phase, HEAD_ERROR);
        rig_pass(&rig, 120000);
        assert_int_equal(rig_count(&rig, HEAD_READ), 1);
        assert_string_equal(rig_last(&rig, HEAD_BEAT)->status, "error");
        rig_ask(&rig);
        assert_int_equal(rig_count(&rig, HEAD_READ), 2);
    }
}

static void test_head_legacy__pairing_fails__go_reads_again_on_its_tick(void **state)
{
    (void)state;
    struct head_rig rig;
    rig_make(&rig, HEAD_GO);
    rig.head.cannot_pair = true;
    rig_ask(&rig);
    rig_give_body(&rig);
    rig_until(&rig, HEAD_WAITING, 20000);
    assert_true(rig.drops == 1 && rig.handshakes == 1 && rig.pairings == 0);
    int64_t failed_ms = rig.now_ms;
    rig_until(&rig, HEAD_ASKING, 40000);
    assert_true(rig.now_ms - failed_ms >= 29000);
    assert_int_equal(rig_count(&rig, HEAD_READ), 2);
}

static void test_head_legacy__quest_pairs__is_silent_until_the_picture(void **state)
{
    (void)state;
    struct head_rig rig;
    rig_make(&rig, HEAD_QUEST);
    rig_pass(&rig, 31000);
    size_t before = rig_count(&rig, HEAD_BEAT);
    assert_true(before > 0);
    rig.head.cannot_pair = true;
    rig_ask(&rig);
    rig_give_body(&rig);
    rig_until(&rig, HEAD_ERROR, 100000);
    assert_int_equal(rig.head.pair_tries, 2);
    rig_pass(&rig, 100);
    assert_int_equal(rig_count(&rig, HEAD_BEAT), before + 1);
    assert_string_equal(rig_last(&rig, HEAD_BEAT)->status, "error");
}

static void test_head_legacy__heartbeat_heard__hold_is_sure_for_longer(void **state)
{
    (void)state;
    struct head_rig rig;
    rig_make(&rig, HEAD_IPAD);
    rig_ask(&rig);
    rig_give_body(&rig);
    int64_t first_ms = rig.last_until_ms;
    rig_pass(&rig, 1000);
    assert_true(rig.renewals > 0 && rig.last_until_ms >= first_ms);
}

static void test_head_legacy__leaves_while_asking__stops_when_the_answer_is_there(void **state)
{
    (void)state;
    struct head_rig rig;
    rig_make(&rig, HEAD_IPAD);
    rig_ask(&rig);
    rig_event(&rig, HEAD_LEAVE);
    assert_null(rig_last(&rig, HEAD_STOP));
    rig_give_body(&rig);
    assert_non_null(rig_last(&rig, HEAD_STOP));
    assert_int_equal(rig.holds, 0);
    assert_int_equal(rig.head.phase, HEAD_IDLE);
}

static void test_head_legacy__stop_is_not_heard__told_again_and_the_next_visit_waits(void **state)
{
    (void)state;
    struct head_rig rig;
    stream(&rig, HEAD_IPAD);
    rig_event(&rig, HEAD_LEAVE);
    rig_ask(&rig);
    assert_int_equal(rig_count(&rig, HEAD_READ), 1);
    rig_answer(&rig, HEAD_STOP, 0, "");
    rig_pass(&rig, 3000);
    assert_int_equal(rig_count(&rig, HEAD_STOP), 2);
    rig_answer(&rig, HEAD_STOP, 204, "");
    assert_int_equal(rig_count(&rig, HEAD_READ), 2);
    assert_int_equal(rig.head.phase, HEAD_ASKING);
}

static void test_head_legacy__picture_lost__ipad_tells_and_shows_an_error(void **state)
{
    (void)state;
    struct head_rig rig;
    stream(&rig, HEAD_IPAD);
    rig_event(&rig, HEAD_LOST);
    assert_string_equal(rig_last(&rig, HEAD_STOP)->body_id, "b1");
    assert_int_equal(rig.head.phase, HEAD_ERROR);
}

static void test_head_legacy__switched_off__says_nothing_until_it_returns(void **state)
{
    (void)state;
    struct head_rig rig;
    stream(&rig, HEAD_IPAD);
    rig_event(&rig, HEAD_VANISH);
    size_t before = rig.call_count;
    assert_int_equal(head_next(&rig.head), 0);
    rig_pass(&rig, 60000);
    assert_int_equal(rig.call_count, before);
    rig_event(&rig, HEAD_RETURN);
    rig_pass(&rig, 100);
    assert_string_equal(rig_last(&rig, HEAD_BEAT)->status, "idle");
}

static void test_head_legacy__answer_of_an_older_try__ignored(void **state)
{
    (void)state;
    struct head_rig rig;
    rig_make(&rig, HEAD_GO);
    rig_ask(&rig);
    struct head_answer late = { .call = HEAD_READ, .status = 200, .has_body = true, .body_id = "b1", .round = rig.head.round - 1 };
    const struct head_event event = { .type = HEAD_ANSWERED, .answer = &late };
    head_step(&rig.head, &event, rig.now_ms, &rig.acts);
    assert_int_equal(rig.head.phase, HEAD_ASKING);
    assert_int_equal(rig.acts.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_head_legacy__body_in_the_answer__pairs_launches_streams_leaves),
        cmocka_unit_test(test_head_legacy__denied__ipad_and_quest_show_an_error_until_tapped),
        cmocka_unit_test(test_head_legacy__pairing_fails__go_reads_again_on_its_tick),
        cmocka_unit_test(test_head_legacy__quest_pairs__is_silent_until_the_picture),
        cmocka_unit_test(test_head_legacy__heartbeat_heard__hold_is_sure_for_longer),
        cmocka_unit_test(test_head_legacy__leaves_while_asking__stops_when_the_answer_is_there),
        cmocka_unit_test(test_head_legacy__stop_is_not_heard__told_again_and_the_next_visit_waits),
        cmocka_unit_test(test_head_legacy__picture_lost__ipad_tells_and_shows_an_error),
        cmocka_unit_test(test_head_legacy__switched_off__says_nothing_until_it_returns),
        cmocka_unit_test(test_head_legacy__answer_of_an_older_try__ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
