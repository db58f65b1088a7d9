/* journal.c - the loop's side: lines go into a queue; a segment is begun with a state; what does not fit is dropped. */
#include "hydra/journal/journal.h"

#include <string.h>

#include "hydra/base/id.h"
#include "hydra/os/clock.h"
#include "hydra/os/file.h"
#include "hydra/os/random.h"
#include "scribe.h"

#define CLOSE_MS 1000      /* of a thread that should have been stopped before */

static enum hc_err open_folder(struct journal *j, const char *data_dir, struct hc_diag *diag)
{
    struct hc_buf path = { 0 };
    hc_buf_printf(&path, "%s/%s", data_dir, JOURNAL_FOLDER);
    enum hc_err err = path.failed ? HC_ERR_NOMEM : os_dir_make_private(path.data, diag);
    if (err == HC_OK)
        err = os_dir_open(path.data, &j->dir_fd, diag);
    hc_buf_free(&path);
    return err;
}

enum hc_err journal_open(const struct journal_config *config, struct journal **ret_journal, struct hc_diag *diag)
{
    struct journal *j = hc_alloc(sizeof *j);
    if (j == NULL)
        return hc_fail(diag, HC_ERR_NOMEM, "%s", hc_err_text(HC_ERR_NOMEM));
    j->dir_fd = j->fd = -1;
    j->segment_bytes = config->segment_bytes;
    j->keep_bytes = config->keep_bytes;
    HC_SET(j->version, config->version);
    seal_key(config->secret, j->seal.key);
    atomic_store(&j->want, true);
    atomic_store(&j->ok, true);
    atomic_store(&j->healthy, true);
    (void)pthread_mutex_init(&j->lock, NULL);
    (void)pthread_cond_init(&j->work, NULL);
    enum hc_err err = open_folder(j, config->data_dir, diag);
    if (err == HC_OK && scribe_start(j) != HC_OK)
        err = hc_fail(diag, HC_ERR_NOMEM, "the journal's thread does not start");
    if (err != HC_OK) {
        journal_close(j);
        return err;
    }
    *ret_journal = j;
    return HC_OK;
}

void journal_close(struct journal *j)
{
    if (j == NULL)
        return;
    if (!journal_stop(j, CLOSE_MS))
        return;                           /* its thread still uses it */
    hc_buf_free(&j->line);
    os_close(&j->fd);
    os_close(&j->dir_fd);
    (void)pthread_cond_destroy(&j->work);
    (void)pthread_mutex_destroy(&j->lock);
    hc_free(j);
}

bool journal_stop(struct journal *j, int64_t most_ms)
{
    return scribe_stop(j, most_ms);
}

void journal_want(struct journal *j)
{
    atomic_store(&j->want, true);
}

/* After a failure not at once, and not before the queue has gone down. */
bool journal_wants_segment(struct journal *j)
{
    if (!j->worker.running || !atomic_load(&j->want))
        return false;
    return atomic_load(&j->ok) ? atomic_load(&j->pending) < JOURNAL_PENDING_MAX / 2 : os_monotonic_ms() >= atomic_load(&j->retry_at_ms);
}

/* From here on lines are of no use: the next ones that are begin with a state. */
static void break_off(struct journal *j)
{
    j->recording = false;
    atomic_store(&j->healthy, false);
    atomic_fetch_add(&j->dropped, 1);
    atomic_store(&j->want, true);
}

void journal_segment(struct journal *j, hc_time now, struct alloc *saved, struct observed *obs, journal_release_fn *release, void *ctx)
{
    struct journal_item *item = hc_alloc(sizeof *item);
    if (item == NULL) {
        release(ctx, saved, obs);
        break_off(j);
        return;
    }
    os_random(j->seal.nonce, sizeof j->seal.nonce);
    j->sum = line_sum_start(&j->seal);
    j->n = 0;
    *item = (struct journal_item){ .saved = saved, .obs = obs, .release = release, .ctx = ctx, .seal = j->seal, .at = now };
    atomic_store(&j->want, false);
    atomic_store(&j->ok, true);
    j->recording = true;
    scribe_push(j, item);
}

void journal_event(struct journal *j, const struct journal_step *step)
{
    if (!j->recording || !atomic_load(&j->ok)) {
        break_off(j);
        return;
    }
    hc_buf_clear(&j->line);
    bool written = event_write(step, j->n + 1, &j->seal, &j->line);
    if (written)
        line_finish(&j->line, 0, &j->sum);
    if (!written || j->line.failed || j->line.len > LINE_BYTES_MAX || !scribe_add_line(j, j->line.data, j->line.len)) {
        break_off(j);
        return;
    }
    j->n++;
    atomic_fetch_add(&j->events, 1);
}

struct journal_health journal_health(struct journal *j)
{
    return (struct journal_health){ .ok = atomic_load(&j->healthy), .events = atomic_load(&j->events),
                                    .dropped = atomic_load(&j->dropped) };
}
