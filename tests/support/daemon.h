/* daemon.h - hydraclusterd as a child of a test, and calls to it that bring JSON back.
 *
 *     home_init(&home);
 *     daemon_start(&daemon, &home, NULL);
 *     struct call call = daemon_call(&daemon, home.admin_token, "GET", "/api/v1/slots", NULL);
 *     assert_int_equal(call.status, 200);
 *     assert_string_equal(call_str(&call, "0.body_id"), "b1");
 *     call_free(&call);
 *     assert_int_equal(daemon_stop(&daemon), 0);
 *
 * Like all of tests/support it fails the running test by itself; call daemon_end() and home_remove() in the teardown. */
#ifndef DAEMON_H
#define DAEMON_H

#include <jansson.h>

#include "hydra/base/err.h"
#include "home.h"
#include "process.h"

#define DAEMON_START_MS 20000           /* generous: sanitizers on a busy machine */
#define DAEMON_STOP_MS  15000           /* the product's own bound is 5 s after SIGTERM */
#define DAEMON_CALL_MS  20000
#define DAEMON_URL_SIZE 128

struct daemon_options {
    const char *listen;                 /* NULL: 127.0.0.1:0 */
    const char *const *args;            /* further arguments, NULL at the end; may be NULL */
    const char *timers;                 /* text of a --timers file (adds --unsafe-timers); NULL: the real ones */
    const char *ca_file;                /* for https; NULL: any certificate is taken */
    bool faults;                        /* preload faultfs.so, steered by fault.h */
};

struct daemon {
    struct process process;
    const struct home *home;
    char url[DAEMON_URL_SIZE];
    char ca_file[HOME_PATH_SIZE];
    struct client *client;
    bool described;                     /* its answers are held against docs/openapi.yaml; set by daemon_start() */
};

/* Starts it and waits for `ready url=... pid=...`. `options` may be NULL. On failure the daemon's log is printed. */
void daemon_start(struct daemon *daemon, const struct home *home, const struct daemon_options *options);
/* Starts one that is expected to refuse; returns its exit code. `last_line` (may be NULL) gets the last line of its log. */
int daemon_refuses(const struct home *home, const struct daemon_options *options, char last_line[PROCESS_LINE_MAX]);
void daemon_signal(const struct daemon *daemon, int signal);
int daemon_wait(struct daemon *daemon, int64_t at_most_ms);     /* as process_wait() */
int daemon_stop(struct daemon *daemon);                         /* SIGTERM and daemon_wait(); the exit code */
void daemon_kill(struct daemon *daemon);                        /* SIGKILL and gone; nothing was finished */
void daemon_end(struct daemon *daemon);                         /* for teardown: whatever state it is in */

struct call {
    enum hc_err err;                    /* from daemon_try(): HC_ERR_NET or HC_ERR_TIMEOUT when there was no answer */
    long status;
    int retry_after_seconds;            /* -1: none */
    json_t *json;                       /* NULL when the body is not JSON */
    char *text;                         /* the body as it came; NULL when there was no answer */
};

/* One call on the daemon's kept-alive connection. token and body may be NULL. No answer fails the test, and so does one that
 * docs/openapi.yaml does not describe. */
struct call daemon_call(struct daemon *daemon, const char *token, const char *method, const char *path, const char *body);
/* The same, with the body built like printf does. */
struct call daemon_callf(struct daemon *daemon, const char *token, const char *method, const char *path, const char *format, ...)
    HC_PRINTF(5, 6);
/* For tests that expect no answer: a failure is in .err. */
struct call daemon_try(struct daemon *daemon, const char *token, const char *method, const char *path, const char *body);
void call_free(struct call *call);

/* What lies at a dotted path, "slots.0.state". call_value: borrowed, NULL when there is nothing; the others fail the test when it is
 * missing or of another type. */
json_t *call_value(const struct call *call, const char *path);
const char *call_str(const struct call *call, const char *path);
int64_t call_int(const struct call *call, const char *path);
bool call_bool(const struct call *call, const char *path);

#endif
