/* events.c - GET /events: published events as a list or as a stream (SSE), resumable by id (wire §5).
 *
 * A follower is a call in api->event_readers from its answer until the peer is gone. It is woken by events_turn() when there is news,
 * and every 15 s for a comment line. Who it is, is asked again before each piece and at least every second: a revoked token hears nothing
 * more and its stream ends. It is ended after an hour in any case; clients resume with Last-Event-ID. */
#include <string.h>
#include <strings.h>

#include "answer_rows.h"
#include "operator_routes.h"
#include "pipeline.h"

#define PAGE_DEFAULT     100
#define READERS_MAX      64           /* at the same time: 503 above */
#define READER_EVENTS    200          /* of one piece of a stream */
#define KEEP_ALIVE_MS    15000
#define READER_LIFE_MS   HC_HOUR_MS
#define READER_CHECK_MS  1000
#define READERS_RETRY_S  15

static const struct codec_field event_rows[] = {
    OUT_TEXT(struct feed_event, "id", id),
    OUT_TIME(struct feed_event, "at", note.at),
    OUT_WORD(struct feed_event, "type", note.type, note_words),
    OUT_TEXT(struct feed_event, "district", note.district),
    { .key = "body_id",  .type = CODEC_STR, .offset = offsetof(struct feed_event, note.body_id),  .flags = CODEC_OMIT_EMPTY },
    { .key = "lease_id", .type = CODEC_STR, .offset = offsetof(struct feed_event, note.lease_id), .flags = CODEC_OMIT_EMPTY },
    { .key = "head_id",  .type = CODEC_STR, .offset = offsetof(struct feed_event, note.head_id),  .flags = CODEC_OMIT_EMPTY },
    OUT_BOOL(struct feed_event, "expected_legacy", note.expected_legacy),
    { .key = "detail",   .type = CODEC_STR, .offset = offsetof(struct feed_event, note.detail) },
};
static const struct codec_table event_table = OUT_TABLE("event", event_rows, struct feed_event);

struct reader { char at[EVENT_ID_SIZE], type[WORD_SIZE]; int64_t spoke_ms, checked_ms, ends_ms; bool ending; };

void json_event(const struct feed_event *event, struct hc_buf *out)
{
    hc_buf_char(out, '{');
    (void)json_write_members(&event_table, event, true, out);
    if (event->note.slot >= 0)
        member_u64("slot", true, (uint64_t)event->note.slot, out);
    hc_buf_char(out, '}');
}

/* ---- followers ---- */

static void reader_pull(struct http_request *req, struct hc_buf *out)
{
    struct call *call = http_user(req);
    struct reader *reader = call->user;
    const struct api_config *config = &call->api->config;
    struct hc_arena arena = { 0 };
    const struct feed_event *events;
    size_t count = 0;
    char more[EVENT_ID_SIZE] = "";
    if (!call_is_allowed(call))
        return;                          /* events_turn() ends it */
    /* "0-0" was never given: an empty feed is followed from its oldest event on. */
    const char *since = reader->at[0] == '\0' ? "0-0" : reader->at;
    enum hc_err err = feed_events(config->feed, since, reader->type, READER_EVENTS, NULL, &arena, &events, &count, more);
    for (size_t i = 0; err == HC_OK && i < count; i++) {
        hc_buf_str(out, "id: ");
        hc_buf_str(out, events[i].id);
        hc_buf_str(out, "\nevent: ");
        hc_buf_str(out, word_of(&note_words, (int)events[i].note.type));
        hc_buf_str(out, "\ndata: ");
        json_event(&events[i], out);
        hc_buf_str(out, "\n\n");
    }
    if (err == HC_OK && !out->failed) {
        /* All was looked at: what is of another type need not be looked at again. */
        const char *at = more[0] != '\0' ? more : feed_last_id(config->feed);
        if (at[0] != '\0')
            HC_SET(reader->at, at);
    }
    hc_arena_free(&arena);
    int64_t now_ms = config->monotonic_ms();
    if (out->len == 0 && now_ms - reader->spoke_ms >= KEEP_ALIVE_MS)
        hc_buf_str(out, ": still here\n\n");
    if (out->len > 0)
        reader->spoke_ms = now_ms;
}

static void reader_gone(struct call *call)
{
    struct call **at = &call->api->event_readers;
    while (*at != NULL && *at != call)
        at = &(*at)->next;
    if (*at == call)
        *at = call->next;
}

static size_t reader_count(const struct api *api)
{
    size_t count = 0;
    for (const struct call *at = api->event_readers; at != NULL; at = at->next)
        count++;
    return count;
}

static void follow(struct call *call, const char *since, const char *type)
{
    struct api *api = call->api;
    if (reader_count(api) >= READERS_MAX) {
        call_error(call, 503, "too_many_followers", "Too many follow the events at this moment.", NULL, READERS_RETRY_S);
        return;
    }
    struct reader *reader = hc_arena_alloc(call->arena, sizeof *reader);
    if (reader == NULL) {
        call_fault(call, HC_ERR_NOMEM);
        return;
    }
    int64_t now_ms = api->config.monotonic_ms();
    reader->spoke_ms = now_ms - KEEP_ALIVE_MS;      /* the first piece goes at once: the peer sees that it is heard */
    reader->checked_ms = now_ms;
    reader->ends_ms = now_ms + READER_LIFE_MS;
    HC_SET(reader->at, since[0] != '\0' ? since : feed_last_id(api->config.feed));
    HC_SET(reader->type, type);
    call->user = reader;
    call->gone = reader_gone;
    call->next = api->event_readers;
    api->event_readers = call;
    http_header_add(call->req, "Cache-Control", "no-store");
    http_answer_stream(call->req, "text/event-stream", reader_pull);
}

static bool still_known(struct call *call, bool speaks, int64_t now_ms)
{
    struct reader *reader = call->user;
    if (!speaks && now_ms - reader->checked_ms < READER_CHECK_MS)
        return true;
    reader->checked_ms = now_ms;
    return call_is_allowed(call);
}

void events_turn(struct api *api)
{
    if (api->event_readers == NULL)
        return;
    const char *last = feed_last_id(api->config.feed);
    int64_t now_ms = api->config.monotonic_ms();
    for (struct call *call = api->event_readers, *next; call != NULL; call = next) {
        next = call->next;
        struct reader *reader = call->user;
        if (reader->ending)
            continue;
        bool speaks = !hc_same(last, reader->at) || now_ms - reader->spoke_ms >= KEEP_ALIVE_MS;
        if (api->stopping || now_ms >= reader->ends_ms || !still_known(call, speaks, now_ms)) {
            reader->ending = true;
            http_stream_end(call->req);
        } else if (speaks) {
            http_stream_wake(call->req);
        }
    }
}

/* ---- the list ---- */

static void list(struct call *call, const char *since, const char *type, const char *cursor, uint32_t limit)
{
    const struct feed_event *events;
    size_t count;
    char more[EVENT_ID_SIZE] = "";
    enum hc_err err = feed_events(call->api->config.feed, since, type, limit, cursor, call->arena, &events, &count, more);
    if (err != HC_OK) {
        call_fault(call, err);
        return;
    }
    if (more[0] != '\0')
        http_header_add(call->req, "X-Next-Cursor", more);
    struct hc_buf json = { 0 };
    hc_buf_char(&json, '[');
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            hc_buf_char(&json, ',');
        json_event(&events[i], &json);
    }
    hc_buf_char(&json, ']');
    call_json(call, 200, &json);
}

static bool wants_stream(struct call *call)
{
    const char *accept = http_header(call->req, "Accept");
    return call_query_flag(call, "follow") || (accept != NULL && strcasestr(accept, "text/event-stream") != NULL);
}

static void events_get(struct call *call)
{
    const char *since = call_query(call, "since"), *type = call_query(call, "type"), *cursor = call_query(call, "cursor");
    const char *last = http_header(call->req, "Last-Event-ID");
    uint32_t limit = call_query_u32(call, "limit", PAGE_DEFAULT);
    if (last != NULL && last[0] != '\0' && !query_event_ok(last)) {
        call_bad(call, "Last-Event-ID", "It is the id of an event, as an answer gave it.");
        return;
    }
    if (wants_stream(call))
        follow(call, last != NULL && last[0] != '\0' ? last : since, type);
    else
        list(call, since, type, cursor, limit);
}

const struct api_route event_routes[] = {
    { HTTP_GET, "/api/v1/events", SCOPE_OPERATOR_READ, 0, events_get },
    { 0 },
};
