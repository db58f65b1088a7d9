#include "cluster.h"

#include "hydra/os/clock.h"

#define LOOK_EVERY_MS 100

struct waiting { bool over; struct cluster_answer *answer; };

static void done(void *ctx, enum hc_err err, const struct client_answer *answer)
{
    struct waiting *waiting = ctx;
    waiting->over = true;
    waiting->answer->err = err;
    if (err != HC_OK)
        return;
    waiting->answer->status = answer->status;
    hc_buf_add(&waiting->answer->body, answer->body.data == NULL ? "" : answer->body.data, answer->body.len);
    if (waiting->answer->body.failed)
        waiting->answer->err = HC_ERR_NOMEM;
}

static bool stopped(const atomic_bool *stop) { return stop != NULL && atomic_load(stop); }

void cluster_ask(struct cluster_line *line, const struct request_text *request, int64_t timeout_ms, const atomic_bool *stop,
                 struct cluster_answer *ret)
{
    struct waiting waiting = { .answer = ret };
    const struct client_options options = { .server_url = line->config->server_url, .ca_file = line->config->ca_file,
                                            .timeout_ms = timeout_ms };
    *ret = (struct cluster_answer){ .err = HC_ERR_NET };
    if (stopped(stop))
        return;
    if (line->multi == NULL && (ret->err = client_multi_open(&options, &line->multi, NULL)) != HC_OK)
        return;
    ret->err = client_multi_call(line->multi, 0, request->method, request->path.data, line->token,
                                 request->body.len == 0 ? NULL : request->body.data, timeout_ms, done, &waiting);
    if (ret->err != HC_OK)
        return;
    while (!waiting.over && !stopped(stop))
        client_multi_turn(line->multi, LOOK_EVERY_MS);
    if (!waiting.over)
        cluster_line_close(line);           /* ends the call; the next one opens anew */
}

void cluster_line_close(struct cluster_line *line)
{
    if (line->multi != NULL)
        line->multi = client_multi_close(line->multi);
}

void cluster_pause(const atomic_bool *stop, int64_t ms)
{
    for (int64_t left = ms; left > 0 && !stopped(stop); left -= LOOK_EVERY_MS)
        os_pause_ms((unsigned)(left < LOOK_EVERY_MS ? left : LOOK_EVERY_MS));
}
