/* alloc_find.c - where is this lease, what has this head? Always exact: the index tells of the records between steps, what the step under
 * way changed is looked at directly. */
#include "hydra/core/records.h"

#include <assert.h>
#include <string.h>

#include "alloc_index.h"

/* Bodies that may be meant, each once: first those that the step changed, then what the index says of the others (or, without one, all). */
struct walk { const struct alloc *alloc; enum rec_kind kind; const struct multimap *map; uint64_t hash; size_t step_at, at; bool indexed; };

static struct walk walk_start(const struct alloc *alloc, enum rec_kind kind, const char *name, const struct multimap *map)
{
    bool indexed = alloc->index->built;
    if (!indexed && alloc->step_count == 0)        /* within a step the tables are not what the index must tell of */
        indexed = index_build(alloc);
    return (struct walk){ .alloc = alloc, .kind = kind, .map = map, .hash = index_hash(name), .indexed = indexed };
}

static bool changed(const struct walk *w, const char *key)
{
    return change_find(&w->alloc->index->step, w->alloc->step_changes, w->alloc->step_count, w->kind, key) != SIZE_MAX;
}

static const struct rec *walk_next(struct walk *w)
{
    const struct alloc *alloc = w->alloc;
    while (w->indexed && w->step_at < alloc->step_count) {
        const struct rec_change *change = &alloc->step_changes[w->step_at++];
        const struct rec *rec = change->kind == w->kind ? alloc_get(alloc, w->kind, change->key) : NULL;
        if (rec != NULL)
            return rec;
    }
    for (const char *key; w->indexed && (key = index_next(w->map, w->hash, &w->at)) != NULL;) {
        const struct rec *rec = changed(w, key) ? NULL : alloc_get(alloc, w->kind, key);
        if (rec != NULL)
            return rec;
    }
    if (!w->indexed && w->at < alloc_count(alloc, w->kind))
        return alloc_at(alloc, w->kind, w->at++);
    return NULL;
}

static bool body_knows(const struct body_rec *body, const char *lease_id)
{
    if (body_lease(body, lease_id, NULL) != NULL)
        return true;
    for (size_t i = 0; i < body->slot_count; i++)
        for (size_t k = 0; k < body->slots[i].ghost_count; k++)
            if (strcmp(body->slots[i].ghosts[k].lease_id, lease_id) == 0)
                return true;
    return false;
}

const char *alloc_lease_body(const struct alloc *alloc, const char *lease_id)
{
    if (lease_id[0] == '\0')
        return NULL;
    struct walk w = walk_start(alloc, REC_BODY, lease_id, &alloc->index->leases);
    for (const struct rec *rec; (rec = walk_next(&w)) != NULL;)
        if (body_knows((const struct body_rec *)rec, lease_id))
            return rec->key;
    return NULL;
}

#define HEAD_BODIES_MAX 64      /* bodies on which one head may still have something that drains or was left behind */

static size_t head_bodies(const struct alloc *alloc, const char *head_id, const struct body_rec *found[HEAD_BODIES_MAX])
{
    size_t count = 0;
    struct walk w = walk_start(alloc, REC_BODY, head_id, &alloc->index->heads);
    for (const struct rec *rec; (rec = walk_next(&w)) != NULL;) {
        const struct body_rec *body = (const struct body_rec *)rec;
        bool has = false;
        for (size_t i = 0; i < body->slot_count && !has; i++) {
            const struct lease *lease = slot_live_lease(&body->slots[i]);
            has = lease != NULL && strcmp(lease->head_id, head_id) == 0;
        }
        if (!has || count == HEAD_BODIES_MAX)
            continue;
        size_t at = count++;              /* in key order */
        for (; at > 0 && strcmp(found[at - 1]->rec.key, body->rec.key) > 0; at--)
            found[at] = found[at - 1];
        found[at] = body;
    }
    return count;
}

size_t alloc_head_leases(const struct alloc *alloc, const char *head_id, const char **ret_ids, size_t size)
{
    const struct body_rec *bodies[HEAD_BODIES_MAX];
    size_t count = 0, body_count = head_id[0] == '\0' ? 0 : head_bodies(alloc, head_id, bodies);
    for (size_t b = 0; b < body_count; b++)
        for (size_t i = 0; i < bodies[b]->slot_count; i++) {
            const struct lease *lease = slot_live_lease(&bodies[b]->slots[i]);
            if (lease != NULL && strcmp(lease->head_id, head_id) == 0 && count < size)
                ret_ids[count++] = lease->id;
        }
    return count;
}

const char *alloc_head_lease(const struct alloc *alloc, const char *head_id)
{
    const struct body_rec *bodies[HEAD_BODIES_MAX];
    size_t body_count = head_id[0] == '\0' ? 0 : head_bodies(alloc, head_id, bodies);
    for (size_t b = 0; b < body_count; b++)
        for (size_t i = 0; i < bodies[b]->slot_count; i++) {
            const struct lease *lease = slot_live_lease(&bodies[b]->slots[i]);
            if (lease != NULL && strcmp(lease->head_id, head_id) == 0 && !lease->left_behind && lease->state != LEASE_DRAINING)
                return lease->id;
        }
    return NULL;
}

const char *alloc_head_stream(const struct alloc *alloc, const char *head_id)
{
    const char *first = NULL;
    if (head_id[0] == '\0')
        return NULL;
    struct walk w = walk_start(alloc, REC_STREAM, head_id, &alloc->index->streams);
    for (const struct rec *rec; (rec = walk_next(&w)) != NULL;) {
        const struct stream_rec *stream = (const struct stream_rec *)rec;
        if (stream->state != STREAM_ENDED && strcmp(stream->head_id, head_id) == 0 && (first == NULL || strcmp(rec->key, first) < 0))
            first = rec->key;
    }
    return first;
}

enum hc_err alloc_reindex(struct alloc *alloc, enum rec_kind kind, const char *key)
{
    /* Lookups see what the step changed without being told; the call keeps its place for a state whose index would need it. */
    assert((size_t)kind < REC_SAVED_KINDS && key[0] != '\0');
    (void)alloc;
    return HC_OK;
}
