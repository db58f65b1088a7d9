/* op_pin.c - a PIN is good as long as the right to it: it ends with the lease, the hold, the pair lease, the identity or the node under
 * which it was relayed (wire §2, rules §12.7). */
#include <string.h>

#include "op.h"

bool pin_relayed(const struct op_rec *op)
{
    size_t len = sizeof CLIENT_PREFIX - 1;
    return op->op == OP_SUBMIT_PIN && strncmp(op->name, CLIENT_PREFIX, len) == 0 && hc_same(op->name + len, op->asked_by);
}

bool pin_holds_there(const struct step *s, const char *head_id, const char *body_id)
{
    const struct body_rec *body = alloc_body(s->live, body_id);
    const char *lease_id = alloc_head_lease(s->live, head_id);
    if (body == NULL || body->deleted)
        return false;
    return (lease_id != NULL && hc_same(alloc_lease_body(s->live, lease_id), body_id)) || pair_of(body, head_id, s->now);
}

bool pin_lost(const struct step *s, const struct op_rec *op)
{
    if (!pin_relayed(op))
        return false;
    const struct node_rec *head = alloc_node(s->live, op->asked_by);
    const struct identity_rec *identity = alloc_identity(s->live, op->asked_by);
    bool known = head != NULL && head->approval == APPROVAL_APPROVED && (identity == NULL || !identity_banned(s->live, identity));
    return !known || !pin_holds_there(s, op->asked_by, op->node_id);
}

bool pin_on_its_way(const struct step *s, const char *node_id)
{
    for (size_t i = 0; i < alloc_count(s->live, REC_OP); i++) {
        const struct op_rec *op = (const struct op_rec *)alloc_at(s->live, REC_OP, i);
        if (op->op == OP_SUBMIT_PIN && op_pending(op, s->now) && hc_same(op->node_id, node_id))
            return true;
    }
    return false;
}

bool pairing_on(const struct step *s, const char *body_id)
{
    const struct body_rec *body = alloc_body(s->live, body_id);
    for (size_t i = 0; body != NULL && i < body->slot_count; i++)
        if (pair_held(&body->slots[i], s->now))
            return true;
    return pin_on_its_way(s, body_id);
}

/* One that was given is the agent's: Sunshine may have it by now, and what it says of it is the truth. One that ran out is the tick's. */
static bool ends(const struct step *s, const struct op_rec *op, bool all)
{
    return op_pending(op, s->now) && pin_relayed(op) && (all || pin_lost(s, op)) && observed_get(s->obs, OBS_OP, op->rec.key) == NULL;
}

static enum hc_err end_those(struct step *s, bool all, const char *why)
{
    enum hc_err err = HC_OK;
    for (size_t i = 0; i < alloc_count(s->live, REC_OP) && err == HC_OK; i++) {
        const struct op_rec *op = (const struct op_rec *)alloc_at(s->live, REC_OP, i);
        if (!ends(s, op, all))
            continue;
        char id[HC_ID_SIZE];
        HC_SET(id, op->rec.key);
        err = op_over(s, id, OP_FAILED, why);
    }
    return err;
}

enum hc_err pins_judge(struct step *s)
{
    s->rights_changed = false;
    return end_those(s, false, PIN_LOST);
}

enum hc_err pins_drop(struct step *s)
{
    return end_those(s, true, "the cluster stopped before the PIN was given");
}
