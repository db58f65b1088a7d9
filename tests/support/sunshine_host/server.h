/* server.h - one listening port and the one thread that serves it, plain or TLS.
 *
 * Handlers run on that thread: while one works, nobody else on this port is served. Every answer is followed by a close. */
#ifndef SERVER_H
#define SERVER_H

#include <stdbool.h>
#include <stdint.h>
#include <openssl/ssl.h>

#include "request.h"

#define SERVER_CONNECTIONS_MAX 256u

struct server;

struct server_ops {
    void (*handle)(void *ctx, struct request *request, struct answer *answer);
    /* TLS only. The context for the next connection, with a reference of its own. */
    SSL_CTX *(*context)(void *ctx);
    /* TLS only, may be NULL: after the handshake and before the request is read. False: `out` holds what is sent instead. `ret_reset`: it
     * is a reset in place of an answer. */
    bool (*let_in)(void *ctx, X509 *peer, struct hc_buf *out, bool *ret_reset);
    bool (*blocked)(void *ctx);         /* may be NULL: while it says yes, the thread serves nobody */
    bool waits_for_close;               /* after an answer the thread waits until the client closes */
    const char *closing;                /* a header line for all answers; "" or with CR LF */
};

/* Listens on loopback and starts the thread. *port 0 takes a free one and says which. NULL: it cannot; a line on stderr says why. */
struct server *server_start(const struct server_ops *ops, void *ctx, uint16_t *port);
/* The answer for a connection that was told to hold; gone connections are no fault. From any thread; takes over the body. */
void server_answer(struct server *server, uint64_t connection, struct answer *answer);
void server_drop(struct server *server, uint64_t connection);           /* closes it without an answer */
struct server *server_stop(struct server *server);                      /* accepts NULL, returns NULL */

#endif
