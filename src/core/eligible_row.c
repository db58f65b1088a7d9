/* eligible_row.c - one element of the eligible array (wire §2): what a head reads of a body. */
#include "asking.h"

#include "hydra/base/arena.h"

static enum hc_err fill_drivers(const struct body_obs *obs, struct hc_arena *arena, struct eligible_row *row)
{
    size_t count = obs == NULL || obs->xr_drivers == NULL ? 0 : obs->xr_drivers->count;
    const char **copies = hc_arena_array(arena, count + 1, sizeof copies[0]);
    if (copies == NULL)
        return HC_ERR_NOMEM;
    for (size_t i = 0; i < count; i++) {
        copies[i] = hc_arena_strdup(arena, obs->xr_drivers->at[i]);
        if (copies[i] == NULL)
            return HC_ERR_NOMEM;
    }
    row->xr_drivers = copies;
    row->xr_driver_count = count;
    return HC_OK;
}

static void fill_lease(const struct core_view *v, const struct lease *lease, bool mine, struct eligible_row *row)
{
    struct lease_clock clock = lease_clock(v->obs, lease);
    row->has_lease = true;
    row->lease_mine = mine;
    row->lease_state = lease->state;
    HC_SET(row->lease_id, lease->id);
    row->lease_expires_ms = -1;
    if (hc_time_set(clock.expires_at))
        row->lease_expires_ms = hc_time_before(v->now, clock.expires_at) ? hc_time_since(clock.expires_at, v->now) : 0;
}

/* Counts; the slot shown is the head's own, else the first free one. Shipping heads take the first body whose count is 0: their own
 * lease is not in it. */
static void fill_slots(const struct core_view *v, const struct body_rec *body, const struct node_rec *head, bool leases,
                       struct eligible_row *row)
{
    const char *own_id = head == NULL ? NULL : alloc_head_lease(v->saved, head->rec.key);
    bool chosen = false;
    for (uint32_t i = 0; i < body->slot_count; i++) {
        if (slot_gone(body, i))
            continue;
        const struct lease *lease = slot_live_lease(&body->slots[i]);
        bool mine = lease != NULL && own_id != NULL && hc_same(lease->id, own_id);
        bool free_now = slot_occupied(v, body, i) == 0;
        row->stream_count += !free_now && !mine ? 1 : 0;
        row->slots_free += free_now ? 1 : 0;
        if (mine || (free_now && !chosen && !row->lease_mine))
            row->slot = i;
        chosen = chosen || free_now || mine;
        if (lease != NULL && (mine || (leases && !row->has_lease)))
            fill_lease(v, lease, mine, row);
    }
}

enum hc_err eligible_row_fill(const struct core_view *v, const struct body_rec *body, const struct node_rec *node,
                              const struct node_rec *head, bool leases, struct hc_arena *arena,
                              struct eligible_row *ret)
{
    const struct body_obs *obs = body_observed(v->obs, body);
    *ret = (struct eligible_row){ .slots_total = body->slots_total, .pair_epoch = body->pair_epoch, .lease_expires_ms = -1 };
    HC_SET(ret->id, body->rec.key);
    HC_SET(ret->name, node->name);
    HC_SET(ret->ip, node->ip);
    HC_SET(ret->wireguard_ip, node->wireguard_ip);
    HC_SET(ret->sunshine_cert_fp, body->sunshine_cert_fp);
    ret->same_venue = head != NULL && hc_same(head->venue, node->venue);
    if (obs != NULL) {
        ret->reported_at = obs->reported_at;
        ret->gpu_memory_total_mb = obs->gpu_memory_total_mb;
        HC_SET(ret->xr_state, obs->xr_state);
    }
    fill_slots(v, body, head, leases, ret);
    return fill_drivers(obs, arena, ret);
}
