/* pair_lease.c - a slot is kept for a head that pairs without holding a lease there: one handshake at a time (rules §12.7). */
#include "seeking.h"

bool pair_held(const struct slot *slot, hc_time now)
{
    return slot->pair.id[0] != '\0' && !hc_time_due(slot->pair.expires_at, now);
}

bool pair_of(const struct body_rec *body, const char *head_id, hc_time now)
{
    for (size_t i = 0; i < body->slot_count; i++)
        if (pair_held(&body->slots[i], now) && hc_same(body->slots[i].pair.head_id, head_id))
            return true;
    return false;
}

static enum hc_err note_pair(struct step *s, enum note_type type, const char *body_id, uint32_t slot, const struct pair_lease *pair,
                             const char *why)
{
    enum hc_err err = step_note(s, type, body_id, (int32_t)slot, NULL, pair->head_id, "%s", why);
    if (err == HC_OK)
        HC_SET(step_last_note(s)->lease_id, pair->id);
    return err;
}

static enum hc_err pair_end(struct step *s, const char *body_id, uint32_t slot, const char *why)
{
    struct body_rec *body = step_edit_body(s, body_id);
    if (body == NULL)
        return HC_ERR_NOMEM;
    struct pair_lease over = body->slots[slot].pair;
    body->slots[slot].pair = (struct pair_lease){ .id = "" };
    s->rights_changed = true;
    return note_pair(s, NOTE_PAIR_LEASE_ENDED, body_id, slot, &over, why);
}

enum hc_err pair_taken(struct step *s, const char *body_id, uint32_t slot)
{
    return alloc_body(s->live, body_id)->slots[slot].pair.id[0] == '\0' ? HC_OK : pair_end(s, body_id, slot, "the slot was granted");
}

static bool head_gone(const struct step *s, const char *head_id)
{
    const struct node_rec *head = alloc_node(s->live, head_id);
    return head == NULL || head->approval != APPROVAL_APPROVED;
}

enum hc_err pair_clock(struct step *s, const char *body_id)
{
    enum hc_err err = HC_OK;
    const struct body_rec *body = alloc_body(s->live, body_id);
    for (uint32_t i = 0; body != NULL && i < body->slot_count && err == HC_OK; i++) {
        const struct slot *slot = &body->slots[i];
        if (slot->pair.id[0] == '\0')
            continue;
        if (!pair_held(slot, s->now))
            err = pair_end(s, body_id, i, "expired");
        else if (head_gone(s, slot->pair.head_id))
            err = pair_end(s, body_id, i, "its head has gone");
        body = alloc_body(s->live, body_id);
    }
    return err;
}

/* ---- the head asks ---- */

static bool holds(const struct lease *lease, const char *head_id)
{
    return hc_same(lease->head_id, head_id) && !lease->left_behind && lease->state != LEASE_DRAINING;
}

/* Somebody else's lease on the slot, or an XR session, which has the whole machine. */
static bool busy(const struct body_rec *body, uint32_t slot, const char *head_id)
{
    for (uint32_t i = 0; i < body->slot_count; i++) {
        const struct lease *lease = slot_live_lease(&body->slots[i]);
        if (lease != NULL && (i == slot || lease->mode == MODE_XR) && !hc_same(lease->head_id, head_id))
            return true;
    }
    return false;
}

static enum hc_err answer(struct step *s, const char *body_id, uint32_t slot, const char *id, const char *head_id, enum lease_mode mode,
                          hc_time until)
{
    struct pair_facts *facts = &s->out->pair;
    s->out->answer = ANSWER_PAIR;
    HC_SET(facts->id, id);
    HC_SET(facts->body_id, body_id);
    HC_SET(facts->head_id, head_id);
    facts->slot = slot;
    facts->mode = mode;
    facts->ttl_ms = hc_time_set(until) ? hc_time_since(until, s->now) : -1;
    return HC_OK;
}

enum hc_err pairs_leave(struct step *s, const char *head_id, const char *why)
{
    enum hc_err err = HC_OK;
    for (size_t i = 0; i < alloc_count(s->live, REC_BODY) && err == HC_OK; i++) {
        const struct body_rec *body = (const struct body_rec *)alloc_at(s->live, REC_BODY, i);
        for (uint32_t k = 0; k < body->slot_count && err == HC_OK; k++) {
            if (body->slots[k].pair.id[0] == '\0' || !hc_same(body->slots[k].pair.head_id, head_id))
                continue;
            char body_id[HC_ID_SIZE];
            HC_SET(body_id, body->rec.key);
            err = pair_end(s, body_id, k, why);
            body = alloc_body(s->live, body_id);
        }
    }
    return err;
}

/* A pair lease closes the slot as a lease does: nobody gets it before those who wait for the body (§7.1). */
static bool passes_the_line(const struct step *s, const struct pair_req *req)
{
    const struct core_view v = step_view(s);
    const struct ticket_rec *ticket = alloc_ticket(s->live, req->head_id);
    const struct seeker who = { .head_id = req->head_id, .experience = "", .ticket_id = ticket == NULL ? "" : ticket->id,
                                .created_at = ticket == NULL ? s->now : ticket->created_at };
    return older_could_use(&v, alloc_body(s->live, req->body_id), &who);
}

static enum hc_err grant(struct step *s, const struct pair_req *req)
{
    enum hc_err err = pairs_leave(s, req->head_id, "it pairs elsewhere");      /* a head pairs with one body at a time */
    struct body_rec *body = err == HC_OK ? step_edit_body(s, req->body_id) : NULL;
    if (body == NULL)
        return err == HC_OK ? HC_ERR_NOMEM : err;
    struct pair_lease *pair = &body->slots[req->slot].pair;
    step_id(s, "pair", pair->id);
    HC_SET(pair->head_id, req->head_id);
    const struct identity_rec *identity = alloc_identity(s->live, req->head_id);
    HC_SET(pair->device_uid, identity == NULL ? "" : identity->device_uid);
    pair->granted_at = s->now;
    pair->expires_at = hc_time_add(s->now, s->t->pair_lease_ttl_ms);
    err = answer(s, req->body_id, req->slot, pair->id, pair->head_id, MODE_PAIR, pair->expires_at);
    return err == HC_OK ? note_pair(s, NOTE_PAIR_LEASE_GRANTED, req->body_id, req->slot, pair, "") : err;
}

static enum hc_err contention(struct step *s, const struct pair_req *req)
{
    enum hc_err err = step_note(s, NOTE_PAIR_CONTENTION, req->body_id, (int32_t)req->slot, NULL, req->head_id, "%s",
                                "another head pairs there");
    return err == HC_OK ? step_refuse(s, DENY_PAIR_CONTENTION) : err;
}

/* *ret_refused: the step is answered. */
static enum hc_err check(struct step *s, const struct pair_req *req, bool *ret_refused)
{
    const struct body_rec *body = alloc_body(s->live, req->body_id);
    const struct node_rec *node = alloc_node(s->live, req->body_id), *head = alloc_node(s->live, req->head_id);
    *ret_refused = true;
    if (body == NULL || body->deleted || node == NULL || head == NULL)
        return step_refuse(s, DENY_NOT_FOUND);
    if (!s->ev->store_ok)
        return step_refuse(s, DENY_STORE);
    if (!hc_same(node->district, head->district))
        return step_refuse(s, DENY_FORBIDDEN);
    if (req->slot >= body->slot_count || req->slot >= body->slots_total)
        return step_bad(s, "slot", "The body has no such slot.");
    const struct identity_rec *identity = alloc_identity(s->live, req->head_id);
    if (identity != NULL && identity_banned(s->live, identity))
        return step_refuse(s, DENY_IDENTITY_REVOKED);
    if (busy(body, req->slot, req->head_id))
        return step_refuse(s, DENY_BODY_BUSY);
    const struct slot *slot = &body->slots[req->slot];
    if (pair_held(slot, s->now) && !hc_same(slot->pair.head_id, req->head_id))
        return contention(s, req);
    *ret_refused = false;
    return HC_OK;
}

enum hc_err on_pair_lease(struct step *s)
{
    const struct pair_req *req = &s->ev->u.pair;
    bool refused;
    enum hc_err err = check(s, req, &refused);
    if (err != HC_OK || refused)
        return err;
    const struct slot *slot = &alloc_body(s->live, req->body_id)->slots[req->slot];
    const struct lease *lease = slot_live_lease(slot);
    if (lease != NULL && holds(lease, req->head_id))       /* the holder pairs under its lease */
        return answer(s, req->body_id, req->slot, lease->id, lease->head_id, lease->mode, lease_clock(s->obs, lease).expires_at);
    if (pair_held(slot, s->now))                           /* a repeat: the same one, and no longer than it was */
        return answer(s, req->body_id, req->slot, slot->pair.id, slot->pair.head_id, MODE_PAIR, slot->pair.expires_at);
    return passes_the_line(s, req) ? step_refuse(s, DENY_BODY_BUSY) : grant(s, req);
}

enum hc_err on_pair_release(struct step *s)
{
    const struct pair_release_req *req = &s->ev->u.pair_release;
    for (size_t i = 0; i < alloc_count(s->live, REC_BODY); i++) {
        const struct body_rec *body = (const struct body_rec *)alloc_at(s->live, REC_BODY, i);
        for (uint32_t k = 0; k < body->slot_count; k++) {
            const struct pair_lease *pair = &body->slots[k].pair;
            if (pair->id[0] == '\0' || !hc_same(pair->id, req->lease_id) || !hc_same(pair->head_id, req->head_id))
                continue;
            if (!s->ev->store_ok)
                return step_refuse(s, DENY_STORE);
            char body_id[HC_ID_SIZE];
            HC_SET(body_id, body->rec.key);
            return pair_end(s, body_id, k, "released");
        }
    }
    return HC_OK;                         /* over already, or never there */
}
