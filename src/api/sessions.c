/* sessions.c - GET /sessions: live leases; GET /sessions/history: ended ones, newest first (wire §5). */
#include <assert.h>
#include <string.h>

#include "answer_rows.h"
#include "operator_routes.h"

#define PAGE_DEFAULT 100

static const struct codec_field rows[] = {
    OUT_TEXT(struct session_row, "lease_id", lease_id),
    OUT_TEXT(struct session_row, "stream_id", stream_id),
    OUT_TEXT(struct session_row, "head_id", head_id),
    OUT_TEXT(struct session_row, "head_venue", head_venue),
    OUT_TEXT(struct session_row, "body_id", body_id),
    OUT_TEXT(struct session_row, "body_venue", body_venue),
    OUT_U32(struct session_row, "slot", slot),
    OUT_TEXT(struct session_row, "experience", experience),
    OUT_U32(struct session_row, "protocol", protocol),
    OUT_WORD(struct session_row, "source", source, lease_source_words),
    OUT_WORD(struct session_row, "mode", mode, lease_mode_words),
    OUT_U64(struct session_row, "grant_epoch", grant_epoch),
    OUT_TIME(struct session_row, "granted_at", granted_at),
    OUT_TIME(struct session_row, "streaming_at", streaming_at),
    OUT_TIME(struct session_row, "ended_at", ended_at),
    OUT_WORD(struct session_row, "state", state, lease_state_words),
    OUT_WORD(struct session_row, "reason", why, lease_why_words),
};
const struct codec_table session_row_table = OUT_TABLE("session", rows, struct session_row);

static void answer_rows(struct call *call, enum hc_err err, const struct session_row *found, size_t count)
{
    if (err != HC_OK) {
        call_fault(call, err);
        return;
    }
    struct hc_buf json = { 0 };
    json_write_array(&session_row_table, found, count, &json);
    call_json(call, 200, &json);
}

static void sessions_list(struct call *call)
{
    struct engine_view view;
    if (!call_view(call, &view))
        return;
    struct session_row *found = NULL;
    size_t count = 0;
    enum hc_err err = query_sessions(&view.view, false, call->arena, &found, &count);
    call_view_done(call, &view);
    answer_rows(call, err, found, count);
}

static void history_list(struct call *call)
{
    struct history_filter filter = { .head = call_query(call, "head"), .body = call_query(call, "body"), .venue = call_query(call, "venue"),
        .limit = call_query_u32(call, "limit", PAGE_DEFAULT), .cursor = call_query(call, "cursor") };
    const char *since = call_query(call, "since");
    bool fits = since[0] == '\0' || hc_time_parse(since, &filter.since) == HC_OK;
    assert(fits);                             /* checked by query_params.c */
    struct session_row *found = NULL;
    size_t count = 0;
    char more[HC_ID_SIZE] = "";
    enum hc_err err = feed_history(call->api->config.feed, &filter, call->arena, &found, &count, more);
    if (err == HC_OK && more[0] != '\0')
        http_header_add(call->req, "X-Next-Cursor", more);
    answer_rows(call, err, found, count);
}

const struct api_route session_routes[] = {
    { HTTP_GET, "/api/v1/sessions", SCOPE_OPERATOR_READ, 0, sessions_list },
    { HTTP_GET, "/api/v1/sessions/history", SCOPE_OPERATOR_READ, 0, history_list },
    { 0 },
};
