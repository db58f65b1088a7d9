#include "op_asks.h"

#include <stdio.h>
#include <string.h>

/* A body whose agent polls, up to the moment when it is given the custodian's list. */
static void asked_for_list(struct fleet *f, char ret_op[HC_ID_SIZE])
{
    (void)poll_op(f, "b1");
    (void)fleet_tick(f);
    HC_SET(*(char (*)[HC_ID_SIZE])ret_op, given_op(f, "b1", OP_LIST_CLIENTS));
    assert_string_not_equal(ret_op, "");
}

/* Ticks until it is due again; the body goes on polling and reporting. */
static void next_run(struct fleet *f, char ret_op[HC_ID_SIZE])
{
    f->now.ms += f->config.timers.custodian_every_ms;
    (void)fleet_report(f, "b1");
    asked_for_list(f, ret_op);
}

static size_t unpairs(struct fleet *f)
{
    size_t count = 0;
    for (size_t i = 0; i < alloc_count(f->alloc, REC_OP); i++) {
        const struct op_rec *op = (const struct op_rec *)alloc_at(f->alloc, REC_OP, i);
        count += op->op == OP_UNPAIR && op->state == OP_PENDING ? 1 : 0;
    }
    return count;
}

static bool evicts(struct fleet *f, const char *uuid)
{
    for (size_t i = 0; i < alloc_count(f->alloc, REC_OP); i++) {
        const struct op_rec *op = (const struct op_rec *)alloc_at(f->alloc, REC_OP, i);
        if (op->op == OP_UNPAIR && op->state == OP_PENDING && strcmp(op->uuid, uuid) == 0)
            return true;
    }
    return false;
}

static void test_custodian__agent_that_does_not_poll__is_not_asked(void **state)
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    (void)fleet_report(f, "b1");
    (void)fleet_tick(f);
    assert_int_equal(alloc_count(f->alloc, REC_OP), 0);
}

static void test_custodian__every_five_minutes__asks_once(void **state)
{
    struct fleet *f = *state;
    char op[HC_ID_SIZE];
    fleet_body(f, "b1", "north");
    (void)fleet_report(f, "b1");
    asked_for_list(f, op);
    (void)answer_list(f, "b1", op, 0, 3);
    assert_int_equal(alloc_body(f->alloc, "b1")->custodian_last_success_at.ms, f->now.ms);
    for (unsigned i = 0; i < 28; i++) {
        f->now.ms += 10000;
        (void)poll_op(f, "b1");
        (void)fleet_tick(f);
        assert_string_equal(given_op(f, "b1", OP_LIST_CLIENTS), "");
    }
    f->now.ms += 20000;
    asked_for_list(f, op);
}

/* In the order of bodies, and those who were asked are not due again: nobody is left out. */
static void test_custodian__many_bodies_due_at_once__are_asked_over_several_ticks(void **state)
{
    enum { BODIES = 100, AT_ONCE = 64 };
    struct fleet *f = *state;
    char body_id[HC_ID_SIZE];
    for (unsigned i = 0; i < BODIES; i++) {
        (void)snprintf(body_id, sizeof body_id, "b%03u", i);
        fleet_body(f, body_id, "north");
        (void)fleet_report(f, body_id);
        (void)poll_op(f, body_id);
    }
    (void)fleet_tick(f);
    assert_int_equal(alloc_count(f->alloc, REC_OP), AT_ONCE);
    f->now.ms += 10000;
    (void)fleet_tick(f);
    assert_int_equal(alloc_count(f->alloc, REC_OP), BODIES);
}

static void test_custodian__first_seen__stays_with_the_uuid(void **state)
{
    struct fleet *f = *state;
    char op[HC_ID_SIZE];
    fleet_body(f, "b1", "north");
    (void)fleet_report(f, "b1");
    asked_for_list(f, op);
    int64_t first = f->now.ms;
    (void)answer_list(f, "b1", op, 0, 2);
    next_run(f, op);
    (void)answer_list(f, "b1", op, 1, 2);
    const struct paired *paired = alloc_body(f->alloc, "b1")->paired;
    assert_int_equal(paired->count, 2);
    assert_int_equal(paired_find(paired, "u001")->first_seen.ms, first);
    assert_int_equal(paired_find(paired, "u002")->first_seen.ms, f->now.ms);
    assert_null(paired_find(paired, "u000"));
}

static void test_custodian__above_100__evicts_the_oldest_down_to_100(void **state)
{
    struct fleet *f = *state;
    char op[HC_ID_SIZE];
    fleet_body(f, "b1", "north");
    (void)fleet_report(f, "b1");
    asked_for_list(f, op);
    (void)answer_list(f, "b1", op, 100, 100);
    assert_int_equal(unpairs(f), 0);
    next_run(f, op);
    const struct core_result *r = answer_list(f, "b1", op, 97, 103);      /* u097 .. u099 are new: the old ones go first */
    assert_int_equal(fleet_notes(r, NOTE_CERT_STORE_GROWTH), 0);
    assert_int_equal(unpairs(f), 3);
    assert_true(evicts(f, "u100"));
    assert_true(evicts(f, "u102"));
    assert_false(evicts(f, "u097"));
    HC_SET(op, given_op(f, "b1", OP_UNPAIR));
    r = answer_op(f, "b1", op, false, OP_VERDICT_TRUE);
    assert_int_equal(fleet_notes(r, NOTE_CLIENT_EVICTED), 1);
    assert_int_equal(alloc_body(f->alloc, "b1")->eviction_count, 1);
    assert_int_equal(alloc_body(f->alloc, "b1")->paired->count, 102);
}

static void test_custodian__120__is_told_once(void **state)
{
    struct fleet *f = *state;
    char op[HC_ID_SIZE];
    fleet_body(f, "b1", "north");
    (void)fleet_report(f, "b1");
    asked_for_list(f, op);
    assert_int_equal(fleet_notes(answer_list(f, "b1", op, 0, 119), NOTE_CERT_STORE_GROWTH), 0);
    next_run(f, op);
    assert_int_equal(fleet_notes(answer_list(f, "b1", op, 0, 120), NOTE_CERT_STORE_GROWTH), 1);
    next_run(f, op);
    assert_int_equal(fleet_notes(answer_list(f, "b1", op, 0, 121), NOTE_CERT_STORE_GROWTH), 0);
}

static void test_custodian__no_list__evicts_nothing_and_is_told_once(void **state)
{
    struct fleet *f = *state;
    char op[HC_ID_SIZE];
    fleet_body(f, "b1", "north");
    (void)fleet_report(f, "b1");
    asked_for_list(f, op);
    (void)answer_list(f, "b1", op, 0, 150);
    size_t asked = unpairs(f);
    next_run(f, op);
    assert_int_equal(asked, 50);
    assert_int_equal(unpairs(f), 0);                                      /* they ran out: nobody unpaired them */
    const struct core_result *r = answer_op(f, "b1", op, false, OP_VERDICT_NONE);
    assert_int_equal(fleet_notes(r, NOTE_TRIM_PARSE_FAILED), 1);
    assert_int_equal(unpairs(f), 0);
    assert_int_equal(alloc_body(f->alloc, "b1")->paired->count, 150);
    next_run(f, op);
    assert_int_equal(fleet_notes(answer_op(f, "b1", op, false, OP_VERDICT_NONE), NOTE_TRIM_PARSE_FAILED), 0);
    next_run(f, op);
    assert_int_equal(fleet_notes(answer_op(f, "b1", op, true, OP_VERDICT_NONE), NOTE_CUSTODIAN_FAILED), 1);
}

static void test_custodian__body_goes_offline__nothing_is_stuck_and_nobody_goes(void **state)
{
    struct fleet *f = *state;
    char op[HC_ID_SIZE];
    fleet_body(f, "b1", "north");
    (void)fleet_report(f, "b1");
    asked_for_list(f, op);
    size_t told = 0;
    for (unsigned i = 0; i < 60; i++) {
        f->now.ms += 10000;
        told += fleet_notes(fleet_tick(f), NOTE_CUSTODIAN_FAILED);
    }
    assert_int_equal(told, 1);
    assert_int_equal(alloc_count(f->alloc, REC_OP), 0);
    (void)fleet_report(f, "b1");
    asked_for_list(f, op);                                                /* and it goes on when the body is back */
}

/* A list of 110 with our heads in front: the oldest, and yet they stay. */
static struct core_result *list_with(struct fleet *f, const char *op, const char *name, const char *uuid)
{
    static struct client_obs clients[110];
    for (size_t i = 0; i < 110; i++) {
        (void)snprintf(clients[i].uuid, sizeof clients[i].uuid, "u%03u", (unsigned)i);
        HC_SET(clients[i].name, "roth");
    }
    HC_SET(clients[0].name, name);
    HC_SET(clients[1].uuid, uuid);
    struct core_event ev = fleet_event(f, CORE_OP_RESULT, CALLER_NODE, "b1");
    ev.u.op_result = (struct op_result_req){ .node_id = "b1", .op_id = op, .error = "", .has_clients = true, .clients = clients,
                                             .client_count = 110 };
    return fleet_step(f, &ev);
}

static void test_custodian__client_of_a_live_lease_or_a_registered_head__stays(void **state)
{
    struct fleet *f = *state;
    char op[HC_ID_SIZE];
    fleet_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadflatscreen");
    fleet_head(f, "h2", "north", "hydraheadflatscreen");
    (void)fleet_report(f, "b1");
    (void)fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE);
    asked_for_list(f, op);
    (void)list_with(f, op, "hydra-h1", "u001");
    assert_int_equal(unpairs(f), 10);
    assert_false(evicts(f, "u000"));
    assert_true(evicts(f, "u001"));
    next_run(f, op);
    (void)list_with(f, op, "hydra-h2", "u001");                           /* no lease, no identity: a client like any other */
    assert_true(evicts(f, "u000"));
    struct identity_rec *identity = (struct identity_rec *)rec_new(REC_IDENTITY, "h2");
    assert_non_null(identity);
    assert_int_equal(alloc_put(f->alloc, REC_IDENTITY, "h2", &identity->rec), HC_OK);
    rec_unref(&identity->rec);
    next_run(f, op);
    (void)list_with(f, op, "hydra-h2", "u001");
    assert_false(evicts(f, "u000"));
    assert_int_equal(unpairs(f), 10);
}

static void test_custodian__client_of_a_session_that_is_shown__stays(void **state)
{
    struct fleet *f = *state;
    char op[HC_ID_SIZE];
    fleet_body(f, "b1", "north");
    fleet_session(f, "b1", 0, SESSION_STREAMING, "", "l1");
    HC_SET(fleet_machine(f, "b1")->sessions[0].client_uuid, "seen-here");
    (void)fleet_report(f, "b1");
    asked_for_list(f, op);
    (void)list_with(f, op, "roth", "seen-here");
    assert_int_equal(unpairs(f), 10);
    assert_false(evicts(f, "seen-here"));
}

static void test_custodian__a_body_that_repeats_one_uuid__counts_it_once(void **state)
{
    struct fleet *f = *state;
    char op[HC_ID_SIZE];
    static struct client_obs clients[1024];
    fleet_body(f, "b1", "north");
    (void)fleet_report(f, "b1");
    asked_for_list(f, op);
    for (size_t i = 0; i < 1024; i++)
        HC_SET(clients[i].uuid, i < 512 ? "one" : "two");
    struct core_event ev = fleet_event(f, CORE_OP_RESULT, CALLER_NODE, "b1");
    ev.u.op_result = (struct op_result_req){ .node_id = "b1", .op_id = op, .error = "", .has_clients = true, .clients = clients,
                                             .client_count = 1024 };
    (void)fleet_step(f, &ev);
    assert_int_equal(unpairs(f), 0);
    assert_int_equal(alloc_body(f->alloc, "b1")->paired->count, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLEET_TEST(test_custodian__agent_that_does_not_poll__is_not_asked),
        FLEET_TEST(test_custodian__every_five_minutes__asks_once),
        FLEET_TEST(test_custodian__many_bodies_due_at_once__are_asked_over_several_ticks),
        FLEET_TEST(test_custodian__first_seen__stays_with_the_uuid),
        FLEET_TEST(test_custodian__above_100__evicts_the_oldest_down_to_100),
        FLEET_TEST(test_custodian__120__is_told_once),
        FLEET_TEST(test_custodian__no_list__evicts_nothing_and_is_told_once),
        FLEET_TEST(test_custodian__body_goes_offline__nothing_is_stuck_and_nobody_goes),
        FLEET_TEST(test_custodian__client_of_a_live_lease_or_a_registered_head__stays),
        FLEET_TEST(test_custodian__client_of_a_session_that_is_shown__stays),
        FLEET_TEST(test_custodian__a_body_that_repeats_one_uuid__counts_it_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
