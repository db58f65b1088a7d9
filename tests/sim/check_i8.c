/* check_i8.c - I8: every hold has a bound that nobody renews away, and none ends before its time. In true time, with the rules' own numbers
 * written down again. */
#include "sim.h"

#define TICK_MS       11000        /* one tick, and the moment until it is noticed */
#define EARLY_MS      1000
#define START_MS      90000
#define START_OLD_MS  210000
#define COLLECT_MS    45000
#define HOLD_MS       40000
#define ROLL_MS       75000
#define QUEST_MS      150000
#define TTL_MS        90000
#define UNATTENDED_MS 1800000
#define FRESH_MS      90000
#define GRACE_MS      45000
#define UNKNOWN_MS    600000
#define IDLE_MS       60000
#define WARM_MS       60000
#define XR_ARM_MS     150000
#define XR_STALE_MS   180000
#define XR_ENDING_MS  900000
#define TICKET_MS     45000
#define TICKET_MAX_MS 600000

static int64_t start_of(const struct seen_lease *lease)
{
    if (lease->xr)
        return XR_ARM_MS;
    return lease->protocol >= 2 ? START_MS : START_OLD_MS;
}

/* An XR session: armed in 150 s, and on somebody's head in 210 s. */
static int64_t start_at_most(const struct seen_lease *lease)
{
    return lease->xr ? START_OLD_MS : start_of(lease);
}

static int64_t unattended_of(const struct seen_lease *lease)
{
    return lease->xr ? XR_STALE_MS : UNATTENDED_MS;
}

static int64_t grace_of(const struct seen_lease *lease)
{
    return lease->xr ? XR_ENDING_MS : GRACE_MS;
}

static int64_t hold_of(const struct seen_lease *lease)
{
    if (lease->source != SOURCE_IMPLICIT)
        return TTL_MS;
    return lease->quest ? QUEST_MS : lease->rolled ? ROLL_MS : HOLD_MS;
}

static int64_t heard_since(const struct sim *sim, const struct machine *m)
{
    int64_t heard = m == NULL ? 0 : m->heard_at;
    return heard < sim->cluster.started_at ? sim->cluster.started_at : heard;
}

/* Clocks run before the event: a report that has just arrived did not count for them. */
static int64_t heard_before(const struct sim *sim, const struct machine *m)
{
    int64_t heard = m->heard_at == sim->now ? m->heard_before_at : m->heard_at;
    return heard < sim->cluster.started_at ? sim->cluster.started_at : heard;
}

/* A drain waits while the agent warms up, and then gives it its grace. */
static int64_t drains_since(const struct machine *m, const struct seen_lease *lease)
{
    if (m == NULL)
        return lease->since + UNKNOWN_MS;    /* its machine has left the house: what its agent said last is not known here */
    if (m->heard_at == 0 || !m->heard.modern)
        return lease->since;
    int64_t booted_at = m->boot_heard_at > m->seems_boot_at ? m->boot_heard_at : m->seems_boot_at;
    if (m->heard.uptime_ms < 0 && m->boot_unsure)
        return INT64_MAX / 2;                /* not before its next report */
    int64_t warm_at = (m->heard.uptime_ms >= 0 ? m->heard_at - m->heard.uptime_ms : booted_at) + WARM_MS;
    return warm_at > lease->since ? warm_at : lease->since;
}

static const char *beyond(const struct sim *sim, const struct seen_lease *lease)
{
    const struct machine *m = machine_of((struct sim *)sim, lease->body_id);
    switch (lease->state) {
    case LEASE_HELD: case LEASE_GRANTED: case LEASE_PAIRING: case LEASE_STARTING:
        if (lease->uncollected)
            return sim->now - lease->renewed_at > COLLECT_MS + TICK_MS ? "was never collected" : NULL;
        if (sim->now - lease->deadline_from > start_at_most(lease) + TICK_MS)
            return "is past its start deadline";
        if (lease->xr)
            return sim->now - lease->silent_from > XR_STALE_MS + TICK_MS ? "is armed for a head that says nothing" : NULL;
        return sim->now - lease->renewed_at > hold_of(lease) + TICK_MS
            ? "was not renewed" : NULL;
    case LEASE_STREAMING: case LEASE_ADOPTED:
        /* Back from unknown it is judged at the next tick: its body had to be heard first. */
        if (sim->now - lease->silent_from > unattended_of(lease) + TICK_MS && sim->now - lease->since > TICK_MS)
            return "is unattended for too long";
        return m != NULL && sim->now - heard_since(sim, m) > FRESH_MS + TICK_MS ? "streams on a body that says nothing" : NULL;
    case LEASE_DRAINING:
        return sim->now - drains_since(m, lease) > grace_of(lease) + TICK_MS ? "drains for ever" : NULL;
    case LEASE_UNKNOWN:
        return sim->now - lease->since > UNKNOWN_MS + TICK_MS ? "is unknown for ever" : NULL;
    default:
        return NULL;
    }
}

void sim_check_i8_lease_is_bounded(struct sim *sim, const struct seen_lease *lease)
{
    const char *what = beyond(sim, lease);
    if (what != NULL)
        sim_violation(sim, "I8: %s of %s on %s/%u, %s since %lld ms, %s (%s)", lease->id, lease->head_id, lease->body_id, lease->slot,
            word_of(&lease_state_words, (int)lease->state), (long long)(sim->now - lease->since), what, core_event_name(sim->step_type));
}

static int64_t too_early_ms(const struct sim *sim, const struct seen_lease *was, const struct lease *is)
{
    const struct machine *m = machine_of((struct sim *)sim, was->body_id);
    switch (is->why) {
    case WHY_SILENCE: case WHY_TTL:
        return hold_of(was) - (sim->now - was->renewed_at);
    case WHY_START_TIMEOUT:
        return start_of(was) - (sim->now - was->deadline_from);
    case WHY_PROMOTION_WASTED: case WHY_NOT_ACCEPTED:
        return COLLECT_MS - (sim->now - was->renewed_at);
    case WHY_UNATTENDED:
        return is->state == LEASE_DRAINING ? unattended_of(was) - (sim->now - was->silent_from) : 0;
    case WHY_DRAIN_TIMEOUT:
        return grace_of(was) - (sim->now - was->since);
    case WHY_UNKNOWN_HOLD:
        return UNKNOWN_MS - (sim->now - was->since);
    case WHY_BODY_IDLE:
        return was->xr ? 0 : IDLE_MS - (sim->now - was->shown_at);      /* its shown states are not followed here */
    case WHY_BODY_SILENT:
        return is->state == LEASE_UNKNOWN && m != NULL ? FRESH_MS - (sim->now - heard_before(sim, m)) : 0;
    default:
        return 0;
    }
}

void sim_check_i8_not_before_its_time(struct sim *sim, const struct seen_lease *was, const struct lease *is)
{
    bool orphan = alloc_node(sim->cluster.live, was->body_id) == NULL;      /* an old file does not know its body: it cannot be heard */
    bool clock = lease_is_terminal(is->state) || is->state == LEASE_DRAINING || is->state == LEASE_UNKNOWN;
    if (!clock || orphan || was->stepped || was->came_from == LEASE_DRAINING)
        return;
    int64_t early_ms = too_early_ms(sim, was, is);
    if (early_ms > EARLY_MS)
        sim_violation(sim, "I8: %s of %s on %s/%u ends (%s) %lld ms before its time", was->id, was->head_id, was->body_id, was->slot,
            word_of(&lease_why_words, (int)is->why), (long long)early_ms);
}

/* Nobody waits unheard, and what was asked is answered or over. Only on a tick: queues have no other clock. */
void sim_check_i8_queue_is_bounded(struct sim *sim)
{
    const struct alloc *live = sim->cluster.live;
    hc_time now = daemon_now(sim);
    for (size_t i = 0; i < alloc_count(live, REC_TICKET); i++) {
        const struct ticket_rec *ticket = (const struct ticket_rec *)alloc_at(live, REC_TICKET, i);
        if (hc_time_since(now, ticket_renewed_at(sim->cluster.obs, ticket)) > TICKET_MS + TICK_MS)
            sim_violation(sim, "I8: the ticket of %s is renewed by nobody", ticket->rec.key);
        if (ticket->state == TICKET_CONFIRM && hc_time_since(now, ticket->confirm_by) > TICK_MS)
            sim_violation(sim, "I8: %s was asked whether it still waits, for ever", ticket->rec.key);
        if (ticket->state == TICKET_WAITING && hc_time_since(now, ticket->asked_at) > TICKET_MAX_MS + TICK_MS)
            sim_violation(sim, "I8: %s has waited without being asked", ticket->rec.key);
    }
    for (size_t b = 0; b < alloc_count(live, REC_BODY); b++) {
        const struct body_rec *body = (const struct body_rec *)alloc_at(live, REC_BODY, b);
        for (size_t i = 0; i < body->slot_count; i++) {
            const struct slot *slot = &body->slots[i];
            if (slot->promise_ticket_id[0] != '\0' && hc_time_since(now, slot->promise_until) > TICK_MS)
                sim_violation(sim, "I8: the promise on %s/%zu is kept for ever", body->rec.key, i);
        }
        if (body->circuit.state == CIRCUIT_OPEN && hc_time_since(now, body->circuit.until) > TICK_MS)
            sim_violation(sim, "I8: the circuit of %s stays open", body->rec.key);
    }
    const struct district_rec *district = alloc_district(live, SIM_DISTRICT);
    if (district != NULL && district->safe_mode != SAFE_NONE && hc_time_since(now, district->safe_since) > 900000 + TICK_MS)
        sim_violation(sim, "I8: safe mode does not end");
}
