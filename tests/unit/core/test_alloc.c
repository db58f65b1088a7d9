#include <stdio.h>
#include <string.h>

#include "fixture.h"
#include "hydra/core/observed.h"

static const struct core_config config;

struct state { struct alloc *alloc; };

static int setup(void **state)
{
    struct state *st = hc_alloc(sizeof *st);
    assert_int_equal(alloc_new(&config, &st->alloc), HC_OK);
    *state = st;
    return 0;
}

static int teardown(void **state)
{
    struct state *st = *state;
    hc_alloc_fail_after(0);
    alloc_free(st->alloc);
    hc_free(st);
    return 0;
}

static bool end(struct alloc *alloc)
{
    bool changed;
    assert_int_equal(alloc_end_step(alloc, &changed), HC_OK);
    return changed;
}

static struct body_rec *make_body(struct alloc *alloc, const char *id, size_t slots)
{
    struct body_rec *body = (struct body_rec *)alloc_create(alloc, REC_BODY, id);
    if (body == NULL)
        return NULL;
    body->slots = hc_alloc(slots * sizeof body->slots[0]);
    if (body->slots == NULL)
        return NULL;
    body->slot_count = slots;
    for (size_t i = 0; i < slots; i++)
        body->slots[i].index = (uint32_t)i;
    return body;
}

static bool give_lease(struct body_rec *body, size_t slot, const char *lease_id, const char *head_id, enum lease_state state)
{
    struct slot *at = &body->slots[slot];
    struct lease *leases = hc_realloc(at->leases, (at->lease_count + 1) * sizeof leases[0]);
    if (leases == NULL)
        return false;
    at->leases = leases;
    leases[at->lease_count] = (struct lease){ .state = state };
    HC_SET(leases[at->lease_count].id, lease_id);
    HC_SET(leases[at->lease_count].head_id, head_id);
    at->lease_count++;
    return true;
}

static void test_edit__of_a_committed_record__leaves_the_old_version_alone(void **state)
{
    struct alloc *alloc = ((struct state *)*state)->alloc, *snapshot;
    alloc_begin_step(alloc);
    struct body_rec *body = make_body(alloc, "b1", 2);
    assert_true(give_lease(body, 1, "l1", "h1", LEASE_HELD));
    assert_true(end(alloc));
    assert_int_equal(alloc_snapshot(alloc, &snapshot), HC_OK);

    alloc_begin_step(alloc);
    struct body_rec *edit = (struct body_rec *)alloc_edit(alloc, REC_BODY, "b1");
    assert_ptr_equal(alloc_edit(alloc, REC_BODY, "b1"), edit);       /* once per step and record */
    edit->slots[1].leases[0].state = LEASE_STREAMING;
    edit->slots[1].epoch = 9;
    assert_true(end(alloc));

    assert_int_equal(alloc_body(snapshot, "b1")->slots[1].epoch, 0);
    assert_int_equal(alloc_lease(snapshot, "l1", NULL, NULL)->state, LEASE_HELD);
    assert_int_equal(alloc_lease(alloc, "l1", NULL, NULL)->state, LEASE_STREAMING);
    alloc_free(snapshot);
}

static void test_undo__of_edit_create_and_remove__restores_everything(void **state)
{
    struct alloc *alloc = ((struct state *)*state)->alloc;
    alloc_begin_step(alloc);
    assert_true(give_lease(make_body(alloc, "b1", 1), 0, "l1", "h1", LEASE_HELD));
    make_body(alloc, "b2", 1);
    (void)end(alloc);
    const struct rec *b1 = alloc_get(alloc, REC_BODY, "b1"), *b2 = alloc_get(alloc, REC_BODY, "b2");

    alloc_begin_step(alloc);
    ((struct body_rec *)alloc_edit(alloc, REC_BODY, "b1"))->slots[0].leases[0].state = LEASE_ENDED;
    assert_int_equal(alloc_remove(alloc, REC_BODY, "b2"), HC_OK);
    make_body(alloc, "b2", 3);                                       /* removed and made again in one step */
    make_body(alloc, "b0", 1);
    assert_int_equal(alloc_remove(alloc, REC_BODY, "b0"), HC_OK);
    make_body(alloc, "b3", 1);
    assert_null(alloc_head_lease(alloc, "h1"));
    alloc_undo_step(alloc);

    assert_int_equal(alloc_count(alloc, REC_BODY), 2);
    assert_ptr_equal(alloc_get(alloc, REC_BODY, "b1"), b1);
    assert_ptr_equal(alloc_get(alloc, REC_BODY, "b2"), b2);
    assert_string_equal(alloc_head_lease(alloc, "h1"), "l1");
    alloc_begin_step(alloc);
    assert_false(end(alloc));
}

static void test_dirty__same_record_in_many_steps__is_listed_once_until_the_cut(void **state)
{
    struct alloc *alloc = ((struct state *)*state)->alloc;
    for (int i = 0; i < 3; i++) {
        alloc_begin_step(alloc);
        if (i == 0)
            make_body(alloc, "b1", 1);
        else
            assert_non_null(alloc_edit(alloc, REC_BODY, "b1"));
        (void)end(alloc);
    }
    assert_int_equal(alloc->dirty_count, 1);
    alloc->dirty_count = 0;                                          /* an engine may empty the list by hand */
    for (int i = 0; i < 300; i++) {
        char key[16];
        (void)snprintf(key, sizeof key, "s%d", i % 100);
        assert_int_equal(alloc_mark_dirty(alloc, REC_STREAM, key), HC_OK);
    }
    assert_int_equal(alloc->dirty_count, 100);
    alloc_clear_dirty(alloc);
    assert_int_equal(alloc_mark_dirty(alloc, REC_STREAM, "s5"), HC_OK);
    assert_int_equal(alloc_mark_dirty(alloc, REC_STREAM, "s5"), HC_OK);
    assert_int_equal(alloc->dirty_count, 1);
}

static void test_tables__made_in_any_order__iterate_in_key_order(void **state)
{
    struct alloc *alloc = ((struct state *)*state)->alloc;
    alloc_begin_step(alloc);
    for (unsigned i = 0; i < 500; i++) {
        char key[16];
        (void)snprintf(key, sizeof key, "k%03u", i * 271 % 500);
        assert_non_null(alloc_create(alloc, REC_STREAM, key));
    }
    (void)end(alloc);
    assert_int_equal(alloc_count(alloc, REC_STREAM), 500);
    for (size_t i = 1; i < 500; i++)
        assert_true(strcmp(alloc_at(alloc, REC_STREAM, i - 1)->key, alloc_at(alloc, REC_STREAM, i)->key) < 0);
    assert_null(alloc_get(alloc, REC_STREAM, "k500"));
    assert_null(alloc_edit(alloc, REC_STREAM, "absent"));
    assert_int_equal(alloc_remove(alloc, REC_STREAM, "absent"), HC_OK);
}

/* The index within a step, and between steps, says what a walk over all leases would. */
static void test_index__random_leases_come_and_go__always_equals_a_walk(void **state)
{
    struct alloc *alloc = ((struct state *)*state)->alloc;
    uint32_t random = 1;
    unsigned made = 0;
    alloc_begin_step(alloc);
    for (char b = 'a'; b <= 'h'; b++)
        make_body(alloc, (char[]){ b, '\0' }, 2);
    (void)end(alloc);
    for (int round = 0; round < 400; round++) {
        alloc_begin_step(alloc);
        for (int n = 0; n < 3; n++) {
            random = random * 1664525u + 1013904223u;
            char body_id[] = { (char)('a' + (random >> 8) % 8), '\0' }, lease_id[16], head_id[16];
            struct body_rec *body = (struct body_rec *)alloc_edit(alloc, REC_BODY, body_id);
            size_t slot = (random >> 16) % 2;
            if (slot_live_lease(&body->slots[slot]) != NULL) {
                body->slots[slot].leases[body->slots[slot].lease_count - 1].state = LEASE_ENDED;
                if ((random >> 20) % 2 == 0)
                    body->slots[slot].lease_count = 0;
                continue;
            }
            (void)snprintf(lease_id, sizeof lease_id, "l%u", made++);
            (void)snprintf(head_id, sizeof head_id, "h%u", (random >> 24) % 5);
            assert_true(give_lease(body, slot, lease_id, head_id, LEASE_HELD));
        }
        if (round % 3 == 0)
            alloc_undo_step(alloc);
        for (unsigned h = 0; h < 5; h++) {
            char head_id[16];
            (void)snprintf(head_id, sizeof head_id, "h%u", h);
            const char *found[32];
            size_t count = alloc_head_leases(alloc, head_id, found, 32), want = 0;
            for (size_t b = 0; b < alloc_count(alloc, REC_BODY); b++) {
                const struct body_rec *body = (const struct body_rec *)alloc_at(alloc, REC_BODY, b);
                for (size_t i = 0; i < 2; i++) {
                    const struct lease *lease = slot_live_lease(&body->slots[i]);
                    if (lease == NULL || strcmp(lease->head_id, head_id) != 0)
                        continue;
                    assert_true(want < count);
                    assert_string_equal(found[want++], lease->id);
                    assert_string_equal(alloc_lease_body(alloc, lease->id), body->rec.key);
                }
            }
            assert_int_equal(count, want);
            if (want > 0)
                assert_string_equal(alloc_head_lease(alloc, head_id), found[0]);
            else
                assert_null(alloc_head_lease(alloc, head_id));
        }
        if (round % 3 != 0)
            (void)end(alloc);
    }
    assert_true(made > 100);
    assert_null(alloc_lease_body(alloc, "l-none"));
    assert_null(alloc_lease_body(alloc, ""));
}

static void test_head_lease__draining_or_left_behind__is_not_the_heads_any_more(void **state)
{
    struct alloc *alloc = ((struct state *)*state)->alloc;
    alloc_begin_step(alloc);
    struct body_rec *body = make_body(alloc, "b1", 3);
    assert_true(give_lease(body, 0, "l1", "h1", LEASE_DRAINING));
    assert_true(give_lease(body, 1, "l2", "h1", LEASE_UNKNOWN));
    body->slots[1].leases[0].left_behind = true;
    assert_true(give_lease(body, 2, "l3", "h1", LEASE_ENDED));
    assert_null(alloc_head_lease(alloc, "h1"));
    const char *ids[4];
    assert_int_equal(alloc_head_leases(alloc, "h1", ids, 4), 2);
    assert_int_equal(alloc_head_leases(alloc, "h1", ids, 1), 1);
    (void)end(alloc);
    assert_null(alloc_head_lease(alloc, "h1"));
    assert_string_equal(alloc_lease_body(alloc, "l3"), "b1");
}

static void test_head_stream__ended_and_begun__follows_the_state(void **state)
{
    struct alloc *alloc = ((struct state *)*state)->alloc;
    alloc_begin_step(alloc);
    struct stream_rec *one = (struct stream_rec *)alloc_create(alloc, REC_STREAM, "str-1");
    HC_SET(one->head_id, "h1");
    assert_string_equal(alloc_head_stream(alloc, "h1"), "str-1");
    (void)end(alloc);
    alloc_begin_step(alloc);
    ((struct stream_rec *)alloc_edit(alloc, REC_STREAM, "str-1"))->state = STREAM_ENDED;
    assert_null(alloc_head_stream(alloc, "h1"));
    HC_SET(((struct stream_rec *)alloc_create(alloc, REC_STREAM, "str-2"))->head_id, "h1");
    (void)end(alloc);
    assert_string_equal(alloc_head_stream(alloc, "h1"), "str-2");
    assert_null(alloc_head_stream(alloc, ""));
}

static void test_ghost__of_a_lease_that_is_gone__still_names_its_body(void **state)
{
    struct alloc *alloc = ((struct state *)*state)->alloc;
    alloc_begin_step(alloc);
    struct body_rec *body = make_body(alloc, "b1", 1);
    body->slots[0].ghost_count = 1;
    HC_SET(body->slots[0].ghosts[0].lease_id, "l-old");
    assert_string_equal(alloc_lease_body(alloc, "l-old"), "b1");
    (void)end(alloc);
    assert_string_equal(alloc_lease_body(alloc, "l-old"), "b1");
    assert_null(alloc_lease(alloc, "l-old", NULL, NULL));
}

static void test_put__versions_from_outside_a_step__are_indexed_and_not_dirty(void **state)
{
    struct alloc *alloc = ((struct state *)*state)->alloc, *other;
    assert_int_equal(alloc_new(&config, &other), HC_OK);
    alloc_begin_step(alloc);
    assert_true(give_lease(make_body(alloc, "b1", 1), 0, "l1", "h1", LEASE_HELD));
    (void)end(alloc);
    struct rec *version = rec_ref(alloc->tables[REC_BODY].at[0]);
    assert_int_equal(alloc_put(other, REC_BODY, "b1", version), HC_OK);
    assert_int_equal(alloc_put(other, REC_BODY, "b1", version), HC_OK);      /* the same again */
    rec_unref(version);
    assert_string_equal(alloc_head_lease(other, "h1"), "l1");
    assert_int_equal(other->dirty_count, 0);
    assert_int_equal(alloc_put(other, REC_BODY, "b1", NULL), HC_OK);
    assert_int_equal(alloc_put(other, REC_BODY, "b1", NULL), HC_OK);
    assert_null(alloc_head_lease(other, "h1"));
    assert_string_equal(alloc_head_lease(alloc, "h1"), "l1");
    alloc_free(other);
}

/* One step with every kind of change; false: no memory, the step is undone. */
static bool try_step(struct alloc *alloc)
{
    bool changed = false;
    alloc_begin_step(alloc);
    struct body_rec *edit = (struct body_rec *)alloc_edit(alloc, REC_BODY, "b1");
    bool ok = edit != NULL;
    if (ok)
        edit->slots[0].leases[0].state = LEASE_ENDED;
    struct body_rec *made = ok ? make_body(alloc, "b2", 2) : NULL;
    ok = made != NULL && give_lease(made, 1, "l2", "h2", LEASE_GRANTED);
    ok = ok && alloc_remove(alloc, REC_DISTRICT, "d1") == HC_OK;
    ok = ok && alloc_end_step(alloc, &changed) == HC_OK;
    if (!ok)
        alloc_undo_step(alloc);
    return ok;
}

static void test_step__each_allocation_failing__is_whole_or_nothing(void **state)
{
    (void)state;
    unsigned failures = 0;
    for (bool done = false; !done; failures++) {
        struct alloc *alloc = NULL;
        assert_int_equal(alloc_new(&config, &alloc), HC_OK);
        alloc_begin_step(alloc);
        assert_true(give_lease(make_body(alloc, "b1", 1), 0, "l1", "h1", LEASE_HELD));
        struct district_rec *district = (struct district_rec *)alloc_create(alloc, REC_DISTRICT, "d1");
        district->awaited = hc_alloc(sizeof district->awaited[0]);
        HC_SET(district->awaited[0], "b1");
        district->awaited_count = 1;
        (void)end(alloc);
        alloc_clear_dirty(alloc);
        hc_alloc_fail_after(failures + 1);
        done = try_step(alloc);
        hc_alloc_fail_after(0);
        if (!done) {
            assert_int_equal(alloc_count(alloc, REC_BODY), 1);
            assert_int_equal(alloc->dirty_count, 0);
            assert_string_equal(alloc_district(alloc, "d1")->awaited[0], "b1");
            assert_string_equal(alloc_head_lease(alloc, "h1"), "l1");
        } else {
            assert_int_equal(alloc->dirty_count, 3);
            assert_null(alloc_head_lease(alloc, "h1"));
            assert_string_equal(alloc_head_lease(alloc, "h2"), "l2");
        }
        alloc_free(alloc);
    }
    assert_true(failures > 5);
}

static void test_snapshot__each_allocation_failing__leaves_counts_right(void **state)
{
    struct alloc *alloc = ((struct state *)*state)->alloc, *snapshot;
    alloc_begin_step(alloc);
    assert_true(give_lease(make_body(alloc, "b1", 1), 0, "l1", "h1", LEASE_HELD));
    assert_non_null(alloc_create(alloc, REC_STREAM, "str-1"));
    (void)end(alloc);
    enum hc_err err = HC_ERR_NOMEM;
    unsigned n = 0;
    while (err != HC_OK) {
        hc_alloc_fail_after(++n);
        err = alloc_snapshot(alloc, &snapshot);
    }
    hc_alloc_fail_after(1);                                          /* no memory for its index: lookups walk */
    assert_string_equal(alloc_head_lease(snapshot, "h1"), "l1");
    hc_alloc_fail_after(0);
    assert_string_equal(alloc_head_lease(snapshot, "h1"), "l1");
    assert_int_equal(alloc->tables[REC_BODY].at[0]->refs, 2);
    alloc_free(snapshot);
    assert_int_equal(alloc->tables[REC_BODY].at[0]->refs, 1);
    assert_true(n > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_edit__of_a_committed_record__leaves_the_old_version_alone, setup, teardown),
        cmocka_unit_test_setup_teardown(test_undo__of_edit_create_and_remove__restores_everything, setup, teardown),
        cmocka_unit_test_setup_teardown(test_dirty__same_record_in_many_steps__is_listed_once_until_the_cut, setup, teardown),
        cmocka_unit_test_setup_teardown(test_tables__made_in_any_order__iterate_in_key_order, setup, teardown),
        cmocka_unit_test_setup_teardown(test_index__random_leases_come_and_go__always_equals_a_walk, setup, teardown),
        cmocka_unit_test_setup_teardown(test_head_lease__draining_or_left_behind__is_not_the_heads_any_more, setup, teardown),
        cmocka_unit_test_setup_teardown(test_head_stream__ended_and_begun__follows_the_state, setup, teardown),
        cmocka_unit_test_setup_teardown(test_ghost__of_a_lease_that_is_gone__still_names_its_body, setup, teardown),
        cmocka_unit_test_setup_teardown(test_put__versions_from_outside_a_step__are_indexed_and_not_dirty, setup, teardown),
        cmocka_unit_test_setup_teardown(test_step__each_allocation_failing__is_whole_or_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(test_snapshot__each_allocation_failing__leaves_counts_right, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
