#include "loop.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "hydra/base/log.h"
#include "hydra/crypto/digest.h"
#include "hydra/os/clock.h"
#include "hydra/os/file.h"
#include "hydra/os/service.h"

#include "agent.h"
#include "local_api.h"
#include "options.h"
#include "recent_log.h"

#define STOP_PATIENCE_MS 25000          /* the program's grace, an answer under way, three tries of a release; below the unit's limit */
#define TURN_MAX_MS      1000
#define EVENT_BATCH      8
#define CONNECTIONS_MAX  64
#define URL_SIZE         64
#define URL_FILE         "local.url"    /* for `hydrahead status`, when the port was any free one */

struct service {
    struct agent agent;
    struct local_api api;
    struct http_server *http;
    struct metrics *metrics;
    char url[URL_SIZE];
    int signal_fd, epoll_fd;
    int life_fd, out_fd;                /* of the child, as the epoll set has them */
    bool failed;
    int64_t stop_by_ms, watchdog_ms, watchdog_at_ms;
};

static int complain(const struct hc_diag *diag, enum head_exit code)
{
    (void)fprintf(stderr, "hydrahead: %s\n", diag->text);
    return (int)code;
}

static bool watch(const struct service *s, int fd)
{
    struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };
    return fd >= 0 && epoll_ctl(s->epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

/* The set follows the child: a closed descriptor has left it by itself. */
static void watch_child(struct service *s)
{
    const struct child *child = &s->agent.child;
    if (child->life_fd != s->life_fd && child->life_fd >= 0 && !watch(s, child->life_fd))
        hc_log(HC_LOG_ERR, "child_not_watched", "error=%s", hc_logq(strerror(errno)));
    if (child->out_fd != s->out_fd && child->out_fd >= 0 && !watch(s, child->out_fd))
        hc_log(HC_LOG_ERR, "child_not_read", "error=%s", hc_logq(strerror(errno)));
    s->life_fd = child->life_fd;
    s->out_fd = child->out_fd;
}

static enum hc_err open_http(struct service *s, const struct head_config *config, struct hc_diag *diag)
{
    const struct http_config http = {
        .address = config->address, .port = config->port,
        .limits = { .connections = CONNECTIONS_MAX, .per_address = CONNECTIONS_MAX, .header_bytes = 7168, .idle_seconds = 75,
                    .first_request_seconds = 10 },
    };
    local_api_init(&s->api, &s->agent);
    s->metrics = metrics_new();
    if (s->metrics == NULL)
        return hc_fail(diag, HC_ERR_NOMEM, "out of memory");
    enum hc_err err = http_start(&http, &s->api.owner, s->metrics, &s->http, diag);
    if (err != HC_OK)
        return err;
    s->api.port = http_port(s->http);
    bool v6 = strchr(config->address, ':') != NULL;
    (void)snprintf(s->url, sizeof s->url, "http://%s%s%s:%u", v6 ? "[" : "", config->address, v6 ? "]" : "", (unsigned)s->api.port);
    return os_file_replace(s->agent.reach.state_fd, URL_FILE, s->url, strlen(s->url), NULL, diag) == OS_REPLACE_NOT_WRITTEN ? HC_ERR_IO
                                                                                                                         : HC_OK;
}

static enum hc_err open_all(struct service *s, const struct head_config *config, struct hc_diag *diag)
{
    enum hc_err err = crypto_start(diag);
    if (err == HC_OK)
        err = os_signals(&s->signal_fd, diag);
    if (err == HC_OK)
        err = agent_open(&s->agent, config, diag);
    if (err == HC_OK)
        err = open_http(s, config, diag);
    if (err != HC_OK)
        return err;
    s->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (s->epoll_fd < 0 || !watch(s, s->signal_fd) || !watch(s, lanes_fd(s->agent.lanes)) || !watch(s, http_epoll_fd(s->http)))
        return hc_fail(diag, HC_ERR_IO, "epoll: %s", strerror(errno));
    return HC_OK;
}

static void say_ready(struct service *s)
{
    s->watchdog_ms = os_watchdog_ms();
    (void)printf("ready url=%s pid=%ld\n", s->url, (long)getpid());
    if (fflush(stdout) != 0)
        hc_log(HC_LOG_WARNING, "ready_line_not_written", "error=%s", hc_logq(strerror(errno)));
    os_notify("READY=1");
    hc_log(HC_LOG_NOTICE, "ready", "url=%s server=%s head=%s version=" HYDRA_VERSION, s->url, hc_logq(s->agent.config->server_url),
           hc_logq(s->agent.config->node_id));
}

static void begin_stop(struct service *s, const char *why)
{
    if (s->agent.stopping)
        return;
    hc_log(HC_LOG_NOTICE, "stopping", "why=%s phase=%s", hc_logq(why), head_phase_word(s->agent.head.phase));
    os_notify("STOPPING=1");
    s->agent.stopping = true;
    s->stop_by_ms = os_monotonic_ms() + STOP_PATIENCE_MS;
    agent_stop(&s->agent);
}

static void take_signals(struct service *s)
{
    for (int number; (number = os_signal_next(s->signal_fd)) != 0;) {
        if (number == SIGHUP)
            hc_log(HC_LOG_NOTICE, "reload_needs_restart", "detail=%s", hc_logq("the configuration is read at the start only"));
        else
            begin_stop(s, number == SIGTERM ? "SIGTERM" : "SIGINT");
    }
}

static void pat_watchdog(struct service *s, int64_t now_ms)
{
    if (s->watchdog_ms > 0 && now_ms >= s->watchdog_at_ms) {
        os_notify("WATCHDOG=1");
        s->watchdog_at_ms = now_ms + s->watchdog_ms;
    }
}

static int wait_ms(struct service *s)
{
    int64_t now = os_monotonic_ms(), most = TURN_MAX_MS, http = http_wait_ms(s->http), due = agent_due(&s->agent) - now;
    most = http < most ? http : most;
    most = due < most ? due : most;
    if (s->watchdog_ms > 0 && s->watchdog_at_ms - now < most)
        most = s->watchdog_at_ms - now;
    return most < 0 ? 0 : (int)most;
}

static void loop(struct service *s)
{
    while (!s->agent.stopping || (!agent_quiet(&s->agent) && os_monotonic_ms() < s->stop_by_ms)) {
        struct epoll_event events[EVENT_BATCH];
        watch_child(s);
        if (epoll_wait(s->epoll_fd, events, EVENT_BATCH, wait_ms(s)) < 0 && errno != EINTR && !s->failed) {
            hc_log(HC_LOG_ERR, "wait_failed", "error=%s", hc_logq(strerror(errno)));
            s->failed = true;               /* the lease goes back all the same */
            begin_stop(s, "failure");
        }
        take_signals(s);
        http_turn(s->http);
        agent_turn(&s->agent);
        pat_watchdog(s, os_monotonic_ms());
    }
    if (s->agent.stopping && !agent_quiet(&s->agent))
        hc_log(HC_LOG_WARNING, "stopped_without_release", "phase=%s detail=%s", head_phase_word(s->agent.head.phase),
               hc_logq("the cluster did not answer in time; the next start gives the lease back, or the cluster's clocks do"));
}

static void close_all(struct service *s)
{
    if (s->http != NULL)
        http_quiesce(s->http);
    http_free(s->http);
    metrics_free(s->metrics);
    if (!agent_close(&s->agent)) {
        hc_log(HC_LOG_WARNING, "call_hangs", "detail=%s", hc_logq("a call to a host has not come back; it ends with the process"));
        (void)fflush(NULL);
        _exit(s->failed ? EXIT_FAILED : EXIT_OK);
    }
    os_close(&s->signal_fd);
    os_close(&s->epoll_fd);
}

int head_serve(const struct head_config *config)
{
    struct service *s = hc_alloc(sizeof *s);
    struct hc_diag diag = { "" };
    if (s == NULL) {
        (void)hc_fail(&diag, HC_ERR_NOMEM, "out of memory");
        return complain(&diag, EXIT_FAILED);
    }
    s->signal_fd = s->epoll_fd = s->life_fd = s->out_fd = -1;
    s->agent = (struct agent){ .child = CHILD_NONE, .reach = { .state_fd = -1, .pins_fd = -1 } };
    os_no_core_dumps();
    recent_log_start();
    enum hc_err err = open_all(s, config, &diag);
    int code = err == HC_OK ? EXIT_OK : complain(&diag, err == HC_ERR_CONFIG ? EXIT_USAGE : EXIT_FAILED);
    if (err == HC_OK) {
        say_ready(s);
        loop(s);
        code = s->failed ? EXIT_FAILED : EXIT_OK;
    }
    close_all(s);
    hc_log_sink_set(NULL);
    hc_free(s);
    return code;
}
