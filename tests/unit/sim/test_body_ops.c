#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../../../src/sim/body.h"

static struct body body;
static struct body_acts acts;
static unsigned counts[BODY_ACTS];
static int64_t now_ms;

static void step(struct body_event event)
{
    body_step(&body, &event, now_ms, &acts);
    for (size_t i = 0; i < acts.count; i++)
        counts[acts.list[i].type]++;
}

static void pass(int64_t ms)
{
    for (int64_t end = now_ms + ms; now_ms < end; now_ms += 100) {
        unsigned steps = 0;
        while (body_next(&body) != 0 && body_next(&body) <= now_ms) {
            step((struct body_event){ .type = BODY_TIMER });
            assert_true(++steps < 50);           /* a timer that is due for ever would spin the fleet */
        }
    }
}

static void make(bool modern)
{
    body_free(&body);
    now_ms = 1000;
    for (size_t i = 0; i < BODY_ACTS; i++)
        counts[i] = 0;
    body_init(&body, "b1", modern, 1, now_ms);
    pass(100);
}

static void answered(const struct body_op *op, bool heard)
{
    step((struct body_event){ .type = BODY_OPS_ANSWERED, .op = op, .heard = heard, .agent = body.agents });
}

static void told(void)
{
    step((struct body_event){ .type = BODY_OP_TOLD, .agent = body.agents });
}

/* What the agent says of an operation that it is given now. */
static const struct body_op_end *given(const char *op_id, enum operation op, struct operation_args args)
{
    struct body_op asked = { .op = op, .args = args };
    unsigned before = counts[BODY_ACT_OP_RESULT];
    HC_SET(asked.op_id, op_id);
    answered(&asked, true);
    assert_int_equal(counts[BODY_ACT_OP_RESULT], before + 1);
    assert_string_equal(body.op_end.op_id, op_id);
    assert_int_equal(body.op_end.op, op);
    told();
    return &body.op_end;
}

static void pair(const char *uuid)
{
    step((struct body_event){ .type = BODY_PAIRED, .launch = { .client_uuid = uuid, .client_name = "roth" } });
}

static void stream(const char *lease_id)
{
    pair("u1");
    step((struct body_event){ .type = BODY_LAUNCH, .launch = { .head = 1, .app = "talk", .client_uuid = "u1", .client_name = "roth" } });
    pass(3000);
    assert_true(body_streams(&body));
    HC_SET(body.sessions[0].lease_id, lease_id);
}

static const struct operation_args none;

static void test_body_ops__modern_agent__one_poll_at_a_time_a_legacy_one_none(void **state)
{
    (void)state;
    make(false);
    pass(60000);
    assert_int_equal(counts[BODY_ACT_OPS_POLL], 0);
    make(true);
    assert_int_equal(counts[BODY_ACT_OPS_POLL], 1);
    pass(60000);
    assert_int_equal(counts[BODY_ACT_OPS_POLL], 1);
    answered(NULL, true);
    assert_int_equal(counts[BODY_ACT_OPS_POLL], 2);
}

static void test_body_ops__poll_not_heard__asks_again_after_a_while(void **state)
{
    (void)state;
    make(true);
    answered(NULL, false);
    assert_int_equal(counts[BODY_ACT_OPS_POLL], 1);
    pass(5000);
    assert_int_equal(counts[BODY_ACT_OPS_POLL], 2);
}

static void test_body_ops__unpair__says_whether_the_client_was_there(void **state)
{
    (void)state;
    make(true);
    pair("u1");
    assert_true(given("op-1", OPERATION_LIST_CLIENTS, none)->status);
    assert_true(given("op-2", OPERATION_UNPAIR, (struct operation_args){ .uuid = "u1" })->status);
    assert_null(store_find(&body.trust, "u1"));
    assert_false(given("op-3", OPERATION_UNPAIR, (struct operation_args){ .uuid = "u1" })->status);
    assert_int_equal(counts[BODY_ACT_OPS_POLL], 4);
}

static void test_body_ops__given_twice__done_once_and_told_twice(void **state)
{
    (void)state;
    make(true);
    pair("u1");
    assert_true(given("op-1", OPERATION_UNPAIR, (struct operation_args){ .uuid = "u1" })->status);
    pair("u1");
    assert_true(given("op-1", OPERATION_UNPAIR, (struct operation_args){ .uuid = "u1" })->status);
    assert_non_null(store_find(&body.trust, "u1"));
}

static void test_body_ops__pin__true_only_for_a_handshake_that_waits(void **state)
{
    (void)state;
    const struct operation_args pin = { .pin = "1234", .name = "hydra-node-1" };
    make(true);
    assert_false(given("op-1", OPERATION_SUBMIT_PIN, pin)->status);
    step((struct body_event){ .type = BODY_HANDSHAKE, .launch = { .client_uuid = "u1", .client_name = "roth" } });
    assert_true(given("op-2", OPERATION_SUBMIT_PIN, pin)->status);
    assert_null(store_find(&body.trust, "u1"));
    pair("u1");
    assert_string_equal(store_find(&body.trust, "u1")->name, "hydra-node-1");
    step((struct body_event){ .type = BODY_HANDSHAKE, .launch = { .client_uuid = "u1", .client_name = "roth" } });
    assert_false(given("op-3", OPERATION_SUBMIT_PIN, pin)->status);      /* who is paired needs none */
}

static void test_body_ops__leased_session__lives_on_unless_forced(void **state)
{
    (void)state;
    static const enum operation ends[] = { OPERATION_CLOSE_APP, OPERATION_RESTART };
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        make(true);
        stream("lease-1");
        const struct body_op_end *end = given("op-1", ends[i], none);
        assert_true(end->failed);
        assert_string_equal(end->error, "session_live");
        assert_int_equal(counts[BODY_ACT_DARK], 0);
        assert_true(given("op-2", ends[i], (struct operation_args){ .force = true })->status);
        assert_int_equal(counts[BODY_ACT_DARK], 1);
        pass(1000);
        assert_int_equal(body.session_count, 0);
    }
}

static void test_body_ops__session_without_a_lease__is_closed(void **state)
{
    (void)state;
    make(true);
    stream("");
    assert_true(given("op-1", OPERATION_CLOSE_APP, none)->status);
    assert_int_equal(counts[BODY_ACT_DARK], 1);
}

static void test_body_ops__restart__handshakes_are_gone(void **state)
{
    (void)state;
    make(true);
    step((struct body_event){ .type = BODY_HANDSHAKE, .launch = { .client_uuid = "u1", .client_name = "roth" } });
    assert_true(given("op-1", OPERATION_RESTART, none)->status);
    assert_false(given("op-2", OPERATION_SUBMIT_PIN, (struct operation_args){ .pin = "1234", .name = "x" })->status);
}

static void test_body_ops__body_reboots__answers_to_the_old_agent_do_nothing_and_the_new_one_polls(void **state)
{
    (void)state;
    make(true);
    pair("u1");
    uint32_t old = body.agents;
    step((struct body_event){ .type = BODY_REBOOT, .down_ms = 20000 });
    pass(25000);
    assert_int_equal(counts[BODY_ACT_OPS_POLL], 1);      /* the old call has not come back yet */
    const struct body_op op = { .op_id = "op-1", .op = OPERATION_UNPAIR, .args = { .uuid = "u1" } };
    step((struct body_event){ .type = BODY_OPS_ANSWERED, .op = &op, .heard = true, .agent = old });
    assert_non_null(store_find(&body.trust, "u1"));
    assert_int_equal(counts[BODY_ACT_OP_RESULT], 0);
    pass(5000);
    assert_int_equal(counts[BODY_ACT_OPS_POLL], 2);
    assert_true(given("op-1", OPERATION_UNPAIR, (struct operation_args){ .uuid = "u1" })->status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_body_ops__modern_agent__one_poll_at_a_time_a_legacy_one_none),
        cmocka_unit_test(test_body_ops__poll_not_heard__asks_again_after_a_while),
        cmocka_unit_test(test_body_ops__unpair__says_whether_the_client_was_there),
        cmocka_unit_test(test_body_ops__given_twice__done_once_and_told_twice),
        cmocka_unit_test(test_body_ops__pin__true_only_for_a_handshake_that_waits),
        cmocka_unit_test(test_body_ops__leased_session__lives_on_unless_forced),
        cmocka_unit_test(test_body_ops__session_without_a_lease__is_closed),
        cmocka_unit_test(test_body_ops__restart__handshakes_are_gone),
        cmocka_unit_test(test_body_ops__body_reboots__answers_to_the_old_agent_do_nothing_and_the_new_one_polls),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    body_free(&body);
    return failed;
}
