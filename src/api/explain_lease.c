/* explain_lease.c - GET /explain?lease: why a lease was granted, what became of it and why it ended, from the store, the history and the
 * events that are still in memory (wire §5). */
#include <string.h>

#include "answer_rows.h"
#include "operator_routes.h"

#define EVENTS_MAX 200

struct told { struct session_row row; const char *source; };

/* In the store while it lives, or until its history line is written. */
static bool find_in_store(struct call *call, const char *lease_id, struct told *ret, bool *ret_found)
{
    struct engine_view view;
    if (!call_view(call, &view))
        return false;
    *ret_found = query_session(&view.view, lease_id, &ret->row) == HC_OK;
    ret->source = "store";
    call_view_done(call, &view);
    return true;
}

/* One call looks at what is in memory and a piece of the file behind it: the rest with the cursor. */
static bool find_in_history(struct call *call, const char *lease_id, struct told *ret, bool *ret_found)
{
    const struct history_filter filter = { .lease = lease_id, .limit = 1, .cursor = call_query(call, "cursor") };
    struct session_row *rows = NULL;
    size_t count = 0;
    char more[HC_ID_SIZE] = "";
    enum hc_err err = feed_history(call->api->config.feed, &filter, call->arena, &rows, &count, more);
    if (err != HC_OK) {
        call_fault(call, err);
        return false;
    }
    *ret_found = count > 0;
    if (count > 0)
        *ret = (struct told){ .row = rows[0], .source = "history" };
    else if (more[0] != '\0')
        http_header_add(call->req, "X-Next-Cursor", more);
    return true;
}

static void write_facts(const char *facts, struct hc_buf *out)
{
    hc_buf_str(out, ",\"facts\":[");
    for (const char *at = facts; *at != '\0';) {
        char word[HC_NAME_SIZE];
        size_t len = strcspn(at, " ");
        memcpy(word, at, len);
        word[len] = '\0';
        hc_buf_json_str(out, word);
        at += len;
        at += strspn(at, " ");
        if (*at != '\0')
            hc_buf_char(out, ',');
    }
    hc_buf_char(out, ']');
}

static void member_time(const char *key, hc_time time, struct hc_buf *out)
{
    char text[HC_TIME_TEXT_SIZE] = "";
    if (hc_time_set(time))
        hc_time_format(time, text);
    member_text(key, text, out);
}

static void write_lease(const struct told *told, struct hc_buf *json)
{
    const struct session_row *row = &told->row;
    hc_buf_str(json, "{\"lease_id\":");
    hc_buf_json_str(json, row->lease_id);
    member_text("found_in", told->source, json);
    hc_buf_str(json, ",\"session\":");
    json_write(&session_row_table, row, json);
    hc_buf_str(json, ",\"granted\":{\"source\":");
    hc_buf_json_str(json, word_of(&lease_source_words, (int)row->source));
    member_time("at", row->granted_at, json);
    member_text("head_id", row->head_id, json);
    member_text("body_id", row->body_id, json);
    member_u64("slot", true, row->slot, json);
    write_facts(row->grant_facts, json);
    hc_buf_str(json, "},\"ended\":");
    if (!lease_is_terminal(row->state)) {
        hc_buf_str(json, "null");
        return;
    }
    hc_buf_str(json, "{\"state\":");
    hc_buf_json_str(json, word_of(&lease_state_words, (int)row->state));
    member_text("reason", word_of(&lease_why_words, (int)row->why), json);
    member_time("at", row->ended_at, json);
    hc_buf_char(json, '}');
}

static bool is_begin(const struct feed_event *event)
{
    return event->note.type == NOTE_LEASE_GRANTED || event->note.type == NOTE_LEASE_ADOPTED;
}

static void answer(struct call *call, const struct told *told)
{
    const struct feed_event *events = NULL;
    size_t count = 0;
    enum hc_err err = feed_lease_events(call->api->config.feed, told->row.lease_id, EVENTS_MAX, call->arena, &events, &count);
    if (err != HC_OK) {
        call_fault(call, err);
        return;
    }
    struct hc_buf json = { 0 };
    write_lease(told, &json);
    hc_buf_str(&json, ",\"events\":[");
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            hc_buf_char(&json, ',');
        json_event(&events[i], &json);
    }
    hc_buf_char(&json, ']');
    member_bool("events_complete", count > 0 && is_begin(&events[0]), &json);
    hc_buf_char(&json, '}');
    call_json(call, 200, &json);
}

void explain_lease(struct call *call)
{
    const char *lease_id = call_query(call, "lease");
    struct told *told = hc_arena_alloc(call->arena, sizeof *told);
    bool found = false;
    if (told == NULL) {
        call_fault(call, HC_ERR_NOMEM);
        return;
    }
    if (call_query(call, "head_id")[0] != '\0') {
        call_bad(call, "lease", "lease or head_id: one of them is to be explained.");
        return;
    }
    if (!find_in_store(call, lease_id, told, &found) || (!found && !find_in_history(call, lease_id, told, &found)))
        return;
    if (found)
        answer(call, told);
    else
        call_error(call, 404, "lease_not_found", "No lease has that id, here or in the history that was looked through.", NULL, 0);
}
