#include "lease_rows.h"

#include "rows.h"

#define LEASE_ROWS \
    ROW_ID(struct lease, "id", id, CODEC_REQUIRED), \
    ROW_WORD(struct lease, "state", state, lease_state_words, CODEC_REQUIRED), \
    ROW_WORD(struct lease, "came_from", came_from, lease_state_words, 0), \
    ROW_WORD(struct lease, "reason", why, lease_why_words, OMIT), \
    ROW_U32(struct lease, "protocol", protocol, UINT32_MAX), \
    ROW_WORD(struct lease, "source", source, lease_source_words, 0), \
    ROW_WORD(struct lease, "mode", mode, lease_mode_words, 0), \
    ROW_ID(struct lease, "stream_id", stream_id, OMIT), \
    ROW_ID(struct lease, "head_id", head_id, OMIT), \
    ROW_STR(struct lease, "device_uid", device_uid, OMIT), \
    ROW_STR(struct lease, "sunshine_client_uuid", sunshine_client_uuid, OMIT), \
    ROW_STR(struct lease, "launch_id", launch_id, OMIT), \
    ROW_NAME(struct lease, "experience", experience, OMIT), \
    ROW_STR(struct lease, "app_token", app_token, OMIT), \
    ROW_STR(struct lease, "attempt_id", attempt_id, OMIT), \
    ROW_STR(struct lease, "attempt_digest", attempt_digest, OMIT), \
    ROW_STR(struct lease, "token_hash", token_hash, OMIT), \
    ROW_STR(struct lease, "grant_facts", grant_facts, OMIT), \
    ROW_EPOCH(struct lease, "grant_epoch", grant_epoch, CODEC_REQUIRED), \
    ROW_BOOL(struct lease, "left_behind", left_behind, OMIT), \
    ROW_BOOL(struct lease, "uncollected", uncollected, OMIT), \
    ROW_BOOL(struct lease, "quest", quest, OMIT), \
    ROW_TIME(struct lease, "granted_at", granted_at, OMIT), \
    ROW_TIME(struct lease, "renewed_at", renewed_at, OMIT), \
    ROW_TIME(struct lease, "head_renewed_at", head_renewed_at, OMIT), \
    ROW_TIME(struct lease, "expires_at", expires_at, OMIT), \
    ROW_TIME(struct lease, "start_deadline_at", start_deadline_at, OMIT), \
    ROW_TIME(struct lease, "idle_since", idle_since, OMIT), \
    ROW_TIME(struct lease, "drain_since", drain_since, OMIT), \
    ROW_TIME(struct lease, "unknown_since", unknown_since, OMIT), \
    ROW_TIME(struct lease, "streaming_at", streaming_at, OMIT), \
    ROW_TIME(struct lease, "changed_at", changed_at, OMIT)

_Static_assert(offsetof(struct lease_in_file, lease) == 0, "rows of a lease serve both tables");
static const struct codec_field lease_rows[] = { LEASE_ROWS };
static const struct codec_field lease_read_rows[] = { LEASE_ROWS, ROW_BOOL(struct lease_in_file, "history_written", history_written, 0) };
const struct codec_table lease_table = CODEC_TABLE("lease", lease_rows, struct lease, CODEC_NO_PRESENT);
const struct codec_table lease_read_table = CODEC_TABLE("lease", lease_read_rows, struct lease_in_file, CODEC_NO_PRESENT);

static const struct codec_field ghost_rows[] = {
    ROW_ID(struct ghost, "lease_id", lease_id, OMIT),
    ROW_WORD(struct ghost, "state", state, lease_state_words, CODEC_REQUIRED),
    ROW_WORD(struct ghost, "reason", why, lease_why_words, OMIT),
    ROW_BOOL(struct ghost, "refused", refused, OMIT),
    ROW_U32(struct ghost, "protocol", protocol, UINT32_MAX),
    ROW_ID(struct ghost, "head_id", head_id, OMIT),
    ROW_ID(struct ghost, "stream_id", stream_id, OMIT),
    ROW_ID(struct ghost, "successor_id", successor_id, OMIT),
    ROW_STR(struct ghost, "launch_id", launch_id, OMIT),
    ROW_STR(struct ghost, "client_uuid", client_uuid, OMIT),
    ROW_STR(struct ghost, "app_token", app_token, OMIT),
    ROW_STR(struct ghost, "token_hash", token_hash, OMIT),
    ROW_NAME(struct ghost, "experience", experience, OMIT),
    ROW_TIME(struct ghost, "ended_at", ended_at, OMIT),
};
const struct codec_table ghost_table = CODEC_TABLE("ghost", ghost_rows, struct ghost, CODEC_NO_PRESENT);
