#include "local_api.h"

#include <stdio.h>
#include <string.h>

#include "hydra/base/log.h"
#include "hydra/codec/json.h"
#include "hydra/os/clock.h"
#include "hydra/os/random.h"

#include "local_guard.h"
#include "local_status.h"
#include "queue_card.h"
#include "recent_log.h"
#include "wish.h"

#define API "/api/v1"

static void answer_error(struct http_request *req, unsigned status, const char *error, const char *detail)
{
    struct hc_buf json = { 0 };
    hc_buf_str(&json, "{\"error\":");
    hc_buf_json_str(&json, error);
    hc_buf_printf(&json, ",\"code\":%u,\"detail\":", status);
    hc_buf_json_str(&json, detail);
    hc_buf_char(&json, '}');
    http_answer(req, status, NULL, json.failed ? "{}" : json.data, json.failed ? 2 : json.len);
    hc_buf_free(&json);
}

/* Takes the buffer's memory. */
static void answer_json(struct http_request *req, struct hc_buf *json)
{
    http_header_add(req, "Cache-Control", "no-store");
    if (json->failed)
        answer_error(req, 500, "internal", "There is no memory for this answer.");
    else
        http_answer(req, 200, NULL, json->data, json->len);
    hc_buf_free(json);
}

/* ---- what is told ---- */

static void get_config(struct local_api *api, struct http_request *req)
{
    struct hc_buf json = { 0 };
    hc_buf_str(&json, "{\"district\":");
    hc_buf_json_str(&json, api->agent->config->district);
    hc_buf_str(&json, ",\"venue\":");
    hc_buf_json_str(&json, api->agent->config->venue);
    hc_buf_char(&json, '}');
    answer_json(req, &json);
}

static void get_experiences(struct local_api *api, struct http_request *req)
{
    struct hc_buf json = { 0 };
    if (api->agent->offers.len > 0)
        hc_buf_add(&json, api->agent->offers.data, api->agent->offers.len);
    else
        hc_buf_str(&json, "[]");
    answer_json(req, &json);
}

static void get_status(struct local_api *api, struct http_request *req)
{
    struct hc_buf json = { 0 };
    struct local_status status;
    local_status_of(&api->agent->head, api->agent->online, api->agent->wish[0] != '\0', &status);
    local_status_json(&status, &json);
    answer_json(req, &json);
}

static void get_version(struct local_api *api, struct http_request *req)
{
    (void)api;
    struct hc_buf json = { 0 };
    hc_buf_str(&json, "{\"version\":\"" HYDRA_VERSION "\"}");
    answer_json(req, &json);
}

static void get_logs(struct local_api *api, struct http_request *req)
{
    (void)api;
    struct hc_buf json = { 0 };
    recent_log_json(&json);
    answer_json(req, &json);
}

static void add_check(struct hc_buf *json, const char *label, const char *status, const char *detail)
{
    if (json->failed)
        return;
    hc_buf_str(json, json->data[json->len - 1] == '[' ? "{\"label\":" : ",{\"label\":");
    hc_buf_json_str(json, label);
    hc_buf_str(json, ",\"status\":");
    hc_buf_json_str(json, status);
    hc_buf_str(json, ",\"detail\":");
    hc_buf_json_str(json, hc_utf8_ok(detail, strlen(detail)) ? detail : "");
    hc_buf_char(json, '}');
}

static void get_diagnostics(struct local_api *api, struct http_request *req)
{
    const struct agent *a = api->agent;
    struct hc_buf json = { 0 };
    struct hc_arena arena = { 0 };
    struct hc_diag why = { "" };
    char text[256];
    const char *program = a->config->words.words[0];
    bool found = command_find(program, &arena, &program, &why) == HC_OK;
    hc_buf_str(&json, "{\"checks\":[");
    (void)snprintf(text, sizeof text, "%.200s", a->config->server_url);
    add_check(&json, "Cluster", a->online ? "ok" : "error", text);
    add_check(&json, "Device identity", a->registered ? "ok" : "warning", a->registered ? "registered" : "not registered yet");
    add_check(&json, "Streaming program", found ? "ok" : "error", found ? program : why.text);
    add_check(&json, "Visit", a->head.phase == HEAD_FAILED ? "error" : "ok", head_phase_word(a->head.phase));
    add_check(&json, "Body", a->host_verdict[0] == '\0' || strcmp(a->host_verdict, "ok") == 0 ? "ok" : "warning",
              a->host_verdict[0] == '\0' ? "none was asked yet" : a->host_verdict);
    hc_buf_str(&json, "]}");
    hc_arena_free(&arena);
    answer_json(req, &json);
}

static void get_card(struct local_api *api, struct http_request *req)
{
    (void)api;
    unsigned char bytes[(QUEUE_CARD_NONCE_SIZE - 1) / 2];
    char nonce[QUEUE_CARD_NONCE_SIZE];
    struct hc_buf html = { 0 }, policy = { 0 };
    os_random(bytes, sizeof bytes);
    hc_hex(bytes, sizeof bytes, nonce);
    queue_card_html(nonce, &html);
    queue_card_policy(nonce, &policy);
    if (html.failed || policy.failed) {
        answer_error(req, 500, "internal", "There is no memory for this page.");
    } else {
        http_header_add(req, "Content-Security-Policy", policy.data);
        http_header_add(req, "X-Content-Type-Options", "nosniff");
        http_header_add(req, "Referrer-Policy", "no-referrer");
        http_header_add(req, "Cache-Control", "no-store");
        http_answer(req, 200, "text/html; charset=utf-8", html.data, html.len);
    }
    hc_buf_free(&html);
    hc_buf_free(&policy);
}

/* ---- what is asked for ---- */

static void answer_done(struct http_request *req)
{
    struct hc_buf json = { 0 };
    hc_buf_str(&json, "{}");
    answer_json(req, &json);
}

static void post_start(struct local_api *api, struct http_request *req)
{
    struct wish wish;
    struct json_refusal refusal;
    size_t len = 0;
    const char *text = http_body(req, &len);
    if (json_read(&wish_table, text == NULL ? "" : text, len, true, http_arena(req), &wish, &refusal) != HC_OK) {
        answer_error(req, 400, "bad_request", refusal.detail);
        return;
    }
    const char *experience = wish.experience[0] != '\0' ? wish.experience : api->agent->config->experience;
    if (experience[0] == '\0') {
        answer_error(req, 400, "bad_request", "Which experience? Name it, or set `experience` in the configuration.");
        return;
    }
    const char *refused = agent_start(api->agent, experience);
    hc_log(HC_LOG_INFO, "start_asked", "experience=%s refused=%s", hc_logq(experience), refused == NULL ? "no" : refused);
    if (refused != NULL)
        answer_error(req, 409, refused, "Another visit is under way; stop it first.");
    else
        answer_done(req);
}

static void post_stop(struct local_api *api, struct http_request *req)
{
    hc_log(HC_LOG_INFO, "stop_asked", "phase=%s", head_phase_word(api->agent->head.phase));
    agent_stop(api->agent);
    answer_done(req);
}

static void post_accept(struct local_api *api, struct http_request *req)
{
    agent_accept(api->agent);
    answer_done(req);
}

/* ---- routes ---- */

struct route { enum http_method method; const char *path; void (*answer)(struct local_api *api, struct http_request *req); };
static const struct route routes[] = {
    { HTTP_GET, "/", get_card },
    { HTTP_GET, API "/config", get_config },
    { HTTP_GET, API "/experiences", get_experiences },
    { HTTP_POST, API "/stream/start", post_start },
    { HTTP_POST, API "/stream/stop", post_stop },
    { HTTP_POST, API "/stream/accept", post_accept },
    { HTTP_GET, API "/stream/status", get_status },
    { HTTP_GET, API "/diagnostics", get_diagnostics },
    { HTTP_GET, API "/logs", get_logs },
    { HTTP_GET, API "/version", get_version },
};

static const struct route *find(const struct http_request *req, const struct route **ret_other)
{
    enum http_method method = http_method(req) == HTTP_HEAD ? HTTP_GET : http_method(req);
    *ret_other = NULL;
    for (size_t i = 0; i < sizeof routes / sizeof routes[0]; i++) {
        if (strcmp(routes[i].path, http_path(req)) != 0)
            continue;
        if (routes[i].method == method)
            return &routes[i];
        *ret_other = &routes[i];
    }
    return NULL;
}

static const char *guard(const struct local_api *api, const struct http_request *req, size_t body_len)
{
    const struct local_asked asked = {
        .loopback = http_peer_is_loopback(req), .host = http_header(req, "Host"), .origin = http_header(req, "Origin"),
        .fetch_site = http_header(req, "Sec-Fetch-Site"), .content_type = http_header(req, "Content-Type"),
        .changes = http_method(req) != HTTP_GET && http_method(req) != HTTP_HEAD, .body_len = body_len, .port = api->port,
    };
    return local_guard(&asked);
}

static void refuse(struct http_request *req, const char *word)
{
    bool type = strcmp(word, "unsupported_media_type") == 0;
    answer_error(req, type ? 415 : 403, word, type ? "The body must be application/json."
                                                   : "Only programs and pages of this machine may ask, under its own address.");
}

static void begin(void *ctx, struct http_request *req)
{
    struct local_api *api = ctx;
    const struct route *other, *route = find(req, &other);
    const char *refused = guard(api, req, 0);
    http_set_body_limit(req, LOCAL_BODY_MAX);
    if (refused != NULL) {
        refuse(req, refused);
    } else if (route != NULL) {
        http_set_route(req, route->path);
    } else if (other != NULL) {
        http_header_add(req, "Allow", other->method == HTTP_GET ? "GET, HEAD" : "POST");
        answer_error(req, 405, "method_not_allowed", "This route has another method.");
    } else {
        answer_error(req, 404, "not_found", "There is no such route.");
    }
}

static void ready(void *ctx, struct http_request *req)
{
    struct local_api *api = ctx;
    size_t len = 0;
    const struct route *other, *route = find(req, &other);
    (void)http_body(req, &len);
    const char *refused = guard(api, req, len);
    if (refused != NULL)
        refuse(req, refused);
    else
        route->answer(api, req);
}

static void done(void *ctx, struct http_request *req)
{
    (void)ctx;
    (void)req;
}

void local_api_init(struct local_api *api, struct agent *agent)
{
    *api = (struct local_api){ .agent = agent, .owner = { .ctx = api, .begin = begin, .ready = ready, .done = done } };
}
