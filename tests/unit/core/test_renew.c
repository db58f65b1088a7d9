#include "asks.h"

static void granted(struct fleet *f, char lease[HC_ID_SIZE], char token[CLAIM_TOKEN_SIZE])
{
    fleet_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadflatscreen");
    fleet_head(f, "h2", "north", "hydraheadflatscreen");
    (void)fleet_report(f, "b1");
    struct core_result *out = fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE);
    hc_copy(lease, HC_ID_SIZE, out->lease.id);
    hc_copy(token, CLAIM_TOKEN_SIZE, out->claim_token);
}

static void streams(struct fleet *f, const char *lease)
{
    fleet_session(f, "b1", 0, SESSION_STREAMING, lease, "launch-1");
    (void)fleet_report(f, "b1");
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_STREAMING);
}

static void test_renew__granted__has_its_ttl_up_to_the_start_deadline(void **state)      /* §6.2, i8 */
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE];
    f->config.timers.start_deadline_ms = 200000;
    granted(f, lease, token);
    f->now = hc_time_add(f->now, 60000);
    struct core_result *out = fleet_renew(f, "h1", lease, token);
    assert_int_equal(out->answer, ANSWER_LEASE_SAME);
    assert_int_equal(out->ttl_ms, f->config.timers.lease_ttl_ms);
    assert_int_equal(out->epoch, fleet_slot(f, "b1", 0)->epoch);
    assert_string_equal(out->lease.id, lease);
    assert_false(out->dirty);                         /* a renewal alone is no reason to save (§3.8) */
    f->now = hc_time_add(f->now, 80000);
    assert_int_equal(fleet_renew(f, "h1", lease, token)->ttl_ms, 60000);
}

static void test_renew__wrong_token_or_head__is_403(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE];
    granted(f, lease, token);
    assert_int_equal(fleet_renew(f, "h1", lease, "nonsense")->deny, DENY_WRONG_TOKEN);
    assert_int_equal(fleet_renew(f, "h1", lease, "")->deny, DENY_WRONG_TOKEN);
    assert_int_equal(fleet_renew(f, "h2", lease, token)->deny, DENY_WRONG_TOKEN);
    assert_int_equal(fleet_renew(f, "h1", "lse-nowhere", token)->deny, DENY_NOT_FOUND);
    assert_int_equal(fleet_renew(f, "nobody", lease, token)->deny, DENY_NOT_FOUND);
}

static void test_renew__implicit_lease__has_no_token_that_fits(void **state)
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadipad");
    (void)fleet_report(f, "b1");
    char lease[HC_ID_SIZE];
    struct core_result *out = fleet_read(f, "h1", FLEET_EXPERIENCE);
    HC_SET(lease, out->lease.id);
    assert_string_equal(out->claim_token, "");
    assert_int_equal(fleet_renew(f, "h1", lease, "")->deny, DENY_WRONG_TOKEN);
}

static void test_renew__ended_lease__is_410_with_its_reason(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE], stream[HC_ID_SIZE];
    granted(f, lease, token);
    HC_SET(stream, fleet_lease(f, lease)->stream_id);
    (void)fleet_release(f, "h1", lease, token, WHY_UNREACHABLE);
    struct core_result *out = fleet_renew(f, "h1", lease, token);
    assert_int_equal(out->deny, DENY_LEASE_LOST);
    assert_string_equal(out->lost_why, "unreachable");
    assert_string_equal(out->stream.id, stream);
    assert_int_equal(fleet_renew(f, "h1", lease, "nonsense")->deny, DENY_WRONG_TOKEN);
}

static void test_renew__ended_lease_whose_history_is_written__is_410_still(void **state)      /* §6.5.2 */
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE];
    granted(f, lease, token);
    (void)fleet_release(f, "h1", lease, token, WHY_USER_EXIT);
    const char *const ids[] = { lease };
    struct core_event ev = fleet_event(f, CORE_HISTORY_WRITTEN, CALLER_SYSTEM, "");
    ev.u.history = (struct history_req){ ids, 1 };
    (void)fleet_step(f, &ev);
    assert_null(alloc_lease(f->alloc, lease, NULL, NULL));
    assert_int_equal(fleet_renew(f, "h1", lease, token)->deny, DENY_LEASE_LOST);
    assert_string_equal(f->last.lost_why, "user_exit");
}

static void test_renew__revoked_lease__reason_is_the_word_that_stops_a_head(void **state)      /* §13.9 */
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE];
    granted(f, lease, token);
    struct core_event ev = fleet_event(f, CORE_LEASE_END, CALLER_ADMIN, "");
    ev.u.lease_end = (struct lease_end_req){ .lease_id = lease, .revoke = true, .reason = "test" };
    (void)fleet_step(f, &ev);
    struct core_result *out = fleet_renew(f, "h1", lease, token);
    assert_int_equal(out->deny, DENY_LEASE_LOST);
    assert_string_equal(out->lost_why, "revoked");
    assert_string_equal(out->lost_cause, "operator_revoke");
}

static void test_renew__draining_lease__is_410(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE];
    granted(f, lease, token);
    streams(f, lease);
    (void)fleet_release(f, "h1", lease, token, WHY_USER_EXIT);
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_DRAINING);
    assert_int_equal(fleet_renew(f, "h1", lease, token)->deny, DENY_LEASE_LOST);
}

static void test_renew__of_a_stream__keeps_it_attended(void **state)      /* §6.2, §9.5 */
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE];
    granted(f, lease, token);
    streams(f, lease);
    for (int64_t ms = 0; ms < 2 * f->config.timers.max_unattended_ms; ms += 600000) {
        fleet_pass(f, 600000);
        assert_int_equal(fleet_renew(f, "h1", lease, token)->answer, ANSWER_LEASE_SAME);
        assert_int_equal(f->last.ttl_ms, f->config.timers.lease_ttl_ms);
    }
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_STREAMING);
}

static void test_renew__store_is_down__is_observed(void **state)      /* §3.5 */
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE];
    granted(f, lease, token);
    f->store_down = true;
    f->now = hc_time_add(f->now, 1000);
    assert_int_equal(fleet_renew(f, "h1", lease, token)->answer, ANSWER_LEASE_SAME);
    assert_false(f->last.dirty);
}

static void test_renew__old_id_of_a_session_that_lived_on__finds_the_new_lease(void **state)      /* §6.2.4 */
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE];
    granted(f, lease, token);
    fleet_silent(f, "b1");
    fleet_pass(f, f->config.timers.start_deadline_ms + 10000);
    assert_true(lease_is_terminal(fleet_lease(f, lease)->state));
    fleet_session(f, "b1", 0, SESSION_STREAMING, lease, "launch-1");
    (void)fleet_report(f, "b1");
    const struct lease *adopted = fleet_live(f, "b1", 0);
    assert_non_null(adopted);
    assert_string_equal(adopted->head_id, "h1");
    char next[HC_ID_SIZE];
    HC_SET(next, adopted->id);
    struct core_result *out = fleet_renew(f, "h1", lease, token);
    assert_int_equal(out->answer, ANSWER_LEASE_SAME);
    assert_string_equal(out->lease.id, next);
    assert_int_equal(fleet_renew(f, "h1", next, token)->answer, ANSWER_LEASE_SAME);      /* the token stays the one it has */
    assert_int_equal(fleet_renew(f, "h1", lease, "nonsense")->deny, DENY_WRONG_TOKEN);
    struct claim_req req = usual_claim("h1", "a9");
    req.claim_token = token;
    out = ask_claim(f, &req, false);
    assert_int_equal(out->answer, ANSWER_LEASE_SAME);
    assert_string_equal(out->claim_token, token);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLEET_TEST(test_renew__granted__has_its_ttl_up_to_the_start_deadline),
        FLEET_TEST(test_renew__wrong_token_or_head__is_403),
        FLEET_TEST(test_renew__implicit_lease__has_no_token_that_fits),
        FLEET_TEST(test_renew__ended_lease__is_410_with_its_reason),
        FLEET_TEST(test_renew__ended_lease_whose_history_is_written__is_410_still),
        FLEET_TEST(test_renew__revoked_lease__reason_is_the_word_that_stops_a_head),
        FLEET_TEST(test_renew__draining_lease__is_410),
        FLEET_TEST(test_renew__of_a_stream__keeps_it_attended),
        FLEET_TEST(test_renew__store_is_down__is_observed),
        FLEET_TEST(test_renew__old_id_of_a_session_that_lived_on__finds_the_new_lease),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
