/* admit-observed: rules §10.6, branch by branch; a promised or kept slot counts as leased (§7.7). */
#include "visits.h"

#include <stdio.h>
#include <string.h>

static struct core_result *asks(struct fleet *f, const char *client_uuid, const char *name, const char *app, const char *launch_id)
{
    struct core_event ev = fleet_event(f, CORE_ADMIT_OBSERVED, CALLER_NODE, "b1");
    ev.u.admit = (struct admit_req){ .body_id = "b1", .client_uuid = client_uuid, .named_cert_name = name, .app_name = app,
        .launch_id = launch_id };
    return fleet_step(f, &ev);
}

static void test_admit__slot_is_free__is_adopted_and_attributed(void **state)
{
    struct fleet *f = *state;
    visit_fleet(f);
    const struct core_result *got = asks(f, "uuid-1", "hydra-h2", FLEET_EXPERIENCE, "l1");
    assert_int_equal(got->answer, ANSWER_LEASE_NEW);
    assert_int_equal(got->lease.state, LEASE_ADOPTED);
    assert_string_equal(got->lease.head_id, "h2");
    char id[HC_ID_SIZE];
    HC_SET(id, got->lease.id);
    (void)visit_shows(f, "b1", SESSION_STREAMING, "", "l1");
    assert_string_equal(fleet_live(f, "b1", 0)->id, id);
}

static void test_admit__slot_is_free_and_nobody_is_known__is_adopted(void **state)
{
    struct fleet *f = *state;
    visit_fleet(f);
    const struct core_result *got = asks(f, "uuid-9", "roth", FLEET_EXPERIENCE, "l1");
    assert_int_equal(got->answer, ANSWER_LEASE_NEW);
    assert_string_equal(got->lease.head_id, "");
}

static void test_admit__the_holder_comes__gets_its_lease(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE], app[HC_NAME_SIZE + APP_TOKEN_SIZE];
    visit_fleet(f);
    visit_grant(f, "p1", "a1", lease, token);
    (void)snprintf(app, sizeof app, "%s#%s", FLEET_EXPERIENCE, fleet_lease(f, lease)->app_token);
    const struct core_result *got = asks(f, "uuid-1", "roth", app, "l1");         /* by app token */
    assert_int_equal(got->answer, ANSWER_LEASE_NEW);
    assert_string_equal(got->lease.id, lease);
    assert_string_equal(got->claim_token, "");
    assert_string_equal(asks(f, "", "hydra-p1", FLEET_EXPERIENCE, "l2")->lease.id, lease);      /* by name */
    assert_string_equal(asks(f, "uuid-1", "roth", FLEET_EXPERIENCE, "l3")->lease.id, lease);    /* by the uuid learnt above */
}

static void test_admit__another_head_comes__is_refused_with_the_holder(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_hold(f, "h1", lease);
    const struct core_result *got = asks(f, "uuid-2", "hydra-h2", FLEET_EXPERIENCE, "l1");
    assert_int_equal(got->deny, DENY_SLOT_HELD);
    assert_true(got->has_lease);
    assert_string_equal(got->lease.head_id, "h1");
}

/* Today's iPads: one shared name, no token. */
static void test_admit__nobody_known_on_a_legacy_hold__gets_that_lease(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_hold(f, "h1", lease);
    assert_string_equal(asks(f, "uuid-7", "roth", FLEET_EXPERIENCE, "l1")->lease.id, lease);
}

static void test_admit__nobody_known_while_it_streams__is_refused(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_plays(f, lease);
    assert_int_equal(asks(f, "uuid-7", "roth", FLEET_EXPERIENCE, "l2")->deny, DENY_SLOT_HELD);
    (void)visit_idle(f, "b1");                     /* no live session in the newest observation: a reconnect */
    assert_string_equal(asks(f, "uuid-7", "roth", FLEET_EXPERIENCE, "l2")->lease.id, lease);
}

static void test_admit__nobody_known_on_a_protocol_2_lease__is_refused(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE];
    visit_fleet(f);
    visit_grant(f, "p1", "a1", lease, token);
    assert_int_equal(asks(f, "uuid-7", "roth", FLEET_EXPERIENCE, "l1")->deny, DENY_SLOT_HELD);
}

/* Of two heads that share one uuid it names neither. */
static void test_admit__uuid_is_shared__names_nobody(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    (void)asks(f, "shared", "hydra-h1", FLEET_EXPERIENCE, "l1");
    visit_revoke(f, fleet_live(f, "b1", 0)->id);
    (void)visit_idle(f, "b1");
    (void)asks(f, "shared", "hydra-h2", FLEET_EXPERIENCE, "l2");
    visit_revoke(f, fleet_live(f, "b1", 0)->id);
    (void)visit_idle(f, "b1");
    visit_hold(f, "h1", lease);
    const struct core_result *got = asks(f, "shared", "roth", FLEET_EXPERIENCE, "l3");
    assert_string_equal(got->lease.id, lease);     /* the legacy rule, not the uuid */
}

static void test_admit__launch_was_revoked__is_refused(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    visit_fleet(f);
    visit_plays(f, lease);
    visit_revoke(f, lease);
    assert_int_equal(asks(f, "", "roth", FLEET_EXPERIENCE, "l1")->deny, DENY_SLOT_HELD);
}

static void test_admit__slot_is_promised_to_another__is_refused(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], ticket[HC_ID_SIZE];
    visit_fleet(f);
    visit_plays(f, lease);
    assert_int_equal(fleet_read(f, "h2", FLEET_EXPERIENCE)->deny, DENY_NO_SLOT);
    HC_SET(ticket, alloc_ticket(f->alloc, "h2")->id);
    visit_revoke(f, lease);
    (void)visit_idle(f, "b1");
    struct body_rec *body = (struct body_rec *)alloc_edit(f->alloc, REC_BODY, "b1");
    HC_SET(body->slots[0].promise_ticket_id, ticket);
    body->slots[0].promise_until = hc_time_add(f->now, 30000);
    bool changed;
    assert_int_equal(alloc_end_step(f->alloc, &changed), HC_OK);
    const struct core_result *got = asks(f, "uuid-1", "hydra-h1", FLEET_EXPERIENCE, "l9");
    assert_int_equal(got->deny, DENY_SLOT_HELD);
    assert_string_equal(got->lease.head_id, "h2");
    assert_int_equal(asks(f, "uuid-2", "hydra-h2", FLEET_EXPERIENCE, "l9")->answer, ANSWER_LEASE_NEW);
}

static void test_admit__what_cannot_be__is_refused(void **state)
{
    struct fleet *f = *state;
    visit_fleet(f);
    struct core_event ev = fleet_event(f, CORE_ADMIT_OBSERVED, CALLER_NODE, "b1");
    ev.u.admit = (struct admit_req){ .body_id = "b9", .client_uuid = "", .named_cert_name = "", .app_name = "", .launch_id = "" };
    assert_int_equal(fleet_step(f, &ev)->deny, DENY_NOT_FOUND);
    ev.u.admit.body_id = "b1";
    ev.u.admit.slot = 1;
    assert_int_equal(fleet_step(f, &ev)->deny, DENY_BAD_REQUEST);
    f->store_down = true;
    assert_int_equal(asks(f, "", "roth", FLEET_EXPERIENCE, "l1")->deny, DENY_STORE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLEET_TEST(test_admit__slot_is_free__is_adopted_and_attributed),
        FLEET_TEST(test_admit__slot_is_free_and_nobody_is_known__is_adopted),
        FLEET_TEST(test_admit__the_holder_comes__gets_its_lease),
        FLEET_TEST(test_admit__another_head_comes__is_refused_with_the_holder),
        FLEET_TEST(test_admit__nobody_known_on_a_legacy_hold__gets_that_lease),
        FLEET_TEST(test_admit__nobody_known_while_it_streams__is_refused),
        FLEET_TEST(test_admit__nobody_known_on_a_protocol_2_lease__is_refused),
        FLEET_TEST(test_admit__uuid_is_shared__names_nobody),
        FLEET_TEST(test_admit__launch_was_revoked__is_refused),
        FLEET_TEST(test_admit__slot_is_promised_to_another__is_refused),
        FLEET_TEST(test_admit__what_cannot_be__is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
