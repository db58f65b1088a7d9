#include "writer.h"

#include <assert.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "hydra/base/arena.h"
#include "hydra/base/log.h"
#include "hydra/os/file.h"

#define REFS_FIRST 16

static void ring_bell(int fd)
{
    uint64_t one = 1;
    ssize_t n = write(fd, &one, sizeof one);
    (void)n;                                  /* a full counter is a bell that rings already */
}

static void queue_push(struct line_queue *queue, struct line_batch *chain)
{
    if (chain == NULL)
        return;
    if (queue->tail == NULL)
        queue->head = chain;
    else
        queue->tail->next = chain;
    for (queue->tail = chain; queue->tail->next != NULL;)
        queue->tail = queue->tail->next;
}

static struct line_batch *queue_take(struct line_queue *queue)
{
    struct line_batch *chain = queue->head;
    *queue = (struct line_queue){ 0 };
    return chain;
}

static enum hc_err batch_ref(struct line_batch *batch, const char *id, size_t at, size_t len)
{
    if (batch->ref_count == batch->ref_size) {
        size_t size = batch->ref_size == 0 ? REFS_FIRST : batch->ref_size * 2;
        struct line_ref *refs = hc_realloc(batch->refs, size * sizeof refs[0]);
        if (refs == NULL)
            return HC_ERR_NOMEM;
        batch->refs = refs;
        batch->ref_size = size;
    }
    struct line_ref *ref = &batch->refs[batch->ref_count++];
    *ref = (struct line_ref){ .at = at, .len = len };
    HC_SET(ref->id, id);
    return HC_OK;
}

/* Adds to the newest batch that the thread has not taken. `id` NULL: an event. Under the lock. */
static enum hc_err queue_line(struct line_queue *queue, const char *id, const char *line, size_t len)
{
    if (queue->tail == NULL) {
        struct line_batch *made = hc_alloc(sizeof *made);
        if (made == NULL)
            return HC_ERR_NOMEM;
        queue_push(queue, made);
    }
    struct line_batch *batch = queue->tail;
    size_t before = batch->text.len;
    hc_buf_add(&batch->text, line, len);
    if (!batch->text.failed && (id == NULL || batch_ref(batch, id, before, len) == HC_OK))
        return HC_OK;
    batch->text.len = before;                 /* what was there before is whole: a failed append keeps the old memory */
    batch->text.failed = false;
    return HC_ERR_NOMEM;
}

enum hc_err writer_add_session(struct writer *writer, const char *lease_id, const char *line, size_t len)
{
    (void)pthread_mutex_lock(&writer->lock);
    enum hc_err err = writer->unsynced_lines >= HISTORY_PENDING_MAX ? HC_ERR_LIMIT
                                                                    : queue_line(&writer->pending[LINES_SESSIONS], lease_id, line, len);
    if (err == HC_OK)
        writer->unsynced_lines++;
    (void)pthread_mutex_unlock(&writer->lock);
    return err;
}

enum hc_err writer_again(struct writer *writer, const char *lease_id)
{
    (void)pthread_mutex_lock(&writer->lock);
    enum hc_err err = queue_line(&writer->done, lease_id, "", 0);
    (void)pthread_mutex_unlock(&writer->lock);
    return err;
}

enum hc_err writer_add_events(struct writer *writer, const char *lines, size_t len)
{
    enum hc_err err = HC_OK;
    (void)pthread_mutex_lock(&writer->lock);
    if (writer->event_bytes + len <= EVENTS_PENDING_MAX) {
        err = queue_line(&writer->pending[LINES_EVENTS], NULL, lines, len);
        if (err == HC_OK)
            writer->event_bytes += len;
    }
    (void)pthread_mutex_unlock(&writer->lock);
    return err;
}

void writer_wake(struct writer *writer)
{
    ring_bell(writer->work_fd);
}

struct line_batch *writer_take_done(struct writer *writer)
{
    (void)pthread_mutex_lock(&writer->lock);
    struct line_batch *chain = queue_take(&writer->done);
    (void)pthread_mutex_unlock(&writer->lock);
    return chain;
}

void writer_give_back_done(struct writer *writer, struct line_batch *chain)
{
    (void)pthread_mutex_lock(&writer->lock);
    queue_push(&writer->done, chain);
    (void)pthread_mutex_unlock(&writer->lock);
}

bool writer_history_ok(struct writer *writer)
{
    (void)pthread_mutex_lock(&writer->lock);
    bool ok = writer->history_ok;
    (void)pthread_mutex_unlock(&writer->lock);
    return ok;
}

/* Told once, until it succeeds: no line is lost, but the file has no bound meanwhile. */
static void note_rotation(struct writer *writer, enum line_file which, enum hc_err err)
{
    if (err != HC_OK && !writer->grows[which])
        hc_log(HC_LOG_WARNING, "file_not_rotated", "file=%s detail=%s", hc_logq(writer->files[which].name),
               hc_logq("it grows on, and is tried again with the next line"));
    writer->grows[which] = err != HC_OK;
}

static void write_sessions(struct writer *writer)
{
    struct line_queue *work = &writer->work[LINES_SESSIONS];
    if (work->head == NULL)
        return;
    writer->failed[LINES_SESSIONS] = append_lines(&writer->files[LINES_SESSIONS], work->head, true) != HC_OK;
    (void)pthread_mutex_lock(&writer->lock);
    bool told = writer->history_ok;
    writer->history_ok = !writer->failed[LINES_SESSIONS];
    if (writer->history_ok) {
        for (const struct line_batch *batch = work->head; batch != NULL; batch = batch->next)
            writer->unsynced_lines -= batch->ref_count;
        queue_push(&writer->done, queue_take(work));
    }
    bool news = writer->history_ok || told;
    (void)pthread_mutex_unlock(&writer->lock);
    if (news)
        ring_bell(writer->wake_fd);
    if (!writer->failed[LINES_SESSIONS])
        note_rotation(writer, LINES_SESSIONS, parts_turn(&writer->parts, &writer->files[LINES_SESSIONS]));
}

static void write_events(struct writer *writer)
{
    struct append_file *file = &writer->files[LINES_EVENTS];
    struct line_queue *work = &writer->work[LINES_EVENTS];
    if (work->head == NULL)
        return;
    writer->failed[LINES_EVENTS] = append_lines(file, work->head, false) != HC_OK;
    if (writer->failed[LINES_EVENTS])
        return;
    size_t bytes = 0;
    for (const struct line_batch *batch = work->head; batch != NULL; batch = batch->next)
        bytes += batch->text.len;
    line_batches_free(queue_take(work));
    (void)pthread_mutex_lock(&writer->lock);
    writer->event_bytes -= bytes;
    (void)pthread_mutex_unlock(&writer->lock);
    bool full = file->end >= (int64_t)writer->rotate_bytes;
    note_rotation(writer, LINES_EVENTS, full ? append_rotate(file, EVENT_FILES_KEPT) : HC_OK);
}

/* Waits for work, for the end, or `ms` (negative: no limit). */
static void wait_for_work(const struct writer *writer, int ms)
{
    struct pollfd fds[] = { { .fd = writer->stop_fd, .events = POLLIN }, { .fd = writer->work_fd, .events = POLLIN } };
    (void)poll(fds, 2, ms);
    uint64_t count;
    if ((fds[1].revents & POLLIN) != 0) {
        ssize_t n = read(writer->work_fd, &count, sizeof count);
        (void)n;                              /* only this thread reads it */
    }
}

static void pause_between_syncs(const struct writer *writer)
{
    struct pollfd fd = { .fd = writer->stop_fd, .events = POLLIN };
    (void)poll(&fd, 1, SYNC_EVERY_MS);
}

static void writer_main(void *arg)
{
    struct writer *writer = arg;
    for (bool stop = false; !stop;) {
        wait_for_work(writer, writer->failed[LINES_SESSIONS] || writer->failed[LINES_EVENTS] ? RETRY_EVERY_MS : -1);
        (void)pthread_mutex_lock(&writer->lock);
        stop = writer->stop;
        for (size_t i = 0; i < LINE_FILES; i++)
            queue_push(&writer->work[i], queue_take(&writer->pending[i]));
        (void)pthread_mutex_unlock(&writer->lock);
        write_sessions(writer);
        write_events(writer);
        if (!stop)
            pause_between_syncs(writer);
    }
    writer->failed[LINES_EVENTS] = append_sync(&writer->files[LINES_EVENTS]) != HC_OK;
}

enum hc_err writer_start(struct writer *writer, int wake_fd, size_t rotate_bytes)
{
    (void)pthread_mutex_init(&writer->lock, NULL);
    writer->wake_fd = wake_fd;
    writer->rotate_bytes = rotate_bytes;
    writer->history_ok = true;
    writer->work_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    writer->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (writer->work_fd < 0 || writer->stop_fd < 0)
        return HC_ERR_IO;
    return os_worker_start(&writer->worker, writer_main, writer);
}

bool writer_stop(struct writer *writer, int64_t most_ms)
{
    if (!writer->worker.running)
        return true;
    (void)pthread_mutex_lock(&writer->lock);
    writer->stop = true;
    (void)pthread_mutex_unlock(&writer->lock);
    ring_bell(writer->stop_fd);
    return os_worker_end(&writer->worker, most_ms);
}

void writer_free(struct writer *writer)
{
    for (size_t i = 0; i < LINE_FILES; i++) {
        line_batches_free(queue_take(&writer->work[i]));
        line_batches_free(queue_take(&writer->pending[i]));
    }
    line_batches_free(queue_take(&writer->done));
    os_close(&writer->work_fd);
    os_close(&writer->stop_fd);
    (void)pthread_mutex_destroy(&writer->lock);
}
