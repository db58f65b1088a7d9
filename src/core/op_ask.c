/* op_ask.c - an operator, or a head with a PIN, wants something of a node's agent (wire §2 sunshine-pin, §4 operations). */
#include "op.h"

#include <stdio.h>

static enum hc_err contention(struct step *s, const struct op_ask_req *req)
{
    enum hc_err err = step_note(s, NOTE_PAIR_CONTENTION, req->node_id, -1, NULL, req->relay ? req->asked_by : "", "%s",
                                "a second PIN while one is on its way");
    return err == HC_OK ? step_refuse(s, DENY_PAIR_CONTENTION) : err;
}

static bool node_there(const struct step *s, const char *node_id)
{
    const struct body_rec *body = alloc_body(s->live, node_id);
    return alloc_node(s->live, node_id) != NULL && (body == NULL || !body->deleted);
}

enum hc_err on_op_ask(struct step *s)
{
    struct op_ask_req req = s->ev->u.op_ask;
    char name[HC_NAME_SIZE];
    if (!node_there(s, req.node_id))
        return step_refuse(s, DENY_NOT_FOUND);
    const struct node_rec *node = alloc_node(s->live, req.node_id);
    if (node->approval == APPROVAL_DENIED)
        return step_refuse(s, DENY_NODE_DENIED);
    if (!s->ev->store_ok)
        return step_refuse(s, DENY_STORE);
    if (req.relay) {
        if (!pin_holds_there(s, req.asked_by, req.node_id)) {
            HC_SET(s->out->detail, "A PIN is relayed for the head that holds a lease or a pair lease there.");
            return step_refuse(s, DENY_FORBIDDEN);
        }
        const struct identity_rec *identity = alloc_identity(s->live, req.asked_by);
        if (identity != NULL && identity_banned(s->live, identity))
            return step_refuse(s, DENY_IDENTITY_REVOKED);
        (void)snprintf(name, sizeof name, CLIENT_PREFIX "%s", req.asked_by);
        req.name = name;
    }
    if (req.op == OP_SUBMIT_PIN && pin_on_its_way(s, req.node_id))
        return contention(s, &req);
    if (op_would_end_session(s, req.node_id, req.op, req.force))
        return step_refuse(s, DENY_SESSION_LIVE);
    if (ops_pending(s, req.node_id, false) >= OPS_PENDING_MAX)
        return step_refuse(s, DENY_LIMIT);
    s->out->answer = ANSWER_OP;
    return op_create(s, &req, s->out->id);
}
