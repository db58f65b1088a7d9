/* engine.c - start, stop, health. */
#include "hydra/engine/engine.h"

#include <stdio.h>
#include <string.h>

#include "engine_state.h"
#include "hydra/base/arena.h"
#include "hydra/base/log.h"
#include "hydra/os/clock.h"

#define RECORDER_STOP_MS 5000      /* of a start that failed */

static void engine_free(struct engine *e)
{
    recorder_free(e);
    notes_free(&e->notes_held);
    notes_free(&e->notes_out);
    for (struct group *group = e->news; group != NULL;) {
        struct group *next = group->next;
        group_free(group);
        group = next;
    }
    group_free(e->held);
    group_free(e->unapplied);
    group_free(e->reverting);
    group_free(e->foreign_group);
    alloc_free(e->foreign);
    alloc_free(e->floor);
    alloc_free(e->committed);
    alloc_free(e->live);
    observed_free(e->obs);
    tokens_free(e);
    hc_free(e->spare);
    hc_free(e->seen);
    (void)pthread_cond_destroy(&e->work);
    (void)pthread_mutex_destroy(&e->mutex);
    hc_free(e);
}

static enum hc_err start_step(struct engine *e, const struct load_facts *facts)
{
    hc_time now = e->config.now();
    int64_t outage_ms = hc_time_set(facts->saved_at) ? hc_time_since(now, facts->saved_at) : 0;
    struct core_event ev = { .type = CORE_START };
    ev.u.start = (struct start_req){ outage_ms < 0 ? 0 : outage_ms, facts->saved_at, facts->downgrade, facts->allocation_missing };
    struct core_result result = { .dirty = false };
    e->config.random(ev.seed, sizeof ev.seed);
    enum hc_err err = engine_step(e, &ev, now, &result);
    recorder_write(e);
    core_result_free(&result);
    return err;
}

static enum hc_err prepare(struct engine *e, const struct load_facts *facts)
{
    enum hc_err err = observed_new(&e->obs);
    if (err == HC_OK)
        err = alloc_snapshot(e->live, &e->committed);
    if (err != HC_OK)
        return err;
    e->obs->started_at = e->config.now();
    e->rescan = true;
    tokens_fill(e);
    history_fill_pools(e);
    return start_step(e, facts);
}

/* The generation that this run's event ids begin with is on disk before anything is served. */
static enum hc_err first_save(struct engine *e, struct hc_diag *diag)
{
    engine_lock(e);
    engine_commit_once(e);
    bool saved = e->saves == 1;
    bool foreign = e->foreign != NULL;
    engine_unlock(e);
    if (saved)
        return HC_OK;
    if (foreign)
        return hc_fail(diag, HC_ERR_GENERATION, "the data files changed between reading and the first save: start again");
    return hc_fail(diag, HC_ERR_IO, "the first save failed: %s", e->detail);
}

/* Its timed waits are of the same clock as os_monotonic_us(). */
static void init_work(struct engine *e)
{
    pthread_condattr_t attributes;
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&e->work, &attributes);
    (void)pthread_condattr_destroy(&attributes);
}

enum hc_err engine_start(const struct engine_config *config, struct alloc *loaded, const struct load_facts *facts,
                         struct engine **ret_engine, struct hc_diag *diag)
{
    struct engine *e = hc_alloc(sizeof *e);
    if (e == NULL)
        return hc_fail(diag, HC_ERR_NOMEM, "%s", hc_err_text(HC_ERR_NOMEM));
    e->config = *config;
    e->timers = &config->core->timers;
    e->live = loaded;
    e->store_ok = e->logged_ok = e->recorder.logged_ok = true;
    e->next_tick_ms = os_monotonic_ms() + e->timers->watchdog_tick_ms;
    (void)pthread_mutex_init(&e->mutex, NULL);
    init_work(e);
    if (diag != NULL)
        diag->text[0] = '\0';
    enum hc_err err = prepare(e, facts);
    if (err == HC_OK)
        err = first_save(e, diag);
    if (err == HC_OK)
        err = os_worker_start(&e->committer, engine_commit_main, e);
    if (err != HC_OK) {
        if (diag != NULL && diag->text[0] == '\0')
            (void)hc_fail(diag, err, "%s", hc_err_text(err));
        if (!recorder_stop(e, RECORDER_STOP_MS))
            return err;                   /* its thread still looks at the state */
        e->live = NULL;                   /* the caller's again */
        engine_free(e);
        return err;
    }
    tally_start(e);
    engine_wake_loop(e);                  /* the notes of the start are to be published */
    *ret_engine = e;
    return HC_OK;
}

/* What a clean stop still has to say, and the word to the commit thread. */
static void ask_to_stop(struct engine *e)
{
    struct core_event ev = { .type = CORE_STOP };
    struct core_result result = { .dirty = false };
    e->config.random(ev.seed, sizeof ev.seed);
    hc_time now = e->config.now();
    engine_lock(e);
    engine_settle(e, now);
    enum hc_err err = engine_usable(e) && e->store_ok ? engine_step(e, &ev, now, &result) : HC_OK;
    e->stop = true;
    (void)pthread_cond_signal(&e->work);
    engine_unlock(e);
    recorder_write(e);
    core_result_free(&result);
    if (err != HC_OK)
        hc_log(HC_LOG_WARNING, "stop_without_last_seen", "error=%s", hc_logq(hc_err_text(err)));
}

static enum hc_err tell_hang(struct engine *e, struct hc_diag *diag)
{
    int64_t now_ms = os_monotonic_ms();
    engine_lock(e);
    int64_t since_ms = e->saving_since_ms == 0 ? 0 : now_ms - e->saving_since_ms;
    size_t saving = e->saving_count, behind = e->live->dirty_count;
    uint64_t generation = e->generation;
    engine_unlock(e);
    return hc_fail(diag, HC_ERR_TIMEOUT, "a save of %zu records has not come back for %lld s, and %zu changed records wait behind it: "
                   "generation %llu is the last that is known to be on disk, and nothing beyond it was acknowledged", saving,
                   (long long)(since_ms / HC_SECOND_MS), behind, (unsigned long long)generation);
}

enum hc_err engine_stop(struct engine *engine, int64_t most_ms, struct hc_diag *diag)
{
    struct engine *e = engine;
    if (e == NULL)
        return HC_OK;
    ask_to_stop(e);
    bool over = os_worker_end(&e->committer, most_ms);
    engine_dispatch(e);
    engine_lock(e);
    engine_resolve(e, ENGINE_UNAVAILABLE, UINT64_MAX);
    engine_unlock(e);
    engine_dispatch(e);
    if (!over)
        return tell_hang(e, diag);
    if (!recorder_stop(e, most_ms))
        return hc_fail(diag, HC_ERR_TIMEOUT, "all is saved, but the flight recorder's last write has not come back");
    engine_free(e);
    return HC_OK;
}

void engine_on_news(struct engine *engine, engine_news_fn *fn, void *ctx)
{
    engine->news_fn = fn;
    engine->news_ctx = ctx;
}

static bool in_safe_mode(const struct alloc *committed)
{
    for (size_t i = 0; i < alloc_count(committed, REC_DISTRICT); i++)
        if (((const struct district_rec *)alloc_at(committed, REC_DISTRICT, i))->safe_mode != SAFE_NONE)
            return true;
    return false;
}

void engine_health(struct engine *engine, struct engine_health *ret)
{
    struct engine *e = engine;
    hc_time now = e->config.now();
    int64_t now_ms = os_monotonic_ms();
    struct engine_health health = { .history_ok = feed_history_ok(e->config.feed) };
    engine_lock(e);
    int64_t saving_ms = e->saving_since_ms == 0 ? 0 : now_ms - e->saving_since_ms;
    health.store_ok = e->store_ok && saving_ms < SAVE_HANGS_MS;
    health.safe_mode = in_safe_mode(e->committed);
    health.generation = e->generation;
    health.saves = e->saves;
    health.waiting = e->waiting_count;
    if (!e->store_ok) {
        HC_SET(health.store_detail, e->detail);
        health.store_down_ms = hc_time_since(now, e->down_at);
    } else if (!health.store_ok) {
        (void)snprintf(health.store_detail, sizeof health.store_detail, "a save has not come back for %lld s",
                       (long long)(saving_ms / 1000));
        health.store_down_ms = saving_ms;
    }
    engine_unlock(e);
    *ret = health;
}
