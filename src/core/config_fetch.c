/* config_fetch.c - GET /heads/{id} by the head itself: for one with an assigned body a claim point (§6.4). No lease there, no stream
 * block; never a repeat read, never a demotion, never a place in the queue. */
#include "asking.h"

static enum hc_err answer_assigned(struct step *s, const char *lease_id_given, enum core_answer answer)
{
    char lease_id[HC_ID_SIZE];
    HC_SET(lease_id, lease_id_given);
    return answer_lease(s, answer, lease_id, false);
}

static enum hc_err fetch_own(struct step *s, const struct lease *lease, bool asks)
{
    const struct node_rec *head = alloc_node(s->live, lease->head_id);
    bool implicit = lease->source == SOURCE_IMPLICIT && lease_is_pre_stream(lease->state);
    char lease_id[HC_ID_SIZE];
    HC_SET(lease_id, lease->id);
    enum hc_err err = HC_OK;
    if (asks && implicit)
        err = lease_renewed(s, lease_id, head != NULL && node_is_quest(head) ? s->t->soft_hold_quest_ms : s->t->soft_hold_rolling_ms);
    else if (asks)
        err = lease_handed_again(s, lease);
    return err == HC_OK ? answer_assigned(s, lease_id, ANSWER_LEASE_SAME) : err;
}

enum hc_err on_config_fetch(struct step *s)
{
    const struct fetch_req *req = &s->ev->u.fetch;
    const struct node_rec *head = alloc_node(s->live, req->head_id);
    bool asks = s->ev->caller.kind == CALLER_NODE && hc_same(s->ev->caller.node_id, req->head_id) && !s->ev->dry_run;
    s->out->answer = ANSWER_DONE;
    if (head == NULL || (head->roles & ROLE_HEAD) == 0)
        return step_refuse(s, DENY_NOT_FOUND);
    if (head->head_body_id[0] == '\0')
        return HC_OK;
    const struct body_rec *body = NULL;
    const struct lease *own = head_lease(s->live, req->head_id, &body);
    if (own != NULL)
        return hc_same(body->rec.key, head->head_body_id) ? fetch_own(s, own, asks) : HC_OK;
    bool xr = hc_same(node_stream(head)->stream_mode, "xr");      /* takes no hold: its POST xr-session does */
    if (!asks || !s->ev->store_ok || node_stream(head)->stream_app_id[0] == '\0' || xr)
        return HC_OK;
    struct asking ask;
    struct verdict verdict;
    asking_start(&ask, s, head, node_stream(head)->stream_app_id, 1);
    enum hc_err err = asking_judge(s, &ask, &verdict);
    if (err != HC_OK)
        return err;
    if (!verdict.found) {
        s->out->answer = verdict.worth_waiting && !req->last_chance ? ANSWER_WAIT_SLOT : ANSWER_DONE;
        s->out->wait = verdict.why;
        return HC_OK;
    }
    char lease_id[HC_ID_SIZE];
    err = legacy_request(s, req->head_id);
    if (err == HC_OK)
        err = asking_grant(s, &ask, &verdict, lease_id);
    return err == HC_OK ? answer_assigned(s, lease_id, ANSWER_LEASE_NEW) : err;
}
