/* metrics_route.c - GET /metrics: gauges of the fleet are set from a view when they are asked for; counters have counted all along. */
#include <stdio.h>

#include "operator_routes.h"

#define INDEX_TEXT 12

static const enum metric_id fleet_gauges[] = {
    METRIC_SLOTS_TOTAL, METRIC_SLOTS_OCCUPIED, METRIC_QUEUE_DEPTH, METRIC_LEASE_AGE, METRIC_HEAD_RENEWAL_AGE, METRIC_BODY_REPORT_AGE,
    METRIC_NAMED_CERTS, METRIC_CIRCUIT_OPEN, METRIC_DIVERGENCE, METRIC_SLOTS_DIVERGENT, METRIC_BODY_ONLINE,
    METRIC_CUSTODIAN_SUCCESS,
};

/* A slot counts once, under the first of its causes in the order of rules §5. */
static void set_occupied(struct metrics *metrics, const struct core_view *v, const struct node_rec *node, const struct body_rec *body)
{
    unsigned causes[WHY_NOT_BITS] = { 0 }, slots = 0;
    for (uint32_t i = 0; i < body->slot_count && i < body->slots_total; i++) {
        uint32_t cause = slot_occupied(v, body, i);
        slots++;
        for (unsigned bit = 0; bit < WHY_NOT_BITS; bit++)
            if ((cause >> bit & 1) != 0) {
                causes[bit]++;
                break;
            }
    }
    metrics_set(metrics, METRIC_SLOTS_TOTAL, slots, node->venue, body->rec.key);
    for (unsigned bit = 0; bit < WHY_NOT_BITS; bit++)
        if (causes[bit] > 0)
            metrics_set(metrics, METRIC_SLOTS_OCCUPIED, causes[bit], node->venue, body->rec.key, word_of(&why_not_words, (int)bit));
}

/* When the custodian last went through the trust store; of a body whose agent takes operations and where it never did: since when it could
 * have. Other bodies have no custodian that could stall. */
static void set_custodian(struct metrics *metrics, const struct core_view *v, const struct node_rec *node, const struct body_rec *body)
{
    const struct node_obs *agent = observed_node(v->obs, body->rec.key);
    hc_time since = body->custodian_last_success_at;
    if (!hc_time_set(since) && agent != NULL && hc_time_set(agent->op_poll_at))
        since = hc_time_later(v->obs->started_at, node->enrolled_at);
    if (hc_time_set(since))
        metrics_set(metrics, METRIC_CUSTODIAN_SUCCESS, (double)since.ms / 1e3, body->rec.key);
}

/* As the newest report lists them; of a body that reports none, as the custodian's last list did. */
static void set_certificates(struct metrics *metrics, const struct body_obs *obs, const struct body_rec *body)
{
    bool reported = obs != NULL && hc_time_set(obs->reported_at);
    if (!reported && body->paired == NULL)
        return;
    size_t count = reported ? obs->client_count : 0;
    if (count == 0 && body->paired != NULL)
        count = body->paired->count;
    metrics_set(metrics, METRIC_NAMED_CERTS, (double)count, body->rec.key);
}

static void set_bodies(struct metrics *metrics, const struct core_view *v)
{
    for (size_t i = 0; i < alloc_count(v->saved, REC_BODY); i++) {
        const struct body_rec *body = (const struct body_rec *)alloc_at(v->saved, REC_BODY, i);
        const struct node_rec *node = alloc_node(v->saved, body->rec.key);
        if (node == NULL)
            continue;
        set_occupied(metrics, v, node, body);
        metrics_set(metrics, METRIC_CIRCUIT_OPEN, body->circuit.state == CIRCUIT_OPEN ? 1 : 0, body->rec.key);
        metrics_set(metrics, METRIC_BODY_ONLINE, body_online(v, body->rec.key) ? 1 : 0, body->rec.key);
        metrics_set(metrics, METRIC_BODY_REPORT_AGE, (double)hc_time_since(v->now, body_heard_at(v, body)) / 1e3, body->rec.key);
        set_custodian(metrics, v, node, body);
        set_certificates(metrics, observed_body(v->obs, body->rec.key), body);
    }
}

/* What one slot disagrees about, added to its body's count. */
static void add_divergent(struct metrics *metrics, const struct slot_row *row)
{
    for (unsigned bit = 0; bit < DIVERGENCE_BITS; bit++)
        if ((row->divergence >> bit & 1) != 0)
            metrics_add(metrics, METRIC_SLOTS_DIVERGENT, 1, row->venue, row->body_id, word_of(&divergence_words, (int)bit));
}

/* Tickets of venues that have no series of their own are counted together. */
static void set_queues(struct metrics *metrics, const struct core_view *v, const struct venue_row *venues, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool known = venues[i].slots > 0 || alloc_venue(v->saved, venues[i].venue) != NULL;
        if (known || venues[i].queue_depth > 0)
            metrics_add(metrics, METRIC_QUEUE_DEPTH, venues[i].queue_depth,
                        known || venue_is_known(v->saved, venues[i].venue) ? venues[i].venue : VENUE_OTHER);
    }
}

static void set_rows(struct metrics *metrics, const struct slot_row *rows, size_t count)
{
    unsigned divergences[DIVERGENCE_BITS] = { 0 };
    for (size_t i = 0; i < count; i++) {
        const struct slot_row *row = &rows[i];
        for (unsigned bit = 0; bit < DIVERGENCE_BITS; bit++)
            divergences[bit] += row->divergence >> bit & 1;
        add_divergent(metrics, row);
        if (row->lease == NULL)
            continue;
        char slot[INDEX_TEXT];
        (void)snprintf(slot, sizeof slot, "%u", row->slot);
        metrics_set(metrics, METRIC_LEASE_AGE, (double)row->age_ms / 1e3, row->venue, row->body_id, slot);
        if (row->since_head_renewal_ms >= 0)
            metrics_set(metrics, METRIC_HEAD_RENEWAL_AGE, (double)row->since_head_renewal_ms / 1e3, row->venue, row->body_id, slot);
    }
    for (unsigned bit = 0; bit < DIVERGENCE_BITS; bit++)
        metrics_set(metrics, METRIC_DIVERGENCE, divergences[bit], word_of(&divergence_words, (int)bit));
}

static enum hc_err set_fleet(struct call *call, const struct core_view *v)
{
    struct metrics *metrics = call->api->config.metrics;
    const struct slot_filter everything = { 0 };
    struct slot_row *rows;
    struct venue_row *venues;
    size_t row_count, venue_count;
    enum hc_err err = query_slots(v, &everything, call->arena, &rows, &row_count);
    if (err == HC_OK)
        err = query_venues(v, call->arena, &venues, &venue_count);
    if (err != HC_OK)
        return err;
    for (size_t i = 0; i < sizeof fleet_gauges / sizeof fleet_gauges[0]; i++)
        metrics_clear(metrics, fleet_gauges[i]);
    set_bodies(metrics, v);
    set_rows(metrics, rows, row_count);
    set_queues(metrics, v, venues, venue_count);
    return HC_OK;
}

void metrics_get(struct call *call)
{
    struct engine_view view;
    if (!call_view(call, &view))
        return;
    enum hc_err err = set_fleet(call, &view.view);
    call_view_done(call, &view);
    struct hc_buf text = { 0 };
    if (err == HC_OK) {
        metrics_write(call->api->config.metrics, &text);
        err = text.failed ? HC_ERR_NOMEM : HC_OK;
    }
    if (err == HC_OK)
        call_text(call, 200, "text/plain; version=0.0.4", text.data == NULL ? "" : text.data);
    else
        call_fault(call, err);
    hc_buf_free(&text);
}
