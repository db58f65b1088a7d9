/* renew.c - POST slot-claims/{id}/renew: a head with its claim token says that it is there (rules §6.2, §6.2.4). */
#include "asking.h"

enum hc_err lease_renewed(struct step *s, const char *lease_id, int64_t hold_ms)
{
    const struct lease *lease = alloc_lease(s->live, lease_id, NULL, NULL);
    if (s->ev->dry_run || lease == NULL)
        return HC_OK;
    hc_time until = hc_time_add(s->now, hold_ms);
    if (hc_time_set(lease->start_deadline_at))
        until = hc_time_earlier(until, lease->start_deadline_at);       /* nobody renews past it (I8) */
    bool rolls = lease_is_pre_stream(lease->state) && !lease->uncollected && lease->mode != MODE_XR;
    struct clock_obs *clock = step_edit_clock(s, lease_id);
    if (clock == NULL)
        return HC_ERR_NOMEM;
    clock->renewed_at = clock->head_renewed_at = s->now;
    if (rolls)
        clock->expires_at = hc_time_later(clock->expires_at, until);
    return HC_OK;
}

static enum hc_err renewed(struct step *s, const char *lease_id_given)
{
    char lease_id[HC_ID_SIZE];
    HC_SET(lease_id, lease_id_given);
    enum hc_err err = lease_renewed(s, lease_id, s->t->lease_ttl_ms);
    return err == HC_OK ? answer_lease(s, ANSWER_LEASE_SAME, lease_id, false) : err;
}

static enum hc_err renew_known(struct step *s, const struct lease *lease)
{
    const struct renew_req *req = &s->ev->u.renew;
    if (!hc_same(lease->head_id, req->head_id) || !token_fits(req->claim_token, lease->token_hash))
        return step_refuse(s, DENY_WRONG_TOKEN);
    bool over = lease_is_terminal(lease->state) || lease->state == LEASE_DRAINING || lease->left_behind;
    return over ? answer_lease_lost(s, lease->id, lease->stream_id, lease->state, lease->why) : renewed(s, lease->id);
}

static const struct ghost *find_ghost(const struct alloc *live, const char *lease_id)
{
    const char *body_id = alloc_lease_body(live, lease_id);
    const struct body_rec *body = body_id == NULL ? NULL : alloc_body(live, body_id);
    for (size_t i = 0; body != NULL && i < body->slot_count; i++)
        for (size_t g = 0; g < body->slots[i].ghost_count; g++)
            if (hc_same(body->slots[i].ghosts[g].lease_id, lease_id))
                return &body->slots[i].ghosts[g];
    return NULL;
}

/* The session of an ended lease lives on under another id (§6.2.4): the old id still finds it. *ret_done false: it does not. */
static enum hc_err renew_successor(struct step *s, bool *ret_done)
{
    const struct renew_req *req = &s->ev->u.renew;
    const struct ghost *ghost = find_ghost(s->live, req->lease_id);
    bool followed = ghost != NULL && ghost->successor_id[0] != '\0';
    const struct lease *next = followed ? alloc_lease(s->live, ghost->successor_id, NULL, NULL) : NULL;
    *ret_done = false;
    if (next == NULL || lease_is_terminal(next->state) || next->state == LEASE_DRAINING || next->left_behind)
        return HC_OK;
    *ret_done = true;
    if (!hc_same(ghost->head_id, req->head_id) || !hc_same(next->head_id, req->head_id) || !token_fits(req->claim_token, ghost->token_hash))
        return step_refuse(s, DENY_WRONG_TOKEN);
    return renewed(s, next->id);
}

static enum hc_err renew_remembered(struct step *s)
{
    const struct renew_req *req = &s->ev->u.renew;
    const struct ghost *ghost = find_ghost(s->live, req->lease_id);
    if (ghost != NULL && hc_same(ghost->head_id, req->head_id)) {
        if (!token_fits(req->claim_token, ghost->token_hash))
            return step_refuse(s, DENY_WRONG_TOKEN);
        return answer_lease_lost(s, ghost->lease_id, ghost->stream_id, ghost->state, ghost->why);
    }
    const struct attempts_rec *attempts = alloc_attempts(s->live, req->head_id);
    for (size_t i = 0; attempts != NULL && i < attempts->count; i++)
        if (hc_same(attempts->at[i].lease_id, req->lease_id))
            return answer_lease_lost(s, req->lease_id, attempts->at[i].stream_id, attempts->at[i].state, attempts->at[i].why);
    return step_refuse(s, DENY_NOT_FOUND);
}

enum hc_err on_renew(struct step *s)
{
    const struct renew_req *req = &s->ev->u.renew;
    bool done = false;
    if (!head_exists(s->live, req->head_id))
        return step_refuse(s, DENY_NOT_FOUND);
    enum hc_err err = renew_successor(s, &done);
    if (err != HC_OK || done)
        return err;
    const struct lease *lease = alloc_lease(s->live, req->lease_id, NULL, NULL);
    return lease != NULL ? renew_known(s, lease) : renew_remembered(s);
}
