#include "hydra/proto/head_put.h"

static const char *const lease_texts[] = { "", "pairing", "starting", "streaming", "lost" };
const struct hc_words heartbeat_lease_words = { lease_texts, sizeof lease_texts / sizeof lease_texts[0] };

#define BEAT(member) offsetof(struct heartbeat, member)
static const struct codec_field beat_rows[] = {
    { .key = "status",           .type = CODEC_STR,  .offset = BEAT(status), .limit = HEAD_STATUS_MAX },
    { .key = "body_id",          .type = CODEC_ID,   .offset = BEAT(body_id), .flags = CODEC_EMPTY_OK },
    { .key = "diagnostics",      .type = CODEC_RAW,  .offset = BEAT(diagnostics), .limit = HEAD_DIAGNOSTICS_MAX },
    { .key = "lease_id",         .type = CODEC_ID,   .offset = BEAT(lease_id), .flags = CODEC_EMPTY_OK },
    { .key = "lease_state",      .type = CODEC_WORD, .offset = BEAT(lease_state), .words = &heartbeat_lease_words },
    { .key = "stream_id",        .type = CODEC_ID,   .offset = BEAT(stream_id), .flags = CODEC_EMPTY_OK },
    { .key = "protocol_version", .type = CODEC_U32,  .offset = BEAT(protocol_version), .limit = HEAD_PROTOCOL_MAX },
    { .key = "pairing_protocol", .type = CODEC_U32,  .offset = BEAT(pairing_protocol), .limit = HEAD_PROTOCOL_MAX },
    { .key = "version",          .type = CODEC_STR,  .offset = BEAT(version), .limit = HEAD_STATUS_MAX },
};
const struct codec_table heartbeat_table = CODEC_TABLE("heartbeat", beat_rows, struct heartbeat, BEAT(present));

#define STREAM(member) offsetof(struct head_stream, member)
static const struct codec_field stream_rows[] = {
    { .key = "stream_url",     .type = CODEC_STR,  .offset = STREAM(stream_url), .limit = HEAD_URL_MAX },
    { .key = "stream_url_lan", .type = CODEC_STR,  .offset = STREAM(stream_url_lan), .limit = HEAD_URL_MAX },
    { .key = "stream_app_id",  .type = CODEC_NAME, .offset = STREAM(stream_app_id), .flags = CODEC_EMPTY_OK },
    { .key = "stream_mode",    .type = CODEC_STR,  .offset = STREAM(stream_mode), .limit = HEAD_STATUS_MAX },
};
const struct codec_table head_stream_table = CODEC_TABLE("stream", stream_rows, struct head_stream, STREAM(present));

#define ASSIGN(member) offsetof(struct head_assign, member)
static const struct codec_field assign_rows[] = {
    { .key = "head_body_id", .type = CODEC_ID,     .offset = ASSIGN(head_body_id), .flags = CODEC_EMPTY_OK },
    { .key = "stream",       .type = CODEC_OBJECT, .offset = ASSIGN(stream), .sub = &head_stream_table, .flags = CODEC_NULLABLE_OBJECT,
      .null_flag = ASSIGN(has_stream) },
};
const struct codec_table head_assign_table = CODEC_TABLE("head", assign_rows, struct head_assign, ASSIGN(present));

static const struct codec_field stop_rows[] = {
    { .key = "body_id", .type = CODEC_ID, .offset = offsetof(struct stream_stop, body_id), .flags = CODEC_EMPTY_OK },
};
const struct codec_table stream_stop_table = CODEC_TABLE("stream", stop_rows, struct stream_stop, CODEC_NO_PRESENT);
