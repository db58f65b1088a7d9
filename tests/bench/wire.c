#include "wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "hydra/base/arena.h"
#include "hydra/os/clock.h"
#include "hydra/os/file.h"

#include "fatal.h"

#define EVENT_BATCH 512
#define READ_SIZE   16384
#define WAIT_MAX_US 100000

/* ---- the heap of instants ---- */

static void place(struct wire *wire, size_t at, struct wire_conn *conn)
{
    wire->heap[at] = conn;
    conn->heap_at = at;
}

static void sift(struct wire *wire, size_t at)
{
    struct wire_conn *conn = wire->heap[at];
    for (size_t up = (at - 1) / 2; at > 0 && conn->due_us < wire->heap[up]->due_us; up = (at - 1) / 2) {
        place(wire, at, wire->heap[up]);
        at = up;
    }
    for (size_t down = 2 * at + 1; down < wire->heap_count; down = 2 * at + 1) {
        if (down + 1 < wire->heap_count && wire->heap[down + 1]->due_us < wire->heap[down]->due_us)
            down++;
        if (wire->heap[down]->due_us >= conn->due_us)
            break;
        place(wire, at, wire->heap[down]);
        at = down;
    }
    place(wire, at, conn);
}

void wire_wake_at(struct wire_conn *conn, int64_t at_us)
{
    struct wire *wire = conn->wire;
    conn->due_us = at_us;
    if (at_us != 0) {
        if (conn->heap_at == SIZE_MAX)
            place(wire, wire->heap_count++, conn);
        sift(wire, conn->heap_at);
    } else if (conn->heap_at != SIZE_MAX) {
        size_t at = conn->heap_at;
        struct wire_conn *last = wire->heap[--wire->heap_count];
        conn->heap_at = SIZE_MAX;
        if (last != conn) {
            place(wire, at, last);
            sift(wire, at);
        }
    }
}

static void run_due(struct wire *wire)
{
    int64_t now = os_monotonic_us();
    while (!wire->stop && wire->heap_count > 0 && wire->heap[0]->due_us <= now) {
        struct wire_conn *conn = wire->heap[0];
        wire_wake_at(conn, 0);
        conn->due(conn);
    }
}

/* ---- open, close ---- */

void wire_open(struct wire *wire, const char *url, size_t count)
{
    char address[64];
    unsigned port = 0;
    bool tls = strncmp(url, "https://", 8) == 0;
    *wire = (struct wire){ .epoll_fd = epoll_create1(EPOLL_CLOEXEC), .count = count };
    if (sscanf(url + (tls ? 8 : 7), "%63[^:]:%u", address, &port) != 2 || inet_pton(AF_INET, address, &wire->address) != 1)
        fatal("not an address and port: %s", url);
    wire->port = (uint16_t)port;
    if (tls) {
        wire->tls = SSL_CTX_new(TLS_client_method());
        if (wire->tls == NULL)
            fatal("OpenSSL has no client");
        SSL_CTX_set_verify(wire->tls, SSL_VERIFY_NONE, NULL);
        SSL_CTX_set_session_cache_mode(wire->tls, SSL_SESS_CACHE_OFF);
        SSL_CTX_set_mode(wire->tls, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    }
    wire->conns = need(hc_alloc(count * sizeof wire->conns[0]));
    wire->heap = need(hc_alloc(count * sizeof wire->heap[0]));
    for (size_t i = 0; i < count; i++)
        wire->conns[i] = (struct wire_conn){ .wire = wire, .number = i, .fd = -1, .heap_at = SIZE_MAX };
}

void wire_hang_up(struct wire_conn *conn)
{
    SSL_free(conn->ssl);
    conn->ssl = NULL;
    os_close(&conn->fd);
    conn->phase = WIRE_CLOSED;
    conn->close_after = false;
    conn->out_at = 0;
    hc_buf_clear(&conn->in);
}

void wire_close(struct wire *wire)
{
    for (size_t i = 0; wire->conns != NULL && i < wire->count; i++) {
        wire_hang_up(&wire->conns[i]);
        hc_buf_free(&wire->conns[i].out);
        hc_buf_free(&wire->conns[i].in);
    }
    hc_free(wire->conns);
    hc_free(wire->heap);
    SSL_CTX_free(wire->tls);
    if (wire->conns != NULL)
        os_close(&wire->epoll_fd);
    *wire = (struct wire){ .epoll_fd = -1 };
}

static void broke(struct wire_conn *conn)
{
    bool waited = conn->waits;
    conn->waits = false;
    wire_hang_up(conn);
    if (!waited)
        return;
    conn->wire->broken++;
    conn->answered(conn, 0, "", 0, os_monotonic_us() - conn->sent_us);
}

static void start_connecting(struct wire_conn *conn)
{
    struct wire *wire = conn->wire;
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(wire->port), .sin_addr.s_addr = wire->address };
    int on = 1;
    conn->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (conn->fd < 0 || setsockopt(conn->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) < 0)
        fatal("socket: %s", strerror(errno));
    if (connect(conn->fd, (struct sockaddr *)&to, sizeof to) < 0 && errno != EINPROGRESS)
        fatal("connect: %s", strerror(errno));
    struct epoll_event event = { .events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.ptr = conn };
    if (epoll_ctl(wire->epoll_fd, EPOLL_CTL_ADD, conn->fd, &event) < 0)
        fatal("epoll: %s", strerror(errno));
    conn->phase = WIRE_CONNECTING;
    if (wire->tls == NULL)
        return;
    conn->ssl = need(SSL_new(wire->tls));
    if (SSL_set_fd(conn->ssl, conn->fd) != 1)
        fatal("OpenSSL takes no socket");
    SSL_set_connect_state(conn->ssl);
}

/* ---- bytes: above 0 moved, 0 not now, below 0 gone ---- */

static long tls_said(struct wire_conn *conn, int got)
{
    if (got > 0)
        return got;
    int why = SSL_get_error(conn->ssl, got);
    return why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE ? 0 : -1;
}

static long put_bytes(struct wire_conn *conn, const char *bytes, size_t len)
{
    if (conn->ssl != NULL)
        return tls_said(conn, SSL_write(conn->ssl, bytes, (int)len));
    ssize_t got = send(conn->fd, bytes, len, MSG_NOSIGNAL);
    return got >= 0 ? got : errno == EAGAIN ? 0 : -1;
}

static long get_bytes(struct wire_conn *conn, char *bytes, size_t size)
{
    if (conn->ssl != NULL)
        return tls_said(conn, SSL_read(conn->ssl, bytes, (int)size));
    ssize_t got = recv(conn->fd, bytes, size, 0);
    return got > 0 ? got : got < 0 && errno == EAGAIN ? 0 : -1;
}

static bool push(struct wire_conn *conn)
{
    while (conn->waits && conn->out_at < conn->out.len) {
        long put = put_bytes(conn, conn->out.data + conn->out_at, conn->out.len - conn->out_at);
        if (put <= 0)
            return put == 0;
        conn->out_at += (size_t)put;
    }
    return true;
}

/* ---- answers ---- */

/* The value of a header before `end` in text that ends with NUL; NULL: absent. */
static const char *header(const char *text, const char *end, const char *name)
{
    size_t len = strlen(name);
    for (const char *line = strstr(text, "\r\n"); line != NULL && line < end; line = strstr(line + 2, "\r\n"))
        if (strncasecmp(line + 2, name, len) == 0)
            return line + 2 + len;
    return NULL;
}

/* True: a whole answer was there and has been handed over. */
static bool take_answer(struct wire_conn *conn)
{
    char *text = conn->in.data, *end = conn->in.len == 0 ? NULL : strstr(text, "\r\n\r\n");
    if (end == NULL || !conn->waits)
        return false;
    if (strncmp(text, "HTTP/1.1 ", 9) != 0)
        fatal("not an answer: %.80s", text);
    unsigned status = (unsigned)strtoul(text + 9, NULL, 10);
    const char *length = header(text, end, "content-length:"), *closing = header(text, end, "connection:");
    size_t body_len = length == NULL ? 0 : strtoul(length, NULL, 10), at = (size_t)(end - text) + 4;
    if (body_len > WIRE_ANSWER_MAX || conn->in.len > at + body_len)
        fatal("an answer of %zu bytes, %zu came", at + body_len, conn->in.len);
    if (conn->in.len < at + body_len)
        return false;
    conn->close_after = closing != NULL && strncasecmp(closing, " close", 6) == 0;
    conn->waits = false;
    int64_t took = os_monotonic_us() - conn->sent_us;
    struct hc_buf whole = conn->in;         /* the callback may send, which uses conn->in again */
    conn->in = (struct hc_buf){ 0 };
    if (conn->close_after)
        wire_hang_up(conn);
    conn->answered(conn, status, whole.data + at, body_len, took);
    if (conn->in.data == NULL) {
        hc_buf_clear(&whole);
        conn->in = whole;
    } else {
        hc_buf_free(&whole);
    }
    return true;
}

static void pull(struct wire_conn *conn)
{
    char bytes[READ_SIZE];
    int fd = conn->fd;
    while (conn->phase == WIRE_OPEN && conn->fd == fd) {
        long got = get_bytes(conn, bytes, sizeof bytes);
        if (got < 0)
            broke(conn);
        if (got <= 0)
            return;
        hc_buf_add(&conn->in, bytes, (size_t)got);
        if (conn->in.failed)
            fatal("out of memory");
        (void)take_answer(conn);
    }
}

static void progress(struct wire_conn *conn)
{
    if (conn->phase == WIRE_CONNECTING) {
        int error = 0;
        if (getsockopt(conn->fd, SOL_SOCKET, SO_ERROR, &error, &(socklen_t){ sizeof error }) < 0 || error != 0) {
            broke(conn);
            return;
        }
        conn->phase = conn->ssl == NULL ? WIRE_OPEN : WIRE_GREETING;
    }
    if (conn->phase == WIRE_GREETING) {
        long said = tls_said(conn, SSL_do_handshake(conn->ssl));
        if (said < 0)
            broke(conn);
        if (said <= 0)
            return;
        conn->phase = WIRE_OPEN;
    }
    if (conn->phase != WIRE_OPEN)
        return;
    if (!push(conn))
        broke(conn);
    else
        pull(conn);
}

void wire_send(struct wire_conn *conn, const char *method, const char *path, const char *token, const char *body)
{
    struct hc_buf *out = &conn->out;
    size_t len = body == NULL ? 0 : strlen(body);
    if (conn->waits)
        fatal("a second request on a connection that waits: %s %s", method, path);
    hc_buf_clear(out);
    hc_buf_str(out, method);
    hc_buf_char(out, ' ');
    hc_buf_str(out, path);
    hc_buf_str(out, " HTTP/1.1\r\nHost: bench\r\n");
    if (token != NULL) {
        hc_buf_str(out, "Authorization: Bearer ");
        hc_buf_str(out, token);
        hc_buf_str(out, "\r\n");
    }
    if (body != NULL) {
        hc_buf_str(out, "Content-Type: application/json\r\nContent-Length: ");
        hc_buf_u64(out, len);
        hc_buf_str(out, "\r\n");
    }
    hc_buf_str(out, "\r\n");
    hc_buf_add(out, body == NULL ? "" : body, len);
    if (out->failed)
        fatal("out of memory");
    conn->out_at = 0;
    conn->waits = true;
    conn->sent_us = os_monotonic_us();
    if (conn->phase == WIRE_CLOSED)
        start_connecting(conn);
    else if (conn->phase == WIRE_OPEN && !push(conn))
        broke(conn);
}

void wire_run(struct wire *wire, int64_t until_us)
{
    static struct epoll_event events[EVENT_BATCH];
    wire->stop = false;
    for (;;) {
        run_due(wire);
        int64_t now = os_monotonic_us(), wait = until_us - now;
        if (wire->stop || wait <= 0)
            return;
        if (wire->heap_count > 0 && wire->heap[0]->due_us - now < wait)
            wait = wire->heap[0]->due_us - now;
        wait = wait < 0 ? 0 : wait > WAIT_MAX_US ? WAIT_MAX_US : wait;
        int count = epoll_wait(wire->epoll_fd, events, EVENT_BATCH, (int)((wait + 999) / 1000));
        if (count < 0 && errno != EINTR)
            fatal("epoll: %s", strerror(errno));
        for (int i = 0; i < count; i++)
            progress(events[i].data.ptr);
    }
}
