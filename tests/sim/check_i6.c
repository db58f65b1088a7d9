/* check_i6.c - I6: one durable identity per device. What the world knows is what was acknowledged. */
#include "sim.h"

#define FRESH_MS 90000

static struct head *head_of(struct sim *sim, const char *id)
{
    for (size_t i = 0; i < sim->head_count; i++)
        if (hc_same(sim->heads[i].id, id))
            return &sim->heads[i];
    return NULL;
}

/* A revoked identity never gets a lease that a certificate must stand for. */
void sim_check_i6_revoked_gets_no_lease(struct sim *sim, const struct core_event *ev, const struct lease *is)
{
    const struct head *h = head_of(sim, is->head_id);
    if (h != NULL && h->device.revoked && is->protocol >= 2)
        sim_violation(sim, "I6: %s is revoked and gets %s (%s)", h->id, is->id, core_event_name(ev->type));
}

/* While two devices speak as one head, neither claims without what the first was given. */
void sim_check_i6_clone_gets_no_lease(struct sim *sim, const struct core_event *ev, const struct lease *is)
{
    const struct head *h = ev->type == CORE_CLAIM ? head_of(sim, ev->u.claim.head_id) : NULL;
    if (h != NULL && hc_same(h->id, is->head_id) && ev->u.claim.claim_token[0] == '\0' && sim->now < h->device.cloned_until)
        sim_violation(sim, "I6: two devices speak as %s, and one of them gets %s", h->id, is->id);
}

/* A certificate that was acknowledged stands for one head. */
void sim_check_i6_one_head_a_certificate(struct sim *sim, const struct core_event *ev)
{
    const struct alloc *live = sim->cluster.live;
    if (ev->type != CORE_IDENTITY_PUT)
        return;
    for (size_t i = 0; i < alloc_count(live, REC_IDENTITY); i++) {
        const struct identity_rec *one = (const struct identity_rec *)alloc_at(live, REC_IDENTITY, i);
        bool changed = hc_same(one->rec.key, ev->u.identity.head_id);
        if (changed || !hc_same(one->fingerprint, ev->u.identity.fingerprint))
            continue;
        const struct identity_rec *mine = alloc_identity(live, ev->u.identity.head_id);
        if (mine != NULL && hc_same(mine->fingerprint, one->fingerprint))
            sim_violation(sim, "I6: %s and %s have one certificate", mine->rec.key, one->rec.key);
    }
}

/* What was acknowledged of an identity is in the store: its certificate, and above all its revocation, whatever file came back. */
void sim_check_i6_nothing_is_forgotten(struct sim *sim, bool replaced)
{
    bool old_copy = replaced && sim->cluster.committed == NULL;
    for (size_t i = 0; i < sim->head_count; i++) {
        struct head *h = &sim->heads[i];
        struct device *d = &h->device;
        const struct identity_rec *is = alloc_identity(sim->cluster.live, h->id);
        bool revoked = is != NULL && hc_time_set(is->revoked_at), unsure = d->asking || d->unsure;
        bool same = is != NULL && hc_same(is->fingerprint, d->fingerprint);
        if (d->revoked && !revoked && !old_copy && !unsure && (same || !replaced))
            sim_violation(sim, "I6: %s was revoked, and the store has lost it", h->id);
        if (d->registered && is == NULL && !old_copy)
            sim_violation(sim, "I6: %s was registered, and the store has lost it", h->id);
        if (d->registered && !same && !replaced && !unsure)
            sim_violation(sim, "I6: %s has another certificate than it was told", h->id);
        d->unsure = false;
        d->revoked = revoked && !d->asking;  /* what is under way runs again */
        d->registered = is != NULL;
        HC_SET(d->fingerprint, is == NULL ? "" : is->fingerprint);
        HC_SET(d->predecessor, is == NULL ? "" : is->predecessor.fingerprint);
        d->registered_at = sim->now;
        d->overlap_until = replaced ? 0 : d->overlap_until;
    }
}

/* per_device_identity is latched when every body is modern and fresh and every head pairs by its own certificate, never before. */
void sim_check_i6_latch_had_its_condition(struct sim *sim, const struct core_result *result)
{
    bool latched = false;
    for (size_t i = 0; i < result->note_count; i++)
        latched = latched || result->notes[i].type == NOTE_DEVICE_IDENTITY_ON;
    for (size_t i = 0; i < sim->body_count && latched; i++) {
        const struct machine *m = &sim->bodies[i];
        if (m->used && (!m->heard.modern || m->heard_at == 0 || sim->now - m->heard_at > FRESH_MS))
            sim_violation(sim, "I6: identities are asked for, and %s is not ready", m->id);
    }
    for (size_t i = 0; i < sim->head_count && latched; i++)
        if (sim->heads[i].device.told_pairing < 2)
            sim_violation(sim, "I6: identities are asked for, and %s is not ready", sim->heads[i].id);
}
