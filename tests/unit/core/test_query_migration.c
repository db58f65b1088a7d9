/* Which heads and bodies hold back which of the seed's nine steps. */
#include "identities.h"

#include <stdio.h>
#include <string.h>

/* All that is in the way, as "step node reason" lines. */
static const char *holds(struct fleet *f)
{
    static char text[2048];
    struct hc_arena arena = { 0 };
    struct migration migration;
    struct core_view view = fleet_view(f);
    size_t used = 0;
    assert_int_equal(query_migration(&view, FLEET_DISTRICT, &arena, &migration), HC_OK);
    text[0] = '\0';
    for (size_t i = 0; i < migration.count; i++) {
        const struct hold_row *row = &migration.rows[i];
        int wrote = snprintf(text + used, sizeof text - used, "%u %s%s %s\n", row->step, row->is_body ? "body " : "", row->node_id,
                             word_of(&hold_words, (int)row->why));
        assert_true(wrote > 0 && (size_t)wrote < sizeof text - used);
        used += (size_t)wrote;
    }
    hc_arena_free(&arena);
    return text;
}

static void test_migration__legacy_fleet__says_what_each_holds_back(void **state)
{
    struct fleet *f = *state;
    fleet_legacy_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadipad");
    fleet_head(f, "x1", "north", "hydraheadipad");
    deny(f, "x1", true);                                /* no business of the migration */
    assert_string_equal(holds(f), "2 body b1 custodian_has_no_list\n3 body b1 no_report\n4 h1 pairing_protocol\n5 body b1 no_report\n"
                                  "5 h1 pairing_protocol\n6 h1 protocol_version\n6 h1 identity_unknown\n7 body b1 enforce_is_observe\n"
                                  "9 h1 pairing_protocol\n9 h1 protocol_version\n");
    (void)fleet_report(f, "b1");
    assert_non_null(strstr(holds(f), "3 body b1 legacy_body\n"));
    f->now = hc_time_add(f->now, f->config.timers.body_report_fresh_ms + 1);
    assert_non_null(strstr(holds(f), "3 body b1 stale_report\n"));
}

static void migrated(struct fleet *f)
{
    fleet_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadflatscreen");
    struct body_rec *body = edit_body(f, "b1");
    HC_SET(body->sunshine_cert_fp, fingerprint_of("c"));
    body->enforce = ENFORCE_ENFORCE;
    body->custodian_last_success_at = f->now;
    edit_done(f);
    (void)fleet_report(f, "b1");
    SHOW(f, "b1", "d1", "u1", "hydra-h1");
    struct heartbeat_req req = usual_heartbeat("h1", "idle");
    req.protocol_version = req.pairing_protocol = (struct opt_u32){ true, 2 };
    (void)ask_heartbeat(f, &req);
    (void)ask_register(f, "h1", "a");
}

static void test_migration__migrated_fleet__holds_nothing_back(void **state)
{
    struct fleet *f = *state;
    migrated(f);
    assert_string_equal(holds(f), "");
}

static void test_migration__one_thing_amiss__is_named(void **state)
{
    struct fleet *f = *state;
    migrated(f);
    (void)ask_latch(f, FLEET_DISTRICT, false);
    assert_string_equal(holds(f), "5  cleared_by_admin\n");
    (void)ask_latch(f, FLEET_DISTRICT, true);
    (void)ask_identity_revoke(f, "h1");
    assert_string_equal(holds(f), "6 h1 identity_revoked\n");
    (void)ask_register_by_admin(f, "h1", "b");
    SHOW(f, "b1", "unknown", "u1", "hydra-h1");
    assert_string_equal(holds(f), "3 body b1 paired_clients_unknown\n");
    SHOW(f, "b1", "d1", "u1", "hydra-h1");
    edit_report(f, "b1")->sessions[0].gate_mode = GATE_UNAVAILABLE;
    assert_string_equal(holds(f), "7 body b1 gate_unavailable\n");
    edit_body(f, "b1")->last_unauthorized_at = f->now;
    edit_done(f);
    struct core_event ev = fleet_event(f, CORE_SLOTS_PUT, CALLER_ADMIN, "");
    ev.u.slots = (struct slots_req){ .body_id = "b1", .set_enforce = true, .enforce = ENFORCE_OBSERVE };
    (void)fleet_step(f, &ev);
    assert_string_equal(holds(f), "7 body b1 unauthorized_launch\n");
}

static void test_migration__several_slots_without_ports__hold_back_step_8(void **state)
{
    struct fleet *f = *state;
    migrated(f);
    fleet_slots(f, "b1", 2);
    assert_string_equal(holds(f), "8 body b1 slot_not_named\n");
    (void)fleet_report(f, "b1");
    assert_string_equal(holds(f), "");
}

static void test_migration__empty_district__lacks_bodies_and_heads(void **state)
{
    struct fleet *f = *state;
    assert_string_equal(holds(f), "5 body  no_body\n5  no_head\n9  no_head\n");
}

static void test_identity_shown__bodies_that_list_the_head__are_named(void **state)
{
    struct fleet *f = *state;
    struct hc_arena arena = { 0 };
    const char *const *ids;
    size_t count = 9;
    fleet_body(f, "b1", "north");
    fleet_body(f, "b2", "north");
    (void)fleet_report(f, "b1");
    (void)fleet_report(f, "b2");
    SHOW(f, "b1", "d1", "u1", "hydra-h1", "u2", "hydra-h1");
    SHOW(f, "b2", "d1", "u1", "hydra-h11");
    struct core_view view = fleet_view(f);
    assert_int_equal(query_identity_shown(&view, "h1", &arena, &ids, &count), HC_OK);
    assert_int_equal(count, 1);
    assert_string_equal(ids[0], "b1");
    hc_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLEET_TEST(test_migration__legacy_fleet__says_what_each_holds_back),
        FLEET_TEST(test_migration__migrated_fleet__holds_nothing_back),
        FLEET_TEST(test_migration__one_thing_amiss__is_named),
        FLEET_TEST(test_migration__several_slots_without_ports__hold_back_step_8),
        FLEET_TEST(test_migration__empty_district__lacks_bodies_and_heads),
        FLEET_TEST(test_identity_shown__bodies_that_list_the_head__are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
