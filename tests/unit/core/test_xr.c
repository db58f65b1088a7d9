/* XR sessions: gates, who is busy, occupancy beside flat slots, claims of protocol 2, what a body is told (wire §2 to §4, rules §5). The
 * states in time are test_xr_flow.c's. */
#include "headset.h"

#include <string.h>

#include "../../../src/core/xr.h"
#include "asks.h"
#include "visits.h"

static const struct xr_edge *edge_of(enum xr_state from, enum xr_event on)
{
    for (size_t i = 0; i < xr_edge_count; i++)
        if (xr_edges[i].from == from && xr_edges[i].on == on)
            return &xr_edges[i];
    return NULL;
}

static void test_xr_edges__all__are_unique_and_move(void **state)
{
    (void)state;
    for (size_t i = 0; i < xr_edge_count; i++) {
        assert_ptr_equal(edge_of(xr_edges[i].from, xr_edges[i].on), &xr_edges[i]);
        assert_int_not_equal(xr_edges[i].from, xr_edges[i].to);
        assert_int_not_equal(xr_edges[i].from, XR_NONE);
    }
    for (size_t i = 0; i < xr_follow_count; i++)
        assert_ptr_equal(xr_follow_of(xr_follows[i].is, xr_follows[i].from), &xr_follows[i]);
}

static void test_xr_states__all__are_reached_and_left(void **state)
{
    (void)state;
    for (int s = 0; s < XR_STATES; s++) {
        bool reached = s == XR_REQUESTED, left = s == XR_NONE;
        for (size_t i = 0; i < xr_edge_count; i++) {
            reached = reached || xr_edges[i].to == (enum xr_state)s;
            left = left || xr_edges[i].from == (enum xr_state)s;
        }
        assert_true(reached && left);
    }
}

/* I8: the lease of a live session has its clocks, and however it ends the session follows; the others have their hold. */
static void test_xr_states__that_are_live__follow_every_end_of_their_lease_i8(void **state)
{
    (void)state;
    for (int s = XR_REQUESTED; s < XR_STATES; s++) {
        bool live = xr_is_live((enum xr_state)s);
        assert_true((edge_of((enum xr_state)s, XEV_LEASE_OVER) != NULL) == live);
        assert_true((edge_of((enum xr_state)s, XEV_LEASE_DRAINS) != NULL) == live);
        assert_true((edge_of((enum xr_state)s, XEV_HOLD_OVER) != NULL) == !live);
    }
}

/* Whatever a session makes of its lease, the table of leases has the edge. */
static void test_xr_follows__all__are_edges_of_a_lease(void **state)
{
    (void)state;
    for (size_t i = 0; i < xr_follow_count; i++) {
        struct lease lease = { .state = xr_follows[i].from, .came_from = LEASE_STREAMING };
        assert_int_equal(lease_apply(&lease, xr_follows[i].on, xr_follows[i].why, (hc_time){ 1 }), HC_OK);
    }
    for (int on = 0; on < XEV_COUNT; on++)
        assert_true(strlen(xr_event_name((enum xr_event)on)) > 0);
}

static void no_driver(struct fleet *f) { fleet_machine(f, "b1")->xr = false; (void)fleet_report(f, "b1"); }
static void no_hostname(struct fleet *f) { edit_node(f, "q1")->xr_client_hostname[0] = '\0'; edit_done(f); }
static void not_quest(struct fleet *f) { HC_SET(edit_node(f, "q1")->kind, "hydraheadipad"); edit_done(f); }
static void elsewhere(struct fleet *f) { HC_SET(edit_node(f, "q1")->district, "d2"); edit_done(f); }
static void not_installed(struct fleet *f)
{
    static const char *const other[] = { "other" };
    set_experiences(f, "b1", other, 1);
}
static void flat_experience(struct fleet *f)
{
    struct core_event ev = fleet_event(f, CORE_EXPERIENCE_PUT, CALLER_ADMIN, "");
    ev.u.experience = (struct experience_req){ .name = FLEET_EXPERIENCE, .label = "L", .orientation = "", .stream_mode = "" };
    (void)fleet_step(f, &ev);
}
static void maintenance(struct fleet *f) { edit_body(f, "b1")->maintenance = true; edit_done(f); }
static void stale(struct fleet *f) { f->now = hc_time_add(f->now, 100000); }
static void engaged(struct fleet *f) { (void)headset_body_says(f, "b1", "armed"); }
static void streaming(struct fleet *f)
{
    fleet_session(f, "b1", 0, SESSION_STREAMING, "", "l9");
    (void)fleet_report(f, "b1");
}
static void taken(struct fleet *f)
{
    headset_head(f, "q2");
    assert_int_equal(headset_start(f, "q2", "b1")->answer, ANSWER_XR);
}
static void own_session(struct fleet *f) { assert_int_equal(headset_start(f, "q1", "b1")->answer, ANSWER_XR); }
static void own_claim(struct fleet *f) { assert_int_equal(fleet_claim(f, "q1", "a1", FLEET_EXPERIENCE)->answer, ANSWER_LEASE_NEW); }
static void store_down(struct fleet *f) { f->store_down = true; }

static const struct gate { const char *name; void (*prepare)(struct fleet *f); enum deny_reason deny; } gates[] = {
    { "no driver", no_driver, DENY_NOT_XR_CAPABLE },         { "no client hostname", no_hostname, DENY_NOT_XR_CAPABLE },
    { "not a headset", not_quest, DENY_NOT_XR_CAPABLE },     { "another district", elsewhere, DENY_NOT_XR_CAPABLE },
    { "not installed", not_installed, DENY_NOT_XR_CAPABLE }, { "a flat experience", flat_experience, DENY_NOT_XR_CAPABLE },
    { "maintenance", maintenance, DENY_BODY_BUSY },          { "an old report", stale, DENY_BODY_BUSY },
    { "engaged", engaged, DENY_BODY_BUSY },                  { "streaming flat", streaming, DENY_BODY_BUSY },
    { "another's session", taken, DENY_BODY_BUSY },          { "its own session", own_session, DENY_HEAD_BUSY },
    { "its own claim", own_claim, DENY_HEAD_BUSY },          { "no store", store_down, DENY_STORE },
};

static void test_xr_start__behind_a_gate__is_refused_in_the_shipped_words(void **state)
{
    for (size_t i = 0; i < sizeof gates / sizeof gates[0]; i++) {
        assert_int_equal(fleet_setup(state), 0);
        headset_fleet(*state);
        gates[i].prepare(*state);
        const struct core_result *got = headset_start(*state, "q1", "b1");
        if (got->answer != ANSWER_REFUSED || got->deny != gates[i].deny)
            fail_msg("%s: answer %d, %s", gates[i].name, (int)got->answer, word_of(&deny_words, (int)got->deny));
        assert_int_equal(fleet_teardown(state), 0);
    }
}

static void test_xr_start__answer__names_the_session_and_the_host(void **state)
{
    struct fleet *f = *state;
    headset_fleet(f);
    HC_SET(edit_node(f, "b1")->wireguard_ip, "10.10.100.12");
    edit_done(f);
    const struct core_result *got = headset_start(f, "q1", "b1");
    assert_int_equal(got->answer, ANSWER_XR);
    assert_int_equal(got->xr.state, XR_REQUESTED);
    assert_string_equal(got->xr.body_id, "b1");
    assert_string_equal(got->xr.body_host, "10.10.100.12");
    assert_string_equal(got->xr.experience, FLEET_EXPERIENCE);
    assert_string_equal(got->xr.reason, "");
    assert_string_equal(got->xr.session_id, fleet_live(f, "b1", 0)->id);
    assert_int_equal(fleet_live(f, "b1", 0)->mode, MODE_XR);
    assert_int_equal(headset_poll(f, "q1")->answer, ANSWER_XR);
}

static void test_xr_start__unknown_body__is_not_a_cluster_without_xr(void **state)      /* a 404 would say that */
{
    struct fleet *f = *state;
    headset_fleet(f);
    assert_int_equal(headset_start(f, "q1", "none")->deny, DENY_NOT_XR_CAPABLE);
}

/* Wire §2, behaviour 8. */
static void test_xr_start__own_hold_on_the_body__is_not_busy(void **state)
{
    struct fleet *f = *state;
    char hold[HC_ID_SIZE];
    headset_fleet(f);
    visit_hold(f, "q1", hold);
    assert_int_equal(headset_start(f, "q1", "b1")->answer, ANSWER_XR);
    assert_int_equal(fleet_lease(f, hold)->state, LEASE_ENDED);
    assert_string_not_equal(fleet_live(f, "b1", 0)->id, hold);
}

static void test_xr_start__own_pair_lease_on_the_body__is_not_busy(void **state)
{
    struct fleet *f = *state;
    headset_fleet(f);
    struct core_event ev = fleet_event(f, CORE_PAIR_LEASE, CALLER_NODE, "q1");
    ev.u.pair = (struct pair_req){ "q1", "b1", 0 };
    assert_int_equal(fleet_step(f, &ev)->answer, ANSWER_PAIR);
    assert_int_equal(headset_start(f, "q1", "b1")->answer, ANSWER_XR);
    assert_string_equal(fleet_slot(f, "b1", 0)->pair.id, "");
}

static void test_xr_start__revoked_head__is_refused(void **state)
{
    struct fleet *f = *state;
    headset_fleet(f);
    struct identity_rec *identity = (struct identity_rec *)rec_new(REC_IDENTITY, "q1");
    assert_non_null(identity);
    identity->revoked_at = f->now;
    assert_int_equal(alloc_put(f->alloc, REC_IDENTITY, "q1", &identity->rec), HC_OK);
    rec_unref(&identity->rec);
    assert_int_equal(headset_start(f, "q1", "b1")->deny, DENY_IDENTITY_REVOKED);
}

static void test_xr_start__own_hold_elsewhere__is_released(void **state)
{
    struct fleet *f = *state;
    char hold[HC_ID_SIZE];
    headset_fleet(f);
    visit_hold(f, "q1", hold);
    headset_body(f, "b2");
    assert_int_equal(headset_start(f, "q1", "b2")->answer, ANSWER_XR);
    assert_true(lease_is_terminal(fleet_lease(f, hold)->state));
    assert_int_equal(fleet_live(f, "b2", 0)->mode, MODE_XR);
}

static void test_xr_read__of_a_headset__takes_nothing(void **state)
{
    struct fleet *f = *state;
    headset_fleet(f);
    assert_int_equal(ask_pure(f, "q1", FLEET_EXPERIENCE, "xr")->row_count, 1);
    assert_null(fleet_live(f, "b1", 0));
}

/* Rules §5: slot 0 of every body, and nothing but slot 0. */
static void test_xr__body_of_two_slots__is_served_flat_beside_it(void **state)
{
    struct fleet *f = *state;
    headset_fleet(f);
    fleet_head(f, "p1", "north", "hydraheadflatscreen");
    fleet_head(f, "p2", "north", "hydraheadflatscreen");
    fleet_slots(f, "b1", 2);
    (void)fleet_report(f, "b1");
    assert_int_equal(headset_start(f, "q1", "b1")->answer, ANSWER_XR);
    (void)headset_body_says(f, "b1", "active");
    const struct core_result *beside = fleet_claim(f, "p1", "a1", FLEET_EXPERIENCE);
    assert_int_equal(beside->answer, ANSWER_LEASE_NEW);
    assert_int_equal(beside->slot, 1);
    assert_int_equal(fleet_claim(f, "p2", "a2", FLEET_EXPERIENCE)->answer, ANSWER_TICKET);
    (void)headset_end(f, "q1");
    (void)headset_body_says(f, "b1", "ending");
    assert_null(alloc_head_lease(f->alloc, "p2"));              /* the machine still takes it down */
    (void)headset_body_says(f, "b1", "idle");
    (void)headset_body_says(f, "b1", "idle");                   /* the next epoch is confirmed */
    assert_non_null(alloc_head_lease(f->alloc, "p2"));
}

/* I8: the quarter of an hour is not begun anew with each agent (found by a random fleet). */
static void test_xr__agent_that_restarts_again_and_again__keeps_no_session(void **state)
{
    struct fleet *f = *state;
    const int64_t most_ms = f->config.timers.xr_ending_hold_ms + f->config.timers.agent_warmup_ms;
    headset_fleet(f);
    assert_int_equal(headset_start(f, "q1", "b1")->answer, ANSWER_XR);
    (void)headset_body_says(f, "b1", "active");
    (void)headset_end(f, "q1");
    for (int64_t ms = 0; ms < most_ms + 20000; ms += 10000) {
        fleet_pass(f, 10000);
        fleet_machine(f, "b1")->uptime_ms = ms % 300000;        /* every five minutes */
        (void)headset_body_says(f, "b1", "ending");
    }
    assert_string_equal(headset_session(f, "b1")->session_id, "");
}

static void test_xr__flat_on_slot_one__does_not_keep_a_headset_off(void **state)
{
    struct fleet *f = *state;
    headset_fleet(f);
    fleet_head(f, "p1", "north", "hydraheadflatscreen");
    fleet_head(f, "p2", "north", "hydraheadflatscreen");
    fleet_slots(f, "b1", 2);
    (void)fleet_report(f, "b1");
    (void)fleet_claim(f, "p1", "a1", FLEET_EXPERIENCE);
    const struct core_result *second = fleet_claim(f, "p2", "a2", FLEET_EXPERIENCE);
    assert_int_equal(second->slot, 1);
    assert_int_equal(headset_start(f, "q1", "b1")->deny, DENY_BODY_BUSY);
    char token[CLAIM_TOKEN_SIZE], lease_id[HC_ID_SIZE];
    HC_SET(lease_id, fleet_live(f, "b1", 0)->id);
    claim_token(&f->config, fleet_live(f, "b1", 0), token);
    (void)fleet_release(f, "p1", lease_id, token, WHY_USER_EXIT);
    (void)fleet_report(f, "b1");
    assert_int_equal(headset_start(f, "q1", "b1")->answer, ANSWER_XR);
    assert_non_null(fleet_live(f, "b1", 1));
}

static void test_xr__flat_session_on_its_slot__is_a_conflict_and_never_its_own(void **state)
{
    struct fleet *f = *state;
    headset_fleet(f);
    (void)headset_start(f, "q1", "b1");
    fleet_session(f, "b1", 0, SESSION_STREAMING, "", "l1");
    const struct core_result *told = headset_body_says(f, "b1", "arming");
    assert_int_equal(fleet_notes(told, NOTE_SLOT_CONFLICT), 1);
    assert_int_equal(fleet_live(f, "b1", 0)->state, LEASE_PAIRING);
}

static void test_xr__another_sessions_state__says_nothing_of_this_one(void **state)
{
    struct fleet *f = *state;
    headset_fleet(f);
    (void)headset_start(f, "q1", "b1");
    HC_SET(fleet_machine(f, "b1")->xr_session_id, "lse-of-yesterday");
    (void)headset_body_says(f, "b1", "active");
    assert_int_equal(headset_session(f, "b1")->state, XR_REQUESTED);
    HC_SET(fleet_machine(f, "b1")->xr_session_id, headset_session(f, "b1")->session_id);
    HC_SET(fleet_machine(f, "b1")->xr_reason, "no_trust");
    (void)headset_body_says(f, "b1", "failed");
    assert_int_equal(headset_session(f, "b1")->state, XR_FAILED);
    assert_string_equal(headset_session(f, "b1")->reason, "no_trust");
}

static void test_xr_end__of_nothing__is_done(void **state)
{
    struct fleet *f = *state;
    headset_fleet(f);
    assert_int_equal(headset_end(f, "q1")->answer, ANSWER_DONE);
    assert_int_equal(headset_poll(f, "q1")->deny, DENY_NOT_FOUND);
    (void)headset_start(f, "q1", "b1");
    assert_int_equal(headset_end(f, "q1")->answer, ANSWER_DONE);
    assert_int_equal(headset_end(f, "q1")->answer, ANSWER_DONE);
    assert_int_equal(headset_session(f, "b1")->state, XR_ENDING);
}

static void test_xr__stream_delete_of_a_headset__ends_it(void **state)      /* what it sends at every end */
{
    struct fleet *f = *state;
    headset_fleet(f);
    (void)headset_start(f, "q1", "b1");
    (void)ask_stop(f, "q1", "b1");
    assert_int_equal(headset_session(f, "b1")->state, XR_ENDING);
}

static void test_xr__failed_and_read__leaves_the_headset_free_and_the_body_held(void **state)
{
    struct fleet *f = *state;
    headset_fleet(f);
    headset_body(f, "b2");
    (void)headset_start(f, "q1", "b1");
    (void)headset_body_says(f, "b1", "arming");
    (void)headset_body_says(f, "b1", "failed");
    assert_int_equal(headset_start(f, "q1", "b2")->deny, DENY_HEAD_BUSY);
    (void)headset_end(f, "q1");
    assert_int_equal(headset_start(f, "q1", "b1")->deny, DENY_BODY_BUSY);
    assert_int_equal(headset_start(f, "q1", "b2")->answer, ANSWER_XR);
    assert_string_equal(headset_poll(f, "q1")->xr.body_id, "b2");
}

static enum xr_action told_action(struct fleet *f)
{
    struct core_view v = fleet_view(f);
    struct hc_arena arena = { 0 };
    struct directive told;
    assert_int_equal(query_directive(&v, "b1", &arena, &told), HC_OK);
    hc_arena_free(&arena);
    return told.xr.action;
}

static void test_xr__end_asked_for_before_the_start__is_not_told_after_an_outage(void **state)      /* §8.1 */
{
    struct fleet *f = *state;
    headset_fleet(f);
    (void)headset_start(f, "q1", "b1");
    (void)headset_body_says(f, "b1", "active");
    (void)headset_end(f, "q1");
    assert_int_equal(told_action(f), XR_ACTION_END);
    headset_body(f, "b9");                                       /* awaited: the district stays in safe mode */
    (void)visit_restart(f, 1000);
    assert_int_equal(headset_session(f, "b1")->state, XR_ENDING);
    assert_int_equal(told_action(f), XR_ACTION_KEEP);
    f->now = hc_time_add(f->now, 5000);
    struct core_event over = fleet_event(f, CORE_OUTAGE_OVER, CALLER_SYSTEM, "");
    over.u.outage.outage_ms = 5000;                              /* moves its clock, not the moment in which it was asked for */
    (void)fleet_step(f, &over);
    assert_int_equal(told_action(f), XR_ACTION_KEEP);
}

static void test_xr__end_in_boot_safe_mode__leaves_only_when_asked_for_since(void **state)      /* §8.1 */
{
    struct fleet *f = *state;
    headset_fleet(f);
    (void)headset_start(f, "q1", "b1");
    (void)headset_body_says(f, "b1", "arming");
    (void)headset_body_says(f, "b1", "failed");
    headset_body(f, "b9");                                       /* awaited: the district stays in safe mode */
    (void)visit_restart(f, 1000);
    struct core_view v = fleet_view(f);
    struct hc_arena arena = { 0 };
    struct directive told;
    assert_int_equal(query_directive(&v, "b1", &arena, &told), HC_OK);
    assert_int_equal(told.xr.action, XR_ACTION_KEEP);
    assert_string_equal(told.xr.client_hostname, "0529.client");
    assert_string_equal(told.xr.client_ip, "10.10.200.7");
    hc_arena_free(&arena);
}

static struct core_result *claim_xr(struct fleet *f, const char *head_id, const char *attempt_id)
{
    struct claim_req req = usual_claim(head_id, attempt_id);
    req.stream_mode = "xr";
    return ask_claim(f, &req, false);
}

static void test_xr_claim__of_protocol_2__arms_the_body(void **state)
{
    struct fleet *f = *state;
    headset_fleet(f);
    const struct core_result *got = claim_xr(f, "q1", "a1");
    assert_int_equal(got->answer, ANSWER_LEASE_NEW);
    assert_int_equal(got->lease.mode, MODE_XR);
    assert_int_equal(got->ttl_ms, f->config.timers.xr_head_stale_ms);
    assert_int_equal(got->start_deadline_ms, f->config.timers.xr_arm_ms);
    assert_int_equal(headset_session(f, "b1")->state, XR_REQUESTED);
    assert_string_equal(headset_poll(f, "q1")->xr.session_id, headset_session(f, "b1")->session_id);
    (void)headset_body_says(f, "b1", "active");
    assert_int_equal(fleet_live(f, "b1", 0)->state, LEASE_STREAMING);
}

static void test_xr_claim__of_who_cannot__is_a_bad_request(void **state)
{
    struct fleet *f = *state;
    headset_fleet(f);
    fleet_head(f, "p1", "north", "hydraheadflatscreen");
    assert_string_equal(claim_xr(f, "p1", "a1")->field, "stream_mode");
    flat_experience(f);
    assert_string_equal(claim_xr(f, "q1", "a1")->field, "stream_mode");
}

static void test_xr_claim__that_waited__arms_when_it_is_collected(void **state)
{
    struct fleet *f = *state;
    headset_fleet(f);
    headset_head(f, "q2");
    (void)headset_start(f, "q2", "b1");
    (void)headset_body_says(f, "b1", "active");
    assert_int_equal(claim_xr(f, "q1", "a1")->answer, ANSWER_TICKET);
    (void)headset_end(f, "q2");
    (void)headset_body_says(f, "b1", "idle");
    (void)headset_body_says(f, "b1", "idle");
    const struct lease *promoted = fleet_live(f, "b1", 0);
    assert_non_null(promoted);
    assert_int_equal(promoted->mode, MODE_XR);
    assert_true(promoted->uncollected);
    assert_string_equal(headset_session(f, "b1")->session_id, "");      /* nobody has come for it yet */
    assert_int_equal(claim_xr(f, "q1", "a1")->answer, ANSWER_LEASE_SAME);
    assert_int_equal(headset_session(f, "b1")->state, XR_REQUESTED);
}

static void test_xr__arm_timeouts__count_against_the_body(void **state)      /* §11 */
{
    struct fleet *f = *state;
    headset_fleet(f);
    headset_head(f, "q2");
    for (unsigned i = 0; i < 3; i++) {
        const char *head = i == 1 ? "q2" : "q1";
        assert_int_equal(headset_start(f, head, "b1")->answer, ANSWER_XR);
        headset_pass(f, 230000, NULL, "");
        (void)headset_body_says(f, "b1", "idle");
    }
    assert_int_equal(alloc_body(f->alloc, "b1")->circuit.state, CIRCUIT_OPEN);
    assert_int_equal(headset_start(f, "q1", "b1")->deny, DENY_BODY_BUSY);
}

static void test_xr_merge__session_that_the_file_lacks__is_kept(void **state)      /* §3.3 */
{
    struct fleet *f = *state;
    struct alloc *foreign;
    struct core_result out;
    headset_fleet(f);
    assert_int_equal(alloc_snapshot(f->alloc, &foreign), HC_OK);
    (void)headset_start(f, "q1", "b1");
    (void)headset_body_says(f, "b1", "active");
    assert_int_equal(core_merge_foreign(foreign, f->alloc, f->obs, f->now, &out), HC_OK);
    core_result_free(&out);
    assert_string_equal(alloc_body(foreign, "b1")->xr.session_id, headset_session(f, "b1")->session_id);
    assert_string_equal(node_xr(alloc_node(foreign, "b1"))->session_id, headset_session(f, "b1")->session_id);
    assert_int_equal(slot_live_lease(&alloc_body(foreign, "b1")->slots[0])->state, LEASE_UNKNOWN);
    alloc_free(foreign);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_xr_edges__all__are_unique_and_move),
        cmocka_unit_test(test_xr_states__all__are_reached_and_left),
        cmocka_unit_test(test_xr_states__that_are_live__follow_every_end_of_their_lease_i8),
        cmocka_unit_test(test_xr_follows__all__are_edges_of_a_lease),
        cmocka_unit_test(test_xr_start__behind_a_gate__is_refused_in_the_shipped_words),
        FLEET_TEST(test_xr_start__answer__names_the_session_and_the_host),
        FLEET_TEST(test_xr_start__unknown_body__is_not_a_cluster_without_xr),
        FLEET_TEST(test_xr_start__own_hold_on_the_body__is_not_busy),
        FLEET_TEST(test_xr_start__own_hold_elsewhere__is_released),
        FLEET_TEST(test_xr_start__own_pair_lease_on_the_body__is_not_busy),
        FLEET_TEST(test_xr_start__revoked_head__is_refused),
        FLEET_TEST(test_xr_read__of_a_headset__takes_nothing),
        FLEET_TEST(test_xr__body_of_two_slots__is_served_flat_beside_it),
        FLEET_TEST(test_xr__flat_on_slot_one__does_not_keep_a_headset_off),
        FLEET_TEST(test_xr__flat_session_on_its_slot__is_a_conflict_and_never_its_own),
        FLEET_TEST(test_xr__another_sessions_state__says_nothing_of_this_one),
        FLEET_TEST(test_xr_end__of_nothing__is_done),
        FLEET_TEST(test_xr__stream_delete_of_a_headset__ends_it),
        FLEET_TEST(test_xr__failed_and_read__leaves_the_headset_free_and_the_body_held),
        FLEET_TEST(test_xr__end_asked_for_before_the_start__is_not_told_after_an_outage),
        FLEET_TEST(test_xr__end_in_boot_safe_mode__leaves_only_when_asked_for_since),
        FLEET_TEST(test_xr_claim__of_protocol_2__arms_the_body),
        FLEET_TEST(test_xr_claim__of_who_cannot__is_a_bad_request),
        FLEET_TEST(test_xr_claim__that_waited__arms_when_it_is_collected),
        FLEET_TEST(test_xr__arm_timeouts__count_against_the_body),
        FLEET_TEST(test_xr__agent_that_restarts_again_and_again__keeps_no_session),
        FLEET_TEST(test_xr_merge__session_that_the_file_lacks__is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
