/* reconcile.c - the one path behind every event and the tick: what is observed of a body, and what follows for its leases and its line. */
#include "evidence.h"
#include "safe_mode.h"
#include "xr.h"

/* Cheap and idempotent: a body about which nothing is new is read, not edited. */
static enum hc_err reconcile_slot(struct step *s, const char *body_id, uint32_t slot)
{
    enum hc_err err = evidence_epoch(s, body_id, slot);
    if (err == HC_OK)
        err = evidence_lease(s, body_id, slot);
    if (err == HC_OK)
        err = adopt_slot(s, body_id, slot);
    return err == HC_OK ? evidence_conflict(s, body_id, slot) : err;
}

enum hc_err reconcile_body(struct step *s, const char *body_id_given)
{
    if (!s->ev->store_ok)
        return HC_OK;                        /* reports are only facts until they can be acted on (§3.5) */
    char body_id[HC_ID_SIZE];
    HC_SET(body_id, body_id_given);          /* it may stand in a record that is edited */
    enum hc_err err = evidence_boot(s, body_id);
    if (err == HC_OK)
        err = xr_settle(s, body_id);
    for (uint32_t i = 0; err == HC_OK && i < BODY_SLOTS_MAX; i++) {
        const struct body_rec *body = alloc_body(s->live, body_id);
        if (body == NULL || i >= body->slot_count)
            break;
        err = reconcile_slot(s, body_id, i);
    }
    if (err == HC_OK && s->ev->type == CORE_HEARTBEAT)
        err = witness_check(s, s->ev->u.heartbeat.head_id);
    if (err == HC_OK)
        err = safe_mode_heard(s, body_id);
    if (err == HC_OK)
        err = slots_shape(s, body_id);
    if (err == HC_OK)
        err = node_bury(s, body_id);
    return err == HC_OK && alloc_body(s->live, body_id) != NULL ? queue_serve_body(s, body_id) : err;
}
