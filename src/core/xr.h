/* xr.h - XR sessions: their states as one table, what drives them, what their lease does with them (docs/STATES.md, docs/decisions/0021).
 *
 * A session lives on slot 0 of its body and has a lease of mode xr, whose id is the session's. What the body reports moves the session,
 * and the lease follows; what ends the lease otherwise (its head, clocks, operators) moves the session. xr_settle() does both until they
 * agree. */
#ifndef CORE_XR_H
#define CORE_XR_H

#include "core.h"

#define XR_SLOT   0
#define XR_DRIVER "alvr"          /* what the shipped headset needs of a body */

enum xr_event {
    /* its body says */
    XEV_ARMING, XEV_ARMED, XEV_ACTIVE, XEV_DOFFED /* `draining`: the headset came off */, XEV_BODY_ENDS, XEV_BODY_FAILS,
    XEV_BODY_IDLE /* nothing of it runs */,
    /* its lease */
    XEV_LEASE_DRAINS, XEV_LEASE_FAILED /* before it streamed */, XEV_LEASE_DONE /* its body was idle for long enough */,
    XEV_LEASE_OVER /* in any other way */,
    XEV_HOLD_OVER,                /* xrFailedHold, xrEndingHold */
    XEV_COUNT
};
struct xr_edge { enum xr_state from; enum xr_event on; enum xr_state to; };      /* XR_NONE: the session is over */
extern const struct xr_edge xr_edges[];
extern const size_t xr_edge_count;
const char *xr_event_name(enum xr_event on);
bool xr_is_live(enum xr_state state);                       /* requested to draining: its head may count on it */
void xr_born(struct xr_session *xr, hc_time now);
/* HC_ERR_EDGE: the table lacks it, nothing changed. xr_born() and this alone write xr_session.state. */
HC_MUST enum hc_err xr_apply(struct xr_session *xr, enum xr_event on, hc_time now);

/* What a session in this state means for its lease, one step at a time. NULL: nothing (more). */
struct xr_follow { enum xr_state is; enum lease_state from; enum lease_event on; enum lease_why why; };
extern const struct xr_follow xr_follows[];
extern const size_t xr_follow_count;
const struct xr_follow *xr_follow_of(enum xr_state is, enum lease_state from);

/* ---- xr_session.c ---- */
/* The lease on slot 0 gets its session, state requested. client_ip NULL: the head's address in the tunnel. */
HC_MUST enum hc_err xr_begin(struct step *s, const char *body_id, const char *lease_id, const char *client_ip);
HC_MUST enum hc_err xr_mirror(struct step *s, const char *body_id);      /* the node's record says what the body's says */
/* The session that this head may see, and its body; NULL: none. */
const struct xr_session *xr_of_head(const struct alloc *saved, const char *head_id, const char **ret_body_id);
void xr_answer(struct step *s, const char *body_id);                     /* fills the result */
/* Of this head: kind and client hostname; of this experience: its mode. */
bool xr_head_fits(const struct node_rec *head);
bool xr_experience(const struct alloc *saved, const char *experience);

/* ---- xr_settle.c ---- */
HC_MUST enum hc_err xr_settle(struct step *s, const char *body_id);      /* part of reconcile_body() */
bool xr_engaged(const struct body_obs *obs);                             /* the report says that something of XR runs (§5) */

#endif
