/* follower.h - the daemon's events as they happen, over lost connections and restarts: each is told once, none that the daemon still keeps
 * is left out (Last-Event-ID). */
#ifndef CTL_FOLLOWER_H
#define CTL_FOLLOWER_H

#include "context.h"
#include "sse.h"

#define FOLLOWER_QUIET_MS 40000         /* the daemon says something every 15 s */
#define FOLLOWER_RETRY_MS 1000

enum follower_news {
    FOLLOWER_NOTHING,
    FOLLOWER_EVENTS,        /* on_event was called */
    FOLLOWER_CONNECTED,     /* for the first time, or again */
    FOLLOWER_LOST,          /* told once; it goes on trying */
    FOLLOWER_UNREACHABLE,   /* there was no connection yet, and there is none to be had: it is over */
    FOLLOWER_REFUSED        /* the server will not have us: it is over */
};
struct follower {
    struct context *context;
    const char *path;               /* with its query */
    sse_event_fn *on_event;
    void *ctx;
    struct sse sse;
    struct client_stream *stream;
    int64_t retry_at_ms, lost_at_ms;
    bool connected, was_connected, told_lost, came;
    struct hc_diag diag;            /* why, for LOST, UNREACHABLE, REFUSED */
};
/* Waits at most wait_ms. */
enum follower_news follower_turn(struct follower *follower, int64_t wait_ms);
int64_t follower_lost_ms(const struct follower *follower);        /* how long there has been no connection; 0: there is one */
void follower_close(struct follower *follower);

/* SIGINT and SIGTERM end what follows in good order: true once one has come. */
void follower_heed_signals(void);
bool follower_told_to_stop(void);

#endif
