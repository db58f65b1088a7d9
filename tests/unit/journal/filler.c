#include "filler.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "hydra/base/id.h"

#define ITEMS 3

struct seal some_seal(void)
{
    struct seal seal = { .nonce = { 1, 2, 3 } };
    const uint8_t secret[32] = { 7 };
    seal_key(secret, seal.key);
    return seal;
}

static uint64_t next(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 33;
}

static void make_text(uint64_t *seed, char *out, size_t size)
{
    static const char letters[] = "abc-\"\\ \n\x01xyz0123456789.;\xc3\xa9";
    size_t len = 1 + next(seed) % (size - 1 < 40 ? size - 1 : 40);
    for (size_t i = 0; i < len; i++)
        out[i] = letters[next(seed) % (sizeof letters - 3)];
    out[len] = '\0';
}

static void *memory(struct hc_arena *arena, size_t size)
{
    void *got = arena == NULL ? hc_alloc(size) : hc_arena_alloc(arena, size);
    assert_non_null(got);
    return got;
}

static const char *heap_text(uint64_t *seed, struct hc_arena *arena)
{
    char *text = memory(arena, 41);
    make_text(seed, text, 41);
    return text;
}

static void fill_items(const struct journal_field *field, char *object, uint64_t *seed, struct hc_arena *arena)
{
    size_t count = field->type == J_INLINE ? field->size : ITEMS;
    char *items = object + field->offset;
    if (field->type == J_ARRAY) {
        items = memory(arena, count * field->sub->size);
        memcpy(object + field->offset, &items, sizeof items);
    }
    if (field->count_at != J_NO_COUNT)
        memcpy(object + field->count_at, &count, sizeof count);
    for (size_t i = 0; i < count; i++)
        fill_object(field->sub, items + i * field->sub->size, next(seed), arena);
}

static void fill_pointer(const struct journal_field *field, char *at, char *object, uint64_t *seed, struct hc_arena *arena)
{
    const void *pointer = NULL;
    const size_t count = ITEMS;
    char texts[ITEMS][41];
    const char *items[ITEMS];
    struct paired_client clients[ITEMS];
    memset(clients, 0, sizeof clients);
    for (size_t i = 0; i < ITEMS; i++) {
        make_text(seed, texts[i], sizeof texts[i]);
        items[i] = texts[i];
        HC_SET(clients[i].uuid, texts[i]);
        clients[i].first_seen.ms = (int64_t)next(seed);
    }
    if (field->type == J_TEXT) {
        pointer = next(seed) % 4 == 0 ? NULL : heap_text(seed, arena);
    } else if (field->type == J_COUNTED_TEXT) {
        pointer = text_new(texts[0], strlen(texts[0]));
    } else if (field->type == J_STRINGS) {
        pointer = strings_new(items, ITEMS);
    } else if (field->type == J_PAIRED) {
        pointer = paired_new(clients, ITEMS);
    } else {
        const char **list = memory(arena, ITEMS * sizeof list[0]);
        for (size_t i = 0; i < ITEMS; i++)
            list[i] = heap_text(seed, arena);
        memcpy(object + field->count_at, &count, sizeof count);
        pointer = list;
    }
    memcpy(at, &pointer, sizeof pointer);
}

static void fill_rare(const struct journal_field *field, char *at, uint64_t *seed, struct hc_arena *arena)
{
    struct node_rare *rare = hc_alloc(sizeof *rare);
    assert_non_null(rare);
    rare->refs = 1;
    fill_object(field->sub, rare, next(seed), arena);
    memcpy(at, &rare, sizeof rare);
}

static void fill_number(const struct journal_field *field, char *at, uint64_t *seed)
{
    int64_t value = (int64_t)(1 + next(seed));
    if (field->type == J_I32 || field->type == J_I64)
        value = -value;
    if (field->type == J_BOOL)
        value = 1;
    if (field->type == J_WORD)
        value = (int64_t)(next(seed) % (field->words == NULL ? 3 : field->words->count));
    if (field->type == J_I32)
        value = -(int64_t)(1 + next(seed) % INT32_MAX);
    memcpy(at, &value, field_span(field));
}

void fill_object(const struct journal_table *table, void *object, uint64_t seed, struct hc_arena *arena)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct journal_field *field = &table->fields[i];
        char *at = (char *)object + field->offset;
        switch (field->type) {
        case J_CHARS:
            make_text(&seed, at, field->size);
            break;
        case J_PART:
            fill_object(field->sub, at, next(&seed), arena);
            break;
        case J_INLINE: case J_ARRAY:
            fill_items(field, object, &seed, arena);
            break;
        case J_RARE:
            fill_rare(field, at, &seed, arena);
            break;
        case J_TEXT: case J_COUNTED_TEXT: case J_LIST: case J_STRINGS: case J_PAIRED:
            fill_pointer(field, at, object, &seed, arena);
            break;
        case J_BOOL: case J_U32: case J_I32: case J_U64: case J_I64: case J_TIME: case J_WORD:
            fill_number(field, at, &seed);
            break;
        }
    }
}
