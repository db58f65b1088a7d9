/* check_pairing.c - operations have one result and a bound; a pair lease is alone on its slot, and short. */
#include "sim.h"

#define OP_MS   60000
#define PAIR_MS 60000
#define TICK_MS 11000        /* one tick, and the moment until it is noticed */

/* A pending operation ends once; what is over stays as it is until it is forgotten, and a pending one is never forgotten. `is` may be
 * NULL. */
void sim_check_op_moves(struct sim *sim, const struct seen_op *was, const struct op_rec *is)
{
    if (is == NULL && was->state == OP_PENDING && alloc_node(sim->cluster.live, was->node_id) != NULL)
        sim_violation(sim, "OP: %s of %s vanished without an end", was->id, was->node_id);
    if (is != NULL && was->state != OP_PENDING && is->state != was->state)
        sim_violation(sim, "OP: %s was %s and is %s", was->id, word_of(&op_state_words, (int)was->state),
                      word_of(&op_state_words, (int)is->state));
    if (is != NULL && was->state == OP_PENDING && (is->state == OP_DONE || is->state == OP_FAILED) && sim->now >= sim->clock_slack_until &&
        sim->now - was->asked_at > OP_MS && !sim->stepped)
        sim_violation(sim, "OP: %s is answered after it ran out", was->id);
}

void sim_check_op_is_bounded(struct sim *sim)
{
    for (size_t i = 0; i < sim->seen_op_count; i++) {
        const struct seen_op *op = &sim->seen_ops[i];
        if (op->state == OP_PENDING && sim->now - op->asked_at > OP_MS + TICK_MS)
            sim_violation(sim, "OP: %s of %s is pending since %lld ms", op->id, op->node_id, (long long)(sim->now - op->asked_at));
    }
}

/* Two answers were acknowledged: somebody believes the wrong one. */
void sim_check_op_has_one_result(struct sim *sim, const char *op_id)
{
    for (size_t i = 0; i < sim->seen_op_count; i++)
        if (hc_same(sim->seen_ops[i].id, op_id) && ++sim->seen_ops[i].results > 1)
            sim_violation(sim, "OP: %s has %u results", op_id, sim->seen_ops[i].results);
}

static bool revoked(const struct sim *sim, const char *head_id)
{
    for (size_t i = 0; i < sim->head_count; i++)
        if (hc_same(sim->heads[i].id, head_id))
            return sim->heads[i].device.revoked;
    return false;
}

/* A new pair lease: nobody else's lease is on the slot, nor an XR session of another on the body; its head has no other; it is not
 * revoked. */
void sim_check_pair_is_alone(struct sim *sim, const struct body_rec *body, uint32_t slot)
{
    const struct pair_lease *pair = &body->slots[slot].pair;
    for (uint32_t i = 0; i < body->slot_count; i++) {
        const struct lease *lease = slot_live_lease(&body->slots[i]);
        bool other = lease != NULL && !hc_same(lease->head_id, pair->head_id);
        if (other && (i == slot || lease->mode == MODE_XR))
            sim_violation(sim, "PAIR: %s pairs on %s/%u beside %s of %s", pair->head_id, body->rec.key, slot, lease->id, lease->head_id);
    }
    for (size_t i = 0; i < sim->seen_body_count; i++)
        for (uint32_t k = 0; k < SIM_SLOTS_MAX; k++) {
            const struct seen_pair *seen = &sim->seen_bodies[i].pairs[k];
            const struct body_rec *there = alloc_body(sim->cluster.live, sim->seen_bodies[i].id);
            bool still = there != NULL && k < there->slot_count && hc_same(there->slots[k].pair.id, seen->id);
            if (still && hc_same(seen->head_id, pair->head_id) && !hc_same(seen->id, pair->id) && seen->id[0] != '\0')
                sim_violation(sim, "PAIR: %s has %s and %s", pair->head_id, seen->id, pair->id);
        }
    if (revoked(sim, pair->head_id))
        sim_violation(sim, "PAIR: %s is revoked and pairs", pair->head_id);
}

/* A slot on which another head pairs is given to nobody. */
void sim_check_pair_keeps_the_slot(struct sim *sim, const struct lease *is, const struct slot *slot)
{
    const struct pair_lease *pair = &slot->pair;
    if (pair->id[0] != '\0' && !hc_time_due(pair->expires_at, daemon_now(sim)) && !hc_same(pair->head_id, is->head_id))
        sim_violation(sim, "PAIR: %s pairs where %s is granted %s", pair->head_id, is->head_id, is->id);
}

void sim_check_pair_is_bounded(struct sim *sim)
{
    for (size_t i = 0; i < sim->seen_body_count; i++)
        for (size_t k = 0; k < SIM_SLOTS_MAX; k++)
            if (sim->seen_bodies[i].pairs[k].id[0] != '\0' && sim->now - sim->seen_bodies[i].pairs[k].at > PAIR_MS + TICK_MS)
                sim_violation(sim, "PAIR: %s keeps %s/%zu for ever", sim->seen_bodies[i].pairs[k].head_id, sim->seen_bodies[i].id, k);
}
