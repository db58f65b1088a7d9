/* feed.c - the pieces of the feed behind one handle. */
#include "hydra/feed/feed.h"

#include <assert.h>
#include <string.h>

#include "denials.h"
#include "event_line.h"
#include "event_ring.h"
#include "history.h"
#include "hydra/os/file.h"
#include "session_line.h"
#include "session_parts.h"
#include "waits.h"
#include "writer.h"

#define CLOSE_MS          10000                           /* a disk that hangs longer is not waited for */
#define EVENTS_NAME       "events.jsonl"
#define EVENTS_BEFORE     "events.jsonl.1"
#define EVENTS_TAIL       ((size_t)8 * 1024 * 1024)       /* 10,000 lines of 400 bytes, and room */
#define SESSIONS_TAIL     ((size_t)4 * 1024 * 1024)       /* read at start; what is older is found in the files */

struct feed {
    int dir_fd;
    struct event_ring ring;
    struct history history;
    struct writer writer;
    struct denials denials;
    struct waits waits;
};

typedef void line_fn(struct feed *feed, const char *line, size_t len, int64_t end);

/* At most `max` bytes of whole lines, the newest. `base` is added to their places; *ret_begin (may be NULL): of the first. */
static enum hc_err each_line(struct feed *feed, const char *name, size_t max, int64_t base, line_fn *fn, int64_t *ret_begin,
                             struct hc_diag *diag)
{
    char *text;
    size_t len;
    int64_t offset;
    enum hc_err err = append_tail(feed->dir_fd, name, max, &text, &len, &offset);
    if (err != HC_OK)
        return hc_fail(diag, err, "%s: cannot be read", name);
    offset += base;
    if (ret_begin != NULL)
        *ret_begin = offset;
    for (size_t at = 0; at < len;) {
        const char *end = memchr(text + at, '\n', len - at);
        assert(end != NULL);                  /* append_tail gives whole lines */
        size_t line_len = (size_t)(end - (text + at));
        fn(feed, text + at, line_len, offset + (int64_t)(at + line_len + 1));
        at += line_len + 1;
    }
    hc_free(text);
    return HC_OK;
}

static void load_event(struct feed *feed, const char *line, size_t len, int64_t end)
{
    (void)end;
    struct feed_event event;
    if (event_line_read(line, len, &event) == HC_OK)      /* else: a line of another version, or a torn one between two whole */
        event_ring_load(&feed->ring, &event);
}

static void load_session(struct feed *feed, const char *line, size_t len, int64_t end)
{
    struct session_row row;
    if (session_line_read(line, len, &row) != HC_OK || history_find(&feed->history, row.lease_id) != HISTORY_NEW)
        return;
    if (history_push(&feed->history, &row, true, end) != HC_OK)
        return;                               /* it stays in the file */
}

/* The newest lines, of as many parts as it takes; what lies before them is behind memory: pages go on there. */
static enum hc_err load_sessions(struct feed *feed, struct hc_diag *diag)
{
    uint32_t live = feed->writer.parts.live, part = live;
    int64_t bytes = feed->writer.files[LINES_SESSIONS].end, left = (int64_t)SESSIONS_TAIL, begin = 0;
    enum hc_err err = HC_OK;
    feed->history.live = live;
    while (bytes < left && part_bytes(feed->dir_fd, part - 1) >= 0) {
        left -= bytes;
        bytes = part_bytes(feed->dir_fd, --part);
    }
    for (uint32_t at = part; at <= live && err == HC_OK; at++) {
        char name[PART_NAME_SIZE] = SESSIONS_NAME;
        if (at < live)
            part_name(at, name);
        err = each_line(feed, name, at == part ? (size_t)left : SESSIONS_TAIL, part_place(at, 0), load_session, at == part ? &begin : NULL,
                        diag);
    }
    bool all = part_offset(begin) == 0 && part_bytes(feed->dir_fd, part - 1) <= 0;
    if (err == HC_OK && !all && feed->history.floor < begin)
        feed->history.floor = begin;
    return err;
}

static enum hc_err open_sessions(struct feed *feed, const struct feed_config *config, struct hc_diag *diag)
{
    struct session_parts *parts = &feed->writer.parts;
    *parts = (struct session_parts){ .segment_bytes = config->sessions_segment_bytes, .keep_bytes = config->sessions_keep_bytes };
    enum hc_err err = parts_find(parts, feed->dir_fd);
    if (err != HC_OK)
        return hc_fail(diag, err, "%s: the folder cannot be listed: %s", config->data_dir, hc_err_text(err));
    err = append_open(&feed->writer.files[LINES_SESSIONS], feed->dir_fd, SESSIONS_NAME, diag);
    feed->writer.files[LINES_SESSIONS].base = part_place(parts->live, 0);
    return err;
}

static enum hc_err open_parts(struct feed *feed, const struct feed_config *config, int wake_fd, struct hc_diag *diag)
{
    enum hc_err err = os_dir_open(config->data_dir, &feed->dir_fd, diag);
    if (err == HC_OK)
        err = event_ring_open(&feed->ring, config->keep_events, config->generation);
    if (err == HC_OK)
        err = history_open(&feed->history);
    if (err == HC_OK)
        err = open_sessions(feed, config, diag);
    if (err == HC_OK)
        err = append_open(&feed->writer.files[LINES_EVENTS], feed->dir_fd, EVENTS_NAME, diag);
    if (err == HC_OK && feed->writer.files[LINES_EVENTS].end < (int64_t)EVENTS_TAIL)
        err = each_line(feed, EVENTS_BEFORE, EVENTS_TAIL, 0, load_event, NULL, diag);
    if (err == HC_OK)
        err = each_line(feed, EVENTS_NAME, EVENTS_TAIL, 0, load_event, NULL, diag);
    if (err == HC_OK)
        err = load_sessions(feed, diag);
    return err == HC_OK ? writer_start(&feed->writer, wake_fd, config->rotate_bytes) : err;
}

enum hc_err feed_open(const struct feed_config *config, int wake_fd, struct feed **ret_feed, struct hc_diag *diag)
{
    struct feed *feed = hc_alloc(sizeof *feed);
    if (feed == NULL)
        return hc_fail(diag, HC_ERR_NOMEM, "%s", hc_err_text(HC_ERR_NOMEM));
    feed->dir_fd = -1;
    feed->writer.files[LINES_SESSIONS].fd = feed->writer.files[LINES_EVENTS].fd = -1;
    feed->writer.work_fd = feed->writer.stop_fd = -1;
    if (diag != NULL)
        diag->text[0] = '\0';
    enum hc_err err = open_parts(feed, config, wake_fd, diag);
    if (err != HC_OK) {
        if (diag != NULL && diag->text[0] == '\0')
            (void)hc_fail(diag, err, "%s: %s", config->data_dir, hc_err_text(err));
        (void)feed_close(feed);
        return err;
    }
    *ret_feed = feed;
    return HC_OK;
}

bool feed_stop(struct feed *feed, int64_t most_ms)
{
    return feed == NULL || writer_stop(&feed->writer, most_ms);
}

struct feed *feed_close(struct feed *feed)
{
    if (feed == NULL || !feed_stop(feed, CLOSE_MS))
        return NULL;                          /* its thread hangs and still uses it */
    writer_free(&feed->writer);
    for (size_t i = 0; i < LINE_FILES; i++)
        append_close(&feed->writer.files[i]);
    event_ring_close(&feed->ring);
    history_close(&feed->history);
    denials_free(&feed->denials);
    waits_free(&feed->waits);
    os_close(&feed->dir_fd);
    hc_free(feed);
    return NULL;
}

enum hc_err feed_publish(struct feed *feed, const struct core_note *notes, size_t count)
{
    HC_CLEANUP(hc_buf_freep) struct hc_buf lines = { 0 };
    for (size_t i = 0; i < count; i++) {
        struct feed_event event = { .note = notes[i] };
        event_ring_id(&feed->ring, i + 1, event.id);
        event_line_write(&event, &lines);
    }
    if (lines.failed)
        return HC_ERR_NOMEM;
    enum hc_err err = count == 0 ? HC_OK : writer_add_events(&feed->writer, lines.data, lines.len);
    if (err != HC_OK)
        return err;
    for (size_t i = 0; i < count; i++)
        event_ring_add(&feed->ring, &notes[i]);
    if (count > 0)
        writer_wake(&feed->writer);
    return HC_OK;
}

enum hc_err feed_events(struct feed *feed, const char *since, const char *type, size_t limit, const char *cursor, struct hc_arena *arena,
                        const struct feed_event **ret_events, size_t *ret_count, char ret_more[EVENT_ID_SIZE])
{
    const struct event_query query = { .since = since, .type = type, .limit = limit, .cursor = cursor };
    return event_ring_query(&feed->ring, &query, arena, ret_events, ret_count, ret_more);
}

const char *feed_last_id(const struct feed *feed)
{
    return event_ring_last_id(&feed->ring);
}

enum hc_err feed_lease_events(const struct feed *feed, const char *lease_id, size_t limit, struct hc_arena *arena,
                              const struct feed_event **ret_events, size_t *ret_count)
{
    return event_ring_of_lease(&feed->ring, lease_id, limit, arena, ret_events, ret_count);
}

static enum hc_err add_row(struct feed *feed, const struct session_row *row, struct hc_buf *line)
{
    switch (history_find(&feed->history, row->lease_id)) {
    case HISTORY_SYNCED:
        return writer_again(&feed->writer, row->lease_id);      /* its lease is still in the store: say again that the line is there */
    case HISTORY_UNSYNCED:
        return HC_OK;
    case HISTORY_NEW:
        break;
    }
    hc_buf_clear(line);
    session_line_write(row, line);
    if (line->failed)
        return HC_ERR_NOMEM;
    enum hc_err err = history_push(&feed->history, row, false, 0);
    if (err != HC_OK)
        return err;
    err = writer_add_session(&feed->writer, row->lease_id, line->data, line->len);
    if (err != HC_OK)
        history_unpush(&feed->history);
    return err;
}

enum hc_err feed_history_add(struct feed *feed, const struct session_row *rows, size_t count)
{
    HC_CLEANUP(hc_buf_freep) struct hc_buf line = { 0 };
    enum hc_err err = HC_OK;
    for (size_t i = 0; i < count && err == HC_OK; i++)
        err = add_row(feed, &rows[i], &line);
    if (count > 0)
        writer_wake(&feed->writer);
    return err;
}

enum hc_err feed_history_synced(struct feed *feed, struct hc_arena *arena, const char *const **ret_ids, size_t *ret_count)
{
    struct line_batch *chain = writer_take_done(&feed->writer);
    size_t count = 0, at = 0;
    for (const struct line_batch *batch = chain; batch != NULL; batch = batch->next)
        count += batch->ref_count;
    const char **ids = hc_arena_array(arena, count + 1, sizeof ids[0]);
    bool failed = ids == NULL;
    for (const struct line_batch *batch = chain; batch != NULL && !failed; batch = batch->next)
        for (size_t i = 0; i < batch->ref_count && !failed; i++) {
            ids[at] = hc_arena_strdup(arena, batch->refs[i].id);
            failed = ids[at++] == NULL;
        }
    if (failed) {
        writer_give_back_done(&feed->writer, chain);
        return HC_ERR_NOMEM;
    }
    for (const struct line_batch *batch = chain; batch != NULL; batch = batch->next)
        for (size_t i = 0; i < batch->ref_count; i++)
            if (batch->refs[i].len > 0)
                history_synced(&feed->history, batch->refs[i].id, batch->offset + (int64_t)(batch->refs[i].at + batch->refs[i].len));
    line_batches_free(chain);
    *ret_ids = ids;
    *ret_count = count;
    return HC_OK;
}

enum hc_err feed_history(struct feed *feed, const struct history_filter *filter, struct hc_arena *arena, struct session_row **ret_rows,
                         size_t *ret_count, char ret_more[HC_ID_SIZE])
{
    struct history_page page;
    enum hc_err err = history_query(&feed->history, feed->dir_fd, filter, arena, &page);
    if (err != HC_OK)
        return err;
    *ret_rows = page.rows;
    *ret_count = page.count;
    hc_copy(ret_more, HC_ID_SIZE, page.more);
    return HC_OK;
}

size_t feed_recent_sessions(const struct feed *feed, const struct session_row **ret_rows)
{
    return history_recent(&feed->history, ret_rows);
}

bool feed_history_ok(const struct feed *feed)
{
    return writer_history_ok((struct writer *)&feed->writer);      /* the lock is no part of what `const` promises */
}

void feed_denied(struct feed *feed, hc_time now, const char *reason, const char *head_venue, const char *body_venue)
{
    denials_add(&feed->denials, now, DENIAL_BY_REASON, reason);
    denials_add(&feed->denials, now, DENIAL_BY_HEAD_VENUE, head_venue);
    denials_add(&feed->denials, now, DENIAL_BY_BODY_VENUE, body_venue);
}

enum hc_err feed_denials(const struct feed *feed, hc_time now, enum denial_axis axis, struct hc_arena *arena, struct denial_count **ret,
                         size_t *ret_count)
{
    return denials_query(&feed->denials, now, axis, arena, ret, ret_count);
}

void feed_waited(struct feed *feed, const char *pool, const char *venue, int64_t waited_ms)
{
    waits_add(&feed->waits, "pool", pool, waited_ms);
    waits_add(&feed->waits, "venue", venue, waited_ms);
}

void feed_waits(const struct feed *feed, const char *key, int64_t *ret_median_ms, int64_t *ret_p90_ms)
{
    waits_query(&feed->waits, key, ret_median_ms, ret_p90_ms);
}
