#include "hydra/core/records.h"

bool lease_is_terminal(enum lease_state state)
{
    return state >= LEASE_ENDED;
}

bool lease_is_pre_stream(enum lease_state state)
{
    return state == LEASE_HELD || state == LEASE_GRANTED || state == LEASE_PAIRING || state == LEASE_STARTING;
}

const struct lease *body_lease(const struct body_rec *body, const char *lease_id, const struct slot **ret_slot)
{
    for (size_t i = 0; i < body->slot_count; i++) {
        const struct slot *slot = &body->slots[i];
        for (size_t k = 0; k < slot->lease_count; k++) {
            if (!hc_same(slot->leases[k].id, lease_id))
                continue;
            if (ret_slot != NULL)
                *ret_slot = slot;
            return &slot->leases[k];
        }
    }
    return NULL;
}

const struct lease *slot_live_lease(const struct slot *slot)
{
    for (size_t k = slot->lease_count; k > 0; k--)      /* the newest stands last */
        if (!lease_is_terminal(slot->leases[k - 1].state))
            return &slot->leases[k - 1];
    return NULL;
}

const struct lease *alloc_lease(const struct alloc *alloc, const char *lease_id, const struct body_rec **ret_body,
    const struct slot **ret_slot)
{
    const char *body_id = alloc_lease_body(alloc, lease_id);
    const struct body_rec *body = body_id == NULL ? NULL : alloc_body(alloc, body_id);
    const struct lease *lease = body == NULL ? NULL : body_lease(body, lease_id, ret_slot);
    if (lease != NULL && ret_body != NULL)
        *ret_body = body;
    return lease;
}

const char *node_owner(const struct alloc *alloc, const struct node_rec *node)
{
    if (node->owner[0] != '\0')
        return node->owner;
    const struct venue_rec *venue = node->venue[0] == '\0' ? NULL : alloc_venue(alloc, node->venue);
    return venue == NULL ? "" : venue->owner;
}

bool node_is_quest(const struct node_rec *node)
{
    return hc_same(node->kind, "hydraheadquest");
}
