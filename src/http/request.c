/* request.c - the library's repeated callbacks, made into begin, ready and done. */
#include "server.h"

#include <assert.h>
#include <string.h>

#include "hydra/base/id.h"
#include "hydra/base/log.h"
#include "hydra/os/clock.h"
#include "hydra/os/random.h"

#define BUSY_RETRY_SECONDS 1

static enum http_method method_of(const char *text)
{
    static const char *const words[] = { [HTTP_GET] = "GET", [HTTP_HEAD] = "HEAD", [HTTP_POST] = "POST", [HTTP_PUT] = "PUT",
                                         [HTTP_DELETE] = "DELETE" };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(text, words[i]) == 0)
            return (enum http_method)i;
    return HTTP_OTHER;
}

static void make_id(struct http_request *req)
{
    struct http_server *server = req->server;
    if (server->random_left == 0) {
        os_random(server->random, sizeof server->random);
        server->random_left = HTTP_RANDOM_IDS;
    }
    hc_hex(server->random + --server->random_left * HTTP_ID_BYTES, HTTP_ID_BYTES, req->own_id);
    req->id = req->own_id;
}

void *http_on_target(void *cls, const char *target, struct MHD_Connection *mhd)
{
    struct http_server *server = cls;
    server->called_back = true;
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    struct http_conn *conn = info == NULL ? NULL : info->socket_context;
    if (conn == NULL)
        return NULL;
    http_greeted(conn);
    struct hc_arena arena = { 0 };
    struct http_request *req = hc_arena_alloc(&arena, sizeof *req);
    size_t len = strlen(target);
    char *raw = req == NULL ? NULL : hc_arena_strndup(&arena, target, len);
    if (raw == NULL) {
        hc_arena_free(&arena);
        return NULL;
    }
    req->arena = arena;
    req->server = server;
    req->conn = conn;
    req->raw = raw;
    req->raw_len = len;
    req->raw_at = (uintptr_t)target;
    req->start_us = os_monotonic_us();
    req->body_limit = HTTP_BODY_MAX;
    make_id(req);
    conn->request = req;
    return req;
}

/* Answered before the body came. Kept until the (dropped) body has passed, so that the peer reads the answer and the connection lives on;
 * at once, which makes the library close, when the peer waits for a word before it sends, sends too much, or frames it doubtfully. */
static void settle_early(struct http_request *req)
{
    if (req->close || (req->has_body && (req->expects_continue || req->length > HTTP_DRAIN_MAX)))
        http_hand_over(req);
}

static void refuse_too_large(struct http_request *req)
{
    http_refuse(req, MHD_HTTP_CONTENT_TOO_LARGE, "body_too_large", "The body is larger than this route takes.", 0);
}

static void take_head(struct http_request *req, const char *version)
{
    unsigned status;
    const char *field = NULL, *detail = http_head_read(req, version, &status);
    if (detail == NULL) {
        enum hc_err err = http_target_parse(&req->arena, req->raw, &req->target, &detail, &field);
        if (err == HC_ERR_NOMEM) {
            http_refuse(req, MHD_HTTP_SERVICE_UNAVAILABLE, "busy", "There is no memory for this request; ask again.", BUSY_RETRY_SECONDS);
            return;
        }
        if (err == HC_OK)
            detail = NULL;
    }
    if (detail != NULL) {
        req->close = true;
        http_refuse_field(req, status, status == MHD_HTTP_BAD_REQUEST ? "bad_request" : "headers_too_large", detail, field);
        return;
    }
    if (req->server->quiescing) {
        req->close = true;
        http_refuse_stopping(req);
        return;
    }
    req->begun = true;
    req->server->open_requests++;
    req->server->owner.begin(req->server->owner.ctx, req);
    assert(!req->parked);
    if (!req->answered && req->length > req->body_limit)
        refuse_too_large(req);
}

static void drop_body(struct http_request *req)
{
    req->server->bodies_kept -= req->body_size;
    hc_free(req->body);
    req->body = NULL;
    req->body_len = req->body_size = 0;
}

/* Memory grows with what has come, never with what a header promises. */
static bool keep_body(struct http_request *req, const char *bytes, size_t len)
{
    size_t need = req->body_len + len + 1;
    if (need > req->body_size) {
        size_t most = (req->chunked ? req->body_limit : (size_t)req->length) + 1;
        size_t size = req->body_size == 0 ? HTTP_BODY_FIRST : 2 * req->body_size;
        size = size < need ? need : size;
        size = size > most ? most : size;
        if (size - req->body_size > HTTP_BODIES_KEPT_MAX - req->server->bodies_kept)
            return false;
        char *body = hc_realloc(req->body, size);
        if (body == NULL)
            return false;
        req->server->bodies_kept += size - req->body_size;
        req->body = body;
        req->body_size = size;
    }
    memcpy(req->body + req->body_len, bytes, len);
    req->body_len += len;
    req->body[req->body_len] = '\0';
    return true;
}

/* False: the peer sends more of a refused body than we care to read. */
static bool take_body(struct http_request *req, const char *bytes, size_t len)
{
    if (req->answered) {
        req->dropped += len;
        return req->dropped <= HTTP_DRAIN_MAX;
    }
    if (len > req->body_limit - req->body_len) {
        drop_body(req);
        refuse_too_large(req);
    } else if (!keep_body(req, bytes, len)) {
        drop_body(req);
        http_refuse(req, MHD_HTTP_SERVICE_UNAVAILABLE, "busy", "Too many bodies are being received; ask again.", BUSY_RETRY_SECONDS);
    }
    return true;
}

static void take_end(struct http_request *req)
{
    struct http_conn *conn = req->conn;
    req->phase = HTTP_PHASE_OWNED;
    conn->quiet_since_ms = os_monotonic_ms();
    if (!conn->first_done) {
        conn->first_done = true;
        (void)MHD_set_connection_option(conn->mhd, MHD_CONNECTION_OPTION_TIMEOUT, req->server->limits.idle_seconds);
    }
    if (!req->answered && req->server->quiescing)
        http_refuse_stopping(req);
    if (!req->answered)
        req->server->owner.ready(req->server->owner.ctx, req);
    assert(req->answered || req->parked);
    if (req->answered)
        http_hand_over(req);
    else
        http_suspend(req);
}

enum MHD_Result http_on_request(void *cls, struct MHD_Connection *mhd, const char *url, const char *method, const char *version,
                                const char *upload, size_t *upload_len, void **context)
{
    (void)mhd;
    (void)url;
    struct http_server *server = cls;
    struct http_request *req = *context;
    server->called_back = true;
    if (req == NULL)
        return MHD_NO;                            /* there was no memory when its first line came */
    bool go_on = true;
    req->in_callback = true;
    switch (req->phase) {
    case HTTP_PHASE_LINE:
        req->phase = HTTP_PHASE_BODY;
        req->method_text = method;
        req->method = method_of(method);
        take_head(req, version);
        if (req->answered)
            settle_early(req);
        break;
    case HTTP_PHASE_BODY:
        if (*upload_len > 0) {
            go_on = take_body(req, upload, *upload_len);
            *upload_len = 0;
        } else {
            take_end(req);
        }
        break;
    case HTTP_PHASE_OWNED:
        /* Resumed without a response: making it failed. */
        assert(req->failed);
        break;
    }
    req->in_callback = false;
    return go_on && !req->failed ? MHD_YES : MHD_NO;
}

static void status_text(unsigned status, char out[4])
{
    out[0] = (char)('0' + status / 100 % 10);
    out[1] = (char)('0' + status / 10 % 10);
    out[2] = (char)('0' + status % 10);
    out[3] = '\0';
}

/* What the peer was told: by us, by the library, or nothing ("000"). */
static unsigned status_told(const struct http_request *req)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(req->conn->mhd, MHD_CONNECTION_INFO_HTTP_STATUS);
    return info == NULL ? 0 : info->http_status;
}

static void account(struct http_request *req)
{
    struct http_server *server = req->server;
    char status[4];
    unsigned told = status_told(req);
    status_text(told, status);
    const char *route = req->route == NULL ? "none" : req->route;
    metrics_add(server->metrics, METRIC_HTTP_REQUESTS, 1, route, status);
    bool refused = told >= MHD_HTTP_BAD_REQUEST && !server->log_each_request &&
                   refused_log_room(&server->refused, os_monotonic_ms(), server->metrics);
    if (server->log_each_request || refused)
        hc_log(HC_LOG_INFO, refused ? "http_refused" : "http_request",
               "id=%s peer=%s method=%s path=%s route=%s status=%s us=%lld", req->id,
               req->peer == NULL ? req->conn->peer : req->peer, req->method_text == NULL ? "-" : hc_logq(req->method_text),
               req->target.path == NULL ? "-" : hc_logq(req->target.path), route, status, (long long)http_age_us(req));
}

void http_on_completed(void *cls, struct MHD_Connection *mhd, void **context, enum MHD_RequestTerminationCode why)
{
    (void)mhd;
    (void)why;
    struct http_server *server = cls;
    struct http_request *req = *context;
    server->called_back = true;
    *context = NULL;
    if (req == NULL)
        return;
    assert(!req->parked && !req->suspended);
    req->answered = true;                         /* too late for one */
    if (req->begun) {
        server->open_requests--;
        server->owner.done(server->owner.ctx, req);
    }
    account(req);
    if (req->response != NULL)
        MHD_destroy_response(req->response);
    drop_body(req);
    hc_buf_free(&req->out);
    req->conn->request = NULL;
    req->conn->quiet_since_ms = os_monotonic_ms();
    struct hc_arena arena = req->arena;
    hc_arena_free(&arena);
}
