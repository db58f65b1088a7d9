/* release.c - a head lets go: its lease by id and token, its lease by name of the head (legacy), or its stream (§6.2 point 2, §9.2). */
#include "asking.h"

static enum hc_err done(struct step *s)
{
    s->out->answer = ANSWER_DONE;
    return HC_OK;
}

static enum hc_err let_go(struct step *s, const struct lease *lease, enum lease_why why)
{
    char lease_id[HC_ID_SIZE];
    HC_SET(lease_id, lease->id);
    HC_SET(s->out->id, lease_id);
    /* A lease that was left behind is no more the stream's: the stream goes on elsewhere. */
    return lease_release(s, lease_id, why, lease->left_behind ? FATE_KEEP : FATE_BY_WHY);
}

enum hc_err on_release(struct step *s)
{
    const struct release_req *req = &s->ev->u.release;
    if (!head_exists(s->live, req->head_id))
        return step_refuse(s, DENY_NOT_FOUND);
    const struct lease *lease = alloc_lease(s->live, req->lease_id, NULL, NULL);
    if (lease == NULL || lease_is_terminal(lease->state))
        return done(s);                      /* over is over */
    if (!hc_same(lease->head_id, req->head_id))
        return step_refuse(s, DENY_WRONG_TOKEN);
    if (s->ev->caller.kind != CALLER_ADMIN && !token_fits(req->claim_token, lease->token_hash))
        return step_refuse(s, DENY_WRONG_TOKEN);
    if (lease->state == LEASE_DRAINING)
        return done(s);
    if (!s->ev->store_ok)
        return refuse_retry(s, DENY_STORE, STORE_RETRY_MS);
    enum hc_err err = let_go(s, lease, req->why);
    return err == HC_OK ? done(s) : err;
}

enum hc_err on_stream_stop(struct step *s)
{
    const struct stream_stop_req *req = &s->ev->u.stream_stop;
    const struct body_rec *body = NULL;
    if (!head_exists(s->live, req->head_id))
        return step_refuse(s, DENY_NOT_FOUND);
    const struct lease *own = head_lease(s->live, req->head_id, &body);
    bool named = req->body_id != NULL && req->body_id[0] != '\0';
    if (own == NULL || (named && !hc_same(req->body_id, body->rec.key)))
        return done(s);                      /* a late retry ends nothing: the lease decides, not the body in the request */
    if (!s->ev->store_ok)
        return refuse_retry(s, DENY_STORE, STORE_RETRY_MS);
    enum hc_err err = let_go(s, own, WHY_RELEASED);
    return err == HC_OK ? done(s) : err;
}

enum hc_err on_stream_end(struct step *s)
{
    const struct stream_end_req *req = &s->ev->u.stream_end;
    if (!head_exists(s->live, req->head_id))
        return step_refuse(s, DENY_NOT_FOUND);
    const struct stream_rec *stream = alloc_stream(s->live, req->stream_id);
    if (stream != NULL && !hc_same(stream->head_id, req->head_id)) {
        enum hc_err err = step_note(s, NOTE_STREAM_HIJACK, "", -1, NULL, req->head_id, "end of stream %s of %s", req->stream_id,
                                    stream->head_id);
        return err != HC_OK ? err : step_refuse(s, DENY_NOT_YOUR_STREAM);
    }
    if (stream == NULL || stream->state == STREAM_ENDED)
        return done(s);
    if (!s->ev->store_ok)
        return refuse_retry(s, DENY_STORE, STORE_RETRY_MS);
    const struct lease *own = head_lease(s->live, req->head_id, NULL);
    enum hc_err err = own != NULL && hc_same(own->stream_id, req->stream_id) ? let_go(s, own, WHY_RELEASED) : HC_OK;
    stream = alloc_stream(s->live, req->stream_id);
    if (err == HC_OK && stream != NULL && stream->state != STREAM_ENDED)
        err = stream_end(s, req->stream_id, STREAM_WHY_RELEASED);
    return err == HC_OK ? done(s) : err;
}
