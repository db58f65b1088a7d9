#include "asks.h"

#include <stdio.h>
#include <string.h>

#define TTL_MS(f) ((f)->config.timers.ticket_ttl_ms)

/* b1 is held by a legacy head of the house; everybody else waits. */
static void busy_body(struct fleet *f, char lease_id[HC_ID_SIZE])
{
    fleet_body(f, "b1", "north");
    fleet_head(f, "h0", "north", "hydraheadipad");
    for (char n = '1'; n <= '4'; n++) {
        char id[] = { 'h', n, '\0' };
        fleet_head(f, id, "north", "hydraheadflatscreen");
    }
    (void)fleet_report(f, "b1");
    play_legacy(f, "h0", lease_id);
}

static const struct ticket_rec *queue_up(struct fleet *f, const char *head_id, const char *attempt_id)
{
    f->now = hc_time_add(f->now, 10);
    assert_int_equal(fleet_claim(f, head_id, attempt_id, FLEET_EXPERIENCE)->answer, ANSWER_TICKET);
    const struct ticket_rec *ticket = alloc_ticket(f->alloc, head_id);
    assert_non_null(ticket);
    return ticket;
}

static void session_over(struct fleet *f)
{
    (void)ask_stop(f, "h0", "");
    fleet_no_session(f, "b1");
    f->now = hc_time_add(f->now, 1000);
    (void)fleet_report(f, "b1");
    (void)fleet_report(f, "b1");
}

static const char *holder(struct fleet *f)
{
    const struct lease *lease = fleet_live(f, "b1", 0);
    return lease == NULL ? "" : lease->head_id;
}

static void test_queue__slot_becomes_free__goes_to_the_oldest(void **state)      /* §7.1 */
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    busy_body(f, lease);
    (void)queue_up(f, "h2", "a2");
    (void)queue_up(f, "h1", "a1");
    session_over(f);
    assert_string_equal(holder(f), "h2");
    assert_int_equal(fleet_notes(&f->last, NOTE_PROMOTED), 1);
    assert_null(alloc_ticket(f->alloc, "h2"));
    assert_non_null(alloc_ticket(f->alloc, "h1"));
}

static void test_queue__newcomer__never_passes_an_older_ticket(void **state)      /* §7.1 */
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    busy_body(f, lease);
    fleet_head(f, "i1", "north", "hydraheadipad");
    assert_int_equal(fleet_read(f, "i1", FLEET_EXPERIENCE)->deny, DENY_NO_SLOT);      /* a legacy ticket: not promoted by itself */
    session_over(f);
    assert_string_equal(holder(f), "");
    assert_int_equal(fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->wait, WAIT_KEPT_FOR_OLDER);
    assert_int_equal(fleet_read(f, "i1", FLEET_EXPERIENCE)->answer, ANSWER_ROWS);      /* its next read wins */
}

static void test_queue__legacy_visitor_walked_away__his_place_is_kept_for_the_ttl_only(void **state)      /* §7.3 */
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    busy_body(f, lease);
    fleet_head(f, "i1", "north", "hydraheadipad");
    (void)fleet_read(f, "i1", FLEET_EXPERIENCE);
    (void)queue_up(f, "h1", "a1");
    session_over(f);
    assert_string_equal(holder(f), "");
    for (int64_t ms = 0; ms < TTL_MS(f) + 20000; ms += 10000) {
        fleet_pass(f, 10000);
        (void)ask_admission(f, "h1", "");
    }
    assert_null(alloc_ticket(f->alloc, "i1"));
    assert_string_equal(holder(f), "h1");
}

static void test_queue__one_absent_legacy_ticket_two_free_slots__keeps_one(void **state)      /* §7.3: a slot */
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    busy_body(f, lease);
    fleet_head(f, "i1", "north", "hydraheadipad");
    (void)fleet_read(f, "i1", FLEET_EXPERIENCE);
    session_over(f);
    fleet_body(f, "b2", "north");
    (void)fleet_report(f, "b2");
    assert_int_equal(fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->answer, ANSWER_LEASE_NEW);
    assert_int_equal(fleet_claim(f, "h2", "a2", FLEET_EXPERIENCE)->wait, WAIT_KEPT_FOR_OLDER);
    assert_int_equal(fleet_read(f, "i1", FLEET_EXPERIENCE)->answer, ANSWER_ROWS);
}

static void test_queue__same_millisecond__ticket_id_decides(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], one[HC_ID_SIZE], two[HC_ID_SIZE];
    busy_body(f, lease);
    HC_SET(one, fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->ticket.id);
    HC_SET(two, fleet_claim(f, "h2", "a2", FLEET_EXPERIENCE)->ticket.id);
    session_over(f);
    assert_string_equal(holder(f), strcmp(one, two) < 0 ? "h1" : "h2");
}

static void test_ticket__claimed_again__keeps_its_place_and_takes_the_attempt(void **state)      /* §7.1 */
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    busy_body(f, lease);
    hc_time created = queue_up(f, "h1", "a1")->created_at;
    char id[HC_ID_SIZE];
    HC_SET(id, alloc_ticket(f->alloc, "h1")->id);
    (void)queue_up(f, "h2", "a2");
    const struct ticket_rec *again = queue_up(f, "h1", "a9");
    assert_int_equal(again->created_at.ms, created.ms);
    assert_string_equal(again->id, id);
    assert_string_equal(again->attempt_id, "a9");
    assert_int_equal(f->last.ticket.position, 1);
    assert_int_equal(alloc_count(f->alloc, REC_TICKET), 2);
}

static void test_ticket__same_attempt_other_content__is_attempt_reused(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    busy_body(f, lease);
    (void)queue_up(f, "h1", "a1");
    struct claim_req req = usual_claim("h1", "a1");
    req.content_digest = "other";
    assert_int_equal(ask_claim(f, &req, false)->deny, DENY_ATTEMPT_REUSED);
}

static void test_ticket__asked_again__is_not_a_change(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    busy_body(f, lease);
    (void)queue_up(f, "h1", "a1");
    (void)queue_up(f, "h1", "a1");
    assert_false(f->last.dirty);
    assert_int_equal(fleet_notes(&f->last, NOTE_QUEUED), 0);
    assert_false(f->last.denied_for_capacity);        /* counted once */
}

/* §7.2: what renews a protocol-2 ticket */
static void poll_admission(struct fleet *f) { (void)ask_admission(f, "h1", ""); }
static void poll_claim(struct fleet *f) { (void)fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE); }
static void poll_heartbeat(struct fleet *f) { (void)fleet_heartbeat(f, "h1", "idle", ""); }

static void test_ticket__each_way_to_renew_it__keeps_it(void **state)
{
    static void (*const ways[])(struct fleet *) = { poll_admission, poll_claim, poll_heartbeat };
    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        void *fleet;
        char lease[HC_ID_SIZE];
        assert_int_equal(fleet_setup(&fleet), 0);
        struct fleet *f = fleet;
        busy_body(f, lease);
        (void)queue_up(f, "h1", "a1");
        for (int64_t ms = 0; ms < 3 * TTL_MS(f); ms += 30000) {
            fleet_pass(f, 30000);
            ways[i](f);
        }
        assert_non_null(alloc_ticket(f->alloc, "h1"));
        assert_true(hc_time_since(f->now, alloc_ticket(f->alloc, "h1")->renewed_at) < 60000);      /* saved by the tick (§3.8) */
        fleet_pass(f, TTL_MS(f) + 10000);
        assert_null(alloc_ticket(f->alloc, "h1"));
        assert_null(alloc_head_stream(f->alloc, "h1"));
        assert_int_equal(fleet_teardown(&fleet), 0);
    }
}

static void test_legacy_ticket__heartbeats_alone__do_not_renew_it(void **state)      /* §7.3 */
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    busy_body(f, lease);
    fleet_head(f, "i1", "north", "hydraheadipad");
    (void)fleet_read(f, "i1", FLEET_EXPERIENCE);
    fleet_pass(f, 30000);
    (void)fleet_heartbeat(f, "i1", "error", "");
    (void)ask_admission(f, "i1", "");
    fleet_pass(f, 26000);
    assert_null(alloc_ticket(f->alloc, "i1"));
}

static void wait_ten_minutes(struct fleet *f)
{
    for (int64_t ms = 0; ms < f->config.timers.ticket_max_ms; ms += 30000) {
        fleet_pass(f, 30000);
        (void)ask_admission(f, "h1", "");
        (void)fleet_heartbeat(f, "h0", "streaming", "b1");
    }
}

static void test_ticket__ten_minutes__asks_and_is_renewed_in_place(void **state)      /* §7.4 */
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    busy_body(f, lease);
    hc_time created = queue_up(f, "h1", "a1")->created_at;
    wait_ten_minutes(f);
    assert_int_equal(alloc_ticket(f->alloc, "h1")->state, TICKET_CONFIRM);
    struct core_result *out = ask_accept(f, "h1");
    assert_int_equal(out->answer, ANSWER_TICKET);
    assert_int_equal(out->ticket.state, TICKET_WAITING);
    assert_int_equal(alloc_ticket(f->alloc, "h1")->created_at.ms, created.ms);
    for (int64_t ms = 0; ms < 90000; ms += 30000) {
        fleet_pass(f, 30000);
        (void)ask_admission(f, "h1", "");
    }
    assert_int_equal(alloc_ticket(f->alloc, "h1")->state, TICKET_WAITING);
}

static void test_ticket__ten_minutes_and_no_answer__ends_queue_timeout(void **state)      /* §7.4 */
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], stream[HC_ID_SIZE];
    busy_body(f, lease);
    HC_SET(stream, queue_up(f, "h1", "a1")->stream_id);
    wait_ten_minutes(f);
    for (int64_t ms = 0; ms < f->config.timers.confirm_window_ms + 10000; ms += 10000) {
        fleet_pass(f, 10000);
        (void)ask_admission(f, "h1", "");
    }
    assert_null(alloc_ticket(f->alloc, "h1"));
    const struct stream_rec *ended = alloc_stream(f->alloc, stream);
    assert_true(ended == NULL || ended->why == STREAM_WHY_QUEUE_TIMEOUT);
}

static void test_promotion__not_collected__is_wasted_and_goes_to_the_next(void **state)      /* §7.2 */
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    busy_body(f, lease);
    (void)queue_up(f, "h1", "a1");
    (void)queue_up(f, "h2", "a2");
    session_over(f);
    assert_string_equal(holder(f), "h1");
    for (int64_t ms = 0; ms < f->config.timers.collect_window_ms + 15000; ms += 10000) {
        fleet_pass(f, 10000);
        (void)ask_admission(f, "h2", "");
    }
    assert_string_equal(holder(f), "h2");
    assert_null(alloc_ticket(f->alloc, "h1"));
}

static void test_queue__ticket_that_cannot_use_the_body__is_skipped_for_it_only(void **state)      /* §7.8 */
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    busy_body(f, lease);
    struct claim_req req = usual_claim("h1", "a1");
    static const char *const both[] = { FLEET_EXPERIENCE, "mercator" };
    struct body_rec *body = edit_body(f, "b1");
    strings_unref(body->listed_experiences);
    body->listed_experiences = strings_new(both, 2);      /* once listed: no 422; but not among the installed ones now */
    edit_done(f);
    req.experience = req.content_digest = "mercator";
    assert_int_equal(ask_claim(f, &req, false)->answer, ANSWER_TICKET);
    (void)queue_up(f, "h2", "a2");
    assert_int_equal(f->last.ticket.position, 1);     /* the older one cannot use what this one can */
    session_over(f);
    assert_string_equal(holder(f), "h2");
}

static void test_position__older_tickets_for_the_same_slots__count(void **state)      /* §7.5 */
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    busy_body(f, lease);
    (void)queue_up(f, "h1", "a1");
    assert_int_equal(f->last.ticket.position, 1);
    (void)queue_up(f, "h2", "a2");
    assert_int_equal(f->last.ticket.position, 2);
    (void)queue_up(f, "h3", "a3");
    assert_int_equal(f->last.ticket.position, 3);
    assert_int_equal(f->last.ticket.eta_ms, -1);      /* no history, no estimate */
}

static void test_eta__with_history__is_position_times_median_by_slots(void **state)      /* §7.5 */
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    busy_body(f, lease);
    struct pool_obs *pool = (struct pool_obs *)observed_edit(f->obs, OBS_POOL, FLEET_DISTRICT "/north-owned");
    assert_non_null(pool);
    static const int64_t lengths[] = { 100000, 900000, 200000 };
    memcpy(pool->session_ms, lengths, sizeof lengths);
    pool->count = 3;
    fleet_body(f, "b2", "north");
    (void)queue_up(f, "h1", "a1");
    assert_int_equal(f->last.ticket.eta_ms, 100000);  /* 1 x 200 s / 2 slots */
    assert_int_equal(alloc_ticket(f->alloc, "h1")->eta_ms, 100000);
    (void)queue_up(f, "h2", "a2");
    assert_int_equal(f->last.ticket.eta_ms, 200000);
}

static void test_pool__session_ends__its_length_is_remembered(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    busy_body(f, lease);
    f->now = hc_time_add(f->now, 59000);
    session_over(f);
    const struct pool_obs *pool = (const struct pool_obs *)observed_get(f->obs, OBS_POOL, FLEET_DISTRICT "/north-owned");
    assert_non_null(pool);
    assert_int_equal(pool->count, 1);
    assert_in_range(pool->session_ms[0], 59000, 61000);
}

static void demote_h1(struct fleet *f)
{
    struct demotion_rec *rec = (struct demotion_rec *)rec_new(REC_DEMOTION, "b1/h1");
    HC_SET(rec->body_id, "b1");
    HC_SET(rec->head_id, "h1");
    rec->until = hc_time_add(f->now, 300000);
    assert_int_equal(alloc_put(f->alloc, REC_DEMOTION, "b1/h1", &rec->rec), HC_OK);
    rec_unref(&rec->rec);
}

static void test_promotion__demoted_body_and_another__takes_the_other(void **state)      /* §6.3.7: ranked after all others */
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    busy_body(f, lease);
    demote_h1(f);
    fleet_body(f, "b2", "north");
    (void)fleet_report(f, "b2");
    edit_body(f, "b2")->maintenance = true;
    edit_done(f);
    (void)queue_up(f, "h1", "a1");
    edit_body(f, "b2")->maintenance = false;          /* both are free at the next look */
    edit_done(f);
    session_over(f);
    assert_string_equal(holder(f), "");
    const struct lease *got = fleet_live(f, "b2", 0);
    assert_non_null(got);
    assert_string_equal(got->head_id, "h1");
    assert_true(got->uncollected);
}

static void test_promotion__demoted_body_alone__is_taken_nevertheless(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    busy_body(f, lease);
    demote_h1(f);
    (void)queue_up(f, "h1", "a1");
    session_over(f);
    assert_string_equal(holder(f), "h1");
}

static void test_queue__store_is_down__promotes_nobody(void **state)      /* §3.5 */
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    busy_body(f, lease);
    (void)queue_up(f, "h1", "a1");
    (void)ask_stop(f, "h0", "");
    fleet_no_session(f, "b1");
    f->now = hc_time_add(f->now, 1000);
    f->store_down = true;
    (void)fleet_report(f, "b1");
    (void)fleet_report(f, "b1");
    assert_string_equal(holder(f), "h0");
    f->store_down = false;
    (void)fleet_report(f, "b1");
    (void)fleet_report(f, "b1");
    assert_string_equal(holder(f), "h1");
}

static void test_queue__many_wait_and_many_slots_come__all_in_order(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    busy_body(f, lease);
    (void)queue_up(f, "h1", "a1");
    (void)queue_up(f, "h2", "a2");
    (void)queue_up(f, "h3", "a3");
    fleet_body(f, "b2", "north");
    fleet_slots(f, "b2", 2);
    (void)fleet_report(f, "b2");
    (void)fleet_report(f, "b2");
    assert_non_null(fleet_live(f, "b2", 0));
    assert_non_null(fleet_live(f, "b2", 1));
    assert_string_equal(fleet_live(f, "b2", 0)->head_id, "h1");
    assert_string_equal(fleet_live(f, "b2", 1)->head_id, "h2");
    assert_non_null(alloc_ticket(f->alloc, "h3"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLEET_TEST(test_queue__slot_becomes_free__goes_to_the_oldest),
        FLEET_TEST(test_queue__newcomer__never_passes_an_older_ticket),
        FLEET_TEST(test_queue__legacy_visitor_walked_away__his_place_is_kept_for_the_ttl_only),
        FLEET_TEST(test_queue__one_absent_legacy_ticket_two_free_slots__keeps_one),
        FLEET_TEST(test_queue__same_millisecond__ticket_id_decides),
        FLEET_TEST(test_ticket__claimed_again__keeps_its_place_and_takes_the_attempt),
        FLEET_TEST(test_ticket__same_attempt_other_content__is_attempt_reused),
        FLEET_TEST(test_ticket__asked_again__is_not_a_change),
        cmocka_unit_test(test_ticket__each_way_to_renew_it__keeps_it),
        FLEET_TEST(test_legacy_ticket__heartbeats_alone__do_not_renew_it),
        FLEET_TEST(test_ticket__ten_minutes__asks_and_is_renewed_in_place),
        FLEET_TEST(test_ticket__ten_minutes_and_no_answer__ends_queue_timeout),
        FLEET_TEST(test_promotion__not_collected__is_wasted_and_goes_to_the_next),
        FLEET_TEST(test_queue__ticket_that_cannot_use_the_body__is_skipped_for_it_only),
        FLEET_TEST(test_position__older_tickets_for_the_same_slots__count),
        FLEET_TEST(test_eta__with_history__is_position_times_median_by_slots),
        FLEET_TEST(test_pool__session_ends__its_length_is_remembered),
        FLEET_TEST(test_promotion__demoted_body_and_another__takes_the_other),
        FLEET_TEST(test_promotion__demoted_body_alone__is_taken_nevertheless),
        FLEET_TEST(test_queue__store_is_down__promotes_nobody),
        FLEET_TEST(test_queue__many_wait_and_many_slots_come__all_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
