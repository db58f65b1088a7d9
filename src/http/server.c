#include "server.h"

#include <assert.h>
#include <string.h>
#include <unistd.h>

#include "hydra/base/log.h"
#include "hydra/os/clock.h"
#include "hydra/os/file.h"
#include "hydra/os/service.h"

#include "listen.h"

#define DESCRIPTORS_BESIDE 64     /* files, timers, the epoll sets */
#define TLS_PRIORITIES     "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"

static size_t leave_as_it_is(void *cls, struct MHD_Connection *mhd, char *text)
{
    (void)cls;
    (void)mhd;
    return strlen(text);          /* target.c decodes, once and from the untouched text */
}

static void start_library(struct http_server *server, const struct http_config *config, int listen_fd)
{
    /* The library reads these texts only. */
    struct MHD_OptionItem tls[] = {
        { MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)(uintptr_t)config->cert_pem },
        { MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)(uintptr_t)config->key_pem },
        { MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)(uintptr_t)TLS_PRIORITIES },
        { MHD_OPTION_END, 0, NULL },
    };
    static struct MHD_OptionItem plain[] = { { MHD_OPTION_END, 0, NULL } };
    unsigned flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG | (server->tls ? MHD_USE_TLS : 0u);
    server->mhd = MHD_start_daemon(flags, 0, http_on_accept, server, http_on_request, server,
                                   MHD_OPTION_EXTERNAL_LOGGER, library_log_line, &server->log,
                                   MHD_OPTION_LISTEN_SOCKET, (MHD_socket)listen_fd,
                                   MHD_OPTION_STRICT_FOR_CLIENT, 1,
                                   MHD_OPTION_CONNECTION_LIMIT, server->limits.connections,
                                   MHD_OPTION_CONNECTION_TIMEOUT, server->limits.idle_seconds,
                                   MHD_OPTION_CONNECTION_MEMORY_LIMIT, server->pool_bytes,
                                   MHD_OPTION_NOTIFY_CONNECTION, http_on_connection, server,
                                   MHD_OPTION_URI_LOG_CALLBACK, http_on_target, server,
                                   MHD_OPTION_NOTIFY_COMPLETED, http_on_completed, server,
                                   MHD_OPTION_UNESCAPE_CALLBACK, leave_as_it_is, NULL,
                                   MHD_OPTION_ARRAY, server->tls ? tls : plain,
                                   MHD_OPTION_END);
}

static enum hc_err take_config(struct http_server *server, const struct http_config *config, struct hc_diag *diag)
{
    const struct http_limits *limits = &config->limits;
    if (limits->connections == 0 || limits->per_address == 0 || limits->idle_seconds == 0 || limits->first_request_seconds == 0 ||
        limits->header_bytes < HTTP_POOL_SPARE)
        return hc_fail(diag, HC_ERR_CONFIG, "limits must be above 0, and header_bytes at least %d", HTTP_POOL_SPARE);
    if ((config->cert_pem == NULL) != (config->key_pem == NULL))
        return hc_fail(diag, HC_ERR_CONFIG, "a certificate needs its key, and a key its certificate");
    if (config->trusted_proxy_count > HTTP_PROXIES_MAX)
        return hc_fail(diag, HC_ERR_CONFIG, "more than %d trusted proxies", HTTP_PROXIES_MAX);
    for (size_t i = 0; i < config->trusted_proxy_count; i++)
        if (!http_address_parse(config->trusted_proxies[i], &server->proxies[i]))
            return hc_fail(diag, HC_ERR_CONFIG, "trusted proxy \"%s\" is not an IP address", config->trusted_proxies[i]);
    server->proxy_count = config->trusted_proxy_count;
    server->limits = *limits;
    server->tls = config->cert_pem != NULL;
    server->log_each_request = config->log_each_request;
    server->pool_bytes = limits->header_bytes + (size_t)HTTP_POOL_SPARE;
    return HC_OK;
}

static enum hc_err start(struct http_server *server, const struct http_config *config, struct hc_diag *diag)
{
    enum hc_err err = take_config(server, config, diag);
    if (err == HC_OK)
        err = os_descriptors_at_least(server->limits.connections + DESCRIPTORS_BESIDE, diag);
    if (err != HC_OK)
        return err;
    server->per_address = address_count_new(server->limits.connections);
    server->parks = hc_alloc(server->limits.connections * sizeof server->parks[0]);
    if (server->per_address == NULL || server->parks == NULL)
        return hc_fail(diag, HC_ERR_NOMEM, "no memory for %u connections", server->limits.connections);
    HC_CLEANUP(os_close) int fd = -1;
    err = http_listen(config->address, config->port, &fd, &server->port, diag);
    if (err != HC_OK)
        return err;
    start_library(server, config, fd);
    if (server->mhd == NULL)      /* it has closed the socket in most such cases; a start has no other threads that could take the number */
        return hc_fail(diag, server->tls ? HC_ERR_CONFIG : HC_ERR_NET, "libmicrohttpd does not start: %s",
                       server->log.first.text[0] != '\0' ? server->log.first.text : "no reason given");
    fd = -1;                      /* the library's now */
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(server->mhd, MHD_DAEMON_INFO_EPOLL_FD);
    if (info == NULL || info->epoll_fd < 0)
        return hc_fail(diag, HC_ERR_NET, "this libmicrohttpd has no epoll");
    server->epoll_fd = info->epoll_fd;
    return HC_OK;
}

static void free_server(struct http_server *server)
{
    if (server->mhd != NULL)
        MHD_stop_daemon(server->mhd);
    assert(server->conns == NULL);
    http_certificate_let_go(server->certificate);
    address_count_free(server->per_address);
    hc_free(server->parks);
    hc_free(server);
}

enum hc_err http_start(const struct http_config *config, const struct http_owner *owner, struct metrics *metrics,
                       struct http_server **ret_server, struct hc_diag *diag)
{
    assert(owner->begin != NULL && owner->ready != NULL && owner->done != NULL && metrics != NULL);
    struct http_server *server = hc_alloc(sizeof *server);
    if (server == NULL)
        return hc_fail(diag, HC_ERR_NOMEM, "no memory for the HTTP server");
    server->owner = *owner;
    server->metrics = metrics;
    server->log.metrics = metrics;
    enum hc_err err = start(server, config, diag);
    if (err != HC_OK) {
        free_server(server);
        return err;
    }
    *ret_server = server;
    return HC_OK;
}

uint16_t http_port(const struct http_server *server)
{
    return server->port;
}

bool http_is_tls(const struct http_server *server)
{
    return server->tls;
}

int http_epoll_fd(const struct http_server *server)
{
    return server->epoll_fd;
}

unsigned http_open_requests(const struct http_server *server)
{
    return server->open_requests;
}

void http_be_patient(struct http_server *server, size_t reply_bytes)
{
    size_t turns = (server->greeting > 0 ? HTTP_SPIN_TURNS_GREETING : HTTP_SPIN_TURNS) + reply_bytes / HTTP_BYTES_A_TURN;
    if (turns > server->patience)
        server->patience = turns;
    if (server->greeting == 0)
        server->quiet_turns = 0;      /* else the handshakes have been silent for as long as before: a new one starts it anew */
}

int64_t http_wait_ms(struct http_server *server)
{
    if (server->resumed)
        return 0;
    int64_t wait = HTTP_WAIT_MAX_MS;
    MHD_UNSIGNED_LONG_LONG library_wait;
    if (MHD_get_timeout(server->mhd, &library_wait) == MHD_YES && library_wait < HTTP_WAIT_MAX_MS)
        wait = (int64_t)library_wait;
    /* An unfinished TLS handshake makes it say 0 for as long as it lasts. What does arrive wakes the descriptor. */
    if (wait == 0 && server->patience == 0) {
        unsigned doublings = server->quiet_turns / HTTP_SPIN_DOUBLE;
        wait = (int64_t)HTTP_SPIN_WAIT_MS << (doublings < HTTP_SPIN_DOUBLINGS ? doublings : HTTP_SPIN_DOUBLINGS);
    }
    int64_t due = http_next_deadline_ms(server);
    if (due != INT64_MAX) {
        int64_t left = due - os_monotonic_ms();
        if (left < wait)
            wait = left > 0 ? left : 0;
    }
    return wait;
}

static void run_library(struct http_server *server)
{
    server->resumed = false;
    server->called_back = false;
    (void)MHD_run(server->mhd);
    if (server->called_back)
        http_be_patient(server, 0);
    else if (server->patience > 0)
        server->patience--;
    else if (server->quiet_turns < HTTP_SPIN_DOUBLE * HTTP_SPIN_DOUBLINGS)
        server->quiet_turns++;
}

void http_turn(struct http_server *server)
{
    run_library(server);
    int64_t now_ms = os_monotonic_ms();
    http_run_late(server, now_ms);
    http_sweep(server, now_ms);
}

void http_quiesce(struct http_server *server)
{
    if (server->quiescing)
        return;
    server->quiescing = true;
    MHD_socket fd = MHD_quiesce_daemon(server->mhd);
    if (fd >= 0)
        (void)close(fd);          /* ours again: new connections are refused from now on, not left waiting */
    http_run_all_late(server);
    for (struct http_conn *conn = server->conns; conn != NULL; conn = conn->next)
        if (conn->request != NULL && conn->request->pull != NULL)
            http_stream_end(conn->request);
}

void http_free(struct http_server *server)
{
    if (server == NULL)
        return;
    http_quiesce(server);
    for (struct http_conn *conn = server->conns; conn != NULL; conn = conn->next)
        if (conn->request != NULL && conn->request->parked)
            http_refuse_stopping(conn->request);
    /* The library aborts on a suspended connection when it stops, and an answer wants a few turns to leave. */
    for (unsigned turn = 0; turn < HTTP_LAST_TURNS && server->open_requests > 0; turn++)
        run_library(server);
    assert(server->park_count == 0);
    free_server(server);
}
