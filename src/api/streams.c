/* streams.c - streams as the durable entity (wire §3, rules §9): a head's own, and the operators' list. */
#include "claim_request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT_DEFAULT     100
#define CURSOR_SIZE       96          /* created_at in ms, a dot, an id */

/* ---- POST /heads/{id}/streams ---- */

static void render_made(struct call *call, struct core_result *result)
{
    struct hc_buf json = { 0 };
    if (result->answer == ANSWER_REFUSED && !(result->deny == DENY_HEAD_BUSY && result->has_stream)) {
        call_refuse(call, result);
        return;
    }
    admission_json(call, result, &json);          /* a head that is served already has its stream */
    http_header_add(call->req, "Cache-Control", "no-store");
    call_json(call, 201, &json);
}

static void stream_create(struct call *call)
{
    if (!claim_request(call))
        return;
    call->measured = call->own_refusals = true;
    call_submit(call, render_made);
}

/* ---- GET and DELETE /heads/{id}/streams/{stream_id} ---- */

/* Versions of the records that say what a stream is; a lease that moves moves its stream or ticket too, but for its unattended clock. */
struct look { bool known; int64_t deadline_ms; uint64_t stream_step, ticket_step; };

static bool is_own(struct call *call)
{
    struct engine *engine = call->api->config.engine;
    const struct rec *rec = engine_get(engine, REC_STREAM, call->ids[1]);
    bool own = rec != NULL && strcmp(((const struct stream_rec *)rec)->head_id, call->ids[0]) == 0;
    engine_release(engine, rec);
    return own;
}

static uint64_t step_of(struct engine *engine, enum rec_kind kind, const char *key)
{
    const struct rec *rec = engine_get(engine, kind, key);
    uint64_t step = rec == NULL ? 0 : rec->step;
    engine_release(engine, rec);
    return step;
}

static void answer_stream(struct call *call)
{
    struct engine_view view;
    struct stream_facts facts;
    struct hc_buf json = { 0 };
    if (!call_view(call, &view))
        return;
    enum hc_err err = query_stream(&view.view, call->ids[1], &facts);
    hc_time now = view.view.now;
    call_view_done(call, &view);
    if (err != HC_OK && err != HC_ERR_NOTFOUND) {
        call_fault(call, err);
        return;
    }
    if (err == HC_ERR_NOTFOUND || strcmp(facts.head_id, call->ids[0]) != 0) {
        call_error(call, 404, word_of(&deny_words, DENY_NOT_FOUND), "This head has no such stream.", NULL, 0);
        return;
    }
    hc_buf_str(&json, "{\"stream\":");
    json_stream(&facts, now, &json);
    hc_buf_char(&json, '}');
    call_json(call, 200, &json);
}

static void look_at_stream(struct call *call, bool last)
{
    struct engine *engine = call->api->config.engine;
    struct look *look = call->user;
    uint64_t stream_step = step_of(engine, REC_STREAM, call->ids[1]), ticket_step = step_of(engine, REC_TICKET, call->ids[0]);
    bool changed = look->known && (stream_step != look->stream_step || ticket_step != look->ticket_step);
    if (last || changed || stream_step == 0) {
        answer_stream(call);
        return;
    }
    if (!look->known)
        call_wait(call, WAIT_FOR_HEAD, call->ids[0], look->deadline_ms, look_at_stream);
    *look = (struct look){ true, look->deadline_ms, stream_step, ticket_step };
}

static void stream_get(struct call *call)
{
    uint32_t seconds = call_query_u32(call, "wait", 0);
    struct look *look = hc_arena_alloc(call->arena, sizeof *look);
    if (look == NULL) {
        call_fault(call, HC_ERR_NOMEM);
        return;
    }
    look->deadline_ms = call->api->config.monotonic_ms() + (int64_t)seconds * HC_SECOND_MS;
    call->user = look;
    look_at_stream(call, seconds == 0 || !is_own(call));
}

static void render_ended(struct call *call, struct core_result *result)
{
    (void)result;
    call_empty(call, 204);
}

static void stream_delete(struct call *call)
{
    call_event(call, CORE_STREAM_END)->u.stream_end = (struct stream_end_req){ .head_id = call->ids[0], .stream_id = call->ids[1] };
    call_submit(call, render_ended);
}

/* ---- GET /streams ---- */

struct wanted {
    const char *district, *venue;
    int state;                          /* -1: any */
    uint32_t unattended_over_s; bool by_unattended;
    hc_time cursor_at; const char *cursor_id;      /* NULL: from the newest */
    uint32_t limit;
};

static int newest_first(const void *a, const void *b)
{
    const struct stream_rec *x = *(const struct stream_rec *const *)a, *y = *(const struct stream_rec *const *)b;
    if (x->created_at.ms != y->created_at.ms)
        return x->created_at.ms > y->created_at.ms ? -1 : 1;
    return strcmp(x->rec.key, y->rec.key);
}

/* "<ms>.<id>"; false: it is none of ours. */
static bool read_cursor(const char *text, struct wanted *wanted)
{
    size_t digits = strspn(text, "0123456789");
    int64_t ms = 0;
    if (digits == 0 || digits > 15 || text[digits] != '.' || !hc_id_ok(text + digits + 1))
        return false;
    for (size_t i = 0; i < digits; i++)
        ms = ms * 10 + (text[i] - '0');
    wanted->cursor_at = (hc_time){ ms };
    wanted->cursor_id = text + digits + 1;
    return true;
}

static bool after_cursor(const struct stream_rec *stream, const struct wanted *wanted)
{
    if (wanted->cursor_id == NULL)
        return true;
    if (stream->created_at.ms != wanted->cursor_at.ms)
        return stream->created_at.ms < wanted->cursor_at.ms;
    return strcmp(stream->rec.key, wanted->cursor_id) > 0;
}

static bool stands_where(const struct core_view *view, const struct stream_rec *stream, const struct wanted *wanted)
{
    if (wanted->district[0] == '\0' && wanted->venue[0] == '\0')
        return true;
    const struct node_rec *head = alloc_node(view->saved, stream->head_id);
    return head != NULL && (wanted->district[0] == '\0' || strcmp(wanted->district, head->district) == 0) &&
           (wanted->venue[0] == '\0' || strcmp(wanted->venue, head->venue) == 0);
}

static bool is_wanted(const struct core_view *view, const struct stream_rec *stream, const struct wanted *wanted)
{
    return (wanted->state < 0 || (int)stream->state == wanted->state) && after_cursor(stream, wanted) && stands_where(view, stream, wanted);
}

/* Writes at most `limit` rows; *ret_last is the last one when there are more behind it. */
static void write_streams(const struct core_view *view, const struct stream_rec *const *streams, size_t count, const struct wanted *wanted,
                          const struct stream_rec **ret_last, struct hc_buf *out)
{
    uint32_t written = 0;
    const struct stream_rec *last = NULL;
    *ret_last = NULL;
    hc_buf_char(out, '[');
    for (size_t i = 0; i < count; i++) {
        struct stream_facts facts;
        if (query_stream(view, streams[i]->rec.key, &facts) != HC_OK)
            continue;
        if (wanted->by_unattended && facts.unattended_ms <= (int64_t)wanted->unattended_over_s * HC_SECOND_MS)
            continue;
        if (written == wanted->limit) {
            *ret_last = last;
            break;
        }
        if (written++ > 0)
            hc_buf_char(out, ',');
        json_stream(&facts, view->now, out);
        last = streams[i];
    }
    hc_buf_char(out, ']');
}

static bool read_wanted(struct call *call, struct wanted *wanted)
{
    const char *state = call_query(call, "state"), *cursor = call_query(call, "cursor");
    wanted->district = call_query(call, "district");
    wanted->venue = call_query(call, "venue");
    wanted->state = state[0] == '\0' ? -1 : word_find(&stream_state_words, state);
    wanted->by_unattended = call_query(call, "unattended_over")[0] != '\0';
    if (cursor[0] != '\0' && !read_cursor(cursor, wanted)) {
        call_bad(call, "cursor", "It is not a cursor of this list.");
        return false;
    }
    wanted->unattended_over_s = call_query_u32(call, "unattended_over", 0);
    wanted->limit = call_query_u32(call, "limit", LIMIT_DEFAULT);
    return true;
}

/* NULL: no memory. */
static const struct stream_rec **pick(struct call *call, const struct core_view *view, const struct wanted *wanted, size_t *ret_count)
{
    size_t all = alloc_count(view->saved, REC_STREAM), count = 0;
    const struct stream_rec **streams = hc_arena_array(call->arena, all + 1, sizeof streams[0]);
    for (size_t i = 0; streams != NULL && i < all; i++) {
        const struct stream_rec *stream = (const struct stream_rec *)alloc_at(view->saved, REC_STREAM, i);
        if (is_wanted(view, stream, wanted))
            streams[count++] = stream;
    }
    if (count > 1)
        qsort(streams, count, sizeof streams[0], newest_first);
    *ret_count = count;
    return streams;
}

static void streams_list(struct call *call)
{
    struct wanted wanted = { .state = -1 };
    struct engine_view view;
    struct hc_buf json = { 0 };
    const struct stream_rec *last = NULL;
    char cursor[CURSOR_SIZE] = "";
    size_t count;
    if (!read_wanted(call, &wanted) || !call_view(call, &view))
        return;
    const struct stream_rec **streams = pick(call, &view.view, &wanted, &count);
    if (streams != NULL)
        write_streams(&view.view, streams, count, &wanted, &last, &json);
    if (last != NULL)
        (void)snprintf(cursor, sizeof cursor, "%lld.%.64s", (long long)last->created_at.ms, last->rec.key);
    call_view_done(call, &view);
    if (cursor[0] != '\0')
        http_header_add(call->req, "X-Next-Cursor", cursor);
    if (streams == NULL)
        call_fault(call, HC_ERR_NOMEM);
    else
        call_json(call, 200, &json);
}

#define OWN_OR_ADMIN (SCOPE_SELF | SCOPE_ADMIN)
#define STREAMS      "/api/v1/heads/{id}/streams"
const struct api_route stream_routes[] = {
    { HTTP_POST,   STREAMS,                OWN_OR_ADMIN,              ROUTE_BODY | ROUTE_HEAD_EXISTS, stream_create },
    { HTTP_GET,    STREAMS "/{stream_id}", OWN_OR_ADMIN | SCOPE_READ, ROUTE_HEAD_EXISTS,              stream_get },
    { HTTP_DELETE, STREAMS "/{stream_id}", OWN_OR_ADMIN,              ROUTE_HEAD_EXISTS,              stream_delete },
    { HTTP_GET,    "/api/v1/streams",      SCOPE_ADMIN | SCOPE_READ,  0,                              streams_list },
    { 0 },
};
