/* event.h - everything that can happen to the core. An event carries its time and its randomness; running it again with a fresh `now`
 * and the same seed makes the same ids. Pointers in an event are borrowed from the request that owns it and stay valid until it is
 * answered. */
#ifndef HYDRA_CORE_EVENT_H
#define HYDRA_CORE_EVENT_H

#include "hydra/core/observed.h"

enum core_event_type {
    CORE_START, CORE_OUTAGE_OVER, CORE_TICK, CORE_HISTORY_WRITTEN,
    CORE_STOP, CORE_SEEN, CORE_BODY_REPORT, CORE_HEARTBEAT, CORE_READ, CORE_CONFIG_FETCH,
    CORE_CLAIM, CORE_RENEW, CORE_RELEASE, CORE_STREAM_STOP, CORE_STREAM_END, CORE_ADMISSION, CORE_ACCEPT, CORE_ANSWER_LOST,
    CORE_ADMIT_OBSERVED, CORE_LEASE_END, CORE_XR_START, CORE_XR_POLL, CORE_XR_END,
    CORE_NODE_ENROL, CORE_NODE_UPDATE, CORE_NODE_DELETE, CORE_NODE_TOKEN, CORE_NODE_BEAT, CORE_HEAD_UPDATE, CORE_WIREGUARD_PUT,
    CORE_SLOTS_PUT, CORE_DRAIN, CORE_UNDRAIN, CORE_CIRCUIT_RESET, CORE_SAFE_MODE_END,
    CORE_VENUE_PUT, CORE_VENUE_DELETE, CORE_ORG_PUT, CORE_ORG_DELETE, CORE_EXPERIENCE_PUT, CORE_EXPERIENCE_DELETE,
    CORE_OP_ASK, CORE_OP_NEXT, CORE_OP_RESULT, CORE_PAIR_LEASE, CORE_PAIR_RELEASE,
    CORE_IDENTITY_PUT, CORE_IDENTITY_REVOKE, CORE_LATCH_CLEAR,
    CORE_EVENT_TYPES
};
const char *core_event_name(enum core_event_type type);

enum caller_kind { CALLER_SYSTEM, CALLER_NODE, CALLER_ADMIN, CALLER_READ, CALLER_FLEET };
struct caller { enum caller_kind kind; char node_id[HC_ID_SIZE]; };   /* from the credential, never from body or query (I5) */

/* A field that a PUT may leave alone. */
struct opt_u32 { bool set; uint32_t value; };
struct opt_i32 { bool set; int32_t value; };
struct opt_bool { bool set; bool value; };

struct start_req {                /* once, before anything else; also after a rollback of files */
    int64_t outage_ms;            /* now - saved_at, at least 0: rolling clocks move on by it (§4.3) */
    hc_time saved_at;             /* of the file, for the clamp (§4.2); NEVER: a new store */
    bool downgrade;               /* §3.7: downgrade safe mode in every district that has a body */
    bool allocation_missing;      /* §3.6 */
};
struct outage_req { int64_t outage_ms; };
struct history_req { const char *const *lease_ids; size_t count; };
struct seen_req { const char *node_id; };
struct report_req {               /* POST /body/status, decoded; the caller is the body */
    const char *body_id;
    bool modern;                  /* boot_id, report_seq and slots[] were all there */
    const char *boot_id; uint64_t report_seq; int64_t uptime_ms;
    enum stream_status stream_status;
    const char *xr_state, *xr_session_id, *xr_reason;      /* "" not told */
    const char *const *xr_drivers; size_t xr_driver_count;
    bool has_experiences; const char *const *experiences; size_t experience_count;
    const char *gpu, *provider_status, *provider_version, *hydrabody_version;
    uint32_t gpu_memory_total_mb;
    struct ports ports;
    const struct session_obs *sessions; size_t session_count;
    const uint64_t *max_epoch_seen; size_t max_epoch_count;
    const char *sunshine_cert_fp;                    /* "" not told */
    const struct client_obs *clients; size_t client_count; const char *paired_digest;
    const struct body_event *events; size_t event_count;
};
struct heartbeat_req {            /* PUT /heads/{id} by the head itself */
    const char *head_id, *status, *body_id, *lease_id, *stream_id, *address, *version;
    enum head_lease_state lease_state;
    struct opt_u32 protocol_version, pairing_protocol;
    const char *diagnostics;      /* JSON text or NULL */
};
struct read_req {                 /* GET /bodies/eligible; claiming is decided by the core (§6.3) */
    const char *head_id;          /* the node's own, or the one an admin names; "" none */
    const char *district, *venue, *experience, *stream_mode;   /* as in the query; "" absent */
    bool protocol2, include_leased;
    bool last_chance;             /* the park is over: answer now */
};
struct fetch_req { const char *head_id; bool last_chance; };       /* GET /heads/{id} with the head's own token */
struct claim_req {                /* POST slot-claims, POST streams, dry runs, /explain */
    const char *head_id, *attempt_id, *experience, *stream_mode, *device_uid, *prefer_body_id, *claim_token, *stream_id;
    const char *content_digest;   /* SHA-256 hex of what "same content" means (§6.5.2), made by the api from the decoded fields */
    uint32_t protocol_version;
    bool no_attempt;              /* /explain: no attempt id; every claim check that needs one is skipped */
    bool legacy;                  /* /explain for a legacy head: rules of a claiming read */
};
struct renew_req { const char *head_id, *lease_id, *claim_token; };
struct release_req { const char *head_id, *lease_id, *claim_token; enum lease_why why; };
struct stream_stop_req { const char *head_id, *body_id; };         /* DELETE /heads/{id}/stream; body_id "" absent */
struct stream_end_req { const char *head_id, *stream_id; };        /* DELETE /heads/{id}/streams/{stream_id} */
struct admission_req { const char *head_id, *attempt_id; };        /* attempt_id "" absent */
struct accept_req { const char *head_id; };
struct answer_lost_req { const char *head_id; };                   /* a claiming read was answered 503 store_unavailable */
struct admit_req { const char *body_id, *client_uuid, *named_cert_name, *app_name, *launch_id; uint32_t slot; };
struct lease_end_req { const char *lease_id; bool revoke; const char *reason; };   /* the operator's hand */
struct xr_start_req { const char *head_id, *body_id, *experience, *client_hostname, *client_ip; };    /* POST xr-session; ip "" absent */
struct xr_req { const char *head_id; };                            /* GET (it renews) and DELETE xr-session */
struct enrol_req {
    const char *name, *kind, *district, *venue, *owner, *machine_id, *ip, *wireguard_ip, *token_hash;   /* "" absent */
    uint32_t roles; bool pending; /* approval waits (configuration) */
    /* POST /heads: empty name -> ipad-head, a name in use -> -2, -3 ...; else names may repeat */
    bool legacy_names;
};
struct node_update_req {          /* PUT /nodes/{id}; NULL: not named */
    const char *node_id, *name, *venue, *district, *owner, *ip, *wireguard_ip, *machine_id, *xr_client_hostname;
    struct opt_u32 roles; bool set_approval; enum approval approval;
};
struct node_delete_req { const char *node_id; bool force; };
struct node_token_req { const char *node_id, *token_hash; };
struct node_beat_req { const char *node_id, *version, *arch, *ip; };
struct head_update_req {          /* admin PUT /heads/{id} */
    const char *head_id; const char *head_body_id;     /* NULL: not named; "" clears */
    /* bit per member in order: only named ones change */
    bool set_stream, clear_stream; struct stream_block stream; unsigned stream_fields;
};
struct wireguard_req { const char *head_id; const char *text; };
struct slots_req {
    const char *body_id; struct opt_u32 slots_total; bool set_enforce; enum enforce_mode enforce; struct opt_bool maintenance;
    struct opt_i32 home_venue_reserve; bool force;
    bool set_maintenance_clients; const char *const *maintenance_clients; size_t maintenance_client_count;
};
struct drain_req { const char *body_id; int64_t deadline_ms; };    /* dry_run is the event's */
struct body_req { const char *body_id; };                          /* undrain, circuit reset */
struct district_req { const char *district; };
struct venue_req { const char *name; const char *district, *owner; struct opt_u32 cap; bool clear_cap; bool set_accept_mode;
    enum accept_mode accept_mode; };
struct org_req { const char *name; struct opt_u32 cap; bool clear_cap; };
struct experience_req {
    const char *name, *label, *orientation, *stream_mode; struct opt_bool enable_microphone;
    bool set_venues; const char *const *venues; size_t venue_count;
};
struct name_req { const char *name; };
struct op_ask_req {               /* POST /nodes/{id}/ops, and /nodes/{id}/sunshine-pin */
    const char *node_id; enum op_kind op; const char *uuid, *pin, *name;      /* "" absent */
    bool force;
    const char *asked_by;         /* "admin TOKEN_ID"; of a relayed PIN the head, which must hold something there */
    bool relay;                   /* a head's PIN: `asked_by` is the head, and its name is made from it */
};
struct op_next_req { const char *node_id; };                       /* GET ops/next, by the node itself */
/* What the web API answered, decoded by the api: the core parses no JSON. */
enum op_verdict { OP_VERDICT_NONE /* says nothing, or garbage */, OP_VERDICT_TRUE, OP_VERDICT_FALSE };
struct op_result_req {
    const char *node_id, *op_id; bool failed;
    const char *output; size_t output_len;           /* JSON text; NULL: none */
    const char *error;
    enum op_verdict verdict;
    bool has_clients;                                /* `named_certs` was there and parsed */
    const struct client_obs *clients; size_t client_count;
};
struct pair_req { const char *head_id, *body_id; uint32_t slot; };
struct pair_release_req { const char *head_id, *lease_id; };
struct identity_req {             /* POST device-identity: the certificate has been judged at the edge */
    const char *head_id, *device_uid, *fingerprint, *cert_pem; hc_time not_after;
};
struct identity_revoke_req { const char *head_id; };
struct latch_req { const char *district; bool allow; };            /* allow: undo an earlier clear, the latch may be set again */

struct core_event {
    enum core_event_type type;
    hc_time now;                  /* the only clock the core ever sees; fresh when an event is run again */
    uint8_t seed[32];             /* the only randomness; kept when run again */
    bool store_ok;                /* false: nothing is granted, no clock ends anything (§3.5) */
    bool dry_run;                 /* observed state is not touched; the caller undoes the step */
    struct caller caller;
    union {
        struct start_req start; struct outage_req outage; struct history_req history; struct seen_req seen; struct report_req report;
        struct heartbeat_req heartbeat; struct read_req read; struct fetch_req fetch; struct claim_req claim; struct renew_req renew;
        struct release_req release; struct stream_stop_req stream_stop; struct stream_end_req stream_end; struct admission_req admission;
        struct accept_req accept; struct answer_lost_req answer_lost; struct admit_req admit; struct lease_end_req lease_end;
        struct xr_start_req xr_start; struct xr_req xr;
        struct enrol_req enrol; struct node_update_req node_update; struct node_delete_req node_delete; struct node_token_req node_token;
        struct node_beat_req node_beat; struct head_update_req head_update; struct wireguard_req wireguard; struct slots_req slots;
        struct drain_req drain; struct body_req body; struct district_req district; struct venue_req venue; struct org_req org;
        struct experience_req experience; struct name_req name;
        struct op_ask_req op_ask; struct op_next_req op_next; struct op_result_req op_result; struct pair_req pair;
        struct pair_release_req pair_release;
        struct identity_req identity; struct identity_revoke_req identity_revoke; struct latch_req latch;
    } u;
};

#endif
