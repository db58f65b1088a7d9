/* head_decide.h - what a head does next: pure. State, event and now (monotonic ms) in; a new state and actions out. No clock, file,
 * socket or child in it: hydrahead's loop carries the actions out and brings their results back as events (rules §13.8, §13.9; wire §3).
 *
 *   idle -> claiming -> (queued ->) preparing -> verifying -> (pairing ->) probing -> confirming -> streaming -> releasing -> idle
 *
 * Before the picture lives every way back is to release the lease and claim again under the same stream; while it lives only an end that
 * the cluster orders (410 revoked or superseded), the visitor, or the streaming program itself ends it. */
#ifndef HEAD_HEAD_DECIDE_H
#define HEAD_HEAD_DECIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "hydra/base/id.h"

#define HEAD_ACTIONS_MAX    6
#define HEAD_TOKEN_SIZE     65
#define HEAD_SENTENCE_SIZE  200
#define HEAD_VERIFY_TRIES   5           /* of one lease; then the body counts as unreachable */
#define HEAD_PAIR_TRIES     2
#define HEAD_STARTS_MAX     4           /* leases in a row that never became a picture; then the visitor is told */

enum head_phase {
    HEAD_IDLE, HEAD_CLAIMING, HEAD_QUEUED, HEAD_PREPARING /* the body has not applied the directive yet */, HEAD_VERIFYING, HEAD_PAIRING,
    HEAD_PROBING /* is the host free? */, HEAD_CONFIRMING /* renew: launches only on 200 */, HEAD_STREAMING,
    HEAD_STOPPING /* the streaming program is told to end */, HEAD_RELEASING, HEAD_RETRYING, HEAD_FAILED /* told to the visitor */,
    HEAD_PHASES
};
const char *head_phase_word(enum head_phase phase);

struct head_lease {
    char id[HC_ID_SIZE], stream_id[HC_ID_SIZE], claim_token[HEAD_TOKEN_SIZE];
    uint32_t slot;
    int64_t ttl_ms, renew_after_ms, start_deadline_ms;      /* as answered; counted from when the question was sent */
};
struct head_body {
    char id[HC_ID_SIZE], name[HC_NAME_SIZE], lan[HC_ID_SIZE], wireguard[HC_ID_SIZE], address[HC_ID_SIZE] /* the one to use */,
        app_name[HC_NAME_SIZE + 34];
    char cert_fp[HC_HASH_SIZE];
    bool same_machine, directive_applied, pair_required;
    uint16_t http_port, https_port;
};
struct head_ticket { uint32_t position; int64_t eta_ms /* negative: none */,
    retry_after_ms; bool confirm_required; char reason[HC_ID_SIZE],
    stream_id[HC_ID_SIZE]; };

enum head_event_type {
    HEV_START,              /* the visitor wants `experience`; `fresh_id` */
    HEV_STOP,               /* the visitor, a signal, the operator of the kiosk */
    HEV_ACCEPT,             /* the visitor says that somebody is there */
    HEV_TIME,               /* head_due() has come */
    HEV_GRANTED, HEV_WAITING, HEV_REFUSED, HEV_NO_ANSWER,      /* answers to claim, admission, accept */
    HEV_IDENTITY_OK, HEV_IDENTITY_FAILED,
    HEV_VERIFIED, HEV_PAIRED, HEV_PROBED,
    HEV_RENEWED, HEV_LOST /* 410 */, HEV_RENEW_FAILED /* no answer, or one that says nothing */,
    HEV_CHILD_PLAYS /* it has run long enough to be a picture */, HEV_CHILD_ENDED,
    HEV_RELEASED            /* answered, or given up: the cluster's clocks do the rest */
};
enum head_refusal {
    REFUSE_LATER,           /* 429, 503, pair contention: repeat, the same attempt */
    REFUSE_ATTEMPT,         /* attempt_reused, lease_lost, a ticket that is gone: another attempt */
    REFUSE_IDENTITY,        /* identity_unknown: register, then repeat */
    REFUSE_STREAM,          /* not_your_stream: the visit is not known any more: another attempt, another stream */
    REFUSE_BUSY,            /* head_busy: a lease of an earlier life; claim with the stored token, or wait for its end */
    REFUSE_FOREVER          /* 401, 403, 422, identity_revoked, duplicate_head_identity: say so */
};
enum head_host_verdict {    /* of verify, pair, probe */
    HOST_YES,               /* paired; free, or running our own token's application */
    HOST_NO,                /* proven not paired; busy with somebody else's */
    HOST_ROTATED,           /* another certificate; `fingerprint` */
    HOST_RETRY,             /* wrong PIN, pair contention */
    HOST_UNKNOWN
};
struct head_event {
    enum head_event_type type;
    int64_t now_ms;
    char fresh_id[HC_ID_SIZE];          /* random, for an attempt that this event may begin */
    uint32_t jitter;                    /* random, 0..1023: spreads retries */
    char experience[HC_NAME_SIZE];      /* START */
    int64_t sent_ms;                    /* GRANTED, RENEWED: when the question left */
    struct head_lease lease;            /* GRANTED; RENEWED: id, ttl_ms */
    struct head_body body;              /* GRANTED */
    struct head_ticket ticket;          /* WAITING */
    enum head_refusal refusal;          /* REFUSED */
    int64_t retry_after_ms;             /* REFUSED */
    enum head_host_verdict verdict;     /* VERIFIED, PAIRED, PROBED */
    char fingerprint[HC_HASH_SIZE];     /* VERIFIED: of what the host showed */
    bool ordered;                       /* LOST: revoked or superseded */
    bool clean;                         /* CHILD_ENDED: exit code 0 */
    char sentence[HEAD_SENTENCE_SIZE];  /* for people: why */
};

enum head_action_type {
    ACT_SAVE,               /* attempt id, token and stream to the private file, before anything that follows in the list */
    ACT_CLAIM, ACT_ADMISSION /* long-poll */, ACT_ACCEPT, ACT_REGISTER,
    ACT_VERIFY, ACT_REPIN /* store the shown certificate, its fingerprint is the cluster's */, ACT_PAIR, ACT_PROBE, ACT_RENEW,
    ACT_SPAWN, ACT_END_CHILD, ACT_RELEASE, ACT_LEAVE_QUEUE /* end the stream that waits */, ACT_DROP_CALLS /* abandon what is under way */
};
enum head_release { RELEASE_NONE, RELEASE_USER_EXIT, RELEASE_ERROR, RELEASE_ABANDON, RELEASE_UNREACHABLE, RELEASE_INTERRUPTED };
struct head_actions { size_t count; enum head_action_type at[HEAD_ACTIONS_MAX]; };

struct head_state {
    enum head_phase phase;
    char experience[HC_NAME_SIZE], attempt_id[HC_ID_SIZE], stream_id[HC_ID_SIZE];
    char claim_stream_id[HC_ID_SIZE];   /* the stream that this attempt's first claim named: a repeat must say the same (rules §6.5.2) */
    bool has_lease, has_ticket, child, plays, wanted /* the visitor has not left */, accept_by_itself;
    struct head_lease lease;
    struct head_body body;
    struct head_ticket ticket;
    enum head_release release;          /* of RELEASING, STOPPING */
    unsigned verify_tries, pair_tries, starts;
    int64_t lease_until_ms, start_until_ms, renew_at_ms, due_ms;       /* monotonic */
    int64_t granted_ms;                     /* when the grant was read: a poll may have been sent long before */
    bool renewing;
    char message[HEAD_SENTENCE_SIZE];   /* why it is in this phase, for the card and for status */
};

void head_init(struct head_state *head, bool accept_by_itself);
/* A former life left these: the first claim repeats that attempt with its token. */
void head_restore(struct head_state *head, const char *experience, const char *attempt_id, const char *stream_id,
                  const struct head_lease *lease);
/* Every event in every phase has an outcome; late answers of what was dropped change nothing. */
void head_decide(struct head_state *head, const struct head_event *event, struct head_actions *ret_actions);
int64_t head_due(const struct head_state *head);        /* when HEV_TIME is wanted; INT64_MAX: never */
/* lease_state and status of the heartbeat (wire §2). */
const char *head_status_word(const struct head_state *head);
const char *head_lease_word(const struct head_state *head);

#endif
