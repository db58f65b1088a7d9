/* views.c - the columns of every answer, as data. */
#include "view.h"

#define COUNT(rows) (sizeof rows / sizeof rows[0])
#define LIST(title_, path_, empty_, rows_) { title_, path_, empty_, rows_, COUNT(rows_) }
#define RECORD(title_, path_)              { title_, path_, NULL, NULL, 0 }
#define VIEW(name_, sections_)             const struct view name_ = { sections_, COUNT(sections_) }

static const struct column slot_columns[] = {
    { "BODY", "body_name|body_id", COLUMN_TEXT, false }, { "SLOT", "slot", COLUMN_TEXT, false }, { "VENUE", "venue", COLUMN_TEXT, false },
    { "DISTRICT", "district", COLUMN_TEXT, true }, { "BODY ID", "body_id", COLUMN_TEXT, true }, { "STATE", "", COLUMN_SLOT, false },
    { "HEAD", "lease.head_name|lease.head_id|observed.head_id|observed.client_name", COLUMN_TEXT, false },
    { "HEAD VENUE", "lease.head_venue", COLUMN_TEXT, true }, { "EXPERIENCE", "lease.experience|observed.app", COLUMN_TEXT, false },
    { "SINCE", "lease.age_seconds", COLUMN_SECONDS, false }, { "ENDS IN", "lease.expires_in_seconds", COLUMN_SECONDS, true },
    { "LEASE", "lease.id", COLUMN_TEXT, false }, { "EPOCH", "epoch", COLUMN_TEXT, true }, { "SOURCE", "lease.source", COLUMN_TEXT, true },
    { "PROTO", "lease.protocol", COLUMN_TEXT, true }, { "SEEN", "observed.state", COLUMN_TEXT, true },
    { "REPORT AGE", "observed.age_seconds", COLUMN_SECONDS, true }, { "APPLIED", "observed.applied_epoch", COLUMN_TEXT, true },
    { "GATE", "observed.gate.mode", COLUMN_TEXT, true }, { "WHY NOT", "why_not", COLUMN_LIST, false },
    { "DIVERGENCE", "divergence", COLUMN_FAULTS, false },
};
static const struct section slots_sections[] = { LIST(NULL, "", "no slot is known that fits\n", slot_columns) };
VIEW(slots_view, slots_sections);

static const struct column board_columns[] = {
    { "DISTRICT", "district", COLUMN_TEXT, true }, { "VENUE", "venue", COLUMN_TEXT, false }, { "BODY", "body_name|body_id", COLUMN_TEXT,
        false },
    { "SLOT", "slot", COLUMN_TEXT, false }, { "STATE", "", COLUMN_SLOT, false },
    { "HEAD", "lease.head_name|lease.head_id|observed.head_id|observed.client_name", COLUMN_TEXT, false },
    { "EXPERIENCE", "lease.experience|observed.app", COLUMN_TEXT, false }, { "SINCE", "lease.age_seconds", COLUMN_SECONDS, false },
    { "ENDS IN", "lease.expires_in_seconds", COLUMN_SECONDS, false }, { "WHY NOT", "why_not", COLUMN_LIST, false },
    { "DIVERGENCE", "divergence", COLUMN_FAULTS, false },
};
const struct section board_slots = LIST(NULL, "", "no body is known yet\n", board_columns);

static const struct column queue_columns[] = {
    { "#", "position", COLUMN_TEXT, false }, { "HEAD", "head_name|head_id", COLUMN_TEXT, false }, { "HEAD ID", "head_id", COLUMN_TEXT,
        true },
    { "VENUE", "venue", COLUMN_TEXT, false }, { "DISTRICT", "district", COLUMN_TEXT, true },
    { "EXPERIENCE", "experience", COLUMN_TEXT, false }, { "STATE", "state", COLUMN_STATE, false },
    { "WAITED", "waited_seconds", COLUMN_SECONDS, false }, { "ETA", "eta_seconds", COLUMN_SECONDS, false },
    { "REASON", "reason", COLUMN_TEXT, false }, { "PROTO", "protocol", COLUMN_TEXT, true },
    { "EXPIRES IN", "expires_in_seconds", COLUMN_SECONDS, true }, { "SKIPPED", "skipped", COLUMN_COUNT, false },
    { "TICKET", "ticket_id", COLUMN_TEXT, true }, { "STREAM", "stream_id", COLUMN_TEXT, true },
};
static const struct section queue_sections[] = { LIST(NULL, "", "nobody waits\n", queue_columns) };
VIEW(queue_view, queue_sections);
const struct section board_queue = LIST("Waiting", "", "nobody waits\n", queue_columns);

static const struct column pool_columns[] = {
    { "POOL", "pool", COLUMN_TEXT, false }, { "SLOTS", "slots", COLUMN_TEXT, false }, { "OCCUPIED", "occupied", COLUMN_TEXT, false },
    { "GRANTABLE", "grantable", COLUMN_TEXT, false }, { "WAITING", "queue_depth", COLUMN_TEXT, false },
    { "WAIT P50", "wait_median_seconds", COLUMN_SECONDS, false }, { "WAIT P90", "wait_p90_seconds", COLUMN_SECONDS, false },
    { "OPEN CIRCUITS", "open_circuits", COLUMN_FAULTS, false },
};
static const struct column venue_load_columns[] = {
    { "VENUE", "venue", COLUMN_TEXT, false }, { "SLOTS", "slots", COLUMN_TEXT, false }, { "OCCUPIED", "occupied", COLUMN_TEXT, false },
    { "WAITING", "queue_depth", COLUMN_TEXT, false }, { "WAIT P50", "wait_median_seconds", COLUMN_SECONDS, false },
    { "WAIT P90", "wait_p90_seconds", COLUMN_SECONDS, false },
};
static const struct section allocation_sections[] = {
    LIST("Pools", "pools", "no pool has a body\n", pool_columns), LIST("Venues", "venues", "no venue is known\n", venue_load_columns),
    RECORD("Denials of the last hour, by reason", "denials_last_hour.by_reason"),
    RECORD("By the head's venue", "denials_last_hour.by_head_venue"), RECORD("By the body's venue", "denials_last_hour.by_body_venue"),
};
VIEW(allocation_view, allocation_sections);

static const struct column conflict_columns[] = {
    { "BODY ID", "body_id", COLUMN_TEXT, false }, { "SLOT", "slot", COLUMN_TEXT, false }, { "KIND", "kind", COLUMN_TEXT, false },
    { "LEASE", "lease_id", COLUMN_TEXT, false }, { "HOLDER", "holder_head_id", COLUMN_TEXT, false },
    { "SEEN HEAD", "observed_head_id", COLUMN_TEXT, false }, { "CLIENT", "client_name|client_uuid", COLUMN_TEXT, false },
    { "SINCE", "since_seconds", COLUMN_SECONDS, false }, { "SOURCE", "source", COLUMN_TEXT, true },
    { "CLIENT UUID", "client_uuid", COLUMN_TEXT, true }, { "LEGACY", "expected_legacy", COLUMN_TEXT, false },
};
static const struct section conflicts_sections[] = { LIST(NULL, "", "nothing is in conflict\n", conflict_columns) };
VIEW(conflicts_view, conflicts_sections);

static const struct column candidate_columns[] = {
    { "RANK", "rank", COLUMN_TEXT, false }, { "BODY ID", "body_id", COLUMN_TEXT, false }, { "SLOT", "slot", COLUMN_TEXT, false },
    { "ELIGIBLE", "eligible", COLUMN_TEXT, false }, { "GRANTABLE", "grantable", COLUMN_TEXT, false },
    { "DEMOTED", "demoted", COLUMN_TEXT, true }, { "WHY NOT", "why_not", COLUMN_LIST, false },
};
static const struct section explain_sections[] = {
    RECORD(NULL, ""), RECORD("A claim would get", "would"), LIST("Every body", "candidates", "no body is known\n", candidate_columns),
};
VIEW(explain_view, explain_sections);

static const struct column event_columns[] = {
    { "ID", "id", COLUMN_TEXT, false }, { "AT", "at", COLUMN_TEXT, false }, { "TYPE", "type", COLUMN_TEXT, false },
    { "BODY", "body_id", COLUMN_TEXT, false }, { "SLOT", "slot", COLUMN_TEXT, false }, { "HEAD", "head_id", COLUMN_TEXT, false },
    { "DETAIL", "detail", COLUMN_TEXT, false }, { "LEASE", "lease_id", COLUMN_TEXT, true }, { "DISTRICT", "district", COLUMN_TEXT, true },
    { "LEGACY", "expected_legacy", COLUMN_TEXT, true },
};
static const struct section events_sections[] = { LIST(NULL, "", "no event is kept that fits\n", event_columns) };
VIEW(events_view, events_sections);

static const struct section explain_lease_sections[] = {
    RECORD(NULL, ""), RECORD("The session", "session"), RECORD("Granted", "granted"), RECORD("Ended", "ended"),
    LIST("Events", "events", "none is kept\n", event_columns),
};
VIEW(explain_lease_view, explain_lease_sections);

static const struct column stream_columns[] = {
    { "STREAM", "id", COLUMN_TEXT, false }, { "HEAD ID", "head_id", COLUMN_TEXT, false }, { "EXPERIENCE", "experience", COLUMN_TEXT,
        false },
    { "STATE", "state", COLUMN_STATE, false }, { "REASON", "reason", COLUMN_TEXT, false }, { "AGE", "age_seconds", COLUMN_SECONDS, false },
    { "UNATTENDED", "unattended_seconds", COLUMN_SECONDS, false }, { "LEASE", "lease_id", COLUMN_TEXT, false },
    { "TICKET", "ticket_id", COLUMN_TEXT, true }, { "CREATED AT", "created_at", COLUMN_TEXT, true },
};
static const struct section streams_sections[] = { LIST(NULL, "", "no stream fits\n", stream_columns) };
VIEW(streams_view, streams_sections);

static const struct column session_columns[] = {
    { "LEASE", "lease_id", COLUMN_TEXT, false }, { "HEAD ID", "head_id", COLUMN_TEXT, false }, { "HEAD VENUE", "head_venue", COLUMN_TEXT,
        true },
    { "BODY ID", "body_id", COLUMN_TEXT, false }, { "BODY VENUE", "body_venue", COLUMN_TEXT, true }, { "SLOT", "slot", COLUMN_TEXT, false },
    { "EXPERIENCE", "experience", COLUMN_TEXT, false }, { "STATE", "state", COLUMN_STATE, false }, { "REASON", "reason", COLUMN_TEXT,
        false },
    { "GRANTED AT", "granted_at", COLUMN_TEXT, false }, { "STREAMING AT", "streaming_at", COLUMN_TEXT, true },
    { "ENDED AT", "ended_at", COLUMN_TEXT, false }, { "SOURCE", "source", COLUMN_TEXT, true }, { "MODE", "mode", COLUMN_TEXT, true },
    { "PROTO", "protocol", COLUMN_TEXT, true }, { "EPOCH", "grant_epoch", COLUMN_TEXT, true }, { "STREAM", "stream_id", COLUMN_TEXT, true },
};
static const struct section sessions_sections[] = { LIST(NULL, "", "no session fits\n", session_columns) };
VIEW(sessions_view, sessions_sections);

static const struct column node_columns[] = {
    { "ID", "id", COLUMN_TEXT, false }, { "NAME", "name", COLUMN_TEXT, false }, { "ROLES", "roles", COLUMN_LIST, false },
    { "VENUE", "venue", COLUMN_TEXT, false }, { "DISTRICT", "district", COLUMN_TEXT, true }, { "OWNER", "owner", COLUMN_TEXT, true },
    { "KIND", "kind", COLUMN_TEXT, true }, { "APPROVAL", "approval", COLUMN_STATE, false }, { "ONLINE", "online", COLUMN_TEXT, false },
    { "STATUS", "status", COLUMN_TEXT, false }, { "LAST SEEN", "last_seen", COLUMN_TEXT, false },
    { "VERSION", "version|body_version", COLUMN_TEXT, true }, { "ARCH", "arch", COLUMN_TEXT, true }, { "IP", "ip", COLUMN_TEXT, true },
    { "PROTO", "protocol_version", COLUMN_TEXT, true }, { "PAIRING", "pairing_protocol", COLUMN_TEXT, true },
    { "LEASE", "lease_id", COLUMN_TEXT, true }, { "ENROLLED AT", "enrolled_at", COLUMN_TEXT, true },
};
static const struct section nodes_sections[] = { LIST(NULL, "", "no node is enrolled\n", node_columns) };
VIEW(nodes_view, nodes_sections);
static const struct section node_sections[] = { RECORD(NULL, ""), RECORD("As a body", "body") };
VIEW(node_view, node_sections);

static const struct column body_columns[] = {
    { "ID", "id", COLUMN_TEXT, false }, { "NAME", "name", COLUMN_TEXT, false }, { "VENUE", "venue", COLUMN_TEXT, false },
    { "DISTRICT", "district", COLUMN_TEXT, true }, { "OWNER", "owner", COLUMN_TEXT, true }, { "APPROVAL", "approval", COLUMN_STATE, true },
    { "ONLINE", "online", COLUMN_TEXT, false }, { "REPORT AGE", "report_age_seconds", COLUMN_SECONDS, false },
    { "SLOTS", "slots_total", COLUMN_TEXT, false }, { "ENFORCE", "enforce", COLUMN_TEXT, false },
    { "MAINTENANCE", "maintenance", COLUMN_TEXT, false }, { "CIRCUIT", "circuit", COLUMN_STATE, false },
    { "DRAIN UNTIL", "drain_deadline_at", COLUMN_TEXT, false }, { "SUNSHINE", "provider_version", COLUMN_TEXT, false },
    { "AGENT", "hydrabody_version", COLUMN_TEXT, true }, { "GPU", "gpu", COLUMN_TEXT, true }, { "BOOT", "boot_id", COLUMN_TEXT, true },
    { "PAIRED", "paired_clients_count", COLUMN_TEXT, true }, { "PAIR EPOCH", "pair_epoch", COLUMN_TEXT, true },
    { "RESERVE", "home_venue_reserve", COLUMN_TEXT, true }, { "XR", "xr_state", COLUMN_TEXT, true },
    { "EXPERIENCES", "installed_experiences", COLUMN_LIST, true },
};
static const struct section bodies_sections[] = { LIST(NULL, "", "no body is enrolled\n", body_columns) };
VIEW(bodies_view, bodies_sections);

static const struct column venue_columns[] = {
    { "NAME", "name", COLUMN_TEXT, false }, { "DISTRICT", "district", COLUMN_TEXT, false }, { "OWNER", "owner", COLUMN_TEXT, false },
    { "MOST GRANTS", "max_concurrent_grants", COLUMN_TEXT, false }, { "ACCEPT", "queue_accept_mode", COLUMN_TEXT, false },
};
static const struct section venues_sections[] = { LIST(NULL, "", "no venue was set up\n", venue_columns) };
VIEW(venues_view, venues_sections);
static const struct column org_columns[] = { { "NAME", "name", COLUMN_TEXT, false },
                                             { "MOST GRANTS", "max_concurrent_grants", COLUMN_TEXT, false } };
static const struct section orgs_sections[] = { LIST(NULL, "", "no owner was set up\n", org_columns) };
VIEW(orgs_view, orgs_sections);
static const struct column experience_columns[] = {
    { "NAME", "name", COLUMN_TEXT, false }, { "LABEL", "label", COLUMN_TEXT, false }, { "MODE", "stream_mode", COLUMN_TEXT, false },
    { "ORIENTATION", "orientation", COLUMN_TEXT, false }, { "MICROPHONE", "enable_microphone", COLUMN_TEXT, false },
    { "VENUES", "venues", COLUMN_LIST, false },
};
static const struct section experiences_sections[] = { LIST(NULL, "", "no experience was set up\n", experience_columns) };
VIEW(experiences_view, experiences_sections);

static const struct column hold_columns[] = {
    { "NODE ID", "node_id", COLUMN_TEXT, false }, { "NAME", "name", COLUMN_TEXT, false }, { "ROLE", "role", COLUMN_TEXT, false },
    { "REASON", "reason", COLUMN_TEXT, false },
};
static const struct section district_sections[] = {
    RECORD(NULL, ""), LIST("What holds per_device_identity back", "held_back_by", "nothing\n", hold_columns),
};
VIEW(district_view, district_sections);

static const struct column step_columns[] = {
    { "STEP", "step", COLUMN_TEXT, false }, { "NAME", "name", COLUMN_TEXT, false }, { "DONE", "done", COLUMN_TEXT, false },
    { "HEADS THAT HOLD IT BACK", "heads", COLUMN_NODES, false }, { "BODIES THAT HOLD IT BACK", "bodies", COLUMN_NODES, false },
};
static const struct section migration_sections[] = {
    RECORD(NULL, ""), LIST("Steps", "steps", "none\n", step_columns), RECORD("Retirement of the legacy protocol", "retirement"),
};
VIEW(migration_view, migration_sections);

static const struct column client_columns[] = {
    { "NAME", "name", COLUMN_TEXT, false }, { "UUID", "uuid", COLUMN_TEXT, false }, { "FIRST SEEN", "first_seen", COLUMN_TEXT, false },
};
static const struct column eviction_columns[] = {
    { "NAME", "name", COLUMN_TEXT, false }, { "UUID", "uuid", COLUMN_TEXT, false }, { "AT", "at", COLUMN_TEXT, false },
};
static const struct column pair_lease_columns[] = {
    { "PAIR LEASE", "id", COLUMN_TEXT, false }, { "SLOT", "slot", COLUMN_TEXT, false }, { "HEAD ID", "head_id", COLUMN_TEXT, false },
    { "EXPIRES IN", "expires_in_seconds", COLUMN_SECONDS, false },
};
static const struct section pairing_sections[] = {
    RECORD(NULL, ""), LIST("Clients", "clients", "none is known\n", client_columns), LIST("Evicted", "evictions", "none\n",
                                                                                          eviction_columns),
    LIST("Pairing at this moment", "pair_leases", "nobody\n", pair_lease_columns),
};
VIEW(pairing_view, pairing_sections);

static const struct section health_sections[] = { RECORD(NULL, ""), RECORD("Dependencies", "dependencies") };
VIEW(health_view, health_sections);
static const struct section lease_sections[] = { RECORD(NULL, "lease") };
VIEW(lease_view, lease_sections);
static const struct section operation_sections[] = { RECORD(NULL, ""), RECORD("Output", "output"),
                                                     LIST("Clients", "output.named_certs", "none\n", client_columns) };
VIEW(operation_view, operation_sections);
static const struct section record_sections[] = { RECORD(NULL, "") };
VIEW(venue_view, record_sections);
VIEW(org_view, record_sections);
VIEW(experience_view, record_sections);
VIEW(drain_view, record_sections);
VIEW(settings_view, record_sections);
VIEW(enrolled_view, record_sections);
VIEW(identity_view, record_sections);

static const struct column restore_columns[] = {
    { "BODY ID", "body_id", COLUMN_TEXT, false }, { "SLOT", "slot", COLUMN_TEXT, false }, { "VERDICT", "verdict", COLUMN_STATE, false },
    { "EPOCH IN THE COPY", "epoch", COLUMN_TEXT, false }, { "EPOCH NOW", "epoch_now", COLUMN_TEXT, false },
    { "LEASE IN THE COPY", "lease", COLUMN_TEXT, false }, { "LEASE NOW", "lease_now", COLUMN_TEXT, false },
};
static const struct section restore_sections[] = { RECORD(NULL, ""), LIST("Slots", "slots", "the copy has none\n", restore_columns) };
VIEW(restore_view, restore_sections);
