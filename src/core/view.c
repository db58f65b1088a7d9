/* view.c - small questions to a view that several files ask. */
#include "view.h"

#include <stdio.h>

bool node_online(const struct core_view *v, const struct node_rec *node)
{
    hc_time seen = node_seen_at(v->obs, node);
    return hc_time_set(seen) && hc_time_since(v->now, seen) <= v->saved->config->timers.node_offline_ms;
}

bool body_online(const struct core_view *v, const char *node_id)
{
    const struct node_rec *node = alloc_node(v->saved, node_id);
    return node != NULL && node_online(v, node);
}

bool report_fresh(const struct core_view *v, const struct body_obs *obs)
{
    return obs != NULL && hc_time_set(obs->reported_at) &&
        hc_time_since(v->now, obs->reported_at) <= v->saved->config->timers.body_report_fresh_ms;
}

bool body_fresh(const struct core_view *v, const char *body_id)
{
    return report_fresh(v, observed_body(v->obs, body_id));
}

hc_time body_heard_at(const struct core_view *v, const struct body_rec *body)
{
    const struct body_obs *obs = observed_body(v->obs, body->rec.key);
    hc_time heard = hc_time_later(obs == NULL ? HC_TIME_NEVER : obs->reported_at, body->last_body_confirmation_at);
    const struct node_rec *node = hc_time_set(heard) ? NULL : alloc_node(v->saved, body->rec.key);
    return node == NULL ? heard : node->enrolled_at;
}

bool venue_is_known(const struct alloc *saved, const char *venue)
{
    if (alloc_venue(saved, venue) != NULL)
        return true;
    for (size_t i = 0; i < alloc_count(saved, REC_BODY); i++) {
        const struct node_rec *node = alloc_node(saved, alloc_at(saved, REC_BODY, i)->key);
        if (node != NULL && node->approval == APPROVAL_APPROVED && hc_same(node->venue, venue))
            return true;
    }
    return false;
}

void body_pool(const struct node_rec *body, char out[POOL_SIZE])
{
    (void)snprintf(out, POOL_SIZE, "%s/%s-owned", body->district, body->venue);
}

int64_t lease_unattended_ms(const struct core_view *v, const struct lease *lease)
{
    if (lease->state != LEASE_STREAMING && lease->state != LEASE_ADOPTED)
        return -1;
    hc_time heard = lease_clock(v->obs, lease).head_renewed_at;
    if (!hc_time_set(heard))
        heard = hc_time_set(lease->streaming_at) ? lease->streaming_at : lease->granted_at;
    int64_t silent_ms = hc_time_since(v->now, heard);
    return silent_ms > v->saved->config->timers.soft_hold_rolling_ms ? silent_ms : -1;
}

bool head_is_legacy(const struct core_view *v, const char *head_id)
{
    const struct node_rec *head = alloc_node(v->saved, head_id);
    return head != NULL && head->protocol_version < 2;
}
