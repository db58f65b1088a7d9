#include "server.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include <openssl/err.h>

#include "hydra/base/arena.h"
#include "hydra/os/clock.h"
#include "hydra/os/file.h"

#define HEAD_MS      5000               /* for the handshake, and again for the request */
#define WRITE_MS     5000
#define CLOSE_MS     600000             /* a client that never closes; the real one would wait for ever */
#define LINGER_MS    1000               /* what a refused client still sends is taken in, so that it can read its refusal */
#define WAKE_MS      200
#define READ_BYTES   16384u

enum phase { PHASE_FREE, PHASE_HANDSHAKE, PHASE_READING, PHASE_HELD };

struct connection {
    enum phase phase;
    int fd;
    SSL *ssl;
    uint64_t id;
    int64_t deadline_ms;
    bool wants_write;
    struct hc_buf in;
    char address[REQUEST_ADDRESS_SIZE];
};

struct post { uint64_t connection; struct hc_buf bytes; };      /* no bytes: close */

struct server {
    const struct server_ops *ops;
    void *ctx;
    int listen_fd, wake_fd;
    pthread_t thread;
    struct connection connections[SERVER_CONNECTIONS_MAX];
    uint64_t last_id;
    pthread_mutex_t mutex;                                      /* what follows */
    struct post posts[SERVER_CONNECTIONS_MAX];
    size_t post_count;
    bool stop;
};

static bool stopping(struct server *server)
{
    (void)pthread_mutex_lock(&server->mutex);
    bool stop = server->stop;
    (void)pthread_mutex_unlock(&server->mutex);
    return stop;
}

/* Waits for the socket; false when the time is over or the server stops. */
static bool wait_for(struct server *server, int fd, short events, int64_t end_ms)
{
    while (!stopping(server)) {
        int64_t left = end_ms - os_monotonic_ms();
        if (left <= 0)
            return false;
        struct pollfd poll_fd = { .fd = fd, .events = events };
        if (poll(&poll_fd, 1, (int)(left < WAKE_MS ? left : WAKE_MS)) > 0)
            return true;
    }
    return false;
}

/* What the TLS library waits for after `result`; 0: it failed for good. */
static short tls_wants(SSL *ssl, int result)
{
    int why = SSL_get_error(ssl, result);
    return why == SSL_ERROR_WANT_READ ? POLLIN : why == SSL_ERROR_WANT_WRITE ? POLLOUT : 0;
}

static void write_all(struct server *server, struct connection *connection, const struct hc_buf *bytes)
{
    int64_t end = os_monotonic_ms() + WRITE_MS;
    for (size_t sent = 0; sent < bytes->len;) {
        ssize_t got;
        short events = POLLOUT;
        if (connection->ssl != NULL) {
            ERR_clear_error();
            got = SSL_write(connection->ssl, bytes->data + sent, (int)(bytes->len - sent));
            events = got > 0 ? POLLOUT : tls_wants(connection->ssl, (int)got);
        } else {
            got = send(connection->fd, bytes->data + sent, bytes->len - sent, MSG_NOSIGNAL);
            events = got < 0 && errno != EAGAIN ? 0 : POLLOUT;
        }
        if (got > 0)
            sent += (size_t)got;
        else if (events == 0 || !wait_for(server, connection->fd, events, end))
            return;
    }
}

/* Takes in what still comes until the other side closes. */
static void swallow(struct server *server, int fd, int64_t at_most_ms)
{
    char bytes[READ_BYTES];
    int64_t end = os_monotonic_ms() + at_most_ms;
    while (wait_for(server, fd, POLLIN, end)) {
        ssize_t got = recv(fd, bytes, sizeof bytes, 0);
        if (got == 0 || (got < 0 && errno != EAGAIN))
            return;
    }
}

static void release(struct connection *connection)
{
    SSL_free(connection->ssl);
    os_close(&connection->fd);
    hc_buf_free(&connection->in);
    *connection = (struct connection){ .fd = -1 };
}

/* TLS: our close_notify, then the client's, or its end. This is what keeps the thread when a client does not close. */
static void shut_down(struct server *server, struct connection *connection, bool refused)
{
    if (connection->ssl != NULL) {
        (void)SSL_shutdown(connection->ssl);
        if (server->ops->waits_for_close || refused)
            swallow(server, connection->fd, refused ? LINGER_MS : CLOSE_MS);
    } else {
        (void)shutdown(connection->fd, SHUT_WR);
    }
    release(connection);
}

static void reset(struct connection *connection)
{
    struct linger now = { .l_onoff = 1, .l_linger = 0 };
    (void)setsockopt(connection->fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    if (connection->ssl != NULL)
        SSL_set_quiet_shutdown(connection->ssl, 1);
    release(connection);
}

static void answer_bytes(const struct server *server, struct answer *answer, struct hc_buf *out)
{
    size_t used = strlen(answer->more);
    (void)snprintf(answer->more + used, sizeof answer->more - used, "%s", server->ops->closing);
    answer_write(answer, out);
}

static void serve(struct server *server, struct connection *connection, int64_t len)
{
    struct request request;
    struct answer answer = { .kind = ANSWER_CLOSE, .status = 200 };
    HC_CLEANUP(hc_buf_freep) struct hc_buf bytes = { 0 };
    if (len > 0 && request_read(connection->in.data, (size_t)len, &request)) {
        request.connection = connection->id;
        request.server = server;
        request.tls = connection->ssl != NULL;
        memcpy(request.address, connection->address, sizeof request.address);
        X509 *peer = connection->ssl == NULL ? NULL : SSL_get1_peer_certificate(connection->ssl);
        request.peer = peer;
        connection->phase = PHASE_HELD;
        server->ops->handle(server->ctx, &request, &answer);
        X509_free(peer);
    }
    if (len > 0)
        request_release(&request);
    if (answer.kind == ANSWER_HOLD)
        return;
    if (answer.kind == ANSWER_SEND) {
        answer_bytes(server, &answer, &bytes);
        write_all(server, connection, &bytes);
    }
    hc_buf_free(&answer.body);
    if (answer.kind == ANSWER_SEND)
        shut_down(server, connection, false);
    else
        release(connection);
}

/* True when the handshake is done and the client may ask. */
static bool step_handshake(struct server *server, struct connection *connection)
{
    ERR_clear_error();
    int result = SSL_accept(connection->ssl);
    if (result != 1) {
        short events = tls_wants(connection->ssl, result);
        connection->wants_write = events == POLLOUT;
        if (events == 0) {
            (void)shutdown(connection->fd, SHUT_WR);            /* the alert is on its way */
            swallow(server, connection->fd, LINGER_MS);
            release(connection);
        }
        return false;
    }
    connection->wants_write = false;
    connection->phase = PHASE_READING;
    connection->deadline_ms = os_monotonic_ms() + HEAD_MS;
    if (server->ops->let_in == NULL)
        return true;
    HC_CLEANUP(hc_buf_freep) struct hc_buf out = { 0 };
    bool by_reset = false;
    X509 *peer = SSL_get1_peer_certificate(connection->ssl);
    bool in = server->ops->let_in(server->ctx, peer, &out, &by_reset);
    X509_free(peer);
    if (in)
        return true;
    if (by_reset) {
        reset(connection);
    } else {
        write_all(server, connection, &out);
        shut_down(server, connection, true);
    }
    return false;
}

static void step_reading(struct server *server, struct connection *connection)
{
    char bytes[READ_BYTES];
    for (;;) {
        ssize_t got;
        if (connection->ssl != NULL) {
            ERR_clear_error();
            got = SSL_read(connection->ssl, bytes, (int)sizeof bytes);
            if (got <= 0 && tls_wants(connection->ssl, (int)got) != 0)
                return;
        } else {
            got = recv(connection->fd, bytes, sizeof bytes, 0);
            if (got < 0 && errno == EAGAIN)
                return;
        }
        if (got <= 0) {
            release(connection);
            return;
        }
        hc_buf_add(&connection->in, bytes, (size_t)got);
        int64_t len = connection->in.failed ? -1 : request_length(connection->in.data, connection->in.len);
        if (len != 0) {
            serve(server, connection, len);
            return;
        }
    }
}

static void take_connection(struct server *server)
{
    struct connection *connection = NULL;
    for (size_t i = 0; i < SERVER_CONNECTIONS_MAX && connection == NULL; i++)
        if (server->connections[i].phase == PHASE_FREE)
            connection = &server->connections[i];
    if (connection == NULL)
        return;
    struct sockaddr_in from;
    socklen_t len = sizeof from;
    int fd = accept4(server->listen_fd, (struct sockaddr *)&from, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0)
        return;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));        /* as the real one */
    *connection = (struct connection){ .fd = fd, .id = ++server->last_id, .phase = PHASE_READING,
                                       .deadline_ms = os_monotonic_ms() + HEAD_MS };
    (void)inet_ntop(AF_INET, &from.sin_addr, connection->address, sizeof connection->address);
    if (server->ops->context == NULL)
        return;
    SSL_CTX *context = server->ops->context(server->ctx);
    connection->phase = PHASE_HANDSHAKE;
    connection->ssl = SSL_new(context);
    SSL_CTX_free(context);
    if (connection->ssl == NULL || SSL_set_fd(connection->ssl, fd) != 1)
        release(connection);
}

static void hand_out_posts(struct server *server)
{
    struct post posts[SERVER_CONNECTIONS_MAX];
    (void)pthread_mutex_lock(&server->mutex);
    size_t count = server->post_count;
    memcpy(posts, server->posts, count * sizeof posts[0]);
    server->post_count = 0;
    (void)pthread_mutex_unlock(&server->mutex);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < SERVER_CONNECTIONS_MAX; j++) {
            struct connection *connection = &server->connections[j];
            if (connection->phase != PHASE_HELD || connection->id != posts[i].connection)
                continue;
            if (posts[i].bytes.len == 0) {
                release(connection);
            } else {
                write_all(server, connection, &posts[i].bytes);
                shut_down(server, connection, false);
            }
        }
        hc_buf_free(&posts[i].bytes);
    }
}

static void step(struct server *server, struct connection *connection, bool ready)
{
    if (connection->phase != PHASE_HANDSHAKE && connection->phase != PHASE_READING)
        return;
    if (!ready) {
        if (os_monotonic_ms() >= connection->deadline_ms)
            release(connection);
        return;
    }
    if (connection->phase == PHASE_READING || step_handshake(server, connection))
        step_reading(server, connection);
}

static void *run(void *arg)
{
    struct server *server = arg;
    while (!stopping(server)) {
        struct pollfd fds[SERVER_CONNECTIONS_MAX + 2];
        size_t of[SERVER_CONNECTIONS_MAX + 2], count = 2;
        fds[0] = (struct pollfd){ .fd = server->wake_fd, .events = POLLIN };
        fds[1] = (struct pollfd){ .fd = server->listen_fd, .events = POLLIN };
        if (server->ops->blocked != NULL && server->ops->blocked(server->ctx)) {
            (void)poll(fds, 1, WAKE_MS / 10);
            continue;
        }
        for (size_t i = 0; i < SERVER_CONNECTIONS_MAX; i++) {
            const struct connection *connection = &server->connections[i];
            if (connection->phase == PHASE_FREE || connection->phase == PHASE_HELD)
                continue;
            fds[count] = (struct pollfd){ .fd = connection->fd, .events = connection->wants_write ? POLLOUT : POLLIN };
            of[count++] = i;
        }
        (void)poll(fds, (nfds_t)count, WAKE_MS);
        uint64_t woken;
        if ((fds[0].revents & POLLIN) != 0 && read(server->wake_fd, &woken, sizeof woken) < 0)
            continue;
        hand_out_posts(server);
        for (size_t i = 2; i < count; i++)
            step(server, &server->connections[of[i]], fds[i].revents != 0);
        if ((fds[1].revents & POLLIN) != 0)
            take_connection(server);
    }
    return NULL;
}

static void post(struct server *server, uint64_t connection, struct hc_buf bytes)
{
    uint64_t one = 1;
    (void)pthread_mutex_lock(&server->mutex);
    assert(server->post_count < SERVER_CONNECTIONS_MAX);        /* a connection is held once and answered once */
    server->posts[server->post_count++] = (struct post){ .connection = connection, .bytes = bytes };
    (void)pthread_mutex_unlock(&server->mutex);
    ssize_t written = write(server->wake_fd, &one, sizeof one);
    assert(written == (ssize_t)sizeof one);
}

void server_answer(struct server *server, uint64_t connection, struct answer *answer)
{
    struct hc_buf bytes = { 0 };
    answer_bytes(server, answer, &bytes);
    hc_buf_free(&answer->body);
    post(server, connection, bytes);
}

void server_drop(struct server *server, uint64_t connection)
{
    post(server, connection, (struct hc_buf){ 0 });
}

static int listen_on_loopback(uint16_t *port)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(*port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){ 1 }, sizeof(int));
    if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) < 0 || listen(fd, SOMAXCONN) < 0 ||
        getsockname(fd, (struct sockaddr *)&at, &(socklen_t){ sizeof at }) < 0) {
        (void)fprintf(stderr, "sunshine_host: port %u: %s\n", *port, strerror(errno));
        os_close(&fd);
        return -1;
    }
    *port = ntohs(at.sin_port);
    return fd;
}

struct server *server_start(const struct server_ops *ops, void *ctx, uint16_t *port)
{
    struct server *server = hc_alloc(sizeof *server);
    if (server == NULL)
        return NULL;
    *server = (struct server){ .ops = ops, .ctx = ctx };
    for (size_t i = 0; i < SERVER_CONNECTIONS_MAX; i++)
        server->connections[i].fd = -1;
    (void)pthread_mutex_init(&server->mutex, NULL);
    server->listen_fd = listen_on_loopback(port);
    server->wake_fd = eventfd(0, EFD_CLOEXEC);
    if (server->listen_fd >= 0 && server->wake_fd >= 0 && pthread_create(&server->thread, NULL, run, server) == 0)
        return server;
    os_close(&server->listen_fd);
    os_close(&server->wake_fd);
    hc_free(server);
    return NULL;
}

struct server *server_stop(struct server *server)
{
    if (server == NULL)
        return NULL;
    (void)pthread_mutex_lock(&server->mutex);
    server->stop = true;
    (void)pthread_mutex_unlock(&server->mutex);
    (void)pthread_join(server->thread, NULL);
    for (size_t i = 0; i < SERVER_CONNECTIONS_MAX; i++)
        release(&server->connections[i]);
    for (size_t i = 0; i < server->post_count; i++)
        hc_buf_free(&server->posts[i].bytes);
    os_close(&server->listen_fd);
    os_close(&server->wake_fd);
    (void)pthread_mutex_destroy(&server->mutex);
    hc_free(server);
    return NULL;
}
