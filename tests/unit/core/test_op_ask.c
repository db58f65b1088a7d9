#include "op_asks.h"

#include <string.h>

static void streaming(struct fleet *f)
{
    char lease[HC_ID_SIZE];
    fleet_head(f, "h1", "north", "hydraheadflatscreen");
    (void)fleet_report(f, "b1");
    memcpy(lease, fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->lease.id, sizeof lease);
    fleet_session(f, "b1", 0, SESSION_STREAMING, lease, "l1");
    (void)fleet_report(f, "b1");
    assert_int_equal(fleet_live(f, "b1", 0)->state, LEASE_STREAMING);
}

static void test_op_ask__asked__is_told_with_who_asked_and_never_the_pin(void **state)
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    const struct core_result *r = ask_op(f, "b1", OP_SUBMIT_PIN, false);
    assert_int_equal(r->answer, ANSWER_OP);
    assert_memory_equal(r->id, "op-", 3);
    assert_int_equal(strlen(r->id), strlen("op-") + 16);
    assert_int_equal(fleet_notes(r, NOTE_OP_ASKED), 1);
    assert_non_null(strstr(r->notes[0].detail, "admin t1"));
    assert_null(strstr(r->notes[0].detail, "4711"));
}

static void test_op_ask__a_leased_session_is_live__close_and_restart_need_force(void **state)
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    streaming(f);
    assert_int_equal(ask_op(f, "b1", OP_CLOSE_APP, false)->deny, DENY_SESSION_LIVE);
    assert_int_equal(ask_op(f, "b1", OP_RESTART, false)->deny, DENY_SESSION_LIVE);
    assert_int_equal(ask_op(f, "b1", OP_LIST_CLIENTS, false)->answer, ANSWER_OP);
    assert_int_equal(ask_op(f, "b1", OP_RESTART, true)->answer, ANSWER_OP);
}

static void test_op_ask__node_is_denied__is_refused_by_its_word(void **state)
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    struct core_event ev = fleet_event(f, CORE_NODE_UPDATE, CALLER_ADMIN, "t1");
    ev.u.node_update = (struct node_update_req){ .node_id = "b1", .set_approval = true, .approval = APPROVAL_DENIED };
    assert_int_equal(fleet_step(f, &ev)->deny, DENY_NONE);
    assert_int_equal(ask_op(f, "b1", OP_LIST_CLIENTS, false)->deny, DENY_NODE_DENIED);
    assert_int_equal(ask_op(f, "b1", OP_RESTART, true)->deny, DENY_NODE_DENIED);
    assert_int_equal(alloc_count(f->alloc, REC_OP), 0);
}

static void test_op_ask__sixteen_wait__is_the_limit(void **state)
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    for (unsigned i = 0; i < 16; i++)
        assert_int_equal(ask_op(f, "b1", OP_LIST_CLIENTS, false)->answer, ANSWER_OP);
    assert_int_equal(ask_op(f, "b1", OP_LIST_CLIENTS, false)->deny, DENY_LIMIT);
    f->now.ms += f->config.timers.op_ttl_ms;       /* nothing is stuck */
    assert_int_equal(ask_op(f, "b1", OP_LIST_CLIENTS, false)->answer, ANSWER_OP);
}

static void test_op_ask__two_pins_at_once__is_contention_and_told(void **state)
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadflatscreen");
    assert_int_equal(ask_pair(f, "h1", "b1", 0)->answer, ANSWER_PAIR);
    assert_int_equal(ask_pin(f, "h1", "b1")->answer, ANSWER_OP);
    const struct core_result *r = ask_pin(f, "h1", "b1");
    assert_int_equal(r->deny, DENY_PAIR_CONTENTION);
    assert_int_equal(fleet_notes(r, NOTE_PAIR_CONTENTION), 1);
    assert_int_equal(ask_op(f, "b1", OP_SUBMIT_PIN, false)->deny, DENY_PAIR_CONTENTION);
}

static void test_op_ask__relayed_pin__needs_a_lease_there_and_has_the_heads_name(void **state)
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    fleet_body(f, "b2", "north");
    fleet_head(f, "h1", "north", "hydraheadipad");
    (void)fleet_report(f, "b1");
    assert_int_equal(ask_pin(f, "h1", "b1")->deny, DENY_FORBIDDEN);
    assert_int_equal(fleet_read(f, "h1", FLEET_EXPERIENCE)->answer, ANSWER_ROWS);
    assert_int_equal(ask_pin(f, "h1", "b2")->deny, DENY_FORBIDDEN);
    const struct core_result *r = ask_pin(f, "h1", "b1");
    assert_int_equal(r->answer, ANSWER_OP);
    assert_string_equal(fleet_op(f, r->id)->name, "hydra-h1");
    assert_string_equal(fleet_op(f, r->id)->asked_by, "h1");
}

static void test_op_ask__revoked_identity__relays_no_pin_and_gets_no_pair_lease(void **state)
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadflatscreen");
    assert_int_equal(ask_pair(f, "h1", "b1", 0)->answer, ANSWER_PAIR);
    struct identity_rec *identity = (struct identity_rec *)rec_new(REC_IDENTITY, "h1");
    assert_non_null(identity);
    identity->revoked_at = f->now;
    assert_int_equal(alloc_put(f->alloc, REC_IDENTITY, "h1", &identity->rec), HC_OK);
    rec_unref(&identity->rec);
    assert_int_equal(ask_pin(f, "h1", "b1")->deny, DENY_IDENTITY_REVOKED);
    assert_int_equal(ask_pair(f, "h1", "b1", 0)->deny, DENY_IDENTITY_REVOKED);
}

static void test_op_ask__no_store_or_no_node__is_refused(void **state)
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    assert_int_equal(ask_op(f, "b9", OP_RESTART, false)->deny, DENY_NOT_FOUND);
    f->store_down = true;
    assert_int_equal(ask_op(f, "b1", OP_RESTART, false)->deny, DENY_STORE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLEET_TEST(test_op_ask__asked__is_told_with_who_asked_and_never_the_pin),
        FLEET_TEST(test_op_ask__a_leased_session_is_live__close_and_restart_need_force),
        FLEET_TEST(test_op_ask__node_is_denied__is_refused_by_its_word),
        FLEET_TEST(test_op_ask__sixteen_wait__is_the_limit),
        FLEET_TEST(test_op_ask__two_pins_at_once__is_contention_and_told),
        FLEET_TEST(test_op_ask__relayed_pin__needs_a_lease_there_and_has_the_heads_name),
        FLEET_TEST(test_op_ask__revoked_identity__relays_no_pin_and_gets_no_pair_lease),
        FLEET_TEST(test_op_ask__no_store_or_no_node__is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
