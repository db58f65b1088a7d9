#include <assert.h>
#include <string.h>

#include "hydra/base/arena.h"
#include "record_version.h"

#define TABLE_FIRST 16

static uint64_t home_of(uint64_t hash)
{
    return hash ^ (hash >> 29);           /* FNV's low bits alone spread short ids badly */
}

size_t rec_table_find(const struct rec_table *table, const char *key, bool *ret_found)
{
    size_t low = 0, high = table->count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        int order = strcmp(table->at[mid]->key, key);
        if (order == 0) {
            *ret_found = true;
            return mid;
        }
        if (order < 0)
            low = mid + 1;
        else
            high = mid;
    }
    *ret_found = false;
    return low;
}

/* The place of that key, or the free one where it would stand. `hash` is as rec_new() makes it. */
static size_t place_of(const struct rec_table *table, uint64_t hash, const char *key)
{
    size_t mask = table->place_count - 1, k = home_of(hash) & mask;
    while (table->places[k].rec != NULL && (table->places[k].hash != hash || strcmp(table->places[k].rec->key, key) != 0))
        k = (k + 1) & mask;
    return k;
}

struct rec *rec_table_get(const struct rec_table *table, const char *key)
{
    return table->count == 0 ? NULL : table->places[place_of(table, hc_fnv1a64(HC_FNV1A64_START, key), key)].rec;
}

struct rec *rec_table_like(const struct rec_table *table, const struct rec *like)
{
    return table->count == 0 ? NULL : table->places[place_of(table, like->hash, like->key)].rec;
}

static void place_add(struct rec_place *places, size_t count, struct rec *rec)
{
    size_t k = home_of(rec->hash) & (count - 1);
    while (places[k].rec != NULL)
        k = (k + 1) & (count - 1);
    places[k] = (struct rec_place){ rec->hash, rec };
}

static void place_drop(struct rec_table *table, const struct rec *rec)
{
    size_t mask = table->place_count - 1, hole = place_of(table, rec->hash, rec->key);
    for (size_t k = (hole + 1) & mask; table->places[k].rec != NULL; k = (k + 1) & mask) {
        size_t home = home_of(table->places[k].hash) & mask;
        if (((k - home) & mask) < ((k - hole) & mask))
            continue;                     /* it stands between its home and itself behind the hole: moving it would hide it */
        table->places[hole] = table->places[k];
        hole = k;
    }
    table->places[hole].rec = NULL;
}

static enum hc_err places_reserve(struct rec_table *table, size_t records)
{
    size_t count = table->place_count == 0 ? 2 * TABLE_FIRST : table->place_count;
    while (count < 2 * records)
        count *= 2;
    if (count == table->place_count)
        return HC_OK;
    struct rec_place *places = hc_alloc(count * sizeof places[0]);
    if (places == NULL)
        return HC_ERR_NOMEM;
    for (size_t i = 0; i < table->count; i++)
        place_add(places, count, table->at[i]);
    hc_free(table->places);
    table->places = places;
    table->place_count = count;
    return HC_OK;
}

enum hc_err rec_table_reserve(struct rec_table *table, size_t more)
{
    if (table->size - table->count >= more)
        return HC_OK;                     /* both grow together */
    size_t size = table->size == 0 ? TABLE_FIRST : table->size * 2;
    while (size - table->count < more)
        size *= 2;
    enum hc_err err = places_reserve(table, size);
    struct rec **at = err == HC_OK ? hc_realloc(table->at, size * sizeof at[0]) : NULL;
    if (at == NULL)
        return HC_ERR_NOMEM;
    table->at = at;
    table->size = size;
    return HC_OK;
}

void rec_table_set(struct rec_table *table, size_t position, struct rec *rec)
{
    assert(position < table->count);
    table->places[place_of(table, rec->hash, rec->key)].rec = rec;
    table->at[position] = rec;
}

enum hc_err rec_table_insert(struct rec_table *table, struct rec *rec)
{
    enum hc_err err = rec_table_reserve(table, 1);
    if (err != HC_OK)
        return err;
    bool found;
    /* Loads and enrolments mostly append: look at the end first. */
    size_t i = table->count;
    if (i > 0 && strcmp(table->at[i - 1]->key, rec->key) >= 0) {
        i = rec_table_find(table, rec->key, &found);
        assert(!found);
    }
    memmove(&table->at[i + 1], &table->at[i], (table->count - i) * sizeof table->at[0]);
    table->at[i] = rec;
    table->count++;
    place_add(table->places, table->place_count, rec);
    return HC_OK;
}

struct rec *rec_table_take(struct rec_table *table, const char *key)
{
    bool found;
    size_t i = rec_table_find(table, key, &found);
    if (!found)
        return NULL;
    struct rec *rec = table->at[i];
    place_drop(table, rec);
    table->count--;
    memmove(&table->at[i], &table->at[i + 1], (table->count - i) * sizeof table->at[0]);
    return rec;
}

enum hc_err rec_table_share(const struct rec_table *from, struct rec_table *to)
{
    if (from->count == 0)
        return HC_OK;
    struct rec **at = hc_alloc(from->size * sizeof at[0]);
    struct rec_place *places = hc_alloc(from->place_count * sizeof places[0]);
    if (at == NULL || places == NULL) {
        hc_free(at);
        hc_free(places);
        return HC_ERR_NOMEM;
    }
    for (size_t i = 0; i < from->count; i++)
        at[i] = rec_ref(from->at[i]);
    memcpy(places, from->places, from->place_count * sizeof places[0]);
    *to = (struct rec_table){ .at = at, .count = from->count, .size = from->size, .places = places, .place_count = from->place_count };
    return HC_OK;
}

void rec_table_free(struct rec_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        rec_unref(table->at[i]);
    hc_free(table->at);
    hc_free(table->places);
    *table = (struct rec_table){ 0 };
}
