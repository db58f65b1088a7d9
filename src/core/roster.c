#include "roster.h"

#include <assert.h>
#include <string.h>

#include "alloc_index.h"
#include "core.h"
#include "hydra/base/arena.h"
#include "record_version.h"

#define ROSTER_FIRST 64

uint32_t roster_name(const char *name)
{
    if (name[0] == '\0')
        return 0;
    uint64_t hash = hc_fnv1a64(HC_FNV1A64_START, name);
    return (uint32_t)(hash ^ (hash >> 32)) | 1;      /* never 0 */
}

void roster_drop(struct roster *roster)
{
    hc_free(roster->rows);
    *roster = (struct roster){ 0 };
}

static bool reserve(struct roster *roster, size_t count)
{
    if (count <= roster->size && roster->rows != NULL)
        return true;
    size_t size = roster->size == 0 ? ROSTER_FIRST : roster->size;
    while (size < count)
        size *= 2;
    struct roster_row *rows = hc_realloc(roster->rows, size * sizeof rows[0]);
    if (rows == NULL)
        return false;
    roster->rows = rows;
    roster->size = size;
    return true;
}

static bool is_open(const struct body_rec *body)
{
    for (uint32_t slot = 0; slot < body->slot_count; slot++)
        if (!slot_gone(body, slot) && slot_live_lease(&body->slots[slot]) == NULL)
            return true;
    return false;
}

static void fill(const struct alloc *alloc, size_t i)
{
    const struct body_rec *body = (const struct body_rec *)alloc_at(alloc, REC_BODY, i);
    const struct node_rec *node = body_node(alloc, body);
    struct roster_row *row = &alloc->index->roster.rows[i];
    *row = (struct roster_row){ .body = body->rec.hash, .known = node != NULL, .open = is_open(body) };
    if (node == NULL)
        return;
    row->district = roster_name(node->district);
    row->venue = roster_name(node->venue);
    row->machine = roster_name(node->machine_id);
}

void roster_build(const struct alloc *alloc)
{
    struct roster *roster = &alloc->index->roster;
    size_t count = alloc_count(alloc, REC_BODY);
    assert(!roster->built);
    if (!reserve(roster, count))
        return;
    roster->count = count;
    for (size_t i = 0; i < count; i++)
        fill(alloc, i);
    roster->built = true;
}

const struct roster_row *roster_rows(const struct alloc *alloc)
{
    const struct roster *roster = &alloc->index->roster;
    if (!roster->built && alloc->step_count == 0)        /* within a step the tables are not what the rows must tell of */
        roster_build(alloc);
    assert(!roster->built || roster->count == alloc_count(alloc, REC_BODY));
    return roster->built ? roster->rows : NULL;
}

/* Where the body of that key stands; false: it is none, or there is no roster. */
static bool place_of(const struct alloc *alloc, enum rec_kind kind, const char *key, size_t *ret_place)
{
    bool found = false;
    if (alloc->index->roster.built && (kind == REC_BODY || kind == REC_NODE))
        *ret_place = rec_table_find(&alloc->tables[REC_BODY], key, &found);
    return found;
}

void roster_stale(const struct alloc *alloc, enum rec_kind kind, const char *key)
{
    size_t i;
    if (place_of(alloc, kind, key, &i))
        alloc->index->roster.rows[i].known = false;
}

void roster_refresh(const struct alloc *alloc, enum rec_kind kind, const char *key)
{
    size_t i;
    if (place_of(alloc, kind, key, &i))
        fill(alloc, i);
}

void roster_added(const struct alloc *alloc, enum rec_kind kind, const char *key)
{
    struct roster *roster = &alloc->index->roster;
    size_t i;
    if (kind != REC_BODY || !place_of(alloc, kind, key, &i)) {
        roster_stale(alloc, kind, key);
        return;
    }
    if (!reserve(roster, roster->count + 1)) {
        roster_drop(roster);
        return;
    }
    memmove(&roster->rows[i + 1], &roster->rows[i], (roster->count - i) * sizeof roster->rows[0]);
    roster->rows[i] = (struct roster_row){ .known = false };
    roster->count++;
}

void roster_removed(const struct alloc *alloc, enum rec_kind kind, const char *key)
{
    struct roster *roster = &alloc->index->roster;
    bool found = false;
    if (kind != REC_BODY || !roster->built) {
        roster_stale(alloc, kind, key);
        return;
    }
    size_t i = rec_table_find(&alloc->tables[REC_BODY], key, &found);
    assert(!found && i < roster->count);                 /* it stood where it would stand */
    roster->count--;
    memmove(&roster->rows[i], &roster->rows[i + 1], (roster->count - i) * sizeof roster->rows[0]);
}
