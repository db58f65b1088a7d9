/* venues.c - venues and orgs with their caps (wire §1). A PUT states the whole: a cap or an accept mode that it does not name is the
 * default; but district and owner stay as they are unless named. */
#include <stdio.h>

#include "answer_rows.h"
#include "hydra/proto/venue_put.h"
#include "operator_routes.h"

static const struct codec_field venue_rows[] = {
    OUT_TEXT(struct venue_rec, "name", rec.key),
    OUT_TEXT(struct venue_rec, "district", district),
    OUT_TEXT(struct venue_rec, "owner", owner),
    OUT_WORD(struct venue_rec, "queue_accept_mode", accept_mode, accept_mode_words),
};
static const struct codec_table venue_table = OUT_TABLE("venue", venue_rows, struct venue_rec);

static const struct codec_field org_rows[] = { OUT_TEXT(struct org_rec, "name", rec.key) };
static const struct codec_table org_table = OUT_TABLE("org", org_rows, struct org_rec);

/* A kind of record with a cap: what is different about venues and orgs. */
struct capped { enum rec_kind kind; const char *cap; const struct codec_table *table; const char *unknown; };
static const struct capped venues = { REC_VENUE, "venue", &venue_table, "No venue of that name was PUT." };
static const struct capped orgs = { REC_ORG, "org", &org_table, "No org of that name was PUT." };

static void write_capped(const struct capped *kind, const struct rec *rec, const struct cap_rec *cap, struct hc_buf *out)
{
    hc_buf_char(out, '{');
    (void)json_write_members(kind->table, rec, true, out);
    uint32_t most = cap == NULL ? NO_CAP : cap->max_concurrent_grants;
    member_u64("max_concurrent_grants", most != NO_CAP, most, out);
    hc_buf_char(out, '}');
}

static void cap_key(const struct capped *kind, const char *name, char out[REC_KEY_SIZE])
{
    (void)snprintf(out, REC_KEY_SIZE, "%s/%.*s", kind->cap, HC_NAME_MAX, name);
}

static void list_capped(struct call *call, const struct capped *kind)
{
    struct engine_view view;
    if (!call_view(call, &view))
        return;
    struct hc_buf json = { 0 };
    hc_buf_char(&json, '[');
    for (size_t i = 0; i < alloc_count(view.saved, kind->kind); i++) {
        const struct rec *rec = alloc_at(view.saved, kind->kind, i);
        char key[REC_KEY_SIZE];
        cap_key(kind, rec->key, key);
        if (i > 0)
            hc_buf_char(&json, ',');
        write_capped(kind, rec, (const struct cap_rec *)alloc_get(view.saved, REC_CAP, key), &json);
    }
    hc_buf_char(&json, ']');
    call_view_done(call, &view);
    call_json(call, 200, &json);
}

static void get_capped(struct call *call, const struct capped *kind)
{
    struct engine *engine = call->api->config.engine;
    const struct rec *rec = engine_get(engine, kind->kind, call->ids[0]);
    if (rec == NULL) {
        call_error(call, 404, "not_found", kind->unknown, NULL, 0);
        return;
    }
    char key[REC_KEY_SIZE];
    cap_key(kind, call->ids[0], key);
    const struct rec *cap = engine_get(engine, REC_CAP, key);
    struct hc_buf json = { 0 };
    write_capped(kind, rec, (const struct cap_rec *)cap, &json);
    engine_release(engine, cap);
    engine_release(engine, rec);
    call_json(call, 200, &json);
}

static void delete_capped(struct call *call, enum core_event_type type);

static void venue_list(struct call *call) { list_capped(call, &venues); }
static void venue_get(struct call *call) { get_capped(call, &venues); }
static void venue_delete(struct call *call) { delete_capped(call, CORE_VENUE_DELETE); }
static void org_list(struct call *call) { list_capped(call, &orgs); }
static void org_get(struct call *call) { get_capped(call, &orgs); }
static void org_delete(struct call *call) { delete_capped(call, CORE_ORG_DELETE); }

static void venue_is(struct call *call, struct core_result *result)
{
    (void)result;
    venue_get(call);
}

static void org_is(struct call *call, struct core_result *result)
{
    (void)result;
    org_get(call);
}

static void is_gone(struct call *call, struct core_result *result)
{
    (void)result;
    call_empty(call, 204);
}

static void delete_capped(struct call *call, enum core_event_type type)
{
    call_event(call, type)->u.name.name = call->ids[0];
    call_submit(call, is_gone);
}

static struct opt_u32 cap_of(bool there, uint32_t value)
{
    return (struct opt_u32){ .set = there, .value = value };
}

static void venue_put(struct call *call)
{
    struct venue_put *body = hc_arena_alloc(call->arena, sizeof *body);
    if (body == NULL) {
        call_fault(call, HC_ERR_NOMEM);
        return;
    }
    if (!call_read(call, &venue_put_table, body))
        return;
    bool has_cap = codec_has(&venue_put_table, body, "max_concurrent_grants");
    call_event(call, CORE_VENUE_PUT)->u.venue = (struct venue_req){
        .name = call->ids[0],
        .district = codec_has(&venue_put_table, body, "district") ? body->district : NULL,
        .owner = codec_has(&venue_put_table, body, "owner") ? body->owner : NULL,
        .cap = cap_of(has_cap, body->max_concurrent_grants),
        .clear_cap = !has_cap,
        .set_accept_mode = true,
        .accept_mode = (enum accept_mode)body->queue_accept_mode,
    };
    call_submit(call, venue_is);
}

static void org_put(struct call *call)
{
    struct org_put body;
    if (!call_read(call, &org_put_table, &body))
        return;
    bool has_cap = codec_has(&org_put_table, &body, "max_concurrent_grants");
    call_event(call, CORE_ORG_PUT)->u.org = (struct org_req){
        .name = call->ids[0], .cap = cap_of(has_cap, body.max_concurrent_grants), .clear_cap = !has_cap };
    call_submit(call, org_is);
}

const struct api_route venue_routes[] = {
    { HTTP_GET,    "/api/v1/venues",         SCOPE_OPERATOR_READ, 0, venue_list },
    { HTTP_GET,    "/api/v1/venues/{venue}", SCOPE_OPERATOR_READ, 0, venue_get },
    { HTTP_PUT,    "/api/v1/venues/{venue}", SCOPE_ADMIN, ROUTE_BODY, venue_put },
    { HTTP_DELETE, "/api/v1/venues/{venue}", SCOPE_ADMIN, 0, venue_delete },
    { HTTP_GET,    "/api/v1/orgs",           SCOPE_OPERATOR_READ, 0, org_list },
    { HTTP_GET,    "/api/v1/orgs/{org}",     SCOPE_OPERATOR_READ, 0, org_get },
    { HTTP_PUT,    "/api/v1/orgs/{org}",     SCOPE_ADMIN, ROUTE_BODY, org_put },
    { HTTP_DELETE, "/api/v1/orgs/{org}",     SCOPE_ADMIN, 0, org_delete },
    { 0 },
};
