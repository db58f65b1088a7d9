#include "scribe.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "hydra/base/id.h"
#include "hydra/os/clock.h"
#include "hydra/os/file.h"
#include "segment_file.h"

#define STATE_FLUSH_BYTES ((size_t)256 * 1024)      /* the state is written in pieces of about this size */

static void item_free(struct journal_item *item)
{
    if (item->release != NULL)
        item->release(item->ctx, item->saved, item->obs);
    hc_buf_free(&item->text);
    hc_free(item);
}

/* Under the lock. */
static void push(struct journal *j, struct journal_item *item)
{
    if (j->tail == NULL)
        j->head = item;
    else
        j->tail->next = item;
    j->tail = item;
    (void)pthread_cond_signal(&j->work);
}

void scribe_push(struct journal *j, struct journal_item *item)
{
    (void)pthread_mutex_lock(&j->lock);
    push(j, item);
    (void)pthread_mutex_unlock(&j->lock);
}

bool scribe_add_line(struct journal *j, const char *line, size_t len)
{
    if (atomic_load(&j->pending) + len > JOURNAL_PENDING_MAX)
        return false;
    atomic_fetch_add(&j->pending, len);       /* before the thread can take it off */
    (void)pthread_mutex_lock(&j->lock);
    struct journal_item *item = j->tail;
    if (item == NULL || item->release != NULL) {
        item = hc_alloc(sizeof *item);
        if (item != NULL)
            push(j, item);
    }
    size_t before = item == NULL ? 0 : item->text.len;
    if (item != NULL)
        hc_buf_add(&item->text, line, len);
    bool added = item != NULL && !item->text.failed;
    if (item != NULL && !added) {
        item->text.len = before;          /* what was there before is whole: a failed append keeps the old memory */
        item->text.failed = false;
    }
    (void)pthread_mutex_unlock(&j->lock);
    if (!added)
        atomic_fetch_sub(&j->pending, len);
    return added;
}

static enum hc_err flush(struct journal *j, struct hc_buf *text)
{
    enum hc_err err = text->failed ? HC_ERR_NOMEM : os_write_all(j->fd, text->data, text->len);
    hc_buf_clear(text);
    return err;
}

static enum hc_err write_record(struct journal *j, const struct rec *rec, struct journal_item *item, uint64_t *count, uint64_t *sum,
                                struct hc_buf *text)
{
    if (record_rows[rec->kind].table == NULL)
        return HC_OK;
    size_t start = text->len;
    /* Numbers that no event's line has. */
    seal_line(&item->seal, (UINT64_C(1) << 63) | (*count)++);
    state_record_write(rec, &item->seal, text);
    line_finish(text, start, sum);
    return text->failed ? HC_ERR_NOMEM : text->len >= STATE_FLUSH_BYTES ? flush(j, text) : HC_OK;
}

static enum hc_err write_records(struct journal *j, struct journal_item *item, uint64_t *sum, struct hc_buf *text)
{
    enum hc_err err = HC_OK;
    uint64_t records = 0;
    for (enum rec_kind kind = 0; kind < REC_SAVED_KINDS; kind++)
        for (size_t i = 0; i < alloc_count(item->saved, kind) && err == HC_OK; i++)
            err = write_record(j, alloc_at(item->saved, kind, i), item, &records, sum, text);
    for (enum rec_kind kind = REC_SAVED_KINDS; kind < REC_KINDS; kind++)
        for (size_t i = 0; i < observed_count(item->obs, kind) && err == HC_OK; i++)
            err = write_record(j, observed_at(item->obs, kind, i), item, &records, sum, text);
    if (err != HC_OK)
        return err;
    size_t start = text->len;
    state_end_write(records, text);
    line_finish(text, start, sum);
    return flush(j, text);
}

static enum hc_err write_state(struct journal *j, struct journal_item *item, uint64_t number)
{
    HC_CLEANUP(hc_buf_freep) struct hc_buf text = { 0 };
    struct segment_head head = { .format = JOURNAL_FORMAT, .number = number, .at = item->at };
    uint64_t sum = line_sum_start(&item->seal);
    HC_SET(head.version, j->version);
    hc_hex(item->seal.nonce, sizeof item->seal.nonce, head.nonce);
    seal_check(&item->seal, head.check);
    head_write(&head, &text);
    line_finish(&text, 0, &sum);
    size_t start = text.len;
    state_write(item->saved, item->obs, &text);
    line_finish(&text, start, &sum);
    return write_records(j, item, &sum, &text);
}

static enum hc_err begin_segment(struct journal *j, struct journal_item *item)
{
    uint64_t number;
    os_close(&j->fd);
    j->written = 0;
    enum hc_err err = segments_prune(j->dir_fd, j->keep_bytes, j->segment_bytes);
    if (err == HC_OK)
        err = segment_create(j->dir_fd, &j->fd, &number);
    return err == HC_OK ? write_state(j, item, number) : err;
}

static void write_item(struct journal *j, struct journal_item *item)
{
    enum hc_err err = HC_OK;
    size_t len = item->text.len;
    if (item->release != NULL) {
        j->skipping = false;
        err = begin_segment(j, item);
    } else if (!j->skipping && j->fd >= 0) {
        err = os_write_all(j->fd, item->text.data, len);
        j->written += len;
    }
    atomic_fetch_sub(&j->pending, len);
    if (err == HC_OK && j->written >= j->segment_bytes)
        atomic_store(&j->want, true);
    if (err == HC_OK && item->release != NULL)
        atomic_store(&j->healthy, true);
    if (err == HC_OK)
        return;
    atomic_store(&j->healthy, false);
    j->skipping = true;
    atomic_store(&j->retry_at_ms, os_monotonic_ms() + RETRY_EVERY_MS);
    atomic_store(&j->ok, false);
    atomic_store(&j->want, true);
}

static struct journal_item *take(struct journal *j)
{
    struct journal_item *item = j->head;
    if (item != NULL) {
        j->head = item->next;
        if (j->head == NULL)
            j->tail = NULL;
    }
    return item;
}

/* Under the lock; until there is work, and then a while for more of it. */
static void wait_for_work(struct journal *j)
{
    while (j->head == NULL && !j->stop)
        (void)pthread_cond_wait(&j->work, &j->lock);
    if (j->stop)
        return;
    (void)pthread_mutex_unlock(&j->lock);
    os_pause_ms(WRITE_EVERY_MS);
    (void)pthread_mutex_lock(&j->lock);
}

static void scribe_main(void *arg)
{
    struct journal *j = arg;
    (void)pthread_mutex_lock(&j->lock);
    for (;;) {
        wait_for_work(j);
        struct journal_item *item;
        while ((item = take(j)) != NULL) {
            (void)pthread_mutex_unlock(&j->lock);
            write_item(j, item);
            item_free(item);
            (void)pthread_mutex_lock(&j->lock);
        }
        if (j->stop)
            break;
    }
    (void)pthread_mutex_unlock(&j->lock);
}

enum hc_err scribe_start(struct journal *j)
{
    return os_worker_start(&j->worker, scribe_main, j);
}

bool scribe_stop(struct journal *j, int64_t most_ms)
{
    if (!j->worker.running)
        return true;
    (void)pthread_mutex_lock(&j->lock);
    j->stop = true;
    (void)pthread_cond_signal(&j->work);
    (void)pthread_mutex_unlock(&j->lock);
    j->recording = false;
    return os_worker_end(&j->worker, most_ms);
}
