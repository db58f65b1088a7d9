#include "asks.h"

#include <string.h>

static void one_body(struct fleet *f)
{
    fleet_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadflatscreen");
    fleet_head(f, "h2", "north", "hydraheadflatscreen");
    (void)fleet_report(f, "b1");
}

static void free_again(struct fleet *f, const char *body_id)
{
    f->now = hc_time_add(f->now, 1000);
    (void)fleet_report(f, body_id);
}

/* A streaming lease of h1 on b1 under attempt a1. */
static void play(struct fleet *f, char lease_id[HC_ID_SIZE], char token[CLAIM_TOKEN_SIZE])
{
    struct core_result *out = fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE);
    assert_int_equal(out->answer, ANSWER_LEASE_NEW);
    hc_copy(lease_id, HC_ID_SIZE, out->lease.id);
    hc_copy(token, CLAIM_TOKEN_SIZE, out->claim_token);
    fleet_session(f, "b1", 0, SESSION_STREAMING, lease_id, "launch-1");
    (void)fleet_report(f, "b1");
    assert_int_equal(fleet_lease(f, lease_id)->state, LEASE_STREAMING);
}

static void test_claim__free_slot__is_201_with_all_that_a_head_needs(void **state)
{
    struct fleet *f = *state;
    one_body(f);
    struct core_result *out = fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE);
    assert_int_equal(out->answer, ANSWER_LEASE_NEW);
    assert_int_equal(out->lease.state, LEASE_GRANTED);
    assert_int_equal(strlen(out->claim_token), CLAIM_TOKEN_SIZE - 1);
    assert_int_equal(out->ttl_ms, f->config.timers.lease_ttl_ms);
    assert_int_equal(out->start_deadline_ms, f->config.timers.start_deadline_ms);
    assert_int_equal(out->epoch, out->lease.grant_epoch);
    assert_string_equal(out->body.id, "b1");
    assert_int_equal(out->body.ports.gamestream, 47989);
    assert_false(out->body.directive_applied);        /* the body has not confirmed this grant's epoch */
    assert_true(out->has_stream);
    assert_string_equal(out->stream.lease_id, out->lease.id);
    (void)fleet_report(f, "b1");
    assert_true(fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->body.directive_applied);
}

static void test_claim__same_attempt_again__is_the_same_lease_and_token(void **state)      /* §6.5.1, §6.5.2 */
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE];
    one_body(f);
    struct core_result *out = fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE);
    HC_SET(lease, out->lease.id);
    HC_SET(token, out->claim_token);
    out = fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE);
    assert_int_equal(out->answer, ANSWER_LEASE_SAME);
    assert_string_equal(out->lease.id, lease);
    assert_string_equal(out->claim_token, token);
    assert_false(out->dirty);
    assert_string_not_equal(fleet_lease(f, lease)->token_hash, token);      /* only its digest is stored */
}

static void test_claim__same_attempt_other_content__is_attempt_reused(void **state)
{
    struct fleet *f = *state;
    one_body(f);
    (void)fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE);
    assert_int_equal(fleet_claim(f, "h1", "a1", "mercator")->deny, DENY_ATTEMPT_REUSED);
}

static void test_claim__attempt_of_an_ended_lease__is_410_for_ten_minutes(void **state)      /* §6.5.2 */
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], stream[HC_ID_SIZE];
    one_body(f);
    struct core_result *out = fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE);
    HC_SET(lease, out->lease.id);
    HC_SET(stream, out->stream.id);
    char token[CLAIM_TOKEN_SIZE];
    HC_SET(token, out->claim_token);
    (void)fleet_release(f, "h1", lease, token, WHY_USER_EXIT);
    free_again(f, "b1");
    out = fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE);
    assert_int_equal(out->deny, DENY_LEASE_LOST);
    assert_string_equal(out->lost_why, "user_exit");
    assert_string_equal(out->stream.id, stream);
    fleet_pass(f, f->config.timers.attempt_memory_ms + 1000);
    assert_int_equal(fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->answer, ANSWER_LEASE_NEW);
}

static void test_claim__another_attempt_while_a_lease_lives__is_head_busy(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE];
    one_body(f);
    play(f, lease, token);
    struct core_result *out = fleet_claim(f, "h1", "a2", FLEET_EXPERIENCE);
    assert_int_equal(out->deny, DENY_HEAD_BUSY);
    assert_string_equal(out->lease.id, lease);
    assert_string_equal(out->claim_token, "");
}

static void test_claim__another_attempt_with_the_token__is_the_lease(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE];
    one_body(f);
    play(f, lease, token);
    struct claim_req req = usual_claim("h1", "a2");
    req.claim_token = token;
    struct core_result *out = ask_claim(f, &req, false);
    assert_int_equal(out->answer, ANSWER_LEASE_SAME);
    assert_string_equal(out->lease.id, lease);
    assert_string_equal(out->claim_token, token);
    req.claim_token = "nonsense";
    assert_int_equal(ask_claim(f, &req, false)->deny, DENY_HEAD_BUSY);
}

static void test_claim__over_its_own_implicit_hold__makes_it_explicit(void **state)      /* §6.5.2 */
{
    struct fleet *f = *state;
    char hold[HC_ID_SIZE];
    one_body(f);
    HC_SET(hold, fleet_read(f, "h1", FLEET_EXPERIENCE)->lease.id);
    uint64_t epoch = fleet_slot(f, "b1", 0)->epoch;
    struct core_result *out = fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE);
    assert_int_equal(out->answer, ANSWER_LEASE_NEW);
    assert_string_equal(out->body.id, "b1");
    assert_true(out->epoch > epoch);
    assert_int_equal(fleet_lease(f, hold)->state, LEASE_ENDED);
    assert_int_equal(fleet_lease(f, hold)->why, WHY_MADE_EXPLICIT);
    assert_int_equal(alloc_count(f->alloc, REC_STREAM), 1);      /* the same visit */
    assert_int_equal(alloc_body(f->alloc, "b1")->circuit.failure_count, 0);
}

static void test_claim__over_a_hold_of_another_experience__is_judged_afresh(void **state)
{
    static const char *const both[] = { FLEET_EXPERIENCE, "mercator" };
    struct fleet *f = *state;
    one_body(f);
    fleet_body(f, "b2", "north");
    (void)fleet_report(f, "b2");
    set_experiences(f, "b1", both, 2);
    set_experiences(f, "b2", both, 2);
    char hold[HC_ID_SIZE];
    HC_SET(hold, fleet_read(f, "h1", FLEET_EXPERIENCE)->lease.id);
    struct core_result *out = fleet_claim(f, "h1", "a1", "mercator");
    assert_int_equal(out->answer, ANSWER_LEASE_NEW);
    assert_string_equal(out->lease.experience, "mercator");
    assert_int_equal(fleet_lease(f, hold)->why, WHY_EXPERIENCE_CHANGED);
}

static void test_claim__somebody_elses_stream__is_refused_and_told(void **state)      /* §9.4 */
{
    struct fleet *f = *state;
    char stream[HC_ID_SIZE];
    one_body(f);
    HC_SET(stream, fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->stream.id);
    struct claim_req req = usual_claim("h2", "a2");
    req.stream_id = stream;
    struct core_result *out = ask_claim(f, &req, false);
    assert_int_equal(out->deny, DENY_NOT_YOUR_STREAM);
    assert_int_equal(fleet_notes(out, NOTE_STREAM_HIJACK), 1);
    req.stream_id = "str-nowhere";
    assert_int_equal(ask_claim(f, &req, false)->answer, ANSWER_TICKET);      /* unknown: a new one */
}

static void test_claim__names_its_stream_whose_body_is_lost__is_rehomed(void **state)      /* §9.3 */
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE], stream[HC_ID_SIZE];
    one_body(f);
    play(f, lease, token);
    HC_SET(stream, fleet_lease(f, lease)->stream_id);
    fleet_body(f, "b2", "north");
    (void)fleet_report(f, "b2");
    struct claim_req req = usual_claim("h1", "a2");
    req.stream_id = stream;
    assert_int_equal(ask_claim(f, &req, false)->deny, DENY_HEAD_BUSY);      /* it is not lost */
    fleet_silent(f, "b1");
    fleet_pass(f, 125000);
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_UNKNOWN);
    struct core_result *out = ask_claim(f, &req, false);
    assert_int_equal(out->answer, ANSWER_LEASE_NEW);
    assert_string_equal(out->body.id, "b2");
    assert_string_equal(out->stream.id, stream);
    assert_true(fleet_lease(f, lease)->left_behind);
}

static void test_claim__five_grants_in_the_window__the_sixth_is_throttled(void **state)      /* §6.5.3 */
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE], attempt[8] = "a0";
    one_body(f);
    for (unsigned i = 0; i < 5; i++) {
        attempt[1]++;
        struct core_result *out = fleet_claim(f, "h1", attempt, FLEET_EXPERIENCE);
        assert_int_equal(out->answer, ANSWER_LEASE_NEW);
        HC_SET(lease, out->lease.id);
        HC_SET(token, out->claim_token);
        (void)fleet_claim(f, "h1", attempt, FLEET_EXPERIENCE);      /* a replay does not count */
        (void)fleet_release(f, "h1", lease, token, WHY_USER_EXIT);
        free_again(f, "b1");
    }
    struct core_result *out = fleet_claim(f, "h1", "a9", FLEET_EXPERIENCE);
    assert_int_equal(out->deny, DENY_THROTTLED);
    assert_true(out->retry_after_ms > 0 && out->retry_after_ms < f->config.timers.claim_throttle_window_ms);
    struct claim_req req = usual_claim("h1", "a9");
    assert_int_equal(ask_claim(f, &req, true)->answer, ANSWER_LEASE_NEW);      /* dry runs are not throttled */
    assert_int_equal(fleet_read(f, "h1", FLEET_EXPERIENCE)->answer, ANSWER_ROWS);      /* nor are reads */
    (void)ask_stop(f, "h1", "");
    free_again(f, "b1");
    f->config.timers.claim_throttle_window_ms = 0;
    assert_int_equal(fleet_claim(f, "h1", "a9", FLEET_EXPERIENCE)->answer, ANSWER_LEASE_NEW);      /* 0s switches it off */
}

static void test_claim__operator_asks__is_neither_counted_nor_throttled(void **state)
{
    struct fleet *f = *state;
    one_body(f);
    struct core_event ev = fleet_event(f, CORE_CLAIM, CALLER_ADMIN, "");
    ev.u.claim = usual_claim("h1", "a1");
    assert_int_equal(fleet_step(f, &ev)->answer, ANSWER_LEASE_NEW);
    const struct node_obs *seen = observed_node(f->obs, "h1");
    assert_true(seen == NULL || !hc_time_set(seen->claim_at[0]));
}

static void test_claim__experience_nobody_ever_listed__is_422(void **state)
{
    struct fleet *f = *state;
    one_body(f);
    assert_int_equal(fleet_claim(f, "h1", "a1", "nowhere")->deny, DENY_EXPERIENCE);
    assert_null(alloc_ticket(f->alloc, "h1"));
    edit_body(f, "b1")->maintenance = true;
    edit_done(f);
    assert_int_equal(fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->answer, ANSWER_TICKET);
}

static void test_claim__queue_is_full__is_429(void **state)      /* §7.10 */
{
    struct fleet *f = *state;
    one_body(f);
    f->config.queue_max_tickets = 1;
    edit_body(f, "b1")->maintenance = true;
    edit_done(f);
    assert_int_equal(fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->answer, ANSWER_TICKET);
    assert_int_equal(fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->answer, ANSWER_TICKET);      /* it has its place */
    struct core_result *out = fleet_claim(f, "h2", "a2", FLEET_EXPERIENCE);
    assert_int_equal(out->deny, DENY_QUEUE_FULL);
    assert_true(out->retry_after_ms > 0);
    assert_null(alloc_head_stream(f->alloc, "h2"));
}

static void test_claim__bad_fields__name_the_field(void **state)
{
    struct fleet *f = *state;
    one_body(f);
    struct claim_req req = usual_claim("h1", "");
    assert_int_equal(ask_claim(f, &req, false)->deny, DENY_BAD_REQUEST);
    assert_string_equal(f->last.field, "attempt_id");
    req = usual_claim("h1", "a1");
    req.experience = "";
    (void)ask_claim(f, &req, false);
    assert_string_equal(f->last.field, "experience");
    req = usual_claim("h1", "a1");
    req.stream_mode = "xr";
    (void)ask_claim(f, &req, false);
    assert_string_equal(f->last.field, "stream_mode");
    req = usual_claim("nobody", "a1");
    assert_int_equal(ask_claim(f, &req, false)->deny, DENY_NOT_FOUND);
}

static void test_claim__another_heads_id__is_forbidden(void **state)      /* I5 */
{
    struct fleet *f = *state;
    one_body(f);
    struct core_event ev = fleet_event(f, CORE_CLAIM, CALLER_NODE, "h1");
    ev.u.claim = usual_claim("h2", "a1");
    assert_int_equal(fleet_step(f, &ev)->deny, DENY_FORBIDDEN);
}

static void test_claim__store_is_down__replays_but_grants_nothing(void **state)      /* §3.5 */
{
    struct fleet *f = *state;
    one_body(f);
    (void)fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE);
    f->store_down = true;
    assert_int_equal(fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->answer, ANSWER_LEASE_SAME);
    assert_int_equal(fleet_claim(f, "h2", "a2", FLEET_EXPERIENCE)->deny, DENY_STORE);
    assert_false(f->last.dirty);
}

static void test_claim__dry_run__decides_the_same_and_changes_nothing(void **state)
{
    struct fleet *f = *state;
    one_body(f);
    struct claim_req req = usual_claim("h1", "a1");
    struct core_result *out = ask_claim(f, &req, true);
    assert_int_equal(out->answer, ANSWER_LEASE_NEW);
    assert_string_equal(out->body.id, "b1");
    assert_string_equal(out->claim_token, "");
    assert_int_equal(out->note_count, 0);
    assert_null(fleet_live(f, "b1", 0));
    assert_int_equal(fleet_claim(f, "h2", "a2", FLEET_EXPERIENCE)->answer, ANSWER_LEASE_NEW);
    out = ask_claim(f, &req, true);
    assert_int_equal(out->answer, ANSWER_TICKET);
    assert_int_equal(out->ticket.position, 1);
    assert_int_equal(out->wait, WAIT_NO_SLOT);
    assert_null(alloc_ticket(f->alloc, "h1"));
    assert_null(alloc_head_stream(f->alloc, "h1"));
}

static void test_explain__legacy_head__is_told_what_its_read_would_be(void **state)
{
    struct fleet *f = *state;
    one_body(f);
    fleet_head(f, "h3", "north", "hydraheadipad");
    struct claim_req req = usual_claim("h3", "");
    req.no_attempt = req.legacy = true;
    assert_int_equal(ask_claim(f, &req, true)->answer, ANSWER_LEASE_NEW);
    (void)fleet_claim(f, "h2", "a2", FLEET_EXPERIENCE);
    struct core_result *out = ask_claim(f, &req, true);
    assert_int_equal(out->deny, DENY_NO_SLOT);
    assert_int_equal(out->ticket.position, 1);
    assert_null(alloc_ticket(f->alloc, "h3"));
    char lease[HC_ID_SIZE];
    HC_SET(lease, fleet_live(f, "b1", 0)->id);
    req.head_id = "h2";
    out = ask_claim(f, &req, true);
    assert_int_equal(out->answer, ANSWER_LEASE_SAME);
    assert_string_equal(out->lease.id, lease);
}

static void test_explain__protocol_2_head_without_attempt__is_judged(void **state)
{
    struct fleet *f = *state;
    one_body(f);
    struct claim_req req = usual_claim("h1", "");
    req.no_attempt = true;
    assert_int_equal(ask_claim(f, &req, true)->answer, ANSWER_LEASE_NEW);
    (void)fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE);
    assert_int_equal(ask_claim(f, &req, true)->deny, DENY_HEAD_BUSY);
}

static void promote(struct fleet *f, char lease_id[HC_ID_SIZE])
{
    char busy[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE];
    struct core_result *out = fleet_claim(f, "h2", "b1", FLEET_EXPERIENCE);
    HC_SET(busy, out->lease.id);
    HC_SET(token, out->claim_token);
    assert_int_equal(fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->answer, ANSWER_TICKET);
    (void)fleet_release(f, "h2", busy, token, WHY_USER_EXIT);
    free_again(f, "b1");
    const struct lease *lease = fleet_live(f, "b1", 0);
    assert_non_null(lease);
    assert_true(lease->uncollected);
    hc_copy(lease_id, HC_ID_SIZE, lease->id);
}

static void test_claim__any_attempt_over_a_promotion__collects_it(void **state)      /* §6.5.2 */
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    one_body(f);
    promote(f, lease);
    f->now = hc_time_add(f->now, 20000);
    struct core_result *out = fleet_claim(f, "h1", "a7", FLEET_EXPERIENCE);
    assert_int_equal(out->answer, ANSWER_LEASE_SAME);
    assert_string_equal(out->lease.id, lease);
    assert_string_equal(out->lease.attempt_id, "a7");
    assert_int_equal(out->ttl_ms, f->config.timers.lease_ttl_ms);
    assert_int_equal(out->start_deadline_ms, f->config.timers.start_deadline_ms);      /* its clocks start here */
    char token[CLAIM_TOKEN_SIZE];
    HC_SET(token, out->claim_token);
    assert_int_equal(fleet_renew(f, "h1", lease, token)->answer, ANSWER_LEASE_SAME);
}

static void test_claim__another_experience_over_a_promotion__supersedes_it(void **state)
{
    static const char *const both[] = { FLEET_EXPERIENCE, "mercator" };
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    one_body(f);
    promote(f, lease);
    set_experiences(f, "b1", both, 2);
    struct core_result *out = fleet_claim(f, "h1", "a7", "mercator");
    assert_int_equal(out->answer, ANSWER_TICKET);      /* the epoch is not confirmed yet */
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_ENDED);
    assert_int_equal(fleet_lease(f, lease)->why, WHY_SUPERSEDED);
}

static void test_claim__confirm_mode__only_accept_collects(void **state)      /* §7.11 */
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    one_body(f);
    give_venue(f, "north", ACCEPT_CONFIRM);
    promote(f, lease);
    struct core_result *out = fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE);
    assert_int_equal(out->answer, ANSWER_TICKET);
    assert_int_equal(out->ticket.state, TICKET_PROMOTED);
    assert_string_equal(out->claim_token, "");
    assert_true(fleet_lease(f, lease)->uncollected);
    out = ask_accept(f, "h1");
    assert_int_equal(out->answer, ANSWER_LEASE_SAME);
    assert_string_not_equal(out->claim_token, "");
    assert_false(fleet_lease(f, lease)->uncollected);
}

static void test_claim__while_two_devices_have_its_name__needs_the_token(void **state)      /* §12.2 */
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE];
    one_body(f);
    play(f, lease, token);
    static const char *const from[] = { "10.0.0.1", "10.0.0.2", "10.0.0.1" };
    for (size_t i = 0; i < 3; i++) {
        struct heartbeat_req beat = usual_heartbeat("h1", "streaming");
        beat.address = from[i];
        (void)ask_heartbeat(f, &beat);
        f->now = hc_time_add(f->now, 1000);
    }
    assert_int_equal(fleet_claim(f, "h1", "a2", FLEET_EXPERIENCE)->deny, DENY_DUPLICATE_HEAD);
    assert_int_equal(fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->answer, ANSWER_LEASE_SAME);      /* the same attempt comes before */
    struct claim_req req = usual_claim("h1", "a2");
    req.claim_token = token;
    assert_int_equal(ask_claim(f, &req, false)->answer, ANSWER_LEASE_SAME);
    f->now = hc_time_add(f->now, f->config.timers.duplicate_head_window_ms);
    assert_int_equal(fleet_claim(f, "h1", "a2", FLEET_EXPERIENCE)->deny, DENY_HEAD_BUSY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLEET_TEST(test_claim__free_slot__is_201_with_all_that_a_head_needs),
        FLEET_TEST(test_claim__same_attempt_again__is_the_same_lease_and_token),
        FLEET_TEST(test_claim__same_attempt_other_content__is_attempt_reused),
        FLEET_TEST(test_claim__attempt_of_an_ended_lease__is_410_for_ten_minutes),
        FLEET_TEST(test_claim__another_attempt_while_a_lease_lives__is_head_busy),
        FLEET_TEST(test_claim__another_attempt_with_the_token__is_the_lease),
        FLEET_TEST(test_claim__over_its_own_implicit_hold__makes_it_explicit),
        FLEET_TEST(test_claim__over_a_hold_of_another_experience__is_judged_afresh),
        FLEET_TEST(test_claim__somebody_elses_stream__is_refused_and_told),
        FLEET_TEST(test_claim__names_its_stream_whose_body_is_lost__is_rehomed),
        FLEET_TEST(test_claim__five_grants_in_the_window__the_sixth_is_throttled),
        FLEET_TEST(test_claim__operator_asks__is_neither_counted_nor_throttled),
        FLEET_TEST(test_claim__experience_nobody_ever_listed__is_422),
        FLEET_TEST(test_claim__queue_is_full__is_429),
        FLEET_TEST(test_claim__bad_fields__name_the_field),
        FLEET_TEST(test_claim__another_heads_id__is_forbidden),
        FLEET_TEST(test_claim__store_is_down__replays_but_grants_nothing),
        FLEET_TEST(test_claim__dry_run__decides_the_same_and_changes_nothing),
        FLEET_TEST(test_explain__legacy_head__is_told_what_its_read_would_be),
        FLEET_TEST(test_explain__protocol_2_head_without_attempt__is_judged),
        FLEET_TEST(test_claim__any_attempt_over_a_promotion__collects_it),
        FLEET_TEST(test_claim__another_experience_over_a_promotion__supersedes_it),
        FLEET_TEST(test_claim__confirm_mode__only_accept_collects),
        FLEET_TEST(test_claim__while_two_devices_have_its_name__needs_the_token),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
