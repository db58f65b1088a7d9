/* dispatch.c - the loop's turn: answers, published notes, news, history, the probe of a store that is down. */
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "engine_state.h"
#include "hydra/base/arena.h"
#include "hydra/base/log.h"
#include "hydra/os/clock.h"

static void drain_wake(const struct engine *e)
{
    struct pollfd fd = { .fd = e->config.wake_fd, .events = POLLIN };
    uint64_t count;
    if (poll(&fd, 1, 0) == 1 && (fd.revents & POLLIN) != 0) {
        ssize_t n = read(e->config.wake_fd, &count, sizeof count);
        (void)n;                          /* whoever owns it may have read it already */
    }
}

/* The mutex is held. Walks the list only when the first deadline has come. */
static void expire(struct engine *e, int64_t now_ms)
{
    if (e->waiting_count == 0 || now_ms < e->first_deadline_ms)
        return;
    int64_t first_ms = INT64_MAX;
    for (struct engine_op *op = e->waiting.head, *next; op != NULL; op = next) {
        next = op->next;
        if (op->deadline_ms > now_ms) {
            first_ms = op->deadline_ms < first_ms ? op->deadline_ms : first_ms;
            continue;
        }
        op_remove(&e->waiting, op);
        e->waiting_count--;
        op->settled = true;
        op->outcome = ENGINE_LATE;
        op->err = HC_OK;
        op_push(&e->ready, op);
    }
    e->first_deadline_ms = first_ms;
}

static bool wants_probe(const struct engine *e)
{
    return (!e->store_ok && !e->recovered) || e->stalled || e->unapplied != NULL || e->reverting != NULL;
}

/* One a second, the first a second after the failure. The mutex is held. */
static void probe(struct engine *e, int64_t now_ms)
{
    if (!wants_probe(e)) {
        e->next_probe_ms = 0;
        return;
    }
    if (e->next_probe_ms == 0)
        e->next_probe_ms = now_ms + PROBE_EVERY_MS;
    if (e->saving_since_ms != 0 || now_ms < e->next_probe_ms)
        return;
    e->next_probe_ms = now_ms + PROBE_EVERY_MS;
    e->probe = true;
    (void)pthread_cond_signal(&e->work);
}

static void run_due(struct engine *e)
{
    /* One by one: `done` may withdraw others, and submit new ones. */
    for (struct engine_op *op = op_pop(&e->due); op != NULL; op = op_pop(&e->due))
        engine_finish(e, op);
}

static void tell_group(const struct engine *e, const struct group *group)
{
    for (size_t p = 0; p < GROUP_PARTS; p++)
        for (size_t i = 0; i < group->parts[p].count; i++)
            e->news_fn(e->news_ctx, group->parts[p].items[i].kind, group->parts[p].items[i].key);
}

static void tell_news(struct engine *e, struct group *news)
{
    bool any = news != NULL || e->seen_any;
    struct observed_key *seen = e->seen;
    size_t seen_count = e->seen_count;
    /* Who is told may submit reports: those are for the next dispatch. */
    e->seen = NULL;
    e->seen_count = e->seen_size = 0;
    e->seen_any = false;
    while (news != NULL) {
        struct group *next = news->next;
        if (e->news_fn != NULL)
            tell_group(e, news);
        group_free(news);                 /* without versions: no mutex needed */
        news = next;
    }
    for (size_t i = 0; i < seen_count && e->news_fn != NULL; i++)
        e->news_fn(e->news_ctx, seen[i].kind, seen[i].key);
    hc_free(seen);
    if (any && e->news_fn != NULL)
        e->news_fn(e->news_ctx, REC_KINDS, "");
}

static void log_store(struct engine *e, bool ok, const char *detail)
{
    if (ok == e->logged_ok)
        return;
    e->logged_ok = ok;
    if (ok)
        hc_log(HC_LOG_NOTICE, "store_up", "detail=%s", hc_logq("a save succeeded"));
    else
        hc_log(HC_LOG_ERR, "store_down", "detail=%s", hc_logq(detail));
}

void engine_dispatch(struct engine *engine)
{
    struct engine *e = engine;
    drain_wake(e);
    int64_t now_ms = os_monotonic_ms();
    hc_time now = e->config.now();
    engine_lock(e);
    engine_settle(e, now);
    expire(e, now_ms);
    probe(e, now_ms);
    for (struct engine_op *op = op_pop(&e->ready); op != NULL; op = op_pop(&e->ready))
        op_push(&e->due, op);
    struct group *news = e->news;
    e->news = e->news_tail = NULL;
    bool ok = e->store_ok;
    char detail[HC_DIAG_SIZE];
    HC_SET(detail, e->detail);
    engine_unlock(e);
    log_store(e, ok, detail);
    recorder_tell(e);
    run_due(e);
    notes_publish(e, now_ms);
    tell_news(e, news);
    history_rescan(e, now_ms);
    history_written(e);
}

static int64_t earlier(int64_t a, int64_t b) { return a < b ? a : b; }

int64_t engine_next_due_ms(struct engine *engine)
{
    struct engine *e = engine;
    int64_t due = e->next_tick_ms;
    engine_lock(e);
    if (e->waiting_count > 0)
        due = earlier(due, e->first_deadline_ms);
    if (wants_probe(e) && e->saving_since_ms == 0)
        due = earlier(due, e->next_probe_ms);
    if (e->notes_out.head != NULL)
        due = earlier(due, e->next_publish_ms);
    if (e->rescan && e->store_ok)
        due = earlier(due, e->next_rescan_ms);
    engine_unlock(e);
    return due;
}

void engine_tick(struct engine *engine)
{
    struct engine *e = engine;
    int64_t now_ms = os_monotonic_ms();
    if (now_ms < e->next_tick_ms)
        return;
    e->next_tick_ms = now_ms + e->timers->watchdog_tick_ms;
    struct core_event ev = { .type = CORE_TICK };
    struct core_result result = { .dirty = false };
    e->config.random(ev.seed, sizeof ev.seed);
    hc_time now = e->config.now();
    engine_lock(e);
    engine_settle(e, now);
    enum hc_err err = engine_usable(e) ? engine_step(e, &ev, now, &result) : HC_OK;
    if (err != HC_OK)
        e->next_tick_ms = now_ms + PROBE_EVERY_MS;
    engine_unlock(e);
    recorder_write(e);
    core_result_free(&result);
}
