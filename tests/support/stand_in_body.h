/* stand_in_body.h - a modern body without its agent: a host that behaves like Sunshine, and a thread of the test that reports it, applies
 * what it is told (entries, epochs, the end of what ran), and passes PINs on. Written apart from hydrabody, so that a head is not tested
 * against the agent of the same house.
 *
 * The thread asserts nothing: what it cannot do it does again. */
#ifndef STAND_IN_BODY_H
#define STAND_IN_BODY_H

#include <pthread.h>
#include <stdatomic.h>

#include "daemon.h"
#include "fleet.h"
#include "sunshine.h"

struct stand_in_body {
    struct node node;
    struct sunshine host;
    char url[DAEMON_URL_SIZE];
    pthread_t thread;
    bool runs;
    atomic_bool stop;
    atomic_int wrong_pins;          /* so many PINs are passed on with another last digit */
    atomic_bool hides_cert;         /* reports without sunshine_cert_fp */
    atomic_bool blind;              /* does not look at its host: reports an idle slot and confirms what it is told */
    atomic_uint pins;               /* passed on so far */
    char listed_head[HC_ID_SIZE];   /* reports that its host has this head as a client; "" : no list at all */
    char named_fp[65];              /* the fingerprint that it reports; set before the start, or by stand_in_body_names() */
    pthread_mutex_t mutex;          /* guards named_fp and listed_head */
};

/* Enrols it with the address 127.0.0.1, starts its host in ROOT/NAME and its thread, and waits until the cluster has its report. */
void stand_in_body_start(struct stand_in_body *body, struct daemon *daemon, const char *name, const char *venue);
/* From now on it reports the fingerprint that its host has now. */
void stand_in_body_names(struct stand_in_body *body);
void stand_in_body_lists(struct stand_in_body *body, const char *head_id);
/* Switches all clients of its host on or off, as a gate does; through the web API, on the test's thread. */
void stand_in_body_gates(struct stand_in_body *body, bool open);
void stand_in_body_end(struct stand_in_body *body);         /* teardown: whatever state it is in */
size_t stand_in_body_sessions(const struct stand_in_body *body);        /* of its host */

#endif
