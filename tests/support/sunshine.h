/* sunshine.h - tests/support/sunshine_host as a child of a test: started, steered by its control socket, killed, started again.
 *
 *     sunshine_start(&host, &home, "sun-0", NULL);          // its folder is ROOT/sun-0
 *     sunshine_say(&host, "fault block 1");
 *     assert_int_equal(sunshine_number(&host, "requests https GET /resume"), 0);
 *     sunshine_end(&host);                                  // for teardown
 *
 * The commands are listed in tests/support/sunshine_host/control.h, the fault words in host.h there. A stream is a connection to the
 * port in `sessionUrl0` of a launch's answer: it takes the pending hand-over, is told `session N`, and lasts until one side closes.
 * Like all of tests/support it fails the running test by itself. */
#ifndef SUNSHINE_H
#define SUNSHINE_H

#include <jansson.h>

#include "home.h"
#include "process.h"

#define SUNSHINE_ANSWER_SIZE 8192

struct sunshine_options {
    const char *version;                    /* NULL: v2026.816; also v2026.516 v2025.924 v2025.628 v2025.118 v0.23.1 */
    const char *name;                       /* NULL: "sunshine" */
    const char *username, *password;        /* NULL: none, the web API answers 307. They count on the first start of a folder only */
    const char *apps;                       /* the text of apps.json; NULL: what is there, or "Desktop" alone */
    const char *const *args;                /* further arguments, NULL at the end; may be NULL */
};

struct sunshine {
    struct process process;
    char dir[HOME_PATH_SIZE];               /* apps.json, sunshine.log, sunshine_state.json, credentials/, control */
    unsigned http, https, web, rtsp;        /* kept over sunshine_restart() */
    char name[64], version[32];
};

/* Starts it in ROOT/`folder` and waits for its ready line. `options` may be NULL. */
void sunshine_start(struct sunshine *host, const struct home *home, const char *folder, const struct sunshine_options *options);
void sunshine_again(struct sunshine *host);                 /* after a kill or a stop: the same folder, version and ports */
void sunshine_kill(struct sunshine *host);                  /* SIGKILL and gone: no undo, its children die too */
int sunshine_stop(struct sunshine *host);                   /* SIGTERM: undo runs, sessions end; its exit code */
void sunshine_end(struct sunshine *host);                   /* for teardown: whatever state it is in */

/* One control line; the answer without its "ok". An "error" fails the test. */
void sunshine_ask(const struct sunshine *host, const char *line, char answer[SUNSHINE_ANSWER_SIZE]);
void sunshine_say(const struct sunshine *host, const char *line);                  /* the answer does not matter */
long sunshine_number(const struct sunshine *host, const char *line);
bool sunshine_refuses(const struct sunshine *host, const char *line);              /* true: the answer was an "error" */
json_t *sunshine_status(const struct sunshine *host);       /* of the `status` command; json_decref() it */

#endif
