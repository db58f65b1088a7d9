#include "op_asks.h"

#include <string.h>

static void test_op_result__answered__once(void **state)
{
    struct fleet *f = *state;
    char id[HC_ID_SIZE];
    fleet_body(f, "b1", "north");
    fleet_body(f, "b2", "north");
    memcpy(id, ask_op(f, "b1", OP_SUBMIT_PIN, false)->id, sizeof id);
    assert_int_equal(answer_op(f, "b2", id, false, OP_VERDICT_TRUE)->deny, DENY_NOT_FOUND);
    const struct core_result *r = answer_op(f, "b1", id, false, OP_VERDICT_TRUE);
    assert_int_equal(r->answer, ANSWER_DONE);
    assert_int_equal(fleet_notes(r, NOTE_OP_FINISHED), 1);
    assert_int_equal(fleet_op(f, id)->state, OP_DONE);
    assert_string_equal(fleet_op(f, id)->output->bytes, "{\"status\":true}");
    assert_string_equal(fleet_op(f, id)->pin, "");
    assert_int_equal(answer_op(f, "b1", id, true, OP_VERDICT_NONE)->deny, DENY_OP_FINISHED);
    assert_int_equal(fleet_op(f, id)->state, OP_DONE);
}

static void test_op_result__after_its_time__is_finished_whether_or_not_a_tick_said_so(void **state)
{
    struct fleet *f = *state;
    char id[HC_ID_SIZE];
    fleet_body(f, "b1", "north");
    memcpy(id, ask_op(f, "b1", OP_RESTART, false)->id, sizeof id);
    f->now.ms += f->config.timers.op_ttl_ms;
    assert_int_equal(answer_op(f, "b1", id, false, OP_VERDICT_TRUE)->deny, DENY_OP_FINISHED);
    assert_int_equal(fleet_op(f, id)->state, OP_EXPIRED);
    assert_int_equal(answer_op(f, "b1", id, false, OP_VERDICT_TRUE)->deny, DENY_OP_FINISHED);
}

static void test_op_result__failed__keeps_the_error(void **state)
{
    struct fleet *f = *state;
    char id[HC_ID_SIZE];
    fleet_body(f, "b1", "north");
    memcpy(id, ask_op(f, "b1", OP_RESTART, false)->id, sizeof id);
    assert_int_equal(answer_op(f, "b1", id, true, OP_VERDICT_NONE)->answer, ANSWER_DONE);
    assert_int_equal(fleet_op(f, id)->state, OP_FAILED);
    assert_string_equal(fleet_op(f, id)->error, "no answer");
}

static void test_op_result__store_down__is_not_taken(void **state)
{
    struct fleet *f = *state;
    char id[HC_ID_SIZE];
    fleet_body(f, "b1", "north");
    memcpy(id, ask_op(f, "b1", OP_RESTART, false)->id, sizeof id);
    f->store_down = true;
    assert_int_equal(answer_op(f, "b1", id, false, OP_VERDICT_TRUE)->deny, DENY_STORE);
    assert_int_equal(fleet_op(f, id)->state, OP_PENDING);
}

static void test_op_result__of_a_pin__keeps_no_word_of_the_agent(void **state)
{
    struct fleet *f = *state;
    char id[HC_ID_SIZE];
    static const char raw[] = "{\"raw\":\"PIN 4711 refused\"}";
    fleet_body(f, "b1", "north");
    memcpy(id, ask_op(f, "b1", OP_SUBMIT_PIN, false)->id, sizeof id);
    struct core_event ev = fleet_event(f, CORE_OP_RESULT, CALLER_NODE, "b1");
    ev.u.op_result = (struct op_result_req){ .node_id = "b1", .op_id = id, .failed = true, .output = raw, .output_len = sizeof raw - 1,
                                             .error = "PIN 4711 refused" };
    assert_int_equal(fleet_step(f, &ev)->answer, ANSWER_DONE);
    assert_null(fleet_op(f, id)->output);
    assert_string_equal(fleet_op(f, id)->error, "the agent could not hand in the PIN");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLEET_TEST(test_op_result__answered__once),
        FLEET_TEST(test_op_result__after_its_time__is_finished_whether_or_not_a_tick_said_so),
        FLEET_TEST(test_op_result__failed__keeps_the_error),
        FLEET_TEST(test_op_result__store_down__is_not_taken),
        FLEET_TEST(test_op_result__of_a_pin__keeps_no_word_of_the_agent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
