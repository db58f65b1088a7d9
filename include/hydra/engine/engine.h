/* engine.h - owns live, committed and observed state, the mutex, the commit thread and the order of waiting answers (architecture §2).
 *
 * All calls are the loop thread's. The commit thread is inside. The mutex is held for decisions and copies only.
 *
 *   submit: core_step on the live state -> nothing to wait for: `done` runs at once. Else the operation waits for its sequence number;
 *           engine_dispatch() runs `done` when it is durable, has failed, or its deadline passed.
 * A foreign file: the engine loads, merges, runs the waiting operations again in order (own seeds, fresh now) and their results are new. */
#ifndef HYDRA_ENGINE_ENGINE_H
#define HYDRA_ENGINE_ENGINE_H

#include "hydra/core/query.h"
#include "hydra/core/step.h"
#include "hydra/feed/feed.h"
#include "hydra/metrics/metrics.h"
#include "hydra/store/store.h"

enum engine_outcome {
    ENGINE_DURABLE,         /* what the result says is committed */
    ENGINE_UNAVAILABLE,     /* rolled back, or unproven: 503 store_unavailable, outcome unknown */
    ENGINE_LATE,            /* its wait is over; the operation may still become durable */
    ENGINE_FAULT            /* core_step failed (no memory, a bug): 500; `err` says which */
};
struct engine_op;
typedef void engine_done_fn(void *ctx, enum engine_outcome outcome, enum hc_err err, struct core_result *result);
struct engine_op {          /* owned by the caller (in the request's arena), valid until done */
    struct core_event ev;   /* type, caller and u filled by the caller; now, seed, store_ok by the engine */
    struct core_result result;      /* freed by the engine after `done` returns */
    int64_t wait_ms;        /* how long `done` may be put off; 0: commitWait */
    engine_done_fn *done; void *ctx;
    /* the engine's own */
    uint64_t wait_seq; int64_t deadline_ms; bool changed; struct engine_op *next, *prev; bool queued;
    bool settled; enum engine_outcome outcome; enum hc_err err;      /* settled: what `done` will be told is known */
};

struct journal;
struct engine;
struct engine_config {
    const struct store_ops *ops; struct store *store; struct core_config *core; struct metrics *metrics; struct feed *feed;
    int wake_fd;            /* eventfd: written by the commit thread when there is something to dispatch */
    hc_time (*now)(void);   /* os_now; tests give their own */
    void (*random)(void *out, size_t len);
    struct journal *journal; /* NULL: nothing is recorded */
};
/* CORE_START on the loaded state, the first save (generation + 1), then the commit thread. HC_ERR_* with diag when the first save fails.
 * Takes `loaded` on success. `config` is copied; what it points to outlives the engine. */
HC_MUST enum hc_err engine_start(const struct engine_config *config, struct alloc *loaded, const struct load_facts *facts,
                                 struct engine **ret_engine,
                                 struct hc_diag *diag);
/* CORE_STOP, and a last save of what is not on disk yet; every waiting operation has been dispatched or is called with ENGINE_UNAVAILABLE;
 * frees the engine. HC_ERR_TIMEOUT with diag: a save has not come back within `most_ms`. Then the engine and all that its configuration
 * names must stay as long as the process, for the commit thread still uses them; it may be asked again.
 * Accepts NULL. */
HC_MUST enum hc_err engine_stop(struct engine *engine, int64_t most_ms, struct hc_diag *diag);

void engine_submit(struct engine *engine, struct engine_op *op);
/* A dry run: decided and undone; `done` at once (ENGINE_DURABLE), whatever the store does. */
void engine_try(struct engine *engine, struct engine_op *op);
/* Withdraws a waiting operation whose asker has gone; the change itself stays. */
void engine_forget(struct engine *engine, struct engine_op *op);

/* After the eventfd fired, or next_due passed: runs due `done`s, the store's probe, publishes committed notes, feeds history back. */
void engine_dispatch(struct engine *engine);
int64_t engine_next_due_ms(struct engine *engine);       /* monotonic ms of the next deadline or tick; the loop waits no longer */
/* Runs CORE_TICK when due (watchdogTick), otherwise nothing. */
void engine_tick(struct engine *engine);

/* News: called on the loop thread after a commit (or observed change) with what changed, once per (kind, key); and once with kind
 * REC_KINDS at the end.
 * Called by engine_dispatch() alone, so a change that only made something observable is told with the next dispatch.
 * Used for desired and admission long-polls and parked reads. */
typedef void engine_news_fn(void *ctx, enum rec_kind kind, const char *key);
void engine_on_news(struct engine *engine, engine_news_fn *fn, void *ctx);

/* A consistent view of committed records and of what is observed, for lists: taken under the mutex (references only), used without it. */
struct engine_view { struct core_view view; struct alloc *saved; struct observed *obs; };
HC_MUST enum hc_err engine_view_take(struct engine *engine, struct engine_view *ret);
void engine_view_free(struct engine *engine, struct engine_view *view);
/* One record's committed version, referenced; NULL: absent. For cheap lookups (authentication of a node). Give back with engine_release. */
const struct rec *engine_get(struct engine *engine, enum rec_kind kind, const char *key);
void engine_release(struct engine *engine, const struct rec *rec);
/* What one body is to do, from committed records, without a view of everything: bodies ask every few seconds. HC_ERR_NOTFOUND. */
HC_MUST enum hc_err engine_directive(struct engine *engine, const char *body_id, struct hc_arena *arena, struct directive *ret);
/* Node id by SHA-256 hex of its token, from committed records; false: none. O(1). */
bool engine_node_by_token(struct engine *engine, const char *token_hash, char ret_node_id[HC_ID_SIZE], enum approval *ret_approval,
                          uint32_t *ret_roles);

struct engine_health { bool store_ok, history_ok, safe_mode; char store_detail[HC_DIAG_SIZE]; int64_t store_down_ms; uint64_t generation,
    saves, waiting; };
void engine_health(struct engine *engine, struct engine_health *ret);

#endif
