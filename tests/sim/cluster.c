/* cluster.c - the daemon: live and committed records, what it observed, and core_step(). Saves are in save.c, deaths in restart.c. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim.h"

#define EPOCH_OF_DAYS_MS  INT64_C(1788514800000)      /* some morning; true time 0 of every run */
#define TICK_MS           10000

hc_time daemon_now(const struct sim *sim)
{
    return (hc_time){ EPOCH_OF_DAYS_MS + sim->now + sim->cluster.skew_ms };
}

struct core_view live_view(const struct sim *sim)
{
    return (struct core_view){ .saved = sim->cluster.live, .obs = sim->cluster.obs, .now = daemon_now(sim) };
}

struct core_view committed_view(const struct sim *sim)
{
    return (struct core_view){ .saved = sim->cluster.committed, .obs = sim->cluster.obs, .now = daemon_now(sim) };
}

struct core_event cluster_event(const struct sim *sim, enum core_event_type type, enum caller_kind kind, const char *node_id)
{
    struct core_event ev = { .type = type, .now = daemon_now(sim), .store_ok = sim->cluster.store_ok, .caller = { .kind = kind } };
    HC_SET(ev.caller.node_id, node_id);
    return ev;
}

uint64_t cluster_seed(struct sim *sim)
{
    return ++sim->cluster.steps;
}

static void keep_notes(struct sim *sim)
{
    const struct core_result *last = &sim->cluster.last;
    for (size_t i = 0; i < last->note_count; i++)
        if (sim->note_count < sizeof sim->notes / sizeof sim->notes[0])
            sim->notes[sim->note_count++] = last->notes[i];
}

enum hc_err cluster_step(struct sim *sim, struct core_event *ev, uint64_t seed)
{
    struct cluster *c = &sim->cluster;
    assert(c->running);
    core_result_free(&c->last);
    memcpy(ev->seed, &seed, sizeof seed);
    memcpy(ev->seed + 8, &sim->seed, sizeof sim->seed);
    sim->step_type = ev->type;
    sim->step_caller = ev->caller.kind;
    bool body = ev->type == CORE_BODY_REPORT || ev->type == CORE_OP_NEXT || ev->type == CORE_OP_RESULT;
    HC_SET(sim->step_head, ev->caller.kind == CALLER_NODE && !body ? ev->caller.node_id : "");
    watch_before(sim, ev);
    enum hc_err err = core_step(c->live, c->obs, ev, &c->last);
    if (err != HC_OK) {
        sim_violation(sim, "core_step(%s) failed: %s", core_event_name(ev->type), hc_err_text(err));
        return err;
    }
    if (c->last.dirty)
        c->live_seq++;
    if (sim->mode == MODE_SCRIPT)
        keep_notes(sim);
    for (size_t i = 0; i < c->last.note_count; i++)
        if (c->last.notes[i].type == NOTE_EDGE_ERROR)
            sim_violation(sim, "lease_edge_error: %s", c->last.notes[i].detail);
    watch_step(sim, ev, &c->last);
    if (c->last.dirty)
        cluster_want_save(sim);
    return HC_OK;
}

void cluster_put(struct sim *sim, struct rec *rec)
{
    if (rec == NULL || alloc_put(sim->cluster.live, rec->kind, rec->key, rec) != HC_OK)
        abort();                             /* a test without memory is over */
    rec_unref(rec);
}

void cluster_tick(struct sim *sim)
{
    sim_at(sim, sim->now + TICK_MS, EV_TICK, 0, 0);
    if (!sim->cluster.running)
        return;
    struct core_event ev = cluster_event(sim, CORE_TICK, CALLER_SYSTEM, "");
    (void)cluster_step(sim, &ev, cluster_seed(sim));
}

#define HISTORY_LINES_MAX 32
/* What the feed does: lines of ended leases are written, and the store lets go of them. */
void cluster_history(struct sim *sim)
{
    struct cluster *c = &sim->cluster;
    const char *ids[HISTORY_LINES_MAX];
    size_t count = 0;
    if (!c->running || !c->store_ok || sim->keeps_history)
        return;
    for (size_t b = 0; b < alloc_count(c->committed, REC_BODY); b++) {
        const struct body_rec *body = (const struct body_rec *)alloc_at(c->committed, REC_BODY, b);
        for (size_t i = 0; i < body->slot_count; i++)
            for (size_t k = 0; k < body->slots[i].lease_count && count < HISTORY_LINES_MAX; k++)
                if (lease_is_terminal(body->slots[i].leases[k].state))
                    ids[count++] = body->slots[i].leases[k].id;
    }
    if (count == 0)
        return;
    struct core_event ev = cluster_event(sim, CORE_HISTORY_WRITTEN, CALLER_SYSTEM, "");
    ev.u.history = (struct history_req){ ids, count };
    (void)cluster_step(sim, &ev, cluster_seed(sim));
}

void cluster_start(struct sim *sim)
{
    struct cluster *c = &sim->cluster;
    timers_default(&c->config.timers);
    memset(c->config.secret, 7, sizeof c->config.secret);
    HC_SET(c->config.default_district, SIM_DISTRICT);
    c->config.queue_max_tickets = QUEUE_TICKETS_DEFAULT;
    c->keys = hc_alloc(SIM_KEYS_MAX * sizeof c->keys[0]);
    if (c->keys == NULL || alloc_new(&c->config, &c->live) != HC_OK || observed_new(&c->obs) != HC_OK)
        abort();
    c->store_ok = true;
    sim_at(sim, sim->now + TICK_MS, EV_TICK, 0, 0);
}

void cluster_free(struct cluster *c)
{
    core_result_free(&c->last);
    alloc_free(c->live);
    alloc_free(c->committed);
    alloc_free(c->cut);
    alloc_free(c->disk);
    alloc_free(c->backup);
    observed_free(c->obs);
    hc_free(c->keys);
}
