/* The circuit breaker and demotions (rules §11). */
#include "visits.h"

static const struct circuit *circuit(struct fleet *f)
{
    return &alloc_body(f->alloc, "b1")->circuit;
}

/* A hold of this head that its `error` heartbeat ends: unconfirmed, abandoned, and the head has spoken since. */
static void fails(struct fleet *f, const char *head_id)
{
    char lease[HC_ID_SIZE];
    visit_hold(f, head_id, lease);
    f->now = hc_time_add(f->now, 1000);
    (void)fleet_heartbeat(f, head_id, "error", "");
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_ABANDONED);
    (void)visit_idle(f, "b1");
}

static void opens(struct fleet *f)
{
    fails(f, "h1");
    fails(f, "h1");
    fails(f, "h2");
    assert_int_equal(circuit(f)->state, CIRCUIT_OPEN);
}

static void test_circuit__three_failures_in_ten_minutes__opens(void **state)
{
    struct fleet *f = *state;
    visit_fleet(f);
    fails(f, "h1");
    fails(f, "h2");
    assert_int_equal(circuit(f)->state, CIRCUIT_CLOSED);
    fails(f, "h1");
    assert_int_equal(circuit(f)->state, CIRCUIT_OPEN);
    assert_int_equal(circuit(f)->open_ms, 5 * HC_MINUTE_MS);
    struct core_view view = fleet_view(f);
    assert_true((slot_occupied(&view, alloc_body(f->alloc, "b1"), 0) & WHY_NOT_CIRCUIT_OPEN) != 0);
}

/* One finger or one broken head cannot darken a venue. */
static void test_circuit__one_head_fails_for_ever__stays_closed(void **state)
{
    struct fleet *f = *state;
    visit_fleet(f);
    for (unsigned i = 0; i < 6; i++)
        fails(f, "h1");
    assert_int_equal(circuit(f)->state, CIRCUIT_CLOSED);
    assert_int_equal(circuit(f)->failure_count, 2);
}

static void test_circuit__failures_are_old__are_forgotten(void **state)
{
    struct fleet *f = *state;
    visit_fleet(f);
    fails(f, "h1");
    fails(f, "h2");
    fleet_pass(f, 11 * HC_MINUTE_MS);
    fails(f, "h1");
    assert_int_equal(circuit(f)->state, CIRCUIT_CLOSED);
    assert_int_equal(circuit(f)->failure_count, 1);
}

static void test_circuit__its_time_is_over__one_probe_is_let_in(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    opens(f);
    fleet_pass(f, 5 * HC_MINUTE_MS + 10000);
    assert_int_equal(circuit(f)->state, CIRCUIT_HALF_OPEN);
    visit_hold(f, "h1", lease);
    assert_string_equal(circuit(f)->probe_lease_id, lease);
    (void)visit_shows(f, "b1", SESSION_STREAMING, "", "l1");
    assert_int_equal(circuit(f)->state, CIRCUIT_CLOSED);
    assert_int_equal(circuit(f)->failure_count, 0);
    assert_int_equal(fleet_notes(&f->last, NOTE_CIRCUIT_CLOSED), 1);
}

static void test_circuit__probe_fails__opens_for_twice_as_long(void **state)
{
    struct fleet *f = *state;
    visit_fleet(f);
    opens(f);
    for (unsigned i = 0; i < 4; i++) {
        fleet_pass(f, circuit(f)->open_ms + 10000);
        assert_int_equal(circuit(f)->state, CIRCUIT_HALF_OPEN);
        fails(f, "h2");
        assert_int_equal(circuit(f)->state, CIRCUIT_OPEN);
    }
    assert_int_equal(circuit(f)->open_ms, 30 * HC_MINUTE_MS);      /* 10, 20, then the ceiling */
}

/* A visitor who leaves says nothing about the body: the next may probe. */
static void test_circuit__probe_leaves_by_itself__another_may_try(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE];
    visit_fleet(f);
    opens(f);
    fleet_pass(f, 5 * HC_MINUTE_MS + 10000);
    visit_grant(f, "p1", "a1", lease, token);
    (void)fleet_release(f, "p1", lease, token, WHY_USER_EXIT);
    assert_int_equal(circuit(f)->state, CIRCUIT_HALF_OPEN);
    assert_string_equal(circuit(f)->probe_lease_id, "");
}

static void test_circuit__launch_fails__counts_and_demotes(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE];
    visit_fleet(f);
    visit_grant(f, "p1", "a1", lease, token);
    (void)visit_shows(f, "b1", SESSION_FAILED, lease, "l1");
    assert_int_equal(fleet_lease(f, lease)->why, WHY_LAUNCH_FAILED);
    assert_int_equal(circuit(f)->failure_count, 1);
    assert_non_null(alloc_get(f->alloc, REC_DEMOTION, "b1/p1"));
    fleet_pass(f, 5 * HC_MINUTE_MS + 10000);
    assert_null(alloc_get(f->alloc, REC_DEMOTION, "b1/p1"));
}

static void test_circuit__release_says_why__unreachable_counts_user_exit_does_not(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE];
    visit_fleet(f);
    visit_grant(f, "p1", "a1", lease, token);
    (void)fleet_release(f, "p1", lease, token, WHY_USER_EXIT);
    assert_int_equal(circuit(f)->failure_count, 0);
    (void)visit_idle(f, "b1");
    visit_grant(f, "p1", "a2", lease, token);
    (void)fleet_release(f, "p1", lease, token, WHY_UNREACHABLE);
    assert_int_equal(circuit(f)->failure_count, 1);
    assert_non_null(alloc_get(f->alloc, REC_DEMOTION, "b1/p1"));
}

/* A hold that expires counts only if its head has spoken since: one that walked away says nothing. */
static void test_circuit__silent_hold__counts_only_if_its_head_spoke(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_hold(f, "h1", lease);
    fleet_pass(f, 60000);
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_EXPIRED);
    assert_int_equal(circuit(f)->failure_count, 0);
    visit_hold(f, "h1", lease);
    visit_beats(f, 10000, "h1", "starting", "");
    fleet_pass(f, 90000);
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_EXPIRED);
    assert_int_equal(circuit(f)->failure_count, 1);
}

static void test_circuit__reset_by_an_admin__closes(void **state)
{
    struct fleet *f = *state;
    visit_fleet(f);
    opens(f);
    struct core_event ev = fleet_event(f, CORE_CIRCUIT_RESET, CALLER_ADMIN, "");
    ev.u.body.body_id = "b1";
    assert_int_equal(fleet_step(f, &ev)->answer, ANSWER_DONE);
    assert_int_equal(circuit(f)->state, CIRCUIT_CLOSED);
    assert_int_equal(fleet_notes(&f->last, NOTE_CIRCUIT_CLOSED), 1);
    ev = fleet_event(f, CORE_CIRCUIT_RESET, CALLER_ADMIN, "");
    ev.u.body.body_id = "b9";
    assert_int_equal(fleet_step(f, &ev)->deny, DENY_NOT_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLEET_TEST(test_circuit__three_failures_in_ten_minutes__opens),
        FLEET_TEST(test_circuit__one_head_fails_for_ever__stays_closed),
        FLEET_TEST(test_circuit__failures_are_old__are_forgotten),
        FLEET_TEST(test_circuit__its_time_is_over__one_probe_is_let_in),
        FLEET_TEST(test_circuit__probe_fails__opens_for_twice_as_long),
        FLEET_TEST(test_circuit__probe_leaves_by_itself__another_may_try),
        FLEET_TEST(test_circuit__launch_fails__counts_and_demotes),
        FLEET_TEST(test_circuit__release_says_why__unreachable_counts_user_exit_does_not),
        FLEET_TEST(test_circuit__silent_hold__counts_only_if_its_head_spoke),
        FLEET_TEST(test_circuit__reset_by_an_admin__closes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
