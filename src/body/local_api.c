/* local_api.c - routes as data; each request is matched and its caller judged before its body is kept. */
#include "local_api.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "hydra/base/log.h"
#include "hydra/codec/json.h"
#include "hydra/crypto/digest.h"
#include "hydra/os/clock.h"

#include "slot_stop.h"

enum guard { GUARD_HOOK /* loopback */, GUARD_OPERATOR /* local token or trusted network */ };

struct call;
struct route { enum http_method method; const char *path; enum guard guard; void (*handle)(struct call *call); };
struct local_api { const struct body_config *config; struct agent *agent; struct http_owner owner; };
struct call { struct local_api *api; struct http_request *req; const struct route *route; struct errand *errand; };

/* ---- answers (wire §0) ---- */

static void answer_json(struct call *call, unsigned status, struct hc_buf *json)
{
    static const char none[] = "{\"error\":\"internal\",\"code\":500,\"detail\":\"There is no memory for this request.\"}";
    bool ok = !json->failed && json->len > 0;
    http_answer(call->req, ok ? status : 500, NULL, ok ? json->data : none, ok ? json->len : sizeof none - 1);
    hc_buf_free(json);
}

static void answer_error(struct call *call, unsigned status, const char *error, const char *detail, const char *key, const char *value)
{
    struct hc_buf json = { 0 };
    hc_buf_str(&json, "{\"error\":");
    hc_buf_json_str(&json, error);
    hc_buf_printf(&json, ",\"code\":%u,\"detail\":", status);
    hc_buf_json_str(&json, detail);
    if (key != NULL) {
        hc_buf_char(&json, ',');
        hc_buf_json_str(&json, key);
        hc_buf_char(&json, ':');
        hc_buf_json_str(&json, value);
    }
    hc_buf_char(&json, '}');
    answer_json(call, status, &json);
}

/* ---- bodies ---- */

static bool says_other_type(const struct call *call)
{
    const char *type = http_header(call->req, "Content-Type");
    return type != NULL && strncasecmp(type, "application/json", strlen("application/json")) != 0;
}

/* False: answered. */
static bool read_body(struct call *call, const struct codec_table *table, bool empty_ok, void *object)
{
    struct json_refusal refusal;
    size_t len = 0;
    const char *text = http_body(call->req, &len);
    if (len > 0 && says_other_type(call)) {
        answer_error(call, 415, "unsupported_media_type", "The body must be JSON.", NULL, NULL);
        return false;
    }
    enum hc_err err = json_read(table, text, len, empty_ok, http_arena(call->req), object, &refusal);
    if (err == HC_OK)
        return true;
    if (err == HC_ERR_NOMEM)
        answer_error(call, 500, "internal", "There is no memory for this request.", NULL, NULL);
    else
        answer_error(call, 400, "bad_request", refusal.detail, "field", refusal.field);
    return false;
}

static bool slot_is_ours(struct call *call, uint32_t slot)
{
    if (slot < call->api->config->slot_count)
        return true;
    answer_error(call, 404, "slot_not_found", "This body has no such slot: it has as many as its configuration names.", "field", "slot");
    return false;
}

/* ---- errands ---- */

static void answer_launch(struct call *call, const struct admission *made)
{
    struct hc_buf json = { 0 };
    if (made->verdict == REFUSE) {
        answer_error(call, 403, "not_admitted", "This launch is not the slot's lease's.", "reason", admit_why_word(made->why));
        return;
    }
    hc_buf_str(&json, "{\"admitted\":true,\"why\":");
    hc_buf_json_str(&json, admit_why_word(made->why));
    hc_buf_char(&json, '}');
    answer_json(call, 200, &json);
}

static void answer_stop(struct call *call, const struct errand *errand)
{
    struct hc_buf json = { 0 };
    if (errand->status != 200) {
        answer_error(call, errand->status, errand->error, errand->detail, NULL, NULL);
        return;
    }
    hc_buf_str(&json, "{\"stopped\":true}");
    answer_json(call, 200, &json);
}

/* The answer comes too late to help: a launch goes on (seed I11), a stop is told as unknown. */
static void on_late(struct http_request *req)
{
    static const struct admission unclear = { .verdict = ADMIT, .why = ADMIT_UNCLEAR, .would = ADMIT_UNCLEAR };
    struct call *call = http_user(req);
    enum errand_kind kind = call->errand->kind;
    call->errand->caller = NULL;
    call->errand = NULL;
    if (kind == ERRAND_LAUNCH)
        answer_launch(call, &unclear);
    else
        answer_error(call, 504, "host_unreachable", "Sunshine has not answered; look at the slot again.", NULL, NULL);
}

static void send_errand(struct call *call, const struct errand *filled, int64_t patience_ms)
{
    struct errand *errand = hc_alloc(sizeof *errand);
    int64_t until_ms = os_monotonic_ms() + patience_ms;
    if (errand == NULL) {
        answer_error(call, 500, "internal", "There is no memory for this request.", NULL, NULL);
        return;
    }
    *errand = *filled;
    errand->caller = call;
    errand->until_ms = until_ms;
    call->errand = errand;
    if (agent_errand(call->api->agent, errand)) {
        http_park(call->req, HTTP_PARK_SLOT, until_ms, on_late);
        return;
    }
    hc_free(errand);
    call->errand = NULL;
    http_header_add(call->req, "Retry-After", "1");
    answer_error(call, 503, "busy", "Too much waits for this slot's Sunshine already.", NULL, NULL);
}

void local_api_turn(struct local_api *api)
{
    for (struct errand *errand; (errand = agent_errand_done(api->agent)) != NULL;) {
        struct call *call = errand->caller;
        if (call != NULL) {
            call->errand = NULL;
            if (errand->kind == ERRAND_LAUNCH)
                answer_launch(call, &errand->admission);
            else
                answer_stop(call, errand);
        }
        hc_free(errand);
    }
}

/* ---- handlers ---- */

static void handle_started(struct call *call)
{
    struct errand errand = { .kind = ERRAND_LAUNCH };
    if (!read_body(call, &stream_edge_table, false, &errand.edge) || !slot_is_ours(call, errand.edge.slot))
        return;
    errand.slot = errand.edge.slot;
    send_errand(call, &errand, LOCAL_LAUNCH_MS);
}

static void handle_ended(struct call *call)
{
    struct stream_edge edge;
    struct hc_buf json = { 0 };
    if (!read_body(call, &stream_edge_table, false, &edge) || !slot_is_ours(call, edge.slot))
        return;
    agent_stream_ended(call->api->agent, &edge);
    hc_buf_str(&json, "{\"noted\":true}");
    answer_json(call, 200, &json);
}

static void handle_stop(struct call *call)
{
    struct slot_stop body;
    if (!read_body(call, &slot_stop_table, true, &body) || !slot_is_ours(call, body.slot))
        return;
    const struct errand errand = { .kind = ERRAND_STOP, .slot = body.slot, .force = body.force };
    send_errand(call, &errand, LOCAL_STOP_MS);
}

static void handle_sessions(struct call *call)
{
    struct hc_buf json = { 0 };
    agent_sessions_json(call->api->agent, &json);
    answer_json(call, 200, &json);
}

static void handle_status(struct call *call)
{
    struct hc_buf json = { 0 };
    agent_status_json(call->api->agent, &json);
    answer_json(call, 200, &json);
}

#define BASE "/api/v1"
static const struct route routes[] = {
    { HTTP_POST, STREAM_STARTED_PATH,    GUARD_HOOK,     handle_started },
    { HTTP_POST, STREAM_ENDED_PATH,      GUARD_HOOK,     handle_ended },
    { HTTP_POST, BASE "/stream/stop",     GUARD_OPERATOR, handle_stop },
    { HTTP_GET,  BASE "/stream/sessions", GUARD_OPERATOR, handle_sessions },
    { HTTP_GET,  BASE "/status",          GUARD_OPERATOR, handle_status },
};

/* ---- who may ask ---- */

static bool token_fits(const struct local_api *api, const char *header)
{
    static const char scheme[] = "Bearer ";
    size_t len = sizeof scheme - 1;
    return api->config->local_token[0] != '\0' && header != NULL && strncasecmp(header, scheme, len) == 0 &&
           crypto_same_text(header + len, api->config->local_token);
}

static bool trusted_address(const struct local_api *api, const char *peer)
{
    for (size_t i = 0; i < api->config->network_count; i++)
        if (network_has(&api->config->networks[i], peer))
            return true;
    return false;
}

/* False: answered. */
static bool may_ask(struct call *call)
{
    /* A page in a browser of this machine comes from loopback too; it says where it is from, and a hook says nothing. */
    if (call->route->guard == GUARD_HOOK) {
        if (http_peer_is_loopback(call->req) && http_header(call->req, "X-Forwarded-For") == NULL &&
            http_header(call->req, "Origin") == NULL)
            return true;
        answer_error(call, 403, "forbidden", "Only a hook on this machine tells of launches.", NULL, NULL);
        return false;
    }
    if (token_fits(call->api, http_header(call->req, "Authorization")) || trusted_address(call->api, http_peer(call->req)))
        return true;
    http_header_add(call->req, "WWW-Authenticate", "Bearer");
    answer_error(call, 401, "unauthorized", "This needs the local token as a bearer, or an address of a trusted network.", NULL, NULL);
    return false;
}

static bool find_route(struct call *call)
{
    const char *allow = NULL;
    for (size_t i = 0; i < sizeof routes / sizeof routes[0]; i++) {
        const struct route *route = &routes[i];
        if (strcmp(route->path, http_path(call->req)) != 0)
            continue;
        enum http_method asked = http_method(call->req);
        if (asked == route->method || (asked == HTTP_HEAD && route->method == HTTP_GET)) {
            call->route = route;
            http_set_route(call->req, route->path);
            return true;
        }
        allow = route->method == HTTP_GET ? "GET, HEAD" : "POST";
    }
    if (allow != NULL) {
        http_header_add(call->req, "Allow", allow);
        answer_error(call, 405, "method_not_allowed", "This route has other methods.", NULL, NULL);
        return false;
    }
    answer_error(call, 404, "not_found", "There is no such route.", NULL, NULL);
    return false;
}

/* ---- begin, ready, done ---- */

static void on_begin(void *ctx, struct http_request *req)
{
    static const char none[] = "{\"error\":\"internal\",\"code\":500,\"detail\":\"There is no memory for this request.\"}";
    struct call *call = hc_arena_alloc(http_arena(req), sizeof *call);
    if (call == NULL) {
        http_answer(req, 500, NULL, none, sizeof none - 1);
        return;
    }
    call->api = ctx;
    call->req = req;
    http_set_user(req, call);
    http_set_body_limit(req, LOCAL_BODY_MAX);
    if (find_route(call))
        (void)may_ask(call);
}

static void on_ready(void *ctx, struct http_request *req)
{
    (void)ctx;
    struct call *call = http_user(req);
    call->route->handle(call);
}

static void on_done(void *ctx, struct http_request *req)
{
    (void)ctx;
    struct call *call = http_user(req);
    if (call != NULL && call->errand != NULL)
        call->errand->caller = NULL;        /* it comes back and finds nobody */
}

struct local_api *local_api_new(const struct body_config *config, struct agent *agent)
{
    struct local_api *api = hc_alloc(sizeof *api);
    if (api != NULL)
        *api = (struct local_api){ .config = config, .agent = agent,
                                   .owner = { .ctx = api, .begin = on_begin, .ready = on_ready, .done = on_done } };
    return api;
}

void local_api_free(struct local_api *api)
{
    hc_free(api);
}

const struct http_owner *local_api_owner(struct local_api *api)
{
    return &api->owner;
}
