/* admit_observed.c - a body asks at the hook about a client that arrived without a lease that it knows (rules §10.6): the same decision,
 * made for it here. */
#include <string.h>

#include "core.h"

static const char *known_head(const struct alloc *live, const char *head_id)
{
    const struct node_rec *node = head_id[0] == '\0' ? NULL : alloc_node(live, head_id);
    return node != NULL && (node->roles & ROLE_HEAD) != 0 ? node->rec.key : "";
}

static const char *head_by_token(const struct alloc *live, const struct body_rec *body, const char *token)
{
    for (size_t i = 0; token[0] != '\0' && i < body->slot_count; i++)
        for (size_t k = body->slots[i].lease_count; k > 0; k--)
            if (strcmp(body->slots[i].leases[k - 1].app_token, token) == 0)
                return known_head(live, body->slots[i].leases[k - 1].head_id);
    return "";
}

/* Under a shared identity one uuid belongs to several heads: then it names nobody. */
static const char *head_by_uuid(const struct alloc *live, const char *uuid)
{
    const char *found = "";
    for (size_t b = 0; uuid[0] != '\0' && b < alloc_count(live, REC_BODY); b++) {
        const struct body_rec *body = (const struct body_rec *)alloc_at(live, REC_BODY, b);
        for (size_t i = 0; i < body->slot_count; i++)
            for (size_t k = 0; k < body->slots[i].lease_count; k++) {
                const struct lease *lease = &body->slots[i].leases[k];
                const char *head = strcmp(lease->sunshine_client_uuid, uuid) == 0 ? known_head(live, lease->head_id) : "";
                if (head[0] != '\0' && found[0] != '\0' && strcmp(head, found) != 0)
                    return "";
                found = head[0] != '\0' ? head : found;
            }
    }
    return found;
}

static const char *head_of_client(const struct step *s, const struct body_rec *body, const struct session_obs *seen)
{
    const char *head = head_by_token(s->live, body, app_token_of(seen->app));
    if (head[0] == '\0')
        head = known_head(s->live, session_head(seen));
    return head[0] == '\0' ? head_by_uuid(s->live, seen->client_uuid) : head;
}

static bool live_session(const struct step *s, const char *body_id, uint32_t slot)
{
    const struct body_obs *obs = observed_body(s->obs, body_id);
    size_t at = 0;
    for (const struct session_obs *seen; obs != NULL && (seen = session_next(obs, slot, &at)) != NULL;)
        if (session_live(seen))
            return true;
    return false;
}

static enum hc_err held(struct step *s, const struct lease *lease)
{
    if (lease != NULL) {
        s->out->lease = *lease;
        s->out->has_lease = true;
    }
    return step_refuse(s, DENY_SLOT_HELD);
}

/* The head for whom a free slot is promised or kept counts as its holder. */
static enum hc_err held_for(struct step *s, const char *head_id)
{
    struct lease nobody = { 0 };
    HC_SET(nobody.head_id, head_id);
    const struct ticket_rec *ticket = head_id[0] == '\0' ? NULL : alloc_ticket(s->live, head_id);
    if (ticket != NULL)
        HC_SET(nobody.device_uid, ticket->device_uid);
    return held(s, &nobody);
}

static const struct ticket_rec *promised_to(const struct step *s, const struct slot *slot)
{
    if (slot->promise_ticket_id[0] == '\0' || hc_time_due(slot->promise_until, s->now))
        return NULL;
    for (size_t i = 0; i < alloc_count(s->live, REC_TICKET); i++) {
        const struct ticket_rec *ticket = (const struct ticket_rec *)alloc_at(s->live, REC_TICKET, i);
        if (hc_same(ticket->id, slot->promise_ticket_id))
            return ticket;
    }
    return NULL;
}

/* The lease lives on with what the body has told about its client. */
static enum hc_err admitted(struct step *s, const char *body_id, const char *lease_id_given, const struct session_obs *seen)
{
    char lease_id[HC_ID_SIZE];
    HC_SET(lease_id, lease_id_given);
    struct body_rec *body = step_edit_body(s, body_id);
    if (body == NULL)
        return HC_ERR_NOMEM;
    struct lease *lease = lease_in(body, lease_id, NULL);
    if (seen->client_uuid[0] != '\0')
        HC_SET(lease->sunshine_client_uuid, seen->client_uuid);
    if (seen->launch_id[0] != '\0')
        HC_SET(lease->launch_id, seen->launch_id);
    return answer_lease(s, ANSWER_LEASE_NEW, lease_id, false);
}

static enum hc_err admit_free(struct step *s, const struct body_rec *body, const struct slot *slot, const struct session_obs *seen,
                              const char *head)
{
    const struct core_view view = step_view(s);
    const struct ticket_rec *promised = promised_to(s, slot);
    if (promised != NULL && !hc_same(promised->rec.key, head))
        return held_for(s, promised->rec.key);
    char token_app[HC_NAME_SIZE] = "";
    const char *token = app_token_of(seen->app);
    size_t len = token[0] == '\0' ? strlen(seen->app) : (size_t)(token - seen->app) - 1;
    if (len <= HC_NAME_MAX)
        memcpy(token_app, seen->app, len);
    const struct ticket_rec *ticket = head[0] == '\0' ? NULL : alloc_ticket(s->live, head);
    struct seeker who = { .head_id = head, .experience = token_app, .ticket_id = ticket == NULL ? "" : ticket->id, .mode = MODE_FLAT,
                          .protocol = 1, .created_at = ticket == NULL ? s->now : ticket->created_at };
    if (promised == NULL && queue_kept_for_older(&view, body, slot->index, &who))
        return held_for(s, "");
    if (session_refused(&view, body, slot->index, seen) != NULL || slot->lease_count >= SLOT_LEASES_MAX)
        return held_for(s, "");
    char body_id[HC_ID_SIZE], lease_id[HC_ID_SIZE];
    HC_SET(body_id, body->rec.key);
    enum hc_err err = lease_adopt(s, body_id, slot->index, seen, head, NULL, lease_id);
    return err == HC_OK ? answer_lease(s, ANSWER_LEASE_NEW, lease_id, false) : err;
}

enum hc_err on_admit_observed(struct step *s)
{
    const struct admit_req *req = &s->ev->u.admit;
    const struct body_rec *body = alloc_body(s->live, req->body_id);
    if (body == NULL)
        return step_refuse(s, DENY_NOT_FOUND);
    if (req->slot >= body->slot_count)
        return step_bad(s, "slot", "The body has no such slot.");
    if (!s->ev->store_ok)
        return step_refuse(s, DENY_STORE);
    struct session_obs seen = { .index = req->slot, .state = SESSION_STARTING, .since_ms = -1 };
    HC_SET(seen.client_uuid, req->client_uuid);
    HC_SET(seen.client_name, req->named_cert_name);
    HC_SET(seen.launch_id, req->launch_id);
    HC_SET(seen.app, req->app_name);
    char head[HC_ID_SIZE];
    HC_SET(head, head_of_client(s, body, &seen));
    const struct slot *slot = &body->slots[req->slot];
    const struct lease *lease = slot_live_lease(slot);
    if (lease == NULL)
        return admit_free(s, body, slot, &seen, head);
    bool ends = lease->state == LEASE_DRAINING || lease->left_behind;
    if (lease->mode == MODE_XR)
        return held(s, lease);                     /* whoever launches there, it is no part of it */
    if (head[0] != '\0' && hc_same(lease->head_id, head) && !ends)
        return admitted(s, req->body_id, lease->id, &seen);
    bool same = lease->launch_id[0] != '\0' && hc_same(lease->launch_id, seen.launch_id);
    if (lease->head_id[0] == '\0' && !ends && (same || !live_session(s, req->body_id, req->slot))) {
        char lease_id[HC_ID_SIZE];
        HC_SET(lease_id, lease->id);
        bool done = false;                         /* an adopted lease whose head is not known: now it may be */
        enum hc_err err = head[0] == '\0' ? HC_OK : adopted_attribute(s, lease_id, head, &done);
        return err == HC_OK ? admitted(s, req->body_id, lease_id, &seen) : err;
    }
    bool idle = lease_is_pre_stream(lease->state) || !live_session(s, req->body_id, req->slot);
    if (head[0] == '\0' && lease->protocol < 2 && !ends && idle)
        return admitted(s, req->body_id, lease->id, &seen);
    return held(s, lease);
}
