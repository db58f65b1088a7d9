/* bodies.c - what bodies say and are told: POST /body/status, admit-observed; GET /bodies for operators (wire §4). */
#include <string.h>

#include "answer_rows.h"
#include "directive_json.h"
#include "hydra/proto/admit_observed.h"
#include "hydra/proto/body_status.h"
#include "operator_routes.h"
#include "report_of.h"

static const struct codec_field next_rows[] = { OUT_SECONDS(struct directive, "next_report_seconds", next_report_ms) };
static const struct codec_table next_table = OUT_TABLE("report", next_rows, struct directive);

/* Always the committed directive: also when our own save is slow or fails (rules §3.4). `result` is NULL then. */
static void report_is(struct call *call, struct core_result *result)
{
    (void)result;
    struct directive directive;
    char digest[DIRECTIVE_DIGEST_SIZE];
    struct hc_buf json = { 0 };
    enum hc_err err = engine_directive(call->api->config.engine, call->who.id, call->arena, &directive);
    if (err == HC_OK) {
        hc_buf_str(&json, directive.terminate_stream ? "{\"terminate_stream\":true," : "{");
        err = directive_json(&directive, digest, &json);
        (void)json_write_members(&next_table, &directive, false, &json);
        hc_buf_char(&json, '}');
    }
    if (err == HC_OK) {
        call_json(call, 200, &json);
        return;
    }
    hc_buf_free(&json);
    if (err == HC_ERR_NOTFOUND)
        call_error(call, 404, "node_not_found", "This body was deleted.", NULL, 0);
    else
        call_fault(call, err);
}

static void body_status(struct call *call)
{
    struct body_status *body = hc_arena_alloc(call->arena, sizeof *body);
    if (body == NULL) {
        call_fault(call, HC_ERR_NOMEM);
        return;
    }
    if (!call_read(call, &body_status_table, body))
        return;
    char field[REPORT_FIELD_SIZE];
    struct report_req *report = &call_event(call, CORE_BODY_REPORT)->u.report;
    enum hc_err err = report_of(body, call->arena, report, field);
    if (err == HC_ERR_RANGE) {
        call_bad(call, field, "An epoch is at most 2^53-2.");
        return;
    }
    if (err != HC_OK) {
        call_fault(call, err);
        return;
    }
    report->body_id = call->who.id;
    call->op.wait_ms = call->api->config.core->timers.report_commit_wait_ms;
    call->late_is_ok = true;
    call_submit(call, report_is);
}

static void admitted(struct call *call, struct core_result *result)
{
    struct hc_buf json = { 0 };
    hc_buf_str(&json, "{\"lease\":");
    json_lease(result, &call->api->config.core->timers, &json);
    hc_buf_char(&json, '}');
    call_json(call, 201, &json);
}

static void admit_observed(struct call *call)
{
    struct admit_observed *body = hc_arena_alloc(call->arena, sizeof *body);
    if (body == NULL) {
        call_fault(call, HC_ERR_NOMEM);
        return;
    }
    if (!call_read(call, &admit_observed_table, body))
        return;
    call_event(call, CORE_ADMIT_OBSERVED)->u.admit = (struct admit_req){
        .body_id = call->ids[0], .client_uuid = body->client_uuid, .named_cert_name = body->named_cert_name, .app_name = body->app_name,
        .launch_id = body->launch_id, .slot = body->slot,
    };
    call_submit(call, admitted);
}

/* ---- GET /bodies ---- */

static const struct codec_field node_rows[] = {
    OUT_TEXT(struct node_rec, "id", rec.key),
    OUT_TEXT(struct node_rec, "name", name),
    OUT_TEXT(struct node_rec, "district", district),
    OUT_TEXT(struct node_rec, "venue", venue),
    OUT_TEXT(struct node_rec, "owner", owner),
    OUT_WORD(struct node_rec, "approval", approval, approval_words),
    OUT_TEXT(struct node_rec, "machine_id", machine_id),
    OUT_TEXT(struct node_rec, "ip", ip),
    OUT_TEXT(struct node_rec, "wireguard_ip", wireguard_ip),
};
static const struct codec_table node_table = OUT_TABLE("body", node_rows, struct node_rec);

static const struct codec_field body_rows[] = {
    OUT_U32(struct body_rec, "slots_total", slots_total),
    OUT_WORD(struct body_rec, "enforce", enforce, enforce_words),
    OUT_BOOL(struct body_rec, "maintenance", maintenance),
    OUT_TIME(struct body_rec, "drain_deadline_at", drain_deadline_at),
    OUT_U32(struct body_rec, "pair_epoch", pair_epoch),
    OUT_TEXT(struct body_rec, "sunshine_cert_fp", sunshine_cert_fp),
    OUT_WORD(struct body_rec, "circuit", circuit.state, circuit_words),
    OUT_TIME(struct body_rec, "circuit_until", circuit.until),
};
static const struct codec_table body_table = OUT_TABLE("body", body_rows, struct body_rec);

struct seen_body { struct body_obs obs; int64_t age_ms; struct codec_list drivers, experiences; };
static const struct codec_field seen_rows[] = {
    OUT_TIME(struct seen_body, "reported_at", obs.reported_at),
    OUT_AGE(struct seen_body, "report_age_seconds", age_ms),
    OUT_BOOL(struct seen_body, "modern", obs.modern),
    OUT_TEXT(struct seen_body, "boot_id", obs.boot_id),
    OUT_TEXT(struct seen_body, "gpu", obs.gpu),
    OUT_U32(struct seen_body, "gpu_memory_total_mb", obs.gpu_memory_total_mb),
    OUT_TEXT(struct seen_body, "provider_status", obs.provider_status),
    OUT_TEXT(struct seen_body, "provider_version", obs.provider_version),
    OUT_TEXT(struct seen_body, "hydrabody_version", obs.hydrabody_version),
    OUT_WORD(struct seen_body, "stream_status", obs.stream_status, stream_status_words),
    OUT_TEXT(struct seen_body, "xr_state", obs.xr_state),
    OUT_STRS(struct seen_body, "xr_drivers", drivers),
    OUT_STRS(struct seen_body, "installed_experiences", experiences),
};
static const struct codec_table seen_table = OUT_TABLE("body", seen_rows, struct seen_body);

static void write_body(const struct core_view *v, const struct node_rec *node, const struct body_rec *body, struct hc_buf *out)
{
    static const struct body_obs nothing;
    const struct body_obs *obs = observed_body(v->obs, node->rec.key);
    struct seen_body seen = { .obs = obs == NULL ? nothing : *obs, .age_ms = -1 };
    if (hc_time_set(seen.obs.reported_at))
        seen.age_ms = hc_time_since(v->now, seen.obs.reported_at);
    seen.drivers = strings_list(seen.obs.xr_drivers);
    seen.experiences = strings_list(seen.obs.experiences != NULL ? seen.obs.experiences : body->listed_experiences);
    hc_buf_char(out, '{');
    (void)json_write_members(&node_table, node, true, out);
    member_bool("online", body_online(v, node->rec.key), out);
    (void)json_write_members(&body_table, body, false, out);
    if (body->home_venue_reserve == RESERVE_AUTO)
        member_text("home_venue_reserve", "auto", out);
    else
        member_u64("home_venue_reserve", true, (uint64_t)body->home_venue_reserve, out);
    (void)json_write_members(&seen_table, &seen, false, out);
    member_u64("paired_clients_count", obs != NULL && obs->modern, seen.obs.client_count, out);
    hc_buf_char(out, '}');
}

static void bodies_list(struct call *call)
{
    struct engine_view view;
    if (!call_view(call, &view))
        return;
    struct hc_buf json = { 0 };
    bool first = true;
    hc_buf_char(&json, '[');
    for (size_t i = 0; i < alloc_count(view.saved, REC_BODY); i++) {
        const struct body_rec *body = (const struct body_rec *)alloc_at(view.saved, REC_BODY, i);
        const struct node_rec *node = alloc_node(view.saved, body->rec.key);
        if (node == NULL)
            continue;                         /* a lease on a body that the registry lacks stands in /slots */
        if (!first)
            hc_buf_char(&json, ',');
        first = false;
        write_body(&view.view, node, body, &json);
    }
    hc_buf_char(&json, ']');
    call_view_done(call, &view);
    call_json(call, 200, &json);
}

const struct api_route body_routes[] = {
    { HTTP_GET,  "/api/v1/bodies",                     SCOPE_OPERATOR_READ, 0, bodies_list },
    { HTTP_GET,  "/api/v1/nodes/{id}/pairing",         SCOPE_OPERATOR_READ, ROUTE_BODY_EXISTS, pairing_get },
    { HTTP_POST, "/api/v1/body/status",                SCOPE_BODY, ROUTE_BODY, body_status },
    { HTTP_GET,  "/api/v1/bodies/{id}/desired",        SCOPE_SELF, ROUTE_BODY_EXISTS, desired_get },
    { HTTP_POST, "/api/v1/bodies/{id}/admit-observed", SCOPE_SELF, ROUTE_BODY | ROUTE_BODY_EXISTS, admit_observed },
    { 0 },
};
