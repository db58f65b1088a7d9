/* slot_claims.c - claim, renew, release, admission, accept (wire §3). */
#include "claim_request.h"

#include <string.h>

#include "answer_rows.h"
#include "hydra/crypto/digest.h"
#include "hydra/proto/claim.h"


/* ---- the request ---- */

/* What "same content" means for a repeat of attempt_id (rules §6.5.2). No field has control characters, so a line end parts them. */
static bool digest_content(struct call *call, const struct claim_body *body, char ret[HC_HASH_SIZE])
{
    HC_CLEANUP(hc_buf_freep) struct hc_buf text = { 0 };
    hc_buf_printf(&text, "%s\n%s\n%s\n%u\n%s\n%s\n", body->experience, body->stream_mode[0] == '\0' ? "flat" : body->stream_mode,
                  body->device_uid, body->protocol_version, body->stream_id, body->prefer_body_id);
    if (text.failed) {
        call_fault(call, HC_ERR_NOMEM);
        return false;
    }
    crypto_sha256_hex(text.data, text.len, ret);
    return true;
}

static bool content_fits(struct call *call, const struct claim_body *body)
{
    if (!hc_id_ok(body->device_uid))
        call_bad(call, "device_uid", "device_uid must be 1 to 16 characters of A-Z a-z 0-9 . _ -");
    else
        return true;
    return false;
}

bool claim_request(struct call *call)
{
    struct { struct claim_body body; char digest[HC_HASH_SIZE]; } *kept = hc_arena_alloc(call->arena, sizeof *kept);
    if (kept == NULL) {
        call_fault(call, HC_ERR_NOMEM);
        return false;
    }
    const struct claim_body *body = &kept->body;
    if (!call_read(call, &claim_table, &kept->body) || !content_fits(call, body) || !digest_content(call, body, kept->digest))
        return false;
    call_event(call, CORE_CLAIM)->u.claim = (struct claim_req){
        .head_id = call->ids[0], .attempt_id = body->attempt_id, .experience = body->experience, .stream_mode = body->stream_mode,
        .device_uid = body->device_uid, .prefer_body_id = body->prefer_body_id, .claim_token = body->claim_token,
        .stream_id = body->stream_id, .content_digest = kept->digest, .protocol_version = body->protocol_version,
    };
    return true;
}

/* ---- answers ---- */

static const struct timers *timers_of(const struct call *call)
{
    return &call->api->config.core->timers;
}

static void add_retry(const struct core_result *result, struct hc_buf *out)
{
    hc_buf_str(out, ",\"retry_after_seconds\":");
    hc_buf_i64(out, (result->retry_after_ms + HC_SECOND_MS - 1) / HC_SECOND_MS);
}

static void answer_ticket(struct call *call, const struct core_result *result)
{
    struct hc_buf json = { 0 };
    hc_buf_str(&json, "{\"ticket\":");
    json_ticket(&result->ticket, &json);
    add_retry(result, &json);
    hc_buf_char(&json, '}');
    call_json(call, 202, &json);
}

static void answer_lease(struct call *call, unsigned status, const struct core_result *result)
{
    struct hc_buf json = { 0 };
    hc_buf_str(&json, "{\"lease\":");
    json_lease(result, timers_of(call), &json);
    hc_buf_str(&json, ",\"body\":");
    json_body_facts(&result->body, &json);
    hc_buf_str(&json, ",\"pair\":");
    json_pair(&result->body, &json);
    hc_buf_char(&json, '}');
    http_header_add(call->req, "Cache-Control", "no-store");
    call_json(call, status, &json);
}

static void render_claim(struct call *call, struct core_result *result)
{
    if (result->answer == ANSWER_TICKET)
        answer_ticket(call, result);
    else
        answer_lease(call, result->answer == ANSWER_LEASE_NEW ? 201 : 200, result);
}

static void render_would(struct call *call, struct core_result *result)
{
    struct hc_buf json = { 0 };
    hc_buf_str(&json, "{\"would\":");
    json_would(result, &json);
    hc_buf_char(&json, '}');
    call_json(call, 200, &json);
}

static void claim_create(struct call *call)
{
    if (!claim_request(call))
        return;
    if (call_query_flag(call, "dry_run")) {
        call->own_refusals = true;
        call_try(call, render_would);
        return;
    }
    call->measured = true;
    call_submit(call, render_claim);
}

/* ---- renew, release ---- */

static void render_renew(struct call *call, struct core_result *result)
{
    struct hc_buf json = { 0 };
    hc_buf_str(&json, "{\"ttl_seconds\":");
    if (result->ttl_ms < 0)
        hc_buf_str(&json, "null");
    else
        hc_buf_i64(&json, (result->ttl_ms + HC_SECOND_MS - 1) / HC_SECOND_MS);
    member_u64("epoch", true, result->epoch, &json);
    member_text("lease_id", result->lease.id, &json);
    hc_buf_char(&json, '}');
    call_json(call, 200, &json);
}

static void claim_renew(struct call *call)
{
    struct renew_body *body = hc_arena_alloc(call->arena, sizeof *body);
    if (body == NULL) {
        call_fault(call, HC_ERR_NOMEM);
        return;
    }
    if (!call_read(call, &renew_table, body))
        return;
    call_event(call, CORE_RENEW)->u.renew = (struct renew_req){ .head_id = call->ids[0], .lease_id = call->ids[1],
                                                                .claim_token = body->claim_token };
    call_submit(call, render_renew);
}

static void render_over(struct call *call, struct core_result *result)
{
    (void)result;
    call_empty(call, 204);
}

static void claim_release(struct call *call)
{
    static const enum lease_why whys[RELEASE_REASONS] = {
        [RELEASE_UNSAID] = WHY_RELEASED, [RELEASE_USER_EXIT] = WHY_USER_EXIT, [RELEASE_ERROR] = WHY_ERROR, [RELEASE_ABANDON] = WHY_ABANDON,
        [RELEASE_UNREACHABLE] = WHY_UNREACHABLE, [RELEASE_INTERRUPTED] = WHY_INTERRUPTED,
    };
    struct release_body *body = hc_arena_alloc(call->arena, sizeof *body);
    if (body == NULL) {
        call_fault(call, HC_ERR_NOMEM);
        return;
    }
    if (!call_read(call, &release_table, body))
        return;
    call_event(call, CORE_RELEASE)->u.release = (struct release_req){ .head_id = call->ids[0], .lease_id = call->ids[1],
                                                                      .claim_token = body->claim_token, .why = whys[body->reason] };
    call_submit(call, render_over);
}

/* ---- admission ---- */

void admission_json(const struct call *call, const struct core_result *result, struct hc_buf *out)
{
    hc_buf_str(out, "{\"stream\":");
    if (result->has_stream)
        json_stream(&result->stream, call->op.ev.now, out);
    else
        hc_buf_str(out, "null");
    hc_buf_str(out, ",\"lease\":");
    if (result->has_lease)
        json_lease(result, timers_of(call), out);
    else
        hc_buf_str(out, "null");
    hc_buf_str(out, ",\"ticket\":");
    if (result->has_ticket)
        json_ticket(&result->ticket, out);
    else
        hc_buf_str(out, "null");
    hc_buf_str(out, ",\"body\":");
    if (result->has_body)
        json_body_facts(&result->body, out);
    else
        hc_buf_str(out, "null");
    hc_buf_str(out, ",\"pair\":");
    if (result->has_body)
        json_pair(&result->body, out);
    else
        hc_buf_str(out, "null");
    hc_buf_char(out, '}');
}

/* What a waiting head wants to hear of; ages and estimates pass by themselves. */
struct standing {
    char lease_id[HC_ID_SIZE], stream_id[HC_ID_SIZE], ticket_id[HC_ID_SIZE];
    enum lease_state lease_state; enum stream_state stream_state; enum ticket_state ticket_state;
    enum wait_why why; uint32_t position; bool directive_applied;
};
struct admission { bool waits, known, last; int64_t deadline_ms; const char *attempt_id; struct standing standing; };

static void take_standing(const struct core_result *result, struct standing *ret)
{
    memset(ret, 0, sizeof *ret);
    if (result->has_lease) {
        HC_SET(ret->lease_id, result->lease.id);
        ret->lease_state = result->lease.state;
        ret->directive_applied = result->has_body && result->body.directive_applied;
    }
    if (result->has_stream) {
        HC_SET(ret->stream_id, result->stream.id);
        ret->stream_state = result->stream.state;
    }
    if (result->has_ticket) {
        HC_SET(ret->ticket_id, result->ticket.id);
        ret->ticket_state = result->ticket.state;
        ret->why = result->ticket.why;
        ret->position = result->ticket.position;
    }
}

/* Something for the head to do now: a token to use, a lease to start on, a question to answer. It is told at once. */
static bool calls_for_action(const struct core_result *result)
{
    return (result->has_lease && lease_is_pre_stream(result->lease.state)) ||
           (result->has_ticket && result->ticket.state != TICKET_WAITING);
}

static void look(struct call *call, bool last);

static void render_admission(struct call *call, struct core_result *result)
{
    struct admission *admission = call->user;
    struct standing standing;
    take_standing(result, &standing);
    bool changed = admission->known && memcmp(&standing, &admission->standing, sizeof standing) != 0;
    if (admission->waits && !admission->last && !changed && !calls_for_action(result)) {
        memcpy(&admission->standing, &standing, sizeof standing);      /* with its gaps: the whole is compared */
        admission->known = true;
        call_wait(call, WAIT_FOR_HEAD, call->ids[0], admission->deadline_ms, look);
        return;
    }
    struct hc_buf json = { 0 };
    admission_json(call, result, &json);
    http_header_add(call->req, "Cache-Control", "no-store");
    call_json(call, 200, &json);
}

static void look(struct call *call, bool last)
{
    struct admission *admission = call->user;
    admission->last = last;
    call_event(call, CORE_ADMISSION)->u.admission = (struct admission_req){ .head_id = call->ids[0],
                                                                            .attempt_id = admission->attempt_id };
    call_submit(call, render_admission);
}

static void admission_get(struct call *call)
{
    uint32_t seconds = call_query_u32(call, "wait", 0);
    struct admission *admission = hc_arena_alloc(call->arena, sizeof *admission);
    if (admission == NULL) {
        call_fault(call, HC_ERR_NOMEM);
        return;
    }
    admission->waits = seconds > 0;
    admission->deadline_ms = call->api->config.monotonic_ms() + (int64_t)seconds * HC_SECOND_MS;
    admission->attempt_id = call_query(call, "attempt_id");
    call->user = admission;
    look(call, false);
}

static void accept_post(struct call *call)
{
    call_event(call, CORE_ACCEPT)->u.accept = (struct accept_req){ .head_id = call->ids[0] };
    call_submit(call, render_claim);
}

#define OWN_OR_ADMIN (SCOPE_SELF | SCOPE_ADMIN)
#define CLAIMS       "/api/v1/heads/{id}/slot-claims"
#define ADMISSION    "/api/v1/heads/{id}/admission"
const struct api_route slot_claim_routes[] = {
    { HTTP_POST,   CLAIMS,                     OWN_OR_ADMIN,              ROUTE_BODY | ROUTE_HEAD_EXISTS, claim_create },
    { HTTP_POST,   CLAIMS "/{lease_id}/renew", OWN_OR_ADMIN,              ROUTE_BODY | ROUTE_HEAD_EXISTS, claim_renew },
    { HTTP_DELETE, CLAIMS "/{lease_id}",       OWN_OR_ADMIN,              ROUTE_BODY | ROUTE_HEAD_EXISTS, claim_release },
    { HTTP_GET,    ADMISSION,                  OWN_OR_ADMIN | SCOPE_READ, ROUTE_HEAD_EXISTS,              admission_get },
    { HTTP_POST,   ADMISSION "/accept",        OWN_OR_ADMIN,              ROUTE_HEAD_EXISTS,              accept_post },
    { 0 },
};
