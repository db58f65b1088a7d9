/* Ended leases: from the commit to the history file and back out of the store (rules §3.10); and what is counted on the way. */
#include <stdio.h>
#include <string.h>

#include "lease_life.h"

static size_t history_rows(struct rig *rig, struct session_row *ret_first)
{
    struct hc_arena arena = { 0 };
    struct session_row *rows;
    size_t count;
    char more[HC_ID_SIZE];
    const struct history_filter all = { .limit = 100 };
    assert_int_equal(feed_history(rig->feed, &all, &arena, &rows, &count, more), HC_OK);
    if (count > 0)
        *ret_first = rows[0];
    hc_arena_free(&arena);
    return count;
}

static void test_lease_ended__line_synced_then_gone_from_the_store(void **state)
{
    (void)state;
    struct rig rig;
    life_open(&rig);
    struct ask claim, release;
    life_claim(&rig, &claim, "h1", "attempt-1");
    RIG_UNTIL(&rig, claim.calls == 1);
    assert_int_equal(claim.answer, ANSWER_LEASE_NEW);
    assert_true(life_has_lease(&rig, claim.lease_id));
    life_release(&rig, &release, "h1", &claim);
    RIG_UNTIL(&rig, release.calls == 1);
    assert_int_equal(release.deny, DENY_NONE);
    RIG_UNTIL(&rig, !life_has_lease(&rig, claim.lease_id));
    struct session_row row;
    assert_int_equal(history_rows(&rig, &row), 1);
    assert_string_equal(row.lease_id, claim.lease_id);
    assert_string_equal(row.head_id, "h1");
    assert_string_equal(row.body_id, LIFE_BODY);
    assert_string_equal(row.experience, LIFE_EXPERIENCE);
    assert_string_equal(row.head_venue, "v1");
    assert_int_equal(row.state, LEASE_ENDED);
    assert_int_equal(row.why, WHY_RELEASED);
    assert_true(row.grant_epoch > 0 && hc_time_set(row.granted_at) && hc_time_set(row.ended_at));
    assert_int_equal(rig_events(&rig, NOTE_LEASE_GRANTED), 1);
    assert_int_equal(rig_events(&rig, NOTE_LEASE_ENDED), 1);
    assert_int_equal(rig_count(&rig, "claims_granted_total{venue=\"v1\",source=\"explicit\"}"), 1);
    assert_int_equal(rig_count(&rig, "leases_ended_total{state=\"ended\",reason=\"released\"}"), 1);
    rig_close(&rig);
}

static void test_ended_lease_in_the_loaded_store__goes_to_the_history_at_start(void **state)
{
    (void)state;
    struct rig rig;
    rig_make(&rig);
    struct alloc *loaded;
    life_state(&rig, &loaded);
    struct body_rec *body = (struct body_rec *)rec_new(REC_BODY, LIFE_BODY);
    assert_non_null(body);
    body->slots_total = 1;
    body->slots = hc_alloc(sizeof body->slots[0]);
    assert_non_null(body->slots);
    body->slot_count = 1;
    body->slots[0].leases = hc_alloc(sizeof body->slots[0].leases[0]);
    assert_non_null(body->slots[0].leases);
    body->slots[0].lease_count = 1;
    struct lease *lease = &body->slots[0].leases[0];
    *lease = (struct lease){ .state = LEASE_EXPIRED, .why = WHY_TTL, .protocol = 2, .grant_epoch = 3, .granted_at = { 1000000 },
                             .changed_at = { 2000000 } };
    HC_SET(lease->id, "lse-before");
    HC_SET(lease->head_id, "h1");
    HC_SET(lease->experience, LIFE_EXPERIENCE);
    assert_int_equal(alloc_put(loaded, REC_BODY, LIFE_BODY, &body->rec), HC_OK);
    rec_unref(&body->rec);
    rig_start(&rig, loaded);
    assert_true(life_has_lease(&rig, "lse-before"));
    RIG_UNTIL(&rig, !life_has_lease(&rig, "lse-before"));
    struct session_row row;
    assert_int_equal(history_rows(&rig, &row), 1);
    assert_string_equal(row.lease_id, "lse-before");
    rig_close(&rig);
}

static void test_lease_ended_while_the_save_fails__no_line_until_it_is_true(void **state)
{
    (void)state;
    struct rig rig;
    life_open(&rig);
    struct ask claim, release, again;
    life_claim(&rig, &claim, "h1", "attempt-1");
    RIG_UNTIL(&rig, claim.calls == 1);
    fake_script(&rig.store, SAVE_NOT_WRITTEN, SAVE_NOT_WRITTEN);
    life_release(&rig, &release, "h1", &claim);
    RIG_UNTIL(&rig, release.calls == 1);
    assert_int_equal(release.outcome, ENGINE_UNAVAILABLE);
    struct engine_health health;
    do {
        rig_turn(&rig);
        engine_health(rig.engine, &health);
    } while (!health.store_ok && health.store_down_ms < RIG_WAIT_MS);
    struct session_row row;
    assert_int_equal(history_rows(&rig, &row), 0);
    assert_int_equal(rig_events(&rig, NOTE_LEASE_ENDED), 0);
    assert_true(life_has_lease(&rig, claim.lease_id));
    life_release(&rig, &again, "h1", &claim);
    RIG_UNTIL(&rig, again.calls == 1 && !life_has_lease(&rig, claim.lease_id));
    assert_int_equal(history_rows(&rig, &row), 1);
    rig_close(&rig);
}

static void test_denied__nothing_free__counted_on_both_axes(void **state)
{
    (void)state;
    struct rig rig;
    life_open(&rig);
    struct ask claim, denied;
    life_claim(&rig, &claim, "h1", "attempt-1");
    RIG_UNTIL(&rig, claim.calls == 1);
    life_claim(&rig, &denied, "h2", "attempt-2");
    RIG_UNTIL(&rig, denied.calls == 1);
    assert_int_equal(denied.answer, ANSWER_TICKET);
    struct hc_arena arena = { 0 };
    struct denial_count *rows;
    size_t count;
    assert_int_equal(feed_denials(rig.feed, denied.op.ev.now, DENIAL_BY_HEAD_VENUE, &arena, &rows, &count), HC_OK);
    assert_int_equal(count, 1);
    assert_string_equal(rows[0].word, "v1");
    assert_int_equal(rows[0].count, 1);
    assert_int_equal(feed_denials(rig.feed, denied.op.ev.now, DENIAL_BY_REASON, &arena, &rows, &count), HC_OK);
    assert_int_equal(count, 1);
    assert_string_equal(rows[0].word, "no_slot");
    hc_arena_free(&arena);
    rig_close(&rig);
}

static void test_claims__rolled_back__the_slot_is_free_for_who_asks_first(void **state)
{
    (void)state;
    struct rig rig;
    life_open(&rig);
    struct ask one, two;
    fake_hang(&rig.store, true);
    life_claim(&rig, &one, "h1", "attempt-1");
    rig_until_hanging(&rig);
    life_claim(&rig, &two, "h2", "attempt-2");
    assert_int_equal(one.calls + two.calls, 0);
    fake_script(&rig.store, SAVE_NOT_WRITTEN, SAVE_NOT_WRITTEN);
    fake_hang(&rig.store, false);
    RIG_UNTIL(&rig, one.calls == 1 && two.calls == 1);
    assert_int_equal(one.outcome, ENGINE_UNAVAILABLE);
    assert_int_equal(two.outcome, ENGINE_UNAVAILABLE);
    struct engine_health health;
    do {
        rig_turn(&rig);
        engine_health(rig.engine, &health);
    } while (!health.store_ok && health.store_down_ms < RIG_WAIT_MS);
    /* Neither was granted: now the second head asks first and gets the slot. */
    life_claim(&rig, &two, "h2", "attempt-2");
    RIG_UNTIL(&rig, two.calls == 1);
    assert_int_equal(two.answer, ANSWER_LEASE_NEW);
    life_claim(&rig, &one, "h1", "attempt-1");
    RIG_UNTIL(&rig, one.calls == 1);
    assert_int_equal(one.answer, ANSWER_TICKET);
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lease_ended__line_synced_then_gone_from_the_store),
        cmocka_unit_test(test_ended_lease_in_the_loaded_store__goes_to_the_history_at_start),
        cmocka_unit_test(test_lease_ended_while_the_save_fails__no_line_until_it_is_true),
        cmocka_unit_test(test_denied__nothing_free__counted_on_both_axes),
        cmocka_unit_test(test_claims__rolled_back__the_slot_is_free_for_who_asks_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
