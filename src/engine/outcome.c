/* outcome.c - the ways in which a save ends, applied to the states and to who waits (architecture §2). */
#include <assert.h>
#include <stdio.h>

#include "engine_state.h"
#include "hydra/base/arena.h"

static enum save_outcome file_outcome(const struct save_result *result, enum rec_kind kind)
{
    return rec_in_nodes_file(kind) ? result->nodes : result->allocation;
}

/* FOREIGN before VISIBLE before NOT_WRITTEN before DURABLE: which of them decides. */
static int weight(enum save_outcome outcome)
{
    switch (outcome) {
    case SAVE_DURABLE:     return 0;
    case SAVE_NOT_WRITTEN: return 1;
    case SAVE_VISIBLE:     return 2;
    case SAVE_FOREIGN:     return 3;
    }
    return 3;
}

enum save_outcome outcome_of(const struct group *group)
{
    enum save_outcome worst = SAVE_DURABLE;
    for (size_t p = 0; p < GROUP_PARTS; p++) {
        if (weight(group->results[p].nodes) > weight(worst))
            worst = group->results[p].nodes;
        if (weight(group->results[p].allocation) > weight(worst))
            worst = group->results[p].allocation;
    }
    return worst;
}

void outcome_down(struct engine *e, const char *detail, hc_time since)
{
    (void)snprintf(e->detail, sizeof e->detail, "%s", detail[0] == '\0' ? "a save failed" : detail);
    e->recovered = false;
    metrics_set(e->config.metrics, METRIC_STORE_UP, 0);
    if (!e->store_ok)
        return;
    e->store_ok = false;
    e->down_at = e->obs->store_down_since = since;
}

/* Into `committed`, what its file's save made durable. Repeated from the start it does no harm. */
static enum hc_err apply(struct engine *e, const struct group *group)
{
    for (size_t p = 0; p < GROUP_PARTS; p++)
        for (size_t i = 0; i < group->parts[p].count; i++) {
            const struct cut_item *item = &group->parts[p].items[i];
            if (file_outcome(&group->results[p], item->kind) != SAVE_DURABLE)
                continue;
            if (item->kind == REC_NODE)
                tokens_change(e, alloc_node(e->committed, item->key), (const struct node_rec *)item->version);
            enum hc_err err = alloc_put(e->committed, item->kind, item->key, item->version);
            if (err != HC_OK)
                return err;
        }
    return HC_OK;
}

static void add_news(struct engine *e, struct group *group)
{
    group_drop_versions(group);
    group->next = NULL;
    if (e->news_tail == NULL)
        e->news = group;
    else
        e->news_tail->next = group;
    e->news_tail = group;
}

void outcome_commit(struct engine *e, struct group *group)
{
    if (apply(e, group) != HC_OK) {
        e->unapplied = group;             /* it is on disk: nothing is lost, the answers wait until memory is there */
        e->stalled = true;
        return;
    }
    e->live->generation = e->committed->generation = e->generation = group->generation;
    e->durable_seq = group->seq;
    e->saves++;
    e->forward_only = false;
    e->foreign_tries = 0;
    alloc_free(e->floor);
    e->floor = NULL;
    group_free(e->held);
    e->held = NULL;
    if (!e->store_ok)
        e->recovered = true;
    metrics_set(e->config.metrics, METRIC_STORE_UP, 1);
    engine_resolve(e, ENGINE_DURABLE, group->seq);
    notes_release(e);
    add_news(e, group);
}

static enum hc_err put_back(struct engine *e, const struct alloc *base, const struct group *group)
{
    enum hc_err err = HC_OK;
    recorder_state_changed(e);
    for (size_t p = 0; p < GROUP_PARTS && err == HC_OK; p++)
        for (size_t i = 0; i < group->parts[p].count && err == HC_OK; i++) {
            const struct cut_item *item = &group->parts[p].items[i];
            err = alloc_put(e->live, item->kind, item->key, (struct rec *)alloc_get(base, item->kind, item->key));
        }
    for (size_t i = 0; i < e->live->dirty_count && err == HC_OK; i++) {
        const struct rec_change *change = &e->live->dirty[i];
        err = alloc_put(e->live, change->kind, change->key, (struct rec *)alloc_get(base, change->kind, change->key));
    }
    return err;
}

/* The keys of this group are part of every cut until one is durable. It has all keys of the group held before. */
static void hold_keys(struct engine *e, struct group *group)
{
    group_drop_versions(group);
    group_free(e->held);
    e->held = group;
}

static void fail_waiting(struct engine *e)
{
    engine_resolve(e, ENGINE_UNAVAILABLE, UINT64_MAX);
    e->rescan = true;                     /* an ended lease that came back, or one whose note was dropped */
}

static void revert_forward(struct engine *e, struct group *group)
{
    if (e->floor != NULL) {
        if (put_back(e, e->floor, group) != HC_OK) {
            e->reverting = group;
            e->stalled = true;
            return;
        }
        alloc_clear_dirty(e->live);
        notes_drop_after(e, e->floor_seq);
    }
    hold_keys(e, group);
    fail_waiting(e);
}

/* This group and the one behind it: old records, 503. A file of the group that was made durable stays so. */
void outcome_revert(struct engine *e, struct group *group)
{
    if (e->forward_only) {
        revert_forward(e, group);
        return;
    }
    if (apply(e, group) != HC_OK || put_back(e, e->committed, group) != HC_OK) {
        e->reverting = group;
        e->stalled = true;
        return;
    }
    alloc_clear_dirty(e->live);
    e->durable_seq = e->live_seq;         /* what is live now is what is committed */
    notes_drop_after(e, 0);
    fail_waiting(e);
    add_news(e, group);                   /* one of its files may have been saved; who looks again finds nothing new otherwise */
}

/* Renamed, unproven: only forward. */
static void outcome_hold(struct engine *e, struct group *group)
{
    struct alloc *floor = NULL;
    alloc_free(e->floor);
    e->floor = alloc_snapshot(e->live, &floor) == HC_OK ? floor : NULL;
    e->floor_seq = e->live_seq;
    e->forward_only = true;
    hold_keys(e, group);
    fail_waiting(e);
}

void outcome_settle(struct engine *e, struct group *group)
{
    const struct save_result *first = &group->results[0];
    const char *detail = first->diag.text[0] != '\0' ? first->diag.text : group->results[1].diag.text;
    enum save_outcome outcome = outcome_of(group);
    assert(outcome != SAVE_FOREIGN);
    if (outcome == SAVE_DURABLE) {
        outcome_commit(e, group);
        return;
    }
    outcome_down(e, detail, group->parts[0].saved_at);
    if (outcome == SAVE_VISIBLE)
        outcome_hold(e, group);
    else
        outcome_revert(e, group);
}
