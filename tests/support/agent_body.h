/* agent_body.h - hydrabody as a child of a test, beside a host that behaves like Sunshine and a cluster that may come and go.
 *
 *     sunshine_start(&sun, &home, "sun-0", &options);                  (apps: agent_body_apps())
 *     agent_body_make(&agent, &home, "body-0", daemon.url, &node, &sun, 1);
 *     agent_body_start(&agent);
 *     ...
 *     assert_int_equal(agent_body_stop(&agent), 0);
 *
 * The hook of the applications is a script that calls `hydrabody hook` with the agent's port, whatever port that is just now. Like all of
 * tests/support it fails the running test by itself; call agent_body_end() in the teardown. */
#ifndef AGENT_BODY_H
#define AGENT_BODY_H

#include "daemon.h"
#include "fleet.h"
#include "sunshine.h"

#define AGENT_BODY_SLOTS_MAX 4
#define AGENT_BODY_START_MS  20000          /* generous: sanitizers on a busy machine */
#define AGENT_BODY_STOP_MS   15000
#define AGENT_BODY_TOKEN     "local-test-token"     /* of its local API */

struct agent_body {
    struct process process;
    const struct home *home;
    char folder[HOME_PATH_SIZE];            /* ROOT/NAME: configuration, secrets, state/, port */
    char name[64], url[DAEMON_URL_SIZE];
    bool faults;                            /* preload faultfs.so, steered by fault.h */
    size_t slots;
};

/* The text of an apps.json: "Desktop", and FLEET_EXPERIENCE, which begins with the hook of the agent NAME and runs until it is ended.
 * hc_free() it. */
char *agent_body_apps(const struct home *home, const char *name, unsigned slot);
/* Writes configuration and secrets of the agent NAME into ROOT/NAME. It knows the cluster by its URL: that may be away. */
void agent_body_make(struct agent_body *agent, const struct home *home, const char *name, const char *server_url, const struct node *node,
                     const struct sunshine *hosts, size_t count);
void agent_body_start(struct agent_body *agent);        /* waits for its ready line; the port is the hooks' from now on */
void agent_body_kill(struct agent_body *agent);         /* SIGKILL and gone */
int agent_body_stop(struct agent_body *agent);          /* SIGTERM; its exit code */
void agent_body_end(struct agent_body *agent);          /* for teardown: whatever state it is in */

/* One call to its local API, with the local token. */
struct call agent_body_call(const struct agent_body *agent, const char *method, const char *path, const char *body);
/* Runs `hydrabody WORDS...`, NULL at the end; its exit code. `output` (may be NULL) gets its stdout. */
int agent_body_run(const struct agent_body *agent, const char *const *words, const char *const *env, char *output, size_t size);
char *agent_body_log(const struct agent_body *agent);   /* hc_free() it */
bool agent_body_log_has(const struct agent_body *agent, const char *text);

#endif
