/* body_ops.c - typed operations of a body's agent (wire §4): one long-poll at a time, each operation done once, its end told; an operation
 * that is given again because its end was not heard is told again and not done again. */
#include "body_parts.h"

/* A list is made anew each time: only what changes something must not be done twice. */
static const struct body_op_end *done_before(const struct body *body, const char *op_id)
{
    for (size_t i = 0; i < BODY_OP_ENDS_MAX; i++)
        if (body->op_ends[i].op_id[0] != '\0' && hc_same(body->op_ends[i].op_id, op_id))
            return &body->op_ends[i];
    return NULL;
}

static bool leased_session_lives(const struct body *body)
{
    for (size_t i = 0; i < body->session_count; i++)
        if (body->sessions[i].lease_id[0] != '\0' && body_session_lives(&body->sessions[i]))
            return true;
    return false;
}

static void end_sessions(struct turn *t, const struct body_op *op, struct body_op_end *end)
{
    if (!op->args.force && leased_session_lives(t->body)) {
        end->failed = true;
        end->error = "session_live";
        return;
    }
    body_end_all(t);
    if (op->op == OPERATION_RESTART)
        store_restart(&t->body->trust);
    end->status = true;
}

static void do_op(struct turn *t, const struct body_op *op, struct body_op_end *end)
{
    struct trust_store *trust = &t->body->trust;
    switch (op->op) {
    case OPERATION_LIST_CLIENTS:
        end->status = true;
        break;
    case OPERATION_UNPAIR:
        end->status = store_remove(trust, op->args.uuid);
        if (end->status)
            body_changed(t);
        break;
    case OPERATION_SUBMIT_PIN:
        end->status = store_pin(trust, op->args.name);
        break;
    case OPERATION_CLOSE_APP:
    case OPERATION_RESTART:
        end_sessions(t, op, end);
        break;
    case OPERATIONS:
        break;
    }
}

void body_ops_poll(struct turn *t)
{
    struct body *body = t->body;
    body->ops_at = 0;
    if (!body->modern || !body_agent_runs(t))
        return;
    if (body->ops_under_way) {                     /* of the agent that was restarted: its call comes back or times out */
        body->ops_at = t->now_ms + POLL_REPEAT_MS;
        return;
    }
    body->ops_under_way = true;
    body_act_add(t, BODY_ACT_OPS_POLL, 0, 0);
}

/* The call came back to the agent that made it. */
static bool back(struct turn *t, const struct body_event *event)
{
    t->body->ops_under_way = false;
    return event->agent == t->body->agents && body_agent_runs(t);
}

void body_ops_answered(struct turn *t, const struct body_event *event)
{
    struct body *body = t->body;
    if (!back(t, event))
        return;
    if (!event->heard) {
        body->ops_at = t->now_ms + POLL_REPEAT_MS;
        return;
    }
    if (event->op == NULL) {
        body_ops_poll(t);
        return;
    }
    const struct body_op_end *before = done_before(body, event->op->op_id);
    if (before != NULL) {
        body->op_end = *before;
    } else {
        body->op_end = (struct body_op_end){ .op = event->op->op };
        HC_SET(body->op_end.op_id, event->op->op_id);
        do_op(t, event->op, &body->op_end);
        body->op_ends[body->ops_done++ % BODY_OP_ENDS_MAX] = body->op_end;
    }
    body->ops_under_way = true;
    body_act_add(t, BODY_ACT_OP_RESULT, 0, 0);
}

/* Heard or not: what was not heard is given again. */
void body_op_told(struct turn *t, const struct body_event *event)
{
    if (back(t, event))
        body_ops_poll(t);
}
