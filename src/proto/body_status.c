/* body_status.c - field tables of POST /body/status. */
#include "hydra/proto/body_status.h"

#define PORT_MAX 65535

static const char *const session_texts[] = { "idle", "starting", "streaming", "ending", "failed" };
static const char *const stream_texts[] = { "", "idle", "streaming" };
static const char *const gate_texts[] = { "", "observe", "enforce", "unavailable" };
#define WORDS(texts) { texts, sizeof texts / sizeof texts[0] }
const struct hc_words body_session_words = WORDS(session_texts), body_stream_words = WORDS(stream_texts),
    body_gate_words = WORDS(gate_texts);

#define PORTS(member) offsetof(struct body_status_ports, member)
static const struct codec_field ports_rows[] = {
    { .key = "gamestream",     .type = CODEC_U32, .offset = PORTS(gamestream),     .limit = PORT_MAX },
    { .key = "gamestream_tls", .type = CODEC_U32, .offset = PORTS(gamestream_tls), .limit = PORT_MAX },
    { .key = "web",            .type = CODEC_U32, .offset = PORTS(web),            .limit = PORT_MAX },
};
static const struct codec_table ports_table = CODEC_TABLE("ports", ports_rows, struct body_status_ports, CODEC_NO_PRESENT);

#define CLIENT(member) offsetof(struct body_status_client, member)
static const struct codec_field client_rows[] = {
    { .key = "uuid", .type = CODEC_ID,   .offset = CLIENT(uuid), .flags = CODEC_REQUIRED | CODEC_LENIENT,
      .null_flag = CLIENT(odd) },
    { .key = "name", .type = CODEC_NAME, .offset = CLIENT(name), .flags = CODEC_EMPTY_OK | CODEC_LENIENT,
      .null_flag = CLIENT(odd) },
};
static const struct codec_table client_table = CODEC_TABLE("client", client_rows, struct body_status_client, CODEC_NO_PRESENT);

#define SLOT(member) offsetof(struct body_status_slot, member)
static const struct codec_field gate_rows[] = {
    { .key = "mode",   .type = CODEC_WORD, .offset = SLOT(gate_mode),   .words = &body_gate_words },
    { .key = "reason", .type = CODEC_STR,  .offset = SLOT(gate_reason), .limit = HC_NAME_MAX },
};
/* The gate's members stand in the slot's own struct: its offset there is 0. */
static const struct codec_table gate_table = CODEC_TABLE("gate", gate_rows, struct body_status_slot, CODEC_NO_PRESENT);

static const struct codec_field slot_rows[] = {
    { .key = "index",            .type = CODEC_U32,     .offset = SLOT(index), .limit = BODY_STATUS_INDEX_MAX, .flags = CODEC_REQUIRED },
    { .key = "state",            .type = CODEC_WORD,    .offset = SLOT(state), .words = &body_session_words, .flags = CODEC_REQUIRED },
    { .key = "lease_id",         .type = CODEC_ID,      .offset = SLOT(lease_id), .flags = CODEC_EMPTY_OK },
    { .key = "launch_id",        .type = CODEC_ID,      .offset = SLOT(launch_id), .flags = CODEC_EMPTY_OK },
    { .key = "applied_epoch",    .type = CODEC_U64,     .offset = SLOT(applied_epoch), .limit = HC_EPOCH_MAX },
    { .key = "client_uuid",      .type = CODEC_ID,      .offset = SLOT(client_uuid), .flags = CODEC_EMPTY_OK },
    { .key = "client_name",      .type = CODEC_NAME,    .offset = SLOT(client_name), .flags = CODEC_EMPTY_OK },
    { .key = "app",              .type = CODEC_STR,     .offset = SLOT(app), .limit = BODY_STATUS_APP_MAX },
    { .key = "since_seconds",    .type = CODEC_SECONDS, .offset = SLOT(since_ms), .limit = BODY_STATUS_SECONDS_MAX },
    { .key = "ports",            .type = CODEC_OBJECT,  .offset = SLOT(ports), .sub = &ports_table, .flags = CODEC_NULLABLE_OBJECT,
      .null_flag = SLOT(has_ports) },
    { .key = "sunshine_cert_fp", .type = CODEC_STR,     .offset = SLOT(sunshine_cert_fp), .limit = HC_HASH_HEX },
    { .key = "paired_clients",   .type = CODEC_LIST,    .offset = SLOT(paired_clients), .limit = BODY_STATUS_CLIENTS_MAX,
      .sub = &client_table },
    { .key = "paired_digest",    .type = CODEC_STR,     .offset = SLOT(paired_digest), .limit = HC_HASH_HEX },
    { .key = "gate",             .type = CODEC_OBJECT,  .offset = 0, .sub = &gate_table, .flags = CODEC_NULLABLE_OBJECT,
      .null_flag = SLOT(has_gate) },
};
const struct codec_table body_status_slot_table = CODEC_TABLE("slot", slot_rows, struct body_status_slot, SLOT(present));

#define EVENT(member) offsetof(struct body_status_event, member)
static const struct codec_field event_rows[] = {
    { .key = "type",        .type = CODEC_STR, .offset = EVENT(type), .limit = BODY_STATUS_WORD_MAX, .flags = CODEC_REQUIRED },
    { .key = "slot",        .type = CODEC_U32, .offset = EVENT(slot), .limit = BODY_STATUS_INDEX_MAX },
    { .key = "launch_id",   .type = CODEC_ID,  .offset = EVENT(launch_id), .flags = CODEC_EMPTY_OK },
    { .key = "client_uuid", .type = CODEC_ID,  .offset = EVENT(client_uuid), .flags = CODEC_EMPTY_OK },
    { .key = "detail",      .type = CODEC_STR, .offset = EVENT(detail), .limit = HC_NAME_MAX },
};
static const struct codec_table event_table = CODEC_TABLE("event", event_rows, struct body_status_event, CODEC_NO_PRESENT);

#define BODY(member) offsetof(struct body_status, member)
static const struct codec_field rows[] = {
    { .key = "gpu",                     .type = CODEC_NAME,    .offset = BODY(gpu), .flags = CODEC_EMPTY_OK },
    { .key = "provider_status",         .type = CODEC_NAME,    .offset = BODY(provider_status), .flags = CODEC_EMPTY_OK },
    { .key = "provider_version",        .type = CODEC_STR,     .offset = BODY(provider_version), .limit = BODY_STATUS_WORD_MAX },
    { .key = "stream_status",           .type = CODEC_WORD,    .offset = BODY(stream_status), .words = &body_stream_words },
    { .key = "installed_experiences",   .type = CODEC_STRS,    .offset = BODY(installed_experiences), .limit = BODY_STATUS_EXPERIENCES_MAX,
      .item_limit = HC_NAME_MAX },
    { .key = "xr_state",                .type = CODEC_STR,     .offset = BODY(xr_state), .limit = BODY_STATUS_WORD_MAX },
    { .key = "xr_session_id",           .type = CODEC_ID,      .offset = BODY(xr_session_id), .flags = CODEC_EMPTY_OK },
    { .key = "xr_reason",               .type = CODEC_STR,     .offset = BODY(xr_reason), .limit = BODY_STATUS_WORD_MAX },
    { .key = "xr_drivers",              .type = CODEC_STRS,    .offset = BODY(xr_drivers), .limit = BODY_STATUS_DRIVERS_MAX,
      .item_limit = HC_NAME_MAX },
    { .key = "boot_id",                 .type = CODEC_ID,      .offset = BODY(boot_id) },
    { .key = "report_seq",              .type = CODEC_U64,     .offset = BODY(report_seq), .limit = BODY_STATUS_SEQ_MAX },
    { .key = "provider_uptime_seconds", .type = CODEC_SECONDS, .offset = BODY(provider_uptime_ms), .limit = BODY_STATUS_SECONDS_MAX },
    { .key = "slots_total",             .type = CODEC_U32,     .offset = BODY(slots_total), .limit = BODY_STATUS_INDEX_MAX + 1 },
    { .key = "slots",                   .type = CODEC_LIST,    .offset = BODY(slots), .limit = BODY_STATUS_SLOTS_MAX,
      .sub = &body_status_slot_table },
    { .key = "max_epoch_seen",          .type = CODEC_U64S,    .offset = BODY(max_epoch_seen), .limit = BODY_STATUS_EPOCHS_MAX },
    { .key = "stream_count",            .type = CODEC_U32,     .offset = BODY(stream_count), .limit = UINT32_MAX },
    { .key = "gpu_memory_total_mb",     .type = CODEC_U32,     .offset = BODY(gpu_memory_total_mb), .limit = BODY_STATUS_MEMORY_MB_MAX },
    { .key = "paired_clients",          .type = CODEC_LIST,    .offset = BODY(paired_clients), .limit = BODY_STATUS_CLIENTS_MAX,
      .sub = &client_table },
    { .key = "paired_digest",           .type = CODEC_STR,     .offset = BODY(paired_digest), .limit = HC_HASH_HEX },
    { .key = "sunshine_cert_fp",        .type = CODEC_STR,     .offset = BODY(sunshine_cert_fp), .limit = HC_HASH_HEX },
    { .key = "hydrabody_version",       .type = CODEC_STR,     .offset = BODY(hydrabody_version), .limit = BODY_STATUS_WORD_MAX },
    { .key = "events",                  .type = CODEC_LIST,    .offset = BODY(events), .limit = BODY_STATUS_EVENTS_MAX,
      .sub = &event_table },
    { .key = "ports",                   .type = CODEC_OBJECT,  .offset = BODY(ports), .sub = &ports_table, .flags = CODEC_NULLABLE_OBJECT,
      .null_flag = BODY(has_ports) },
};
const struct codec_table body_status_table = CODEC_TABLE("body_status", rows, struct body_status, BODY(present));
