/* body_scene.h - what the tests of hydrabody stand on: a daemon, one host that behaves like Sunshine, the agent beside it, two heads; and
 * stream_client for a head's Moonlight. All gone after each test. */
#ifndef BODY_SCENE_H
#define BODY_SCENE_H

#include "agent_body.h"
#include "scene.h"

/* For what happens by itself; generous (sanitizers, a busy machine), and above the 30 s after which an idle body reports. */
#define BODY_WAIT_MS 60000
#define BODY_TIMERS  "agentWarmup: 1s\nbodyIdleConfirm: 2s\nbootSafeMode: 5s\n"     /* agents are young in a test */

struct body_scene {
    struct sunshine sun;
    struct agent_body agent;
    struct node body, head, other;
    struct process client;              /* stream_client */
    char client_uuid[HC_ID_SIZE];       /* of the paired client */
    char app_name[192];                 /* of the lease claimed last */
    struct held_lease lease;
};
extern struct body_scene here;

/* Setup: the daemon runs, the host runs, everybody is enrolled, the agent is ready to be started. */
int body_scene_open(void **state);
/* Setup: and the agent runs, and its slot can be granted. */
int body_scene_open_started(void **state);
int body_scene_close(void **state);     /* fails when the agent does not end well */
#define BODY_TEST(function) cmocka_unit_test_setup_teardown(function, body_scene_open, body_scene_close)
#define BODY_TEST_STARTED(function) cmocka_unit_test_setup_teardown(function, body_scene_open_started, body_scene_close)

void body_scene_start_agent(void);      /* and waits until its slot can be granted */
void body_scene_enforce(void);          /* PUT slots enforce, forced */
/* One claim of `head`, which must be granted; and waits until the body has applied it. */
void body_scene_claims(const struct node *head);
void body_scene_releases(const struct node *head);

/* The row of /slots holds this at a dotted path ("observed.state"), within the time. NULL: the path is null or missing. */
bool body_scene_waits_row(const char *path, const char *text);
bool body_scene_waits_grantable(bool grantable);
/* The host's apps.json lists an entry of this name (or: does not), within the time. */
bool body_scene_waits_entry(const char *name, bool there);
bool body_scene_has_entry(const char *name);
bool body_scene_waits_log(const char *text);            /* of the agent */
bool body_scene_waits_event(const char *type);          /* of the daemon */

/* The head's device is paired with the host, under the name that the cluster gives it. */
void body_scene_pairs(const struct node *head);
/* stream_client begins; true: it streams, false: it ended before. */
bool body_scene_streams(const char *app);
bool body_scene_client_ends(void);      /* the host has ended it, within the time */
long body_scene_sessions(void);         /* of the host */
bool body_scene_waits_host_free(void);

/* `hydrabody hook WORD` as Sunshine calls it for this app; its exit code. */
int body_scene_hook(const char *word, const char *app);

#endif
