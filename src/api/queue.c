/* queue.c - GET /queue: tickets in order, each with why it waits and which free slots it is passed over for (wire §5; rules §7). */
#include "answer_rows.h"
#include "operator_routes.h"

static const struct codec_field ticket_rows[] = {
    OUT_TEXT(struct ticket_rec, "ticket_id", id),
    OUT_TEXT(struct ticket_rec, "stream_id", stream_id),
    OUT_TEXT(struct ticket_rec, "head_id", rec.key),
    OUT_TEXT(struct ticket_rec, "district", district),
    OUT_TEXT(struct ticket_rec, "experience", experience),
    OUT_U32(struct ticket_rec, "protocol", protocol),
    OUT_WORD(struct ticket_rec, "state", state, ticket_state_words),
    OUT_TIME(struct ticket_rec, "created_at", created_at),
};
static const struct codec_table ticket_table = OUT_TABLE("ticket", ticket_rows, struct ticket_rec);

static const struct codec_field place_rows[] = {
    OUT_TEXT(struct queue_row, "head_name", head_name),
    OUT_TEXT(struct queue_row, "venue", venue),
    OUT_U32(struct queue_row, "position", position),
    OUT_SECONDS(struct queue_row, "eta_seconds", eta_ms),
    OUT_WORD(struct queue_row, "reason", why, wait_words),
    OUT_AGE(struct queue_row, "waited_seconds", waited_ms),
    OUT_SECONDS(struct queue_row, "expires_in_seconds", expires_in_ms),
};
static const struct codec_table place_table = OUT_TABLE("place", place_rows, struct queue_row);

static void write_row(const struct queue_row *row, struct hc_buf *out)
{
    hc_buf_char(out, '{');
    (void)json_write_members(&ticket_table, row->ticket, true, out);
    (void)json_write_members(&place_table, row, false, out);
    hc_buf_str(out, ",\"skipped\":[");
    for (size_t i = 0; i < row->skipped_count; i++) {
        hc_buf_str(out, i > 0 ? ",{\"body_id\":" : "{\"body_id\":");
        hc_buf_json_str(out, row->skipped[i].body_id);
        member_u64("slot", true, row->skipped[i].slot, out);
        member_mask("why_not", row->skipped[i].why_not, &why_not_words, out);
        hc_buf_char(out, '}');
    }
    hc_buf_str(out, "]}");
}

static void queue_list(struct call *call)
{
    struct engine_view view;
    if (!call_view(call, &view))
        return;
    struct queue_row *rows;
    size_t count;
    enum hc_err err = query_queue(&view.view, call_query(call, "district"), call->arena, &rows, &count);
    struct hc_buf json = { 0 };
    hc_buf_char(&json, '[');
    for (size_t i = 0; err == HC_OK && i < count; i++) {
        if (i > 0)
            hc_buf_char(&json, ',');
        write_row(&rows[i], &json);
    }
    hc_buf_char(&json, ']');
    call_view_done(call, &view);
    if (err == HC_OK) {
        call_json(call, 200, &json);
        return;
    }
    hc_buf_free(&json);
    call_fault(call, err);
}

const struct api_route queue_routes[] = {
    { HTTP_GET, "/api/v1/queue", SCOPE_OPERATOR_READ, 0, queue_list },
    { HTTP_GET, "/api/v1/explain", SCOPE_OPERATOR_READ, 0, explain_get },
    { 0 },
};
