/* wait.c - requests that wait for news or for a slot: parked, looked at again when something that concerns them was committed. */
#include "pipeline.h"

#include <assert.h>
#include <string.h>

#define LOOK_EVERY_MS       50      /* one request is looked at again no oftener: a busy fleet has news every few milliseconds */
#define LOOK_SOON_EVERY_MS  10      /* where a visitor stands before the screen, and the looks are few */
#define LOOKS_A_TURN_MAX    256     /* of all waiting requests, oldest first */
#define STOP_RETRY_SECONDS  5

/* News of its very own is rare. So are those who wait for a slot; news for all of a kind may mean a look for each of thousands. */
static int64_t look_due_ms(const struct call *call)
{
    bool soon = call->wait_kind == WAIT_FOR_SLOT || call->news == NEWS_OF_ITS_OWN;
    return call->looked_at_ms + (soon ? LOOK_SOON_EVERY_MS : LOOK_EVERY_MS);
}

static void leave(struct call *call)
{
    struct api *api = call->api;
    struct call **head = &api->waiting[call->wait_kind], **last = &api->waiting_last[call->wait_kind];
    if (call->prev == NULL)
        *head = call->next;
    else
        call->prev->next = call->next;
    if (call->next == NULL)
        *last = call->prev;
    else
        call->next->prev = call->prev;
    call->next = call->prev = NULL;
    call->waiting_in = NULL;
}

void call_wait_over(struct call *call)
{
    if (call->waiting_in != NULL)
        leave(call);
}

static void late(struct http_request *req)
{
    struct call *call = http_user(req);
    if (call->api->stopping) {
        call_error(call, 503, "stopping", "The service is stopping; ask again.", NULL, STOP_RETRY_SECONDS);
        return;
    }
    call_wait_over(call);
    if (call_still_allowed(call))
        call->again(call, true);
    assert(http_answered(req) || http_parked(req));
}

static enum http_park_why park_why(enum wait_kind kind)
{
    return kind == WAIT_FOR_SLOT ? HTTP_PARK_SLOT : HTTP_PARK_NEWS;
}

void call_wait(struct call *call, enum wait_kind kind, const char *key, int64_t deadline_ms, void (*again)(struct call *call, bool last))
{
    struct api *api = call->api;
    call_wait_over(call);
    HC_SET(call->wait_key, key);
    call->wait_kind = kind;
    call->wait_deadline_ms = deadline_ms;
    call->waited = true;
    call->news = NEWS_NONE;
    call->wake_at_ms = 0;
    call->again = again;
    call->prev = api->waiting_last[kind];
    if (call->prev == NULL)
        api->waiting[kind] = call;
    else
        call->prev->next = call;
    api->waiting_last[kind] = call;
    call->waiting_in = &api->waiting[kind];
    http_park(call->req, park_why(kind), deadline_ms, late);
}

static void mark(struct api *api, enum wait_kind kind, const char *key)
{
    for (struct call *call = api->waiting[kind]; call != NULL; call = call->next)
        if (strcmp(call->wait_key, key) == 0)
            call->news = NEWS_OF_ITS_OWN;
}

static void mark_all(struct api *api, enum wait_kind kind)
{
    for (struct call *call = api->waiting[kind]; call != NULL; call = call->next)
        if (call->news == NEWS_NONE)
            call->news = NEWS_FOR_ALL;
}

/* `key` NULL: what it was is gone, and it may have concerned anybody. */
static void mark_or_all(struct api *api, enum wait_kind kind, const char *key)
{
    if (key == NULL)
        mark_all(api, kind);
    else
        mark(api, kind, key);
}

/* Its token, approval or roles may have changed: whatever it waits for, it is asked again who it is. */
static void mark_caller(struct api *api, const char *node_id)
{
    for (int kind = 0; kind < WAIT_KINDS; kind++)
        for (struct call *call = api->waiting[kind]; call != NULL; call = call->next)
            if (call->who.kind == PRINCIPAL_NODE && strcmp(call->who.id, node_id) == 0)
                call->news = NEWS_OF_ITS_OWN;
}

/* All leases that the body has, ended ones too until their history is written: their heads may have news. */
static void mark_heads_of_body(struct api *api, const char *body_id)
{
    if (api->waiting[WAIT_FOR_HEAD] == NULL)
        return;
    const struct body_rec *body = (const struct body_rec *)engine_get(api->config.engine, REC_BODY, body_id);
    for (size_t i = 0; body != NULL && i < body->slot_count; i++)
        for (size_t k = 0; k < body->slots[i].lease_count; k++)
            if (body->slots[i].leases[k].head_id[0] != '\0')
                mark(api, WAIT_FOR_HEAD, body->slots[i].leases[k].head_id);
    if (body == NULL)
        mark_all(api, WAIT_FOR_HEAD);
    engine_release(api->config.engine, body == NULL ? NULL : &body->rec);
}

static void mark_stream(struct api *api, const char *stream_id)
{
    if (api->waiting[WAIT_FOR_HEAD] == NULL)
        return;
    const struct rec *rec = engine_get(api->config.engine, REC_STREAM, stream_id);
    mark_or_all(api, WAIT_FOR_HEAD, rec == NULL ? NULL : ((const struct stream_rec *)rec)->head_id);
    engine_release(api->config.engine, rec);
}

static void mark_slots_of_body(struct api *api, const char *body_id)
{
    if (api->waiting[WAIT_FOR_SLOT] == NULL)
        return;
    const struct rec *rec = engine_get(api->config.engine, REC_NODE, body_id);
    mark_or_all(api, WAIT_FOR_SLOT, rec == NULL ? NULL : ((const struct node_rec *)rec)->district);
    engine_release(api->config.engine, rec);
}

static void mark_operation(struct api *api, const char *op_id)
{
    if (api->waiting[WAIT_FOR_WORK] == NULL && api->waiting[WAIT_FOR_RESULT] == NULL)
        return;
    const struct rec *rec = engine_get(api->config.engine, REC_OP, op_id);
    if (rec != NULL)
        mark(api, WAIT_FOR_WORK, ((const struct op_rec *)rec)->node_id);
    mark(api, WAIT_FOR_RESULT, op_id);
    engine_release(api->config.engine, rec);
}

void wait_news(void *ctx, enum rec_kind kind, const char *key)
{
    struct api *api = ctx;
    switch (kind) {
    case REC_BODY:
        mark_heads_of_body(api, key);
        mark_slots_of_body(api, key);
        mark(api, WAIT_FOR_BODY, key);
        return;
    case OBS_BODY:
        mark_slots_of_body(api, key);
        mark(api, WAIT_FOR_BODY, key);
        return;
    case REC_STREAM:
        mark_stream(api, key);
        return;
    case REC_TICKET:                  /* one that leaves moves all that stand behind it */
        mark_all(api, WAIT_FOR_HEAD);
        mark_all(api, WAIT_FOR_SLOT);
        return;
    case REC_OP:
        mark_operation(api, key);
        return;
    case REC_NODE:
        mark_caller(api, key);
        mark(api, WAIT_FOR_BODY, key);
        mark(api, WAIT_FOR_HEAD, key);
        mark_slots_of_body(api, key);
        return;
    case REC_IDENTITY:                /* any body may show a client of it */
        mark_all(api, WAIT_FOR_BODY);
        return;
    case REC_DISTRICT:
    case REC_CAP:
    case REC_VENUE:
    case REC_ORG:
        mark_all(api, WAIT_FOR_BODY);
        mark_all(api, WAIT_FOR_SLOT);
        return;
    default:
        return;
    }
}

/* The next one of the list that is to be looked at; lists change under our feet whenever one is. */
static struct call *next_with_news(struct api *api, enum wait_kind kind, int64_t now_ms)
{
    for (struct call *call = api->waiting[kind]; call != NULL; call = call->next)
        if (call->news != NEWS_NONE && now_ms >= look_due_ms(call))
            return call;
    return NULL;
}

/* The loop turns for it; wait_turn() finds it in the same turn. */
static void woken(struct http_request *req)
{
    struct call *call = http_user(req);
    call->wake_at_ms = 0;
    if (call->api->stopping)
        late(req);
    else
        http_park(req, park_why(call->wait_kind), call->wait_deadline_ms, late);
}

/* News that came too soon after a look must not wait for the next thing that happens to wake the loop. */
static void wake_for_news(struct api *api, enum wait_kind kind)
{
    for (struct call *call = api->waiting[kind]; call != NULL; call = call->next) {
        int64_t due_ms = look_due_ms(call);
        if (call->news == NEWS_NONE || due_ms >= call->wait_deadline_ms || (call->wake_at_ms != 0 && call->wake_at_ms <= due_ms))
            continue;
        call->wake_at_ms = due_ms;
        http_park(call->req, park_why(kind), due_ms, woken);
    }
}

void wait_turn(struct api *api)
{
    int64_t now_ms = api->config.monotonic_ms();
    unsigned looks = 0;
    for (int kind = 0; kind < WAIT_KINDS; kind++)
        for (struct call *call; looks < LOOKS_A_TURN_MAX && (call = next_with_news(api, (enum wait_kind)kind, now_ms)) != NULL; looks++) {
            call->news = NEWS_NONE;
            call->looked_at_ms = now_ms;
            if (call_still_allowed(call))
                call->again(call, false);
        }
    for (int kind = 0; kind < WAIT_KINDS; kind++)
        wake_for_news(api, (enum wait_kind)kind);
}
