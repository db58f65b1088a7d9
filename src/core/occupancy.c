/* occupancy.c - rules §5, term by term: is a slot occupied, and why is it not given? The grant path, /slots and /explain ask the same
 * functions. */
#include <assert.h>

#include "seeking.h"
#include "view.h"
#include "xr.h"

uint32_t slot_occupied(const struct core_view *v, const struct body_rec *body, uint32_t slot)
{
    assert(slot < body->slot_count);
    const struct body_obs *obs = body_observed(v->obs, body);
    uint32_t mask = 0;
    if (slot_live_lease(&body->slots[slot]) != NULL)                       /* 1: a lease that is not terminal */
        mask |= WHY_NOT_LEASED;
    if (obs == NULL || !hc_time_set(obs->reported_at)) {                   /* 2: no report yet */
        mask |= WHY_NOT_NO_REPORT;
    } else {
        size_t cursor = 0;
        if (!report_fresh(v, obs))                                         /* 3: an old report */
            mask |= WHY_NOT_STALE_REPORT;
        if (!slot_named(obs, slot))                                        /* 4: not named by the newest report */
            mask |= WHY_NOT_NOT_NAMED;
        if (session_next(obs, slot, &cursor) != NULL)                      /* 5, 6: named and not idle; a legacy body that streams */
            mask |= WHY_NOT_NOT_IDLE;
        if (slot == 0 && xr_engaged(obs))                                  /* 7: XR, slot 0 of every body */
            mask |= WHY_NOT_XR;
    }
    if (slot == 0 && body->xr.session_id[0] != '\0')                       /* 7: a session, also while its lease is over */
        mask |= WHY_NOT_XR;
    if (body->circuit.state == CIRCUIT_OPEN)                               /* 8 */
        mask |= WHY_NOT_CIRCUIT_OPEN;
    const struct node_rec *node = body_node(v->saved, body);
    if (node == NULL || !node_online(v, node))                             /* 9 */
        mask |= WHY_NOT_OFFLINE;
    return mask;
}

static const struct session_obs *slot_row_of(const struct body_obs *obs, uint32_t slot,
                                             bool (*right)(const struct session_obs *, uint64_t), uint64_t with)
{
    for (size_t i = 0; i < obs->session_count; i++)
        if (obs->sessions[i].index == slot && right(&obs->sessions[i], with))
            return &obs->sessions[i];
    return NULL;
}

static bool row_confirms(const struct session_obs *row, uint64_t epoch)
{
    return row->has_applied_epoch && row->applied_epoch >= epoch;
}

static bool row_has_ports(const struct session_obs *row, uint64_t unused)
{
    (void)unused;
    return row->ports.gamestream != 0;
}

/* A promise ends kept, with its ticket, or by its time (§7.7). */
bool promise_holds(const struct core_view *v, const struct slot *slot)
{
    if (slot->promise_ticket_id[0] == '\0' || hc_time_due(slot->promise_until, v->now))
        return false;
    for (size_t i = 0; i < alloc_count(v->saved, REC_TICKET); i++)
        if (hc_same(((const struct ticket_rec *)alloc_at(v->saved, REC_TICKET, i))->id, slot->promise_ticket_id))
            return true;
    return false;
}

static bool safe_mode_forbids(const struct core_view *v, const struct body_rec *body)
{
    const struct node_rec *node = body_node(v->saved, body);
    return node != NULL && safe_mode_blocks(v, body, node->district);
}

uint32_t slot_why_not(const struct core_view *v, const struct body_rec *body, uint32_t index)
{
    uint32_t mask = slot_occupied(v, body, index);
    const struct slot *slot = &body->slots[index];
    const struct body_obs *obs = body_observed(v->obs, body);
    bool heard = obs != NULL && hc_time_set(obs->reported_at);
    if (body->maintenance)                                                                             /* grantable 1 */
        mask |= WHY_NOT_MAINTENANCE;
    if (body->circuit.state == CIRCUIT_HALF_OPEN && body->circuit.probe_lease_id[0] != '\0')           /* grantable 1 */
        mask |= WHY_NOT_PROBE_OUT;
    if (heard && obs->modern && slot_row_of(obs, index, row_confirms, slot->epoch) == NULL)            /* grantable 2; not legacy ones */
        mask |= WHY_NOT_EPOCH_UNCONFIRMED;
    if (slot->epoch > EPOCH_GRANT_MAX) /* grantable 2; none left to confirm */
        mask |= WHY_NOT_EPOCH_UNCONFIRMED;
    if (promise_holds(v, slot))                                                                        /* grantable 3 */
        mask |= WHY_NOT_PROMISED;
    if (pair_held(slot, v->now))                                                                       /* grantable 4 */
        mask |= WHY_NOT_PAIR_LEASE;
    if (safe_mode_forbids(v, body))                                                                    /* grantable 4 */
        mask |= WHY_NOT_SAFE_MODE;
    if (index >= body->slots_total)                                                                    /* grantable 4 */
        mask |= WHY_NOT_SLOT_LOWERED;
    if (body->slots_total > 1 && heard && slot_row_of(obs, index, row_has_ports, 0) == NULL)           /* grantable 4 */
        mask |= WHY_NOT_NO_PORTS;
    return mask;
}

uint32_t seeking_base(const struct core_view *v, const struct body_rec *body, uint32_t slot, const struct seeker *who)
{
    uint32_t mask = slot_why_not(v, body, slot);
    if ((mask & WHY_NOT_PROMISED) != 0 && who->ticket_id != NULL && hc_same(body->slots[slot].promise_ticket_id, who->ticket_id))
        mask &= ~(uint32_t)WHY_NOT_PROMISED;
    if ((mask & WHY_NOT_PAIR_LEASE) != 0 && who->head_id[0] != '\0' && hc_same(body->slots[slot].pair.head_id, who->head_id))
        mask &= ~(uint32_t)WHY_NOT_PAIR_LEASE;
    return mask;
}

uint32_t slot_why_not_for(const struct core_view *v, const struct body_rec *body, uint32_t slot, const struct seeker *who)
{
    struct seeking k;
    seeking_start(&k, v, who);
    uint32_t base = seeking_base(v, body, slot, who);
    uint32_t mask = base | seeking_why_not(&k, body, body_node(v->saved, body), slot, base);
    /* Only a slot that is free for this head can be kept from it. */
    if ((mask & ~(uint32_t)WHY_NOT_DEMOTED) == 0 && queue_kept_for_older(v, body, slot, who))
        mask |= WHY_NOT_KEPT_FOR_OLDER;
    return mask;
}
