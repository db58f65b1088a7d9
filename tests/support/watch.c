#include "watch.h"

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <cmocka.h>

#include "hydra/base/err.h"
#include "hydra/os/clock.h"
#include "hydra/os/file.h"

#define EVERY_MS  10
#define ANSWER_MS 2000

/* The host's own words, or NULL: it does not answer. Nothing here may fail a test: it is no test's thread. */
static json_t *ask_status(const char *control)
{
    static const char line[] = "status\n";
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    char answer[SUNSHINE_ANSWER_SIZE];
    size_t len = 0;
    if (strlen(control) >= sizeof at.sun_path)
        return NULL;
    memcpy(at.sun_path, control, strlen(control) + 1);
    HC_CLEANUP(os_close) int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&at, sizeof at) != 0 || send(fd, line, sizeof line - 1, MSG_NOSIGNAL) < 0)
        return NULL;
    struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
    while (len < sizeof answer - 1 && memchr(answer, '\n', len) == NULL) {
        ssize_t got = poll(&poll_fd, 1, ANSWER_MS) > 0 ? recv(fd, answer + len, sizeof answer - 1 - len, 0) : 0;
        if (got <= 0)
            return NULL;
        len += (size_t)got;
    }
    answer[len] = '\0';
    return strncmp(answer, "ok ", 3) == 0 ? json_loads(answer + 3, 0, NULL) : NULL;
}

static const char *text_in(const json_t *json, const char *key)
{
    const char *text = json_string_value(json_object_get(json, key));
    return text == NULL ? "" : text;
}

static void take_app(struct watched *host, const json_t *status)
{
    const char *app = text_in(status, "app_name");
    if (json_integer_value(json_object_get(status, "app")) == 0)
        app = "";
    if (app[0] != '\0' && strcmp(app, host->app) != 0) {
        host->app_since_ms = os_monotonic_ms();
        host->apps_seen++;
    }
    (void)snprintf(host->app, sizeof host->app, "%s", app);
}

/* Two names on one host are two visitors with one picture. */
static void take_sessions(struct watch *watch, struct watched *host, const json_t *status)
{
    const json_t *sessions = json_object_get(status, "sessions");
    host->sessions = json_array_size(sessions);
    host->client[0] = '\0';
    host->session = 0;
    for (size_t i = 0; i < host->sessions; i++) {
        const char *name = text_in(json_array_get(sessions, i), "client");
        if (i > 0 && strcmp(name, host->client) != 0 && watch->broken[0] == '\0')
            (void)snprintf(watch->broken, sizeof watch->broken, "two clients on %.200s: %.80s and %.80s", host->control, host->client,
                           name);
        (void)snprintf(host->client, sizeof host->client, "%s", name);
        host->session = (unsigned)json_integer_value(json_object_get(json_array_get(sessions, i), "number"));
    }
}

static void look(struct watch *watch, struct watched *host)
{
    json_t *status = ask_status(host->control);
    (void)pthread_mutex_lock(&watch->mutex);
    host->answers = status != NULL;
    if (status == NULL)
        host->client[0] = host->app[0] = '\0';
    if (status == NULL)
        host->sessions = host->session = 0;
    if (status != NULL) {
        take_app(host, status);
        take_sessions(watch, host, status);
        host->clients = (size_t)json_integer_value(json_object_get(status, "clients"));
        host->clients_most = host->clients > host->clients_most ? host->clients : host->clients_most;
    }
    (void)pthread_mutex_unlock(&watch->mutex);
    json_decref(status);
}

static void *run(void *ctx)
{
    struct watch *watch = ctx;
    while (!atomic_load(&watch->stop)) {
        for (size_t i = 0; i < watch->count; i++)
            look(watch, &watch->hosts[i]);
        atomic_fetch_add(&watch->looks, 1);
        os_pause_ms(EVERY_MS);
    }
    return NULL;
}

void watch_start(struct watch *watch, const struct sunshine *const *hosts, size_t count)
{
    *watch = (struct watch){ .count = count };
    assert_true(count <= WATCH_HOSTS_MAX);
    for (size_t i = 0; i < count; i++)
        (void)snprintf(watch->hosts[i].control, sizeof watch->hosts[i].control, "%.240s/control", hosts[i]->dir);
    assert_int_equal(pthread_mutex_init(&watch->mutex, NULL), 0);
    assert_int_equal(pthread_create(&watch->thread, NULL, run, watch), 0);
    atomic_store(&watch->runs, true);
}

void watch_stop(struct watch *watch)
{
    if (!atomic_load(&watch->runs))
        return;
    atomic_store(&watch->stop, true);
    (void)pthread_join(watch->thread, NULL);
    (void)pthread_mutex_destroy(&watch->mutex);
    atomic_store(&watch->runs, false);
}

struct watched watch_look(struct watch *watch, size_t host)
{
    assert_true(host < watch->count);
    (void)pthread_mutex_lock(&watch->mutex);
    struct watched seen = watch->hosts[host];
    (void)pthread_mutex_unlock(&watch->mutex);
    return seen;
}

void watch_check(struct watch *watch)
{
    (void)pthread_mutex_lock(&watch->mutex);
    char broken[sizeof watch->broken];
    memcpy(broken, watch->broken, sizeof broken);
    (void)pthread_mutex_unlock(&watch->mutex);
    if (broken[0] != '\0')
        fail_msg("%s", broken);
}
