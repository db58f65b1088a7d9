/* fixture.h - a real server on a loopback port, its owner, and raw nonblocking clients, all in the test's own thread. */
#ifndef HYDRA_TESTS_UNIT_HTTP_FIXTURE_H
#define HYDRA_TESTS_UNIT_HTTP_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "hydra/base/buf.h"
#include "hydra/http/http.h"
#include "hydra/metrics/metrics.h"

#define FIXTURE_WAIT_MS 8000          /* nothing in these tests may take longer */
#define FIXTURE_PARKS   512

/* The owner's routes:
 *   /echo         the body comes back                    /show       what http.h says about the request
 *   /big?bytes=N  an answer of N bytes                   /limit?bytes=N  takes that much body
 *   /early?status=N  answered in begin                   /park?ms=N  parked; `late` answers 503, or parks again with &again=1
 *   /stream       a stream fed from fixture.feed         anything else: 404 in begin */
struct fixture {
    struct http_config config;
    struct http_server *server;
    struct metrics *metrics;
    unsigned begun, ready, done, late, pulls;
    struct http_request *parked[FIXTURE_PARKS]; size_t parked_count;
    struct http_request *stream;
    size_t body_len;                  /* of the newest request that was ready */
    const char *feed;                 /* what the next pull gives, once */
    bool feed_for_ever;
    bool stream_over;
};

struct reply { int status; bool closed; struct hc_buf head, body; };

void fixture_open(struct fixture *f);                         /* with defaults */
void fixture_open_with(struct fixture *f, struct http_config config);
struct http_config fixture_config(void);
void fixture_close(struct fixture *f);

void fixture_turn(struct fixture *f, int most_ms);
/* Turns until `is_so(arg)`; fails the test after FIXTURE_WAIT_MS. */
void fixture_until(struct fixture *f, bool (*is_so)(void *arg), void *arg);
void fixture_until_done(struct fixture *f, unsigned count);    /* so many requests in all */
void fixture_until_parked(struct fixture *f, size_t count);    /* so many at present */
void fixture_for(struct fixture *f, int ms);                  /* turns for that long, to see that something does not happen */

int client_open(struct fixture *f);
int client_open_to(struct fixture *f, const char *address);
void client_close(int *fd);
void client_send(struct fixture *f, int fd, const char *bytes, size_t len);
void client_say(struct fixture *f, int fd, const char *text);
bool client_is_closed(int fd);                                /* by the server, with nothing left to read */
/* One whole reply (to HEAD: has_body false); fails the test when none comes. Fields are freed by reply_free(). */
void client_read(struct fixture *f, int fd, bool has_body, struct reply *reply);
void client_until_closed(struct fixture *f, int fd);           /* whatever still comes is dropped */
void reply_free(struct reply *reply);
bool reply_has(const struct reply *reply, const char *text);  /* in the head, ignoring case */
/* Says `text`, reads the reply, checks the status. */
void client_ask(struct fixture *f, int fd, const char *text, int status, struct reply *reply);
void client_expect(struct fixture *f, int fd, const char *text, int status);   /* the same without a look at it */
double fixture_metric(struct fixture *f, const char *series);                  /* 0 when there is none */

#endif
