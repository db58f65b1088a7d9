/* witness.c - heads are witnesses too (rules §10.3): the incident's only trace was three heads that claimed one body. */
#include <string.h>

#include "core.h"

static bool speaks(const struct core_view *v, const struct node_obs *head)
{
    bool streaming = hc_same(head->status, "streaming") || hc_same(head->status, "streaming-xr");
    int64_t silence_ms = v->saved->config->timers.witness_silence_ms;
    return streaming && head->body_id[0] != '\0' && hc_time_set(head->beat_at) && hc_time_since(v->now, head->beat_at) <= silence_ms;
}

bool witness_slot(const struct core_view *v, const char *head_id, const char **ret_body_id, uint32_t *ret_slot)
{
    const struct node_obs *head = observed_node(v->obs, head_id);
    const struct body_rec *body = head == NULL || !speaks(v, head) ? NULL : alloc_body(v->saved, head->body_id);
    bool found = false;
    for (uint32_t i = 0; body != NULL && i < body->slot_count; i++) {
        const struct lease *lease = slot_live_lease(&body->slots[i]);
        if (lease == NULL)
            continue;
        if (lease->head_id[0] == '\0' || hc_same(lease->head_id, head_id))
            return false;                    /* its own, or one whose head is not known: that may be this one (§10.2) */
        if (found)
            continue;
        found = true;
        *ret_body_id = body->rec.key;
        *ret_slot = i;
    }
    return found;
}

enum hc_err witness_check(struct step *s, const char *head_id)
{
    const struct core_view view = step_view(s);
    const char *body_id;
    uint32_t slot;
    if (s->ev->dry_run || !witness_slot(&view, head_id, &body_id, &slot))
        return HC_OK;
    const struct node_obs *head = observed_node(s->obs, head_id);
    if (hc_time_set(head->witness_told_at) && !hc_time_before(head->witness_told_at, head->status_since))
        return HC_OK;
    const struct lease *lease = slot_live_lease(&alloc_body(s->live, body_id)->slots[slot]);
    enum hc_err err = step_note(s, NOTE_SLOT_CONFLICT, body_id, (int32_t)slot, lease, head_id, "%s", "says that it streams from here");
    struct node_obs *edit = err == HC_OK ? step_edit_node_obs(s, head_id) : NULL;
    if (edit == NULL)
        return err == HC_OK ? HC_ERR_NOMEM : err;
    edit->witness_told_at = s->now;
    return HC_OK;
}
