/* event_tables.c - what every event brings. A new event needs a row here: tests/unit/journal names the one that is missing. */
#include <string.h>

#include "tables.h"

static const char *const caller_texts[] = { "system", "node", "admin", "read", "fleet" };
const struct hc_words caller_words = { caller_texts, sizeof caller_texts / sizeof caller_texts[0] };

static const struct journal_field start_rows[] = {
    J_ROW(struct start_req, outage_ms, J_I64), J_ROW(struct start_req, saved_at, J_TIME), J_ROW(struct start_req, downgrade, J_BOOL),
    J_ROW(struct start_req, allocation_missing, J_BOOL),
};
static const struct journal_field outage_rows[] = { J_ROW(struct outage_req, outage_ms, J_I64) };
static const struct journal_field history_rows[] = { J_LIST_ROW(struct history_req, lease_ids, count) };
static const struct journal_field seen_rows[] = { J_TEXT_ROW(struct seen_req, node_id) };
static const struct journal_field body_event_rows[] = {
    J_WORD_ROW(struct body_event, type, body_event_words), J_CHARS_ROW(struct body_event, type_text), J_ROW(struct body_event, slot, J_U32),
    J_CHARS_ROW(struct body_event, launch_id), J_CHARS_ROW(struct body_event, client_uuid), J_CHARS_ROW(struct body_event, detail),
};
static const struct journal_table body_event_table = J_TABLE("body_event", body_event_rows, struct body_event);
static const struct journal_field report_rows[] = {
    J_TEXT_ROW(struct report_req, body_id), J_ROW(struct report_req, modern, J_BOOL), J_TEXT_ROW(struct report_req, boot_id),
    J_ROW(struct report_req, report_seq, J_U64), J_ROW(struct report_req, uptime_ms, J_I64),
    J_WORD_ROW(struct report_req, stream_status, stream_status_words), J_TEXT_ROW(struct report_req, xr_state),
    J_TEXT_ROW(struct report_req, xr_session_id), J_TEXT_ROW(struct report_req, xr_reason),
    J_LIST_ROW(struct report_req, xr_drivers, xr_driver_count), J_ROW(struct report_req, has_experiences, J_BOOL),
    J_LIST_ROW(struct report_req, experiences, experience_count), J_TEXT_ROW(struct report_req, gpu),
    J_TEXT_ROW(struct report_req, provider_status), J_TEXT_ROW(struct report_req, provider_version),
    J_TEXT_ROW(struct report_req, hydrabody_version), J_ROW(struct report_req, gpu_memory_total_mb, J_U32),
    J_PART_ROW(struct report_req, ports, ports_table), J_ARRAY_ROW(struct report_req, sessions, session_count, session_table),
    J_ARRAY_ROW(struct report_req, max_epoch_seen, max_epoch_count, u64_element), J_TEXT_ROW(struct report_req, sunshine_cert_fp),
    J_ARRAY_ROW(struct report_req, clients, client_count, client_table), J_TEXT_ROW(struct report_req, paired_digest),
    J_ARRAY_ROW(struct report_req, events, event_count, body_event_table),
};
static const struct journal_field heartbeat_rows[] = {
    J_TEXT_ROW(struct heartbeat_req, head_id), J_TEXT_ROW(struct heartbeat_req, status), J_TEXT_ROW(struct heartbeat_req, body_id),
    J_TEXT_ROW(struct heartbeat_req, lease_id), J_TEXT_ROW(struct heartbeat_req, stream_id), J_TEXT_ROW(struct heartbeat_req, address),
    J_TEXT_ROW(struct heartbeat_req, version), J_WORD_ROW(struct heartbeat_req, lease_state, head_lease_state_words),
    J_PART_ROW(struct heartbeat_req, protocol_version, opt_u32_table), J_PART_ROW(struct heartbeat_req, pairing_protocol, opt_u32_table),
    J_TEXT_ROW(struct heartbeat_req, diagnostics),
};
static const struct journal_field read_rows[] = {
    J_TEXT_ROW(struct read_req, head_id), J_TEXT_ROW(struct read_req, district), J_TEXT_ROW(struct read_req, venue),
    J_TEXT_ROW(struct read_req, experience), J_TEXT_ROW(struct read_req, stream_mode), J_ROW(struct read_req, protocol2, J_BOOL),
    J_ROW(struct read_req, include_leased, J_BOOL), J_ROW(struct read_req, last_chance, J_BOOL),
};
static const struct journal_field fetch_rows[] = { J_TEXT_ROW(struct fetch_req, head_id), J_ROW(struct fetch_req, last_chance, J_BOOL) };
static const struct journal_field claim_rows[] = {
    J_TEXT_ROW(struct claim_req, head_id), J_TEXT_ROW(struct claim_req, attempt_id), J_TEXT_ROW(struct claim_req, experience),
    J_TEXT_ROW(struct claim_req, stream_mode), J_TEXT_ROW(struct claim_req, device_uid), J_TEXT_ROW(struct claim_req, prefer_body_id),
    J_SECRET_TEXT_ROW(struct claim_req, claim_token), J_TEXT_ROW(struct claim_req, stream_id), J_TEXT_ROW(struct claim_req, content_digest),
    J_ROW(struct claim_req, protocol_version, J_U32), J_ROW(struct claim_req, no_attempt, J_BOOL), J_ROW(struct claim_req, legacy, J_BOOL),
};
static const struct journal_field renew_rows[] = {
    J_TEXT_ROW(struct renew_req, head_id), J_TEXT_ROW(struct renew_req, lease_id), J_SECRET_TEXT_ROW(struct renew_req, claim_token),
};
static const struct journal_field release_rows[] = {
    J_TEXT_ROW(struct release_req, head_id), J_TEXT_ROW(struct release_req, lease_id), J_SECRET_TEXT_ROW(struct release_req, claim_token),
    J_WORD_ROW(struct release_req, why, lease_why_words),
};
static const struct journal_field stream_stop_rows[] = {
    J_TEXT_ROW(struct stream_stop_req, head_id), J_TEXT_ROW(struct stream_stop_req, body_id),
};
static const struct journal_field stream_end_rows[] = {
    J_TEXT_ROW(struct stream_end_req, head_id), J_TEXT_ROW(struct stream_end_req, stream_id),
};
static const struct journal_field admission_rows[] = {
    J_TEXT_ROW(struct admission_req, head_id), J_TEXT_ROW(struct admission_req, attempt_id),
};
static const struct journal_field accept_rows[] = { J_TEXT_ROW(struct accept_req, head_id) };
static const struct journal_field answer_lost_rows[] = { J_TEXT_ROW(struct answer_lost_req, head_id) };
static const struct journal_field admit_rows[] = {
    J_TEXT_ROW(struct admit_req, body_id), J_TEXT_ROW(struct admit_req, client_uuid), J_TEXT_ROW(struct admit_req, named_cert_name),
    J_TEXT_ROW(struct admit_req, app_name), J_TEXT_ROW(struct admit_req, launch_id), J_ROW(struct admit_req, slot, J_U32),
};
static const struct journal_field lease_end_rows[] = {
    J_TEXT_ROW(struct lease_end_req, lease_id), J_ROW(struct lease_end_req, revoke, J_BOOL), J_TEXT_ROW(struct lease_end_req, reason),
};
static const struct journal_field xr_start_rows[] = {
    J_TEXT_ROW(struct xr_start_req, head_id), J_TEXT_ROW(struct xr_start_req, body_id), J_TEXT_ROW(struct xr_start_req, experience),
    J_TEXT_ROW(struct xr_start_req, client_hostname), J_TEXT_ROW(struct xr_start_req, client_ip),
};
static const struct journal_field xr_rows[] = { J_TEXT_ROW(struct xr_req, head_id) };
static const struct journal_field enrol_rows[] = {
    J_TEXT_ROW(struct enrol_req, name), J_TEXT_ROW(struct enrol_req, kind), J_TEXT_ROW(struct enrol_req, district),
    J_TEXT_ROW(struct enrol_req, venue), J_TEXT_ROW(struct enrol_req, owner), J_TEXT_ROW(struct enrol_req, machine_id),
    J_TEXT_ROW(struct enrol_req, ip), J_TEXT_ROW(struct enrol_req, wireguard_ip), J_SECRET_TEXT_ROW(struct enrol_req, token_hash),
    J_ROW(struct enrol_req, roles, J_U32), J_ROW(struct enrol_req, pending, J_BOOL), J_ROW(struct enrol_req, legacy_names, J_BOOL),
};
static const struct journal_field node_update_rows[] = {
    J_TEXT_ROW(struct node_update_req, node_id), J_TEXT_ROW(struct node_update_req, name), J_TEXT_ROW(struct node_update_req, venue),
    J_TEXT_ROW(struct node_update_req, district), J_TEXT_ROW(struct node_update_req, owner), J_TEXT_ROW(struct node_update_req, ip),
    J_TEXT_ROW(struct node_update_req, wireguard_ip), J_TEXT_ROW(struct node_update_req, machine_id),
    J_TEXT_ROW(struct node_update_req, xr_client_hostname), J_PART_ROW(struct node_update_req, roles, opt_u32_table),
    J_ROW(struct node_update_req, set_approval, J_BOOL), J_WORD_ROW(struct node_update_req, approval, approval_words),
};
static const struct journal_field node_delete_rows[] = {
    J_TEXT_ROW(struct node_delete_req, node_id), J_ROW(struct node_delete_req, force, J_BOOL),
};
static const struct journal_field node_token_rows[] = {
    J_TEXT_ROW(struct node_token_req, node_id), J_SECRET_TEXT_ROW(struct node_token_req, token_hash),
};
static const struct journal_field node_beat_rows[] = {
    J_TEXT_ROW(struct node_beat_req, node_id), J_TEXT_ROW(struct node_beat_req, version), J_TEXT_ROW(struct node_beat_req, arch),
    J_TEXT_ROW(struct node_beat_req, ip),
};
static const struct journal_field head_update_rows[] = {
    J_TEXT_ROW(struct head_update_req, head_id), J_TEXT_ROW(struct head_update_req, head_body_id),
    J_ROW(struct head_update_req, set_stream, J_BOOL), J_ROW(struct head_update_req, clear_stream, J_BOOL),
    J_PART_ROW(struct head_update_req, stream, stream_block_table), J_ROW(struct head_update_req, stream_fields, J_U32),
};
static const struct journal_field wireguard_rows[] = {
    J_TEXT_ROW(struct wireguard_req, head_id), J_SECRET_TEXT_ROW(struct wireguard_req, text),
};
static const struct journal_field slots_rows[] = {
    J_TEXT_ROW(struct slots_req, body_id), J_PART_ROW(struct slots_req, slots_total, opt_u32_table),
    J_ROW(struct slots_req, set_enforce, J_BOOL), J_WORD_ROW(struct slots_req, enforce, enforce_words),
    J_PART_ROW(struct slots_req, maintenance, opt_bool_table), J_PART_ROW(struct slots_req, home_venue_reserve, opt_i32_table),
    J_ROW(struct slots_req, force, J_BOOL), J_ROW(struct slots_req, set_maintenance_clients, J_BOOL),
    J_LIST_ROW(struct slots_req, maintenance_clients, maintenance_client_count),
};
static const struct journal_field drain_rows[] = { J_TEXT_ROW(struct drain_req, body_id), J_ROW(struct drain_req, deadline_ms, J_I64) };
static const struct journal_field body_rows[] = { J_TEXT_ROW(struct body_req, body_id) };
static const struct journal_field district_rows[] = { J_TEXT_ROW(struct district_req, district) };
static const struct journal_field venue_rows[] = {
    J_TEXT_ROW(struct venue_req, name), J_TEXT_ROW(struct venue_req, district), J_TEXT_ROW(struct venue_req, owner),
    J_PART_ROW(struct venue_req, cap, opt_u32_table), J_ROW(struct venue_req, clear_cap, J_BOOL),
    J_ROW(struct venue_req, set_accept_mode, J_BOOL), J_WORD_ROW(struct venue_req, accept_mode, accept_mode_words),
};
static const struct journal_field org_rows[] = {
    J_TEXT_ROW(struct org_req, name), J_PART_ROW(struct org_req, cap, opt_u32_table), J_ROW(struct org_req, clear_cap, J_BOOL),
};
static const struct journal_field experience_rows[] = {
    J_TEXT_ROW(struct experience_req, name), J_TEXT_ROW(struct experience_req, label), J_TEXT_ROW(struct experience_req, orientation),
    J_TEXT_ROW(struct experience_req, stream_mode), J_PART_ROW(struct experience_req, enable_microphone, opt_bool_table),
    J_ROW(struct experience_req, set_venues, J_BOOL), J_LIST_ROW(struct experience_req, venues, venue_count),
};
static const char *const verdict_texts[] = { "none", "true", "false" };
static const struct hc_words verdict_words = { verdict_texts, sizeof verdict_texts / sizeof verdict_texts[0] };
static const struct journal_field op_ask_rows[] = {
    J_TEXT_ROW(struct op_ask_req, node_id), J_WORD_ROW(struct op_ask_req, op, op_words), J_TEXT_ROW(struct op_ask_req, uuid),
    J_SECRET_TEXT_ROW(struct op_ask_req, pin), J_TEXT_ROW(struct op_ask_req, name), J_ROW(struct op_ask_req, force, J_BOOL),
    J_TEXT_ROW(struct op_ask_req, asked_by), J_ROW(struct op_ask_req, relay, J_BOOL),
};
static const struct journal_field op_next_rows[] = { J_TEXT_ROW(struct op_next_req, node_id) };
static const struct journal_field op_result_rows[] = {
    J_TEXT_ROW(struct op_result_req, node_id), J_TEXT_ROW(struct op_result_req, op_id), J_ROW(struct op_result_req, failed, J_BOOL),
    J_TEXT_ROW(struct op_result_req, output), J_ROW(struct op_result_req, output_len, J_U64), J_TEXT_ROW(struct op_result_req, error),
    J_WORD_ROW(struct op_result_req, verdict, verdict_words), J_ROW(struct op_result_req, has_clients, J_BOOL),
    J_ARRAY_ROW(struct op_result_req, clients, client_count, client_table),
};
static const struct journal_field pair_rows[] = {
    J_TEXT_ROW(struct pair_req, head_id), J_TEXT_ROW(struct pair_req, body_id), J_ROW(struct pair_req, slot, J_U32),
};
static const struct journal_field pair_release_rows[] = {
    J_TEXT_ROW(struct pair_release_req, head_id), J_TEXT_ROW(struct pair_release_req, lease_id),
};
static const struct journal_field identity_rows[] = {
    J_TEXT_ROW(struct identity_req, head_id), J_TEXT_ROW(struct identity_req, device_uid), J_TEXT_ROW(struct identity_req, fingerprint),
    J_TEXT_ROW(struct identity_req, cert_pem), J_ROW(struct identity_req, not_after, J_TIME),
};
static const struct journal_field identity_revoke_rows[] = { J_TEXT_ROW(struct identity_revoke_req, head_id) };
static const struct journal_field latch_rows[] = { J_TEXT_ROW(struct latch_req, district), J_ROW(struct latch_req, allow, J_BOOL) };
static const struct journal_field name_rows[] = { J_TEXT_ROW(struct name_req, name) };

#define TABLE_OF(member) static const struct journal_table member##_table = J_TABLE(#member, member##_rows, struct member##_req);
TABLE_OF(start) TABLE_OF(outage) TABLE_OF(history) TABLE_OF(seen) TABLE_OF(report) TABLE_OF(heartbeat) TABLE_OF(read) TABLE_OF(fetch)
TABLE_OF(claim) TABLE_OF(renew) TABLE_OF(release) TABLE_OF(stream_stop) TABLE_OF(stream_end) TABLE_OF(admission) TABLE_OF(accept)
TABLE_OF(answer_lost) TABLE_OF(admit) TABLE_OF(lease_end) TABLE_OF(enrol) TABLE_OF(node_update) TABLE_OF(node_delete) TABLE_OF(node_token)
TABLE_OF(node_beat) TABLE_OF(head_update) TABLE_OF(wireguard) TABLE_OF(slots) TABLE_OF(drain) TABLE_OF(body) TABLE_OF(district)
TABLE_OF(venue) TABLE_OF(org) TABLE_OF(experience) TABLE_OF(name)
TABLE_OF(op_ask) TABLE_OF(op_next) TABLE_OF(op_result) TABLE_OF(pair) TABLE_OF(pair_release)
TABLE_OF(identity) TABLE_OF(identity_revoke) TABLE_OF(latch) TABLE_OF(xr_start) TABLE_OF(xr)
static const struct journal_table nothing_table = { .name = "nothing" };

#define ROW(type, member) [type] = { &member##_table, offsetof(struct core_event, u.member) }
const struct event_row event_rows[CORE_EVENT_TYPES] = {
    ROW(CORE_START, start), ROW(CORE_OUTAGE_OVER, outage), [CORE_TICK] = { &nothing_table, offsetof(struct core_event, u) },
    [CORE_STOP] = { &nothing_table, offsetof(struct core_event, u) },
    ROW(CORE_HISTORY_WRITTEN, history), ROW(CORE_SEEN, seen), ROW(CORE_BODY_REPORT, report), ROW(CORE_HEARTBEAT, heartbeat),
    ROW(CORE_READ, read), ROW(CORE_CONFIG_FETCH, fetch), ROW(CORE_CLAIM, claim), ROW(CORE_RENEW, renew), ROW(CORE_RELEASE, release),
    ROW(CORE_STREAM_STOP, stream_stop), ROW(CORE_STREAM_END, stream_end), ROW(CORE_ADMISSION, admission), ROW(CORE_ACCEPT, accept),
    ROW(CORE_ANSWER_LOST, answer_lost), ROW(CORE_ADMIT_OBSERVED, admit), ROW(CORE_LEASE_END, lease_end), ROW(CORE_NODE_ENROL, enrol),
    ROW(CORE_NODE_UPDATE, node_update), ROW(CORE_NODE_DELETE, node_delete), ROW(CORE_NODE_TOKEN, node_token),
    ROW(CORE_NODE_BEAT, node_beat), ROW(CORE_HEAD_UPDATE, head_update), ROW(CORE_WIREGUARD_PUT, wireguard), ROW(CORE_SLOTS_PUT, slots),
    ROW(CORE_DRAIN, drain), ROW(CORE_UNDRAIN, body), ROW(CORE_CIRCUIT_RESET, body), ROW(CORE_SAFE_MODE_END, district),
    ROW(CORE_VENUE_PUT, venue), ROW(CORE_VENUE_DELETE, name), ROW(CORE_ORG_PUT, org), ROW(CORE_ORG_DELETE, name),
    ROW(CORE_EXPERIENCE_PUT, experience), ROW(CORE_EXPERIENCE_DELETE, name), ROW(CORE_OP_ASK, op_ask), ROW(CORE_OP_NEXT, op_next),
    ROW(CORE_OP_RESULT, op_result), ROW(CORE_PAIR_LEASE, pair), ROW(CORE_PAIR_RELEASE, pair_release),
    ROW(CORE_IDENTITY_PUT, identity), ROW(CORE_IDENTITY_REVOKE, identity_revoke), ROW(CORE_LATCH_CLEAR, latch),
    ROW(CORE_XR_START, xr_start), ROW(CORE_XR_POLL, xr), ROW(CORE_XR_END, xr),
};

int event_type_find(const char *name)
{
    for (int type = 0; type < CORE_EVENT_TYPES; type++)
        if (strcmp(core_event_name((enum core_event_type)type), name) == 0)
            return type;
    return -1;
}
