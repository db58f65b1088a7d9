#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../../../src/body/gate.h"

static const struct host_client open_house[] = { { "MINE", "hydra-h1", true }, { "OTHER", "hydra-h2", true }, { "TECH", "workshop",
    true } };
static const struct host_client shut[] = { { "MINE", "hydra-h1", true }, { "OTHER", "hydra-h2", false }, { "TECH", "workshop", true } };
static const char *const enabled[] = { "MINE" }, *const unknown_client[] = { "NEW" }, *const tech[] = { "TECH" },
    *const by_us[] = { "OTHER" };

static struct desired desired;
static struct desired_slot slot;

static struct gate_facts leased(const struct host_client *clients)
{
    slot = (struct desired_slot){ .gate = { DIRECTIVE_GATE_ENFORCE, { (void *)(uintptr_t)enabled, 1 } } };
    desired = (struct desired){ .enforce = DIRECTIVE_ENFORCE, .slots = { &slot, 1 } };
    return (struct gate_facts){ .desired = &desired, .clients = clients, .client_count = 3, .known = true, .can_enable = true,
                                .ends_only_its_own = true, .host_known = true, .live_uuid = "", .maintenance = tech,
                                    .maintenance_count = 1 };
}

static void expect(const struct gate_facts *facts, enum gate_outcome outcome, const char *flips)
{
    struct hc_arena arena = { 0 };
    struct gate_plan plan;
    char got[200] = "";
    assert_int_equal(gate_plan(facts, &arena, &plan), HC_OK);
    for (size_t i = 0; i < plan.flip_count; i++) {
        size_t len = strlen(got);
        (void)snprintf(got + len, sizeof got - len, "%s%s ", plan.flips[i].enable ? "+" : "-", plan.flips[i].uuid);
    }
    assert_string_equal(got, flips);
    assert_int_equal(plan.outcome, outcome);
    assert_true((plan.reason != NULL) == (outcome == GATE_UNAVAILABLE));
    hc_arena_free(&arena);
}

static void test_gate__leased_and_idle__strangers_shut_out_but_not_the_workshop(void **state)
{
    (void)state;
    struct gate_facts facts = leased(open_house);
    expect(&facts, GATE_FLIPS, "-OTHER ");
    facts = leased(shut);
    expect(&facts, GATE_IN_PLACE, "");
}

static void test_gate__free_legacy_or_maintenance__everybody_is_let_in(void **state)
{
    (void)state;
    struct gate_facts facts = leased(shut);
    slot.gate = (struct desired_gate){ .mode = DIRECTIVE_GATE_ENFORCE };
    expect(&facts, GATE_FLIPS, "+OTHER ");
    facts = leased(shut);
    desired.maintenance = true;
    expect(&facts, GATE_FLIPS, "+OTHER ");
}

static void test_gate__reconnect_gap__nothing_flips(void **state)
{
    (void)state;
    struct gate_facts facts = leased(open_house);
    facts.app_runs = true;
    expect(&facts, GATE_LATER, "");
    facts.session_live = true;                  /* somebody streams, and nobody knows who */
    expect(&facts, GATE_LATER, "");
}

static void test_gate__own_session_live__strangers_only(void **state)
{
    (void)state;
    struct gate_facts facts = leased(open_house);
    facts.app_runs = facts.session_live = true;
    facts.live_uuid = "MINE";
    expect(&facts, GATE_FLIPS, "-OTHER ");
    facts.live_uuid = "OTHER";                  /* would end its session, and nobody else streams: the application with it */
    expect(&facts, GATE_LATER, "");
}

/* A disable that is on its way when the application starts ends it. */
static void test_gate__its_head_may_launch__nobody_is_shut_out_any_more(void **state)
{
    (void)state;
    struct gate_facts facts = leased(open_house);
    facts.may_launch = true;
    expect(&facts, GATE_LATER, "");
    facts = leased(shut);
    facts.may_launch = true;
    slot.gate.enabled = (struct codec_list){ NULL, 0 };
    expect(&facts, GATE_FLIPS, "+OTHER ");      /* letting in ends nobody */
}

static void test_gate__own_head_has_just_paired__its_new_entry_is_let_in(void **state)
{
    (void)state;
    static const struct host_client again[] = { { "MINE", "hydra-h1", true }, { "AGAIN", "hydra-h1", true },
                                                { "OTHER", "hydra-h11", true } };
    struct gate_facts facts = leased(again);
    HC_SET(slot.head_id, "h1");
    expect(&facts, GATE_FLIPS, "-OTHER ");
}

static void test_gate__host_that_cannot__unavailable_with_its_reason(void **state)
{
    (void)state;
    struct gate_facts facts = leased(open_house);
    facts.can_enable = false;
    expect(&facts, GATE_UNAVAILABLE, "");
    facts = leased(open_house);
    facts.ends_only_its_own = false;
    expect(&facts, GATE_UNAVAILABLE, "");
    facts = leased(open_house);
    facts.known = false;
    expect(&facts, GATE_UNAVAILABLE, "");
    facts = leased(open_house);
    facts.host_known = false;
    expect(&facts, GATE_UNAVAILABLE, "");
    facts = leased(open_house);
    slot.gate.enabled = (struct codec_list){ (void *)(uintptr_t)unknown_client, 1 };      /* it would shut everybody out */
    expect(&facts, GATE_UNAVAILABLE, "");
}

static void test_gate__observe__changes_nothing_but_gives_back_what_we_took(void **state)
{
    (void)state;
    struct gate_facts facts = leased(open_house);
    desired.enforce = DIRECTIVE_OBSERVE;
    expect(&facts, GATE_OBSERVED, "");
    facts = leased(shut);
    desired.enforce = DIRECTIVE_OBSERVE;
    slot.gate = (struct desired_gate){ .mode = DIRECTIVE_GATE_OBSERVE };
    expect(&facts, GATE_OBSERVED, "");          /* an operator shut that one out */
    facts.shut_by_us = by_us;
    facts.shut_by_us_count = 1;
    expect(&facts, GATE_FLIPS, "+OTHER ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gate__leased_and_idle__strangers_shut_out_but_not_the_workshop),
        cmocka_unit_test(test_gate__free_legacy_or_maintenance__everybody_is_let_in),
        cmocka_unit_test(test_gate__reconnect_gap__nothing_flips),
        cmocka_unit_test(test_gate__own_session_live__strangers_only),
        cmocka_unit_test(test_gate__its_head_may_launch__nobody_is_shut_out_any_more),
        cmocka_unit_test(test_gate__own_head_has_just_paired__its_new_entry_is_let_in),
        cmocka_unit_test(test_gate__host_that_cannot__unavailable_with_its_reason),
        cmocka_unit_test(test_gate__observe__changes_nothing_but_gives_back_what_we_took),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
