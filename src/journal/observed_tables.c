/* observed_tables.c - what is observed (core/observed.h), whole. */
#include "tables.h"

#define REC_TABLE(name_, rows_, T) \
    { .name = name_, .fields = rows_, .count = sizeof rows_ / sizeof rows_[0], .size = sizeof(T), .begin = sizeof(struct rec) }

static const struct journal_field ports_rows[] = {
    J_ROW(struct ports, gamestream, J_U32), J_ROW(struct ports, gamestream_tls, J_U32), J_ROW(struct ports, web, J_U32),
};
const struct journal_table ports_table = J_TABLE("ports", ports_rows, struct ports);

static const struct journal_field session_rows[] = {
    J_ROW(struct session_obs, index, J_U32), J_WORD_ROW(struct session_obs, state, session_words),
    J_CHARS_ROW(struct session_obs, lease_id), J_CHARS_ROW(struct session_obs, launch_id), J_CHARS_ROW(struct session_obs, client_uuid),
    J_CHARS_ROW(struct session_obs, client_name), J_CHARS_ROW(struct session_obs, app),
    J_ROW(struct session_obs, has_applied_epoch, J_BOOL), J_ROW(struct session_obs, applied_epoch, J_U64),
    J_ROW(struct session_obs, since_ms, J_I64), J_PART_ROW(struct session_obs, ports, ports_table),
    J_CHARS_ROW(struct session_obs, sunshine_cert_fp), J_WORD_ROW(struct session_obs, gate_mode, gate_mode_words),
    J_CHARS_ROW(struct session_obs, gate_reason),
};
const struct journal_table session_table = J_TABLE("session", session_rows, struct session_obs);

static const struct journal_field client_rows[] = { J_CHARS_ROW(struct client_obs, uuid), J_CHARS_ROW(struct client_obs, name),
                                                    J_ROW(struct client_obs, slot, J_I32) };
const struct journal_table client_table = J_TABLE("client", client_rows, struct client_obs);

static const struct journal_field body_rows[] = {
    J_ROW(struct body_obs, reported_at, J_TIME), J_ROW(struct body_obs, modern, J_BOOL), J_CHARS_ROW(struct body_obs, boot_id),
    J_ROW(struct body_obs, report_seq, J_U64), J_ROW(struct body_obs, boot_first_at, J_TIME), J_ROW(struct body_obs, uptime_ms, J_I64),
    J_WORD_ROW(struct body_obs, stream_status, stream_status_words), J_CHARS_ROW(struct body_obs, xr_state),
    J_CHARS_ROW(struct body_obs, xr_session_id), J_CHARS_ROW(struct body_obs, xr_reason),
    J_ROW(struct body_obs, xr_drivers, J_STRINGS), J_ROW(struct body_obs, experiences, J_STRINGS), J_CHARS_ROW(struct body_obs, gpu),
    J_CHARS_ROW(struct body_obs, provider_status), J_CHARS_ROW(struct body_obs, provider_version),
    J_CHARS_ROW(struct body_obs, hydrabody_version), J_ROW(struct body_obs, gpu_memory_total_mb, J_U32),
    J_PART_ROW(struct body_obs, ports, ports_table), J_ARRAY_ROW(struct body_obs, sessions, session_count, session_table),
    J_INLINE_ROW(struct body_obs, max_epoch_seen, max_epoch_count, u64_element),
    J_ARRAY_ROW(struct body_obs, clients, client_count, client_table), J_CHARS_ROW(struct body_obs, paired_digest),
    J_FIXED_ROW(struct body_obs, idle_at, time_element), J_FIXED_ROW(struct body_obs, session_since, time_element),
    J_FIXED_ROW(struct body_obs, second_launch_at, time_element), J_FIXED_ROW(struct body_obs, below_floor_at, time_element),
    J_FIXED_ROW(struct body_obs, conflict_told_at, time_element),
};
const struct journal_table body_obs_table = REC_TABLE("observed_body", body_rows, struct body_obs);

static const struct journal_field node_rows[] = {
    J_ROW(struct node_obs, seen_at, J_TIME), J_ROW(struct node_obs, told_online, J_BOOL), J_ROW(struct node_obs, beat_at, J_TIME),
    J_CHARS_ROW(struct node_obs, status), J_CHARS_ROW(struct node_obs, body_id), J_CHARS_ROW(struct node_obs, lease_id),
    J_CHARS_ROW(struct node_obs, stream_id), J_WORD_ROW(struct node_obs, lease_state, head_lease_state_words),
    J_ROW(struct node_obs, starting_beat_at, J_TIME), J_ROW(struct node_obs, streaming_beat_at, J_TIME),
    J_ROW(struct node_obs, status_since, J_TIME), J_ROW(struct node_obs, read_at, J_TIME), J_CHARS_ROW(struct node_obs, read_experience),
    J_CHARS_ROW(struct node_obs, read_lease_id), J_ROW(struct node_obs, read_lost, J_BOOL), J_ROW(struct node_obs, live_at, J_TIME),
    J_ROW(struct node_obs, handed_at, J_TIME), J_CHARS_ROW(struct node_obs, handed_lease_id),
    J_FIXED_ROW(struct node_obs, claim_at, time_element), J_ROW(struct node_obs, ticket_renewed_at, J_TIME),
    J_CHARS_ROW(struct node_obs, address), J_CHARS_ROW(struct node_obs, address_before), J_ROW(struct node_obs, address_at, J_TIME),
    J_ROW(struct node_obs, duplicate_until, J_TIME), J_ROW(struct node_obs, witness_told_at, J_TIME),
    J_ROW(struct node_obs, address_before_at, J_TIME), J_ROW(struct node_obs, diagnostics, J_COUNTED_TEXT),
    J_ROW(struct node_obs, op_poll_at, J_TIME), J_ROW(struct node_obs, custodian_asked_at, J_TIME),
    J_WORD_ROW(struct node_obs, custodian, custodian_words),
};
const struct journal_table node_obs_table = REC_TABLE("observed_node", node_rows, struct node_obs);

static const struct journal_field clock_rows[] = {
    J_ROW(struct clock_obs, renewed_at, J_TIME), J_ROW(struct clock_obs, head_renewed_at, J_TIME),
    J_ROW(struct clock_obs, expires_at, J_TIME), J_ROW(struct clock_obs, shown_at, J_TIME),
};
const struct journal_table clock_obs_table = REC_TABLE("observed_clock", clock_rows, struct clock_obs);

static const struct journal_field pool_rows[] = {
    J_ROW(struct pool_obs, count, J_U64), J_ROW(struct pool_obs, next, J_U64), J_FIXED_ROW(struct pool_obs, session_ms, i64_element),
};
const struct journal_table pool_obs_table = REC_TABLE("observed_pool", pool_rows, struct pool_obs);

static const struct journal_field op_rows[] = { J_ROW(struct op_obs, given_at, J_TIME) };
const struct journal_table op_obs_table = REC_TABLE("observed_op", op_rows, struct op_obs);

static const struct journal_field observed_rows[] = {
    J_ROW(struct observed, started_at, J_TIME), J_ROW(struct observed, store_down_since, J_TIME),
    J_ROW(struct observed, memory_mb_most, J_U32),
};
const struct journal_table observed_table = { .name = "observed", .fields = observed_rows,
    .count = sizeof observed_rows / sizeof observed_rows[0], .size = sizeof(struct observed),
    .begin = offsetof(struct observed, started_at) };
