/* state.h - sunshine_state.json: host id, credentials, clients. Written whole and in place, as the real one does. */
#ifndef STATE_H
#define STATE_H

#include "host.h"

/* True: there was no file, this is a fresh host. A file that cannot be read loses credentials, clients and host id. */
bool state_read(struct host *host);
void state_write(struct host *host);                    /* locked, or before the threads */
void state_break(struct host *host);                    /* locked: cuts the file in half; noticed at the next start */
void state_set_credentials(struct host *host, const char *username, const char *password);         /* username NULL: none */
bool state_credentials_fit(const struct host *host, const char *username, const char *password);   /* locked */
bool state_read_file(const char *path, char **ret_text);            /* whole, hc_free() it */
bool state_write_file(const char *path, const char *text);          /* in place, not atomic */
json_t *state_as_text(const json_t *value);             /* a copy with every scalar a string, every empty list "" */

#endif
