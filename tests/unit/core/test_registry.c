#include <string.h>

#include "fixture.h"

static struct core_result *enrol(struct fleet *f, enum caller_kind caller, struct enrol_req req)
{
    const char **texts[] = { &req.name, &req.kind, &req.district, &req.venue, &req.owner, &req.machine_id, &req.ip, &req.wireguard_ip,
        &req.token_hash };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (*texts[i] == NULL)
            *texts[i] = "";
    struct core_event ev = fleet_event(f, CORE_NODE_ENROL, caller, "");
    ev.u.enrol = req;
    return fleet_step(f, &ev);
}

static struct core_result *update(struct fleet *f, struct node_update_req req)
{
    struct core_event ev = fleet_event(f, CORE_NODE_UPDATE, CALLER_ADMIN, "");
    ev.u.node_update = req;
    return fleet_step(f, &ev);
}

/* wire §1: POST /heads */
static void test_enrol__legacy_names__are_filled_and_counted_up(void **state)
{
    struct fleet *f = *state;
    const struct enrol_req head = { .roles = ROLE_HEAD, .legacy_names = true };
    static const char *const expected[] = { "ipad-head", "ipad-head-2", "ipad-head-3" };
    char ids[3][HC_ID_SIZE];
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(enrol(f, CALLER_FLEET, head)->name, expected[i]);
        HC_SET(ids[i], f->last.id);
    }
    /* The first number that is free is taken again. */
    struct core_event ev = fleet_event(f, CORE_NODE_DELETE, CALLER_ADMIN, "");
    ev.u.node_delete.node_id = ids[1];
    (void)fleet_step(f, &ev);
    assert_string_equal(enrol(f, CALLER_FLEET, head)->name, "ipad-head-2");
    const struct node_rec *node = alloc_node(f->alloc, f->last.id);
    assert_string_equal(node->kind, "hydraheadipad");
    assert_string_equal(node->district, FLEET_DISTRICT);
    assert_int_equal(node->approval, APPROVAL_APPROVED);
    struct enrol_req named = head;
    named.name = "lobby";
    named.kind = "hydraheadquest";
    assert_string_equal(enrol(f, CALLER_FLEET, named)->name, "lobby");
    assert_true(node_is_quest(alloc_node(f->alloc, f->last.id)));
    assert_string_equal(enrol(f, CALLER_FLEET, named)->name, "lobby-2");
    named.name = "lobby-2";
    assert_string_equal(enrol(f, CALLER_FLEET, named)->name, "lobby-2-2");
}

static void test_enrol__longest_name_in_use__is_cut_between_characters(void **state)
{
    struct fleet *f = *state;
    char name[HC_NAME_SIZE];
    for (size_t i = 0; i + 1 < HC_NAME_MAX; i += 2)
        memcpy(&name[i], "\xc3\xa9", 2);
    name[HC_NAME_MAX] = '\0';
    const struct enrol_req head = { .name = name, .roles = ROLE_HEAD, .legacy_names = true };
    assert_string_equal(enrol(f, CALLER_FLEET, head)->name, name);
    (void)enrol(f, CALLER_FLEET, head);
    assert_true(hc_name_ok(f->last.name));
    assert_string_equal(f->last.name + strlen(f->last.name) - 2, "-2");
}

static void test_enrol__body__gets_its_record_with_the_defaults(void **state)
{
    struct fleet *f = *state;
    (void)enrol(f, CALLER_ADMIN, (struct enrol_req){ .name = "pc", .roles = ROLE_BODY, .district = "d2", .venue = "south",
        .token_hash = "abc", .pending = true });
    assert_int_equal(f->last.answer, ANSWER_NODE);
    assert_int_equal(fleet_notes(&f->last, NOTE_NODE_ENROLLED), 1);
    const struct body_rec *body = alloc_body(f->alloc, f->last.id);
    assert_int_equal(body->slots_total, 1);
    assert_int_equal(body->slot_count, 1);
    assert_int_equal(body->home_venue_reserve, RESERVE_AUTO);
    assert_int_equal(body->enforce, ENFORCE_OBSERVE);
    const struct node_rec *node = alloc_node(f->alloc, f->last.id);
    assert_int_equal(node->approval, APPROVAL_APPROVED);              /* an admin's node never waits */
    assert_string_equal(node->district, "d2");
    assert_string_equal(node->token_hash, "abc");
    (void)enrol(f, CALLER_FLEET, (struct enrol_req){ .name = "pc", .roles = ROLE_BODY, .pending = true });
    assert_int_equal(alloc_node(f->alloc, f->last.id)->approval, APPROVAL_PENDING);
}

static void test_enrol__bad_input__names_the_field(void **state)
{
    struct fleet *f = *state;
    assert_int_equal(enrol(f, CALLER_ADMIN, (struct enrol_req){ .name = "pc" })->deny, DENY_BAD_REQUEST);
    assert_string_equal(f->last.field, "roles");
    assert_int_equal(enrol(f, CALLER_ADMIN, (struct enrol_req){ .roles = ROLE_HEAD })->deny, DENY_BAD_REQUEST);
    assert_string_equal(f->last.field, "name");
    assert_int_equal(alloc_count(f->alloc, REC_NODE), 0);
}

static void test_update__named_fields__change_alone(void **state)
{
    struct fleet *f = *state;
    fleet_head(f, "h1", "north", "hydraheadipad");
    assert_int_equal(update(f, (struct node_update_req){ .node_id = "h1", .venue = "south", .xr_client_hostname = "quest.lan" })->answer,
        ANSWER_NODE);
    const struct node_rec *node = alloc_node(f->alloc, "h1");
    assert_string_equal(node->venue, "south");
    assert_string_equal(node->xr_client_hostname, "quest.lan");
    assert_string_equal(node->name, "h1");
    assert_string_equal(node->owner, FLEET_OWNER);
    assert_int_equal(node->approval, APPROVAL_APPROVED);
    assert_int_equal(fleet_notes(&f->last, NOTE_NODE_CHANGED), 1);
}

static void test_update__bad_input__names_the_field(void **state)
{
    struct fleet *f = *state;
    fleet_head(f, "h1", "north", "hydraheadipad");
    assert_int_equal(update(f, (struct node_update_req){ .node_id = "nobody" })->deny, DENY_NOT_FOUND);
    assert_int_equal(update(f, (struct node_update_req){ .node_id = "h1", .name = "" })->deny, DENY_BAD_REQUEST);
    assert_string_equal(f->last.field, "name");
    assert_int_equal(update(f, (struct node_update_req){ .node_id = "h1", .district = "" })->deny, DENY_BAD_REQUEST);
    assert_string_equal(f->last.field, "district");
    assert_int_equal(update(f, (struct node_update_req){ .node_id = "h1", .roles = { true, 0 } })->deny, DENY_BAD_REQUEST);
    assert_string_equal(f->last.field, "roles");
}

static void test_update__role_body_added__makes_the_body(void **state)
{
    struct fleet *f = *state;
    fleet_head(f, "h1", "north", "hydraheadipad");
    (void)update(f, (struct node_update_req){ .node_id = "h1", .roles = { true, ROLE_BODY | ROLE_HEAD } });
    assert_int_equal(alloc_body(f->alloc, "h1")->slot_count, 1);
}

static void test_update__role_with_a_lease_taken_away__is_refused(void **state)
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadipad");
    (void)fleet_report(f, "b1");
    assert_int_equal(fleet_read(f, "h1", FLEET_EXPERIENCE)->answer, ANSWER_ROWS);
    assert_int_equal(update(f, (struct node_update_req){ .node_id = "b1", .roles = { true, ROLE_HEAD } })->deny, DENY_NODE_HAS_LEASE);
    assert_int_equal(update(f, (struct node_update_req){ .node_id = "h1", .roles = { true, ROLE_BODY } })->deny, DENY_NODE_HAS_LEASE);
    assert_int_equal(update(f, (struct node_update_req){ .node_id = "b1", .roles = { true, ROLE_BODY | ROLE_HEAD } })->answer, ANSWER_NODE);
}

static void test_update__denied_head__loses_lease_stream_and_ticket(void **state)
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadipad");
    fleet_head(f, "h2", "north", "hydraheadflatscreen");
    (void)fleet_report(f, "b1");
    assert_int_equal(fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->answer, ANSWER_LEASE_NEW);
    char lease_id[HC_ID_SIZE];
    HC_SET(lease_id, f->last.lease.id);
    assert_int_equal(fleet_claim(f, "h2", "a2", FLEET_EXPERIENCE)->answer, ANSWER_TICKET);
    (void)update(f, (struct node_update_req){ .node_id = "h2", .set_approval = true, .approval = APPROVAL_DENIED });
    assert_null(alloc_ticket(f->alloc, "h2"));
    assert_null(alloc_head_stream(f->alloc, "h2"));
    assert_int_equal(fleet_lease(f, lease_id)->state, LEASE_GRANTED);
    (void)update(f, (struct node_update_req){ .node_id = "h1", .set_approval = true, .approval = APPROVAL_DENIED });
    assert_int_equal(fleet_lease(f, lease_id)->state, LEASE_REVOKED);
    assert_int_equal(fleet_lease(f, lease_id)->why, WHY_NODE_DENIED);
    assert_null(alloc_head_stream(f->alloc, "h1"));
}

static void test_update__denied_body__ends_what_it_serves(void **state)
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadipad");
    (void)fleet_report(f, "b1");
    assert_int_equal(fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->answer, ANSWER_LEASE_NEW);
    char lease_id[HC_ID_SIZE];
    HC_SET(lease_id, f->last.lease.id);
    (void)update(f, (struct node_update_req){ .node_id = "b1", .set_approval = true, .approval = APPROVAL_DENIED });
    assert_int_equal(fleet_lease(f, lease_id)->state, LEASE_REVOKED);
    assert_null(fleet_live(f, "b1", 0));
}

static void test_token__made_anew__replaces_the_hash(void **state)
{
    struct fleet *f = *state;
    fleet_head(f, "h1", "north", "hydraheadipad");
    struct core_event ev = fleet_event(f, CORE_NODE_TOKEN, CALLER_ADMIN, "");
    ev.u.node_token = (struct node_token_req){ "h1", "new-hash" };
    assert_int_equal(fleet_step(f, &ev)->answer, ANSWER_NODE);
    assert_string_equal(alloc_node(f->alloc, "h1")->token_hash, "new-hash");
    ev = fleet_event(f, CORE_NODE_TOKEN, CALLER_ADMIN, "");
    ev.u.node_token = (struct node_token_req){ "nobody", "x" };
    assert_int_equal(fleet_step(f, &ev)->deny, DENY_NOT_FOUND);
}

static void test_beat__news__is_saved_once(void **state)
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    struct core_event ev = fleet_event(f, CORE_NODE_BEAT, CALLER_NODE, "b1");
    ev.u.node_beat = (struct node_beat_req){ .node_id = "b1", .version = "1.2", .arch = "amd64", .ip = "" };
    assert_true(fleet_step(f, &ev)->dirty);
    assert_string_equal(alloc_node(f->alloc, "b1")->version, "1.2");
    assert_string_equal(alloc_node(f->alloc, "b1")->ip, "10.0.0.1");
    assert_false(fleet_step(f, &ev)->dirty);
    ev.u.node_beat.node_id = "nobody";
    assert_int_equal(fleet_step(f, &ev)->deny, DENY_NOT_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLEET_TEST(test_enrol__legacy_names__are_filled_and_counted_up),
        FLEET_TEST(test_enrol__longest_name_in_use__is_cut_between_characters),
        FLEET_TEST(test_enrol__body__gets_its_record_with_the_defaults),
        FLEET_TEST(test_enrol__bad_input__names_the_field),
        FLEET_TEST(test_update__named_fields__change_alone),
        FLEET_TEST(test_update__bad_input__names_the_field),
        FLEET_TEST(test_update__role_body_added__makes_the_body),
        FLEET_TEST(test_update__role_with_a_lease_taken_away__is_refused),
        FLEET_TEST(test_update__denied_head__loses_lease_stream_and_ticket),
        FLEET_TEST(test_update__denied_body__ends_what_it_serves),
        FLEET_TEST(test_token__made_anew__replaces_the_hash),
        FLEET_TEST(test_beat__news__is_saved_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
