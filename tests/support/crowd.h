/* crowd.h - many calls at once, each on a connection of its own, from one thread.
 *
 *     struct crowd_call calls[3] = { { .token = a, .method = "GET", .path = path_a }, ... };
 *     crowd_open(&crowd, daemon.url, NULL);
 *     crowd_run(&crowd, calls, 3, 5000);
 *     assert_int_equal(calls[0].call.status, 200);
 *     crowd_free(calls, 3);
 *     crowd_close(&crowd);                 (in the teardown) */
#ifndef CROWD_H
#define CROWD_H

#include "daemon.h"

struct crowd { struct client_multi *multi; size_t under_way; };
struct crowd_call {
    const char *token, *method, *path, *body;       /* borrowed until it is done; token and body may be NULL */
    struct call call;                               /* .err HC_ERR_NET when the connection died */
    int64_t started_ms, took_ms;
    bool done;
    struct crowd *crowd;                            /* the crowd's own */
};

void crowd_open(struct crowd *crowd, const char *url, const char *ca_file);     /* ca_file as daemon_options' */
void crowd_close(struct crowd *crowd);                                          /* twice is once */
void crowd_start(struct crowd *crowd, uint64_t lane, struct crowd_call *call);  /* lane: calls of one peer; 0 is any connection */
void crowd_turn(struct crowd *crowd, int64_t wait_ms);                          /* waits at most so long for traffic */
bool crowd_done(struct crowd *crowd, int64_t at_most_ms);                       /* turns until nothing is under way */
/* Turns until `is_so`; fails the test when it takes too long. A call is on its way only while somebody turns: never wait without. */
void crowd_until(struct crowd *crowd, bool (*is_so)(void *ctx), void *ctx, int64_t at_most_ms);
/* Starts all at once on lanes 1, 2, ... and waits; fails the test when one is late. */
void crowd_run(struct crowd *crowd, struct crowd_call *calls, size_t count, int64_t at_most_ms);
void crowd_free(struct crowd_call *calls, size_t count);
size_t crowd_count(const struct crowd_call *calls, size_t count, long status);  /* how many were answered so */

#endif
