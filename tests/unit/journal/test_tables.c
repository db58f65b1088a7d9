/* test_tables.c - nothing that a decision depends on, or that it makes, is without a row: who adds a member, a record or an event is told
 * its name here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "filler.h"

static void cover(unsigned char *covered, const struct journal_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct journal_field *field = &table->fields[i];
        memset(covered + field->offset, 1, field_span(field));
        if (field->type == J_ARRAY || field->type == J_LIST || (field->type == J_INLINE && field->count_at != J_NO_COUNT))
            memset(covered + field->count_at, 1, sizeof(size_t));
    }
}

/* Alignment leaves at most seven bytes between members, and a member begins where its alignment says: a longer gap is a member. */
static void check_covered(const struct journal_table *table)
{
    unsigned char *covered = calloc(1, table->size + 1);
    assert_non_null(covered);
    cover(covered, table);
    size_t gap = 0;
    for (size_t at = table->begin; at < table->size; at++) {
        gap = covered[at] ? 0 : gap + 1;
        if (gap > 7)
            fail_msg("%s: the member around byte %zu has no row in src/journal", table->name, at);
    }
    free(covered);
    for (size_t i = 0; i < table->count; i++)
        if (table->fields[i].sub != NULL && !table->fields[i].sub->bare)
            check_covered(table->fields[i].sub);
}

static void test_tables__records__each_kind_has_one_that_covers_it(void **state)
{
    (void)state;
    for (int kind = 0; kind < REC_KINDS; kind++) {
        if (record_rows[kind].table == NULL)
            fail_msg("record kind %d (enum rec_kind) has no table in src/journal; the one before it is %s", kind,
                     kind == 0 || record_rows[kind - 1].name == NULL ? "none" : record_rows[kind - 1].name);
        check_covered(record_rows[kind].table);
        assert_int_equal(record_kind_find(record_rows[kind].name), kind);
    }
    check_covered(&observed_table);
    assert_int_equal(record_kind_find("nothing"), -1);
}

static void test_tables__events__each_type_has_one_that_covers_it(void **state)
{
    (void)state;
    for (int type = 0; type < CORE_EVENT_TYPES; type++) {
        const char *name = core_event_name((enum core_event_type)type);
        if (event_rows[type].table == NULL)
            fail_msg("the event %s has no table in src/journal/event_tables.c", name);
        check_covered(event_rows[type].table);
        assert_int_equal(event_type_find(name), type);
    }
    assert_int_equal(event_type_find("nothing"), -1);
}

static void test_tables__result_and_notes__covered(void **state)
{
    (void)state;
    check_covered(&result_table);
    check_covered(&note_table);
    check_covered(&decision_table);
}

static void check_round(const struct journal_table *table, uint64_t seed)
{
    struct hc_arena arena = { 0 };
    struct seal seal = some_seal();
    struct hc_buf text = { 0 }, again = { 0 };
    char *from = calloc(1, table->size + 8), *to = calloc(1, table->size + 8), path[FIELD_PATH_MAX];
    struct hc_diag diag = { "" };
    fill_object(table, from, seed, &arena);
    seal_line(&seal, seed);
    table_write(table, from, &seal, &text);
    assert_false(text.failed);
    seal_line(&seal, seed);
    struct text_in in = { .at = text.data, .end = text.data + text.len, .arena = &arena, .seal = &seal, .diag = &diag };
    if (table_read(table, &in, to) != HC_OK)
        fail_msg("%s: %s: %s", table->name, diag.text, text.data);
    assert_ptr_equal(in.at, in.end);
    if (table_differ(table, from, to, path))
        fail_msg("%s: %s", table->name, path);
    assert_true(table_digest(DIGEST_START, table, from) == table_digest(DIGEST_START, table, to));
    seal_line(&seal, seed);
    table_write(table, to, &seal, &again);
    assert_string_equal(text.data, again.data);
    hc_buf_free(&text);
    hc_buf_free(&again);
    free(from);
    free(to);
    hc_arena_free(&arena);
}

static void test_tables__every_event__written_and_read_is_the_same(void **state)
{
    (void)state;
    for (int type = 0; type < CORE_EVENT_TYPES; type++)
        for (uint64_t seed = 1; seed <= 20; seed++)
            check_round(event_rows[type].table, seed);
}

/* Records own what they point to: they are made and freed as the core does it. */
static void test_tables__every_record__written_and_read_is_the_same(void **state)
{
    (void)state;
    for (int kind = 0; kind < REC_KINDS; kind++)
        for (uint64_t seed = 1; seed <= 10; seed++) {
            struct seal seal = some_seal();
            struct hc_buf text = { 0 };
            struct hc_diag diag = { "" };
            char path[FIELD_PATH_MAX];
            const struct journal_table *table = record_rows[kind].table;
            struct rec *from = rec_new((enum rec_kind)kind, "k"), *to = rec_new((enum rec_kind)kind, "k");
            assert_true(from != NULL && to != NULL);
            fill_object(table, from, seed, NULL);
            table_write(table, from, &seal, &text);
            seal_line(&seal, 0);
            struct text_in in = { .at = text.data, .end = text.data + text.len, .seal = &seal, .diag = &diag };
            if (table_read(table, &in, to) != HC_OK)
                fail_msg("%s: %s", record_rows[kind].name, diag.text);
            if (table_differ(table, from, to, path))
                fail_msg("%s: %s", record_rows[kind].name, path);
            hc_buf_free(&text);
            rec_unref(from);
            rec_unref(to);
        }
}

static void test_tables__every_field__changes_the_digest_and_is_named(void **state)
{
    (void)state;
    for (int type = 0; type < CORE_EVENT_TYPES; type++) {
        const struct journal_table *table = event_rows[type].table;
        for (size_t i = 0; i < table->count; i++) {
            struct hc_arena arena = { 0 };
            char path[FIELD_PATH_MAX];
            const struct journal_table one = { .name = "", .fields = &table->fields[i], .count = 1, .size = table->size };
            char *a = calloc(1, table->size), *b = calloc(1, table->size);
            fill_object(&one, a, 7, &arena);
            for (uint64_t seed = 8; seed < 40 && !table_differ(table, a, b, path); seed++)
                fill_object(&one, a, seed, &arena);
            if (!table_differ(table, a, b, path) || strncmp(path, table->fields[i].key, strlen(table->fields[i].key)) != 0)
                fail_msg("%s.%s: a difference is not seen, or told as %s", table->name, table->fields[i].key, path);
            assert_true(table_digest(DIGEST_START, table, a) != table_digest(DIGEST_START, table, b));
            free(a);
            free(b);
            hc_arena_free(&arena);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables__records__each_kind_has_one_that_covers_it),
        cmocka_unit_test(test_tables__events__each_type_has_one_that_covers_it),
        cmocka_unit_test(test_tables__result_and_notes__covered),
        cmocka_unit_test(test_tables__every_event__written_and_read_is_the_same),
        cmocka_unit_test(test_tables__every_record__written_and_read_is_the_same),
        cmocka_unit_test(test_tables__every_field__changes_the_digest_and_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
