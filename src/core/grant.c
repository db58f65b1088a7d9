/* grant.c - a lease comes into being: granted to a head that asked (§6.1, §6.2), or adopted from a session that a body shows (§10.1). */
#include <assert.h>
#include <string.h>

#include "xr.h"

uint64_t epoch_above(uint64_t epoch)
{
    return epoch < HC_EPOCH_MAX ? epoch + 1 : HC_EPOCH_MAX;
}

uint64_t epoch_next(const struct alloc *live, const struct slot *slot, const struct body_obs *obs)
{
    uint64_t epoch = slot->epoch > slot->max_epoch_seen ? slot->epoch : slot->max_epoch_seen;
    if (obs != NULL && slot->index < obs->max_epoch_count && obs->max_epoch_seen[slot->index] > epoch)
        epoch = obs->max_epoch_seen[slot->index];
    return epoch_above(epoch > live->generation ? epoch : live->generation);
}

/* Room for one more lease at the end of the slot's list, zeroed. NULL: no memory. */
static struct lease *lease_append(struct slot *slot)
{
    assert(slot->lease_count < SLOT_LEASES_MAX);
    struct lease *leases = hc_realloc(slot->leases, (slot->lease_count + 1) * sizeof leases[0]);
    if (leases == NULL)
        return NULL;
    slot->leases = leases;
    struct lease *lease = &leases[slot->lease_count++];
    *lease = (struct lease){ .mode = MODE_FLAT };
    return lease;
}

static void grant_clocks(struct step *s, struct lease *lease, bool promoted)
{
    const struct timers *t = s->t;
    int64_t start_ms = lease->protocol >= 2 ? t->start_deadline_ms : t->start_deadline_legacy_ms;
    int64_t hold_ms = lease->quest ? t->soft_hold_quest_ms : t->soft_hold_initial_ms;
    lease->granted_at = lease->renewed_at = lease->head_renewed_at = s->now;
    if (promoted) {
        lease->uncollected = true;            /* its own clocks start when it is collected (§7.2) */
        lease->expires_at = hc_time_add(s->now, t->collect_window_ms);
        return;
    }
    if (lease->mode == MODE_XR) {             /* armed in time, or failed; its head's silence ends it otherwise */
        lease->start_deadline_at = hc_time_add(s->now, t->xr_arm_ms);
        return;
    }
    lease->start_deadline_at = hc_time_add(s->now, start_ms);
    lease->expires_at = hc_time_add(s->now, lease->source == SOURCE_IMPLICIT ? hold_ms : t->lease_ttl_ms);
    lease->expires_at = hc_time_earlier(lease->expires_at, lease->start_deadline_at);
}

static void grant_facts(struct step *s, const struct grant *grant, const struct slot *slot, struct lease *lease)
{
    const struct node_rec *head = alloc_node(s->live, grant->head_id);
    step_id(s, "lse", lease->id);
    lease_born(lease, grant->source == SOURCE_IMPLICIT ? LEASE_HELD : LEASE_GRANTED, s->now);
    lease->source = grant->source;
    lease->mode = grant->mode;
    lease->protocol = grant->protocol;
    lease->quest = grant->source == SOURCE_IMPLICIT && head != NULL && node_is_quest(head);
    lease->grant_epoch = slot->epoch;
    HC_SET(lease->head_id, grant->head_id);
    HC_SET(lease->experience, grant->experience);
    HC_SET(lease->device_uid, grant->device_uid == NULL ? "" : grant->device_uid);
    HC_SET(lease->attempt_id, grant->attempt_id == NULL ? "" : grant->attempt_id);
    HC_SET(lease->attempt_digest, grant->attempt_digest == NULL ? "" : grant->attempt_digest);
    HC_SET(lease->sunshine_client_uuid, grant->client_uuid == NULL ? "" : grant->client_uuid);
    step_hex(s, "app token", APP_TOKEN_SIZE - 1, lease->app_token);
    grant_facts_of(s, grant, slot, lease->grant_facts);
    grant_clocks(s, lease, grant->promoted);
    char token[CLAIM_TOKEN_SIZE];
    claim_token(s->live->config, lease, token);
    token_digest(token, lease->token_hash);
}

static enum hc_err note_grant(struct step *s, const char *body_id, uint32_t slot, const char *lease_id, int64_t waited_ms, int64_t eta_ms)
{
    const struct lease *lease = alloc_lease(s->live, lease_id, NULL, NULL);
    assert(lease != NULL);
    enum hc_err err = step_note(s, NOTE_LEASE_GRANTED, body_id, (int32_t)slot, lease, "", "%s", lease->experience);
    if (err != HC_OK)
        return err;
    struct core_note *note = step_last_note(s);
    note->waited_ms = waited_ms;
    note->eta_ms = eta_ms;
    if (note->head_venue[0] == '\0' || note->venue[0] == '\0' || hc_same(note->head_venue, note->venue))
        return HC_OK;
    return step_note(s, NOTE_CROSS_VENUE_GRANT, body_id, (int32_t)slot, lease, "", "%s", lease->experience);
}

static enum hc_err bind_stream(struct step *s, const struct grant *grant, const char *lease_id)
{
    char stream_id[HC_ID_SIZE] = "";
    const char *known = grant->stream_id != NULL && grant->stream_id[0] != '\0' ? grant->stream_id : NULL;
    enum hc_err err = HC_OK;
    if (known != NULL)
        HC_SET(stream_id, known);
    else
        err = stream_new(s, grant->head_id, grant->experience, grant->protocol, stream_id);
    return err == HC_OK ? stream_bound(s, stream_id, lease_id) : err;
}

enum hc_err lease_grant(struct step *s, const struct grant *grant, char ret_lease_id[HC_ID_SIZE])
{
    assert(s->ev->store_ok && grant->head_id[0] != '\0' && grant->source != SOURCE_ADOPTED);
    char body_id[HC_ID_SIZE], lease_id[HC_ID_SIZE];
    HC_SET(body_id, grant->body_id);
    struct body_rec *body = step_edit_body(s, body_id);
    if (body == NULL)
        return HC_ERR_NOMEM;
    assert(grant->slot < body->slot_count);
    struct slot *slot = &body->slots[grant->slot];
    assert(slot_live_lease(slot) == NULL);                /* I1: the caller has asked slot_why_not_for() */
    if (slot->lease_count >= SLOT_LEASES_MAX)
        return HC_ERR_LIMIT;                              /* the history file has not been written for long */
    struct lease *lease = lease_append(slot);
    if (lease == NULL)
        return HC_ERR_NOMEM;
    slot->epoch = epoch_next(s->live, slot, observed_body(s->obs, body_id));
    grant_facts(s, grant, slot, lease);
    HC_SET(lease_id, lease->id);
    slot->promise_ticket_id[0] = '\0';
    slot->promise_until = HC_TIME_NEVER;
    if (body->circuit.state == CIRCUIT_HALF_OPEN)
        HC_SET(body->circuit.probe_lease_id, lease_id);
    const struct ticket_rec *ticket = alloc_ticket(s->live, grant->head_id);
    int64_t waited_ms = ticket == NULL ? -1 : hc_time_since(s->now, ticket->created_at), eta_ms = ticket == NULL ? -1 : ticket->eta_ms;
    enum hc_err err = pair_taken(s, body_id, grant->slot);
    if (err == HC_OK)
        err = bind_stream(s, grant, lease_id);
    if (err == HC_OK)
        err = ticket_drop(s, grant->head_id);
    if (err == HC_OK)
        err = note_grant(s, body_id, grant->slot, lease_id, waited_ms, eta_ms);
    if (err == HC_OK && grant->mode == MODE_XR && !grant->promoted)
        err = xr_begin(s, body_id, lease_id, grant->client_ip);
    if (err == HC_OK)
        hc_copy(ret_lease_id, HC_ID_SIZE, lease_id);
    return err;
}

/* Facts of an adopted lease before it belongs to anybody. */
static void adopt_facts(struct step *s, const struct slot *slot, const struct session_obs *seen, const struct ghost *ghost,
                        struct lease *lease)
{
    step_id(s, "lse", lease->id);
    lease_born(lease, LEASE_ADOPTED, s->now);
    lease->source = SOURCE_ADOPTED;
    lease->protocol = ghost != NULL ? ghost->protocol : 1;
    lease->grant_epoch = slot->epoch;
    lease->granted_at = lease->renewed_at = lease->head_renewed_at = lease->streaming_at = s->now;
    HC_SET(lease->launch_id, seen->launch_id);
    HC_SET(lease->sunshine_client_uuid, seen->client_uuid);
    if (ghost != NULL) {
        HC_SET(lease->experience, ghost->experience);
        HC_SET(lease->app_token, ghost->app_token);      /* the app that runs there carries it */
        HC_SET(lease->token_hash, ghost->token_hash);    /* `renew` on the old id must find its way (§6.2.4) */
        return;
    }
    const char *token = app_token_of(seen->app);
    HC_SET(lease->app_token, token);
    size_t len = token[0] == '\0' ? strlen(seen->app) : (size_t)(token - seen->app) - 1;
    if (len > HC_NAME_MAX)
        return;                                           /* no experience has such a name */
    memcpy(lease->experience, seen->app, len);
    lease->experience[len] = '\0';
}

static enum hc_err give_back(struct step *s, const char *lease_id, const char *head_id, const char *stream_id)
{
    bool done = false;
    const struct stream_rec *stream = stream_id[0] == '\0' ? NULL : alloc_stream(s->live, stream_id);
    const char *current = alloc_head_stream(s->live, head_id);
    /* An ended stream lives on when its head has begun no other. */
    if (stream == NULL || (current != NULL && !hc_same(current, stream_id)))
        return adopted_attribute(s, lease_id, head_id, &done);
    enum hc_err err = HC_OK;
    if (stream->state == STREAM_ENDED) {
        struct stream_rec *again = (struct stream_rec *)alloc_edit(s->live, REC_STREAM, stream_id);
        if (again == NULL)
            return HC_ERR_NOMEM;
        again->state = STREAM_SEEKING;
        again->why = STREAM_WHY_NONE;
        again->ended_at = HC_TIME_NEVER;
        err = alloc_reindex(s->live, REC_STREAM, stream_id);
    }
    return err == HC_OK ? adopted_attribute(s, lease_id, head_id, &done) : err;
}

enum hc_err lease_adopt(struct step *s, const char *body_id, uint32_t slot_index, const struct session_obs *seen, const char *head_id,
                        const struct ghost *ghost_given, char ret_lease_id[HC_ID_SIZE])
{
    assert(s->ev->store_ok);
    char body_key[HC_ID_SIZE], head[HC_ID_SIZE], lease_id[HC_ID_SIZE], stream_id[HC_ID_SIZE] = "";
    HC_SET(body_key, body_id);
    struct ghost ghost = ghost_given != NULL ? *ghost_given : (struct ghost){ 0 };
    HC_SET(head, ghost_given != NULL ? ghost.head_id : head_id);
    HC_SET(stream_id, ghost.stream_id);
    struct body_rec *body = step_edit_body(s, body_key);
    if (body == NULL)
        return HC_ERR_NOMEM;
    assert(slot_index < body->slot_count);
    struct slot *slot = &body->slots[slot_index];
    assert(slot_live_lease(slot) == NULL);
    if (slot->lease_count >= SLOT_LEASES_MAX)
        return HC_ERR_LIMIT;
    struct lease *lease = lease_append(slot);
    if (lease == NULL)
        return HC_ERR_NOMEM;
    slot->epoch = epoch_next(s->live, slot, observed_body(s->obs, body_key));
    adopt_facts(s, slot, seen, ghost_given != NULL ? &ghost : NULL, lease);
    HC_SET(lease_id, lease->id);
    for (size_t i = 0; i < slot->ghost_count; i++)
        if (ghost_given != NULL && hc_same(slot->ghosts[i].lease_id, ghost.lease_id))
            HC_SET(slot->ghosts[i].successor_id, lease_id);
    enum hc_err err = head[0] == '\0' ? HC_OK : give_back(s, lease_id, head, stream_id);
    if (err == HC_OK)
        err = step_note(s, NOTE_LEASE_ADOPTED, body_key, (int32_t)slot_index, alloc_lease(s->live, lease_id, NULL, NULL), "", "%s",
                        head[0] == '\0' ? "head unknown" : "head known");
    if (err == HC_OK)
        hc_copy(ret_lease_id, HC_ID_SIZE, lease_id);
    return err;
}
