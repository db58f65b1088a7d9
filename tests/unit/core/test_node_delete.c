#include "fixture.h"

static struct core_result *delete_node(struct fleet *f, const char *id, bool force)
{
    struct core_event ev = fleet_event(f, CORE_NODE_DELETE, CALLER_ADMIN, "");
    ev.u.node_delete = (struct node_delete_req){ id, force };
    return fleet_step(f, &ev);
}

static void written(struct fleet *f, const char *lease_id)
{
    struct core_event ev = fleet_event(f, CORE_HISTORY_WRITTEN, CALLER_SYSTEM, "");
    ev.u.history = (struct history_req){ &lease_id, 1 };
    (void)fleet_step(f, &ev);
}

/* A stream of h1 on b1; its lease id. */
static void stream(struct fleet *f, char lease_id[HC_ID_SIZE])
{
    fleet_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadflatscreen");
    (void)fleet_report(f, "b1");
    assert_int_equal(fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->answer, ANSWER_LEASE_NEW);
    hc_copy(lease_id, HC_ID_SIZE, f->last.lease.id);
    fleet_session(f, "b1", 0, SESSION_STREAMING, lease_id, "launch-1");
    f->now = hc_time_add(f->now, 5000);
    (void)fleet_report(f, "b1");
    assert_int_equal(fleet_lease(f, lease_id)->state, LEASE_STREAMING);
}

static void test_delete__node_without_leases__is_gone_with_its_ticket(void **state)
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadflatscreen");
    assert_int_equal(fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->answer, ANSWER_TICKET);
    assert_int_equal(delete_node(f, "nobody", false)->deny, DENY_NOT_FOUND);
    assert_int_equal(delete_node(f, "h1", false)->answer, ANSWER_DONE);
    assert_int_equal(fleet_notes(&f->last, NOTE_NODE_DELETED), 1);
    assert_null(alloc_node(f->alloc, "h1"));
    assert_null(alloc_ticket(f->alloc, "h1"));
    assert_null(alloc_head_stream(f->alloc, "h1"));
    assert_int_equal(delete_node(f, "b1", false)->answer, ANSWER_DONE);
    assert_null(alloc_node(f->alloc, "b1"));
    assert_null(alloc_body(f->alloc, "b1"));
}

static void test_delete__node_with_a_lease__is_refused_without_force(void **state)
{
    struct fleet *f = *state;
    char lease_id[HC_ID_SIZE];
    stream(f, lease_id);
    assert_int_equal(delete_node(f, "b1", false)->deny, DENY_NODE_HAS_LEASE);
    assert_int_equal(delete_node(f, "h1", false)->deny, DENY_NODE_HAS_LEASE);
    assert_int_equal(fleet_lease(f, lease_id)->state, LEASE_STREAMING);
    assert_non_null(alloc_node(f->alloc, "h1"));
}

/* wire §1: force drains first; the body must still hear that its stream ends. */
static void test_delete__streaming_body_with_force__drains_then_goes(void **state)
{
    struct fleet *f = *state;
    char lease_id[HC_ID_SIZE];
    stream(f, lease_id);
    assert_int_equal(delete_node(f, "b1", true)->answer, ANSWER_DONE);
    assert_int_equal(fleet_lease(f, lease_id)->state, LEASE_DRAINING);
    assert_non_null(alloc_node(f->alloc, "b1"));
    fleet_no_session(f, "b1");
    f->now = hc_time_add(f->now, 5000);
    (void)fleet_report(f, "b1");
    assert_int_equal(fleet_lease(f, lease_id)->state, LEASE_ENDED);
    assert_int_equal(fleet_lease(f, lease_id)->why, WHY_NODE_DELETED);
    assert_null(alloc_node(f->alloc, "b1"));
    assert_non_null(alloc_body(f->alloc, "b1"));              /* its history line is not written yet (§3.10) */
    written(f, lease_id);
    assert_null(alloc_body(f->alloc, "b1"));
}

static void test_delete__streaming_body_that_never_stops__goes_after_the_drain_times_out(void **state)
{
    struct fleet *f = *state;
    char lease_id[HC_ID_SIZE];
    stream(f, lease_id);
    (void)delete_node(f, "b1", true);
    fleet_pass(f, f->config.timers.drain_grace_ms + 2 * f->config.timers.watchdog_tick_ms);
    assert_int_equal(fleet_lease(f, lease_id)->state, LEASE_FAILED);
    assert_null(alloc_node(f->alloc, "b1"));
}

static void test_delete__head_with_a_stream_and_force__goes_at_once_and_its_lease_drains(void **state)
{
    struct fleet *f = *state;
    char lease_id[HC_ID_SIZE];
    stream(f, lease_id);
    assert_int_equal(delete_node(f, "h1", true)->answer, ANSWER_DONE);
    assert_null(alloc_node(f->alloc, "h1"));
    assert_null(alloc_head_stream(f->alloc, "h1"));
    assert_int_equal(fleet_lease(f, lease_id)->state, LEASE_DRAINING);
}

static void test_delete__body_with_a_pre_stream_lease_and_force__ends_it(void **state)
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadflatscreen");
    (void)fleet_report(f, "b1");
    assert_int_equal(fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->answer, ANSWER_LEASE_NEW);
    char lease_id[HC_ID_SIZE];
    HC_SET(lease_id, f->last.lease.id);
    (void)delete_node(f, "b1", true);
    assert_true(lease_is_terminal(fleet_lease(f, lease_id)->state));
    assert_null(alloc_node(f->alloc, "b1"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLEET_TEST(test_delete__node_without_leases__is_gone_with_its_ticket),
        FLEET_TEST(test_delete__node_with_a_lease__is_refused_without_force),
        FLEET_TEST(test_delete__streaming_body_with_force__drains_then_goes),
        FLEET_TEST(test_delete__streaming_body_that_never_stops__goes_after_the_drain_times_out),
        FLEET_TEST(test_delete__head_with_a_stream_and_force__goes_at_once_and_its_lease_drains),
        FLEET_TEST(test_delete__body_with_a_pre_stream_lease_and_force__ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
