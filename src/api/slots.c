/* slots.c - GET /slots: the fleet's truth, one row per slot, lease or session, desired beside observed (wire §5). */
#include "answer_rows.h"
#include "operator_routes.h"

static const struct codec_field slot_rows[] = {
    OUT_TEXT(struct slot_row, "body_id", body_id),
    OUT_TEXT(struct slot_row, "body_name", body_name),
    OUT_TEXT(struct slot_row, "venue", venue),
    OUT_TEXT(struct slot_row, "district", district),
    OUT_U32(struct slot_row, "slot", slot),
    OUT_U64(struct slot_row, "epoch", epoch),
    OUT_BOOL(struct slot_row, "occupied", occupied),
    OUT_BOOL(struct slot_row, "grantable", grantable),
};
static const struct codec_table slot_table = OUT_TABLE("slot", slot_rows, struct slot_row);

static const struct codec_field lease_rows[] = {
    OUT_TEXT(struct lease, "id", id),
    OUT_WORD(struct lease, "state", state, lease_state_words),
    OUT_WORD(struct lease, "reason", why, lease_why_words),
    OUT_WORD(struct lease, "source", source, lease_source_words),
    OUT_U32(struct lease, "protocol", protocol),
    OUT_WORD(struct lease, "mode", mode, lease_mode_words),
    OUT_TEXT(struct lease, "experience", experience),
    OUT_TEXT(struct lease, "head_id", head_id),            /* null: adopted, not attributed */
    OUT_TEXT(struct lease, "stream_id", stream_id),
    OUT_U64(struct lease, "grant_epoch", grant_epoch),
    OUT_BOOL(struct lease, "left_behind", left_behind),
    OUT_TIME(struct lease, "granted_at", granted_at),
};
static const struct codec_table lease_table = OUT_TABLE("lease", lease_rows, struct lease);

static const struct codec_field holder_rows[] = {
    OUT_TEXT(struct slot_row, "head_name", head_name),
    OUT_TEXT(struct slot_row, "head_venue", head_venue),
    OUT_AGE(struct slot_row, "age_seconds", age_ms),
    OUT_SECONDS(struct slot_row, "expires_in_seconds", expires_in_ms),
    OUT_SECONDS(struct slot_row, "start_deadline_in_seconds", start_deadline_in_ms),
    OUT_AGE(struct slot_row, "seconds_since_head_renewal", since_head_renewal_ms),
    OUT_AGE(struct slot_row, "unattended_seconds", unattended_ms),
};
static const struct codec_table holder_table = OUT_TABLE("holder", holder_rows, struct slot_row);

static const struct codec_field observed_rows[] = {
    OUT_WORD(struct slot_observed, "stream_status", stream_status, stream_status_words),
    OUT_TEXT(struct slot_observed, "lease_id", lease_id),
    OUT_TEXT(struct slot_observed, "launch_id", launch_id),
    OUT_TEXT(struct slot_observed, "client_uuid", client_uuid),
    OUT_TEXT(struct slot_observed, "client_name", client_name),
    OUT_TEXT(struct slot_observed, "app", app),
    OUT_TEXT(struct slot_observed, "head_id", head_id),
    OUT_TEXT(struct slot_observed, "boot_id", boot_id),
    OUT_TIME(struct slot_observed, "reported_at", reported_at),
};
static const struct codec_table observed_table = OUT_TABLE("observed", observed_rows, struct slot_observed);

static const struct codec_field gate_rows[] = {
    OUT_WORD(struct slot_observed, "mode", gate_mode, gate_mode_words),
    OUT_TEXT(struct slot_observed, "reason", gate_reason),
};
static const struct codec_table gate_table = OUT_TABLE("gate", gate_rows, struct slot_observed);

static void write_lease(const struct slot_row *row, struct hc_buf *out)
{
    if (row->lease == NULL) {
        hc_buf_str(out, "null");
        return;
    }
    hc_buf_char(out, '{');
    (void)json_write_members(&lease_table, row->lease, true, out);
    (void)json_write_members(&holder_table, row, false, out);
    hc_buf_char(out, '}');
}

static void write_observed(const struct slot_row *row, hc_time now, struct hc_buf *out)
{
    if (!row->has_observed) {
        hc_buf_str(out, "null");
        return;
    }
    const struct slot_observed *seen = &row->observed;
    hc_buf_str(out, seen->from_head ? "{\"source\":\"head\"" : "{\"source\":\"body\"");
    member_text("state", seen->has_state ? word_of(&session_words, (int)seen->state) : NULL, out);
    (void)json_write_members(&observed_table, seen, false, out);
    member_u64("applied_epoch", seen->has_applied_epoch, seen->applied_epoch, out);
    member_u64("report_seq", seen->has_report_seq, seen->report_seq, out);
    int64_t age_ms = hc_time_since(now, seen->reported_at);
    member_u64("age_seconds", hc_time_set(seen->reported_at), (uint64_t)(age_ms > 0 ? age_ms / HC_SECOND_MS : 0), out);
    hc_buf_str(out, ",\"gate\":");
    json_write(&gate_table, seen, out);
    hc_buf_char(out, '}');
}

static void write_row(const struct slot_row *row, hc_time now, struct hc_buf *out)
{
    hc_buf_char(out, '{');
    (void)json_write_members(&slot_table, row, true, out);
    member_mask("why_not", row->why_not, &why_not_words, out);
    hc_buf_str(out, ",\"lease\":");
    write_lease(row, out);
    hc_buf_str(out, ",\"observed\":");
    write_observed(row, now, out);
    member_mask("divergence", row->divergence, &divergence_words, out);
    hc_buf_char(out, '}');
}

/* A large fleet takes several turns of the loop, all of one view: others are answered in between. */
#define BODIES_A_TURN 200
struct slots_answer { struct engine_view view; struct slot_filter filter; struct hc_buf json; bool any, open; };

static void slots_close(struct call *call)
{
    struct slots_answer *answer = call->user;
    if (!answer->open)
        return;
    answer->open = false;
    call_view_done(call, &answer->view);
    hc_buf_free(&answer->json);
}

static enum hc_err write_turn(struct slots_answer *answer)
{
    struct hc_arena arena = { 0 };
    struct slot_row *rows;
    size_t count = 0;
    enum hc_err err = query_slots(&answer->view.view, &answer->filter, &arena, &rows, &count);
    for (size_t i = 0; err == HC_OK && i < count; i++) {
        if (answer->any)
            hc_buf_char(&answer->json, ',');
        answer->any = true;
        write_row(&rows[i], answer->view.view.now, &answer->json);
    }
    hc_arena_free(&arena);
    answer->filter.first_body += BODIES_A_TURN;
    return err;
}

static void slots_turn(struct call *call);

static void next_turn(struct http_request *req)
{
    struct call *call = http_user(req);
    if (call_still_allowed(call))
        slots_turn(call);
}

static void slots_turn(struct call *call)
{
    struct slots_answer *answer = call->user;
    enum hc_err err = write_turn(answer);
    if (err == HC_OK && answer->filter.first_body < alloc_count(answer->view.saved, REC_BODY)) {
        http_park(call->req, HTTP_PARK_NEWS, call->api->config.monotonic_ms(), next_turn);
        return;
    }
    hc_buf_char(&answer->json, ']');
    struct hc_buf json = answer->json;
    answer->json = (struct hc_buf){ 0 };
    slots_close(call);
    if (err == HC_OK) {
        call_json(call, 200, &json);
        return;
    }
    hc_buf_free(&json);
    call_fault(call, err);
}

static void slots_list(struct call *call)
{
    struct slots_answer *answer = hc_arena_alloc(call->arena, sizeof *answer);
    if (answer == NULL) {
        call_fault(call, HC_ERR_NOMEM);
        return;
    }
    if (!call_view(call, &answer->view))
        return;
    answer->open = true;
    answer->filter = (struct slot_filter){ .district = call_query(call, "district"), .venue = call_query(call, "venue"),
        .body_id = call_query(call, "body"), .divergent = call_query_flag(call, "divergent"), .body_count = BODIES_A_TURN };
    call->user = answer;
    call->gone = slots_close;
    hc_buf_char(&answer->json, '[');
    slots_turn(call);
}

const struct api_route slots_routes[] = {
    { HTTP_GET, "/api/v1/slots", SCOPE_OPERATOR_READ, 0, slots_list },
    { HTTP_GET, "/api/v1/conflicts", SCOPE_OPERATOR_READ, 0, conflicts_list },
    { 0 },
};
