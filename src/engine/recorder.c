/* recorder.c - the flight recorder: what a step needs is taken under the mutex as facts and references, and written when it is let go. */
#include <assert.h>

#include "engine_state.h"
#include "hydra/base/arena.h"
#include "hydra/base/log.h"

#define CHANGES_FIRST 16

static void drop_changes(struct recorder *r)
{
    for (size_t i = 0; i < r->count; i++)
        rec_unref((struct rec *)r->changes[i].version);
    r->count = 0;
}

/* By the journal's thread, when the state stands on the disk. */
static void give_back(void *ctx, struct alloc *saved, struct observed *obs)
{
    struct engine *e = ctx;
    engine_lock(e);                       /* versions are counted under the mutex */
    alloc_free(saved);
    observed_free(obs);
    engine_unlock(e);
}

static void begin_segment(struct engine *e, hc_time now)
{
    struct alloc *saved;
    struct observed *obs;
    if (alloc_snapshot(e->live, &saved) != HC_OK)
        return;                           /* it wants one at the next event too */
    if (observed_snapshot(e->obs, &obs) != HC_OK) {
        alloc_free(saved);
        return;
    }
    journal_segment(e->config.journal, now, saved, obs, give_back, e);
}

void recorder_before(struct engine *e, const struct core_event *ev)
{
    struct recorder *r = &e->recorder;
    assert(!r->pending);
    drop_changes(r);
    if (e->config.journal == NULL || ev->dry_run)
        return;
    if (journal_wants_segment(e->config.journal))
        begin_segment(e, ev->now);
    r->step.generation = e->live->generation;
    r->step.store_down_since = e->obs->store_down_since;
}

static bool take_changes(struct engine *e)
{
    struct recorder *r = &e->recorder;
    const struct rec_change *changes;
    size_t count = alloc_last_step(e->live, &changes);
    if (count > r->size) {
        size_t size = count < CHANGES_FIRST ? CHANGES_FIRST : 2 * count;
        struct journal_change *more = hc_realloc(r->changes, size * sizeof more[0]);
        if (more == NULL)
            return false;
        r->changes = more;
        r->size = size;
    }
    for (size_t i = 0; i < count; i++) {
        struct journal_change *change = &r->changes[i];
        const struct rec *version = alloc_get(e->live, changes[i].kind, changes[i].key);
        change->kind = changes[i].kind;
        change->version = version == NULL ? NULL : rec_ref((struct rec *)version);
        HC_SET(change->key, changes[i].key);
    }
    r->count = count;
    return true;
}

void recorder_after(struct engine *e, const struct core_event *ev, enum hc_err err, const struct core_result *result)
{
    struct recorder *r = &e->recorder;
    if (e->config.journal == NULL || ev->dry_run)
        return;
    if (err != HC_OK || !take_changes(e)) {
        journal_want(e->config.journal);  /* what is observed may have changed: only a new state tells how */
        return;
    }
    r->step.ev = ev;
    r->step.result = result;
    r->step.notes = journal_notes_of(result->notes, result->note_count);
    r->step.changes = r->changes;
    r->step.change_count = r->count;
    r->pending = true;
}

void recorder_write(struct engine *e)
{
    if (!e->recorder.pending)
        return;
    e->recorder.pending = false;
    journal_event(e->config.journal, &e->recorder.step);
}

void recorder_state_changed(struct engine *e)
{
    if (e->config.journal != NULL)
        journal_want(e->config.journal);
}

void recorder_tell(struct engine *e)
{
    struct recorder *r = &e->recorder;
    if (e->config.journal == NULL)
        return;
    struct journal_health health = journal_health(e->config.journal);
    if (health.dropped > r->dropped)
        metrics_add(e->config.metrics, METRIC_JOURNAL_DROPPED, (double)(health.dropped - r->dropped));
    r->dropped = health.dropped;
    metrics_set(e->config.metrics, METRIC_JOURNAL_UP, health.ok ? 1 : 0);
    if (health.ok == r->logged_ok)
        return;
    r->logged_ok = health.ok;
    if (health.ok)
        hc_log(HC_LOG_NOTICE, "journal_up", "dropped=%llu", (unsigned long long)health.dropped);
    else
        hc_log(HC_LOG_WARNING, "journal_down", "detail=%s", hc_logq("the flight recorder's disk is full or slow: events go unrecorded"));
}

void recorder_free(struct engine *e)
{
    drop_changes(&e->recorder);
    hc_free(e->recorder.changes);
}

/* The states of its segments come back here. */
bool recorder_stop(struct engine *e, int64_t most_ms)
{
    return e->config.journal == NULL || journal_stop(e->config.journal, most_ms);
}
