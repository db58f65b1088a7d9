#include "clients.h"

#include <stdio.h>
#include <string.h>
#include <openssl/x509_vfy.h>

#include "hydra/base/arena.h"

struct client *clients_add(struct host *host, const char *name, const char *pem, const char *uuid, bool enabled)
{
    X509 *cert = pem == NULL ? NULL : hs_certificate(pem, strlen(pem));
    if (cert == NULL || host->client_count == HOST_CLIENTS_MAX) {
        X509_free(cert);
        return NULL;
    }
    struct client *client = &host->clients[host->client_count++];
    *client = (struct client){ .pem = host_copy(pem), .cert = cert, .enabled = enabled };
    (void)snprintf(client->name, sizeof client->name, "%s", name);
    (void)snprintf(client->uuid, sizeof client->uuid, "%s", uuid);
    if (client->uuid[0] == '\0')
        host_uuid(client->uuid);
    return client;
}

struct client *clients_by_uuid(struct host *host, const char *uuid)
{
    for (size_t i = 0; i < host->client_count; i++)
        if (strcmp(host->clients[i].uuid, uuid) == 0)
            return &host->clients[i];
    return NULL;
}

struct client *clients_by_name(struct host *host, const char *name)
{
    for (size_t i = 0; i < host->client_count; i++)
        if (strcmp(host->clients[i].name, name) == 0)
            return &host->clients[i];
    return NULL;
}

struct client *clients_by_pem(struct host *host, const char *pem)
{
    for (size_t i = 0; i < host->client_count; i++)
        if (strcmp(host->clients[i].pem, pem) == 0)
            return &host->clients[i];
    return NULL;
}

void clients_remove(struct host *host, struct client *client)
{
    size_t at = (size_t)(client - host->clients);
    hc_free(client->pem);
    X509_free(client->cert);
    memmove(client, client + 1, (host->client_count - at - 1) * sizeof *client);
    host->client_count--;
}

/* The presented leaf against one stored certificate as the only anchor, whatever the dates. */
static bool anchored(X509 *peer, X509 *anchor)
{
    X509_STORE *store = X509_STORE_new();
    X509_STORE_CTX *ctx = X509_STORE_CTX_new();
    bool fits = store != NULL && ctx != NULL && X509_STORE_add_cert(store, anchor) == 1 &&
                X509_STORE_CTX_init(ctx, store, peer, NULL) == 1;
    if (fits) {
        X509_STORE_CTX_set_flags(ctx, X509_V_FLAG_PARTIAL_CHAIN | X509_V_FLAG_NO_CHECK_TIME);
        fits = X509_verify_cert(ctx) == 1;
    }
    X509_STORE_CTX_free(ctx);
    X509_STORE_free(store);
    return fits;
}

enum client_verdict clients_judge(struct host *host, X509 *peer)
{
    bool known = false;
    for (size_t i = 0; i < host->client_count && !known; i++)
        known = anchored(peer, host->clients[i].cert);
    if (host->version->any_issued_leaf && host->client_count > 0)
        known |= X509_NAME_cmp(X509_get_issuer_name(peer), X509_get_subject_name(peer)) != 0;
    if (!known)
        return CLIENT_UNKNOWN;
    char *pem = certificate_pem(peer);
    if (pem == NULL)
        return CLIENT_UNKNOWN;
    const struct client *entry = clients_by_pem(host, pem);
    if (host->version->enabled_flag && entry != NULL && !entry->enabled) {
        hc_free(pem);
        return CLIENT_DISABLED;
    }
    hc_free(host->last_verified);
    host->last_verified = pem;
    return CLIENT_IN;
}
