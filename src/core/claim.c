/* claim.c - POST slot-claims and streams, their dry runs, /explain: stages in the order of rules §6.5.5, each answers or lets the next
 * one look. */
#include "asking.h"

#include <string.h>

#include "queue.h"
#include "xr.h"

#define HEAD_LEASES_LOOKED_AT 64

struct claiming { struct asking ask; const struct claim_req *req; bool by_self; };
typedef enum hc_err claim_stage(struct step *s, struct claiming *c, bool *done);

static enum hc_err refused(struct step *s, enum deny_reason why, bool *done)
{
    *done = true;
    return step_refuse(s, why);
}

static enum hc_err store_down(struct step *s, bool *done)
{
    *done = true;
    return refuse_retry(s, DENY_STORE, STORE_RETRY_MS);
}

static bool blank(const char *text)
{
    return text == NULL || text[0] == '\0';
}

/* NULL: this head can have this experience in this mode. */
static const char *mode_fault(const struct step *s, const struct claiming *c)
{
    if (blank(c->req->stream_mode) || hc_same(c->req->stream_mode, "flat"))
        return NULL;
    if (!hc_same(c->req->stream_mode, "xr"))
        return "The stream mode is flat or xr.";
    if (!xr_head_fits(alloc_node(s->live, c->ask.head_id)))
        return "Only a hydraheadquest that has an xr_client_hostname can have XR.";
    return xr_experience(s->live, c->req->experience) ? NULL : "The stream mode of this experience is not xr.";
}

static enum hc_err stage_request(struct step *s, struct claiming *c, bool *done)
{
    *done = true;
    if (blank(c->req->attempt_id) && !c->req->no_attempt && !c->req->legacy)
        return step_bad(s, "attempt_id", "A claim needs an attempt_id.");
    if (blank(c->req->experience))
        return step_bad(s, "experience", "A claim needs an experience.");
    const char *fault = mode_fault(s, c);
    if (fault != NULL)
        return step_bad(s, "stream_mode", fault);
    *done = false;
    return HC_OK;
}

/* Reconnecting means naming the stream (§9.4); an ended or unknown id starts a new one. */
static enum hc_err stage_stream(struct step *s, struct claiming *c, bool *done)
{
    const struct stream_rec *stream = blank(c->req->stream_id) ? NULL : alloc_stream(s->live, c->req->stream_id);
    if (stream == NULL || hc_same(stream->head_id, c->ask.head_id))
        return HC_OK;
    enum hc_err err = step_note(s, NOTE_STREAM_HIJACK, "", -1, NULL, c->ask.head_id, "claim of stream %s of %s", c->req->stream_id,
                                stream->head_id);
    return err != HC_OK ? err : refused(s, DENY_NOT_YOUR_STREAM, done);
}

static enum hc_err lost(struct step *s, const char *lease_id, const char *stream_id, enum lease_state state, enum lease_why why, bool *done)
{
    *done = true;
    return answer_lease_lost(s, lease_id, stream_id, state, why);
}

/* 200: the lease is handed out, and collected if it was waiting for that. */
static enum hc_err hand_out(struct step *s, const struct claiming *c, const struct lease *lease, bool *done)
{
    char lease_id[HC_ID_SIZE];
    HC_SET(lease_id, lease->id);
    *done = true;
    if (!lease->uncollected) {
        enum hc_err err = lease_handed_again(s, lease);
        return err == HC_OK ? answer_lease(s, ANSWER_LEASE_SAME, lease_id, true) : err;
    }
    if (accept_only(s->live, c->ask.head_id))
        return answer_promoted(s, lease_id);
    if (!s->ev->store_ok)
        return store_down(s, done);
    enum hc_err err = lease_collect(s, lease_id, c->ask.attempt_id, c->ask.attempt_digest);
    return err == HC_OK ? answer_lease(s, ANSWER_LEASE_SAME, lease_id, true) : err;
}

static const struct attempt *remembered(const struct step *s, const char *head_id, const char *attempt_id)
{
    const struct attempts_rec *attempts = alloc_attempts(s->live, head_id);
    for (size_t i = 0; attempts != NULL && i < attempts->count; i++)
        if (hc_same(attempts->at[i].attempt_id, attempt_id) && !hc_time_due(attempts->at[i].until, s->now))
            return &attempts->at[i];
    return NULL;
}

/* The lease of this attempt: the head's own before one that drains or was left behind, as a stream that came back keeps its attempt. */
static const struct lease *lease_of_attempt(const struct step *s, const char *head_id, const char *attempt_id)
{
    const char *ids[HEAD_LEASES_LOOKED_AT];
    const struct lease *own = head_lease(s->live, head_id, NULL);
    if (attempt_id[0] == '\0' || (own != NULL && hc_same(own->attempt_id, attempt_id)))
        return attempt_id[0] == '\0' ? NULL : own;
    size_t count = alloc_head_leases(s->live, head_id, ids, HEAD_LEASES_LOOKED_AT);
    for (size_t i = 0; i < count; i++) {
        const struct lease *lease = alloc_lease(s->live, ids[i], NULL, NULL);
        if (lease != NULL && hc_same(lease->attempt_id, attempt_id))
            return lease;
    }
    return NULL;
}

/* The same attempt again: its lease, or what became of it (§6.5.2). */
static enum hc_err stage_attempt(struct step *s, struct claiming *c, bool *done)
{
    const char *attempt_id = c->ask.attempt_id;
    const struct lease *lease = lease_of_attempt(s, c->ask.head_id, attempt_id);
    if (lease != NULL && !hc_same(lease->attempt_digest, c->ask.attempt_digest))
        return refused(s, DENY_ATTEMPT_REUSED, done);
    if (lease != NULL && (lease->state == LEASE_DRAINING || lease->left_behind))
        return lost(s, lease->id, lease->stream_id, lease->state, lease->why, done);
    if (lease != NULL)
        return hand_out(s, c, lease, done);
    const struct attempt *ended = attempt_id[0] == '\0' ? NULL : remembered(s, c->ask.head_id, attempt_id);
    if (ended != NULL)
        return lost(s, ended->lease_id, ended->stream_id, ended->state, ended->why, done);
    const struct ticket_rec *ticket = alloc_ticket(s->live, c->ask.head_id);
    bool same_attempt = ticket != NULL && attempt_id[0] != '\0' && hc_same(ticket->attempt_id, attempt_id);
    bool other_content = same_attempt && ticket->attempt_digest[0] != '\0' && !hc_same(ticket->attempt_digest, c->ask.attempt_digest);
    return other_content ? refused(s, DENY_ATTEMPT_REUSED, done) : HC_OK;
}

static bool body_lost(const struct lease *lease, const struct body_rec *body)
{
    if (lease->state == LEASE_UNKNOWN)
        return true;
    bool began = lease->state == LEASE_STREAMING || lease->state == LEASE_ADOPTED;
    return began && (body->circuit.state == CIRCUIT_OPEN || hc_time_set(lease->idle_since));
}

/* A head that names its stream under a new attempt plays no more: if its body is lost, the stream seeks again (§9.3). */
static enum hc_err stage_rehome(struct step *s, struct claiming *c, bool *done)
{
    const struct body_rec *body;
    const struct lease *own = head_lease(s->live, c->ask.head_id, &body);
    if (own == NULL || blank(c->req->stream_id) || !hc_same(own->stream_id, c->req->stream_id) || !body_lost(own, body))
        return HC_OK;
    if (!s->ev->store_ok)
        return store_down(s, done);
    char lease_id[HC_ID_SIZE];
    HC_SET(lease_id, own->id);
    return stream_leave_lease(s, lease_id);
}

static enum hc_err stage_token(struct step *s, struct claiming *c, bool *done)
{
    const struct lease *own = head_lease(s->live, c->ask.head_id, NULL);
    if (own == NULL || !token_fits(c->req->claim_token, own->token_hash))
        return HC_OK;
    enum hc_err err = hand_out(s, c, own, done);
    if (err == HC_OK && s->out->answer == ANSWER_LEASE_SAME && !s->ev->dry_run && s->out->claim_token[0] == '\0' &&
        strlen(c->req->claim_token) < sizeof s->out->claim_token)
        HC_SET(s->out->claim_token, c->req->claim_token);      /* valid as it was */
    return err;
}

static enum hc_err stage_promotion(struct step *s, struct claiming *c, bool *done)
{
    const struct lease *own = head_lease(s->live, c->ask.head_id, NULL);
    if (own == NULL || !own->uncollected)
        return HC_OK;
    if (hc_same(own->experience, c->ask.experience))
        return hand_out(s, c, own, done);
    if (!s->ev->store_ok)
        return store_down(s, done);
    char lease_id[HC_ID_SIZE];
    HC_SET(lease_id, own->id);
    enum lease_event on = own->state == LEASE_UNKNOWN ? LEV_RELEASE_UNKNOWN : LEV_SUPERSEDED;      /* a merge may have made it unknown */
    return lease_event(s, lease_id, on, WHY_SUPERSEDED, FATE_KEEP);
}

/* §12.3; and two devices speak as one head: only the one with the lease's token is believed (§12.2). */
static enum hc_err stage_identity(struct step *s, struct claiming *c, bool *done)
{
    const struct identity_rec *identity = alloc_identity(s->live, c->ask.head_id);
    if (identity != NULL && identity_banned(s->live, identity))
        return refused(s, DENY_IDENTITY_REVOKED, done);
    if (identity == NULL && per_device_identity_on(s->live, c->ask.district))
        return refused(s, DENY_IDENTITY_UNKNOWN, done);
    const struct node_obs *seen = observed_node(s->obs, c->ask.head_id);
    if (c->req->no_attempt || seen == NULL || !hc_time_set(seen->duplicate_until) || hc_time_due(seen->duplicate_until, s->now))
        return HC_OK;
    s->out->retry_after_ms = hc_time_since(seen->duplicate_until, s->now);
    return refused(s, DENY_DUPLICATE_HEAD, done);
}

static enum hc_err stage_busy(struct step *s, struct claiming *c, bool *done)
{
    const struct lease *own = head_lease(s->live, c->ask.head_id, NULL);
    char lease_id[HC_ID_SIZE];
    if (own != NULL && (own->source != SOURCE_IMPLICIT || !lease_is_pre_stream(own->state) || own->mode == MODE_XR)) {
        HC_SET(lease_id, own->id);
        enum hc_err err = answer_lease(s, ANSWER_REFUSED, lease_id, false);
        return err != HC_OK ? err : refused(s, DENY_HEAD_BUSY, done);
    }
    if (!s->ev->store_ok)
        return store_down(s, done);           /* from here on every answer changes something */
    if (own == NULL || (hc_same(own->experience, c->ask.experience) && own->mode == c->ask.mode))
        return HC_OK;
    HC_SET(lease_id, own->id);
    return lease_release(s, lease_id, WHY_EXPERIENCE_CHANGED, FATE_KEEP);
}

/* Five new explicit grants in the window, of the node whose own token asks (§6.5.3). */
static enum hc_err stage_throttle(struct step *s, struct claiming *c, bool *done)
{
    const struct node_obs *seen = observed_node(s->obs, c->ask.head_id);
    int64_t window_ms = s->t->claim_throttle_window_ms;
    hc_time oldest = s->now;
    if (!c->by_self || s->ev->dry_run || seen == NULL || window_ms == 0)
        return HC_OK;
    for (size_t i = 0; i < CLAIM_TIMES_MAX; i++) {
        if (!hc_time_set(seen->claim_at[i]) || hc_time_since(s->now, seen->claim_at[i]) >= window_ms)
            return HC_OK;
        oldest = hc_time_earlier(oldest, seen->claim_at[i]);
    }
    s->out->retry_after_ms = hc_time_since(hc_time_add(oldest, window_ms), s->now);
    return refused(s, DENY_THROTTLED, done);
}

static enum hc_err remember_grant(struct step *s, const struct claiming *c)
{
    if (!c->by_self || s->ev->dry_run)
        return HC_OK;
    struct node_obs *seen = step_edit_node_obs(s, c->ask.head_id);
    if (seen == NULL)
        return HC_ERR_NOMEM;
    size_t oldest = 0;
    for (size_t i = 1; i < CLAIM_TIMES_MAX; i++)
        if (hc_time_before(seen->claim_at[i], seen->claim_at[oldest]))
            oldest = i;
    seen->claim_at[oldest] = s->now;
    return HC_OK;
}

static enum hc_err grant(struct step *s, const struct claiming *c, const struct verdict *verdict, bool *done)
{
    char lease_id[HC_ID_SIZE];
    enum hc_err err = asking_grant(s, &c->ask, verdict, lease_id);
    if (err == HC_OK && !c->req->legacy)
        err = remember_grant(s, c);
    *done = true;
    return err == HC_OK ? answer_lease(s, ANSWER_LEASE_NEW, lease_id, true) : err;
}

/* A protocol-2 claim over the head's own implicit hold: the same slot, a new epoch (§6.5.2). */
static enum hc_err stage_explicit(struct step *s, struct claiming *c, bool *done)
{
    const struct body_rec *body;
    const struct slot *slot;
    const char *own_id = alloc_head_lease(s->live, c->ask.head_id);
    const struct lease *own = own_id == NULL ? NULL : alloc_lease(s->live, own_id, &body, &slot);
    if (own == NULL)
        return HC_OK;
    struct verdict same = { .found = true, .slot = slot->index };
    char lease_id[HC_ID_SIZE];
    HC_SET(same.body_id, body->rec.key);
    HC_SET(lease_id, own->id);
    enum hc_err err = lease_event(s, lease_id, LEV_SUPERSEDED, WHY_MADE_EXPLICIT, FATE_KEEP);
    return err == HC_OK ? grant(s, c, &same, done) : err;
}

/* Did any approved body of the district ever list it? The lists are saved. */
static bool ever_listed(const struct alloc *live, const char *district, const char *experience)
{
    for (size_t i = 0; i < alloc_count(live, REC_BODY); i++) {
        const struct body_rec *body = (const struct body_rec *)alloc_at(live, REC_BODY, i);
        const struct node_rec *node = body_node(live, body);
        if (node != NULL && node->approval == APPROVAL_APPROVED && hc_same(node->district, district) &&
            strings_has(body->listed_experiences, experience))
            return true;
    }
    return false;
}

static enum hc_err queue_up(struct step *s, struct claiming *c, const struct verdict *verdict)
{
    bool fresh = false, freed = false;
    struct core_view v = step_view(s);
    if (c->ask.stream_id[0] == '\0' && !queue_has_room(&v, c->ask.district, c->ask.head_id))
        return refuse_retry(s, DENY_QUEUE_FULL, READ_RETRY_MS);
    enum hc_err err = asking_queue(s, &c->ask, verdict->why, &fresh);
    struct seeker who = asking_seeker(&c->ask);
    if (err == HC_OK)
        err = preempt_for(s, &who, &freed);
    if (err == HC_OK && fresh)
        err = asking_denied(s, &c->ask, verdict, fresh);
    if (err != HC_OK || alloc_ticket(s->live, c->ask.head_id) == NULL)
        return err != HC_OK ? err : refuse_retry(s, DENY_NO_SLOT, READ_RETRY_MS);
    s->out->answer = ANSWER_TICKET;
    return answer_ticket(s, c->ask.head_id);
}

static enum hc_err stage_slot(struct step *s, struct claiming *c, bool *done)
{
    struct verdict verdict;
    if (!s->ev->store_ok)
        return store_down(s, done);           /* /explain for a legacy head comes here without having been busy */
    enum hc_err err = asking_judge(s, &c->ask, &verdict);
    if (err != HC_OK)
        return err;
    if (verdict.found)
        return grant(s, c, &verdict, done);
    struct core_view v = step_view(s);
    *done = true;
    if (safe_mode_awaits(&v, c->ask.district)) {
        err = ticket_renew(s, c->ask.head_id);
        return err != HC_OK ? err : refuse_retry(s, DENY_RECONCILING, RECONCILE_RETRY_MS);
    }
    if (!c->req->legacy && !ever_listed(s->live, c->ask.district, c->ask.experience))
        return refused(s, DENY_EXPERIENCE, done);
    err = queue_up(s, c, &verdict);
    if (err == HC_OK && c->req->legacy && s->out->answer == ANSWER_TICKET)
        return refuse_retry(s, verdict.why == WAIT_RESERVED ? DENY_RESERVED : DENY_NO_SLOT, READ_RETRY_MS);
    return err;
}

/* /explain for a legacy head: what its next claiming read would see. */
static enum hc_err stage_held(struct step *s, struct claiming *c, bool *done)
{
    const struct lease *own = head_lease(s->live, c->ask.head_id, NULL);
    if (own == NULL)
        return HC_OK;
    char lease_id[HC_ID_SIZE];
    HC_SET(lease_id, own->id);
    *done = true;
    return answer_lease(s, ANSWER_LEASE_SAME, lease_id, false);
}

static claim_stage *const stages[] = {
    stage_request, stage_stream, stage_attempt, stage_rehome, stage_token, stage_promotion, stage_identity, stage_busy, stage_throttle,
    stage_explicit, stage_slot,
};
static claim_stage *const legacy_stages[] = { stage_request, stage_held, stage_slot };

static void claiming_start(struct claiming *c, const struct step *s, const struct node_rec *head)
{
    const struct claim_req *req = &s->ev->u.claim;
    c->req = req;
    c->by_self = s->ev->caller.kind == CALLER_NODE && hc_same(s->ev->caller.node_id, req->head_id);
    asking_start(&c->ask, s, head, req->experience == NULL ? "" : req->experience, req->legacy ? 1 : 2);
    c->ask.mode = req->stream_mode != NULL && hc_same(req->stream_mode, "xr") ? MODE_XR : MODE_FLAT;
    HC_SET(c->ask.attempt_id, req->attempt_id == NULL ? "" : req->attempt_id);
    HC_SET(c->ask.attempt_digest, req->content_digest == NULL ? "" : req->content_digest);
    HC_SET(c->ask.device_uid, req->device_uid == NULL ? "" : req->device_uid);
    HC_SET(c->ask.prefer_body_id, req->prefer_body_id == NULL ? "" : req->prefer_body_id);
}

enum hc_err on_claim(struct step *s)
{
    const struct claim_req *req = &s->ev->u.claim;
    if (!head_exists(s->live, req->head_id))
        return step_refuse(s, DENY_NOT_FOUND);
    if (s->ev->caller.kind == CALLER_NODE && !hc_same(s->ev->caller.node_id, req->head_id))
        return step_refuse(s, DENY_FORBIDDEN);               /* I5 */
    struct claiming c = { 0 };
    claiming_start(&c, s, alloc_node(s->live, req->head_id));
    claim_stage *const *list = req->legacy ? legacy_stages : stages;
    size_t count = req->legacy ? sizeof legacy_stages / sizeof legacy_stages[0] : sizeof stages / sizeof stages[0];
    bool done = false;
    enum hc_err err = HC_OK;
    for (size_t i = 0; i < count && err == HC_OK && !done; i++)
        err = list[i](s, &c, &done);
    return err;
}
