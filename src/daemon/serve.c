#include "serve.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "hydra/base/log.h"
#include "hydra/crypto/certificate.h"
#include "hydra/crypto/digest.h"
#include "hydra/journal/journal.h"
#include "hydra/os/clock.h"
#include "hydra/os/file.h"
#include "hydra/os/random.h"
#include "hydra/os/service.h"
#include "hydra/store/store.h"
#include "hydra/web/web.h"
#include "operator_tokens.h"

#define DESCRIPTORS_BESIDE   64       /* architecture §2: descriptors >= connections + 64 */
#define STOP_PATIENCE_MS     5000     /* wire §8: answers in flight are finished, at most 5 s */
#define STOP_SAVE_MS         10000    /* then: for what is still on its way to the disk, all of it together */
#define STOP_LEAST_MS        500      /* and this for each that is asked late: a disk that works needs no more */
#define TURN_MAX_MS          1000
#define EVENT_BATCH          8
#define PEM_BYTES_MAX        ((size_t)1024 * 1024)
#define EVENTS_ROTATE_BYTES  ((size_t)64 * 1024 * 1024)

struct pem { char *cert, *key; };

struct daemon {
    const struct options *options;
    struct daemon_config *config;
    struct core_config core;
    struct metrics *metrics;
    struct store *store;
    struct feed *feed;
    struct journal *journal;
    struct engine *engine;
    struct operator_tokens *tokens;
    struct api *api;
    struct web *web;
    struct http_server *http;
    struct daemon_config reloaded;     /* of the last SIGHUP: the api borrows its text */
    struct pem pem;                    /* of the start */
    char *server_url;
    int wake_fd, signal_fd, epoll_fd;
    bool stopping;
    int64_t stop_by_ms, watchdog_ms, watchdog_at_ms;    /* watchdog_ms 0: nobody watches */
};

static int complain(const struct hc_diag *diag, enum exit_code code)
{
    (void)fprintf(stderr, "hydraclusterd: %s\n", diag->text);
    return (int)code;
}

/* Why a data file was not taken, as an exit code (wire §8). */
static enum exit_code refusal_code(enum hc_err err)
{
    switch (err) {
    case HC_ERR_NOTFOUND: return EXIT_USAGE;           /* no `init` yet */
    case HC_ERR_SCHEMA:
    case HC_ERR_LIMIT:
    case HC_ERR_SYNTAX:   return EXIT_REFUSED;
    default:              return EXIT_FAILED;
    }
}

static void free_pem(struct pem *pem)
{
    if (pem->key != NULL)
        crypto_wipe(pem->key, strlen(pem->key));
    hc_free(pem->key);
    hc_free(pem->cert);
}

/* Free it with free_pem() also after a failure. */
static enum hc_err read_tls(const struct daemon_config *from, struct pem *ret, struct hc_diag *diag)
{
    size_t len;
    bool ecdsa = false;
    if (from->tls_cert == NULL)
        return HC_OK;
    enum hc_err err = os_file_read(AT_FDCWD, from->tls_cert, PEM_BYTES_MAX, &ret->cert, &len, NULL, diag);
    if (err == HC_OK)
        err = os_file_read(AT_FDCWD, from->tls_key, PEM_BYTES_MAX, &ret->key, &len, NULL, diag);
    if (err == HC_OK)
        err = crypto_certificate_is_ecdsa(ret->cert, &ecdsa, diag);
    if (err == HC_OK && !ecdsa)
        hc_log(HC_LOG_WARNING, "tls_certificate_not_ecdsa", "file=%s detail=%s", hc_logq(from->tls_cert),
               hc_logq("a P-256 key makes a venue's opening many times cheaper than RSA"));
    return err;
}

static void fill_core(struct daemon *d)
{
    d->core.timers = d->config->timers;
    d->core.queue_max_tickets = d->config->queue_max_tickets;
    HC_SET(d->core.default_district, d->config->district);
}

static struct api_config api_settings(const struct daemon *d, const struct daemon_config *from)
{
    return (struct api_config){
        .engine = d->engine, .feed = d->feed, .metrics = d->metrics, .core = &d->core, .operator_token = operator_tokens_find,
        .operator_hash = operator_tokens_hash, .operator_ctx = d->tokens, .enrolment = operator_tokens_enrolment, .now = os_now,
        .random = os_random, .version = HYDRA_VERSION,
        .server_url = d->server_url, .enrol_pending = from->approve == APPROVE_MANUAL,
            .metrics_on_loopback = from->metrics_open_on_loopback,
        .sunshine = from->sunshine, .sunshine_count = from->sunshine_count, .monotonic_ms = os_monotonic_ms,
    };
}

/* Files: the lock, the data, the feed. */
static int open_data(struct daemon *d, struct alloc **ret_loaded, struct load_facts *ret_facts, struct hc_diag *diag)
{
    enum hc_err err = store_secret(d->config->data_dir, d->core.secret, diag);
    if (err != HC_OK)
        return complain(diag, refusal_code(err));
    err = store_open(d->config->data_dir, &d->store, diag);
    if (err != HC_OK)
        return complain(diag, err == HC_ERR_LOCKED ? EXIT_LOCKED : EXIT_FAILED);
    err = store_file_ops.load(d->store, &d->core, ret_loaded, ret_facts, diag);
    if (err != HC_OK)
        return complain(diag, refusal_code(err));
    struct feed_config feed = { .data_dir = d->config->data_dir, .keep_events = d->config->keep_events,
                                .generation = store_file_ops.generation(d->store) + 1, .rotate_bytes = EVENTS_ROTATE_BYTES,
                                .sessions_segment_bytes = d->config->session_files.segment_bytes,
                                .sessions_keep_bytes = d->config->session_files.keep_bytes };
    if (feed_open(&feed, d->wake_fd, &d->feed, diag) != HC_OK) {
        alloc_free(*ret_loaded);
        return complain(diag, EXIT_FAILED);
    }
    return EXIT_OK;
}

/* A recorder that does not start is said and missed, it keeps nobody from serving. */
static void open_journal(struct daemon *d)
{
    struct hc_diag diag = { "" };
    const struct journal_config config = { .data_dir = d->config->data_dir, .secret = d->core.secret, .version = HYDRA_VERSION,
                                           .segment_bytes = d->config->journal_files.segment_bytes,
                                           .keep_bytes = d->config->journal_files.keep_bytes };
    if (d->config->journal && journal_open(&config, &d->journal, &diag) != HC_OK)
        hc_log(HC_LOG_ERR, "journal_not_opened", "detail=%s", hc_logq(diag.text));
}

/* After port 0 the real one is known; what enrolled devices are told defaults to it. */
static enum hc_err name_server(struct daemon *d, char *url, size_t size)
{
    const char *address = d->config->address;
    bool v6 = strchr(address, ':') != NULL;
    (void)snprintf(url, size, "%s://%s%s%s:%u", http_is_tls(d->http) ? "https" : "http", v6 ? "[" : "", address, v6 ? "]" : "",
                   (unsigned)http_port(d->http));
    d->server_url = hc_alloc(size);
    if (d->server_url == NULL)
        return HC_ERR_NOMEM;
    hc_copy(d->server_url, size, url);
    return HC_OK;
}

static int open_wire(struct daemon *d, struct hc_diag *diag)
{
    char url[128];
    enum hc_err err = operator_tokens_open(d->config->data_dir, d->core.secret, &d->tokens, diag);
    if (err != HC_OK)
        return complain(diag, refusal_code(err));
    struct api_config settings = api_settings(d, d->config);
    if (api_new(&settings, &d->api, diag) != HC_OK)
        return complain(diag, EXIT_FAILED);
    struct web_config page = { .api = d->api, .tls = d->pem.cert != NULL, .monotonic_ms = os_monotonic_ms };
    if (web_new(&page, &d->web, diag) != HC_OK)
        return complain(diag, EXIT_FAILED);
    struct http_config http = {
        .address = d->config->address, .port = d->config->port, .cert_pem = d->pem.cert, .key_pem = d->pem.key, .limits = d->config->limits,
        .trusted_proxies = d->config->trusted_proxies.items, .trusted_proxy_count = d->config->trusted_proxies.count,
    };
    if (http_start(&http, web_owner(d->web), d->metrics, &d->http, diag) != HC_OK)
        return complain(diag, EXIT_FAILED);
    if (name_server(d, url, sizeof url) != HC_OK) {
        (void)hc_fail(diag, HC_ERR_NOMEM, "out of memory");
        return complain(diag, EXIT_FAILED);
    }
    settings.server_url = d->config->server_url != NULL ? d->config->server_url : d->server_url;
    api_configure(d->api, &settings);
    (void)printf("ready url=%s pid=%ld\n", url, (long)getpid());
    if (fflush(stdout) != 0)
        hc_log(HC_LOG_WARNING, "ready_line_not_written", "error=%s", hc_logq(strerror(errno)));
    d->watchdog_ms = os_watchdog_ms();
    os_notify("READY=1");
    return EXIT_OK;
}

static enum hc_err watch(struct daemon *d, int fd)
{
    struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };
    return epoll_ctl(d->epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0 ? HC_ERR_IO : HC_OK;
}

/* Read again at each reload, whether its name has changed or not: who renews a certificate writes the same file. */
static void renew_certificate(struct daemon *d, const struct daemon_config *fresh)
{
    struct hc_diag diag = { "" };
    HC_CLEANUP(free_pem) struct pem pem = { 0 };
    if (fresh->tls_cert == NULL || !http_is_tls(d->http))
        return;
    enum hc_err err = read_tls(fresh, &pem, &diag);
    if (err == HC_OK)
        err = http_renew_certificate(d->http, pem.cert, pem.key, &diag);
    if (err == HC_OK)
        hc_log(HC_LOG_NOTICE, "certificate_read", "file=%s", hc_logq(fresh->tls_cert));
    else
        hc_log(HC_LOG_ERR, "certificate_refused", "file=%s detail=%s", hc_logq(fresh->tls_cert), hc_logq(diag.text));
}

static bool bounds_differ(const struct file_bounds *a, const struct file_bounds *b)
{
    return a->segment_bytes != b->segment_bytes || a->keep_bytes != b->keep_bytes;
}

/* SIGHUP: what can change changes, what cannot is named. */
static void reload(struct daemon *d)
{
    struct hc_diag diag = { "" };
    struct daemon_config fresh;
    if (config_load(&d->options->flags, &fresh, &diag) != HC_OK) {
        hc_log(HC_LOG_ERR, "reload_refused", "detail=%s", hc_logq(diag.text));
        config_free(&fresh);
        return;
    }
    const struct { const char *key; bool changed; } fixed[] = {
        { "data_dir", !hc_same(fresh.data_dir, d->config->data_dir) }, { "listen", !hc_same(fresh.listen, d->config->listen) },
        { "tls_cert", (fresh.tls_cert != NULL) != http_is_tls(d->http) }, { "district", !hc_same(fresh.district, d->config->district) },
        { "timers_file", memcmp(&fresh.timers, &d->config->timers, sizeof fresh.timers) != 0 },
        { "events.keep", fresh.keep_events != d->config->keep_events },
        { "queue.max_tickets", fresh.queue_max_tickets != d->config->queue_max_tickets },
        { "sessions", bounds_differ(&fresh.session_files, &d->config->session_files) },
        { "journal", fresh.journal != d->config->journal || bounds_differ(&fresh.journal_files, &d->config->journal_files) },
        { "limits", memcmp(&fresh.limits, &d->config->limits, sizeof fresh.limits) != 0 },
    };
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
        if (fixed[i].changed)
            hc_log(HC_LOG_WARNING, "reload_needs_restart", "key=%s", fixed[i].key);
    renew_certificate(d, &fresh);
    struct api_config settings = api_settings(d, &fresh);
    settings.server_url = fresh.server_url != NULL ? fresh.server_url : d->server_url;
    api_configure(d->api, &settings);
    config_free(&d->reloaded);
    d->reloaded = fresh;
    hc_log(HC_LOG_NOTICE, "reloaded", "file=%s", hc_logq(fresh.file));
}

static void take_signals(struct daemon *d)
{
    for (int number; (number = os_signal_next(d->signal_fd)) != 0;) {
        if (number == SIGHUP) {
            reload(d);
        } else if (!d->stopping) {
            hc_log(HC_LOG_NOTICE, "stopping", "signal=%d", number);
            os_notify("STOPPING=1");
            d->stopping = true;
            d->stop_by_ms = os_monotonic_ms() + STOP_PATIENCE_MS;
            api_stopping(d->api);
            http_quiesce(d->http);
        }
    }
}

/* By the loop, which answers: a disk that hangs is the store's outage and no reason to be killed. */
static void feed_watchdog(struct daemon *d)
{
    int64_t now_ms = os_monotonic_ms();
    if (d->watchdog_ms == 0 || now_ms < d->watchdog_at_ms)
        return;
    os_notify("WATCHDOG=1");
    d->watchdog_at_ms = now_ms + d->watchdog_ms;
}

static int wait_ms(struct daemon *d)
{
    int64_t now = os_monotonic_ms(), most = TURN_MAX_MS;
    int64_t http = http_wait_ms(d->http), due = engine_next_due_ms(d->engine) - now;
    most = http < most ? http : most;
    most = due < most ? due : most;
    if (d->watchdog_ms > 0 && d->watchdog_at_ms - now < most)
        most = d->watchdog_at_ms - now;
    return most < 0 ? 0 : (int)most;
}

static void loop(struct daemon *d)
{
    while (!d->stopping || (http_open_requests(d->http) > 0 && os_monotonic_ms() < d->stop_by_ms)) {
        struct epoll_event events[EVENT_BATCH];
        int count = epoll_wait(d->epoll_fd, events, EVENT_BATCH, wait_ms(d));
        for (int i = 0; i < count; i++) {
            uint64_t ticks;
            if (events[i].data.fd == d->wake_fd && read(d->wake_fd, &ticks, sizeof ticks) < 0 && errno != EAGAIN)
                hc_log(HC_LOG_ERR, "wake_read_failed", "error=%s", hc_logq(strerror(errno)));
        }
        take_signals(d);
        http_turn(d->http);
        engine_dispatch(d->engine);
        engine_tick(d->engine);
        api_turn(d->api);
        feed_watchdog(d);
    }
}

static int open_all(struct daemon *d)
{
    struct hc_diag diag = { "" };
    struct alloc *loaded = NULL;
    struct load_facts facts;
    if (crypto_start(&diag) != HC_OK || os_signals(&d->signal_fd, &diag) != HC_OK)
        return complain(&diag, EXIT_FAILED);
    if (os_descriptors_at_least(d->config->limits.connections + DESCRIPTORS_BESIDE, &diag) != HC_OK ||
        read_tls(d->config, &d->pem, &diag) != HC_OK)
        return complain(&diag, EXIT_USAGE);
    d->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    d->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    d->metrics = metrics_new();
    if (d->wake_fd < 0 || d->epoll_fd < 0 || d->metrics == NULL) {
        (void)hc_fail(&diag, HC_ERR_IO, "no descriptors or memory to start with: %s", strerror(errno));
        return complain(&diag, EXIT_FAILED);
    }
    fill_core(d);
    int code = open_data(d, &loaded, &facts, &diag);
    if (code != EXIT_OK)
        return code;
    open_journal(d);
    struct engine_config engine = { .ops = &store_file_ops, .store = d->store, .core = &d->core, .metrics = d->metrics, .feed = d->feed,
                                    .wake_fd = d->wake_fd, .now = os_now, .random = os_random, .journal = d->journal };
    if (engine_start(&engine, loaded, &facts, &d->engine, &diag) != HC_OK) {
        alloc_free(loaded);
        return complain(&diag, EXIT_FAILED);
    }
    code = open_wire(d, &diag);
    if (code == EXIT_OK && (watch(d, d->wake_fd) != HC_OK || watch(d, d->signal_fd) != HC_OK || watch(d,
        http_epoll_fd(d->http)) != HC_OK)) {
        (void)hc_fail(&diag, HC_ERR_IO, "epoll: %s", strerror(errno));
        code = complain(&diag, EXIT_FAILED);
    }
    return code;
}

static int64_t stop_left_ms(int64_t by_ms)
{
    int64_t left_ms = by_ms - os_monotonic_ms();
    return left_ms < STOP_LEAST_MS ? STOP_LEAST_MS : left_ms;
}

/* Everything that writes, within one bound. False: a disk hangs, and a thread of ours in it; what was not written has been told. */
static bool stop_writers(struct daemon *d)
{
    struct hc_diag diag = { "" };
    int64_t by_ms = os_monotonic_ms() + STOP_SAVE_MS;
    /* The engine first: it answers what still waits, while there is a server to answer through, and gives the feed its last lines. */
    bool saved = engine_stop(d->engine, STOP_SAVE_MS, &diag) == HC_OK;
    if (saved)
        d->engine = NULL;
    else
        hc_log(HC_LOG_ERR, "stop_without_save", "detail=%s", hc_logq(diag.text));
    bool fed = feed_stop(d->feed, stop_left_ms(by_ms));
    if (!fed)
        hc_log(HC_LOG_ERR, "stop_without_save", "detail=%s",
               hc_logq("sessions.jsonl and events.jsonl may lack their last lines: a write has not come back; ended sessions are "
                       "written at the next start"));
    bool tokens = operator_tokens_stop(d->tokens, stop_left_ms(by_ms));
    if (!tokens)
        hc_log(HC_LOG_ERR, "stop_without_save", "detail=%s", hc_logq("tokens.yaml may lack when tokens were last used"));
    return saved && fed && tokens;
}

static void close_all(struct daemon *d)
{
    if (!stop_writers(d)) {
        http_free(d->http);                /* the last answers go out; all else is still in a thread's hands */
        crypto_wipe(d->core.secret, sizeof d->core.secret);
        (void)fflush(NULL);
        _exit(EXIT_FAILED);
    }
    http_free(d->http);
    web_free(d->web);
    api_free(d->api);
    operator_tokens_close(d->tokens);
    journal_close(d->journal);
    (void)feed_close(d->feed);
    (void)store_close(d->store);
    metrics_free(d->metrics);
    os_close(&d->wake_fd);
    os_close(&d->signal_fd);
    os_close(&d->epoll_fd);
    crypto_wipe(d->core.secret, sizeof d->core.secret);
    free_pem(&d->pem);
    hc_free(d->server_url);
    config_free(&d->reloaded);
}

int serve(const struct options *options, struct daemon_config *config)
{
    struct daemon d = { .options = options, .config = config, .wake_fd = -1, .signal_fd = -1, .epoll_fd = -1 };
    os_no_core_dumps();
    int code = open_all(&d);
    if (code == EXIT_OK)
        loop(&d);
    close_all(&d);
    return code;
}
