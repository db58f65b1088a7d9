/* stream_client.c - a stand-in for Moonlight: what a head starts to stream, without a picture.
 *
 *     stream_client --host ADDRESS --port HTTP_PORT --app NAME --cert FILE --key FILE [--uniqueid ID] [--pin FILE]
 *
 * It asks /serverinfo on both ports and /applist, then sends /launch when the host is free and /resume when it is busy, as Moonlight does
 * without looking whose app runs. Then it connects to the stream port, prints `streaming session N`, and streams until the host ends it
 * (exit 0), or SIGTERM (exit 0), or it is killed. --pin: the host's certificate as PEM; any other ends it. Exit 1: no stream, a line on
 * stderr says why; 3: the host says that it is not paired. */
#include <arpa/inet.h>
#include <getopt.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include "xml.h"

#define ANSWER_SIZE    131072u
#define ANSWER_SECONDS 30
#define EXIT_UNPAIRED  3

static struct {
    const char *host, *app, *cert, *key, *uniqueid, *pin;
    unsigned port, https_port;
    char answer[ANSWER_SIZE];
} client = { .uniqueid = "0123456789ABCDEF" };

_Noreturn static void give_up(int code, const char *why)
{
    (void)fprintf(stderr, "stream_client: %s\n", why);
    exit(code);
}

static int connect_to(unsigned port)
{
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    struct timeval bound = { .tv_sec = ANSWER_SECONDS };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (inet_pton(AF_INET, client.host, &to.sin_addr) != 1)
        give_up(1, "--host is an IPv4 address");
    if (fd < 0 || connect(fd, (const struct sockaddr *)&to, sizeof to) != 0)
        give_up(1, "the host does not answer");
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &bound, sizeof bound);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));        /* as Moonlight's */
    return fd;
}

static SSL *start_tls(int fd)
{
    SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());
    if (ctx == NULL || SSL_CTX_use_certificate_file(ctx, client.cert, SSL_FILETYPE_PEM) != 1 ||
        SSL_CTX_use_PrivateKey_file(ctx, client.key, SSL_FILETYPE_PEM) != 1)
        give_up(1, "certificate or key cannot be read");
    SSL *ssl = SSL_new(ctx);
    SSL_CTX_free(ctx);
    if (ssl == NULL || SSL_set_fd(ssl, fd) != 1 || SSL_connect(ssl) != 1)
        give_up(1, "no TLS with the host");
    return ssl;
}

static void check_pin(SSL *ssl)
{
    FILE *file = client.pin == NULL ? NULL : fopen(client.pin, "re");
    if (client.pin == NULL)
        return;
    X509 *pinned = file == NULL ? NULL : PEM_read_X509(file, NULL, NULL, NULL), *shown = SSL_get1_peer_certificate(ssl);
    if (pinned == NULL || shown == NULL || X509_cmp(pinned, shown) != 0)
        give_up(1, "the host shows another certificate than the pinned one");
    X509_free(pinned);
    X509_free(shown);
    (void)fclose(file);
}

/* One GET on a connection of its own; the document is in client.answer. */
static void ask(bool tls, const char *target)
{
    char text[4096];
    int len = snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", target, client.host), fd, got = 1;
    if (len < 0 || len >= (int)sizeof text)
        give_up(1, "a request that is too long");
    fd = connect_to(tls ? client.https_port : client.port);
    SSL *ssl = tls ? start_tls(fd) : NULL;
    if (tls)
        check_pin(ssl);
    if ((tls ? SSL_write(ssl, text, len) : (int)send(fd, text, (size_t)len, MSG_NOSIGNAL)) != len)
        give_up(1, "the host closed");
    size_t have = 0;
    while (got > 0 && have < sizeof client.answer - 1) {
        int room = (int)(sizeof client.answer - 1 - have);
        got = tls ? SSL_read(ssl, client.answer + have, room) : (int)recv(fd, client.answer + have, (size_t)room, 0);
        have += got > 0 ? (size_t)got : 0;
    }
    client.answer[have] = '\0';
    SSL_free(ssl);
    (void)close(fd);
    if (strstr(client.answer, "status_code=\"401\"") != NULL)
        give_up(EXIT_UNPAIRED, "not paired");
    if (strstr(client.answer, "<root") == NULL)
        give_up(1, "an answer that is no document");
}

static void element(const char *name, char out[128])
{
    char open[64], close_tag[64];
    (void)snprintf(open, sizeof open, "<%s>", name);
    (void)snprintf(close_tag, sizeof close_tag, "</%s>", name);
    const char *start = strstr(client.answer, open), *end = start == NULL ? NULL : strstr(start, close_tag);
    out[0] = '\0';
    if (end != NULL)
        (void)snprintf(out, 128, "%.*s", (int)(end - start) - (int)strlen(open), start + strlen(open));
}

static long app_id(void)
{
    struct xml title = { 0 };
    xml_text(&title, "AppTitle", client.app);
    const char *at = title.children.data == NULL ? NULL : strstr(client.answer, title.children.data);
    long id = 0;
    if (at == NULL || sscanf(at + title.children.len, "<ID>%ld</ID>", &id) != 1)
        give_up(1, "no such app");
    hc_buf_free(&title.children);
    return id;
}

/* The port in the answer's session URL. */
static unsigned start_session(void)
{
    char target[1024], text[128];
    (void)snprintf(target, sizeof target, "/serverinfo?uniqueid=%s&uuid=1", client.uniqueid);
    ask(false, target);
    element("HttpsPort", text);
    client.https_port = (unsigned)strtoul(text, NULL, 10);
    ask(true, target);
    element("PairStatus", text);
    if (strcmp(text, "1") != 0)
        give_up(EXIT_UNPAIRED, "not paired");
    element("state", text);
    size_t len = strlen(text), busy_len = strlen("_SERVER_BUSY");
    bool busy = len > busy_len && strcmp(text + len - busy_len, "_SERVER_BUSY") == 0;
    (void)snprintf(target, sizeof target, "/applist?uniqueid=%s&uuid=2", client.uniqueid);
    ask(true, target);
    (void)snprintf(target, sizeof target, "/%s?uniqueid=%s&uuid=3&appid=%ld&mode=1920x1080x60&additionalStates=1&sops=1"
                   "&rikey=00112233445566778899aabbccddeeff&rikeyid=1&localAudioPlayMode=0&surroundAudioInfo=196610&gcmap=0",
                   busy ? "resume" : "launch", client.uniqueid, app_id());
    ask(true, target);
    element("sessionUrl0", text);
    const char *port = strrchr(text, ':');
    if (port == NULL)
        give_up(1, busy ? "the host refuses to resume" : "the host refuses to launch");
    return (unsigned)strtoul(port + 1, NULL, 10);
}

static void on_signal(int number)
{
    (void)number;
    _exit(EXIT_SUCCESS);                                /* the closing socket is the goodbye */
}

static void stream(unsigned port)
{
    char text[64];
    int fd = connect_to(port);
    ssize_t got = recv(fd, text, sizeof text - 1, 0);
    if (got <= 0)
        give_up(1, "the hand-over was dropped");
    text[got] = '\0';
    (void)printf("streaming %s", text);
    (void)fflush(stdout);
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){ 0 }, sizeof(struct timeval));
    while (recv(fd, text, sizeof text, 0) > 0)
        continue;
    (void)close(fd);
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        { "host", required_argument, NULL, 'h' }, { "port", required_argument, NULL, 'p' }, { "app", required_argument, NULL, 'a' },
        { "cert", required_argument, NULL, 'c' }, { "key", required_argument, NULL, 'k' },  { "uniqueid", required_argument, NULL, 'u' },
        { "pin", required_argument, NULL, 'i' },  { 0 },
    };
    for (int option = getopt_long(argc, argv, "", options, NULL); option != -1; option = getopt_long(argc, argv, "", options, NULL))
        switch (option) {
        case 'h': client.host = optarg; break;
        case 'p': client.port = (unsigned)strtoul(optarg, NULL, 10); break;
        case 'a': client.app = optarg; break;
        case 'c': client.cert = optarg; break;
        case 'k': client.key = optarg; break;
        case 'u': client.uniqueid = optarg; break;
        case 'i': client.pin = optarg; break;
        default: give_up(2, "an unknown option");
        }
    if (client.host == NULL || client.port == 0 || client.app == NULL || client.cert == NULL || client.key == NULL)
        give_up(2, "--host, --port, --app, --cert and --key are needed");
    (void)signal(SIGTERM, on_signal);
    (void)signal(SIGINT, on_signal);
    (void)signal(SIGPIPE, SIG_IGN);
    stream(start_session());
    return EXIT_SUCCESS;
}
