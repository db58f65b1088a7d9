/* op_next.c - a node's agent asks for work: a PIN, else the oldest operation that it has not been given lately. */
#include "op.h"

static bool given_lately(const struct step *s, const char *op_id)
{
    const struct op_obs *obs = (const struct op_obs *)observed_get(s->obs, OBS_OP, op_id);
    return obs != NULL && hc_time_since(s->now, obs->given_at) < OPS_GIVE_AGAIN_MS;
}

/* A PIN has a handshake that waits for it; and Sunshine's list of clients is not touched while somebody pairs. */
static bool before(const struct op_rec *a, const struct op_rec *b)
{
    bool a_pin = a->op == OP_SUBMIT_PIN, b_pin = b->op == OP_SUBMIT_PIN;
    return a_pin != b_pin ? a_pin : hc_time_before(a->asked_at, b->asked_at);
}

static const struct op_rec *next_of(const struct step *s, const char *node_id)
{
    const struct op_rec *found = NULL;
    bool pairs = pairing_on(s, node_id);
    for (size_t i = 0; i < alloc_count(s->live, REC_OP); i++) {
        const struct op_rec *op = (const struct op_rec *)alloc_at(s->live, REC_OP, i);
        if (!op_pending(op, s->now) || !hc_same(op->node_id, node_id) || given_lately(s, op->rec.key))
            continue;
        if (pairs && op->op == OP_UNPAIR && op_is_custodians(op))
            continue;
        if (found == NULL || before(op, found))
            found = op;
    }
    return found;
}

static enum hc_err give(struct step *s, const struct op_rec *op)
{
    struct op_obs *obs = (struct op_obs *)observed_edit(s->obs, OBS_OP, op->rec.key);
    if (obs == NULL)
        return HC_ERR_NOMEM;
    obs->given_at = s->now;
    struct op_facts *facts = &s->out->op;
    s->out->answer = ANSWER_OP;
    s->out->has_op = true;
    HC_SET(facts->id, op->rec.key);
    facts->op = op->op;
    HC_SET(facts->uuid, op->uuid);
    HC_SET(facts->pin, op->pin);
    HC_SET(facts->name, op->name);
    facts->force = op->force;
    return HC_OK;
}

/* Why it is not given any more; NULL: it is. */
static const char *overtaken(const struct step *s, const struct op_rec *op)
{
    if (op_would_end_session(s, op->node_id, op->op, op->force))
        return word_of(&deny_words, DENY_SESSION_LIVE);
    return pin_lost(s, op) ? PIN_LOST : NULL;
}

enum hc_err on_op_next(struct step *s)
{
    const char *node_id = s->ev->u.op_next.node_id;
    if (alloc_node(s->live, node_id) == NULL)
        return step_refuse(s, DENY_NOT_FOUND);
    struct node_obs *obs = step_edit_node_obs(s, node_id);
    if (obs == NULL)
        return HC_ERR_NOMEM;
    obs->op_poll_at = s->now;
    const struct op_rec *op;
    const char *why;
    /* A session may have begun since it was asked for, or the right to a PIN ended. Without a store nothing ends: then it is not given
     * either. */
    while ((op = next_of(s, node_id)) != NULL && (why = overtaken(s, op)) != NULL) {
        if (!s->ev->store_ok)
            return HC_OK;
        char id[HC_ID_SIZE];
        HC_SET(id, op->rec.key);
        enum hc_err err = op_over(s, id, OP_FAILED, why);
        if (err != HC_OK)
            return err;
    }
    return op == NULL ? HC_OK : give(s, op);
}
