#include "trust_store.h"

#include <stdio.h>
#include <string.h>

#include "hydra/base/arena.h"

#define ROOM_FIRST 8

void store_free(struct trust_store *store)
{
    hc_free(store->clients);
    *store = (struct trust_store){ 0 };
}

static size_t place_of(const struct trust_store *store, const char *uuid)
{
    size_t at = 0;
    while (at < store->count && !hc_same(store->clients[at].uuid, uuid))
        at++;
    return at;
}

const struct store_client *store_find(const struct trust_store *store, const char *uuid)
{
    size_t at = place_of(store, uuid);
    return at < store->count ? &store->clients[at] : NULL;
}

static void drop_handshake(struct trust_store *store, size_t at)
{
    store->handshake_count--;
    memmove(&store->handshakes[at], &store->handshakes[at + 1], (store->handshake_count - at) * sizeof store->handshakes[0]);
}

static size_t handshake_of(const struct trust_store *store, const char *uuid)
{
    size_t at = 0;
    while (at < store->handshake_count && !hc_same(store->handshakes[at].client.uuid, uuid))
        at++;
    return at;
}

void store_handshake(struct trust_store *store, const char *uuid, const char *name)
{
    size_t at = handshake_of(store, uuid);
    if (at < store->handshake_count)
        drop_handshake(store, at);
    else if (store->handshake_count == STORE_HANDSHAKES_MAX)
        drop_handshake(store, 0);
    struct store_handshake *made = &store->handshakes[store->handshake_count++];
    *made = (struct store_handshake){ .has_pin = false };
    HC_SET(made->client.uuid, uuid);
    HC_SET(made->client.name, name);
}

bool store_pin(struct trust_store *store, const char *name)
{
    for (size_t i = 0; i < store->handshake_count; i++) {
        struct store_handshake *waiting = &store->handshakes[i];
        if (waiting->has_pin)
            continue;
        waiting->has_pin = true;
        HC_SET(waiting->client.name, name);
        return true;
    }
    return false;
}

static bool make_room(struct trust_store *store)
{
    if (store->count < store->room)
        return true;
    size_t room = store->room == 0 ? ROOM_FIRST : 2 * store->room;
    if (store->count == STORE_CLIENTS_MAX)
        return false;
    struct store_client *clients = hc_realloc(store->clients, room * sizeof clients[0]);
    if (clients == NULL)
        return false;
    store->clients = clients;
    store->room = room;
    return true;
}

bool store_pair(struct trust_store *store, const char *uuid, const char *name)
{
    struct store_client paired;
    HC_SET(paired.uuid, uuid);
    HC_SET(paired.name, name);
    size_t at = handshake_of(store, uuid);
    if (at < store->handshake_count) {
        HC_SET(paired.name, store->handshakes[at].client.name);
        drop_handshake(store, at);
    }
    if (store_find(store, uuid) != NULL)
        return true;
    if (!make_room(store))
        return false;
    store->clients[store->count++] = paired;
    return true;
}

bool store_remove(struct trust_store *store, const char *uuid)
{
    size_t at = place_of(store, uuid);
    if (at == store->count)
        return false;
    store->count--;
    memmove(&store->clients[at], &store->clients[at + 1], (store->count - at) * sizeof store->clients[0]);
    return true;
}

void store_restart(struct trust_store *store)
{
    store->handshake_count = 0;
}

void store_digest(const struct trust_store *store, char out[STORE_DIGEST_SIZE])
{
    uint64_t digest = HC_FNV1A64_START;
    for (size_t i = 0; i < store->count; i++) {
        digest = hc_fnv1a64(digest, store->clients[i].uuid);
        digest = hc_fnv1a64(digest, " ");
        digest = hc_fnv1a64(digest, store->clients[i].name);
        digest = hc_fnv1a64(digest, "\n");
    }
    (void)snprintf(out, STORE_DIGEST_SIZE, "%016llx", (unsigned long long)digest);
}
