#include "op_asks.h"

#include <string.h>

static void open_fleet(struct fleet *f)
{
    fleet_body(f, "b1", "north");
    fleet_body(f, "b2", "north");
    fleet_head(f, "h1", "north", "hydraheadflatscreen");
    fleet_head(f, "h2", "north", "hydraheadflatscreen");
    (void)fleet_report(f, "b1");
}

static void test_pair_lease__granted__keeps_the_slot_from_grants_until_it_runs_out(void **state)
{
    struct fleet *f = *state;
    open_fleet(f);
    const struct core_result *r = ask_pair(f, "h1", "b1", 0);
    assert_int_equal(r->answer, ANSWER_PAIR);
    assert_int_equal(r->pair.mode, MODE_PAIR);
    assert_int_equal(r->pair.ttl_ms, f->config.timers.pair_lease_ttl_ms);
    assert_int_equal(fleet_notes(r, NOTE_PAIR_LEASE_GRANTED), 1);
    struct core_view view = fleet_view(f);
    assert_int_equal(slot_why_not(&view, alloc_body(f->alloc, "b1"), 0), WHY_NOT_PAIR_LEASE);
    assert_int_equal(slot_occupied(&view, alloc_body(f->alloc, "b1"), 0), 0);
    assert_int_equal(fleet_claim(f, "h2", "a1", FLEET_EXPERIENCE)->answer, ANSWER_TICKET);
    for (unsigned i = 0; i < 3; i++) {                 /* h2 goes on asking, so that its ticket lives */
        fleet_pass(f, 20000);
        (void)fleet_claim(f, "h2", "a1", FLEET_EXPERIENCE);
    }
    fleet_pass(f, 1000);
    assert_string_equal(fleet_slot(f, "b1", 0)->pair.id, "");
    assert_string_equal(fleet_live(f, "b1", 0)->head_id, "h2");
}

static void test_pair_lease__a_repeat__is_the_same_and_no_longer(void **state)
{
    struct fleet *f = *state;
    char id[HC_ID_SIZE];
    open_fleet(f);
    memcpy(id, ask_pair(f, "h1", "b1", 0)->pair.id, sizeof id);
    f->now.ms += 20000;
    const struct core_result *r = ask_pair(f, "h1", "b1", 0);
    assert_string_equal(r->pair.id, id);
    assert_int_equal(r->pair.ttl_ms, f->config.timers.pair_lease_ttl_ms - 20000);
}

static void test_pair_lease__another_pairs_there__is_contention(void **state)
{
    struct fleet *f = *state;
    open_fleet(f);
    (void)ask_pair(f, "h1", "b1", 0);
    const struct core_result *r = ask_pair(f, "h2", "b1", 0);
    assert_int_equal(r->deny, DENY_PAIR_CONTENTION);
    assert_int_equal(fleet_notes(r, NOTE_PAIR_CONTENTION), 1);
    f->now.ms += f->config.timers.pair_lease_ttl_ms;
    r = ask_pair(f, "h2", "b1", 0);
    assert_int_equal(r->answer, ANSWER_PAIR);
    assert_int_equal(fleet_notes(r, NOTE_PAIR_LEASE_ENDED), 1);
}

static void test_pair_lease__the_slot_is_leased__to_another_is_busy_and_to_itself_is_that_lease(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    open_fleet(f);
    memcpy(lease, fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->lease.id, sizeof lease);
    assert_int_equal(ask_pair(f, "h2", "b1", 0)->deny, DENY_BODY_BUSY);
    const struct core_result *r = ask_pair(f, "h1", "b1", 0);
    assert_int_equal(r->answer, ANSWER_PAIR);
    assert_string_equal(r->pair.id, lease);
    assert_int_equal(r->pair.mode, MODE_FLAT);
    assert_string_equal(fleet_slot(f, "b1", 0)->pair.id, "");
}

static void test_pair_lease__a_second_body__ends_the_first(void **state)
{
    struct fleet *f = *state;
    open_fleet(f);
    (void)ask_pair(f, "h1", "b1", 0);
    const struct core_result *r = ask_pair(f, "h1", "b2", 0);
    assert_int_equal(r->answer, ANSWER_PAIR);
    assert_int_equal(fleet_notes(r, NOTE_PAIR_LEASE_ENDED), 1);
    assert_string_equal(fleet_slot(f, "b1", 0)->pair.id, "");
    assert_string_equal(fleet_slot(f, "b2", 0)->pair.head_id, "h1");
}

static void test_pair_lease__released__by_its_head_alone_and_at_will(void **state)
{
    struct fleet *f = *state;
    char id[HC_ID_SIZE];
    open_fleet(f);
    memcpy(id, ask_pair(f, "h1", "b1", 0)->pair.id, sizeof id);
    assert_int_equal(leave_pair(f, "h2", id)->answer, ANSWER_DONE);
    assert_string_equal(fleet_slot(f, "b1", 0)->pair.id, id);
    assert_int_equal(fleet_notes(leave_pair(f, "h1", id), NOTE_PAIR_LEASE_ENDED), 1);
    assert_string_equal(fleet_slot(f, "b1", 0)->pair.id, "");
    assert_int_equal(leave_pair(f, "h1", id)->answer, ANSWER_DONE);
}

static void test_pair_lease__its_head_is_gone__ends(void **state)
{
    struct fleet *f = *state;
    open_fleet(f);
    (void)ask_pair(f, "h1", "b1", 0);
    struct core_event ev = fleet_event(f, CORE_NODE_DELETE, CALLER_ADMIN, "");
    ev.u.node_delete = (struct node_delete_req){ "h1", true };
    (void)fleet_step(f, &ev);
    (void)fleet_tick(f);
    assert_string_equal(fleet_slot(f, "b1", 0)->pair.id, "");
}

static void test_pair_lease__no_such_slot_or_body__is_refused(void **state)
{
    struct fleet *f = *state;
    open_fleet(f);
    assert_int_equal(ask_pair(f, "h1", "b9", 0)->deny, DENY_NOT_FOUND);
    const struct core_result *r = ask_pair(f, "h1", "b1", 1);
    assert_int_equal(r->deny, DENY_BAD_REQUEST);
    assert_string_equal(r->field, "slot");
    f->store_down = true;
    assert_int_equal(ask_pair(f, "h1", "b1", 0)->deny, DENY_STORE);
}

/* The lease of b1 ended, and its epoch is not confirmed yet: nobody can be given it, and h2 is next. */
static void test_pair_lease__somebody_waits_for_the_body__is_busy(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    open_fleet(f);
    fleet_head(f, "h3", "north", "hydraheadflatscreen");
    memcpy(lease, fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->lease.id, sizeof lease);
    assert_int_equal(fleet_claim(f, "h2", "a1", FLEET_EXPERIENCE)->answer, ANSWER_TICKET);
    struct core_event ev = fleet_event(f, CORE_LEASE_END, CALLER_ADMIN, "");
    ev.u.lease_end = (struct lease_end_req){ .lease_id = lease, .revoke = true };
    assert_int_equal(fleet_step(f, &ev)->answer, ANSWER_DONE);
    assert_null(fleet_live(f, "b1", 0));
    assert_int_equal(ask_pair(f, "h3", "b1", 0)->deny, DENY_BODY_BUSY);
    assert_int_equal(ask_pair(f, "h2", "b1", 0)->answer, ANSWER_PAIR);
}

static void test_pair_lease__its_head_claims_the_slot__is_granted_and_the_pair_lease_is_over(void **state)
{
    struct fleet *f = *state;
    open_fleet(f);
    assert_int_equal(ask_pair(f, "h1", "b1", 0)->answer, ANSWER_PAIR);
    const struct core_result *r = fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE);
    assert_int_equal(r->answer, ANSWER_LEASE_NEW);
    assert_int_equal(fleet_notes(r, NOTE_PAIR_LEASE_ENDED), 1);
    assert_string_equal(fleet_slot(f, "b1", 0)->pair.id, "");
}

static void test_pair_lease__its_head_reads__has_the_body(void **state)
{
    struct fleet *f = *state;
    open_fleet(f);
    assert_int_equal(ask_pair(f, "h1", "b1", 0)->answer, ANSWER_PAIR);
    assert_int_equal(fleet_read(f, "h1", FLEET_EXPERIENCE)->answer, ANSWER_ROWS);
    assert_string_equal(fleet_live(f, "b1", 0)->head_id, "h1");
    assert_string_equal(fleet_slot(f, "b1", 0)->pair.id, "");
}

/* Who came first is first, also at a slot that somebody else paired on meanwhile. */
static void test_pair_lease__its_head_claims_after_another__waits_behind_it(void **state)
{
    struct fleet *f = *state;
    open_fleet(f);
    assert_int_equal(ask_pair(f, "h1", "b1", 0)->answer, ANSWER_PAIR);
    assert_int_equal(fleet_claim(f, "h2", "a1", FLEET_EXPERIENCE)->answer, ANSWER_TICKET);
    f->now.ms += 1;
    assert_int_equal(fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->answer, ANSWER_TICKET);
}

/* h2 waits, and b1 becomes free: it is h2's. What h1 pairs on is no use to h2, but h1 can be given it. */
static void test_pair_lease__its_head_reads_after_another__leaves_it_the_other_body(void **state)
{
    struct fleet *f = *state;
    open_fleet(f);
    fleet_head(f, "h3", "north", "hydraheadipad");
    fleet_head(f, "h4", "north", "hydraheadipad");
    char lease[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE];
    const struct core_result *r = fleet_claim(f, "h2", "a1", FLEET_EXPERIENCE);
    memcpy(lease, r->lease.id, sizeof lease);
    memcpy(token, r->claim_token, sizeof token);
    (void)fleet_report(f, "b2");
    assert_int_equal(ask_pair(f, "h3", "b2", 0)->answer, ANSWER_PAIR);
    assert_int_equal(fleet_read(f, "h4", FLEET_EXPERIENCE)->deny, DENY_NO_SLOT);
    f->now.ms += 1000;
    assert_int_equal(fleet_release(f, "h2", lease, token, WHY_USER_EXIT)->answer, ANSWER_DONE);
    (void)fleet_report(f, "b1");
    (void)fleet_report(f, "b1");
    assert_int_equal(fleet_read(f, "h3", FLEET_EXPERIENCE)->answer, ANSWER_ROWS);
    assert_string_equal(fleet_live(f, "b2", 0)->head_id, "h3");
    assert_int_equal(fleet_read(f, "h4", FLEET_EXPERIENCE)->answer, ANSWER_ROWS);
    assert_string_equal(fleet_live(f, "b1", 0)->head_id, "h4");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLEET_TEST(test_pair_lease__granted__keeps_the_slot_from_grants_until_it_runs_out),
        FLEET_TEST(test_pair_lease__a_repeat__is_the_same_and_no_longer),
        FLEET_TEST(test_pair_lease__another_pairs_there__is_contention),
        FLEET_TEST(test_pair_lease__the_slot_is_leased__to_another_is_busy_and_to_itself_is_that_lease),
        FLEET_TEST(test_pair_lease__a_second_body__ends_the_first),
        FLEET_TEST(test_pair_lease__released__by_its_head_alone_and_at_will),
        FLEET_TEST(test_pair_lease__its_head_is_gone__ends),
        FLEET_TEST(test_pair_lease__no_such_slot_or_body__is_refused),
        FLEET_TEST(test_pair_lease__somebody_waits_for_the_body__is_busy),
        FLEET_TEST(test_pair_lease__its_head_claims_the_slot__is_granted_and_the_pair_lease_is_over),
        FLEET_TEST(test_pair_lease__its_head_reads__has_the_body),
        FLEET_TEST(test_pair_lease__its_head_claims_after_another__waits_behind_it),
        FLEET_TEST(test_pair_lease__its_head_reads_after_another__leaves_it_the_other_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
