/* The rows say what the records say, whatever happens to the tables; and who searches by rows finds what a search by records finds. */
#include "asks.h"

#include <stdio.h>
#include <string.h>

#include "hydra/base/arena.h"
#include "../../../src/core/alloc_index.h"
#include "../../../src/core/core.h"

#define KEYS   24
#define ROUNDS 4000

static uint32_t drawn;                      /* of this file's own generator, started anew by each test */
static uint32_t draw(uint32_t below)
{
    drawn = drawn * 1664525u + 1013904223u;
    return (drawn >> 8) % below;
}

static void key_of(uint32_t number, char out[HC_ID_SIZE])
{
    (void)snprintf(out, HC_ID_SIZE, "node-%02u", number);
}

static void assert_rows_are_true(const struct alloc *alloc)
{
    const struct roster_row *rows = roster_rows(alloc);
    assert_non_null(rows);
    for (size_t i = 0; i < alloc_count(alloc, REC_BODY); i++) {
        const struct body_rec *body = (const struct body_rec *)alloc_at(alloc, REC_BODY, i);
        const struct node_rec *node = alloc_node(alloc, body->rec.key);
        bool open = false;
        for (uint32_t slot = 0; slot < body->slot_count; slot++)
            open = open || (!slot_gone(body, slot) && slot_live_lease(&body->slots[slot]) == NULL);
        assert_true(rows[i].body == body->rec.hash && rows[i].open == open && rows[i].known == (node != NULL));
        if (node != NULL)
            assert_true(rows[i].district == roster_name(node->district) && rows[i].venue == roster_name(node->venue));
    }
}

/* Within a step nothing that the step changed is excluded by its row. */
static void assert_changed_rows_are_stale(const struct alloc *alloc)
{
    const struct roster_row *rows = roster_rows(alloc);
    assert_non_null(rows);
    for (size_t i = 0; i < alloc_count(alloc, REC_BODY); i++)
        for (size_t k = 0; k < alloc->step_count; k++) {
            bool concerns = alloc->step_changes[k].kind == REC_BODY || alloc->step_changes[k].kind == REC_NODE;
            if (concerns && strcmp(alloc->step_changes[k].key, alloc_at(alloc, REC_BODY, i)->key) == 0)
                assert_false(rows[i].known);
        }
}

static void change_one(struct alloc *alloc)
{
    char key[HC_ID_SIZE];
    key_of(draw(KEYS), key);
    enum rec_kind kind = draw(2) == 0 ? REC_BODY : REC_NODE;
    struct rec *rec = alloc_get(alloc, kind, key) == NULL ? alloc_create(alloc, kind, key) : alloc_edit(alloc, kind, key);
    assert_non_null(rec);
    if (draw(5) == 0) {
        assert_int_equal(alloc_remove(alloc, kind, key), HC_OK);
    } else if (kind == REC_NODE) {
        (void)snprintf(((struct node_rec *)rec)->district, HC_NAME_SIZE, "d%u", draw(3));
        (void)snprintf(((struct node_rec *)rec)->venue, HC_NAME_SIZE, "v%u", draw(3));
    } else {
        struct body_rec *body = (struct body_rec *)rec;
        if (body->slots == NULL) {
            body->slots = hc_alloc(2 * sizeof body->slots[0]);
            body->slot_count = 2;
        }
        assert_non_null(body->slots);
        body->slots_total = draw(3);
    }
}

static void test_roster__random_steps_undone_or_not__rows_are_true(void **state)
{
    struct fleet *f = *state;
    drawn = 7;
    for (unsigned round = 0; round < ROUNDS; round++) {
        bool changed;
        alloc_begin_step(f->alloc);
        for (uint32_t n = draw(4); n > 0; n--)
            change_one(f->alloc);
        assert_changed_rows_are_stale(f->alloc);
        if (draw(3) == 0)
            alloc_undo_step(f->alloc);
        else
            assert_int_equal(alloc_end_step(f->alloc, &changed), HC_OK);
        assert_rows_are_true(f->alloc);
    }
}

static void test_roster__versions_put_back__rows_are_true(void **state)
{
    struct fleet *f = *state;
    struct alloc *base;
    drawn = 11;
    bool changed;
    for (unsigned round = 0; round < ROUNDS / 40; round++) {
        assert_int_equal(alloc_snapshot(f->alloc, &base), HC_OK);
        alloc_begin_step(f->alloc);
        for (unsigned n = 0; n < 6; n++)
            change_one(f->alloc);
        assert_int_equal(alloc_end_step(f->alloc, &changed), HC_OK);
        for (uint32_t number = 0; number < KEYS; number++)
            for (enum rec_kind kind = REC_BODY; kind <= REC_NODE; kind += REC_NODE - REC_BODY) {
                char key[HC_ID_SIZE];
                key_of(number, key);
                if (draw(2) == 0)
                    assert_int_equal(alloc_put(f->alloc, kind, key, (struct rec *)alloc_get(base, kind, key)), HC_OK);
                assert_rows_are_true(f->alloc);
            }
        alloc_free(base);
    }
}

/* The search for all candidates reads no rows. */
static void assert_same_best(struct fleet *f, const char *head_id, const char *prefer)
{
    struct core_view v = fleet_view(f);
    struct seeker who = { .head_id = head_id, .experience = FLEET_EXPERIENCE, .ticket_id = "", .protocol = 2, .created_at = f->now };
    struct hc_arena arena = { 0 };
    struct candidate *best, *all;
    size_t count, all_count, first = 0;
    assert_int_equal(candidates(&v, &who, prefer, false, &arena, &best, &count), HC_OK);
    assert_int_equal(candidates(&v, &who, prefer, true, &arena, &all, &all_count), HC_OK);
    while (first < all_count && (all[first].why_not & ~(uint32_t)WHY_NOT_DEMOTED) != 0)
        first++;
    assert_int_equal(count, first < all_count ? 1 : 0);
    if (count > 0)
        assert_true(best[0].body == all[first].body && best[0].slot == all[first].slot);
    hc_arena_free(&arena);
}

static void test_roster__fleet_of_all_kinds__finds_what_the_records_say(void **state)
{
    struct fleet *f = *state;
    static const char *const venues[] = { "north", "south" };
    drawn = 3;
    for (uint32_t i = 0; i < FLEET_BODIES_MAX; i++) {
        char id[HC_ID_SIZE];
        key_of(i, id);
        fleet_body(f, id, venues[draw(2)]);
        (void)fleet_report(f, id);
    }
    for (uint32_t i = 0; i < 12; i++) {
        char head_id[HC_ID_SIZE], prefer[HC_ID_SIZE], attempt[HC_ID_SIZE], body_id[HC_ID_SIZE];
        (void)snprintf(head_id, sizeof head_id, "head-%u", i);
        (void)snprintf(attempt, sizeof attempt, "a%u", i);
        key_of(draw(FLEET_BODIES_MAX), prefer);
        key_of(draw(FLEET_BODIES_MAX), body_id);
        fleet_head(f, head_id, venues[draw(2)], "hydraheadipad");
        observed_memory(f->obs, edit_report(f, body_id), draw(3) * 24576);
        edit_body(f, prefer)->slots[0].silent_until = hc_time_add(f->now, draw(2) * 60000);
        edit_done(f);
        assert_same_best(f, head_id, NULL);
        assert_same_best(f, head_id, prefer);
        (void)fleet_claim(f, head_id, attempt, FLEET_EXPERIENCE);
        assert_same_best(f, head_id, NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLEET_TEST(test_roster__random_steps_undone_or_not__rows_are_true),
        FLEET_TEST(test_roster__versions_put_back__rows_are_true),
        FLEET_TEST(test_roster__fleet_of_all_kinds__finds_what_the_records_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
