/* stream.c - one answer that goes on: read as it comes, for server-sent events. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "hydra/base/arena.h"
#include "request.h"

#define HEADER_LINE_MAX 256

struct client_stream {
    struct target target;
    struct request request;
    CURLM *curl;
    struct hc_buf got;              /* what came since the last turn */
    bool too_much, added, ended;
    CURLcode code;                  /* once it has ended */
};

static size_t on_bytes(char *bytes, size_t size, size_t count, void *ctx)
{
    struct client_stream *stream = ctx;
    size_t len = size * count;
    stream->too_much = len > CLIENT_ANSWER_MAX - stream->got.len;
    if (!stream->too_much)
        hc_buf_add(&stream->got, bytes, len);
    return stream->too_much || stream->got.failed ? 0 : len;
}

/* An id that a server gave and that fits a header line; what does not is left out: the stream then begins with what comes next. */
static bool add_resume(struct request *request, const char *last_event_id)
{
    char line[HEADER_LINE_MAX];
    size_t len = strnlen(last_event_id, HEADER_LINE_MAX);
    for (size_t i = 0; i < len; i++)
        if (last_event_id[i] <= 0x20 || last_event_id[i] >= 0x7f)
            return true;
    int needed = snprintf(line, sizeof line, "Last-Event-ID: %s", last_event_id);
    if (len == 0 || needed < 0 || (size_t)needed >= sizeof line)
        return true;
    struct curl_slist *longer = curl_slist_append(request->headers, line);
    if (longer == NULL)
        return false;
    request->headers = longer;
    return true;
}

/* No end in time as other calls have one: a peer that is silent for `quiet_ms` is gone. */
static enum hc_err prepare(struct client_stream *stream, const struct client_stream_spec *spec, struct hc_diag *diag)
{
    const struct request_spec call = { .method = "GET", .path = spec->path, .token = spec->token };
    enum hc_err err = request_prepare(&stream->request, &stream->target, &call, diag);
    if (err != HC_OK)
        return err;
    CURL *easy = stream->request.easy;
    if (!add_resume(&stream->request, spec->last_event_id == NULL ? "" : spec->last_event_id) ||
        curl_easy_setopt(easy, CURLOPT_HTTPHEADER, stream->request.headers) != CURLE_OK ||
        curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, 0L) != CURLE_OK ||
        curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L) != CURLE_OK ||
        curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, (long)((spec->quiet_ms + 999) / 1000)) != CURLE_OK ||
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_bytes) != CURLE_OK ||
        curl_easy_setopt(easy, CURLOPT_WRITEDATA, stream) != CURLE_OK)
        return hc_fail(diag, HC_ERR_NOMEM, "no memory for a call");
    stream->curl = curl_multi_init();
    if (stream->curl == NULL || curl_multi_add_handle(stream->curl, easy) != CURLM_OK)
        return hc_fail(diag, HC_ERR_NOMEM, "no memory for a call");
    stream->added = true;
    return HC_OK;
}

enum hc_err client_stream_open(const struct client_options *options, const struct client_stream_spec *spec,
                               struct client_stream **ret_stream,
                               struct hc_diag *diag)
{
    assert(spec->quiet_ms > 0);
    struct client_stream *stream = hc_alloc(sizeof *stream);
    if (stream == NULL)
        return hc_fail(diag, HC_ERR_NOMEM, "no memory for the client");
    enum hc_err err = target_init(&stream->target, options, diag);
    if (err == HC_OK)
        err = request_init(&stream->request, diag);
    if (err == HC_OK)
        err = prepare(stream, spec, diag);
    if (err != HC_OK) {
        (void)client_stream_close(stream);
        return err;
    }
    *ret_stream = stream;
    return HC_OK;
}

struct client_stream *client_stream_close(struct client_stream *stream)
{
    if (stream == NULL)
        return NULL;
    if (stream->added)
        (void)curl_multi_remove_handle(stream->curl, stream->request.easy);
    request_free(&stream->request);
    if (stream->curl != NULL)
        (void)curl_multi_cleanup(stream->curl);
    hc_buf_free(&stream->got);
    target_free(&stream->target);
    hc_free(stream);
    return NULL;
}

static enum hc_err end_of(struct client_stream *stream, struct hc_diag *diag)
{
    if (stream->too_much)
        return hc_fail(diag, HC_ERR_LIMIT, "%s: more came at once than this client takes", stream->request.url.data);
    if (stream->got.failed)
        return hc_fail(diag, HC_ERR_NOMEM, "no memory for an answer");
    if (stream->code != CURLE_OK)
        return request_finish(&stream->request, stream->code, diag);
    return hc_fail(diag, HC_ERR_NET, "%s: the server ended the answer", stream->request.url.data);
}

enum hc_err client_stream_turn(struct client_stream *stream, int64_t wait_ms, struct hc_buf *out, struct hc_diag *diag)
{
    assert(wait_ms >= 0 && wait_ms <= CALL_TIMEOUT_MAX_MS);
    int running = 0, left = 0;
    if (!stream->ended && curl_multi_perform(stream->curl, &running) == CURLM_OK && running > 0 && stream->got.len == 0) {
        (void)curl_multi_poll(stream->curl, NULL, 0, (int)wait_ms, NULL);
        (void)curl_multi_perform(stream->curl, &running);
    }
    for (CURLMsg *message; (message = curl_multi_info_read(stream->curl, &left)) != NULL;)
        if (message->msg == CURLMSG_DONE) {
            stream->ended = true;
            stream->code = message->data.result;
        }
    /* What came before the end is handed out before the end is told. */
    bool came = stream->got.len > 0 && !stream->got.failed;
    if (came)
        hc_buf_add(out, stream->got.data, stream->got.len);
    hc_buf_clear(&stream->got);
    return stream->ended && !came ? end_of(stream, diag) : HC_OK;
}

long client_stream_status(const struct client_stream *stream)
{
    long status = 0;
    (void)curl_easy_getinfo(stream->request.easy, CURLINFO_RESPONSE_CODE, &status);
    return status;
}
