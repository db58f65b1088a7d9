/* raw_server.h - a tiny HTTP/1.1 server on a raw socket, on a thread of its own; what it answers depends on the path (see raw_server.c). */
#ifndef RAW_SERVER_H
#define RAW_SERVER_H

struct raw_server;
struct raw_server *raw_server_start(void);                  /* fails the test when there is no port */
struct raw_server *raw_server_stop(struct raw_server *server);
const char *raw_server_url(const struct raw_server *server);    /* http://127.0.0.1:PORT */
unsigned raw_server_connections(struct raw_server *server);     /* accepted so far */

#endif
