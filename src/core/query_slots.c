/* query_slots.c - GET /slots: desired beside observed, and what they disagree about (wire §5). */
#include <string.h>

#include "kept_slots.h"
#include "slot_sessions.h"
#include "view.h"

struct listing {
    const struct core_view *v;
    const struct slot_filter *filter;
    struct slot_row *rows;
    size_t count, size;
    const struct witness *witnesses;
    size_t witness_count;
    struct kept_slots kept;
};

/* A row and what its slot has in common with the other rows of the slot. */
struct place { const struct body_rec *body; const struct node_rec *node; const struct body_obs *obs; uint32_t slot;
    struct slot_row common; };

static bool any(const char *text)
{
    return text == NULL || text[0] == '\0';
}

static bool wanted(const struct slot_filter *filter, const char *body_id, const struct node_rec *node)
{
    if (!any(filter->body_id) && !hc_same(filter->body_id, body_id))
        return false;
    if (node == NULL)
        return any(filter->district) && any(filter->venue);
    return (any(filter->district) || hc_same(filter->district, node->district)) &&
        (any(filter->venue) || hc_same(filter->venue, node->venue));
}

static void add_row(struct listing *list, const struct slot_row *row)
{
    if (list->filter->divergent && row->divergence == 0)
        return;
    if (list->count < list->size)
        list->rows[list->count++] = *row;
}

static int64_t until(hc_time end, hc_time now)
{
    if (!hc_time_set(end))
        return -1;
    int64_t left = hc_time_since(end, now);
    return left > 0 ? left : 0;
}

static hc_time lease_ends(const struct core_view *v, const struct lease *lease)
{
    const struct timers *t = &v->saved->config->timers;
    switch (lease->state) {
    case LEASE_DRAINING: return hc_time_set(lease->drain_since) ? hc_time_add(lease->drain_since, t->drain_grace_ms) : HC_TIME_NEVER;
    case LEASE_UNKNOWN:  return hc_time_set(lease->unknown_since) ? hc_time_add(lease->unknown_since, t->unknown_hold_ms) : HC_TIME_NEVER;
    case LEASE_STREAMING: case LEASE_ADOPTED: return HC_TIME_NEVER;
    default: return lease_clock(v->obs, lease).expires_at;
    }
}

static void fill_lease(const struct core_view *v, const struct lease *lease, struct slot_row *row)
{
    row->lease = lease;
    const struct node_rec *head = alloc_node(v->saved, lease->head_id);
    if (head != NULL) {
        HC_SET(row->head_name, head->name);
        HC_SET(row->head_venue, head->venue);
    }
    hc_time renewed = lease_clock(v->obs, lease).head_renewed_at;
    row->age_ms = hc_time_since(v->now, lease->granted_at);
    row->expires_in_ms = until(lease_ends(v, lease), v->now);
    row->start_deadline_in_ms = lease_is_pre_stream(lease->state) ? until(lease->start_deadline_at, v->now) : -1;
    row->since_head_renewal_ms = hc_time_set(renewed) ? hc_time_since(v->now, renewed) : -1;
    row->unattended_ms = lease_unattended_ms(v, lease);
}

static void fill_observed(const struct place *place, const struct session_obs *seen, struct slot_row *row)
{
    const struct body_obs *obs = place->obs;
    if (obs == NULL || !hc_time_set(obs->reported_at))
        return;
    struct slot_observed *to = &row->observed;
    row->has_observed = true;
    to->stream_status = obs->stream_status;
    to->reported_at = obs->reported_at;
    to->has_report_seq = obs->modern;
    to->report_seq = obs->report_seq;
    HC_SET(to->boot_id, obs->boot_id);
    if (seen == NULL || !obs->modern)
        return;
    to->has_state = true;
    to->state = seen->state;
    to->has_applied_epoch = seen->has_applied_epoch;
    to->applied_epoch = seen->applied_epoch;
    to->gate_mode = seen->gate_mode;
    HC_SET(to->lease_id, seen->lease_id);
    HC_SET(to->launch_id, seen->launch_id);
    HC_SET(to->client_uuid, seen->client_uuid);
    HC_SET(to->client_name, seen->client_name);
    HC_SET(to->app, seen->app);
    HC_SET(to->head_id, session_head(seen));
    HC_SET(to->gate_reason, seen->gate_reason);
}

/* What the lease row, or the only row of a free slot, has to say about slot and lease. */
static uint32_t lease_divergence(const struct core_view *v, const struct place *place, const struct lease *lease)
{
    uint32_t divergence = 0;
    bool fresh = body_fresh(v, place->body->rec.key), streams = lease->state == LEASE_STREAMING || lease->state == LEASE_ADOPTED;
    if (!fresh)
        divergence |= DIVERGENCE_STALE_REPORT;
    else if (streams && place->obs != NULL && slot_idle(place->obs, place->slot))
        divergence |= DIVERGENCE_LEASE_WITHOUT_STREAM;
    if (lease->state == LEASE_ADOPTED && lease->head_id[0] == '\0')
        divergence |= DIVERGENCE_ADOPTED_UNKNOWN_HEAD;
    return divergence;
}

static uint32_t slot_divergence(const struct core_view *v, const struct place *place)
{
    uint32_t divergence = place->node == NULL ? DIVERGENCE_UNKNOWN_BODY : 0;
    const struct district_rec *district = place->node == NULL ? NULL : alloc_district(v->saved, place->node->district);
    if (district != NULL && district->safe_mode == SAFE_DOWNGRADE)
        divergence |= DIVERGENCE_DOWNGRADE;
    if (place->slot >= place->body->slot_count)
        return divergence;
    bool unconfirmed = (place->common.why_not & WHY_NOT_EPOCH_UNCONFIRMED) != 0;
    if (place->body->slots[place->slot].epoch_regressed)
        divergence |= DIVERGENCE_EPOCH_REGRESSED;
    if (unconfirmed && place->obs != NULL && hc_time_set(place->obs->below_floor_at[place->slot]))
        divergence |= DIVERGENCE_EPOCH_BELOW_FLOOR;
    return divergence;
}

static void add_witnesses(struct listing *list, const struct place *place)
{
    const struct witness *first;
    size_t count = witnesses_of(list->witnesses, list->witness_count, place->body->rec.key, place->slot, &first);
    for (size_t i = 0; i < count; i++) {
        const struct node_obs *head = first[i].head;
        struct slot_row row = place->common;
        row.has_observed = row.observed.from_head = row.observed.has_state = true;
        row.observed.state = SESSION_STREAMING;
        row.observed.reported_at = head->beat_at;
        HC_SET(row.observed.head_id, head->rec.key);
        HC_SET(row.observed.lease_id, head->lease_id);
        row.divergence |= DIVERGENCE_UNAUTHORIZED_STREAM;
        add_row(list, &row);
    }
}

static void add_slot(struct listing *list, struct place *place)
{
    const struct core_view *v = list->v;
    struct slot_sessions sessions;
    slot_sessions(v, place->body, place->slot, &sessions);
    struct slot_row *common = &place->common;
    common->slot = place->slot;
    bool known = place->slot < place->body->slot_count;     /* a body may report a slot that was never there, or is gone */
    common->epoch = known ? place->body->slots[place->slot].epoch : 0;
    common->occupied = !known || slot_occupied(v, place->body, place->slot) != 0;
    common->why_not = known ? slot_why_not(v, place->body, place->slot) : WHY_NOT_NOT_IDLE | WHY_NOT_SLOT_LOWERED;
    if (common->why_not == 0 && kept_for_older(&list->kept, place->body, place->node, place->slot))
        common->why_not = WHY_NOT_KEPT_FOR_OLDER;
    common->grantable = common->why_not == 0;
    common->divergence = slot_divergence(v, place) | (sessions.second_launch ? DIVERGENCE_SECOND_LAUNCH : 0);
    if (sessions.lease != NULL || sessions.extra_count == 0) {
        struct slot_row row = *common;
        fill_observed(place, sessions.covered != NULL ? sessions.covered : sessions.shown, &row);
        if (sessions.lease != NULL) {
            fill_lease(v, sessions.lease, &row);
            row.divergence |= lease_divergence(v, place, sessions.lease);
        }
        add_row(list, &row);
    }
    for (size_t i = 0; i < sessions.extra_count; i++) {
        struct slot_row row = *common;
        fill_observed(place, sessions.extras[i].session, &row);
        row.divergence |= sessions.extras[i].wrong_client ? DIVERGENCE_WRONG_CLIENT : DIVERGENCE_UNAUTHORIZED_STREAM;
        add_row(list, &row);
    }
    add_witnesses(list, place);
}

static void add_body(struct listing *list, const struct body_rec *body)
{
    const struct core_view *v = list->v;
    struct place place = { .body = body, .node = body_node(v->saved, body), .obs = body_observed(v->obs, body) };
    if (!wanted(list->filter, body->rec.key, place.node))
        return;
    struct slot_row blank = { .age_ms = -1, .expires_in_ms = -1, .start_deadline_in_ms = -1, .since_head_renewal_ms = -1,
        .unattended_ms = -1 };
    HC_SET(blank.body_id, body->rec.key);
    if (place.node != NULL) {
        HC_SET(blank.body_name, place.node->name);
        HC_SET(blank.venue, place.node->venue);
        HC_SET(blank.district, place.node->district);
    }
    uint32_t count = slots_shown(v, body);
    for (uint32_t slot = 0; slot < count; slot++) {
        size_t cursor = 0;
        bool runs = place.obs != NULL && session_next(place.obs, slot, &cursor) != NULL;
        if (slot_gone(body, slot) && !runs)
            continue;
        place.slot = slot;
        place.common = blank;
        add_slot(list, &place);
    }
}

/* Behind the last body that is asked for. */
static size_t bodies_end(const struct core_view *v, const struct slot_filter *filter)
{
    size_t all = alloc_count(v->saved, REC_BODY);
    return filter->body_count > 0 && filter->first_body < all && filter->body_count < all - filter->first_body
               ? filter->first_body + filter->body_count : all;
}

/* At most one row per slot, session and witness. */
static size_t rows_at_most(const struct core_view *v, const struct slot_filter *filter, size_t witness_count)
{
    size_t most = witness_count;
    for (size_t i = filter->first_body; i < bodies_end(v, filter); i++) {
        const struct body_rec *body = (const struct body_rec *)alloc_at(v->saved, REC_BODY, i);
        const struct body_obs *obs = body_observed(v->obs, body);
        most += slots_shown(v, body) + 1 + (obs == NULL ? 0 : obs->session_count);
    }
    return most;
}

enum hc_err query_slots(const struct core_view *v, const struct slot_filter *filter, struct hc_arena *arena, struct slot_row **ret_rows,
    size_t *ret_count)
{
    struct witness *seen;
    struct listing list = { .v = v, .filter = filter, .kept = { .v = v, .arena = arena } };
    enum hc_err err = witnesses(v, arena, &seen, &list.witness_count);
    if (err != HC_OK)
        return err;
    list.witnesses = seen;
    list.size = rows_at_most(v, filter, list.witness_count);
    list.rows = hc_arena_array(arena, list.size + 1, sizeof list.rows[0]);
    if (list.rows == NULL)
        return HC_ERR_NOMEM;
    for (size_t i = filter->first_body; i < bodies_end(v, filter); i++)
        add_body(&list, (const struct body_rec *)alloc_at(v->saved, REC_BODY, i));
    if (list.kept.err != HC_OK)
        return list.kept.err;
    *ret_rows = list.rows;
    *ret_count = list.count;
    return HC_OK;
}
