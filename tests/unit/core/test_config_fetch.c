#include "asks.h"
#include "visits.h"

static void assigned(struct fleet *f)
{
    fleet_body(f, "b1", "north");
    fleet_body(f, "b2", "north");
    fleet_head(f, "h1", "north", "hydraheadflatscreen");
    fleet_head(f, "h2", "north", "hydraheadipad");
    (void)fleet_report(f, "b1");
    (void)fleet_report(f, "b2");
    assign_body(f, "h1", "b1", FLEET_EXPERIENCE);
}

static void test_fetch__assigned_and_free__takes_the_hold(void **state)      /* §6.4 */
{
    struct fleet *f = *state;
    assigned(f);
    struct core_result *out = ask_fetch(f, "h1");
    assert_int_equal(out->answer, ANSWER_LEASE_NEW);
    assert_string_equal(out->body.id, "b1");
    assert_int_equal(out->lease.state, LEASE_HELD);
    assert_string_equal(out->lease.experience, FLEET_EXPERIENCE);
    assert_string_equal(out->claim_token, "");
}

static void test_fetch__again__renews_and_is_never_a_repeat(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    assigned(f);
    HC_SET(lease, ask_fetch(f, "h1")->lease.id);
    for (unsigned i = 0; i < 4; i++) {
        fleet_pass(f, 30000);
        struct core_result *out = ask_fetch(f, "h1");
        assert_int_equal(out->answer, ANSWER_LEASE_SAME);
        assert_string_equal(out->lease.id, lease);
        assert_int_equal(out->ttl_ms, f->config.timers.soft_hold_rolling_ms);
    }
    assert_int_equal(alloc_count(f->alloc, REC_DEMOTION), 0);
}

static void test_fetch__body_is_anothers__has_no_lease_and_no_place(void **state)
{
    struct fleet *f = *state;
    assigned(f);
    assign_body(f, "h2", "b1", "");
    assert_int_equal(fleet_read(f, "h2", FLEET_EXPERIENCE)->answer, ANSWER_ROWS);
    struct core_result *out = ask_fetch(f, "h1");
    assert_int_equal(out->answer, ANSWER_DONE);
    assert_false(out->has_lease);
    assert_null(alloc_ticket(f->alloc, "h1"));
    assert_null(alloc_head_stream(f->alloc, "h1"));
}

static void test_fetch__nothing_assigned__is_no_claim(void **state)
{
    struct fleet *f = *state;
    assigned(f);
    struct core_result *out = ask_fetch(f, "h2");
    assert_int_equal(out->answer, ANSWER_DONE);
    assert_false(out->has_lease || out->dirty);
}

static void test_fetch__no_app_is_set__is_no_claim(void **state)
{
    struct fleet *f = *state;
    assigned(f);
    assign_body(f, "h1", "b1", "");
    assert_false(ask_fetch(f, "h1")->has_lease);
}

static void test_fetch__lease_on_another_body__shows_nothing(void **state)
{
    struct fleet *f = *state;
    assigned(f);
    assign_body(f, "h1", "b2", FLEET_EXPERIENCE);
    assert_true(ask_fetch(f, "h1")->has_lease);
    assign_body(f, "h1", "b1", FLEET_EXPERIENCE);
    assert_false(ask_fetch(f, "h1")->has_lease);
    assert_false(f->last.dirty);
}

/* It is told of its lease again and starts: an idle report that was on its way does not end that (seed 30000368: two pictures met). */
static void test_fetch__picture_is_gone__waits_for_that_start_once(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    assigned(f);
    HC_SET(lease, ask_fetch(f, "h1")->lease.id);
    (void)visit_shows(f, "b1", SESSION_STREAMING, lease, "l1");
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_STREAMING);
    (void)visit_idle(f, "b1");
    fleet_pass(f, 50000);
    assert_int_equal(ask_fetch(f, "h1")->answer, ANSWER_LEASE_SAME);
    fleet_pass(f, 170000);
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_STREAMING);
    fleet_pass(f, 60000);
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_ENDED);
    assert_int_equal(fleet_lease(f, lease)->why, WHY_BODY_IDLE);
}

static void test_fetch__operator__changes_nothing(void **state)
{
    struct fleet *f = *state;
    assigned(f);
    struct core_event ev = fleet_event(f, CORE_CONFIG_FETCH, CALLER_ADMIN, "");
    ev.u.fetch = (struct fetch_req){ .head_id = "h1" };
    assert_false(fleet_step(f, &ev)->has_lease);
    assert_false(f->last.dirty);
    (void)ask_fetch(f, "h1");
    int64_t expires = fleet_live(f, "b1", 0)->expires_at.ms;
    f->now = hc_time_add(f->now, 20000);
    ev = fleet_event(f, CORE_CONFIG_FETCH, CALLER_ADMIN, "");
    ev.u.fetch = (struct fetch_req){ .head_id = "h1" };
    assert_true(fleet_step(f, &ev)->has_lease);       /* it sees the block */
    assert_int_equal(lease_clock(f->obs, fleet_live(f, "b1", 0)).expires_at.ms, expires);
}

static void test_fetch__slot_is_on_its_way__waits(void **state)      /* §6.3.5 */
{
    struct fleet *f = *state;
    assigned(f);
    edit_body(f, "b1")->slots[0].epoch += 1;
    edit_done(f);
    assert_int_equal(ask_fetch(f, "h1")->answer, ANSWER_WAIT_SLOT);
    struct core_event ev = fleet_event(f, CORE_CONFIG_FETCH, CALLER_NODE, "h1");
    ev.u.fetch = (struct fetch_req){ .head_id = "h1", .last_chance = true };
    assert_int_equal(fleet_step(f, &ev)->answer, ANSWER_DONE);
    (void)fleet_report(f, "b1");
    assert_int_equal(ask_fetch(f, "h1")->answer, ANSWER_LEASE_NEW);
}

static void test_fetch__store_is_down__has_no_block(void **state)      /* §3.5 */
{
    struct fleet *f = *state;
    assigned(f);
    f->store_down = true;
    struct core_result *out = ask_fetch(f, "h1");
    assert_int_equal(out->answer, ANSWER_DONE);
    assert_false(out->has_lease);
}

static void test_fetch__unknown_head__is_404(void **state)
{
    struct fleet *f = *state;
    assigned(f);
    assert_int_equal(ask_fetch(f, "b1")->deny, DENY_NOT_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLEET_TEST(test_fetch__assigned_and_free__takes_the_hold),
        FLEET_TEST(test_fetch__again__renews_and_is_never_a_repeat),
        FLEET_TEST(test_fetch__body_is_anothers__has_no_lease_and_no_place),
        FLEET_TEST(test_fetch__nothing_assigned__is_no_claim),
        FLEET_TEST(test_fetch__no_app_is_set__is_no_claim),
        FLEET_TEST(test_fetch__lease_on_another_body__shows_nothing),
        FLEET_TEST(test_fetch__picture_is_gone__waits_for_that_start_once),
        FLEET_TEST(test_fetch__operator__changes_nothing),
        FLEET_TEST(test_fetch__slot_is_on_its_way__waits),
        FLEET_TEST(test_fetch__store_is_down__has_no_block),
        FLEET_TEST(test_fetch__unknown_head__is_404),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
