/* visit_records.c - what there is of a visitor: streams, tickets, ended attempts. */
#include <string.h>

#include "record_text.h"
#include "rows.h"

/* ---- streams ---- */
struct stream_in_file { struct stream_rec stream; struct codec_list lease_ids; };
static const struct codec_field stream_rows[] = {
    ROW_ID(struct stream_in_file, "head_id", stream.head_id, OMIT),
    ROW_NAME(struct stream_in_file, "experience", stream.experience, OMIT),
    ROW_WORD(struct stream_in_file, "state", stream.state, stream_state_words, CODEC_REQUIRED),
    ROW_WORD(struct stream_in_file, "reason", stream.why, stream_why_words, OMIT),
    ROW_U32(struct stream_in_file, "protocol", stream.protocol, UINT32_MAX),
    ROW_TIME(struct stream_in_file, "created_at", stream.created_at, OMIT),
    ROW_TIME(struct stream_in_file, "ended_at", stream.ended_at, OMIT),
    ROW_U32(struct stream_in_file, "returns", stream.returns, UINT32_MAX),
    ROW_U32(struct stream_in_file, "preempted", stream.preempted, UINT32_MAX),
    { .key = "lease_ids", .type = CODEC_STRS, .offset = offsetof(struct stream_in_file, lease_ids), .limit = STREAM_LEASES_MAX,
      .flags = OMIT | CODEC_ID_ITEMS, .item_limit = HC_ID_MAX },
};
static const struct codec_table stream_table = CODEC_TABLE("stream", stream_rows, struct stream_in_file, CODEC_NO_PRESENT);

void write_stream(const struct rec *rec, unsigned part, struct hc_buf *out)
{
    (void)part;
    struct stream_in_file file = { .stream = *(const struct stream_rec *)rec };
    const char *ids[STREAM_LEASES_MAX];
    for (size_t i = 0; i < file.stream.lease_count; i++)
        ids[i] = file.stream.lease_ids[i];
    if (file.stream.lease_count > 0)
        file.lease_ids = (struct codec_list){ ids, file.stream.lease_count };
    write_keyed(rec->key, &stream_table, &file, out);
}

enum hc_err read_stream(struct reading *r, unsigned part, const struct yaml_pair *pair, struct yaml_node *value)
{
    (void)part;
    struct stream_in_file found;
    enum hc_err err = check_key_id(r, pair);
    if (err == HC_OK)
        err = read_table(r, &stream_table, value, &found);
    if (err != HC_OK)
        return err;
    struct stream_rec *stream = (struct stream_rec *)rec_new(REC_STREAM, pair->key);
    if (stream == NULL)
        return no_memory(r);
    found.stream.rec = stream->rec;
    *stream = found.stream;
    stream->lease_count = found.lease_ids.count;
    for (size_t i = 0; i < stream->lease_count; i++)
        HC_SET(stream->lease_ids[i], ((const char *const *)found.lease_ids.items)[i]);
    return put_record(r, &stream->rec);
}

/* ---- tickets ---- */
struct ticket_in_file { struct ticket_rec ticket; uint64_t present; };
static const struct codec_field ticket_rows[] = {
    ROW_ID(struct ticket_in_file, "id", ticket.id, CODEC_REQUIRED),
    ROW_ID(struct ticket_in_file, "stream_id", ticket.stream_id, OMIT),
    ROW_WORD(struct ticket_in_file, "state", ticket.state, ticket_state_words, CODEC_REQUIRED),
    ROW_WORD(struct ticket_in_file, "reason", ticket.why, wait_words, OMIT),
    ROW_STR(struct ticket_in_file, "attempt_id", ticket.attempt_id, OMIT),
    ROW_STR(struct ticket_in_file, "attempt_digest", ticket.attempt_digest, OMIT),
    ROW_U32(struct ticket_in_file, "protocol", ticket.protocol, UINT32_MAX),
    ROW_WORD(struct ticket_in_file, "mode", ticket.mode, lease_mode_words, 0),
    ROW_NAME(struct ticket_in_file, "district", ticket.district, OMIT),
    ROW_NAME(struct ticket_in_file, "experience", ticket.experience, OMIT),
    ROW_STR(struct ticket_in_file, "device_uid", ticket.device_uid, OMIT),
    ROW_STR(struct ticket_in_file, "prefer_body_id", ticket.prefer_body_id, OMIT),
    ROW_TIME(struct ticket_in_file, "created_at", ticket.created_at, OMIT),
    ROW_TIME(struct ticket_in_file, "renewed_at", ticket.renewed_at, OMIT),
    ROW_TIME(struct ticket_in_file, "asked_at", ticket.asked_at, OMIT),
    ROW_TIME(struct ticket_in_file, "confirm_by", ticket.confirm_by, OMIT),
    ROW(struct ticket_in_file, "first_eta", CODEC_DURATION, ticket.eta_ms, 0, OMIT),
};
static const struct codec_table ticket_table =
    CODEC_TABLE("ticket", ticket_rows, struct ticket_in_file, offsetof(struct ticket_in_file, present));

void write_ticket(const struct rec *rec, unsigned part, struct hc_buf *out)
{
    (void)part;
    const struct ticket_in_file file = { .ticket = *(const struct ticket_rec *)rec };
    write_keyed(rec->key, &ticket_table, &file, out);
}

enum hc_err read_ticket(struct reading *r, unsigned part, const struct yaml_pair *pair, struct yaml_node *value)
{
    (void)part;
    struct ticket_in_file found;
    enum hc_err err = check_key_id(r, pair);
    if (err == HC_OK)
        err = read_table(r, &ticket_table, value, &found);
    if (err != HC_OK)
        return err;
    struct ticket_rec *ticket = (struct ticket_rec *)rec_new(REC_TICKET, pair->key);
    if (ticket == NULL)
        return no_memory(r);
    found.ticket.rec = ticket->rec;
    *ticket = found.ticket;
    if (!codec_has(&ticket_table, &found, "first_eta"))
        ticket->eta_ms = -1;
    return put_record(r, &ticket->rec);
}

/* ---- attempts: a record per head, its items one after the other, newest first ---- */
struct attempt_in_file { char head_id[HC_ID_SIZE]; struct attempt attempt; };
static const struct codec_field attempt_rows[] = {
    ROW_ID(struct attempt_in_file, "head_id", head_id, CODEC_REQUIRED),
    ROW_STR(struct attempt_in_file, "attempt_id", attempt.attempt_id, 0),
    ROW_ID(struct attempt_in_file, "lease_id", attempt.lease_id, OMIT),
    ROW_ID(struct attempt_in_file, "stream_id", attempt.stream_id, OMIT),
    ROW_WORD(struct attempt_in_file, "state", attempt.state, lease_state_words, 0),
    ROW_WORD(struct attempt_in_file, "reason", attempt.why, lease_why_words, OMIT),
    ROW_TIME(struct attempt_in_file, "until", attempt.until, OMIT),
};
static const struct codec_table attempt_table = CODEC_TABLE("attempt", attempt_rows, struct attempt_in_file, CODEC_NO_PRESENT);

void write_attempts(const struct rec *rec, unsigned part, struct hc_buf *out)
{
    (void)part;
    const struct attempts_rec *attempts = (const struct attempts_rec *)rec;
    for (size_t i = 0; i < attempts->count; i++) {
        struct attempt_in_file file = { .attempt = attempts->at[i] };
        HC_SET(file.head_id, rec->key);
        yaml_write_item(&attempt_table, &file, 2, out);
    }
}

enum hc_err read_attempts(struct reading *r, unsigned part, const struct yaml_pair *pair, struct yaml_node *value)
{
    (void)part;
    (void)pair;
    struct attempt_in_file found;
    enum hc_err err = read_table(r, &attempt_table, value, &found);
    if (err != HC_OK)
        return err;
    struct attempts_rec *attempts = (struct attempts_rec *)rec_table_get(&r->into->tables[REC_ATTEMPTS], found.head_id);
    if (attempts != NULL && attempts->count >= ATTEMPTS_PER_HEAD)
        return yaml_fail(r->diag, r->file, value, "attempts", "%s has more than %d", found.head_id, ATTEMPTS_PER_HEAD);
    if (attempts != NULL) {               /* still ours alone */
        attempts->at[attempts->count++] = found.attempt;
        return HC_OK;
    }
    attempts = (struct attempts_rec *)rec_new(REC_ATTEMPTS, found.head_id);
    if (attempts == NULL)
        return no_memory(r);
    attempts->at[attempts->count++] = found.attempt;
    return put_record(r, &attempts->rec);
}
