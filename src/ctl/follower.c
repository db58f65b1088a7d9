#include "follower.h"

#include <signal.h>
#include <string.h>

#include "hydra/os/clock.h"

static volatile sig_atomic_t stop_asked;

static void on_stop(int signal_number)
{
    (void)signal_number;
    stop_asked = 1;
}

void follower_heed_signals(void)
{
    struct sigaction action = { .sa_handler = on_stop };
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    (void)sigaction(SIGHUP, &action, NULL);
}

bool follower_told_to_stop(void)
{
    return stop_asked != 0;
}

static void on_event(void *ctx, const char *data)
{
    struct follower *f = ctx;
    f->came = true;
    f->on_event(f->ctx, data);
}

/* The daemon ends a stream that is an hour old, or when it stops: only a second try shows which, so that goes at once and untold. */
static enum follower_news lost(struct follower *f, bool ended_well)
{
    int64_t now_ms = os_monotonic_ms();
    bool was = f->connected;
    f->stream = client_stream_close(f->stream);
    sse_reset(&f->sse);
    f->connected = false;
    if (!f->was_connected)
        return FOLLOWER_UNREACHABLE;
    if (was)
        f->lost_at_ms = now_ms;
    f->retry_at_ms = was && ended_well ? now_ms : now_ms + FOLLOWER_RETRY_MS;
    if ((was && ended_well) || f->told_lost)
        return FOLLOWER_NOTHING;
    f->told_lost = true;
    return FOLLOWER_LOST;
}

static enum follower_news refused(struct follower *f, long status)
{
    static const struct { long status; const char *why; } rows[] = {
        { 401, "the token is not known there any more" }, { 403, "the token may not follow the events" },
        { 400, "the server does not take what was asked" }, { 404, "is that a hydraclusterd?" },
    };
    const char *why = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].status == status)
            why = rows[i].why;
    (void)hc_fail(&f->diag, HC_ERR_NET, "the server answered %ld%s%s", status, why == NULL ? "" : ": ", why == NULL ? "" : why);
    if (why == NULL)
        return lost(f, false);              /* 503 and the like pass */
    f->stream = client_stream_close(f->stream);
    return FOLLOWER_REFUSED;
}

static enum follower_news connect(struct follower *f, int64_t wait_ms)
{
    int64_t left_ms = f->retry_at_ms - os_monotonic_ms();
    if (left_ms > 0) {
        os_pause_ms((unsigned)(left_ms < wait_ms ? left_ms : wait_ms));
        return FOLLOWER_NOTHING;
    }
    const char *token = f->context->settings.token;
    const struct client_stream_spec spec = { .path = f->path, .token = token[0] == '\0' ? NULL : token, .last_event_id = f->sse.id,
                                             .quiet_ms = FOLLOWER_QUIET_MS };
    if (client_stream_open(&f->context->options, &spec, &f->stream, &f->diag) != HC_OK)
        return FOLLOWER_REFUSED;
    return FOLLOWER_NOTHING;
}

static enum follower_news take(struct follower *f, const struct hc_buf *bytes)
{
    f->came = false;
    if (sse_feed(&f->sse, bytes->data, bytes->len, on_event, f) != HC_OK) {
        (void)hc_fail(&f->diag, HC_ERR_LIMIT, "the server sent an event longer than %zu bytes", SSE_LINE_MAX);
        return lost(f, false);
    }
    bool again = !f->connected && (f->told_lost || !f->was_connected);
    f->connected = f->was_connected = true;
    f->told_lost = false;
    return again ? FOLLOWER_CONNECTED : f->came ? FOLLOWER_EVENTS : FOLLOWER_NOTHING;
}

enum follower_news follower_turn(struct follower *f, int64_t wait_ms)
{
    enum follower_news news = f->stream == NULL ? connect(f, wait_ms) : FOLLOWER_NOTHING;
    if (f->stream == NULL || news != FOLLOWER_NOTHING)
        return news;
    struct hc_buf bytes = { 0 };
    enum hc_err err = client_stream_turn(f->stream, wait_ms, &bytes, &f->diag);
    long status = client_stream_status(f->stream);
    if (status != 0 && status != 200)
        news = refused(f, status);
    else if (bytes.len > 0)
        news = take(f, &bytes);
    else if (err != HC_OK)
        news = lost(f, status == 200);
    hc_buf_free(&bytes);
    return news;
}

int64_t follower_lost_ms(const struct follower *f)
{
    return f->told_lost ? os_monotonic_ms() - f->lost_at_ms : 0;
}

void follower_close(struct follower *f)
{
    f->stream = client_stream_close(f->stream);
    sse_free(&f->sse);
}
