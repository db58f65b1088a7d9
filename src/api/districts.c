/* districts.c - GET /districts/{district}: safe mode, which bodies it waits for, per_device_identity and what holds it back; the admin's
 * hand on that latch; GET /migration (rules §8, §12.4; seed, Migration). */
#include "answer_rows.h"
#include "operator_routes.h"

static void write_hold(const struct hold_row *row, struct hc_buf *out)
{
    hc_buf_str(out, "{\"node_id\":");
    hc_buf_json_str(out, row->node_id[0] == '\0' ? NULL : row->node_id);
    member_text("name", row->name, out);
    member_text("role", row->node_id[0] == '\0' ? NULL : row->is_body ? "body" : "head", out);
    member_text("reason", word_of(&hold_words, (int)row->why), out);
    hc_buf_char(out, '}');
}

static enum hc_err write_district(const struct core_view *v, const char *name, struct hc_buf *out)
{
    static const struct codec_field rows[] = { OUT_TIME(struct district_rec, "safe_mode_since", safe_since) };
    static const struct codec_table table = OUT_TABLE("district", rows, struct district_rec);
    static const struct district_rec calm;
    const struct district_rec *rec = alloc_district(v->saved, name);
    struct hc_arena arena = { 0 };
    struct hold_row *holds;
    size_t count = 0;
    enum hc_err err = query_identity_holds(v, name, &arena, &holds, &count);
    if (err != HC_OK)
        return err;
    if (rec == NULL)
        rec = &calm;
    hc_buf_str(out, "{\"district\":");
    hc_buf_json_str(out, name);
    member_text("safe_mode", word_of(&safe_mode_words, (int)rec->safe_mode), out);
    (void)json_write_members(&table, rec, false, out);
    hc_buf_str(out, ",\"awaited\":[");
    for (size_t i = 0; i < rec->awaited_count; i++) {
        if (i > 0)
            hc_buf_char(out, ',');
        hc_buf_json_str(out, rec->awaited[i]);
    }
    hc_buf_char(out, ']');
    member_bool("per_device_identity", hc_time_set(rec->per_device_identity_at), out);
    member_instant("per_device_identity_at", rec->per_device_identity_at, out);
    hc_buf_str(out, ",\"held_back_by\":[");
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            hc_buf_char(out, ',');
        write_hold(&holds[i], out);
    }
    hc_buf_str(out, "]}");
    hc_arena_free(&arena);
    return HC_OK;
}

typedef enum hc_err write_fn(const struct core_view *v, const char *name, struct hc_buf *out);

static void answer(struct call *call, const char *district, write_fn *write)
{
    struct engine_view view;
    if (!call_view(call, &view))
        return;
    bool known = district_known(&view.view, district);
    struct hc_buf json = { 0 };
    enum hc_err err = known ? write(&view.view, district, &json) : HC_OK;
    call_view_done(call, &view);
    if (err != HC_OK)
        hc_buf_free(&json);
    if (err != HC_OK)
        call_fault(call, err);
    else if (known)
        call_json(call, 200, &json);
    else
        call_error(call, 404, "not_found", "No node or venue is in a district of that name.", NULL, 0);
}

static void district_get(struct call *call)
{
    answer(call, call->ids[0], write_district);
}

/* ---- the admin's hand on the latch ---- */

static void render_latch(struct call *call, struct core_result *result)
{
    (void)result;
    call_empty(call, 204);
}

static void set_latch(struct call *call, bool allow)
{
    call_event(call, CORE_LATCH_CLEAR)->u.latch = (struct latch_req){ .district = call->ids[0], .allow = allow };
    call_submit(call, render_latch);
}

static void latch_allow(struct call *call)
{
    set_latch(call, true);
}

static void latch_clear(struct call *call)
{
    set_latch(call, false);
}

/* ---- GET /migration ---- */

static const char *const step_names[MIGRATION_STEPS] = {
    "cluster_authority", "pairing_custodian", "body_telemetry", "heads_unpair_nothing", "per_device_identity", "heads_claim",
    "bodies_enforce", "several_slots", "legacy_retired",
};

static void write_holds(const struct migration *migration, unsigned step, bool bodies, struct hc_buf *out)
{
    bool first = true;
    for (size_t i = 0; i < migration->count; i++) {
        const struct hold_row *row = &migration->rows[i];
        if (row->step != step || row->is_body != bodies)
            continue;
        if (!first)
            hc_buf_char(out, ',');
        first = false;
        write_hold(row, out);
    }
}

static bool held(const struct migration *migration, unsigned step)
{
    for (size_t i = 0; i < migration->count; i++)
        if (migration->rows[i].step == step)
            return true;
    return step == MIGRATION_STEPS && migration->retirement_days < RETIREMENT_DAYS_REQUIRED;
}

static enum hc_err write_migration(const struct core_view *v, const char *name, struct hc_buf *out)
{
    struct hc_arena arena = { 0 };
    struct migration migration;
    enum hc_err err = query_migration(v, name, &arena, &migration);
    if (err != HC_OK)
        return err;
    hc_buf_str(out, "{\"district\":");
    hc_buf_json_str(out, name);
    hc_buf_str(out, ",\"steps\":[");
    for (unsigned step = 1; step <= MIGRATION_STEPS; step++) {
        hc_buf_str(out, step > 1 ? ",{\"step\":" : "{\"step\":");
        hc_buf_u64(out, step);
        member_text("name", step_names[step - 1], out);
        member_bool("done", !held(&migration, step), out);
        hc_buf_str(out, ",\"heads\":[");
        write_holds(&migration, step, false, out);
        hc_buf_str(out, "],\"bodies\":[");
        write_holds(&migration, step, true, out);
        hc_buf_str(out, "]}");
    }
    hc_buf_str(out, "],\"retirement\":{\"holds\":");
    hc_buf_str(out, hc_time_set(migration.retirement_since) ? "true" : "false");
    member_instant("since", migration.retirement_since, out);
    member_u64("consecutive_days", true, migration.retirement_days, out);
    member_u64("days_required", true, RETIREMENT_DAYS_REQUIRED, out);
    hc_buf_str(out, "}}");
    hc_arena_free(&arena);
    return HC_OK;
}

static void migration_get(struct call *call)
{
    const char *district = call_query(call, "district");
    answer(call, district[0] == '\0' ? call->api->config.core->default_district : district, write_migration);
}

#define LATCH "/api/v1/districts/{district}/per-device-identity"
const struct api_route district_routes[] = {
    { HTTP_GET,    "/api/v1/districts/{district}", SCOPE_OPERATOR_READ, 0, district_get },
    { HTTP_PUT,    LATCH,                          SCOPE_ADMIN,         0, latch_allow },
    { HTTP_DELETE, LATCH,                          SCOPE_ADMIN,         0, latch_clear },
    { HTTP_GET,    "/api/v1/migration",            SCOPE_OPERATOR_READ, 0, migration_get },
    { 0 },
};
