/* op_result.c - a node's agent says what became of an operation: once. */
#include <string.h>

#include "op.h"

/* An unpaired client is not in the trust store any more, until a list says otherwise. */
static enum hc_err forget_client(struct step *s, const char *body_id, const char *uuid)
{
    const struct body_rec *body = alloc_body(s->live, body_id);
    if (body == NULL || paired_find(body->paired, uuid) == NULL)
        return HC_OK;
    struct body_rec *edit = step_edit_body(s, body_id);
    struct paired *fewer = edit == NULL ? NULL : paired_new(edit->paired->at, edit->paired->count);
    if (fewer == NULL)
        return HC_ERR_NOMEM;
    size_t kept = 0;
    for (size_t i = 0; i < fewer->count; i++)
        if (!hc_same(fewer->at[i].uuid, uuid))
            fewer->at[kept++] = fewer->at[i];
    fewer->count = kept;
    paired_unref(edit->paired);
    edit->paired = fewer;
    return HC_OK;
}

/* What an agent says about a PIN may have the PIN in it: of that only the verdict is kept. */
static const char *output_of(const struct op_rec *op, const struct op_result_req *req)
{
    if (op_is_custodians(op))             /* it has read its own by now */
        return NULL;
    if (op->op != OP_SUBMIT_PIN)
        return req->output;
    return req->verdict == OP_VERDICT_TRUE ? "{\"status\":true}" : req->verdict == OP_VERDICT_FALSE ? "{\"status\":false}" : NULL;
}

static enum hc_err take(struct step *s, const char *op_id, const struct op_result_req *req)
{
    struct op_rec *op = (struct op_rec *)alloc_edit(s->live, REC_OP, op_id);
    if (op == NULL)
        return HC_ERR_NOMEM;
    const char *output = output_of(op, req), *error = req->error;
    if (op->op == OP_SUBMIT_PIN && error[0] != '\0')
        error = "the agent could not hand in the PIN";
    op->output = output == NULL ? NULL : text_new(output, output == req->output ? req->output_len : strlen(output));
    if (output != NULL && op->output == NULL)
        return HC_ERR_NOMEM;
    return op_over(s, op_id, req->failed ? OP_FAILED : OP_DONE, error);
}

enum hc_err on_op_result(struct step *s)
{
    const struct op_result_req *req = &s->ev->u.op_result;
    const struct op_rec *op = alloc_op(s->live, req->op_id);
    char op_id[HC_ID_SIZE];
    if (op == NULL || !hc_same(op->node_id, req->node_id))
        return step_refuse(s, DENY_NOT_FOUND);
    if (op->state != OP_PENDING)
        return step_refuse(s, DENY_OP_FINISHED);
    if (!s->ev->store_ok)
        return step_refuse(s, DENY_STORE);
    HC_SET(op_id, op->rec.key);
    if (!op_pending(op, s->now)) {
        enum hc_err err = op_over(s, op_id, OP_EXPIRED, "");       /* the tick had no time to say so */
        op = alloc_op(s->live, op_id);
        if (err == HC_OK && op_is_custodians(op))
            err = custodian_heard(s, op, NULL);
        return err == HC_OK ? step_refuse(s, DENY_OP_FINISHED) : err;
    }
    enum hc_err err = take(s, op_id, req);
    op = alloc_op(s->live, op_id);
    if (err == HC_OK && op_is_custodians(op))
        err = custodian_heard(s, op, req);
    if (err == HC_OK && op->op == OP_UNPAIR && !req->failed && req->verdict == OP_VERDICT_TRUE)
        err = forget_client(s, op->node_id, op->uuid);
    return err;
}
