#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "folder.h"
#include "hydra/base/arena.h"
#include "hydra/store/store.h"
#include "sanitizer.h"
#include "states.h"

#define STATES      60       /* random ones */
#define MUTATIONS   (UNDER_SANITIZER ? 1000 : 4000)
#define CUT_STEP    (UNDER_SANITIZER ? 7 : 1)       /* bytes from one cut to the next, allocations from one that fails to the next */
static const hc_time saved = { 1757000123456 };

static struct alloc *fresh(void)
{
    struct alloc *alloc;
    assert_int_equal(alloc_new(NULL, &alloc), HC_OK);
    return alloc;
}

static struct hc_buf allocation_text(const struct alloc *alloc, uint64_t generation)
{
    struct hc_buf out = { 0 };
    assert_int_equal(store_format_allocation(alloc, generation, saved, &out), HC_OK);
    return out;
}

static struct hc_buf nodes_text(const struct alloc *alloc, uint64_t generation)
{
    struct hc_buf out = { 0 };
    assert_int_equal(store_format_nodes(alloc, generation, &out), HC_OK);
    return out;
}

static void test_format__random_states__read_back_the_same(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= STATES; seed++) {
        struct alloc *from = random_state(seed, 1 + (unsigned)(seed % 12)), *to = fresh();
        struct hc_buf allocation = allocation_text(from, seed), nodes = nodes_text(from, 2 * seed);
        struct hc_diag diag = { "" };
        hc_time saved_at = HC_TIME_NEVER;
        bool downgrade = true;
        if (store_parse_nodes("nodes.yaml", nodes.data, nodes.len, to, &downgrade, &diag) != HC_OK)
            fail_msg("seed %d: %s", (int)seed, diag.text);
        if (store_parse_allocation("allocation.yaml", allocation.data, allocation.len, to, &saved_at, &diag) != HC_OK)
            fail_msg("seed %d: %s", (int)seed, diag.text);
        assert_int_equal(saved_at.ms, saved.ms);
        assert_false(downgrade);
        assert_int_equal(to->generation, seed);
        assert_int_equal(to->nodes_generation, 2 * seed);
        const char *differs = states_differ(from, to, true, true);
        if (differs != NULL)
            fail_msg("seed %d: %s", (int)seed, differs);
        hc_buf_free(&allocation);
        hc_buf_free(&nodes);
        alloc_free(from);
        alloc_free(to);
    }
}

/* A record that gained a member needs a row for it here and in src/store: what has no row is forgotten at the next start. */
static void test_records__members__all_have_a_row(void **state)
{
    (void)state;
    static const struct { size_t size, known; } members[] = {
        { sizeof(struct lease), 952 },
        { sizeof(struct ghost), 648 },
        { sizeof(struct slot) - SLOT_GHOSTS_MAX * sizeof(struct ghost), 312 },
        { sizeof(struct circuit) - CIRCUIT_FAILURES_MAX * sizeof(struct circuit_failure), 104 },
        { sizeof(struct circuit_failure), 80 },
        { sizeof(struct body_rec) - sizeof(struct circuit) - sizeof(struct xr_session) -
          EVICTIONS_KEPT * sizeof(struct eviction) - sizeof(struct rec), 264 },
        { sizeof(struct eviction), 208 },
        { sizeof(struct paired_client), 208 },
        { sizeof(struct op_rec) - sizeof(struct rec), 576 },
        { sizeof(struct xr_session), 512 },
        { sizeof(struct stream_rec) - sizeof(struct rec), 1280 },
        { sizeof(struct ticket_rec) - sizeof(struct rec), 656 },
        { sizeof(struct district_rec) - sizeof(struct rec), 56 },
        { sizeof(struct identity_rec) - sizeof(struct rec), 216 },
        { sizeof(struct attempt), 216 },
        { sizeof(struct node_rec) - sizeof(struct rec), 1192 },
        { sizeof(struct node_rare), 1704 },
        { sizeof(struct venue_rec) - sizeof(struct rec), 264 },
        { sizeof(struct experience_rec) - sizeof(struct rec), 208 },
    };
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        if (members[i].size != members[i].known)
            fail_msg("row %zu: the struct has %zu bytes, its rows were made for %zu", i, members[i].size, members[i].known);
}

typedef enum hc_err parse_fn(const char *text, size_t len, struct alloc *into, struct hc_diag *diag);
static enum hc_err parse_a(const char *text, size_t len, struct alloc *into, struct hc_diag *diag)
{
    hc_time saved_at = HC_TIME_NEVER;
    enum hc_err err = store_parse_allocation("a.yaml", text, len, into, &saved_at, diag);
    return err == HC_OK && saved_at.ms != saved.ms ? HC_ERR_STATE : err;      /* HC_ERR_STATE: it was read as something else */
}
static enum hc_err parse_n(const char *text, size_t len, struct alloc *into, struct hc_diag *diag)
{
    bool downgrade;
    return store_parse_nodes("n.yaml", text, len, into, &downgrade, diag);
}

/* Refused with its place, or the same as `whole`. */
static void check_damaged(parse_fn *parse, const struct alloc *whole, const char *text, size_t len, const char *what, size_t where)
{
    struct alloc *into = fresh();
    struct hc_diag diag = { "" };
    char *copy = malloc(len == 0 ? 1 : len);         /* of this size exactly: the sanitizers see a read behind it */
    assert_non_null(copy);
    memcpy(copy, text, len);
    enum hc_err err = parse(copy, len, into, &diag);
    free(copy);
    if (err == HC_OK) {
        const char *differs = states_differ(whole, into, parse == parse_a, parse == parse_n);
        if (differs != NULL || into->generation != whole->generation)
            fail_msg("%s at %zu: loads different: %s", what, where, differs == NULL ? "generation" : differs);
    } else if ((err != HC_ERR_SCHEMA && err != HC_ERR_SYNTAX) || strchr(diag.text, ':') == NULL) {
        fail_msg("%s at %zu: error %d, \"%s\"", what, where, (int)err, diag.text);
    }
    alloc_free(into);
}

static void check_every_deletion_and_truncation(parse_fn *parse, const struct alloc *whole, const struct hc_buf *text)
{
    char *damaged = malloc(text->len);
    assert_non_null(damaged);
    for (size_t start = 0, end; start < text->len; start = end) {
        const char *line_end = memchr(text->data + start, '\n', text->len - start);
        assert_non_null(line_end);
        end = (size_t)(line_end - text->data) + 1;
        memcpy(damaged, text->data, start);
        memcpy(damaged + start, text->data + end, text->len - end);
        check_damaged(parse, whole, damaged, text->len - (end - start), "without the line", start);
    }
    for (size_t len = 0; len < text->len; len += CUT_STEP)
        check_damaged(parse, whole, text->data, len, "cut", len);
    free(damaged);
}

static void test_allocation__any_line_lost_or_cut_anywhere__never_loads_different(void **state)
{
    (void)state;
    struct alloc *whole = random_state(77, 2);
    whole->generation = 12;
    struct hc_buf text = allocation_text(whole, 12);
    check_every_deletion_and_truncation(parse_a, whole, &text);
    hc_buf_free(&text);
    alloc_free(whole);
}

static void test_nodes__any_line_lost_or_cut_anywhere__never_loads_different(void **state)
{
    (void)state;
    struct alloc *whole = random_state(78, 3);
    /* Without its schema_version it is an older binary's file, whose XR sessions are not ours to read. */
    for (size_t i = 0; i < alloc_count(whole, REC_NODE); i++)
        assert_int_equal(node_set_xr((struct node_rec *)alloc_at(whole, REC_NODE, i), &(struct xr_session){ 0 }), HC_OK);
    struct hc_buf text = nodes_text(whole, 12);
    check_every_deletion_and_truncation(parse_n, whole, &text);
    hc_buf_free(&text);
    alloc_free(whole);
}

/* Bytes changed, moved, doubled: whatever comes of it is refused with a place or is a state that can be written and read again. */
static void test_parse__mutated_files__refused_or_a_state(void **state)
{
    (void)state;
    struct dice dice = { 4711 };
    struct alloc *whole = random_state(5, 1);
    struct hc_buf texts[2] = { allocation_text(whole, 3), nodes_text(whole, 3) };
    static const char bytes[] = "\n :-#\"'[]{}&*!|>%@`,?0129az\t\\\x80\xff";
    unsigned loaded = 0;
    for (unsigned i = 0; i < MUTATIONS; i++) {
        const struct hc_buf *text = &texts[i % 2];
        char *copy = malloc(text->len);
        assert_non_null(copy);
        memcpy(copy, text->data, text->len);
        for (uint32_t n = 1 + dice_below(&dice, 3); n > 0; n--) {
            size_t at = dice_below(&dice, (uint32_t)text->len), from = dice_below(&dice, (uint32_t)text->len);
            size_t room = text->len - (at > from ? at : from), len = 1 + dice_below(&dice, 40);
            if (dice_below(&dice, 2) == 0)
                copy[at] = bytes[dice_below(&dice, sizeof bytes - 1)];
            else
                memmove(copy + at, copy + from, len < room ? len : room);
        }
        struct alloc *into = fresh();
        struct hc_diag diag = { "" };
        enum hc_err err = i % 2 == 0 ? parse_a(copy, text->len, into, &diag) : parse_n(copy, text->len, into, &diag);
        if (err == HC_OK || err == HC_ERR_STATE) {
            struct hc_buf again = i % 2 == 0 ? allocation_text(into, 3) : nodes_text(into, 3);
            struct alloc *back = fresh();
            err = i % 2 == 0 ? parse_a(again.data, again.len, back, &diag) : parse_n(again.data, again.len, back, &diag);
            assert_int_equal(err, HC_OK);
            assert_null(states_differ(into, back, true, true));
            loaded++;
            hc_buf_free(&again);
            alloc_free(back);
        } else {
            assert_true(err == HC_ERR_SCHEMA || err == HC_ERR_SYNTAX);
            assert_int_equal(strncmp(diag.text, i % 2 == 0 ? "a.yaml:" : "n.yaml:", 7), 0);
        }
        alloc_free(into);
        free(copy);
    }
    assert_true(loaded > 0);
    hc_buf_free(&texts[0]);
    hc_buf_free(&texts[1]);
    alloc_free(whole);
}

static void test_parse__memory_fails_at_any_point__is_said(void **state)
{
    (void)state;
    struct alloc *whole = random_state(9, 3);
    struct hc_buf text = allocation_text(whole, 3);
    enum hc_err err = HC_ERR_NOMEM;
    unsigned n = 0;
    while (err != HC_OK && n < 100000) {
        struct alloc *into = fresh();
        struct hc_diag diag = { "" };
        hc_alloc_fail_after(n += CUT_STEP);
        err = parse_a(text.data, text.len, into, &diag);
        hc_alloc_fail_after(0);
        assert_true(err == HC_OK || err == HC_ERR_NOMEM);
        assert_true(err == HC_OK || diag.text[0] != '\0');
        alloc_free(into);
    }
    assert_int_equal(err, HC_OK);
    hc_buf_free(&text);
    for (err = HC_ERR_NOMEM, n = 0; err != HC_OK && n < 100000;) {
        struct hc_buf out = { 0 };
        hc_alloc_fail_after(n += CUT_STEP);
        err = store_format_allocation(whole, 3, saved, &out);
        hc_alloc_fail_after(0);
        assert_true(err == HC_OK || err == HC_ERR_NOMEM);
        hc_buf_free(&out);
    }
    assert_int_equal(err, HC_OK);
    alloc_free(whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_format__random_states__read_back_the_same),
        cmocka_unit_test(test_records__members__all_have_a_row),
        cmocka_unit_test(test_allocation__any_line_lost_or_cut_anywhere__never_loads_different),
        cmocka_unit_test(test_nodes__any_line_lost_or_cut_anywhere__never_loads_different),
        cmocka_unit_test(test_parse__mutated_files__refused_or_a_state),
        cmocka_unit_test(test_parse__memory_fails_at_any_point__is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
