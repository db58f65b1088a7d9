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

static const char trust_text[] = "\"trust\":{\"desired_clients\":[],\"remove\":[],\"max_clients\":150}";      /* rules §12.8 */

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
    hc_buf_str(out, "],\"gate\":{\"mode\":\"observe\",\"enabled\":[]}}");
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
    size_t desired_len = desired.len;
    hc_buf_str(&desired, trust_text);
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
    hc_buf_str(out, trust_text);
    return out->failed ? HC_ERR_NOMEM : HC_OK;
}
