#include "op_asks.h"

#include <string.h>

static void test_op_next__several__oldest_first_each_once_and_again_after_a_while(void **state)
{
    struct fleet *f = *state;
    char first[HC_ID_SIZE], second[HC_ID_SIZE];
    fleet_body(f, "b1", "north");
    memcpy(first, ask_op(f, "b1", OP_UNPAIR, false)->id, sizeof first);
    f->now.ms += 5;
    memcpy(second, ask_op(f, "b1", OP_RESTART, true)->id, sizeof second);
    const struct core_result *r = poll_op(f, "b1");
    assert_string_equal(r->op.id, first);
    assert_string_equal(r->op.uuid, "u1");
    r = poll_op(f, "b1");
    assert_string_equal(r->op.id, second);
    assert_true(r->op.force);
    assert_false(poll_op(f, "b1")->has_op);
    f->now.ms += 10 * HC_SECOND_MS;
    assert_string_equal(poll_op(f, "b1")->op.id, first);       /* unanswered: it may have been lost on the way */
}

static void test_op_next__another_node__is_given_nothing(void **state)
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    fleet_body(f, "b2", "north");
    (void)ask_op(f, "b1", OP_RESTART, false);
    assert_false(poll_op(f, "b2")->has_op);
    assert_true(poll_op(f, "b1")->has_op);
}

static void test_op_next__a_session_began_meanwhile__it_fails_instead(void **state)
{
    struct fleet *f = *state;
    char id[HC_ID_SIZE], lease[HC_ID_SIZE];
    fleet_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadflatscreen");
    (void)fleet_report(f, "b1");
    memcpy(id, ask_op(f, "b1", OP_CLOSE_APP, false)->id, sizeof id);
    memcpy(lease, fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->lease.id, sizeof lease);
    fleet_session(f, "b1", 0, SESSION_STREAMING, lease, "l1");
    (void)fleet_report(f, "b1");
    assert_false(poll_op(f, "b1")->has_op);
    assert_int_equal(fleet_op(f, id)->state, OP_FAILED);
    assert_string_equal(fleet_op(f, id)->error, "session_live");
}

static void test_op_next__run_out__is_not_given(void **state)
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    (void)ask_op(f, "b1", OP_RESTART, false);
    f->now.ms += f->config.timers.op_ttl_ms;
    assert_false(poll_op(f, "b1")->has_op);
}

static void test_op_next__a_pin__goes_before_what_is_older(void **state)
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    (void)ask_op(f, "b1", OP_LIST_CLIENTS, false);
    f->now.ms += 5;
    (void)ask_op(f, "b1", OP_SUBMIT_PIN, false);
    assert_int_equal(poll_op(f, "b1")->op.op, OP_SUBMIT_PIN);
    assert_int_equal(poll_op(f, "b1")->op.op, OP_LIST_CLIENTS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLEET_TEST(test_op_next__several__oldest_first_each_once_and_again_after_a_while),
        FLEET_TEST(test_op_next__another_node__is_given_nothing),
        FLEET_TEST(test_op_next__a_session_began_meanwhile__it_fails_instead),
        FLEET_TEST(test_op_next__run_out__is_not_given),
        FLEET_TEST(test_op_next__a_pin__goes_before_what_is_older),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
