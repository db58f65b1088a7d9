#include "gamestream.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "hydra/base/arena.h"
#include "hydra/os/clock.h"
#include "app.h"
#include "apps.h"
#include "clients.h"
#include "log.h"
#include "pairing.h"
#include "session.h"
#include "xml.h"

#define HEVC_NONE   "0"
#define SLOW_MAX_MS 120000
#define LIMIT_TEXT  "The host's concurrent stream limit has been reached. Stop an existing stream or increase the 'Channels' value."

const char portal_page[] = "<!DOCTYPE html><html><head><title>Welcome to our network</title></head>"
                           "<body><p>Please accept the terms &amp; conditions.<br></body></html>\n";

static void one_number(const char *name, long value, int status, const char *message, struct answer *answer)
{
    struct xml xml = { 0 };
    xml_number(&xml, name, value);
    xml_answer(&xml, status, message, answer);
}

static void serverinfo(struct host *host, const struct request *request, struct answer *answer)
{
    bool secure = request->tls;
    struct xml xml = { 0 };
    app_poll(host);
    host_lock(host);
    long game = host->running.id;
    if (game == 0 && os_monotonic_ms() < host->minus_one_until_ms)
        game = -1;
    xml_text(&xml, "hostname", host->name);
    xml_text(&xml, "appversion", "7.1.431.-1");
    xml_text(&xml, "GfeVersion", "3.23.0.74");
    xml_text(&xml, "uniqueid", host->uniqueid);
    xml_number(&xml, "HttpsPort", host->https_port);
    xml_number(&xml, "ExternalPort", host->http_port);
    xml_text(&xml, "MaxLumaPixelsHEVC", HEVC_NONE);
    xml_text(&xml, "mac", secure ? "02:00:5e:10:00:01" : "00:00:00:00:00:00");
    xml_text(&xml, "LocalIP", "127.0.0.1");
    xml_number(&xml, "ServerCodecModeSupport", 1);
    if (host->version->display_modes) {
        xml_open(&xml, "SupportedDisplayMode");
        xml_open(&xml, "DisplayMode");
        xml_number(&xml, "Width", 1920);
        xml_number(&xml, "Height", 1080);
        xml_number(&xml, "RefreshRate", 60);
        xml_close(&xml, "DisplayMode");
        xml_close(&xml, "SupportedDisplayMode");
    }
    xml_number(&xml, "PairStatus", secure && request_param(request, "uniqueid") != NULL);
    xml_number(&xml, "currentgame", game);
    xml_text(&xml, "state", game > 0 ? "SUNSHINE_SERVER_BUSY" : "SUNSHINE_SERVER_FREE");
    host_unlock(host);
    xml_answer(&xml, 200, NULL, answer);
}

static void applist(struct host *host, const struct request *request, struct answer *answer)
{
    struct xml xml = { 0 };
    (void)request;
    host_lock(host);
    const json_t *apps = json_object_get(host->apps, "apps");
    for (size_t i = 0; i < json_array_size(apps); i++) {
        xml_open(&xml, "App");
        xml_number(&xml, "IsHdrSupported", 0);
        xml_text(&xml, "AppTitle", apps_text(json_array_get(apps, i), "name"));
        xml_number(&xml, "ID", apps_id(host, i));
        xml_close(&xml, "App");
    }
    host_unlock(host);
    xml_answer(&xml, 200, NULL, answer);
}

static bool lacks(const struct request *request, const char *const *names)
{
    for (; *names != NULL; names++)
        if (request_param(request, *names) == NULL)
            return true;
    return false;
}

/* What launch and resume have in common behind the first checks. False: refused. */
static bool can_stream(struct host *host, const struct request *request, const char *name, struct answer *answer)
{
    host_lock(host);
    bool active = session_count(host) > 0;
    host_unlock(host);
    if (!active && host_fault(host, FAULT_NO_DISPLAY) != 0) {
        one_number(name, 0, 503, "Failed to initialize video capture/encoding. Is a display connected and turned on?", answer);
        return false;
    }
    if (host_fault(host, FAULT_NEEDS_ENCRYPTION) != 0 && request_number(request, "corever", 0) < 1) {
        one_number(name, 0, 403, "Encryption is mandatory for this host but unsupported by the client", answer);
        return false;
    }
    return true;
}

static void answer_session(struct host *host, const struct request *request, const char *name, struct answer *answer)
{
    char url[128];
    struct xml xml = { 0 };
    const char *scheme = request_number(request, "corever", 0) >= 1 ? "rtspenc" : "rtsp";
    (void)snprintf(url, sizeof url, "%s://127.0.0.1:%u", scheme, host->rtsp_port);
    host_lock(host);
    session_arm(host, request->address);
    host_unlock(host);
    xml_text(&xml, "sessionUrl0", url);
    xml_number(&xml, name, 1);
    xml_answer(&xml, 200, NULL, answer);
}

/* Releases with `channels`, which is 1 by default. */
static bool over_limit(struct host *host)
{
    host_lock(host);
    bool over = host->version->channels && session_count(host) >= 1;
    host_unlock(host);
    return over;
}

static void launch(struct host *host, const struct request *request, struct answer *answer)
{
    static const char *const needed[] = { "rikey", "rikeyid", "localAudioPlayMode", "appid", NULL };
    if (over_limit(host)) {
        one_number("resume", 0, 503, LIMIT_TEXT, answer);
        return;
    }
    if (lacks(request, needed)) {
        one_number("resume", 0, 400, "Missing a required launch parameter", answer);
        return;
    }
    app_poll(host);
    if (app_is_running(host)) {
        one_number("resume", 0, 400, "An app is already running on this host", answer);
        return;
    }
    if (!can_stream(host, request, "gamesession", answer))
        return;
    if (request_number(request, "appid", 0) > 0) {
        enum launched launched = app_launch(host, request);
        if (launched != LAUNCHED_OK) {
            one_number("gamesession", 0, (int)launched, "Failed to start the specified application", answer);
            return;
        }
    }
    answer_session(host, request, "gamesession", answer);
}

static void resume(struct host *host, const struct request *request, struct answer *answer)
{
    static const char *const needed[] = { "rikey", "rikeyid", NULL };
    if (over_limit(host)) {
        one_number("resume", 0, 503, LIMIT_TEXT, answer);
        return;
    }
    app_poll(host);
    if (!app_is_running(host))
        one_number("resume", 0, 503, "No running app to resume", answer);
    else if (lacks(request, needed))
        one_number("resume", 0, 400, "Missing a required resume parameter", answer);
    else if (can_stream(host, request, "resume", answer))
        answer_session(host, request, "resume", answer);
}

static void cancel(struct host *host, const struct request *request, struct answer *answer)
{
    (void)request;
    if (over_limit(host)) {
        one_number("resume", 0, 503, "All sessions must be disconnected before quitting", answer);
        return;
    }
    app_poll(host);
    (void)app_terminate(host);
    one_number("cancel", 1, 200, NULL, answer);
}

static void appasset(struct host *host, const struct request *request, struct answer *answer)
{
    static const char png[] = "\x89PNG\r\n\x1a\n";      /* its magic: nobody here looks at pictures */
    (void)host;
    (void)request;
    answer->kind = ANSWER_SEND;
    answer->type = "image/png";
    hc_buf_add(&answer->body, png, sizeof png - 1);
}

static const struct route {
    const char *path;
    bool http;                          /* on 47989 too */
    void (*run)(struct host *host, const struct request *request, struct answer *answer);
} routes[] = {
    { "/serverinfo", true, serverinfo }, { "/pair", true, NULL }, { "/applist", false, applist }, { "/appasset", false, appasset },
    { "/launch", false, launch },        { "/resume", false, resume }, { "/cancel", false, cancel },
};

static void log_request(const struct request *request)
{
    log_line("Debug", "DESTINATION :: %s", request->path);
    for (size_t i = 0; i < request->param_count; i++)
        log_line("Debug", "%s -- %s", request->params[i].name, request->params[i].value);
}

/* The faults that make an answer unreadable. */
static void spoil(struct host *host, struct answer *answer)
{
    if (host_fault(host, FAULT_PORTAL) != 0) {
        hc_buf_clear(&answer->body);
        hc_buf_str(&answer->body, portal_page);
        answer->kind = ANSWER_SEND;
        answer->status = 200;
        answer->type = "text/html";
    } else if (answer->kind == ANSWER_SEND && host_fault(host, FAULT_EMPTY) != 0) {
        xml_empty(answer);
    } else if (answer->kind == ANSWER_SEND && host_fault(host, FAULT_TRUNCATE) != 0) {
        answer->body.len /= 2;
    }
}

static void wait_slow(struct host *host)
{
    int64_t until = os_monotonic_ms() + host_fault(host, FAULT_SLOW);
    for (int64_t left = until - os_monotonic_ms(); left > 0 && left < SLOW_MAX_MS && !atomic_load(&host->stop);
         left = until - os_monotonic_ms())
        (void)poll(NULL, 0, left < 50 ? (int)left : 50);
}

static void handle(struct host *host, struct request *request, struct answer *answer, bool http)
{
    if (strcmp(request->method, "GET") != 0)
        return;                                         /* closed without a word */
    host_count(host, http ? "http" : "https", request->method, request->path);
    log_request(request);
    wait_slow(host);
    if (host_fault(host, FAULT_PORTAL) != 0) {
        spoil(host, answer);
        return;
    }
    for (size_t i = 0; i < sizeof routes / sizeof routes[0] && answer->kind == ANSWER_CLOSE; i++) {
        if (strcmp(routes[i].path, request->path) != 0 || (http && !routes[i].http))
            continue;
        if (routes[i].run == NULL)
            pairing_request(host, request, answer);
        else
            routes[i].run(host, request, answer);
    }
    if (answer->kind == ANSWER_CLOSE) {
        struct xml xml = { 0 };
        xml_answer(&xml, 404, NULL, answer);
    }
    spoil(host, answer);
}

static void handle_http(void *ctx, struct request *request, struct answer *answer)
{
    handle(ctx, request, answer, true);
}

static void handle_https(void *ctx, struct request *request, struct answer *answer)
{
    handle(ctx, request, answer, false);
}

static SSL_CTX *https_context(void *ctx)
{
    return host_context(ctx, true);
}

static bool https_let_in(void *ctx, X509 *peer, struct hc_buf *out, bool *ret_reset)
{
    static const char refusal[] = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<root status_code=\"401\" query=\"\" "
                                  "status_message=\"The client is not authorized. Certificate verification failed.\"/>";
    struct host *host = ctx;
    if (peer == NULL)
        return true;                                    /* somebody else's TLS stands in front and asks for none */
    host_lock(host);
    enum client_verdict verdict = clients_judge(host, peer);
    host_unlock(host);
    if (verdict == CLIENT_IN) {
        char subject[256] = "";
        (void)X509_NAME_oneline(X509_get_subject_name(peer), subject, sizeof subject);
        log_line("Debug", "%s -- verified", subject);
        return true;
    }
    host_count(host, "https", "refused", "/");
    if (verdict == CLIENT_UNKNOWN)
        log_line("Warning", "SSL Verification error :: self-signed certificate");
    else
        log_line("Info", "Client is disabled -- denied");
    struct answer answer = { .kind = ANSWER_SEND, .status = 200 };
    hc_buf_str(&answer.body, refusal);
    answer_write(&answer, out);
    hc_buf_free(&answer.body);
    *ret_reset = host_fault(host, FAULT_RESET) != 0;
    return false;
}

static bool https_blocked(void *ctx)
{
    return host_fault(ctx, FAULT_BLOCK) != 0;
}

const struct server_ops gamestream_http_ops = { .handle = handle_http, .closing = "" };
const struct server_ops gamestream_https_ops = { .handle = handle_https, .context = https_context, .let_in = https_let_in,
                                                 .blocked = https_blocked, .waits_for_close = true, .closing = "" };
const struct server_ops gamestream_https_old_ops = { .handle = handle_https, .context = https_context, .let_in = https_let_in,
                                                     .blocked = https_blocked, .closing = "" };
