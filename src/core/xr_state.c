/* xr_state.c - the states of an XR session as one table, and what each means for its lease as another. Nothing else in the tree writes
 * xr_session.state. */
#include <assert.h>

#include "xr.h"

#define EDGE(from, on, to) { XR_##from, XEV_##on, XR_##to }
const struct xr_edge xr_edges[] = {
    EDGE(REQUESTED, ARMING,       ARMING),
    EDGE(REQUESTED, ARMED,        ARMED),
    EDGE(REQUESTED, ACTIVE,       ACTIVE),           /* an agent that restarted goes on with what it finds */
    EDGE(REQUESTED, DOFFED,       DRAINING),
    EDGE(REQUESTED, BODY_FAILS,   FAILED),
    EDGE(REQUESTED, LEASE_DRAINS, ENDING),
    EDGE(REQUESTED, LEASE_FAILED, FAILED),
    EDGE(REQUESTED, LEASE_OVER,   ENDING),

    EDGE(ARMING,    ARMED,        ARMED),
    EDGE(ARMING,    ACTIVE,       ACTIVE),
    EDGE(ARMING,    DOFFED,       DRAINING),
    EDGE(ARMING,    BODY_IDLE,    REQUESTED),        /* it rebooted: it is asked again, the clock goes on */
    EDGE(ARMING,    BODY_ENDS,    FAILED),
    EDGE(ARMING,    BODY_FAILS,   FAILED),
    EDGE(ARMING,    LEASE_DRAINS, ENDING),
    EDGE(ARMING,    LEASE_FAILED, FAILED),
    EDGE(ARMING,    LEASE_OVER,   ENDING),

    EDGE(ARMED,     ARMING,       ARMING),
    EDGE(ARMED,     ACTIVE,       ACTIVE),
    EDGE(ARMED,     DOFFED,       DRAINING),
    EDGE(ARMED,     BODY_IDLE,    REQUESTED),
    EDGE(ARMED,     BODY_ENDS,    FAILED),
    EDGE(ARMED,     BODY_FAILS,   FAILED),
    EDGE(ARMED,     LEASE_DRAINS, ENDING),
    EDGE(ARMED,     LEASE_FAILED, FAILED),
    EDGE(ARMED,     LEASE_OVER,   ENDING),

    EDGE(ACTIVE,    ARMING,       DRAINING),         /* no headset for the moment, as when it is taken off */
    EDGE(ACTIVE,    ARMED,        DRAINING),
    EDGE(ACTIVE,    DOFFED,       DRAINING),
    EDGE(ACTIVE,    BODY_ENDS,    ENDING),
    EDGE(ACTIVE,    BODY_FAILS,   FAILED),
    EDGE(ACTIVE,    LEASE_DRAINS, ENDING),
    EDGE(ACTIVE,    LEASE_DONE,   NONE),
    EDGE(ACTIVE,    LEASE_OVER,   ENDING),

    EDGE(DRAINING,  ACTIVE,       ACTIVE),
    EDGE(DRAINING,  BODY_IDLE,    NONE),             /* nobody put it on again within the body's grace */
    EDGE(DRAINING,  BODY_ENDS,    ENDING),
    EDGE(DRAINING,  BODY_FAILS,   FAILED),
    EDGE(DRAINING,  LEASE_DRAINS, ENDING),
    EDGE(DRAINING,  LEASE_DONE,   NONE),
    EDGE(DRAINING,  LEASE_OVER,   ENDING),

    EDGE(ENDING,    BODY_IDLE,    NONE),
    EDGE(ENDING,    BODY_FAILS,   NONE),
    EDGE(ENDING,    HOLD_OVER,    NONE),

    EDGE(FAILED,    HOLD_OVER,    NONE),
};
#undef EDGE
const size_t xr_edge_count = sizeof xr_edges / sizeof xr_edges[0];

/* A lease only goes forward: a session that is asked again, or armed again, leaves it where it was. */
#define FOLLOW(is, from, on, why) { XR_##is, LEASE_##from, LEV_##on, WHY_##why }
#define BEFORE_STREAM(is, on, why) \
    FOLLOW(is, HELD, on, why), FOLLOW(is, GRANTED, on, why), FOLLOW(is, PAIRING, on, why), FOLLOW(is, STARTING, on, why)
#define AFTER_START(is, on, why) FOLLOW(is, STREAMING, on, why), FOLLOW(is, ADOPTED, on, why)
const struct xr_follow xr_follows[] = {
    FOLLOW(ARMING, HELD, HEAD_PAIRING, NONE),
    FOLLOW(ARMING, GRANTED, HEAD_PAIRING, NONE),
    FOLLOW(ARMED, HELD, HEAD_PAIRING, NONE),
    FOLLOW(ARMED, GRANTED, HEAD_PAIRING, NONE),
    FOLLOW(ARMED, PAIRING, HEAD_STARTING, NONE),
    BEFORE_STREAM(ACTIVE, BODY_STREAM, NONE),
    BEFORE_STREAM(DRAINING, BODY_STREAM, NONE),
    AFTER_START(ENDING, DRAIN, BODY_IDLE),
    BEFORE_STREAM(FAILED, LAUNCH_FAILED, LAUNCH_FAILED),
    AFTER_START(FAILED, BODY_IDLE, BODY_LOST),
    AFTER_START(NONE, BODY_IDLE, BODY_IDLE),
    FOLLOW(NONE, DRAINING, DRAIN_DONE, NONE),                /* with the reason of the drain, and in its way (drain_done_event()) */
};
#undef AFTER_START
#undef BEFORE_STREAM
#undef FOLLOW
const size_t xr_follow_count = sizeof xr_follows / sizeof xr_follows[0];

#define NAME(id, name) [XEV_##id] = name
static const char *const event_names[XEV_COUNT] = {
    NAME(ARMING, "arming"), NAME(ARMED, "armed"), NAME(ACTIVE, "active"), NAME(DOFFED, "doffed"), NAME(BODY_ENDS, "body_ends"),
    NAME(BODY_FAILS, "body_fails"), NAME(BODY_IDLE, "body_idle"), NAME(LEASE_DRAINS, "lease_drains"), NAME(LEASE_FAILED, "lease_failed"),
    NAME(LEASE_DONE, "lease_done"), NAME(LEASE_OVER, "lease_over"), NAME(HOLD_OVER, "hold_over"),
};
#undef NAME

const char *xr_event_name(enum xr_event on)
{
    assert((size_t)on < XEV_COUNT);
    return event_names[on];
}

bool xr_is_live(enum xr_state state)
{
    return state == XR_REQUESTED || state == XR_ARMING || state == XR_ARMED || state == XR_ACTIVE || state == XR_DRAINING;
}

void xr_born(struct xr_session *xr, hc_time now)
{
    xr->state = XR_REQUESTED;
    xr->since = xr->created_at = now;
}

enum hc_err xr_apply(struct xr_session *xr, enum xr_event on, hc_time now)
{
    for (size_t i = 0; i < xr_edge_count; i++) {
        if (xr_edges[i].from != xr->state || xr_edges[i].on != on)
            continue;
        xr->state = xr_edges[i].to;
        xr->since = now;
        return HC_OK;
    }
    return HC_ERR_EDGE;
}

const struct xr_follow *xr_follow_of(enum xr_state is, enum lease_state from)
{
    for (size_t i = 0; i < xr_follow_count; i++)
        if (xr_follows[i].is == is && xr_follows[i].from == from)
            return &xr_follows[i];
    return NULL;
}
