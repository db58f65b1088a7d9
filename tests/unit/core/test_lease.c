/* The table of lease transitions (rules §6.2): every row, every absent row, an exit by clock from every state (I8). */
#include "fixture.h"

#include <string.h>

#include "../../../src/core/core.h"

#define NOW ((hc_time){ 1000000 })

static const struct lease_edge *edge_of(enum lease_state from, enum lease_event on)
{
    for (size_t i = 0; i < lease_edge_count; i++)
        if (lease_edges[i].from == from && lease_edges[i].on == on)
            return &lease_edges[i];
    return NULL;
}

static struct lease lease_at(enum lease_state state)
{
    struct lease lease = { .state = state, .came_from = LEASE_STREAMING };
    HC_SET(lease.id, "lse-1");
    return lease;
}

static void test_lease_edges__all__are_unique(void **state)
{
    (void)state;
    for (size_t i = 0; i < lease_edge_count; i++)
        assert_ptr_equal(edge_of(lease_edges[i].from, lease_edges[i].on), &lease_edges[i]);
}

static void test_lease_edges__all__leave_live_states_only(void **state)
{
    (void)state;
    for (size_t i = 0; i < lease_edge_count; i++) {
        assert_false(lease_is_terminal(lease_edges[i].from));
        assert_int_not_equal(lease_edges[i].from, lease_edges[i].to);
    }
}

static void test_lease_states__all__are_reachable(void **state)
{
    (void)state;
    for (int s = 0; s < LEASE_STATES; s++) {
        bool born = s == LEASE_HELD || s == LEASE_GRANTED || s == LEASE_ADOPTED, reached = born;
        for (size_t i = 0; i < lease_edge_count; i++)
            reached = reached || lease_edges[i].to == (enum lease_state)s;
        assert_true(reached);
    }
}

/* I8: every hold has a clock exit. */
static void test_lease_states__that_are_live__have_a_clock_exit_i8(void **state)
{
    (void)state;
    for (int s = 0; s < LEASE_STATES; s++) {
        bool exits = lease_is_terminal((enum lease_state)s);
        for (int on = 0; on < LEV_COUNT; on++)
            exits = exits || (lease_event_is_clock((enum lease_event)on) && edge_of((enum lease_state)s, (enum lease_event)on) != NULL);
        assert_true(exits);
    }
}

static void test_lease_states__that_are_live__can_be_revoked(void **state)
{
    (void)state;
    for (int s = 0; s < LEASE_STATES; s++)
        assert_int_equal(edge_of((enum lease_state)s, LEV_REVOKE) != NULL, !lease_is_terminal((enum lease_state)s));
}

static void test_lease_apply__every_state_and_event__does_what_the_table_says(void **state)
{
    (void)state;
    for (int s = 0; s < LEASE_STATES; s++)
        for (int on = 0; on < LEV_COUNT; on++) {
            struct lease lease = lease_at((enum lease_state)s), before = lease;
            const struct lease_edge *edge = edge_of((enum lease_state)s, (enum lease_event)on);
            enum hc_err err = lease_apply(&lease, (enum lease_event)on, WHY_TTL, NOW);
            if (edge == NULL) {
                assert_int_equal(err, HC_ERR_EDGE);
                assert_memory_equal(&lease, &before, sizeof lease);
                continue;
            }
            assert_int_equal(err, HC_OK);
            assert_int_equal(lease.state, edge->to);
            assert_int_equal(lease.why, WHY_TTL);
            assert_int_equal(lease.changed_at.ms, NOW.ms);
        }
}

static void test_lease_apply__unknown_and_back__returns_where_it_came_from(void **state)
{
    (void)state;
    struct lease lease = lease_at(LEASE_ADOPTED);
    assert_int_equal(lease_apply(&lease, LEV_BODY_SILENT, WHY_BODY_SILENT, NOW), HC_OK);
    assert_int_equal(lease.came_from, LEASE_ADOPTED);
    assert_int_equal(lease_apply(&lease, LEV_BODY_BACK, WHY_NONE, NOW), HC_OK);
    assert_int_equal(lease.state, LEASE_ADOPTED);
}

static void test_lease_apply__taken_back_before_it_streamed__has_no_edge(void **state)
{
    (void)state;
    struct lease lease = lease_at(LEASE_PAIRING);
    assert_int_equal(lease_apply(&lease, LEV_HEAD_RELEASE, WHY_RELEASED, NOW), HC_OK);
    assert_int_equal(lease_apply(&lease, LEV_TAKEN_BACK, WHY_NONE, NOW), HC_ERR_EDGE);
    assert_int_equal(lease.state, LEASE_DRAINING);
}

static void test_lease_events__all__have_names_of_their_own(void **state)
{
    (void)state;
    for (int a = 0; a < LEV_COUNT; a++) {
        assert_true(lease_event_name((enum lease_event)a)[0] != '\0');
        for (int b = 0; b < a; b++)
            assert_string_not_equal(lease_event_name((enum lease_event)a), lease_event_name((enum lease_event)b));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lease_edges__all__are_unique),
        cmocka_unit_test(test_lease_edges__all__leave_live_states_only),
        cmocka_unit_test(test_lease_states__all__are_reachable),
        cmocka_unit_test(test_lease_states__that_are_live__have_a_clock_exit_i8),
        cmocka_unit_test(test_lease_states__that_are_live__can_be_revoked),
        cmocka_unit_test(test_lease_apply__every_state_and_event__does_what_the_table_says),
        cmocka_unit_test(test_lease_apply__unknown_and_back__returns_where_it_came_from),
        cmocka_unit_test(test_lease_apply__taken_back_before_it_streamed__has_no_edge),
        cmocka_unit_test(test_lease_events__all__have_names_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
