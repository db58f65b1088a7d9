/* step.h - core_step(): the one way the state changes; and what it answers.
 *
 * A result holds copies only: it can be rendered after the mutex is gone and the state has moved on. Free it with core_result_free(). */
#ifndef HYDRA_CORE_STEP_H
#define HYDRA_CORE_STEP_H

#include "hydra/base/arena.h"
#include "hydra/core/config.h"
#include "hydra/core/event.h"

/* An event for people, published with the commit; and facts for metrics, history and counters that ride on the same list. */
struct core_note {
    enum note_type type;
    hc_time at;
    char district[HC_NAME_SIZE], body_id[HC_ID_SIZE], lease_id[HC_ID_SIZE], head_id[HC_ID_SIZE];
    int32_t slot;                          /* -1: none */
    bool expected_legacy;                  /* raised by a head that has not reported protocol_version >= 2 (§10.5) */
    char detail[HC_NAME_SIZE * 2];
    /* for the feed, by type */
    char venue[HC_NAME_SIZE], head_venue[HC_NAME_SIZE];
    enum lease_source source;              /* LEASE_GRANTED */
    enum lease_state state; enum lease_why why;    /* LEASE_ENDED */
    int64_t waited_ms, eta_ms;             /* LEASE_GRANTED, PROMOTED of one that had queued; negative: none */
};

enum core_answer {
    ANSWER_DONE,              /* 200/204: nothing more to say */
    ANSWER_REFUSED,           /* `deny` says why */
    ANSWER_LEASE_NEW,         /* 201 */
    ANSWER_LEASE_SAME,        /* 200 */
    ANSWER_TICKET,            /* 202 */
    ANSWER_ROWS,              /* eligible bodies */
    ANSWER_WAIT_SLOT,         /* §6.3.5: park at most claimWait, run again when the state changed; last_chance at the end */
    ANSWER_STREAM,            /* admission and stream routes */
    ANSWER_NODE,              /* `id` of the node made */
    ANSWER_DRAIN,             /* `drain` */
    ANSWER_OP,                /* `id` of the operation asked for; or `op`, the one to do */
    ANSWER_PAIR,              /* `pair` */
    ANSWER_XR                 /* `xr` */
};

struct body_facts {
    char id[HC_ID_SIZE], name[HC_NAME_SIZE], ip[HC_ID_SIZE], wireguard_ip[HC_ID_SIZE];
    bool same_machine, directive_applied;
    struct ports ports;
    char app_name[HC_NAME_SIZE + APP_TOKEN_SIZE];
    char sunshine_cert_fp[HC_HASH_SIZE];
    uint32_t pair_epoch;
    bool pair_required; char pair_reason[WORD_SIZE];
};
struct ticket_facts {
    char id[HC_ID_SIZE], stream_id[HC_ID_SIZE];
    uint32_t position; int64_t eta_ms;     /* negative: no history */
    enum wait_why why; enum ticket_state state;
    hc_time created_at; int64_t retry_after_ms;
};
struct stream_facts {
    char id[HC_ID_SIZE], head_id[HC_ID_SIZE], experience[HC_NAME_SIZE];
    enum stream_state state; enum stream_why why;
    hc_time created_at; char lease_id[HC_ID_SIZE], ticket_id[HC_ID_SIZE];
    int64_t unattended_ms;                 /* negative: attended, or not live */
};
struct eligible_row {                      /* one element of the eligible array, wire §1 */
    char id[HC_ID_SIZE], name[HC_NAME_SIZE], ip[HC_ID_SIZE], wireguard_ip[HC_ID_SIZE];
    bool same_venue; uint32_t stream_count;
    const char *const *xr_drivers; size_t xr_driver_count;      /* in the result's arena */
    char xr_state[WORD_SIZE];
    uint32_t slot, slots_total, slots_free; hc_time reported_at; uint32_t gpu_memory_total_mb, pair_epoch;
    char sunshine_cert_fp[HC_HASH_SIZE];
    bool has_lease, lease_mine; char lease_id[HC_ID_SIZE]; enum lease_state lease_state; int64_t lease_expires_ms;
};
struct identity_facts { hc_time registered_at, overlap_until; char supersedes[HC_HASH_SIZE]; };      /* NEVER, "": none */
struct drain_facts { bool armed; const char *const *lease_ids; size_t lease_count; const char *const *ticket_ids; size_t ticket_count; };

struct op_facts { char id[HC_ID_SIZE]; enum op_kind op; char uuid[HC_ID_SIZE], pin[PIN_SIZE], name[HC_NAME_SIZE]; bool force; };
/* A pair lease, or the slot's own lease when its holder pairs (then `mode` is that lease's). ttl_ms negative: no clock ends it. */
struct pair_facts { char id[HC_ID_SIZE], body_id[HC_ID_SIZE], head_id[HC_ID_SIZE]; uint32_t slot; enum lease_mode mode; int64_t ttl_ms; };
struct xr_facts { char session_id[HC_ID_SIZE], body_id[HC_ID_SIZE], body_host[HC_ID_SIZE], experience[HC_NAME_SIZE], reason[WORD_SIZE];
    enum xr_state state; };

struct core_result {
    struct hc_arena arena;
    bool dirty;                            /* a saved record was changed */
    enum core_answer answer;
    enum deny_reason deny;
    enum wait_why wait;                    /* with no_slot_available and tickets */
    int64_t retry_after_ms;                /* with refusals that have one; 0: none */
    char lost_why[WORD_SIZE];              /* lease_lost{reason}; experience, identity ... details */
    char lost_cause[WORD_SIZE];            /* lease_lost{cause}: why it was revoked, and else the same as the reason */
    char field[WORD_SIZE]; char detail[HC_NAME_SIZE];   /* bad_request: which field, one sentence */
    char id[HC_ID_SIZE], name[HC_NAME_SIZE];            /* of what was made or ended */
    bool has_lease, has_body, has_ticket, has_stream;
    struct lease lease;                    /* a copy; also of the busy, lost or held one */
    uint64_t epoch; uint32_t slot;         /* the slot's epoch now */
    char claim_token[CLAIM_TOKEN_SIZE];    /* "" when the caller may not have it */
    int64_t ttl_ms, start_deadline_ms;     /* remaining; negative: none */
    struct body_facts body;
    struct ticket_facts ticket;
    struct stream_facts stream;
    struct eligible_row *rows; size_t row_count;
    struct drain_facts drain;
    bool has_op; struct op_facts op;
    struct pair_facts pair;
    struct identity_facts identity;
    struct xr_facts xr;
    /* denial counters on two axes (I10): filled with every denied claim or read */
    char head_venue[HC_NAME_SIZE], body_venue[HC_NAME_SIZE];
    bool denied_for_capacity;              /* counts in denials_last_hour */
    size_t note_count, note_size; struct core_note *notes;   /* heap; the result's until taken */
};
void core_result_free(struct core_result *result);       /* arena and notes; leaves it zeroed */

/* Applies one event: clocks of the bodies concerned, the event, reconcile. HC_OK: the step is over and in `dirty`. Otherwise nothing
 * happened in `live` (it undoes itself); observed facts may have entered. A refusal is HC_OK. With ev->dry_run the
 * step is undone before it returns. `result` is zeroed first. */
HC_MUST enum hc_err core_step(struct alloc *live, struct observed *obs, const struct core_event *ev, struct core_result *result);

/* Rules §3.3: `foreign` was read from a file that another process wrote; `committed` is what we last made durable. Raises epochs, keeps
 * acknowledged leases as unknown where their slot is free, else ends them revoked(generation_conflict). Changes `foreign`, marks what it
 * changed dirty, adds notes. */
HC_MUST enum hc_err core_merge_foreign(struct alloc *foreign, const struct alloc *committed, struct observed *obs, hc_time now,
    struct core_result *result);

#endif
