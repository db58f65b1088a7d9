/* Another process wrote the files (rules §3.3): load, merge, run again in order, save; at most five times. */
#include <stdio.h>
#include <string.h>

#include "hydra/base/arena.h"
#include "rig.h"

static struct alloc *foreign_state(const struct core_config *core)
{
    struct alloc *alloc;
    struct venue_rec *venue = (struct venue_rec *)rec_new(REC_VENUE, "theirs");
    assert_non_null(venue);
    assert_int_equal(alloc_new(core, &alloc), HC_OK);
    assert_int_equal(alloc_put(alloc, REC_VENUE, "theirs", &venue->rec), HC_OK);
    rec_unref(&venue->rec);
    put_node(alloc, "node-theirs", ROLE_HEAD, "hash-theirs");
    return alloc;
}

static struct engine_health health_of(struct rig *rig)
{
    struct engine_health health;
    engine_health(rig->engine, &health);
    return health;
}

static void script_foreign(struct rig *rig, unsigned times)
{
    for (unsigned i = 0; i < times; i++)
        fake_script(&rig->store, SAVE_NOT_WRITTEN, SAVE_FOREIGN);
}

static void test_foreign__waiting_operations__run_again_in_order_with_their_seeds(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    rig.store.foreign = foreign_state;
    struct ask ours, enrol, venue, reader;
    ask_venue(&rig, &ours, "ours");
    RIG_UNTIL(&rig, ours.calls == 1);
    fake_hang(&rig.store, true);
    ask_enrol(&rig, &enrol, "visitor", "hash-1");
    rig_until_hanging(&rig);
    ask_venue(&rig, &venue, "gent");
    ask_nothing(&rig, &reader);
    char id[HC_ID_SIZE];
    HC_SET(id, enrol.op.result.id);
    hc_time first_now = enrol.op.ev.now;
    script_foreign(&rig, 1);
    rig_clock_offset_ms = 5000;
    fake_hang(&rig.store, false);
    RIG_UNTIL(&rig, rig.answered == 4);
    assert_int_equal(enrol.outcome, ENGINE_DURABLE);
    assert_int_equal(enrol.order, 2);
    assert_int_equal(venue.order, 3);
    assert_int_equal(reader.order, 4);
    assert_string_equal(enrol.id, id);            /* the same seed */
    assert_true(hc_time_since(enrol.op.ev.now, first_now) >= 5000);      /* a fresh now */
    assert_int_equal(fake_loads(&rig.store), 1);
    assert_true(committed_has(&rig, REC_NODE, id));
    assert_true(committed_has(&rig, REC_VENUE, "gent"));
    assert_true(committed_has(&rig, REC_VENUE, "theirs"));
    assert_false(committed_has(&rig, REC_VENUE, "ours"));      /* a setting: theirs stand */
    RIG_UNTIL(&rig, rig_events(&rig, NOTE_GENERATION_CONFLICT) == 1);
    assert_true(health_of(&rig).store_ok);
    assert_true(health_of(&rig).generation > 100);
    char node_id[HC_ID_SIZE];
    enum approval approval;
    uint32_t roles;
    assert_true(engine_node_by_token(rig.engine, "hash-theirs", node_id, &approval, &roles));
    assert_string_equal(node_id, "node-theirs");
    rig_close(&rig);
}

static void test_foreign__twice_in_a_row__merged_twice_and_answered_once(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    rig.store.foreign = foreign_state;
    struct ask venue;
    script_foreign(&rig, 2);
    rig.store.script_at = 0;
    ask_venue(&rig, &venue, "gent");
    RIG_UNTIL(&rig, venue.calls == 1);
    assert_int_equal(venue.outcome, ENGINE_DURABLE);
    assert_int_equal(fake_loads(&rig.store), 2);
    rig_turn(&rig);
    assert_int_equal(venue.calls, 1);
    assert_int_equal(rig_events(&rig, NOTE_GENERATION_CONFLICT), 1);
    rig_close(&rig);
}

static void test_foreign__more_than_five_times__unavailable_then_again_each_second(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    rig.store.foreign = foreign_state;
    struct ask venue, later;
    script_foreign(&rig, 6);
    ask_venue(&rig, &venue, "gent");
    RIG_UNTIL(&rig, venue.calls == 1);
    assert_int_equal(venue.outcome, ENGINE_UNAVAILABLE);
    assert_int_equal(fake_loads(&rig.store), 5);
    assert_false(health_of(&rig).store_ok);
    RIG_UNTIL(&rig, health_of(&rig).store_ok);
    assert_true(committed_has(&rig, REC_VENUE, "theirs"));
    ask_venue(&rig, &later, "later");
    RIG_UNTIL(&rig, later.calls == 1);
    assert_int_equal(later.outcome, ENGINE_DURABLE);
    rig_close(&rig);
}

static void test_foreign__refused_by_load__down_with_its_place_and_read_again(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    rig.store.load_err = HC_ERR_SCHEMA;
    rig.store.load_diag = "allocation.yaml:3:7: bodys: unknown key";
    struct ask venue, refused, later;
    script_foreign(&rig, 3);
    ask_venue(&rig, &venue, "gent");
    RIG_UNTIL(&rig, venue.calls == 1);
    assert_int_equal(venue.outcome, ENGINE_UNAVAILABLE);
    assert_string_equal(health_of(&rig).store_detail, rig.store.load_diag);
    assert_false(health_of(&rig).store_ok);
    ask_venue(&rig, &refused, "refused");
    assert_int_equal(refused.deny, DENY_STORE);
    RIG_UNTIL(&rig, fake_loads(&rig.store) == 2);
    (void)pthread_mutex_lock(&rig.store.mutex);
    rig.store.foreign = foreign_state;            /* the operator has put it right */
    (void)pthread_mutex_unlock(&rig.store.mutex);
    RIG_UNTIL(&rig, health_of(&rig).store_ok);
    assert_true(committed_has(&rig, REC_VENUE, "theirs"));
    assert_false(committed_has(&rig, REC_VENUE, "gent"));
    ask_venue(&rig, &later, "later");
    RIG_UNTIL(&rig, later.calls == 1);
    assert_int_equal(later.outcome, ENGINE_DURABLE);
    rig_close(&rig);
}

static void test_foreign__merged_but_the_save_fails__merge_stays_and_is_saved_later(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig);
    rig.store.foreign = foreign_state;
    struct ask venue;
    script_foreign(&rig, 1);
    fake_script(&rig.store, SAVE_NOT_WRITTEN, SAVE_NOT_WRITTEN);
    ask_venue(&rig, &venue, "gent");
    RIG_UNTIL(&rig, venue.calls == 1);
    assert_int_equal(venue.outcome, ENGINE_UNAVAILABLE);
    assert_false(committed_has(&rig, REC_VENUE, "theirs"));      /* not proven: it does not leave */
    RIG_UNTIL(&rig, health_of(&rig).store_ok);
    assert_true(committed_has(&rig, REC_VENUE, "theirs"));
    assert_false(committed_has(&rig, REC_VENUE, "gent"));        /* rolled back to the merged state */
    assert_int_equal(fake_loads(&rig.store), 1);
    rig_close(&rig);
}

/* The n-th allocation of the merge fails. Most only slow a lookup down; returns whether this one broke the merge. */
static bool merge_with_failure(unsigned n)
{
    struct rig rig;
    rig_open(&rig);
    rig.store.foreign = foreign_state;
    struct ask venue;
    script_foreign(&rig, 2);
    fake_hang(&rig.store, true);
    ask_venue(&rig, &venue, "gent");
    rig_until_hanging(&rig);
    fake_hang(&rig.store, false);
    int64_t end_ms = rig_ms() + RIG_WAIT_MS;
    while (rig.answered == 0 && rig_ms() < end_ms) {
        hc_alloc_fail_after(n);
        engine_dispatch(rig.engine);
        hc_alloc_fail_after(0);
    }
    assert_int_equal(venue.calls, 1);
    bool broke = venue.outcome != ENGINE_DURABLE;
    if (broke) {
        assert_int_equal(venue.outcome, ENGINE_UNAVAILABLE);
        assert_false(health_of(&rig).store_ok);
        RIG_UNTIL(&rig, health_of(&rig).store_ok);
        assert_int_equal(fake_loads(&rig.store), 2);
        assert_false(committed_has(&rig, REC_VENUE, "gent"));
    }
    assert_true(committed_has(&rig, REC_VENUE, "theirs"));
    rig_close(&rig);
    return broke;
}

static void test_foreign__no_memory_to_merge__down_then_loaded_again(void **state)
{
    (void)state;
    bool broke = false;
    for (unsigned n = 1; n <= 20 && !broke; n++)
        broke = merge_with_failure(n);
    assert_true(broke);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_foreign__waiting_operations__run_again_in_order_with_their_seeds),
        cmocka_unit_test(test_foreign__twice_in_a_row__merged_twice_and_answered_once),
        cmocka_unit_test(test_foreign__more_than_five_times__unavailable_then_again_each_second),
        cmocka_unit_test(test_foreign__refused_by_load__down_with_its_place_and_read_again),
        cmocka_unit_test(test_foreign__merged_but_the_save_fails__merge_stays_and_is_saved_later),
        cmocka_unit_test(test_foreign__no_memory_to_merge__down_then_loaded_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
