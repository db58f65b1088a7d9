#include "asks.h"

#include <string.h>

#include "hydra/base/arena.h"

#define CANDIDATES_MAX 16
struct order { size_t count; char body[CANDIDATES_MAX][HC_ID_SIZE]; struct candidate_row row[CANDIDATES_MAX]; };

static struct order candidates_of(struct fleet *f, const char *head_id, uint32_t protocol)
{
    struct order order = { 0 };
    struct hc_arena arena = { 0 };
    struct candidate_row *rows;
    struct core_view v = fleet_view(f);
    struct seeker who = { .head_id = head_id, .experience = FLEET_EXPERIENCE, .ticket_id = "", .protocol = protocol, .created_at = f->now };
    assert_int_equal(query_candidates(&v, &who, &arena, &rows, &order.count), HC_OK);
    assert_true(order.count <= CANDIDATES_MAX);
    for (size_t i = 0; i < order.count; i++) {
        HC_SET(order.body[i], rows[i].body_id);
        order.row[i] = rows[i];
    }
    hc_arena_free(&arena);
    return order;
}

static void two_bodies(struct fleet *f, const char *venue_1, const char *venue_2)
{
    fleet_head(f, "h1", "north", "hydraheadipad");
    fleet_body(f, "b1", venue_1);
    fleet_body(f, "b2", venue_2);
    (void)fleet_report(f, "b1");
    (void)fleet_report(f, "b2");
}

static void assert_first(struct fleet *f, const char *body_id)
{
    assert_string_equal(candidates_of(f, "h1", 1).body[0], body_id);
}

/* Which of two equal bodies the salt of §6.3.7 puts last: making that one first proves the term under test. */
static const char *last_by_salt(struct fleet *f)
{
    static char last[HC_ID_SIZE];
    HC_SET(last, candidates_of(f, "h1", 1).body[1]);
    return last;
}

static void test_ranking__salt_alone__is_fnv_of_body_then_head(void **state)      /* §6.3.7 */
{
    struct fleet *f = *state;
    two_bodies(f, "north", "north");
    uint64_t one = hc_fnv1a64(HC_FNV1A64_START, "b1h1"), two = hc_fnv1a64(HC_FNV1A64_START, "b2h1");
    assert_first(f, one < two ? "b1" : "b2");
}

static void test_ranking__more_memory__comes_first(void **state)
{
    struct fleet *f = *state;
    two_bodies(f, "north", "north");
    const char *last = last_by_salt(f);
    observed_memory(f->obs, edit_report(f, last), 49152);
    assert_first(f, last);
}

static void test_ranking__same_venue__beats_memory(void **state)
{
    struct fleet *f = *state;
    two_bodies(f, "north", "south");
    observed_memory(f->obs, edit_report(f, "b2"), 49152);
    assert_first(f, "b1");
}

static void test_ranking__free__beats_same_venue(void **state)
{
    struct fleet *f = *state;
    two_bodies(f, "north", "south");
    edit_report(f, "b1")->sessions[0].state = SESSION_STREAMING;
    assert_first(f, "b2");
}

static void test_ranking__same_machine__beats_free(void **state)
{
    struct fleet *f = *state;
    two_bodies(f, "south", "north");
    struct node_rec *head = edit_node(f, "h1");
    HC_SET(head->machine_id, "m1");
    edit_done(f);
    struct node_rec *body = edit_node(f, "b1");
    HC_SET(body->machine_id, "m1");
    edit_done(f);
    edit_report(f, "b1")->sessions[0].state = SESSION_STREAMING;
    assert_first(f, "b1");
}

static void test_ranking__slot_of_a_silent_head__comes_after_same_machine(void **state)      /* §6.2.6 */
{
    struct fleet *f = *state;
    two_bodies(f, "north", "north");
    struct node_rec *head = edit_node(f, "h1");
    HC_SET(head->machine_id, "m1");
    edit_done(f);
    struct node_rec *body = edit_node(f, "b1");
    HC_SET(body->machine_id, "m1");
    edit_done(f);
    edit_body(f, "b1")->slots[0].silent_until = hc_time_add(f->now, 1000);
    edit_done(f);
    assert_first(f, "b2");
    f->now = hc_time_add(f->now, 1000);
    assert_first(f, "b1");
}

static void put_demotion(struct fleet *f, const char *body_id)
{
    char key[REC_KEY_SIZE] = "";
    strncat(key, body_id, HC_ID_MAX);
    strncat(key, "/h1", 4);
    struct demotion_rec *rec = (struct demotion_rec *)rec_new(REC_DEMOTION, key);
    HC_SET(rec->body_id, body_id);
    HC_SET(rec->head_id, "h1");
    rec->until = hc_time_add(f->now, 300000);
    assert_int_equal(alloc_put(f->alloc, REC_DEMOTION, key, &rec->rec), HC_OK);
    rec_unref(&rec->rec);
}

static void test_ranking__demoted__comes_last_and_is_not_excluded(void **state)
{
    struct fleet *f = *state;
    two_bodies(f, "north", "north");
    char first[HC_ID_SIZE];
    HC_SET(first, candidates_of(f, "h1", 1).body[0]);
    put_demotion(f, first);
    struct order order = candidates_of(f, "h1", 1);
    assert_string_equal(order.body[1], first);
    assert_true(order.row[1].demoted && order.row[1].grantable);
    assert_int_equal(order.row[1].why_not, WHY_NOT_DEMOTED);
}

static void test_ranking__preferred_body__comes_first_unless_demoted(void **state)      /* §6.5.4 */
{
    struct fleet *f = *state;
    two_bodies(f, "north", "south");
    struct claim_req req = usual_claim("h1", "a1");
    req.prefer_body_id = "b2";
    assert_string_equal(ask_claim(f, &req, true)->body.id, "b2");
    put_demotion(f, "b2");
    assert_string_equal(ask_claim(f, &req, true)->body.id, "b1");
}

static void test_ranking__lowest_slot__comes_first(void **state)
{
    struct fleet *f = *state;
    fleet_head(f, "h1", "north", "hydraheadflatscreen");
    fleet_body(f, "b1", "north");
    fleet_slots(f, "b1", 3);
    (void)fleet_report(f, "b1");
    struct order order = candidates_of(f, "h1", 2);
    assert_int_equal(order.count, 3);
    assert_int_equal(order.row[0].slot, 0);
    assert_int_equal(order.row[2].slot, 2);
    assert_int_equal(order.row[0].rank, 1);
}

typedef void damage(struct fleet *f);
static void other_district(struct fleet *f) { HC_SET(edit_node(f, "b1")->district, "d2"); edit_done(f); }
static void other_owner(struct fleet *f) { HC_SET(edit_node(f, "b1")->owner, "globex"); edit_done(f); }
static void no_owner(struct fleet *f)
{
    edit_node(f, "b1")->owner[0] = '\0';
    edit_done(f);
    edit_node(f, "h1")->owner[0] = '\0';
    edit_done(f);
}
static void denied(struct fleet *f) { edit_node(f, "b1")->approval = APPROVAL_DENIED; edit_done(f); }
static void no_role(struct fleet *f) { edit_node(f, "b1")->roles = ROLE_HEAD; edit_done(f); }
static void other_experience(struct fleet *f)
{
    static const char *const list[] = { "mercator" };
    set_experiences(f, "b1", list, 1);
}
static void assigned_elsewhere(struct fleet *f) { assign_body(f, "h1", "b9", ""); }

static void test_eligible__each_condition_of_the_rule_broken__is_none(void **state)      /* §6.3.8, §6.3.9 */
{
    static damage *const rows[] = { other_district, other_owner, no_owner, denied, no_role, other_experience, assigned_elsewhere };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        void *fleet;
        assert_int_equal(fleet_setup(&fleet), 0);
        struct fleet *f = fleet;
        fleet_head(f, "h1", "north", "hydraheadipad");
        fleet_body(f, "b1", "south");
        (void)fleet_report(f, "b1");
        assert_int_equal(ask_pure(f, "h1", FLEET_EXPERIENCE, "")->row_count, 1);
        rows[i](f);
        if (ask_pure(f, "h1", FLEET_EXPERIENCE, "")->row_count != 0)
            fail_msg("row %zu is still eligible", i);
        assert_int_equal(fleet_read(f, "h1", FLEET_EXPERIENCE)->answer, ANSWER_REFUSED);
        assert_int_equal(fleet_teardown(&fleet), 0);
    }
}

static void test_eligible__owner_of_the_venue__counts_for_its_nodes(void **state)      /* §1 */
{
    struct fleet *f = *state;
    fleet_head(f, "h1", "north", "hydraheadipad");
    fleet_body(f, "b1", "south");
    (void)fleet_report(f, "b1");
    no_owner(f);
    assert_int_equal(ask_pure(f, "h1", FLEET_EXPERIENCE, "")->row_count, 0);
    give_venue(f, "north", ACCEPT_AUTO);
    give_venue(f, "south", ACCEPT_AUTO);
    assert_int_equal(ask_pure(f, "h1", FLEET_EXPERIENCE, "")->row_count, 1);
}

static void test_eligible__xr_read__needs_drivers(void **state)
{
    static const char *const drivers[] = { "alvr" };
    struct fleet *f = *state;
    two_bodies(f, "north", "north");
    assert_int_equal(ask_pure(f, "h1", FLEET_EXPERIENCE, "xr")->row_count, 0);
    struct body_obs *obs = edit_report(f, "b2");
    strings_unref(obs->xr_drivers);
    obs->xr_drivers = strings_new(drivers, 1);
    struct core_result *out = ask_pure(f, "h1", FLEET_EXPERIENCE, "xr");
    assert_int_equal(out->row_count, 1);
    assert_string_equal(out->rows[0].id, "b2");
    assert_string_equal(out->rows[0].xr_drivers[0], "alvr");
}

static void test_eligible__legacy_head__is_kept_off_bodies_of_many_slots(void **state)      /* grantable 5 */
{
    struct fleet *f = *state;
    fleet_head(f, "h1", "north", "hydraheadipad");
    fleet_body(f, "b1", "north");
    fleet_slots(f, "b1", 2);
    (void)fleet_report(f, "b1");
    assert_int_equal(candidates_of(f, "h1", 1).row[0].why_not, WHY_NOT_LEGACY_ONE_SLOT);
    assert_int_equal(fleet_read(f, "h1", FLEET_EXPERIENCE)->deny, DENY_NO_SLOT);
    assert_int_equal(candidates_of(f, "h1", 2).row[0].why_not, 0);
}

static void test_candidates__ineligible_body__comes_last(void **state)
{
    struct fleet *f = *state;
    two_bodies(f, "north", "north");
    const char *first = candidates_of(f, "h1", 1).body[0][1] == '1' ? "b1" : "b2";
    HC_SET(edit_node(f, first)->owner, "globex");
    edit_done(f);
    HC_SET(edit_node(f, first)->venue, "south");
    edit_done(f);
    struct order order = candidates_of(f, "h1", 1);
    assert_string_equal(order.body[1], first);
    assert_false(order.row[1].eligible);
    assert_int_equal(order.row[1].why_not, WHY_NOT_VENUE);
}

/* §7.12: the words of a denial */
static enum wait_why denial(struct fleet *f)
{
    struct core_result *out = fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE);
    assert_int_equal(out->answer, ANSWER_TICKET);
    assert_int_equal(out->ticket.why, out->wait);
    return out->wait;
}

static void one_body(struct fleet *f, const char *venue)
{
    fleet_head(f, "h1", "north", "hydraheadflatscreen");
    fleet_body(f, "b1", venue);
    (void)fleet_report(f, "b1");
}

static void test_denial__slot_is_leased__no_slot(void **state)
{
    struct fleet *f = *state;
    one_body(f, "south");
    fleet_head(f, "h2", "south", "hydraheadipad");
    (void)fleet_read(f, "h2", FLEET_EXPERIENCE);
    assert_int_equal(denial(f), WAIT_NO_SLOT);
    assert_true(f->last.denied_for_capacity);
    assert_string_equal(f->last.head_venue, "north");
    assert_string_equal(f->last.body_venue, "south");
}

static void test_denial__report_is_old__no_fresh_body(void **state)
{
    struct fleet *f = *state;
    one_body(f, "north");
    f->now = hc_time_add(f->now, f->config.timers.body_report_fresh_ms + 1);
    assert_int_equal(denial(f), WAIT_NO_FRESH_BODY);
}

static void test_denial__reserve_of_the_home_venue__reserved(void **state)
{
    struct fleet *f = *state;
    one_body(f, "south");
    edit_body(f, "b1")->home_venue_reserve = 1;
    edit_done(f);
    assert_int_equal(denial(f), WAIT_RESERVED);
}

static void test_denial__cap_of_the_venue__venue_cap(void **state)
{
    struct fleet *f = *state;
    one_body(f, "north");
    give_cap(f, "venue/north", 0);
    assert_int_equal(denial(f), WAIT_VENUE_CAP);
}

static void test_denial__cap_of_the_org__org_cap(void **state)
{
    struct fleet *f = *state;
    one_body(f, "north");
    give_cap(f, "org/" FLEET_OWNER, 0);
    assert_int_equal(denial(f), WAIT_ORG_CAP);
}

static void test_denial__older_legacy_ticket_could_use_it__kept_for_older(void **state)
{
    struct fleet *f = *state;
    one_body(f, "north");
    fleet_head(f, "h2", "north", "hydraheadipad");
    edit_body(f, "b1")->maintenance = true;
    edit_done(f);
    assert_int_equal(fleet_read(f, "h2", FLEET_EXPERIENCE)->deny, DENY_NO_SLOT);
    edit_body(f, "b1")->maintenance = false;
    edit_done(f);
    f->now = hc_time_add(f->now, 1000);
    assert_int_equal(denial(f), WAIT_KEPT_FOR_OLDER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLEET_TEST(test_ranking__salt_alone__is_fnv_of_body_then_head),
        FLEET_TEST(test_ranking__more_memory__comes_first),
        FLEET_TEST(test_ranking__same_venue__beats_memory),
        FLEET_TEST(test_ranking__free__beats_same_venue),
        FLEET_TEST(test_ranking__same_machine__beats_free),
        FLEET_TEST(test_ranking__slot_of_a_silent_head__comes_after_same_machine),
        FLEET_TEST(test_ranking__demoted__comes_last_and_is_not_excluded),
        FLEET_TEST(test_ranking__preferred_body__comes_first_unless_demoted),
        FLEET_TEST(test_ranking__lowest_slot__comes_first),
        cmocka_unit_test(test_eligible__each_condition_of_the_rule_broken__is_none),
        FLEET_TEST(test_eligible__owner_of_the_venue__counts_for_its_nodes),
        FLEET_TEST(test_eligible__xr_read__needs_drivers),
        FLEET_TEST(test_eligible__legacy_head__is_kept_off_bodies_of_many_slots),
        FLEET_TEST(test_candidates__ineligible_body__comes_last),
        FLEET_TEST(test_denial__slot_is_leased__no_slot),
        FLEET_TEST(test_denial__report_is_old__no_fresh_body),
        FLEET_TEST(test_denial__reserve_of_the_home_venue__reserved),
        FLEET_TEST(test_denial__cap_of_the_venue__venue_cap),
        FLEET_TEST(test_denial__cap_of_the_org__org_cap),
        FLEET_TEST(test_denial__older_legacy_ticket_could_use_it__kept_for_older),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
