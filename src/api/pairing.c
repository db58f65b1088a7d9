/* pairing.c - GET /nodes/{id}/pairing: the trust store of a body as the custodian knows it (wire §5, rules §12.9). */
#include "answer_rows.h"
#include "operator_routes.h"

static const struct codec_field client_rows[] = {
    OUT_TEXT(struct paired_client, "uuid", uuid),
    OUT_TEXT(struct paired_client, "name", name),
    OUT_TIME(struct paired_client, "first_seen", first_seen),
};
static const struct codec_table client_table = OUT_TABLE("client", client_rows, struct paired_client);

static const struct codec_field eviction_rows[] = {
    OUT_TEXT(struct eviction, "uuid", uuid),
    OUT_TEXT(struct eviction, "name", name),
    OUT_TIME(struct eviction, "at", at),
};
static const struct codec_table eviction_table = OUT_TABLE("eviction", eviction_rows, struct eviction);

static const struct codec_field body_rows[] = {
    OUT_TIME(struct body_rec, "custodian_last_success_at", custodian_last_success_at),
    OUT_TEXT(struct body_rec, "sunshine_cert_fp", sunshine_cert_fp),
    OUT_TIME(struct body_rec, "sunshine_cert_rotated_at", cert_rotated_at),
    OUT_U32(struct body_rec, "pair_epoch", pair_epoch),
};
static const struct codec_table body_table = OUT_TABLE("pairing", body_rows, struct body_rec);

static const struct codec_field node_rows[] = {
    OUT_TIME(struct node_obs, "operations_polled_at", op_poll_at),
    OUT_WORD(struct node_obs, "custodian", custodian, custodian_words),
};
static const struct codec_table node_table = OUT_TABLE("pairing", node_rows, struct node_obs);

static void add_pair_leases(const struct body_rec *body, hc_time now, struct hc_buf *out)
{
    bool first = true;
    hc_buf_str(out, ",\"pair_leases\":[");
    for (size_t i = 0; i < body->slot_count; i++) {
        const struct pair_lease *pair = &body->slots[i].pair;
        if (pair->id[0] == '\0' || hc_time_due(pair->expires_at, now))
            continue;
        hc_buf_str(out, first ? "{\"id\":" : ",{\"id\":");
        first = false;
        hc_buf_json_str(out, pair->id);
        member_u64("slot", true, body->slots[i].index, out);
        member_text("head_id", pair->head_id, out);
        member_u64("expires_in_seconds", true, (uint64_t)((hc_time_since(pair->expires_at, now) + HC_SECOND_MS - 1) / HC_SECOND_MS), out);
        hc_buf_char(out, '}');
    }
    hc_buf_char(out, ']');
}

static void write_pairing(const struct core_view *v, const struct body_rec *body, struct hc_buf *out)
{
    static const struct node_obs nothing;
    const struct node_obs *obs = observed_node(v->obs, body->rec.key);
    hc_buf_str(out, "{\"body_id\":");
    hc_buf_json_str(out, body->rec.key);
    hc_buf_str(out, ",\"clients\":");
    json_write_array(&client_table, body->paired == NULL ? NULL : body->paired->at, body->paired == NULL ? 0 : body->paired->count, out);
    (void)json_write_members(&body_table, body, false, out);
    hc_buf_str(out, ",\"evictions\":");
    json_write_array(&eviction_table, body->evictions, body->eviction_count, out);
    (void)json_write_members(&node_table, obs == NULL ? &nothing : obs, false, out);
    add_pair_leases(body, v->now, out);
    hc_buf_char(out, '}');
}

void pairing_get(struct call *call)
{
    struct engine_view view;
    if (!call_view(call, &view))
        return;
    struct hc_buf json = { 0 };
    const struct body_rec *body = alloc_body(view.saved, call->ids[0]);
    if (body != NULL)
        write_pairing(&view.view, body, &json);
    call_view_done(call, &view);
    if (body != NULL)
        call_json(call, 200, &json);
    else
        call_error(call, 404, "node_not_found", "No such node has that id.", NULL, 0);
}
