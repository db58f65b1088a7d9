#include "asks.h"

/* h1 waits, h2 has b1; then h2 leaves and h1 is promoted. */
static void waiting(struct fleet *f, char busy[HC_ID_SIZE], char token[CLAIM_TOKEN_SIZE])
{
    fleet_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadflatscreen");
    fleet_head(f, "h2", "north", "hydraheadflatscreen");
    (void)fleet_report(f, "b1");
    struct core_result *out = fleet_claim(f, "h2", "a2", FLEET_EXPERIENCE);
    hc_copy(busy, HC_ID_SIZE, out->lease.id);
    hc_copy(token, CLAIM_TOKEN_SIZE, out->claim_token);
    assert_int_equal(fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->answer, ANSWER_TICKET);
}

static void promoted(struct fleet *f, char lease[HC_ID_SIZE])
{
    char busy[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE];
    waiting(f, busy, token);
    (void)fleet_release(f, "h2", busy, token, WHY_USER_EXIT);
    f->now = hc_time_add(f->now, 1000);
    (void)fleet_report(f, "b1");
    assert_non_null(fleet_live(f, "b1", 0));
    hc_copy(lease, HC_ID_SIZE, fleet_live(f, "b1", 0)->id);
    assert_true(fleet_lease(f, lease)->uncollected);
}

static void test_admission__nothing__is_an_empty_answer(void **state)
{
    struct fleet *f = *state;
    fleet_head(f, "h1", "north", "hydraheadflatscreen");
    struct core_result *out = ask_admission(f, "h1", "");
    assert_int_equal(out->answer, ANSWER_STREAM);
    assert_false(out->has_stream || out->has_lease || out->has_ticket);
    assert_int_equal(ask_admission(f, "nobody", "")->deny, DENY_NOT_FOUND);
}

static void test_admission__waiting__shows_stream_and_ticket(void **state)
{
    struct fleet *f = *state;
    char busy[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE];
    waiting(f, busy, token);
    struct core_result *out = ask_admission(f, "h1", "a1");
    assert_true(out->has_stream && out->has_ticket && !out->has_lease);
    assert_int_equal(out->stream.state, STREAM_SEEKING);
    assert_string_equal(out->stream.ticket_id, out->ticket.id);
    assert_int_equal(out->ticket.position, 1);
    assert_int_equal(out->ticket.state, TICKET_WAITING);
    assert_true(out->retry_after_ms > 0);
}

static void test_admission__promotion_and_its_attempt__collects(void **state)      /* §7.2 */
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], id[HC_ID_SIZE];
    promoted(f, lease);
    struct core_result *out = ask_admission(f, "h1", "");
    assert_true(out->has_lease && out->has_ticket);
    assert_string_equal(out->claim_token, "");
    assert_int_equal(out->ticket.state, TICKET_PROMOTED);
    HC_SET(id, out->ticket.id);
    assert_true(fleet_lease(f, lease)->uncollected);
    f->now = hc_time_add(f->now, 30000);
    out = ask_admission(f, "h1", "a1");
    assert_int_equal(out->answer, ANSWER_STREAM);
    assert_string_not_equal(out->claim_token, "");
    assert_true(out->has_body);
    assert_false(fleet_lease(f, lease)->uncollected);
    assert_int_equal(out->ttl_ms, f->config.timers.lease_ttl_ms);
    assert_int_equal(fleet_lease(f, lease)->start_deadline_at.ms, f->now.ms + f->config.timers.start_deadline_ms);
    char token[CLAIM_TOKEN_SIZE];
    HC_SET(token, out->claim_token);
    assert_int_equal(fleet_renew(f, "h1", lease, token)->answer, ANSWER_LEASE_SAME);
}

static void test_admission__operator_looks__collects_nothing(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    promoted(f, lease);
    struct core_event ev = fleet_event(f, CORE_ADMISSION, CALLER_ADMIN, "");
    ev.u.admission = (struct admission_req){ "h1", "a1" };
    struct core_result *out = fleet_step(f, &ev);
    assert_string_equal(out->claim_token, "");
    assert_true(fleet_lease(f, lease)->uncollected);
}

static void test_admission__confirm_mode__does_not_collect(void **state)      /* §7.11 */
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    give_venue(f, "north", ACCEPT_CONFIRM);
    promoted(f, lease);
    assert_string_equal(ask_admission(f, "h1", "a1")->claim_token, "");
    assert_true(fleet_lease(f, lease)->uncollected);
    struct core_result *out = ask_accept(f, "h1");
    assert_int_equal(out->answer, ANSWER_LEASE_SAME);
    assert_string_not_equal(out->claim_token, "");
    out = ask_accept(f, "h1");                       /* again: where it is, and no token a second time */
    assert_int_equal(out->answer, ANSWER_LEASE_SAME);
    assert_string_equal(out->lease.id, lease);
    assert_string_equal(out->claim_token, "");
    assert_string_not_equal(ask_admission(f, "h1", "a1")->claim_token, "");      /* who lost the answer knows its attempt */
}

static void test_accept__lease_of_a_claim__gives_no_token(void **state)      /* §6.5 */
{
    struct fleet *f = *state;
    char busy[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE];
    waiting(f, busy, token);
    struct core_result *out = ask_accept(f, "h2");
    assert_int_equal(out->answer, ANSWER_LEASE_SAME);
    assert_string_equal(out->lease.id, busy);
    assert_string_equal(out->claim_token, "");
    struct core_event ev = fleet_event(f, CORE_ACCEPT, CALLER_ADMIN, "t1");
    ev.u.accept = (struct accept_req){ "h2" };
    assert_string_equal(fleet_step(f, &ev)->claim_token, "");
    assert_int_equal(fleet_renew(f, "h2", busy, token)->answer, ANSWER_LEASE_SAME);      /* its own token is as good as before */
}

static void beats_from(struct fleet *f, const char *head_id, const char *address)
{
    struct core_event ev = fleet_event(f, CORE_HEARTBEAT, CALLER_NODE, head_id);
    ev.u.heartbeat = (struct heartbeat_req){ .head_id = head_id, .address = address };
    assert_int_equal(fleet_step(f, &ev)->deny, DENY_NONE);
}

static void test_accept__two_devices_speak_as_the_head__is_refused(void **state)      /* §12.2 */
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    promoted(f, lease);
    beats_from(f, "h1", "10.0.0.1");
    beats_from(f, "h1", "10.0.0.2");
    beats_from(f, "h1", "10.0.0.1");
    struct core_result *out = ask_accept(f, "h1");
    assert_int_equal(out->deny, DENY_DUPLICATE_HEAD);
    assert_true(out->retry_after_ms > 0);
    assert_string_equal(out->claim_token, "");
    assert_true(fleet_lease(f, lease)->uncollected);
}

static void test_admission__confirm_mode_and_no_answer__is_not_accepted(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    give_venue(f, "north", ACCEPT_CONFIRM);
    promoted(f, lease);
    fleet_pass(f, f->config.timers.collect_window_ms + 10000);
    assert_int_equal(fleet_lease(f, lease)->why, WHY_NOT_ACCEPTED);
    struct core_result *out = ask_accept(f, "h1");
    assert_int_equal(out->deny, DENY_LEASE_LOST);
    assert_string_equal(out->lost_why, "not_accepted");
}

static void test_admission__store_is_down__collects_nothing(void **state)      /* §3.5 */
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    promoted(f, lease);
    f->store_down = true;
    struct core_result *out = ask_admission(f, "h1", "a1");
    assert_string_equal(out->claim_token, "");
    assert_false(out->dirty);
    assert_int_equal(ask_accept(f, "h1")->deny, DENY_STORE);
}

static void test_accept__waiting__is_renewed_in_place(void **state)
{
    struct fleet *f = *state;
    char busy[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE];
    waiting(f, busy, token);
    f->now = hc_time_add(f->now, 30000);
    assert_int_equal(ask_accept(f, "h1")->answer, ANSWER_TICKET);
    assert_int_equal(ticket_renewed_at(f->obs, alloc_ticket(f->alloc, "h1")).ms, f->now.ms);
}

static void test_admission__collected__says_where_it_is(void **state)
{
    struct fleet *f = *state;
    char busy[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE];
    waiting(f, busy, token);
    struct core_result *out = ask_admission(f, "h2", "");
    assert_true(out->has_lease && out->has_body && out->has_stream && !out->has_ticket);
    assert_int_equal(out->stream.state, STREAM_BINDING);
    assert_string_equal(out->body.id, "b1");
    assert_string_equal(out->claim_token, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLEET_TEST(test_admission__nothing__is_an_empty_answer),
        FLEET_TEST(test_admission__waiting__shows_stream_and_ticket),
        FLEET_TEST(test_admission__promotion_and_its_attempt__collects),
        FLEET_TEST(test_admission__operator_looks__collects_nothing),
        FLEET_TEST(test_admission__confirm_mode__does_not_collect),
        FLEET_TEST(test_accept__lease_of_a_claim__gives_no_token),
        FLEET_TEST(test_accept__two_devices_speak_as_the_head__is_refused),
        FLEET_TEST(test_admission__confirm_mode_and_no_answer__is_not_accepted),
        FLEET_TEST(test_admission__store_is_down__collects_nothing),
        FLEET_TEST(test_accept__waiting__is_renewed_in_place),
        FLEET_TEST(test_admission__collected__says_where_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
