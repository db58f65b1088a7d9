/* restart.c - the daemon dies and comes back: only what was committed returns, and nothing of what was observed. */
#include <stdlib.h>

#include "sim.h"

#define RESTART_EVERY_MS 2000

void cluster_crash(struct sim *sim, int64_t down_ms)
{
    struct cluster *c = &sim->cluster;
    if (!c->running)
        return;
    /* The save under way may have reached the disk, a rename that nobody proved may be undone. */
    bool reached = c->saving && sim->now >= c->cursed_until && sim->mode == MODE_RANDOM && chance_percent(&sim->chance, 50);
    bool undone = c->forward_only && chance_percent(&sim->chance, 50);
    const struct alloc *left = reached ? c->cut : c->forward_only && !undone ? c->disk : c->committed;
    c->saved_at = reached ? c->cut_at : left == c->disk ? c->disk_saved_at : c->saved_at;
    struct alloc *disk;
    if (alloc_snapshot(left, &disk) != HC_OK)
        abort();
    disk->generation = reached ? ++c->generation : disk->generation;
    for (size_t i = 0; i < SIM_OPS_MAX; i++)
        op_free(&sim->ops[i]);
    for (size_t i = 0; i < sim->head_count; i++) {
        struct device *d = &sim->heads[i].device;
        sim->heads[i].op = -1;
        d->unsure = d->unsure || d->asking;
        d->asking = false;
    }
    alloc_free(c->live);
    alloc_free(c->committed);
    alloc_free(c->disk);
    alloc_free(c->cut);
    observed_free(c->obs);
    c->live = disk;
    c->committed = c->disk = c->cut = NULL;
    c->obs = NULL;
    c->running = c->saving = c->forward_only = false;
    c->key_count = 0;
    c->stopped_at = sim->now;
    c->number_of_life++;
    sim_trace(sim, "daemon dies for %lld ms", (long long)down_ms);
    sim_at(sim, sim->now + down_ms, EV_RESTART, 0, c->number_of_life);
}

/* An operator put the old copy of the files back. */
static void restore_backup(struct cluster *c)
{
    struct alloc *old;
    if (alloc_snapshot(c->backup, &old) != HC_OK)
        abort();
    alloc_free(c->live);
    c->live = old;
}

void cluster_restart(struct sim *sim, int64_t skew_ms, bool restore, bool downgrade)
{
    struct cluster *c = &sim->cluster;
    if (sim->now < c->cursed_until) {        /* its first save fails: it says so, exits, and is started again */
        sim_at(sim, sim->now + RESTART_EVERY_MS, EV_RESTART, 0, c->number_of_life);
        return;
    }
    bool stepped = skew_ms != c->skew_ms;
    sim->stepped = sim->stepped || stepped || (restore && c->backup != NULL);
    c->skew_ms = skew_ms;
    restore = restore && c->backup != NULL;
    if (restore)
        restore_backup(c);
    c->running = c->store_ok = true;
    c->started_at = sim->now;
    if (observed_new(&c->obs) != HC_OK)
        abort();
    for (size_t i = 0; i < sim->body_count; i++)
        sim->bodies[i].heard_at = 0, sim->bodies[i].agent.asking = sim->bodies[i].told_known = false;
    int64_t outage_ms = daemon_now(sim).ms - c->saved_at;
    outage_ms = outage_ms < 0 || c->saved_at == 0 ? 0 : outage_ms;
    watch_restart(sim, outage_ms, stepped, restore);
    sim_trace(sim, "daemon starts, skew %lld ms%s%s", (long long)skew_ms, restore ? ", restored backup" : "", downgrade ? ", downgrade"
              : "");
    struct core_event ev = cluster_event(sim, CORE_START, CALLER_SYSTEM, "");
    ev.u.start = (struct start_req){ .outage_ms = outage_ms, .saved_at = { c->saved_at }, .downgrade = downgrade };
    (void)cluster_step(sim, &ev, cluster_seed(sim));
    cluster_first_save(sim);
}
