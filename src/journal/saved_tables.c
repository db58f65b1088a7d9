/* saved_tables.c - the saved records (core/records.h), whole. */
#include <string.h>

#include "tables.h"

#define REC_TABLE(name_, rows_, T) \
    { .name = name_, .fields = rows_, .count = sizeof rows_ / sizeof rows_[0], .size = sizeof(T), .begin = sizeof(struct rec) }

static const struct journal_field lease_rows[] = {
    J_CHARS_ROW(struct lease, id),
    J_WORD_ROW(struct lease, state, lease_state_words),
    J_WORD_ROW(struct lease, came_from, lease_state_words),
    J_WORD_ROW(struct lease, why, lease_why_words),
    J_WORD_ROW(struct lease, source, lease_source_words),
    J_WORD_ROW(struct lease, mode, lease_mode_words),
    J_ROW(struct lease, protocol, J_U32),
    J_CHARS_ROW(struct lease, stream_id),
    J_CHARS_ROW(struct lease, head_id),
    J_CHARS_ROW(struct lease, device_uid),
    J_CHARS_ROW(struct lease, sunshine_client_uuid),
    J_CHARS_ROW(struct lease, launch_id),
    J_CHARS_ROW(struct lease, experience),
    J_CHARS_ROW(struct lease, app_token),
    J_CHARS_ROW(struct lease, attempt_id),
    J_CHARS_ROW(struct lease, attempt_digest),
    J_SECRET_ROW(struct lease, token_hash),
    J_CHARS_ROW(struct lease, grant_facts),
    J_ROW(struct lease, grant_epoch, J_U64),
    J_ROW(struct lease, left_behind, J_BOOL),
    J_ROW(struct lease, uncollected, J_BOOL),
    J_ROW(struct lease, quest, J_BOOL),
    J_ROW(struct lease, granted_at, J_TIME),
    J_ROW(struct lease, renewed_at, J_TIME),
    J_ROW(struct lease, head_renewed_at, J_TIME),
    J_ROW(struct lease, expires_at, J_TIME),
    J_ROW(struct lease, start_deadline_at, J_TIME),
    J_ROW(struct lease, idle_since, J_TIME),
    J_ROW(struct lease, drain_since, J_TIME),
    J_ROW(struct lease, unknown_since, J_TIME),
    J_ROW(struct lease, streaming_at, J_TIME),
    J_ROW(struct lease, changed_at, J_TIME),
};
/* A lease that has ended changes no more; a slot may keep many of them until their history lines are written. */
static const struct journal_field ended_lease_rows[] = {
    J_CHARS_ROW(struct lease, id),
    J_WORD_ROW(struct lease, state, lease_state_words),
    J_WORD_ROW(struct lease, why, lease_why_words),
    J_ROW(struct lease, changed_at, J_TIME),
};
static const struct journal_table ended_lease_table = J_TABLE("ended lease", ended_lease_rows, struct lease);
static const struct journal_table *lease_brief(const void *lease)
{
    return lease_is_terminal(((const struct lease *)lease)->state) ? &ended_lease_table : &whole_lease_table;
}
const struct journal_table whole_lease_table = { .name = "lease", .fields = lease_rows, .count = sizeof lease_rows / sizeof lease_rows[0],
    .size = sizeof(struct lease), .brief = lease_brief };

static const struct journal_field ghost_rows[] = {
    J_CHARS_ROW(struct ghost, lease_id), J_CHARS_ROW(struct ghost, head_id), J_CHARS_ROW(struct ghost, stream_id),
    J_CHARS_ROW(struct ghost, successor_id), J_CHARS_ROW(struct ghost, launch_id), J_CHARS_ROW(struct ghost, client_uuid),
    J_CHARS_ROW(struct ghost, app_token), J_SECRET_ROW(struct ghost, token_hash), J_CHARS_ROW(struct ghost, experience),
    J_ROW(struct ghost, protocol, J_U32), J_WORD_ROW(struct ghost, state, lease_state_words),
    J_WORD_ROW(struct ghost, why, lease_why_words),
    J_ROW(struct ghost, refused, J_BOOL), J_ROW(struct ghost, ended_at, J_TIME),
};
static const struct journal_table ghost_table = J_TABLE("ghost", ghost_rows, struct ghost);

static const struct journal_field pair_rows[] = {
    J_CHARS_ROW(struct pair_lease, id), J_CHARS_ROW(struct pair_lease, head_id), J_CHARS_ROW(struct pair_lease, device_uid),
    J_ROW(struct pair_lease, granted_at, J_TIME), J_ROW(struct pair_lease, expires_at, J_TIME),
};
static const struct journal_table pair_table = J_TABLE("pair_lease", pair_rows, struct pair_lease);

static const struct journal_field slot_rows[] = {
    J_ROW(struct slot, index, J_U32), J_ROW(struct slot, epoch, J_U64), J_ROW(struct slot, max_epoch_seen, J_U64),
    J_CHARS_ROW(struct slot, promise_ticket_id), J_ROW(struct slot, promise_until, J_TIME), J_ROW(struct slot, silent_until, J_TIME),
    J_ROW(struct slot, epoch_regressed, J_BOOL), J_ARRAY_ROW(struct slot, leases, lease_count, whole_lease_table),
    J_INLINE_ROW(struct slot, ghosts, ghost_count, ghost_table), J_PART_ROW(struct slot, pair, pair_table),
};
static const struct journal_table slot_table = J_TABLE("slot", slot_rows, struct slot);

static const struct journal_field failure_rows[] = {
    J_ROW(struct circuit_failure, at, J_TIME), J_CHARS_ROW(struct circuit_failure, head_id),
    J_WORD_ROW(struct circuit_failure, why, lease_why_words),
};
static const struct journal_table failure_table = J_TABLE("circuit_failure", failure_rows, struct circuit_failure);
static const struct journal_field circuit_rows[] = {
    J_WORD_ROW(struct circuit, state, circuit_words), J_ROW(struct circuit, until, J_TIME), J_ROW(struct circuit, open_ms, J_I64),
    J_CHARS_ROW(struct circuit, probe_lease_id), J_INLINE_ROW(struct circuit, failures, failure_count, failure_table),
};
static const struct journal_table circuit_table = J_TABLE("circuit", circuit_rows, struct circuit);

static const struct journal_field paired_rows[] = {
    J_CHARS_ROW(struct paired_client, uuid), J_CHARS_ROW(struct paired_client, name), J_ROW(struct paired_client, first_seen, J_TIME),
};
static const struct journal_table paired_table = J_TABLE("paired", paired_rows, struct paired_client);
static const struct journal_field eviction_rows[] = {
    J_CHARS_ROW(struct eviction, uuid), J_CHARS_ROW(struct eviction, name), J_ROW(struct eviction, at, J_TIME),
};
static const struct journal_table eviction_table = J_TABLE("eviction", eviction_rows, struct eviction);

static const struct journal_field xr_rows[] = {
    J_CHARS_ROW(struct xr_session, session_id), J_CHARS_ROW(struct xr_session, head_id),
    J_WORD_ROW(struct xr_session, state, xr_state_words), J_ROW(struct xr_session, created_at, J_TIME),
    J_ROW(struct xr_session, since, J_TIME), J_CHARS_ROW(struct xr_session, reason), J_ROW(struct xr_session, acknowledged, J_BOOL),
    J_CHARS_ROW(struct xr_session, experience), J_CHARS_ROW(struct xr_session, client_hostname),
    J_CHARS_ROW(struct xr_session, client_ip),
};
static const struct journal_table xr_table = J_TABLE("xr_session", xr_rows, struct xr_session);

static const struct journal_field body_rows[] = {
    J_ROW(struct body_rec, slots_total, J_U32),
    J_WORD_ROW(struct body_rec, enforce, enforce_words),
    J_ROW(struct body_rec, maintenance, J_BOOL),
    J_ROW(struct body_rec, home_venue_reserve, J_I32),
    J_ROW(struct body_rec, drain_deadline_at, J_TIME),
    J_ROW(struct body_rec, drain_cordoned, J_BOOL),
    J_CHARS_ROW(struct body_rec, boot_id),
    J_ROW(struct body_rec, last_body_confirmation_at, J_TIME),
    J_ROW(struct body_rec, boots_unconfirmed, J_U32),
    J_ROW(struct body_rec, deleted, J_BOOL),
    J_ROW(struct body_rec, unconfirmed_told, J_BOOL),
    J_ROW(struct body_rec, pair_epoch, J_U32),
    J_CHARS_ROW(struct body_rec, sunshine_cert_fp),
    J_ROW(struct body_rec, listed_experiences, J_STRINGS),
    J_ROW(struct body_rec, maintenance_clients, J_STRINGS),
    J_PART_ROW(struct body_rec, circuit, circuit_table),
    J_PART_ROW(struct body_rec, xr, xr_table),
    J_ROW(struct body_rec, last_unauthorized_at, J_TIME),
    J_ROW(struct body_rec, observing_since, J_TIME),
    { J_AT(struct body_rec, paired), .type = J_PAIRED, .sub = &paired_table },
    J_ROW(struct body_rec, custodian_last_success_at, J_TIME),
    J_ROW(struct body_rec, cert_rotated_at, J_TIME),
    J_INLINE_ROW(struct body_rec, evictions, eviction_count, eviction_table),
    J_ARRAY_ROW(struct body_rec, slots, slot_count, slot_table),
};
const struct journal_table body_rec_table = REC_TABLE("body", body_rows, struct body_rec);

static const struct journal_field stream_rows[] = {
    J_CHARS_ROW(struct stream_rec, head_id), J_CHARS_ROW(struct stream_rec, experience),
    J_WORD_ROW(struct stream_rec, state, stream_state_words), J_WORD_ROW(struct stream_rec, why, stream_why_words),
    J_ROW(struct stream_rec, protocol, J_U32), J_ROW(struct stream_rec, created_at, J_TIME), J_ROW(struct stream_rec, ended_at, J_TIME),
    J_ROW(struct stream_rec, returns, J_U32), J_ROW(struct stream_rec, preempted, J_U32),
    J_INLINE_ROW(struct stream_rec, lease_ids, lease_count, id_element),
};
const struct journal_table stream_rec_table = REC_TABLE("stream", stream_rows, struct stream_rec);

static const struct journal_field ticket_rows[] = {
    J_CHARS_ROW(struct ticket_rec, id), J_CHARS_ROW(struct ticket_rec, stream_id), J_CHARS_ROW(struct ticket_rec, attempt_id),
    J_CHARS_ROW(struct ticket_rec, district), J_CHARS_ROW(struct ticket_rec, experience), J_CHARS_ROW(struct ticket_rec, device_uid),
    J_CHARS_ROW(struct ticket_rec, attempt_digest), J_CHARS_ROW(struct ticket_rec, prefer_body_id),
    J_WORD_ROW(struct ticket_rec, state, ticket_state_words), J_WORD_ROW(struct ticket_rec, why, wait_words),
    J_WORD_ROW(struct ticket_rec, mode, lease_mode_words), J_ROW(struct ticket_rec, protocol, J_U32),
    J_ROW(struct ticket_rec, created_at, J_TIME), J_ROW(struct ticket_rec, renewed_at, J_TIME), J_ROW(struct ticket_rec, asked_at, J_TIME),
    J_ROW(struct ticket_rec, confirm_by, J_TIME), J_ROW(struct ticket_rec, eta_ms, J_I64),
};
const struct journal_table ticket_rec_table = REC_TABLE("ticket", ticket_rows, struct ticket_rec);

static const struct journal_field district_rows[] = {
    J_WORD_ROW(struct district_rec, safe_mode, safe_mode_words), J_ROW(struct district_rec, safe_since, J_TIME),
    J_ARRAY_ROW(struct district_rec, awaited, awaited_count, id_element), J_ROW(struct district_rec, per_device_identity_at, J_TIME),
    J_ROW(struct district_rec, per_device_identity_off_at, J_TIME), J_ROW(struct district_rec, retirement_since, J_TIME),
};
const struct journal_table district_rec_table = REC_TABLE("district", district_rows, struct district_rec);

static const struct journal_field cap_rows[] = { J_ROW(struct cap_rec, max_concurrent_grants, J_U32) };
const struct journal_table cap_rec_table = REC_TABLE("cap", cap_rows, struct cap_rec);

static const struct journal_field demotion_rows[] = {
    J_CHARS_ROW(struct demotion_rec, body_id), J_CHARS_ROW(struct demotion_rec, head_id), J_ROW(struct demotion_rec, until, J_TIME),
};
const struct journal_table demotion_rec_table = REC_TABLE("demotion", demotion_rows, struct demotion_rec);

static const struct journal_field attempt_rows[] = {
    J_CHARS_ROW(struct attempt, attempt_id), J_CHARS_ROW(struct attempt, lease_id), J_CHARS_ROW(struct attempt, stream_id),
    J_WORD_ROW(struct attempt, why, lease_why_words), J_WORD_ROW(struct attempt, state, lease_state_words),
    J_ROW(struct attempt, until, J_TIME),
};
static const struct journal_table attempt_table = J_TABLE("attempt", attempt_rows, struct attempt);
static const struct journal_field attempts_rows[] = { J_INLINE_ROW(struct attempts_rec, at, count, attempt_table) };
const struct journal_table attempts_rec_table = REC_TABLE("attempts", attempts_rows, struct attempts_rec);

static const struct journal_field stream_block_rows[] = {
    J_CHARS_ROW(struct stream_block, stream_url), J_CHARS_ROW(struct stream_block, stream_url_lan),
    J_CHARS_ROW(struct stream_block, stream_app_id), J_CHARS_ROW(struct stream_block, stream_mode),
};
const struct journal_table stream_block_table = J_TABLE("stream_block", stream_block_rows, struct stream_block);

static const struct journal_field rare_rows[] = {
    J_PART_ROW(struct node_rare, stream, stream_block_table), J_PART_ROW(struct node_rare, xr_session, xr_table),
};
static const struct journal_table rare_table = { .name = "rare", .fields = rare_rows, .count = sizeof rare_rows / sizeof rare_rows[0],
                                                 .size = sizeof(struct node_rare), .begin = offsetof(struct node_rare, stream) };

static const struct journal_field node_rows[] = {
    J_CHARS_ROW(struct node_rec, name), J_ROW(struct node_rec, roles, J_U32), J_CHARS_ROW(struct node_rec, district),
    J_CHARS_ROW(struct node_rec, venue), J_CHARS_ROW(struct node_rec, owner), J_CHARS_ROW(struct node_rec, machine_id),
    J_CHARS_ROW(struct node_rec, ip), J_CHARS_ROW(struct node_rec, wireguard_ip), J_CHARS_ROW(struct node_rec, kind),
    J_WORD_ROW(struct node_rec, approval, approval_words), J_SECRET_ROW(struct node_rec, token_hash),
    J_CHARS_ROW(struct node_rec, version), J_CHARS_ROW(struct node_rec, arch), J_ROW(struct node_rec, enrolled_at, J_TIME),
    J_ROW(struct node_rec, last_seen, J_TIME), J_CHARS_ROW(struct node_rec, xr_client_hostname),
    J_CHARS_ROW(struct node_rec, head_body_id), { J_AT(struct node_rec, rare), .type = J_RARE, .sub = &rare_table },
    { J_AT(struct node_rec, wireguard_config), .type = J_COUNTED_TEXT, .secret = true },
    J_ROW(struct node_rec, protocol_version, J_U32), J_ROW(struct node_rec, pairing_protocol, J_U32),
};
const struct journal_table node_rec_table = REC_TABLE("node", node_rows, struct node_rec);

static const struct journal_field venue_rows[] = {
    J_CHARS_ROW(struct venue_rec, district), J_CHARS_ROW(struct venue_rec, owner),
    J_WORD_ROW(struct venue_rec, accept_mode, accept_mode_words),
};
const struct journal_table venue_rec_table = REC_TABLE("venue", venue_rows, struct venue_rec);
const struct journal_table org_rec_table = { .name = "org", .size = sizeof(struct org_rec), .begin = sizeof(struct rec) };

static const struct journal_field experience_rows[] = {
    J_CHARS_ROW(struct experience_rec, label), J_CHARS_ROW(struct experience_rec, orientation),
    J_CHARS_ROW(struct experience_rec, stream_mode), J_ROW(struct experience_rec, enable_microphone, J_BOOL),
    J_ROW(struct experience_rec, venues, J_STRINGS),
};
const struct journal_table experience_rec_table = REC_TABLE("experience", experience_rows, struct experience_rec);

static const struct journal_field op_rows[] = {
    J_CHARS_ROW(struct op_rec, node_id), J_WORD_ROW(struct op_rec, op, op_words), J_WORD_ROW(struct op_rec, state, op_state_words),
    J_CHARS_ROW(struct op_rec, uuid), J_SECRET_ROW(struct op_rec, pin), J_CHARS_ROW(struct op_rec, name),
    J_ROW(struct op_rec, force, J_BOOL), J_CHARS_ROW(struct op_rec, asked_by), J_ROW(struct op_rec, asked_at, J_TIME),
    J_ROW(struct op_rec, expires_at, J_TIME), J_ROW(struct op_rec, finished_at, J_TIME), J_ROW(struct op_rec, output, J_COUNTED_TEXT),
    J_CHARS_ROW(struct op_rec, error),
};
const struct journal_table op_rec_table = REC_TABLE("op", op_rows, struct op_rec);

static const struct journal_field predecessor_rows[] = {
    J_CHARS_ROW(struct predecessor, fingerprint), J_ROW(struct predecessor, registered_at, J_TIME),
    J_ROW(struct predecessor, overlap_until, J_TIME),
};
static const struct journal_table predecessor_table = J_TABLE("predecessor", predecessor_rows, struct predecessor);
static const struct journal_field identity_rows[] = {
    J_CHARS_ROW(struct identity_rec, device_uid), J_CHARS_ROW(struct identity_rec, fingerprint),
    J_ROW(struct identity_rec, registered_at, J_TIME), J_ROW(struct identity_rec, not_after, J_TIME),
    J_ROW(struct identity_rec, revoked_at, J_TIME), J_PART_ROW(struct identity_rec, predecessor, predecessor_table),
    J_ROW(struct identity_rec, cert_pem, J_COUNTED_TEXT),
    { J_AT(struct identity_rec, lost), .type = J_PAIRED, .sub = &paired_table },
};
const struct journal_table identity_rec_table = REC_TABLE("identity", identity_rows, struct identity_rec);

const struct record_row record_rows[REC_KINDS] = {
    [REC_BODY] = { "body", &body_rec_table }, [REC_STREAM] = { "stream", &stream_rec_table },
    [REC_TICKET] = { "ticket", &ticket_rec_table }, [REC_DISTRICT] = { "district", &district_rec_table },
    [REC_CAP] = { "cap", &cap_rec_table }, [REC_DEMOTION] = { "demotion", &demotion_rec_table },
    [REC_ATTEMPTS] = { "attempts", &attempts_rec_table }, [REC_OP] = { "op", &op_rec_table },
    [REC_IDENTITY] = { "identity", &identity_rec_table }, [REC_NODE] = { "node", &node_rec_table },
    [REC_VENUE] = { "venue", &venue_rec_table }, [REC_ORG] = { "org", &org_rec_table },
    [REC_EXPERIENCE] = { "experience", &experience_rec_table },
    [OBS_BODY] = { "observed_body", &body_obs_table }, [OBS_NODE] = { "observed_node", &node_obs_table },
    [OBS_CLOCK] = { "observed_clock", &clock_obs_table }, [OBS_POOL] = { "observed_pool", &pool_obs_table },
    [OBS_OP] = { "observed_op", &op_obs_table },
};

int record_kind_find(const char *name)
{
    for (int kind = 0; kind < REC_KINDS; kind++)
        if (record_rows[kind].name != NULL && strcmp(record_rows[kind].name, name) == 0)
            return kind;
    return -1;
}
