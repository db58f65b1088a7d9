/* trust_store.h - what a simulated Sunshine knows of its clients: those that are paired, by uuid and name, and handshakes that wait for a
 * PIN. A file on the body's disk: it outlives reboots; handshakes live as long as Sunshine runs. */
#ifndef TRUST_STORE_H
#define TRUST_STORE_H

#include <stdbool.h>
#include <stddef.h>

#include "hydra/base/id.h"

#define STORE_CLIENTS_MAX    1024        /* as many as a report may name: with more nobody else can pair */
#define STORE_HANDSHAKES_MAX 16          /* Sunshine forgets none; here the oldest goes */
#define STORE_DIGEST_SIZE    17

struct store_client { char uuid[HC_ID_SIZE], name[HC_NAME_SIZE]; };
struct store_handshake { struct store_client client; bool has_pin; };
struct trust_store {
    size_t count, room;
    struct store_client *clients;        /* in the order in which they paired */
    size_t handshake_count;
    struct store_handshake handshakes[STORE_HANDSHAKES_MAX];       /* the oldest first */
};

void store_free(struct trust_store *store);
/* A client asks to be paired; its own older handshake goes. `name` is what it would be called. */
void store_handshake(struct trust_store *store, const char *uuid, const char *name);
/* The oldest handshake without a PIN takes it, and the name that comes with it (rules §12.6). False: there is none. */
bool store_pin(struct trust_store *store, const char *name);
/* The client's handshake is done: it is paired, under the name of its PIN. Who was paired before stays as it was. False: it cannot be. */
bool store_pair(struct trust_store *store, const char *uuid, const char *name);
bool store_remove(struct trust_store *store, const char *uuid);     /* false: it was not there */
const struct store_client *store_find(const struct trust_store *store, const char *uuid);     /* NULL: not paired */
void store_restart(struct trust_store *store);                      /* Sunshine starts anew */
void store_digest(const struct trust_store *store, char out[STORE_DIGEST_SIZE]);

#endif
