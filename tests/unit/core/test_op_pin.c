/* A PIN that waits is good as long as the right to it. */
#include "identities.h"
#include "op_asks.h"

#include <string.h>

static void open_fleet(struct fleet *f, char ret_pair[HC_ID_SIZE], char ret_op[HC_ID_SIZE])
{
    fleet_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadflatscreen");
    (void)fleet_report(f, "b1");
    (void)ask_register(f, "h1", "a");
    memcpy(ret_pair, ask_pair(f, "h1", "b1", 0)->pair.id, HC_ID_SIZE);
    memcpy(ret_op, ask_pin(f, "h1", "b1")->id, HC_ID_SIZE);
    assert_int_equal(fleet_op(f, ret_op)->state, OP_PENDING);
}

static void expect_over(struct fleet *f, const char *op_id)
{
    assert_int_equal(fleet_op(f, op_id)->state, OP_FAILED);
    assert_string_equal(fleet_op(f, op_id)->pin, "");
    assert_false(poll_op(f, "b1")->has_op);
}

static void delete_node(struct fleet *f, const char *node_id)
{
    struct core_event ev = fleet_event(f, CORE_NODE_DELETE, CALLER_ADMIN, "");
    ev.u.node_delete = (struct node_delete_req){ node_id, true };
    assert_int_equal(fleet_step(f, &ev)->answer, ANSWER_DONE);
}

static void test_pin__identity_revoked__ends_with_the_pair_lease(void **state)
{
    struct fleet *f = *state;
    char pair[HC_ID_SIZE], op[HC_ID_SIZE];
    open_fleet(f, pair, op);
    (void)ask_identity_revoke(f, "h1");
    assert_string_equal(alloc_body(f->alloc, "b1")->slots[0].pair.id, "");
    expect_over(f, op);
}

static void test_pin__head_denied__ends_with_the_pair_lease(void **state)
{
    struct fleet *f = *state;
    char pair[HC_ID_SIZE], op[HC_ID_SIZE];
    open_fleet(f, pair, op);
    struct core_event ev = fleet_event(f, CORE_NODE_UPDATE, CALLER_ADMIN, "");
    ev.u.node_update = (struct node_update_req){ .node_id = "h1", .set_approval = true, .approval = APPROVAL_DENIED };
    (void)fleet_step(f, &ev);
    assert_string_equal(alloc_body(f->alloc, "b1")->slots[0].pair.id, "");
    expect_over(f, op);
}

static void test_pin__head_deleted__ends_with_the_pair_lease(void **state)
{
    struct fleet *f = *state;
    char pair[HC_ID_SIZE], op[HC_ID_SIZE];
    open_fleet(f, pair, op);
    delete_node(f, "h1");
    assert_string_equal(alloc_body(f->alloc, "b1")->slots[0].pair.id, "");
    expect_over(f, op);
}

static void test_pin__pair_lease_given_back__ends(void **state)
{
    struct fleet *f = *state;
    char pair[HC_ID_SIZE], op[HC_ID_SIZE];
    open_fleet(f, pair, op);
    (void)leave_pair(f, "h1", pair);
    expect_over(f, op);
}

static void test_pin__hold_is_released__ends(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], op[HC_ID_SIZE];
    fleet_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadflatscreen");
    (void)fleet_report(f, "b1");
    memcpy(lease, fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->lease.id, sizeof lease);
    memcpy(op, ask_pin(f, "h1", "b1")->id, sizeof op);
    struct core_event ev = fleet_event(f, CORE_LEASE_END, CALLER_ADMIN, "");
    ev.u.lease_end = (struct lease_end_req){ .lease_id = lease, .revoke = true };
    assert_int_equal(fleet_step(f, &ev)->answer, ANSWER_DONE);
    expect_over(f, op);
}

/* No tick has said so yet. */
static void test_pin__pair_lease_ran_out__is_not_given(void **state)
{
    struct fleet *f = *state;
    char pair[HC_ID_SIZE], op[HC_ID_SIZE];
    open_fleet(f, pair, op);
    f->now.ms += f->config.timers.pair_lease_ttl_ms - 1;
    (void)fleet_tick(f);
    (void)answer_op(f, "b1", op, true, OP_VERDICT_NONE);
    memcpy(op, ask_pin(f, "h1", "b1")->id, sizeof op);
    assert_int_equal(fleet_op(f, op)->state, OP_PENDING);
    f->now.ms += 1;
    assert_int_not_equal(poll_op(f, "b1")->op.op, OP_SUBMIT_PIN);
    assert_int_equal(fleet_op(f, op)->state, OP_FAILED);
}

/* Sunshine may have it: what it says is the truth, and no other PIN goes there meanwhile. */
static void test_pin__given_already__is_the_agents_to_answer(void **state)
{
    struct fleet *f = *state;
    char pair[HC_ID_SIZE], op[HC_ID_SIZE];
    open_fleet(f, pair, op);
    assert_true(poll_op(f, "b1")->has_op);
    (void)leave_pair(f, "h1", pair);
    assert_int_equal(fleet_op(f, op)->state, OP_PENDING);
    assert_int_equal(ask_op(f, "b1", OP_SUBMIT_PIN, false)->deny, DENY_PAIR_CONTENTION);
    f->now.ms += 10 * HC_SECOND_MS;
    assert_false(poll_op(f, "b1")->has_op);            /* it is not given twice */
    assert_int_equal(fleet_op(f, op)->state, OP_FAILED);
}

static void test_pin__daemon_stops_or_starts__is_dropped_and_an_admins_is_not(void **state)
{
    struct fleet *f = *state;
    char pair[HC_ID_SIZE], op[HC_ID_SIZE];
    open_fleet(f, pair, op);
    struct core_event ev = fleet_event(f, CORE_STOP, CALLER_SYSTEM, "");
    (void)fleet_step(f, &ev);
    assert_int_equal(fleet_op(f, op)->state, OP_FAILED);
    memcpy(op, ask_pin(f, "h1", "b1")->id, sizeof op);
    ev = fleet_event(f, CORE_START, CALLER_SYSTEM, "");
    ev.u.start = (struct start_req){ .saved_at = f->now };
    (void)fleet_step(f, &ev);
    assert_int_equal(fleet_op(f, op)->state, OP_FAILED);
    memcpy(op, ask_op(f, "b1", OP_SUBMIT_PIN, false)->id, sizeof op);
    (void)fleet_step(f, &ev);
    assert_int_equal(fleet_op(f, op)->state, OP_PENDING);
}

static void test_pin__somebody_pairs__the_custodian_waits(void **state)
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadflatscreen");
    (void)fleet_report(f, "b1");
    (void)poll_op(f, "b1");
    (void)fleet_tick(f);
    char list[HC_ID_SIZE], pair[HC_ID_SIZE];
    HC_SET(list, given_op(f, "b1", OP_LIST_CLIENTS));
    (void)answer_list(f, "b1", list, 0, 101);
    memcpy(pair, ask_pair(f, "h1", "b1", 0)->pair.id, sizeof pair);
    assert_false(poll_op(f, "b1")->has_op);
    (void)leave_pair(f, "h1", pair);
    assert_string_not_equal(given_op(f, "b1", OP_UNPAIR), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLEET_TEST(test_pin__identity_revoked__ends_with_the_pair_lease),
        FLEET_TEST(test_pin__head_denied__ends_with_the_pair_lease),
        FLEET_TEST(test_pin__head_deleted__ends_with_the_pair_lease),
        FLEET_TEST(test_pin__pair_lease_given_back__ends),
        FLEET_TEST(test_pin__hold_is_released__ends),
        FLEET_TEST(test_pin__pair_lease_ran_out__is_not_given),
        FLEET_TEST(test_pin__given_already__is_the_agents_to_answer),
        FLEET_TEST(test_pin__daemon_stops_or_starts__is_dropped_and_an_admins_is_not),
        FLEET_TEST(test_pin__somebody_pairs__the_custodian_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
