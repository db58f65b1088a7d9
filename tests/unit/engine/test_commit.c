/* Group commit: what shares a save, what waits, in which order, for how long. */
#include <stdio.h>
#include <string.h>

#include "rig.h"

#define FAST_MS  10         /* submits, views and health while a save hangs */
#define STOP_MS  30
#define SLOW_MAX 10         /* of 100 rounds: a busy machine may take the processor away now and then */

static void test_submit__change__answered_once_durable(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    fake_hang(&rig.store, true);
    struct ask ask;
    ask_venue(&rig, &ask, "gent");
    rig_until_hanging(&rig);
    rig_turn(&rig);
    assert_int_equal(ask.calls, 0);
    assert_false(committed_has(&rig, REC_VENUE, "gent"));
    fake_hang(&rig.store, false);
    RIG_UNTIL(&rig, ask.calls == 1);
    assert_int_equal(ask.outcome, ENGINE_DURABLE);
    assert_true(committed_has(&rig, REC_VENUE, "gent"));
    rig_close(&rig);
}

static void test_submit__nothing_changed_and_all_durable__answered_at_once(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    struct ask ask;
    ask_nothing(&rig, &ask);
    assert_int_equal(ask.calls, 1);
    assert_int_equal(ask.outcome, ENGINE_DURABLE);
    rig_close(&rig);
}

static void test_submit__nothing_changed_but_saw_unsaved__waits_for_it(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    fake_hang(&rig.store, true);
    struct ask change, reader;
    ask_venue(&rig, &change, "gent");
    ask_nothing(&rig, &reader);
    rig_until_hanging(&rig);
    rig_turn(&rig);
    assert_int_equal(reader.calls, 0);
    fake_hang(&rig.store, false);
    RIG_UNTIL(&rig, reader.calls == 1);
    assert_int_equal(change.order, 1);
    assert_int_equal(reader.order, 2);
    rig_close(&rig);
}

#define MANY 500
static void test_submit__many_while_a_save_runs__one_more_save_in_order(void **state)
{
    (void)state;
    static struct ask asks[MANY];
    static char names[MANY][32];
    struct rig rig;
    rig_open(&rig);
    unsigned before = fake_saves(&rig.store);
    fake_hang(&rig.store, true);
    struct ask first;
    ask_venue(&rig, &first, "first");
    rig_until_hanging(&rig);
    for (int i = 0; i < MANY; i++) {
        (void)snprintf(names[i], sizeof names[i], "venue-%d", i);
        ask_venue(&rig, &asks[i], names[i]);
    }
    fake_hang(&rig.store, false);
    RIG_UNTIL(&rig, rig.answered == MANY + 1);
    assert_int_equal(fake_saves(&rig.store), before + 2);
    assert_int_equal(first.order, 1);
    for (unsigned i = 0; i < MANY; i++) {
        assert_int_equal(asks[i].order, i + 2);
        assert_int_equal(asks[i].outcome, ENGINE_DURABLE);
        assert_int_equal(asks[i].calls, 1);
    }
    struct engine_health health;
    engine_health(rig.engine, &health);
    assert_int_equal(health.waiting, 0);
    assert_int_equal(health.generation, rig.store.generation);
    rig_close(&rig);
}

static void test_hang__submits_views_and_health__stay_fast(void **state)
{
    (void)state;
    static struct ask asks[100];
    static char names[100][32];
    struct rig rig;
    rig_open(&rig);
    fake_hang(&rig.store, true);
    struct ask first;
    ask_venue(&rig, &first, "first");
    rig_until_hanging(&rig);
    unsigned slow = 0;
    for (int i = 0; i < 100; i++) {
        int64_t began = rig_ms();
        (void)snprintf(names[i], sizeof names[i], "venue-%d", i);
        ask_venue(&rig, &asks[i], names[i]);
        struct engine_view view;
        assert_int_equal(engine_view_take(rig.engine, &view), HC_OK);
        engine_view_free(rig.engine, &view);
        struct engine_health health;
        engine_health(rig.engine, &health);
        assert_int_equal(health.waiting, i + 2);
        engine_dispatch(rig.engine);
        slow += rig_ms() - began >= FAST_MS;
    }
    assert_true(slow <= SLOW_MAX);
    assert_int_equal(rig.answered, 0);
    fake_hang(&rig.store, false);
    RIG_UNTIL(&rig, rig.answered == 101);
    rig_close(&rig);
}

static void test_hang__wait_is_over__late_and_the_change_still_comes(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    fake_hang(&rig.store, true);
    struct ask patient, hasty;
    ask_venue(&rig, &patient, "patient");
    ask_init(&rig, &hasty, CORE_VENUE_PUT);
    hasty.op.ev.u.venue.name = "hasty";
    hasty.op.wait_ms = 50;
    int64_t began = rig_ms();
    ask_send(&hasty);
    RIG_UNTIL(&rig, hasty.calls == 1);
    assert_int_equal(hasty.outcome, ENGINE_LATE);
    assert_true(rig_ms() - began >= 50 && rig_ms() - began < 1000);
    assert_int_equal(patient.calls, 0);
    fake_hang(&rig.store, false);
    RIG_UNTIL(&rig, patient.calls == 1);
    RIG_UNTIL(&rig, committed_has(&rig, REC_VENUE, "hasty"));
    assert_int_equal(hasty.calls, 1);
    rig_close(&rig);
}

static void test_forget__asker_gone__never_called_and_the_change_stays(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    fake_hang(&rig.store, true);
    struct ask before, gone, after;
    ask_venue(&rig, &before, "before");
    ask_venue(&rig, &gone, "gone");
    ask_venue(&rig, &after, "after");
    engine_forget(rig.engine, &gone.op);
    engine_forget(rig.engine, &gone.op);          /* twice does no harm */
    fake_hang(&rig.store, false);
    RIG_UNTIL(&rig, after.calls == 1);
    assert_int_equal(gone.calls, 0);
    assert_int_equal(before.calls, 1);
    assert_true(committed_has(&rig, REC_VENUE, "gone"));
    rig_close(&rig);
}

static struct ask *victim;
static void forget_victim(void *ctx, enum engine_outcome outcome, enum hc_err err, struct core_result *result)
{
    (void)outcome;
    (void)err;
    (void)result;
    engine_forget(((struct ask *)ctx)->rig->engine, &victim->op);
    ((struct ask *)ctx)->calls++;
}

static void test_forget__from_another_answer_of_the_same_group__not_called(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    fake_hang(&rig.store, true);
    struct ask killer, target;
    ask_init(&rig, &killer, CORE_VENUE_PUT);
    killer.op.ev.u.venue.name = "killer";
    killer.op.done = forget_victim;
    ask_send(&killer);
    victim = &target;
    ask_venue(&rig, &target, "target");
    fake_hang(&rig.store, false);
    RIG_UNTIL(&rig, killer.calls == 1 && committed_has(&rig, REC_VENUE, "target"));
    rig_turn(&rig);
    assert_int_equal(target.calls, 0);
    rig_close(&rig);
}

static void test_try__dry_run__answered_at_once_and_nothing_changes(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    unsigned saves = fake_saves(&rig.store);
    fake_hang(&rig.store, true);
    struct ask dry, change;
    ask_init(&rig, &dry, CORE_VENUE_PUT);
    dry.op.ev.u.venue.name = "dry";
    engine_try(rig.engine, &dry.op);
    assert_int_equal(dry.calls, 1);
    assert_int_equal(dry.outcome, ENGINE_DURABLE);
    ask_venue(&rig, &change, "wet");
    rig_until_hanging(&rig);
    ask_init(&rig, &dry, CORE_VENUE_PUT);
    dry.op.ev.u.venue.name = "dry";
    engine_try(rig.engine, &dry.op);              /* also while something waits */
    assert_int_equal(dry.calls, 1);
    fake_hang(&rig.store, false);
    RIG_UNTIL(&rig, change.calls == 1);
    assert_int_equal(fake_saves(&rig.store), saves + 1);
    assert_false(committed_has(&rig, REC_VENUE, "dry"));
    rig_close(&rig);
}

static void test_stop__operations_wait__all_are_told(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    fake_hang(&rig.store, true);
    struct ask saving, behind;
    ask_venue(&rig, &saving, "saving");
    rig_until_hanging(&rig);
    ask_venue(&rig, &behind, "behind");
    fake_hang(&rig.store, false);
    rig_close(&rig);
    assert_int_equal(saving.calls, 1);
    assert_int_equal(saving.outcome, ENGINE_DURABLE);
    assert_int_equal(behind.calls, 1);
    assert_true(behind.outcome == ENGINE_DURABLE || behind.outcome == ENGINE_UNAVAILABLE);
}

static void test_news__committed_changes__told_once_each_and_an_end(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    rig_turn(&rig);
    rig.news_len = 0;
    rig.news[0] = '\0';
    struct ask ask;
    ask_venue(&rig, &ask, "gent");
    RIG_UNTIL(&rig, ask.calls == 1 && rig.news_len > 0);
    char expected[64];
    (void)snprintf(expected, sizeof expected, "%d:gent end ", REC_VENUE);
    assert_string_equal(rig.news, expected);
    rig_close(&rig);
}

static void test_node_removed__allocation_is_saved_before_nodes(void **state)
{
    (void)state;
    struct rig rig;
    rig_make(&rig);
    struct alloc *loaded;
    assert_int_equal(alloc_new(&rig.core, &loaded), HC_OK);
    put_body(loaded, "b1");
    rig_start(&rig, loaded);
    rig.store.log_len = 0;
    struct ask ask;
    ask_init(&rig, &ask, CORE_NODE_DELETE);
    ask.op.ev.u.node_delete.node_id = "b1";
    ask_send(&ask);
    RIG_UNTIL(&rig, ask.calls == 1);
    assert_int_equal(ask.outcome, ENGINE_DURABLE);
    char expected[64];
    (void)snprintf(expected, sizeof expected, "-%d:b1 ; -%d:b1 ; ", REC_BODY, REC_NODE);
    assert_string_equal(rig.store.log, expected);
    rig_close(&rig);
}

static void test_metrics__group__counted(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    struct ask ask;
    ask_venue(&rig, &ask, "gent");
    RIG_UNTIL(&rig, ask.calls == 1);
    assert_int_equal(rig_count(&rig, "store_saves_total{outcome=\"durable\"}"), 2);
    assert_int_equal(rig_count(&rig, "store_save_group_size_count"), 1);
    assert_int_equal(rig_count(&rig, "store_save_seconds_count"), 2);
    assert_int_equal(rig_count(&rig, "store_up"), 1);
    assert_true(rig_count(&rig, "mutex_held_seconds_count") > 3);
    rig_close(&rig);
}

static void test_stop__node_seen_since_its_last_save__is_written(void **state)
{
    (void)state;
    struct rig rig;
    rig_make(&rig);
    struct alloc *loaded;
    assert_int_equal(alloc_new(&rig.core, &loaded), HC_OK);
    put_body(loaded, "b1");
    rig_start(&rig, loaded);
    rig_clock_offset_ms = 5000;                      /* not long enough for a tick to save it */
    struct ask ask;
    ask_init(&rig, &ask, CORE_SEEN);
    ask.op.ev.caller.kind = CALLER_NODE;
    HC_SET(ask.op.ev.caller.node_id, "b1");
    ask.op.ev.u.seen.node_id = "b1";
    ask_send(&ask);
    RIG_UNTIL(&rig, ask.calls == 1);
    rig_turn(&rig);
    rig.store.log_len = 0;
    rig.store.log[0] = '\0';
    assert_int_equal(engine_stop(rig.engine, RIG_WAIT_MS, NULL), HC_OK);
    rig.engine = NULL;
    char expected[32];
    (void)snprintf(expected, sizeof expected, "%d:b1 ", REC_NODE);
    assert_true(rig_saved(&rig, expected));
    rig_close(&rig);
}

static void test_stop__save_hangs__is_given_up_in_time_and_says_what_waits(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    fake_hang(&rig.store, true);
    struct ask first, second;
    ask_venue(&rig, &first, "gent");
    rig_until_hanging(&rig);
    ask_venue(&rig, &second, "brussel");
    struct hc_diag diag = { "" };
    int64_t begin_ms = rig_ms();
    assert_int_equal(engine_stop(rig.engine, STOP_MS, &diag), HC_ERR_TIMEOUT);
    assert_in_range(rig_ms() - begin_ms, STOP_MS, RIG_WAIT_MS / 2);
    assert_int_equal(first.outcome, ENGINE_UNAVAILABLE);
    assert_int_equal(second.outcome, ENGINE_UNAVAILABLE);
    assert_int_equal(first.calls + second.calls, 2);
    assert_non_null(strstr(diag.text, "a save of 1 records has not come back"));
    assert_non_null(strstr(diag.text, "1 changed records wait behind it"));
    fake_hang(&rig.store, false);                    /* asked again when the disk is back, it ends */
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_submit__change__answered_once_durable),
        cmocka_unit_test(test_submit__nothing_changed_and_all_durable__answered_at_once),
        cmocka_unit_test(test_submit__nothing_changed_but_saw_unsaved__waits_for_it),
        cmocka_unit_test(test_submit__many_while_a_save_runs__one_more_save_in_order),
        cmocka_unit_test(test_hang__submits_views_and_health__stay_fast),
        cmocka_unit_test(test_hang__wait_is_over__late_and_the_change_still_comes),
        cmocka_unit_test(test_forget__asker_gone__never_called_and_the_change_stays),
        cmocka_unit_test(test_forget__from_another_answer_of_the_same_group__not_called),
        cmocka_unit_test(test_try__dry_run__answered_at_once_and_nothing_changes),
        cmocka_unit_test(test_stop__operations_wait__all_are_told),
        cmocka_unit_test(test_stop__node_seen_since_its_last_save__is_written),
        cmocka_unit_test(test_stop__save_hangs__is_given_up_in_time_and_says_what_waits),
        cmocka_unit_test(test_news__committed_changes__told_once_each_and_an_end),
        cmocka_unit_test(test_node_removed__allocation_is_saved_before_nodes),
        cmocka_unit_test(test_metrics__group__counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
