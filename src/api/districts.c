/* districts.c - GET /districts/{district}: safe mode, which bodies it waits for, and what holds back per_device_identity (rules §8, §12).
 *
 * Device identities cannot be registered yet, so the latch is false everywhere and says so beside the nodes that are not ready. */
#include "answer_rows.h"
#include "operator_routes.h"

#define PAIRING_PROTOCOL_WANTED 2

static bool is_district(const struct core_view *v, const char *name)
{
    if (alloc_district(v->saved, name) != NULL || hc_same(name, v->saved->config->default_district))
        return true;
    for (size_t i = 0; i < alloc_count(v->saved, REC_NODE); i++)
        if (hc_same(((const struct node_rec *)alloc_at(v->saved, REC_NODE, i))->district, name))
            return true;
    for (size_t i = 0; i < alloc_count(v->saved, REC_VENUE); i++)
        if (hc_same(((const struct venue_rec *)alloc_at(v->saved, REC_VENUE, i))->district, name))
            return true;
    return false;
}

static void add_reason(const char *node_id, const char *why, unsigned *count, struct hc_buf *out)
{
    hc_buf_str(out, (*count)++ > 0 ? ",{\"node_id\":" : "{\"node_id\":");
    hc_buf_json_str(out, node_id);
    member_text("reason", why, out);
    hc_buf_char(out, '}');
}

static void add_node_reasons(const struct core_view *v, const struct node_rec *node, unsigned *count, struct hc_buf *out)
{
    if ((node->roles & ROLE_BODY) != 0) {
        const struct body_obs *obs = observed_body(v->obs, node->rec.key);
        if (!body_fresh(v, node->rec.key))
            add_reason(node->rec.key, "stale_report", count, out);
        else if (!obs->modern)
            add_reason(node->rec.key, "legacy_body", count, out);
    }
    if ((node->roles & ROLE_HEAD) != 0 && node->pairing_protocol < PAIRING_PROTOCOL_WANTED)
        add_reason(node->rec.key, "pairing_protocol", count, out);
}

static void write_reasons(const struct core_view *v, const char *district, struct hc_buf *out)
{
    unsigned count = 0;
    uint32_t roles = 0;
    hc_buf_char(out, '[');
    for (size_t i = 0; i < alloc_count(v->saved, REC_NODE); i++) {
        const struct node_rec *node = (const struct node_rec *)alloc_at(v->saved, REC_NODE, i);
        if (node->approval != APPROVAL_APPROVED || !hc_same(node->district, district))
            continue;
        roles |= node->roles;
        add_node_reasons(v, node, &count, out);
    }
    if ((roles & ROLE_BODY) == 0)
        add_reason(NULL, "no_body", &count, out);
    if ((roles & ROLE_HEAD) == 0)
        add_reason(NULL, "no_head", &count, out);
    add_reason(NULL, "device_identity_not_served", &count, out);
    hc_buf_char(out, ']');
}

static void write_district(const struct core_view *v, const char *name, struct hc_buf *out)
{
    static const struct codec_field rows[] = { OUT_TIME(struct district_rec, "safe_mode_since", safe_since) };
    static const struct codec_table table = OUT_TABLE("district", rows, struct district_rec);
    static const struct district_rec calm;
    const struct district_rec *rec = alloc_district(v->saved, name);
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
    hc_buf_str(out, "],\"per_device_identity\":false,\"held_back_by\":");
    write_reasons(v, name, out);
    hc_buf_char(out, '}');
}

static void district_get(struct call *call)
{
    struct engine_view view;
    if (!call_view(call, &view))
        return;
    bool known = is_district(&view.view, call->ids[0]);
    struct hc_buf json = { 0 };
    if (known)
        write_district(&view.view, call->ids[0], &json);
    call_view_done(call, &view);
    if (known)
        call_json(call, 200, &json);
    else
        call_error(call, 404, "not_found", "No node or venue is in a district of that name.", NULL, 0);
}

const struct api_route district_routes[] = {
    { HTTP_GET, "/api/v1/districts/{district}", SCOPE_OPERATOR_READ, 0, district_get },
    { 0 },
};
