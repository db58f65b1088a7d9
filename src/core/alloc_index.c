#include "alloc_index.h"

#include <assert.h>
#include <string.h>

#include "hydra/base/arena.h"

#define MAP_FIRST 64

uint64_t index_hash(const char *text)
{
    uint64_t hash = hc_fnv1a64(HC_FNV1A64_START, text);
    return hash ^ (hash >> 29);           /* FNV's low bits alone spread short ids badly */
}

static bool map_reserve(struct multimap *map, size_t more)
{
    if (map->size >= MAP_FIRST && (map->used + more) * 2 <= map->size)
        return true;
    size_t size = map->size == 0 ? MAP_FIRST : map->size;
    while ((map->used + more) * 2 > size)
        size *= 2;
    struct map_entry *at = hc_alloc(size * sizeof at[0]);
    if (at == NULL)
        return false;
    for (size_t i = 0; i < map->size; i++) {
        if (map->at[i].count == 0)
            continue;
        size_t k = map->at[i].hash & (size - 1);
        while (at[k].count != 0)
            k = (k + 1) & (size - 1);
        at[k] = map->at[i];
    }
    hc_free(map->at);
    map->at = at;
    map->size = size;
    return true;
}

static size_t map_find(const struct multimap *map, uint64_t hash, const char *key)
{
    size_t k = hash & (map->size - 1);
    while (map->at[k].count != 0 && (map->at[k].hash != hash || strcmp(map->at[k].key, key) != 0))
        k = (k + 1) & (map->size - 1);
    return k;
}

static bool map_add(struct multimap *map, const char *name, const char *key)
{
    if (!map_reserve(map, 1))
        return false;
    uint64_t hash = index_hash(name);
    struct map_entry *entry = &map->at[map_find(map, hash, key)];
    if (entry->count == 0) {
        entry->hash = hash;
        HC_SET(entry->key, key);
        map->used++;
    }
    entry->count++;
    return true;
}

static void map_drop(struct multimap *map, const char *name, const char *key)
{
    size_t mask = map->size - 1, hole = map_find(map, index_hash(name), key);
    assert(map->at[hole].count > 0);
    if (--map->at[hole].count > 0)
        return;
    map->used--;
    for (size_t k = (hole + 1) & mask; map->at[k].count != 0; k = (k + 1) & mask) {
        size_t home = map->at[k].hash & mask;
        if (((k - home) & mask) < ((k - hole) & mask))
            continue;                     /* it stands between its home and the hole's far side: moving it would hide it */
        map->at[hole] = map->at[k];
        map->at[k].count = 0;
        hole = k;
    }
}

static void map_free(struct multimap *map)
{
    hc_free(map->at);
    *map = (struct multimap){ 0 };
}

const char *index_next(const struct multimap *map, uint64_t hash, size_t *at)
{
    for (; *at < map->size; (*at)++) {
        const struct map_entry *entry = &map->at[(hash + *at) & (map->size - 1)];
        if (entry->count == 0)
            return NULL;
        if (entry->hash != hash)
            continue;
        (*at)++;
        return entry->key;
    }
    return NULL;
}

enum hc_err index_new(struct alloc_index **ret_index)
{
    *ret_index = hc_alloc(sizeof **ret_index);
    return *ret_index == NULL ? HC_ERR_NOMEM : HC_OK;
}

static void maps_drop(struct alloc_index *index)
{
    map_free(&index->leases);
    map_free(&index->heads);
    map_free(&index->streams);
    index->built = false;
}

void index_free(struct alloc_index *index)
{
    if (index == NULL)
        return;
    maps_drop(index);
    roster_drop(&index->roster);
    change_free(&index->step);
    hc_free(index);
}

static bool add_body(struct alloc_index *index, const struct body_rec *body)
{
    bool ok = true;
    for (size_t i = 0; i < body->slot_count && ok; i++) {
        const struct slot *slot = &body->slots[i];
        for (size_t k = 0; k < slot->lease_count && ok; k++) {
            const struct lease *lease = &slot->leases[k];
            ok = map_add(&index->leases, lease->id, body->rec.key);
            if (ok && !lease_is_terminal(lease->state) && lease->head_id[0] != '\0')
                ok = map_add(&index->heads, lease->head_id, body->rec.key);
        }
        for (size_t k = 0; k < slot->ghost_count && ok; k++)
            ok = map_add(&index->leases, slot->ghosts[k].lease_id, body->rec.key);
    }
    return ok;
}

static void drop_body(struct alloc_index *index, const struct body_rec *body)
{
    for (size_t i = 0; i < body->slot_count; i++) {
        const struct slot *slot = &body->slots[i];
        for (size_t k = 0; k < slot->lease_count; k++) {
            const struct lease *lease = &slot->leases[k];
            map_drop(&index->leases, lease->id, body->rec.key);
            if (!lease_is_terminal(lease->state) && lease->head_id[0] != '\0')
                map_drop(&index->heads, lease->head_id, body->rec.key);
        }
        for (size_t k = 0; k < slot->ghost_count; k++)
            map_drop(&index->leases, slot->ghosts[k].lease_id, body->rec.key);
    }
}

static bool add_record(struct alloc_index *index, enum rec_kind kind, const struct rec *rec)
{
    if (kind == REC_BODY)
        return add_body(index, (const struct body_rec *)rec);
    const struct stream_rec *stream = (const struct stream_rec *)rec;
    return stream->state == STREAM_ENDED || map_add(&index->streams, stream->head_id, stream->rec.key);
}

static void drop_record(struct alloc_index *index, enum rec_kind kind, const struct rec *rec)
{
    if (kind == REC_BODY) {
        drop_body(index, (const struct body_rec *)rec);
        return;
    }
    const struct stream_rec *stream = (const struct stream_rec *)rec;
    if (stream->state != STREAM_ENDED)
        map_drop(&index->streams, stream->head_id, stream->rec.key);
}

bool index_build(const struct alloc *alloc)
{
    static const enum rec_kind kinds[] = { REC_BODY, REC_STREAM };
    struct alloc_index *index = alloc->index;
    assert(!index->built);
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        const struct rec_table *table = &alloc->tables[kinds[k]];
        for (size_t i = 0; i < table->count; i++)
            if (!add_record(index, kinds[k], table->at[i])) {
                maps_drop(index);
                return false;
            }
    }
    /* Lookups mask with size - 1: also an empty map has a table. */
    if (!map_reserve(&index->leases, 1) || !map_reserve(&index->heads, 1) || !map_reserve(&index->streams, 1)) {
        maps_drop(index);
        return false;
    }
    index->built = true;
    return true;
}

void index_replace(struct alloc_index *index, enum rec_kind kind, const struct rec *old, const struct rec *now)
{
    if (!index->built || (kind != REC_BODY && kind != REC_STREAM))
        return;
    if (old != NULL)
        drop_record(index, kind, old);
    if (now != NULL && !add_record(index, kind, now))
        maps_drop(index);
}
