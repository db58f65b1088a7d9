#include "fixture.h"
#include "hydra/base/arena.h"

static struct hc_arena arena;

static int teardown(void **state)
{
    hc_arena_free(&arena);
    return fleet_teardown(state);
}

/* Two bodies in north, one in south; a stream and a waiting head of south, a venue without bodies that waits too. */
static void fill(struct fleet *f)
{
    fleet_body(f, "b1", "north");
    fleet_body(f, "b2", "north");
    fleet_body(f, "b3", "south");
    fleet_head(f, "h1", "north", "hydraheadflatscreen");
    fleet_head(f, "h2", "tower", "hydraheadflatscreen");
    (void)fleet_report(f, "b1");
    assert_int_equal(fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->answer, ANSWER_LEASE_NEW);
    assert_int_equal(fleet_claim(f, "h2", "a2", FLEET_EXPERIENCE)->answer, ANSWER_TICKET);
}

static void test_pools__of_bodies_by_venue__count_slots_and_waiting(void **state)
{
    struct fleet *f = *state;
    fill(f);
    struct body_rec *body = (struct body_rec *)alloc_edit(f->alloc, REC_BODY, "b2");
    body->circuit.state = CIRCUIT_OPEN;
    bool changed;
    assert_int_equal(alloc_end_step(f->alloc, &changed), HC_OK);
    struct core_view v = fleet_view(f);
    struct pool_row *rows;
    size_t count;
    assert_int_equal(query_pools(&v, &arena, &rows, &count), HC_OK);
    assert_int_equal(count, 2);
    assert_string_equal(rows[0].pool, "d1/north-owned");
    assert_string_equal(rows[1].pool, "d1/south-owned");
    assert_int_equal(rows[0].slots, 2);
    assert_int_equal(rows[0].occupied, 2);
    assert_int_equal(rows[0].grantable, 0);
    assert_int_equal(rows[0].open_count, 1);
    assert_string_equal(rows[0].open_circuits[0], "b2");
    assert_int_equal(rows[0].queue_depth, 1);
    assert_int_equal(rows[1].slots, 1);
    assert_int_equal(rows[1].open_count, 0);
    assert_int_equal(rows[1].queue_depth, 1);       /* one ticket, two pools that could serve it */
    (void)fleet_report(f, "b3");
    v = fleet_view(f);
    assert_int_equal(query_pools(&v, &arena, &rows, &count), HC_OK);
    assert_int_equal(rows[1].occupied, 1);          /* the waiting head got it in that event */
    assert_int_equal(rows[0].queue_depth, 0);
}

static void test_venues__one_without_bodies__is_listed_with_its_queue(void **state)
{
    struct fleet *f = *state;
    fill(f);
    struct core_view v = fleet_view(f);
    struct venue_row *rows;
    size_t count;
    assert_int_equal(query_venues(&v, &arena, &rows, &count), HC_OK);
    assert_int_equal(count, 3);
    assert_string_equal(rows[0].venue, "north");
    assert_int_equal(rows[0].slots, 2);
    assert_int_equal(rows[0].queue_depth, 0);
    assert_string_equal(rows[2].venue, "tower");
    assert_int_equal(rows[2].slots, 0);
    assert_int_equal(rows[2].queue_depth, 1);
}

static void test_pools__each_allocation_failing__is_an_error(void **state)
{
    struct fleet *f = *state;
    fill(f);
    struct core_view v = fleet_view(f);
    struct pool_row *pools;
    struct venue_row *venues;
    size_t count;
    hc_alloc_fail_after(1);
    assert_int_equal(query_pools(&v, &arena, &pools, &count), HC_ERR_NOMEM);
    hc_alloc_fail_after(1);
    assert_int_equal(query_venues(&v, &arena, &venues, &count), HC_ERR_NOMEM);
    hc_alloc_fail_after(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_pools__of_bodies_by_venue__count_slots_and_waiting, fleet_setup, teardown),
        cmocka_unit_test_setup_teardown(test_venues__one_without_bodies__is_listed_with_its_queue, fleet_setup, teardown),
        cmocka_unit_test_setup_teardown(test_pools__each_allocation_failing__is_an_error, fleet_setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
