/* Sessions without a lease: adopted, never ended (rules §10.1, I2); whose they are (§10.2); ended leases that live on (§6.2.4); witnesses
 * (§10.3). */
#include "visits.h"

#include <stdio.h>
#include <string.h>

static struct session_obs *last_session(struct fleet *f)
{
    struct fleet_body *machine = fleet_machine(f, "b1");
    return &machine->sessions[machine->session_count - 1];
}

static const struct lease *shows_named(struct fleet *f, const char *launch_id, const char *client_name, const char *app)
{
    f->now = hc_time_add(f->now, 5000);
    fleet_no_session(f, "b1");
    fleet_session(f, "b1", 0, SESSION_STREAMING, "", launch_id);
    HC_SET(last_session(f)->client_name, client_name);
    HC_SET(last_session(f)->app, app);
    (void)fleet_report(f, "b1");
    return fleet_live(f, "b1", 0);
}

static void test_session__nobody_asked_for_it__is_adopted_i2(void **state)
{
    struct fleet *f = *state;
    visit_fleet(f);
    uint64_t epoch = fleet_slot(f, "b1", 0)->epoch;
    const struct core_result *got = visit_shows(f, "b1", SESSION_STREAMING, "", "l1");
    assert_int_equal(fleet_notes(got, NOTE_LEASE_ADOPTED), 1);
    const struct lease *lease = fleet_live(f, "b1", 0);
    assert_int_equal(lease->state, LEASE_ADOPTED);
    assert_int_equal(lease->source, SOURCE_ADOPTED);
    assert_string_equal(lease->head_id, "");
    assert_true(fleet_slot(f, "b1", 0)->epoch > epoch);
    char id[HC_ID_SIZE];
    HC_SET(id, lease->id);
    fleet_pass(f, HC_MINUTE_MS);
    assert_string_equal(fleet_live(f, "b1", 0)->id, id);        /* once */
    (void)visit_idle(f, "b1");
    fleet_pass(f, 70000);
    assert_int_equal(fleet_lease(f, id)->state, LEASE_ENDED);
}

static void test_session__client_is_named_after_a_head__is_that_heads(void **state)
{
    struct fleet *f = *state;
    visit_fleet(f);
    const struct lease *lease = shows_named(f, "l1", "hydra-h2", FLEET_EXPERIENCE);
    assert_string_equal(lease->head_id, "h2");
    assert_string_equal(lease->experience, FLEET_EXPERIENCE);
    assert_int_equal(visit_stream(f, lease->id)->state, STREAM_LIVE);
    assert_string_equal(alloc_head_lease(f->alloc, "h2"), lease->id);
}

static void test_adopted__a_head_says_it_streams_there__is_that_heads(void **state)
{
    struct fleet *f = *state;
    visit_fleet(f);
    (void)visit_shows(f, "b1", SESSION_STREAMING, "", "l1");
    assert_string_equal(fleet_live(f, "b1", 0)->head_id, "");
    (void)fleet_heartbeat(f, "h1", "streaming", "b1");
    assert_string_equal(fleet_live(f, "b1", 0)->head_id, "h1");
}

static void test_adopted__two_heads_say_so__is_nobodys(void **state)
{
    struct fleet *f = *state;
    visit_fleet(f);
    (void)fleet_heartbeat(f, "h1", "streaming", "b1");
    (void)fleet_heartbeat(f, "h2", "streaming", "b1");
    (void)visit_shows(f, "b1", SESSION_STREAMING, "", "l1");
    assert_string_equal(fleet_live(f, "b1", 0)->head_id, "");
}

/* A server-assigned head reports no body at all while it streams. */
static void test_adopted__only_assigned_head_says_streaming__is_that_heads(void **state)
{
    struct fleet *f = *state;
    visit_fleet(f);
    struct core_event ev = fleet_event(f, CORE_HEAD_UPDATE, CALLER_ADMIN, "");
    ev.u.head_update = (struct head_update_req){ .head_id = "h1", .head_body_id = "b1" };
    assert_int_equal(fleet_step(f, &ev)->answer, ANSWER_DONE);
    (void)fleet_heartbeat(f, "h1", "streaming", "");
    (void)visit_shows(f, "b1", SESSION_STREAMING, "", "l1");
    assert_string_equal(fleet_live(f, "b1", 0)->head_id, "h1");
}

/* §6.2.4: by launch, lease id or app token; renew on the old id finds the new one. */
static void test_expired__its_session_appears__is_adopted_under_the_same_visit(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE], stream[HC_ID_SIZE];
    visit_fleet(f);
    visit_grant(f, "p1", "a1", lease, token);
    HC_SET(stream, fleet_lease(f, lease)->stream_id);
    fleet_pass(f, 100000);
    assert_int_equal(fleet_lease(f, lease)->why, WHY_START_TIMEOUT);
    /* it waits again by now; nothing is free for it but this very slot, which it got back: take that away first */
    const struct lease *promoted = fleet_live(f, "b1", 0);
    if (promoted != NULL)
        visit_revoke(f, promoted->id);
    char app[HC_NAME_SIZE + APP_TOKEN_SIZE];
    (void)snprintf(app, sizeof app, "%s#%s", FLEET_EXPERIENCE, fleet_lease(f, lease)->app_token);
    const struct lease *adopted = shows_named(f, "l1", "", app);
    assert_non_null(adopted);
    assert_int_equal(adopted->state, LEASE_ADOPTED);
    assert_string_equal(adopted->head_id, "p1");
    assert_string_equal(adopted->stream_id, stream);
    char id[HC_ID_SIZE];
    HC_SET(id, adopted->id);
    const struct core_result *got = fleet_renew(f, "p1", lease, token);
    assert_int_equal(got->answer, ANSWER_LEASE_SAME);
    assert_string_equal(got->lease.id, id);
}

static void test_expired_by_silence__its_session_appears__reopens_the_visit(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], stream[HC_ID_SIZE];
    visit_fleet(f);
    visit_hold(f, "h1", lease);
    HC_SET(stream, fleet_lease(f, lease)->stream_id);
    fleet_pass(f, 60000);
    assert_int_equal(alloc_stream(f->alloc, stream)->state, STREAM_ENDED);
    (void)visit_shows(f, "b1", SESSION_STREAMING, lease, "l1");
    assert_string_equal(fleet_live(f, "b1", 0)->stream_id, stream);
    assert_int_equal(alloc_stream(f->alloc, stream)->state, STREAM_LIVE);
}

/* A head that sits elsewhere by now is not given its old session back. */
static void test_expired__its_head_holds_another_lease__is_adopted_as_nobodys(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_hold(f, "h1", lease);
    fleet_pass(f, 60000);
    fleet_body(f, "b2", "north");
    (void)fleet_report(f, "b2");
    assert_int_equal(fleet_read(f, "h1", FLEET_EXPERIENCE)->answer, ANSWER_ROWS);
    assert_string_equal(fleet_live(f, "b2", 0)->head_id, "h1");
    (void)visit_shows(f, "b1", SESSION_STREAMING, lease, "l1");
    assert_int_equal(fleet_live(f, "b1", 0)->state, LEASE_ADOPTED);
    assert_string_equal(fleet_live(f, "b1", 0)->head_id, "");
}

static void test_revoked__another_launch_by_another_client__is_adopted(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_plays(f, lease);
    visit_revoke(f, lease);
    (void)visit_shows(f, "b1", SESSION_STREAMING, "", "l2");
    assert_int_equal(fleet_live(f, "b1", 0)->state, LEASE_ADOPTED);
}

/* §6.2.3: where neither launch nor client is sent, until an idle report. */
static void test_revoked__legacy_session_goes_on__is_refused_until_idle(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    fleet_legacy_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadipad");
    (void)fleet_report(f, "b1");
    visit_hold(f, "h1", lease);
    (void)visit_shows(f, "b1", SESSION_STREAMING, "", "");
    visit_revoke(f, lease);
    assert_int_equal(fleet_notes(&f->last, NOTE_SLOT_CONFLICT), 1);      /* nobody may be there from now on */
    assert_int_equal(fleet_notes(visit_shows(f, "b1", SESSION_STREAMING, "", ""), NOTE_SLOT_CONFLICT), 0);
    assert_null(fleet_live(f, "b1", 0));
    fleet_pass(f, HC_MINUTE_MS);
    assert_null(fleet_live(f, "b1", 0));
    (void)visit_idle(f, "b1");
    (void)visit_shows(f, "b1", SESSION_STREAMING, "", "");
    assert_int_equal(fleet_live(f, "b1", 0)->state, LEASE_ADOPTED);
}

/* A stranger joined a session whose lease was taken away: what is adopted is the stranger's, and the head of the other is not heard. */
static void test_revoked__a_stranger_plays_beside_it__only_the_stranger_is_adopted(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_plays(f, lease);
    (void)fleet_heartbeat(f, "h1", "streaming", "b1");
    visit_revoke(f, lease);
    for (unsigned i = 0; i < 3; i++) {
        f->now = hc_time_add(f->now, 5000);
        fleet_no_session(f, "b1");
        fleet_session(f, "b1", 0, SESSION_STREAMING, "", "l1");
        fleet_session(f, "b1", 0, SESSION_STREAMING, "", "l2");
        (void)fleet_report(f, "b1");
        (void)fleet_heartbeat(f, "h1", "streaming", "b1");
        assert_string_equal(fleet_live(f, "b1", 0)->launch_id, "l2");
        assert_string_equal(fleet_live(f, "b1", 0)->head_id, "");
    }
}

/* §10.3: the incident's only trace. */
static void test_witness__streams_from_anothers_body__is_a_conflict_once(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_plays(f, lease);
    const struct core_result *got = fleet_heartbeat(f, "h2", "streaming", "b1");
    assert_int_equal(fleet_notes(got, NOTE_SLOT_CONFLICT), 1);
    assert_string_equal(visit_note(got, NOTE_SLOT_CONFLICT)->head_id, "h2");
    size_t again = 0;
    for (unsigned i = 0; i < 6; i++) {
        fleet_pass(f, 5000);
        again += fleet_notes(&f->last, NOTE_SLOT_CONFLICT);
        again += fleet_notes(fleet_heartbeat(f, "h2", "streaming", "b1"), NOTE_SLOT_CONFLICT);
    }
    assert_int_equal(again, 0);
    (void)fleet_heartbeat(f, "h2", "idle", "");
    f->now = hc_time_add(f->now, 1000);
    assert_int_equal(fleet_notes(fleet_heartbeat(f, "h2", "streaming", "b1"), NOTE_SLOT_CONFLICT), 1);
}

static void test_witness__it_is_the_holder__is_none(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_plays(f, lease);
    assert_int_equal(fleet_notes(fleet_heartbeat(f, "h1", "streaming", "b1"), NOTE_SLOT_CONFLICT), 0);
}

/* §3.1: a body that nodes.yaml lost has nobody who could answer for it. */
static void test_session__its_body_has_no_node__is_not_adopted(void **state)
{
    struct fleet *f = *state;
    visit_fleet(f);
    assert_int_equal(alloc_put(f->alloc, REC_NODE, "b1", NULL), HC_OK);
    assert_int_equal(fleet_notes(visit_shows(f, "b1", SESSION_STREAMING, "", "l1"), NOTE_LEASE_ADOPTED), 0);
    const struct body_rec *body = alloc_body(f->alloc, "b1");      /* it goes when it serves nobody */
    assert_true(body == NULL || slot_live_lease(&body->slots[0]) == NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLEET_TEST(test_session__nobody_asked_for_it__is_adopted_i2),
        FLEET_TEST(test_session__client_is_named_after_a_head__is_that_heads),
        FLEET_TEST(test_adopted__a_head_says_it_streams_there__is_that_heads),
        FLEET_TEST(test_adopted__two_heads_say_so__is_nobodys),
        FLEET_TEST(test_adopted__only_assigned_head_says_streaming__is_that_heads),
        FLEET_TEST(test_expired__its_session_appears__is_adopted_under_the_same_visit),
        FLEET_TEST(test_expired_by_silence__its_session_appears__reopens_the_visit),
        FLEET_TEST(test_expired__its_head_holds_another_lease__is_adopted_as_nobodys),
        FLEET_TEST(test_revoked__another_launch_by_another_client__is_adopted),
        FLEET_TEST(test_revoked__legacy_session_goes_on__is_refused_until_idle),
        FLEET_TEST(test_revoked__a_stranger_plays_beside_it__only_the_stranger_is_adopted),
        FLEET_TEST(test_witness__streams_from_anothers_body__is_a_conflict_once),
        FLEET_TEST(test_session__its_body_has_no_node__is_not_adopted),
        FLEET_TEST(test_witness__it_is_the_holder__is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
