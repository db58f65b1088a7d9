#include "directive_json.h"

#include "answer_rows.h"
#include "hydra/crypto/digest.h"

static const struct codec_field head_rows[] = {
    OUT_U64(struct directive, "epoch_floor", epoch_floor),
    OUT_WORD(struct directive, "enforce", enforce, enforce_words),
    OUT_BOOL(struct directive, "maintenance", maintenance),
};
static const struct codec_table head_table = OUT_TABLE("desired", head_rows, struct directive);

static const struct codec_field slot_rows[] = {
    OUT_U32(struct directive_slot, "index", index),
    OUT_WORD(struct directive_slot, "action", action, action_words),
    OUT_TEXT(struct directive_slot, "lease_id", lease_id),
    OUT_U64(struct directive_slot, "epoch", epoch),
    OUT_TEXT(struct directive_slot, "head_id", head_id),
    OUT_TEXT(struct directive_slot, "device_uid", device_uid),
    OUT_TEXT(struct directive_slot, "sunshine_client_uuid", sunshine_client_uuid),
};
static const struct codec_table slot_table = OUT_TABLE("slot", slot_rows, struct directive_slot);

static void write_texts(const char *const *texts, size_t count, struct hc_buf *out)
{
    hc_buf_char(out, '[');
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            hc_buf_char(out, ',');
        hc_buf_json_str(out, texts[i]);
    }
    hc_buf_char(out, ']');
}

static void write_gate(const struct directive_gate *gate, struct hc_buf *out)
{
    hc_buf_str(out, ",\"gate\":{\"mode\":");
    hc_buf_json_str(out, word_of(&gate_mode_words, (int)gate->mode));
    member_bool("everyone", gate->everyone, out);
    hc_buf_str(out, ",\"enabled\":");
    write_texts(gate->enabled, gate->enabled_count, out);
    hc_buf_char(out, '}');
}

static void write_trust(const struct directive_trust *trust, struct hc_buf *out)
{
    hc_buf_str(out, "\"trust\":{\"desired_clients\":[");
    for (size_t i = 0; i < trust->desired_count; i++) {
        hc_buf_str(out, i > 0 ? ",{\"uuid\":" : "{\"uuid\":");
        hc_buf_json_str(out, trust->desired[i].uuid[0] == '\0' ? NULL : trust->desired[i].uuid);
        member_text("name", trust->desired[i].name, out);
        hc_buf_char(out, '}');
    }
    hc_buf_str(out, "],\"remove\":");
    write_texts(trust->remove, trust->remove_count, out);
    member_u64("max_clients", true, TRUST_CLIENTS_MAX, out);
    hc_buf_char(out, '}');
}

static void write_slot(const struct directive_slot *slot, struct hc_buf *out)
{
    hc_buf_char(out, '{');
    (void)json_write_members(&slot_table, slot, true, out);
    hc_buf_str(out, ",\"app_entries\":[");
    for (size_t i = 0; i < slot->entry_count; i++) {
        if (i > 0)
            hc_buf_char(out, ',');
        hc_buf_json_str(out, slot->entries[i]);
    }
    hc_buf_char(out, ']');
    member_u64("protocol", slot->protocol > 0, slot->protocol, out);
    hc_buf_str(out, ",\"evict\":[");
    for (size_t i = 0; i < slot->evict_count; i++) {
        if (i > 0)
            hc_buf_char(out, ',');
        hc_buf_json_str(out, slot->evict[i]);
    }
    hc_buf_char(out, ']');
    write_gate(&slot->gate, out);
    hc_buf_char(out, '}');
}

static const struct codec_field xr_rows[] = {
    OUT_TEXT(struct directive_xr, "session_id", session_id),
    OUT_WORD(struct directive_xr, "action", action, xr_action_words),
    OUT_WORD(struct directive_xr, "state", state, xr_state_words),
    OUT_TEXT(struct directive_xr, "experience", experience),
    OUT_TEXT(struct directive_xr, "client_hostname", client_hostname),
    OUT_TEXT(struct directive_xr, "client_ip", client_ip),
};
static const struct codec_table xr_table = OUT_TABLE("xr", xr_rows, struct directive_xr);

static void write_xr(const struct directive_xr *xr, struct hc_buf *out)
{
    hc_buf_str(out, ",\"xr\":");
    if (xr->present)
        json_write(&xr_table, xr, out);
    else
        hc_buf_str(out, "null");
}

enum hc_err directive_json(const struct directive *directive, char ret_digest[DIRECTIVE_DIGEST_SIZE], struct hc_buf *out)
{
    HC_CLEANUP(hc_buf_freep) struct hc_buf desired = { 0 };
    (void)json_write_members(&head_table, directive, true, &desired);
    hc_buf_str(&desired, ",\"slots\":[");
    for (size_t i = 0; i < directive->slot_count; i++) {
        if (i > 0)
            hc_buf_char(&desired, ',');
        write_slot(&directive->slots[i], &desired);
    }
    hc_buf_char(&desired, ']');
    write_xr(&directive->xr, &desired);
    size_t desired_len = desired.len;
    write_trust(&directive->trust, &desired);
    if (desired.failed)
        return HC_ERR_NOMEM;
    char digest[HC_HASH_SIZE];
    crypto_sha256_hex(desired.data, desired.len, digest);
    digest[DIRECTIVE_DIGEST_SIZE - 1] = '\0';
    hc_copy(ret_digest, DIRECTIVE_DIGEST_SIZE, digest);
    hc_buf_str(out, "\"desired\":{\"digest\":\"");
    hc_buf_str(out, ret_digest);
    hc_buf_str(out, "\",");
    hc_buf_add(out, desired.data, desired_len);
    hc_buf_str(out, ",\"issued_at_seconds_ago\":0},");
    hc_buf_add(out, desired.data + desired_len, desired.len - desired_len);
    return out->failed ? HC_ERR_NOMEM : HC_OK;
}
