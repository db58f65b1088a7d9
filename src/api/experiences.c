/* experiences.c - what heads may show (wire §1). A PUT states the whole: what it does not name is the default; but the label stays, and is
 * the name at first. */
#include "answer_rows.h"
#include "hydra/proto/experience_put.h"
#include "operator_routes.h"

static const struct codec_field rows[] = {
    OUT_TEXT(struct experience_rec, "name", rec.key),
    OUT_TEXT(struct experience_rec, "label", label),
    OUT_TEXT(struct experience_rec, "orientation", orientation),
    OUT_BOOL(struct experience_rec, "enable_microphone", enable_microphone),
    OUT_TEXT(struct experience_rec, "stream_mode", stream_mode),
};
static const struct codec_table table = OUT_TABLE("experience", rows, struct experience_rec);

static void write_experience(const struct experience_rec *rec, struct hc_buf *out)
{
    hc_buf_char(out, '{');
    (void)json_write_members(&table, rec, true, out);
    hc_buf_str(out, ",\"venues\":");
    if (rec->venues == NULL)
        hc_buf_str(out, "null");                        /* all */
    for (size_t i = 0; rec->venues != NULL && i < rec->venues->count; i++) {
        hc_buf_char(out, i > 0 ? ',' : '[');
        hc_buf_json_str(out, rec->venues->at[i]);
    }
    hc_buf_str(out, rec->venues == NULL ? "}" : rec->venues->count == 0 ? "[]}" : "]}");
}

static void experience_list(struct call *call)
{
    struct engine_view view;
    if (!call_view(call, &view))
        return;
    struct hc_buf json = { 0 };
    hc_buf_char(&json, '[');
    for (size_t i = 0; i < alloc_count(view.saved, REC_EXPERIENCE); i++) {
        if (i > 0)
            hc_buf_char(&json, ',');
        write_experience((const struct experience_rec *)alloc_at(view.saved, REC_EXPERIENCE, i), &json);
    }
    hc_buf_char(&json, ']');
    call_view_done(call, &view);
    call_json(call, 200, &json);
}

static void experience_get(struct call *call)
{
    const struct rec *rec = engine_get(call->api->config.engine, REC_EXPERIENCE, call->ids[0]);
    if (rec == NULL) {
        call_error(call, 404, "not_found", "No experience of that name was PUT.", NULL, 0);
        return;
    }
    struct hc_buf json = { 0 };
    write_experience((const struct experience_rec *)rec, &json);
    engine_release(call->api->config.engine, rec);
    call_json(call, 200, &json);
}

static void experience_is(struct call *call, struct core_result *result)
{
    (void)result;
    experience_get(call);
}

static void experience_put(struct call *call)
{
    struct experience_put *body = hc_arena_alloc(call->arena, sizeof *body);
    if (body == NULL) {
        call_fault(call, HC_ERR_NOMEM);
        return;
    }
    if (!call_read(call, &experience_put_table, body))
        return;
    const struct rec *known = engine_get(call->api->config.engine, REC_EXPERIENCE, call->ids[0]);
    const char *label = codec_has(&experience_put_table, body, "label") ? body->label : known == NULL ? call->ids[0] : NULL;
    engine_release(call->api->config.engine, known);
    call_event(call, CORE_EXPERIENCE_PUT)->u.experience = (struct experience_req){
        .name = call->ids[0],
        .label = label,
        .orientation = body->orientation,
        .stream_mode = body->stream_mode,
        .enable_microphone = { .set = true, .value = body->enable_microphone },
        .set_venues = true,
        .venues = body->venues.items,
        .venue_count = body->venues.count,
    };
    call_submit(call, experience_is);
}

static void is_gone(struct call *call, struct core_result *result)
{
    (void)result;
    call_empty(call, 204);
}

static void experience_delete(struct call *call)
{
    call_event(call, CORE_EXPERIENCE_DELETE)->u.name.name = call->ids[0];
    call_submit(call, is_gone);
}

const struct api_route experience_routes[] = {
    { HTTP_GET,    "/api/v1/experiences",        SCOPE_OPERATOR_READ, 0, experience_list },
    { HTTP_GET,    "/api/v1/experiences/{name}", SCOPE_OPERATOR_READ, 0, experience_get },
    { HTTP_PUT,    "/api/v1/experiences/{name}", SCOPE_ADMIN, ROUTE_BODY, experience_put },
    { HTTP_DELETE, "/api/v1/experiences/{name}", SCOPE_ADMIN, 0, experience_delete },
    { 0 },
};
