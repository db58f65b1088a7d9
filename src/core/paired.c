#include "hydra/core/records.h"

#include <stdlib.h>
#include <string.h>

#include "hydra/base/arena.h"

#include "counted.h"

static int by_uuid(const void *a, const void *b)
{
    return strcmp(((const struct paired_client *)a)->uuid, ((const struct paired_client *)b)->uuid);
}

struct paired *paired_new(const struct paired_client *clients, size_t count)
{
    struct paired *p = hc_alloc(sizeof *p + count * sizeof p->at[0]);
    if (p == NULL)
        return NULL;
    p->refs = 1;
    p->count = count;
    if (count > 0)
        memcpy(p->at, clients, count * sizeof p->at[0]);
    if (count > 1)
        qsort(p->at, count, sizeof p->at[0], by_uuid);
    return p;
}

struct paired *paired_ref(struct paired *p)
{
    return counted_ref(p);
}

void paired_unref(struct paired *p)
{
    if (counted_was_last(p))
        hc_free(p);
}

const struct paired_client *paired_find(const struct paired *p, const char *uuid)
{
    size_t low = 0, high = p == NULL ? 0 : p->count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        int order = strcmp(p->at[mid].uuid, uuid);
        if (order == 0)
            return &p->at[mid];
        if (order < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return NULL;
}
