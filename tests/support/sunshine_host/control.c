#include "control.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "hydra/base/arena.h"
#include "hydra/base/id.h"
#include "hydra/os/file.h"
#include "app.h"
#include "clients.h"
#include "pairing.h"
#include "session.h"
#include "state.h"

#define LINE_MAX_BYTES 1024u
#define LINE_MS        5000

typedef void command_run(struct host *host, char *args, struct hc_buf *out);

static struct client *client_of(struct host *host, const char *word)
{
    struct client *client = clients_by_uuid(host, word);
    return client != NULL ? client : clients_by_name(host, word);
}

static void say_number(struct hc_buf *out, unsigned number, const char *otherwise)
{
    if (number == 0)
        hc_buf_printf(out, "error %s", otherwise);
    else
        hc_buf_printf(out, "ok %u", number);
}

static void run_connect(struct host *host, char *args, struct hc_buf *out)
{
    (void)args;
    say_number(out, session_connect(host, -1), "nothing is pending");
}

static void run_open(struct host *host, char *args, struct hc_buf *out)
{
    const struct client *client = client_of(host, args);
    if (client == NULL || host->running.id == 0)
        hc_buf_str(out, client == NULL ? "error no such client" : "error no app runs");
    else
        say_number(out, session_open(host, client->pem, "127.0.0.1", -1), "too many sessions");
}

static void run_close(struct host *host, char *args, struct hc_buf *out)
{
    if (strcmp(args, "all") == 0) {
        for (size_t i = 0; i < HOST_SESSIONS_MAX; i++)
            (void)session_end(host, host->sessions[i].number, false);
        hc_buf_str(out, "ok");
    } else {
        hc_buf_str(out, session_end(host, (unsigned)strtoul(args, NULL, 10), false) ? "ok" : "error no such session");
    }
}

static void run_timeout(struct host *host, char *args, struct hc_buf *out)
{
    hc_buf_str(out, session_end(host, (unsigned)strtoul(args, NULL, 10), true) ? "ok" : "error no such session");
}

static void run_app_exit(struct host *host, char *args, struct hc_buf *out)
{
    (void)args;
    bool killed = host->running.pid > 0 && kill(-host->running.pid, SIGTERM) == 0;
    hc_buf_str(out, killed ? "ok" : "error no app with a process runs");
}

static void run_pair(struct host *host, char *args, struct hc_buf *out)
{
    char *path = strchr(args, ' '), *pem = NULL;
    if (path != NULL)
        *path++ = '\0';
    const struct client *client = path != NULL && state_read_file(path, &pem) ? clients_add(host, args, pem, "", true) : NULL;
    hc_free(pem);
    if (client == NULL) {
        hc_buf_str(out, "error no certificate");
        return;
    }
    state_write(host);
    hc_buf_printf(out, "ok %s", client->uuid);
}

static void run_fault(struct host *host, char *args, struct hc_buf *out)
{
#define X(id, word) [FAULT_##id] = word,
    static const char *const words[FAULT_COUNT] = { FAULT_LIST(X) };
#undef X
    char *value = strchr(args, ' ');
    if (value != NULL)
        *value++ = '\0';
    for (size_t i = 0; i < FAULT_COUNT; i++)
        if (value != NULL && strcmp(words[i], args) == 0) {
            atomic_store(&host->faults[i], strtol(value, NULL, 10));
            hc_buf_str(out, "ok");
            return;
        }
    hc_buf_str(out, "error no such fault, or no value");
}

static void run_fingerprint(struct host *host, char *args, struct hc_buf *out)
{
    uint8_t digest[EVP_MAX_MD_SIZE];
    char hex[2 * EVP_MAX_MD_SIZE + 1];
    unsigned len = 0;
    (void)args;
    if (X509_digest(host->own.cert, EVP_sha256(), digest, &len) != 1)
        abort();
    hc_hex(digest, len, hex);
    hc_buf_printf(out, "ok %s", hex);
}

static void run_rotate(struct host *host, char *args, struct hc_buf *out)
{
    if (host_rotate(host))
        run_fingerprint(host, args, out);
    else
        hc_buf_str(out, "error no key");
}

static void run_lose_credentials(struct host *host, char *args, struct hc_buf *out)
{
    (void)args;
    state_set_credentials(host, NULL, NULL);
    state_write(host);
    hc_buf_str(out, "ok");
}

static void run_break_state(struct host *host, char *args, struct hc_buf *out)
{
    (void)args;
    state_break(host);
    hc_buf_str(out, "ok");
}

static void run_requests(struct host *host, char *args, struct hc_buf *out)
{
    unsigned times = 0;
    for (size_t i = 0; i < host->count_count; i++)
        if (strcmp(host->counts[i].what, args) == 0)
            times = host->counts[i].times;
    hc_buf_printf(out, "ok %u", times);
}

static void run_status(struct host *host, char *args, struct hc_buf *out)
{
    (void)args;
    json_t *sessions = json_array();
    for (size_t i = 0; i < HOST_SESSIONS_MAX; i++) {
        const struct session *session = &host->sessions[i];
        if (session->number == 0)
            continue;
        const struct client *client = clients_by_pem(host, session->pem);
        (void)json_array_append_new(sessions, json_pack("{s:I, s:s}", "number", (json_int_t)session->number, "client",
                                                        client == NULL ? "" : client->name));
    }
    json_t *json = json_pack("{s:I, s:s, s:I, s:I, s:I, s:b, s:o}", "app", (json_int_t)host->running.id, "app_name",
                             host->running.name == NULL ? "" : host->running.name, "pid", (json_int_t)host->running.pid, "clients",
                             (json_int_t)host->client_count, "pending", (json_int_t)pairing_pending(host), "handover",
                             (int)host->handover.armed, "sessions", sessions);
    char *text = json_dumps(json, JSON_COMPACT);
    hc_buf_printf(out, "ok %s", text);
    free(text);
    json_decref(json);
}

static void run_kill(struct host *host, char *args, struct hc_buf *out)
{
    (void)host;
    (void)args;
    (void)out;
    (void)raise(SIGKILL);
}

static void run_line(struct host *host, char *line, struct hc_buf *out)
{
    static const struct { const char *word; command_run *run; } commands[] = {
        { "connect", run_connect },         { "open", run_open },         { "close", run_close },
        { "timeout", run_timeout },         { "app-exit", run_app_exit }, { "pair", run_pair },
        { "fault", run_fault },             { "rotate", run_rotate },     { "fingerprint", run_fingerprint },
        { "lose-credentials", run_lose_credentials }, { "break-state", run_break_state }, { "requests", run_requests },
        { "status", run_status },           { "kill", run_kill },
    };
    static char none[] = "";
    char *args = strchr(line, ' ');
    if (args != NULL)
        *args++ = '\0';
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(commands[i].word, line) == 0) {
            host_lock(host);
            commands[i].run(host, args == NULL ? none : args, out);
            host_unlock(host);
            return;
        }
    hc_buf_str(out, "error no such command");
}

int control_listen(const struct host *host)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    char path[HOST_PATH_SIZE];
    host_path(host, "control", path);
    if (strlen(path) >= sizeof at.sun_path) {
        (void)fprintf(stderr, "sunshine_host: %s is too long for a socket\n", path);
        return -1;
    }
    memcpy(at.sun_path, path, strlen(path) + 1);
    (void)unlink(path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) != 0 || listen(fd, SOMAXCONN) != 0) {
        (void)fprintf(stderr, "sunshine_host: %s: %s\n", path, strerror(errno));
        os_close(&fd);
    }
    return fd;
}

static bool readable(int fd, int at_most_ms)
{
    struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
    return poll(&poll_fd, 1, at_most_ms) > 0;
}

void control_serve(struct host *host, int listen_fd, int at_most_ms)
{
    char line[LINE_MAX_BYTES];
    size_t len = 0;
    if (!readable(listen_fd, at_most_ms))
        return;
    HC_CLEANUP(os_close) int fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC);
    while (len < sizeof line - 1 && readable(fd, LINE_MS)) {
        ssize_t got = recv(fd, line + len, sizeof line - 1 - len, 0);
        if (got <= 0)
            return;
        len += (size_t)got;
        line[len] = '\0';
        char *end = strchr(line, '\n');
        if (end == NULL)
            continue;
        HC_CLEANUP(hc_buf_freep) struct hc_buf out = { 0 };
        *end = '\0';
        run_line(host, line, &out);
        hc_buf_char(&out, '\n');
        (void)send(fd, out.data, out.len, MSG_NOSIGNAL);
        return;
    }
}
