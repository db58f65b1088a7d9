#include "host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <openssl/rand.h>

#include "hydra/base/arena.h"
#include "apps.h"
#include "config.h"
#include "log.h"
#include "state.h"

void host_lock(struct host *host)
{
    (void)pthread_mutex_lock(&host->mutex);
}

void host_unlock(struct host *host)
{
    (void)pthread_mutex_unlock(&host->mutex);
}

long host_fault(struct host *host, enum fault fault)
{
    return atomic_load(&host->faults[fault]);
}

void host_path(const struct host *host, const char *name, char out[HOST_PATH_SIZE])
{
    int len = snprintf(out, HOST_PATH_SIZE, "%s/%s", host->dir, name);
    if (len < 0 || len >= (int)HOST_PATH_SIZE)
        abort();
}

void host_count(struct host *host, const char *port, const char *method, const char *path)
{
    char what[REQUEST_PATH_SIZE];
    int len = snprintf(what, sizeof what, "%s %s %s", port, method, path);
    if (len < 0 || len >= (int)sizeof what)
        return;
    host_lock(host);
    size_t at = 0;
    while (at < host->count_count && strcmp(host->counts[at].what, what) != 0)
        at++;
    if (at < HOST_COUNTS_MAX) {
        memcpy(host->counts[at].what, what, sizeof what);
        host->counts[at].times++;
        host->count_count = at == host->count_count ? at + 1 : host->count_count;
    }
    host_unlock(host);
}

void host_uuid(char out[HOST_UUID_SIZE])
{
    uint8_t bytes[16];
    char hex[33];
    if (RAND_bytes(bytes, sizeof bytes) != 1)
        abort();
    bytes[6] = (uint8_t)((bytes[6] & 0x0f) | 0x40);
    bytes[8] = (uint8_t)((bytes[8] & 0x3f) | 0x80);
    hs_hex_upper(bytes, sizeof bytes, hex);
    (void)snprintf(out, HOST_UUID_SIZE, "%.8s-%.4s-%.4s-%.4s-%.12s", hex, hex + 8, hex + 12, hex + 16, hex + 20);
}

char *host_copy(const char *text)
{
    size_t len = strlen(text);
    char *copy = hc_alloc(len + 1);
    if (copy == NULL)
        abort();
    memcpy(copy, text, len);
    return copy;
}

static bool make_contexts(struct host *host)
{
    SSL_CTX_free(host->https_ctx);
    SSL_CTX_free(host->web_ctx);
    host->https_ctx = certificate_context(&host->own, true);
    host->web_ctx = certificate_context(&host->own, false);
    return host->https_ctx != NULL && host->web_ctx != NULL;
}

static bool save_own(struct host *host)
{
    char folder[HOST_PATH_SIZE], cert[HOST_PATH_SIZE], key[HOST_PATH_SIZE];
    host_path(host, "credentials", folder);
    host_path(host, "credentials/cacert.pem", cert);
    host_path(host, "credentials/cakey.pem", key);
    (void)mkdir(folder, 0700);
    return certificate_save(&host->own, cert, key);
}

bool host_rotate(struct host *host)
{
    struct certificate made;
    if (!certificate_make("Sunshine Gamestream Host", NULL, &made))
        return false;
    certificate_free(&host->own);
    host->own = made;
    return save_own(host) && make_contexts(host);
}

static bool open_certificates(struct host *host)
{
    char cert[HOST_PATH_SIZE], key[HOST_PATH_SIZE];
    host_path(host, "credentials/cacert.pem", cert);
    host_path(host, "credentials/cakey.pem", key);
    if (!certificate_load(cert, key, &host->own) &&
        (!certificate_make("Sunshine Gamestream Host", NULL, &host->own) || !save_own(host)))
        return false;
    return make_contexts(host);
}

SSL_CTX *host_context(struct host *host, bool asks)
{
    bool foreign = host_fault(host, FAULT_PORTAL) != 0 || host_fault(host, FAULT_FOREIGN_CERTIFICATE) != 0;
    host_lock(host);
    if (foreign && host->foreign_ctx == NULL &&
        (!certificate_make("portal.example", NULL, &host->foreign) ||
         (host->foreign_ctx = certificate_context(&host->foreign, false)) == NULL))
        abort();
    SSL_CTX *context = foreign ? host->foreign_ctx : asks ? host->https_ctx : host->web_ctx;
    (void)SSL_CTX_up_ref(context);
    host_unlock(host);
    return context;
}

bool host_open(struct host *host, const char *username, const char *password)
{
    (void)pthread_mutex_init(&host->mutex, NULL);
    (void)pthread_mutex_init(&host->app_mutex, NULL);
    (void)mkdir(host->dir, 0700);
    for (size_t i = 0; i < HOST_SESSIONS_MAX; i++)
        host->sessions[i].fd = -1;
    if (!log_open(host)) {
        (void)fprintf(stderr, "sunshine_host: no log in %s\n", host->dir);
        return false;
    }
    if (!open_certificates(host)) {
        (void)fprintf(stderr, "sunshine_host: no certificate in %s\n", host->dir);
        return false;
    }
    bool fresh = state_read(host);
    if (fresh && username != NULL)
        state_set_credentials(host, username, password);
    state_write(host);
    apps_open(host);
    host->global_preps = config_global_preps(host);
    return true;
}

static void free_pending(struct pending *pending)
{
    hc_free(pending->pem);
    hc_free(pending->salt);
}

void host_close(struct host *host)
{
    for (size_t i = 0; i < host->client_count; i++) {
        hc_free(host->clients[i].pem);
        X509_free(host->clients[i].cert);
    }
    for (size_t i = 0; i < HOST_PENDING_MAX; i++)
        free_pending(&host->pending[i]);
    hc_free(host->last_verified);
    hc_free(host->handover.pem);
    json_decref(host->apps);
    json_decref(host->global_preps);
    SSL_CTX_free(host->https_ctx);
    SSL_CTX_free(host->web_ctx);
    SSL_CTX_free(host->foreign_ctx);
    certificate_free(&host->own);
    certificate_free(&host->foreign);
    log_close();
}
