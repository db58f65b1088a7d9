#include "sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static const char *const state_texts[] = { "", "idle", "busy" };
static const struct hc_words state_words = { state_texts, 3 };

static const struct codec_field part_rows[] = {
    { "id", CODEC_ID, offsetof(struct sample_part, id), 0, CODEC_OMIT_EMPTY, NULL, NULL, 0, 0 },
    { "state", CODEC_WORD, offsetof(struct sample_part, state), 0, CODEC_OMIT_EMPTY, NULL, &state_words, 0, 0 },
    { "numbers", CODEC_U64S, offsetof(struct sample_part, numbers), SAMPLE_LIST_MAX, CODEC_OMIT_EMPTY, NULL, NULL, 0, 0 },
};
const struct codec_table sample_part_table = CODEC_TABLE("part", part_rows, struct sample_part, offsetof(struct sample_part, present));

#define AT(field) offsetof(struct sample, field)
static const struct codec_field rows[] = {
    { "label", CODEC_STR, AT(label), SAMPLE_LABEL_MAX, 0, NULL, NULL, 0, 0 },
    { "id", CODEC_ID, AT(id), 0, CODEC_REQUIRED, NULL, NULL, 0, 0 },
    { "other_id", CODEC_ID, AT(other_id), 0, CODEC_EMPTY_OK | CODEC_NULL_EMPTY, NULL, NULL, 0, 0 },
    { "name", CODEC_NAME, AT(name), 0, 0, NULL, NULL, 0, 0 },
    { "note", CODEC_TEXT, AT(note), SAMPLE_NOTE_MAX, 0, NULL, NULL, 0, 0 },
    { "on", CODEC_BOOL, AT(on), 0, 0, NULL, NULL, 0, 0 },
    { "small", CODEC_U32, AT(small), SAMPLE_SMALL_MAX, 0, NULL, NULL, 0, 0 },
    { "big", CODEC_U64, AT(big), SAMPLE_BIG_MAX, 0, NULL, NULL, 0, 0 },
    { "delta", CODEC_I64, AT(delta), SAMPLE_DELTA_MAX, 0, NULL, NULL, 0, 0 },
    { "state", CODEC_WORD, AT(state), 0, 0, NULL, &state_words, 0, 0 },
    { "at", CODEC_TIME, AT(at), 0, 0, NULL, NULL, 0, 0 },
    { "age_seconds", CODEC_SECONDS, AT(age_ms), SAMPLE_AGE_MAX_S, 0, NULL, NULL, 0, 0 },
    { "wait", CODEC_DURATION, AT(wait_ms), SAMPLE_WAIT_MAX_MS, 0, NULL, NULL, 0, 0 },
    { "part", CODEC_OBJECT, AT(part), 0, 0, &sample_part_table, NULL, 0, 0 },
    { "maybe", CODEC_OBJECT, AT(maybe), 0, CODEC_NULLABLE_OBJECT, &sample_part_table, NULL, 0, AT(has_maybe) },
    { "parts", CODEC_LIST, AT(parts), SAMPLE_LIST_MAX, 0, &sample_part_table, NULL, 0, 0 },
    { "names", CODEC_STRS, AT(names), SAMPLE_LIST_MAX, 0, NULL, NULL, SAMPLE_ITEM_MAX, 0 },
    { "ids", CODEC_STRS, AT(ids), SAMPLE_LIST_MAX, CODEC_ID_ITEMS, NULL, NULL, HC_ID_MAX, 0 },
    { "numbers", CODEC_U64S, AT(numbers), SAMPLE_LIST_MAX, 0, NULL, NULL, 0, 0 },
    { "raw", CODEC_RAW, AT(raw), SAMPLE_RAW_MAX, 0, NULL, NULL, 0, 0 },
};
#define ROWS (sizeof rows / sizeof rows[0])
const struct codec_table sample_json = { "sample", rows, ROWS, sizeof(struct sample), AT(present) };
const struct codec_table sample_yaml = { "sample", rows, ROWS - 1, sizeof(struct sample), AT(present) };

void sample_fill(struct sample *sample)
{
    static uint64_t numbers[] = { 0, 7, (UINT64_C(1) << 53) - 1 };
    static const char *names[] = { "yes", "Zürich", "a, b]" };
    static const char *ids[] = { "node-1", "1e3" };
    static struct sample_part parts[] = {
        { .present = 7, .id = "p0", .state = SAMPLE_IDLE, .numbers = { numbers, 2 } },
        { .present = 0 },
        { .present = 1, .id = "null" },
    };
    *sample = (struct sample){
        .present = (UINT64_C(1) << ROWS) - 1, .label = "\"\\ {x}:#", .id = "2026-01-01", .other_id = "true", .name = "漢字 of Paris",
        .note = "two\nlines\tand \xc2\x85 \xe2\x80\xa8 \xef\xbb\xbf end ", .on = true,
        .small = SAMPLE_SMALL_MAX, .big = (UINT64_C(1) << 53) - 1,
        .delta = -SAMPLE_DELTA_MAX, .state = SAMPLE_BUSY, .at = { 1757068931042 }, .age_ms = 90000, .wait_ms = 5400000,
        .part = { .present = 3, .id = "p", .state = SAMPLE_BUSY }, .maybe = { .present = 2, .state = SAMPLE_IDLE }, .has_maybe = true,
        .parts = { parts, 3 }, .names = { names, 3 }, .ids = { ids, 2 }, .numbers = { numbers, 3 },
        .raw = "{\"a\":[1,null,\"x\"]}",
    };
}

static void assert_same_numbers(const struct codec_list *a, const struct codec_list *b)
{
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++)
        assert_true(((const uint64_t *)a->items)[i] == ((const uint64_t *)b->items)[i]);
}

static void assert_same_texts(const struct codec_list *a, const struct codec_list *b)
{
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++)
        assert_string_equal(((const char *const *)a->items)[i], ((const char *const *)b->items)[i]);
}

static void assert_same_part(const struct sample_part *a, const struct sample_part *b)
{
    assert_true(a->present == b->present);
    assert_string_equal(a->id, b->id);
    assert_int_equal(a->state, b->state);
    assert_same_numbers(&a->numbers, &b->numbers);
}

static void assert_same_text(const char *a, const char *b)
{
    assert_int_equal(a == NULL, b == NULL);
    if (a != NULL)
        assert_string_equal(a, b);
}

void assert_same_sample(const struct sample *a, const struct sample *b)
{
    assert_true(a->present == b->present);
    assert_string_equal(a->label, b->label);
    assert_string_equal(a->id, b->id);
    assert_string_equal(a->other_id, b->other_id);
    assert_string_equal(a->name, b->name);
    assert_same_text(a->note, b->note);
    assert_int_equal(a->on, b->on);
    assert_int_equal(a->small, b->small);
    assert_true(a->big == b->big);
    assert_true(a->delta == b->delta);
    assert_int_equal(a->state, b->state);
    assert_true(a->at.ms == b->at.ms);
    assert_true(a->age_ms == b->age_ms);
    assert_true(a->wait_ms == b->wait_ms);
    assert_same_part(&a->part, &b->part);
    assert_int_equal(a->has_maybe, b->has_maybe);
    assert_same_part(&a->maybe, &b->maybe);
    assert_int_equal(a->parts.count, b->parts.count);
    for (size_t i = 0; i < a->parts.count; i++)
        assert_same_part((const struct sample_part *)a->parts.items + i, (const struct sample_part *)b->parts.items + i);
    assert_same_texts(&a->names, &b->names);
    assert_same_texts(&a->ids, &b->ids);
    assert_same_numbers(&a->numbers, &b->numbers);
    assert_same_text(a->raw, b->raw);
}
