/* check_i3.c - I3: what is not known to be idle is never given, and no lease ends for a picture that is merely not seen. The terms of
 * occupancy are written down here a second time, from what really arrived. */
#include <string.h>

#include "sim.h"

#define FRESH_MS   90000
#define ONLINE_MS  120000
#define WARM_MS    60000

static bool known_idle(const struct machine *m, uint32_t slot)
{
    bool named = false;
    if (!m->heard.modern)
        return slot == 0 && !m->heard.streaming;
    for (size_t i = 0; i < m->heard.row_count; i++)
        if (m->heard.rows[i].index == slot) {
            named = true;
            if (m->heard.rows[i].state != SESSION_IDLE)
                return false;
        }
    return named;
}

static uint64_t applied_by(const struct machine *m, uint32_t slot)
{
    uint64_t applied = 0;
    for (size_t i = 0; i < m->heard.row_count; i++)
        if (m->heard.rows[i].index == slot && m->heard.rows[i].applied_epoch > applied)
            applied = m->heard.rows[i].applied_epoch;
    return applied;
}

/* A claim over the head's own hold takes the slot that is not free but its own. */
static bool made_explicit(const struct sim *sim, const struct lease *is)
{
    return sim->step_type == CORE_CLAIM && hc_same(sim->step_head, is->head_id) && is->protocol >= 2 &&
        hc_same(sim->made_explicit, is->head_id);
}

void sim_check_i3_granted_was_known_idle(struct sim *sim, const struct lease *is, const char *body_id, uint32_t slot, uint64_t epoch_before)
{
    const struct machine *m = machine_of(sim, body_id);
    const struct body_rec *body = alloc_body(sim->cluster.live, body_id);
    const char *bad = NULL;
    if (made_explicit(sim, is) || body == NULL || m == NULL)      /* m: an old file may name a body that is gone */
        return;
    if (m->heard_at == 0)
        bad = "has not reported";
    else if (sim->now - m->heard_at > FRESH_MS)
        bad = "has not reported for long";
    else if (!known_idle(m, slot))
        bad = "is not known to be idle";
    else if (m->heard.xr && slot == 0)
        bad = "shows an XR session";
    else if (m->heard.modern && applied_by(m, slot) < epoch_before)
        bad = "has not confirmed its epoch";
    else if (sim->now - m->any_request_at > ONLINE_MS)
        bad = "is offline";
    else if (body->maintenance)
        bad = "is in maintenance";
    else if (slot >= body->slots_total)
        bad = "was lowered";
    else if (is->protocol < 2 && body->slots_total > 1 && is->mode != MODE_XR)
        bad = "is on a body with several slots, for a legacy head";
    else if (body->circuit.state == CIRCUIT_OPEN)
        bad = "has an open circuit";
    const struct district_rec *district = alloc_district(sim->cluster.live, SIM_DISTRICT);
    if (district != NULL && district->safe_mode == SAFE_DOWNGRADE)
        bad = "is in downgrade safe mode";
    if (!sim->cluster.store_ok)
        bad = "is granted without a store";
    if (bad != NULL)
        sim_violation(sim, "I3: %s/%u goes to %s and %s", body_id, slot, is->head_id, bad);
}

bool machine_warming(const struct sim *sim, const struct machine *m)
{
    if (!m->heard.modern || m->heard_at == 0)
        return false;
    if (m->heard.uptime_ms >= 0)
        return m->heard.uptime_ms < WARM_MS;
    return sim->now - m->boot_heard_at < WARM_MS && sim->cluster.started_at < m->boot_heard_at - 1;
}

/* To an old file every boot is a new one: nobody can say which idle reports count. */
bool machine_may_seem_warming(const struct sim *sim, const struct machine *m)
{
    bool old_file = m->boot_unsure || (m->seems_boot_at != 0 && sim->now - m->seems_boot_at < WARM_MS);
    return machine_warming(sim, m) || (m->heard.modern && m->heard.uptime_ms < 0 && old_file);
}

static bool by_evidence(const struct seen_lease *was, const struct lease *is)
{
    bool idle = is->state == LEASE_ENDED && is->why == WHY_BODY_IDLE;
    bool drained = was->state == LEASE_DRAINING && lease_is_terminal(is->state) && is->why != WHY_DRAIN_TIMEOUT &&
        is->state != LEASE_REVOKED;
    return idle || drained;
}

void sim_check_i3_ended_was_really_gone(struct sim *sim, const struct seen_lease *was, const struct lease *is)
{
    const struct machine *m = machine_of(sim, was->body_id);
    if (m == NULL || !by_evidence(was, is))
        return;
    if (machine_warming(sim, m))
        sim_violation(sim, "I3: %s ended (%s) by a report of an agent that has just started", was->id, word_of(&lease_why_words,
                                                                                                               (int)is->why));
    if (was->slot == 0 && !known_idle(m, 0) && m->heard_at != 0 && !m->heard.modern)
        sim_violation(sim, "I3: %s ended though its body shows a picture", was->id);
    for (size_t i = 0; i < SIM_SESSIONS_MAX; i++) {
        const struct session *session = &m->sessions[i];
        bool its = session->admitted && session->head >= 0 && hc_same(sim->heads[session->head].id, is->head_id);
        bool told = session->since < m->heard.made_at && m->heard_at != 0;
        if (session->on && !session->ending && !session->starting && session->slot == was->slot && its && told && session->hidden)
            sim_violation(sim, "I3: %s ended (%s) while its picture plays", was->id, word_of(&lease_why_words, (int)is->why));
    }
}

void sim_check_i3_newest_report_counts(struct sim *sim, const struct machine *m)
{
    const struct body_obs *obs = observed_body(sim->cluster.obs, m->id);
    if (m->heard_at == 0)
        return;
    if (obs == NULL || obs->modern != m->heard.modern || (obs->modern && obs->report_seq != m->heard.seq))
        sim_violation(sim, "I3: %s: the report with number %llu is not what is believed", m->id, (unsigned long long)m->heard.seq);
}
