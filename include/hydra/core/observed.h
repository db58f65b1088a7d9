/* observed.h - facts from outside: reports, heartbeats, renewals, edges not consumed yet. Never saved, never rolled back. */
#ifndef HYDRA_CORE_OBSERVED_H
#define HYDRA_CORE_OBSERVED_H

#include "hydra/core/records.h"

#define REPORT_SESSIONS_MAX 32       /* rows in slots[] of one report: two sessions on each of 16 slots */
#define REPORT_CLIENTS_MAX  1024
#define REPORT_EVENTS_MAX   64
#define CLAIM_TIMES_MAX     5        /* rules §6.5.3 */
#define POOL_SESSIONS_MAX   50       /* rules §7.5 */

struct ports { uint32_t gamestream, gamestream_tls, web; };      /* 0: not told */
struct session_obs {                 /* one row of slots[] */
    uint32_t index;
    enum session_state state;
    char lease_id[HC_ID_SIZE], launch_id[HC_ID_SIZE], client_uuid[HC_ID_SIZE], client_name[HC_NAME_SIZE];
    char app[HC_NAME_SIZE + APP_TOKEN_SIZE];
    bool has_applied_epoch; uint64_t applied_epoch;
    int64_t since_ms;                /* negative: not told */
    struct ports ports;
    char sunshine_cert_fp[HC_HASH_SIZE];
    enum gate_mode gate_mode; char gate_reason[HC_NAME_SIZE];
};
struct body_event { enum body_event_type type; char type_text[WORD_SIZE]; uint32_t slot; char launch_id[HC_ID_SIZE],
    client_uuid[HC_ID_SIZE], detail[HC_NAME_SIZE]; };
#define CLIENT_OF_BODY (-1)
struct client_obs { char uuid[HC_ID_SIZE], name[HC_NAME_SIZE]; int32_t slot; };      /* slot: whose Sunshine has it; CLIENT_OF_BODY: all */

struct body_obs {                    /* OBS_BODY, key: node id; the newest report */
    struct rec rec;
    hc_time reported_at;             /* NEVER: no report since start */
    bool modern;                     /* rules §1 */
    char boot_id[HC_ID_SIZE]; uint64_t report_seq;
    hc_time boot_first_at;           /* first report of this boot_id */
    int64_t uptime_ms;               /* provider_uptime_seconds; negative: not sent */
    enum stream_status stream_status;
    char xr_state[WORD_SIZE], xr_session_id[HC_ID_SIZE], xr_reason[WORD_SIZE];      /* id "": not told whose state it is */
    struct strings *xr_drivers, *experiences;
    char gpu[HC_NAME_SIZE], provider_status[HC_NAME_SIZE], provider_version[WORD_SIZE], hydrabody_version[WORD_SIZE];
    uint32_t gpu_memory_total_mb;
    struct ports ports;
    size_t session_count; struct session_obs *sessions;
    size_t max_epoch_count; uint64_t max_epoch_seen[BODY_SLOTS_MAX];
    size_t client_count; struct client_obs *clients; char paired_digest[HC_HASH_SIZE];
    hc_time idle_at[BODY_SLOTS_MAX];               /* last report that showed the slot idle */
    hc_time session_since[BODY_SLOTS_MAX];         /* first report of the session(s) that the slot shows now; NEVER when idle */
    hc_time second_launch_at[BODY_SLOTS_MAX];      /* last second_launch_refused event (divergence for 120 s) */
    hc_time below_floor_at[BODY_SLOTS_MAX];
    hc_time conflict_told_at[BODY_SLOTS_MAX];      /* slot_conflict was emitted for the present mismatch */
};

struct node_obs {                    /* OBS_NODE, key: node id */
    struct rec rec;
    hc_time seen_at;                 /* any authenticated request */
    bool told_online;                /* node_online / node_offline edges */
    /* heads */
    hc_time beat_at; char status[WORD_SIZE], body_id[HC_ID_SIZE], lease_id[HC_ID_SIZE], stream_id[HC_ID_SIZE];
    enum head_lease_state lease_state;
    hc_time starting_beat_at;        /* last starting/pairing heartbeat (§6.2 point 2) */
    hc_time streaming_beat_at;       /* last streaming heartbeat */
    hc_time status_since;            /* since when `status` and `body_id` are what they are */
    hc_time read_at; char read_experience[HC_NAME_SIZE]; char read_lease_id[HC_ID_SIZE];   /* last claiming read and what it gave */
    bool read_lost;                  /* that answer was a 503: never handed out (§6.3.1) */
    hc_time handed_at; char handed_lease_id[HC_ID_SIZE];       /* when it asked and was given the lease that it has, which had a picture */
    hc_time live_at;                 /* last time it had a live stream (§7.6 b) */
    hc_time claim_at[CLAIM_TIMES_MAX]; /* newest explicit grants (§6.5.3) */
    hc_time ticket_renewed_at;
    char address[HC_ID_SIZE], address_before[HC_ID_SIZE]; hc_time address_at, duplicate_until;   /* §12.2 */
    hc_time witness_told_at;         /* slot_conflict was emitted for what it says since status_since (§10.3) */
    hc_time address_before_at;       /* last heartbeat from address_before (§12.2) */
    struct text *diagnostics;        /* JSON, as it came */
    /* agents */
    hc_time op_poll_at;              /* last time it asked for operations */
    hc_time custodian_asked_at;      /* last list that the custodian asked for */
    enum custodian_state custodian;  /* how that one ended */
};

/* OBS_CLOCK, key: lease id; §3.8. shown_at: by its body, in the newest report that did. */
struct clock_obs { struct rec rec; hc_time renewed_at, head_renewed_at, expires_at, shown_at; };
struct pool_obs { struct rec rec; size_t count, next; int64_t session_ms[POOL_SESSIONS_MAX]; };   /* OBS_POOL, key: pool */

struct op_obs { struct rec rec; hc_time given_at; };      /* OBS_OP, key: op id; given to its node then, and may be given again later */

static inline const struct body_obs *observed_body(const struct observed *o, const char *key)
    { return (const struct body_obs *)observed_get(o, OBS_BODY, key); }
static inline const struct node_obs *observed_node(const struct observed *o, const char *key)
    { return (const struct node_obs *)observed_get(o, OBS_NODE, key); }
static inline const struct body_obs *body_observed(const struct observed *o, const struct body_rec *body)
    { return (const struct body_obs *)observed_like(o, OBS_BODY, &body->rec); }
/* The only way to set gpu_memory_total_mb: the most that there is bounds a search. */
void observed_memory(struct observed *o, struct body_obs *body, uint32_t memory_mb);

/* A lease's rolling clocks: the later of what is saved and what is observed. */
struct lease_clock { hc_time renewed_at, head_renewed_at, expires_at; };
struct lease_clock lease_clock(const struct observed *obs, const struct lease *lease);
hc_time ticket_renewed_at(const struct observed *obs, const struct ticket_rec *ticket);
hc_time node_seen_at(const struct observed *obs, const struct node_rec *node);

#endif
