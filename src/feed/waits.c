#include "waits.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hydra/base/arena.h"

void waits_free(struct waits *waits)
{
    for (size_t i = 0; i < waits->count; i++)
        hc_free(waits->keys[i]);
    memset(waits, 0, sizeof *waits);
}

static struct wait_key *find(const struct waits *waits, const char *key)
{
    for (size_t i = 0; i < waits->count; i++)
        if (hc_same(waits->keys[i]->key, key))
            return waits->keys[i];
    return NULL;
}

void waits_add(struct waits *waits, const char *kind, const char *name, int64_t ms)
{
    char key[WAIT_KEY_SIZE];
    if (name == NULL || name[0] == '\0')
        return;
    int len = snprintf(key, sizeof key, "%s/%s", kind, name);
    assert(len > 0 && (size_t)len < sizeof key);
    (void)len;
    struct wait_key *entry = find(waits, key);
    if (entry == NULL) {
        if (waits->count == WAIT_KEYS_MAX)
            return;                           /* a statistic: the fleet has fewer pools and venues than this */
        entry = hc_alloc(sizeof *entry);
        if (entry == NULL)
            return;
        HC_SET(entry->key, key);
        waits->keys[waits->count++] = entry;
    }
    entry->ms[entry->next] = ms;
    entry->next = (entry->next + 1) % WAITS_KEPT;
    if (entry->count < WAITS_KEPT)
        entry->count++;
}

static int by_length(const void *a, const void *b)
{
    int64_t left, right;
    memcpy(&left, a, sizeof left);
    memcpy(&right, b, sizeof right);
    return (left > right) - (left < right);
}

void waits_query(const struct waits *waits, const char *key, int64_t *ret_median_ms, int64_t *ret_p90_ms)
{
    *ret_median_ms = *ret_p90_ms = -1;
    const struct wait_key *entry = find(waits, key);
    if (entry == NULL)
        return;
    int64_t sorted[WAITS_KEPT];
    memcpy(sorted, entry->ms, entry->count * sizeof sorted[0]);
    qsort(sorted, entry->count, sizeof sorted[0], by_length);
    *ret_median_ms = sorted[(entry->count - 1) / 2];
    *ret_p90_ms = sorted[(entry->count * 9 + 9) / 10 - 1];
}
