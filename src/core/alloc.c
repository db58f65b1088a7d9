/* alloc.c - one state of all saved records: edit, undo, end of a step, put, snapshot. */
#include "hydra/core/record.h"

#include <assert.h>
#include <string.h>

#include "alloc_index.h"
#include "hydra/base/arena.h"
#include "record_version.h"

#define CHANGES_FIRST 16

enum hc_err alloc_new(const struct core_config *config, struct alloc **ret_alloc)
{
    struct alloc *alloc = hc_alloc(sizeof *alloc);
    if (alloc == NULL)
        return HC_ERR_NOMEM;
    alloc->config = config;
    alloc->dirty_index = hc_alloc(sizeof *alloc->dirty_index);
    if (alloc->dirty_index == NULL || index_new(&alloc->index) != HC_OK) {
        alloc_free(alloc);
        return HC_ERR_NOMEM;
    }
    *ret_alloc = alloc;
    return HC_OK;
}

void alloc_free(struct alloc *alloc)
{
    if (alloc == NULL)
        return;
    for (size_t i = 0; i < alloc->step_count; i++)
        rec_unref(alloc->step_changes[i].old);
    for (size_t i = 0; i < REC_SAVED_KINDS; i++)
        rec_table_free(&alloc->tables[i]);
    hc_free(alloc->step_changes);
    hc_free(alloc->dirty);
    if (alloc->dirty_index != NULL)
        change_free(&alloc->dirty_index->dirty);
    hc_free(alloc->dirty_index);
    index_free(alloc->index);
    hc_free(alloc);
}

static struct rec_table *table_of(struct alloc *alloc, enum rec_kind kind)
{
    assert((size_t)kind < REC_SAVED_KINDS);
    return &alloc->tables[kind];
}

const struct rec *alloc_get(const struct alloc *alloc, enum rec_kind kind, const char *key)
{
    assert((size_t)kind < REC_SAVED_KINDS);
    return rec_table_get(&alloc->tables[kind], key);
}

const struct rec *alloc_like(const struct alloc *alloc, enum rec_kind kind, const struct rec *like)
{
    assert((size_t)kind < REC_SAVED_KINDS);
    return rec_table_like(&alloc->tables[kind], like);
}

size_t alloc_count(const struct alloc *alloc, enum rec_kind kind)
{
    assert((size_t)kind < REC_SAVED_KINDS);
    return alloc->tables[kind].count;
}

const struct rec *alloc_at(const struct alloc *alloc, enum rec_kind kind, size_t i)
{
    assert((size_t)kind < REC_SAVED_KINDS && i < alloc->tables[kind].count);
    return alloc->tables[kind].at[i];
}

static enum hc_err changes_reserve(struct rec_change **changes, size_t *size, size_t count, size_t more)
{
    if (*size - count >= more)
        return HC_OK;
    size_t want = *size == 0 ? CHANGES_FIRST : *size * 2;
    while (want - count < more)
        want *= 2;
    struct rec_change *at = hc_realloc(*changes, want * sizeof at[0]);
    if (at == NULL)
        return HC_ERR_NOMEM;
    *changes = at;
    *size = want;
    return HC_OK;
}

static bool changed_in_step(const struct alloc *alloc, enum rec_kind kind, const char *key)
{
    return change_find(&alloc->index->step, alloc->step_changes, alloc->step_count, kind, key) != SIZE_MAX;
}

static enum hc_err reserve_change(struct alloc *alloc)
{
    enum hc_err err = changes_reserve(&alloc->step_changes, &alloc->step_size, alloc->step_count, 1);
    return err != HC_OK ? err : change_reserve(&alloc->index->step, alloc->step_changes, alloc->step_count, 1);
}

static void note_change(struct alloc *alloc, enum rec_kind kind, const char *key, struct rec *old)
{
    struct rec_change *change = &alloc->step_changes[alloc->step_count];
    *change = (struct rec_change){ .kind = kind, .old = old };
    HC_SET(change->key, key);
    change_add(&alloc->index->step, alloc->step_changes, alloc->step_count++);
}

struct rec *alloc_edit(struct alloc *alloc, enum rec_kind kind, const char *key)
{
    struct rec_table *table = table_of(alloc, kind);
    bool found;
    size_t i = rec_table_find(table, key, &found);
    if (!found)
        return NULL;
    struct rec *now = table->at[i];
    if (changed_in_step(alloc, kind, key))
        return now;                       /* this step's own copy */
    if (reserve_change(alloc) != HC_OK)
        return NULL;
    struct rec *copy = rec_clone(now);
    if (copy == NULL)
        return NULL;
    copy->step = alloc->step;
    rec_table_set(table, i, copy);
    note_change(alloc, kind, copy->key, now);      /* the table's reference moves to the change */
    roster_stale(alloc, kind, copy->key);
    return copy;
}

struct rec *alloc_create(struct alloc *alloc, enum rec_kind kind, const char *key)
{
    struct rec_table *table = table_of(alloc, kind);
    assert(rec_table_get(table, key) == NULL);
    bool known = changed_in_step(alloc, kind, key);      /* removed earlier in this step: the change has the old version */
    if (!known && reserve_change(alloc) != HC_OK)
        return NULL;
    struct rec *made = rec_new(kind, key);
    if (made == NULL)
        return NULL;
    made->step = alloc->step;
    if (rec_table_insert(table, made) != HC_OK) {
        rec_unref(made);
        return NULL;
    }
    if (!known)
        note_change(alloc, kind, made->key, NULL);
    roster_added(alloc, kind, made->key);
    return made;
}

enum hc_err alloc_remove(struct alloc *alloc, enum rec_kind kind, const char *key)
{
    struct rec_table *table = table_of(alloc, kind);
    struct rec *now = rec_table_get(table, key);
    if (now == NULL)
        return HC_OK;
    bool known = changed_in_step(alloc, kind, key);
    /* An undo puts the old version back; room for it stays, as tables never shrink. */
    enum hc_err err = known ? HC_OK : reserve_change(alloc);
    if (err != HC_OK)
        return err;
    if (!known)
        note_change(alloc, kind, now->key, rec_ref(now));
    struct rec *gone = rec_table_take(table, key);
    roster_removed(alloc, kind, gone->key);
    rec_unref(gone);
    return HC_OK;
}

void alloc_begin_step(struct alloc *alloc)
{
    assert(alloc->step_count == 0);
    alloc->step++;
    alloc->last_count = 0;
    if (!alloc->index->built)
        (void)index_build(alloc);         /* without it lookups are slow, not wrong */
    if (!alloc->index->roster.built)
        roster_build(alloc);
}

static void forget_step(struct alloc *alloc)
{
    alloc->step_count = 0;
    change_clear(&alloc->index->step);
}

void alloc_undo_step(struct alloc *alloc)
{
    for (size_t i = alloc->step_count; i > 0; i--) {
        struct rec_change *change = &alloc->step_changes[i - 1];
        struct rec *made = rec_table_take(table_of(alloc, change->kind), change->key);
        if (made != NULL)
            roster_removed(alloc, change->kind, change->key);
        rec_unref(made);
        if (change->old == NULL)
            continue;
        enum hc_err err = rec_table_insert(table_of(alloc, change->kind), change->old);
        assert(err == HC_OK);             /* the table had this many before */
        (void)err;
        roster_added(alloc, change->kind, change->key);
    }
    for (size_t i = 0; i < alloc->step_count; i++)
        roster_refresh(alloc, alloc->step_changes[i].kind, alloc->step_changes[i].key);
    forget_step(alloc);
}

static enum hc_err reserve_dirty(struct alloc *alloc, size_t more)
{
    enum hc_err err = changes_reserve(&alloc->dirty, &alloc->dirty_size, alloc->dirty_count, more);
    return err != HC_OK ? err : change_reserve(&alloc->dirty_index->dirty, alloc->dirty, alloc->dirty_count, more);
}

static void add_dirty(struct alloc *alloc, enum rec_kind kind, const char *key)
{
    if (change_find(&alloc->dirty_index->dirty, alloc->dirty, alloc->dirty_count, kind, key) != SIZE_MAX)
        return;
    struct rec_change *change = &alloc->dirty[alloc->dirty_count];
    *change = (struct rec_change){ .kind = kind };
    HC_SET(change->key, key);
    change_add(&alloc->dirty_index->dirty, alloc->dirty, alloc->dirty_count++);
}

enum hc_err alloc_end_step(struct alloc *alloc, bool *ret_changed)
{
    enum hc_err err = reserve_dirty(alloc, alloc->step_count);
    if (err != HC_OK)
        return err;
    *ret_changed = alloc->step_count > 0;
    for (size_t i = 0; i < alloc->step_count; i++) {
        struct rec_change *change = &alloc->step_changes[i];
        index_replace(alloc->index, change->kind, change->old, alloc_get(alloc, change->kind, change->key));
        roster_refresh(alloc, change->kind, change->key);
        add_dirty(alloc, change->kind, change->key);
        rec_unref(change->old);
        change->old = NULL;
    }
    alloc->last_count = alloc->step_count;
    forget_step(alloc);
    return HC_OK;
}

size_t alloc_last_step(const struct alloc *alloc, const struct rec_change **ret_changes)
{
    *ret_changes = alloc->step_changes;
    return alloc->last_count;
}

enum hc_err alloc_mark_dirty(struct alloc *alloc, enum rec_kind kind, const char *key)
{
    enum hc_err err = reserve_dirty(alloc, 1);
    if (err == HC_OK)
        add_dirty(alloc, kind, key);
    return err;
}

void alloc_clear_dirty(struct alloc *alloc)
{
    alloc->dirty_count = 0;
    change_clear(&alloc->dirty_index->dirty);
}

enum hc_err alloc_put(struct alloc *alloc, enum rec_kind kind, const char *key, struct rec *version)
{
    assert(alloc->step_count == 0);
    struct rec_table *table = table_of(alloc, kind);
    enum hc_err err = version == NULL ? HC_OK : rec_table_reserve(table, 1);
    if (err != HC_OK)
        return err;
    assert(version == NULL || (version->kind == kind && strcmp(version->key, key) == 0));
    if (version != NULL)
        rec_ref(version);                 /* before the old one goes: they may be the same */
    struct rec *old = NULL;
    bool found;
    size_t i = rec_table_find(table, key, &found);
    if (found && version != NULL) {
        old = table->at[i];
        rec_table_set(table, i, version);
    } else if (found) {
        old = rec_table_take(table, key);
        roster_removed(alloc, kind, old->key);
    } else if (version != NULL) {
        err = rec_table_insert(table, version);
        assert(err == HC_OK);
        roster_added(alloc, kind, version->key);
    }
    roster_refresh(alloc, kind, version == NULL ? key : version->key);
    index_replace(alloc->index, kind, old, version);
    rec_unref(old);
    return HC_OK;
}

enum hc_err alloc_snapshot(const struct alloc *from, struct alloc **ret_snapshot)
{
    struct alloc *to;
    enum hc_err err = alloc_new(from->config, &to);
    if (err != HC_OK)
        return err;
    to->generation = from->generation;
    to->nodes_generation = from->nodes_generation;
    for (size_t i = 0; i < REC_SAVED_KINDS && err == HC_OK; i++)
        err = rec_table_share(&from->tables[i], &to->tables[i]);
    if (err != HC_OK) {
        alloc_free(to);
        return err;
    }
    *ret_snapshot = to;                   /* its index is built at the first lookup */
    return HC_OK;
}
