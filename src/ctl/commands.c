/* commands.c - the table. */
#include "command.h"

#define COUNT(rows) (sizeof rows / sizeof rows[0])
#define FLAGS(rows) .flags = rows, .flag_count = COUNT(rows)

const struct flag global_flags[] = {
    [GLOBAL_SERVER] = { "server", 0, "URL", "the daemon: https://hydra.example:8443; else HYDRACTL_SERVER, else the file", FLAG_TEXT,
                        FLAG_LOCAL,
                        NULL },
    [GLOBAL_TOKEN_FILE] = { "token-file", 0, "FILE", "a file with the token, 0600; else HYDRACTL_TOKEN_FILE, else the file", FLAG_FILE,
                            FLAG_LOCAL, NULL },
    [GLOBAL_CA_FILE] = { "ca-file", 0, "FILE", "certificates to trust instead of the system's; else HYDRACTL_CA_FILE, else the file",
                         FLAG_FILE,
                         FLAG_LOCAL, NULL },
    [GLOBAL_OUTPUT] = { "output", 'o', "FORMAT", "table, wide, json or yaml", FLAG_TEXT, FLAG_LOCAL, NULL },
    [GLOBAL_INSECURE_HTTP] = { "insecure-http", 0, NULL, "send the token unencrypted to another machine", FLAG_SWITCH, FLAG_LOCAL, NULL },
    [GLOBAL_VERSION] = { "version", 0, NULL, "print the version and stop", FLAG_SWITCH, FLAG_LOCAL, NULL },
    [GLOBAL_HELP] = { "help", 'h', NULL, "print help, also of a command, and stop", FLAG_SWITCH, FLAG_LOCAL, NULL },
};
const size_t global_flag_count = COUNT(global_flags);
_Static_assert(COUNT(global_flags) == GLOBALS, "one row for each global flag");

#define FLAG_OF_DISTRICT { "district", 0, "NAME", "only this district", FLAG_TEXT, FLAG_QUERY, "district" }
#define FLAG_OF_VENUE    { "venue", 0, "NAME", "only this venue", FLAG_TEXT, FLAG_QUERY, "venue" }
#define FLAG_OF_LIMIT    { "limit", 0, "N", "at most so many, the newest (100; up to 1000)", FLAG_COUNT, FLAG_QUERY, "limit" }
#define FLAG_OF_FORCE(help_) { "force", 0, NULL, help_, FLAG_SWITCH, FLAG_QUERY, "force" }
#define FLAG_OF_SAVE                                                                                                   \
    { "save-token", 0, "FILE", "write the token into a new file, 0600, instead of printing it", FLAG_FILE, FLAG_LOCAL, NULL }

static const struct flag slots_flags[] = {
    { "divergent", 0, NULL, "only where cluster and machine disagree; exit code 4 when there is one", FLAG_SWITCH, FLAG_QUERY,
      "divergent" },
    FLAG_OF_DISTRICT, FLAG_OF_VENUE, { "body", 0, "NODE", "only this body", FLAG_NODE, FLAG_QUERY, "body" },
};
static const struct flag watch_flags[] = {
    FLAG_OF_DISTRICT, FLAG_OF_VENUE, { "body", 0, "NODE", "only this body", FLAG_NODE, FLAG_QUERY, "body" },
    { "divergent", 0, NULL, "only where cluster and machine disagree", FLAG_SWITCH, FLAG_QUERY, "divergent" },
};
static const struct flag district_flag[] = { FLAG_OF_DISTRICT };
static const struct flag explain_flags[] = {
    { "lease", 0, "LEASE", "look back: why that head got that slot, and how it ended", FLAG_TEXT, FLAG_QUERY, "lease" },
    { "protocol", 0, "N", "as if the head spoke protocol 1 or 2", FLAG_COUNT, FLAG_QUERY, "protocol" },
};
static const struct flag streams_flags[] = {
    FLAG_OF_DISTRICT, FLAG_OF_VENUE, { "state", 0, "STATE", "only in this state", FLAG_TEXT, FLAG_QUERY, "state" },
    { "unattended-over", 0, "TIME", "only those that nobody attended for longer", FLAG_DURATION, FLAG_QUERY, "unattended_over" },
    FLAG_OF_LIMIT,
};
static const struct flag sessions_flags[] = {
    { "history", 0, NULL, "those that ended too, the newest first", FLAG_SWITCH, FLAG_LOCAL, NULL },
    { "head", 0, "NODE", "with --history: only this head", FLAG_NODE, FLAG_QUERY, "head" },
    { "body", 0, "NODE", "with --history: only this body", FLAG_NODE, FLAG_QUERY, "body" },
    { "venue", 0, "NAME", "with --history: only this venue", FLAG_TEXT, FLAG_QUERY, "venue" },
    { "since", 0, "INSTANT", "with --history: granted since, as 2026-09-04T11:43:18Z", FLAG_TEXT, FLAG_QUERY, "since" },
    { "limit", 0, "N", "with --history: at most so many (100; up to 1000)", FLAG_COUNT, FLAG_QUERY, "limit" },
};
static const struct flag events_flags[] = {
    { "follow", 'f', NULL, "go on as they happen; survives a restart of the daemon", FLAG_SWITCH, FLAG_LOCAL, NULL },
    { "since", 0, "ID", "what came after the event of this id, the oldest first", FLAG_TEXT, FLAG_QUERY, "since" },
    { "type", 0, "TYPE", "only of this type", FLAG_TEXT, FLAG_QUERY, "type" }, FLAG_OF_LIMIT,
};
static const struct flag delete_node_flags[] = { FLAG_OF_FORCE("also while it holds or serves a lease: drains it first") };
static const struct flag token_flags[] = { FLAG_OF_SAVE };
static const struct flag enrol_flags[] = {
    { "role", 0, "ROLES", "body, head, or body,head", FLAG_WORDS, FLAG_BODY, "roles" },
    { "venue", 0, "NAME", "where it stands", FLAG_TEXT, FLAG_BODY, "venue" },
    { "district", 0, "NAME", "its district (the daemon's own)", FLAG_TEXT, FLAG_BODY, "district" },
    { "owner", 0, "NAME", "whose it is", FLAG_TEXT, FLAG_BODY, "owner" },
    { "kind", 0, "KIND", "what it is, for instance hydraheadquest", FLAG_TEXT, FLAG_BODY, "kind" },
    { "machine-id", 0, "ID", "head and body of one machine have the same", FLAG_TEXT, FLAG_BODY, "machine_id" },
    { "ip", 0, "ADDRESS", "in the venue's network", FLAG_TEXT, FLAG_BODY, "ip" },
    { "wireguard-ip", 0, "ADDRESS", "in the tunnel", FLAG_TEXT, FLAG_BODY, "wireguard_ip" }, FLAG_OF_SAVE,
};
static const struct flag set_node_flags[] = {
    { "name", 0, "NAME", "what it is called", FLAG_TEXT, FLAG_BODY, "name" },
    { "role", 0, "ROLES", "body, head, or body,head", FLAG_WORDS, FLAG_BODY, "roles" },
    { "venue", 0, "NAME", "where it stands", FLAG_TEXT, FLAG_BODY, "venue" },
    { "district", 0, "NAME", "its district", FLAG_TEXT, FLAG_BODY, "district" },
    { "owner", 0, "NAME", "whose it is", FLAG_TEXT, FLAG_BODY, "owner" },
    { "machine-id", 0, "ID", "head and body of one machine have the same", FLAG_TEXT, FLAG_BODY, "machine_id" },
    { "ip", 0, "ADDRESS", "in the venue's network", FLAG_TEXT, FLAG_BODY, "ip" },
    { "wireguard-ip", 0, "ADDRESS", "in the tunnel", FLAG_TEXT, FLAG_BODY, "wireguard_ip" },
    { "xr-client-hostname", 0, "NAME", "what the headset is called to ALVR", FLAG_TEXT, FLAG_BODY, "xr_client_hostname" },
};
static const struct flag set_venue_flags[] = {
    { "district", 0, "NAME", "its district", FLAG_TEXT, FLAG_BODY, "district" },
    { "owner", 0, "NAME", "whose it is", FLAG_TEXT, FLAG_BODY, "owner" },
    { "most-grants", 0, "N", "leases at the same time (as many as there are slots)", FLAG_COUNT, FLAG_BODY, "max_concurrent_grants" },
    { "accept", 0, "MODE", "auto, or confirm: a visitor says yes to the slot", FLAG_TEXT, FLAG_BODY, "queue_accept_mode" },
};
static const struct flag set_org_flags[] = {
    { "most-grants", 0, "N", "leases at the same time", FLAG_COUNT, FLAG_BODY, "max_concurrent_grants" },
};
static const struct flag set_experience_flags[] = {
    { "label", 0, "TEXT", "what visitors read", FLAG_TEXT, FLAG_BODY, "label" },
    { "stream-mode", 0, "MODE", "xr, or nothing for a flat one", FLAG_TEXT, FLAG_BODY, "stream_mode" },
    { "orientation", 0, "WORD", "how a head should be held", FLAG_TEXT, FLAG_BODY, "orientation" },
    { "microphone", 0, NULL, "heads send their microphone", FLAG_SWITCH, FLAG_BODY, "enable_microphone" },
    { "venues", 0, "NAMES", "only in these venues (all)", FLAG_WORDS, FLAG_BODY, "venues" },
};
static const struct flag drain_flags[] = {
    { "deadline", 0, "TIME", "sessions may go on for so long: 30min", FLAG_DURATION, FLAG_BODY, "deadline_seconds" },
    { "dry-run", 0, NULL, "only say whom it would touch", FLAG_SWITCH, FLAG_BODY, "dry_run" },
};
static const struct flag enforce_flags[] = { FLAG_OF_FORCE("before it was observed for long enough") };
static const struct flag settings_flags[] = {
    { "slots", 0, "N", "how many slots it has", FLAG_COUNT, FLAG_BODY, "slots_total" },
    { "maintenance-clients", 0, "NAMES", "who gets in while it is closed: names or uuids", FLAG_WORDS, FLAG_BODY, "maintenance_clients" },
    { "reserve", 0, "N|auto", "slots kept for heads of its own venue; auto: one when such a head may want it", FLAG_COUNT_AUTO, FLAG_BODY,
      "home_venue_reserve" },
    FLAG_OF_FORCE("also what the daemon advises against"),
};
static const struct flag reason_flags[] = { { "reason", 0, "TEXT", "for people, in the event", FLAG_TEXT, FLAG_BODY, "reason" } };
static const struct flag safe_mode_flags[] = { { "district", 0, "NAME", "only there (everywhere)", FLAG_TEXT, FLAG_BODY, "district" } };
static const struct flag operation_flags[] = {
    { "uuid", 0, "UUID", "of the client, for sunshine.unpair", FLAG_TEXT, FLAG_LOCAL, NULL },
    { "name", 0, "NAME", "of the client, for sunshine.submit_pin; the PIN is read from standard input", FLAG_TEXT, FLAG_LOCAL, NULL },
    { "force", 0, NULL, "also while a session is live", FLAG_SWITCH, FLAG_LOCAL, NULL },
    { "no-wait", 0, NULL, "only ask for it; do not wait for the result", FLAG_SWITCH, FLAG_LOCAL, NULL },
};
static const struct flag backup_flags[] = { { "force", 0, NULL, "replace the file if there is one", FLAG_SWITCH, FLAG_LOCAL, NULL } };
static const struct flag restore_flags[] = {
    { "check", 0, NULL, "compare the copy with what is there now, and change nothing", FLAG_SWITCH, FLAG_LOCAL, NULL },
    { "data-dir", 0, "DIR", "compare with the files of a daemon that does not run", FLAG_FILE, FLAG_LOCAL, NULL },
};

#define ON_NODE { { "NODE", ARGUMENT_NODE, false, NULL } }
#define ON_NAME { { "NAME", ARGUMENT_TEXT, false, NULL } }
#define OPERATIONS "sunshine.list_clients sunshine.unpair sunshine.submit_pin sunshine.close_app sunshine.restart"
#define V1 "/api/v1/"
#define GET(path_, view_)           .run = run_call, .method = "GET", .path = V1 path_, .view = &(view_), .scope = "read"
#define HAND(method_, path_, done_) .run = run_call, .method = method_, .path = V1 path_, .done = done_, .scope = "admin"

const struct command commands[] = {
    { .words = "slots", .help = "every slot: what it is, who has it, and where cluster and machine disagree", GET("slots", slots_view),
      FLAGS(slots_flags), .diverged = "divergent" },
    { .words = "queue", .help = "who waits, in order, and why", GET("queue", queue_view), FLAGS(district_flag) },
    { .words = "allocation", .help = "slots, waits and denials by pool and venue", GET("allocation", allocation_view) },
    { .words = "conflicts", .help = "live mismatches; exit code 4 when there is one", GET("conflicts", conflicts_view), .diverged = "" },
    { .words = "explain", .help = "what a claim would get now, and why each body would or would not serve it", .run = run_explain,
      .method = "GET", .path = V1 "explain", .view = &explain_view, .scope = "read",
      .arguments = { { "HEAD", ARGUMENT_NODE, true, NULL }, { "EXPERIENCE", ARGUMENT_TEXT, true, NULL } }, FLAGS(explain_flags) },
    { .words = "streams", .help = "what visitors wanted, and what became of it", GET("streams", streams_view), FLAGS(streams_flags) },
    { .words = "sessions", .help = "who has a lease; with --history who had one", .run = run_sessions, .method = "GET",
      .path = V1 "sessions",
      .view = &sessions_view, .scope = "read", FLAGS(sessions_flags) },
    { .words = "events", .help = "what happened; with -f as it happens", .run = run_events, .method = "GET", .path = V1 "events",
      .view = &events_view, .scope = "read", FLAGS(events_flags) },
    { .words = "watch", .help = "the board, live until Ctrl-C; without a terminal a line for each change", .run = run_watch,
      .method = "GET",
      .path = V1 "slots", .scope = "read", FLAGS(watch_flags) },
    { .words = "nodes list", .also = "nodes", .help = "every enrolled machine", GET("nodes", nodes_view) },
    { .words = "nodes show", .help = "one machine", GET("nodes/{}", node_view), .arguments = ON_NODE },
    { .words = "nodes approve", .help = "let a machine in", HAND("PUT", "nodes/{}", "is approved"), .body = "\"approval\":\"approved\"",
      .arguments = ON_NODE },
    { .words = "nodes deny", .help = "refuse a machine everywhere", HAND("PUT", "nodes/{}", "is denied"), .body = "\"approval\":\"denied\"",
      .arguments = ON_NODE },
    { .words = "nodes set", .help = "change a machine's name, place or addresses", HAND("PUT", "nodes/{}", "is changed"),
      .arguments = ON_NODE,
      FLAGS(set_node_flags) },
    { .words = "nodes token", .also = "token", .help = "a new token for a machine; its old one dies at once", .run = run_node_token,
      .method = "POST", .path = V1 "nodes/{}/token", .view = &enrolled_view, .scope = "admin", .arguments = ON_NODE, FLAGS(token_flags) },
    { .words = "nodes delete", .help = "remove a machine", HAND("DELETE", "nodes/{}", "is deleted"), .arguments = ON_NODE,
      FLAGS(delete_node_flags) },
    { .words = "enrol", .help = "add a machine; its token is told once", .run = run_enrol, .method = "POST", .path = V1 "nodes",
      .view = &enrolled_view, .scope = "admin", .arguments = ON_NAME, FLAGS(enrol_flags) },
    { .words = "bodies", .help = "the GPU machines", GET("bodies", bodies_view) },
    { .words = "heads", .help = "the iPads, flatscreens and headsets", GET("heads", nodes_view) },
    { .words = "venues list", .also = "venues", .help = "the venues that were set up", GET("venues", venues_view) },
    { .words = "venues show", .help = "one venue", GET("venues/{}", venue_view), .arguments = ON_NAME },
    { .words = "venues set", .help = "state all of a venue: what is not named is as if never set", HAND("PUT", "venues/{}", "is set"),
      .arguments = ON_NAME, FLAGS(set_venue_flags) },
    { .words = "venues delete", .help = "forget what was set for a venue", HAND("DELETE", "venues/{}", "is deleted"),
      .arguments = ON_NAME },
    { .words = "orgs list", .also = "orgs", .help = "the owners that have a cap", GET("orgs", orgs_view) },
    { .words = "orgs show", .help = "one owner", GET("orgs/{}", org_view), .arguments = ON_NAME },
    { .words = "orgs set", .help = "state the cap of an owner", HAND("PUT", "orgs/{}", "is set"), .arguments = ON_NAME,
      FLAGS(set_org_flags) },
    { .words = "orgs delete", .help = "forget an owner's cap", HAND("DELETE", "orgs/{}", "is deleted"), .arguments = ON_NAME },
    { .words = "experiences list", .also = "experiences", .help = "what can be played", GET("experiences", experiences_view) },
    { .words = "experiences show", .help = "one experience", GET("experiences/{}", experience_view), .arguments = ON_NAME },
    { .words = "experiences set", .help = "state all of an experience: what is not named is as if never set",
      HAND("PUT", "experiences/{}", "is set"), .arguments = ON_NAME, FLAGS(set_experience_flags) },
    { .words = "experiences delete", .help = "forget an experience", HAND("DELETE", "experiences/{}", "is deleted"), .arguments = ON_NAME },
    { .words = "drain", .help = "let a body run empty", .run = run_drain, .method = "POST", .path = V1 "nodes/{}/drain",
      .view = &drain_view,
      .scope = "admin", .arguments = ON_NODE, FLAGS(drain_flags) },
    { .words = "undrain", .help = "take a drain back", HAND("DELETE", "nodes/{}/drain", "is not drained any more"), .arguments = ON_NODE },
    { .words = "maintenance on", .help = "keep everybody but the maintenance clients off a body",
      HAND("PUT", "nodes/{}/slots", "is in maintenance"), .body = "\"maintenance\":true", .arguments = ON_NODE },
    { .words = "maintenance off", .help = "open a body again", HAND("PUT", "nodes/{}/slots", "is not in maintenance any more"),
      .body = "\"maintenance\":false", .arguments = ON_NODE },
    { .words = "enforce observe", .help = "a body only tells whom its gate would keep out", HAND("PUT", "nodes/{}/slots", "only observes"),
      .body = "\"enforce\":\"observe\"", .arguments = ON_NODE },
    { .words = "enforce enforce", .help = "a body's gate keeps out who has no lease", HAND("PUT", "nodes/{}/slots", "enforces"),
      .body = "\"enforce\":\"enforce\"", .arguments = ON_NODE, FLAGS(enforce_flags) },
    { .words = "settings", .help = "change a body's slots, reserve or maintenance clients", HAND("PUT", "nodes/{}/slots", "is changed"),
      .view = &settings_view, .arguments = ON_NODE, FLAGS(settings_flags) },
    { .words = "release", .help = "end a lease as its head would", HAND("POST", "leases/{}/release", "is released"), .view = &lease_view,
      .arguments = { { "LEASE", ARGUMENT_TEXT, false, NULL } }, FLAGS(reason_flags) },
    { .words = "revoke", .help = "end a lease against its head: the session is stopped", HAND("POST", "leases/{}/revoke", "is revoked"),
      .view = &lease_view, .arguments = { { "LEASE", ARGUMENT_TEXT, false, NULL } }, FLAGS(reason_flags) },
    { .words = "circuit reset", .help = "trust a body again that failed too often", HAND("POST", "nodes/{}/circuit/reset",
                                                                                         "is trusted again"),
      .arguments = ON_NODE },
    { .words = "safe-mode end", .help = "stop waiting for bodies that have not reported since a start",
      HAND("POST", "safe-mode/end", "safe mode is over"), FLAGS(safe_mode_flags) },
    { .words = "district show", .also = "district", .help = "safe mode, awaited bodies, what holds per_device_identity back",
      GET("districts/{}", district_view), .arguments = ON_NAME },
    { .words = "district identity-on", .help = "allow per_device_identity again; it turns on when nothing holds it back",
      HAND("PUT", "districts/{}/per-device-identity", "may have per_device_identity"), .arguments = ON_NAME },
    { .words = "district identity-off", .help = "turn per_device_identity off and keep it off",
      HAND("DELETE", "districts/{}/per-device-identity", "has no per_device_identity"), .arguments = ON_NAME },
    { .words = "identity show", .also = "identity", .help = "a head's certificate, and which bodies show its client",
      GET("heads/{}/device-identity", identity_view), .arguments = { { "HEAD", ARGUMENT_NODE, false, NULL } } },
    { .words = "identity revoke", .help = "a head's certificate counts no more; its leases end",
      HAND("DELETE", "heads/{}/device-identity", "has no identity any more"), .arguments = { { "HEAD", ARGUMENT_NODE, false, NULL } } },
    { .words = "migration", .help = "the nine steps, and who holds which back", GET("migration", migration_view), FLAGS(district_flag) },
    { .words = "pairing", .help = "a body's trust store", GET("nodes/{}/pairing", pairing_view), .arguments = ON_NODE },
    { .words = "op", .help = "have a body's agent do something to its Sunshine", .run = run_operation, .method = "POST",
      .path = V1 "nodes/{}/ops", .view = &operation_view, .scope = "admin",
      .arguments = { { "NODE", ARGUMENT_NODE, false, NULL }, { "OPERATION", ARGUMENT_WORD, false, OPERATIONS } }, FLAGS(operation_flags) },
    { .words = "backup", .also = "export", .help = "a consistent copy of the daemon's two data files, while it runs", .run = run_backup,
      .method = "GET", .path = V1 "backup", .scope = "admin", .arguments = { { "FILE", ARGUMENT_FILE, false, NULL } },
          FLAGS(backup_flags) },
    { .words = "restore", .help = "what putting a copy back would do; exit code 4 when it is older than the bodies", .run = run_restore,
      .method = "GET", .path = V1 "slots", .view = &restore_view, .scope = "read", .token_by_itself = true, .arguments = { { "FILE",
          ARGUMENT_FILE, false, NULL } },
      FLAGS(restore_flags) },
    { .words = "health", .help = "is the daemon well; exit code 1 when it is not", .run = run_health, .method = "GET", .path = V1 "health",
      .view = &health_view, .scope = "public" },
    { .words = "completion", .help = "a script that completes these commands in a shell", .run = run_completion, .scope = "none",
      .arguments = { { "SHELL", ARGUMENT_WORD, false, "bash zsh fish" } } },
    { .words = "help", .help = "this list", .run = run_help, .scope = "none" },
};
const size_t command_count = COUNT(commands);
