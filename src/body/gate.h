/* gate.h - the client gate: which paired clients a host lets in now. Pure (rules §13.5).
 *
 * A flag is flipped only while no application runs, or for somebody else while the lease's own session is live; never in a reconnect gap
 * (an application runs and nobody streams), where disabling a client would end it. */
#ifndef BODY_GATE_H
#define BODY_GATE_H

#include "trust.h"

struct gate_facts {
    const struct desired *desired; uint32_t slot;       /* NULL: no directive applied */
    const struct host_client *clients; size_t client_count; bool known;
    bool can_enable;                    /* the host has the flag (v2026.516) */
    bool ends_only_its_own;             /* disabling ends that client's sessions alone (v2026.816) */
    bool app_runs, host_known;          /* host_known false: nothing is flipped */
    bool may_launch;                    /* the lease's head has been told that all is in place: its application may start while a flip is
                                           on its way, and would be ended by it */
    const char *live_uuid;              /* client of the live session, "" unknown or none */
    bool session_live;
    const char *const *maintenance; size_t maintenance_count;      /* clients that are always let in */
    const char *const *shut_by_us; size_t shut_by_us_count;        /* flags that this agent took: with observe they are given back */
};
struct gate_flip { const char *uuid; bool enable; };
enum gate_outcome {
    GATE_IN_PLACE,                      /* nothing to flip: what is wanted is what the host has */
    GATE_FLIPS,                         /* carry them out, read the list back, ask again */
    GATE_LATER,                         /* not now: an application runs */
    GATE_OBSERVED,                      /* observe: nothing is to be flipped; `would` is how many enforce would flip */
    GATE_UNAVAILABLE                    /* `reason` */
};
struct gate_plan { enum gate_outcome outcome; const char *reason; struct gate_flip *flips; size_t flip_count, would; };
HC_MUST enum hc_err gate_plan(const struct gate_facts *facts, struct hc_arena *arena, struct gate_plan *ret_plan);

#endif
