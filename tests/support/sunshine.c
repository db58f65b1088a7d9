#include "sunshine.h"

#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <cmocka.h>

#include "hydra/base/arena.h"
#include "hydra/os/file.h"
#include "made_keys.h"

#define STARTS_MAX 20
#define AGAIN_MS   200
#define START_MS  30000                     /* with sanitizers on a busy machine */
#define STOP_MS   20000
#define ANSWER_MS 20000
#define ARGS_MAX  40

static void path_in(const struct sunshine *host, const char *name, char out[HOME_PATH_SIZE])
{
    int len = snprintf(out, HOME_PATH_SIZE, "%s/%s", host->dir, name);
    assert_true(len > 0 && len < HOME_PATH_SIZE);
}

static void launch(struct sunshine *host, const char *username, const char *const *more)
{
    char program[512], log[HOME_PATH_SIZE], password[HOME_PATH_SIZE], ports[4][16], line[PROCESS_LINE_MAX];
    const unsigned numbers[4] = { host->http, host->https, host->web, host->rtsp };
    static const char *const words[4] = { "--http", "--https", "--web", "--rtsp" };
    const char *argv[ARGS_MAX] = { program, "--dir", host->dir, "--version", host->version, "--name", host->name };
    size_t count = 7;
    long pid = 0;
    program_path("SUNSHINE_HOST", "sunshine_host", program, sizeof program);
    path_in(host, "stderr.log", log);
    path_in(host, "password", password);
    for (size_t i = 0; i < 4; i++) {
        (void)snprintf(ports[i], sizeof ports[i], "%u", numbers[i]);
        argv[count++] = words[i];
        argv[count++] = ports[i];
    }
    if (username != NULL) {
        argv[count++] = "--username";
        argv[count++] = username;
        argv[count++] = "--password-file";
        argv[count++] = password;
    }
    for (size_t i = 0; more != NULL && more[i] != NULL; i++) {
        assert_true(count < ARGS_MAX - 1);
        argv[count++] = more[i];
    }
    bool ready = false;
    for (unsigned i = 0; i < STARTS_MAX && !ready; i++) {          /* a port that is kept may be somebody's outgoing connection just now */
        if (i > 0)
            (void)poll(NULL, 0, AGAIN_MS);
        process_start(&host->process, argv, NULL, log);
        ready = process_line(&host->process, line, START_MS);
        if (!ready)
            process_end(&host->process);
    }
    if (!ready || sscanf(line, "ready http=%u https=%u web=%u rtsp=%u pid=%ld", &host->http, &host->https, &host->web, &host->rtsp,
                         &pid) != 5)
        fail_msg("sunshine_host did not start, see %s", log);
}

static void write_file(const struct sunshine *host, const char *name, const char *text)
{
    char path[HOME_PATH_SIZE];
    path_in(host, name, path);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* A host makes its own where it finds none. */
static void give_certificate(const struct sunshine *host)
{
    char folder[HOME_PATH_SIZE];
    struct made_key key;
    path_in(host, "credentials", folder);
    if (mkdir(folder, 0700) != 0)
        return;                             /* a folder that was used before has its certificate */
    made_key_next(MADE_FOR_HOST, &key);
    write_file(host, "credentials/cacert.pem", key.cert_pem);
    write_file(host, "credentials/cakey.pem", key.key_pem);
    made_key_free(&key);
}

void sunshine_start(struct sunshine *host, const struct home *home, const char *folder, const struct sunshine_options *options)
{
    static const struct sunshine_options none = { 0 };
    const struct sunshine_options *with = options == NULL ? &none : options;
    *host = (struct sunshine){ 0 };
    home_path(home, folder, host->dir);
    (void)mkdir(host->dir, 0700);
    (void)snprintf(host->version, sizeof host->version, "%s", with->version == NULL ? "v2026.816" : with->version);
    (void)snprintf(host->name, sizeof host->name, "%s", with->name == NULL ? "sunshine" : with->name);
    if (with->apps != NULL)
        write_file(host, "apps.json", with->apps);
    if (with->username != NULL)
        write_file(host, "password", with->password);
    give_certificate(host);
    launch(host, with->username, with->args);
}

void sunshine_again(struct sunshine *host)
{
    assert_int_equal(host->process.pid, 0);
    launch(host, NULL, NULL);
}

void sunshine_kill(struct sunshine *host)
{
    process_end(&host->process);
}

int sunshine_stop(struct sunshine *host)
{
    process_signal(&host->process, SIGTERM);
    return process_wait(&host->process, STOP_MS);
}

void sunshine_end(struct sunshine *host)
{
    process_end(&host->process);
}

/* The whole answer line. */
static void exchange(const struct sunshine *host, const char *line, char answer[SUNSHINE_ANSWER_SIZE])
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    char path[HOME_PATH_SIZE], text[1024];
    size_t len = 0;
    answer[0] = '\0';
    path_in(host, "control", path);
    assert_true(strlen(path) < sizeof at.sun_path);
    memcpy(at.sun_path, path, strlen(path) + 1);
    HC_CLEANUP(os_close) int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof at), 0);
    int size = snprintf(text, sizeof text, "%s\n", line);
    assert_true(size > 0 && size < (int)sizeof text);
    assert_int_equal(send(fd, text, (size_t)size, MSG_NOSIGNAL), size);
    struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
    while (len < SUNSHINE_ANSWER_SIZE - 1 && memchr(answer, '\n', len) == NULL) {
        assert_true(poll(&poll_fd, 1, ANSWER_MS) > 0);
        ssize_t got = recv(fd, answer + len, SUNSHINE_ANSWER_SIZE - 1 - len, 0);
        assert_true(got > 0);
        len += (size_t)got;
    }
    answer[len] = '\0';
    answer[strcspn(answer, "\n")] = '\0';
}

void sunshine_ask(const struct sunshine *host, const char *line, char answer[SUNSHINE_ANSWER_SIZE])
{
    char whole[SUNSHINE_ANSWER_SIZE];
    exchange(host, line, whole);
    if (strncmp(whole, "ok", 2) != 0)
        fail_msg("%s: %s", line, whole);
    (void)snprintf(answer, SUNSHINE_ANSWER_SIZE, "%s", whole[2] == ' ' ? whole + 3 : "");
}

void sunshine_say(const struct sunshine *host, const char *line)
{
    char answer[SUNSHINE_ANSWER_SIZE];
    sunshine_ask(host, line, answer);
}

long sunshine_number(const struct sunshine *host, const char *line)
{
    char answer[SUNSHINE_ANSWER_SIZE], *end;
    sunshine_ask(host, line, answer);
    long number = strtol(answer, &end, 10);
    assert_true(end != answer && *end == '\0');
    return number;
}

bool sunshine_refuses(const struct sunshine *host, const char *line)
{
    char answer[SUNSHINE_ANSWER_SIZE];
    exchange(host, line, answer);
    return strncmp(answer, "error", 5) == 0;
}

json_t *sunshine_status(const struct sunshine *host)
{
    char answer[SUNSHINE_ANSWER_SIZE];
    sunshine_ask(host, "status", answer);
    json_t *json = json_loads(answer, 0, NULL);
    assert_non_null(json);
    return json;
}
