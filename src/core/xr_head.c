/* xr_head.c - GET and DELETE /heads/{id}/xr-session: the headset looks at its session, which says that it is there, and ends it. */
#include "xr.h"

#include "asking.h"

static enum hc_err judge(struct step *s, const char *head_id, bool *ret_may)
{
    *ret_may = false;
    if (!head_exists(s->live, head_id))
        return step_refuse(s, DENY_NOT_FOUND);
    if (s->ev->caller.kind == CALLER_NODE && !hc_same(s->ev->caller.node_id, head_id))
        return step_refuse(s, DENY_FORBIDDEN);               /* I5 */
    *ret_may = true;
    return HC_OK;
}

enum hc_err on_xr_poll(struct step *s)
{
    const char *head_id = s->ev->u.xr.head_id, *found = NULL;
    bool may;
    enum hc_err err = judge(s, head_id, &may);
    if (err != HC_OK || !may)
        return err;
    const struct xr_session *xr = xr_of_head(s->live, head_id, &found);
    if (xr == NULL) {
        HC_SET(s->out->detail, "This head has no XR session.");
        return step_refuse(s, DENY_NOT_FOUND);
    }
    char body_id[HC_ID_SIZE], session_id[HC_ID_SIZE];
    HC_SET(body_id, found);
    HC_SET(session_id, xr->session_id);
    const struct lease *lease = alloc_lease(s->live, session_id, NULL, NULL);
    if (lease != NULL && !lease_is_terminal(lease->state) && lease->state != LEASE_DRAINING)
        err = lease_renewed(s, session_id, 0);
    if (err == HC_OK)
        xr_answer(s, body_id);
    return err;
}

enum hc_err on_xr_end(struct step *s)
{
    const char *head_id = s->ev->u.xr.head_id, *found = NULL;
    bool may;
    enum hc_err err = judge(s, head_id, &may);
    if (err != HC_OK || !may)
        return err;
    s->out->answer = ANSWER_DONE;
    const struct xr_session *xr = xr_of_head(s->live, head_id, &found);
    if (xr == NULL || xr->state == XR_ENDING)
        return HC_OK;                        /* over is over, and what ends needs no second word */
    if (!s->ev->store_ok)
        return refuse_retry(s, DENY_STORE, STORE_RETRY_MS);
    char body_id[HC_ID_SIZE], session_id[HC_ID_SIZE];
    HC_SET(body_id, found);
    HC_SET(session_id, xr->session_id);
    HC_SET(s->out->id, session_id);
    if (xr->state != XR_FAILED)
        return lease_release(s, session_id, WHY_RELEASED, FATE_BY_WHY);      /* xr_settle() makes it `ending` */
    struct body_rec *body = step_edit_body(s, body_id);
    if (body == NULL)
        return HC_ERR_NOMEM;
    body->xr.acknowledged = true;            /* its head has read it; the body keeps its hold */
    return xr_mirror(s, body_id);
}
