#include "asks.h"

#include <string.h>

#include "hydra/base/arena.h"

static void one(struct fleet *f, bool modern)
{
    if (modern)
        fleet_body(f, "b1", "north");
    else
        fleet_legacy_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadflatscreen");
    (void)fleet_report(f, "b1");
}

static void test_answer__app_name_on_a_modern_body__carries_the_token(void **state)      /* §13.6 */
{
    struct fleet *f = *state;
    one(f, true);
    struct core_result *out = fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE);
    assert_memory_equal(out->body.app_name, FLEET_EXPERIENCE "#", strlen(FLEET_EXPERIENCE) + 1);
    assert_string_equal(out->body.app_name + strlen(FLEET_EXPERIENCE) + 1, fleet_live(f, "b1", 0)->app_token);
}

static void test_answer__app_name_on_a_legacy_body__is_plain(void **state)
{
    struct fleet *f = *state;
    one(f, false);
    struct core_result *out = fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE);
    assert_string_equal(out->body.app_name, FLEET_EXPERIENCE);
    assert_true(out->body.directive_applied);         /* it is sent none */
}

static void test_answer__client_in_the_bodys_list__needs_no_pairing(void **state)
{
    struct fleet *f = *state;
    one(f, true);
    struct core_result *out = fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE);
    assert_true(out->body.pair_required);
    assert_string_equal(out->body.pair_reason, "unknown");
    struct body_obs *obs = edit_report(f, "b1");
    obs->clients = hc_alloc(sizeof obs->clients[0]);
    assert_non_null(obs->clients);
    obs->client_count = 1;
    HC_SET(obs->clients[0].name, "hydra-h2");
    assert_string_equal(fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->body.pair_reason, "not_paired");
    HC_SET(edit_report(f, "b1")->clients[0].name, "hydra-h1");
    out = fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE);
    assert_false(out->body.pair_required);
    assert_string_equal(out->body.pair_reason, "cert_valid");
}

static void test_answer__ports_and_certificate__are_the_slots(void **state)      /* wire §3 */
{
    struct fleet *f = *state;
    one(f, true);
    fleet_slots(f, "b1", 2);
    (void)fleet_report(f, "b1");
    HC_SET(edit_body(f, "b1")->sunshine_cert_fp, "of-the-body");
    edit_done(f);
    struct body_obs *obs = edit_report(f, "b1");
    for (size_t i = 0; i < obs->session_count; i++)
        if (obs->sessions[i].index == 1)
            HC_SET(obs->sessions[i].sunshine_cert_fp, "of-the-slot");
    fleet_head(f, "h2", "north", "hydraheadflatscreen");
    struct core_result *out = fleet_claim(f, "h2", "a2", FLEET_EXPERIENCE);
    assert_int_equal(out->slot, 0);
    assert_int_equal(out->body.ports.gamestream, 47989);
    assert_string_equal(out->body.sunshine_cert_fp, "of-the-body");
    out = fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE);
    assert_int_equal(out->slot, 1);
    assert_int_equal(out->body.ports.gamestream, 48089);
    assert_string_equal(out->body.sunshine_cert_fp, "of-the-slot");
}

static void test_answer__one_slot_that_tells_no_ports__has_the_bodys_or_the_usual(void **state)
{
    struct fleet *f = *state;
    one(f, true);
    (void)fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE);
    edit_report(f, "b1")->sessions[0].ports = (struct ports){ 0 };
    edit_report(f, "b1")->ports = (struct ports){ 50000, 50001, 50002 };
    assert_int_equal(fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->body.ports.web, 50002);
    edit_report(f, "b1")->ports = (struct ports){ 0 };
    assert_int_equal(fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->body.ports.gamestream, 47989);
}

static void test_answer__same_machine__is_told(void **state)
{
    struct fleet *f = *state;
    one(f, true);
    assert_false(fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->body.same_machine);
    HC_SET(edit_node(f, "h1")->machine_id, "m1");
    edit_done(f);
    HC_SET(edit_node(f, "b1")->machine_id, "m1");
    edit_done(f);
    assert_true(fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->body.same_machine);
}

static void test_answer__streaming__has_a_ttl_and_no_start_deadline(void **state)
{
    struct fleet *f = *state;
    one(f, true);
    char lease[HC_ID_SIZE];
    HC_SET(lease, fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->lease.id);
    fleet_session(f, "b1", 0, SESSION_STREAMING, lease, "launch-1");
    (void)fleet_report(f, "b1");
    struct core_result *out = fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE);
    assert_int_equal(out->ttl_ms, f->config.timers.lease_ttl_ms);
    assert_true(out->start_deadline_ms < 0);
    assert_int_equal(out->stream.state, STREAM_LIVE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLEET_TEST(test_answer__app_name_on_a_modern_body__carries_the_token),
        FLEET_TEST(test_answer__app_name_on_a_legacy_body__is_plain),
        FLEET_TEST(test_answer__client_in_the_bodys_list__needs_no_pairing),
        FLEET_TEST(test_answer__ports_and_certificate__are_the_slots),
        FLEET_TEST(test_answer__one_slot_that_tells_no_ports__has_the_bodys_or_the_usual),
        FLEET_TEST(test_answer__same_machine__is_told),
        FLEET_TEST(test_answer__streaming__has_a_ttl_and_no_start_deadline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
