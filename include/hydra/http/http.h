/* http.h - libmicrohttpd 0.9.75 driven by our epoll loop (architecture §2). Knows no routes.
 *
 * One thread, the loop thread, makes every call here. A request goes through three callbacks of the owner:
 *   begin  when the headers are complete, before a body byte is kept: match, authenticate, check the length. An answer refuses the body.
 *   ready  when the body is complete and within its limit: answer, or park and answer later.
 *   done   exactly once, when libmicrohttpd has let go of the request (also after an abort): the last chance to touch it.
 * A parked request stays valid until it is answered; every park has a deadline, at which `late` is called and must answer. */
#ifndef HYDRA_HTTP_HTTP_H
#define HYDRA_HTTP_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hydra/base/arena.h"
#include "hydra/base/buf.h"
#include "hydra/base/err.h"
#include "hydra/base/id.h"
#include "hydra/metrics/metrics.h"

enum http_method { HTTP_GET, HTTP_HEAD, HTTP_POST, HTTP_PUT, HTTP_DELETE, HTTP_OTHER, HTTP_METHODS };
enum http_park_why { HTTP_PARK_COMMIT, HTTP_PARK_NEWS, HTTP_PARK_SLOT, HTTP_PARK_WHYS };

#define HTTP_BODY_MAX        ((size_t)256 * 1024)   /* wire §0: 413 above */
#define HTTP_BODIES_KEPT_MAX ((size_t)64 * 1024 * 1024) /* of all requests together: 503 above */
#define HTTP_REQUEST_ID_SIZE HC_ID_SIZE                 /* ours has 32 digits; the peer's own is kept when it is an id */

struct http_limits {
    unsigned connections;      /* 8192 */
    unsigned per_address;      /* 256; loopback and trusted proxies are exempt */
    unsigned header_bytes;     /* 7168 */
    unsigned idle_seconds;     /* 75 */
    unsigned first_request_seconds;   /* 10 */
};
struct http_config {
    const char *address;       /* "127.0.0.1", "::1", "0.0.0.0" */
    uint16_t port;             /* 0: a free one */
    const char *cert_pem, *key_pem;   /* both, or neither: plain HTTP */
    struct http_limits limits;
    const char *const *trusted_proxies; size_t trusted_proxy_count;   /* addresses */
    bool log_each_request;
};

struct http_request;
struct http_owner {
    void *ctx;
    void (*begin)(void *ctx, struct http_request *req);
    void (*ready)(void *ctx, struct http_request *req);
    void (*done)(void *ctx, struct http_request *req);
};

bool http_address_ok(const char *text);     /* an IPv4 or IPv6 address in digits, as in trusted_proxies */

struct http_server;
HC_MUST enum hc_err http_start(const struct http_config *config, const struct http_owner *owner, struct metrics *metrics,
                               struct http_server **ret_server, struct hc_diag *diag);
uint16_t http_port(const struct http_server *server);
bool http_is_tls(const struct http_server *server);
/* New connections greet with this certificate from now on; open ones go on with theirs. Only where http_is_tls(). Copies both texts.
 * HC_ERR_CONFIG: not usable, or the key is another's; then nothing has changed. */
HC_MUST enum hc_err http_renew_certificate(struct http_server *server, const char *cert_pem, const char *key_pem, struct hc_diag *diag);
int http_epoll_fd(const struct http_server *server);        /* to wait on, level-triggered, in the loop's own epoll */
/* Wait at most this long (250 ms; not 0 while it spins). Ask before each wait: an answer to a parked request wakes no descriptor. */
int64_t http_wait_ms(struct http_server *server);
void http_turn(struct http_server *server);                 /* MHD_run, deadlines of parks, idle sweep once a second */
/* Stop: no new connections; requests that arrive get 503 `stopping` with Connection: close; every park's `late` is called.
 * Turn on until http_open_requests() is 0 or the caller's patience ends, then http_free(). */
void http_quiesce(struct http_server *server);
unsigned http_open_requests(const struct http_server *server);
void http_free(struct http_server *server);                 /* accepts NULL; answers what is still parked with 503 first */

/* What the request says. Strings live as long as the request. */
enum http_method http_method(const struct http_request *req);
const char *http_path(const struct http_request *req);          /* decoded; no trailing slash but "/" itself */
const char *http_query(const struct http_request *req, const char *key);    /* decoded; NULL: absent; "" : empty */
bool http_query_next(const struct http_request *req, size_t *at, const char **ret_key, const char **ret_value);  /* *at starts at 0 */
const char *http_header(const struct http_request *req, const char *name);  /* NULL: absent */
const char *http_body(const struct http_request *req, size_t *ret_len);     /* valid from ready on; NUL-terminated */
const char *http_peer(const struct http_request *req);          /* the address; of X-Forwarded-For when the peer is a trusted proxy */
bool http_peer_is_loopback(const struct http_request *req);     /* of the socket itself */
const char *http_request_id(const struct http_request *req);
int64_t http_age_us(const struct http_request *req);            /* since its first byte was seen */
struct hc_arena *http_arena(struct http_request *req);          /* freed after done */
void http_set_user(struct http_request *req, void *user);
void *http_user(const struct http_request *req);
void http_set_route(struct http_request *req, const char *route); /* "/api/v1/heads/{id}", for metrics and log; not copied: outlives done */
void http_set_body_limit(struct http_request *req, size_t limit);   /* in begin only */

/* Answering: once per request, in begin, ready, late, or any time while parked. Copies the body. content_type NULL: application/json. */
void http_header_add(struct http_request *req, const char *name, const char *value);   /* before the answer; not empty, at most 16 */
void http_answer(struct http_request *req, unsigned status, const char *content_type, const char *body, size_t len);
bool http_answered(const struct http_request *req);
/* Parking: from ready, or anew (another reason, another deadline) while parked. `late` runs at the deadline (os_monotonic_ms clock)
 * and must answer or park again. */
void http_park(struct http_request *req, enum http_park_why why, int64_t deadline_ms, void (*late)(struct http_request *req));
bool http_parked(const struct http_request *req);

/* A stream (SSE): answers 200 at once and stays open. `pull` is asked for more bytes whenever the peer can take some: it appends to `out`
 * and returns; nothing appended means "wait for http_stream_wake". The peer's disappearance shows as done(). */
void http_answer_stream(struct http_request *req, const char *content_type, void (*pull)(struct http_request *req, struct hc_buf *out));
void http_stream_wake(struct http_request *req);
void http_stream_end(struct http_request *req);

#endif
