/* slots_put.c - an admin's settings of a body: slots, enforcement, maintenance, reserve. */
#include <string.h>

#include "core.h"

bool slot_gone(const struct body_rec *body, uint32_t slot)
{
    return (body->deleted || slot >= body->slots_total) && (slot >= body->slot_count || slot_live_lease(&body->slots[slot]) == NULL);
}

/* A slot's memory may go once the file's generation has passed its epoch: one that is added again later starts above it (§6.1). */
static bool may_drop(const struct alloc *live, const struct slot *slot)
{
    return slot->lease_count == 0 && slot->epoch <= live->generation && slot->max_epoch_seen <= live->generation;
}

static enum hc_err add_slots(struct step *s, struct body_rec *body)
{
    struct slot *slots = hc_realloc(body->slots, body->slots_total * sizeof slots[0]);
    if (slots == NULL)
        return HC_ERR_NOMEM;
    bool first = body->slot_count == 0;
    memset(&slots[body->slot_count], 0, (body->slots_total - body->slot_count) * sizeof slots[0]);
    body->slots = slots;
    for (size_t i = body->slot_count; i < body->slots_total; i++) {
        slots[i].index = (uint32_t)i;
        slots[i].epoch = first ? 0 : s->live->generation;
    }
    body->slot_count = body->slots_total;
    return HC_OK;
}

enum hc_err slots_shape(struct step *s, const char *body_id)
{
    const struct body_rec *body = alloc_body(s->live, body_id);
    if (body == NULL)
        return HC_OK;
    size_t count = body->slot_count, keep = count;
    while (keep > body->slots_total && may_drop(s->live, &body->slots[keep - 1]))
        keep--;
    if (keep == count && keep >= body->slots_total)
        return HC_OK;
    struct body_rec *edit = step_edit_body(s, body_id);
    if (edit == NULL)
        return HC_ERR_NOMEM;
    edit->slot_count = keep;
    for (size_t i = keep; i < count; i++)
        hc_free(edit->slots[i].leases);
    return keep < edit->slots_total ? add_slots(s, edit) : HC_OK;
}

/* §10.7: a full operating day without unauthorized_launch outside expected_legacy. */
static bool enforce_ready(const struct step *s, const struct body_rec *body)
{
    int64_t need_ms = s->t->enforce_observation_ms;
    if (!hc_time_set(body->observing_since) || hc_time_since(s->now, body->observing_since) < need_ms)
        return false;
    return !hc_time_set(body->last_unauthorized_at) || hc_time_since(s->now, body->last_unauthorized_at) >= need_ms;
}

static enum hc_err put_maintenance_clients(struct body_rec *body, const struct slots_req *req)
{
    struct strings *made = req->maintenance_client_count == 0 ? NULL : strings_new(req->maintenance_clients, req->maintenance_client_count);
    if (made == NULL && req->maintenance_client_count > 0)
        return HC_ERR_NOMEM;
    strings_unref(body->maintenance_clients);
    body->maintenance_clients = made;
    return HC_OK;
}

static bool refused(struct step *s, const struct slots_req *req, const struct body_rec *body)
{
    if (body == NULL || body->deleted)
        return step_refuse(s, DENY_NOT_FOUND) == HC_OK;
    if (!s->ev->store_ok)
        return step_refuse(s, DENY_STORE) == HC_OK;
    if (req->slots_total.set && (req->slots_total.value == 0 || req->slots_total.value > BODY_SLOTS_MAX))
        return step_bad(s, "slots_total", "A body has 1 to 16 slots.") == HC_OK;
    if (req->home_venue_reserve.set && (req->home_venue_reserve.value < RESERVE_AUTO || req->home_venue_reserve.value > BODY_SLOTS_MAX))
        return step_bad(s, "home_venue_reserve", "The reserve is a number of slots or auto.") == HC_OK;
    if (req->maintenance_client_count > MAINTENANCE_CLIENTS_MAX)
        return step_bad(s, "maintenance_clients", "At most 16 clients are let in beside the lease's.") == HC_OK;
    bool turns_on = req->set_enforce && req->enforce == ENFORCE_ENFORCE && body->enforce != ENFORCE_ENFORCE;
    if (turns_on && !req->force && !enforce_ready(s, body))
        return step_refuse(s, DENY_ENFORCE_NOT_READY) == HC_OK;
    return false;
}

enum hc_err on_slots_put(struct step *s)
{
    const struct slots_req *req = &s->ev->u.slots;
    const struct body_rec *known = alloc_body(s->live, req->body_id);
    if (refused(s, req, known))
        return HC_OK;
    struct body_rec *body = step_edit_body(s, req->body_id);
    if (body == NULL)
        return HC_ERR_NOMEM;
    if (req->slots_total.set)
        body->slots_total = req->slots_total.value;
    if (req->set_enforce && body->enforce != req->enforce) {
        body->enforce = req->enforce;
        if (req->enforce == ENFORCE_OBSERVE)
            body->observing_since = s->now;
    }
    if (req->home_venue_reserve.set)
        body->home_venue_reserve = req->home_venue_reserve.value;
    bool undrained = false;
    if (req->maintenance.set) {
        body->maintenance = req->maintenance.value;
        body->drain_cordoned = false;     /* the admin's own word now: an undo of the drain leaves it */
        undrained = !body->maintenance && hc_time_set(body->drain_deadline_at);
        if (undrained)
            body->drain_deadline_at = HC_TIME_NEVER;       /* a drain is a cordon: lifted, there is none */
    }
    enum hc_err err = req->set_maintenance_clients ? put_maintenance_clients(body, req) : HC_OK;
    if (err == HC_OK)
        err = slots_shape(s, req->body_id);
    const struct node_rec *node = alloc_node(s->live, req->body_id);
    if (err == HC_OK && node != NULL)
        err = step_queue_changed(s, node->district);
    if (err == HC_OK && undrained)
        err = step_note(s, NOTE_DRAIN_UNDONE, req->body_id, -1, NULL, "", "%s", "maintenance ended");
    return err != HC_OK ? err : step_note(s, NOTE_NODE_CHANGED, req->body_id, -1, NULL, "", "%s", "slots");
}
