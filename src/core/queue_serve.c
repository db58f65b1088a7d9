/* queue_serve.c - a slot became grantable: the first ticket that may use it gets it (§7.1, §7.2). Legacy tickets keep theirs and are
 * told when they read. */
#include <assert.h>

#include "hydra/base/arena.h"
#include "seeking.h"

static bool slot_is_free(const struct core_view *v, const struct body_rec *body, uint32_t slot)
{
    return slot_live_lease(&body->slots[slot]) == NULL && (slot_why_not(v, body, slot) & ~(uint32_t)WHY_NOT_PROMISED) == 0;
}

/* Is there a protocol-2 ticket that one of this body's free slots is for, as far as the body itself goes? */
static bool somebody_waits(const struct core_view *v, const struct body_rec *body, const struct node_rec *node)
{
    struct ticket_kinds tried = { 0 };
    const struct ticket_rec *unlisted = NULL;        /* refused for what the body is: no head can change that */
    for (size_t i = 0; i < alloc_count(v->saved, REC_TICKET); i++) {
        const struct ticket_rec *ticket = (const struct ticket_rec *)alloc_at(v->saved, REC_TICKET, i);
        if (ticket->protocol < 2 || !hc_same(ticket->district, node->district))
            continue;
        if (unlisted != NULL && unlisted->mode == ticket->mode && hc_same(unlisted->experience, ticket->experience))
            continue;
        if (offer_why_not(v, node, ticket->experience, ticket->mode) != 0) {
            unlisted = ticket;
            continue;
        }
        if (ticket_kinds_have(v, &tried, ticket))
            continue;
        if (could_use(v, body, node, alloc_node(v->saved, ticket->rec.key), ticket))
            return true;
        ticket_kinds_add(&tried, ticket);
    }
    return false;
}

static bool worth_a_look(const struct core_view *v, const char *body_id)
{
    const struct body_rec *body = alloc_body(v->saved, body_id);
    const struct node_rec *node = alloc_node(v->saved, body_id);
    bool free = false;
    if (body == NULL || node == NULL)
        return false;
    for (uint32_t slot = 0; slot < body->slot_count && !free; slot++)
        free = slot_is_free(v, body, slot);
    return free && somebody_waits(v, body, node);      /* in this order: slots are few, tickets may be many */
}

static enum hc_err promote(struct step *s, const struct pick *pick)
{
    struct ticket_rec ticket = *pick->ticket;        /* a copy: the ticket goes with the grant */
    char body_id[HC_ID_SIZE], lease_id[HC_ID_SIZE];
    HC_SET(body_id, pick->body->rec.key);
    struct grant grant = {
        .body_id = body_id, .slot = pick->slot, .head_id = ticket.rec.key, .stream_id = ticket.stream_id, .experience = ticket.experience,
        .device_uid = ticket.device_uid, .attempt_id = ticket.attempt_id, .attempt_digest = ticket.attempt_digest, .client_uuid = "",
        .source = SOURCE_EXPLICIT, .mode = ticket.mode, .protocol = ticket.protocol, .promoted = true,
        .preferred = ticket.prefer_body_id[0] != '\0' && hc_same(ticket.prefer_body_id, body_id),
    };
    enum hc_err err = lease_grant(s, &grant, lease_id);
    if (err != HC_OK)
        return err;
    err = step_note(s, NOTE_PROMOTED, body_id, (int32_t)pick->slot, alloc_lease(s->live, lease_id, NULL, NULL), ticket.rec.key, "%s",
                    ticket.experience);
    if (err != HC_OK)
        return err;
    struct core_note *note = step_last_note(s);
    note->waited_ms = hc_time_since(s->now, ticket.created_at);
    note->eta_ms = ticket.eta_ms;
    return HC_OK;
}

/* Promotes one; *ret_done false: there was none. */
static enum hc_err promote_next(struct step *s, const char *district, struct picks *picks, bool *ret_done)
{
    struct core_view v = step_view(s);
    *ret_done = false;
    enum hc_err err = picks_make(&v, district, NULL, picks);
    for (size_t i = 0; i < picks->count && err == HC_OK && !*ret_done; i++) {
        if (picks->at[i].ticket->protocol < 2)
            continue;
        err = promote(s, &picks->at[i]);
        *ret_done = err == HC_OK;
    }
    return err;
}

/* A promise whose time or ticket is gone is not kept in the file. */
static enum hc_err forget_promises(struct step *s, const char *body_id)
{
    struct core_view v = step_view(s);
    const struct body_rec *body = alloc_body(s->live, body_id);
    for (uint32_t i = 0; body != NULL && i < body->slot_count; i++) {
        if (body->slots[i].promise_ticket_id[0] == '\0' || promise_holds(&v, &body->slots[i]))
            continue;
        struct body_rec *edit = step_edit_body(s, body_id);
        if (edit == NULL)
            return HC_ERR_NOMEM;
        edit->slots[i].promise_ticket_id[0] = '\0';
        edit->slots[i].promise_until = HC_TIME_NEVER;
        body = edit;
    }
    return HC_OK;
}

enum hc_err queue_serve_body(struct step *s, const char *body_id)
{
    struct core_view v = step_view(s);
    enum hc_err err = !s->ev->store_ok || s->ev->dry_run ? HC_OK : forget_promises(s, body_id);
    if (err != HC_OK || !s->ev->store_ok || s->ev->dry_run || !worth_a_look(&v, body_id))
        return err;
    char district[HC_NAME_SIZE];
    HC_SET(district, alloc_node(s->live, body_id)->district);
    struct picks *picks = hc_alloc(sizeof *picks);
    if (picks == NULL)
        return HC_ERR_NOMEM;
    bool more = true;
    /* Each takes a ticket away: a grant may change what the caps and the reserve leave for the next. */
    for (size_t left = alloc_count(s->live, REC_TICKET); more && left > 0 && err == HC_OK; left--)
        err = promote_next(s, district, picks, &more);
    hc_free(picks);
    return err;
}
