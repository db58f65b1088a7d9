/* heads.c - heads as they ship (wire §2): heartbeat, stop, commands, WireGuard configuration. */
#include "call.h"

#include <string.h>

#include "head_config.h"
#include "hydra/proto/head_put.h"
#include "screenshots.h"

static void answer_ok(struct call *call)
{
    call_text(call, 200, NULL, "{\"status\":\"ok\"}");
}

static void render_ok(struct call *call, struct core_result *result)
{
    (void)result;
    answer_ok(call);
}

static void render_empty(struct call *call, struct core_result *result)
{
    (void)result;
    call_empty(call, 204);
}

/* ---- PUT /heads/{id} ---- */

static const char *beat_text(const struct heartbeat *beat, const char *key, const char *value)
{
    return codec_has(&heartbeat_table, beat, key) ? value : NULL;
}

/* A record that a head sends whole has fields that it may not set: they are not even read. */
static void beat(struct call *call)
{
    struct heartbeat *body = hc_arena_alloc(call->arena, sizeof *body);
    if (body == NULL) {
        call_fault(call, HC_ERR_NOMEM);
        return;
    }
    if (!call_read(call, &heartbeat_table, body))
        return;
    call_event(call, CORE_HEARTBEAT)->u.heartbeat = (struct heartbeat_req){
        .head_id = call->ids[0], .status = beat_text(body, "status", body->status), .body_id = beat_text(body, "body_id", body->body_id),
        .lease_id = beat_text(body, "lease_id", body->lease_id), .stream_id = beat_text(body, "stream_id", body->stream_id),
        .address = http_peer(call->req), .version = beat_text(body, "version", body->version),
        .lease_state = (enum head_lease_state)body->lease_state,
        .protocol_version = { codec_has(&heartbeat_table, body, "protocol_version"), body->protocol_version },
        .pairing_protocol = { codec_has(&heartbeat_table, body, "pairing_protocol"), body->pairing_protocol },
        .diagnostics = body->diagnostics,
    };
    call_submit(call, render_ok);
}

static void fill_stream(const struct head_stream *stream, struct head_update_req *req)
{
    static const char *const keys[] = { "stream_url", "stream_url_lan", "stream_app_id", "stream_mode" };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (codec_has(&head_stream_table, stream, keys[i]))
            req->stream_fields |= 1u << i;
    req->clear_stream = req->stream_fields == 0;         /* stream: {} clears the block */
    req->set_stream = req->stream_fields != 0;
    HC_SET(req->stream.stream_url, stream->stream_url);
    HC_SET(req->stream.stream_url_lan, stream->stream_url_lan);
    HC_SET(req->stream.stream_app_id, stream->stream_app_id);
    HC_SET(req->stream.stream_mode, stream->stream_mode);
}

static void assign(struct call *call)
{
    struct head_assign *body = hc_arena_alloc(call->arena, sizeof *body);
    if (body == NULL) {
        call_fault(call, HC_ERR_NOMEM);
        return;
    }
    if (!call_read(call, &head_assign_table, body))
        return;
    bool names_body = codec_has(&head_assign_table, body, "head_body_id");
    if (!names_body && !body->has_stream) {
        answer_ok(call);                                 /* nothing named that an operator may set */
        return;
    }
    struct head_update_req *req = &call_event(call, CORE_HEAD_UPDATE)->u.head_update;
    *req = (struct head_update_req){ .head_id = call->ids[0], .head_body_id = names_body ? body->head_body_id : NULL };
    if (body->has_stream)
        fill_stream(&body->stream, req);
    call_submit(call, render_ok);
}

static void head_put(struct call *call)
{
    if (call_is_self(call))
        beat(call);
    else
        assign(call);
}

/* ---- DELETE /heads/{id}/stream ---- */

/* Always 2xx for the head itself: of a body that cannot be read only the fact counts that the head wants to stop; one that names no body
 * there can be ends nothing, like any other that is not the lease's. */
static void stream_delete(struct call *call)
{
    size_t len = 0;
    struct json_refusal refusal;
    struct stream_stop *body = hc_arena_alloc(call->arena, sizeof *body);
    const char *text = http_body(call->req, &len);
    enum hc_err err = body == NULL ? HC_ERR_NOMEM : json_read(&stream_stop_table, text == NULL ? "" : text, len, true, call->arena, body,
                                                              &refusal);
    if (err == HC_ERR_NOMEM) {
        call_fault(call, err);
        return;
    }
    if (err != HC_OK && !call_is_self(call)) {
        call_bad_json(call, &refusal);
        return;
    }
    if (err == HC_ERR_SCHEMA && strcmp(refusal.field, "body_id") == 0) {
        call_empty(call, 204);
        return;
    }
    call_event(call, CORE_STREAM_STOP)->u.stream_stop = (struct stream_stop_req){ .head_id = call->ids[0],
                                                                                  .body_id = err == HC_OK ? body->body_id : "" };
    call_submit(call, render_empty);
}

/* ---- commands, WireGuard ---- */

static void commands_get(struct call *call)
{
    call_text(call, 200, NULL, screenshot_asked(call, call->ids[0]) ? "{\"screenshot\":true}" : "{\"screenshot\":false}");
}

static void wireguard_get(struct call *call)
{
    struct engine *engine = call->api->config.engine;
    const struct rec *rec = engine_get(engine, REC_NODE, call->ids[0]);
    const struct text *text = rec == NULL ? NULL : ((const struct node_rec *)rec)->wireguard_config;
    http_header_add(call->req, "Cache-Control", "no-store");
    if (text == NULL)
        call_error(call, 404, "not_found", "This head has no WireGuard configuration.", NULL, 0);
    else
        call_text(call, 200, "text/plain; charset=utf-8", text->bytes);
    engine_release(engine, rec);
}

static void wireguard_put(struct call *call)
{
    size_t len = 0;
    const char *text = http_body(call->req, &len);
    if (len > WIREGUARD_MAX || (len > 0 && (!hc_utf8_ok(text, len) || memchr(text, '\0', len) != NULL))) {
        call_bad(call, CALL_WHOLE_BODY, "A WireGuard configuration is UTF-8 text of at most 8 KiB.");
        return;
    }
    call_event(call, CORE_WIREGUARD_PUT)->u.wireguard = (struct wireguard_req){ .head_id = call->ids[0], .text = len == 0 ? "" : text };
    call_submit(call, render_empty);
}

#define OWN_OR_ADMIN (SCOPE_SELF | SCOPE_ADMIN)
#define OR_READ      SCOPE_READ          /* every GET that an admin may do, without secrets */
const struct api_route head_routes[] = {
    { HTTP_GET,    "/api/v1/heads/{id}",                  OWN_OR_ADMIN | OR_READ, ROUTE_HEAD_EXISTS,              head_config_get },
    { HTTP_PUT,    "/api/v1/heads/{id}",                  OWN_OR_ADMIN,           ROUTE_BODY | ROUTE_HEAD_EXISTS, head_put },
    { HTTP_GET,    "/api/v1/heads/{id}/experiences",      OWN_OR_ADMIN | OR_READ, ROUTE_HEAD_EXISTS,              head_experiences_get },
    { HTTP_GET,    "/api/v1/heads/{id}/commands",         SCOPE_SELF,             ROUTE_HEAD_EXISTS,              commands_get },
    { HTTP_POST,   "/api/v1/heads/{id}/screenshot",       SCOPE_SELF,             ROUTE_PICTURE | ROUTE_HEAD_EXISTS, screenshot_post },
    { HTTP_GET,    "/api/v1/heads/{id}/screenshot",       SCOPE_ADMIN,            ROUTE_HEAD_EXISTS,              screenshot_get },
    { HTTP_DELETE, "/api/v1/heads/{id}/stream",           OWN_OR_ADMIN,           ROUTE_OWN_BODY | ROUTE_HEAD_EXISTS, stream_delete },
    { HTTP_GET,    "/api/v1/heads/{id}/wireguard-config", OWN_OR_ADMIN,           ROUTE_HEAD_EXISTS,              wireguard_get },
    { HTTP_PUT,    "/api/v1/heads/{id}/wireguard-config", SCOPE_ADMIN,            ROUTE_OWN_BODY | ROUTE_HEAD_EXISTS, wireguard_put },
    { 0 },
};
