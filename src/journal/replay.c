#include "replay.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "hydra/base/id.h"
#include "hydra/os/file.h"
#include "segment_file.h"

/* The records of a file of the very moment take the place of the journal's own; that they differ is a difference already. */
static enum hc_err take_store(struct replay *r)
{
    const struct alloc *store = r->config->store;
    char what[REPLAY_WHAT_SIZE];
    r->report->first_generation = r->live->generation;
    if (store == NULL)
        return HC_OK;
    r->report->store_generation = store->generation;
    r->report->store_used = store->generation == r->live->generation;
    if (!r->report->store_used)
        return HC_OK;
    if (records_differ(r->live, store, true, r->config->has_nodes, &r->report->store_same, &r->report->store_other, what))
        replay_differs(r, 0, "state", "the store differs from what the journal begins with: %s", what);
    enum hc_err err = HC_OK;
    for (enum rec_kind kind = 0; kind < REC_SAVED_KINDS && err == HC_OK; kind++) {
        if (rec_in_nodes_file(kind) && !r->config->has_nodes)
            continue;
        while (alloc_count(r->live, kind) > 0 && err == HC_OK)
            err = alloc_put(r->live, kind, alloc_at(r->live, kind, 0)->key, NULL);
        for (size_t i = 0; i < alloc_count(store, kind) && err == HC_OK; i++) {
            const struct rec *rec = alloc_at(store, kind, i);
            err = alloc_put(r->live, kind, rec->key, (struct rec *)rec);
        }
    }
    return err;
}

static enum hc_err replay_lines(struct replay *r)
{
    enum hc_err err = HC_OK;
    while (err == HC_OK && r->report->verdict == REPLAY_SAME) {
        enum line_got got = segment_line(&r->in);
        if (got == LINE_END)
            break;
        if (got == LINE_TORN) {
            r->report->torn = true;
            break;
        }
        if (got != LINE_WHOLE)
            return hc_fail(r->diag, HC_ERR_IO, "the line cannot be read, or is too long");
        size_t len = r->in.len;
        bool none;
        r->altered = !line_sum_ok(r->in.line, &len, &r->sum, &none);
        if (none)
            return hc_fail(r->diag, HC_ERR_SYNTAX, "not a line of a journal: it has no checksum");
        err = replay_event(r, len);
        r->report->events += err == HC_OK;
        if (r->config->progress != NULL && r->report->events % REPLAY_PROGRESS_EVERY == 0 && err == HC_OK)
            r->config->progress(r->config->ctx, r->in.path, r->report->events);
    }
    return err;
}

static enum hc_err replay_segment(struct replay *r, const char *path, bool first)
{
    enum hc_err err = segment_open(&r->in, path, r->diag);
    if (err != HC_OK)
        return err;
    err = replay_begin(r);
    if (err == HC_OK && first)
        err = take_store(r);
    if (err == HC_OK)
        err = replay_lines(r);
    if (err != HC_OK)
        err = replay_refuse(r, err);
    r->report->segments += err == HC_OK;
    segment_close(&r->in);
    return err;
}

static enum hc_err replay_folder(struct replay *r, int dir_fd)
{
    struct segment_entry *list;
    size_t count;
    enum hc_err err = segments_list(dir_fd, &list, &count);
    if (err == HC_OK && count == 0)
        err = hc_fail(r->diag, HC_ERR_NOTFOUND, "%s: no segment of a journal is there", r->config->path);
    for (size_t i = 0; i < count && err == HC_OK && r->report->verdict == REPLAY_SAME; i++) {
        char name[SEGMENT_NAME_SIZE], path[REPLAY_PATH_SIZE];
        segment_name(list[i].number, name);
        (void)snprintf(path, sizeof path, "%s/%s", r->config->path, name);
        err = replay_segment(r, path, r->report->segments == 0);
        if (err == HC_OK || !r->cut)
            continue;
        r->report->torn = true;        /* the daemon died while it began this one: it has no events */
        err = HC_OK;
    }
    if (err == HC_OK && r->report->segments == 0)
        err = hc_fail(r->diag, HC_ERR_SYNTAX, "%s: no segment there is whole", r->config->path);
    if (err == HC_OK || count > 0)
        hc_free(list);
    return err;
}

/* Of a file that is later than all that was replayed: how much of it is as the events left it. */
static void compare_end(struct replay *r)
{
    char what[REPLAY_WHAT_SIZE];
    struct replay_report *report = r->report;
    if (r->config->store != NULL && !report->store_used && report->verdict == REPLAY_SAME && r->live != NULL)
        (void)records_differ(r->live, r->config->store, true, r->config->has_nodes, &report->store_same, &report->store_other, what);
}

enum hc_err journal_replay(const struct replay_config *config, struct replay_report *ret, struct hc_diag *diag)
{
    struct replay r = { .config = config, .report = ret, .diag = diag };
    *ret = (struct replay_report){ .verdict = REPLAY_SAME };
    diag->text[0] = '\0';
    memcpy(r.core.secret, config->secret, sizeof r.core.secret);
    seal_key(config->secret, r.seal.key);
    HC_CLEANUP(os_close) int dir_fd = open(config->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    enum hc_err err = dir_fd >= 0 ? replay_folder(&r, dir_fd) : replay_segment(&r, config->path, true);
    if (err == HC_OK)
        compare_end(&r);
    alloc_free(r.live);
    observed_free(r.obs);
    return err;
}
