/* submit.c - an operation comes in: decided on the live state, then it waits or is answered. */
#include <assert.h>
#include <string.h>

#include "engine_state.h"
#include "hydra/base/arena.h"
#include "hydra/os/clock.h"

#define SEEN_FIRST 32

bool engine_spare(struct engine *e)
{
    if (e->spare == NULL)
        e->spare = hc_alloc(sizeof *e->spare);
    return e->spare != NULL;
}

/* News of what is observed is told by the next dispatch. Without memory only "something changed" is told. */
static void note_observed(struct engine *e, enum rec_kind kind, const char *key)
{
    e->seen_any = true;
    if (e->seen_count == e->seen_size) {
        size_t size = e->seen_size == 0 ? SEEN_FIRST : e->seen_size * 2;
        struct observed_key *seen = hc_realloc(e->seen, size * sizeof seen[0]);
        if (seen == NULL)
            return;
        e->seen = seen;
        e->seen_size = size;
    }
    e->seen[e->seen_count].kind = kind;
    HC_SET(e->seen[e->seen_count++].key, key);
}

static void note_event(struct engine *e, const struct core_event *ev)
{
    const char *key = ev->type == CORE_BODY_REPORT ? ev->u.report.body_id : ev->type == CORE_HEARTBEAT ? ev->u.heartbeat.head_id : NULL;
    if (key == NULL || strlen(key) > HC_ID_MAX)
        return;
    if (!e->seen_any)
        engine_wake_loop(e);
    note_observed(e, ev->type == CORE_BODY_REPORT ? OBS_BODY : OBS_NODE, key);
}

enum hc_err engine_step(struct engine *e, struct core_event *ev, hc_time now, struct core_result *result)
{
    if (!engine_spare(e))
        return HC_ERR_NOMEM;
    ev->now = now;
    ev->store_ok = e->store_ok;
    recorder_before(e, ev);
    enum hc_err err = core_step(e->live, e->obs, ev, result);
    recorder_after(e, ev, err, result);
    if (err != HC_OK || ev->dry_run)
        return err;
    if (result->dirty) {
        e->live_seq++;
        if (!e->gathering)
            (void)pthread_cond_signal(&e->work);
    }
    notes_hold(e, result);
    note_event(e, ev);
    return HC_OK;
}

void engine_finish(struct engine *e, struct engine_op *op)
{
    op->queued = false;
    tally_answer(e, op);
    /* `done` may free the request that the operation lives in. */
    struct core_result result = op->result;
    op->done(op->ctx, op->outcome, op->err, &result);
    core_result_free(&result);
}

static void settle_op(struct engine_op *op, enum engine_outcome outcome, enum hc_err err)
{
    op->settled = true;
    op->outcome = outcome;
    op->err = err;
}

static void start_op(struct engine *e, struct engine_op *op)
{
    memset(&op->result, 0, sizeof op->result);
    op->next = op->prev = NULL;
    op->queued = op->settled = op->changed = false;
    op->wait_seq = 0;
    e->config.random(op->ev.seed, sizeof op->ev.seed);
}

static void decide(struct engine *e, struct engine_op *op, hc_time now)
{
    if (!engine_usable(e) || e->stop || e->waiting_count >= WAITING_MAX) {
        settle_op(op, ENGINE_UNAVAILABLE, HC_OK);
        return;
    }
    enum hc_err err = engine_step(e, &op->ev, now, &op->result);
    if (err != HC_OK) {
        settle_op(op, ENGINE_FAULT, err);
        return;
    }
    op->changed = op->result.dirty;
    op->wait_seq = e->live_seq;           /* its own change, and everything that it could have seen */
    if (op->wait_seq <= e->durable_seq || op->ev.dry_run)
        settle_op(op, ENGINE_DURABLE, HC_OK);
}

void engine_submit(struct engine *engine, struct engine_op *op)
{
    struct engine *e = engine;
    start_op(e, op);
    op->ev.dry_run = false;
    hc_time now = e->config.now();
    int64_t deadline_ms = os_monotonic_ms() + (op->wait_ms > 0 ? op->wait_ms : e->timers->commit_wait_ms);
    engine_lock(e);
    engine_settle(e, now);
    decide(e, op, now);
    bool waits = !op->settled;
    if (waits) {
        op->deadline_ms = deadline_ms;
        op->queued = true;
        op_push(&e->waiting, op);
        if (e->waiting_count++ == 0 || deadline_ms < e->first_deadline_ms)
            e->first_deadline_ms = deadline_ms;
        if (e->gathering && e->waiting_count >= e->gather_count)
            (void)pthread_cond_signal(&e->work);
    }
    engine_unlock(e);
    recorder_write(e);
    if (!waits)
        engine_finish(e, op);
}

void engine_try(struct engine *engine, struct engine_op *op)
{
    struct engine *e = engine;
    start_op(e, op);
    op->ev.dry_run = true;
    hc_time now = e->config.now();
    engine_lock(e);
    engine_settle(e, now);
    decide(e, op, now);
    engine_unlock(e);
    engine_finish(e, op);
}

void engine_forget(struct engine *engine, struct engine_op *op)
{
    struct engine *e = engine;
    if (!op->queued)
        return;
    engine_lock(e);
    if (!op->settled) {
        op_remove(&e->waiting, op);
        e->waiting_count--;
    } else {
        struct engine_op *at = e->ready.head;
        while (at != NULL && at != op)
            at = at->next;
        op_remove(at == op ? &e->ready : &e->due, op);
    }
    op->queued = false;
    core_result_free(&op->result);
    engine_unlock(e);
}

void engine_resolve(struct engine *e, enum engine_outcome outcome, uint64_t upto)
{
    unsigned changed = 0;
    while (e->waiting.head != NULL && e->waiting.head->wait_seq <= upto) {
        struct engine_op *op = op_pop(&e->waiting);
        e->waiting_count--;
        settle_op(op, outcome, HC_OK);
        op_push(&e->ready, op);
        changed += op->changed;
    }
    if (outcome == ENGINE_DURABLE && changed > 0)
        metrics_observe(e->config.metrics, METRIC_SAVE_GROUP, (double)changed);
}
