/* seen.c - signs of life: a node's request that brings no event of its own still says that the node is there (rules §1, online). */
#include "pipeline.h"

#include "hydra/base/arena.h"

#define PLACES            8192        /* a power of two; two nodes that share one are told a little oftener */
#define EVERY_MAX_MS      10000
#define EVERY_PER_OFFLINE 8           /* of nodeOffline, when that is set short */

struct place { uint64_t node; int64_t told_ms; };
struct signs_of_life { struct place places[PLACES]; };

struct signs_of_life *signs_new(void)
{
    return hc_alloc(sizeof(struct signs_of_life));
}

void signs_free(struct signs_of_life *signs)
{
    hc_free(signs);
}

/* True when the core has not heard of this node for a while; it is told now. */
static bool due(struct call *call)
{
    uint64_t node = hc_fnv1a64(HC_FNV1A64_START, call->who.id);
    struct place *place = &call->api->signs->places[node & (PLACES - 1)];
    int64_t now_ms = call->api->config.monotonic_ms(), every_ms = call->api->config.core->timers.node_offline_ms / EVERY_PER_OFFLINE;
    if (every_ms > EVERY_MAX_MS)
        every_ms = EVERY_MAX_MS;
    if (place->node == node && now_ms - place->told_ms < every_ms)
        return false;
    *place = (struct place){ node, now_ms };
    return true;
}

static void nothing_more(void *ctx, enum engine_outcome outcome, enum hc_err err, struct core_result *result)
{
    (void)ctx;
    (void)outcome;
    (void)err;
    (void)result;
}

void signs_seen(struct call *call)
{
    if (call->who.kind != PRINCIPAL_NODE || call->who.approval != AUTH_APPROVED || call->seen != NULL || !due(call))
        return;
    call->seen = hc_arena_alloc(call->arena, sizeof *call->seen);
    if (call->seen == NULL)
        return;                          /* the next request says it */
    struct core_event *ev = &call->seen->ev;
    ev->type = CORE_SEEN;
    ev->caller.kind = CALLER_NODE;
    HC_SET(ev->caller.node_id, call->who.id);
    ev->u.seen.node_id = call->who.id;
    call->seen->done = nothing_more;
    engine_submit(call->api->config.engine, call->seen);
}

void signs_submitted(struct call *call)
{
    if (call->who.kind == PRINCIPAL_NODE)
        (void)due(call);
}
