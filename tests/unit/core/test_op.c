#include "op_asks.h"

#include <string.h>

static void asked(struct fleet *f, enum op_kind op, char ret_id[HC_ID_SIZE])
{
    const struct core_result *r = ask_op(f, "b1", op, false);
    assert_int_equal(r->answer, ANSWER_OP);
    memcpy(ret_id, r->id, HC_ID_SIZE);
}

static void test_op__nobody_answers__is_expired_at_its_time_and_forgets_the_pin(void **state)
{
    struct fleet *f = *state;
    char id[HC_ID_SIZE];
    fleet_body(f, "b1", "north");
    asked(f, OP_SUBMIT_PIN, id);
    assert_string_equal(fleet_op(f, id)->pin, "4711");
    f->now.ms += f->config.timers.op_ttl_ms - 1;
    (void)fleet_tick(f);
    assert_int_equal(fleet_op(f, id)->state, OP_PENDING);
    f->now.ms += 1;
    const struct core_result *r = fleet_tick(f);
    assert_int_equal(fleet_notes(r, NOTE_OP_FINISHED), 1);
    assert_int_equal(fleet_op(f, id)->state, OP_EXPIRED);
    assert_string_equal(fleet_op(f, id)->pin, "");
}

static void test_op__finished__is_remembered_ten_minutes_and_sixteen_of_a_node(void **state)
{
    struct fleet *f = *state;
    char first[HC_ID_SIZE], id[HC_ID_SIZE];
    fleet_body(f, "b1", "north");
    for (unsigned i = 0; i < 17; i++) {
        asked(f, OP_LIST_CLIENTS, id);
        if (i == 0)
            memcpy(first, id, sizeof first);
        f->now.ms += 10;
        (void)answer_op(f, "b1", id, false, OP_VERDICT_TRUE);
    }
    (void)fleet_tick(f);
    assert_null(alloc_op(f->alloc, first));
    assert_int_equal(alloc_count(f->alloc, REC_OP), 16);
    f->now.ms += 10 * HC_MINUTE_MS;
    (void)fleet_tick(f);
    assert_int_equal(alloc_count(f->alloc, REC_OP), 0);
}

static void test_op__our_outage__does_not_use_its_time_up(void **state)
{
    struct fleet *f = *state;
    char id[HC_ID_SIZE];
    fleet_body(f, "b1", "north");
    asked(f, OP_RESTART, id);
    f->now.ms += 3600000;
    struct core_event ev = fleet_event(f, CORE_START, CALLER_SYSTEM, "");
    ev.u.start = (struct start_req){ .outage_ms = 3600000, .saved_at = { f->now.ms - 3600000 } };
    (void)fleet_step(f, &ev);
    (void)fleet_tick(f);
    assert_int_equal(fleet_op(f, id)->state, OP_PENDING);
    f->now.ms += f->config.timers.op_ttl_ms;
    (void)fleet_tick(f);
    assert_int_equal(fleet_op(f, id)->state, OP_EXPIRED);
}

static void test_op__store_down__ends_nothing(void **state)
{
    struct fleet *f = *state;
    char id[HC_ID_SIZE];
    fleet_body(f, "b1", "north");
    asked(f, OP_RESTART, id);
    f->store_down = true;
    f->now.ms += 2 * f->config.timers.op_ttl_ms;
    (void)fleet_tick(f);
    assert_int_equal(fleet_op(f, id)->state, OP_PENDING);
}

static void test_op__its_node_is_deleted__goes_with_it(void **state)
{
    struct fleet *f = *state;
    char id[HC_ID_SIZE];
    fleet_body(f, "b1", "north");
    asked(f, OP_RESTART, id);
    struct core_event ev = fleet_event(f, CORE_NODE_DELETE, CALLER_ADMIN, "");
    ev.u.node_delete = (struct node_delete_req){ "b1", true };
    (void)fleet_step(f, &ev);
    f->now.ms += f->config.timers.op_ttl_ms;
    (void)fleet_tick(f);
    (void)fleet_tick(f);
    assert_int_equal(alloc_count(f->alloc, REC_OP), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLEET_TEST(test_op__nobody_answers__is_expired_at_its_time_and_forgets_the_pin),
        FLEET_TEST(test_op__finished__is_remembered_ten_minutes_and_sixteen_of_a_node),
        FLEET_TEST(test_op__our_outage__does_not_use_its_time_up),
        FLEET_TEST(test_op__store_down__ends_nothing),
        FLEET_TEST(test_op__its_node_is_deleted__goes_with_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
