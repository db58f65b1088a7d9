/* wire.h - many kept-alive HTTP/1.1 connections from one thread: edge-triggered epoll over plain sockets, TLS where it is asked for.
 *
 * The load must cost less than what it measures, so there is nothing here but what the daemon's own answers need: a status line,
 * Content-Length, bodies up to WIRE_ANSWER_MAX. A connection has one request under way and one instant at which it wants to be woken. */
#ifndef BENCH_WIRE_H
#define BENCH_WIRE_H

#include <openssl/ssl.h>
#include <stdbool.h>
#include <stdint.h>

#include "hydra/base/buf.h"

#define WIRE_ANSWER_MAX ((size_t)16 * 1024 * 1024)

struct wire;
struct wire_conn;
/* The answer to the newest request; status 0: the connection broke. `body` is borrowed and NUL-terminated. May send the next request. */
typedef void wire_answer_fn(struct wire_conn *conn, unsigned status, const char *body, size_t len, int64_t took_us);
typedef void wire_due_fn(struct wire_conn *conn);

enum wire_phase { WIRE_CLOSED, WIRE_CONNECTING, WIRE_GREETING, WIRE_OPEN };

struct wire_conn {
    struct wire *wire;
    void *user;
    size_t number;
    wire_answer_fn *answered;
    wire_due_fn *due;
    int fd;
    SSL *ssl;
    enum wire_phase phase;
    bool waits;                             /* a request is under way */
    bool close_after;                       /* the daemon said Connection: close */
    struct hc_buf out, in;
    size_t out_at;
    int64_t sent_us, due_us;                /* due_us 0: never */
    size_t heap_at;                         /* its place in the heap of instants; SIZE_MAX: not in it */
};

struct wire {
    int epoll_fd;
    uint32_t address;                       /* 127.0.0.1 as the URL says it, in network order */
    uint16_t port;
    SSL_CTX *tls;                           /* NULL: plain */
    struct wire_conn *conns;
    size_t count, heap_count;
    struct wire_conn **heap;
    uint64_t broken;                        /* connections that died under a request */
    bool stop;                              /* set by a callback: wire_run() returns */
};

/* url: http://A.B.C.D:P or https://... ; any certificate is taken: what is measured is its cost. */
void wire_open(struct wire *wire, const char *url, size_t count);
void wire_close(struct wire *wire);         /* twice is once */
/* Connects when need be; the time runs from here. token and body may be NULL. */
void wire_send(struct wire_conn *conn, const char *method, const char *path, const char *token, const char *body);
void wire_hang_up(struct wire_conn *conn);  /* the next request makes a new connection */
void wire_wake_at(struct wire_conn *conn, int64_t at_us);       /* os_monotonic_us(); 0: not any more */
/* Turns until the instant is reached or a callback says stop. */
void wire_run(struct wire *wire, int64_t until_us);

#endif
