/* foreign.c - what the commit thread learned and only the loop thread may act on: a foreign file to merge (rules §3.3), the end of a store
 * outage (rules §3.5, §4.3). */
#include <string.h>

#include "engine_state.h"
#include "hydra/base/arena.h"

bool engine_usable(const struct engine *e)
{
    return e->reverting == NULL;
}

static enum hc_err own_step(struct engine *e, struct core_event *ev, hc_time now)
{
    struct core_result result;
    e->config.random(ev->seed, sizeof ev->seed);
    enum hc_err err = engine_step(e, ev, now, &result);
    recorder_write(e);
    core_result_free(&result);
    return err;
}

/* The foreign state becomes the live one, with what we had acknowledged put into it. */
static enum hc_err merge(struct engine *e, hc_time now)
{
    struct core_result result = { .dirty = false };
    struct group *all = NULL;
    enum hc_err err = engine_spare(e) ? core_merge_foreign(e->foreign, e->committed, e->obs, now, &result) : HC_ERR_NOMEM;
    if (err == HC_OK)
        err = group_of_all(e->foreign, e->committed, &all);
    if (err != HC_OK) {
        core_result_free(&result);
        return err;
    }
    recorder_state_changed(e);
    alloc_free(e->live);
    e->live = e->foreign;
    e->foreign = NULL;
    alloc_clear_dirty(e->live);           /* all keys are held instead */
    group_free(e->held);
    e->held = all;
    alloc_free(e->floor);
    e->floor = NULL;
    struct alloc *floor;
    if (alloc_snapshot(e->live, &floor) == HC_OK)
        e->floor = floor;
    e->forward_only = true;
    e->floor_seq = ++e->live_seq;
    notes_drop_after(e, 0);
    notes_hold(e, &result);
    core_result_free(&result);
    group_free(e->foreign_group);
    e->foreign_group = NULL;
    return HC_OK;
}

/* In order, each with its own seed: the same ids and tokens come out where the same is granted. */
static void run_again(struct engine *e, hc_time now)
{
    for (struct engine_op *op = e->waiting.head, *next; op != NULL; op = next) {
        next = op->next;
        core_result_free(&op->result);
        enum hc_err err = engine_step(e, &op->ev, now, &op->result);
        recorder_write(e);                /* rare enough to be done under the mutex */
        op->changed = err == HC_OK && op->result.dirty;
        op->wait_seq = e->live_seq;
        if (err == HC_OK)
            continue;
        op_remove(&e->waiting, op);
        e->waiting_count--;
        op->settled = true;
        op->outcome = ENGINE_FAULT;
        op->err = err;
        op_push(&e->ready, op);
    }
}

static void merge_foreign(struct engine *e, hc_time now)
{
    if (merge(e, now) != HC_OK) {
        struct group *group = e->foreign_group;
        alloc_free(e->foreign);
        e->foreign = NULL;
        e->foreign_group = NULL;
        outcome_revert(e, group);
        outcome_down(e, hc_err_text(HC_ERR_NOMEM), now);
        return;
    }
    const struct load_facts *facts = &e->foreign_facts;
    if (facts->downgrade || facts->allocation_missing) {
        struct core_event start = { .type = CORE_START };
        start.u.start = (struct start_req){ 0, facts->saved_at, facts->downgrade, facts->allocation_missing };
        e->stalled = own_step(e, &start, now) != HC_OK;
    }
    struct core_event tick = { .type = CORE_TICK };
    if (own_step(e, &tick, now) != HC_OK)
        e->stalled = true;                /* the next tick does it */
    run_again(e, now);
    e->probe = true;                      /* saved at once, also when the store was down */
    (void)pthread_cond_signal(&e->work);
    engine_wake_loop(e);
}

static void end_outage(struct engine *e, hc_time now)
{
    struct core_event over = { .type = CORE_OUTAGE_OVER };
    int64_t outage_ms = hc_time_since(now, e->down_at);
    over.u.outage.outage_ms = outage_ms < 0 ? 0 : outage_ms;
    e->store_ok = true;
    e->obs->store_down_since = HC_TIME_NEVER;
    if (own_step(e, &over, now) != HC_OK) {
        e->store_ok = false;              /* clocks would run over the outage: the next settle tries again */
        e->obs->store_down_since = e->down_at;
        return;
    }
    e->recovered = false;
    notes_hold_outage(e, now);
    e->detail[0] = '\0';
    e->rescan = true;
    (void)pthread_cond_signal(&e->work);
}

void engine_settle(struct engine *e, hc_time now)
{
    if (e->foreign != NULL)
        merge_foreign(e, now);
    if (e->recovered && engine_usable(e))
        end_outage(e, now);
}
