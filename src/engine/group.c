/* group.c - the cut: references to what changed since the last one, in the parts in which it is saved. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine_state.h"
#include "hydra/base/arena.h"

void group_drop_versions(struct group *group)
{
    for (size_t p = 0; p < GROUP_PARTS; p++)
        for (size_t i = 0; i < group->parts[p].count; i++) {
            rec_unref(group->parts[p].items[i].version);
            group->parts[p].items[i].version = NULL;
        }
}

void group_free(struct group *group)
{
    if (group == NULL)
        return;
    group_drop_versions(group);
    for (size_t p = 0; p < GROUP_PARTS; p++)
        hc_free(group->parts[p].items);
    hc_free(group);
}

static struct group *group_new(size_t items)
{
    struct group *group = hc_alloc(sizeof *group);
    if (group == NULL)
        return NULL;
    for (size_t p = 0; p < GROUP_PARTS; p++) {
        group->parts[p].items = hc_alloc((items + 1) * sizeof group->parts[p].items[0]);
        if (group->parts[p].items == NULL) {
            group_free(group);
            return NULL;
        }
    }
    return group;
}

static void add_key(struct cut *cut, enum rec_kind kind, const char *key)
{
    struct cut_item *item = &cut->items[cut->count++];
    item->kind = kind;
    HC_SET(item->key, key);
}

static int by_key(const void *a, const void *b)
{
    const struct cut_item *left = a, *right = b;
    if (left->kind != right->kind)
        return left->kind < right->kind ? -1 : 1;
    return strcmp(left->key, right->key);
}

/* What is held and was not changed again comes along. The changed ones are sorted for it; this is rare. */
static void add_held(struct cut *cut, const struct group *held)
{
    size_t changed = cut->count;
    qsort(cut->items, changed, sizeof cut->items[0], by_key);
    for (size_t p = 0; p < GROUP_PARTS; p++)
        for (size_t i = 0; i < held->parts[p].count; i++) {
            const struct cut_item *item = &held->parts[p].items[i];
            if (bsearch(item, cut->items, changed, sizeof cut->items[0], by_key) == NULL)
                add_key(cut, item->kind, item->key);
        }
}

static bool saved_later(const struct cut_item *item)
{
    return item->kind == REC_NODE && item->version == NULL;
}

static void fill_versions(const struct engine *e, struct group *group)
{
    struct cut *first = &group->parts[0], *second = &group->parts[1];
    size_t kept = 0;
    for (size_t i = 0; i < first->count; i++) {
        struct cut_item item = first->items[i];
        const struct rec *version = alloc_get(e->live, item.kind, item.key);
        item.version = version == NULL ? NULL : rec_ref((struct rec *)version);
        if (saved_later(&item))
            second->items[second->count++] = item;
        else
            first->items[kept++] = item;
    }
    first->count = kept;
}

enum hc_err group_take(struct engine *e, struct group **ret_group)
{
    size_t held = e->held == NULL ? 0 : e->held->parts[0].count + e->held->parts[1].count;
    struct group *group = group_new(e->live->dirty_count + held);
    if (group == NULL)
        return HC_ERR_NOMEM;
    struct cut *cut = &group->parts[0];
    for (size_t i = 0; i < e->live->dirty_count; i++)
        add_key(cut, e->live->dirty[i].kind, e->live->dirty[i].key);
    if (e->held != NULL)
        add_held(cut, e->held);
    fill_versions(e, group);
    alloc_clear_dirty(e->live);
    group->seq = e->live_seq;
    group->parts[0].saved_at = group->parts[1].saved_at = e->config.now();
    *ret_group = group;
    return HC_OK;
}

enum hc_err group_of_all(const struct alloc *a, const struct alloc *b, struct group **ret_group)
{
    size_t total = 0;
    for (enum rec_kind kind = 0; kind < REC_SAVED_KINDS; kind++)
        total += alloc_count(a, kind) + alloc_count(b, kind);
    struct group *group = group_new(total);
    if (group == NULL)
        return HC_ERR_NOMEM;
    for (enum rec_kind kind = 0; kind < REC_SAVED_KINDS; kind++) {
        for (size_t i = 0; i < alloc_count(a, kind); i++)
            add_key(&group->parts[0], kind, alloc_at(a, kind, i)->key);
        for (size_t i = 0; i < alloc_count(b, kind); i++) {
            const char *key = alloc_at(b, kind, i)->key;
            if (alloc_get(a, kind, key) == NULL)
                add_key(&group->parts[0], kind, key);
        }
    }
    *ret_group = group;
    return HC_OK;
}
