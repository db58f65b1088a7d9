/* node_delete.c - a node leaves. A body that still serves drains first and goes with its last lease. Its record
 * stays until the history of its leases is written, so that no ended lease is lost and no epoch comes again. */
#include "core.h"

#define HEAD_LEASES_MAX 64

static enum hc_err end_lease(struct step *s, const char *named)
{
    char lease_id[HC_ID_SIZE];
    HC_SET(lease_id, named);
    const struct lease *lease = alloc_lease(s->live, lease_id, NULL, NULL);
    if (lease == NULL || lease_is_terminal(lease->state) || lease->state == LEASE_DRAINING)
        return HC_OK;
    if (lease->state == LEASE_STREAMING || lease->state == LEASE_ADOPTED)
        return lease_event(s, lease_id, LEV_DRAIN, WHY_NODE_DELETED, FATE_BY_WHY);
    return lease_release(s, lease_id, WHY_NODE_DELETED, FATE_BY_WHY);
}

static size_t served_leases(const struct body_rec *body, const char *ids[BODY_SLOTS_MAX])
{
    size_t count = 0;
    for (size_t i = 0; body != NULL && i < body->slot_count; i++) {
        const struct lease *lease = slot_live_lease(&body->slots[i]);
        if (lease != NULL)
            ids[count++] = lease->id;
    }
    return count;
}

static enum hc_err end_leases(struct step *s, const char *const *ids, size_t count)
{
    enum hc_err err = HC_OK;
    for (size_t i = 0; i < count && err == HC_OK; i++)
        err = end_lease(s, ids[i]);
    return err;
}

static enum hc_err leave_as_head(struct step *s, const char *node_id)
{
    const char *held[HEAD_LEASES_MAX];
    enum hc_err err = end_leases(s, held, alloc_head_leases(s->live, node_id, held, HEAD_LEASES_MAX));
    const char *stream = err == HC_OK ? alloc_head_stream(s->live, node_id) : NULL;
    if (stream != NULL)
        err = stream_end(s, stream, STREAM_WHY_NODE_DELETED);
    s->rights_changed = true;
    if (err == HC_OK)
        err = pairs_leave(s, node_id, "its head has gone");
    return err == HC_OK ? ticket_drop(s, node_id) : err;
}

/* The node's own record, and what is observed of it. */
static enum hc_err drop_node(struct step *s, const char *node_id)
{
    const struct node_rec *node = alloc_node(s->live, node_id);
    bool is_body = (node->roles & ROLE_BODY) != 0;
    enum hc_err err = step_note(s, NOTE_NODE_DELETED, is_body ? node_id : "", -1, NULL, is_body ? "" : node_id, "%s", node->name);
    char district[HC_NAME_SIZE];
    HC_SET(district, node->district);
    if (err == HC_OK)
        err = identity_node_gone(s, node_id);
    if (err == HC_OK)
        err = alloc_remove(s->live, REC_NODE, node_id);
    if (err != HC_OK || s->ev->dry_run)
        return err;
    observed_remove(s->obs, OBS_NODE, node_id);
    return step_queue_changed(s, district);
}

static bool has_leases(const struct body_rec *body)
{
    for (size_t i = 0; i < body->slot_count; i++)
        if (body->slots[i].lease_count > 0)
            return true;
    return false;
}

enum hc_err node_bury(struct step *s, const char *body_id)
{
    const struct body_rec *body = alloc_body(s->live, body_id);
    const char *live[BODY_SLOTS_MAX];
    /* A record that nodes.yaml lacks is kept while a lease is on it, no longer (rules §3.1). */
    bool orphan = alloc_node(s->live, body_id) == NULL;
    if (body == NULL || (!body->deleted && !orphan) || served_leases(body, live) > 0)
        return HC_OK;
    enum hc_err err = alloc_node(s->live, body_id) == NULL ? HC_OK : drop_node(s, body_id);
    if (err != HC_OK || has_leases(body))
        return err;
    if (!s->ev->dry_run)
        observed_remove(s->obs, OBS_BODY, body_id);
    return alloc_remove(s->live, REC_BODY, body_id);
}

enum hc_err on_node_delete(struct step *s)
{
    const struct node_delete_req *req = &s->ev->u.node_delete;
    const struct node_rec *node = alloc_node(s->live, req->node_id);
    if (node == NULL)
        return step_refuse(s, DENY_NOT_FOUND);
    if (!s->ev->store_ok)
        return step_refuse(s, DENY_STORE);
    const char *served[BODY_SLOTS_MAX], *held[1];
    size_t served_count = served_leases(alloc_body(s->live, req->node_id), served);
    if (!req->force && (served_count > 0 || alloc_head_leases(s->live, req->node_id, held, 1) > 0))
        return step_refuse(s, DENY_NODE_HAS_LEASE);
    HC_SET(s->out->id, req->node_id);
    HC_SET(s->out->name, node->name);
    enum hc_err err = leave_as_head(s, req->node_id);
    if (err != HC_OK)
        return err;
    if (alloc_body(s->live, req->node_id) == NULL)
        return drop_node(s, req->node_id);
    served_count = served_leases(alloc_body(s->live, req->node_id), served);
    err = end_leases(s, served, served_count);
    if (err != HC_OK)
        return err;
    struct body_rec *body = step_edit_body(s, req->node_id);
    if (body == NULL)
        return HC_ERR_NOMEM;
    body->maintenance = true;             /* nothing is granted there any more */
    body->deleted = true;
    return node_bury(s, req->node_id);
}
