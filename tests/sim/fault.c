/* fault.c - what goes wrong: the daemon, its disk, machines, networks, strangers. */
#include <stdlib.h>
#include <string.h>

#include "sim.h"

#define BACKUP_PERCENT 12

static void daemon_dies(struct sim *sim)
{
    int64_t down_ms = chance_percent(&sim->chance, 80) ? chance_between(&sim->chance, 300, 20000) : chance_seconds(&sim->chance, 30, 1200);
    sim->next_skew_ms = sim->cluster.skew_ms;
    if (chance_percent(&sim->chance, 15))
        sim->next_skew_ms += chance_between(&sim->chance, -HC_HOUR_MS, HC_HOUR_MS);
    else if (chance_percent(&sim->chance, 15))
        sim->next_skew_ms += chance_between(&sim->chance, -30000, 30000);
    sim->next_restore = chance_percent(&sim->chance, 6);
    sim->next_downgrade = chance_percent(&sim->chance, 5);
    cluster_crash(sim, down_ms);
}

static void take_backup(struct sim *sim)
{
    struct cluster *c = &sim->cluster;
    struct alloc *copy;
    if (c->committed == NULL)
        return;
    if (alloc_snapshot(c->committed, &copy) != HC_OK)
        abort();
    alloc_free(c->backup);
    c->backup = copy;
}

static void disk_fails(struct sim *sim)
{
    struct cluster *c = &sim->cluster;
    switch (chance_between(&sim->chance, 0, 3)) {
    case 0:
        c->next_fate = SAVE_FAILS;
        break;
    case 1:
        c->next_fate = SAVE_UNPROVEN;
        break;
    case 2:
        c->next_fate = SAVE_FOREIGN;
        break;
    default:
        c->cursed_until = sim->now + chance_between(&sim->chance, 500, chance_percent(&sim->chance, 90) ? 15000 : 400000);
        break;
    }
}

static void body_fault(struct sim *sim, struct machine *m)
{
    switch (chance_between(&sim->chance, 0, 7)) {
    case 0:
        machine_reboot(sim, m, chance_seconds(&sim->chance, 20, 180));
        break;
    case 1: case 2:
        if (m->agent_up)
            machine_restart_agent(sim, m);
        break;
    case 3:
        m->quiet_until = sim->now + chance_seconds(&sim->chance, 5, chance_percent(&sim->chance, 85) ? 150 : 1000);
        sim_trace(sim, "%s is cut off", m->id);
        break;
    case 4:
        m->refuses_percent = (unsigned)chance_between(&sim->chance, 0, 60);
        break;
    case 5:
        m->xr_until = sim->now + chance_seconds(&sim->chance, 10, 200);
        break;
    case 6:
        m->misreads = chance_percent(&sim->chance, 30);
        m->lies = chance_percent(&sim->chance, 30);
        break;
    default:
        for (size_t i = 0; i < SIM_SESSIONS_MAX; i++)
            if (m->sessions[i].on && chance_percent(&sim->chance, 50))
                machine_end(sim, m, &m->sessions[i], chance_between(&sim->chance, 100, 3000));      /* Sunshine crashed */
    }
}

/* Somebody with Moonlight and a password. */
static void stranger(struct sim *sim, struct machine *m)
{
    uint32_t slot = (uint32_t)chance_between(&sim->chance, 0, (int64_t)m->slots - 1);
    if (!m->powered || m->xr_until > sim->now || (machine_busy(m, slot) && chance_percent(&sim->chance, 70)))
        return;
    struct session *session = machine_launch(sim, m, slot, -1, "", sim_experiences[0]);
    if (session != NULL)
        session->stranger_until = sim->now + chance_seconds(&sim->chance, 20, 500);
}

static void end_strangers(struct sim *sim)
{
    for (size_t b = 0; b < sim->body_count; b++) {
        struct machine *m = &sim->bodies[b];
        for (size_t i = 0; i < SIM_SESSIONS_MAX && m->used; i++) {
            struct session *session = &m->sessions[i];
            bool orphan = session->head < 0 || (sim->healed && sim->heads[session->head].body != (int)b);
            if (session->on && !session->ending && orphan && (sim->healed || session->stranger_until <= sim->now))
                machine_end(sim, m, session, 2000);
        }
    }
}

void fault_act(struct sim *sim)
{
    sim_at(sim, sim->now + (sim->healed ? 20000 : chance_seconds(&sim->chance, 3, 90)), EV_FAULT, 0, 0);
    end_strangers(sim);
    if (sim->healed || sim->calm)
        return;
    struct machine *m = &sim->bodies[chance_between(&sim->chance, 0, (int64_t)sim->body_count - 1)];
    struct head *h = &sim->heads[chance_between(&sim->chance, 0, (int64_t)sim->head_count - 1)];
    if (chance_percent(&sim->chance, BACKUP_PERCENT))
        take_backup(sim);
    switch (chance_between(&sim->chance, 0, 9)) {
    case 0:
        daemon_dies(sim);
        break;
    case 1:
        if (sim->cluster.running)
            disk_fails(sim);
        break;
    case 2: case 3:
        h->quiet_until = sim->now + chance_seconds(&sim->chance, 5, chance_percent(&sim->chance, 90) ? 200 : 2200);
        sim_trace(sim, "%s is cut off", h->id);
        break;
    case 4:
        if (m->used)
            stranger(sim, m);
        break;
    case 5: case 6: case 7:
        if (m->used)
            body_fault(sim, m);
        break;
    default:
        break;                               /* a quiet time */
    }
}
