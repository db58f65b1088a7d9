#include "raw_server.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <cmocka.h>

#include "hydra/base/buf.h"
#include "hydra/client/client.h"

#define PEERS_MAX    64
#define REQUEST_MAX  65536
#define URL_SIZE     64

struct peer { int fd; unsigned number, requests; struct hc_buf in; };

struct raw_server {
    int listen_fd, stop_fd[2];
    char url[URL_SIZE];
    atomic_uint accepted;
    pthread_t thread;
    struct peer peers[PEERS_MAX];
    size_t peer_count;
};

static bool send_all(int fd, const char *bytes, size_t len)
{
    for (size_t sent = 0; sent < len;) {
        ssize_t n = send(fd, bytes + sent, len - sent, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        sent += (size_t)n;
    }
    return true;
}

static bool answer(const struct peer *peer, const char *status, const char *headers, const char *body)
{
    struct hc_buf out = { 0 };
    hc_buf_printf(&out, "HTTP/1.1 %s\r\n%sContent-Length: %zu\r\n\r\n%s", status, headers, strlen(body), body);
    bool ok = !out.failed && send_all(peer->fd, out.data, out.len);
    hc_buf_free(&out);
    return ok;
}

/* Ends when the client hangs up; the byte count bounds it if the client never does. */
static bool pour(const struct peer *peer, const char *head, const char *line, size_t bytes)
{
    if (!send_all(peer->fd, head, strlen(head)))
        return false;
    struct hc_buf chunk = { 0 };
    while (chunk.len < 16384)
        hc_buf_str(&chunk, line);
    bool ok = true;
    for (size_t sent = 0; ok && sent < bytes; sent += chunk.len)
        ok = send_all(peer->fd, chunk.data, chunk.len);
    hc_buf_free(&chunk);
    return ok;
}

/* The request as it came, so that a test sees each header. */
static bool echo(const struct peer *peer, const char *request)
{
    return answer(peer, "200 OK", "Content-Type: text/plain\r\n", request);
}

/* False: close the connection. `request` is the whole of it, `path` its path. */
static bool serve(struct peer *peer, const char *request, const char *path)
{
    peer->requests++;
    if (strcmp(path, "/echo") == 0)
        return echo(peer, request);
    if (strcmp(path, "/connection") == 0) {
        char text[32];
        (void)snprintf(text, sizeof text, "%u.%u", peer->number, peer->requests);
        return answer(peer, "200 OK", "", text);
    }
    if (strcmp(path, "/busy") == 0)
        return answer(peer, "503 Service Unavailable", "Retry-After: 7\r\n", "{}");
    if (strcmp(path, "/busy-now") == 0)
        return answer(peer, "429 Too Many Requests", "retry-after:0\r\n", "{}");
    if (strcmp(path, "/busy-long") == 0)
        return answer(peer, "503 Service Unavailable", "Retry-After: 99999999999999999999\r\n", "{}");
    if (strcmp(path, "/busy-until") == 0)
        return answer(peer, "503 Service Unavailable", "Retry-After: Fri, 31 Dec 2399 23:59:59 GMT\r\n", "{}");
    if (strcmp(path, "/busy-junk") == 0)
        return answer(peer, "503 Service Unavailable", "Retry-After: 7x\r\n", "{}");
    if (strcmp(path, "/moved") == 0)
        return answer(peer, "302 Found", "Location: /echo\r\n", "elsewhere");
    if (strcmp(path, "/nothing") == 0)
        return send_all(peer->fd, "HTTP/1.1 204 No Content\r\n\r\n", 27);
    if (strcmp(path, "/silent") == 0)
        return true;
    if (strcmp(path, "/goes-on") == 0) {
        static const char piece[] = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\none";
        return send_all(peer->fd, piece, sizeof piece - 1);
    }
    if (strcmp(path, "/large") == 0)
        return pour(peer, "HTTP/1.1 200 OK\r\n\r\n", "xxxxxxxxxxxxxxxx", CLIENT_ANSWER_MAX + 65536);
    if (strcmp(path, "/largest") == 0) {
        char head[80];
        (void)snprintf(head, sizeof head, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n", CLIENT_ANSWER_MAX);
        return pour(peer, head, "xxxxxxxxxxxxxxxx", CLIENT_ANSWER_MAX);
    }
    if (strcmp(path, "/endless-head") == 0)
        return pour(peer, "HTTP/1.1 200 OK\r\n", "X-More: of the same\r\n", (size_t)1024 * 1024);
    if (strcmp(path, "/cut") == 0)
        (void)send_all(peer->fd, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nfour", 44);
    return false;
}

/* Length of the first whole request in the text, 0 when more is to come. */
static size_t whole_request(const struct hc_buf *in)
{
    const char *end = in->len == 0 ? NULL : strstr(in->data, "\r\n\r\n");
    if (end == NULL)
        return 0;
    size_t body = 0;
    for (const char *line = strstr(in->data, "\r\n"); line != NULL && line < end; line = strstr(line + 2, "\r\n"))
        if (strncasecmp(line + 2, "Content-Length:", 15) == 0)
            body = (size_t)strtoul(line + 17, NULL, 10);
    size_t len = (size_t)(end - in->data) + 4 + body;
    return in->len >= len ? len : 0;
}

static bool peer_read(struct peer *peer)
{
    char bytes[8192];
    ssize_t n = recv(peer->fd, bytes, sizeof bytes, 0);
    if (n <= 0 || peer->in.len + (size_t)n > REQUEST_MAX)
        return false;
    hc_buf_add(&peer->in, bytes, (size_t)n);
    size_t len = whole_request(&peer->in);
    if (len == 0)
        return true;
    char path[128];
    bool ok = sscanf(peer->in.data, "%*15s %127s", path) == 1 && serve(peer, peer->in.data, path);
    hc_buf_clear(&peer->in);                /* this client does not pipeline */
    return ok;
}

static void peer_accept(struct raw_server *server)
{
    int fd = accept(server->listen_fd, NULL, NULL);
    if (fd < 0)
        return;
    if (server->peer_count == PEERS_MAX) {
        (void)close(fd);
        return;
    }
    unsigned number = atomic_fetch_add(&server->accepted, 1) + 1;
    server->peers[server->peer_count++] = (struct peer){ .fd = fd, .number = number };
}

static void peer_drop(struct raw_server *server, size_t at)
{
    (void)close(server->peers[at].fd);
    hc_buf_free(&server->peers[at].in);
    server->peers[at] = server->peers[--server->peer_count];
}

static void *run(void *ctx)
{
    struct raw_server *server = ctx;
    for (;;) {
        struct pollfd fds[2 + PEERS_MAX] = { { .fd = server->stop_fd[0], .events = POLLIN },
                                             { .fd = server->listen_fd, .events = POLLIN } };
        size_t count = server->peer_count;
        for (size_t i = 0; i < count; i++)
            fds[2 + i] = (struct pollfd){ .fd = server->peers[i].fd, .events = POLLIN };
        if (poll(fds, (nfds_t)(2 + count), -1) < 0)
            continue;
        if (fds[0].revents != 0)
            return NULL;
        for (size_t i = count; i-- > 0;)    /* from the end: dropping moves the last one */
            if (fds[2 + i].revents != 0 && !peer_read(&server->peers[i]))
                peer_drop(server, i);
        if (fds[1].revents != 0)
            peer_accept(server);
    }
}

struct raw_server *raw_server_start(void)
{
    struct raw_server *server = calloc(1, sizeof *server);
    assert_non_null(server);
    server->listen_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t len = sizeof address;
    assert_int_equal(bind(server->listen_fd, (struct sockaddr *)&address, len), 0);
    assert_int_equal(listen(server->listen_fd, PEERS_MAX), 0);
    assert_int_equal(getsockname(server->listen_fd, (struct sockaddr *)&address, &len), 0);
    (void)snprintf(server->url, sizeof server->url, "http://127.0.0.1:%u", (unsigned)ntohs(address.sin_port));
    assert_int_equal(pipe(server->stop_fd), 0);
    assert_int_equal(pthread_create(&server->thread, NULL, run, server), 0);
    return server;
}

struct raw_server *raw_server_stop(struct raw_server *server)
{
    if (server == NULL)
        return NULL;
    (void)close(server->stop_fd[1]);        /* the thread sees the end of the pipe */
    (void)pthread_join(server->thread, NULL);
    while (server->peer_count > 0)
        peer_drop(server, 0);
    (void)close(server->stop_fd[0]);
    (void)close(server->listen_fd);
    free(server);
    return NULL;
}

const char *raw_server_url(const struct raw_server *server)
{
    return server->url;
}

unsigned raw_server_connections(struct raw_server *server)
{
    return atomic_load(&server->accepted);
}
