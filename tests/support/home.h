/* home.h - a temporary folder for one test: a data folder inside, made by `hydraclusterd init`, and the tokens that it printed.
 *
 * Everything in tests/support fails the running cmocka test by itself when something goes wrong; nothing returns an error. */
#ifndef HOME_H
#define HOME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HOME_PATH_SIZE  256
#define HOME_TOKEN_SIZE 256

struct home {
    char root[HOME_PATH_SIZE];              /* the folder that is removed in the end */
    char data[HOME_PATH_SIZE];              /* root/data */
    char log[HOME_PATH_SIZE];               /* root/daemon.log: stderr of all daemons of this home */
    char admin_token[HOME_TOKEN_SIZE], fleet_token[HOME_TOKEN_SIZE];
};

void home_make(struct home *home);          /* the folder only, without `init` */
void home_init(struct home *home);          /* home_make and `hydraclusterd init --data-dir root/data` */
void home_remove(struct home *home);        /* the folder and all in it; twice is once. For teardown, so that it runs after a failure too */

void home_path(const struct home *home, const char *name, char out[HOME_PATH_SIZE]);         /* root/NAME, for instance data/nodes.yaml */
char *home_read(const struct home *home, const char *name);                                  /* hc_free() it; at most 64 MiB */
void home_write(const struct home *home, const char *name, const char *text);                /* replaced by rename */
bool home_has(const struct home *home, const char *name);

/* Asks `is_so` every few milliseconds until it says yes (true) or the time is over (false). The only way of waiting in a test. */
bool wait_until(bool (*is_so)(void *ctx), void *ctx, int64_t at_most_ms);

#endif
