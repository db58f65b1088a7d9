#include "asks.h"

#include "hydra/base/arena.h"

static void waiting(struct fleet *f)
{
    fleet_body(f, "b1", "north");
    fleet_head(f, "h0", "north", "hydraheadflatscreen");
    fleet_head(f, "h1", "north", "hydraheadipad");
    fleet_head(f, "h2", "south", "hydraheadflatscreen");
    (void)fleet_report(f, "b1");
    (void)fleet_claim(f, "h0", "a0", FLEET_EXPERIENCE);
    (void)fleet_read(f, "h1", FLEET_EXPERIENCE);
    f->now = hc_time_add(f->now, 2000);
    (void)fleet_claim(f, "h2", "a2", FLEET_EXPERIENCE);
    f->now = hc_time_add(f->now, 3000);
}

static void test_queue_rows__in_order__with_place_and_times(void **state)      /* wire §5 */
{
    struct fleet *f = *state;
    struct hc_arena arena = { 0 };
    struct queue_row *rows;
    size_t count;
    waiting(f);
    struct core_view v = fleet_view(f);
    assert_int_equal(query_queue(&v, FLEET_DISTRICT, &arena, &rows, &count), HC_OK);
    assert_int_equal(count, 2);
    assert_string_equal(rows[0].ticket->rec.key, "h1");
    assert_int_equal(rows[0].position, 1);
    assert_int_equal(rows[0].waited_ms, 5000);
    assert_int_equal(rows[0].expires_in_ms, f->config.timers.ticket_ttl_ms - 5000);
    assert_string_equal(rows[0].venue, "north");
    assert_int_equal(rows[1].position, 2);
    assert_string_equal(rows[1].head_name, "h2");
    assert_int_equal(rows[1].skipped_count, 0);       /* nothing is free */
    assert_int_equal(rows[1].eta_ms, -1);
    assert_int_equal(query_queue(&v, "elsewhere", &arena, &rows, &count), HC_OK);
    assert_int_equal(count, 0);
    hc_arena_free(&arena);
}

static enum wait_why why_of_first(struct fleet *f)
{
    struct hc_arena arena = { 0 };
    struct queue_row *rows;
    size_t count;
    struct core_view v = fleet_view(f);
    struct ticket_facts facts;
    assert_int_equal(query_queue(&v, "", &arena, &rows, &count), HC_OK);
    assert_int_equal(count, 1);
    enum wait_why why = rows[0].why;
    query_ticket(&v, rows[0].ticket, &facts);
    assert_int_equal(facts.why, why);                 /* the head is told the same */
    hc_arena_free(&arena);
    return why;
}

/* The reason is that of now: a cap that was lifted, or has just been set, needs no new look of the head. */
static void test_queue_rows__cap_lifted_or_set_while_it_waits__the_reason_follows(void **state)
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadipad");
    (void)fleet_report(f, "b1");
    give_cap(f, "venue/north", 0);
    (void)fleet_read(f, "h1", FLEET_EXPERIENCE);
    assert_int_equal(alloc_ticket(f->alloc, "h1")->why, WAIT_VENUE_CAP);
    assert_int_equal(why_of_first(f), WAIT_VENUE_CAP);
    give_cap(f, "venue/north", 5);
    assert_int_equal(why_of_first(f), WAIT_NO_SLOT);
    give_cap(f, "org/" FLEET_OWNER, 0);
    assert_int_equal(why_of_first(f), WAIT_ORG_CAP);
}

static void test_queue_rows__free_slot_that_it_does_not_get__says_why(void **state)      /* §7.8 */
{
    struct fleet *f = *state;
    struct hc_arena arena = { 0 };
    struct queue_row *rows;
    size_t count;
    waiting(f);
    fleet_body(f, "b2", "north");
    fleet_slots(f, "b2", 2);
    edit_body(f, "b2")->home_venue_reserve = 2;
    edit_done(f);
    (void)fleet_report(f, "b2");
    struct core_view v = fleet_view(f);
    assert_int_equal(query_queue(&v, "", &arena, &rows, &count), HC_OK);
    assert_int_equal(count, 2);
    assert_int_equal(rows[0].skipped_count, 2);
    assert_int_equal(rows[0].skipped[0].why_not, WHY_NOT_LEGACY_ONE_SLOT);
    assert_string_equal(rows[0].skipped[0].body_id, "b2");
    assert_int_equal(rows[1].skipped_count, 2);
    assert_int_equal(rows[1].skipped[1].why_not, WHY_NOT_RESERVED);
    hc_arena_free(&arena);
}

static void test_candidates__all_slots_of_the_district__with_rank_and_reason(void **state)      /* wire §5 */
{
    struct fleet *f = *state;
    struct hc_arena arena = { 0 };
    struct candidate_row *rows;
    size_t count;
    waiting(f);
    fleet_body(f, "b2", "south");
    (void)fleet_report(f, "b2");                      /* h2's ticket is served */
    assert_non_null(fleet_live(f, "b2", 0));
    fleet_head(f, "h3", "south", "hydraheadflatscreen");
    struct core_view v = fleet_view(f);
    struct seeker who = { .head_id = "h3", .experience = FLEET_EXPERIENCE, .ticket_id = "", .protocol = 2, .created_at = f->now };
    assert_int_equal(query_candidates(&v, &who, &arena, &rows, &count), HC_OK);
    assert_int_equal(count, 2);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(rows[i].rank, i + 1);
        assert_true(rows[i].eligible);
        assert_false(rows[i].grantable);
        assert_true((rows[i].why_not & WHY_NOT_LEASED) != 0);
    }
    assert_string_equal(rows[0].body_id, "b2");       /* same venue first */
    hc_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLEET_TEST(test_queue_rows__in_order__with_place_and_times),
        FLEET_TEST(test_queue_rows__cap_lifted_or_set_while_it_waits__the_reason_follows),
        FLEET_TEST(test_queue_rows__free_slot_that_it_does_not_get__says_why),
        FLEET_TEST(test_candidates__all_slots_of_the_district__with_rank_and_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
