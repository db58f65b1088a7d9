#include "web.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>

#include "hydra/base/arena.h"
#include "hydra/os/clock.h"
#include "config.h"
#include "gamestream.h"
#include "log.h"
#include "state.h"

#define CSRF_MS       3600000
#define SLOW_MAX_MS   120000
#define CREDENTIALS_MAX 512u

json_t *web_status(bool status)
{
    return json_pack("{s:b}", "status", status);
}

json_t *web_error(const struct web_call *call, int status, const char *message)
{
    if (!call->host->version->http_errors)
        return json_pack("{s:b, s:s}", "status", 0, "error", message);
    call->answer->status = status;
    json_t *json = json_pack("{s:s, s:i}", "error", message, "status_code", status);
    if (status != 404)
        (void)json_object_set_new(json, "status", json_false());
    return json;
}

static json_t *config_get(const struct web_call *call)
{
    json_t *json = config_file(call->host);
    (void)json_object_set_new(json, "status", json_true());
    (void)json_object_set_new(json, "platform", json_string("linux"));
    (void)json_object_set_new(json, "version", json_string(call->host->version->full));
    return json;
}

static json_t *config_post(const struct web_call *call)
{
    return web_status(config_write(call->host, call->body));
}

static json_t *restart(const struct web_call *call)
{
    atomic_store(&call->host->restart, true);
    atomic_store(&call->host->stop, true);
    call->answer->kind = ANSWER_CLOSE;
    return NULL;
}

static json_t *logs(const struct web_call *call)
{
    char path[HOST_PATH_SIZE], *text = NULL;
    host_path(call->host, "sunshine.log", path);
    if (state_read_file(path, &text))
        hc_buf_str(&call->answer->body, text);
    hc_free(text);
    call->answer->type = "text/plain";
    return NULL;
}

static json_t *csrf_token(const struct web_call *call)
{
    uint8_t bytes[32];
    if (RAND_bytes(bytes, sizeof bytes) != 1)
        abort();
    host_lock(call->host);
    hs_hex_upper(bytes, sizeof bytes, call->host->csrf_token);
    call->host->csrf_until_ms = os_monotonic_ms() + CSRF_MS;
    json_t *json = json_pack("{s:s}", "csrf_token", call->host->csrf_token);
    host_unlock(call->host);
    return json;
}

enum since { SINCE_EVER, SINCE_NAMED_CLIENTS, SINCE_ENABLED_FLAG, SINCE_CSRF };

static const struct route {
    const char *method, *path;          /* a path that ends with / has a number behind it */
    enum since since;
    bool body;
    web_run *run;
} routes[] = {
    { "GET", "/api/clients/list", SINCE_NAMED_CLIENTS, false, web_clients_list },
    { "POST", "/api/clients/unpair", SINCE_EVER, true, web_clients_unpair },
    { "POST", "/api/clients/unpair-all", SINCE_NAMED_CLIENTS, false, web_clients_unpair_all },
    { "POST", "/api/clients/update", SINCE_ENABLED_FLAG, true, web_clients_update },
    { "POST", "/api/pin", SINCE_EVER, true, web_pin },
    { "GET", "/api/apps", SINCE_EVER, false, web_apps_get },
    { "POST", "/api/apps", SINCE_EVER, true, web_apps_post },
    { "DELETE", "/api/apps/", SINCE_EVER, false, web_apps_delete },
    { "POST", "/api/apps/close", SINCE_EVER, false, web_apps_close },
    { "GET", "/api/config", SINCE_EVER, false, config_get },
    { "POST", "/api/config", SINCE_EVER, true, config_post },
    { "POST", "/api/restart", SINCE_EVER, false, restart },
    { "GET", "/api/logs", SINCE_EVER, false, logs },
    { "GET", "/api/csrf-token", SINCE_CSRF, false, csrf_token },
};

static bool offers(const struct version *version, enum since since)
{
    switch (since) {
    case SINCE_NAMED_CLIENTS: return !version->channels;
    case SINCE_ENABLED_FLAG:  return version->enabled_flag;
    case SINCE_CSRF:          return version->csrf;
    case SINCE_EVER:
    default:                  return true;
    }
}

static const struct route *find_route(const struct host *host, const struct request *request)
{
    for (size_t i = 0; i < sizeof routes / sizeof routes[0]; i++) {
        size_t len = strlen(routes[i].path);
        bool prefix = routes[i].path[len - 1] == '/';
        if (strcmp(routes[i].method, request->method) == 0 && offers(host->version, routes[i].since) &&
            (prefix ? strncmp(routes[i].path, request->path, len) == 0 && request->path[len] != '\0'
                    : strcmp(routes[i].path, request->path) == 0))
            return &routes[i];
    }
    return NULL;
}

/* Basic authentication. */
static bool authorised(struct host *host, const struct request *request)
{
    char text[CREDENTIALS_MAX + 4];
    const char *given = request->authorization;
    if (given == NULL || strncasecmp(given, "Basic ", 6) != 0 || strlen(given + 6) % 4 != 0 || strlen(given + 6) > CREDENTIALS_MAX)
        return false;
    int len = EVP_DecodeBlock((unsigned char *)text, (const unsigned char *)given + 6, (int)strlen(given + 6));
    if (len < 0)
        return false;
    text[len] = '\0';                                   /* padding decodes to NUL bytes behind the text */
    char *password = strchr(text, ':');
    if (password == NULL)
        return false;
    *password++ = '\0';
    host_lock(host);
    bool fits = state_credentials_fit(host, text, password);
    host_unlock(host);
    return fits;
}

static bool needs_content_type(const struct host *host, const struct route *route)
{
    switch (host->version->content) {
    case CONTENT_POST_DELETE: return strcmp(route->method, "GET") != 0;
    case CONTENT_POST:        return strcmp(route->method, "POST") == 0;
    case CONTENT_BODY:        return route->body;
    case CONTENT_NONE:
    default:                  return false;
    }
}

static bool is_own_origin(const struct host *host, const char *origin)
{
    char local[64], loopback[64];
    (void)snprintf(local, sizeof local, "https://localhost:%u", host->web_port);
    (void)snprintf(loopback, sizeof loopback, "https://127.0.0.1:%u", host->web_port);
    return strncmp(origin, local, strlen(local)) == 0 || strncmp(origin, loopback, strlen(loopback)) == 0;
}

/* What is wrong about the caller's token; NULL: nothing. Who sends neither Origin nor Referer is exempt. */
static const char *csrf_fault(struct host *host, const struct request *request)
{
    const char *origin = request->origin != NULL ? request->origin : request->referer;
    const char *token = request->csrf_token != NULL ? request->csrf_token : request_param(request, "csrf_token");
    if (!host->version->csrf || origin == NULL || strcmp(request->method, "GET") == 0 || is_own_origin(host, origin))
        return NULL;
    if (token == NULL)
        return "Missing CSRF token";
    host_lock(host);
    bool same = host->csrf_token[0] != '\0' && strlen(token) == strlen(host->csrf_token) &&
                CRYPTO_memcmp(token, host->csrf_token, strlen(token)) == 0;
    bool old = os_monotonic_ms() >= host->csrf_until_ms;
    host_unlock(host);
    return !same ? "Invalid CSRF token" : old ? "CSRF token expired" : NULL;
}

static void put_json(struct host *host, json_t *json, struct answer *answer)
{
    json_t *shaped = host->version->text_json ? state_as_text(json) : json_incref(json);
    char *text = json_dumps(shaped, JSON_COMPACT | JSON_SORT_KEYS);
    hc_buf_str(&answer->body, text == NULL ? "" : text);
    answer->type = "application/json";
    free(text);
    json_decref(shaped);
    json_decref(json);
}

static void page(struct answer *answer)
{
    answer->type = "text/html; charset=utf-8";
    hc_buf_str(&answer->body, "<!DOCTYPE html><html><body><h1>Welcome to Sunshine!</h1></body></html>\n");
}

static json_t *run_route(struct web_call *call)
{
    struct host *host = call->host;
    const struct request *request = call->request;
    const struct route *route = find_route(host, request);
    if (route == NULL) {
        bool get = strcmp(request->method, "GET") == 0;
        call->answer->status = get || host->version->channels ? 404 : 400;
        return json_pack("{s:s, s:i}", "error", get ? "Not Found" : "Bad Request", "status_code", call->answer->status);
    }
    if (needs_content_type(host, route)) {
        if (request->content_type == NULL)
            return web_error(call, 400, "Content type not provided");
        if (strncasecmp(request->content_type, "application/json", strlen("application/json")) != 0)
            return web_error(call, 400, "Content type mismatch");
    }
    const char *fault = csrf_fault(host, request);
    if (fault != NULL)
        return web_error(call, 400, fault);
    json_t *body = NULL;
    if (route->body && !(host->version->channels && route->run == web_clients_unpair)) {
        body = json_loadb(request->body, request->body_len, 0, NULL);
        if (!json_is_object(body)) {
            json_decref(body);
            return web_error(call, 400, "syntax error while parsing");
        }
    }
    call->body = body;
    json_t *json = route->run(call);
    json_decref(body);
    return json;
}

static void refuse(struct host *host, const struct request *request, struct answer *answer)
{
    log_line("Info", "Web UI: [%s] -- not authorized", request->address);
    answer->status = 401;
    (void)snprintf(answer->more, sizeof answer->more, "WWW-Authenticate: Basic realm=\"Sunshine Gamestream Host\", charset=\"UTF-8\"\r\n");
    if (host->version->http_errors)
        put_json(host, json_pack("{s:s, s:b, s:i}", "error", "Unauthorized", "status", 0, "status_code", 401), answer);
}

static void wait_slow(struct host *host)
{
    int64_t until = os_monotonic_ms() + host_fault(host, FAULT_SLOW_WEB);
    for (int64_t left = until - os_monotonic_ms(); left > 0 && left < SLOW_MAX_MS && !atomic_load(&host->stop);
         left = until - os_monotonic_ms())
        (void)poll(NULL, 0, left < 50 ? (int)left : 50);
}

static void handle(void *ctx, struct request *request, struct answer *answer)
{
    struct host *host = ctx;
    answer->kind = ANSWER_SEND;
    host_count(host, "web", request->method, request->path);
    wait_slow(host);
    host_lock(host);
    bool no_credentials = host->username[0] == '\0';
    host_unlock(host);
    bool list = strcmp(request->path, "/api/clients/list") == 0;
    if (host_fault(host, FAULT_PORTAL) != 0 || (list && host_fault(host, FAULT_LIST_HTML) != 0)) {
        answer->type = "text/html";
        hc_buf_str(&answer->body, portal_page);
    } else if (strcmp(request->path, "/welcome") == 0) {
        page(answer);
    } else if (no_credentials) {
        answer->status = 307;
        (void)snprintf(answer->more, sizeof answer->more, "Location: /welcome\r\n");
    } else if (!authorised(host, request)) {
        refuse(host, request, answer);
    } else if (strncmp(request->path, "/api/", 5) != 0) {
        page(answer);
    } else {
        struct web_call call = { .host = host, .request = request, .answer = answer };
        json_t *json = run_route(&call);
        if (json != NULL)
            put_json(host, json, answer);
    }
}

static SSL_CTX *context(void *ctx)
{
    return host_context(ctx, false);
}

const struct server_ops web_ops = { .handle = handle, .context = context, .closing = "Connection: close\r\n" };
