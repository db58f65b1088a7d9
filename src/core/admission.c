/* admission.c - "where is this head?": its stream, lease or ticket in one answer; collecting and accepting a promotion (§7.2, §7.11). */
#include "asking.h"

#include <assert.h>

#include "queue.h"
#include "xr.h"

bool accept_only(const struct alloc *live, const char *head_id)
{
    const struct node_rec *head = alloc_node(live, head_id);
    const struct venue_rec *venue = head == NULL || head->venue[0] == '\0' ? NULL : alloc_venue(live, head->venue);
    return venue != NULL && venue->accept_mode == ACCEPT_CONFIRM;
}

enum hc_err lease_handed_again(struct step *s, const struct lease *lease)
{
    if (s->ev->dry_run || lease_is_pre_stream(lease->state))
        return HC_OK;
    struct node_obs *seen = step_edit_node_obs(s, lease->head_id);
    if (seen == NULL)
        return HC_ERR_NOMEM;
    seen->handed_at = s->now;
    HC_SET(seen->handed_lease_id, lease->id);
    return HC_OK;
}

enum hc_err lease_collect(struct step *s, const char *lease_id, const char *attempt_id, const char *attempt_digest)
{
    const char *body_id = alloc_lease_body(s->live, lease_id);
    struct body_rec *body = body_id == NULL ? NULL : step_edit_body(s, body_id);
    if (body == NULL)
        return HC_ERR_NOMEM;
    struct lease *lease = lease_in(body, lease_id, NULL);
    assert(lease != NULL && lease->uncollected);
    if (attempt_id != NULL && attempt_id[0] != '\0') {
        HC_SET(lease->attempt_id, attempt_id);
        HC_SET(lease->attempt_digest, attempt_digest);
    }
    lease->uncollected = false;              /* its clocks start here */
    lease->renewed_at = lease->head_renewed_at = s->now;
    bool xr = lease->mode == MODE_XR;
    lease->start_deadline_at = hc_time_add(s->now, xr ? s->t->xr_arm_ms : s->t->start_deadline_ms);
    lease->expires_at = xr ? HC_TIME_NEVER : hc_time_earlier(hc_time_add(s->now, s->t->lease_ttl_ms), lease->start_deadline_at);
    char token[CLAIM_TOKEN_SIZE];
    claim_token(s->live->config, lease, token);
    token_digest(token, lease->token_hash);
    return xr ? xr_begin(s, body->rec.key, lease->id, NULL) : HC_OK;
}

enum hc_err answer_promoted(struct step *s, const char *lease_id)
{
    const struct lease *lease = alloc_lease(s->live, lease_id, NULL, NULL);
    assert(lease != NULL);
    const struct stream_rec *stream = alloc_stream(s->live, lease->stream_id);
    struct ticket_facts *ticket = &s->out->ticket;
    *ticket = (struct ticket_facts){ .position = 1, .eta_ms = -1, .state = TICKET_PROMOTED, .retry_after_ms = TICKET_POLL_MS };
    ticket_id_of(lease->stream_id, ticket->id);
    HC_SET(ticket->stream_id, lease->stream_id);
    ticket->created_at = stream == NULL ? lease->granted_at : stream->created_at;
    s->out->has_ticket = true;
    s->out->answer = ANSWER_TICKET;
    s->out->retry_after_ms = TICKET_POLL_MS;
    return answer_stream(s, lease->stream_id);
}

static enum hc_err admission_lease(struct step *s, const struct lease *own, bool by_self)
{
    const struct admission_req *req = &s->ev->u.admission;
    char lease_id[HC_ID_SIZE];
    HC_SET(lease_id, own->id);
    bool named = by_self && req->attempt_id != NULL && req->attempt_id[0] != '\0' && hc_same(req->attempt_id, own->attempt_id);
    bool collects = named && own->uncollected && s->ev->store_ok && !s->ev->dry_run && !accept_only(s->live, req->head_id);
    enum hc_err err = collects ? lease_collect(s, lease_id, NULL, NULL) : HC_OK;
    if (err != HC_OK)
        return err;
    const struct lease *lease = alloc_lease(s->live, lease_id, NULL, NULL);
    assert(lease != NULL);
    bool waits = lease->uncollected;
    if (named && !waits)
        err = lease_handed_again(s, lease);
    if (err == HC_OK)
        err = answer_lease(s, ANSWER_STREAM, lease_id, named && !waits);
    return err == HC_OK && waits ? answer_promoted(s, lease_id) : err;
}

enum hc_err on_admission(struct step *s)
{
    const struct admission_req *req = &s->ev->u.admission;
    const struct node_rec *head = alloc_node(s->live, req->head_id);
    bool by_self = s->ev->caller.kind == CALLER_NODE && hc_same(s->ev->caller.node_id, req->head_id);
    if (head == NULL || (head->roles & ROLE_HEAD) == 0)
        return step_refuse(s, DENY_NOT_FOUND);
    const struct lease *own = head_lease(s->live, req->head_id, NULL);
    const struct ticket_rec *ticket = alloc_ticket(s->live, req->head_id);
    const char *stream_id = alloc_head_stream(s->live, req->head_id);
    enum hc_err err = HC_OK;
    if (own != NULL)
        err = admission_lease(s, own, by_self);
    if (err == HC_OK && own == NULL && ticket != NULL) {
        if (by_self && ticket->protocol >= 2)
            err = ticket_renew(s, req->head_id);               /* a legacy ticket lives by claiming reads only (§7.3) */
        if (err == HC_OK)
            err = answer_ticket(s, req->head_id);
    } else if (err == HC_OK && own == NULL && stream_id != NULL) {
        err = answer_stream(s, stream_id);
    }
    s->out->answer = ANSWER_STREAM;
    return err;
}

static enum hc_err accept_ticket(struct step *s, const char *head_id)
{
    enum hc_err err = ticket_confirm(s, head_id);
    if (err == HC_OK)
        err = ticket_renew(s, head_id);
    s->out->answer = ANSWER_TICKET;
    return err == HC_OK ? answer_ticket(s, head_id) : err;
}

/* Two devices speak as this head (§12.2): which of them asks is not known, and what it would be given is the lease. */
static bool doubted(const struct step *s, const char *head_id)
{
    const struct node_obs *seen = observed_node(s->obs, head_id);
    if (seen == NULL || !hc_time_set(seen->duplicate_until) || hc_time_due(seen->duplicate_until, s->now))
        return false;
    s->out->retry_after_ms = hc_time_since(seen->duplicate_until, s->now);
    return true;
}

/* The token goes to whom the queue promoted, once. A lease of a claim has its own; a repeated accept only says where it is (§6.5, §7.2). */
enum hc_err on_accept(struct step *s)
{
    const struct accept_req *req = &s->ev->u.accept;
    if (!head_exists(s->live, req->head_id))
        return step_refuse(s, DENY_NOT_FOUND);
    if (!s->ev->store_ok)
        return refuse_retry(s, DENY_STORE, STORE_RETRY_MS);
    const struct lease *own = head_lease(s->live, req->head_id, NULL);
    if (own == NULL && alloc_ticket(s->live, req->head_id) != NULL)
        return accept_ticket(s, req->head_id);
    if (own == NULL) {
        HC_SET(s->out->lost_why, word_of(&lease_why_words, WHY_NOT_ACCEPTED));
        return step_refuse(s, DENY_LEASE_LOST);
    }
    char lease_id[HC_ID_SIZE];
    HC_SET(lease_id, own->id);
    bool collects = own->uncollected;
    if (collects && doubted(s, req->head_id))
        return step_refuse(s, DENY_DUPLICATE_HEAD);
    enum hc_err err = collects ? lease_collect(s, lease_id, NULL, NULL) : HC_OK;
    return err == HC_OK ? answer_lease(s, ANSWER_LEASE_SAME, lease_id, collects) : err;
}

enum hc_err on_answer_lost(struct step *s)
{
    const struct answer_lost_req *req = &s->ev->u.answer_lost;
    s->out->answer = ANSWER_DONE;
    if (alloc_node(s->live, req->head_id) == NULL || s->ev->dry_run)
        return HC_OK;
    struct node_obs *seen = step_edit_node_obs(s, req->head_id);
    if (seen == NULL)
        return HC_ERR_NOMEM;
    seen->read_lost = true;              /* never handed out: the next read is no repeat (§6.3.1) */
    return HC_OK;
}
