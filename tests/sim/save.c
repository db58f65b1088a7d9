/* save.c - group commit as the engine does it: one save under way, the next group gathers behind it; four ways in which it ends. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sim.h"

#define SAVE_MS_LOW        1
#define SAVE_MS_HIGH       40
#define SAVE_SLOW_MS       4000
#define PROBE_EVERY_MS     1000

static void add_key(struct cluster *c, enum rec_kind kind, const char *key)
{
    for (size_t i = 0; i < c->key_count; i++)
        if (c->keys[i].kind == kind && hc_same(c->keys[i].key, key))
            return;
    assert(c->key_count < SIM_KEYS_MAX);
    c->keys[c->key_count].kind = kind;
    HC_SET(c->keys[c->key_count++].key, key);
}

static void take_cut(struct cluster *c)
{
    if (!c->forward_only)
        c->key_count = 0;
    for (size_t i = 0; i < c->live->dirty_count; i++)
        add_key(c, c->live->dirty[i].kind, c->live->dirty[i].key);
    alloc_free(c->cut);
    c->cut = NULL;
    if (alloc_snapshot(c->live, &c->cut) != HC_OK)
        abort();
    alloc_clear_dirty(c->live);
    c->cut_seq = c->live_seq;
    c->saving = true;
}

static void begin_save(struct sim *sim)
{
    struct cluster *c = &sim->cluster;
    take_cut(c);
    c->cut_at = daemon_now(sim).ms;
    if (sim->mode == MODE_SCRIPT) {
        sim_at(sim, sim->now, EV_SAVED, 0, c->number_of_life);
        return;
    }
    bool slow = !sim->healed && chance_percent(&sim->chance, 1);
    int64_t takes = slow ? chance_between(&sim->chance, 100, SAVE_SLOW_MS) : chance_between(&sim->chance, SAVE_MS_LOW, SAVE_MS_HIGH);
    sim_at(sim, sim->now + takes, EV_SAVED, 0, c->number_of_life);
}

void cluster_want_save(struct sim *sim)
{
    struct cluster *c = &sim->cluster;
    if (c->committed != NULL && !c->saving && c->store_ok)
        begin_save(sim);
}

static void put_back(struct cluster *c)
{
    for (size_t i = 0; i < c->live->dirty_count; i++)
        add_key(c, c->live->dirty[i].kind, c->live->dirty[i].key);
    const struct alloc *base = c->forward_only ? c->disk : c->committed;
    for (size_t i = 0; i < c->key_count; i++) {
        const struct key *key = &c->keys[i];
        if (alloc_put(c->live, key->kind, key->key, (struct rec *)alloc_get(base, key->kind, key->key)) != HC_OK)
            abort();
    }
    alloc_clear_dirty(c->live);
}

static void store_down(struct sim *sim)
{
    struct cluster *c = &sim->cluster;
    if (!c->store_ok)
        return;
    c->store_ok = false;
    c->down_at = sim->now;
    c->obs->store_down_since = daemon_now(sim);
    sim_at(sim, sim->now + PROBE_EVERY_MS, EV_PROBE, 0, c->number_of_life);
    sim_trace(sim, "store down");
}

static void outage_over(struct sim *sim)
{
    struct cluster *c = &sim->cluster;
    int64_t outage_ms = sim->now - c->down_at;
    c->store_ok = true;
    c->obs->store_down_since = HC_TIME_NEVER;
    watch_outage(sim, outage_ms);
    sim_trace(sim, "store up after %lld ms", (long long)outage_ms);
    struct core_event ev = cluster_event(sim, CORE_OUTAGE_OVER, CALLER_SYSTEM, "");
    ev.u.outage.outage_ms = outage_ms;
    (void)cluster_step(sim, &ev, cluster_seed(sim));
}

static void durable(struct sim *sim)
{
    struct cluster *c = &sim->cluster;
    alloc_free(c->committed);
    alloc_free(c->disk);
    c->committed = c->cut;
    c->cut = c->disk = NULL;
    c->committed->generation = c->live->generation = ++c->generation;
    c->durable_seq = c->cut_seq;
    c->saved_at = c->cut_at;
    c->forward_only = false;
    c->key_count = 0;
    watch_committed(sim);
    if (!c->store_ok)
        outage_over(sim);
    cluster_take_answers(sim);
    machines_hear_news(sim);
    agents_hear_news(sim);
    if (c->live->dirty_count > 0)
        cluster_want_save(sim);
}

/* The one save before anything is served: without it there is no daemon. */
void cluster_first_save(struct sim *sim)
{
    struct cluster *c = &sim->cluster;
    take_cut(c);
    c->cut_at = daemon_now(sim).ms;
    c->saving = false;
    durable(sim);
}

/* Renamed, not proven: memory stays, nothing leaves, and after a crash either may be what the disk has. */
static void unproven(struct sim *sim)
{
    struct cluster *c = &sim->cluster;
    alloc_free(c->disk);
    if (alloc_snapshot(c->live, &c->disk) != HC_OK)
        abort();
    for (size_t i = 0; i < c->live->dirty_count; i++)
        add_key(c, c->live->dirty[i].kind, c->live->dirty[i].key);
    alloc_clear_dirty(c->live);
    c->disk->generation = c->live->generation = ++c->generation;
    c->forward_only = true;
    c->disk_saved_at = c->cut_at;
    cluster_fail_answers(sim);
    store_down(sim);
}

/* Another process wrote the file from an old copy of it: what it says wins but for what we had acknowledged (rules §3.3). */
static void foreign(struct sim *sim)
{
    struct cluster *c = &sim->cluster;
    struct alloc *theirs;
    struct core_result result;
    if (alloc_snapshot(c->backup != NULL ? c->backup : c->committed, &theirs) != HC_OK)
        abort();
    theirs->generation = c->generation + 1;
    sim_trace(sim, "foreign file");
    if (core_merge_foreign(theirs, c->committed, c->obs, daemon_now(sim), &result) != HC_OK)
        sim_violation(sim, "core_merge_foreign() failed");
    core_result_free(&result);
    alloc_free(c->live);
    c->live = theirs;
    c->generation = theirs->generation;
    c->live_seq++;
    alloc_clear_dirty(c->live);
    c->key_count = 0;
    c->disk_saved_at = c->saved_at;
    alloc_free(c->disk);
    if (alloc_snapshot(c->live, &c->disk) != HC_OK)
        abort();
    c->forward_only = true;
    for (enum rec_kind kind = 0; kind < REC_SAVED_KINDS; kind++) {
        for (size_t i = 0; i < alloc_count(c->live, kind); i++)
            add_key(c, kind, alloc_at(c->live, kind, i)->key);
        for (size_t i = 0; i < alloc_count(c->committed, kind); i++)
            add_key(c, kind, alloc_at(c->committed, kind, i)->key);
    }
    watch_replaced(sim);
    watch_lost(sim);
    struct core_event ev = cluster_event(sim, CORE_TICK, CALLER_SYSTEM, "");
    (void)cluster_step(sim, &ev, cluster_seed(sim));
    cluster_run_again(sim);
    if (!c->saving)
        begin_save(sim);
}

void cluster_saved(struct sim *sim, enum save_fate fate)
{
    struct cluster *c = &sim->cluster;
    if (!c->running || !c->saving)
        return;
    c->saving = false;
    if (sim->now < c->cursed_until && fate == SAVE_GOOD)
        fate = SAVE_FAILS;
    switch (fate) {
    case SAVE_GOOD:
        durable(sim);
        break;
    case SAVE_FAILS:
        put_back(c);
        c->durable_seq = c->live_seq;
        watch_lost(sim);
        cluster_fail_answers(sim);
        store_down(sim);
        break;
    case SAVE_UNPROVEN:
        unproven(sim);
        break;
    case SAVE_FOREIGN:
        foreign(sim);
        break;
    }
}

void cluster_probe(struct sim *sim)
{
    struct cluster *c = &sim->cluster;
    if (!c->running || c->store_ok)
        return;
    if (!c->saving)
        begin_save(sim);
    sim_at(sim, sim->now + PROBE_EVERY_MS, EV_PROBE, 0, c->number_of_life);
}
