/* rules §12.5, §12.8, §13.5: which clients a body keeps, which go, whom a gate lets in. */
#include "identities.h"

#include <string.h>

static void stage(struct fleet *f)
{
    fleet_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadflatscreen");
    fleet_head(f, "h2", "north", "hydraheadflatscreen");
    (void)fleet_report(f, "b1");
    (void)ask_register(f, "h1", "a");
}

static void enforce(struct fleet *f, bool on, bool maintenance)
{
    static const char *const clients[] = { "laptop", "u-tool" };
    struct core_event ev = fleet_event(f, CORE_SLOTS_PUT, CALLER_ADMIN, "");
    ev.u.slots = (struct slots_req){ .body_id = "b1", .set_enforce = true, .enforce = on ? ENFORCE_ENFORCE : ENFORCE_OBSERVE,
                                     .maintenance = { true, maintenance }, .force = true, .set_maintenance_clients = true,
                                     .maintenance_clients = clients, .maintenance_client_count = 2 };
    assert_int_equal(fleet_step(f, &ev)->answer, ANSWER_DONE);
}

static void test_trust__registered_head__is_desired_and_strangers_are_left_alone(void **state)
{
    struct fleet *f = *state;
    struct told told = { 0 };
    stage(f);
    SHOW(f, "b1", "d1", "u1", "hydra-h1", "u2", "hydra-h2", "u3", "roth", "u4", "hydra-gone");
    tell(f, "b1", &told);
    assert_true(told_desired(&told, "u1", "hydra-h1"));
    assert_int_equal(told.d.trust.desired_count, 1);
    assert_int_equal(told.d.trust.remove_count, 0);
    hc_arena_free(&told.arena);
}

static void test_trust__head_of_another_district__is_left_alone(void **state)
{
    struct fleet *f = *state;
    struct told told = { 0 };
    stage(f);
    HC_SET(edit_node(f, "h1")->district, "d2");
    edit_done(f);
    SHOW(f, "b1", "d1", "u1", "hydra-h1", "u2", "hydra-h1");
    tell(f, "b1", &told);
    assert_int_equal(told.d.trust.desired_count + told.d.trust.remove_count, 0);
    hc_arena_free(&told.arena);
}

static void test_trust__lease_without_client__is_expected(void **state)
{
    struct fleet *f = *state;
    struct told told = { 0 };
    stage(f);
    (void)fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE);
    tell(f, "b1", &told);
    assert_true(told_desired(&told, "", "hydra-h1"));
    SHOW(f, "b1", "d1", "u1", "hydra-h1");
    tell(f, "b1", &told);
    assert_true(told_desired(&told, "u1", "hydra-h1"));
    assert_int_equal(told.d.trust.desired_count, 1);
    hc_arena_free(&told.arena);
}

static void test_trust__revoked__all_its_clients_go_until_none_is_shown_and_again(void **state)
{
    struct fleet *f = *state;
    struct told told = { 0 };
    stage(f);
    SHOW(f, "b1", "d1", "u1", "hydra-h1", "u5", "hydra-h1", "u3", "roth");
    (void)ask_identity_revoke(f, "h1");
    tell(f, "b1", &told);
    assert_true(told_remove(&told, "u1") && told_remove(&told, "u5"));
    assert_int_equal(told.d.trust.remove_count, 2);
    assert_int_equal(told.d.trust.desired_count, 0);
    SHOW(f, "b1", "d2", "u3", "roth");
    tell(f, "b1", &told);
    assert_int_equal(told.d.trust.remove_count, 0);
    SHOW(f, "b1", "d3", "u3", "roth", "u9", "hydra-h1");      /* it came back */
    tell(f, "b1", &told);
    assert_true(told_remove(&told, "u9"));
    hc_arena_free(&told.arena);
}

/* Whoever carries the lost device has its key, whatever the head has now. */
static void test_trust__new_certificate_after_a_revocation__the_lost_client_stays_lost(void **state)
{
    struct fleet *f = *state;
    struct told told = { 0 };
    stage(f);
    SHOW(f, "b1", "d1", "u-lost", "hydra-h1");
    (void)ask_identity_revoke(f, "h1");
    SHOW(f, "b1", "d1", "u-lost", "hydra-h1", "u-late", "hydra-h1");
    assert_int_equal(ask_register_by_admin(f, "h1", "b")->answer, ANSWER_DONE);
    tell(f, "b1", &told);
    assert_true(told_remove(&told, "u-lost") && told_remove(&told, "u-late"));
    assert_int_equal(told.d.trust.desired_count, 0);
    SHOW(f, "b1", "d2", "u-new", "hydra-h1", "u-lost", "hydra-h1");       /* whatever the order */
    tell(f, "b1", &told);
    assert_true(told_remove(&told, "u-lost"));
    assert_int_equal(told.d.trust.remove_count, 1);
    assert_true(told_desired(&told, "u-new", "hydra-h1"));
    assert_int_equal(told.d.trust.desired_count, 1);
    hc_arena_free(&told.arena);
}

static void test_trust__head_without_identity_denied_or_deleted__goes_by_its_name(void **state)
{
    struct fleet *f = *state;
    struct told told = { 0 };
    stage(f);
    SHOW(f, "b1", "d1", "u2", "hydra-h2");
    deny(f, "h2", true);
    tell(f, "b1", &told);
    assert_true(told_remove(&told, "u2"));
    deny(f, "h2", false);
    tell(f, "b1", &told);
    assert_int_equal(told.d.trust.remove_count, 0);
    struct core_event ev = fleet_event(f, CORE_NODE_DELETE, CALLER_ADMIN, "");
    ev.u.node_delete = (struct node_delete_req){ "h2", true };
    (void)fleet_step(f, &ev);
    tell(f, "b1", &told);
    assert_true(told_remove(&told, "u2"));
    f->now = hc_time_add(f->now, 365 * HC_DAY_MS);
    (void)fleet_tick(f);
    assert_null(alloc_identity(f->alloc, "h2"));
    hc_arena_free(&told.arena);
}

static void test_trust__list_that_could_not_be_read__removes_nothing(void **state)
{
    struct fleet *f = *state;
    struct told told = { 0 };
    stage(f);
    (void)ask_identity_revoke(f, "h1");
    SHOW(f, "b1", "unknown", "u1", "hydra-h1");
    tell(f, "b1", &told);
    assert_int_equal(told.d.trust.remove_count, 0);
    SHOW(f, "b1", "", "u1", "hydra-h1");                      /* told without a digest: it is its list */
    tell(f, "b1", &told);
    assert_true(told_remove(&told, "u1"));
    show_clients(f, "b1", "", NULL, 0);
    tell(f, "b1", &told);
    assert_int_equal(told.d.trust.remove_count, 0);
    hc_arena_free(&told.arena);
}

static void test_trust__denied_or_deleted_head__goes_and_an_approval_lifts_it(void **state)
{
    struct fleet *f = *state;
    struct told told = { 0 };
    stage(f);
    (void)ask_register(f, "h2", "b");
    SHOW(f, "b1", "d1", "u1", "hydra-h1", "u2", "hydra-h2");
    deny(f, "h1", true);
    tell(f, "b1", &told);
    assert_true(told_remove(&told, "u1"));
    assert_true(told_desired(&told, "u2", "hydra-h2"));
    deny(f, "h1", false);
    tell(f, "b1", &told);
    assert_true(told_desired(&told, "u1", "hydra-h1"));
    struct core_event ev = fleet_event(f, CORE_NODE_DELETE, CALLER_ADMIN, "");
    ev.u.node_delete = (struct node_delete_req){ "h2", true };
    (void)fleet_step(f, &ev);
    tell(f, "b1", &told);
    assert_true(told_remove(&told, "u2"));
    hc_arena_free(&told.arena);
}

static void test_trust__duplicates_of_a_name__newest_stays_and_its_predecessor_while_they_overlap(void **state)
{
    struct fleet *f = *state;
    struct told told = { 0 };
    stage(f);
    SHOW(f, "b1", "d1", "u1", "hydra-h1", "u3", "roth", "u2", "hydra-h1", "u5", "hydra-h1");
    tell(f, "b1", &told);
    assert_true(told_remove(&told, "u1") && told_remove(&told, "u2"));
    assert_true(told_desired(&told, "u5", "hydra-h1"));
    (void)ask_register(f, "h1", "b");
    tell(f, "b1", &told);
    assert_true(told_remove(&told, "u1"));
    assert_true(told_desired(&told, "u2", "hydra-h1") && told_desired(&told, "u5", "hydra-h1"));
    f->now = hc_time_add(f->now, 7 * HC_DAY_MS);
    tell(f, "b1", &told);
    assert_true(told_remove(&told, "u1") && told_remove(&told, "u2"));
    hc_arena_free(&told.arena);
}

static void test_trust__superseded_client_whose_session_goes_on__waits_for_its_end(void **state)
{
    struct fleet *f = *state;
    struct told told = { 0 };
    stage(f);
    fleet_session(f, "b1", 0, SESSION_STREAMING, "", "launch-1");
    HC_SET(fleet_machine(f, "b1")->sessions[0].client_uuid, "u1");
    (void)fleet_report(f, "b1");
    SHOW(f, "b1", "d1", "u1", "hydra-h1", "u2", "hydra-h1");
    tell(f, "b1", &told);
    assert_int_equal(told.d.trust.remove_count, 0);
    (void)ask_identity_revoke(f, "h1");                       /* a revoked one does not */
    tell(f, "b1", &told);
    assert_true(told_remove(&told, "u1") && told_remove(&told, "u2"));
    fleet_no_session(f, "b1");
    (void)fleet_report(f, "b1");
    hc_arena_free(&told.arena);
}

static void test_trust__same_name_on_two_slots__is_no_duplicate(void **state)
{
    struct fleet *f = *state;
    struct told told = { 0 };
    stage(f);
    SHOW(f, "b1", "d1", "u1", "hydra-h1", "u2", "hydra-h1");
    edit_report(f, "b1")->clients[0].slot = 0;
    edit_report(f, "b1")->clients[1].slot = 1;
    tell(f, "b1", &told);
    assert_int_equal(told.d.trust.desired_count, 2);
    assert_int_equal(told.d.trust.remove_count, 0);
    hc_arena_free(&told.arena);
}

/* ---- the gate ---- */

static void test_gate__free_or_legacy_slot__is_open(void **state)
{
    struct fleet *f = *state;
    struct told told = { 0 };
    stage(f);
    enforce(f, true, false);
    SHOW(f, "b1", "d1", "u1", "hydra-h1", "u2", "hydra-h2");
    tell(f, "b1", &told);
    assert_int_equal(told.d.slots[0].gate.mode, GATE_ENFORCE);
    assert_true(told.d.slots[0].gate.everyone);
    assert_int_equal(told.d.slots[0].gate.enabled_count, 0);
    (void)fleet_read(f, "h1", FLEET_EXPERIENCE);
    tell(f, "b1", &told);
    assert_true(told.d.slots[0].gate.everyone);
    hc_arena_free(&told.arena);
}

static void test_gate__protocol_2_lease_with_known_clients__lets_in_those_and_maintenance(void **state)
{
    struct fleet *f = *state;
    struct told told = { 0 };
    stage(f);
    enforce(f, true, false);
    (void)fleet_report(f, "b1");
    assert_int_equal(fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->answer, ANSWER_LEASE_NEW);
    tell(f, "b1", &told);
    assert_true(told.d.slots[0].gate.everyone);               /* its client is not known yet */
    SHOW(f, "b1", "d1", "u1", "hydra-h1", "u2", "hydra-h2", "u3", "hydra-h1", "u4", "laptop", "u-tool", "x", "u6", "roth");
    tell(f, "b1", &told);
    assert_false(told.d.slots[0].gate.everyone);
    assert_true(told_enabled(&told, 0, "u1") && told_enabled(&told, 0, "u3"));      /* all entries of its name */
    assert_true(told_enabled(&told, 0, "u4") && told_enabled(&told, 0, "u-tool"));
    assert_int_equal(told.d.slots[0].gate.enabled_count, 4);
    SHOW(f, "b1", "unknown", "u1", "hydra-h1");
    tell(f, "b1", &told);
    assert_true(told.d.slots[0].gate.everyone);
    hc_arena_free(&told.arena);
}

static void test_gate__observe_or_maintenance__says_so(void **state)
{
    struct fleet *f = *state;
    struct told told = { 0 };
    stage(f);
    SHOW(f, "b1", "d1", "u1", "hydra-h1");
    (void)fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE);
    tell(f, "b1", &told);
    assert_int_equal(told.d.slots[0].gate.mode, GATE_OBSERVE);
    assert_true(told_enabled(&told, 0, "u1"));                /* what it would do */
    enforce(f, true, true);
    tell(f, "b1", &told);
    assert_true(told.d.slots[0].gate.everyone);               /* a body under maintenance is open */
    hc_arena_free(&told.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLEET_TEST(test_trust__registered_head__is_desired_and_strangers_are_left_alone),
        FLEET_TEST(test_trust__head_of_another_district__is_left_alone),
        FLEET_TEST(test_trust__lease_without_client__is_expected),
        FLEET_TEST(test_trust__revoked__all_its_clients_go_until_none_is_shown_and_again),
        FLEET_TEST(test_trust__new_certificate_after_a_revocation__the_lost_client_stays_lost),
        FLEET_TEST(test_trust__head_without_identity_denied_or_deleted__goes_by_its_name),
        FLEET_TEST(test_trust__list_that_could_not_be_read__removes_nothing),
        FLEET_TEST(test_trust__denied_or_deleted_head__goes_and_an_approval_lifts_it),
        FLEET_TEST(test_trust__duplicates_of_a_name__newest_stays_and_its_predecessor_while_they_overlap),
        FLEET_TEST(test_trust__superseded_client_whose_session_goes_on__waits_for_its_end),
        FLEET_TEST(test_trust__same_name_on_two_slots__is_no_duplicate),
        FLEET_TEST(test_gate__free_or_legacy_slot__is_open),
        FLEET_TEST(test_gate__protocol_2_lease_with_known_clients__lets_in_those_and_maintenance),
        FLEET_TEST(test_gate__observe_or_maintenance__says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
