#include <assert.h>
#include <string.h>

#include "hydra/base/arena.h"
#include "record_version.h"

#define TABLE_FIRST 16

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

struct rec *rec_table_get(const struct rec_table *table, const char *key)
{
    bool found;
    size_t i = rec_table_find(table, key, &found);
    return found ? table->at[i] : NULL;
}

enum hc_err rec_table_reserve(struct rec_table *table, size_t more)
{
    if (table->size - table->count >= more)
        return HC_OK;
    size_t size = table->size == 0 ? TABLE_FIRST : table->size * 2;
    while (size - table->count < more)
        size *= 2;
    struct rec **at = hc_realloc(table->at, size * sizeof at[0]);
    if (at == NULL)
        return HC_ERR_NOMEM;
    table->at = at;
    table->size = size;
    return HC_OK;
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
    return HC_OK;
}

struct rec *rec_table_take(struct rec_table *table, const char *key)
{
    bool found;
    size_t i = rec_table_find(table, key, &found);
    if (!found)
        return NULL;
    struct rec *rec = table->at[i];
    table->count--;
    memmove(&table->at[i], &table->at[i + 1], (table->count - i) * sizeof table->at[0]);
    return rec;
}

enum hc_err rec_table_share(const struct rec_table *from, struct rec_table *to)
{
    enum hc_err err = rec_table_reserve(to, from->count);
    if (err != HC_OK)
        return err;
    for (size_t i = 0; i < from->count; i++)
        to->at[i] = rec_ref(from->at[i]);
    to->count = from->count;
    return HC_OK;
}

void rec_table_free(struct rec_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        rec_unref(table->at[i]);
    hc_free(table->at);
    *table = (struct rec_table){ 0 };
}
