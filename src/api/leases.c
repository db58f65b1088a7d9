/* leases.c - the operator's hand: leases released or revoked, a circuit closed, a safe mode ended (wire §5). */
#include "answer_rows.h"
#include "hydra/proto/operator_hand.h"
#include "operator_routes.h"

static const struct codec_field rows[] = {
    OUT_TEXT(struct lease, "id", id),
    OUT_WORD(struct lease, "state", state, lease_state_words),
    OUT_WORD(struct lease, "reason", why, lease_why_words),
    OUT_TEXT(struct lease, "head_id", head_id),
    OUT_TEXT(struct lease, "stream_id", stream_id),
};
static const struct codec_table table = OUT_TABLE("lease", rows, struct lease);

/* What became of it: over at once, or draining until its body says so. */
static void lease_is(struct call *call, struct core_result *result)
{
    if (!result->has_lease) {
        call_empty(call, 204);
        return;
    }
    struct hc_buf json = { 0 };
    hc_buf_str(&json, "{\"lease\":{");
    (void)json_write_members(&table, &result->lease, true, &json);
    member_u64("epoch", true, result->epoch, &json);
    member_u64("slot", true, result->slot, &json);
    hc_buf_str(&json, "}}");
    call_json(call, 200, &json);
}

static void end_lease(struct call *call, bool revoke)
{
    struct lease_hand *body = hc_arena_alloc(call->arena, sizeof *body);
    if (body == NULL) {
        call_fault(call, HC_ERR_NOMEM);
        return;
    }
    if (!call_read(call, &lease_hand_table, body))
        return;
    struct lease_end_req *end = &call_event(call, CORE_LEASE_END)->u.lease_end;
    *end = (struct lease_end_req){ .lease_id = call->ids[0], .revoke = revoke, .reason = body->reason };
    call_submit(call, lease_is);
}

static void lease_release(struct call *call) { end_lease(call, false); }
static void lease_revoke(struct call *call) { end_lease(call, true); }

static void is_done(struct call *call, struct core_result *result)
{
    (void)result;
    call_empty(call, 204);
}

static void circuit_reset(struct call *call)
{
    call_event(call, CORE_CIRCUIT_RESET)->u.body.body_id = call->ids[0];
    call_submit(call, is_done);
}

static void safe_mode_end(struct call *call)
{
    struct safe_mode_end *body = hc_arena_alloc(call->arena, sizeof *body);
    if (body == NULL) {
        call_fault(call, HC_ERR_NOMEM);
        return;
    }
    if (!call_read(call, &safe_mode_end_table, body))
        return;
    call_event(call, CORE_SAFE_MODE_END)->u.district.district = body->district;
    call_submit(call, is_done);
}

const struct api_route lease_routes[] = {
    { HTTP_POST, "/api/v1/leases/{lease_id}/release", SCOPE_ADMIN, ROUTE_BODY, lease_release },
    { HTTP_POST, "/api/v1/leases/{lease_id}/revoke",  SCOPE_ADMIN, ROUTE_BODY, lease_revoke },
    { HTTP_POST, "/api/v1/nodes/{id}/circuit/reset",  SCOPE_ADMIN, ROUTE_BODY_EXISTS, circuit_reset },
    { HTTP_POST, "/api/v1/safe-mode/end",             SCOPE_ADMIN, ROUTE_BODY, safe_mode_end },
    { 0 },
};
