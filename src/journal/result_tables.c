/* result_tables.c - what a step decided: all of it for the digest, the gist of it in clear. */
#include "tables.h"

static const char *const answer_texts[] = { "done", "refused", "lease_new", "lease_same", "ticket", "rows", "wait_slot", "stream", "node",
                                            "drain", "op", "pair", "xr" };
static const struct hc_words answer_words = { answer_texts, sizeof answer_texts / sizeof answer_texts[0] };

static const struct journal_field body_facts_rows[] = {
    J_CHARS_ROW(struct body_facts, id), J_CHARS_ROW(struct body_facts, name), J_CHARS_ROW(struct body_facts, ip),
    J_CHARS_ROW(struct body_facts, wireguard_ip), J_ROW(struct body_facts, same_machine, J_BOOL),
    J_ROW(struct body_facts, directive_applied, J_BOOL), J_PART_ROW(struct body_facts, ports, ports_table),
    J_CHARS_ROW(struct body_facts, app_name), J_CHARS_ROW(struct body_facts, sunshine_cert_fp),
    J_ROW(struct body_facts, pair_epoch, J_U32), J_ROW(struct body_facts, pair_required, J_BOOL),
    J_CHARS_ROW(struct body_facts, pair_reason),
};
static const struct journal_table body_facts_table = J_TABLE("body", body_facts_rows, struct body_facts);
static const struct journal_field ticket_facts_rows[] = {
    J_CHARS_ROW(struct ticket_facts, id), J_CHARS_ROW(struct ticket_facts, stream_id), J_ROW(struct ticket_facts, position, J_U32),
    J_ROW(struct ticket_facts, eta_ms, J_I64), J_WORD_ROW(struct ticket_facts, why, wait_words),
    J_WORD_ROW(struct ticket_facts, state, ticket_state_words), J_ROW(struct ticket_facts, created_at, J_TIME),
    J_ROW(struct ticket_facts, retry_after_ms, J_I64),
};
static const struct journal_table ticket_facts_table = J_TABLE("ticket", ticket_facts_rows, struct ticket_facts);
static const struct journal_field stream_facts_rows[] = {
    J_CHARS_ROW(struct stream_facts, id), J_CHARS_ROW(struct stream_facts, head_id), J_CHARS_ROW(struct stream_facts, experience),
    J_WORD_ROW(struct stream_facts, state, stream_state_words), J_WORD_ROW(struct stream_facts, why, stream_why_words),
    J_ROW(struct stream_facts, created_at, J_TIME), J_CHARS_ROW(struct stream_facts, lease_id),
    J_CHARS_ROW(struct stream_facts, ticket_id), J_ROW(struct stream_facts, unattended_ms, J_I64),
};
static const struct journal_table stream_facts_table = J_TABLE("stream", stream_facts_rows, struct stream_facts);
static const struct journal_field eligible_rows[] = {
    J_CHARS_ROW(struct eligible_row, id), J_CHARS_ROW(struct eligible_row, name), J_CHARS_ROW(struct eligible_row, ip),
    J_CHARS_ROW(struct eligible_row, wireguard_ip), J_ROW(struct eligible_row, same_venue, J_BOOL),
    J_ROW(struct eligible_row, stream_count, J_U32), J_LIST_ROW(struct eligible_row, xr_drivers, xr_driver_count),
    J_CHARS_ROW(struct eligible_row, xr_state), J_ROW(struct eligible_row, slot, J_U32), J_ROW(struct eligible_row, slots_total, J_U32),
    J_ROW(struct eligible_row, slots_free, J_U32), J_ROW(struct eligible_row, reported_at, J_TIME),
    J_ROW(struct eligible_row, gpu_memory_total_mb, J_U32), J_ROW(struct eligible_row, pair_epoch, J_U32),
    J_CHARS_ROW(struct eligible_row, sunshine_cert_fp), J_ROW(struct eligible_row, has_lease, J_BOOL),
    J_ROW(struct eligible_row, lease_mine, J_BOOL), J_CHARS_ROW(struct eligible_row, lease_id),
    J_WORD_ROW(struct eligible_row, lease_state, lease_state_words), J_ROW(struct eligible_row, lease_expires_ms, J_I64),
};
static const struct journal_table eligible_table = J_TABLE("eligible", eligible_rows, struct eligible_row);
static const struct journal_field drain_facts_rows[] = {
    J_ROW(struct drain_facts, armed, J_BOOL), J_LIST_ROW(struct drain_facts, lease_ids, lease_count),
    J_LIST_ROW(struct drain_facts, ticket_ids, ticket_count),
};
static const struct journal_table drain_facts_table = J_TABLE("drain", drain_facts_rows, struct drain_facts);

static const struct journal_field op_facts_rows[] = {
    J_CHARS_ROW(struct op_facts, id), J_WORD_ROW(struct op_facts, op, op_words), J_CHARS_ROW(struct op_facts, uuid),
    J_SECRET_ROW(struct op_facts, pin), J_CHARS_ROW(struct op_facts, name), J_ROW(struct op_facts, force, J_BOOL),
};
static const struct journal_table op_facts_table = J_TABLE("op", op_facts_rows, struct op_facts);
static const struct journal_field pair_facts_rows[] = {
    J_CHARS_ROW(struct pair_facts, id), J_CHARS_ROW(struct pair_facts, body_id), J_CHARS_ROW(struct pair_facts, head_id),
    J_ROW(struct pair_facts, slot, J_U32), J_WORD_ROW(struct pair_facts, mode, lease_mode_words), J_ROW(struct pair_facts, ttl_ms, J_I64),
};
static const struct journal_table pair_facts_table = J_TABLE("pair", pair_facts_rows, struct pair_facts);

static const struct journal_field identity_facts_rows[] = {
    J_ROW(struct identity_facts, registered_at, J_TIME), J_ROW(struct identity_facts, overlap_until, J_TIME),
    J_CHARS_ROW(struct identity_facts, supersedes),
};
static const struct journal_table identity_facts_table = J_TABLE("identity", identity_facts_rows, struct identity_facts);

static const struct journal_field xr_facts_rows[] = {
    J_CHARS_ROW(struct xr_facts, session_id), J_CHARS_ROW(struct xr_facts, body_id), J_CHARS_ROW(struct xr_facts, body_host),
    J_CHARS_ROW(struct xr_facts, experience), J_CHARS_ROW(struct xr_facts, reason), J_WORD_ROW(struct xr_facts, state, xr_state_words),
};
static const struct journal_table xr_facts_table = J_TABLE("xr", xr_facts_rows, struct xr_facts);

static const struct journal_field result_rows[] = {
    J_ROW(struct core_result, dirty, J_BOOL), J_WORD_ROW(struct core_result, answer, answer_words),
    J_WORD_ROW(struct core_result, deny, deny_words), J_WORD_ROW(struct core_result, wait, wait_words),
    J_ROW(struct core_result, retry_after_ms, J_I64), J_CHARS_ROW(struct core_result, lost_why),
    J_CHARS_ROW(struct core_result, lost_cause), J_CHARS_ROW(struct core_result, field),
    J_CHARS_ROW(struct core_result, detail), J_CHARS_ROW(struct core_result, id), J_CHARS_ROW(struct core_result, name),
    J_ROW(struct core_result, has_lease, J_BOOL), J_ROW(struct core_result, has_body, J_BOOL),
    J_ROW(struct core_result, has_ticket, J_BOOL),
    J_ROW(struct core_result, has_stream, J_BOOL), J_PART_ROW(struct core_result, lease, whole_lease_table),
    J_ROW(struct core_result, epoch, J_U64), J_ROW(struct core_result, slot, J_U32), J_SECRET_ROW(struct core_result, claim_token),
    J_ROW(struct core_result, ttl_ms, J_I64), J_ROW(struct core_result, start_deadline_ms, J_I64),
    J_PART_ROW(struct core_result, body, body_facts_table), J_PART_ROW(struct core_result, ticket, ticket_facts_table),
    J_PART_ROW(struct core_result, stream, stream_facts_table), J_ARRAY_ROW(struct core_result, rows, row_count, eligible_table),
    J_PART_ROW(struct core_result, drain, drain_facts_table), J_ROW(struct core_result, has_op, J_BOOL),
    J_PART_ROW(struct core_result, op, op_facts_table), J_PART_ROW(struct core_result, pair, pair_facts_table),
    J_PART_ROW(struct core_result, identity, identity_facts_table), J_PART_ROW(struct core_result, xr, xr_facts_table),
    J_CHARS_ROW(struct core_result, head_venue),
    J_CHARS_ROW(struct core_result, body_venue), J_ROW(struct core_result, denied_for_capacity, J_BOOL),
};
const struct journal_table result_table = { .name = "result", .fields = result_rows, .count = sizeof result_rows / sizeof result_rows[0],
    .size = offsetof(struct core_result, note_count), .begin = offsetof(struct core_result, dirty) };

static const struct journal_field note_rows[] = {
    J_WORD_ROW(struct core_note, type, note_words), J_ROW(struct core_note, at, J_TIME), J_CHARS_ROW(struct core_note, district),
    J_CHARS_ROW(struct core_note, body_id), J_CHARS_ROW(struct core_note, lease_id), J_CHARS_ROW(struct core_note, head_id),
    J_ROW(struct core_note, slot, J_I32), J_ROW(struct core_note, expected_legacy, J_BOOL), J_CHARS_ROW(struct core_note, detail),
    J_CHARS_ROW(struct core_note, venue), J_CHARS_ROW(struct core_note, head_venue),
    J_WORD_ROW(struct core_note, source, lease_source_words), J_WORD_ROW(struct core_note, state, lease_state_words),
    J_WORD_ROW(struct core_note, why, lease_why_words), J_ROW(struct core_note, waited_ms, J_I64), J_ROW(struct core_note, eta_ms, J_I64),
};
const struct journal_table note_table = J_TABLE("note", note_rows, struct core_note);

static const struct journal_field decision_rows[] = {
    J_WORD_ROW(struct decision, answer, answer_words), J_WORD_ROW(struct decision, deny, deny_words),
    J_WORD_ROW(struct decision, wait, wait_words), J_ROW(struct decision, retry_after_ms, J_I64), J_CHARS_ROW(struct decision, lease_id),
    J_WORD_ROW(struct decision, lease_state, lease_state_words), J_WORD_ROW(struct decision, lease_why, lease_why_words),
    J_ROW(struct decision, epoch, J_U64), J_ROW(struct decision, slot, J_U32), J_CHARS_ROW(struct decision, body_id),
    J_CHARS_ROW(struct decision, ticket_id), J_ROW(struct decision, position, J_U32), J_CHARS_ROW(struct decision, id),
    J_CHARS_ROW(struct decision, field), J_ROW(struct decision, rows, J_U64), J_ROW(struct decision, notes, J_U64),
    J_ROW(struct decision, changed, J_U64),
};
const struct journal_table decision_table = J_TABLE("decision", decision_rows, struct decision);
