/* query_pools.c - GET /allocation: capacity and queues per pool and per venue. */
#include <string.h>

#include "kept_slots.h"

struct load { uint32_t slots, occupied, grantable; };

/* `kept` NULL: what is grantable is not asked. */
static struct load body_load(const struct core_view *v, const struct body_rec *body, const struct node_rec *node, struct kept_slots *kept)
{
    struct load load = { 0 };
    for (uint32_t slot = 0; slot < body->slot_count; slot++) {
        if (slot_gone(body, slot))
            continue;
        load.slots++;
        load.occupied += slot_occupied(v, body, slot) != 0 ? 1 : 0;
        load.grantable += kept != NULL && slot_why_not(v, body, slot) == 0 && !kept_for_older(kept, body, node, slot) ? 1 : 0;
    }
    return load;
}

/* The node of a body that counts as capacity; NULL: it does not. */
static const struct node_rec *capacity(const struct core_view *v, const struct body_rec *body)
{
    const struct node_rec *node = body_node(v->saved, body);
    bool counts = node != NULL && (node->roles & ROLE_BODY) != 0 && node->approval == APPROVAL_APPROVED;
    return counts ? node : NULL;
}

struct pools { struct pool_row *rows; size_t count; };

/* The row of that pool, made in order when it is new; the caller has room for one per body. */
static struct pool_row *pool_at(struct pools *pools, const struct node_rec *node)
{
    char name[POOL_SIZE];
    body_pool(node, name);
    size_t at = pools->count;
    while (at > 0 && strcmp(pools->rows[at - 1].pool, name) >= 0)
        at--;
    if (at < pools->count && strcmp(pools->rows[at].pool, name) == 0)
        return &pools->rows[at];
    memmove(&pools->rows[at + 1], &pools->rows[at], (pools->count++ - at) * sizeof pools->rows[0]);
    struct pool_row *row = &pools->rows[at];
    *row = (struct pool_row){ 0 };
    HC_SET(row->pool, name);
    HC_SET(row->district, node->district);
    HC_SET(row->venue, node->venue);
    return row;
}

/* A ticket waits for a pool when one of its bodies could ever serve it. */
static bool waits_for(const struct core_view *v, const struct ticket_rec *ticket, const struct pool_row *pool)
{
    const struct node_rec *head = alloc_node(v->saved, ticket->rec.key);
    if (head == NULL || !hc_same(ticket->district, pool->district))
        return false;
    for (size_t i = 0; i < alloc_count(v->saved, REC_BODY); i++) {
        const struct node_rec *body = capacity(v, (const struct body_rec *)alloc_at(v->saved, REC_BODY, i));
        if (body != NULL && hc_same(body->district, pool->district) && hc_same(body->venue, pool->venue) &&
            (eligible_why_not(v, body, head, ticket->experience, ticket->mode) & ~(uint32_t)WHY_NOT_OFFLINE) == 0)
            return true;
    }
    return false;
}

static enum hc_err list_open(const struct core_view *v, struct hc_arena *arena, struct pool_row *pool)
{
    size_t size = pool->open_count;
    pool->open_count = 0;
    if (size == 0)
        return HC_OK;
    pool->open_circuits = hc_arena_array(arena, size, sizeof pool->open_circuits[0]);
    if (pool->open_circuits == NULL)
        return HC_ERR_NOMEM;
    for (size_t i = 0; i < alloc_count(v->saved, REC_BODY) && pool->open_count < size; i++) {
        const struct body_rec *body = (const struct body_rec *)alloc_at(v->saved, REC_BODY, i);
        const struct node_rec *node = capacity(v, body);
        if (node != NULL && body->circuit.state == CIRCUIT_OPEN && hc_same(node->district, pool->district) &&
            hc_same(node->venue, pool->venue))
            HC_SET(pool->open_circuits[pool->open_count++], body->rec.key);
    }
    return HC_OK;
}

enum hc_err query_pools(const struct core_view *v, struct hc_arena *arena, struct pool_row **ret_rows, size_t *ret_count)
{
    size_t bodies = alloc_count(v->saved, REC_BODY);
    struct pools pools = { .rows = hc_arena_array(arena, bodies + 1, sizeof pools.rows[0]) };
    struct kept_slots kept = { .v = v, .arena = arena };
    if (pools.rows == NULL)
        return HC_ERR_NOMEM;
    for (size_t i = 0; i < bodies; i++) {
        const struct body_rec *body = (const struct body_rec *)alloc_at(v->saved, REC_BODY, i);
        const struct node_rec *node = capacity(v, body);
        if (node == NULL)
            continue;
        struct pool_row *pool = pool_at(&pools, node);
        struct load load = body_load(v, body, node, &kept);
        pool->slots += load.slots;
        pool->occupied += load.occupied;
        pool->grantable += load.grantable;
        pool->open_count += body->circuit.state == CIRCUIT_OPEN ? 1 : 0;
    }
    enum hc_err err = kept.err;
    for (size_t p = 0; p < pools.count && err == HC_OK; p++) {
        err = list_open(v, arena, &pools.rows[p]);
        for (size_t i = 0; i < alloc_count(v->saved, REC_TICKET); i++)
            if (waits_for(v, (const struct ticket_rec *)alloc_at(v->saved, REC_TICKET, i), &pools.rows[p]))
                pools.rows[p].queue_depth++;
    }
    if (err != HC_OK)
        return err;
    *ret_rows = pools.rows;
    *ret_count = pools.count;
    return HC_OK;
}

struct venues { struct venue_row *rows; size_t count; };

static struct venue_row *venue_at(struct venues *venues, const char *name)
{
    size_t low = 0, high = venues->count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        int order = strcmp(venues->rows[mid].venue, name);
        if (order == 0)
            return &venues->rows[mid];
        if (order < 0)
            low = mid + 1;
        else
            high = mid;
    }
    memmove(&venues->rows[low + 1], &venues->rows[low], (venues->count++ - low) * sizeof venues->rows[0]);
    venues->rows[low] = (struct venue_row){ 0 };
    HC_SET(venues->rows[low].venue, name);
    return &venues->rows[low];
}

/* Every venue that an admin PUT or a node stands in: one without bodies has its visitors turned away too. */
enum hc_err query_venues(const struct core_view *v, struct hc_arena *arena, struct venue_row **ret_rows, size_t *ret_count)
{
    size_t nodes = alloc_count(v->saved, REC_NODE), named = alloc_count(v->saved, REC_VENUE);
    struct venues venues = { .rows = hc_arena_array(arena, nodes + named + 1, sizeof venues.rows[0]) };
    if (venues.rows == NULL)
        return HC_ERR_NOMEM;
    for (size_t i = 0; i < named; i++)
        (void)venue_at(&venues, alloc_at(v->saved, REC_VENUE, i)->key);
    for (size_t i = 0; i < nodes; i++) {
        const struct node_rec *node = (const struct node_rec *)alloc_at(v->saved, REC_NODE, i);
        if (node->venue[0] == '\0')
            continue;
        struct venue_row *venue = venue_at(&venues, node->venue);
        const struct body_rec *body = alloc_body(v->saved, node->rec.key);
        if (body != NULL && capacity(v, body) != NULL) {
            struct load load = body_load(v, body, node, NULL);
            venue->slots += load.slots;
            venue->occupied += load.occupied;
        }
        venue->queue_depth += alloc_ticket(v->saved, node->rec.key) != NULL ? 1 : 0;
    }
    *ret_rows = venues.rows;
    *ret_count = venues.count;
    return HC_OK;
}
