/* agent_head.h - hydrahead as a child of a test: its folder, its local API, its end.
 *
 *     struct node node = fleet_head(&daemon, "h1", "north");
 *     agent_head_make(&agent, &home, "h1", daemon.url, &node, NULL);
 *     agent_head_start(&agent);
 *     agent_head_wants(&agent, FLEET_EXPERIENCE);
 *     assert_true(agent_head_waits(&agent, "streaming", 20000));
 *     assert_int_equal(agent_head_stop(&agent), 0);
 *
 * Its streaming program is stream_client. Everything of it is in ROOT/NAME: config.yaml, token, state/, log. Like all of tests/support it
 * fails the running test by itself; call agent_head_end() in the teardown. */
#ifndef AGENT_HEAD_H
#define AGENT_HEAD_H

#include "daemon.h"
#include "fleet.h"

#define AGENT_HEAD_STOP_MS 40000        /* the program's own bound is 25 s */

struct agent_head_options {
    const char *command;                /* NULL: stream_client with all that it takes */
    const char *more;                   /* further lines of the configuration; NULL: none */
    bool makes_identity;                /* no key pair is put there for it (made_keys.h) */
};
struct agent_head {
    struct daemon local;                /* its process, and the client of its local API */
    const struct home *home;
    char name[64], config[HOME_PATH_SIZE];
};

void agent_head_make(struct agent_head *agent, const struct home *home, const char *name, const char *server_url, const struct node *node,
                     const struct agent_head_options *options);
void agent_head_start(struct agent_head *agent);            /* waits for its ready line; again after a stop or a kill: the same device */
int agent_head_stop(struct agent_head *agent);              /* SIGTERM; its exit code */
void agent_head_kill(struct agent_head *agent);             /* SIGKILL and gone */
void agent_head_end(struct agent_head *agent);              /* for teardown: whatever state it is in */
/* Runs `hydrahead WORDS... --config FILE`, NULL at the end; its exit code. `output` (may be NULL) gets its stdout. */
int agent_head_run(const struct agent_head *agent, const char *const *words, char *output, size_t size);

/* Its local API, as the kiosk uses it. call_free() the call. */
struct call agent_head_call(struct agent_head *agent, const char *method, const char *path, const char *body);
void agent_head_wants(struct agent_head *agent, const char *experience);
void agent_head_leaves(struct agent_head *agent);           /* the visitor's Cancel */
bool agent_head_is(struct agent_head *agent, const char *status);
bool agent_head_waits(struct agent_head *agent, const char *status, int64_t at_most_ms);     /* false: its log has been printed */
long agent_head_place(struct agent_head *agent);            /* in the line; 0: in none */
bool agent_head_log_has(const struct agent_head *agent, const char *text);
void agent_head_print_log(const struct agent_head *agent);

#endif
