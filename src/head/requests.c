#include "requests.h"

#include <string.h>

#define HEADS "/api/v1/heads/"

void request_drop(struct request_text *request)
{
    if (request->body.data != NULL)
        explicit_bzero(request->body.data, request->body.size);
    hc_buf_free(&request->path);
    hc_buf_free(&request->body);
}

bool request_failed(const struct request_text *request)
{
    return request->path.failed || request->body.failed;
}

/* Ids are [A-Za-z0-9._-]: nothing in a path needs escaping. */
static void begin(const char *method, const char *first, const char *id, const char *rest, struct request_text *out)
{
    *out = (struct request_text){ .method = method };
    hc_buf_str(&out->path, first);
    hc_buf_str(&out->path, id);
    hc_buf_str(&out->path, rest);
}

/* The first member opens the object; finish() closes it. */
static void member(struct hc_buf *body, const char *key, const char *value)
{
    hc_buf_char(body, body->len == 0 ? '{' : ',');
    hc_buf_json_str(body, key);
    hc_buf_char(body, ':');
    hc_buf_json_str(body, value);
}

static void member_if(struct hc_buf *body, const char *key, const char *value)
{
    if (value[0] != '\0')
        member(body, key, value);
}

static void member_number(struct hc_buf *body, const char *key, int64_t value)
{
    hc_buf_char(body, body->len == 0 ? '{' : ',');
    hc_buf_json_str(body, key);
    hc_buf_char(body, ':');
    hc_buf_i64(body, value);
}

static void finish(struct hc_buf *body)
{
    hc_buf_str(body, body->len == 0 ? "{}" : "}");
}

void request_claim(const char *head_id, const struct head_state *head, const char *device_uid, struct request_text *out)
{
    begin("POST", HEADS, head_id, "/slot-claims", out);
    member(&out->body, "attempt_id", head->attempt_id);
    member(&out->body, "experience", head->experience);
    member(&out->body, "device_uid", device_uid);
    member_number(&out->body, "protocol_version", PROTOCOL_VERSION);
    member_if(&out->body, "claim_token", head->lease.claim_token);
    member_if(&out->body, "stream_id", head->claim_stream_id);
    finish(&out->body);
}

void request_admission(const char *head_id, const char *attempt_id, unsigned wait_seconds, struct request_text *out)
{
    begin("GET", HEADS, head_id, "/admission?attempt_id=", out);
    hc_buf_printf(&out->path, "%s&wait=%u", attempt_id, wait_seconds);
}

void request_accept(const char *head_id, struct request_text *out)
{
    begin("POST", HEADS, head_id, "/admission/accept", out);
}

void request_renew(const char *head_id, const struct head_lease *lease, struct request_text *out)
{
    begin("POST", HEADS, head_id, "/slot-claims/", out);
    hc_buf_printf(&out->path, "%s/renew", lease->id);
    member(&out->body, "claim_token", lease->claim_token);
    finish(&out->body);
}

void request_release(const char *head_id, const struct head_lease *lease, const char *body_id, const char *reason, struct request_text *out)
{
    if (lease->claim_token[0] == '\0') {
        begin("DELETE", HEADS, head_id, "/stream", out);
        member_if(&out->body, "body_id", body_id);
    } else {
        begin("DELETE", HEADS, head_id, "/slot-claims/", out);
        hc_buf_str(&out->path, lease->id);
        member(&out->body, "claim_token", lease->claim_token);
        member_if(&out->body, "reason", reason);
    }
    finish(&out->body);
}

void request_leave(const char *head_id, const char *stream_id, struct request_text *out)
{
    begin("DELETE", HEADS, head_id, stream_id[0] == '\0' ? "/stream" : "/streams/", out);
    hc_buf_str(&out->path, stream_id);
    finish(&out->body);
}

void request_beat(const char *head_id, const struct head_state *head, const char *diagnostics, struct request_text *out)
{
    bool has_lease = head->has_lease;
    begin("PUT", HEADS, head_id, "", out);
    member(&out->body, "status", head_status_word(head));
    member(&out->body, "body_id", has_lease ? head->body.id : "");
    if (has_lease) {
        member(&out->body, "lease_id", head->lease.id);
        member_if(&out->body, "lease_state", head_lease_word(head));
    }
    member_if(&out->body, "stream_id", head->stream_id);
    member_number(&out->body, "protocol_version", PROTOCOL_VERSION);
    member_number(&out->body, "pairing_protocol", PAIRING_PROTOCOL);
    member(&out->body, "version", HYDRA_VERSION);
    hc_buf_str(&out->body, ",\"diagnostics\":");
    hc_buf_str(&out->body, diagnostics);
    finish(&out->body);
}

void request_offers(const char *head_id, struct request_text *out)
{
    begin("GET", HEADS, head_id, "/experiences", out);
}

void request_identity(const char *head_id, struct request_text *out)
{
    begin("POST", HEADS, head_id, "/device-identity", out);
}

void request_pin(const char *body_id, const char *pin, struct request_text *out)
{
    begin("POST", "/api/v1/nodes/", body_id, "/sunshine-pin", out);
    member(&out->body, "pin", pin);
    finish(&out->body);
}

void request_pair_lease(const char *head_id, const char *body_id, struct request_text *out)
{
    begin("POST", HEADS, head_id, "/pair-leases", out);
    member(&out->body, "body_id", body_id);
    finish(&out->body);
}

void request_pair_release(const char *head_id, const char *lease_id, struct request_text *out)
{
    begin("DELETE", HEADS, head_id, "/pair-leases/", out);
    hc_buf_str(&out->path, lease_id);
}

void request_bodies(const char *head_id, struct request_text *out)
{
    begin("GET", "/api/v1/bodies/eligible?protocol=2&head_id=", head_id, "", out);
}
