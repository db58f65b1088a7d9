/* preempt.c - a home-venue head with nothing to get takes back a slot of its venue (§7.7). Only from a head that we can stop and that
 * has not begun. */
#include <string.h>

#include "seeking.h"

#define PREEMPTED_MAX 2        /* a stream is preempted at most that often */

/* What a slot may lack at the moment it is taken: it is leased, and the lease's own epoch may not be confirmed yet. */
#define TAKEN_BITS (WHY_NOT_LEASED | WHY_NOT_EPOCH_UNCONFIRMED | WHY_NOT_DEMOTED)

static bool may_be_taken(const struct core_view *v, const struct lease *lease, const struct node_rec *body)
{
    const struct node_rec *head = alloc_node(v->saved, lease->head_id);
    const struct stream_rec *stream = alloc_stream(v->saved, lease->stream_id);
    const struct body_obs *obs = observed_body(v->obs, body->rec.key);
    if (lease->state != LEASE_GRANTED && lease->state != LEASE_PAIRING)
        return false;                    /* never starting, never streaming */
    if (lease->protocol < 2 || lease->left_behind || lease->mode != MODE_FLAT)
        return false;                    /* a legacy head cannot be told */
    if (head == NULL || hc_same(head->venue, body->venue))
        return false;                    /* cross-venue leases only */
    return obs != NULL && obs->modern && stream != NULL && stream->preempted < PREEMPTED_MAX;
}

static bool younger(const struct lease *a, const struct lease *b)
{
    if (b == NULL || a->granted_at.ms != b->granted_at.ms)
        return b == NULL || hc_time_before(b->granted_at, a->granted_at);
    return strcmp(a->id, b->id) > 0;
}

struct victim { const struct lease *lease; const struct body_rec *body; uint32_t slot; };

static struct victim find_victim(struct seeking *k)
{
    struct victim victim = { 0 };
    const struct core_view *v = k->v;
    for (size_t i = 0; i < alloc_count(v->saved, REC_BODY); i++) {
        const struct body_rec *body = (const struct body_rec *)alloc_at(v->saved, REC_BODY, i);
        const struct node_rec *node = body_node(v->saved, body);
        if (node == NULL || !hc_same(node->district, k->head->district) || !hc_same(node->venue, k->head->venue))
            continue;
        for (uint32_t slot = 0; slot < body->slot_count; slot++) {
            const struct lease *lease = slot_live_lease(&body->slots[slot]);
            if (lease == NULL || !may_be_taken(v, lease, node) || !younger(lease, victim.lease))
                continue;
            uint32_t base = seeking_base(v, body, slot, &k->who);
            uint32_t mask = base | seeking_why_not(k, body, node, slot, base);
            if ((mask & ~(uint32_t)TAKEN_BITS) == 0)
                victim = (struct victim){ .lease = lease, .body = body, .slot = slot };
        }
    }
    return victim;
}

static bool has_promise(const struct core_view *v, const char *ticket_id)
{
    for (size_t b = 0; b < alloc_count(v->saved, REC_BODY); b++) {
        const struct body_rec *body = (const struct body_rec *)alloc_at(v->saved, REC_BODY, b);
        for (size_t i = 0; i < body->slot_count; i++)
            if (hc_same(body->slots[i].promise_ticket_id, ticket_id) && promise_holds(v, &body->slots[i]))
                return true;
    }
    return false;
}

/* Somebody of the venue waits longer: what is freed would be theirs. */
static bool older_waits(const struct core_view *v, const struct seeker *who, const struct victim *victim)
{
    const struct node_rec *node = body_node(v->saved, victim->body);
    for (size_t i = 0; i < alloc_count(v->saved, REC_TICKET); i++) {
        const struct ticket_rec *ticket = (const struct ticket_rec *)alloc_at(v->saved, REC_TICKET, i);
        const struct node_rec *head = alloc_node(v->saved, ticket->rec.key);
        if (head != NULL && hc_same(head->venue, node->venue) && hc_same(ticket->district, node->district) &&
            ticket_is_older(ticket, who) && ticket_alive(v, ticket) && !has_promise(v, ticket->id) &&
            could_use(v, victim->body, node, head, ticket))
            return true;
    }
    return false;
}

static enum hc_err take(struct step *s, const struct victim *victim, const char *ticket_id, const char *by_head)
{
    char body_id[HC_ID_SIZE], lease_id[HC_ID_SIZE], stream_id[HC_ID_SIZE], promised[HC_ID_SIZE];
    uint32_t slot = victim->slot;
    HC_SET(body_id, victim->body->rec.key);
    HC_SET(lease_id, victim->lease->id);
    HC_SET(stream_id, victim->lease->stream_id);
    HC_SET(promised, ticket_id);
    struct stream_rec *stream = (struct stream_rec *)alloc_edit(s->live, REC_STREAM, stream_id);
    if (stream == NULL)
        return HC_ERR_NOMEM;
    stream->preempted++;
    struct body_rec *body = step_edit_body(s, body_id);
    if (body == NULL)
        return HC_ERR_NOMEM;
    /* Promised in the same commit, and before the end of the lease lets anybody look at the slot. */
    HC_SET(body->slots[slot].promise_ticket_id, promised);
    body->slots[slot].promise_until = hc_time_add(s->now, s->t->promise_window_ms);
    enum hc_err err = step_note(s, NOTE_PREEMPTED, body_id, (int32_t)slot, victim->lease, "", "for %s of the home venue", by_head);
    return err == HC_OK ? lease_event(s, lease_id, LEV_REVOKE, WHY_PREEMPTED, FATE_BY_WHY) : err;
}

enum hc_err preempt_for(struct step *s, const struct seeker *who, bool *ret_done)
{
    struct core_view v = step_view(s);
    const struct ticket_rec *ticket = alloc_ticket(s->live, who->head_id);
    const struct stream_rec *stream = ticket == NULL ? NULL : alloc_stream(s->live, ticket->stream_id);
    *ret_done = false;
    if (!s->ev->store_ok || s->ev->dry_run || stream == NULL || stream->preempted > 0 || has_promise(&v, ticket->id))
        return HC_OK;                    /* who was preempted cannot preempt back; one promise a ticket */
    struct seeking k;
    struct seeker as = ticket_seeker(ticket);
    seeking_start(&k, &v, &as);
    if (k.head == NULL || k.caps != 0)
        return HC_OK;
    struct victim victim = find_victim(&k);
    if (victim.lease == NULL || older_waits(&v, &as, &victim))
        return HC_OK;
    struct lease lease = *victim.lease;  /* a copy: its record is edited */
    victim.lease = &lease;
    char ticket_id[HC_ID_SIZE], head_id[HC_ID_SIZE];
    HC_SET(ticket_id, ticket->id);
    HC_SET(head_id, who->head_id);
    enum hc_err err = take(s, &victim, ticket_id, head_id);
    *ret_done = err == HC_OK;
    return err;
}
