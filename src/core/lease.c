/* lease.c - the states of a lease as one table (rules §6.2). Nothing else in the tree writes lease.state. */
#include <assert.h>

#include "core.h"

#define EDGE(from, on, to) { LEASE_##from, LEV_##on, LEASE_##to }
const struct lease_edge lease_edges[] = {
    EDGE(HELD,      HEAD_PAIRING,     PAIRING),      /* flat discovery and pairing are both reported as `starting` */
    EDGE(HELD,      HEAD_STARTING,    PAIRING),
    EDGE(HELD,      HEAD_ERROR,       ABANDONED),
    EDGE(HELD,      REPEAT_READ,      ABANDONED),
    EDGE(HELD,      HEAD_GONE,        ENDED),
    EDGE(HELD,      HEAD_ABANDON,     ABANDONED),
    EDGE(HELD,      HEAD_RELEASE,     DRAINING),
    EDGE(HELD,      SILENCE,          EXPIRED),
    EDGE(HELD,      START_DEADLINE,   FAILED),
    EDGE(HELD,      BODY_STREAM,      STREAMING),
    EDGE(HELD,      LAUNCH_FAILED,    FAILED),
    EDGE(HELD,      DRAIN,            DRAINING),
    EDGE(HELD,      REVOKE,           REVOKED),
    EDGE(HELD,      SUPERSEDED,       ENDED),

    EDGE(GRANTED,   HEAD_PAIRING,     PAIRING),
    EDGE(GRANTED,   HEAD_STARTING,    STARTING),
    EDGE(GRANTED,   HEAD_GONE,        ENDED),
    EDGE(GRANTED,   HEAD_RELEASE,     DRAINING),
    EDGE(GRANTED,   SILENCE,          EXPIRED),
    EDGE(GRANTED,   START_DEADLINE,   FAILED),
    EDGE(GRANTED,   BODY_STREAM,      STREAMING),
    EDGE(GRANTED,   LAUNCH_FAILED,    FAILED),
    EDGE(GRANTED,   DRAIN,            DRAINING),
    EDGE(GRANTED,   REVOKE,           REVOKED),
    EDGE(GRANTED,   WASTED,           ENDED),
    EDGE(GRANTED,   SUPERSEDED,       ENDED),

    EDGE(PAIRING,   HEAD_STARTING,    STARTING),
    EDGE(PAIRING,   HEAD_ERROR,       ABANDONED),
    EDGE(PAIRING,   REPEAT_READ,      ABANDONED),
    EDGE(PAIRING,   HEAD_GONE,        ENDED),
    EDGE(PAIRING,   HEAD_ABANDON,     ABANDONED),
    EDGE(PAIRING,   HEAD_RELEASE,     DRAINING),
    EDGE(PAIRING,   SILENCE,          EXPIRED),
    EDGE(PAIRING,   START_DEADLINE,   FAILED),
    EDGE(PAIRING,   BODY_STREAM,      STREAMING),
    EDGE(PAIRING,   LAUNCH_FAILED,    FAILED),
    EDGE(PAIRING,   DRAIN,            DRAINING),
    EDGE(PAIRING,   REVOKE,           REVOKED),
    EDGE(PAIRING,   SUPERSEDED,       ENDED),

    EDGE(STARTING,  HEAD_ERROR,       ABANDONED),
    EDGE(STARTING,  REPEAT_READ,      ABANDONED),
    EDGE(STARTING,  HEAD_GONE,        ENDED),
    EDGE(STARTING,  HEAD_ABANDON,     ABANDONED),
    EDGE(STARTING,  HEAD_RELEASE,     DRAINING),
    EDGE(STARTING,  SILENCE,          EXPIRED),
    EDGE(STARTING,  START_DEADLINE,   FAILED),
    EDGE(STARTING,  BODY_STREAM,      STREAMING),
    EDGE(STARTING,  LAUNCH_FAILED,    FAILED),
    EDGE(STARTING,  DRAIN,            DRAINING),
    EDGE(STARTING,  REVOKE,           REVOKED),
    EDGE(STARTING,  SUPERSEDED,       ENDED),

    EDGE(STREAMING, HEAD_RELEASE,     DRAINING),
    EDGE(STREAMING, BODY_IDLE,        ENDED),
    EDGE(STREAMING, UNATTENDED,       DRAINING),
    EDGE(STREAMING, BODY_SILENT,      UNKNOWN),
    EDGE(STREAMING, DRAIN,            DRAINING),
    EDGE(STREAMING, REVOKE,           REVOKED),

    EDGE(ADOPTED,   HEAD_RELEASE,     DRAINING),
    EDGE(ADOPTED,   BODY_IDLE,        ENDED),
    EDGE(ADOPTED,   UNATTENDED,       DRAINING),
    EDGE(ADOPTED,   BODY_SILENT,      UNKNOWN),
    EDGE(ADOPTED,   DRAIN,            DRAINING),
    EDGE(ADOPTED,   REVOKE,           REVOKED),

    EDGE(DRAINING,  DRAIN_DONE,       ENDED),
    EDGE(DRAINING,  DRAIN_ABANDONED,  ABANDONED),    /* a hold that its head released and that had to drain */
    EDGE(DRAINING,  DRAIN_UNATTENDED, FAILED),
    EDGE(DRAINING,  DRAIN_TIMEOUT,    FAILED),
    EDGE(DRAINING,  TAKEN_BACK,       STREAMING),    /* or adopted: what it came from */
    EDGE(DRAINING,  REVOKE,           REVOKED),

    EDGE(UNKNOWN,   BODY_BACK,        STREAMING),    /* or what it came from */
    EDGE(UNKNOWN,   UNKNOWN_HOLD,     EXPIRED),
    EDGE(UNKNOWN,   RELEASE_UNKNOWN,  ENDED),
    EDGE(UNKNOWN,   REVOKE,           REVOKED),
};
#undef EDGE
const size_t lease_edge_count = sizeof lease_edges / sizeof lease_edges[0];

#define NAME(id, name) [LEV_##id] = name
static const char *const event_names[LEV_COUNT] = {
    NAME(HEAD_PAIRING, "head_pairing"), NAME(HEAD_STARTING, "head_starting"), NAME(HEAD_ERROR, "head_error"),
    NAME(REPEAT_READ, "repeat_read"),
    NAME(HEAD_GONE, "head_gone"), NAME(HEAD_RELEASE, "head_release"), NAME(SILENCE, "silence"), NAME(START_DEADLINE, "start_deadline"),
    NAME(BODY_STREAM, "body_stream"), NAME(LAUNCH_FAILED, "launch_failed"), NAME(BODY_IDLE, "body_idle"), NAME(UNATTENDED, "unattended"),
    NAME(BODY_SILENT, "body_silent"), NAME(BODY_BACK, "body_back"), NAME(DRAIN, "drain"), NAME(DRAIN_DONE, "drain_done"),
    NAME(DRAIN_TIMEOUT, "drain_timeout"), NAME(TAKEN_BACK, "taken_back"), NAME(UNKNOWN_HOLD, "unknown_hold"), NAME(REVOKE, "revoke"),
    NAME(RELEASE_UNKNOWN, "release_unknown"), NAME(WASTED, "wasted"), NAME(SUPERSEDED, "superseded"), NAME(HEAD_ABANDON, "head_abandon"),
    NAME(DRAIN_UNATTENDED, "drain_unattended"), NAME(DRAIN_ABANDONED, "drain_abandoned"),
};
#undef NAME

const char *lease_event_name(enum lease_event on)
{
    assert((size_t)on < LEV_COUNT);
    return event_names[on];
}

bool lease_event_is_clock(enum lease_event on)
{
    return on == LEV_SILENCE || on == LEV_START_DEADLINE || on == LEV_UNATTENDED || on == LEV_DRAIN_TIMEOUT || on == LEV_UNKNOWN_HOLD ||
           on == LEV_WASTED;
}

static const struct lease_edge *find_edge(enum lease_state from, enum lease_event on)
{
    for (size_t i = 0; i < lease_edge_count; i++)
        if (lease_edges[i].from == from && lease_edges[i].on == on)
            return &lease_edges[i];
    return NULL;
}

enum hc_err lease_apply(struct lease *lease, enum lease_event on, enum lease_why why, hc_time now)
{
    const struct lease_edge *edge = lease_is_terminal(lease->state) ? NULL : find_edge(lease->state, on);
    if (edge == NULL)
        return HC_ERR_EDGE;
    enum lease_state from = lease->state, to = edge->to;
    if (on == LEV_BODY_BACK || on == LEV_TAKEN_BACK)
        to = lease->came_from;
    if (lease_is_terminal(to) || (on == LEV_TAKEN_BACK && lease_is_pre_stream(to)))
        if (to != edge->to)
            return HC_ERR_EDGE;              /* a record that never streamed has nothing to go back to */
    lease->state = to;
    if (to == LEASE_DRAINING || to == LEASE_UNKNOWN)
        lease->came_from = from;
    lease->why = why;
    lease->changed_at = now;
    return HC_OK;
}

void lease_born(struct lease *lease, enum lease_state state, hc_time now)
{
    assert(!lease_is_terminal(state) && state != LEASE_DRAINING && state != LEASE_UNKNOWN);
    lease->state = state;
    lease->came_from = state;
    lease->changed_at = now;
}
