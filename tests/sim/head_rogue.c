/* head_rogue.c - a client that was enrolled and behaves as none should: it names what is not its own, and launches unasked. */
#include <string.h>

#include "sim.h"

static const struct seen_lease *somebodys(struct sim *sim, const struct head *h)
{
    size_t start = (size_t)chance_between(&sim->chance, 0, SIM_LEASES_MAX - 1);
    for (size_t i = 0; i < sim->lease_count; i++) {
        const struct seen_lease *lease = &sim->leases[(start + i) % sim->lease_count];
        if (lease->there && lease->head_id[0] != '\0' && !hc_same(lease->head_id, h->id))
            return lease;
    }
    return NULL;
}

static void submit(struct sim *sim, struct op *op)
{
    op->lost = true;
    op_submit(sim, op);
}

static void attack(struct sim *sim, struct head *h, const struct seen_lease *other)
{
    static const enum core_event_type types[] = { CORE_RENEW, CORE_RELEASE, CORE_STREAM_STOP, CORE_STREAM_END, CORE_HEARTBEAT, CORE_CLAIM,
        CORE_READ, CORE_ADMISSION };
    static const char *const statuses[] = { "streaming", "error", "starting", "idle" };
    enum core_event_type type = types[chance_between(&sim->chance, 0, sizeof types / sizeof types[0] - 1)];
    struct op *op = op_new(sim, type, head_index(sim, h));
    HC_SET(op->lease_id, other->id);
    HC_SET(op->body_id, other->body_id);
    HC_SET(op->stream_id, other->stream_id);
    HC_SET(op->attempt_id, "a-h1-1");
    HC_SET(op->experience, sim_experiences[0]);
    HC_SET(op->token, "not-the-token");
    op->why = WHY_USER_EXIT;
    HC_SET(op->status, statuses[chance_between(&sim->chance, 0, 3)]);
    op->lease_state = (enum head_lease_state)chance_between(&sim->chance, HEAD_LEASE_NONE, HEAD_LEASE_LOST);
    if (type == CORE_READ || type == CORE_CLAIM)
        HC_SET(op->head_id, other->head_id);           /* as if it were the other head */
    submit(sim, op);
}

static void launch_unasked(struct sim *sim, struct head *h)
{
    struct machine *m = &sim->bodies[chance_between(&sim->chance, 0, (int64_t)sim->body_count - 1)];
    uint32_t slot = m->slots == 0 ? 0 : (uint32_t)chance_between(&sim->chance, 0, (int64_t)m->slots - 1);
    if (!m->used || !m->powered)
        return;
    if (m->modern && machine_busy(m, slot) && chance_percent(&sim->chance, 50)) {
        m->told_second = true;               /* its hook counted two and refused */
        m->second_slot = slot;
        return;
    }
    struct session *session = machine_launch(sim, m, slot, head_index(sim, h), "", sim_experiences[0]);
    if (session != NULL) {
        session->admitted = session->innocent = false;
        session->next_at = sim->now + 500;
        h->body = (int)(m - sim->bodies);
    }
}

void rogue_act(struct sim *sim, struct head *h)
{
    if (h->next_beat <= sim->now)
        h->next_beat = sim->now + 10 * HC_HOUR_MS;
    if (h->next_act > sim->now)
        return;
    h->next_act = sim->now + chance_seconds(&sim->chance, 10, 120);
    if (sim->healed || sim->leaving) {
        head_stops(sim, h);
        h->next_act = sim->now + HC_HOUR_MS;
        return;
    }
    if (head_session(sim, h) != NULL && chance_percent(&sim->chance, 40)) {
        head_stops(sim, h);
        return;
    }
    const struct seen_lease *other = sim->lease_count == 0 ? NULL : somebodys(sim, h);
    if (h->body < 0 && chance_percent(&sim->chance, 8))
        launch_unasked(sim, h);
    else if (other != NULL && head_sends(sim, h) && sim->cluster.running)
        attack(sim, h, other);
}
