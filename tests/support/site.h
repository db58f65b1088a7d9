/* site.h - a whole site on loopback, every part of it the real program: hydraclusterd with TLS; bodies, each a sunshine_host and the
 * hydrabody beside it; heads, each a hydrahead that streams with stream_client.
 *
 *     site_open(&site, NULL);
 *     site_add_body(&site, "boom", &(struct site_body_options){ .enforce = true });
 *     site_add_head(&site, "ipad-1");
 *     site_head_starts(&site.heads[0]);
 *     assert_true(site_waits_picture(&site, 0, 0, SITE_WAIT_MS));
 *     site_close(&site);                                       (in the teardown)
 *
 * All are of one venue unless the test names another, and know FLEET_EXPERIENCE alone. The ends of all logs are printed when a wait of
 * this file fails. Like all of tests/support it fails the running test by itself. */
#ifndef SITE_H
#define SITE_H

#include "agent_body.h"
#include "agent_head.h"
#include "watch.h"

#define SITE_BODIES_MAX 12
#define SITE_HEADS_MAX  12
#define SITE_NAME_SIZE  32
#define SITE_WAIT_MS    60000               /* for what happens by itself; as BODY_WAIT_MS of the integration tests */
#define SITE_VENUE      "museum"

struct site_body_options { const char *version; bool enforce; };        /* version NULL: the newest */
struct site_body { struct site *site; char name[SITE_NAME_SIZE]; struct node node; struct sunshine host; struct agent_body agent; };
struct site_head { struct site *site; char name[SITE_NAME_SIZE]; struct node node; struct agent_head agent; };
struct site {
    struct home home;
    struct daemon daemon;
    char cert[HOME_PATH_SIZE], key[HOME_PATH_SIZE], listen[64];
    const char *timers;
    const char *venue;                      /* of what is added next; SITE_VENUE at first */
    struct site_body bodies[SITE_BODIES_MAX]; size_t body_count;
    struct site_head heads[SITE_HEADS_MAX]; size_t head_count;
    struct watch watch;                     /* started by site_watch() */
};

/* `timers`: further lines of the timers file; NULL: none. agentWarmup is two seconds: agents are young in a test. */
void site_open(struct site *site, const char *timers);
void site_close(struct site *site);         /* teardown: whatever state it is in; twice is once */
/* Enrols it, starts its host and its agent, and waits until the cluster has its report. */
struct site_body *site_add_body(struct site *site, const char *name, const struct site_body_options *options);
struct site_head *site_add_head(struct site *site, const char *name);
void site_watch(struct site *site);         /* from now on the hosts are watched (watch.h) */

void site_daemon_again(struct site *site);      /* after daemon_kill() or daemon_stop(): the same folder and port */
void site_head_forgets(struct site_head *head); /* its pins: it pairs anew with every host */

/* Does the host of that body show its picture to that head, and to nobody else? From the watch. */
bool site_has_picture(struct site *site, size_t body, size_t head);
int site_body_of(struct site *site, size_t head);               /* the body whose host it views; -1: none */
/* Waits on a condition and looks after the watch meanwhile. False: the time is over; all logs have been printed. */
bool site_waits(struct site *site, bool (*is_so)(void *ctx), void *ctx, int64_t at_most_ms);
bool site_waits_picture(struct site *site, size_t body, size_t head, int64_t at_most_ms);
bool site_waits_any_picture(struct site *site, size_t head, int64_t at_most_ms);
bool site_waits_place(struct site *site, size_t head, long place, int64_t at_most_ms);
bool site_waits_status(struct site *site, size_t head, const char *status, int64_t at_most_ms);
/* The row of a body in /slots, borrowed from the call, which call_free() frees. */
json_t *site_row(struct site *site, size_t body, struct call *ret_call);
void site_print_logs(struct site *site);

#endif
