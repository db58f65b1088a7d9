/* core.h - what the files of the core say to each other. One step at a time, one struct step through it.
 *
 * Errors (hc_err) are faults: no memory, a missing edge. They travel up to core_step(), which undoes the step. Refusals are written into
 * the result with step_refuse() and are HC_OK. */
#ifndef CORE_CORE_H
#define CORE_CORE_H

#include "hydra/base/derive.h"
#include "hydra/core/query.h"
#include "hydra/core/step.h"

#define STEP_TOUCHED_FIRST 8
struct step {
    struct alloc *live;
    struct observed *obs;
    const struct core_event *ev;
    struct core_result *out;
    hc_time now;
    const struct timers *t;
    unsigned derived;                 /* counts what was derived from the seed in this step */
    char (*touched)[HC_ID_SIZE]; size_t touched_count, touched_size;    /* bodies to reconcile at the end of the step */
    bool queue_changed;               /* a ticket or cap changed: the districts' slots are walked at the end of the step */
    char queue_district[HC_NAME_SIZE];
    bool rights_changed;              /* a lease, pair lease, identity or node went: PINs that wait are judged at the end of the step */
};

/* ---- step.c: dispatch (a table: event type -> handler), touched bodies, notes, refusals ---- */
typedef enum hc_err step_handler(struct step *s);
struct core_view step_view(const struct step *s);
HC_MUST enum hc_err step_touch(struct step *s, const char *body_id);
HC_MUST enum hc_err step_queue_changed(struct step *s, const char *district);
/* "lse", "str", "tkt", "node": PREFIX-xxxxxxxx (8 hex for node, 16 for others), derived from the event's seed; unique by construction
 * within a step. */
void step_id(struct step *s, const char *prefix, char out[HC_ID_SIZE]);
void step_hex(struct step *s, const char *label, size_t digits, char *out);      /* `digits` <= 64 hex digits from the seed, and a NUL */
/* Adds a note; the district, venues and expected_legacy are filled from the records. lease may be NULL; head_id "" is the lease's. */
HC_MUST enum hc_err step_note(struct step *s, enum note_type type, const char *body_id, int32_t slot, const struct lease *lease,
                              const char *head_id, const char *format, ...) HC_PRINTF(7, 8);
struct core_note *step_last_note(struct step *s);                               /* to fill the by-type facts of the note just added */
enum hc_err step_refuse(struct step *s, enum deny_reason why);                  /* returns HC_OK */
enum hc_err step_bad(struct step *s, const char *field, const char *detail);    /* bad_request; returns HC_OK */
struct body_rec *step_edit_body(struct step *s, const char *body_id);           /* alloc_edit + step_touch; NULL: absent or no memory */
struct node_obs *step_edit_node_obs(struct step *s, const char *node_id);       /* never in a dry run (asserts); NULL: no memory */
struct body_obs *step_edit_body_obs(struct step *s, const char *body_id);
struct clock_obs *step_edit_clock(struct step *s, const char *lease_id);

/* ---- lease.c: the table of transitions; the only writer of lease.state ---- */
enum lease_event {
    LEV_HEAD_PAIRING, LEV_HEAD_STARTING, LEV_HEAD_ERROR, LEV_REPEAT_READ, LEV_HEAD_GONE /* release that ends at once */,
    LEV_HEAD_RELEASE /* release that drains */, LEV_SILENCE, LEV_START_DEADLINE, LEV_BODY_STREAM, LEV_LAUNCH_FAILED,
        LEV_BODY_IDLE /* confirmed */,
    LEV_UNATTENDED, LEV_BODY_SILENT, LEV_BODY_BACK /* unknown -> came_from */, LEV_DRAIN /* operator, drain, deletion */, LEV_DRAIN_DONE,
        LEV_DRAIN_TIMEOUT,
    LEV_TAKEN_BACK /* streaming heartbeat during draining(unattended) */, LEV_UNKNOWN_HOLD, LEV_REVOKE, LEV_RELEASE_UNKNOWN, LEV_WASTED,
        LEV_SUPERSEDED,
    LEV_HEAD_ABANDON /* like HEAD_GONE, of an implicit lease */, LEV_DRAIN_UNATTENDED,
        LEV_DRAIN_ABANDONED /* ways in which a drain is done */,
    LEV_COUNT
};
struct lease_edge { enum lease_state from; enum lease_event on; enum lease_state to; };
extern const struct lease_edge lease_edges[];
extern const size_t lease_edge_count;
const char *lease_event_name(enum lease_event on);
bool lease_event_is_clock(enum lease_event on);
HC_MUST enum hc_err lease_apply(struct lease *lease, enum lease_event on, enum lease_why why, hc_time now);
void lease_born(struct lease *lease, enum lease_state state, hc_time now);      /* the first state of a new lease */

/* ---- grant.c ---- */
struct grant {
    const char *body_id; uint32_t slot;
    const char *head_id, *stream_id /* "": a new stream */, *experience, *device_uid, *attempt_id, *attempt_digest, *client_uuid;
    enum lease_source source; enum lease_mode mode; uint32_t protocol;
    bool promoted;                    /* uncollected: its clocks start when it is collected */
    bool preferred;                   /* the head had asked for this body */
    const char *client_ip;            /* of an XR headset; NULL or "": not told */
};
/* Epoch, ids, app token, clocks (§6.2), token hash; the stream becomes binding; the head's ticket goes; notes lease_granted,
 * cross_venue_grant.
 * The caller has decided that the slot may be given. *ret_lease_id names it (the record may move). */
HC_MUST enum hc_err lease_grant(struct step *s, const struct grant *grant, char ret_lease_id[HC_ID_SIZE]);
/* A session without a lease (§10.1): state adopted, attributed as far as known. `ghost`, if given: under that stream and head (§6.3.4). */
HC_MUST enum hc_err lease_adopt(struct step *s, const char *body_id, uint32_t slot, const struct session_obs *seen, const char *head_id,
                                const struct ghost *ghost, char ret_lease_id[HC_ID_SIZE]);
/* grant_facts.c: why this head got this slot, for people; before the slot's promise and the head's ticket go. */
void grant_facts_of(const struct step *s, const struct grant *grant, const struct slot *slot, char out[HC_NAME_SIZE]);
void claim_token(const struct core_config *config, const struct lease *lease, char out[CLAIM_TOKEN_SIZE]);     /* §6.5.1 */
/* SHA-256 is not the core's: a keyed derive under its own label stands for it */
void token_digest(const char *token, char out[HC_HASH_SIZE]);
uint64_t epoch_next(const struct alloc *live, const struct slot *slot, const struct body_obs *obs);            /* §6.1 */
/* The next number, never above the largest: a body may report that one. A slot without two numbers left, for a grant and its end, is not
 * granted any more: an epoch is never used twice. */
uint64_t epoch_above(uint64_t epoch);
#define EPOCH_GRANT_MAX (HC_EPOCH_MAX - 2)

/* ---- lease_end.c: an event on a lease, with everything that follows from it ---- */
enum stream_fate { FATE_BY_WHY /* §7.9, §9 */, FATE_KEEP /* the caller goes on with the stream */ };
/* Applies the edge. Terminal: epoch, ghost, circuit and demotion counts (§11), attempt memory, silent_until, clocks, note, stream's fate,
 * touch. draining: drain_since. An edge that the table lacks: noted as lease_edge_error, HC_OK, nothing changed. */
HC_MUST enum hc_err lease_event(struct step *s, const char *lease_id, enum lease_event on, enum lease_why why, enum stream_fate fate);
/* Release by the head or in its name (§6.2 point 2): ends at once or drains, as the rules say for its state and protocol. */
HC_MUST enum hc_err lease_release(struct step *s, const char *lease_id, enum lease_why why, enum stream_fate fate);
struct lease *lease_in(struct body_rec *body, const char *lease_id, struct slot **ret_slot);     /* mutable; NULL: absent */
/* As lease_event(), but it counts against no circuit, no head and no stream: a clock that ran out while we were down (§4.3). */
HC_MUST enum hc_err lease_event_uncounted(struct step *s, const char *lease_id, enum lease_event on, enum lease_why why);

/* ---- session.c: what a report says about a slot ---- */
enum session_claim { SESSION_OWN /* names this lease */, SESSION_SILENT /* names nobody: taken for the lease's */,
    SESSION_OTHER /* names another */ };
enum session_claim session_names(const struct lease *lease, const struct session_obs *seen);
/* Its client is known (by name or uuid) and is not the lease's: wrong_client, what `evict` may name (§10.4). */
bool session_wrong_client(const struct lease *lease, const struct session_obs *seen);
bool session_live(const struct session_obs *seen);                                 /* starting or streaming */
/* X of "hydra-X", the name that a head's client has on a host (§12.6); "" for another name */
const char *client_head(const char *client_name);
const char *session_head(const struct session_obs *seen);                          /* of its client */
const char *app_token_of(const char *app);                                         /* the 32 hex digits after '#', "" if there are none */
/* The rows of a slot that are not idle, in report order: start with *cursor 0; NULL: no more. A legacy body's slot 0 has one when it
 * streams. */
const struct session_obs *session_next(const struct body_obs *obs, uint32_t slot, size_t *cursor);
bool slot_named(const struct body_obs *obs, uint32_t slot);                         /* the newest report says something about the slot */
bool slot_idle(const struct body_obs *obs, uint32_t slot);                          /* named, and every row idle */
bool agent_warming(const struct body_obs *obs, const struct timers *t, hc_time now);   /* §6.2.5 */
/* when its agent is, or was, up for agentWarmup; NEVER: not told */
hc_time agent_warm_at(const struct body_obs *obs, const struct timers *t);
/* The ghost that forbids adopting this session (§6.2.3: unauthorized_stream, terminate), or NULL. */
const struct ghost *session_refused(const struct core_view *v, const struct body_rec *body, uint32_t slot, const struct session_obs *seen);

/* ---- witness.c: a streaming heartbeat that names a body whose slots are leased to others (§10.3): the slot of the row, or false ---- */
bool witness_slot(const struct core_view *v, const char *head_id, const char **ret_body_id, uint32_t *ret_slot);
HC_MUST enum hc_err witness_check(struct step *s, const char *head_id);            /* slot_conflict, once per mismatch */
/* ---- adopt.c: gives an adopted lease without a head to this one (§10.2); *ret_done false: it has another lease ---- */
HC_MUST enum hc_err adopted_attribute(struct step *s, const char *lease_id, const char *head_id, bool *ret_done);

/* ---- circuit.c ---- */
HC_MUST enum hc_err circuit_count(struct step *s, struct body_rec *body, const char *head_id, enum lease_why why);
HC_MUST enum hc_err circuit_streamed(struct step *s, struct body_rec *body, const char *lease_id);
HC_MUST enum hc_err circuit_clock(struct step *s, const char *body_id);
HC_MUST enum hc_err demote(struct step *s, const char *body_id, const char *head_id);
bool demoted(const struct core_view *v, const char *body_id, const char *head_id);

/* ---- stream.c (rules §9) ---- */
HC_MUST enum hc_err stream_new(struct step *s, const char *head_id, const char *experience, uint32_t protocol, char ret_id[HC_ID_SIZE]);
HC_MUST enum hc_err stream_bound(struct step *s, const char *stream_id, const char *lease_id);        /* binding, lease noted */
HC_MUST enum hc_err stream_live(struct step *s, const char *stream_id);
/* Back to seeking_body with its first created_at, and a ticket for it (queue.c). counted: one of the two returns of §7.9; the third ends
 * it start_failed. */
HC_MUST enum hc_err stream_seeks(struct step *s, const char *stream_id, bool counted);
HC_MUST enum hc_err stream_end(struct step *s, const char *stream_id, enum stream_why why);           /* its ticket goes too */
HC_MUST enum hc_err stream_leave_lease(struct step *s, const char *lease_id);                         /* §9.3: left_behind */

/* ---- occupancy.c: query.h's slot_* ---- */
/* ---- eligible.c: ranking and eligibility (§6.3.7, .8) ---- */
struct candidate { const struct body_rec *body; const struct node_rec *node; uint32_t slot; uint32_t why_not; bool eligible, demoted; };
/* Ranked; `all`: also ineligible ones and not grantable slots. Array in `arena`. */
HC_MUST enum hc_err candidates(const struct core_view *v, const struct seeker *who, const char *prefer_body_id, bool all,
    struct hc_arena *arena,
                               struct candidate **ret, size_t *ret_count);
uint32_t eligible_why_not(const struct core_view *v, const struct node_rec *body, const struct node_rec *head, const char *experience,
    enum lease_mode mode);
/* Why this seeker gets nothing now, in the words of §7.12, with the venue whose hardware was short (for the counters). */
enum wait_why denial_of(const struct core_view *v, const struct seeker *who, const struct candidate *all, size_t count,
    const char **ret_body_venue);

/* ---- reserve.c (§7.6, §7.10) ---- */
bool reserve_denies(const struct core_view *v, const struct body_rec *body, const struct node_rec *head);
bool venue_cap_denies(const struct core_view *v, const struct node_rec *head);
bool org_cap_denies(const struct core_view *v, const struct node_rec *head);

/* ---- queue.c (§7) ---- */
HC_MUST enum hc_err ticket_put(struct step *s, const char *head_id, const char *stream_id, const struct ticket_rec *facts,
    enum wait_why why);
/* served, or its stream ended; absent is fine */
HC_MUST enum hc_err ticket_drop(struct step *s, const char *head_id);
HC_MUST enum hc_err ticket_renew(struct step *s, const char *head_id);                                /* observed; the tick saves it */
/* ticketTTL, ticketMax, confirm windows */
HC_MUST enum hc_err queue_clocks(struct step *s, const char *district);
/* promotes what its grantable slots permit */
HC_MUST enum hc_err queue_serve_body(struct step *s, const char *body_id);
/* Is there an older ticket that could use this slot (and is not this seeker's)? */
bool queue_kept_for_older(const struct core_view *v, const struct body_rec *body, uint32_t slot, const struct seeker *who);
uint32_t queue_position(const struct core_view *v, const struct ticket_rec *ticket);
/* ---- queue_place.c: a lease ended; if it had streamed, its length feeds the pool's ETA (OBS_POOL) ---- */
HC_MUST enum hc_err pool_session_ended(struct step *s, const struct lease *lease, const char *body_id);
/* ---- preempt.c (§7.7): frees and promises a slot for the home head's ticket; *ret_done false: nothing to take ---- */
HC_MUST enum hc_err preempt_for(struct step *s, const struct seeker *who, bool *ret_done);

/* ---- pair_lease.c (§12.7) ---- */
bool pair_held(const struct slot *slot, hc_time now);                        /* its pair lease is there and has not run out */
HC_MUST enum hc_err pair_clock(struct step *s, const char *body_id);         /* ends those that ran out, or whose head has gone */
/* Has it one on this body? */
bool pair_of(const struct body_rec *body, const char *head_id, hc_time now);
HC_MUST enum hc_err pairs_leave(struct step *s, const char *head_id, const char *why);      /* all pair leases of this head end */
/* The slot is granted to the head that has the pair lease there: it pairs under its lease from now on. */
HC_MUST enum hc_err pair_taken(struct step *s, const char *body_id, uint32_t slot);
/* ---- op_pin.c: called by step.c, start.c and tick.c; PINs that no agent was given yet ---- */
HC_MUST enum hc_err pins_judge(struct step *s);                              /* ends those whose right has gone */
HC_MUST enum hc_err pins_drop(struct step *s);                               /* ends all: their heads were told that we are gone */
/* ---- op.c, custodian.c: called by tick.c ---- */
HC_MUST enum hc_err tick_ops(struct step *s);                                /* expires, forgets */
HC_MUST enum hc_err tick_custodian(struct step *s);                          /* §12.9: asks bodies for their lists */

/* ---- reconcile.c: the one path behind every event and the tick ---- */
HC_MUST enum hc_err clocks_body(struct step *s, const char *body_id);        /* absolute, then rolling; nothing when the store is down */
/* evidence, adoption, drains, epochs, safe mode, then queue_serve_body */
HC_MUST enum hc_err reconcile_body(struct step *s, const char *body_id);
/* ---- report.c, heartbeat.c, safe_mode.c, start.c ... handlers: named after their event ---- */
/* this body may not be granted now (§8) */
bool safe_mode_blocks(const struct core_view *v, const struct body_rec *body, const char *district);
/* bodies are awaited: 503 reconciling */
bool safe_mode_awaits(const struct core_view *v, const char *district);
HC_MUST enum hc_err safe_mode_clock(struct step *s, const char *district);

/* ---- slots_put.c, drain.c: called by reconcile.c and clocks.c ---- */
/* Makes the slots what slots_total says: new ones are added, a lowered one goes when its last lease is gone. */
HC_MUST enum hc_err slots_shape(struct step *s, const char *body_id);
bool slot_gone(const struct body_rec *body, uint32_t slot);          /* lowered and without a live lease: shown nowhere */
HC_MUST enum hc_err drain_clock(struct step *s, const char *body_id);        /* after the deadline streaming leases end revoked(drained) */
/* ---- registry.c, node_delete.c ---- */
HC_MUST enum hc_err body_rec_new(struct step *s, const char *node_id);       /* a node got the role body; one that exists is kept */
/* an authenticated request: online; core_step() calls it for every node caller */
HC_MUST enum hc_err node_seen(struct step *s, const char *node_id);
/* a deleted body goes when its last lease and history line are gone */
HC_MUST enum hc_err node_bury(struct step *s, const char *body_id);
/* ---- identity.c, identity_revoke.c (§12) ---- */
bool identity_banned(const struct alloc *alloc, const struct identity_rec *identity);      /* revoked, or its node denied or gone */
HC_MUST enum hc_err identity_node_gone(struct step *s, const char *head_id);               /* its node is deleted: revoked for good */
HC_MUST enum hc_err identities_clock(struct step *s);                                      /* overlaps that are over */
/* ---- latch.c (§12.4): looks whether per_device_identity may be set, and for how long Step 9's condition has held ---- */
HC_MUST enum hc_err latch_look(struct step *s, const char *district);
HC_MUST enum hc_err latches_clock(struct step *s);
HC_MUST enum hc_err legacy_request(struct step *s, const char *head_id);                   /* the days of retirement begin anew */
/* ---- trust.c (§12.8, §13.5): trust sets and gates of a directive whose slots are filled ---- */
HC_MUST enum hc_err trust_fill(const struct core_view *v, const struct body_rec *body, const struct body_obs *obs, struct hc_arena *arena,
    struct directive *made);
/* the body has told its list, and could read it */
bool paired_known(const struct body_obs *obs);
/* ---- answers.c: copies for the result ---- */
/* lease, body, epoch, ttl */
HC_MUST enum hc_err answer_lease(struct step *s, enum core_answer answer, const char *lease_id, bool with_token);
HC_MUST enum hc_err answer_ticket(struct step *s, const char *head_id);
HC_MUST enum hc_err answer_stream(struct step *s, const char *stream_id);
/* 410 lease_lost. The reason of a revoked lease is "revoked", whatever the cause: with "superseded" it is the word on which a head that
 * streams stops (§13.9). */
HC_MUST enum hc_err answer_lease_lost(struct step *s, const char *lease_id, const char *stream_id, enum lease_state state,
                                      enum lease_why why);

step_handler on_start, on_outage_over, on_stop, on_tick, on_history_written, on_seen, on_body_report, on_heartbeat, on_read,
    on_config_fetch,
    on_claim, on_renew, on_release,
    on_stream_stop, on_stream_end, on_admission, on_accept, on_answer_lost, on_admit_observed, on_lease_end, on_xr_start, on_xr_poll,
    on_xr_end, on_node_enrol, on_node_update,
    on_node_delete, on_node_token, on_node_beat, on_head_update, on_wireguard_put, on_slots_put, on_drain, on_undrain, on_circuit_reset,
    on_safe_mode_end, on_venue_put, on_venue_delete, on_org_put, on_org_delete, on_experience_put, on_experience_delete,
    on_op_ask, on_op_next, on_op_result, on_pair_lease, on_pair_release,
    on_identity_put, on_identity_revoke, on_latch_clear;

#endif
