/* peer.h - the client in the tests of the test host: sockets and TLS by hand, so that every trap can be stepped into. */
#ifndef PEER_H
#define PEER_H

#include <jansson.h>

#include "certificate.h"
#include "handshake.h"
#include "sunshine.h"

#define PEER_TEXT_SIZE 65536
#define PEER_WAIT_MS   10000

struct peer { struct certificate identity; char *pem; };

struct reply {
    bool answered;                          /* a whole HTTP head came */
    int http;                               /* its status */
    size_t len;
    char text[PEER_TEXT_SIZE];              /* head and body; NUL behind */
    const char *body;
    char fingerprint[65];                   /* of the certificate that the other side showed; "" over plain HTTP */
    bool refused_by_alert;                  /* TLS: an alert in place of data */
};

struct tls { int fd; SSL *ssl; bool handshake, alert; };

void peer_make(struct peer *peer, const struct certificate *issuer);
void peer_free(struct peer *peer);

/* TLS connections: opened with or without a certificate, written, read to the end, closed, each for itself. `oldest`: TLS 1.2. */
struct tls tls_open(const struct peer *peer, unsigned port, bool oldest);
void tls_send(struct tls *tls, const char *text);
void tls_read(struct tls *tls, struct reply *reply, int64_t at_most_ms);
void tls_close(struct tls *tls);
bool tls_is_served(unsigned port, int at_most_ms);              /* does anything answer to a greeting within the time? */

/* One request on a connection of its own, closed after the answer. `peer` NULL: no certificate. */
void peer_http(const struct sunshine *host, const char *target, struct reply *reply);
void peer_https(const struct sunshine *host, const struct peer *peer, const char *target, struct reply *reply);
void peer_bytes(unsigned port, const struct peer *peer, bool tls, const char *bytes, struct reply *reply);

/* What stands in <name>…</name>, or in name="…" of the root; "" when it is not there. */
void reply_element(const struct reply *reply, const char *name, char *out, size_t size);
long reply_root(const struct reply *reply);                     /* status_code; -1000: no root */
long reply_number(const struct reply *reply, const char *name); /* -1000: not there */

/* A call to the web API. `more`: further header lines with CR LF, or NULL. The JSON is NULL when the answer is none; json_decref() it. */
json_t *web_ask(const struct sunshine *host, const char *method, const char *path, const char *more, const char *body, struct reply *reply);
bool web_says_true(const struct sunshine *host, const char *method, const char *path, const char *body);   /* "status", of either type */

/* Pairing by hand. */
struct pairing {
    const struct sunshine *host;
    const struct peer *peer;
    char uniqueid[64];
    int held;                                                   /* the socket of step 1 */
    uint8_t salt[HS_SALT_LEN], key[HS_KEY_LEN], challenge[HS_BLOCK_LEN], server_challenge[HS_BLOCK_LEN], secret[HS_BLOCK_LEN];
    uint8_t server_hash[HS_HASH_LEN];
    X509 *server;
};
/* Sends step 1. */
void pairing_begin(struct pairing *pairing, const struct sunshine *host, const struct peer *peer, const char *uniqueid);
bool pairing_is_held(const struct pairing *pairing);            /* no byte, and not closed, for a while */
bool pairing_take_cert(struct pairing *pairing, const char *pin);                   /* false: closed without an answer */
void pairing_challenge(struct pairing *pairing, struct reply *reply);               /* step 2; keeps what it needs from a success */
void pairing_response(struct pairing *pairing, struct reply *reply);                /* step 3 */
bool pairing_right_pin(const struct pairing *pairing, const struct reply *step3);   /* client checks 2 and 3 */
void pairing_secret(struct pairing *pairing, struct reply *reply);                  /* step 4 */
void pairing_end(struct pairing *pairing);
/* All five; the PIN goes in by the web API as `name`. */
void peer_pair(const struct sunshine *host, const struct peer *peer, const char *uniqueid, const char *name);
/* Repeats the PIN call until it says true. */
void pin_submit(const struct sunshine *host, const char *pin, const char *name);
bool peer_is_in(const struct sunshine *host, const struct peer *peer);              /* PairStatus 1 on 47984 */

#endif
