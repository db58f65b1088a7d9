/* operations.c - typed operations for a node's agent: asked for, polled, answered once, read (wire §4). */
#include <stdio.h>
#include <string.h>

#include "answer_rows.h"
#include "hydra/proto/operation.h"
#include "operation_calls.h"
#include "operator_routes.h"

#define NEXT_LOOK_MS          (10 * HC_SECOND_MS)      /* one that was given and not answered is given again: nothing else tells of it */

_Static_assert((int)OPERATION_LIST_CLIENTS == OP_LIST_CLIENTS && (int)OPERATION_RESTART == OP_RESTART && (int)OPERATIONS == OP_KINDS,
               "the wire's operations are the core's");

/* ---- POST ops ---- */

static void asked(struct call *call, struct core_result *result)
{
    struct hc_buf json = { 0 };
    hc_buf_str(&json, "{\"op_id\":");
    hc_buf_json_str(&json, result->id);
    hc_buf_char(&json, '}');
    call_json(call, 202, &json);
}

static bool args_fit(struct call *call, const struct operation_ask *body)
{
    if (body->op == OPERATION_UNPAIR && body->args.uuid[0] == '\0')
        call_bad(call, "args.uuid", "The client's uuid is required.");
    else if (body->op == OPERATION_SUBMIT_PIN && !operation_pin_ok(body->args.pin))
        call_bad(call, "args.pin", "The PIN is four digits.");
    else if (body->op == OPERATION_SUBMIT_PIN && body->args.name[0] == '\0')
        call_bad(call, "args.name", "The client's name is required.");
    else
        return true;
    return false;
}

static void op_post(struct call *call)
{
    struct { struct operation_ask body; char asked_by[HC_NAME_SIZE]; } *kept = hc_arena_alloc(call->arena, sizeof *kept);
    if (kept == NULL) {
        call_fault(call, HC_ERR_NOMEM);
        return;
    }
    const struct operation_ask *body = &kept->body;
    if (!call_read(call, &operation_ask_table, &kept->body) || !args_fit(call, body))
        return;
    (void)snprintf(kept->asked_by, sizeof kept->asked_by, "admin %s", call->who.id);
    bool unpairs = body->op == OPERATION_UNPAIR, pairs = body->op == OPERATION_SUBMIT_PIN;
    bool ends = body->op == OPERATION_CLOSE_APP || body->op == OPERATION_RESTART;
    call_event(call, CORE_OP_ASK)->u.op_ask = (struct op_ask_req){
        .node_id = call->ids[0], .op = (enum op_kind)body->op, .uuid = unpairs ? body->args.uuid : "", .pin = pairs ? body->args.pin : "",
        .name = pairs ? body->args.name : "", .force = ends && body->args.force, .asked_by = kept->asked_by,
    };
    call_submit(call, asked);
}

/* ---- GET ops/next ---- */

struct next_call { int64_t until_ms; };

static void add_args(const struct op_facts *op, struct hc_buf *out)
{
    hc_buf_str(out, ",\"args\":{");
    if (op->op == OP_UNPAIR) {
        hc_buf_str(out, "\"uuid\":");
        hc_buf_json_str(out, op->uuid);
    } else if (op->op == OP_SUBMIT_PIN) {
        hc_buf_str(out, "\"pin\":");
        hc_buf_json_str(out, op->pin);
        member_text("name", op->name, out);
    } else if (op->op == OP_CLOSE_APP || op->op == OP_RESTART) {
        hc_buf_str(out, op->force ? "\"force\":true" : "\"force\":false");
    }
    hc_buf_char(out, '}');
}

static void look_next(struct call *call, bool last);

static void next_is(struct call *call, struct core_result *result)
{
    const struct next_call *asking = call->user;
    int64_t now_ms = call->api->config.monotonic_ms();
    if (!result->has_op && now_ms < asking->until_ms) {
        int64_t look_ms = now_ms + NEXT_LOOK_MS;
        call_wait(call, WAIT_FOR_WORK, call->ids[0], look_ms < asking->until_ms ? look_ms : asking->until_ms, look_next);
        return;
    }
    if (!result->has_op) {
        call_empty(call, 204);
        return;
    }
    struct hc_buf json = { 0 };
    hc_buf_str(&json, "{\"op_id\":");
    hc_buf_json_str(&json, result->op.id);
    member_text("op", word_of(&op_words, (int)result->op.op), &json);
    add_args(&result->op, &json);
    hc_buf_char(&json, '}');
    http_header_add(call->req, "Cache-Control", "no-store");
    call_json(call, 200, &json);
}

static void look_next(struct call *call, bool last)
{
    (void)last;                           /* next_is() knows when it is over */
    call_event(call, CORE_OP_NEXT)->u.op_next = (struct op_next_req){ .node_id = call->ids[0] };
    call_submit(call, next_is);
}

static void next_get(struct call *call)
{
    uint32_t seconds = call_query_u32(call, "wait", 0);
    struct next_call *asking = hc_arena_alloc(call->arena, sizeof *asking);
    if (asking == NULL) {
        call_fault(call, HC_ERR_NOMEM);
        return;
    }
    asking->until_ms = call->api->config.monotonic_ms() + (int64_t)seconds * HC_SECOND_MS;
    call->user = asking;
    look_next(call, false);
}

/* ---- POST result ---- */

static void taken(struct call *call, struct core_result *result)
{
    (void)result;
    call_empty(call, 204);
}

/* Clients of the list as the core reads them; NULL with count 0: none, or no memory (*ret_ok false). */
static struct client_obs *clients_of(struct call *call, const struct operation_output *output, bool *ret_ok)
{
    struct client_obs *clients = hc_arena_array(call->arena, output->client_count + 1, sizeof clients[0]);
    *ret_ok = clients != NULL;
    for (size_t i = 0; clients != NULL && i < output->client_count; i++) {
        HC_SET(clients[i].uuid, output->clients[i].uuid);
        HC_SET(clients[i].name, output->clients[i].name);
    }
    return clients;
}

static bool read_output(struct call *call, const char *json, struct op_result_req *req)
{
    static const enum op_verdict verdicts[] = { [OPERATION_STATUS_NONE] = OP_VERDICT_NONE, [OPERATION_STATUS_TRUE] = OP_VERDICT_TRUE,
                                                [OPERATION_STATUS_FALSE] = OP_VERDICT_FALSE };
    struct operation_output output;
    if (json == NULL)
        return true;
    if (json[0] != '{') {
        call_bad(call, "output", "The output is an object.");
        return false;
    }
    enum hc_err err = operation_output_read(json, call->arena, &output);
    if (err == HC_OK && output.raw_too_long) {
        call_bad(call, "output.raw", "raw is text of at most 4096 bytes.");
        return false;
    }
    bool ok = err == HC_OK;
    if (ok)
        req->clients = clients_of(call, &output, &ok);
    if (!ok) {
        call_fault(call, HC_ERR_NOMEM);
        return false;
    }
    req->has_clients = output.has_clients;
    req->client_count = output.client_count;
    req->verdict = verdicts[output.status];
    req->output = json;
    req->output_len = strlen(json);
    return true;
}

/* What an agent says about a PIN may have the PIN in it: nothing but the verdict goes on from here, into journal, store and answers. An
 * operation that is not there any more may have been one. */
static void keep_pin_secret(struct call *call, struct op_result_req *req)
{
    struct engine *engine = call->api->config.engine;
    const struct rec *rec = engine_get(engine, REC_OP, req->op_id);
    if (rec == NULL || ((const struct op_rec *)rec)->op == OP_SUBMIT_PIN) {
        req->output = req->verdict == OP_VERDICT_TRUE ? "{\"status\":true}" : req->verdict == OP_VERDICT_FALSE ? "{\"status\":false}"
            : NULL;
        req->output_len = req->output == NULL ? 0 : strlen(req->output);
        req->error = req->error[0] == '\0' ? "" : "the agent could not hand in the PIN";
        req->clients = NULL;
        req->has_clients = false;
        req->client_count = 0;
    }
    engine_release(engine, rec);
}

static void result_post(struct call *call)
{
    struct operation_result *body = hc_arena_alloc(call->arena, sizeof *body);
    if (body == NULL) {
        call_fault(call, HC_ERR_NOMEM);
        return;
    }
    struct op_result_req req = { .node_id = call->ids[0], .op_id = call->ids[1] };
    if (!call_read(call, &operation_result_table, body) || !read_output(call, body->output, &req))
        return;
    req.failed = body->state == OPERATION_FAILED;
    req.error = body->error;
    keep_pin_secret(call, &req);
    call_event(call, CORE_OP_RESULT)->u.op_result = req;
    call_submit(call, taken);
}

/* ---- GET result ---- */

static const struct codec_field shown_rows[] = {
    OUT_TEXT(struct op_rec, "op_id", rec.key),
    OUT_WORD(struct op_rec, "op", op, op_words),
    OUT_WORD(struct op_rec, "state", state, op_state_words),
    OUT_TEXT(struct op_rec, "error", error),
    OUT_TEXT(struct op_rec, "asked_by", asked_by),
    OUT_TIME(struct op_rec, "asked_at", asked_at),
    OUT_TIME(struct op_rec, "finished_at", finished_at),
};
static const struct codec_table shown_table = OUT_TABLE("operation", shown_rows, struct op_rec);

enum op_state op_state_now(const struct call *call, const struct op_rec *op)
{
    return op->state == OP_PENDING && hc_time_due(op->expires_at, call->api->config.now()) ? OP_EXPIRED : op->state;
}

static void result_get(struct call *call)
{
    struct engine *engine = call->api->config.engine;
    const struct rec *rec = engine_get(engine, REC_OP, call->ids[1]);
    const struct op_rec *op = (const struct op_rec *)rec;
    if (op == NULL || !hc_same(op->node_id, call->ids[0])) {
        engine_release(engine, rec);
        call_error(call, 404, word_of(&deny_words, DENY_NOT_FOUND), "The node has no such operation, or it is long over.", NULL, 0);
        return;
    }
    struct op_rec shown = *op;
    shown.state = op_state_now(call, op);
    struct hc_buf json = { 0 };
    hc_buf_char(&json, '{');
    (void)json_write_members(&shown_table, &shown, true, &json);
    hc_buf_str(&json, ",\"output\":");
    hc_buf_str(&json, op->output == NULL ? "null" : op->output->bytes);
    hc_buf_char(&json, '}');
    engine_release(engine, rec);
    call_json(call, 200, &json);
}

#define OPS "/api/v1/nodes/{id}/ops"
const struct api_route operation_routes[] = {
    { HTTP_POST, OPS,                   SCOPE_ADMIN,         ROUTE_BODY | ROUTE_NODE_EXISTS, op_post },
    { HTTP_GET,  OPS "/next",           SCOPE_SELF,          ROUTE_NODE_EXISTS,              next_get },
    { HTTP_POST, OPS "/{op_id}/result", SCOPE_SELF,          ROUTE_BODY | ROUTE_NODE_EXISTS, result_post },
    { HTTP_GET,  OPS "/{op_id}/result", SCOPE_OPERATOR_READ, ROUTE_NODE_EXISTS,              result_get },
    { 0 },
};
