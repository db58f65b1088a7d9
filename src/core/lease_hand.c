/* lease_hand.c - the operator's hand on a lease, and the history that lets go of ended ones. */
#include <string.h>

#include "core.h"

static void tell_reason(struct step *s, size_t from, const char *reason)
{
    for (size_t i = from; i < s->out->note_count; i++) {
        struct core_note *note = &s->out->notes[i];
        if (reason[0] == '\0' || (note->type != NOTE_LEASE_ENDED && note->type != NOTE_LEASE_DRAINING))
            continue;
        size_t used = strlen(note->detail), room = sizeof note->detail - 1 - used, want = strlen(reason);
        if (room <= want + 2)
            continue;                              /* the reason is for people; the event stands without it */
        memcpy(note->detail + used, ": ", 2);
        memcpy(note->detail + used + 2, reason, want + 1);
    }
}

enum hc_err on_lease_end(struct step *s)
{
    const struct lease_end_req *req = &s->ev->u.lease_end;
    const struct lease *lease = alloc_lease(s->live, req->lease_id, NULL, NULL);
    if (lease == NULL)
        return step_refuse(s, DENY_NOT_FOUND);
    if (!s->ev->store_ok)
        return step_refuse(s, DENY_STORE);
    HC_SET(s->out->id, req->lease_id);
    size_t notes = s->out->note_count;
    enum hc_err err = HC_OK;
    if (!lease_is_terminal(lease->state))
        err = req->revoke ? lease_event(s, req->lease_id, LEV_REVOKE, WHY_OPERATOR_REVOKE, FATE_BY_WHY)
                          : lease_release(s, req->lease_id, WHY_OPERATOR_RELEASE, FATE_BY_WHY);
    if (err != HC_OK)
        return err;
    tell_reason(s, notes, req->reason == NULL ? "" : req->reason);
    return answer_lease(s, ANSWER_DONE, req->lease_id, false);
}

static enum hc_err forget_lease(struct step *s, const char *lease_id)
{
    const struct lease *known = alloc_lease(s->live, lease_id, NULL, NULL);
    if (known == NULL || !lease_is_terminal(known->state))
        return HC_OK;
    char body_id[HC_ID_SIZE];
    HC_SET(body_id, alloc_lease_body(s->live, lease_id));
    struct body_rec *body = step_edit_body(s, body_id);
    if (body == NULL)
        return HC_ERR_NOMEM;
    struct slot *slot = NULL;
    struct lease *lease = lease_in(body, lease_id, &slot);
    size_t at = (size_t)(lease - slot->leases), behind = slot->lease_count - at - 1;
    memmove(lease, lease + 1, behind * sizeof *lease);
    slot->lease_count--;
    return alloc_reindex(s->live, REC_BODY, body_id);
}

enum hc_err on_history_written(struct step *s)
{
    const struct history_req *req = &s->ev->u.history;
    enum hc_err err = HC_OK;
    for (size_t i = 0; i < req->count && err == HC_OK; i++)
        err = forget_lease(s, req->lease_ids[i]);
    return err;
}
