#include "asks.h"

static void venues(struct fleet *f, unsigned bodies)
{
    for (unsigned i = 1; i <= bodies; i++) {
        char id[] = { 'b', (char)('0' + i), '\0' };
        fleet_body(f, id, "north");
        (void)fleet_report(f, id);
    }
    fleet_head(f, "n1", "north", "hydraheadflatscreen");
    fleet_head(f, "s1", "south", "hydraheadflatscreen");
    fleet_head(f, "s2", "south", "hydraheadflatscreen");
    fleet_head(f, "s3", "south", "hydraheadflatscreen");
}

static enum wait_why asks(struct fleet *f, const char *head_id)
{
    struct core_result *out = fleet_claim(f, head_id, "a1", FLEET_EXPERIENCE);
    return out->answer == ANSWER_LEASE_NEW ? WAIT_NONE : out->wait;
}

static void test_reserve__auto_and_nobody_at_home__guests_take_all(void **state)      /* §7.6: the incident's first two visitors */
{
    struct fleet *f = *state;
    venues(f, 2);
    assert_int_equal(asks(f, "s1"), WAIT_NONE);
    assert_int_equal(asks(f, "s2"), WAIT_NONE);
    assert_int_equal(asks(f, "s3"), WAIT_NO_SLOT);
}

static void test_reserve__auto_and_a_home_head_streamed_lately__keeps_one(void **state)      /* §7.6 b */
{
    struct fleet *f = *state;
    venues(f, 2);
    struct node_obs *seen = (struct node_obs *)observed_edit(f->obs, OBS_NODE, "n1");
    seen->live_at = f->now;
    assert_int_equal(asks(f, "s1"), WAIT_NONE);
    assert_int_equal(asks(f, "s2"), WAIT_RESERVED);
    assert_int_equal(asks(f, "n1"), WAIT_NONE);
}

static void test_reserve__auto_and_its_head_is_long_gone__keeps_none(void **state)
{
    struct fleet *f = *state;
    venues(f, 1);
    struct node_obs *seen = (struct node_obs *)observed_edit(f->obs, OBS_NODE, "n1");
    seen->live_at = hc_time_add(f->now, -f->config.timers.reserve_memory_ms - 1);
    assert_int_equal(asks(f, "s1"), WAIT_NONE);
}

static void test_reserve__auto_and_its_head_is_offline__keeps_none(void **state)
{
    struct fleet *f = *state;
    venues(f, 1);
    struct node_obs *seen = (struct node_obs *)observed_edit(f->obs, OBS_NODE, "n1");
    seen->live_at = f->now;
    edit_node(f, "n1")->last_seen = hc_time_add(f->now, -f->config.timers.node_offline_ms - 1);
    edit_done(f);
    assert_int_equal(asks(f, "s1"), WAIT_NONE);
}

static void test_reserve__auto_and_a_home_head_waits__keeps_one(void **state)      /* §7.6 a */
{
    struct fleet *f = *state;
    venues(f, 1);
    fleet_head(f, "n2", "north", "hydraheadipad");
    edit_body(f, "b1")->maintenance = true;
    edit_done(f);
    assert_int_equal(fleet_read(f, "n2", FLEET_EXPERIENCE)->deny, DENY_NO_SLOT);
    edit_body(f, "b1")->maintenance = false;
    edit_done(f);
    assert_int_equal(asks(f, "s1"), WAIT_RESERVED);
}

/* §7.6: number r of a body with 3 slots leaves guests 3 - r of them, always */
static void test_reserve__number__bounds_what_guests_hold(void **state)
{
    (void)state;
    for (int32_t reserve = 0; reserve <= 3; reserve++) {
        void *fleet;
        assert_int_equal(fleet_setup(&fleet), 0);
        struct fleet *f = fleet;
        venues(f, 1);
        fleet_slots(f, "b1", 3);
        (void)fleet_report(f, "b1");
        edit_body(f, "b1")->home_venue_reserve = reserve;
        edit_done(f);
        int32_t got = 0;
        static const char *const guests[] = { "s1", "s2", "s3" };
        for (size_t i = 0; i < 3; i++)
            got += asks(f, guests[i]) == WAIT_NONE ? 1 : 0;
        assert_int_equal(got, 3 - reserve);
        assert_int_equal(asks(f, "n1"), reserve > 0 ? WAIT_NONE : WAIT_NO_SLOT);
        assert_int_equal(fleet_teardown(&fleet), 0);
    }
}

static void test_cap__of_a_venue__counts_the_leases_of_its_heads(void **state)      /* §7.10 */
{
    struct fleet *f = *state;
    venues(f, 3);
    give_cap(f, "venue/south", 1);
    assert_int_equal(asks(f, "s1"), WAIT_NONE);
    assert_int_equal(asks(f, "s2"), WAIT_VENUE_CAP);
    assert_int_equal(asks(f, "n1"), WAIT_NONE);
}

static void test_cap__of_an_org__counts_over_its_venues(void **state)
{
    struct fleet *f = *state;
    venues(f, 3);
    give_cap(f, "org/" FLEET_OWNER, 2);
    assert_int_equal(asks(f, "s1"), WAIT_NONE);
    assert_int_equal(asks(f, "n1"), WAIT_NONE);
    assert_int_equal(asks(f, "s2"), WAIT_ORG_CAP);
}

static void test_cap__own_hold_is_replaced__is_not_in_its_own_way(void **state)
{
    struct fleet *f = *state;
    char first[HC_ID_SIZE];
    venues(f, 2);
    give_cap(f, "venue/south", 1);
    HC_SET(first, fleet_read(f, "s1", FLEET_EXPERIENCE)->lease.id);
    f->now = hc_time_add(f->now, f->config.timers.idempotency_window_ms);
    struct core_result *out = fleet_read(f, "s1", FLEET_EXPERIENCE);
    assert_string_not_equal(out->lease.id, first);    /* the next candidate, not the cap */
}

static void test_cap__lease_left_behind__does_not_count(void **state)      /* §9.3 */
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    venues(f, 2);
    give_cap(f, "venue/south", 1);
    HC_SET(lease, fleet_claim(f, "s1", "a1", FLEET_EXPERIENCE)->lease.id);
    assert_int_equal(asks(f, "s2"), WAIT_VENUE_CAP);
    struct body_rec *body = edit_body(f, body_of(f, lease));
    body->slots[0].leases[body->slots[0].lease_count - 1].left_behind = true;
    edit_done(f);
    assert_int_equal(asks(f, "s2"), WAIT_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLEET_TEST(test_reserve__auto_and_nobody_at_home__guests_take_all),
        FLEET_TEST(test_reserve__auto_and_a_home_head_streamed_lately__keeps_one),
        FLEET_TEST(test_reserve__auto_and_its_head_is_long_gone__keeps_none),
        FLEET_TEST(test_reserve__auto_and_its_head_is_offline__keeps_none),
        FLEET_TEST(test_reserve__auto_and_a_home_head_waits__keeps_one),
        cmocka_unit_test(test_reserve__number__bounds_what_guests_hold),
        FLEET_TEST(test_cap__of_a_venue__counts_the_leases_of_its_heads),
        FLEET_TEST(test_cap__of_an_org__counts_over_its_venues),
        FLEET_TEST(test_cap__own_hold_is_replaced__is_not_in_its_own_way),
        FLEET_TEST(test_cap__lease_left_behind__does_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
