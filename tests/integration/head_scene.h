/* head_scene.h - what the tests of hydrahead stand on: one daemon on a port that it keeps, stand-in bodies, real hydraheads. */
#ifndef HEAD_SCENE_H
#define HEAD_SCENE_H

#include "agent_head.h"
#include "scene.h"
#include "stand_in_body.h"

#define HEAD_SCENE_BODIES 2
#define HEAD_SCENE_HEADS  2
#define HEAD_SCENE_VENUE  "north"

struct head_scene {
    struct stand_in_body bodies[HEAD_SCENE_BODIES]; size_t body_count;
    struct agent_head heads[HEAD_SCENE_HEADS]; struct node nodes[HEAD_SCENE_HEADS]; size_t head_count;
    char listen[64];                    /* where the daemon is, over its restarts */
};
extern struct head_scene heads;         /* beside `scene` */

int head_scene_open(void **state);      /* setup: the daemon, nothing else. Leases are renewed each second */
int head_scene_open_asking(void **state);       /* likewise; a place in line asks after a second whether somebody is there */
int head_scene_close(void **state);     /* teardown */
#define HEAD_TEST(function) cmocka_unit_test_setup_teardown(function, head_scene_open, head_scene_close)

struct stand_in_body *head_scene_body(const char *name);
/* Enrolled, its folder made, not started. */
struct agent_head *head_scene_head(const char *name, const struct agent_head_options *options);
void head_scene_daemon_again(void);     /* after a kill: the same data, the same port */

/* Waits until the slot's lease is in this state ("" : there is none) and, when `agent` is not NULL, that head's. Fails the test with
 * the logs. */
void head_scene_lease(const struct stand_in_body *body, const char *state, const struct agent_head *agent);
void head_scene_waits(struct agent_head *agent, const char *status);        /* the local API's word; fails the test with the log */
void head_scene_waits_log(const struct agent_head *agent, const char *text);
/* The head streams on that body, and its host shows one session. */
void head_scene_streams(struct agent_head *agent, const struct stand_in_body *body);
/* The reason of the newest line of the history, when there are `count` lines. */
void head_scene_ended(size_t count, const char *reason);
long head_scene_asked(const struct stand_in_body *body, const char *what);   /* "https GET /resume": how often its host was asked */

#endif
