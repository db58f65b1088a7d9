/* client.h - a small HTTPS client (libcurl): blocking calls for the CLI and the agents, an answer that goes on (server-sent events), and a
 * multi driver for the fleet simulator. */
#ifndef HYDRA_CLIENT_CLIENT_H
#define HYDRA_CLIENT_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hydra/base/buf.h"
#include "hydra/base/err.h"

#define CLIENT_ANSWER_MAX ((size_t)16 * 1024 * 1024)

struct client_options {
    const char *server_url;       /* http://127.0.0.1:8080 */
    const char *ca_file;          /* NULL: the system's */
    bool insecure;                /* accept any certificate; for tests and the first look */
    int64_t timeout_ms;           /* of one call; 15,000 is what shipping heads use */
};
/* status 0: no answer; retry_after_seconds -1: none was sent. */
struct client_answer { long status; struct hc_buf body; int64_t took_us; int retry_after_seconds; };
void client_answer_free(struct client_answer *answer);

struct client;                    /* one connection kept alive; one thread at a time */
HC_MUST enum hc_err client_open(const struct client_options *options, struct client **ret_client, struct hc_diag *diag);
struct client *client_close(struct client *client);      /* accepts NULL, returns NULL */
/* method "GET"; path "/api/v1/slots?x=y"; token and body may be NULL. HC_ERR_NET, HC_ERR_TIMEOUT with diag; any HTTP status is HC_OK.
 * Also HC_ERR_LIMIT (an answer over CLIENT_ANSWER_MAX), HC_ERR_SYNTAX (a path or token that must not be sent), HC_ERR_CONFIG (the CA
 * file), HC_ERR_NOMEM. *ret_answer is the caller's to free; its body is NUL-terminated, also when empty. No redirect is followed, no
 * proxy is used. */
HC_MUST enum hc_err client_call(struct client *client, const char *method, const char *path, const char *token, const char *body,
                                struct client_answer *ret_answer, struct hc_diag *diag);

/* An answer without an end, read as it comes. One thread at a time. */
struct client_stream;
struct client_stream_spec {
    const char *path, *token;         /* as client_call's; token may be NULL */
    const char *last_event_id;        /* sent as Last-Event-ID; NULL, "" or no word of printable ASCII: not sent */
    int64_t quiet_ms;                 /* rounded up to seconds: a peer that says nothing for so long is gone */
};
/* Connects with the first turn. Errors as client_call's. */
HC_MUST enum hc_err client_stream_open(const struct client_options *options, const struct client_stream_spec *spec,
                                       struct client_stream **ret_stream, struct hc_diag *diag);
struct client_stream *client_stream_close(struct client_stream *stream);      /* accepts NULL, returns NULL */
/* Waits at most wait_ms (up to ten minutes) and appends what came to `out`. HC_OK: it goes on. HC_ERR_NET, HC_ERR_TIMEOUT: it is over, and
 * all that came was handed out by the turns before. HC_ERR_LIMIT, HC_ERR_NOMEM. */
HC_MUST enum hc_err client_stream_turn(struct client_stream *stream, int64_t wait_ms, struct hc_buf *out, struct hc_diag *diag);
long client_stream_status(const struct client_stream *stream);                /* 0: no answer yet */

/* Many calls at once on one thread. `done` runs inside client_multi_turn (or _close), may start further calls, and only borrows `answer`
 * (status 0 unless err is HC_OK). err as client_call's. */
struct client_multi;
typedef void client_done_fn(void *ctx, enum hc_err err, const struct client_answer *answer);
HC_MUST enum hc_err client_multi_open(const struct client_options *options, struct client_multi **ret_multi, struct hc_diag *diag);
struct client_multi *client_multi_close(struct client_multi *multi);      /* calls under way end with HC_ERR_NET */
/* `lane` keeps calls of one peer on a connection of their own, as real devices have (0: any). timeout_ms 0: the option's. */
HC_MUST enum hc_err client_multi_call(struct client_multi *multi, uint64_t lane, const char *method, const char *path, const char *token,
                                      const char *body, int64_t timeout_ms, client_done_fn *done, void *ctx);
void client_multi_turn(struct client_multi *multi, int64_t wait_ms);      /* waits at most wait_ms for traffic, runs what is due */
size_t client_multi_under_way(const struct client_multi *multi);

#endif
