/* words.h - every enumerated word of the core, as one list each: the enum, its text in files and on the wire.
 * The lists are the specification's (rules §6.2, §7.12, §8 to §11; wire §3 to §5). `*_word()` never returns NULL. */
#ifndef HYDRA_CORE_WORDS_H
#define HYDRA_CORE_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "hydra/base/words.h"

/* Lease states, rules §6.2. The last five are terminal. */
#define LEASE_STATE_LIST(X) \
    X(HELD, "held") X(GRANTED, "granted") X(PAIRING, "pairing") X(STARTING, "starting") X(STREAMING, "streaming") X(ADOPTED, "adopted") \
    X(DRAINING, "draining") X(UNKNOWN, "unknown") X(ENDED, "ended") X(EXPIRED, "expired") X(REVOKED, "revoked") X(ABANDONED, "abandoned") \
    X(FAILED, "failed")

/* Why a lease is in its state: persisted with every terminal state, and with draining. */
#define LEASE_WHY_LIST(X) \
    X(NONE, "") X(HEAD_ERROR, "head_error") X(REPEAT_READ, "repeat_read") X(EXPERIENCE_CHANGED, "experience_changed") \
        X(RELEASED, "released") \
    X(USER_EXIT, "user_exit") X(ERROR, "error") X(ABANDON, "abandon") X(UNREACHABLE, "unreachable") X(INTERRUPTED, "interrupted") \
    X(SILENCE, "silence") X(TTL, "ttl") X(START_TIMEOUT, "start_timeout") X(LAUNCH_FAILED, "launch_failed") X(BODY_IDLE, "body_idle") \
    X(UNATTENDED, "unattended") X(DRAIN_TIMEOUT, "drain_timeout") X(UNKNOWN_HOLD, "unknown_hold") X(BODY_REBOOT, "body_reboot") \
    X(BODY_SILENT, "body_silent") X(BODY_LOST, "body_lost") X(OPERATOR_RELEASE, "operator_release") X(OPERATOR_REVOKE, "operator_revoke") \
    X(DRAINED, "drained") X(PREEMPTED, "preempted_by_home_venue") X(PROMOTION_WASTED, "promotion_wasted") X(NOT_ACCEPTED, "not_accepted") \
    X(SUPERSEDED, "superseded") X(REHOMED, "rehomed") X(SEEKS_AGAIN, "seeks_again") X(GENERATION_CONFLICT, "generation_conflict") \
    X(EPOCH_REGRESSED, "epoch_regressed") X(NODE_DELETED, "node_deleted") X(NODE_DENIED, "node_denied") X(MADE_EXPLICIT, "made_explicit") \
    X(IDENTITY_REVOKED, "identity_revoked")

#define LEASE_SOURCE_LIST(X) X(IMPLICIT, "implicit") X(EXPLICIT, "explicit") X(ADOPTED, "adopted")
#define LEASE_MODE_LIST(X)   X(FLAT, "flat") X(XR, "xr") X(PAIR, "pair")
/* What an XR session is doing, wire §2. */
#define XR_STATE_LIST(X) \
    X(NONE, "") X(REQUESTED, "requested") X(ARMING, "arming") X(ARMED, "armed") X(ACTIVE, "active") X(DRAINING, "draining") \
    X(ENDING, "ending") X(FAILED, "failed")
/* What its body is asked to do: begin it, let what runs run, end it. */
#define XR_ACTION_LIST(X) X(ARM, "arm") X(KEEP, "keep") X(END, "end")
#define ENFORCE_LIST(X)      X(OBSERVE, "observe") X(ENFORCE, "enforce")
#define CIRCUIT_LIST(X)      X(CLOSED, "closed") X(OPEN, "open") X(HALF_OPEN, "half_open")
#define SAFE_MODE_LIST(X)    X(NONE, "none") X(BOOT, "boot") X(DOWNGRADE, "downgrade")
#define STREAM_STATE_LIST(X) X(SEEKING, "seeking_body") X(BINDING, "binding") X(LIVE, "live") X(ENDED, "ended")
#define STREAM_WHY_LIST(X) \
    X(NONE, "") X(RELEASED, "released") X(FINISHED, "finished") X(ABANDONED, "abandoned") X(QUEUE_TIMEOUT, "queue_timeout") \
    X(TICKET_EXPIRED, "ticket_expired") X(START_FAILED, "start_failed") X(PROMOTION_WASTED, "promotion_wasted") \
        X(NOT_ACCEPTED, "not_accepted") \
    X(SUPERSEDED, "superseded") X(REVOKED, "revoked") X(HEAD_SILENT, "head_silent") X(UNATTENDED, "unattended") X(BODY_LOST, "body_lost") \
    X(NODE_DELETED, "node_deleted")
#define TICKET_STATE_LIST(X) X(WAITING, "waiting") X(PROMOTED, "promoted") X(CONFIRM, "confirm_required")
/* rules §7.12: why a ticket waits */
#define WAIT_LIST(X) \
    X(NONE, "") X(NO_SLOT, "no_slot") X(RESERVED, "reserved_for_home_venue") X(VENUE_CAP, "venue_cap") X(ORG_CAP, "org_cap") \
    X(KEPT_FOR_OLDER, "kept_for_older") X(NO_FRESH_BODY, "no_fresh_body")
#define APPROVAL_LIST(X)     X(APPROVED, "approved") X(DENIED, "denied") X(PENDING, "pending")
#define ACCEPT_MODE_LIST(X)  X(AUTO, "auto") X(CONFIRM, "confirm")
/* A session as a body reports it, wire §4. */
#define SESSION_LIST(X)      X(IDLE, "idle") X(STARTING, "starting") X(STREAMING, "streaming") X(ENDING, "ending") X(FAILED, "failed")
#define STREAM_STATUS_LIST(X) X(NONE, "") X(IDLE, "idle") X(STREAMING, "streaming")
#define GATE_MODE_LIST(X)    X(NONE, "") X(OBSERVE, "observe") X(ENFORCE, "enforce") X(UNAVAILABLE, "unavailable")
#define HEAD_LEASE_STATE_LIST(X) X(NONE, "") X(PAIRING, "pairing") X(STARTING, "starting") X(STREAMING, "streaming") X(LOST, "lost")
#define ACTION_LIST(X)       X(SERVE, "serve") X(FREE, "free") X(TERMINATE, "terminate")
#define BODY_EVENT_LIST(X)   X(OTHER, "other") X(SECOND_LAUNCH, "second_launch_refused") X(UNAUTHORIZED, "unauthorized_launch") \
    X(BELOW_FLOOR, "epoch_below_floor") X(PAIR_CONTENTION, "pair_contention") X(TRIM_PARSE_FAILED, "trim_parse_failed")

/* wire §4 */
#define OP_LIST(X) \
    X(LIST_CLIENTS, "sunshine.list_clients") X(UNPAIR, "sunshine.unpair") X(SUBMIT_PIN, "sunshine.submit_pin") \
    X(CLOSE_APP, "sunshine.close_app") X(RESTART, "sunshine.restart")
#define OP_STATE_LIST(X)     X(PENDING, "pending") X(DONE, "done") X(FAILED, "failed") X(EXPIRED, "expired")
#define CUSTODIAN_LIST(X)    X(NONE, "") X(OK, "ok") X(PARSE_FAILED, "trim_parse_failed") X(FAILED, "custodian_failed")

/* wire §5: why a slot is not granted. Bits of a mask, in this order. The last eight appear in /explain and /queue only. */
#define WHY_NOT_LIST(X) \
    X(LEASED, "leased") X(NO_REPORT, "no_report") X(STALE_REPORT, "stale_report") X(NOT_NAMED, "not_named") X(NOT_IDLE, "not_idle") \
        X(XR, "xr") \
    X(CIRCUIT_OPEN, "circuit_open") X(PROBE_OUT, "probe_out") X(OFFLINE, "offline") X(MAINTENANCE, "maintenance") \
    X(EPOCH_UNCONFIRMED, "epoch_unconfirmed") X(PROMISED, "promised") X(KEPT_FOR_OLDER, "kept_for_older") X(PAIR_LEASE, "pair_lease") \
    X(SAFE_MODE, "safe_mode") X(NO_PORTS, "no_ports") X(SLOT_LOWERED, "slot_lowered") X(LEGACY_ONE_SLOT, "legacy_needs_one_slot") \
    X(RESERVED, "reserved_for_home_venue") X(VENUE_CAP, "venue_cap") X(ORG_CAP, "org_cap") X(EXPERIENCE, "experience") \
    X(STREAM_MODE, "stream_mode") X(VENUE, "venue") X(DEMOTED, "demoted")
/* wire §5: what desired and observed disagree about. Bits of a mask. */
#define DIVERGENCE_LIST(X) \
    X(UNAUTHORIZED_STREAM, "unauthorized_stream") X(LEASE_WITHOUT_STREAM, "lease_without_stream") X(EPOCH_REGRESSED, "epoch_regressed") \
    X(EPOCH_BELOW_FLOOR, "epoch_below_floor") X(WRONG_CLIENT, "wrong_client") X(STALE_REPORT, "stale_report") \
        X(SECOND_LAUNCH, "second_launch") \
    X(ADOPTED_UNKNOWN_HEAD, "adopted_unknown_head") X(DOWNGRADE, "downgrade_detected") X(UNKNOWN_BODY, "unknown_body")
#define CONFLICT_LIST(X) X(UNAUTHORIZED, "unauthorized_stream") X(WRONG_CLIENT, "wrong_client") X(SECOND_LAUNCH, "second_launch")

/* Published events (seed, Observability, and the rules' own). */
#define NOTE_LIST(X) \
    X(LEASE_GRANTED, "lease_granted") X(LEASE_STREAMING, "lease_streaming") X(LEASE_ENDED, "lease_ended") \
        X(LEASE_UNKNOWN, "lease_unknown") \
    X(LEASE_ADOPTED, "lease_adopted") X(LEASE_DRAINING, "lease_draining") X(SLOT_CONFLICT, "slot_conflict") \
    X(UNAUTHORIZED_LAUNCH, "unauthorized_launch") X(SECOND_LAUNCH, "second_launch_refused") X(EPOCH_BELOW_FLOOR, "epoch_below_floor") \
    X(EPOCH_REGRESSED, "epoch_regressed") X(PAIR_CONTENTION, "pair_contention") X(DUPLICATE_HEAD, "duplicate_head_identity") \
    X(CROSS_VENUE_GRANT, "cross_venue_grant") X(HOME_VENUE_DENIED, "home_venue_denied") X(UNATTENDED_EXPIRED, "lease_unattended_expired") \
    X(UNKNOWN_EXPIRED, "lease_unknown_expired") X(BODY_UNCONFIRMED, "body_unconfirmed") X(BODY_CONFIRMED, "body_confirmed") \
    X(DOWNGRADE, "downgrade_detected") X(GENERATION_CONFLICT, "generation_conflict") X(ALLOCATION_MISSING, "allocation_missing") \
    X(CUSTODIAN_FAILED, "custodian_failed") X(TRIM_PARSE_FAILED, "trim_parse_failed") \
    X(PROMOTION_WASTED, "queue_promotion_wasted") X(QUEUED, "queued") X(PROMOTED, "promoted") X(TICKET_ENDED, "ticket_ended") \
    X(PREEMPTED, "lease_preempted") X(CIRCUIT_OPENED, "circuit_opened") X(CIRCUIT_CLOSED, "circuit_closed") \
    X(SAFE_MODE_ENTERED, "safe_mode_entered") X(SAFE_MODE_ENDED, "safe_mode_ended") X(STREAM_HIJACK, "stream_hijack_refused") \
    X(STREAM_REHOMED, "stream_seeks_again") X(NODE_ENROLLED, "node_enrolled") X(NODE_CHANGED, "node_changed") \
        X(NODE_DELETED, "node_deleted") \
    X(NODE_ONLINE, "node_online") X(NODE_OFFLINE, "node_offline") X(DRAIN_ARMED, "drain_armed") X(DRAIN_UNDONE, "drain_undone") \
    X(CERT_ROTATED, "sunshine_cert_rotated") X(EDGE_ERROR, "lease_edge_error") X(STORE_DOWN, "store_down") X(STORE_UP, "store_up") \
    X(OP_ASKED, "operation_asked") X(OP_FINISHED, "operation_finished") X(PAIR_LEASE_GRANTED, "pair_lease_granted") \
    X(PAIR_LEASE_ENDED, "pair_lease_ended") X(CERT_STORE_GROWTH, "cert_store_growth") \
    X(CLIENT_EVICTED, "client_evicted") X(XR_SESSION, "xr_session") \
    X(IDENTITY_REGISTERED, "identity_registered") X(IDENTITY_REVOKED, "identity_revoked") \
    X(DEVICE_IDENTITY_ON, "per_device_identity_on") X(DEVICE_IDENTITY_OFF, "per_device_identity_off")

/* Refusals: answers, not errors. Their HTTP status and retry times are api/deny_http.c's business. */
#define DENY_LIST(X) \
    X(NONE, "") X(NO_SLOT, "no_slot_available") X(RESERVED, "reserved_for_home_venue") X(RECONCILING, "reconciling") X(QUEUED, "queued") \
    X(HEAD_BUSY, "head_busy") X(ATTEMPT_REUSED, "attempt_reused") X(IDENTITY_UNKNOWN, "identity_unknown") \
        X(IDENTITY_REVOKED, "identity_revoked") \
    X(DUPLICATE_HEAD, "duplicate_head_identity") X(LEASE_LOST, "lease_lost") X(NOT_YOUR_STREAM, "not_your_stream") \
    X(WRONG_TOKEN, "wrong_claim_token") X(EXPERIENCE, "experience_unavailable") X(THROTTLED, "claim_throttled") \
        X(QUEUE_FULL, "queue_full") \
    X(STORE, "store_unavailable") X(NOT_FOUND, "not_found") X(BAD_REQUEST, "bad_request") X(FORBIDDEN, "forbidden") \
    X(NODE_HAS_LEASE, "node_has_lease") X(ENFORCE_NOT_READY, "enforce_not_ready") X(SLOT_HELD, "slot_held") \
    X(LIMIT, "limit_reached") X(OP_FINISHED, "op_finished") X(SESSION_LIVE, "session_live") X(PAIR_CONTENTION, "pair_contention") \
    X(BODY_BUSY, "body_busy") X(NOT_XR_CAPABLE, "not_xr_capable") \
    X(IDENTITY_IN_USE, "identity_in_use") X(NODE_DENIED, "node_denied")

/* What holds back a step of the migration, or per_device_identity (seed, Migration; rules §12.4). */
#define HOLD_LIST(X) \
    X(NONE, "") X(NO_BODY, "no_body") X(NO_HEAD, "no_head") X(NO_REPORT, "no_report") X(STALE_REPORT, "stale_report") \
    X(LEGACY_BODY, "legacy_body") X(PAIRING_PROTOCOL, "pairing_protocol") X(PROTOCOL_VERSION, "protocol_version") \
    X(IDENTITY_UNKNOWN, "identity_unknown") X(IDENTITY_REVOKED, "identity_revoked") X(CLEARED, "cleared_by_admin") \
    X(CUSTODIAN, "custodian_has_no_list") X(CERT_FP, "no_sunshine_cert_fp") \
    X(TRUST_UNKNOWN, "paired_clients_unknown") X(OBSERVES, "enforce_is_observe") X(GATE, "gate_unavailable") \
    X(UNAUTHORIZED, "unauthorized_launch") X(NO_PORTS, "no_ports") X(NOT_NAMED, "slot_not_named")

#define X(id, text) LEASE_##id,
enum lease_state { LEASE_STATE_LIST(X) LEASE_STATES };
#undef X
#define X(id, text) WHY_##id,
enum lease_why { LEASE_WHY_LIST(X) LEASE_WHYS };
#undef X
#define X(id, text) SOURCE_##id,
enum lease_source { LEASE_SOURCE_LIST(X) LEASE_SOURCES };
#undef X
#define X(id, text) MODE_##id,
enum lease_mode { LEASE_MODE_LIST(X) LEASE_MODES };
#undef X
#define X(id, text) XR_##id,
enum xr_state { XR_STATE_LIST(X) XR_STATES };
#undef X
#define X(id, text) XR_ACTION_##id,
enum xr_action { XR_ACTION_LIST(X) XR_ACTIONS };
#undef X
#define X(id, text) ENFORCE_##id,
enum enforce_mode { ENFORCE_LIST(X) ENFORCE_MODES };
#undef X
#define X(id, text) CIRCUIT_##id,
enum circuit_state { CIRCUIT_LIST(X) CIRCUIT_STATES };
#undef X
#define X(id, text) SAFE_##id,
enum safe_mode { SAFE_MODE_LIST(X) SAFE_MODES };
#undef X
#define X(id, text) STREAM_##id,
enum stream_state { STREAM_STATE_LIST(X) STREAM_STATES };
#undef X
#define X(id, text) STREAM_WHY_##id,
enum stream_why { STREAM_WHY_LIST(X) STREAM_WHYS };
#undef X
#define X(id, text) TICKET_##id,
enum ticket_state { TICKET_STATE_LIST(X) TICKET_STATES };
#undef X
#define X(id, text) WAIT_##id,
enum wait_why { WAIT_LIST(X) WAIT_WHYS };
#undef X
#define X(id, text) APPROVAL_##id,
enum approval { APPROVAL_LIST(X) APPROVALS };
#undef X
#define X(id, text) ACCEPT_##id,
enum accept_mode { ACCEPT_MODE_LIST(X) ACCEPT_MODES };
#undef X
#define X(id, text) SESSION_##id,
enum session_state { SESSION_LIST(X) SESSION_STATES };
#undef X
#define X(id, text) STATUS_##id,
enum stream_status { STREAM_STATUS_LIST(X) STREAM_STATUSES };
#undef X
#define X(id, text) GATE_##id,
enum gate_mode { GATE_MODE_LIST(X) GATE_MODES };
#undef X
#define X(id, text) HEAD_LEASE_##id,
enum head_lease_state { HEAD_LEASE_STATE_LIST(X) HEAD_LEASE_STATES };
#undef X
#define X(id, text) ACTION_##id,
enum slot_action { ACTION_LIST(X) SLOT_ACTIONS };
#undef X
#define X(id, text) BODY_EVENT_##id,
enum body_event_type { BODY_EVENT_LIST(X) BODY_EVENT_TYPES };
#undef X
#define X(id, text) OP_##id,
enum op_kind { OP_LIST(X) OP_KINDS };
#undef X
#define X(id, text) OP_##id,
enum op_state { OP_STATE_LIST(X) OP_STATES };
#undef X
#define X(id, text) CUSTODIAN_##id,
enum custodian_state { CUSTODIAN_LIST(X) CUSTODIAN_STATES };
#undef X
#define X(id, text) WHY_NOT_##id##_BIT,
enum why_not_bit { WHY_NOT_LIST(X) WHY_NOT_BITS };
#undef X
#define X(id, text) WHY_NOT_##id = 1 << WHY_NOT_##id##_BIT,
enum why_not { WHY_NOT_NOTHING = 0, WHY_NOT_LIST(X) };
#undef X
#define X(id, text) DIVERGENCE_##id##_BIT,
enum divergence_bit { DIVERGENCE_LIST(X) DIVERGENCE_BITS };
#undef X
#define X(id, text) DIVERGENCE_##id = 1 << DIVERGENCE_##id##_BIT,
enum divergence { DIVERGENCE_NOTHING = 0, DIVERGENCE_LIST(X) };
#undef X
#define X(id, text) CONFLICT_##id,
enum conflict_kind { CONFLICT_LIST(X) CONFLICT_KINDS };
#undef X
#define X(id, text) NOTE_##id,
enum note_type { NOTE_LIST(X) NOTE_TYPES };
#undef X
#define X(id, text) DENY_##id,
enum deny_reason { DENY_LIST(X) DENY_REASONS };
#undef X
#define X(id, text) HOLD_##id,
enum hold_why { HOLD_LIST(X) HOLD_WHYS };
#undef X

/* The texts in enum order, for codec tables: `words` has `count` entries. */
extern const struct hc_words lease_state_words, lease_why_words, lease_source_words, lease_mode_words, xr_state_words, xr_action_words,
    enforce_words, circuit_words,
    safe_mode_words, stream_state_words, stream_why_words, ticket_state_words, wait_words, approval_words, accept_mode_words, session_words,
    stream_status_words, gate_mode_words, head_lease_state_words, action_words, body_event_words, why_not_words, divergence_words,
    conflict_words, note_words, deny_words, op_words, op_state_words, custodian_words, hold_words;
const char *word_of(const struct hc_words *list, int value);   /* asserts the range */
int word_find(const struct hc_words *list, const char *word);  /* -1: not in the list */

#endif
