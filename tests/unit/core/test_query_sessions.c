#include "fixture.h"
#include "hydra/base/arena.h"

static struct hc_arena arena;

static int teardown(void **state)
{
    hc_arena_free(&arena);
    return fleet_teardown(state);
}

static void test_sessions__live_and_ended__are_two_lists(void **state)
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    fleet_head(f, "h1", "south", "hydraheadflatscreen");
    (void)fleet_report(f, "b1");
    assert_int_equal(fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->answer, ANSWER_LEASE_NEW);
    char lease_id[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE];
    HC_SET(lease_id, f->last.lease.id);
    HC_SET(token, f->last.claim_token);
    struct core_view v = fleet_view(f);
    struct session_row *rows;
    size_t count;
    assert_int_equal(query_sessions(&v, true, &arena, &rows, &count), HC_OK);
    assert_int_equal(count, 0);
    assert_int_equal(query_sessions(&v, false, &arena, &rows, &count), HC_OK);
    assert_int_equal(count, 1);
    assert_string_equal(rows[0].lease_id, lease_id);
    assert_string_equal(rows[0].head_venue, "south");
    assert_string_equal(rows[0].body_venue, "north");
    assert_int_equal(rows[0].source, SOURCE_EXPLICIT);
    assert_false(hc_time_set(rows[0].ended_at));
    struct session_row one;
    assert_int_equal(query_session(&v, lease_id, &one), HC_OK);
    assert_string_equal(one.lease_id, lease_id);
    assert_string_equal(one.grant_facts, "other_venue");
    assert_int_equal(query_session(&v, "lse-none", &one), HC_ERR_NOTFOUND);

    f->now = hc_time_add(f->now, 5000);
    (void)fleet_release(f, "h1", lease_id, token, WHY_USER_EXIT);
    v = fleet_view(f);
    assert_int_equal(query_sessions(&v, true, &arena, &rows, &count), HC_OK);
    assert_int_equal(count, 1);
    assert_int_equal(rows[0].ended_at.ms, f->now.ms);
    assert_int_equal(rows[0].why, WHY_USER_EXIT);
    assert_int_equal(query_sessions(&v, false, &arena, &rows, &count), HC_OK);
    assert_int_equal(count, 0);
}

static void test_stream__from_ticket_to_live_to_unattended__tells_its_facts(void **state)
{
    struct fleet *f = *state;
    struct stream_facts facts;
    fleet_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadflatscreen");
    assert_int_equal(fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->answer, ANSWER_TICKET);
    char stream_id[HC_ID_SIZE];
    HC_SET(stream_id, alloc_head_stream(f->alloc, "h1"));
    struct core_view v = fleet_view(f);
    assert_int_equal(query_stream(&v, "str-none", &facts), HC_ERR_NOTFOUND);
    assert_int_equal(query_stream(&v, stream_id, &facts), HC_OK);
    assert_int_equal(facts.state, STREAM_SEEKING);
    assert_string_equal(facts.ticket_id, alloc_ticket(f->alloc, "h1")->id);
    assert_string_equal(facts.lease_id, "");
    (void)fleet_report(f, "b1");
    const struct lease *lease = fleet_live(f, "b1", 0);
    assert_non_null(lease);
    v = fleet_view(f);
    assert_int_equal(query_stream(&v, stream_id, &facts), HC_OK);
    assert_int_equal(facts.state, STREAM_BINDING);
    assert_string_equal(facts.lease_id, lease->id);
    assert_string_equal(facts.ticket_id, "");
    fleet_session(f, "b1", 0, SESSION_STREAMING, lease->id, "launch-1");
    (void)fleet_report(f, "b1");
    fleet_pass(f, 100000);
    v = fleet_view(f);
    assert_int_equal(query_stream(&v, stream_id, &facts), HC_OK);
    assert_int_equal(facts.state, STREAM_LIVE);
    assert_true(facts.unattended_ms >= 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_sessions__live_and_ended__are_two_lists, fleet_setup, teardown),
        cmocka_unit_test_setup_teardown(test_stream__from_ticket_to_live_to_unattended__tells_its_facts, fleet_setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
