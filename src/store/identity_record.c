/* identity_record.c - device identities of heads (wire §9). */
#include <string.h>

#include "record_text.h"
#include "rows.h"

struct identity_in_file { struct identity_rec identity; const char *cert_pem; bool has_predecessor; };
static const struct codec_field predecessor_rows[] = {
    ROW_STR(struct identity_in_file, "fingerprint", identity.predecessor.fingerprint, CODEC_REQUIRED),
    ROW_TIME(struct identity_in_file, "registered_at", identity.predecessor.registered_at, OMIT),
    ROW_TIME(struct identity_in_file, "overlap_until", identity.predecessor.overlap_until, CODEC_REQUIRED),
};
static const struct codec_table predecessor_table =
    CODEC_TABLE("predecessor", predecessor_rows, struct identity_in_file, CODEC_NO_PRESENT);
static const struct codec_field identity_rows[] = {
    ROW_STR(struct identity_in_file, "device_uid", identity.device_uid, OMIT),
    ROW_STR(struct identity_in_file, "fingerprint", identity.fingerprint, OMIT),
    ROW(struct identity_in_file, "cert_pem", CODEC_TEXT, cert_pem, CERT_PEM_MAX, OMIT),
    ROW_TIME(struct identity_in_file, "registered_at", identity.registered_at, OMIT),
    ROW_TIME(struct identity_in_file, "not_after", identity.not_after, OMIT),
    ROW_PART(struct identity_in_file, "predecessor", predecessor_table, has_predecessor),
    ROW_TIME(struct identity_in_file, "revoked_at", identity.revoked_at, OMIT),
};
static const struct codec_table identity_table = CODEC_TABLE("identity", identity_rows, struct identity_in_file, CODEC_NO_PRESENT);

void write_identity(const struct rec *rec, unsigned part, struct hc_buf *out)
{
    (void)part;
    const struct identity_rec *identity = (const struct identity_rec *)rec;
    const struct identity_in_file file = {
        .identity = *identity,
        .cert_pem = identity->cert_pem == NULL ? NULL : identity->cert_pem->bytes,
        .has_predecessor = identity->predecessor.fingerprint[0] != '\0',
    };
    write_keyed(rec->key, &identity_table, &file, out);
    write_paired("lost", identity->lost, 4, out);
}

/* Without a certificate it is the name of a deleted head, which is banned. */
static enum hc_err judge_identity(struct reading *r, const struct identity_rec *identity, const struct yaml_node *at)
{
    bool named_only = hc_time_set(identity->revoked_at) && identity->device_uid[0] == '\0';
    if (!named_only && identity->device_uid[0] == '\0')
        return yaml_fail(r->diag, r->file, at, "device_uid", "is required");
    if (!named_only && identity->fingerprint[0] == '\0')
        return yaml_fail(r->diag, r->file, at, "fingerprint", "is required");
    return HC_OK;
}

enum hc_err read_identity(struct reading *r, unsigned part, const struct yaml_pair *pair, struct yaml_node *value)
{
    (void)part;
    struct identity_in_file found;
    struct paired *lost = NULL;
    enum hc_err err = check_key_id(r, pair);
    if (err == HC_OK)
        err = read_paired(r, "lost", LOST_MAX, value, &lost);
    if (err == HC_OK)
        err = read_table(r, &identity_table, value, &found);
    if (err == HC_OK)
        err = judge_identity(r, &found.identity, value);
    struct identity_rec *identity = err == HC_OK ? (struct identity_rec *)rec_new(REC_IDENTITY, pair->key) : NULL;
    if (identity == NULL) {
        paired_unref(lost);
        return err == HC_OK ? no_memory(r) : err;
    }
    found.identity.rec = identity->rec;
    *identity = found.identity;
    identity->lost = lost;
    if (found.cert_pem != NULL) {
        identity->cert_pem = text_new(found.cert_pem, strlen(found.cert_pem));
        if (identity->cert_pem == NULL) {
            rec_unref(&identity->rec);
            return no_memory(r);
        }
    }
    return put_record(r, &identity->rec);
}
