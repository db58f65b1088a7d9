/* xr_session.c - POST, GET, DELETE /heads/{id}/xr-session (wire §2): the shipped headset's way into XR. */
#include "answer_rows.h"
#include "call.h"
#include "hydra/proto/xr_session.h"

/* Text is never null here: the shipped headset reads a null reason as a word. */
#define TEXT(key_, member_) \
    { .key = key_, .type = CODEC_STR, .offset = offsetof(struct xr_facts, member_), .limit = sizeof ((struct xr_facts *)0)->member_ - 1 }
static const struct codec_field facts_rows[] = {
    TEXT("session_id", session_id),
    { .key = "state", .type = CODEC_WORD, .offset = offsetof(struct xr_facts, state), .words = &xr_state_words },
    TEXT("body_id", body_id),
    TEXT("experience", experience),
    TEXT("body_host", body_host),
    TEXT("reason", reason),
};
static const struct codec_table facts_table = CODEC_TABLE("xr_session", facts_rows, struct xr_facts, CODEC_NO_PRESENT);

static void answer(struct call *call, const struct core_result *result, unsigned status)
{
    struct hc_buf json = { 0 };
    json_write(&facts_table, &result->xr, &json);
    call_json(call, status, &json);
}

static void created(struct call *call, struct core_result *result)
{
    answer(call, result, 201);
}

static void shown(struct call *call, struct core_result *result)
{
    answer(call, result, 200);
}

static void ended(struct call *call, struct core_result *result)
{
    (void)result;
    call_empty(call, 204);
}

static void session_post(struct call *call)
{
    struct xr_session_post *body = hc_arena_alloc(call->arena, sizeof *body);
    if (body == NULL) {
        call_fault(call, HC_ERR_NOMEM);
        return;
    }
    if (!call_read(call, &xr_session_post_table, body))
        return;
    call_event(call, CORE_XR_START)->u.xr_start = (struct xr_start_req){
        .head_id = call->ids[0], .body_id = body->body_id, .experience = body->experience, .client_hostname = body->client_hostname,
        .client_ip = body->client_ip,
    };
    call_submit(call, created);
}

static void session_get(struct call *call)
{
    call_event(call, CORE_XR_POLL)->u.xr = (struct xr_req){ .head_id = call->ids[0] };
    call_submit(call, shown);
}

static void session_delete(struct call *call)
{
    call_event(call, CORE_XR_END)->u.xr = (struct xr_req){ .head_id = call->ids[0] };
    call_submit(call, ended);
}

const struct api_route xr_session_routes[] = {
    { HTTP_POST,   "/api/v1/heads/{id}/xr-session", SCOPE_SELF, ROUTE_BODY | ROUTE_HEAD_EXISTS, session_post },
    { HTTP_GET,    "/api/v1/heads/{id}/xr-session", SCOPE_SELF, ROUTE_HEAD_EXISTS,              session_get },
    { HTTP_DELETE, "/api/v1/heads/{id}/xr-session", SCOPE_SELF, ROUTE_HEAD_EXISTS,              session_delete },
    { 0 },
};
