/* check_i4.c - I4: epochs only grow, and none is given twice. I5: nobody's requests touch another's lease. I7: nobody's own client is
 * evicted. */
#include "sim.h"

static void check_slot(struct sim *sim, struct slot_epochs *epochs, const struct body_rec *body, const struct slot *slot, bool committed)
{
    uint64_t *last = committed ? &epochs->committed[slot->index] : &epochs->live[slot->index];
    if (slot->epoch < *last)
        sim_violation(sim, "I4: the epoch of %s/%u falls from %llu to %llu", body->rec.key, slot->index, (unsigned long long)*last,
            (unsigned long long)slot->epoch);
    *last = slot->epoch;
    for (size_t k = 0; k < slot->lease_count; k++) {
        const struct lease *lease = &slot->leases[k];
        if (lease_is_terminal(lease->state) ? slot->epoch <= lease->grant_epoch : slot->epoch < lease->grant_epoch)
            sim_violation(sim, "I4: %s/%u has epoch %llu beside lease %s of epoch %llu", body->rec.key, slot->index,
                (unsigned long long)slot->epoch, lease->id, (unsigned long long)lease->grant_epoch);
        if (!committed || lease->grant_epoch < epochs->granted[slot->index])
            continue;
        if (lease->grant_epoch == epochs->granted[slot->index] && !hc_same(epochs->granted_to[slot->index], lease->id))
            sim_violation(sim, "I4: epoch %llu of %s/%u was given twice", (unsigned long long)lease->grant_epoch, body->rec.key,
                          slot->index);
        epochs->granted[slot->index] = lease->grant_epoch;
        HC_SET(epochs->granted_to[slot->index], lease->id);
    }
}

void sim_check_i4_epochs_grow(struct sim *sim, const struct body_rec *body, bool committed)
{
    struct slot_epochs *epochs = epochs_of(sim, body->rec.key);
    for (size_t i = 0; i < body->slot_count && i < SIM_SLOTS_MAX; i++)
        check_slot(sim, epochs, body, &body->slots[i], committed);
    /* A slot that was lowered goes once the generation has passed its epoch: what was granted there is remembered, what it was is not. */
    for (size_t i = body->slot_count; i < SIM_SLOTS_MAX; i++)
        *(committed ? &epochs->committed[i] : &epochs->live[i]) = 0;
}

void sim_check_i4_grant_is_above_all(struct sim *sim, const struct lease *is, const char *body_id, uint32_t slot)
{
    const struct slot_epochs *epochs = epochs_of(sim, body_id);
    const struct machine *m = machine_of(sim, body_id);
    if (slot >= SIM_SLOTS_MAX)
        return;
    if (is->grant_epoch <= epochs->committed[slot] || is->grant_epoch <= epochs->granted[slot] || is->grant_epoch <= epochs->live[slot])
        sim_violation(sim, "I4: %s is granted at epoch %llu, %s/%u was at %llu", is->id, (unsigned long long)is->grant_epoch, body_id, slot,
            (unsigned long long)epochs->committed[slot]);
    bool told = m != NULL && m->heard_at != 0 && m->heard.modern && slot < m->heard.slot_count;
    if (told && is->grant_epoch <= m->heard.max_epoch[slot])
        sim_violation(sim, "I4: %s is granted at epoch %llu, its body has seen %llu", is->id, (unsigned long long)is->grant_epoch,
            (unsigned long long)m->heard.max_epoch[slot]);
}

/* What time, a report or a clock may do to a lease while somebody else speaks; and the one thing that rules allow a head to do. */
static bool allowed_beside(const struct seen_lease *was, const struct lease *is)
{
    switch (is->why) {
    case WHY_HEAD_ERROR: case WHY_REPEAT_READ: case WHY_EXPERIENCE_CHANGED: case WHY_RELEASED: case WHY_USER_EXIT: case WHY_ERROR:
    case WHY_ABANDON: case WHY_UNREACHABLE: case WHY_INTERRUPTED: case WHY_OPERATOR_RELEASE: case WHY_OPERATOR_REVOKE: case WHY_SUPERSEDED:
    case WHY_SEEKS_AGAIN: case WHY_MADE_EXPLICIT: case WHY_NODE_DELETED: case WHY_NODE_DENIED: case WHY_IDENTITY_REVOKED:
        return was->state == LEASE_DRAINING && was->why == is->why;      /* the drain that its own head began is done */
    default:
        return true;
    }
}

void sim_check_i5_only_its_own(struct sim *sim, const struct seen_lease *was, const struct lease *is)
{
    if (sim->step_head[0] == '\0' || was->head_id[0] == '\0' || hc_same(was->head_id, sim->step_head))
        return;
    bool moved = was->state == LEASE_HELD && is->state == LEASE_PAIRING;
    moved = moved || ((was->state == LEASE_GRANTED || was->state == LEASE_PAIRING) && is->state == LEASE_STARTING);
    moved = moved || (was->state == LEASE_GRANTED && is->state == LEASE_PAIRING);
    bool taken = !hc_same(was->head_id, is->head_id) || was->left_behind != is->left_behind;
    if (moved || taken || !allowed_beside(was, is))
        sim_violation(sim, "I5: %s of %s moved the lease %s of %s to %s (%s)", core_event_name(sim->step_type), sim->step_head, was->id,
            was->head_id, word_of(&lease_state_words, (int)is->state), word_of(&lease_why_words, (int)is->why));
}

void sim_check_i7_no_eviction_of_the_holder(struct sim *sim, const struct machine *m, const struct directive *d)
{
    for (size_t i = 0; i < d->slot_count; i++)
        for (size_t k = 0; k < d->slots[i].evict_count; k++)
            for (size_t n = 0; n < SIM_SESSIONS_MAX; n++) {
                const struct session *session = &m->sessions[n];
                bool its = session->on && hc_same(session->launch_id, d->slots[i].evict[k]);
                if (its && session->head >= 0 && d->slots[i].head_id[0] != '\0' && hc_same(sim->heads[session->head].id,
                                                                                           d->slots[i].head_id))
                    sim_violation(sim, "I7: %s is evicted from its own lease on %s/%u", d->slots[i].head_id, m->id, d->slots[i].index);
            }
}
