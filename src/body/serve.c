#include "serve.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "hydra/base/log.h"
#include "hydra/crypto/digest.h"
#include "hydra/os/clock.h"
#include "hydra/os/file.h"
#include "hydra/os/service.h"

#include "local_api.h"
#include "options.h"

#define STOP_ANSWERS_MS   500       /* for answers in flight; the agent's threads have the rest of the 5 s */
#define TURN_MAX_MS       1000
#define WATCHDOG_EVERY_MS 5000
#define EVENT_BATCH       8
#define DESCRIPTORS       1024U

struct program {
    const struct body_config *config;
    struct agent *agent;
    struct local_api *api;
    struct metrics *metrics;        /* what http/ counts */
    struct http_server *http;
    int wake_fd, signal_fd, epoll_fd;
    bool stopping, silent;          /* silent: the watchdog is not fed */
    int64_t stop_by_ms, watchdog_at_ms;
};

static int complain(const struct hc_diag *diag, int code)
{
    (void)fprintf(stderr, "hydrabody: %s\n", diag->text);
    return code;
}

static enum hc_err watch(const struct program *p, int fd)
{
    struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };
    return epoll_ctl(p->epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0 ? HC_ERR_IO : HC_OK;
}

static enum hc_err open_loop(struct program *p, struct hc_diag *diag)
{
    p->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    p->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    p->metrics = metrics_new();
    return p->wake_fd < 0 || p->epoll_fd < 0 || p->metrics == NULL ? hc_fail(diag, HC_ERR_IO, "no descriptors or memory to start with")
                                                                    : HC_OK;
}

static enum hc_err open_http(struct program *p, struct hc_diag *diag)
{
    const struct http_config http = {
        .address = p->config->address, .port = p->config->port,
        .limits = { .connections = 64, .per_address = 32, .header_bytes = 7168, .idle_seconds = 30, .first_request_seconds = 10 },
    };
    p->api = local_api_new(p->config, p->agent);
    if (p->api == NULL)
        return hc_fail(diag, HC_ERR_NOMEM, "out of memory");
    enum hc_err err = http_start(&http, local_api_owner(p->api), p->metrics, &p->http, diag);
    if (err == HC_OK && (watch(p, p->wake_fd) != HC_OK || watch(p, p->signal_fd) != HC_OK || watch(p, http_epoll_fd(p->http)) != HC_OK))
        err = hc_fail(diag, HC_ERR_IO, "epoll: %s", strerror(errno));
    return err;
}

static void say_ready(const struct program *p)
{
    bool v6 = strchr(p->config->address, ':') != NULL;
    (void)printf("ready url=http://%s%s%s:%u pid=%ld\n", v6 ? "[" : "", p->config->address, v6 ? "]" : "", (unsigned)http_port(p->http),
                 (long)getpid());
    if (fflush(stdout) != 0)
        hc_log(HC_LOG_WARNING, "ready_line_not_written", "error=%s", hc_logq(strerror(errno)));
    hc_log(HC_LOG_NOTICE, "ready", "version=%s node=%s slots=%zu port=%u", HYDRA_VERSION, p->config->node_id, p->config->slot_count,
           (unsigned)http_port(p->http));
    os_notify("READY=1");
}

static int open_all(struct program *p)
{
    struct hc_diag diag = { "" };
    if (crypto_start(&diag) != HC_OK || os_signals(&p->signal_fd, &diag) != HC_OK || open_loop(p, &diag) != HC_OK)
        return complain(&diag, EXIT_FAILED);
    if (os_descriptors_at_least(DESCRIPTORS, &diag) != HC_OK)
        return complain(&diag, EXIT_USAGE);
    if (agent_start(p->config, p->wake_fd, &p->agent, &diag) != HC_OK || open_http(p, &diag) != HC_OK)
        return complain(&diag, EXIT_FAILED);
    say_ready(p);
    return EXIT_OK;
}

/* ---- the loop ---- */

static void take_signals(struct program *p)
{
    for (int number; (number = os_signal_next(p->signal_fd)) != 0;) {
        if (number == SIGHUP) {
            hc_log(HC_LOG_NOTICE, "reload_needs_restart", "detail=%s",
                   hc_logq("the configuration is read at start; a restart ends no stream"));
        } else if (!p->stopping) {
            hc_log(HC_LOG_NOTICE, "stopping", "signal=%d", number);
            os_notify("STOPPING=1");
            p->stopping = true;
            p->stop_by_ms = os_monotonic_ms() + STOP_ANSWERS_MS;
            http_quiesce(p->http);
        }
    }
}

/* A thread that hangs for good is not mended by waiting: without a word from us the service manager starts the agent anew. */
static void feed_watchdog(struct program *p)
{
    int64_t now_ms = os_monotonic_ms();
    if (now_ms < p->watchdog_at_ms)
        return;
    p->watchdog_at_ms = now_ms + WATCHDOG_EVERY_MS;
    bool lives = agent_lives(p->agent);
    if (!lives && !p->silent)
        hc_log(HC_LOG_ERR, "thread_hangs", "detail=%s", hc_logq("the watchdog is not fed any more"));
    p->silent = !lives;
    if (lives)
        os_notify("WATCHDOG=1");
}

static int wait_ms(const struct program *p)
{
    int64_t http = http_wait_ms(p->http);
    return http < 0 ? 0 : http < TURN_MAX_MS ? (int)http : TURN_MAX_MS;
}

static void loop(struct program *p)
{
    while (!p->stopping || (http_open_requests(p->http) > 0 && os_monotonic_ms() < p->stop_by_ms)) {
        struct epoll_event events[EVENT_BATCH];
        int count = epoll_wait(p->epoll_fd, events, EVENT_BATCH, wait_ms(p));
        for (int i = 0; i < count; i++) {
            uint64_t wakes;
            if (events[i].data.fd == p->wake_fd && read(p->wake_fd, &wakes, sizeof wakes) < 0 && errno != EAGAIN)
                hc_log(HC_LOG_ERR, "wake_read_failed", "error=%s", hc_logq(strerror(errno)));
        }
        take_signals(p);
        http_turn(p->http);
        local_api_turn(p->api);
        feed_watchdog(p);
    }
}

static void close_all(struct program *p, int code)
{
    http_free(p->http);             /* first: a request that is parked points at an errand of the agent's */
    if (!agent_stop(p->agent)) {
        (void)fflush(NULL);
        _exit(code);
    }
    local_api_free(p->api);
    metrics_free(p->metrics);
    os_close(&p->wake_fd);
    os_close(&p->signal_fd);
    os_close(&p->epoll_fd);
}

int serve(const struct body_config *config)
{
    struct program p = { .config = config, .wake_fd = -1, .signal_fd = -1, .epoll_fd = -1 };
    int code = open_all(&p);
    if (code == EXIT_OK)
        loop(&p);
    close_all(&p, code);
    return code;
}
