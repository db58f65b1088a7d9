/* op.c - a node's operations as records: made, ended, forgotten. */
#include "op.h"

#include <stdlib.h>
#include <string.h>

bool op_pending(const struct op_rec *op, hc_time now)
{
    return op->state == OP_PENDING && !hc_time_due(op->expires_at, now);
}

bool op_is_custodians(const struct op_rec *op)
{
    return hc_same(op->asked_by, OP_CUSTODIAN);
}

static const struct op_rec *op_at(const struct step *s, size_t i)
{
    return (const struct op_rec *)alloc_at(s->live, REC_OP, i);
}

size_t ops_pending(const struct step *s, const char *node_id, bool custodians)
{
    size_t count = 0;
    for (size_t i = 0; i < alloc_count(s->live, REC_OP); i++) {
        const struct op_rec *op = op_at(s, i);
        count += op_pending(op, s->now) && op_is_custodians(op) == custodians && hc_same(op->node_id, node_id) ? 1 : 0;
    }
    return count;
}

static bool lease_plays(const struct step *s, const char *body_id, const struct slot *slot)
{
    const struct lease *lease = slot_live_lease(slot);
    if (lease == NULL)
        return false;
    if (lease->state == LEASE_STREAMING || lease->state == LEASE_ADOPTED || lease->state == LEASE_STARTING || lease->state == LEASE_UNKNOWN)
        return true;
    const struct body_obs *obs = observed_body(s->obs, body_id);
    size_t cursor = 0;
    return obs != NULL && session_next(obs, slot->index, &cursor) != NULL;
}

bool op_would_end_session(const struct step *s, const char *node_id, enum op_kind op, bool force)
{
    const struct body_rec *body = alloc_body(s->live, node_id);
    if (force || body == NULL || (op != OP_CLOSE_APP && op != OP_RESTART))
        return false;
    for (size_t i = 0; i < body->slot_count; i++)
        if (lease_plays(s, node_id, &body->slots[i]))
            return true;
    return false;
}

static enum hc_err note_op(struct step *s, enum note_type type, const struct op_rec *op, const char *what)
{
    const struct node_rec *node = alloc_node(s->live, op->node_id);
    bool is_body = node == NULL || (node->roles & ROLE_BODY) != 0;
    const char *asker = alloc_node(s->live, op->asked_by) == NULL ? "" : op->asked_by;
    return step_note(s, type, is_body ? op->node_id : "", -1, NULL, is_body ? asker : op->node_id, "%s %s, asked by %.64s: %s", op->rec.key,
                     word_of(&op_words, (int)op->op), op->asked_by, what);
}

enum hc_err op_create(struct step *s, const struct op_ask_req *req, char ret_id[HC_ID_SIZE])
{
    step_id(s, "op", ret_id);
    struct op_rec *op = (struct op_rec *)alloc_create(s->live, REC_OP, ret_id);
    if (op == NULL)
        return HC_ERR_NOMEM;
    HC_SET(op->node_id, req->node_id);
    op->op = req->op;
    HC_SET(op->uuid, req->uuid);
    HC_SET(op->pin, req->pin);
    HC_SET(op->name, req->name);
    op->force = req->force;
    HC_SET(op->asked_by, req->asked_by);
    op->asked_at = s->now;
    op->expires_at = hc_time_add(s->now, s->t->op_ttl_ms);
    return op_is_custodians(op) ? HC_OK : note_op(s, NOTE_OP_ASKED, op, "pending");
}

enum hc_err op_over(struct step *s, const char *op_id, enum op_state state, const char *error)
{
    struct op_rec *op = (struct op_rec *)alloc_edit(s->live, REC_OP, op_id);
    if (op == NULL)
        return HC_ERR_NOMEM;
    op->state = state;
    op->finished_at = s->now;
    memset(op->pin, 0, sizeof op->pin);
    HC_SET(op->error, error);
    if (!s->ev->dry_run)
        observed_remove(s->obs, OBS_OP, op->rec.key);
    return op_is_custodians(op) ? HC_OK : note_op(s, NOTE_OP_FINISHED, op, word_of(&op_state_words, (int)state));
}

static enum hc_err expire(struct step *s)
{
    enum hc_err err = HC_OK;
    for (size_t i = 0; i < alloc_count(s->live, REC_OP) && err == HC_OK; i++) {
        const struct op_rec *op = op_at(s, i);
        if (op->state != OP_PENDING || !hc_time_due(op->expires_at, s->now))
            continue;
        char id[HC_ID_SIZE];
        HC_SET(id, op->rec.key);
        err = op_over(s, id, OP_EXPIRED, "");
        op = alloc_op(s->live, id);
        if (err == HC_OK && op_is_custodians(op))
            err = custodian_heard(s, op, NULL);
    }
    return err;
}

/* By node, the newest end first. */
static int by_node(const void *a, const void *b)
{
    const struct op_rec *one = *(const struct op_rec *const *)a, *two = *(const struct op_rec *const *)b;
    int order = strcmp(one->node_id, two->node_id);
    if (order != 0)
        return order;
    if (one->finished_at.ms != two->finished_at.ms)
        return one->finished_at.ms > two->finished_at.ms ? -1 : 1;
    return strcmp(one->rec.key, two->rec.key);
}

static int by_end(const void *a, const void *b)
{
    const struct op_rec *one = *(const struct op_rec *const *)a, *two = *(const struct op_rec *const *)b;
    if (one->finished_at.ms != two->finished_at.ms)
        return one->finished_at.ms > two->finished_at.ms ? -1 : 1;
    return strcmp(one->rec.key, two->rec.key);
}

/* Which of the finished ones are kept: moves them to the front, returns how many. */
static size_t keep_by_node(const struct step *s, const struct op_rec **ops, size_t count)
{
    size_t kept = 0, of_node = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || !hc_same(ops[i]->node_id, ops[i - 1]->node_id))
            of_node = 0;
        bool custodians = op_is_custodians(ops[i]);
        bool old = hc_time_since(s->now, ops[i]->finished_at) >= (custodians ? OPS_CUSTODIAN_MS : OPS_MEMORY_MS);
        of_node += !custodians && !old ? 1 : 0;
        if (old || (!custodians && of_node > OPS_KEPT_MAX) || alloc_node(s->live, ops[i]->node_id) == NULL)
            continue;
        const struct op_rec *op = ops[i];
        ops[i] = ops[kept];
        ops[kept++] = op;
    }
    return kept;
}

static size_t keep_by_size(const struct op_rec **ops, size_t count)
{
    size_t total = 0;
    if (count > 1)
        qsort(ops, count, sizeof ops[0], by_end);
    for (size_t i = 0; i < count; i++) {
        total += ops[i]->output == NULL ? 0 : ops[i]->output->len;
        if (total > OPS_OUTPUT_TOTAL_MAX)
            return i;
    }
    return count;
}

static enum hc_err forget(struct step *s)
{
    size_t size = alloc_count(s->live, REC_OP), count = 0;
    const struct op_rec **over = hc_arena_array(&s->out->arena, size + 1, sizeof over[0]);
    if (over == NULL)
        return HC_ERR_NOMEM;
    for (size_t i = 0; i < size; i++)
        if (op_at(s, i)->state != OP_PENDING)
            over[count++] = op_at(s, i);
    if (count > 1)
        qsort(over, count, sizeof over[0], by_node);
    size_t kept = keep_by_node(s, over, count);
    kept = keep_by_size(over, kept);
    enum hc_err err = HC_OK;
    for (size_t i = kept; i < count && err == HC_OK; i++)
        err = alloc_remove(s->live, REC_OP, over[i]->rec.key);
    return err;
}

/* What is observed of operations that are not there any more: a roll-back, or a node that was deleted. */
static void forget_observed(struct step *s)
{
    for (size_t i = observed_count(s->obs, OBS_OP); i > 0 && !s->ev->dry_run; i--) {
        char id[HC_ID_SIZE];
        HC_SET(id, observed_at(s->obs, OBS_OP, i - 1)->key);
        const struct op_rec *op = alloc_op(s->live, id);
        if (op == NULL || op->state != OP_PENDING)
            observed_remove(s->obs, OBS_OP, id);
    }
}

enum hc_err tick_ops(struct step *s)
{
    enum hc_err err = expire(s);
    if (err == HC_OK)
        err = forget(s);
    forget_observed(s);
    return err;
}
