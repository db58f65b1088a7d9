/* answer.c - from an answer of the owner, or of ours, to a response of the library. */
#include "server.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "hydra/base/log.h"
#include "hydra/os/clock.h"

#define REFUSAL_SIZE          512
#define STOPPING_RETRY_SECONDS 5

static bool header_text_ok(const char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            return false;
    return true;
}

void http_header_add(struct http_request *req, const char *name, const char *value)
{
    assert(!req->answered && req->reply_header_count < HTTP_REPLY_HEADERS_MAX);
    assert(header_text_ok(name) && *name != '\0' && header_text_ok(value) && *value != '\0');
    struct http_reply_header *header = &req->reply_headers[req->reply_header_count++];
    header->name = hc_arena_strdup(&req->arena, name);
    header->value = hc_arena_strdup(&req->arena, value);
}

static bool add_headers(struct http_request *req, struct MHD_Response *response, const char *content_type)
{
    bool ok = MHD_add_response_header(response, "X-Request-Id", req->id) == MHD_YES;
    if (content_type != NULL)
        ok = ok && MHD_add_response_header(response, "Content-Type", content_type) == MHD_YES;
    if (req->close || req->server->quiescing)
        ok = ok && MHD_add_response_header(response, "Connection", "close") == MHD_YES;
    for (size_t i = 0; i < req->reply_header_count; i++) {
        const struct http_reply_header *header = &req->reply_headers[i];
        ok = ok && header->name != NULL && header->value != NULL &&
             MHD_add_response_header(response, header->name, header->value) == MHD_YES;
    }
    return ok;
}

void http_hand_over(struct http_request *req)
{
    assert(req->answered && !req->handed_over);
    req->handed_over = true;
    req->failed = req->response == NULL || MHD_queue_response(req->conn->mhd, req->status, req->response) != MHD_YES;
    if (req->response != NULL)
        MHD_destroy_response(req->response);      /* our reference; the library keeps its own until it is sent */
    req->response = NULL;
    http_be_patient(req->server, req->reply_bytes);
    if (req->failed)
        hc_log(HC_LOG_WARNING, "http_answer_failed", "id=%s status=%u", req->id, req->status);
}

/* `response` NULL: no memory for it; the connection is closed without a word, the peer must ask again anyway. */
static void deliver(struct http_request *req, unsigned status, struct MHD_Response *response, const char *content_type)
{
    assert(!req->answered && (req->in_callback || req->suspended));
    req->answered = true;
    req->status = status;
    req->response = response;
    if (response != NULL && !add_headers(req, response, content_type)) {
        MHD_destroy_response(response);
        req->response = NULL;
    }
    if (req->parked)
        req->conn->quiet_since_ms = os_monotonic_ms();
    http_unpark(req);
    if (req->suspended) {
        http_hand_over(req);
        http_resume(req);
    }
}

void http_answer(struct http_request *req, unsigned status, const char *content_type, const char *body, size_t len)
{
    assert(status >= 200 && status <= 599);
    static char nothing[1];
    req->reply_bytes = len;
    struct MHD_Response *response = len == 0 ? MHD_create_response_from_buffer(0, nothing, MHD_RESPMEM_PERSISTENT)
                                             : MHD_create_response_from_buffer(len, (void *)(uintptr_t)body, MHD_RESPMEM_MUST_COPY);
    deliver(req, status, response, content_type != NULL ? content_type : len > 0 ? "application/json" : NULL);
}

bool http_answered(const struct http_request *req)
{
    return req->answered;
}

static void refuse(struct http_request *req, unsigned status, const char *word, const char *detail, const char *field,
                   unsigned retry_after_seconds)
{
    char body[REFUSAL_SIZE], seconds[12];
    bool named = field != NULL;
    int len = snprintf(body, sizeof body, "{\"error\":\"%s\",\"code\":%u,\"detail\":\"%s\"%s%s%s}", word, status, detail,
                       named ? ",\"field\":\"" : "", named ? field : "", named ? "\"" : "");
    assert(len > 0 && (size_t)len < sizeof body);
    req->reply_header_count = 0;                  /* what the owner had meant to say with another answer */
    if (retry_after_seconds > 0) {
        (void)snprintf(seconds, sizeof seconds, "%u", retry_after_seconds);
        http_header_add(req, "Retry-After", seconds);
    }
    http_answer(req, status, NULL, body, (size_t)len);
}

void http_refuse(struct http_request *req, unsigned status, const char *word, const char *detail, unsigned retry_after_seconds)
{
    refuse(req, status, word, detail, NULL, retry_after_seconds);
}

void http_refuse_field(struct http_request *req, unsigned status, const char *word, const char *detail, const char *field)
{
    refuse(req, status, word, detail, field, 0);
}

void http_refuse_stopping(struct http_request *req)
{
    http_refuse(req, MHD_HTTP_SERVICE_UNAVAILABLE, "stopping", "The service is stopping; ask again.", STOPPING_RETRY_SECONDS);
}

/* The library has room for up to `room` bytes of a stream. */
static ssize_t on_stream_room(void *cls, uint64_t position, char *to, size_t room)
{
    (void)position;
    struct http_request *req = cls;
    req->server->called_back = true;
    if (req->stream_gone)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    if (req->out_at == req->out.len && !req->stream_ending) {
        hc_buf_clear(&req->out);
        req->out_at = 0;
        req->pull(req, &req->out);
        if (req->out.failed)
            return MHD_CONTENT_READER_END_WITH_ERROR;
    }
    size_t len = req->out.len - req->out_at;
    if (len > 0) {
        len = len < room ? len : room;
        memcpy(to, req->out.data + req->out_at, len);
        req->out_at += len;
        return (ssize_t)len;
    }
    hc_buf_free(&req->out);                       /* a stream waits most of its life: it keeps no memory meanwhile */
    req->out_at = 0;
    if (req->stream_ending)
        return MHD_CONTENT_READER_END_OF_STREAM;
    http_suspend(req);
    return 0;
}

#define STREAM_BLOCK_BYTES 4096   /* for HTTP/1.0 peers only: chunks are written straight into the connection's pool */

void http_answer_stream(struct http_request *req, const char *content_type, void (*pull)(struct http_request *req, struct hc_buf *out))
{
    req->pull = pull;
    req->stream_ending = req->server->quiescing;
    deliver(req, MHD_HTTP_OK, MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BLOCK_BYTES, on_stream_room, req, NULL),
            content_type);
}

void http_stream_wake(struct http_request *req)
{
    assert(req->pull != NULL);
    http_resume(req);
}

void http_stream_end(struct http_request *req)
{
    assert(req->pull != NULL);
    req->stream_ending = true;
    http_resume(req);
}
