/* xr_start.c - POST /heads/{id}/xr-session: a headset has its body armed (wire §2). No queue: who cannot be armed now is told so. */
#include "xr.h"

#include "asking.h"
#include "seeking.h"

struct starting {
    const struct xr_start_req *req;
    const struct node_rec *head, *node;
    const struct body_rec *body;
    const struct lease *own;                 /* its pre-stream lease, or NULL */
    bool own_there;                          /* on the very slot */
};

static bool blank(const char *text)
{
    return text == NULL || text[0] == '\0';
}

/* The gates that no waiting opens. NULL: all open; else what is wrong, for people. */
static const char *closed_gate(const struct step *s, const struct starting *k)
{
    const struct core_view v = step_view(s);
    if (!node_is_quest(k->head))
        return "This head is no hydraheadquest.";
    if (k->head->xr_client_hostname[0] == '\0')
        return "No xr_client_hostname is configured for this head.";
    if (!xr_experience(s->live, k->req->experience))
        return "The stream mode of this experience is not xr.";
    if (k->body == NULL || k->node == NULL || k->body->slot_count == 0)
        return "There is no such body.";
    uint32_t mask = eligible_why_not(&v, k->node, k->head, k->req->experience, MODE_XR);
    if ((mask & WHY_NOT_STREAM_MODE) != 0)
        return "The body does not report the driver that this head needs.";
    if ((mask & WHY_NOT_EXPERIENCE) != 0)
        return "The experience is not installed on this body.";
    return (mask & WHY_NOT_VENUE) != 0 ? "The body does not serve this head." : NULL;
}

/* One headset, one session; and a picture that is on its way in another manner is not thrown away. */
static bool head_is_busy(const struct step *s, const struct starting *k)
{
    if (xr_of_head(s->live, k->head->rec.key, NULL) != NULL)
        return true;
    const struct lease *own = k->own;
    return own != NULL && (own->source != SOURCE_IMPLICIT || !lease_is_pre_stream(own->state) || own->mode != MODE_FLAT);
}

static uint32_t busy_with(const struct step *s, const struct starting *k)
{
    const struct core_view v = step_view(s);
    const struct ticket_rec *ticket = alloc_ticket(s->live, k->head->rec.key);
    struct seeker who = { .head_id = k->head->rec.key, .experience = k->req->experience, .ticket_id = ticket == NULL ? "" : ticket->id,
                          .mode = MODE_XR, .protocol = 1, .created_at = ticket == NULL ? s->now : ticket->created_at };
    uint32_t mask = slot_why_not_for(&v, k->body, XR_SLOT, &who) & ~(uint32_t)WHY_NOT_DEMOTED;
    if (k->own != NULL)                      /* one lease for another: no cap is passed */
        mask &= ~(uint32_t)(WHY_NOT_VENUE_CAP | WHY_NOT_ORG_CAP);
    if (k->own_there)                        /* its own hold is not busy; its epoch was never confirmed to be told of */
        mask &= ~(uint32_t)(WHY_NOT_LEASED | WHY_NOT_EPOCH_UNCONFIRMED | WHY_NOT_PROBE_OUT | WHY_NOT_RESERVED);
    return mask;
}

static enum hc_err grant_xr(struct step *s, const struct starting *k)
{
    char lease_id[HC_ID_SIZE], own_id[HC_ID_SIZE] = "", body_id[HC_ID_SIZE];
    HC_SET(body_id, k->body->rec.key);
    if (k->own != NULL)
        HC_SET(own_id, k->own->id);
    enum hc_err err = HC_OK;
    if (k->own_there)
        err = lease_event(s, own_id, LEV_SUPERSEDED, WHY_SUPERSEDED, FATE_KEEP);
    else if (own_id[0] != '\0')
        err = lease_release(s, own_id, WHY_EXPERIENCE_CHANGED, FATE_KEEP);
    if (err != HC_OK)
        return err;
    struct asking ask;
    struct verdict there = { .found = true, .slot = XR_SLOT };
    HC_SET(there.body_id, body_id);
    asking_start(&ask, s, alloc_node(s->live, k->req->head_id), k->req->experience, 1);
    ask.mode = MODE_XR;
    HC_SET(ask.client_ip, blank(k->req->client_ip) ? "" : k->req->client_ip);
    err = asking_grant(s, &ask, &there, lease_id);
    if (err == HC_OK)
        xr_answer(s, body_id);
    return err;
}

enum hc_err on_xr_start(struct step *s)
{
    const struct xr_start_req *req = &s->ev->u.xr_start;
    if (!head_exists(s->live, req->head_id))
        return step_refuse(s, DENY_NOT_FOUND);
    if (s->ev->caller.kind == CALLER_NODE && !hc_same(s->ev->caller.node_id, req->head_id))
        return step_refuse(s, DENY_FORBIDDEN);               /* I5 */
    struct starting k = { .req = req, .head = alloc_node(s->live, req->head_id), .node = alloc_node(s->live, req->body_id),
                          .body = alloc_body(s->live, req->body_id) };
    const struct body_rec *own_body = NULL;
    const struct slot *own_slot = NULL;
    const char *own_id = alloc_head_lease(s->live, req->head_id);
    k.own = own_id == NULL ? NULL : alloc_lease(s->live, own_id, &own_body, &own_slot);
    k.own_there = k.own != NULL && own_body == k.body && own_slot->index == XR_SLOT;
    const struct identity_rec *identity = alloc_identity(s->live, req->head_id);
    if (identity != NULL && identity_banned(s->live, identity))
        return step_refuse(s, DENY_IDENTITY_REVOKED);
    const char *gate = closed_gate(s, &k);
    if (gate != NULL) {
        HC_SET(s->out->detail, gate);
        return step_refuse(s, DENY_NOT_XR_CAPABLE);
    }
    if (head_is_busy(s, &k)) {
        enum hc_err err = k.own == NULL ? HC_OK : answer_lease(s, ANSWER_REFUSED, k.own->id, false);
        return err == HC_OK ? step_refuse(s, DENY_HEAD_BUSY) : err;
    }
    if (!s->ev->store_ok)
        return refuse_retry(s, DENY_STORE, STORE_RETRY_MS);
    uint32_t mask = busy_with(s, &k);
    const struct core_view v = step_view(s);
    bool unheard = (mask & (WHY_NOT_NO_REPORT | WHY_NOT_SAFE_MODE)) != 0 && (mask & WHY_NOT_LEASED) == 0;
    if (unheard && safe_mode_awaits(&v, k.head->district))
        return refuse_retry(s, DENY_RECONCILING, RECONCILE_RETRY_MS);
    return mask != 0 ? step_refuse(s, DENY_BODY_BUSY) : grant_xr(s, &k);
}
