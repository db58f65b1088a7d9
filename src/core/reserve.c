/* reserve.c - what a venue keeps of its own bodies (§7.6), and how much a venue or an org may hold at once (§7.10). */
#include <stdio.h>

#include "seeking.h"

#define CAP_KEY_SIZE (HC_NAME_SIZE + 8)

/* Does anybody of this venue want a slot: (a) a head of it has a ticket, (b) a head of it is online, has no lease, and streamed lately? */
static bool home_wants(const struct core_view *v, const struct node_rec *home)
{
    const struct alloc *saved = v->saved;
    for (size_t i = 0; i < alloc_count(saved, REC_TICKET); i++) {
        const struct ticket_rec *ticket = (const struct ticket_rec *)alloc_at(saved, REC_TICKET, i);
        const struct node_rec *head = alloc_node(saved, ticket->rec.key);
        if (head != NULL && hc_same(ticket->district, home->district) && hc_same(head->venue, home->venue))
            return true;
    }
    int64_t memory_ms = saved->config->timers.reserve_memory_ms;
    for (size_t i = 0; i < observed_count(v->obs, OBS_NODE); i++) {
        const struct node_obs *seen = (const struct node_obs *)observed_at(v->obs, OBS_NODE, i);
        if (!hc_time_set(seen->live_at) || hc_time_since(v->now, seen->live_at) > memory_ms)
            continue;
        const struct node_rec *head = alloc_node(saved, seen->rec.key);
        if (head != NULL && hc_same(head->district, home->district) && hc_same(head->venue, home->venue) && body_online(v, head->rec.key) &&
            alloc_head_lease(saved, head->rec.key) == NULL)
            return true;
    }
    return false;
}

static size_t grantable_at_home(const struct core_view *v, const struct node_rec *home, size_t enough)
{
    size_t count = 0;
    for (size_t i = 0; i < alloc_count(v->saved, REC_BODY) && count < enough; i++) {
        const struct body_rec *body = (const struct body_rec *)alloc_at(v->saved, REC_BODY, i);
        const struct node_rec *node = body_node(v->saved, body);
        if (node == NULL || !hc_same(node->district, home->district) || !hc_same(node->venue, home->venue) ||
            node->approval != APPROVAL_APPROVED)
            continue;
        size_t here = 0;
        for (uint32_t slot = 0; slot < body->slot_count; slot++)
            here += slot_why_not(v, body, slot) == 0 ? 1 : 0;
        count += body->circuit.state == CIRCUIT_HALF_OPEN && here > 1 ? 1 : here;      /* one probe: with the first the others are closed */
    }
    return count;
}

bool reserve_auto_denies(const struct core_view *v, const struct node_rec *body_node)
{
    /* The slot asked for is one of them. */
    return grantable_at_home(v, body_node, 2) < 2 && home_wants(v, body_node);
}

bool reserve_number_denies(const struct core_view *v, const struct body_rec *body, const struct node_rec *body_node)
{
    uint32_t foreign = 0, reserve = (uint32_t)body->home_venue_reserve;
    for (size_t i = 0; i < body->slot_count; i++) {
        const struct lease *lease = slot_live_lease(&body->slots[i]);
        const struct node_rec *head = lease == NULL ? NULL : alloc_node(v->saved, lease->head_id);
        foreign += head != NULL && !hc_same(head->venue, body_node->venue) ? 1 : 0;
    }
    return reserve >= body->slots_total || foreign >= body->slots_total - reserve;
}

bool reserve_denies(const struct core_view *v, const struct body_rec *body, const struct node_rec *head)
{
    const struct node_rec *node = body_node(v->saved, body);
    if (node == NULL || hc_same(node->venue, head->venue))
        return false;
    return body->home_venue_reserve == RESERVE_AUTO ? reserve_auto_denies(v, node) : reserve_number_denies(v, body, node);
}

static uint32_t cap_of(const struct core_view *v, const char *kind, const char *name)
{
    char key[CAP_KEY_SIZE];
    if (name[0] == '\0')
        return NO_CAP;
    (void)snprintf(key, sizeof key, "%s/%s", kind, name);
    const struct cap_rec *cap = (const struct cap_rec *)alloc_get(v->saved, REC_CAP, key);
    return cap == NULL ? NO_CAP : cap->max_concurrent_grants;
}

static bool same_org(const struct alloc *saved, const struct node_rec *a, const struct node_rec *b)
{
    return hc_same(node_owner(saved, a), node_owner(saved, b));
}

static bool same_venue(const struct alloc *saved, const struct node_rec *a, const struct node_rec *b)
{
    (void)saved;
    return hc_same(a->venue, b->venue);
}

/* Leases of heads like this one. Its own lease does not count: a grant takes its place. */
static bool cap_reached(const struct core_view *v, const struct node_rec *head, uint32_t cap,
                        bool (*like)(const struct alloc *, const struct node_rec *, const struct node_rec *))
{
    uint32_t held = 0;
    if (cap == NO_CAP)
        return false;
    const char *own = alloc_head_lease(v->saved, head->rec.key);
    for (size_t b = 0; b < alloc_count(v->saved, REC_BODY) && held < cap; b++) {
        const struct body_rec *body = (const struct body_rec *)alloc_at(v->saved, REC_BODY, b);
        for (size_t i = 0; i < body->slot_count; i++) {
            const struct lease *lease = slot_live_lease(&body->slots[i]);
            if (lease == NULL || lease->left_behind || (own != NULL && hc_same(lease->id, own)))
                continue;
            const struct node_rec *other = alloc_node(v->saved, lease->head_id);
            held += other != NULL && like(v->saved, head, other) ? 1 : 0;
        }
    }
    return held >= cap;
}

bool venue_cap_denies(const struct core_view *v, const struct node_rec *head)
{
    return cap_reached(v, head, cap_of(v, "venue", head->venue), same_venue);
}

bool org_cap_denies(const struct core_view *v, const struct node_rec *head)
{
    return cap_reached(v, head, cap_of(v, "org", node_owner(v->saved, head)), same_org);
}
