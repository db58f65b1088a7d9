/* scene.h - what most integration tests stand on: one home, one daemon, gone after each test. */
#ifndef SCENE_H
#define SCENE_H

#include "daemon.h"
#include "fault.h"
#include "fleet.h"

#define SCENE_WAIT_MS 20000             /* for what happens by itself; generous: sanitizers on a busy machine */

struct scene { struct home home; struct daemon daemon; };
extern struct scene scene;

int scene_open(void **state);           /* setup: an initialised home; the daemon is not started */
int scene_open_started(void **state);   /* setup: and a daemon without options */
int scene_close(void **state);          /* teardown */
#define SCENE_TEST(function) cmocka_unit_test_setup_teardown(function, scene_open, scene_close)
#define SCENE_TEST_STARTED(function) cmocka_unit_test_setup_teardown(function, scene_open_started, scene_close)

void scene_start(const struct daemon_options *options);     /* may be NULL */
void scene_stop(void);                                      /* SIGTERM; fails the test unless it exits 0 */
void scene_restart_killed(const struct daemon_options *options);        /* kill -9 and start again */

/* Replaces the first `from` in a file of the home by `to`; fails the test when it is not there. */
void scene_edit(const char *name, const char *from, const char *to);
/* Writes both generation keys of a data file, as another process that saves it does. */
void scene_next_generation(const char *name);
bool scene_log_has(const char *text);                       /* anywhere in the daemon's log */
/* How many requests wait in the daemon for `why`: commit, news or slot (the metric http_parked). */
unsigned scene_parked(const char *why);
/* The status of one call as admin. */
long scene_admin(const char *method, const char *path, const char *body);
/* Fails the test unless the answer has this status and this `error`; frees it. */
void scene_expect(struct call call, long status, const char *error);

#endif
