#include "session_line.h"

#include "hydra/codec/json.h"

#define AT(member) offsetof(struct session_row, member)
#define OR_NULL (CODEC_EMPTY_OK | CODEC_NULL_EMPTY)
static const struct codec_field session_fields[] = {
    { .key = "lease_id",     .type = CODEC_ID,   .offset = AT(lease_id),     .flags = CODEC_REQUIRED },
    { .key = "stream_id",    .type = CODEC_ID,   .offset = AT(stream_id),    .flags = OR_NULL },
    { .key = "head_id",      .type = CODEC_ID,   .offset = AT(head_id),      .flags = OR_NULL },
    { .key = "head_venue",   .type = CODEC_NAME, .offset = AT(head_venue),   .flags = OR_NULL },
    { .key = "body_id",      .type = CODEC_ID,   .offset = AT(body_id),      .flags = OR_NULL },
    { .key = "body_venue",   .type = CODEC_NAME, .offset = AT(body_venue),   .flags = OR_NULL },
    { .key = "slot",         .type = CODEC_U32,  .offset = AT(slot),         .limit = UINT32_MAX },
    { .key = "experience",   .type = CODEC_NAME, .offset = AT(experience),   .flags = OR_NULL },
    { .key = "protocol",     .type = CODEC_U32,  .offset = AT(protocol),     .limit = UINT32_MAX },
    { .key = "source",       .type = CODEC_WORD, .offset = AT(source),       .words = &lease_source_words },
    { .key = "mode",         .type = CODEC_WORD, .offset = AT(mode),         .words = &lease_mode_words },
    { .key = "grant_epoch",  .type = CODEC_U64,  .offset = AT(grant_epoch),  .limit = HC_EPOCH_MAX + 1 },
    { .key = "granted_at",   .type = CODEC_TIME, .offset = AT(granted_at),   .flags = CODEC_NULL_EMPTY },
    { .key = "streaming_at", .type = CODEC_TIME, .offset = AT(streaming_at), .flags = CODEC_NULL_EMPTY },
    { .key = "ended_at",     .type = CODEC_TIME, .offset = AT(ended_at),     .flags = CODEC_NULL_EMPTY },
    { .key = "state",        .type = CODEC_WORD, .offset = AT(state),        .flags = CODEC_REQUIRED, .words = &lease_state_words },
    { .key = "reason",       .type = CODEC_WORD, .offset = AT(why),          .words = &lease_why_words },
    { .key = "grant_facts",  .type = CODEC_STR,  .offset = AT(grant_facts),  .limit = HC_NAME_MAX, .flags = CODEC_OMIT_EMPTY },
};
static const struct codec_table session_table = CODEC_TABLE("session", session_fields, struct session_row, CODEC_NO_PRESENT);

void session_line_write(const struct session_row *row, struct hc_buf *out)
{
    json_write(&session_table, row, out);
    hc_buf_char(out, '\n');
}

enum hc_err session_line_read(const char *line, size_t len, struct session_row *ret_row)
{
    struct session_row row;
    struct json_refusal refusal;
    struct hc_arena arena = { 0 };
    enum hc_err err = json_read_own(&session_table, line, len, &arena, &row);
    if (err != HC_OK)
        err = json_read(&session_table, line, len, false, &arena, &row, &refusal);
    hc_arena_free(&arena);
    if (err == HC_OK)
        *ret_row = row;
    return err;
}
