/* asking.h - what the ways to ask for a slot have in common: claiming read, config fetch, claim. Which slot, or why none; then the
 * grant or the ticket. */
#ifndef CORE_ASKING_H
#define CORE_ASKING_H

#include "core.h"

#define READ_RETRY_MS      10000       /* a refused read: the visitor taps again */
#define RECONCILE_RETRY_MS 5000
#define STORE_RETRY_MS     5000

/* Who asks, with copies of all that may move while the step edits. Fill with asking_start(). */
struct asking {
    char head_id[HC_ID_SIZE], district[HC_NAME_SIZE], venue[HC_NAME_SIZE], experience[HC_NAME_SIZE];
    char stream_id[HC_ID_SIZE];          /* of the visit; "" before there is one */
    char ticket_id[HC_ID_SIZE];
    char prefer_body_id[HC_ID_SIZE];
    char device_uid[DEVICE_UID_SIZE], attempt_id[HC_ID_SIZE], attempt_digest[HC_HASH_SIZE];
    char client_ip[HC_ID_SIZE];          /* of an XR headset */
    enum lease_mode mode;
    uint32_t protocol;
    hc_time created_at;
};
void asking_start(struct asking *ask, const struct step *s, const struct node_rec *head, const char *experience, uint32_t protocol);
struct seeker asking_seeker(const struct asking *ask);     /* borrows from *ask */

/* The answer of all bodies: a slot, or why none and whether it is worth to wait for one (§6.3.5). */
struct verdict {
    bool found, worth_waiting;
    char body_id[HC_ID_SIZE]; uint32_t slot;
    enum wait_why why;
    char body_venue[HC_NAME_SIZE];       /* whose hardware was short */
};
HC_MUST enum hc_err asking_judge(struct step *s, const struct asking *ask, struct verdict *ret);
/* Grants what the verdict found, under the head's stream. */
HC_MUST enum hc_err asking_grant(struct step *s, const struct asking *ask, const struct verdict *verdict, char ret_lease_id[HC_ID_SIZE]);
/* A ticket for the visit (its stream is made when there is none). *ret_new: it has just come. */
HC_MUST enum hc_err asking_queue(struct step *s, struct asking *ask, enum wait_why why, bool *ret_new);
/* Fills the result's denial facts (I10); a home venue that goes without while others sit on its bodies is told of once. */
HC_MUST enum hc_err asking_denied(struct step *s, const struct asking *ask, const struct verdict *verdict, bool fresh);
enum hc_err refuse_retry(struct step *s, enum deny_reason why, int64_t retry_ms);      /* HC_OK */

const struct lease *head_lease(const struct alloc *live, const char *head_id, const struct body_rec **ret_body);      /* its own, or NULL */
bool head_exists(const struct alloc *live, const char *head_id);
/* The token is this lease's (by its digest). An empty one never is. */
bool token_fits(const char *token, const char token_hash[HC_HASH_SIZE]);

/* ---- admission.c: the token of a promoted lease goes out: its clocks start (§7.2). New attempt and digest, or NULL to keep them. ---- */
HC_MUST enum hc_err lease_collect(struct step *s, const char *lease_id, const char *attempt_id, const char *attempt_digest);
bool accept_only(const struct alloc *live, const char *head_id);      /* §7.11: its venue's mode is confirm */
/* The ticket that a promoted lease came from, as an answer: state promoted. */
HC_MUST enum hc_err answer_promoted(struct step *s, const char *lease_id);

/* Observed: who asked was given the lease that it has. If that had a picture it begins anew, and has the time of a start (evidence.c). */
HC_MUST enum hc_err lease_handed_again(struct step *s, const struct lease *lease);

/* ---- renew.c ---- */
/* observed: rolling clock to now + hold_ms, head renewal now */
HC_MUST enum hc_err lease_renewed(struct step *s, const char *lease_id, int64_t hold_ms);

/* ---- eligible_row.c ---- */
/* One element of the eligible array for this head ("" none). `leases`: also leases of others are shown. */
HC_MUST enum hc_err eligible_row_fill(const struct core_view *v, const struct body_rec *body, const struct node_rec *node,
                                      const struct node_rec *head, bool leases, struct hc_arena *arena,
                                      struct eligible_row *ret);

#endif
