#include "wire_out.h"

#include <stdio.h>
#include <string.h>

#include "hydra/crypto/digest.h"

void wire_request_free(struct wire_request *request)
{
    hc_buf_free(&request->path);
    hc_buf_free(&request->body);
}

static void add_quoted(struct hc_buf *path, const char *text)
{
    for (const char *c = text; *c != '\0'; c++) {
        bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || strchr("-._~", *c) != NULL;
        if (plain)
            hc_buf_char(path, *c);
        else
            hc_buf_printf(path, "%%%02X", (unsigned)(unsigned char)*c);
    }
}

static void add_query(struct hc_buf *path, char before, const char *key, const char *value)
{
    hc_buf_char(path, before);
    hc_buf_str(path, key);
    hc_buf_char(path, '=');
    add_quoted(path, value);
}

static void add_member(struct hc_buf *body, const char *key, const char *value)
{
    hc_buf_char(body, body->len <= 1 ? ' ' : ',');
    hc_buf_json_str(body, key);
    hc_buf_char(body, ':');
    hc_buf_json_str(body, value);
}

static void add_if_said(struct hc_buf *body, const char *key, const char *value)
{
    if (value != NULL && value[0] != '\0')
        add_member(body, key, value);
}

/* ---- heads ---- */

static void beat(const struct wire_head *who, const struct head_args *args, struct wire_request *ret)
{
    hc_buf_printf(&ret->path, "/api/v1/heads/%s", who->id);
    hc_buf_char(&ret->body, '{');
    add_member(&ret->body, "status", args->status);
    add_member(&ret->body, "body_id", args->body_id[0] == '\0' ? NULL : args->body_id);
    add_if_said(&ret->body, "lease_id", args->lease_id);
    add_if_said(&ret->body, "lease_state", args->lease_state);
    add_if_said(&ret->body, "stream_id", args->stream_id);
    hc_buf_str(&ret->body, ",\"diagnostics\":{\"latency_ms\":\"7\",\"wireguard\":\"simulated\"}");
    if (who->protocol >= 2)
        hc_buf_printf(&ret->body, ",\"protocol_version\":%u", who->protocol);
    hc_buf_char(&ret->body, '}');
}

static void config(const struct wire_head *who, const struct head_args *args, struct wire_request *ret)
{
    (void)args;
    hc_buf_printf(&ret->path, "/api/v1/heads/%s", who->id);
}

static void commands(const struct wire_head *who, const struct head_args *args, struct wire_request *ret)
{
    (void)args;
    hc_buf_printf(&ret->path, "/api/v1/heads/%s/commands", who->id);
}

static void eligible(const struct wire_head *who, const struct head_args *args, struct wire_request *ret)
{
    hc_buf_str(&ret->path, "/api/v1/bodies/eligible");
    add_query(&ret->path, '?', "head_id", who->id);
    add_query(&ret->path, '&', "district", who->district);
    add_query(&ret->path, '&', "venue", who->venue);
    add_query(&ret->path, '&', "experience", args->experience);
}

void wire_device_uid(const char *head_id, char out[WIRE_UID_SIZE])
{
    char digest[HC_HASH_SIZE];
    crypto_sha256_hex(head_id, strlen(head_id), digest);
    (void)snprintf(out, WIRE_UID_SIZE, "%.16s", digest);
}

static void add_device(const char *head_id, struct hc_buf *body)
{
    char device[WIRE_UID_SIZE];
    wire_device_uid(head_id, device);
    add_member(body, "device_uid", device);
}

void wire_identity(const char *head_id, const struct device_certificate *certificate, struct wire_request *ret)
{
    char not_after[HC_TIME_TEXT_SIZE];
    *ret = (struct wire_request){ .method = "POST", .timeout_ms = WIRE_TIMEOUT_MS };
    hc_buf_printf(&ret->path, "/api/v1/heads/%s/device-identity", head_id);
    hc_time_format(certificate->not_after, not_after);
    hc_buf_char(&ret->body, '{');
    add_device(head_id, &ret->body);
    add_member(&ret->body, "cert_fingerprint", certificate->fingerprint);
    add_member(&ret->body, "cert_pem", certificate->pem.data);
    add_member(&ret->body, "not_after", not_after);
    hc_buf_char(&ret->body, '}');
}

static void claim(const struct wire_head *who, const struct head_args *args, struct wire_request *ret)
{
    hc_buf_printf(&ret->path, "/api/v1/heads/%s/slot-claims", who->id);
    hc_buf_char(&ret->body, '{');
    add_member(&ret->body, "attempt_id", args->attempt_id);
    add_member(&ret->body, "district", who->district);
    add_member(&ret->body, "venue", who->venue);
    add_member(&ret->body, "experience", args->experience);
    add_device(who->id, &ret->body);
    add_if_said(&ret->body, "claim_token", args->claim_token);
    add_if_said(&ret->body, "stream_id", args->stream_id);
    hc_buf_str(&ret->body, ",\"protocol_version\":2}");
}

static void renew(const struct wire_head *who, const struct head_args *args, struct wire_request *ret)
{
    hc_buf_printf(&ret->path, "/api/v1/heads/%s/slot-claims/%s/renew", who->id, args->lease_id);
    hc_buf_char(&ret->body, '{');
    add_member(&ret->body, "claim_token", args->claim_token);
    hc_buf_char(&ret->body, '}');
}

static void admission(const struct wire_head *who, const struct head_args *args, struct wire_request *ret)
{
    hc_buf_printf(&ret->path, "/api/v1/heads/%s/admission", who->id);
    add_query(&ret->path, '?', "attempt_id", args->attempt_id);
    if (!args->long_poll)
        return;
    hc_buf_printf(&ret->path, "&wait=%d", WIRE_WAIT_SECONDS);
    ret->timeout_ms = WIRE_POLL_MS;
}

static void accept_offer(const struct wire_head *who, const struct head_args *args, struct wire_request *ret)
{
    (void)args;
    hc_buf_printf(&ret->path, "/api/v1/heads/%s/admission/accept", who->id);
    hc_buf_str(&ret->body, "{}");
}

static void release(const struct wire_head *who, const struct head_args *args, struct wire_request *ret)
{
    hc_buf_printf(&ret->path, "/api/v1/heads/%s/slot-claims/%s", who->id, args->lease_id);
    hc_buf_char(&ret->body, '{');
    add_member(&ret->body, "claim_token", args->claim_token);
    add_if_said(&ret->body, "reason", args->reason);
    hc_buf_char(&ret->body, '}');
}

static void stop(const struct wire_head *who, const struct head_args *args, struct wire_request *ret)
{
    hc_buf_printf(&ret->path, "/api/v1/heads/%s/stream", who->id);
    hc_buf_char(&ret->body, '{');
    add_member(&ret->body, "body_id", args->body_id);
    hc_buf_char(&ret->body, '}');
}

typedef void write_fn(const struct wire_head *who, const struct head_args *args, struct wire_request *ret);
static const struct { const char *method; write_fn *write; } head_requests[HEAD_CALLS] = {
    [HEAD_BEAT] = { "PUT", beat },          [HEAD_CONFIG] = { "GET", config },         [HEAD_COMMANDS] = { "GET", commands },
    [HEAD_READ] = { "GET", eligible },      [HEAD_CLAIM] = { "POST", claim },          [HEAD_RENEW] = { "POST", renew },
    [HEAD_ADMISSION] = { "GET", admission }, [HEAD_ACCEPT] = { "POST", accept_offer }, [HEAD_RELEASE] = { "DELETE", release },
    [HEAD_STOP] = { "DELETE", stop },
};

void wire_head_request(const struct wire_head *who, const struct head_args *args, struct wire_request *ret)
{
    *ret = (struct wire_request){ .method = head_requests[args->call].method, .timeout_ms = WIRE_TIMEOUT_MS };
    head_requests[args->call].write(who, args, ret);
}

/* ---- bodies ---- */

static void add_list(struct hc_buf *out, const char *key, const char *const *items, size_t count)
{
    hc_buf_printf(out, ",\"%s\":[", key);
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            hc_buf_char(out, ',');
        hc_buf_json_str(out, items[i]);
    }
    hc_buf_char(out, ']');
}

static const char *const session_words[] = {
    [SESSION_ASKED] = "starting", [SESSION_STARTS] = "starting", [SESSION_STREAMS] = "streaming", [SESSION_ENDS] = "ending",
};

static void add_ports(struct hc_buf *out, uint32_t slot)
{
    uint32_t first = 47989 + slot * 100;
    hc_buf_printf(out, ",\"ports\":{\"gamestream\":%u,\"gamestream_tls\":%u,\"web\":%u}", first, first - 5, first + 1);
}

static void add_slot(struct hc_buf *out, const struct body *body, uint32_t slot, const struct session *session, int64_t since_s)
{
    hc_buf_printf(out, "%s{\"index\":%u,\"state\":\"%s\"", out->data[out->len - 1] == '[' ? "" : ",", slot,
                  session == NULL ? "idle" : session_words[session->phase]);
    if (body->has_directive)
        hc_buf_printf(out, ",\"applied_epoch\":%llu", (unsigned long long)body->applied[slot]);
    if (session != NULL) {
        hc_buf_char(out, ',');
        hc_buf_str(out, "\"launch_id\":");
        hc_buf_json_str(out, session->launch_id);
        add_if_said(out, "lease_id", session->lease_id);
        add_if_said(out, "client_uuid", session->client_uuid);
        add_if_said(out, "client_name", session->client_name);
        add_if_said(out, "app", session->app);
        hc_buf_printf(out, ",\"since_seconds\":%lld", (long long)since_s);
    }
    if (body->slots > 1)
        add_ports(out, slot);
    hc_buf_char(out, '}');
}

static void add_slots(struct hc_buf *out, const struct wire_body *what, const struct body *body, int64_t now_ms)
{
    hc_buf_str(out, ",\"slots\":[");
    for (uint32_t slot = 0; slot < body->slots; slot++) {
        bool idle = true;
        for (size_t i = 0; i < body->session_count; i++) {
            const struct session *session = &body->sessions[i];
            if (session->slot != slot)
                continue;
            idle = false;
            add_slot(out, body, slot, session, (now_ms - session->since_ms) / what->scale / 1000);
        }
        if (idle)
            add_slot(out, body, slot, NULL, 0);
    }
    hc_buf_str(out, "],\"max_epoch_seen\":[");
    for (uint32_t slot = 0; slot < body->slots; slot++)
        hc_buf_printf(out, "%s%llu", slot > 0 ? "," : "", (unsigned long long)body->floor[slot]);
    hc_buf_char(out, ']');
}

static void add_notes(struct hc_buf *out, const struct body *body)
{
    hc_buf_str(out, ",\"events\":[");
    for (size_t i = 0; i < body->note_count; i++) {
        const struct body_note *note = &body->notes[i];
        hc_buf_printf(out, "%s{\"type\":\"%s\",\"slot\":%u", i > 0 ? "," : "", note->type, note->slot);
        add_if_said(out, "launch_id", note->launch_id);
        add_if_said(out, "client_uuid", note->client_uuid);
        hc_buf_char(out, '}');
    }
    hc_buf_char(out, ']');
}

static void add_clients(struct hc_buf *out, const char *key, const struct trust_store *trust)
{
    hc_buf_printf(out, "\"%s\":[", key);
    for (size_t i = 0; i < trust->count; i++) {
        hc_buf_str(out, i > 0 ? ",{\"uuid\":" : "{\"uuid\":");
        hc_buf_json_str(out, trust->clients[i].uuid);
        hc_buf_str(out, ",\"name\":");
        hc_buf_json_str(out, trust->clients[i].name);
        hc_buf_char(out, '}');
    }
    hc_buf_char(out, ']');
}

static void add_paired(struct hc_buf *out, const struct trust_store *trust)
{
    char digest[STORE_DIGEST_SIZE];
    store_digest(trust, digest);
    hc_buf_char(out, ',');
    add_clients(out, "paired_clients", trust);
    hc_buf_printf(out, ",\"paired_digest\":\"%s\"", digest);
}

void wire_report(const struct wire_body *what, const struct body *body, int64_t now_ms, struct wire_request *ret)
{
    *ret = (struct wire_request){ .method = "POST", .timeout_ms = WIRE_TIMEOUT_MS };
    hc_buf_str(&ret->path, "/api/v1/body/status");
    struct hc_buf *out = &ret->body;
    hc_buf_str(out, "{\"provider_status\":\"running\",\"provider_version\":\"simulated\",\"gpu\":");
    hc_buf_json_str(out, what->gpu);
    hc_buf_printf(out, ",\"gpu_memory_total_mb\":%u,\"stream_status\":\"%s\"", what->memory_mb, body_streams(body) ? "streaming" : "idle");
    add_list(out, "installed_experiences", what->experiences, what->experience_count);
    if (body->modern) {
        hc_buf_printf(out, ",\"boot_id\":\"boot-%u\",\"report_seq\":%llu,\"provider_uptime_seconds\":%lld,\"slots_total\":%u", body->boots,
                      (unsigned long long)body->report_seq, (long long)((now_ms - body->agent_since_ms) / what->scale / 1000), body->slots);
        hc_buf_str(out, ",\"hydrabody_version\":\"sim-4\"");
        add_slots(out, what, body, now_ms);
        add_paired(out, &body->trust);
        add_notes(out, body);
    }
    hc_buf_char(out, '}');
}

void wire_desired(const struct body *body, struct wire_request *ret)
{
    *ret = (struct wire_request){ .method = "GET", .timeout_ms = WIRE_POLL_MS };
    hc_buf_printf(&ret->path, "/api/v1/bodies/%s/desired?wait=%d", body->id, WIRE_WAIT_SECONDS);
    if (body->directive.digest[0] != '\0')
        add_query(&ret->path, '&', "since", body->directive.digest);
}

void wire_admit(const struct body *body, const struct session *session, struct wire_request *ret)
{
    *ret = (struct wire_request){ .method = "POST", .timeout_ms = WIRE_TIMEOUT_MS };
    hc_buf_printf(&ret->path, "/api/v1/bodies/%s/admit-observed", body->id);
    hc_buf_printf(&ret->body, "{\"slot\":%u", session->slot);
    add_if_said(&ret->body, "client_uuid", session->client_uuid);
    add_if_said(&ret->body, "named_cert_name", session->client_name);
    add_if_said(&ret->body, "app_name", session->app);
    add_if_said(&ret->body, "launch_id", session->launch_id);
    hc_buf_char(&ret->body, '}');
}

void wire_ops_next(const struct body *body, struct wire_request *ret)
{
    *ret = (struct wire_request){ .method = "GET", .timeout_ms = WIRE_POLL_MS };
    hc_buf_printf(&ret->path, "/api/v1/nodes/%s/ops/next?wait=%d", body->id, WIRE_WAIT_SECONDS);
}

/* As Sunshine's web API says it. */
void wire_op_result(const struct body *body, struct wire_request *ret)
{
    const struct body_op_end *end = &body->op_end;
    *ret = (struct wire_request){ .method = "POST", .timeout_ms = WIRE_TIMEOUT_MS };
    hc_buf_printf(&ret->path, "/api/v1/nodes/%s/ops/%s/result", body->id, end->op_id);
    if (end->failed) {
        hc_buf_printf(&ret->body, "{\"state\":\"failed\",\"error\":\"%s\"}", end->error);
        return;
    }
    hc_buf_str(&ret->body, "{\"state\":\"done\",\"output\":{");
    if (end->op == OPERATION_LIST_CLIENTS) {
        add_clients(&ret->body, "named_certs", &body->trust);
        hc_buf_char(&ret->body, ',');
    }
    hc_buf_printf(&ret->body, "\"status\":%s}}", end->status ? "true" : "false");
}
