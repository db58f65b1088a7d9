/* call.c - a request through the pipeline: matched, authenticated, checked, handled, answered once (rules §6.5.5). */
#include "pipeline.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "hydra/base/log.h"
#include "screenshots.h"
#include "session.h"

#define LATE_SLACK_MS        500      /* the engine's own deadline comes first */
#define STORE_RETRY_SECONDS  5
#define STOP_RETRY_SECONDS   5
#define RETRY_TEXT_SIZE      24

/* ---- who asks ---- */

/* The machine itself, not a proxy on it. */
static bool from_loopback(const struct call *call)
{
    return call->api->config.metrics_on_loopback && http_peer_is_loopback(call->req) && http_header(call->req, "X-Forwarded-For") == NULL &&
           http_header(call->req, "Forwarded") == NULL;
}

static enum auth_verdict judge(const struct call *call, struct principal *ret_who)
{
    return session_judge(call, from_loopback(call), ret_who);
}

bool call_is_allowed(const struct call *call)
{
    struct principal who;
    return judge(call, &who) == AUTH_OK;
}

static void authorise(struct call *call)
{
    const char *token = auth_bearer(http_header(call->req, "Authorization"));
    switch (judge(call, &call->who)) {
    case AUTH_OK:
        return;
    case AUTH_NO_TOKEN:
        http_header_add(call->req, "WWW-Authenticate", "Bearer");
        call_error(call, 401, "unauthorized", token == NULL ? "This needs a bearer token." : "The token is not known.", NULL, 0);
        return;
    case AUTH_WRONG_SCOPE:
        call_error(call, 403, "forbidden", "The token is not good for this.", NULL, 0);
        signs_seen(call);
        return;
    case AUTH_NODE_DENIED:
        call_error(call, 403, "node_denied", "This node was denied by an operator.", NULL, 0);
        return;
    case AUTH_NODE_PENDING:
        call_error(call, 403, "not_approved", "This node waits for an operator's approval.", NULL, 0);
        return;
    case AUTH_OTHER_ORIGIN:
        call_error(call, 403, "other_origin", "A session of the operator page changes something from that page only; a proxy in front must "
                   "pass the Host header on, or server_url must be the page's address.", NULL, 0);
        return;
    }
}

bool call_still_allowed(struct call *call)
{
    if ((call->route->scopes & SCOPE_PUBLIC) != 0)
        return true;
    struct principal was = call->who;
    authorise(call);
    if (!http_answered(call->req))
        return true;
    call->who = was;                     /* whom the refusal concerns */
    return false;
}

/* What a read shows, and what anybody waited for, is for those who may have it when it leaves. A change that is done is told: its caller
 * was allowed when it was decided, and may have withdrawn its own token by it. */
static bool may_be_told(struct call *call)
{
    enum http_method method = http_method(call->req);
    return (!call->waited && method != HTTP_GET && method != HTTP_HEAD) || call_still_allowed(call);
}

/* ---- begin, ready, done ---- */

static void refuse_raw(struct http_request *req, unsigned status, const char *text)
{
    http_answer(req, status, NULL, text, strlen(text));
}

void call_begin(void *api, struct http_request *req)
{
    struct call *call = hc_arena_alloc(http_arena(req), sizeof *call);
    char allow[ALLOW_SIZE];
    if (call == NULL) {
        refuse_raw(req, 500, "{\"error\":\"internal\",\"code\":500,\"detail\":\"There is no memory for this request.\"}");
        return;
    }
    call->api = api;
    call->req = req;
    call->arena = http_arena(req);
    http_set_user(req, call);
    switch (route_find(http_method(req), http_path(req), call->arena, &call->route, call->ids, allow)) {
    case ROUTE_FOUND:
        http_set_route(req, call->route->pattern);
        if ((call->route->scopes & SCOPE_PUBLIC) == 0)
            authorise(call);
        if ((call->route->flags & ROUTE_PICTURE) != 0 && !http_answered(req))
            screenshot_begin(call);
        break;
    case ROUTE_UNKNOWN:
        call_error(call, 404, "not_found", "There is no such route.", NULL, 0);
        break;
    case ROUTE_OTHER_METHOD:
        http_header_add(req, "Allow", allow);
        call_error(call, 405, "method_not_allowed", "This route has other methods.", NULL, 0);
        break;
    case ROUTE_NO_MEMORY:
        call_fault(call, HC_ERR_NOMEM);
        break;
    }
}

/* A type that says it is not JSON. Shipping heads that say nothing are believed. */
static bool other_type(const struct call *call)
{
    size_t len = 0;
    const char *type = http_header(call->req, "Content-Type");
    (void)http_body(call->req, &len);
    if (len == 0 || type == NULL || type[0] == '\0')
        return false;
    size_t type_len = strcspn(type, "; \t");
    bool plain = type_len == strlen("application/json") && strncasecmp(type, "application/json", type_len) == 0;
    bool suffix = type_len > strlen("+json") && strncasecmp(type + type_len - strlen("+json"), "+json", strlen("+json")) == 0;
    return !plain && !suffix;
}

static bool role_fits(const struct call *call, uint32_t roles)
{
    unsigned flags = call->route->flags;
    return ((flags & ROUTE_HEAD_EXISTS) == 0 || (roles & ROLE_HEAD) != 0) && ((flags & ROUTE_BODY_EXISTS) == 0 || (roles & ROLE_BODY) != 0);
}

/* False: answered 404. */
static bool node_there(struct call *call)
{
    struct engine *engine = call->api->config.engine;
    const struct rec *rec = engine_get(engine, REC_NODE, call->ids[0]);
    bool there = rec != NULL && role_fits(call, ((const struct node_rec *)rec)->roles);
    engine_release(engine, rec);
    if (!there)
        call_error(call, 404, "node_not_found", "No such node has that id.", NULL, 0);
    return there;
}

/* What comes with a GET means nothing in HTTP. Elsewhere a body that the route does not read must be JSON all the same (wire §0). */
static bool ignores_body(const struct call *call)
{
    enum http_method method = http_method(call->req);
    return method == HTTP_GET || method == HTTP_HEAD || (call->route->flags & (ROUTE_OWN_BODY | ROUTE_PICTURE)) != 0;
}

static bool read_body(struct call *call, const struct codec_table *table, void *object);

static bool unread_body_ok(struct call *call)
{
    static const struct codec_table nothing = { "nothing", NULL, 0, 0, CODEC_NO_PRESENT };
    char none;
    return (call->route->flags & ROUTE_BODY) != 0 || ignores_body(call) || read_body(call, &nothing, &none);
}

static bool checked(struct call *call)
{
    const struct api_route *route = call->route;
    if (!ignores_body(call) && other_type(call)) {
        call_error(call, 415, "unsupported_media_type", "The body must be application/json.", NULL, 0);
        return false;
    }
    const char *bad = route_bad_id(route, call->ids);
    if (bad != NULL) {
        call_bad(call, bad, "The path has an id that breaks its alphabet or limit.");
        return false;
    }
    if ((route->flags & (ROUTE_HEAD_EXISTS | ROUTE_NODE_EXISTS | ROUTE_BODY_EXISTS)) != 0 && !node_there(call))
        return false;
    return query_params_ok(call) && unread_body_ok(call);
}

void call_ready(void *api, struct http_request *req)
{
    (void)api;
    struct call *call = http_user(req);
    size_t len = 0;
    (void)http_body(req, &len);
    bool took_time = len > 0;            /* a body may come a minute after the headers that were authorised */
    if (took_time && !call_still_allowed(call))
        return;
    if (checked(call))
        call->route->handler(call);
    if (!call->submitted)
        signs_seen(call);
    assert(http_answered(req) || http_parked(req));
}

static void forget(struct call *call, struct engine_op *op)
{
    if (op != NULL)
        engine_forget(call->api->config.engine, op);
}

void call_done(void *api, struct http_request *req)
{
    (void)api;
    struct call *call = http_user(req);
    if (call == NULL)
        return;
    if (call->gone != NULL)
        call->gone(call);
    call_wait_over(call);
    forget(call, &call->op);
    forget(call, call->seen);
    forget(call, call->lost);
}

/* ---- what was asked ---- */

static bool read_body(struct call *call, const struct codec_table *table, void *object)
{
    size_t len = 0;
    struct json_refusal refusal;
    const char *text = http_body(call->req, &len);
    enum hc_err err = json_read(table, text == NULL ? "" : text, len, true, call->arena, object, &refusal);
    if (err == HC_OK)
        return true;
    if (err == HC_ERR_SYNTAX || err == HC_ERR_SCHEMA)
        call_bad_json(call, &refusal);
    else
        call_fault(call, err);
    return false;
}

bool call_read(struct call *call, const struct codec_table *table, void *object)
{
    bool described = route_reads(call->route, table);
    assert(described);                   /* route_bodies.c has it: the description of the API says what is read */
    return read_body(call, table, object);
}

const char *call_query(struct call *call, const char *key)
{
    const char *value = http_query(call->req, key);
    return value == NULL ? "" : value;
}

bool call_query_flag(const struct call *call, const char *key)
{
    const char *value = http_query(call->req, key);
    return value != NULL && (strcmp(value, "1") == 0 || strcmp(value, "true") == 0);
}

uint32_t call_query_u32(struct call *call, const char *key, uint32_t absent)
{
    uint32_t value = absent;
    const char *text = call_query(call, key);
    bool fits = text[0] == '\0' || query_number(text, UINT32_MAX, &value);
    assert(fits);                        /* query_params.c has a row for it */
    return value;
}

bool call_is_self(const struct call *call)
{
    return call->who.kind == PRINCIPAL_NODE && call->ids[0][0] != '\0' && strcmp(call->ids[0], call->who.id) == 0;
}

/* ---- the core ---- */

struct core_event *call_event(struct call *call, enum core_event_type type)
{
    static const enum caller_kind kinds[] = {
        [PRINCIPAL_NONE] = CALLER_SYSTEM, [PRINCIPAL_NODE] = CALLER_NODE, [PRINCIPAL_ADMIN] = CALLER_ADMIN, [PRINCIPAL_READ] = CALLER_READ,
        [PRINCIPAL_FLEET] = CALLER_FLEET,
    };
    struct core_event *ev = &call->op.ev;
    memset(ev, 0, sizeof *ev);
    ev->type = type;
    ev->caller.kind = kinds[call->who.kind];
    if (call->who.kind == PRINCIPAL_NODE)
        HC_SET(ev->caller.node_id, call->who.id);
    return ev;
}

static void nothing_more(void *ctx, enum engine_outcome outcome, enum hc_err err, struct core_result *result)
{
    (void)ctx;
    (void)outcome;
    (void)err;
    (void)result;
}

static void tell_lost(struct call *call)
{
    if (!call->tell_lost || call->lost != NULL || call->who.kind != PRINCIPAL_NODE)
        return;
    call->lost = hc_arena_alloc(call->arena, sizeof *call->lost);
    if (call->lost == NULL)
        return;                          /* the next read is then taken for a repeat: the head gets the next body */
    call->lost->ev.type = CORE_ANSWER_LOST;
    call->lost->ev.caller.kind = CALLER_SYSTEM;
    call->lost->ev.u.answer_lost.head_id = call->who.id;
    call->lost->done = nothing_more;
    engine_submit(call->api->config.engine, call->lost);
}

static void unavailable(struct call *call)
{
    call_error(call, 503, word_of(&deny_words, DENY_STORE), "The answer could not be made durable; its outcome is unknown. Ask again.",
               NULL, STORE_RETRY_SECONDS);
    tell_lost(call);
}

static void render_result(struct call *call, struct core_result *result)
{
    if (result->answer != ANSWER_REFUSED || call->own_refusals) {
        call->render(call, result);
        return;
    }
    bool lost = result->deny == DENY_STORE;
    call_refuse(call, result);
    if (lost)
        tell_lost(call);
}

static void on_done(void *ctx, enum engine_outcome outcome, enum hc_err err, struct core_result *result)
{
    struct call *call = ctx;
    if (http_answered(call->req))
        return;
    switch (outcome) {
    case ENGINE_DURABLE:
        if (may_be_told(call))
            render_result(call, result);
        else
            tell_lost(call);
        return;
    case ENGINE_LATE:
        if (call->late_is_ok)
            call->render(call, NULL);
        else
            unavailable(call);
        return;
    case ENGINE_UNAVAILABLE:
        if (call->late_is_ok)
            call->render(call, NULL);
        else
            unavailable(call);
        return;
    case ENGINE_FAULT:
        call_fault(call, err);
        return;
    }
}

/* The deadline of the park, which is after the engine's own: only a stop, or an engine that does not turn, gets here. */
static void commit_late(struct http_request *req)
{
    struct call *call = http_user(req);
    engine_forget(call->api->config.engine, &call->op);
    if (call->late_is_ok)
        call->render(call, NULL);
    else
        unavailable(call);
}

static void prepare(struct call *call, call_render *render)
{
    call->render = render;
    call->op.done = on_done;
    call->op.ctx = call;
}

void call_submit(struct call *call, call_render *render)
{
    const struct api_config *config = &call->api->config;
    int64_t wait_ms = call->op.wait_ms > 0 ? call->op.wait_ms : config->core->timers.commit_wait_ms;
    prepare(call, render);
    call_wait_over(call);
    call->submitted = true;
    signs_submitted(call);
    engine_submit(config->engine, &call->op);
    if (call->op.queued && !http_answered(call->req))
        http_park(call->req, HTTP_PARK_COMMIT, config->monotonic_ms() + wait_ms + LATE_SLACK_MS, commit_late);
}

void call_try(struct call *call, call_render *render)
{
    prepare(call, render);
    engine_try(call->api->config.engine, &call->op);
}

bool call_view(struct call *call, struct engine_view *ret)
{
    enum hc_err err = engine_view_take(call->api->config.engine, ret);
    if (err != HC_OK)
        call_fault(call, err);
    return err == HC_OK;
}

void call_view_done(struct call *call, struct engine_view *view)
{
    engine_view_free(call->api->config.engine, view);
}

/* ---- answers ---- */

static void answer(struct call *call, unsigned status, const char *content_type, const char *text, size_t len)
{
    call_wait_over(call);
    if (call->measured)
        metrics_observe(call->api->config.metrics, METRIC_CLAIM_LATENCY, (double)http_age_us(call->req) / 1e6);
    http_answer(call->req, status, content_type, text, len);
}

void call_json(struct call *call, unsigned status, struct hc_buf *json)
{
    if (json->failed)
        call_fault(call, HC_ERR_NOMEM);
    else
        answer(call, status, NULL, json->data, json->len);
    hc_buf_free(json);
}

void call_empty(struct call *call, unsigned status)
{
    answer(call, status, NULL, "", 0);
}

void call_bytes(struct call *call, unsigned status, const char *content_type, const char *bytes, size_t len)
{
    answer(call, status, content_type, bytes, len);
}

void call_text(struct call *call, unsigned status, const char *content_type, const char *text)
{
    answer(call, status, content_type, text, strlen(text));
}

void call_error(struct call *call, unsigned status, const char *error, const char *detail, const char *extra, int64_t retry_after_seconds)
{
    HC_CLEANUP(hc_buf_freep) struct hc_buf json = { 0 };
    hc_buf_str(&json, "{\"error\":");
    hc_buf_json_str(&json, error);
    hc_buf_str(&json, ",\"code\":");
    hc_buf_u64(&json, status);
    hc_buf_str(&json, ",\"detail\":");
    hc_buf_json_str(&json, detail);
    if (extra != NULL && extra[0] != '\0') {
        hc_buf_char(&json, ',');
        hc_buf_str(&json, extra);
    }
    hc_buf_char(&json, '}');
    if (retry_after_seconds > 0) {
        char seconds[RETRY_TEXT_SIZE];
        (void)snprintf(seconds, sizeof seconds, "%lld", (long long)retry_after_seconds);
        http_header_add(call->req, "Retry-After", seconds);
    }
    if (json.failed)
        answer(call, 500, NULL, "{\"error\":\"internal\",\"code\":500,\"detail\":\"There is no memory for an answer.\"}",
               strlen("{\"error\":\"internal\",\"code\":500,\"detail\":\"There is no memory for an answer.\"}"));
    else
        answer(call, status, NULL, json.data, json.len);
}

void call_bad(struct call *call, const char *field, const char *detail)
{
    HC_CLEANUP(hc_buf_freep) struct hc_buf extra = { 0 };
    hc_buf_str(&extra, "\"field\":");
    hc_buf_json_str(&extra, field);
    call_error(call, 400, word_of(&deny_words, DENY_BAD_REQUEST), detail, extra.failed ? NULL : extra.data, 0);
}

void call_bad_json(struct call *call, const struct json_refusal *refusal)
{
    call_bad(call, refusal->field[0] == '\0' ? CALL_WHOLE_BODY : refusal->field, refusal->detail);
}

void call_fault(struct call *call, enum hc_err err)
{
    hc_log(HC_LOG_ERR, "api_fault", "id=%s path=%s error=%s", http_request_id(call->req), hc_logq(http_path(call->req)),
           hc_logq(hc_err_text(err)));
    static const char text[] = "{\"error\":\"internal\",\"code\":500,\"detail\":\"Something failed here; the log has this request's id.\"}";
    answer(call, 500, NULL, text, sizeof text - 1);
}
