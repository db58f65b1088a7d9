/* scribe.h - the journal's own thread: takes what the loop has queued, formats the state that a segment begins with, writes, rotates. */
#ifndef JOURNAL_SCRIBE_H
#define JOURNAL_SCRIBE_H

#include <pthread.h>
#include <stdatomic.h>

#include "hydra/os/worker.h"
#include "line.h"

#define JOURNAL_PENDING_MAX ((size_t)16 * 1024 * 1024)     /* bytes that wait for a slow disk; then lines are dropped */
#define WRITE_EVERY_MS      50                             /* the thread wakes no more often: a wake-up costs more than a line */
#define RETRY_EVERY_MS      10000                          /* after a failed write a new segment is tried */

/* Lines, or the begin of a segment with its state. */
struct journal_item {
    struct hc_buf text;
    struct alloc *saved; struct observed *obs; journal_release_fn *release; void *ctx;      /* NULL: lines */
    struct seal seal; hc_time at;
    struct journal_item *next;
};

struct journal {
    int dir_fd;
    size_t segment_bytes, keep_bytes;
    char version[WORD_SIZE];

    /* loop */
    bool recording;                   /* the lines of now belong to a segment that was begun */
    struct seal seal; uint64_t sum, n;
    struct hc_buf line;

    /* any */
    atomic_bool want, ok;             /* ok: no write has failed since the segment was begun */
    atomic_bool healthy;              /* the last segment was begun, and nothing was lost since */
    atomic_size_t pending;
    atomic_uint_least64_t events, dropped;
    atomic_int_least64_t retry_at_ms;

    /* lock */
    pthread_mutex_t lock; pthread_cond_t work;
    struct journal_item *head, *tail;
    bool stop;

    /* the thread's own */
    struct os_worker worker;
    int fd; uint64_t written;         /* of this segment, behind its state */
    bool skipping;                    /* a write failed: what comes is of no use until the next segment */
};

HC_MUST enum hc_err scribe_start(struct journal *j);
bool scribe_stop(struct journal *j, int64_t most_ms);       /* writes what waits; false: a write has not come back */
void scribe_push(struct journal *j, struct journal_item *item);
bool scribe_add_line(struct journal *j, const char *line, size_t len);      /* false: no room */

#endif
