/* Saves that fail: who is told, what is rolled back, what stays, how it ends (rules §3.4, §3.5). */
#include <stdio.h>
#include <string.h>

#include "hydra/os/clock.h"
#include "hydra/os/random.h"
#include "rig.h"

static struct engine_health health_of(struct rig *rig)
{
    struct engine_health health;
    engine_health(rig->engine, &health);
    return health;
}

/* One operation in the save under way, one in the group behind it; then the save ends as the script says. */
static void fail_two(struct rig *rig, struct ask *saving, struct ask *behind, enum save_outcome nodes, enum save_outcome allocation)
{
    fake_hang(&rig->store, true);
    ask_venue(rig, saving, "saving");
    rig_until_hanging(rig);
    ask_venue(rig, behind, "behind");
    fake_script(&rig->store, nodes, allocation);
    fake_hang(&rig->store, false);
    RIG_UNTIL(rig, saving->calls == 1 && behind->calls == 1);
    assert_int_equal(saving->outcome, ENGINE_UNAVAILABLE);
    assert_int_equal(behind->outcome, ENGINE_UNAVAILABLE);
}

static void until_up(struct rig *rig)
{
    RIG_UNTIL(rig, health_of(rig).store_ok);
}

static void test_not_written__group_and_the_one_behind__rolled_back(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    struct ask first, saving, behind, refused, later;
    ask_venue(&rig, &first, "first");
    RIG_UNTIL(&rig, first.calls == 1);
    fail_two(&rig, &saving, &behind, SAVE_NOT_WRITTEN, SAVE_NOT_WRITTEN);
    struct engine_health health = health_of(&rig);
    assert_false(health.store_ok);
    assert_string_equal(health.store_detail, "scripted fault");
    assert_true(health.store_down_ms >= 0);
    ask_venue(&rig, &refused, "refused");
    assert_int_equal(refused.calls, 1);
    assert_int_equal(refused.deny, DENY_STORE);
    until_up(&rig);
    assert_false(committed_has(&rig, REC_VENUE, "saving"));
    assert_false(committed_has(&rig, REC_VENUE, "behind"));
    assert_true(committed_has(&rig, REC_VENUE, "first"));
    rig.store.log_len = 0;
    rig.store.log[0] = '\0';
    ask_venue(&rig, &later, "later");
    RIG_UNTIL(&rig, later.calls == 1);
    assert_int_equal(later.outcome, ENGINE_DURABLE);
    char only[32];
    (void)snprintf(only, sizeof only, "%d:later ; ", REC_VENUE);
    assert_string_equal(rig.store.log, only);     /* what was rolled back is saved by nobody */
    rig_close(&rig);
}

static void test_not_written__removed_and_changed_records__are_as_committed_again(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    struct ask a, b, removed, changed;
    ask_venue(&rig, &a, "kept");
    ask_venue(&rig, &b, "changed");
    RIG_UNTIL(&rig, a.calls == 1 && b.calls == 1);
    fake_script(&rig.store, SAVE_NOT_WRITTEN, SAVE_NOT_WRITTEN);
    fake_hang(&rig.store, true);
    ask_init(&rig, &removed, CORE_VENUE_DELETE);
    removed.op.ev.u.name.name = "kept";
    ask_send(&removed);
    ask_init(&rig, &changed, CORE_VENUE_PUT);
    changed.op.ev.u.venue = (struct venue_req){ .name = "changed", .owner = "thief" };
    ask_send(&changed);
    fake_hang(&rig.store, false);
    RIG_UNTIL(&rig, removed.calls == 1 && changed.calls == 1);
    assert_int_equal(removed.outcome, ENGINE_UNAVAILABLE);
    until_up(&rig);
    assert_true(committed_has(&rig, REC_VENUE, "kept"));
    const struct venue_rec *venue = (const struct venue_rec *)engine_get(rig.engine, REC_VENUE, "changed");
    assert_string_equal(venue->owner, "");
    engine_release(rig.engine, &venue->rec);
    ask_init(&rig, &removed, CORE_VENUE_DELETE);          /* and it is there in the live state: it can be removed */
    removed.op.ev.u.name.name = "kept";
    ask_send(&removed);
    RIG_UNTIL(&rig, removed.calls == 1);
    assert_int_equal(removed.deny, DENY_NONE);
    assert_false(committed_has(&rig, REC_VENUE, "kept"));
    rig_close(&rig);
}

static uint32_t slots_total(struct rig *rig, const char *body_id)
{
    const struct body_rec *body = (const struct body_rec *)engine_get(rig->engine, REC_BODY, body_id);
    uint32_t total = body->slots_total;
    engine_release(rig->engine, &body->rec);
    return total;
}

static void test_nodes_durable_allocation_not__nodes_stay_the_rest_is_rolled_back(void **state)
{
    (void)state;
    struct rig rig;
    rig_make(&rig);
    struct alloc *loaded;
    assert_int_equal(alloc_new(&rig.core, &loaded), HC_OK);
    put_body(loaded, "b1");
    rig_start(&rig, loaded);
    struct ask first, venue, slots, again;
    fake_hang(&rig.store, true);
    ask_venue(&rig, &first, "first");
    rig_until_hanging(&rig);
    ask_venue(&rig, &venue, "gent");
    ask_slots(&rig, &slots, "b1", 4);
    fake_script(&rig.store, SAVE_DURABLE, SAVE_DURABLE);
    fake_script(&rig.store, SAVE_DURABLE, SAVE_NOT_WRITTEN);
    fake_hang(&rig.store, false);
    RIG_UNTIL(&rig, venue.calls == 1 && slots.calls == 1);
    assert_int_equal(first.outcome, ENGINE_DURABLE);
    assert_int_equal(venue.outcome, ENGINE_UNAVAILABLE);
    assert_int_equal(slots.outcome, ENGINE_UNAVAILABLE);
    assert_true(committed_has(&rig, REC_VENUE, "gent"));
    assert_int_equal(slots_total(&rig, "b1"), 1);
    until_up(&rig);
    ask_slots(&rig, &again, "b1", 2);
    RIG_UNTIL(&rig, again.calls == 1);
    assert_int_equal(slots_total(&rig, "b1"), 2);
    rig_close(&rig);
}

static void test_visible__memory_stays_and_nothing_leaves_until_a_save_succeeds(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    rig_turn(&rig);
    fake_script(&rig.store, SAVE_DURABLE, SAVE_DURABLE);
    struct ask first, saving, behind;
    ask_venue(&rig, &first, "first");
    RIG_UNTIL(&rig, first.calls == 1);
    rig.news_len = 0;
    rig.news[0] = '\0';
    fail_two(&rig, &saving, &behind, SAVE_VISIBLE, SAVE_NOT_WRITTEN);
    assert_false(committed_has(&rig, REC_VENUE, "saving"));
    assert_string_equal(rig.news, "");
    RIG_UNTIL(&rig, committed_has(&rig, REC_VENUE, "saving"));
    assert_true(committed_has(&rig, REC_VENUE, "behind"));
    until_up(&rig);
    RIG_UNTIL(&rig, strstr(rig.news, "saving") != NULL);
    rig_close(&rig);
}

static void test_visible__then_saves_that_fail__only_forward(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    struct ask saving, behind;
    fail_two(&rig, &saving, &behind, SAVE_VISIBLE, SAVE_NOT_WRITTEN);
    fake_script(&rig.store, SAVE_NOT_WRITTEN, SAVE_NOT_WRITTEN);
    fake_script(&rig.store, SAVE_NOT_WRITTEN, SAVE_NOT_WRITTEN);
    RIG_UNTIL(&rig, committed_has(&rig, REC_VENUE, "saving"));
    assert_true(committed_has(&rig, REC_VENUE, "behind"));
    assert_int_equal(rig.store.script_at, rig.store.script_count);
    until_up(&rig);
    struct ask later;
    ask_venue(&rig, &later, "later");
    RIG_UNTIL(&rig, later.calls == 1);
    assert_int_equal(rig.store.last_items, 1);    /* nothing is held any more */
    rig_close(&rig);
}

static void test_visible__no_memory_to_remember_the_state__still_only_forward(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    struct ask saving, behind;
    rig.store.fail_after = 1;
    fail_two(&rig, &saving, &behind, SAVE_VISIBLE, SAVE_NOT_WRITTEN);
    fake_script(&rig.store, SAVE_NOT_WRITTEN, SAVE_NOT_WRITTEN);
    RIG_UNTIL(&rig, committed_has(&rig, REC_VENUE, "saving"));
    assert_true(committed_has(&rig, REC_VENUE, "behind"));
    rig_close(&rig);
}

static void test_down__one_probe_a_second_then_up_with_both_events(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    struct ask saving, behind;
    fail_two(&rig, &saving, &behind, SAVE_NOT_WRITTEN, SAVE_NOT_WRITTEN);
    fake_script(&rig.store, SAVE_NOT_WRITTEN, SAVE_NOT_WRITTEN);
    fake_script(&rig.store, SAVE_NOT_WRITTEN, SAVE_NOT_WRITTEN);
    unsigned before = fake_saves(&rig.store);
    int64_t began = rig_ms();
    assert_int_equal(rig_count(&rig, "store_up"), 0);
    until_up(&rig);
    int64_t took = rig_ms() - began;
    assert_int_equal(fake_saves(&rig.store), before + 3);
    assert_true(took >= 1900 && took < 5000);
    RIG_UNTIL(&rig, rig_events(&rig, NOTE_STORE_UP) == 1);
    assert_int_equal(rig_events(&rig, NOTE_STORE_DOWN), 1);
    assert_int_equal(rig_count(&rig, "store_up"), 1);
    assert_int_equal(rig_count(&rig, "store_saves_total{outcome=\"not_written\"}"), 3);
    rig_close(&rig);
}

static void test_hang_then_failure__a_late_one_is_told_once(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    fake_hang(&rig.store, true);
    struct ask late, patient;
    ask_init(&rig, &late, CORE_VENUE_PUT);
    late.op.ev.u.venue.name = "late";
    late.op.wait_ms = 20;
    ask_send(&late);
    rig_until_hanging(&rig);
    ask_venue(&rig, &patient, "patient");
    RIG_UNTIL(&rig, late.calls == 1);
    fake_script(&rig.store, SAVE_NOT_WRITTEN, SAVE_NOT_WRITTEN);
    fake_hang(&rig.store, false);
    RIG_UNTIL(&rig, patient.calls == 1);
    assert_int_equal(patient.outcome, ENGINE_UNAVAILABLE);
    until_up(&rig);
    assert_int_equal(late.calls, 1);
    assert_false(committed_has(&rig, REC_VENUE, "late"));
    rig_close(&rig);
}

static void test_durable_but_no_memory_to_note_it__answered_when_it_is_noted(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    struct ask ask, later;
    rig.store.fail_after = 1;
    ask_venue(&rig, &ask, "gent");                /* the first of its kind: its table has no room yet */
    RIG_UNTIL(&rig, ask.calls == 1);
    assert_int_equal(ask.outcome, ENGINE_DURABLE);
    assert_true(committed_has(&rig, REC_VENUE, "gent"));
    assert_true(health_of(&rig).store_ok);
    rig.store.fail_after = 1;                     /* now the next cut has no memory */
    ask_venue(&rig, &later, "brugge");
    RIG_UNTIL(&rig, later.calls == 1);
    ask_venue(&rig, &later, "leuven");
    RIG_UNTIL(&rig, later.calls == 1);
    assert_int_equal(later.outcome, ENGINE_DURABLE);
    assert_true(committed_has(&rig, REC_VENUE, "leuven"));
    rig_close(&rig);
}

static void test_submit__every_allocation_failing__a_fault_changes_nothing(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    struct ask ask;
    unsigned faults = 0;
    for (unsigned n = 1; n < 200; n++) {
        hc_alloc_fail_after(n);
        ask_venue(&rig, &ask, "gent");
        hc_alloc_fail_after(0);
        if (ask.calls == 0)
            break;
        assert_int_equal(ask.outcome, ENGINE_FAULT);
        assert_int_equal(ask.err, HC_ERR_NOMEM);
        assert_false(committed_has(&rig, REC_VENUE, "gent"));
        faults++;
    }
    assert_true(faults > 2);
    RIG_UNTIL(&rig, ask.calls == 1);
    assert_int_equal(ask.outcome, ENGINE_DURABLE);
    assert_true(committed_has(&rig, REC_VENUE, "gent"));
    rig_close(&rig);
}

static void test_start__first_save_fails__says_so_and_gives_the_state_back(void **state)
{
    (void)state;
    struct rig rig;
    rig_make(&rig);
    struct alloc *loaded;
    assert_int_equal(alloc_new(&rig.core, &loaded), HC_OK);
    fake_script(&rig.store, SAVE_NOT_WRITTEN, SAVE_NOT_WRITTEN);
    const struct engine_config config = { &fake_ops, (struct store *)&rig.store, &rig.core, rig.metrics, rig.feed, rig.wake_fd, os_now,
                                          os_random, NULL };
    const struct load_facts facts = { .saved_at = HC_TIME_NEVER };
    struct hc_diag diag = { "" };
    assert_int_equal(engine_start(&config, loaded, &facts, &rig.engine, &diag), HC_ERR_IO);
    assert_non_null(strstr(diag.text, "scripted fault"));
    alloc_free(loaded);
    rig_start(&rig, NULL);
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_not_written__group_and_the_one_behind__rolled_back),
        cmocka_unit_test(test_not_written__removed_and_changed_records__are_as_committed_again),
        cmocka_unit_test(test_nodes_durable_allocation_not__nodes_stay_the_rest_is_rolled_back),
        cmocka_unit_test(test_visible__memory_stays_and_nothing_leaves_until_a_save_succeeds),
        cmocka_unit_test(test_visible__then_saves_that_fail__only_forward),
        cmocka_unit_test(test_visible__no_memory_to_remember_the_state__still_only_forward),
        cmocka_unit_test(test_down__one_probe_a_second_then_up_with_both_events),
        cmocka_unit_test(test_hang_then_failure__a_late_one_is_told_once),
        cmocka_unit_test(test_durable_but_no_memory_to_note_it__answered_when_it_is_noted),
        cmocka_unit_test(test_submit__every_allocation_failing__a_fault_changes_nothing),
        cmocka_unit_test(test_start__first_save_fails__says_so_and_gives_the_state_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
