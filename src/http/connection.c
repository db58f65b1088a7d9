/* connection.c - connections: who may have one, and how long a silent one lives. */
#include "server.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "hydra/base/log.h"
#include "hydra/os/clock.h"

static bool is_exempt(const struct http_server *server, const struct http_address *address)
{
    return http_address_is_loopback(address) || http_address_among(address, server->proxies, server->proxy_count);
}

enum MHD_Result http_on_accept(void *cls, const struct sockaddr *addr, socklen_t len)
{
    (void)len;
    struct http_server *server = cls;
    server->called_back = true;
    struct http_address address;
    if (!http_address_of(addr, &address))
        return MHD_NO;
    if (is_exempt(server, &address) || address_count_get(server->per_address, &address) < server->limits.per_address)
        return MHD_YES;
    metrics_add(server->metrics, METRIC_HTTP_REFUSED, 1, "per_address");
    return MHD_NO;
}

static void open_connection(struct http_server *server, struct MHD_Connection *mhd, void **context)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD);
    int fd = info == NULL ? -1 : info->connect_fd;
    const union MHD_ConnectionInfo *peer = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    struct http_conn *conn = hc_alloc(sizeof *conn);
    if (conn == NULL || peer == NULL || !http_address_of(peer->client_addr, &conn->address)) {
        metrics_add(server->metrics, METRIC_HTTP_REFUSED, 1, "no_memory");
        hc_free(conn);
        (void)shutdown(fd, SHUT_RDWR);            /* the library sees the end of it and closes */
        return;
    }
    conn->server = server;
    conn->mhd = mhd;
    conn->fd = fd;
    conn->quiet_since_ms = os_monotonic_ms();
    http_address_format(&conn->address, conn->peer);
    conn->loopback = http_address_is_loopback(&conn->address);
    conn->trusted = http_address_among(&conn->address, server->proxies, server->proxy_count);
    conn->counted = !is_exempt(server, &conn->address);
    if (conn->counted)
        address_count_add(server->per_address, &conn->address);
    conn->greeting = server->tls;
    conn->certificate = http_certificate_present(server, mhd);
    server->greeting += conn->greeting;
    server->quiet_turns = 0;
    conn->next = server->conns;
    if (conn->next != NULL)
        conn->next->prev = conn;
    server->conns = conn;
    *context = conn;
    metrics_add(server->metrics, METRIC_HTTP_CONNECTIONS, 1);
    (void)MHD_set_connection_option(mhd, MHD_CONNECTION_OPTION_TIMEOUT, server->limits.first_request_seconds);
}

void http_greeted(struct http_conn *conn)
{
    conn->server->greeting -= conn->greeting;
    conn->greeting = false;
}

static void close_connection(struct http_server *server, struct http_conn *conn)
{
    assert(conn->request == NULL);
    http_greeted(conn);
    if (conn->counted)
        address_count_drop(server->per_address, &conn->address);
    if (conn->prev != NULL)
        conn->prev->next = conn->next;
    else
        server->conns = conn->next;
    if (conn->next != NULL)
        conn->next->prev = conn->prev;
    metrics_add(server->metrics, METRIC_HTTP_CONNECTIONS, -1);
    http_certificate_let_go(conn->certificate);
    hc_free(conn);
}

void http_on_connection(void *cls, struct MHD_Connection *mhd, void **context, enum MHD_ConnectionNotificationCode what)
{
    struct http_server *server = cls;
    server->called_back = true;
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        *context = NULL;
        open_connection(server, mhd, context);
    } else if (*context != NULL) {
        close_connection(server, *context);
        *context = NULL;
    }
}

struct batch { size_t count; struct pollfd fds[HTTP_POLL_BATCH]; struct http_conn *conns[HTTP_POLL_BATCH]; };

static bool is_stream(const struct http_request *req)
{
    return req != NULL && req->pull != NULL && req->handed_over;
}

/* The end of what the peer sends may escape the library: it takes a short read for an empty socket, so an end that came along with the
 * last bytes makes no new edge. And a suspended stream's socket is in no epoll set at all. */
static bool peer_ended(int fd)
{
    char byte;
    ssize_t got = recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
}

static void look_at(struct batch *batch)
{
    if (batch->count == 0 || poll(batch->fds, (nfds_t)batch->count, 0) <= 0) {
        batch->count = 0;
        return;
    }
    for (size_t i = 0; i < batch->count; i++) {
        struct http_conn *conn = batch->conns[i];
        bool gone = (batch->fds[i].revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
        if (gone && is_stream(conn->request)) {
            conn->request->stream_gone = true;
            http_resume(conn->request);
        } else if (gone && peer_ended(conn->fd)) {
            if (conn->ended)                      /* for a whole sweep: the library has had its turns with what it had read */
                (void)shutdown(conn->fd, SHUT_RDWR);
            conn->ended = true;
        }
    }
    batch->count = 0;
}

void http_sweep(struct http_server *server, int64_t now_ms)
{
    if (now_ms < server->sweep_at_ms)
        return;
    server->sweep_at_ms = now_ms + HTTP_SWEEP_MS;
    int64_t idle_ms = (int64_t)server->limits.idle_seconds * 1000;
    struct batch batch = { 0 };
    for (struct http_conn *conn = server->conns; conn != NULL; conn = conn->next) {
        struct http_request *req = conn->request;
        bool stream = is_stream(req), suspended = req != NULL && req->suspended;
        if (!stream && !suspended && now_ms - conn->quiet_since_ms >= idle_ms)
            (void)shutdown(conn->fd, SHUT_RDWR);  /* the library's own time-out starts anew with every byte; this one does not */
        /* One who has said all may still read a long answer, and a parked request stays until it is answered. */
        bool reading = req == NULL || req->phase != HTTP_PHASE_OWNED;
        if (stream ? suspended : reading) {
            batch.fds[batch.count] = (struct pollfd){ .fd = conn->fd, .events = POLLRDHUP };
            batch.conns[batch.count++] = conn;
        }
        if (batch.count == HTTP_POLL_BATCH || conn->next == NULL)
            look_at(&batch);
    }
}
