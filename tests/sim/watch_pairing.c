/* watch_pairing.c - what changed with operations, pair leases and identities since the last event, and which checks that calls for. */
#include <string.h>

#include "sim.h"

static struct seen_op *seen_op(struct sim *sim, const char *id)
{
    for (size_t i = 0; i < sim->seen_op_count; i++)
        if (hc_same(sim->seen_ops[i].id, id))
            return &sim->seen_ops[i];
    return NULL;
}

static struct seen_op *remember_op(struct sim *sim, const struct op_rec *op)
{
    if (sim->seen_op_count == SIM_SEEN_OPS_MAX) {
        sim_violation(sim, "OP: more than %d operations at once: finished ones are not let go", SIM_SEEN_OPS_MAX);
        sim->seen_op_count = 0;
    }
    struct seen_op *seen = &sim->seen_ops[sim->seen_op_count++];
    *seen = (struct seen_op){ .state = op->state, .asked_at = sim->now };
    HC_SET(seen->id, op->rec.key);
    HC_SET(seen->node_id, op->node_id);
    return seen;
}

static void walk_op(struct sim *sim, const char *id)
{
    const struct op_rec *op = alloc_op(sim->cluster.live, id);
    struct seen_op *seen = seen_op(sim, id);
    if (seen == NULL && op != NULL)
        (void)remember_op(sim, op);
    if (seen == NULL)
        return;
    sim_check_op_moves(sim, seen, op);
    if (op == NULL)
        *seen = sim->seen_ops[--sim->seen_op_count];
    else
        seen->state = op->state;
}

static struct seen_body *seen_body(struct sim *sim, const char *id)
{
    for (size_t i = 0; i < sim->seen_body_count; i++)
        if (hc_same(sim->seen_bodies[i].id, id))
            return &sim->seen_bodies[i];
    size_t most = sizeof sim->seen_bodies / sizeof sim->seen_bodies[0];
    size_t at = sim->seen_body_count < most ? sim->seen_body_count++ : (size_t)(sim->number % SIM_BODIES_MAX);
    sim->seen_bodies[at] = (struct seen_body){ .id = "" };
    HC_SET(sim->seen_bodies[at].id, id);
    return &sim->seen_bodies[at];
}

static void walk_pairs(struct sim *sim, const struct body_rec *body, bool checks)
{
    struct seen_body *seen = seen_body(sim, body->rec.key);
    for (size_t i = body->slot_count; i < SIM_SLOTS_MAX; i++)
        seen->pairs[i] = (struct seen_pair){ .id = "" };      /* a slot that was taken away takes its pair lease along */
    for (uint32_t i = 0; i < body->slot_count && i < SIM_SLOTS_MAX; i++) {
        const struct pair_lease *pair = &body->slots[i].pair;
        if (hc_same(seen->pairs[i].id, pair->id))
            continue;
        HC_SET(seen->pairs[i].id, pair->id);
        HC_SET(seen->pairs[i].head_id, pair->head_id);
        seen->pairs[i].at = sim->now;
        sim_trace(sim, "%s/%u: pair lease of %s", body->rec.key, i, pair->id[0] == '\0' ? "nobody" : pair->head_id);
        if (checks && pair->id[0] != '\0')
            sim_check_pair_is_alone(sim, body, i);
    }
}

/* A clone's heartbeats: A, then B, then A within a minute. */
static void walk_beat(struct sim *sim, const struct heartbeat_req *beat)
{
    for (size_t i = 0; i < sim->head_count; i++) {
        struct device *d = &sim->heads[i].device;
        if (!hc_same(sim->heads[i].id, beat->head_id))
            continue;
        if (beat->pairing_protocol.set)
            d->told_pairing = beat->pairing_protocol.value;
        if (beat->address[0] == '\0')
            continue;
        bool flips = hc_same(d->beats[0].from, beat->address) && d->beats[1].from[0] != '\0' && !hc_same(d->beats[1].from, beat->address);
        if (flips && sim->now - d->beats[0].at < 60000)
            d->cloned_until = sim->now + 60000 - 100;
        d->beats[0] = d->beats[1];
        HC_SET(d->beats[1].from, beat->address);
        d->beats[1].at = sim->now;
    }
}

static void walk_grants(struct sim *sim, const struct core_event *ev)
{
    for (size_t i = 0; i < sim->grant_count; i++) {
        const struct slot *slot = NULL;
        const struct body_rec *body = NULL;
        const struct lease *lease = alloc_lease(sim->cluster.live, sim->grant_ids[i], &body, &slot);
        if (lease == NULL)
            continue;
        sim_check_i6_revoked_gets_no_lease(sim, ev, lease);
        sim_check_i6_clone_gets_no_lease(sim, ev, lease);
        sim_check_pair_keeps_the_slot(sim, lease, slot);
        sim_check_xr_keeps_slot_0(sim, lease, body, slot);
    }
}

void watch_pairing_step(struct sim *sim, const struct core_event *ev, const struct core_result *result)
{
    const struct rec_change *changes;
    if (ev->type == CORE_HEARTBEAT)
        walk_beat(sim, &ev->u.heartbeat);
    if (ev->type == CORE_TICK && sim->cluster.store_ok && sim->now >= sim->clock_slack_until) {
        sim_check_op_is_bounded(sim);
        sim_check_pair_is_bounded(sim);
        sim_check_xr_is_bounded(sim);
    }
    sim_check_i6_latch_had_its_condition(sim, result);
    if (!result->dirty)
        return;
    if (ev->type == CORE_OP_RESULT)
        sim_check_i7_custodian(sim, &ev->u.op_result);
    size_t count = alloc_last_step(sim->cluster.live, &changes);
    for (size_t i = 0; i < count; i++) {
        const struct body_rec *body = changes[i].kind == REC_BODY ? alloc_body(sim->cluster.live, changes[i].key) : NULL;
        if (changes[i].kind == REC_OP)
            walk_op(sim, changes[i].key);
        if (body != NULL) {
            walk_pairs(sim, body, true);
            sim_check_xr_moves(sim, seen_body(sim, body->rec.key), body, result);
            sim_check_xr_has_slot_0(sim, body);
        }
        if (body == NULL && changes[i].kind == REC_BODY)
            *seen_body(sim, changes[i].key) = sim->seen_bodies[sim->seen_body_count - 1], sim->seen_body_count--;
    }
    sim_check_i6_one_head_a_certificate(sim, ev);
    walk_grants(sim, ev);
}

/* As old as an other file says, and clamped anew; what was answered may be open there. */
static void come_back(const struct sim *sim, struct seen_op *seen, const struct op_rec *op, bool replaced)
{
    seen->state = op->state;
    if (!replaced)
        return;
    seen->asked_at = sim->now;
    seen->results = 0;
}

/* Memory went back to what was committed, or another file is in its place. */
void watch_pairing_lost(struct sim *sim, bool replaced)
{
    const struct alloc *live = sim->cluster.live;
    sim->stepped = sim->stepped || replaced;
    for (size_t i = 0; i < sim->seen_op_count; i++) {
        const struct op_rec *op = alloc_op(live, sim->seen_ops[i].id);
        if (op == NULL)
            sim->seen_ops[i--] = sim->seen_ops[--sim->seen_op_count];
        else
            come_back(sim, &sim->seen_ops[i], op, replaced);
    }
    for (size_t i = 0; i < alloc_count(live, REC_OP); i++) {
        const struct op_rec *op = (const struct op_rec *)alloc_at(live, REC_OP, i);
        if (seen_op(sim, op->rec.key) == NULL)
            (void)remember_op(sim, op);
    }
    sim->seen_body_count = 0;
    for (size_t i = 0; i < alloc_count(live, REC_BODY); i++) {
        const struct body_rec *body = (const struct body_rec *)alloc_at(live, REC_BODY, i);
        walk_pairs(sim, body, false);
        seen_body(sim, body->rec.key)->xr_state = body->xr.state;
        seen_body(sim, body->rec.key)->xr_since = sim->now;
    }
    sim_check_i6_nothing_is_forgotten(sim, replaced);
}

static void move_on(int64_t *at, int64_t by_ms, int64_t now)
{
    *at = *at + by_ms > now ? now : *at + by_ms;
}

void watch_pairing_outage(struct sim *sim, int64_t outage_ms)
{
    for (size_t i = 0; i < sim->seen_op_count; i++)
        move_on(&sim->seen_ops[i].asked_at, outage_ms, sim->now);
    for (size_t i = 0; i < sim->seen_body_count; i++)
        for (size_t k = 0; k < SIM_SLOTS_MAX; k++)
            move_on(&sim->seen_bodies[i].pairs[k].at, outage_ms, sim->now), move_on(&sim->seen_bodies[i].xr_since, outage_ms, sim->now);
    for (size_t i = 0; i < sim->head_count; i++) {       /* who spoke before is not remembered */
        sim->heads[i].device.cloned_until = 0;
        memset(sim->heads[i].device.beats, 0, sizeof sim->heads[i].device.beats);
    }
}

/* Up to a minute ahead of the new clock is tolerated and stays so (rules §4.2). */
void watch_pairing_stepped(struct sim *sim)
{
    for (size_t i = 0; i < sim->seen_op_count; i++)
        sim->seen_ops[i].asked_at = sim->now;
    for (size_t i = 0; i < sim->seen_body_count; i++)
        for (size_t k = 0; k < SIM_SLOTS_MAX; k++)
            sim->seen_bodies[i].pairs[k].at = sim->now;
}
