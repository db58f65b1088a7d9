/* conflicts.c - GET /conflicts: live mismatches of lease and session (wire §5; rules §10). */
#include "answer_rows.h"
#include "operator_routes.h"

static const struct codec_field rows[] = {
    OUT_TEXT(struct conflict_row, "body_id", body_id),
    OUT_U32(struct conflict_row, "slot", slot),
    OUT_WORD(struct conflict_row, "kind", kind, conflict_words),
    OUT_TEXT(struct conflict_row, "lease_id", lease_id),
    OUT_TEXT(struct conflict_row, "holder_head_id", holder_head_id),
    OUT_TEXT(struct conflict_row, "observed_head_id", observed_head_id),
    OUT_TEXT(struct conflict_row, "client_uuid", client_uuid),
    OUT_TEXT(struct conflict_row, "client_name", client_name),
    OUT_AGE(struct conflict_row, "since_seconds", since_ms),
    OUT_BOOL(struct conflict_row, "expected_legacy", expected_legacy),
};
static const struct codec_table table = OUT_TABLE("conflict", rows, struct conflict_row);

void conflicts_list(struct call *call)
{
    struct engine_view view;
    if (!call_view(call, &view))
        return;
    struct conflict_row *found;
    size_t count;
    enum hc_err err = query_conflicts(&view.view, call->arena, &found, &count);
    call_view_done(call, &view);
    if (err != HC_OK) {
        call_fault(call, err);
        return;
    }
    struct hc_buf json = { 0 };
    hc_buf_char(&json, '[');
    for (size_t i = 0; i < count; i++) {
        hc_buf_str(&json, i > 0 ? ",{" : "{");
        (void)json_write_members(&table, &found[i], true, &json);
        member_text("source", found[i].from_head ? "head" : "body", &json);
        hc_buf_char(&json, '}');
    }
    hc_buf_char(&json, ']');
    call_json(call, 200, &json);
}
