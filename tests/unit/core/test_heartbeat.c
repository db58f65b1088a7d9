#include "asks.h"

#include <string.h>

#define INITIAL_MS(f) ((f)->config.timers.soft_hold_initial_ms)
#define ROLLING_MS(f) ((f)->config.timers.soft_hold_rolling_ms)

static void hold(struct fleet *f, char lease_id[HC_ID_SIZE])
{
    fleet_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadipad");
    (void)fleet_report(f, "b1");
    hc_copy(lease_id, HC_ID_SIZE, fleet_read(f, "h1", FLEET_EXPERIENCE)->lease.id);
}

static void granted(struct fleet *f, char lease_id[HC_ID_SIZE])
{
    fleet_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadflatscreen");
    (void)fleet_report(f, "b1");
    hc_copy(lease_id, HC_ID_SIZE, fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->lease.id);
}

static int64_t left_ms(struct fleet *f, const char *lease_id)
{
    return hc_time_since(lease_clock(f->obs, fleet_lease(f, lease_id)).expires_at, f->now);
}

static void streams(struct fleet *f, const char *lease_id)
{
    fleet_session(f, "b1", 0, SESSION_STREAMING, lease_id, "launch-1");
    (void)fleet_report(f, "b1");
    assert_int_equal(fleet_lease(f, lease_id)->state, LEASE_STREAMING);
}

static int64_t since_renewal_ms(struct fleet *f, const char *lease_id)
{
    return hc_time_since(f->now, lease_clock(f->obs, fleet_lease(f, lease_id)).head_renewed_at);
}

/* rules §6.2, row `held`: status, what the lease is then, whether it was renewed */
static const struct { const char *status; enum lease_state then; bool renewed; } held_rows[] = {
    { "idle", LEASE_HELD, true },           { "self-service", LEASE_HELD, true },   { "starting", LEASE_PAIRING, true },
    { "pairing", LEASE_PAIRING, true },     { "streaming", LEASE_HELD, true },      { "streaming-xr", LEASE_HELD, true },
    { "error", LEASE_ABANDONED, false },    { "whatever", LEASE_HELD, true },
};

static void test_heartbeat__each_status_on_a_hold__moves_it_as_the_table_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof held_rows / sizeof held_rows[0]; i++) {
        void *fleet;
        char lease[HC_ID_SIZE];
        assert_int_equal(fleet_setup(&fleet), 0);
        struct fleet *f = fleet;
        hold(f, lease);
        assert_int_equal(left_ms(f, lease), INITIAL_MS(f));
        f->now = hc_time_add(f->now, 10000);
        (void)fleet_heartbeat(f, "h1", held_rows[i].status, "");
        if (fleet_lease(f, lease)->state != held_rows[i].then)
            fail_msg("%s: state %d", held_rows[i].status, (int)fleet_lease(f, lease)->state);
        if (held_rows[i].renewed)
            assert_int_equal(left_ms(f, lease), ROLLING_MS(f));
        assert_int_equal(fleet_teardown(&fleet), 0);
    }
}

static void test_heartbeat__names_no_status__leaves_status_and_body(void **state)      /* wire §2: only named fields change */
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadipad");
    struct heartbeat_req req = usual_heartbeat("h1", "streaming");
    req.body_id = "b1";
    (void)ask_heartbeat(f, &req);
    req.status = NULL;
    req.body_id = NULL;
    (void)ask_heartbeat(f, &req);
    assert_string_equal(head_seen(f, "h1")->status, "streaming");
    assert_string_equal(head_seen(f, "h1")->body_id, "b1");
    req.status = "starting";
    (void)ask_heartbeat(f, &req);
    assert_string_equal(head_seen(f, "h1")->status, "starting");
    assert_string_equal(head_seen(f, "h1")->body_id, "");
}

static void test_heartbeat__of_a_hold__is_saved_by_the_tick_only(void **state)      /* §3.8 */
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    hold(f, lease);
    (void)fleet_heartbeat(f, "h1", "starting", "");
    f->now = hc_time_add(f->now, 10000);
    (void)fleet_heartbeat(f, "h1", "starting", "");
    assert_false(f->last.dirty);
}

static void test_heartbeat__renews_past_the_start_deadline__fails_all_the_same(void **state)      /* i8 */
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    hold(f, lease);
    for (int64_t ms = 0; ms < f->config.timers.start_deadline_legacy_ms; ms += 30000) {
        (void)fleet_heartbeat(f, "h1", "starting", "");
        fleet_pass(f, 30000);
    }
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_FAILED);
    assert_int_equal(fleet_lease(f, lease)->why, WHY_START_TIMEOUT);
}

static void test_heartbeat__error_after_it_is_pairing__ends_it_at_once(void **state)      /* §6.2 point 2 */
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    hold(f, lease);
    (void)fleet_heartbeat(f, "h1", "starting", "");
    (void)fleet_heartbeat(f, "h1", "error", "");
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_ABANDONED);
    assert_null(alloc_head_stream(f->alloc, "h1"));      /* abandoned: it does not return (§7.9) */
}

/* rules §6.2, row `granted` */
static const struct { bool names; enum head_lease_state said; enum lease_state then; bool renewed; } granted_rows[] = {
    { true, HEAD_LEASE_NONE, LEASE_GRANTED, true },        { true, HEAD_LEASE_PAIRING, LEASE_PAIRING, true },
    { true, HEAD_LEASE_STARTING, LEASE_STARTING, true },   { true, HEAD_LEASE_STREAMING, LEASE_GRANTED, true },
    { true, HEAD_LEASE_LOST, LEASE_GRANTED, true },        { false, HEAD_LEASE_STARTING, LEASE_GRANTED, false },
};

static void test_heartbeat__each_lease_state_on_a_grant__moves_it_as_the_table_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof granted_rows / sizeof granted_rows[0]; i++) {
        void *fleet;
        char lease[HC_ID_SIZE];
        assert_int_equal(fleet_setup(&fleet), 0);
        struct fleet *f = fleet;
        granted(f, lease);
        f->now = hc_time_add(f->now, 20000);
        (void)fleet_heartbeat_lease(f, "h1", "starting", granted_rows[i].names ? lease : "", granted_rows[i].said);
        if (fleet_lease(f, lease)->state != granted_rows[i].then)
            fail_msg("row %zu: state %d", i, (int)fleet_lease(f, lease)->state);
        /* 90 s, but nobody renews past the start deadline of 90 s after the grant */
        int64_t most = f->config.timers.start_deadline_ms - 20000;
        assert_int_equal(left_ms(f, lease), most);
        assert_int_equal(since_renewal_ms(f, lease), granted_rows[i].renewed ? 0 : 20000);
        assert_int_equal(fleet_teardown(&fleet), 0);
    }
}

/* rules §6.2, row `streaming`: which heartbeats of the head renew */
static const struct { const char *status, *body; bool names, renews; } streaming_rows[] = {
    { "streaming", "b1", false, true },    { "streaming", "", false, true },      { "streaming-xr", "", false, true },
    { "starting", "", true, true },        { "starting", "", false, false },      { "idle", "", false, false },
    { "idle", "", true, false },           { "self-service", "", true, false },   { "error", "", false, false },
    { "error", "", true, false },          { "streaming", "b2", false, false },
};

static void test_heartbeat__each_status_on_a_stream__renews_as_the_table_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof streaming_rows / sizeof streaming_rows[0]; i++) {
        void *fleet;
        char lease[HC_ID_SIZE];
        assert_int_equal(fleet_setup(&fleet), 0);
        struct fleet *f = fleet;
        granted(f, lease);
        streams(f, lease);
        f->now = hc_time_add(f->now, 20000);
        struct heartbeat_req beat = usual_heartbeat("h1", streaming_rows[i].status);
        beat.body_id = streaming_rows[i].body;
        beat.lease_id = streaming_rows[i].names ? lease : "";
        (void)ask_heartbeat(f, &beat);
        assert_int_equal(fleet_lease(f, lease)->state, LEASE_STREAMING);
        if ((since_renewal_ms(f, lease) == 0) != streaming_rows[i].renews)
            fail_msg("row %zu: %s", i, streaming_rows[i].status);
        assert_int_equal(fleet_teardown(&fleet), 0);
    }
}

static void test_heartbeat__streaming_while_it_drains_unattended__takes_it_back(void **state)      /* §6.2 */
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    granted(f, lease);
    streams(f, lease);
    fleet_pass(f, f->config.timers.max_unattended_ms);
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_DRAINING);
    (void)fleet_heartbeat(f, "h1", "idle", "");
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_DRAINING);
    (void)fleet_heartbeat(f, "h1", "streaming", "b1");
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_STREAMING);
    assert_string_equal(alloc_head_lease(f->alloc, "h1"), lease);
    fleet_pass(f, 60000);
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_STREAMING);
}

static void test_heartbeat__lost_and_the_body_is_lost__the_stream_seeks_again(void **state)      /* §9.3 */
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], stream[HC_ID_SIZE];
    granted(f, lease);
    streams(f, lease);
    HC_SET(stream, fleet_lease(f, lease)->stream_id);
    hc_time created = alloc_stream(f->alloc, stream)->created_at;
    (void)fleet_heartbeat_lease(f, "h1", "error", lease, HEAD_LEASE_LOST);
    assert_false(fleet_lease(f, lease)->left_behind);      /* its body says otherwise */
    fleet_silent(f, "b1");
    fleet_pass(f, 125000);
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_UNKNOWN);
    (void)fleet_heartbeat_lease(f, "h1", "error", "lse-other", HEAD_LEASE_LOST);
    assert_false(fleet_lease(f, lease)->left_behind);
    (void)fleet_heartbeat_lease(f, "h1", "error", lease, HEAD_LEASE_LOST);
    assert_true(fleet_lease(f, lease)->left_behind);
    assert_int_equal(alloc_stream(f->alloc, stream)->state, STREAM_SEEKING);
    assert_non_null(alloc_ticket(f->alloc, "h1"));
    assert_int_equal(alloc_ticket(f->alloc, "h1")->created_at.ms, created.ms);
    assert_int_equal(alloc_stream(f->alloc, stream)->returns, 0);
    (void)fleet_report(f, "b1");                           /* the body comes back and shows the old session */
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_DRAINING);
    assert_int_equal(alloc_stream(f->alloc, stream)->state, STREAM_SEEKING);
    assert_non_null(alloc_ticket(f->alloc, "h1"));
}

static void test_heartbeat__a_session_crashed_and_it_says_lost__the_stream_seeks_again(void **state)      /* §9.3 */
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    granted(f, lease);
    streams(f, lease);
    fleet_no_session(f, "b1");
    f->now = hc_time_add(f->now, 1000);
    (void)fleet_report(f, "b1");
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_STREAMING);      /* one idle report is no evidence */
    (void)fleet_heartbeat_lease(f, "h1", "error", lease, HEAD_LEASE_LOST);
    assert_true(fleet_lease(f, lease)->left_behind || lease_is_terminal(fleet_lease(f, lease)->state));
    assert_non_null(alloc_head_stream(f->alloc, "h1"));
}

static void test_heartbeat__versions__are_kept_in_the_record(void **state)
{
    struct fleet *f = *state;
    fleet_head(f, "h1", "north", "hydraheadflatscreen");
    struct heartbeat_req beat = usual_heartbeat("h1", "idle");
    beat.protocol_version = (struct opt_u32){ true, 2 };
    beat.pairing_protocol = (struct opt_u32){ true, 3 };
    beat.version = "2.4.0";
    beat.diagnostics = "{\"latency_ms\":\"12\"}";
    (void)ask_heartbeat(f, &beat);
    const struct node_rec *node = alloc_node(f->alloc, "h1");
    assert_int_equal(node->protocol_version, 2);
    assert_int_equal(node->pairing_protocol, 3);
    assert_string_equal(node->version, "2.4.0");
    assert_string_equal(node->name, "h1");            /* only named fields change (I6) */
    assert_string_equal(head_seen(f, "h1")->diagnostics->bytes, "{\"latency_ms\":\"12\"}");
    (void)ask_heartbeat(f, &beat);
    assert_false(f->last.dirty);
    beat = usual_heartbeat("h1", "idle");
    (void)ask_heartbeat(f, &beat);
    assert_int_equal(alloc_node(f->alloc, "h1")->protocol_version, 2);
    assert_non_null(head_seen(f, "h1")->diagnostics); /* not told again: it stays */
}

static bool flips(struct fleet *f, const char *const *from, size_t count, int64_t apart_ms)
{
    size_t notes = 0;
    for (size_t i = 0; i < count; i++) {
        f->now = hc_time_add(f->now, apart_ms);
        struct heartbeat_req beat = usual_heartbeat("h1", "idle");
        beat.address = from[i];
        notes += fleet_notes(ask_heartbeat(f, &beat), NOTE_DUPLICATE_HEAD);
    }
    bool held = hc_time_set(head_seen(f, "h1")->duplicate_until) && !hc_time_due(head_seen(f, "h1")->duplicate_until, f->now);
    assert_int_equal(notes > 0, held);
    return held;
}

static void test_heartbeat__two_addresses_in_turn__is_a_duplicate(void **state)      /* §12.2 */
{
    static const char *const turns[] = { "10.0.0.1", "10.0.0.2", "10.0.0.1" };
    struct fleet *f = *state;
    fleet_head(f, "h1", "north", "hydraheadflatscreen");
    assert_true(flips(f, turns, 3, 15000));
}

static void test_heartbeat__device_that_moved__is_none(void **state)
{
    static const char *const moved[] = { "10.0.0.1", "10.0.0.1", "10.0.0.2", "10.0.0.2", "10.0.0.3", "10.0.0.4" };
    struct fleet *f = *state;
    fleet_head(f, "h1", "north", "hydraheadflatscreen");
    assert_false(flips(f, moved, 6, 5000));
}

static void test_heartbeat__back_after_the_window__is_none(void **state)
{
    static const char *const turns[] = { "10.0.0.1", "10.0.0.2", "10.0.0.1" };
    struct fleet *f = *state;
    fleet_head(f, "h1", "north", "hydraheadflatscreen");
    assert_false(flips(f, turns, 3, 31000));
}

static void test_heartbeat__both_families_of_one_device__is_none(void **state)
{
    static const char *const dual[] = { "10.0.0.1", "fd00::1", "10.0.0.1", "fd00::1", "10.0.0.1" };
    struct fleet *f = *state;
    fleet_head(f, "h1", "north", "hydraheadflatscreen");
    assert_false(flips(f, dual, 5, 5000));
}

static void test_heartbeat__store_is_down__enters_what_is_observed_only(void **state)      /* §3.5 */
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    hold(f, lease);
    f->store_down = true;
    struct heartbeat_req beat = usual_heartbeat("h1", "error");
    beat.version = "9";
    (void)ask_heartbeat(f, &beat);
    assert_false(f->last.dirty);
    assert_string_equal(head_seen(f, "h1")->status, "error");
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_HELD);
}

static void test_heartbeat__streaming_on_a_body_leased_to_another__is_a_conflict_once(void **state)      /* §10.3 */
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    granted(f, lease);
    streams(f, lease);
    fleet_head(f, "h2", "north", "hydraheadipad");
    assert_int_equal(fleet_notes(fleet_heartbeat(f, "h2", "streaming", "b1"), NOTE_SLOT_CONFLICT), 1);
    assert_true(f->last.notes[0].expected_legacy);
    assert_int_equal(fleet_notes(fleet_heartbeat(f, "h2", "streaming", "b1"), NOTE_SLOT_CONFLICT), 0);
}

static void test_heartbeat__unknown_head__is_404(void **state)
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    assert_int_equal(fleet_heartbeat(f, "b1", "idle", "")->deny, DENY_NOT_FOUND);      /* a body is no head */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heartbeat__each_status_on_a_hold__moves_it_as_the_table_says),
        FLEET_TEST(test_heartbeat__names_no_status__leaves_status_and_body),
        FLEET_TEST(test_heartbeat__of_a_hold__is_saved_by_the_tick_only),
        FLEET_TEST(test_heartbeat__renews_past_the_start_deadline__fails_all_the_same),
        FLEET_TEST(test_heartbeat__error_after_it_is_pairing__ends_it_at_once),
        cmocka_unit_test(test_heartbeat__each_lease_state_on_a_grant__moves_it_as_the_table_says),
        cmocka_unit_test(test_heartbeat__each_status_on_a_stream__renews_as_the_table_says),
        FLEET_TEST(test_heartbeat__streaming_while_it_drains_unattended__takes_it_back),
        FLEET_TEST(test_heartbeat__lost_and_the_body_is_lost__the_stream_seeks_again),
        FLEET_TEST(test_heartbeat__a_session_crashed_and_it_says_lost__the_stream_seeks_again),
        FLEET_TEST(test_heartbeat__versions__are_kept_in_the_record),
        FLEET_TEST(test_heartbeat__two_addresses_in_turn__is_a_duplicate),
        FLEET_TEST(test_heartbeat__device_that_moved__is_none),
        FLEET_TEST(test_heartbeat__back_after_the_window__is_none),
        FLEET_TEST(test_heartbeat__both_families_of_one_device__is_none),
        FLEET_TEST(test_heartbeat__store_is_down__enters_what_is_observed_only),
        FLEET_TEST(test_heartbeat__streaming_on_a_body_leased_to_another__is_a_conflict_once),
        FLEET_TEST(test_heartbeat__unknown_head__is_404),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
