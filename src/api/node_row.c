/* node_row.c - one node as an operator sees it: its record, its signs of life, and the settings of a body. */
#include "node_row.h"

#include <string.h>

#include "answer_rows.h"

static const struct codec_field record_rows[] = {
    OUT_TEXT(struct node_rec, "id", rec.key),
    OUT_TEXT(struct node_rec, "name", name),
    OUT_TEXT(struct node_rec, "district", district),
    OUT_TEXT(struct node_rec, "venue", venue),
    OUT_TEXT(struct node_rec, "owner", owner),
    OUT_TEXT(struct node_rec, "machine_id", machine_id),
    OUT_TEXT(struct node_rec, "ip", ip),
    OUT_TEXT(struct node_rec, "wireguard_ip", wireguard_ip),
    OUT_TEXT(struct node_rec, "kind", kind),
    OUT_WORD(struct node_rec, "approval", approval, approval_words),
    OUT_TEXT(struct node_rec, "version", version),
    OUT_TEXT(struct node_rec, "arch", arch),
    OUT_TIME(struct node_rec, "enrolled_at", enrolled_at),
    OUT_TEXT(struct node_rec, "xr_client_hostname", xr_client_hostname),
    OUT_TEXT(struct node_rec, "head_body_id", head_body_id),
    OUT_U32(struct node_rec, "protocol_version", protocol_version),
    OUT_U32(struct node_rec, "pairing_protocol", pairing_protocol),
};
static const struct codec_table record_table = OUT_TABLE("node", record_rows, struct node_rec);

struct life { bool online; hc_time last_seen; };
static const struct codec_field life_rows[] = { OUT_BOOL(struct life, "online", online), OUT_TIME(struct life, "last_seen", last_seen) };
static const struct codec_table life_table = OUT_TABLE("node", life_rows, struct life);

static const struct codec_field body_rows[] = {
    OUT_U32(struct body_rec, "slots_total", slots_total),
    OUT_WORD(struct body_rec, "enforce", enforce, enforce_words),
    OUT_BOOL(struct body_rec, "maintenance", maintenance),
    OUT_TIME(struct body_rec, "drain_deadline_at", drain_deadline_at),
    OUT_WORD(struct body_rec, "circuit", circuit.state, circuit_words),
    OUT_U32(struct body_rec, "pair_epoch", pair_epoch),
    OUT_TEXT(struct body_rec, "sunshine_cert_fp", sunshine_cert_fp),
};
static const struct codec_table body_table = OUT_TABLE("body", body_rows, struct body_rec);

static void add_roles(uint32_t roles, struct hc_buf *out)
{
    hc_buf_str(out, ",\"roles\":[");
    if ((roles & ROLE_BODY) != 0)
        hc_buf_str(out, "\"body\"");
    if ((roles & ROLE_HEAD) != 0)
        hc_buf_str(out, (roles & ROLE_BODY) != 0 ? ",\"head\"" : "\"head\"");
    hc_buf_char(out, ']');
}

static void add_body(const struct body_rec *body, const struct body_obs *obs, struct hc_buf *out)
{
    hc_buf_str(out, ",\"body\":{");
    (void)json_write_members(&body_table, body, true, out);
    hc_buf_str(out, ",\"home_venue_reserve\":");
    if (body->home_venue_reserve == RESERVE_AUTO)
        hc_buf_str(out, "\"auto\"");
    else
        hc_buf_i64(out, body->home_venue_reserve);
    member_bool("modern", obs != NULL && obs->modern, out);
    member_text("gpu", obs == NULL ? NULL : obs->gpu, out);
    member_text("provider_status", obs == NULL ? NULL : obs->provider_status, out);
    member_text("provider_version", obs == NULL ? NULL : obs->provider_version, out);
    hc_buf_char(out, '}');
}

void node_row(const struct core_view *view, const struct node_rec *node, struct hc_buf *out)
{
    const struct body_rec *body = (node->roles & ROLE_BODY) != 0 ? alloc_body(view->saved, node->rec.key) : NULL;
    const struct body_obs *reported = body == NULL ? NULL : observed_body(view->obs, node->rec.key);
    const struct node_obs *seen = observed_node(view->obs, node->rec.key);
    const struct life life = { body_online(view, node->rec.key), node_seen_at(view->obs, node) };
    const char *status = seen != NULL && seen->status[0] != '\0' ? seen->status : NULL;
    if (status == NULL && reported != NULL)
        status = word_of(&stream_status_words, (int)reported->stream_status);
    hc_buf_char(out, '{');
    (void)json_write_members(&record_table, node, true, out);
    add_roles(node->roles, out);
    (void)json_write_members(&life_table, &life, false, out);
    member_text("status", status, out);
    member_text("body_version", reported == NULL ? NULL : reported->hydrabody_version, out);
    member_text("lease_id", alloc_head_lease(view->saved, node->rec.key), out);
    if (body != NULL)
        add_body(body, reported, out);
    else
        hc_buf_str(out, ",\"body\":null");
    hc_buf_char(out, '}');
}

bool node_roles(const struct codec_list *words, uint32_t *ret_roles)
{
    uint32_t roles = 0;
    for (size_t i = 0; i < words->count; i++) {
        const char *word = ((const char *const *)words->items)[i];
        if (strcmp(word, "body") == 0)
            roles |= ROLE_BODY;
        else if (strcmp(word, "head") == 0)
            roles |= ROLE_HEAD;
        else
            return false;
    }
    *ret_roles = roles;
    return roles != 0;
}
