#include "asks.h"

typedef void damage(struct fleet *f);
struct row { const char *rule; damage *damage; uint32_t expected, also; };      /* also: what grantable adds */

static void leased(struct fleet *f) { fleet_head(f, "h1", "north", "hydraheadipad"); (void)fleet_read(f, "h1", FLEET_EXPERIENCE);
    (void)fleet_report(f, "b1"); }
static void silent(struct fleet *f) { observed_remove(f->obs, OBS_BODY, "b1"); }
static void stale(struct fleet *f) { edit_report(f, "b1")->reported_at = hc_time_add(f->now, -f->config.timers.body_report_fresh_ms - 1); }
static void unnamed(struct fleet *f) { edit_report(f, "b1")->session_count = 0; }
static void busy(struct fleet *f) { edit_report(f, "b1")->sessions[0].state = SESSION_ENDING; }
static void failed(struct fleet *f) { edit_report(f, "b1")->sessions[0].state = SESSION_FAILED; }
static void armed(struct fleet *f) { HC_SET(edit_report(f, "b1")->xr_state, "armed"); }
static void strange(struct fleet *f) { HC_SET(edit_report(f, "b1")->xr_state, "ACTIVE"); }
static void opened(struct fleet *f) { edit_body(f, "b1")->circuit.state = CIRCUIT_OPEN; edit_done(f); }
static void offline(struct fleet *f)
{
    struct node_rec *node = edit_node(f, "b1");
    node->last_seen = hc_time_add(f->now, -f->config.timers.node_offline_ms - 1);
    edit_done(f);
    observed_remove(f->obs, OBS_NODE, "b1");
}
static void cordoned(struct fleet *f) { edit_body(f, "b1")->maintenance = true; edit_done(f); }
static void probed(struct fleet *f)
{
    struct body_rec *body = edit_body(f, "b1");
    body->circuit.state = CIRCUIT_HALF_OPEN;
    HC_SET(body->circuit.probe_lease_id, "lse-probe");
    edit_done(f);
}
static void unconfirmed(struct fleet *f) { edit_body(f, "b1")->slots[0].epoch += 5; edit_done(f); }
static void lowered(struct fleet *f) { edit_body(f, "b1")->slots_total = 0; edit_done(f); }
static void portless(struct fleet *f) { edit_body(f, "b1")->slots_total = 2; edit_done(f); edit_report(f,
    "b1")->sessions[0].ports.gamestream = 0; }
static void safe(struct fleet *f)
{
    struct district_rec *district = (struct district_rec *)rec_new(REC_DISTRICT, FLEET_DISTRICT);
    district->safe_mode = SAFE_DOWNGRADE;
    district->safe_since = f->now;
    assert_int_equal(alloc_put(f->alloc, REC_DISTRICT, FLEET_DISTRICT, &district->rec), HC_OK);
    rec_unref(&district->rec);
}
static void promised(struct fleet *f)
{
    struct ticket_rec *ticket = (struct ticket_rec *)rec_new(REC_TICKET, "h9");
    HC_SET(ticket->id, "tkt-9");
    assert_int_equal(alloc_put(f->alloc, REC_TICKET, "h9", &ticket->rec), HC_OK);
    rec_unref(&ticket->rec);
    struct body_rec *body = edit_body(f, "b1");
    HC_SET(body->slots[0].promise_ticket_id, "tkt-9");
    body->slots[0].promise_until = hc_time_add(f->now, 1000);
    edit_done(f);
}

/* rules §5: each term alone */
static const struct row occupied_rows[] = {
    { "1 lease", leased, WHY_NOT_LEASED, 0 },
    { "2 no report", silent, WHY_NOT_NO_REPORT, 0 },
    { "3 stale report", stale, WHY_NOT_STALE_REPORT, 0 },
    { "4 not named", unnamed, WHY_NOT_NOT_NAMED, WHY_NOT_EPOCH_UNCONFIRMED },
    { "5 not idle: ending", busy, WHY_NOT_NOT_IDLE, 0 },
    { "5 not idle: failed", failed, WHY_NOT_NOT_IDLE, 0 },
    { "7 xr", armed, WHY_NOT_XR, 0 },
    { "7 XR in a word that we do not know", strange, WHY_NOT_XR, 0 },
    { "8 circuit", opened, WHY_NOT_CIRCUIT_OPEN, 0 },
    { "9 offline", offline, WHY_NOT_OFFLINE, 0 },
};
static const struct row grantable_rows[] = {
    { "1 maintenance", cordoned, WHY_NOT_MAINTENANCE, 0 },
    { "1 probe out", probed, WHY_NOT_PROBE_OUT, 0 },
    { "2 epoch", unconfirmed, WHY_NOT_EPOCH_UNCONFIRMED, 0 },
    { "3 promise", promised, WHY_NOT_PROMISED, 0 },
    { "4 safe mode", safe, WHY_NOT_SAFE_MODE, 0 },
    { "4 lowered", lowered, WHY_NOT_SLOT_LOWERED, 0 },
    { "4 ports", portless, WHY_NOT_NO_PORTS, 0 },
};

static void walk(const struct row *rows, size_t count, bool occupied)
{
    for (size_t i = 0; i < count; i++) {
        void *state;
        assert_int_equal(fleet_setup(&state), 0);
        struct fleet *f = state;
        fleet_body(f, "b1", "north");
        (void)fleet_report(f, "b1");
        struct core_view v = fleet_view(f);
        assert_int_equal(slot_why_not(&v, alloc_body(f->alloc, "b1"), 0), 0);
        rows[i].damage(f);
        v = fleet_view(f);
        const struct body_rec *body = alloc_body(f->alloc, "b1");
        uint32_t why_not = rows[i].expected | rows[i].also;
        if (slot_occupied(&v, body, 0) != (occupied ? rows[i].expected : 0) || slot_why_not(&v, body, 0) != why_not)
            fail_msg("%s: occupied %x, why not %x", rows[i].rule, slot_occupied(&v, body, 0), slot_why_not(&v, body, 0));
        assert_int_equal(fleet_teardown(&state), 0);
    }
}

static void test_slot__each_term_of_occupied_alone__is_occupied_and_not_given(void **state)
{
    (void)state;
    walk(occupied_rows, sizeof occupied_rows / sizeof occupied_rows[0], true);
}

static void test_slot__each_term_of_grantable_alone__is_free_and_not_given(void **state)
{
    (void)state;
    walk(grantable_rows, sizeof grantable_rows / sizeof grantable_rows[0], false);
}

static void test_slot__legacy_body_streams__is_not_idle(void **state)      /* §5 */
{
    struct fleet *f = *state;
    fleet_legacy_body(f, "b1", "north");
    (void)fleet_report(f, "b1");
    struct core_view v = fleet_view(f);
    assert_int_equal(slot_why_not(&v, alloc_body(f->alloc, "b1"), 0), 0);      /* exempt from the epoch */
    edit_report(f, "b1")->stream_status = STATUS_STREAMING;
    assert_int_equal(slot_occupied(&v, alloc_body(f->alloc, "b1"), 0), WHY_NOT_NOT_IDLE);
    edit_report(f, "b1")->stream_status = STATUS_NONE;
    assert_int_equal(slot_occupied(&v, alloc_body(f->alloc, "b1"), 0), WHY_NOT_NOT_NAMED);
}

static void test_slot__second_slot_of_a_legacy_body__is_not_named(void **state)      /* §5 */
{
    struct fleet *f = *state;
    fleet_legacy_body(f, "b1", "north");
    fleet_slots(f, "b1", 2);
    (void)fleet_report(f, "b1");
    struct core_view v = fleet_view(f);
    assert_true((slot_occupied(&v, alloc_body(f->alloc, "b1"), 1) & WHY_NOT_NOT_NAMED) != 0);
}

static void test_slot__xr_on_slot_zero__leaves_slot_one(void **state)      /* §5: slot 0 of every body */
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    fleet_slots(f, "b1", 2);
    (void)fleet_report(f, "b1");
    HC_SET(edit_report(f, "b1")->xr_state, "active");
    struct core_view v = fleet_view(f);
    assert_int_equal(slot_why_not(&v, alloc_body(f->alloc, "b1"), 0), WHY_NOT_XR);
    assert_int_equal(slot_why_not(&v, alloc_body(f->alloc, "b1"), 1), 0);
}

static void test_slot__promise_is_over__is_given_again(void **state)      /* §7.7: with its time, or with its ticket */
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    (void)fleet_report(f, "b1");
    promised(f);
    struct core_view v = fleet_view(f);
    assert_int_equal(slot_why_not(&v, alloc_body(f->alloc, "b1"), 0), WHY_NOT_PROMISED);
    v.now = hc_time_add(v.now, 1001);
    assert_int_equal(slot_why_not(&v, alloc_body(f->alloc, "b1"), 0) & WHY_NOT_PROMISED, 0);
    v = fleet_view(f);
    assert_int_equal(alloc_put(f->alloc, REC_TICKET, "h9", NULL), HC_OK);
    assert_int_equal(slot_why_not(&v, alloc_body(f->alloc, "b1"), 0), 0);
}

static void test_slot__promised_to_this_ticket__is_free_for_it_alone(void **state)      /* §5 grantable 3 */
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    fleet_head(f, "h9", "north", "hydraheadflatscreen");
    fleet_head(f, "h8", "north", "hydraheadflatscreen");
    (void)fleet_report(f, "b1");
    promised(f);
    struct core_view v = fleet_view(f);
    struct seeker own = { .head_id = "h9", .experience = FLEET_EXPERIENCE, .ticket_id = "tkt-9", .protocol = 2, .created_at = f->now };
    struct seeker other = { .head_id = "h8", .experience = FLEET_EXPERIENCE, .ticket_id = "", .protocol = 2, .created_at = f->now };
    assert_int_equal(slot_why_not_for(&v, alloc_body(f->alloc, "b1"), 0, &own), 0);
    assert_int_equal(slot_why_not_for(&v, alloc_body(f->alloc, "b1"), 0, &other), WHY_NOT_PROMISED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slot__each_term_of_occupied_alone__is_occupied_and_not_given),
        cmocka_unit_test(test_slot__each_term_of_grantable_alone__is_free_and_not_given),
        FLEET_TEST(test_slot__legacy_body_streams__is_not_idle),
        FLEET_TEST(test_slot__second_slot_of_a_legacy_body__is_not_named),
        FLEET_TEST(test_slot__xr_on_slot_zero__leaves_slot_one),
        FLEET_TEST(test_slot__promise_is_over__is_given_again),
        FLEET_TEST(test_slot__promised_to_this_ticket__is_free_for_it_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
