/* op.h - typed operations of a node's agent (wire §4): their limits, and what the files of the core that deal with them share. */
#ifndef CORE_OP_H
#define CORE_OP_H

#include "core.h"

#define OPS_PENDING_MAX      16                          /* of one node, beside the custodian's own */
#define OPS_KEPT_MAX         16                          /* finished ones of one node, for who asks again; the newest */
#define OPS_MEMORY_MS        (10 * 60 * HC_SECOND_MS)    /* of a finished one */
#define OPS_CUSTODIAN_MS     (60 * HC_SECOND_MS)         /* of a finished one of the custodian's: a second answer is known as one */
#define OPS_OUTPUT_TOTAL_MAX ((size_t)4 * 1024 * 1024)   /* saved output of all: then the oldest is forgotten */
#define OPS_GIVE_AGAIN_MS    (10 * HC_SECOND_MS)         /* an unanswered one is given to its node again */
#define OPS_POLL_FRESH_MS    (60 * HC_SECOND_MS)         /* an agent that asked within it takes operations: two long-polls and slack */
#define OP_CUSTODIAN         "custodian"                 /* asked_by; no id of a head has this form: those are node ids */

bool op_pending(const struct op_rec *op, hc_time now);   /* not answered and not run out, whether or not a tick has said so */
bool op_is_custodians(const struct op_rec *op);
/* Pending ones of a node, of the custodian's or of everybody else. */
size_t ops_pending(const struct step *s, const char *node_id, bool custodians);
/* A new one. `req->asked_by` may be OP_CUSTODIAN. */
HC_MUST enum hc_err op_create(struct step *s, const struct op_ask_req *req, char ret_id[HC_ID_SIZE]);
/* It is over: the PIN goes, a note is made (not for the custodian's). HC_ERR_NOMEM. */
HC_MUST enum hc_err op_over(struct step *s, const char *op_id, enum op_state state, const char *error);
/* close_app or restart without force, while a leased session is live on the node. */
bool op_would_end_session(const struct step *s, const char *node_id, enum op_kind op, bool force);

/* ---- op_pin.c ---- */
#define PIN_LOST "the right to pair there has ended"     /* `error` of a PIN that is given no more */
bool pin_relayed(const struct op_rec *op);               /* for a head, and not by an admin */
/* The head has a lease, a hold or a pair lease there (wire §2). A lease that drains is not the head's any more. */
bool pin_holds_there(const struct step *s, const char *head_id, const char *body_id);
bool pin_lost(const struct step *s, const struct op_rec *op);      /* relayed, and its head may not pair there now */
/* Sunshine gives a PIN to some pending handshake: two at once may pair the wrong one (rules §12.7). */
bool pin_on_its_way(const struct step *s, const char *node_id);
bool pairing_on(const struct step *s, const char *body_id);        /* a pair lease or a PIN is live there */

/* ---- custodian.c: one of its own is over; `heard` NULL: it ran out ---- */
HC_MUST enum hc_err custodian_heard(struct step *s, const struct op_rec *op, const struct op_result_req *heard);

#endif
