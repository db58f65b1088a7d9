/* sim.h - one fleet under virtual time: a daemon without files (cluster.c), machines with the truth about their sessions (machine.c), heads
 * of every kind (head*.c), operators and faults (operator.c, fault.c), and what must always hold (check_*.c).
 *
 * Two clocks: `now` is the true time of the simulated world; the daemon's is now + skew, and skew changes only while the daemon is down, as
 * a
 * clock step does. Whatever the checks know they know from the world, in true time, never from the core's own fields.
 *
 * A run is a function of its seed: nothing reads a clock, an address or an environment variable. */
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include "chance.h"
#include "hydra/core/query.h"

#define SIM_BODIES_MAX   8
#define SIM_HEADS_MAX    12
#define SIM_SLOTS_MAX    3
#define SIM_SESSIONS_MAX 8           /* on one machine */
#define SIM_ROWS_MAX     12          /* of one report */
#define SIM_FLIGHTS_MAX  48          /* reports on their way */
#define SIM_OPS_MAX      192         /* requests that wait for their answer */
#define SIM_EVENTS_MAX   512
#define SIM_LEASES_MAX   512         /* leases that the checks remember */
#define SIM_KEYS_MAX     512         /* records in one save */
#define SIM_SEEN_OPS_MAX 1024        /* operations that the checks remember */
#define SIM_TRACE_LINES  48
#define SIM_LINE_SIZE    160
#define SIM_DISTRICT     "d1"
#define SIM_XR_EXPERIENCE "planetarium"

/* ---- the schedule: earliest first, ties in order of insertion ---- */
enum sim_event_kind { EV_TICK, EV_SAVED, EV_PROBE, EV_RESTART, EV_MACHINE, EV_REPORT, EV_DIRECTIVE, EV_HEAD, EV_PARKED, EV_HISTORY,
    EV_FAULT,
    EV_OPERATOR, EV_AGENT, EV_DEVICE, EV_KINDS };
struct sim_event { int64_t at; uint64_t order; enum sim_event_kind kind; int who; uint64_t number; };

/* ---- the daemon ---- */
enum save_fate { SAVE_GOOD, SAVE_FAILS, SAVE_UNPROVEN, SAVE_FOREIGN };
struct key { enum rec_kind kind; char key[REC_KEY_SIZE]; };
struct op;
struct cluster {
    struct core_config config;
    struct alloc *live, *committed;          /* committed: what was made durable, and what leaves */
    struct alloc *disk;                      /* a rename that is not proven; NULL: `committed` */
    struct alloc *backup;                    /* an old copy of the files, for operators with a restore in mind */
    struct observed *obs;
    bool running, store_ok, saving, forward_only;
    int64_t cursed_until;                    /* saves fail until then */
    uint64_t steps, live_seq, durable_seq, cut_seq, generation, number_of_life;
    struct alloc *cut;
    size_t key_count; struct key *keys;      /* SIM_KEYS_MAX of them: of the save under way, and of unproven ones */
    int64_t skew_ms, saved_at, disk_saved_at, cut_at, started_at, down_at, stopped_at;      /* true time; saved_at, cut_at: daemon time */
    enum save_fate next_fate;
    struct core_result last;                 /* of the last step */
};

/* ---- requests of heads; an answer leaves when its step is durable ---- */
struct answer {
    bool arrived, store_down;                /* store_down: 503 store_unavailable */
    enum core_answer answer; enum deny_reason deny; enum wait_why wait;
    bool has_lease, uncollected; char lease_id[HC_ID_SIZE], body_id[HC_ID_SIZE], stream_id[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE];
    char app[HC_NAME_SIZE + APP_TOKEN_SIZE], lost_why[WORD_SIZE];
    enum lease_state state; uint32_t slot, rows, stream_count, position; uint64_t epoch; enum ticket_state ticket;
    bool has_op; struct op_facts given; struct pair_facts pair; struct xr_facts xr;
};
/* How an agent answers an operation; after the faults it answers well. */
enum agent_answer { ANSWERS_WELL, ANSWERS_TWICE, ANSWERS_LATE, ANSWERS_HTML, ANSWERS_FAILURE, ANSWERS_NO, ANSWERS_NEVER };
struct op {
    bool used, waiting, lost, parked;        /* lost: the answer never arrives */
    enum core_event_type type;
    int head;                                /* who waits for it; -1: nobody */
    uint64_t wait_seq, number, seed;
    int64_t parked_until, asked_at;
    char caller[HC_ID_SIZE];
    bool admin, dry_run, protocol2, revoke, legacy, modern_beat;
    char head_id[HC_ID_SIZE], lease_id[HC_ID_SIZE], body_id[HC_ID_SIZE], stream_id[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE];
    char attempt_id[HC_ID_SIZE], experience[HC_NAME_SIZE], status[WORD_SIZE], mode[WORD_SIZE], prefer[HC_ID_SIZE], address[HC_ID_SIZE];
    enum head_lease_state lease_state; enum lease_why why;
    int agent; enum agent_answer how;        /* body whose agent asks, plus 1 */
    bool relay; uint32_t slot, pairing_protocol; enum op_kind operation; char op_id[HC_ID_SIZE], fingerprint[HC_HASH_SIZE];
    struct answer answer;
};

/* ---- machines ---- */
enum session_end { END_PLAYS, END_CLOSES };
struct session {                             /* what Sunshine really does */
    /* hidden: a restarted agent has not found it again; innocent: see check_i11.c */
    bool on, starting, ending, hidden, joined, innocent;
    uint32_t slot; int head;                 /* -1: somebody without a head */
    char lease_id[HC_ID_SIZE], launch_id[HC_ID_SIZE], app[HC_NAME_SIZE + APP_TOKEN_SIZE], client_uuid[HC_ID_SIZE],
        client_name[HC_NAME_SIZE];
    int64_t stranger_until;
    int64_t since, next_at;                  /* next_at: it begins to stream, or its app is closed */
    bool admitted;                           /* launched under the slot's lease of that moment */
};
struct report {                              /* as it was when it was sent */
    bool used, modern; int body; uint64_t boot, seq, number; int64_t made_at, arrives_at, uptime_ms;
    /* xr_word: what a scenario says, and that it has the driver */
    bool streaming, xr; char xr_word[WORD_SIZE], xr_session_id[HC_ID_SIZE]; size_t row_count;
    struct session_obs rows[SIM_ROWS_MAX];
    uint64_t max_epoch[SIM_SLOTS_MAX]; size_t slot_count; bool second_launch; uint32_t second_launch_slot;
    bool floor_event; uint32_t experiences;
    int64_t shown_since[SIM_SESSIONS_MAX];
};
struct machine_slot { uint64_t applied, floor; enum slot_action action; char lease_id[HC_ID_SIZE]; bool below_floor, told; };
#define SIM_CLIENTS_MAX 160
#define SIM_AGENT_KNOWS 4            /* operations that an agent remembers, to drop repeats */
struct machine_client { char uuid[HC_ID_SIZE], name[HC_NAME_SIZE]; };      /* of its Sunshine's trust store, oldest first */
struct agent {                               /* takes operations, one after the other */
    bool asking, works; int64_t asked_at, answers_at; uint64_t wakes; unsigned answers; enum agent_answer how; struct op_facts op;
    char known[SIM_AGENT_KNOWS][HC_ID_SIZE]; size_t next_known;
};
struct machine {
    size_t client_count; struct machine_client clients[SIM_CLIENTS_MAX]; uint64_t pairings; bool misreads, lies;
    size_t told_count; struct machine_client told[SIM_CLIENTS_MAX]; bool told_known;      /* of the newest report that arrived */
    struct agent agent;
    struct xr_machine { bool capable, worn, breaks; enum xr_state state; char session_id[HC_ID_SIZE]; int64_t next_at; } x;
    bool used, modern, quiet /* its network is cut */, agent_up, powered, sends_uptime, xr, tells_client, tells_lease;
    char id[HC_ID_SIZE], venue[HC_NAME_SIZE];
    uint32_t slots, experiences;             /* bit per experience */
    uint64_t boot, seq, launches;
    int64_t agent_since, agent_back_at, found_at, next_report, booted_at, directive_at;
    unsigned refuses_percent;                /* launches that fail */
    struct machine_slot table[SIM_SLOTS_MAX];
    struct session sessions[SIM_SESSIONS_MAX];
    struct report heard; int64_t heard_at;   /* the newest report that arrived in this life of the daemon, and when; 0: none */
    int64_t boot_heard_at, heard_before_at;  /* first report of that boot; the report before the newest */
    bool told_second, told_floor; uint32_t second_slot;
    /* a lease was taken away while its session played, no idle report since (rules §6.2.3) */
    struct refusal { enum refused { REFUSED_NO, REFUSED_YES,
        REFUSED_UNSURE } is; bool asked; char launch_id[HC_ID_SIZE]; } refused[SIM_SLOTS_MAX];
    /* The daemon's file may know an older boot only (a crash, an old copy): then the next report seems to begin one. */
    bool boot_unsure; int64_t seems_boot_at;
    int64_t quiet_until, xr_until;
    uint64_t polled_step;
    int64_t any_request_at, last_arrival; uint64_t wakes; const struct body_rec *polled;
};

/* ---- heads ---- */
enum head_kind { HEAD_IPAD, HEAD_GO, HEAD_QUEST, HEAD_P2, HEAD_ROGUE, HEAD_KINDS };
enum head_phase { PHASE_AWAY, PHASE_ASKING, PHASE_WAITING, PHASE_PREPARING, PHASE_PLAYING, PHASE_ERROR, PHASE_DEAD, PHASES };
struct head {
    bool used, quiet, assigned, stores_attempt;
    enum head_kind kind; enum head_phase phase;
    char id[HC_ID_SIZE], venue[HC_NAME_SIZE];
    uint32_t experience;
    int64_t next_act, next_beat, next_renew, phase_since, gives_up_at, prepared_at, plays_until, asked_at;
    int body; uint32_t slot;                 /* what it was told to use; -1: nothing */
    int op;                                  /* request under way; -1: none */
    uint64_t attempts;
    char attempt_id[HC_ID_SIZE], lease_id[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE], stream_id[HC_ID_SIZE], app[HC_NAME_SIZE + APP_TOKEN_SIZE];
    bool lost;                               /* its picture went; it says so */
    bool standing; char held_id[HC_ID_SIZE]; /* it was told that it has this lease, and nothing has ended it */
    bool served;                             /* since the faults stopped */
    int64_t quiet_until;
    int64_t heard_at;                        /* last request of it that arrived */
    unsigned patience;                       /* taps left */
    uint64_t wakes;
    struct xr_visit { bool on; int body; char session_id[HC_ID_SIZE]; int64_t puts_on_at, takes_off_at, ends_at; } xr;
    struct device {                          /* its identity, as it was acknowledged */
        bool registered, revoked, asking, unsure, pairs2; uint32_t certificate, certificates, told_pairing; int64_t registered_at;
        char fingerprint[HC_HASH_SIZE], predecessor[HC_HASH_SIZE]; int64_t overlap_until;
        int64_t clone_until, cloned_until; bool other; struct { char from[HC_ID_SIZE]; int64_t at; } beats[2];
        char pair_id[HC_ID_SIZE], pair_body[HC_ID_SIZE];
    } device;
};

/* ---- what the checks remember of a lease, in true time ---- */
struct seen_lease {
    char id[HC_ID_SIZE], head_id[HC_ID_SIZE], body_id[HC_ID_SIZE], stream_id[HC_ID_SIZE];
    uint32_t slot, protocol; uint64_t grant_epoch; enum lease_state state, came_from; enum lease_why why; enum lease_source source;
    bool xr, quest, uncollected, left_behind, there, asked, stepped, rolled;
    /* asked: somebody asked for its end since the daemon's start; stepped: a clock step came in between; rolled: a heartbeat prolonged it
     * */
    int64_t granted_at, deadline_from, since, renewed_at, shown_at, silent_from;
};
struct slot_epochs { char body_id[HC_ID_SIZE]; uint64_t live[SIM_SLOTS_MAX], committed[SIM_SLOTS_MAX], granted[SIM_SLOTS_MAX];
    char granted_to[SIM_SLOTS_MAX][HC_ID_SIZE]; const struct body_rec *version, *committed_version; uint64_t step, committed_step; };

struct seen_op { char id[HC_ID_SIZE], node_id[HC_ID_SIZE]; enum op_state state; int64_t asked_at; unsigned results; };
struct seen_pair { char id[HC_ID_SIZE], head_id[HC_ID_SIZE]; int64_t at; };
struct seen_body { char id[HC_ID_SIZE]; struct seen_pair pairs[SIM_SLOTS_MAX]; enum xr_state xr_state; int64_t xr_since; };

enum sim_mode { MODE_RANDOM, MODE_SCRIPT };
struct sim {
    enum sim_mode mode;
    uint64_t seed;
    struct chance chance;
    int64_t now, began_at, heals_at, leaves_at, ends_at;
    uint64_t event_number, order, digest, number;
    size_t event_count; struct sim_event events[SIM_EVENTS_MAX];
    struct cluster cluster;
    struct op ops[SIM_OPS_MAX];
    struct report flights[SIM_FLIGHTS_MAX];
    size_t body_count; struct machine bodies[SIM_BODIES_MAX];
    size_t head_count; struct head heads[SIM_HEADS_MAX];
    bool healed, leaving, two_owners, calm;  /* calm: no faults from the beginning */
    bool renewed;                            /* all bodies are modern, all heads speak protocol 2 */
    bool stepped;                            /* a clock step or an old copy of the files, ever */
    size_t seen_op_count; struct seen_op seen_ops[SIM_SEEN_OPS_MAX];
    size_t seen_body_count; struct seen_body seen_bodies[SIM_BODIES_MAX * 2];
    struct client_obs listing[SIM_CLIENTS_MAX];      /* of the answer under way */
    /* the step under way, for the checks */
    enum core_event_type step_type; char step_head[HC_ID_SIZE]; enum caller_kind step_caller;
    char made_explicit[HC_ID_SIZE], promised_to[4][HC_ID_SIZE];      /* as it was before the step */
    size_t grant_count; char grant_ids[8][HC_ID_SIZE];       /* of the step */
    size_t lease_count; struct seen_lease leases[SIM_LEASES_MAX];
    size_t epoch_count; struct slot_epochs epochs[SIM_BODIES_MAX * 2];
    int64_t clock_slack_until;
    bool keeps_history;                      /* scenarios look at ended leases */
    unsigned violations;
    char violation[400];
    size_t line_count; char lines[SIM_TRACE_LINES][SIM_LINE_SIZE];
    size_t note_count; struct core_note notes[64];            /* scenarios: since the last line */
    uint64_t tally[8];
    int64_t next_skew_ms; bool next_restore, next_downgrade;      /* of the restart that is coming */
};

/* sim.c */
void sim_start(struct sim *sim, uint64_t seed, enum sim_mode mode);
void sim_free(struct sim *sim);
void sim_at(struct sim *sim, int64_t at, enum sim_event_kind kind, int who, uint64_t number);
bool sim_step(struct sim *sim);              /* false: the run is over, or a check has failed */
bool sim_pop(struct sim *sim, struct sim_event *ret);
extern const char *const sim_experiences[2];
extern const char *const sim_venues[3];

/* trace.c: the last lines, and a digest of all of them */
void sim_trace(struct sim *sim, const char *format, ...) HC_PRINTF(2, 3);
void sim_violation(struct sim *sim, const char *format, ...) HC_PRINTF(2, 3);
void sim_print_trace(const struct sim *sim);

/* cluster.c, save.c, restart.c */
void cluster_start(struct sim *sim);         /* a new store */
void cluster_free(struct cluster *c);
hc_time daemon_now(const struct sim *sim);
struct core_view live_view(const struct sim *sim);
struct core_view committed_view(const struct sim *sim);
enum hc_err cluster_step(struct sim *sim, struct core_event *ev, uint64_t seed);      /* runs, checks, asks for a save */
struct core_event cluster_event(const struct sim *sim, enum core_event_type type, enum caller_kind kind, const char *node_id);
uint64_t cluster_seed(struct sim *sim);
void cluster_put(struct sim *sim, struct rec *rec);          /* before the start: straight into the store; takes it */
void cluster_tick(struct sim *sim);
void cluster_history(struct sim *sim);
void cluster_first_save(struct sim *sim);
void cluster_want_save(struct sim *sim);
void cluster_saved(struct sim *sim, enum save_fate fate);
void cluster_probe(struct sim *sim);
void cluster_crash(struct sim *sim, int64_t down_ms);
void cluster_restart(struct sim *sim, int64_t skew_ms, bool restore, bool downgrade);
void cluster_reports(struct sim *sim, const struct report *report);
void cluster_take_answers(struct sim *sim);  /* after a save: durable answers go out */
void cluster_fail_answers(struct sim *sim);
void cluster_run_again(struct sim *sim);

/* request.c */
struct op *op_new(struct sim *sim, enum core_event_type type, int head);
void op_submit(struct sim *sim, struct op *op);              /* arrives now */
void op_parked(struct sim *sim, struct op *op);
void op_run(struct sim *sim, struct op *op, bool last_chance);
void op_free(struct op *op);

/* machine.c, report.c */
struct machine *machine_of(struct sim *sim, const char *body_id);
int machine_add(struct sim *sim, const char *id, const char *venue, bool modern, uint32_t slots, uint32_t experiences);
struct session *machine_launch(struct sim *sim, struct machine *m, uint32_t slot, int head, const char *lease_id, const char *app);
void machine_end(struct sim *sim, struct machine *m, struct session *session, int64_t closes_in_ms);
struct session *machine_session_of(struct machine *m, int head);
bool machine_busy(const struct machine *m, uint32_t slot);
void machine_act(struct sim *sim, int body);
void machine_directive(struct sim *sim, struct machine *m);
void machine_report_now(struct sim *sim, struct machine *m);
void machine_report_soon(struct sim *sim, struct machine *m, int64_t in_ms);
void machine_reboot(struct sim *sim, struct machine *m, int64_t down_ms);
void machine_restart_agent(struct sim *sim, struct machine *m);
void machines_hear_news(struct sim *sim);    /* after a save: long-polls of modern bodies answer */
void report_make(struct sim *sim, struct machine *m, struct report *ret);
void report_send(struct sim *sim, struct machine *m);
void report_arrives(struct sim *sim, struct report *report);
void report_delivered(struct sim *sim, const struct report *report);

/* head.c and its kinds */
int head_add(struct sim *sim, const char *id, const char *venue, enum head_kind kind);
void head_act(struct sim *sim, int head);
void head_answered(struct sim *sim, struct op *op);
void head_beat(struct sim *sim, struct head *h, const char *status, const char *body_id, enum head_lease_state state);
void head_schedule(struct sim *sim, struct head *h);
void head_phase(struct sim *sim, struct head *h, enum head_phase phase);
int head_index(const struct sim *sim, const struct head *h);
bool head_sends(struct sim *sim, const struct head *h);      /* its request gets through */
bool head_answer_lost(struct sim *sim);
void head_leaves(struct sim *sim, struct head *h);
struct op *head_asks(struct sim *sim, struct head *h, enum core_event_type type);
bool head_launch(struct sim *sim, struct head *h);
void head_holds(struct sim *sim, struct head *h, const char *lease_id);
void head_stops(struct sim *sim, struct head *h);
struct session *head_session(struct sim *sim, struct head *h);
void legacy_act(struct sim *sim, struct head *h);
void legacy_answered(struct sim *sim, struct head *h, const struct op *op);
void p2_act(struct sim *sim, struct head *h);
void p2_answered(struct sim *sim, struct head *h, const struct op *op);
void rogue_act(struct sim *sim, struct head *h);

/* xr.c */
void xr_machine_act(struct sim *sim, struct machine *m);
void xr_machine_told(struct sim *sim, struct machine *m, const struct directive_xr *xr);
void xr_machine_reboots(struct machine *m);
bool xr_visit(struct sim *sim, struct head *h);              /* false: this visit is none of XR */
void xr_gone(struct sim *sim, struct head *h);
void xr_act(struct sim *sim, struct head *h);
void xr_answered(struct sim *sim, struct head *h, const struct op *op);

/* agent.c, device.c */
void agent_start(struct sim *sim, struct machine *m);
void agent_act(struct sim *sim, int body);
void agent_answered(struct sim *sim, struct op *op);
void agents_hear_news(struct sim *sim);
size_t agent_lists(struct sim *sim, const struct machine *m);
void machine_pairs(struct machine *m, const char *uuid, const char *name);
void machine_unpairs(struct machine *m, const char *uuid);
void device_uuid(const struct head *h, char out[HC_ID_SIZE]);
void device_act(struct sim *sim, int head, uint64_t what);
void device_answered(struct sim *sim, struct op *op);
void device_register(struct sim *sim, struct head *h);
struct head *device_of_client(struct sim *sim, const char *name);      /* NULL: no head's */

/* operator.c, fault.c, fleet.c */
void operator_act(struct sim *sim);
void fault_act(struct sim *sim);
void fleet_heal(struct sim *sim);
void fleet_make(struct sim *sim);
void fleet_node(struct sim *sim, const char *id, const char *venue, uint32_t roles, const char *kind, uint32_t slots);
void fleet_served(struct sim *sim);          /* progress: whoever waits and could be served is served */
void fleet_empty(struct sim *sim);           /* progress: all slots are free when all have left */

/* watch.c: what changed with the leases since the last event; calls the checks */
void watch_step(struct sim *sim, const struct core_event *ev, const struct core_result *result);
bool machine_warming(const struct sim *sim, const struct machine *m);      /* its newest report is no evidence of absence (rules §6.2.5) */
bool machine_may_seem_warming(const struct sim *sim, const struct machine *m);
void watch_before(struct sim *sim, const struct core_event *ev);
void watch_lost(struct sim *sim);            /* memory went back to what was committed */
void watch_replaced(struct sim *sim);
void watch_committed(struct sim *sim);
void watch_restart(struct sim *sim, int64_t outage_ms, bool stepped, bool restored);
void watch_outage(struct sim *sim, int64_t outage_ms);
/* watch_pairing.c: the same for operations, pair leases and identities */
void watch_pairing_step(struct sim *sim, const struct core_event *ev, const struct core_result *result);
void watch_pairing_lost(struct sim *sim, bool replaced);
void watch_pairing_outage(struct sim *sim, int64_t outage_ms);
void watch_pairing_stepped(struct sim *sim);
struct seen_lease *seen_lease(struct sim *sim, const char *lease_id);
struct slot_epochs *epochs_of(struct sim *sim, const char *body_id);
/* One function for each invariant and moment. `was` is the lease before the step (NULL: it is new), `is` as it is now. */
void sim_check_i1_slot_exclusive(struct sim *sim);
void sim_check_i1_one_admitted_session(struct sim *sim, const struct machine *m);
void sim_check_i2_reported_is_accounted(struct sim *sim, const struct machine *m);
void sim_check_i3_granted_was_known_idle(struct sim *sim, const struct lease *is, const char *body_id, uint32_t slot,
                                         uint64_t epoch_before);
void sim_check_i3_ended_was_really_gone(struct sim *sim, const struct seen_lease *was, const struct lease *is);
void sim_check_i3_newest_report_counts(struct sim *sim, const struct machine *m);
void sim_check_i4_epochs_grow(struct sim *sim, const struct body_rec *body, bool committed);
void sim_check_i4_grant_is_above_all(struct sim *sim, const struct lease *is, const char *body_id, uint32_t slot);
void sim_check_i5_only_its_own(struct sim *sim, const struct seen_lease *was, const struct lease *is);
void sim_check_i6_revoked_gets_no_lease(struct sim *sim, const struct core_event *ev, const struct lease *is);
void sim_check_i6_clone_gets_no_lease(struct sim *sim, const struct core_event *ev, const struct lease *is);
void sim_check_i6_nothing_is_forgotten(struct sim *sim, bool replaced);
void sim_check_i6_one_head_a_certificate(struct sim *sim, const struct core_event *ev);
void sim_check_i6_latch_had_its_condition(struct sim *sim, const struct core_result *result);
void sim_check_i7_trust(struct sim *sim, struct machine *m, const struct directive *d);
void sim_check_i7_custodian(struct sim *sim, const struct op_result_req *heard);
void sim_check_op_moves(struct sim *sim, const struct seen_op *was, const struct op_rec *is);
void sim_check_op_is_bounded(struct sim *sim);
void sim_check_op_has_one_result(struct sim *sim, const char *op_id);
void sim_check_pair_is_alone(struct sim *sim, const struct body_rec *body, uint32_t slot);
void sim_check_pair_keeps_the_slot(struct sim *sim, const struct lease *is, const struct slot *slot);
void sim_check_pair_is_bounded(struct sim *sim);
void sim_check_xr_moves(struct sim *sim, struct seen_body *seen, const struct body_rec *is, const struct core_result *result);
void sim_check_xr_has_slot_0(struct sim *sim, const struct body_rec *body);
void sim_check_xr_keeps_slot_0(struct sim *sim, const struct lease *is, const struct body_rec *body, const struct slot *slot);
void sim_check_xr_is_bounded(struct sim *sim);
void sim_check_i7_no_eviction_of_the_holder(struct sim *sim, const struct machine *m, const struct directive *d);
void sim_check_i8_lease_is_bounded(struct sim *sim, const struct seen_lease *lease);
void sim_check_i8_not_before_its_time(struct sim *sim, const struct seen_lease *was, const struct lease *is);
void sim_check_i8_queue_is_bounded(struct sim *sim);
void sim_check_i9_overlap_is_visible(struct sim *sim, const struct machine *m);
void sim_check_i9_witness_is_visible(struct sim *sim, const struct head *h, const char *body_id);
void sim_check_i10_first_come(struct sim *sim, const struct lease *is, const char *body_id, uint32_t slot);
void sim_check_i10_home_is_kept(struct sim *sim, const struct lease *is, const char *body_id);
void sim_check_i10_never_taken_from_a_picture(struct sim *sim, const struct seen_lease *was, const struct lease *is);
void sim_check_i11_terminates_what_must_end(struct sim *sim, const struct machine *m, const struct directive *d);

#endif
