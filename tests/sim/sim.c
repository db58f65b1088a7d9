/* sim.c - one run: its events in order, the checks behind each of them, its phases. */
#include "sim.h"

#include <stdlib.h>
#include <string.h>

#define HISTORY_EVERY_MS 20000
#define BEGINS_AT_MS     1000       /* 0 is never */
#define SERVE_MS         (110 * HC_MINUTE_MS)
#define LEAVE_MS         (50 * HC_MINUTE_MS)

const char *const sim_experiences[2] = { "rupelmonde", "mercator" };
const char *const sim_venues[3] = { "north", "south", "east" };

void sim_start(struct sim *sim, uint64_t seed, enum sim_mode mode)
{
    memset(sim, 0, sizeof *sim);
    sim->mode = mode;
    sim->seed = seed;
    sim->chance.state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    sim->now = sim->began_at = BEGINS_AT_MS;
    sim->digest = HC_FNV1A64_START;
    sim->keeps_history = mode == MODE_SCRIPT;
    sim->healed = mode == MODE_SCRIPT;
    cluster_start(sim);
}

void sim_free(struct sim *sim)
{
    cluster_free(&sim->cluster);
}

static void run_phases(struct sim *sim)
{
    struct cluster *c = &sim->cluster;
    bool able = c->running && c->store_ok;
    if (!sim->healed && sim->now >= sim->heals_at && sim->cluster.running) {
        c->cursed_until = 0;
        c->next_fate = SAVE_GOOD;
        if (able) {
            sim->heals_at = sim->now;
            sim->leaves_at = sim->now + SERVE_MS;
            sim->ends_at = sim->leaves_at + LEAVE_MS;
            fleet_heal(sim);
        }
    }
    if (sim->healed && !sim->leaving && sim->now >= sim->leaves_at) {
        fleet_served(sim);
        sim->leaving = true;
        sim_trace(sim, "all leave");
    }
}

static void networks(struct sim *sim)
{
    for (size_t i = 0; i < sim->body_count; i++) {
        struct machine *m = &sim->bodies[i];
        m->quiet = m->quiet_until > sim->now;
        m->xr = m->xr_until > sim->now && !m->x.capable;
    }
    for (size_t i = 0; i < sim->head_count; i++)
        sim->heads[i].quiet = sim->heads[i].quiet_until > sim->now;
}

static void tick(struct sim *sim)
{
    if (sim->mode == MODE_RANDOM) {
        networks(sim);
        run_phases(sim);
    }
    cluster_tick(sim);
}

static void saved(struct sim *sim)
{
    struct cluster *c = &sim->cluster;
    enum save_fate fate = c->next_fate;
    c->next_fate = SAVE_GOOD;
    cluster_saved(sim, fate);
}

static void run(struct sim *sim, const struct sim_event *ev)
{
    struct cluster *c = &sim->cluster;
    switch (ev->kind) {
    case EV_TICK:
        tick(sim);
        break;
    case EV_SAVED:
        if (ev->number == c->number_of_life)
            saved(sim);
        break;
    case EV_PROBE:
        if (ev->number == c->number_of_life)
            cluster_probe(sim);
        break;
    case EV_RESTART:
        cluster_restart(sim, sim->next_skew_ms, sim->next_restore, sim->next_downgrade);
        break;
    case EV_MACHINE:
        if (ev->number == sim->bodies[ev->who].wakes)
            machine_act(sim, ev->who);
        break;
    case EV_REPORT:
        if (sim->flights[ev->who].used && sim->flights[ev->who].number == ev->number)
            report_arrives(sim, &sim->flights[ev->who]);
        break;
    case EV_DIRECTIVE:
        machine_directive(sim, &sim->bodies[ev->who]);
        break;
    case EV_HEAD:
        if (ev->number == sim->heads[ev->who].wakes)
            head_act(sim, ev->who);
        break;
    case EV_PARKED:
        if (sim->ops[ev->who].number == ev->number)
            op_parked(sim, &sim->ops[ev->who]);
        break;
    case EV_HISTORY:
        cluster_history(sim);
        sim_at(sim, sim->now + HISTORY_EVERY_MS, EV_HISTORY, 0, 0);
        break;
    case EV_FAULT:
        fault_act(sim);
        break;
    case EV_OPERATOR:
        operator_act(sim);
        break;
    case EV_AGENT:
        if (ev->number == sim->bodies[ev->who].agent.wakes)
            agent_act(sim, ev->who);
        break;
    case EV_DEVICE:
        device_act(sim, ev->who, ev->number);
        break;
    case EV_KINDS:
        break;
    }
}

bool sim_step(struct sim *sim)
{
    struct sim_event ev;
    if (sim->violations > 0 || !sim_pop(sim, &ev))
        return false;
    sim->now = ev.at;
    sim->event_number++;
    if (sim->mode == MODE_RANDOM && sim->healed && sim->now >= sim->ends_at) {
        fleet_empty(sim);
        return false;
    }
    run(sim, &ev);
    return sim->violations == 0;
}
