/* directive.c - the complete desired slot table of a body, level-triggered: what it is sent every time (rules §1, §8.1, §10.4, §13.6). */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "core.h"

#define REPORT_IDLE_MS 30000
#define REPORT_BUSY_MS 5000
#define DESKTOP_ENTRY  "Desktop"      /* an operator's way into a body under maintenance */

struct table {
    const struct core_view *v;
    const struct body_rec *body;
    const struct body_obs *obs;
    struct hc_arena *arena;
    bool boot_mode;
};

/* Ends that somebody asked for since our start leave in boot safe mode too (§8.1). */
static bool asked_for(const struct table *t, enum lease_why why, hc_time since)
{
    switch (why) {
    case WHY_RELEASED:
    case WHY_USER_EXIT:
    case WHY_ERROR:
    case WHY_ABANDON:
    case WHY_UNREACHABLE:
    case WHY_INTERRUPTED:
    case WHY_EXPERIENCE_CHANGED:
    case WHY_OPERATOR_RELEASE:
    case WHY_OPERATOR_REVOKE:
    case WHY_DRAINED:
    case WHY_NODE_DELETED:
    case WHY_NODE_DENIED:
    case WHY_IDENTITY_REVOKED:
        return hc_time_before(t->v->obs->started_at, since);
    default:
        return false;
    }
}

static bool may_terminate(const struct table *t, enum lease_why why, hc_time since)
{
    return !t->boot_mode || asked_for(t, why, since);
}

/* A session that goes on though its lease was taken away. */
static const struct ghost *refused_session(const struct table *t, uint32_t slot)
{
    size_t at = 0;
    for (const struct session_obs *seen; t->obs != NULL && (seen = session_next(t->obs, slot, &at)) != NULL;) {
        const struct ghost *ghost = session_live(seen) ? session_refused(t->v, t->body, slot, seen) : NULL;
        if (ghost != NULL)
            return ghost;
    }
    return NULL;
}

static enum hc_err add_entry(const struct table *t, struct directive_slot *row, size_t size, const char *name, const char *token)
{
    assert(row->entry_count < size);
    if (row->entries == NULL)
        row->entries = hc_arena_array(t->arena, size, sizeof row->entries[0]);
    if (row->entries == NULL)
        return HC_ERR_NOMEM;
    (void)snprintf(row->entries[row->entry_count++], sizeof row->entries[0], "%s%s%s", name, token[0] == '\0' ? "" : "#", token);
    return HC_OK;
}

static enum hc_err plain_entries(const struct table *t, struct directive_slot *row)
{
    const struct strings *list = t->obs != NULL && t->obs->experiences != NULL ? t->obs->experiences : t->body->listed_experiences;
    size_t count = list == NULL ? 0 : list->count;
    enum hc_err err = HC_OK;
    for (size_t i = 0; i < count && err == HC_OK; i++)
        err = add_entry(t, row, count + 1, list->at[i], "");
    return err == HC_OK && t->body->maintenance ? add_entry(t, row, count + 1, DESKTOP_ENTRY, "") : err;
}

static enum hc_err fill_entries(const struct table *t, const struct lease *lease, bool modern, struct directive_slot *row)
{
    if (lease == NULL || lease->experience[0] == '\0' || t->body->maintenance)
        return plain_entries(t, row);
    bool token = modern && lease->protocol >= 2 && lease->app_token[0] != '\0';
    bool plain = !token || t->body->enforce == ENFORCE_OBSERVE;
    enum hc_err err = plain ? add_entry(t, row, 2, lease->experience, "") : HC_OK;
    return err == HC_OK && token ? add_entry(t, row, 2, lease->experience, lease->app_token) : err;
}

/* §10.4: only a launch whose client is known and is not the lease's. */
static void fill_evicts(const struct table *t, const struct lease *lease, struct directive_slot *row)
{
    if (t->body->enforce != ENFORCE_ENFORCE || t->obs == NULL || t->boot_mode)
        return;
    size_t at = 0;
    for (const struct session_obs *seen; (seen = session_next(t->obs, row->index, &at)) != NULL;) {
        bool stranger = session_live(seen) && session_wrong_client(lease, seen);
        bool evict = stranger && seen->launch_id[0] != '\0' && !hc_same(seen->launch_id, lease->launch_id);
        if (evict && row->evict_count < DIRECTIVE_EVICTS_MAX)
            HC_SET(row->evict[row->evict_count++], seen->launch_id);
    }
}

static enum hc_err fill_slot(const struct table *t, bool modern, uint32_t index, struct directive_slot *row)
{
    const struct slot *slot = &t->body->slots[index];
    const struct lease *lease = slot_live_lease(slot);
    const struct ghost *ghost = lease == NULL ? refused_session(t, index) : NULL;
    row->index = index;
    row->epoch = slot->epoch;
    row->action = ACTION_FREE;
    if (ghost != NULL && may_terminate(t, ghost->why == WHY_DRAIN_TIMEOUT ? WHY_NONE : ghost->why, ghost->ended_at)) {
        row->action = ACTION_TERMINATE;
        HC_SET(row->lease_id, ghost->lease_id);
        HC_SET(row->head_id, ghost->head_id);
    }
    if (lease == NULL)
        return fill_entries(t, NULL, modern, row);
    bool ends = lease->state == LEASE_DRAINING && may_terminate(t, lease->why, lease->changed_at);
    row->action = ends ? ACTION_TERMINATE : ACTION_SERVE;
    row->protocol = lease->protocol;
    HC_SET(row->lease_id, lease->id);
    HC_SET(row->head_id, lease->head_id);
    HC_SET(row->device_uid, lease->device_uid);
    HC_SET(row->sunshine_client_uuid, lease->sunshine_client_uuid);
    fill_evicts(t, lease, row);
    if (lease->mode == MODE_XR)
        return HC_OK;                              /* nothing is launched there */
    return fill_entries(t, lease, modern, row);
}

/* To begin a session is asked for until it has begun; then what runs runs, and a body that lost it does not begin anew by itself. */
static void fill_xr(const struct table *t, struct directive_xr *ret)
{
    const struct xr_session *xr = &t->body->xr;
    const struct lease *lease = body_lease(t->body, xr->session_id, NULL);
    bool arms = xr->state == XR_REQUESTED || xr->state == XR_ARMING || xr->state == XR_ARMED;
    bool ends = xr->state == XR_ENDING || xr->state == XR_FAILED;
    ret->present = xr->session_id[0] != '\0';
    ret->action = arms ? XR_ACTION_ARM : XR_ACTION_KEEP;
    /* When it was asked for is the lease's: `since` is a clock, which an outage moves. */
    if (ends && (lease == NULL ? !t->boot_mode : may_terminate(t, lease->why, lease->changed_at)))
        ret->action = XR_ACTION_END;
    ret->state = xr->state;
    HC_SET(ret->session_id, xr->session_id);
    HC_SET(ret->experience, xr->experience);
    HC_SET(ret->client_hostname, xr->client_hostname);
    HC_SET(ret->client_ip, xr->client_ip);
}

static bool boot_mode(const struct core_view *v, const char *body_id)
{
    const struct node_rec *node = alloc_node(v->saved, body_id);
    const struct district_rec *district = node == NULL ? NULL : alloc_district(v->saved, node->district);
    return district != NULL && district->safe_mode == SAFE_BOOT;
}

enum hc_err query_directive(const struct core_view *v, const char *body_id, struct hc_arena *arena, struct directive *ret)
{
    const struct body_rec *body = alloc_body(v->saved, body_id);
    if (body == NULL)
        return HC_ERR_NOTFOUND;
    struct table t = { v, body, observed_body(v->obs, body_id), arena, boot_mode(v, body_id) };
    struct directive made = { .enforce = body->enforce, .maintenance = body->maintenance, .next_report_ms = REPORT_IDLE_MS };
    made.modern = t.obs != NULL && hc_time_set(t.obs->reported_at) ? t.obs->modern : body->boot_id[0] != '\0';
    made.slots = hc_arena_array(arena, body->slot_count + 1, sizeof made.slots[0]);
    if (made.slots == NULL)
        return HC_ERR_NOMEM;
    for (uint32_t i = 0; i < body->slot_count; i++) {
        if (slot_gone(body, i))
            continue;
        struct directive_slot *row = &made.slots[made.slot_count++];
        enum hc_err err = fill_slot(&t, made.modern, i, row);
        if (err != HC_OK)
            return err;
        if (made.slot_count == 1 || row->epoch < made.epoch_floor)
            made.epoch_floor = row->epoch;             /* nothing that we send is below it */
        if (row->action != ACTION_FREE)
            made.next_report_ms = REPORT_BUSY_MS;
    }
    enum hc_err err = trust_fill(v, body, t.obs, arena, &made);
    if (err != HC_OK)
        return err;
    fill_xr(&t, &made.xr);
    if (made.xr.present)
        made.next_report_ms = REPORT_BUSY_MS;
    bool streams = t.obs != NULL && !t.obs->modern && t.obs->stream_status == STATUS_STREAMING;
    made.terminate_stream = streams && !made.modern && made.slot_count > 0 && made.slots[0].index == 0 &&
        made.slots[0].action == ACTION_TERMINATE;
    *ret = made;
    return HC_OK;
}
