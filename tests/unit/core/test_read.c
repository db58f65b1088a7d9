#include "asks.h"

#include <stdio.h>

#define WINDOW_MS(f) ((f)->config.timers.idempotency_window_ms)

static void venue_of_two(struct fleet *f)
{
    fleet_body(f, "b1", "north");
    fleet_body(f, "b2", "north");
    fleet_head(f, "h1", "south", "hydraheadipad");
    fleet_head(f, "h2", "south", "hydraheadipad");
    fleet_head(f, "h3", "south", "hydraheadipad");
    (void)fleet_report(f, "b1");
    (void)fleet_report(f, "b2");
}

static void wait_ms(struct fleet *f, int64_t ms)
{
    f->now = hc_time_add(f->now, ms);
}

static void hold(struct fleet *f, const char *head_id, char lease_id[HC_ID_SIZE])
{
    struct core_result *out = fleet_read(f, head_id, FLEET_EXPERIENCE);
    assert_int_equal(out->answer, ANSWER_ROWS);
    assert_int_equal(out->row_count, 1);
    assert_true(out->rows[0].lease_mine);
    assert_int_equal(out->rows[0].stream_count, 0);      /* wire §2: its own lease does not count */
    hc_copy(lease_id, HC_ID_SIZE, out->rows[0].lease_id);
}

static void test_read__three_heads_two_bodies__two_pictures_and_one_refusal(void **state)      /* the incident */
{
    struct fleet *f = *state;
    char one[HC_ID_SIZE], two[HC_ID_SIZE];
    venue_of_two(f);
    hold(f, "h1", one);
    hold(f, "h2", two);
    assert_string_not_equal(body_of(f, one), body_of(f, two));
    struct core_result *out = fleet_read(f, "h3", FLEET_EXPERIENCE);
    assert_int_equal(out->deny, DENY_NO_SLOT);
    assert_int_equal(out->wait, WAIT_NO_SLOT);
    assert_true(out->retry_after_ms > 0);
    assert_int_equal(out->row_count, 0);
    (void)fleet_heartbeat(f, "h1", "error", "");      /* an error ends the hold at once */
    assert_int_equal(fleet_lease(f, one)->state, LEASE_ABANDONED);
    (void)fleet_report(f, "b1");
    (void)fleet_report(f, "b2");
    hold(f, "h3", one);
}

static void test_read__within_the_window__is_the_same_hold(void **state)      /* §6.3.1 */
{
    struct fleet *f = *state;
    char one[HC_ID_SIZE], two[HC_ID_SIZE];
    venue_of_two(f);
    hold(f, "h1", one);
    for (unsigned i = 0; i < 4; i++) {                /* counted from the last read */
        wait_ms(f, WINDOW_MS(f) - 1);
        (void)fleet_report(f, "b1");
        (void)fleet_report(f, "b2");
        hold(f, "h1", two);
        assert_string_equal(one, two);
    }
}

static void test_read__after_the_window__abandons_demotes_and_takes_the_next(void **state)      /* §6.3.2 */
{
    struct fleet *f = *state;
    char one[HC_ID_SIZE], two[HC_ID_SIZE], first[HC_ID_SIZE];
    venue_of_two(f);
    hold(f, "h1", one);
    HC_SET(first, body_of(f, one));
    wait_ms(f, WINDOW_MS(f));
    hold(f, "h1", two);
    assert_string_not_equal(one, two);
    assert_int_equal(fleet_lease(f, one)->state, LEASE_ABANDONED);
    assert_int_equal(fleet_lease(f, one)->why, WHY_REPEAT_READ);
    assert_string_not_equal(body_of(f, two), first);
    char key[REC_KEY_SIZE];
    (void)snprintf(key, sizeof key, "%s/h1", first);
    assert_non_null(alloc_get(f->alloc, REC_DEMOTION, key));
    assert_string_equal(fleet_lease(f, one)->stream_id, fleet_lease(f, two)->stream_id);      /* one visit */
}

static void test_read__after_the_window_and_nothing_else__is_the_same_hold(void **state)      /* §6.3.2 */
{
    struct fleet *f = *state;
    char one[HC_ID_SIZE], two[HC_ID_SIZE];
    fleet_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadipad");
    (void)fleet_report(f, "b1");
    hold(f, "h1", one);
    wait_ms(f, WINDOW_MS(f) + 1);
    hold(f, "h1", two);
    assert_string_equal(one, two);
    assert_int_equal(alloc_count(f->alloc, REC_DEMOTION), 0);
    assert_int_equal(alloc_body(f->alloc, "b1")->circuit.failure_count, 0);
}

static void test_read__answer_was_lost__is_no_repeat(void **state)      /* §6.3.1: never handed out */
{
    struct fleet *f = *state;
    char one[HC_ID_SIZE], two[HC_ID_SIZE];
    venue_of_two(f);
    hold(f, "h1", one);
    answer_lost(f, "h1");
    wait_ms(f, WINDOW_MS(f) + 1);
    hold(f, "h1", two);
    assert_string_equal(one, two);
    wait_ms(f, WINDOW_MS(f) + 1);                     /* that one was: now it is a repeat */
    hold(f, "h1", two);
    assert_string_not_equal(one, two);
}

static void test_read__another_experience__releases_and_counts_nothing(void **state)      /* §6.3.3 */
{
    static const char *const both[] = { FLEET_EXPERIENCE, "mercator" };
    struct fleet *f = *state;
    char one[HC_ID_SIZE];
    venue_of_two(f);
    hold(f, "h1", one);
    set_experiences(f, "b1", both, 2);
    set_experiences(f, "b2", both, 2);
    struct core_result *out = fleet_read(f, "h1", "mercator");
    assert_int_equal(out->answer, ANSWER_ROWS);
    assert_string_equal(out->lease.experience, "mercator");
    assert_string_not_equal(out->lease.id, one);
    assert_int_equal(fleet_lease(f, one)->why, WHY_EXPERIENCE_CHANGED);
    assert_int_equal(alloc_count(f->alloc, REC_DEMOTION), 0);
    assert_int_equal(alloc_count(f->alloc, REC_STREAM), 1);
}

static void test_read__streaming_and_it_said_so__is_unchanged(void **state)      /* §6.3.4 */
{
    struct fleet *f = *state;
    char one[HC_ID_SIZE];
    venue_of_two(f);
    play_legacy(f, "h1", one);
    wait_ms(f, WINDOW_MS(f) + 1);
    (void)fleet_heartbeat(f, "h1", "streaming", body_of(f, one));
    struct core_result *out = fleet_read(f, "h1", FLEET_EXPERIENCE);
    assert_string_equal(out->rows[0].lease_id, one);
    assert_int_equal(out->rows[0].lease_state, LEASE_STREAMING);
    assert_int_equal(out->rows[0].stream_count, 0);
}

static void test_read__streaming_and_it_never_said_so__seeks_again(void **state)      /* §6.3.4 */
{
    struct fleet *f = *state;
    char one[HC_ID_SIZE], two[HC_ID_SIZE];
    venue_of_two(f);
    play_legacy(f, "h1", one);
    hc_time created = alloc_stream(f->alloc, fleet_lease(f, one)->stream_id)->created_at;
    wait_ms(f, WINDOW_MS(f) + 1);
    hold(f, "h1", two);
    assert_string_not_equal(one, two);
    assert_int_equal(fleet_lease(f, one)->state, LEASE_DRAINING);
    assert_int_equal(fleet_lease(f, one)->why, WHY_SEEKS_AGAIN);
    assert_string_equal(fleet_lease(f, one)->stream_id, fleet_lease(f, two)->stream_id);
    assert_int_equal(alloc_stream(f->alloc, fleet_lease(f, two)->stream_id)->created_at.ms, created.ms);
}

static void test_read__lease_is_unknown__seeks_again_and_leaves_it(void **state)      /* §6.3.4 */
{
    struct fleet *f = *state;
    char one[HC_ID_SIZE], two[HC_ID_SIZE], body[HC_ID_SIZE];
    venue_of_two(f);
    play_legacy(f, "h1", one);
    HC_SET(body, body_of(f, one));
    fleet_silent(f, body);
    fleet_pass(f, 125000);
    assert_int_equal(fleet_lease(f, one)->state, LEASE_UNKNOWN);
    hold(f, "h1", two);
    assert_string_not_equal(one, two);
    assert_int_equal(fleet_lease(f, one)->state, LEASE_UNKNOWN);
    assert_true(fleet_lease(f, one)->left_behind);
}

static void test_read__slot_drains__is_parked_and_served(void **state)      /* §6.3.5 */
{
    struct fleet *f = *state;
    char one[HC_ID_SIZE], two[HC_ID_SIZE];
    fleet_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadipad");
    fleet_head(f, "h2", "north", "hydraheadipad");
    (void)fleet_report(f, "b1");
    play_legacy(f, "h1", one);
    (void)ask_stop(f, "h1", "b1");
    assert_int_equal(fleet_lease(f, one)->state, LEASE_DRAINING);
    assert_int_equal(ask_read(f, "h2", FLEET_EXPERIENCE)->answer, ANSWER_WAIT_SLOT);
    assert_true(f->last.dirty);                       /* its place in the queue */
    assert_int_equal(ask_read(f, "h2", FLEET_EXPERIENCE)->answer, ANSWER_WAIT_SLOT);
    assert_false(f->last.dirty);                      /* run again it changes nothing: it must not wake itself */
    wait_ms(f, 1000);
    fleet_no_session(f, "b1");
    (void)fleet_report(f, "b1");
    (void)fleet_report(f, "b1");                      /* the new epoch is confirmed */
    hold(f, "h2", two);
    assert_null(alloc_ticket(f->alloc, "h2"));
}

static void test_read__one_slot_drains_and_an_older_waits__is_refused_at_once(void **state)
{
    struct fleet *f = *state;
    char one[HC_ID_SIZE];
    fleet_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadipad");
    fleet_head(f, "h2", "north", "hydraheadipad");
    fleet_head(f, "h3", "north", "hydraheadipad");
    (void)fleet_report(f, "b1");
    play_legacy(f, "h1", one);
    (void)ask_stop(f, "h1", "b1");
    assert_int_equal(ask_read(f, "h2", FLEET_EXPERIENCE)->answer, ANSWER_WAIT_SLOT);
    wait_ms(f, 1);
    assert_int_equal(ask_read(f, "h3", FLEET_EXPERIENCE)->deny, DENY_NO_SLOT);
}

static void test_read__epoch_not_confirmed__is_parked(void **state)      /* §6.3.5 */
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadipad");
    (void)fleet_report(f, "b1");
    edit_body(f, "b1")->slots[0].epoch += 1;
    edit_done(f);
    assert_int_equal(ask_read(f, "h1", FLEET_EXPERIENCE)->answer, ANSWER_WAIT_SLOT);
    assert_int_equal(fleet_read(f, "h1", FLEET_EXPERIENCE)->deny, DENY_NO_SLOT);      /* the last chance */
    (void)fleet_report(f, "b1");
    assert_int_equal(ask_read(f, "h1", FLEET_EXPERIENCE)->answer, ANSWER_ROWS);
}

static void test_read__body_has_not_reported_yet__is_parked(void **state)      /* §6.3.5 */
{
    static const char *const list[] = { FLEET_EXPERIENCE };
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadipad");
    set_experiences(f, "b1", list, 1);
    assert_int_equal(ask_read(f, "h1", FLEET_EXPERIENCE)->answer, ANSWER_WAIT_SLOT);
    (void)fleet_report(f, "b1");
    assert_int_equal(ask_read(f, "h1", FLEET_EXPERIENCE)->answer, ANSWER_ROWS);
}

static void test_read__slot_is_merely_busy__is_refused_at_once(void **state)
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadipad");
    (void)fleet_report(f, "b1");
    edit_body(f, "b1")->maintenance = true;
    edit_done(f);
    assert_int_equal(ask_read(f, "h1", FLEET_EXPERIENCE)->deny, DENY_NO_SLOT);
}

static void test_read__reserved_for_the_home_venue__says_so(void **state)      /* §7.12 */
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    fleet_head(f, "h1", "south", "hydraheadipad");
    (void)fleet_report(f, "b1");
    edit_body(f, "b1")->home_venue_reserve = 1;
    edit_done(f);
    assert_int_equal(fleet_read(f, "h1", FLEET_EXPERIENCE)->deny, DENY_RESERVED);
    assert_int_equal(f->last.wait, WAIT_RESERVED);
}

static void test_read__store_is_down__grants_nothing(void **state)      /* §3.5 */
{
    struct fleet *f = *state;
    char one[HC_ID_SIZE];
    venue_of_two(f);
    hold(f, "h1", one);
    f->store_down = true;
    assert_int_equal(fleet_read(f, "h2", FLEET_EXPERIENCE)->deny, DENY_STORE);
    assert_false(f->last.dirty);
    wait_ms(f, WINDOW_MS(f) + 1);
    assert_int_equal(fleet_read(f, "h1", FLEET_EXPERIENCE)->deny, DENY_STORE);      /* a repeat would abandon and grant */
    assert_int_equal(fleet_lease(f, one)->state, LEASE_HELD);
}

static void test_read__empty_experience__changes_nothing(void **state)      /* wire §2.5 */
{
    struct fleet *f = *state;
    venue_of_two(f);
    struct core_result *out = fleet_read(f, "h1", "");
    assert_int_equal(out->row_count, 2);
    assert_false(out->dirty);
    assert_null(alloc_head_lease(f->alloc, "h1"));
}

static void test_read__another_heads_id__is_forbidden(void **state)      /* I5 */
{
    struct fleet *f = *state;
    venue_of_two(f);
    struct core_event ev = fleet_event(f, CORE_READ, CALLER_NODE, "h1");
    ev.u.read = (struct read_req){ .head_id = "h2", .district = "", .venue = "", .experience = FLEET_EXPERIENCE, .stream_mode = "" };
    assert_int_equal(fleet_step(f, &ev)->deny, DENY_FORBIDDEN);
    assert_false(f->last.dirty);
}

static void test_pure_read__body_held_by_another__is_omitted(void **state)      /* §6.3.10 */
{
    struct fleet *f = *state;
    char one[HC_ID_SIZE];
    venue_of_two(f);
    hold(f, "h1", one);
    struct core_result *out = ask_pure(f, "h2", FLEET_EXPERIENCE, "");
    assert_int_equal(out->row_count, 1);
    assert_string_not_equal(out->rows[0].id, body_of(f, one));
    assert_int_equal(ask_pure(f, "h1", FLEET_EXPERIENCE, "")->row_count, 2);      /* its own stays */
    assert_false(f->last.dirty);
}

static void test_pure_read__operator_with_include_leased__sees_the_holder(void **state)
{
    struct fleet *f = *state;
    char one[HC_ID_SIZE];
    venue_of_two(f);
    hold(f, "h1", one);
    assert_int_equal(ask_listing(f, "", "", false)->row_count, 1);
    struct core_result *out = ask_listing(f, FLEET_DISTRICT, "", true);
    assert_int_equal(out->row_count, 2);
    const struct eligible_row *row = out->rows[0].has_lease ? &out->rows[0] : &out->rows[1];
    assert_string_equal(row->lease_id, one);
    assert_false(row->lease_mine);
    assert_int_equal(row->stream_count, 1);
    assert_int_equal(ask_listing(f, "elsewhere", "", true)->row_count, 0);
    assert_int_equal(ask_listing(f, "", "nowhere", true)->row_count, 0);
    assert_int_equal(ask_listing(f, "", "north", true)->row_count, 2);
}

static void test_read__assigned_body__is_that_or_nothing(void **state)      /* §6.3.9 */
{
    struct fleet *f = *state;
    char one[HC_ID_SIZE];
    venue_of_two(f);
    assign_body(f, "h1", "b2", "");
    assign_body(f, "h2", "b2", "");
    hold(f, "h1", one);
    assert_string_equal(body_of(f, one), "b2");
    assert_int_equal(fleet_read(f, "h2", FLEET_EXPERIENCE)->deny, DENY_NO_SLOT);
}

static void test_read__draining_lease_of_its_own__is_not_its_own_any_more(void **state)      /* §6.3.4 */
{
    struct fleet *f = *state;
    char one[HC_ID_SIZE], two[HC_ID_SIZE];
    venue_of_two(f);
    play_legacy(f, "h1", one);
    (void)ask_stop(f, "h1", "");
    hold(f, "h1", two);
    assert_string_not_equal(one, two);
    assert_string_not_equal(fleet_lease(f, one)->stream_id, fleet_lease(f, two)->stream_id);      /* a release ends the visit */
}

static void test_read__quest__has_the_longer_hold(void **state)      /* §6.2 */
{
    struct fleet *f = *state;
    char one[HC_ID_SIZE];
    fleet_body(f, "b1", "north");
    fleet_head(f, "q1", "north", "hydraheadquest");
    (void)fleet_report(f, "b1");
    hold(f, "q1", one);
    fleet_pass(f, 140000);                            /* silent while it pairs */
    assert_int_equal(fleet_lease(f, one)->state, LEASE_HELD);
    fleet_pass(f, 20000);
    assert_int_equal(fleet_lease(f, one)->state, LEASE_EXPIRED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLEET_TEST(test_read__three_heads_two_bodies__two_pictures_and_one_refusal),
        FLEET_TEST(test_read__within_the_window__is_the_same_hold),
        FLEET_TEST(test_read__after_the_window__abandons_demotes_and_takes_the_next),
        FLEET_TEST(test_read__after_the_window_and_nothing_else__is_the_same_hold),
        FLEET_TEST(test_read__answer_was_lost__is_no_repeat),
        FLEET_TEST(test_read__another_experience__releases_and_counts_nothing),
        FLEET_TEST(test_read__streaming_and_it_said_so__is_unchanged),
        FLEET_TEST(test_read__streaming_and_it_never_said_so__seeks_again),
        FLEET_TEST(test_read__lease_is_unknown__seeks_again_and_leaves_it),
        FLEET_TEST(test_read__slot_drains__is_parked_and_served),
        FLEET_TEST(test_read__one_slot_drains_and_an_older_waits__is_refused_at_once),
        FLEET_TEST(test_read__epoch_not_confirmed__is_parked),
        FLEET_TEST(test_read__body_has_not_reported_yet__is_parked),
        FLEET_TEST(test_read__slot_is_merely_busy__is_refused_at_once),
        FLEET_TEST(test_read__reserved_for_the_home_venue__says_so),
        FLEET_TEST(test_read__store_is_down__grants_nothing),
        FLEET_TEST(test_read__empty_experience__changes_nothing),
        FLEET_TEST(test_read__another_heads_id__is_forbidden),
        FLEET_TEST(test_pure_read__body_held_by_another__is_omitted),
        FLEET_TEST(test_pure_read__operator_with_include_leased__sees_the_holder),
        FLEET_TEST(test_read__assigned_body__is_that_or_nothing),
        FLEET_TEST(test_read__draining_lease_of_its_own__is_not_its_own_any_more),
        FLEET_TEST(test_read__quest__has_the_longer_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
