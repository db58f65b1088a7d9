#include "peer.h"

#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <cmocka.h>
#include <openssl/err.h>

#include "hydra/base/arena.h"
#include "hydra/base/id.h"
#include "hydra/os/clock.h"
#include "hydra/os/file.h"
#include "raw.h"

#define USER_HEADER "Authorization: Basic YWRtaW46c2VzYW1l\r\n"         /* admin:sesame */

void peer_make(struct peer *peer, const struct certificate *issuer)
{
    assert_true(certificate_make("NVIDIA GameStream Client", issuer, &peer->identity));
    peer->pem = certificate_pem(peer->identity.cert);
    assert_non_null(peer->pem);
}

void peer_free(struct peer *peer)
{
    certificate_free(&peer->identity);
    hc_free(peer->pem);
    peer->pem = NULL;
}

static void url_of(unsigned port, char out[64])
{
    (void)snprintf(out, 64, "http://127.0.0.1:%u", port);
}

struct tls tls_open(const struct peer *peer, unsigned port, bool oldest)
{
    char url[64];
    url_of(port, url);
    struct tls tls = { .fd = raw_connect(url) };
    struct timeval bound = { .tv_sec = PEER_WAIT_MS / 1000 };
    (void)setsockopt(tls.fd, SOL_SOCKET, SO_RCVTIMEO, &bound, sizeof bound);
    SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());
    assert_non_null(ctx);
    if (oldest)
        assert_int_equal(SSL_CTX_set_max_proto_version(ctx, TLS1_2_VERSION), 1);
    if (peer != NULL) {
        assert_int_equal(SSL_CTX_use_certificate(ctx, peer->identity.cert), 1);
        assert_int_equal(SSL_CTX_use_PrivateKey(ctx, peer->identity.key), 1);
    }
    tls.ssl = SSL_new(ctx);
    SSL_CTX_free(ctx);
    assert_non_null(tls.ssl);
    assert_int_equal(SSL_set_fd(tls.ssl, tls.fd), 1);
    ERR_clear_error();
    tls.handshake = SSL_connect(tls.ssl) == 1;
    tls.alert = !tls.handshake && ERR_GET_REASON(ERR_peek_error()) >= SSL_AD_REASON_OFFSET;
    return tls;
}

void tls_send(struct tls *tls, const char *text)
{
    if (tls->handshake)
        (void)SSL_write(tls->ssl, text, (int)strlen(text));
}

static void finish(struct reply *reply)
{
    reply->text[reply->len] = '\0';
    const char *head_end = strstr(reply->text, "\r\n\r\n");
    reply->answered = head_end != NULL && sscanf(reply->text, "HTTP/1.1 %d", &reply->http) == 1;
    reply->body = reply->answered ? head_end + 4 : "";
}

static void note_certificate(const struct tls *tls, struct reply *reply)
{
    uint8_t digest[EVP_MAX_MD_SIZE];
    unsigned len = 0;
    X509 *cert = SSL_get1_peer_certificate(tls->ssl);
    if (cert == NULL)
        return;
    assert_int_equal(X509_digest(cert, EVP_sha256(), digest, &len), 1);
    hc_hex(digest, len, reply->fingerprint);
    X509_free(cert);
}

void tls_read(struct tls *tls, struct reply *reply, int64_t at_most_ms)
{
    *reply = (struct reply){ .refused_by_alert = tls->alert };
    int64_t end = os_monotonic_ms() + at_most_ms;
    if (tls->handshake) {
        note_certificate(tls, reply);
        while (reply->len < sizeof reply->text - 1) {
            struct pollfd poll_fd = { .fd = tls->fd, .events = POLLIN };
            int64_t left = end - os_monotonic_ms();
            if (SSL_pending(tls->ssl) == 0 && (left <= 0 || poll(&poll_fd, 1, (int)left) <= 0))
                break;
            ERR_clear_error();
            int got = SSL_read(tls->ssl, reply->text + reply->len, (int)(sizeof reply->text - 1 - reply->len));
            if (got <= 0) {
                reply->refused_by_alert = ERR_GET_REASON(ERR_peek_error()) >= SSL_AD_REASON_OFFSET;
                break;
            }
            reply->len += (size_t)got;
        }
    }
    finish(reply);
}

void tls_close(struct tls *tls)
{
    SSL_free(tls->ssl);
    tls->ssl = NULL;
    raw_close(&tls->fd);
}

bool tls_is_served(unsigned port, int at_most_ms)
{
    char url[64];
    url_of(port, url);
    struct tls tls = { .fd = raw_connect(url) };
    SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());
    assert_non_null(ctx);
    tls.ssl = SSL_new(ctx);
    SSL_CTX_free(ctx);
    assert_int_equal(fcntl(tls.fd, F_SETFL, O_NONBLOCK), 0);
    assert_int_equal(SSL_set_fd(tls.ssl, tls.fd), 1);
    struct pollfd poll_fd = { .fd = tls.fd, .events = POLLIN };
    bool served = SSL_connect(tls.ssl) == 1 || poll(&poll_fd, 1, at_most_ms) > 0;       /* done at once, or the greeting is on its way */
    tls_close(&tls);
    return served;
}

static void read_plain(int fd, struct reply *reply)
{
    *reply = (struct reply){ 0 };
    struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
    while (reply->len < sizeof reply->text - 1 && poll(&poll_fd, 1, PEER_WAIT_MS) > 0) {
        ssize_t got = recv(fd, reply->text + reply->len, sizeof reply->text - 1 - reply->len, 0);
        if (got <= 0)
            break;
        reply->len += (size_t)got;
    }
    finish(reply);
}

void peer_bytes(unsigned port, const struct peer *peer, bool tls, const char *bytes, struct reply *reply)
{
    if (tls) {
        struct tls connection = tls_open(peer, port, false);
        tls_send(&connection, bytes);
        tls_read(&connection, reply, PEER_WAIT_MS);
        tls_close(&connection);
        return;
    }
    char url[64];
    url_of(port, url);
    int fd = raw_connect(url);
    raw_send(fd, bytes);
    read_plain(fd, reply);
    raw_close(&fd);
}

static void get_bytes(const char *target, char *out, size_t size)
{
    int len = snprintf(out, size, "GET %s HTTP/1.1\r\nHost: sunshine\r\n\r\n", target);
    assert_true(len > 0 && (size_t)len < size);
}

void peer_http(const struct sunshine *host, const char *target, struct reply *reply)
{
    char bytes[8192];
    get_bytes(target, bytes, sizeof bytes);
    peer_bytes(host->http, NULL, false, bytes, reply);
}

void peer_https(const struct sunshine *host, const struct peer *peer, const char *target, struct reply *reply)
{
    char bytes[8192];
    get_bytes(target, bytes, sizeof bytes);
    peer_bytes(host->https, peer, true, bytes, reply);
}

static void cut_out(const char *from, const char *open, const char *close, char *out, size_t size)
{
    const char *start = strstr(from, open);
    const char *end = start == NULL ? NULL : strstr(start + strlen(open), close);
    out[0] = '\0';
    if (end != NULL) {
        int len = snprintf(out, size, "%.*s", (int)(end - start - (long)strlen(open)), start + strlen(open));
        assert_true(len >= 0 && (size_t)len < size);
    }
}

void reply_element(const struct reply *reply, const char *name, char *out, size_t size)
{
    char open[64], close[64];
    (void)snprintf(open, sizeof open, "<%s>", name);
    (void)snprintf(close, sizeof close, "</%s>", name);
    cut_out(reply->body, open, close, out, size);
    if (out[0] == '\0') {
        (void)snprintf(open, sizeof open, "%s=\"", name);
        cut_out(reply->body, open, "\"", out, size);
    }
}

long reply_number(const struct reply *reply, const char *name)
{
    char text[4096];
    reply_element(reply, name, text, sizeof text);
    return text[0] == '\0' ? -1000 : strtol(text, NULL, 10);
}

long reply_root(const struct reply *reply)
{
    return reply_number(reply, "status_code");
}

json_t *web_ask(const struct sunshine *host, const char *method, const char *path, const char *more, const char *body, struct reply *reply)
{
    char bytes[16384];
    const char *type = more != NULL && strstr(more, "Content-Type") != NULL ? "" : "Content-Type: application/json\r\n";
    int len = snprintf(bytes, sizeof bytes, "%s %s HTTP/1.1\r\nHost: sunshine\r\n%s%s%sContent-Length: %zu\r\n\r\n%s", method, path,
                       more != NULL && strstr(more, "Authorization") != NULL ? "" : USER_HEADER, type, more == NULL ? "" : more,
                       body == NULL ? (size_t)0 : strlen(body), body == NULL ? "" : body);
    assert_true(len > 0 && len < (int)sizeof bytes);
    peer_bytes(host->web, NULL, true, bytes, reply);
    return reply->answered ? json_loads(reply->body, 0, NULL) : NULL;
}

bool web_says_true(const struct sunshine *host, const char *method, const char *path, const char *body)
{
    struct reply reply;
    json_t *json = web_ask(host, method, path, NULL, body, &reply);
    const json_t *status = json_object_get(json, "status");
    bool yes = json_is_true(status) || (json_is_string(status) && strcmp(json_string_value(status), "true") == 0);
    json_decref(json);
    return yes;
}

bool peer_is_in(const struct sunshine *host, const struct peer *peer)
{
    struct reply reply;
    peer_https(host, peer, "/serverinfo?uniqueid=x&uuid=y", &reply);
    return reply.answered && reply_root(&reply) == 200 && reply_number(&reply, "PairStatus") == 1;
}
