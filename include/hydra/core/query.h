/* query.h - read-only questions, pure functions of a view: the committed (or live) records, what is observed, and a time.
 * The same functions decide grants and explain them (rules §5). Row arrays come from `arena`; NULL rows with *ret_count 0 may be a true
 * answer, so every call that allocates returns an error code. */
#ifndef HYDRA_CORE_QUERY_H
#define HYDRA_CORE_QUERY_H

#include "hydra/core/step.h"

struct core_view { const struct alloc *saved; const struct observed *obs; hc_time now; };

/* Rules §5, term by term. `occupied` is the first group's bits, 0 means free. */
uint32_t slot_occupied(const struct core_view *v, const struct body_rec *body, uint32_t slot);
/* Plus the grantable terms that need no head: maintenance, circuit, epoch, promise, safe mode, ports, lowered. */
uint32_t slot_why_not(const struct core_view *v, const struct body_rec *body, uint32_t slot);
/* Plus the terms for one head: eligible (venue, experience, mode), reserve, caps, legacy one slot, older ticket, demoted (DEMOTED alone
 * does not refuse). */
/* created_at: its place; now for a newcomer */
struct seeker { const char *head_id, *experience, *ticket_id; enum lease_mode mode; uint32_t protocol; hc_time created_at; };
uint32_t slot_why_not_for(const struct core_view *v, const struct body_rec *body, uint32_t slot, const struct seeker *who);
bool body_online(const struct core_view *v, const char *node_id);
bool body_fresh(const struct core_view *v, const char *body_id);       /* newest report within bodyReportFresh */
/* When the body was last heard, over our restarts too; before its first report: when it was enrolled (§8.3). */
hc_time body_heard_at(const struct core_view *v, const struct body_rec *body);
/* An admin PUT it, or an approved body stands there. Every other name a fleet token is enough to make up: metrics call it VENUE_OTHER. */
#define VENUE_OTHER "other"
bool venue_is_known(const struct alloc *saved, const char *venue);
/* Pool of a body, for reports: "<district>/<venue>-owned". `out` has room for two names and the rest. */
#define POOL_SIZE (2 * HC_NAME_SIZE + 16)
void body_pool(const struct node_rec *body, char out[POOL_SIZE]);

/* The complete desired slot table of a body (wire §4). Computed from committed records; `digest` covers everything but issued_at. */
#define DIRECTIVE_EVICTS_MAX 4
#define TRUST_CLIENTS_MAX 150     /* an alarm, not an order (§12.8) */
/* Texts are in the arena. A client that is expected and not paired yet has the uuid "". */
struct directive_client { const char *uuid, *name; };
struct directive_trust { size_t desired_count; struct directive_client *desired; size_t remove_count; const char **remove; };
/* everyone: no client is kept out, and `enabled` is empty: a list would keep out who pairs next. */
struct directive_gate { enum gate_mode mode; bool everyone; size_t enabled_count; const char **enabled; };
struct directive_slot {
    uint32_t index; enum slot_action action; char lease_id[HC_ID_SIZE]; uint64_t epoch; char head_id[HC_ID_SIZE],
        device_uid[DEVICE_UID_SIZE];
    char sunshine_client_uuid[HC_ID_SIZE]; uint32_t protocol;
    size_t entry_count; char (*entries)[HC_NAME_SIZE + APP_TOKEN_SIZE];       /* arena; E3 table */
    size_t evict_count; char evict[DIRECTIVE_EVICTS_MAX][HC_ID_SIZE];         /* launch ids */
    struct directive_gate gate;
};
struct directive_xr {
    bool present; enum xr_action action; enum xr_state state;
    char session_id[HC_ID_SIZE], experience[HC_NAME_SIZE], client_hostname[HC_NAME_SIZE], client_ip[HC_ID_SIZE];
};
struct directive {
    uint64_t epoch_floor; enum enforce_mode enforce; bool maintenance, modern;
    bool terminate_stream;           /* for legacy bodies only */
    size_t slot_count; struct directive_slot *slots;
    struct directive_trust trust;
    struct directive_xr xr;
    int64_t next_report_ms;
};
HC_MUST enum hc_err query_directive(const struct core_view *v, const char *body_id, struct hc_arena *arena, struct directive *ret);

struct slot_observed {               /* the observed half of a /slots row */
    bool from_head; enum session_state state; enum stream_status stream_status; bool has_state;
    char lease_id[HC_ID_SIZE], launch_id[HC_ID_SIZE], client_uuid[HC_ID_SIZE], client_name[HC_NAME_SIZE],
        app[HC_NAME_SIZE + APP_TOKEN_SIZE], head_id[HC_ID_SIZE];
    bool has_applied_epoch; uint64_t applied_epoch; char boot_id[HC_ID_SIZE]; bool has_report_seq; uint64_t report_seq;
    hc_time reported_at; enum gate_mode gate_mode; char gate_reason[HC_NAME_SIZE];
};
struct slot_row {
    char body_id[HC_ID_SIZE], body_name[HC_NAME_SIZE], venue[HC_NAME_SIZE], district[HC_NAME_SIZE];
    uint32_t slot; uint64_t epoch; bool occupied, grantable; uint32_t why_not;
    const struct lease *lease; char head_name[HC_NAME_SIZE], head_venue[HC_NAME_SIZE];    /* borrowed from the view */
    int64_t age_ms, expires_in_ms, start_deadline_in_ms, since_head_renewal_ms, unattended_ms;    /* negative: null */
    bool has_observed; struct slot_observed observed;
    uint32_t divergence;
};
/* NULL or "": any. Of the bodies in key order only those from first_body on, at most body_count of them; 0: all. */
struct slot_filter { const char *district, *venue, *body_id; bool divergent; size_t first_body, body_count; };
HC_MUST enum hc_err query_slots(const struct core_view *v, const struct slot_filter *filter, struct hc_arena *arena,
    struct slot_row **ret_rows, size_t *ret_count);

struct conflict_row {
    char body_id[HC_ID_SIZE]; uint32_t slot; enum conflict_kind kind; char lease_id[HC_ID_SIZE], holder_head_id[HC_ID_SIZE],
        observed_head_id[HC_ID_SIZE];
    char client_uuid[HC_ID_SIZE], client_name[HC_NAME_SIZE]; bool from_head, expected_legacy; int64_t since_ms;
};
HC_MUST enum hc_err query_conflicts(const struct core_view *v, struct hc_arena *arena, struct conflict_row **ret_rows, size_t *ret_count);

#define QUEUE_SKIPPED_MAX 32      /* free slots that a row explains */
struct skipped_slot { char body_id[HC_ID_SIZE]; uint32_t slot, why_not; };
struct queue_row {
    const struct ticket_rec *ticket; char head_name[HC_NAME_SIZE], venue[HC_NAME_SIZE];
    enum wait_why why;           /* as of now; the ticket's own is of its last look */
    uint32_t position; int64_t eta_ms, waited_ms, expires_in_ms; size_t skipped_count; struct skipped_slot *skipped;
};
HC_MUST enum hc_err query_queue(const struct core_view *v, const char *district, struct hc_arena *arena, struct queue_row **ret_rows,
    size_t *ret_count);

struct pool_row { char pool[POOL_SIZE], district[HC_NAME_SIZE], venue[HC_NAME_SIZE]; uint32_t slots, occupied, grantable, queue_depth;
    size_t open_count; char (*open_circuits)[HC_ID_SIZE]; };
HC_MUST enum hc_err query_pools(const struct core_view *v, struct hc_arena *arena, struct pool_row **ret_rows, size_t *ret_count);
struct venue_row { char venue[HC_NAME_SIZE]; uint32_t slots, occupied, queue_depth; };
HC_MUST enum hc_err query_venues(const struct core_view *v, struct hc_arena *arena, struct venue_row **ret_rows, size_t *ret_count);

struct candidate_row { uint32_t rank; char body_id[HC_ID_SIZE]; uint32_t slot; bool eligible, grantable, demoted; uint32_t why_not; };
/* What a claim would look at, in ranking order, ineligible bodies of the district last. */
HC_MUST enum hc_err query_candidates(const struct core_view *v, const struct seeker *who, struct hc_arena *arena,
    struct candidate_row **ret_rows, size_t *ret_count);

struct session_row {                 /* /sessions and /sessions/history */
    char lease_id[HC_ID_SIZE], stream_id[HC_ID_SIZE], head_id[HC_ID_SIZE], head_venue[HC_NAME_SIZE], body_id[HC_ID_SIZE],
        body_venue[HC_NAME_SIZE];
    uint32_t slot, protocol; char experience[HC_NAME_SIZE]; enum lease_source source; enum lease_mode mode; uint64_t grant_epoch;
    hc_time granted_at, streaming_at, ended_at; enum lease_state state; enum lease_why why;
    char grant_facts[HC_NAME_SIZE];  /* as in struct lease; "" of one granted by an older version */
};
/* terminal false: live leases; true: terminal ones that still wait for their history line. */
HC_MUST enum hc_err query_sessions(const struct core_view *v, bool terminal, struct hc_arena *arena, struct session_row **ret_rows,
    size_t *ret_count);
/* ---- identity and migration ---- */
/* Is the certificate of this head good for a claim: registered, not revoked, its node not denied? */
bool identity_counts(const struct alloc *alloc, const char *head_id);
bool per_device_identity_on(const struct alloc *alloc, const char *district);
/* Bodies whose newest report shows a client of this head. */
HC_MUST enum hc_err query_identity_shown(const struct core_view *v, const char *head_id, struct hc_arena *arena,
                                         const char *const **ret_ids,
    size_t *ret_count);
/* One thing that holds a step back; node_id "" is the district's own. */
struct hold_row { unsigned step; enum hold_why why; bool is_body; char node_id[HC_ID_SIZE], name[HC_NAME_SIZE]; };
/* What keeps per_device_identity of a district from being set (§12.4); step is 5. None when it is on. */
HC_MUST enum hc_err query_identity_holds(const struct core_view *v, const char *district, struct hc_arena *arena,
                                         struct hold_row **ret_rows,
    size_t *ret_count);
#define MIGRATION_STEPS          9
#define RETIREMENT_DAYS_REQUIRED 30
struct migration {
    size_t count; struct hold_row *rows;              /* by step, then node id */
    hc_time retirement_since; uint32_t retirement_days;      /* whole days for which the condition of Step 9 has held */
};
HC_MUST enum hc_err query_migration(const struct core_view *v, const char *district, struct hc_arena *arena, struct migration *ret);
/* Some node, venue or record speaks of it, or it is the configured one. */
bool district_known(const struct core_view *v, const char *district);

/* The same of one lease, live or ended and not forgotten yet. HC_ERR_NOTFOUND. */
HC_MUST enum hc_err query_session(const struct core_view *v, const char *lease_id, struct session_row *ret);
/* Facts of one stream, for /admission, /streams. HC_ERR_NOTFOUND. */
HC_MUST enum hc_err query_stream(const struct core_view *v, const char *stream_id, struct stream_facts *ret);
/* Position and ETA of a ticket (§7.5). */
void query_ticket(const struct core_view *v, const struct ticket_rec *ticket, struct ticket_facts *ret);

#endif
