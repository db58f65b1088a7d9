#include <assert.h>
#include <string.h>

#include "alloc_index.h"
#include "hydra/base/arena.h"

#define CHANGES_FIRST 64

static uint64_t change_hash(enum rec_kind kind, const char *key)
{
    return index_hash(key) + (uint64_t)kind * UINT64_C(0x9e3779b97f4a7c15);
}

static bool change_is(const struct rec_change *change, enum rec_kind kind, const char *key)
{
    return change->kind == kind && strcmp(change->key, key) == 0;
}

size_t change_find(const struct change_index *index, const struct rec_change *changes, size_t count, enum rec_kind kind, const char *key)
{
    if (index->size == 0)
        return SIZE_MAX;
    size_t mask = index->size - 1;
    for (size_t k = change_hash(kind, key) & mask; index->at[k] != 0; k = (k + 1) & mask) {
        size_t position = index->at[k] - 1;
        if (position < count && change_is(&changes[position], kind, key))
            return position;
    }
    return SIZE_MAX;
}

void change_add(struct change_index *index, const struct rec_change *changes, size_t position)
{
    size_t mask = index->size - 1, k = change_hash(changes[position].kind, changes[position].key) & mask;
    while (index->at[k] != 0)
        k = (k + 1) & mask;
    index->at[k] = (uint32_t)position + 1;
    index->used++;
}

enum hc_err change_reserve(struct change_index *index, const struct rec_change *changes, size_t count, size_t more)
{
    if (index->size >= CHANGES_FIRST && (index->used + more) * 2 <= index->size)
        return HC_OK;
    /* `used` also counts stale entries (the engine empties its list by itself): a new table has the living alone. */
    struct change_index made = { .size = CHANGES_FIRST };
    while ((count + more) * 2 > made.size)
        made.size *= 2;
    made.size *= 2;
    made.at = hc_alloc(made.size * sizeof made.at[0]);
    if (made.at == NULL)
        return HC_ERR_NOMEM;
    for (size_t i = 0; i < count; i++)
        change_add(&made, changes, i);
    hc_free(index->at);
    *index = made;
    return HC_OK;
}

void change_clear(struct change_index *index)
{
    if (index->used > 0)
        memset(index->at, 0, index->size * sizeof index->at[0]);
    index->used = 0;
}

void change_free(struct change_index *index)
{
    hc_free(index->at);
    *index = (struct change_index){ 0 };
}
