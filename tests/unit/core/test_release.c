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

static void test_release__granted_and_the_body_is_idle__ends_at_once(void **state)      /* §6.2 point 2 */
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE];
    granted(f, lease, token);
    assert_int_equal(fleet_release(f, "h1", lease, token, WHY_USER_EXIT)->answer, ANSWER_DONE);
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_ENDED);
    assert_int_equal(fleet_lease(f, lease)->why, WHY_USER_EXIT);
    assert_null(alloc_head_stream(f->alloc, "h1"));   /* a release ends the stream at once (§9.2) */
}

static void test_release__streaming__drains_and_the_visit_is_over(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE];
    granted(f, lease, token);
    fleet_session(f, "b1", 0, SESSION_STREAMING, lease, "launch-1");
    (void)fleet_report(f, "b1");
    (void)fleet_release(f, "h1", lease, token, WHY_USER_EXIT);
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_DRAINING);
    assert_null(alloc_head_stream(f->alloc, "h1"));
    assert_int_equal(fleet_release(f, "h1", lease, token, WHY_USER_EXIT)->answer, ANSWER_DONE);      /* again: 204 */
    assert_false(f->last.dirty);
}

static void test_release__wrong_token__is_403_and_ends_nothing(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE];
    granted(f, lease, token);
    assert_int_equal(fleet_release(f, "h1", lease, "nonsense", WHY_USER_EXIT)->deny, DENY_WRONG_TOKEN);
    assert_int_equal(fleet_release(f, "h2", lease, token, WHY_USER_EXIT)->deny, DENY_WRONG_TOKEN);
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_GRANTED);
}

static void test_release__over_or_unknown__is_204(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE];
    granted(f, lease, token);
    (void)fleet_release(f, "h1", lease, token, WHY_USER_EXIT);
    assert_int_equal(fleet_release(f, "h1", lease, token, WHY_USER_EXIT)->answer, ANSWER_DONE);
    assert_int_equal(fleet_release(f, "h1", "lse-nowhere", token, WHY_USER_EXIT)->answer, ANSWER_DONE);
    assert_int_equal(fleet_release(f, "nobody", lease, token, WHY_USER_EXIT)->deny, DENY_NOT_FOUND);
}

static void test_release__store_is_down__is_503(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE];
    granted(f, lease, token);
    f->store_down = true;
    assert_int_equal(fleet_release(f, "h1", lease, token, WHY_USER_EXIT)->deny, DENY_STORE);
    assert_int_equal(ask_stop(f, "h1", "")->deny, DENY_STORE);
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_GRANTED);
}

static void test_release__unreachable_before_the_stream__counts_and_demotes(void **state)      /* §11 */
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE];
    granted(f, lease, token);
    (void)fleet_release(f, "h1", lease, token, WHY_UNREACHABLE);
    assert_int_equal(alloc_body(f->alloc, "b1")->circuit.failure_count, 1);
    assert_non_null(alloc_get(f->alloc, REC_DEMOTION, "b1/h1"));
}

static void test_stop__own_lease_of_either_protocol__ends_without_a_token(void **state)      /* wire §2 */
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE];
    granted(f, lease, token);
    assert_int_equal(ask_stop(f, "h1", "")->answer, ANSWER_DONE);
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_ENDED);
    f->now = hc_time_add(f->now, 1000);
    (void)fleet_report(f, "b1");
    HC_SET(lease, fleet_read(f, "h2", FLEET_EXPERIENCE)->lease.id);
    (void)ask_stop(f, "h2", "b1");
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_ABANDONED);      /* a hold of its own DELETE */
}

static void test_stop__late_retry_that_names_another_body__ends_nothing(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE];
    granted(f, lease, token);
    assert_int_equal(ask_stop(f, "h1", "b7")->answer, ANSWER_DONE);
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_GRANTED);
    assert_int_equal(ask_stop(f, "h2", "b1")->answer, ANSWER_DONE);      /* nor somebody else's (I5) */
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_GRANTED);
}

static void test_stop__nothing_to_stop__is_2xx(void **state)
{
    struct fleet *f = *state;
    fleet_head(f, "h1", "north", "hydraheadipad");
    assert_int_equal(ask_stop(f, "h1", "")->answer, ANSWER_DONE);
    assert_false(f->last.dirty);
}

static void test_stream_end__waiting__gives_up_its_place(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE], stream[HC_ID_SIZE];
    granted(f, lease, token);
    assert_int_equal(fleet_claim(f, "h2", "a2", FLEET_EXPERIENCE)->answer, ANSWER_TICKET);
    HC_SET(stream, alloc_head_stream(f->alloc, "h2"));
    struct core_result *out = ask_stream_end(f, "h1", stream);
    assert_int_equal(out->deny, DENY_NOT_YOUR_STREAM);
    assert_int_equal(fleet_notes(out, NOTE_STREAM_HIJACK), 1);
    assert_int_equal(ask_stream_end(f, "h2", stream)->answer, ANSWER_DONE);
    assert_null(alloc_ticket(f->alloc, "h2"));
    assert_int_equal(alloc_stream(f->alloc, stream)->state, STREAM_ENDED);
    assert_int_equal(ask_stream_end(f, "h2", stream)->answer, ANSWER_DONE);
    assert_int_equal(ask_stream_end(f, "h2", "str-nowhere")->answer, ANSWER_DONE);
}

static void test_stream_end__with_a_lease__releases_it(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE], stream[HC_ID_SIZE];
    granted(f, lease, token);
    HC_SET(stream, fleet_lease(f, lease)->stream_id);
    (void)ask_stream_end(f, "h1", stream);
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_ENDED);
    assert_int_equal(alloc_stream(f->alloc, stream)->why, STREAM_WHY_RELEASED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLEET_TEST(test_release__granted_and_the_body_is_idle__ends_at_once),
        FLEET_TEST(test_release__streaming__drains_and_the_visit_is_over),
        FLEET_TEST(test_release__wrong_token__is_403_and_ends_nothing),
        FLEET_TEST(test_release__over_or_unknown__is_204),
        FLEET_TEST(test_release__store_is_down__is_503),
        FLEET_TEST(test_release__unreachable_before_the_stream__counts_and_demotes),
        FLEET_TEST(test_stop__own_lease_of_either_protocol__ends_without_a_token),
        FLEET_TEST(test_stop__late_retry_that_names_another_body__ends_nothing),
        FLEET_TEST(test_stop__nothing_to_stop__is_2xx),
        FLEET_TEST(test_stream_end__waiting__gives_up_its_place),
        FLEET_TEST(test_stream_end__with_a_lease__releases_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
