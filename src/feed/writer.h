/* writer.h - the thread that owns sessions.jsonl, its older parts and events.jsonl. The loop thread hands it lines and takes back what is
 * on disk.
 *
 * History lines are kept until they are synced, and all unsynced ones are appended again after a failure. Event lines are for people: they
 * are written, not synced one by one, and over EVENTS_PENDING_MAX bytes (a disk that hangs) the file misses some that the ring has. */
#ifndef FEED_WRITER_H
#define FEED_WRITER_H

#include <pthread.h>

#include "append_file.h"
#include "hydra/os/worker.h"
#include "session_parts.h"

#define HISTORY_PENDING_MAX 16384                             /* unsynced lines; below HISTORY_ROWS, so that none leaves memory unsynced */
#define EVENTS_PENDING_MAX  ((size_t)8 * 1024 * 1024)
#define SYNC_EVERY_MS       200
#define RETRY_EVERY_MS      1000
#define EVENT_FILES_KEPT    4

enum line_file { LINES_SESSIONS, LINES_EVENTS, LINE_FILES };
struct line_queue { struct line_batch *head, *tail; };

struct writer {
    pthread_mutex_t lock; struct os_worker worker;
    int work_fd, stop_fd, wake_fd;
    size_t rotate_bytes;
    struct session_parts parts;                               /* the thread's own while it runs */
    struct append_file files[LINE_FILES];                     /* the thread's own while it runs */
    struct line_queue work[LINE_FILES];                       /* the thread's own: taken, not yet written or synced */
    bool failed[LINE_FILES], grows[LINE_FILES];               /* the thread's own; grows: it is full, and could not begin anew */
    /* under the lock */
    struct line_queue pending[LINE_FILES], done;
    size_t unsynced_lines, event_bytes;
    bool stop, history_ok;
};
/* The files are open in `writer->files`, `writer->parts` is set. */
HC_MUST enum hc_err writer_start(struct writer *writer, int wake_fd, size_t rotate_bytes);
/* Has it write and sync what it has, then end; also after a failed start. False: it has not within `most_ms`, so all of it must stay. */
bool writer_stop(struct writer *writer, int64_t most_ms);
void writer_free(struct writer *writer);                      /* after a stop that was true */
/* One line, with its line end. HC_ERR_LIMIT: too many wait already. HC_ERR_NOMEM. Nothing is kept then. */
HC_MUST enum hc_err writer_add_session(struct writer *writer, const char *lease_id, const char *line, size_t len);
/* A lease whose line is on disk already: it comes back with the next writer_take_done(). */
HC_MUST enum hc_err writer_again(struct writer *writer, const char *lease_id);
HC_MUST enum hc_err writer_add_events(struct writer *writer, const char *lines, size_t len);
void writer_wake(struct writer *writer);                      /* after adding */
struct line_batch *writer_take_done(struct writer *writer);   /* the caller's: line_batches_free() */
void writer_give_back_done(struct writer *writer, struct line_batch *chain);
bool writer_history_ok(struct writer *writer);

#endif
