/* queue_place.c - where a ticket stands and how long that may take (§7.5). */
#include <stdio.h>
#include <stdlib.h>

#include "queue.h"
#include "seeking.h"

bool could_use(const struct core_view *v, const struct body_rec *body, const struct node_rec *node, const struct node_rec *head,
               const struct ticket_rec *ticket)
{
    if (head == NULL || body->maintenance || (ticket->protocol < 2 && body->slots_total > 1))
        return false;
    return eligible_why_not(v, node, head, ticket->experience, ticket->mode) == 0;
}

static bool same_kind(const struct core_view *v, const struct ticket_rec *a, const struct node_rec *a_head, const struct ticket_rec *b,
                      const struct node_rec *b_head)
{
    return a->mode == b->mode && a->mode != MODE_XR && (a->protocol < 2) == (b->protocol < 2) && hc_same(a->experience, b->experience) &&
           hc_same(a_head->venue, b_head->venue) && hc_same(a_head->head_body_id, b_head->head_body_id) &&
           a_head->approval == b_head->approval &&
           hc_same(node_owner(v->saved, a_head), node_owner(v->saved, b_head));
}

bool ticket_kinds_have(const struct core_view *v, const struct ticket_kinds *kinds, const struct ticket_rec *ticket)
{
    const struct node_rec *head = kinds->count == 0 ? NULL : alloc_node(v->saved, ticket->rec.key);
    for (size_t i = 0; head != NULL && i < kinds->count; i++) {
        const struct node_rec *other = alloc_node(v->saved, kinds->at[i]->rec.key);
        if (other != NULL && same_kind(v, kinds->at[i], other, ticket, head))
            return true;
    }
    return false;
}

void ticket_kinds_add(struct ticket_kinds *kinds, const struct ticket_rec *ticket)
{
    if (kinds->count < KINDS_MAX)
        kinds->at[kinds->count++] = ticket;
}

static bool share_a_slot(const struct core_view *v, const struct ticket_rec *a, const struct ticket_rec *b)
{
    const struct node_rec *a_head = alloc_node(v->saved, a->rec.key), *b_head = alloc_node(v->saved, b->rec.key);
    if (a_head == NULL || b_head == NULL)
        return false;
    bool alike = same_kind(v, a, a_head, b, b_head);
    for (size_t i = 0; i < alloc_count(v->saved, REC_BODY); i++) {
        const struct body_rec *body = (const struct body_rec *)alloc_at(v->saved, REC_BODY, i);
        const struct node_rec *node = body_node(v->saved, body);
        if (node != NULL && could_use(v, body, node, a_head, a) && (alike || could_use(v, body, node, b_head, b)))
            return true;
    }
    return false;
}

uint32_t queue_position(const struct core_view *v, const struct ticket_rec *ticket)
{
    uint32_t position = 1;
    struct seeker who = ticket_seeker(ticket);
    struct ticket_kinds share = { 0 }, apart = { 0 };       /* a long line has few kinds of tickets: each is held against the bodies once */
    for (size_t i = 0; i < alloc_count(v->saved, REC_TICKET); i++) {
        const struct ticket_rec *other = (const struct ticket_rec *)alloc_at(v->saved, REC_TICKET, i);
        if (!hc_same(other->district, ticket->district) || !ticket_is_older(other, &who) || ticket_kinds_have(v, &apart, other))
            continue;
        bool known = ticket_kinds_have(v, &share, other), shares = known || share_a_slot(v, ticket, other);
        position += shares ? 1 : 0;
        if (!known)
            ticket_kinds_add(shares ? &share : &apart, other);
    }
    return position;
}

static void pool_key(const struct node_rec *body, char out[REC_KEY_SIZE])
{
    char pool[POOL_SIZE];
    body_pool(body, pool);
    /* Two names of full length are longer than a key. */
    if (snprintf(out, REC_KEY_SIZE, "%s", pool) >= REC_KEY_SIZE)
        (void)snprintf(out, REC_KEY_SIZE, "%016llx", (unsigned long long)hc_fnv1a64(HC_FNV1A64_START, pool));
}

enum hc_err pool_session_ended(struct step *s, const struct lease *lease, const char *body_id)
{
    const struct node_rec *body = alloc_node(s->live, body_id);
    if (s->ev->dry_run || body == NULL || !hc_time_set(lease->streaming_at))
        return HC_OK;
    char key[REC_KEY_SIZE];
    pool_key(body, key);
    struct pool_obs *pool = (struct pool_obs *)observed_edit(s->obs, OBS_POOL, key);
    if (pool == NULL)
        return HC_ERR_NOMEM;
    int64_t length_ms = hc_time_since(s->now, lease->streaming_at);
    pool->session_ms[pool->next] = length_ms > 0 ? length_ms : 0;
    pool->next = (pool->next + 1) % POOL_SESSIONS_MAX;
    pool->count += pool->count < POOL_SESSIONS_MAX ? 1 : 0;
    return HC_OK;
}

static int by_length(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x == y ? 0 : x < y ? -1 : 1;
}

static int64_t median_of(const struct pool_obs *pool)
{
    int64_t lengths[POOL_SESSIONS_MAX] = { 0 };
    for (size_t i = 0; i < pool->count; i++)
        lengths[i] = pool->session_ms[i];
    qsort(lengths, pool->count, sizeof lengths[0], by_length);
    return pool->count % 2 == 1 ? lengths[pool->count / 2] : (lengths[pool->count / 2 - 1] + lengths[pool->count / 2]) / 2;
}

/* The pool that this ticket waits for: that of its own venue, else of the first body that could serve it; one with history before one
 * without. */
static const struct node_rec *pool_of(const struct core_view *v, const struct ticket_rec *ticket, const struct pool_obs **ret_pool)
{
    const struct node_rec *head = alloc_node(v->saved, ticket->rec.key), *found = NULL;
    size_t bodies = observed_count(v->obs, OBS_POOL) == 0 ? 0 : alloc_count(v->saved, REC_BODY);      /* no history at all */
    for (size_t i = 0; i < bodies; i++) {
        const struct body_rec *body = (const struct body_rec *)alloc_at(v->saved, REC_BODY, i);
        const struct node_rec *node = body_node(v->saved, body);
        bool home = node != NULL && head != NULL && hc_same(node->venue, head->venue);
        if (node == NULL || (found != NULL && !home) || !could_use(v, body, node, head, ticket))
            continue;
        char key[REC_KEY_SIZE];
        pool_key(node, key);
        const struct pool_obs *pool = (const struct pool_obs *)observed_get(v->obs, OBS_POOL, key);
        if (pool == NULL || pool->count == 0)
            continue;
        found = node;
        *ret_pool = pool;
        if (home)
            break;
    }
    return found;
}

static uint32_t pool_slots(const struct core_view *v, const struct node_rec *of)
{
    uint32_t slots = 0;
    for (size_t i = 0; i < alloc_count(v->saved, REC_BODY); i++) {
        const struct body_rec *body = (const struct body_rec *)alloc_at(v->saved, REC_BODY, i);
        const struct node_rec *node = body_node(v->saved, body);
        if (node != NULL && hc_same(node->district, of->district) && hc_same(node->venue, of->venue))
            slots += body->slots_total;
    }
    return slots;
}

static int64_t eta_of(const struct core_view *v, const struct ticket_rec *ticket, uint32_t position)
{
    const struct pool_obs *pool = NULL;
    const struct node_rec *body = pool_of(v, ticket, &pool);
    uint32_t slots = body == NULL ? 0 : pool_slots(v, body);
    return slots == 0 ? -1 : (int64_t)position * median_of(pool) / slots;
}

/* Caps come and go without the head asking again: the reason is theirs only while they deny. */
static enum wait_why why_now(const struct core_view *v, const struct ticket_rec *ticket)
{
    const struct node_rec *head = alloc_node(v->saved, ticket->rec.key);
    if (head != NULL && venue_cap_denies(v, head))
        return WAIT_VENUE_CAP;
    if (head != NULL && org_cap_denies(v, head))
        return WAIT_ORG_CAP;
    return ticket->why == WAIT_VENUE_CAP || ticket->why == WAIT_ORG_CAP ? WAIT_NO_SLOT : ticket->why;
}

void query_ticket(const struct core_view *v, const struct ticket_rec *ticket, struct ticket_facts *ret)
{
    *ret = (struct ticket_facts){ .why = why_now(v, ticket), .state = ticket->state, .retry_after_ms = TICKET_POLL_MS };
    ret->created_at = ticket->created_at;
    HC_SET(ret->id, ticket->id);
    HC_SET(ret->stream_id, ticket->stream_id);
    ret->position = queue_position(v, ticket);
    ret->eta_ms = eta_of(v, ticket, ret->position);
}
