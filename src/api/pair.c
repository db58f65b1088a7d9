/* pair.c - a head pairs: pair leases (wire §3), and its PIN on the way to a body's Sunshine (wire §2). */
#include "answer_rows.h"
#include "hydra/proto/operation.h"
#include "operation_calls.h"

/* ---- pair leases ---- */

static void granted(struct call *call, struct core_result *result)
{
    const struct pair_facts *pair = &result->pair;
    struct hc_buf json = { 0 };
    hc_buf_str(&json, "{\"lease\":{\"id\":");
    hc_buf_json_str(&json, pair->id);
    member_text("mode", word_of(&lease_mode_words, (int)pair->mode), &json);
    member_text("body_id", pair->body_id, &json);
    member_u64("slot", true, pair->slot, &json);
    member_text("head_id", pair->head_id, &json);
    uint64_t ttl = pair->ttl_ms < 0 ? 0 : (uint64_t)((pair->ttl_ms + HC_SECOND_MS - 1) / HC_SECOND_MS);
    member_u64("ttl_seconds", pair->ttl_ms >= 0, ttl, &json);
    hc_buf_str(&json, "}}");
    call_json(call, 201, &json);
}

static void pair_create(struct call *call)
{
    struct pair_body *body = hc_arena_alloc(call->arena, sizeof *body);
    if (body == NULL) {
        call_fault(call, HC_ERR_NOMEM);
        return;
    }
    if (!call_read(call, &pair_table, body))
        return;
    call_event(call, CORE_PAIR_LEASE)->u.pair = (struct pair_req){ .head_id = call->ids[0], .body_id = body->body_id, .slot = body->slot };
    call_submit(call, granted);
}

static void over(struct call *call, struct core_result *result)
{
    (void)result;
    call_empty(call, 204);
}

static void pair_release(struct call *call)
{
    call_event(call, CORE_PAIR_RELEASE)->u.pair_release = (struct pair_release_req){ .head_id = call->ids[0], .lease_id = call->ids[1] };
    call_submit(call, over);
}

/* ---- the PIN ---- */

struct relay { char op_id[HC_ID_SIZE]; int64_t until_ms; };

static void count(struct call *call, const char *result)
{
    metrics_add(call->api->config.metrics, METRIC_PAIR_ATTEMPTS, 1, result);
}

static void unreachable(struct call *call)
{
    count(call, "body_unreachable");
    call_error(call, 504, "body_unreachable", "The body's agent did not answer in time.", NULL, 0);
}

/* Sunshine says true to any PIN while a handshake is pending: it is no success of the pairing, but anything else is a failure. */
static void answer_of(struct call *call, const struct op_rec *op)
{
    struct operation_output output = { .status = OPERATION_STATUS_NONE };
    enum hc_err err = op->output == NULL ? HC_OK : operation_output_read(op->output->bytes, call->arena, &output);
    if (err != HC_OK) {
        call_fault(call, err);
    } else if (op->state == OP_DONE && output.status == OPERATION_STATUS_TRUE) {
        count(call, "ok");
        call_text(call, 200, "application/json", "{\"status\":true}");
    } else {
        count(call, "pin_refused");
        call_error(call, 502, "pin_refused", op->error[0] != '\0' ? op->error : "Sunshine did not take the PIN.", NULL, 0);
    }
}

static void look(struct call *call, bool last)
{
    const struct relay *relay = call->user;
    struct engine *engine = call->api->config.engine;
    const struct rec *rec = engine_get(engine, REC_OP, relay->op_id);
    const struct op_rec *op = (const struct op_rec *)rec;
    enum op_state state = op == NULL ? OP_EXPIRED : op_state_now(call, op);
    if (state == OP_DONE || state == OP_FAILED)
        answer_of(call, op);
    else if (state == OP_EXPIRED || last)
        unreachable(call);
    engine_release(engine, rec);
}

static void asked(struct call *call, struct core_result *result)
{
    struct relay *relay = call->user;
    if (result->answer == ANSWER_REFUSED) {
        if (result->deny == DENY_PAIR_CONTENTION)
            count(call, "pair_contention");
        call_refuse(call, result);
        return;
    }
    HC_SET(relay->op_id, result->id);
    call_wait(call, WAIT_FOR_RESULT, relay->op_id, relay->until_ms, look);
}

static void pin_post(struct call *call)
{
    struct { struct pin_body body; struct relay relay; } *kept = hc_arena_alloc(call->arena, sizeof *kept);
    if (kept == NULL) {
        call_fault(call, HC_ERR_NOMEM);
        return;
    }
    if (!call->who.head) {
        call_error(call, 403, word_of(&deny_words, DENY_FORBIDDEN), "Only a head has a PIN.", NULL, 0);
        return;
    }
    if (!call_read(call, &pin_table, &kept->body))
        return;
    if (!operation_pin_ok(kept->body.pin)) {
        call_bad(call, "pin", "The PIN is four digits.");
        return;
    }
    /* It is known to be over a little after its time: nobody can answer it then. */
    kept->relay.until_ms = call->api->config.monotonic_ms() + call->api->config.core->timers.op_ttl_ms + HC_SECOND_MS;
    call->user = &kept->relay;
    call->own_refusals = true;
    call_event(call, CORE_OP_ASK)->u.op_ask = (struct op_ask_req){
        .node_id = call->ids[0], .op = OP_SUBMIT_PIN, .uuid = "", .pin = kept->body.pin, .name = "", .asked_by = call->who.id,
        .relay = true,
    };
    call_submit(call, asked);
}

#define OWN_OR_ADMIN (SCOPE_SELF | SCOPE_ADMIN)
#define PAIRS        "/api/v1/heads/{id}/pair-leases"
const struct api_route pair_routes[] = {
    { HTTP_POST,   PAIRS,                             OWN_OR_ADMIN, ROUTE_BODY | ROUTE_HEAD_EXISTS, pair_create },
    { HTTP_DELETE, PAIRS "/{lease_id}",               OWN_OR_ADMIN, ROUTE_HEAD_EXISTS,              pair_release },
    { HTTP_POST,   "/api/v1/nodes/{id}/sunshine-pin", SCOPE_NODE,   ROUTE_BODY | ROUTE_BODY_EXISTS, pin_post },
    { 0 },
};
