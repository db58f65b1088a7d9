/* records.h - the saved records: what a lease, a slot, a body, a stream, a ticket, a node ... is (wire §9; rules §1, §3).
 *
 * Every field here is *saved*. What is observed lives in core/observed.h; what is derived is computed where it is needed.
 * Text is in fixed arrays whose sizes are the wire's limits (longer is refused at the edge, never cut); lists are heap arrays owned by
 * the version; `struct strings` and `struct text` are immutable, counted and shared between versions. */
#ifndef HYDRA_CORE_RECORDS_H
#define HYDRA_CORE_RECORDS_H

#include "hydra/base/time.h"
#include "hydra/core/record.h"
#include "hydra/core/words.h"

#define BODY_SLOTS_MAX        16     /* slots of one body */
#define SLOT_LEASES_MAX       8192   /* terminal ones wait here for their history line */
#define SLOT_GHOSTS_MAX       4
#define CIRCUIT_FAILURES_MAX  16
#define STREAM_LEASES_MAX     16     /* the newest are kept */
#define ATTEMPTS_PER_HEAD     16     /* docs/decisions: the newest ended attempts of a head that are remembered */
#define EXPERIENCES_MAX       256    /* of one body */
#define AWAITED_MAX           4096
#define APP_TOKEN_SIZE        33     /* 32 hex digits */
#define DEVICE_UID_SIZE       17     /* hex(sha256(head_id))[0:16] */
#define CLAIM_TOKEN_SIZE      44     /* base64url of 32 bytes */
#define WORD_SIZE             33     /* free words of legacy peers: status, kind, arch, version ... at most 32 bytes */
#define URL_SIZE              513
#define WIREGUARD_MAX         8192
#define DIAGNOSTICS_MAX       8192
#define CERT_PEM_MAX          8192   /* an RSA-8192 certificate with room to spare */
#define CLIENT_PREFIX         "hydra-"   /* and the head's id: what Sunshine calls the client of a head (§12.6) */
#define MAINTENANCE_CLIENTS_MAX 16   /* clients that a closed gate lets in beside the lease's (§13.5) */
#define SLOTS_TOTAL_DEFAULT   1
#define RESERVE_AUTO          (-1)
#define NO_CAP                UINT32_MAX
#define PAIRED_MAX            1024   /* clients of a trust store that are remembered */
#define EVICTIONS_KEPT        16     /* of one body, for GET pairing: the newest */
#define PIN_SIZE              5      /* 4 digits */
#define OP_OUTPUT_MAX         ((size_t)256 * 1024)   /* of one operation's answer: the wire's limit for a body */

struct strings { uint32_t refs; size_t count; char *at[]; };           /* sorted by strcmp, without doubles */
struct strings *strings_new(const char *const *items, size_t count);   /* copies; NULL: no memory */
struct strings *strings_ref(struct strings *s);                        /* accepts NULL */
void strings_unref(struct strings *s);                                 /* accepts NULL */
bool strings_has(const struct strings *s, const char *item);           /* NULL has nothing */
bool strings_same(const struct strings *a, const struct strings *b);
struct text { uint32_t refs; size_t len; char bytes[]; };              /* NUL-terminated */
struct text *text_new(const char *bytes, size_t len);
struct text *text_ref(struct text *t);
void text_unref(struct text *t);

struct lease {
    char id[HC_ID_SIZE];
    enum lease_state state;               /* written by lease_apply() alone */
    enum lease_state came_from;           /* of unknown: where to return; of draining: what it was */
    enum lease_why why;                   /* `reason` outside */
    enum lease_source source;
    enum lease_mode mode;
    uint32_t protocol;                    /* 1 legacy, 2 */
    char stream_id[HC_ID_SIZE];
    char head_id[HC_ID_SIZE];             /* "" : unknown (adopted, not attributed) */
    char device_uid[DEVICE_UID_SIZE];
    char sunshine_client_uuid[HC_ID_SIZE];
    char launch_id[HC_ID_SIZE];           /* of the session that made it streaming */
    char experience[HC_NAME_SIZE];
    char app_token[APP_TOKEN_SIZE];
    char attempt_id[HC_ID_SIZE];
    char attempt_digest[HC_HASH_SIZE];    /* of the claim's content */
    char token_hash[HC_HASH_SIZE];        /* SHA-256 of the claim token */
    char grant_facts[HC_NAME_SIZE];       /* why this head got this slot, in words of grant.c; for people */
    uint64_t grant_epoch;
    bool left_behind;                     /* rules §9.3 */
    bool uncollected;                     /* promoted, token not yet handed out (§7.2) */
    bool quest;                           /* holds of an XR-capable head have longer clocks (§6.2) */
    hc_time granted_at, renewed_at, head_renewed_at;
    hc_time expires_at;                   /* rolling; NEVER while streaming */
    hc_time start_deadline_at;            /* absolute */
    hc_time idle_since;                   /* first idle report of a streaming lease */
    hc_time drain_since, unknown_since;
    hc_time streaming_at, changed_at;     /* changed_at of a terminal lease is when it ended */
};
bool lease_is_terminal(enum lease_state state);
bool lease_is_pre_stream(enum lease_state state);     /* held, granted, pairing, starting */

/* What a slot remembers of a lease that is gone: a session that must not be adopted (§6.3 of leases, point 3: `refused`), or one that may
 * come back under its stream and head (point 4: `readopt`), and the renew on the old id that follows it. */
struct ghost {
    char lease_id[HC_ID_SIZE], head_id[HC_ID_SIZE], stream_id[HC_ID_SIZE], successor_id[HC_ID_SIZE];
    char launch_id[HC_ID_SIZE], client_uuid[HC_ID_SIZE], app_token[APP_TOKEN_SIZE], token_hash[HC_HASH_SIZE];
    char experience[HC_NAME_SIZE];
    uint32_t protocol;
    enum lease_state state;               /* how it ended */
    enum lease_why why;
    bool refused;                         /* never adopt; the directive stays terminate until an idle report */
    hc_time ended_at;
};

/* A slot kept for a head that pairs without a lease (rules §12.7). It stands beside the slot's leases: it never streams and has no
 * epoch. */
struct pair_lease {
    char id[HC_ID_SIZE];                  /* "" none */
    char head_id[HC_ID_SIZE], device_uid[DEVICE_UID_SIZE];
    hc_time granted_at, expires_at;       /* never renewed */
};

struct slot {
    uint32_t index;
    uint64_t epoch, max_epoch_seen;
    char promise_ticket_id[HC_ID_SIZE];   /* "" none (§7.7) */
    hc_time promise_until;
    hc_time silent_until;                 /* ranks last until then (§6.2.6) */
    bool epoch_regressed;                 /* until a report confirms the slot's epoch */
    struct pair_lease pair;
    size_t lease_count; struct lease *leases;     /* terminal ones too, until their history line is synced; at most one is not terminal */
    size_t ghost_count; struct ghost ghosts[SLOT_GHOSTS_MAX];   /* newest first */
};

struct circuit_failure { hc_time at; char head_id[HC_ID_SIZE]; enum lease_why why; };
struct circuit {
    enum circuit_state state;
    hc_time until;                        /* of open */
    int64_t open_ms;                      /* length of the last opening; doubles */
    char probe_lease_id[HC_ID_SIZE];      /* of half-open */
    size_t failure_count; struct circuit_failure failures[CIRCUIT_FAILURES_MAX];
};

/* The trust store of a body as the custodian's last list said it, by uuid (rules §12.9). Immutable, counted, shared between versions. */
struct paired_client { char uuid[HC_ID_SIZE], name[HC_NAME_SIZE]; hc_time first_seen; };
struct paired { uint32_t refs; size_t count; struct paired_client at[]; };
struct paired *paired_new(const struct paired_client *clients, size_t count);       /* copies and sorts by uuid; NULL: no memory */
struct paired *paired_ref(struct paired *p);                                        /* accepts NULL */
void paired_unref(struct paired *p);                                                /* accepts NULL */
const struct paired_client *paired_find(const struct paired *p, const char *uuid);  /* NULL: absent; p may be NULL */
struct eviction { char uuid[HC_ID_SIZE], name[HC_NAME_SIZE]; hc_time at; };          /* a client that the custodian's operation unpaired */
/* An XR session (docs/STATES.md): slot 0 of its body is occupied as long as there is one. Its id is its lease's; it outlives the lease
 * while the body takes down what it has set up. */
struct xr_session {
    char session_id[HC_ID_SIZE], head_id[HC_ID_SIZE];     /* session_id "": there is none */
    enum xr_state state;                  /* written by xr_apply() alone */
    hc_time created_at, since;            /* since: it is in this state */
    char reason[WORD_SIZE];               /* of ending and failed */
    bool acknowledged;                    /* its head has read `failed` and let go: no more the head's, the body still holds */
    char experience[HC_NAME_SIZE], client_hostname[HC_NAME_SIZE], client_ip[HC_ID_SIZE];
};

struct body_rec {                         /* REC_BODY, key: node id */
    struct rec rec;
    uint32_t slots_total;
    enum enforce_mode enforce;
    bool maintenance;
    int32_t home_venue_reserve;           /* RESERVE_AUTO or 0.. */
    hc_time drain_deadline_at;            /* NEVER: no drain */
    bool drain_cordoned;                  /* maintenance was set by the drain, its undo takes it back */
    char boot_id[HC_ID_SIZE];
    hc_time last_body_confirmation_at;
    uint32_t boots_unconfirmed;
    bool deleted;                         /* its node was deleted: nothing is granted any more, it goes with its last lease */
    bool unconfirmed_told;                /* body_unconfirmed was emitted, body_confirmed not yet */
    uint32_t pair_epoch;
    char sunshine_cert_fp[HC_HASH_SIZE];
    struct strings *listed_experiences;
    struct circuit circuit;
    struct xr_session xr;
    hc_time last_unauthorized_at;         /* for enforce_not_ready (§10.7) */
    hc_time observing_since;
    struct paired *paired;                /* NULL: none known */
    hc_time custodian_last_success_at;    /* a list that parsed */
    hc_time cert_rotated_at;              /* sunshine_cert_fp became another one */
    size_t eviction_count; struct eviction evictions[EVICTIONS_KEPT];    /* newest first */
    struct strings *maintenance_clients;  /* names or uuids; NULL: none (§13.5) */
    size_t slot_count; struct slot *slots;   /* by index, dense from 0 */
};

struct stream_rec {                       /* REC_STREAM, key: stream id */
    struct rec rec;
    char head_id[HC_ID_SIZE];
    char experience[HC_NAME_SIZE];
    enum stream_state state;
    enum stream_why why;
    uint32_t protocol;
    hc_time created_at, ended_at;
    uint32_t returns, preempted;
    size_t lease_count; char lease_ids[STREAM_LEASES_MAX][HC_ID_SIZE];   /* oldest first */
};

struct ticket_rec {                       /* REC_TICKET, key: head id */
    struct rec rec;
    char id[HC_ID_SIZE], stream_id[HC_ID_SIZE], attempt_id[HC_ID_SIZE], district[HC_NAME_SIZE], experience[HC_NAME_SIZE];
    char device_uid[DEVICE_UID_SIZE], attempt_digest[HC_HASH_SIZE], prefer_body_id[HC_ID_SIZE];
    enum ticket_state state;
    enum wait_why why;
    enum lease_mode mode;
    uint32_t protocol;
    hc_time created_at, renewed_at;       /* renewed_at as saved; the newest is observed */
    hc_time asked_at;                     /* start of the ten minutes of ticketMax; moved by a confirmation */
    hc_time confirm_by;                   /* of confirm_required */
    int64_t eta_ms;                       /* first estimate, to measure its error; negative: none */
};

struct district_rec {                     /* REC_DISTRICT, key: district */
    struct rec rec;
    enum safe_mode safe_mode;
    hc_time safe_since;
    size_t awaited_count; char (*awaited)[HC_ID_SIZE];    /* bodies that have not reported yet */
    hc_time per_device_identity_at;       /* latched since (§12.4); NEVER: off */
    hc_time per_device_identity_off_at;   /* an admin cleared it: it is not set again until an admin allows it; NEVER: it may be set */
    hc_time retirement_since;             /* since when every head has spoken protocol 2 alone (seed, Step 9); NEVER: not so */
};

/* REC_IDENTITY, key: head id. It outlives its node: what was revoked must go wherever it still shows up (§12.5). */
struct predecessor { char fingerprint[HC_HASH_SIZE]; hc_time registered_at, overlap_until; };
struct identity_rec {
    struct rec rec;
    char device_uid[DEVICE_UID_SIZE];     /* "" with the fingerprint: nothing was registered, the node was deleted: its name is banned */
    char fingerprint[HC_HASH_SIZE];       /* SHA-256 of the certificate's DER */
    hc_time registered_at, not_after;
    hc_time revoked_at;                   /* NEVER: it counts */
    struct predecessor predecessor;       /* fingerprint "": none; both count until overlap_until */
    struct text *cert_pem;                /* NULL once its node is gone */
    struct paired *lost;                  /* its clients when it was revoked, at most LOST_MAX: they go for ever; NULL: none */
};
#define LOST_MAX 256

struct cap_rec { struct rec rec; uint32_t max_concurrent_grants; };            /* REC_CAP, key: "venue/NAME" or "org/NAME" */
/* REC_DEMOTION, key: "BODY/HEAD" */
struct demotion_rec { struct rec rec; char body_id[HC_ID_SIZE], head_id[HC_ID_SIZE]; hc_time until; };
struct attempt { char attempt_id[HC_ID_SIZE], lease_id[HC_ID_SIZE], stream_id[HC_ID_SIZE]; enum lease_why why; enum lease_state state;
    hc_time until; };
/* REC_ATTEMPTS, key: head id; newest first */
struct attempts_rec { struct rec rec; size_t count; struct attempt at[ATTEMPTS_PER_HEAD]; };

/* A typed operation for a node's agent (wire §4). */
struct op_rec {                           /* REC_OP, key: op id */
    struct rec rec;
    char node_id[HC_ID_SIZE];
    enum op_kind op;
    enum op_state state;
    char uuid[HC_ID_SIZE];                /* of unpair */
    char pin[PIN_SIZE];                   /* of submit_pin; "" when the operation is over: it is shown nowhere and kept no longer */
    char name[HC_NAME_SIZE];              /* of submit_pin */
    bool force;                           /* of close_app and restart */
    char asked_by[HC_NAME_SIZE];          /* "admin TOKEN_ID", a head's id, or "custodian" */
    hc_time asked_at, expires_at, finished_at;
    struct text *output;                  /* JSON as the agent sent it; NULL: none */
    char error[HC_NAME_SIZE];
};

enum node_role { ROLE_BODY = 1, ROLE_HEAD = 2 };
struct stream_block { char stream_url[URL_SIZE], stream_url_lan[URL_SIZE], stream_app_id[HC_NAME_SIZE], stream_mode[WORD_SIZE]; };
/* Immutable, counted and shared between versions: a kilobyte or two that thousands of nodes would carry empty. */
struct node_rare {
    uint32_t refs;
    struct stream_block stream;           /* of a head with an assigned body */
    struct xr_session xr_session;         /* the body's, once more: what a rolled-back binary reads (docs/decisions/0021) */
};
struct node_rec {                         /* REC_NODE, key: node id */
    struct rec rec;
    char name[HC_NAME_SIZE];
    uint32_t roles;
    char district[HC_NAME_SIZE], venue[HC_NAME_SIZE], owner[HC_NAME_SIZE];
    char machine_id[HC_NAME_SIZE], ip[HC_ID_SIZE], wireguard_ip[HC_ID_SIZE];
    char kind[WORD_SIZE];                 /* hydraheadipad, hydraheadquest, hydraheadflatscreen ... */
    enum approval approval;
    char token_hash[HC_HASH_SIZE];        /* SHA-256 of the node token */
    char version[WORD_SIZE], arch[WORD_SIZE];
    hc_time enrolled_at, last_seen;       /* last_seen as saved, at most 60 s behind */
    char xr_client_hostname[HC_NAME_SIZE];
    char head_body_id[HC_ID_SIZE];        /* assigned body (§6.3.9) */
    struct node_rare *rare;               /* what few nodes have: NULL for most of them; read by node_stream(), node_xr() */
    struct text *wireguard_config;
    uint32_t protocol_version, pairing_protocol;          /* as last reported; for reports and gates only */
};
struct venue_rec { struct rec rec; char district[HC_NAME_SIZE], owner[HC_NAME_SIZE]; enum accept_mode accept_mode; };
struct org_rec { struct rec rec; };
struct experience_rec {
    struct rec rec;
    char label[HC_NAME_SIZE], orientation[WORD_SIZE], stream_mode[WORD_SIZE];   /* stream_mode "" = flat */
    bool enable_microphone;
    struct strings *venues;               /* NULL: all */
};

#define ALLOC_GETTER(name, kind, type) \
    static inline const struct type *name(const struct alloc *a, const char *key) { return (const struct type *)alloc_get(a, kind, key); }
ALLOC_GETTER(alloc_body, REC_BODY, body_rec)
ALLOC_GETTER(alloc_stream, REC_STREAM, stream_rec)
ALLOC_GETTER(alloc_ticket, REC_TICKET, ticket_rec)
ALLOC_GETTER(alloc_district, REC_DISTRICT, district_rec)
ALLOC_GETTER(alloc_attempts, REC_ATTEMPTS, attempts_rec)
ALLOC_GETTER(alloc_op, REC_OP, op_rec)
ALLOC_GETTER(alloc_identity, REC_IDENTITY, identity_rec)
ALLOC_GETTER(alloc_node, REC_NODE, node_rec)
ALLOC_GETTER(alloc_venue, REC_VENUE, venue_rec)
ALLOC_GETTER(alloc_experience, REC_EXPERIENCE, experience_rec)
#undef ALLOC_GETTER
static inline const struct node_rec *body_node(const struct alloc *a, const struct body_rec *body)
    { return (const struct node_rec *)alloc_like(a, REC_NODE, &body->rec); }
const struct lease *body_lease(const struct body_rec *body, const char *lease_id, const struct slot **ret_slot);  /* NULL: absent */
const struct lease *slot_live_lease(const struct slot *slot);          /* the one that is not terminal, or NULL */
const struct lease *alloc_lease(const struct alloc *alloc, const char *lease_id, const struct body_rec **ret_body,
    const struct slot **ret_slot);
const char *node_owner(const struct alloc *alloc, const struct node_rec *node);   /* its own, else its venue's; "" none (rules §1) */
bool node_is_quest(const struct node_rec *node);
const struct stream_block *node_stream(const struct node_rec *node);   /* never NULL: all empty when it has none */
const struct xr_session *node_xr(const struct node_rec *node);         /* the same */
/* Of a version that is being made: HC_ERR_NOMEM changes nothing. */
HC_MUST enum hc_err node_set_stream(struct node_rec *node, const struct stream_block *stream);
HC_MUST enum hc_err node_set_xr(struct node_rec *node, const struct xr_session *session);
struct node_rare *node_rare_ref(struct node_rare *rare);               /* accepts NULL */
void node_rare_unref(struct node_rare *rare);                          /* accepts NULL */

#endif
