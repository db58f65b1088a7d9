#include "fixture.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "hydra/base/log.h"
#include "hydra/os/clock.h"


static void answer_text(struct http_request *req, unsigned status, const char *text)
{
    http_answer(req, status, NULL, text, strlen(text));
}

static size_t number(const struct http_request *req, const char *key)
{
    const char *text = http_query(req, key);
    return text == NULL ? 0 : strtoul(text, NULL, 10);
}

static void on_begin(void *ctx, struct http_request *req)
{
    struct fixture *f = ctx;
    f->begun++;
    http_set_user(req, f);
    const char *path = http_path(req);
    http_set_route(req, path);
    if (strcmp(path, "/early") == 0)
        answer_text(req, (unsigned)number(req, "status"), "{\"error\":\"early\"}");
    else if (strcmp(path, "/limit") == 0)
        http_set_body_limit(req, number(req, "bytes"));
    else if (strcmp(path, "/echo") != 0 && strcmp(path, "/show") != 0 && strcmp(path, "/big") != 0 && strcmp(path, "/park") != 0 &&
             strcmp(path, "/stream") != 0)
        answer_text(req, 404, "{\"error\":\"not_found\"}");
}

static void on_late(struct http_request *req)
{
    struct fixture *f = http_user(req);
    f->late++;
    if (http_query(req, "again") != NULL && f->late == 1)
        http_park(req, HTTP_PARK_SLOT, os_monotonic_ms() + (int64_t)number(req, "ms"), on_late);
    else
        answer_text(req, 503, "{\"error\":\"late\"}");
}

static void on_pull(struct http_request *req, struct hc_buf *out)
{
    struct fixture *f = http_user(req);
    f->pulls++;
    if (f->feed != NULL)
        hc_buf_str(out, f->feed);
    if (!f->feed_for_ever)
        f->feed = NULL;
}

static void show(struct http_request *req)
{
    HC_CLEANUP(hc_buf_freep) struct hc_buf text = { 0 };
    size_t len, at = 0;
    const char *key, *value;
    (void)http_body(req, &len);
    hc_buf_printf(&text, "method=%d path=%s peer=%s loopback=%d id=%s body=%zu", (int)http_method(req), http_path(req), http_peer(req),
                  http_peer_is_loopback(req), http_request_id(req), len);
    while (http_query_next(req, &at, &key, &value))
        hc_buf_printf(&text, " [%s=%s]", key, value);
    http_header_add(req, "X-Test", http_header(req, "x-test") == NULL ? "absent" : http_header(req, "x-test"));
    http_answer(req, 200, "text/plain", text.data, text.len);
}

static void on_ready(void *ctx, struct http_request *req)
{
    struct fixture *f = ctx;
    f->ready++;
    const char *path = http_path(req);
    const char *body = http_body(req, &f->body_len);
    if (strcmp(path, "/show") == 0) {
        show(req);
    } else if (strcmp(path, "/big") == 0) {
        char *bytes = hc_arena_alloc(http_arena(req), number(req, "bytes") + 1);
        assert_non_null(bytes);
        memset(bytes, 'b', number(req, "bytes"));
        http_answer(req, 200, "text/plain", bytes, number(req, "bytes"));
    } else if (strcmp(path, "/park") == 0) {
        assert_true(f->parked_count < FIXTURE_PARKS);
        f->parked[f->parked_count++] = req;
        http_park(req, HTTP_PARK_NEWS, os_monotonic_ms() + (int64_t)number(req, "ms"), on_late);
    } else if (strcmp(path, "/stream") == 0) {
        f->stream = req;
        http_answer_stream(req, "text/event-stream", on_pull);
    } else {
        http_answer(req, 200, NULL, body, f->body_len);
    }
}

static void on_done(void *ctx, struct http_request *req)
{
    struct fixture *f = ctx;
    f->done++;
    assert_true(http_answered(req));
    if (f->stream == req) {
        f->stream = NULL;
        f->stream_over = true;
    }
    for (size_t i = 0; i < f->parked_count; i++)
        if (f->parked[i] == req)
            f->parked[i] = f->parked[--f->parked_count];
}

static void swallow(const char *line)
{
    (void)line;
}

struct http_config fixture_config(void)
{
    return (struct http_config){ .address = "127.0.0.1", .limits = { .connections = 600, .per_address = 256, .header_bytes = 7168,
                                                                     .idle_seconds = 75, .first_request_seconds = 10 } };
}

void fixture_open_with(struct fixture *f, struct http_config config)
{
    struct hc_diag diag = { 0 };
    hc_log_sink_set(swallow);
    *f = (struct fixture){ .config = config, .metrics = metrics_new() };
    assert_non_null(f->metrics);
    struct http_owner owner = { .ctx = f, .begin = on_begin, .ready = on_ready, .done = on_done };
    if (http_start(&config, &owner, f->metrics, &f->server, &diag) != HC_OK)
        fail_msg("%s", diag.text);
}

void fixture_open(struct fixture *f)
{
    fixture_open_with(f, fixture_config());
}

void fixture_close(struct fixture *f)
{
    http_free(f->server);
    f->server = NULL;
    assert_int_equal(f->begun, f->done);
    metrics_free(f->metrics);
    f->metrics = NULL;
}

void fixture_turn(struct fixture *f, int most_ms)
{
    int64_t wait = http_wait_ms(f->server);
    struct pollfd fd = { .fd = http_epoll_fd(f->server), .events = POLLIN };
    (void)poll(&fd, 1, wait < most_ms ? (int)wait : most_ms);
    http_turn(f->server);
}

void fixture_until(struct fixture *f, bool (*is_so)(void *arg), void *arg)
{
    int64_t end = os_monotonic_ms() + FIXTURE_WAIT_MS;
    while (!is_so(arg)) {
        if (os_monotonic_ms() > end)
            fail_msg("waited %d ms in vain", FIXTURE_WAIT_MS);
        fixture_turn(f, 2);
    }
}

void fixture_until_done(struct fixture *f, unsigned count)
{
    for (int64_t end = os_monotonic_ms() + FIXTURE_WAIT_MS; f->done < count; fixture_turn(f, 2))
        if (os_monotonic_ms() > end)
            fail_msg("%u requests are done, not %u", f->done, count);
}

void fixture_until_parked(struct fixture *f, size_t count)
{
    for (int64_t end = os_monotonic_ms() + FIXTURE_WAIT_MS; f->parked_count < count; fixture_turn(f, 2))
        if (os_monotonic_ms() > end)
            fail_msg("%zu requests are parked, not %zu", f->parked_count, count);
}

void fixture_for(struct fixture *f, int ms)
{
    for (int64_t end = os_monotonic_ms() + ms; os_monotonic_ms() < end;)
        fixture_turn(f, 10);
}

int client_open_to(struct fixture *f, const char *address)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(http_port(f->server)) };
    assert_int_equal(inet_pton(AF_INET, address, &at.sin_addr), 1);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
    return fd;
}

int client_open(struct fixture *f)
{
    return client_open_to(f, "127.0.0.1");
}

void client_close(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

void client_send(struct fixture *f, int fd, const char *bytes, size_t len)
{
    int64_t end = os_monotonic_ms() + FIXTURE_WAIT_MS;
    while (len > 0) {
        ssize_t sent = send(fd, bytes, len, MSG_NOSIGNAL);
        if (sent < 0 && errno != EAGAIN)
            return;                   /* the server has closed; the reply tells the test why */
        if (sent > 0) {
            bytes += sent;
            len -= (size_t)sent;
        }
        if (os_monotonic_ms() > end)
            fail_msg("the server does not read");
        if (len > 0)
            fixture_turn(f, 2);
    }
}

void client_say(struct fixture *f, int fd, const char *text)
{
    client_send(f, fd, text, strlen(text));
}

bool client_is_closed(int fd)
{
    char byte;
    ssize_t got = recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got == 0 || (got < 0 && errno != EAGAIN);
}

static bool is_closed(void *arg)
{
    char unread[4096];
    while (recv(*(int *)arg, unread, sizeof unread, 0) > 0)
        ;
    return client_is_closed(*(int *)arg);
}

void client_until_closed(struct fixture *f, int fd)
{
    fixture_until(f, is_closed, &fd);
}

/* The next byte, or -1 when the server has closed. Byte by byte, so that a second reply stays in the socket. */
static int next_byte(struct fixture *f, int fd)
{
    int64_t end = os_monotonic_ms() + FIXTURE_WAIT_MS;
    for (;;) {
        unsigned char byte;
        ssize_t got = recv(fd, &byte, 1, 0);
        if (got == 1)
            return byte;
        if (got == 0 || errno != EAGAIN)
            return -1;
        if (os_monotonic_ms() > end)
            fail_msg("no reply in %d ms", FIXTURE_WAIT_MS);
        fixture_turn(f, 2);
    }
}

static bool read_line(struct fixture *f, int fd, struct hc_buf *line)
{
    for (int c; (c = next_byte(f, fd)) >= 0;) {
        hc_buf_char(line, (char)c);
        if (c == '\n')
            return true;
    }
    return false;
}

static void read_bytes(struct fixture *f, int fd, size_t len, struct hc_buf *out)
{
    for (; len > 0; len--) {
        int c = next_byte(f, fd);
        if (c < 0)
            fail_msg("the reply ends %zu bytes early", len);
        hc_buf_char(out, (char)c);
    }
}

static void read_chunks(struct fixture *f, int fd, struct hc_buf *out)
{
    for (size_t len = 1; len > 0;) {
        HC_CLEANUP(hc_buf_freep) struct hc_buf line = { 0 };
        HC_CLEANUP(hc_buf_freep) struct hc_buf end = { 0 };
        assert_true(read_line(f, fd, &line));
        len = strtoul(line.data, NULL, 16);
        read_bytes(f, fd, len, out);
        assert_true(read_line(f, fd, &end));
    }
}

void client_read(struct fixture *f, int fd, bool has_body, struct reply *reply)
{
    *reply = (struct reply){ 0 };
    size_t line_at = 0;
    do {
        line_at = reply->head.len;
        if (!read_line(f, fd, &reply->head))
            fail_msg("closed without a whole reply: \"%s\"", reply->head.data == NULL ? "" : reply->head.data);
    } while (reply->head.len - line_at > 2);
    assert_int_equal(strncmp(reply->head.data, "HTTP/1.", 7), 0);
    reply->status = (int)strtol(reply->head.data + 9, NULL, 10);
    reply->closed = reply_has(reply, "\r\nConnection: close\r\n");
    const char *length = strcasestr(reply->head.data, "\r\nContent-Length:");
    if (!has_body)
        return;
    if (length != NULL)
        read_bytes(f, fd, strtoul(length + 17, NULL, 10), &reply->body);
    else if (reply_has(reply, "\r\nTransfer-Encoding: chunked\r\n"))
        read_chunks(f, fd, &reply->body);
    if (reply->body.data == NULL)
        hc_buf_str(&reply->body, "");
}

void reply_free(struct reply *reply)
{
    hc_buf_free(&reply->head);
    hc_buf_free(&reply->body);
}

bool reply_has(const struct reply *reply, const char *text)
{
    return strcasestr(reply->head.data, text) != NULL;
}

void client_ask(struct fixture *f, int fd, const char *text, int status, struct reply *reply)
{
    client_say(f, fd, text);
    client_read(f, fd, true, reply);
    if (reply->status != status)
        fail_msg("status %d, not %d, for \"%.60s\"", reply->status, status, text);
}

void client_expect(struct fixture *f, int fd, const char *text, int status)
{
    struct reply reply;
    client_ask(f, fd, text, status, &reply);
    reply_free(&reply);
}

double fixture_metric(struct fixture *f, const char *series)
{
    HC_CLEANUP(hc_buf_freep) struct hc_buf text = { 0 };
    metrics_write(f->metrics, &text);
    size_t len = strlen(series);
    for (const char *line = text.data; line != NULL && *line != '\0'; line += strcspn(line, "\n") + 1)
        if (strncmp(line, series, len) == 0)
            return strtod(line + len, NULL);
    return 0;
}
