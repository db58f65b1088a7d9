#include <string.h>

#include "fixture.h"
#include "hydra/base/time.h"

static void test_events__every_type__has_a_name_of_its_own(void **state)
{
    (void)state;
    for (int i = 0; i < CORE_EVENT_TYPES; i++)
        for (int k = 0; k < i; k++)
            assert_string_not_equal(core_event_name((enum core_event_type)i), core_event_name((enum core_event_type)k));
}

static struct core_event enrol(struct fleet *f, const char *name)
{
    struct core_event ev = fleet_event(f, CORE_NODE_ENROL, CALLER_ADMIN, "");
    ev.u.enrol = (struct enrol_req){
        .name = name, .kind = "", .district = "", .venue = "north", .owner = "", .machine_id = "", .ip = "", .wireguard_ip = "",
        .token_hash = "t",
        .roles = ROLE_BODY | ROLE_HEAD,
    };
    return ev;
}

/* Determinism: the same state, event and seed give the same ids. */
static void test_step__dry_run_then_real__decides_the_same_and_changes_nothing_first(void **state)
{
    struct fleet *f = *state;
    struct core_event ev = enrol(f, "chunky-turnip-23");
    ev.dry_run = true;
    char id[HC_ID_SIZE];
    HC_SET(id, fleet_step(f, &ev)->id);
    assert_false(f->last.dirty);
    assert_int_equal(f->last.note_count, 0);
    assert_int_equal(alloc_count(f->alloc, REC_NODE), 0);
    assert_int_equal(alloc_count(f->alloc, REC_BODY), 0);
    ev.dry_run = false;
    assert_string_equal(fleet_step(f, &ev)->id, id);
    assert_true(f->last.dirty);
    assert_int_equal(alloc_count(f->alloc, REC_NODE), 1);
}

/* An event that fails leaves the live records as they were, whichever allocation fails. */
static void test_step__each_allocation_failing__changes_nothing_until_it_succeeds(void **state)
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadipad");
    (void)fleet_report(f, "b1");
    struct core_event ev = fleet_event(f, CORE_READ, CALLER_NODE, "h1");
    ev.u.read = (struct read_req){
        .head_id = "h1", .district = "", .venue = "", .experience = FLEET_EXPERIENCE, .stream_mode = "", .last_chance = true,
    };
    unsigned n = 0;
    for (enum hc_err err = HC_ERR_NOMEM; err != HC_OK;) {
        core_result_free(&f->last);
        hc_alloc_fail_after(++n);
        err = core_step(f->alloc, f->obs, &ev, &f->last);
        hc_alloc_fail_after(0);
        if (err == HC_OK)
            break;
        assert_int_equal(err, HC_ERR_NOMEM);
        assert_null(fleet_live(f, "b1", 0));
        assert_null(alloc_head_stream(f->alloc, "h1"));
        assert_int_equal(f->last.note_count, 0);
        assert_false(f->last.dirty);
    }
    assert_true(n > 5);
    assert_int_equal(f->last.answer, ANSWER_ROWS);
    assert_int_equal(fleet_live(f, "b1", 0)->state, LEASE_HELD);
}

static void test_ids__of_one_step__are_distinct_and_of_the_wires_shape(void **state)
{
    struct fleet *f = *state;
    char ids[64][HC_ID_SIZE];
    for (size_t i = 0; i < 64; i++) {
        struct core_event ev = enrol(f, "n");
        HC_SET(ids[i], fleet_step(f, &ev)->id);
        assert_int_equal(strlen(ids[i]), strlen("node-") + 8);
        assert_int_equal(strspn(ids[i] + 5, "0123456789abcdef"), 8);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(ids[i], ids[k]);
    }
}

/* rules §1: any authenticated request makes a node online; the edge is told once. */
static void test_seen__first_request_after_silence__is_online_and_told_once(void **state)
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    f->now = hc_time_add(f->now, f->config.timers.node_offline_ms + 1);
    struct core_view v = fleet_view(f);
    assert_false(body_online(&v, "b1"));
    struct core_event ev = fleet_event(f, CORE_SEEN, CALLER_NODE, "b1");
    ev.u.seen.node_id = "b1";
    assert_int_equal(fleet_notes(fleet_step(f, &ev), NOTE_NODE_ONLINE), 1);
    assert_true(body_online(&v, "b1"));
    ev = fleet_event(f, CORE_SEEN, CALLER_NODE, "b1");
    ev.u.seen.node_id = "b1";
    assert_int_equal(fleet_notes(fleet_step(f, &ev), NOTE_NODE_ONLINE), 0);
    assert_false(f->last.dirty);                          /* observed, not saved with every request */
}

/* rules §3.5 */
static void test_store_down__what_would_be_saved__is_refused(void **state)
{
    struct fleet *f = *state;
    f->store_down = true;
    struct core_event ev = enrol(f, "n");
    assert_int_equal(fleet_step(f, &ev)->deny, DENY_STORE);
    assert_false(f->last.dirty);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events__every_type__has_a_name_of_its_own),
        FLEET_TEST(test_step__dry_run_then_real__decides_the_same_and_changes_nothing_first),
        FLEET_TEST(test_step__each_allocation_failing__changes_nothing_until_it_succeeds),
        FLEET_TEST(test_ids__of_one_step__are_distinct_and_of_the_wires_shape),
        FLEET_TEST(test_seen__first_request_after_silence__is_online_and_told_once),
        FLEET_TEST(test_store_down__what_would_be_saved__is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
