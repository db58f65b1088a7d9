/* node_settings.c - PUT /nodes/{id}/slots, POST and DELETE /nodes/{id}/drain (wire §1, rules §14). */
#include "node_settings.h"

#include "answer_rows.h"
#include "hydra/proto/body_settings.h"

static const struct codec_field settings_rows[] = {
    OUT_U32(struct body_rec, "slots_total", slots_total),
    OUT_WORD(struct body_rec, "enforce", enforce, enforce_words),
    OUT_BOOL(struct body_rec, "maintenance", maintenance),
};
static const struct codec_table settings_table = OUT_TABLE("slots", settings_rows, struct body_rec);

static void add_ids(const char *const *ids, size_t count, struct hc_buf *out)
{
    hc_buf_char(out, '[');
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            hc_buf_char(out, ',');
        hc_buf_json_str(out, ids[i]);
    }
    hc_buf_char(out, ']');
}

static void render_settings(struct call *call, struct core_result *result)
{
    (void)result;
    struct hc_buf json = { 0 };
    const struct rec *rec = engine_get(call->api->config.engine, REC_BODY, call->ids[0]);
    if (rec == NULL) {
        call_error(call, 404, "node_not_found", "No such node has that id.", NULL, 0);
        return;
    }
    const struct body_rec *body = (const struct body_rec *)rec;
    hc_buf_char(&json, '{');
    (void)json_write_members(&settings_table, body, true, &json);
    hc_buf_str(&json, ",\"home_venue_reserve\":");
    if (body->home_venue_reserve == RESERVE_AUTO)
        hc_buf_str(&json, "\"auto\"");
    else
        hc_buf_i64(&json, body->home_venue_reserve);
    hc_buf_str(&json, ",\"maintenance_clients\":");
    const struct strings *clients = body->maintenance_clients;
    add_ids(clients == NULL ? NULL : (const char *const *)clients->at, clients == NULL ? 0 : clients->count, &json);
    hc_buf_char(&json, '}');
    engine_release(call->api->config.engine, rec);
    call_json(call, 200, &json);
}

void node_slots_put(struct call *call)
{
    struct slots_put body;
    struct slots_req req = { .body_id = call->ids[0], .force = call_query_flag(call, "force") };
    if (!call_read(call, &slots_put_table, &body))
        return;
    req.home_venue_reserve.set = codec_has(&slots_put_table, &body, "home_venue_reserve");
    if (req.home_venue_reserve.set && !slots_put_reserve(body.home_venue_reserve, &req.home_venue_reserve.value)) {
        call_bad(call, "home_venue_reserve", "It is a number of slots or \"auto\".");
        return;
    }
    req.slots_total = (struct opt_u32){ codec_has(&slots_put_table, &body, "slots_total"), body.slots_total };
    req.maintenance = (struct opt_bool){ codec_has(&slots_put_table, &body, "maintenance"), body.maintenance };
    req.set_maintenance_clients = codec_has(&slots_put_table, &body, "maintenance_clients");
    req.maintenance_clients = body.maintenance_clients.items;
    req.maintenance_client_count = body.maintenance_clients.count;
    req.set_enforce = codec_has(&slots_put_table, &body, "enforce");
    req.enforce = (enum enforce_mode)body.enforce;
    if (req.slots_total.set && req.slots_total.value == 0) {
        call_bad(call, "slots_total", "A body has at least one slot.");
        return;
    }
    call_event(call, CORE_SLOTS_PUT)->u.slots = req;
    call_submit(call, render_settings);
}

static void render_drain(struct call *call, struct core_result *result)
{
    const struct drain_facts *drain = &result->drain;
    struct hc_buf json = { 0 };
    hc_buf_str(&json, drain->armed ? "{\"armed\":true,\"leases\":" : "{\"armed\":false,\"leases\":");
    add_ids(drain->lease_ids, drain->lease_count, &json);
    hc_buf_str(&json, ",\"tickets\":");
    add_ids(drain->ticket_ids, drain->ticket_count, &json);
    hc_buf_char(&json, '}');
    call_json(call, 200, &json);
}

void node_drain(struct call *call)
{
    struct drain_put body;
    if (!call_read(call, &drain_put_table, &body))
        return;
    bool preview = body.dry_run || call_query_flag(call, "dry_run");
    if (!preview && !codec_has(&drain_put_table, &body, "deadline_seconds")) {
        call_bad(call, "deadline_seconds", "deadline_seconds is required");
        return;
    }
    call_event(call, CORE_DRAIN)->u.drain = (struct drain_req){ .body_id = call->ids[0], .deadline_ms = body.deadline_ms };
    if (preview)
        call_try(call, render_drain);
    else
        call_submit(call, render_drain);
}

static void render_undrain(struct call *call, struct core_result *result)
{
    (void)result;
    call_empty(call, 204);
}

void node_undrain(struct call *call)
{
    call_event(call, CORE_UNDRAIN)->u.body = (struct body_req){ .body_id = call->ids[0] };
    call_submit(call, render_undrain);
}
