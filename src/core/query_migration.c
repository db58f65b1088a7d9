/* query_migration.c - which heads and bodies hold back which of the nine steps (seed, Migration), and what holds back per_device_identity
 * (rules §12.4). Computed from what is observed; only the days of Step 9 are remembered (latch.c). */
#include <stdlib.h>
#include <string.h>

#include "core.h"

#define PROTOCOL_WANTED  2
#define CUSTODIAN_MISSES 3        /* as many of its rounds without a list as leave it in force */

/* Filled in two rounds: the first counts. */
struct holding { const struct core_view *v; const char *district; struct hold_row *rows; size_t count; };

static void hold(struct holding *h, unsigned step, enum hold_why why, const struct node_rec *node, bool is_body)
{
    if (h->rows != NULL) {
        struct hold_row *row = &h->rows[h->count];
        *row = (struct hold_row){ .step = step, .why = why, .is_body = is_body };
        if (node != NULL) {
            HC_SET(row->node_id, node->rec.key);
            HC_SET(row->name, node->name);
        }
    }
    h->count++;
}

static const struct node_rec *district_node(const struct holding *h, size_t i)
{
    const struct node_rec *node = (const struct node_rec *)alloc_at(h->v->saved, REC_NODE, i);
    return node->approval == APPROVAL_APPROVED && hc_same(node->district, h->district) ? node : NULL;
}

/* What the newest report lacks for identities and telemetry; HOLD_NONE: nothing. */
static enum hold_why report_lacks(const struct core_view *v, const char *body_id)
{
    const struct body_obs *obs = observed_body(v->obs, body_id);
    if (obs == NULL || !hc_time_set(obs->reported_at))
        return HOLD_NO_REPORT;
    if (!body_fresh(v, body_id))
        return HOLD_STALE_REPORT;
    return obs->modern ? HOLD_NONE : HOLD_LEGACY_BODY;
}

static void identity_holds(struct holding *h)
{
    const struct district_rec *rec = alloc_district(h->v->saved, h->district);
    uint32_t roles = 0;
    if (rec != NULL && hc_time_set(rec->per_device_identity_at))
        return;
    for (size_t i = 0; i < alloc_count(h->v->saved, REC_NODE); i++) {
        const struct node_rec *node = district_node(h, i);
        if (node == NULL)
            continue;
        roles |= node->roles;
        enum hold_why lacks = (node->roles & ROLE_BODY) != 0 ? report_lacks(h->v, node->rec.key) : HOLD_NONE;
        if (lacks != HOLD_NONE)
            hold(h, 5, lacks, node, true);
        if ((node->roles & ROLE_HEAD) != 0 && node->pairing_protocol < PROTOCOL_WANTED)
            hold(h, 5, HOLD_PAIRING_PROTOCOL, node, false);
    }
    if ((roles & ROLE_BODY) == 0)
        hold(h, 5, HOLD_NO_BODY, NULL, true);
    if ((roles & ROLE_HEAD) == 0)
        hold(h, 5, HOLD_NO_HEAD, NULL, false);
    if (rec != NULL && hc_time_set(rec->per_device_identity_off_at))
        hold(h, 5, HOLD_CLEARED, NULL, false);
}

static void body_trust(struct holding *h, const struct node_rec *node, const struct body_obs *obs)
{
    const struct body_rec *body = alloc_body(h->v->saved, node->rec.key);
    int64_t late_ms = CUSTODIAN_MISSES * h->v->saved->config->timers.custodian_every_ms;
    if (!hc_time_set(body->custodian_last_success_at) || hc_time_since(h->v->now, body->custodian_last_success_at) > late_ms)
        hold(h, 2, HOLD_CUSTODIAN, node, true);
    enum hold_why lacks = report_lacks(h->v, node->rec.key);
    if (lacks != HOLD_NONE)
        hold(h, 3, lacks, node, true);
    else if (body->sunshine_cert_fp[0] == '\0')
        hold(h, 3, HOLD_CERT_FP, node, true);
    else if (!paired_known(obs))
        hold(h, 3, HOLD_TRUST_UNKNOWN, node, true);
}

static bool gate_unavailable(const struct body_obs *obs)
{
    for (size_t i = 0; obs != NULL && i < obs->session_count; i++)
        if (obs->sessions[i].gate_mode == GATE_UNAVAILABLE)
            return true;
    return false;
}

static void body_gate(struct holding *h, const struct node_rec *node, const struct body_obs *obs)
{
    const struct body_rec *body = alloc_body(h->v->saved, node->rec.key);
    int64_t since_ms = hc_time_since(h->v->now, body->last_unauthorized_at);
    bool unauthorized = hc_time_set(body->last_unauthorized_at) && since_ms < h->v->saved->config->timers.enforce_observation_ms;
    if (body->enforce != ENFORCE_ENFORCE)
        hold(h, 7, unauthorized ? HOLD_UNAUTHORIZED : HOLD_OBSERVES, node, true);
    else if (gate_unavailable(obs))
        hold(h, 7, HOLD_GATE, node, true);
    for (uint32_t i = 0; body->slots_total > 1 && i < body->slots_total; i++) {
        uint32_t why_not = i < body->slot_count ? slot_why_not(h->v, body, i) : (uint32_t)WHY_NOT_NOT_NAMED;
        if ((why_not & (WHY_NOT_NOT_NAMED | WHY_NOT_NO_PORTS)) == 0)
            continue;
        hold(h, 8, (why_not & WHY_NOT_NOT_NAMED) != 0 ? HOLD_NOT_NAMED : HOLD_NO_PORTS, node, true);
        break;                                /* one row a body */
    }
}

static void head_steps(struct holding *h, const struct node_rec *node)
{
    const struct identity_rec *identity = alloc_identity(h->v->saved, node->rec.key);
    if (node->pairing_protocol < PROTOCOL_WANTED) {
        hold(h, 4, HOLD_PAIRING_PROTOCOL, node, false);
        hold(h, 9, HOLD_PAIRING_PROTOCOL, node, false);
    }
    if (identity == NULL)
        hold(h, 6, HOLD_IDENTITY_UNKNOWN, node, false);
    else if (identity_banned(h->v->saved, identity))
        hold(h, 6, HOLD_IDENTITY_REVOKED, node, false);
    if (node->protocol_version < PROTOCOL_WANTED) {
        hold(h, 6, HOLD_PROTOCOL_VERSION, node, false);
        hold(h, 9, HOLD_PROTOCOL_VERSION, node, false);
    }
}

static void all_holds(struct holding *h)
{
    uint32_t heads = 0;
    for (size_t i = 0; i < alloc_count(h->v->saved, REC_NODE); i++) {
        const struct node_rec *node = district_node(h, i);
        const struct body_rec *body = node == NULL ? NULL : alloc_body(h->v->saved, node->rec.key);
        if (node == NULL)
            continue;
        if ((node->roles & ROLE_BODY) != 0 && body != NULL && !body->deleted) {
            const struct body_obs *obs = observed_body(h->v->obs, node->rec.key);
            body_trust(h, node, obs);
            body_gate(h, node, obs);
        }
        if ((node->roles & ROLE_HEAD) == 0)
            continue;
        heads++;
        head_steps(h, node);
    }
    if (heads == 0)
        hold(h, 9, HOLD_NO_HEAD, NULL, false);
    identity_holds(h);
}

static int by_step(const void *a, const void *b)
{
    const struct hold_row *one = a, *two = b;
    if (one->step != two->step)
        return one->step < two->step ? -1 : 1;
    int order = strcmp(one->node_id, two->node_id);
    return order != 0 ? order : (int)one->why - (int)two->why;
}

static enum hc_err collect(struct holding *h, void (*walk)(struct holding *), struct hc_arena *arena)
{
    walk(h);
    h->rows = hc_arena_array(arena, h->count + 1, sizeof h->rows[0]);
    if (h->rows == NULL)
        return HC_ERR_NOMEM;
    h->count = 0;
    walk(h);
    if (h->count > 1)
        qsort(h->rows, h->count, sizeof h->rows[0], by_step);
    return HC_OK;
}

enum hc_err query_identity_holds(const struct core_view *v, const char *district, struct hc_arena *arena, struct hold_row **ret_rows,
    size_t *ret_count)
{
    struct holding h = { .v = v, .district = district };
    enum hc_err err = collect(&h, identity_holds, arena);
    if (err != HC_OK)
        return err;
    *ret_rows = h.rows;
    *ret_count = h.count;
    return HC_OK;
}

enum hc_err query_migration(const struct core_view *v, const char *district, struct hc_arena *arena, struct migration *ret)
{
    struct holding h = { .v = v, .district = district };
    const struct district_rec *rec = alloc_district(v->saved, district);
    enum hc_err err = collect(&h, all_holds, arena);
    if (err != HC_OK)
        return err;
    *ret = (struct migration){ .count = h.count, .rows = h.rows };
    if (rec == NULL || !hc_time_set(rec->retirement_since))
        return HC_OK;
    int64_t since_ms = hc_time_since(v->now, rec->retirement_since);
    ret->retirement_since = rec->retirement_since;
    ret->retirement_days = since_ms < 0 ? 0 : (uint32_t)(since_ms / HC_DAY_MS);
    return HC_OK;
}

enum hc_err query_identity_shown(const struct core_view *v, const char *head_id, struct hc_arena *arena, const char *const **ret_ids,
    size_t *ret_count)
{
    const char **ids = hc_arena_array(arena, observed_count(v->obs, OBS_BODY) + 1, sizeof ids[0]);
    size_t count = 0;
    if (ids == NULL)
        return HC_ERR_NOMEM;
    for (size_t i = 0; i < observed_count(v->obs, OBS_BODY); i++) {
        const struct body_obs *obs = (const struct body_obs *)observed_at(v->obs, OBS_BODY, i);
        bool shown = false;
        for (size_t k = 0; k < obs->client_count && !shown; k++)
            shown = hc_same(client_head(obs->clients[k].name), head_id);
        if (shown)
            ids[count++] = obs->rec.key;
    }
    *ret_ids = ids;
    *ret_count = count;
    return HC_OK;
}

bool district_known(const struct core_view *v, const char *district)
{
    if (alloc_district(v->saved, district) != NULL || hc_same(district, v->saved->config->default_district))
        return true;
    for (size_t i = 0; i < alloc_count(v->saved, REC_NODE); i++)
        if (hc_same(((const struct node_rec *)alloc_at(v->saved, REC_NODE, i))->district, district))
            return true;
    for (size_t i = 0; i < alloc_count(v->saved, REC_VENUE); i++)
        if (hc_same(((const struct venue_rec *)alloc_at(v->saved, REC_VENUE, i))->district, district))
            return true;
    return false;
}
