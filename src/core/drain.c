/* drain.c - rules §14: cordon a body, and after a deadline end what still streams there. */
#include "core.h"

#define DRAIN_DEADLINE_MAX_MS (7 * HC_DAY_MS)

/* Tickets that this body could have served: they wait for one body less. */
static bool ticket_touched(const struct step *s, const struct ticket_rec *ticket, const struct node_rec *body)
{
    const struct core_view view = step_view(s);
    const struct node_rec *head = alloc_node(s->live, ticket->rec.key);
    uint32_t never = eligible_why_not(&view, body, head, ticket->experience, ticket->mode) & ~(uint32_t)WHY_NOT_OFFLINE;
    return head != NULL && body->approval == APPROVAL_APPROVED && never == 0;
}

static enum hc_err list_leases(struct step *s, const struct body_rec *body, struct drain_facts *facts)
{
    const char **ids = hc_arena_array(&s->out->arena, body->slot_count + 1, sizeof ids[0]);
    if (ids == NULL)
        return HC_ERR_NOMEM;
    for (size_t i = 0; i < body->slot_count; i++) {
        const struct lease *lease = slot_live_lease(&body->slots[i]);
        if (lease == NULL)
            continue;
        ids[facts->lease_count] = hc_arena_strdup(&s->out->arena, lease->id);
        if (ids[facts->lease_count++] == NULL)
            return HC_ERR_NOMEM;
    }
    facts->lease_ids = ids;
    return HC_OK;
}

static enum hc_err list_tickets(struct step *s, const struct node_rec *node, struct drain_facts *facts)
{
    size_t count = node == NULL ? 0 : alloc_count(s->live, REC_TICKET);
    const char **ids = hc_arena_array(&s->out->arena, count + 1, sizeof ids[0]);
    if (ids == NULL)
        return HC_ERR_NOMEM;
    for (size_t i = 0; i < count; i++) {
        const struct ticket_rec *ticket = (const struct ticket_rec *)alloc_at(s->live, REC_TICKET, i);
        if (!ticket_touched(s, ticket, node))
            continue;
        ids[facts->ticket_count] = hc_arena_strdup(&s->out->arena, ticket->id);
        if (ids[facts->ticket_count++] == NULL)
            return HC_ERR_NOMEM;
    }
    facts->ticket_ids = ids;
    return HC_OK;
}

enum hc_err on_drain(struct step *s)
{
    const struct drain_req *req = &s->ev->u.drain;
    const struct body_rec *known = alloc_body(s->live, req->body_id);
    if (known == NULL || known->deleted)
        return step_refuse(s, DENY_NOT_FOUND);
    if (req->deadline_ms < 0 || req->deadline_ms > DRAIN_DEADLINE_MAX_MS)
        return step_bad(s, "deadline_seconds", "The deadline is 0 seconds to 7 days away.");
    if (!s->ev->store_ok && !s->ev->dry_run)
        return step_refuse(s, DENY_STORE);
    struct drain_facts *facts = &s->out->drain;
    s->out->answer = ANSWER_DRAIN;
    enum hc_err err = list_leases(s, known, facts);
    if (err == HC_OK)
        err = list_tickets(s, alloc_node(s->live, req->body_id), facts);
    if (err != HC_OK || s->ev->dry_run)
        return err;
    struct body_rec *body = step_edit_body(s, req->body_id);
    if (body == NULL)
        return HC_ERR_NOMEM;
    facts->armed = true;
    body->drain_cordoned = body->drain_cordoned || !body->maintenance;
    body->maintenance = true;
    body->drain_deadline_at = hc_time_add(s->now, req->deadline_ms);
    err = step_note(s, NOTE_DRAIN_ARMED, req->body_id, -1, NULL, "", "%lld s, %zu leases", (long long)(req->deadline_ms / HC_SECOND_MS),
                    facts->lease_count);
    return err == HC_OK ? drain_clock(s, req->body_id) : err;      /* a deadline of 0 is over */
}

enum hc_err on_undrain(struct step *s)
{
    const char *body_id = s->ev->u.body.body_id;
    const struct body_rec *known = alloc_body(s->live, body_id);
    if (known == NULL || known->deleted)
        return step_refuse(s, DENY_NOT_FOUND);
    if (!s->ev->store_ok)
        return step_refuse(s, DENY_STORE);
    if (!hc_time_set(known->drain_deadline_at))
        return HC_OK;
    struct body_rec *body = step_edit_body(s, body_id);
    if (body == NULL)
        return HC_ERR_NOMEM;
    body->drain_deadline_at = HC_TIME_NEVER;
    if (body->drain_cordoned)
        body->maintenance = false;
    body->drain_cordoned = false;
    const struct node_rec *node = alloc_node(s->live, body_id);
    enum hc_err err = node == NULL ? HC_OK : step_queue_changed(s, node->district);
    return err != HC_OK ? err : step_note(s, NOTE_DRAIN_UNDONE, body_id, -1, NULL, "", "%s", "undone");
}

enum hc_err drain_clock(struct step *s, const char *body_id)
{
    const struct body_rec *body = alloc_body(s->live, body_id);
    if (body == NULL || !s->ev->store_ok || !hc_time_due(body->drain_deadline_at, s->now))
        return HC_OK;
    char ids[BODY_SLOTS_MAX][HC_ID_SIZE];
    size_t count = 0;
    for (size_t i = 0; i < body->slot_count; i++) {
        const struct lease *lease = slot_live_lease(&body->slots[i]);
        bool streams = lease != NULL && (lease->state == LEASE_STREAMING || lease->state == LEASE_ADOPTED || lease->state == LEASE_UNKNOWN);
        if (streams)
            HC_SET(ids[count++], lease->id);
    }
    enum hc_err err = HC_OK;
    for (size_t i = 0; i < count && err == HC_OK; i++)
        err = lease_event(s, ids[i], LEV_REVOKE, WHY_DRAINED, FATE_BY_WHY);
    return err;
}
