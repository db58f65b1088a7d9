/* session.h - streams: armed by launch or resume, up once a client connects, down by its goodbye, its silence, or the app's end.
 *
 * All functions: locked. */
#ifndef SESSION_H
#define SESSION_H

#include "host.h"

/* The hand-over of the certificate that 47984 verified last. Only one can be pending: a second one in that time is dropped in silence. */
void session_arm(struct host *host, const char *address);
/* The pending hand-over becomes a session. `fd` (-1: none) is taken over. 0: nothing was pending; else its number. */
unsigned session_connect(struct host *host, int fd);
unsigned session_open(struct host *host, const char *pem, const char *address, int fd);        /* 0: all rows are taken */
bool session_end(struct host *host, unsigned number, bool timed_out);      /* false: no such session */
unsigned session_end_all(struct host *host);            /* how many there were; the app is not touched */
unsigned session_end_of(struct host *host, const char *pem);
unsigned session_count(const struct host *host);
void session_tick(struct host *host);                   /* hand-overs that nobody took */

#endif
