/* machine.c - a body as it really is: Sunshine's sessions, an agent that may have forgotten them, a floor under its epochs. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "sim.h"

#define REPORT_BUSY_MS    5000
#define REPORT_IDLE_MS    30000
#define REPORT_DEDUP_MS   45000
#define SHARED_UUID       "0123456789ABCDEF"      /* what every shipping head calls itself */
#define SHARED_NAME       "roth"

struct machine *machine_of(struct sim *sim, const char *body_id)
{
    for (size_t i = 0; i < sim->body_count; i++)
        if (sim->bodies[i].used && hc_same(sim->bodies[i].id, body_id))
            return &sim->bodies[i];
    return NULL;
}

static int index_of(const struct sim *sim, const struct machine *m)
{
    return (int)(m - sim->bodies);
}

int machine_add(struct sim *sim, const char *id, const char *venue, bool modern, uint32_t slots, uint32_t experiences)
{
    size_t at = sim->body_count;
    for (size_t i = 0; i < sim->body_count; i++)
        if (!sim->bodies[i].used)
            at = i;
    assert(at < SIM_BODIES_MAX && slots <= SIM_SLOTS_MAX);
    if (at == sim->body_count)
        sim->body_count++;
    struct machine *m = &sim->bodies[at];
    uint64_t boot = m->boot;
    *m = (struct machine){ .used = true, .modern = modern, .agent_up = true, .powered = true, .slots = slots, .experiences = experiences,
        .boot = boot + 1, .agent_since = sim->now - HC_HOUR_MS, .sends_uptime = true, .tells_client = true, .tells_lease = true,
        .booted_at = sim->now - HC_HOUR_MS };
    HC_SET(m->id, id);
    HC_SET(m->venue, venue);
    return (int)at;
}

bool machine_busy(const struct machine *m, uint32_t slot)
{
    for (size_t i = 0; i < SIM_SESSIONS_MAX; i++)
        if (m->sessions[i].on && m->sessions[i].slot == slot)
            return true;
    return false;
}

struct session *machine_session_of(struct machine *m, int head)
{
    for (size_t i = 0; i < SIM_SESSIONS_MAX; i++)
        if (m->sessions[i].on && !m->sessions[i].ending && m->sessions[i].head == head)
            return &m->sessions[i];
    return NULL;
}

static void name_client(const struct sim *sim, const struct machine *m, struct session *session)
{
    bool known = session->head >= 0 && sim->heads[session->head].kind == HEAD_P2;
    if (!m->tells_client)
        return;
    if (known) {
        (void)snprintf(session->client_name, sizeof session->client_name, "hydra-%.60s", sim->heads[session->head].id);
        device_uuid(&sim->heads[session->head], session->client_uuid);
    } else {
        HC_SET(session->client_name, SHARED_NAME);
        HC_SET(session->client_uuid, SHARED_UUID);
    }
}

/* In this state the slot is the head's. */
static bool slot_is_of(const struct alloc *saved, const char *body_id, uint32_t slot, const char *head_id)
{
    const struct body_rec *body = saved == NULL ? NULL : alloc_body(saved, body_id);
    const struct lease *lease = body == NULL || slot >= body->slot_count ? NULL : slot_live_lease(&body->slots[slot]);
    return lease != NULL && hc_same(lease->head_id, head_id) && lease->state != LEASE_DRAINING;
}

/* Live too: an end that is on its way to the disk has been decided. */
static bool lease_of_head(const struct sim *sim, const struct machine *m, uint32_t slot, int head)
{
    return head >= 0 && slot_is_of(sim->cluster.committed, m->id, slot, sim->heads[head].id) &&
        slot_is_of(sim->cluster.live, m->id, slot, sim->heads[head].id);
}

static void machine_wake(struct sim *sim, struct machine *m);

struct session *machine_launch(struct sim *sim, struct machine *m, uint32_t slot, int head, const char *lease_id, const char *app)
{
    struct session *session = NULL;
    for (size_t i = 0; i < SIM_SESSIONS_MAX && session == NULL; i++)
        if (!m->sessions[i].on)
            session = &m->sessions[i];
    if (session == NULL || slot >= m->slots)
        return NULL;
    bool joins = machine_busy(m, slot);
    *session = (struct session){ .on = true, .starting = true, .joined = joins, .slot = slot, .head = head, .since = sim->now,
        .admitted = lease_of_head(sim, m, slot, head) };
    session->innocent = session->admitted;
    session->next_at = sim->now + (sim->mode == MODE_SCRIPT ? 0 : chance_between(&sim->chance, 300, 4000));
    (void)snprintf(session->launch_id, sizeof session->launch_id, "l%d-%llu-%llu", index_of(sim, m), (unsigned long long)m->boot,
        (unsigned long long)++m->launches);
    if (m->tells_lease)
        HC_SET(session->lease_id, lease_id);
    HC_SET(session->app, app);
    name_client(sim, m, session);
    sim_trace(sim, "%s/%u launches for %s%s", m->id, slot, head < 0 ? "a stranger" : sim->heads[head].id, joins ? ", joins" : "");
    if (m->modern)
        machine_report_soon(sim, m, 150);
    machine_wake(sim, m);
    return session;
}

void machine_end(struct sim *sim, struct machine *m, struct session *session, int64_t closes_in_ms)
{
    if (!session->on)
        return;
    session->starting = false;
    session->ending = true;
    session->next_at = sim->now + closes_in_ms;
    machine_wake(sim, m);
}

static int64_t earliest(const struct machine *m)
{
    int64_t at = INT64_MAX;
    if (m->powered && m->agent_up)
        at = m->next_report;
    if (m->agent_back_at != 0 && m->agent_back_at < at)
        at = m->agent_back_at;
    if (m->powered && m->x.next_at != 0 && m->x.next_at < at)
        at = m->x.next_at;
    if (m->found_at != 0 && m->found_at < at)
        at = m->found_at;
    for (size_t i = 0; i < SIM_SESSIONS_MAX; i++) {
        const struct session *session = &m->sessions[i];
        if (session->on && session->next_at != 0 && session->next_at < at)
            at = session->next_at;
    }
    return at;
}

static void machine_wake(struct sim *sim, struct machine *m)
{
    if (sim->mode == MODE_SCRIPT)
        return;
    int64_t at = earliest(m);
    m->wakes++;
    if (at != INT64_MAX)
        sim_at(sim, at, EV_MACHINE, index_of(sim, m), m->wakes);
}

void machine_report_soon(struct sim *sim, struct machine *m, int64_t in_ms)
{
    if (m->next_report > sim->now + in_ms)
        m->next_report = sim->now + in_ms;
}

static bool moved_sessions(struct sim *sim, struct machine *m)
{
    bool moved = false;
    for (size_t i = 0; i < SIM_SESSIONS_MAX; i++) {
        struct session *session = &m->sessions[i];
        if (!session->on || session->next_at == 0 || session->next_at > sim->now)
            continue;
        session->next_at = 0;
        if (session->ending)
            session->on = false;
        session->starting = false;
        moved = true;
        sim_check_i1_one_admitted_session(sim, m);
    }
    return moved;
}

static bool any_visible(const struct machine *m)
{
    for (size_t i = 0; i < SIM_SESSIONS_MAX; i++)
        if (m->sessions[i].on && !m->sessions[i].hidden)
            return true;
    return false;
}

static void find_again(struct machine *m)
{
    m->found_at = 0;
    for (size_t i = 0; i < SIM_SESSIONS_MAX; i++)
        m->sessions[i].hidden = false;
}

static void agent_starts(struct sim *sim, struct machine *m)
{
    m->agent_back_at = 0;
    m->agent_up = m->powered = true;
    m->boot++;
    m->seq = 0;
    m->agent_since = sim->now;
    m->next_report = sim->now + chance_between(&sim->chance, 100, 3000);
    for (uint32_t i = 0; i < SIM_SLOTS_MAX; i++)
        m->table[i].told = false;            /* what it has in place it learns from the next directive; the floor is on its disk */
    m->found_at = sim->now + chance_seconds(&sim->chance, 5, 50);
    sim_trace(sim, "%s agent starts, boot %llu", m->id, (unsigned long long)m->boot);
}

void machine_act(struct sim *sim, int body)
{
    struct machine *m = &sim->bodies[body];
    if (!m->used)
        return;
    if (m->agent_back_at != 0 && m->agent_back_at <= sim->now)
        agent_starts(sim, m);
    if (m->found_at != 0 && m->found_at <= sim->now) {
        find_again(m);
        machine_report_soon(sim, m, 100);
    }
    xr_machine_act(sim, m);
    if (moved_sessions(sim, m) && m->modern)
        machine_report_soon(sim, m, chance_between(&sim->chance, 20, 300));
    if (m->agent_up && m->powered && m->next_report <= sim->now) {
        machine_report_now(sim, m);
        int64_t idle_ms = !m->modern && chance_percent(&sim->chance, 15) ? REPORT_DEDUP_MS : REPORT_IDLE_MS;
        m->next_report = sim->now + (any_visible(m) ? REPORT_BUSY_MS : idle_ms);
    }
    machine_wake(sim, m);
}

void machine_report_now(struct sim *sim, struct machine *m)
{
    if (m->agent_up && m->powered)
        report_send(sim, m);
}

/* Power goes: every picture with it, and what Sunshine knew. */
void machine_reboot(struct sim *sim, struct machine *m, int64_t down_ms)
{
    for (size_t i = 0; i < SIM_SESSIONS_MAX; i++)
        m->sessions[i].on = false;
    m->agent_up = m->powered = false;
    xr_machine_reboots(m);
    m->found_at = 0;
    m->agent_back_at = sim->now + down_ms;
    m->booted_at = sim->now + down_ms;
    sim_trace(sim, "%s reboots", m->id);
    machine_wake(sim, m);
}

/* The agent alone: the pictures go on, its registry of them is empty at first. */
void machine_restart_agent(struct sim *sim, struct machine *m)
{
    for (size_t i = 0; i < SIM_SESSIONS_MAX; i++)
        m->sessions[i].hidden = m->sessions[i].on && m->modern;      /* a legacy agent asks Sunshine each time */
    m->agent_up = false;
    m->found_at = 0;
    m->agent_back_at = sim->now + chance_seconds(&sim->chance, 10, 20);
    sim_trace(sim, "%s agent restarts", m->id);
    machine_wake(sim, m);
}

static void apply_slot(struct sim *sim, struct machine *m, const struct directive_slot *row)
{
    struct machine_slot *to = &m->table[row->index];
    if (row->epoch < to->floor) {            /* fenced: a directive from before */
        m->told_floor = !to->below_floor;
        to->below_floor = true;
        return;
    }
    to->below_floor = false;
    to->floor = to->applied = row->epoch;
    to->told = true;
    to->action = row->action;
    HC_SET(to->lease_id, row->lease_id);
    if (row->action != ACTION_TERMINATE)
        return;
    for (size_t i = 0; i < SIM_SESSIONS_MAX; i++) {
        struct session *session = &m->sessions[i];
        bool its = session->lease_id[0] == '\0' || hc_same(session->lease_id, row->lease_id);
        if (session->on && !session->ending && session->slot == row->index && its && !chance_percent(&sim->chance, m->refuses_percent))
            machine_end(sim, m, session, chance_between(&sim->chance, 200, 6000));
    }
}

static void evict(struct sim *sim, struct machine *m, const struct directive_slot *row)
{
    for (size_t k = 0; k < row->evict_count; k++)
        for (size_t i = 0; i < SIM_SESSIONS_MAX; i++)
            if (m->sessions[i].on && !m->sessions[i].ending && hc_same(m->sessions[i].launch_id, row->evict[k]))
                machine_end(sim, m, &m->sessions[i], 1000);
}

/* What the daemon would send now, from committed records. */
void machine_directive(struct sim *sim, struct machine *m)
{
    struct cluster *c = &sim->cluster;
    struct hc_arena arena = { 0 };
    struct directive d;
    m->directive_at = 0;
    if (!c->running || c->committed == NULL || alloc_body(c->committed, m->id) == NULL || !m->used)
        return;
    struct core_view view = committed_view(sim);
    if (query_directive(&view, m->id, &arena, &d) != HC_OK) {
        sim_violation(sim, "no directive for %s", m->id);
        return;
    }
    sim_check_i11_terminates_what_must_end(sim, m, &d);
    sim_check_i7_no_eviction_of_the_holder(sim, m, &d);
    if (sim->mode == MODE_RANDOM)
        sim_check_i7_trust(sim, m, &d);
    bool reaches = m->agent_up && m->powered && !m->quiet;
    for (size_t i = 0; i < d.slot_count && reaches; i++) {
        if (d.slots[i].index >= SIM_SLOTS_MAX)
            continue;
        if (m->modern) {
            struct machine_slot was = m->table[d.slots[i].index];
            apply_slot(sim, m, &d.slots[i]);
            evict(sim, m, &d.slots[i]);
            if (was.applied != m->table[d.slots[i].index].applied || !was.told)
                machine_report_soon(sim, m, 30);
        } else if (d.terminate_stream) {
            for (size_t k = 0; k < SIM_SESSIONS_MAX; k++)
                if (m->sessions[k].on && !m->sessions[k].ending)
                    machine_end(sim, m, &m->sessions[k], 2000);
        }
    }
    if (reaches && m->x.capable)
        xr_machine_told(sim, m, &d.xr);
    bool obeys = reaches && m->modern && sim->mode == MODE_RANDOM && (sim->healed || chance_percent(&sim->chance, 90));
    for (size_t i = 0; obeys && i < d.trust.remove_count; i++)
        machine_unpairs(m, d.trust.remove[i]);
    hc_arena_free(&arena);
    machine_wake(sim, m);
}

/* Modern bodies long-poll: a new epoch reaches them within moments, and they post at once. */
void machines_hear_news(struct sim *sim)
{
    if (sim->mode == MODE_SCRIPT)
        return;
    for (size_t i = 0; i < sim->body_count; i++) {
        struct machine *m = &sim->bodies[i];
        const struct body_rec *body = m->used && m->modern ? alloc_body(sim->cluster.committed, m->id) : NULL;
        if (body == NULL || m->quiet || !m->agent_up || m->directive_at != 0 || (body == m->polled && body->rec.step == m->polled_step))
            continue;
        m->polled = body;
        m->polled_step = body->rec.step;
        bool news = m->x.capable && body->xr.session_id[0] != '\0';
        for (size_t k = 0; k < body->slot_count && k < SIM_SLOTS_MAX; k++) {
            const struct lease *lease = slot_live_lease(&body->slots[k]);
            news = news || body->slots[k].epoch != m->table[k].applied || !m->table[k].told || (lease != NULL &&
                                                                                                lease->state == LEASE_DRAINING);
        }
        if (!news)
            continue;
        m->directive_at = sim->now + chance_between(&sim->chance, 5, 300);
        sim_at(sim, m->directive_at, EV_DIRECTIVE, (int)i, 0);
    }
}
