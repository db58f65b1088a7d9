/* adopt.c - a session without a recognised lease gets one, never an end (rules §10.1), and whom it belongs to (§10.2). */
#include <assert.h>
#include <string.h>

#include "evidence.h"

/* The report must be newer than the end of what was there before: a stale one would adopt what has just ended. */
static bool newer_than_ends(const struct slot *slot, const struct body_obs *obs)
{
    hc_time last = HC_TIME_NEVER;
    for (size_t i = 0; i < slot->lease_count; i++)
        last = hc_time_later(last, slot->leases[i].changed_at);
    for (size_t i = 0; i < slot->ghost_count; i++)
        last = hc_time_later(last, slot->ghosts[i].ended_at);
    return !hc_time_before(obs->reported_at, last);
}

static bool known_and_same(const char *a, const char *b)
{
    return a[0] != '\0' && strcmp(a, b) == 0;
}

/* §6.2.4: the ended lease whose session this is, by lease id, launch id or app token. */
static const struct ghost *ghost_of(const struct slot *slot, const struct session_obs *seen)
{
    for (size_t i = 0; i < slot->ghost_count; i++) {
        const struct ghost *ghost = &slot->ghosts[i];
        bool same = known_and_same(seen->lease_id, ghost->lease_id) || known_and_same(seen->launch_id, ghost->launch_id) ||
                    known_and_same(app_token_of(seen->app), ghost->app_token);
        if (!ghost->refused && same)
            return ghost;
    }
    return NULL;
}

/* A lease of this slot that has ended otherwise and whose history is not written yet may still name the head. */
static const char *head_of_ended(const struct slot *slot, const struct session_obs *seen)
{
    for (size_t i = slot->lease_count; i > 0; i--) {
        const struct lease *lease = &slot->leases[i - 1];
        if (known_and_same(seen->lease_id, lease->id) || known_and_same(app_token_of(seen->app), lease->app_token))
            return lease->head_id;
    }
    return "";
}

static bool is_head(const struct alloc *live, const char *node_id)
{
    const struct node_rec *node = node_id[0] == '\0' ? NULL : alloc_node(live, node_id);
    return node != NULL && (node->roles & ROLE_HEAD) != 0;
}

static bool says_streaming(const struct step *s, const struct node_obs *head)
{
    bool streaming = hc_same(head->status, "streaming") || hc_same(head->status, "streaming-xr");
    return streaming && hc_time_set(head->beat_at) && hc_time_since(s->now, head->beat_at) <= s->t->witness_silence_ms;
}

/* Its lease here was taken away: what it says is of the session that must go. */
static bool was_refused(const struct slot *slot, const char *head_id)
{
    for (size_t i = 0; i < slot->ghost_count; i++)
        if (slot->ghosts[i].refused && hc_same(slot->ghosts[i].head_id, head_id))
            return true;
    return false;
}

/* §10.2, the last two: heads without a lease that say they stream here. Only one of a kind settles it. */
static const char *head_by_heartbeat(const struct step *s, const char *body_id, const struct slot *slot)
{
    const char *named = "", *assigned = "";
    size_t named_count = 0, assigned_count = 0;
    for (size_t i = 0; i < observed_count(s->obs, OBS_NODE); i++) {
        const struct node_obs *head = (const struct node_obs *)observed_at(s->obs, OBS_NODE, i);
        if (!says_streaming(s, head) || !is_head(s->live, head->rec.key) || alloc_head_lease(s->live, head->rec.key) != NULL ||
            was_refused(slot, head->rec.key))
            continue;
        if (hc_same(head->body_id, body_id)) {
            named = head->rec.key;
            named_count++;
        } else if (head->body_id[0] == '\0' && hc_same(alloc_node(s->live, head->rec.key)->head_body_id, body_id)) {
            assigned = head->rec.key;
            assigned_count++;
        }
    }
    if (named_count > 0)
        return named_count == 1 ? named : "";
    return assigned_count == 1 ? assigned : "";
}

static const char *head_of_session(const struct step *s, const char *body_id, const struct slot *slot, const struct session_obs *seen)
{
    const char *by_name = session_head(seen), *by_lease = head_of_ended(slot, seen);
    if (is_head(s->live, by_lease))
        return by_lease;
    if (is_head(s->live, by_name))
        return by_name;
    return head_by_heartbeat(s, body_id, slot);
}

enum hc_err adopted_attribute(struct step *s, const char *lease_id_given, const char *head_id_given, bool *ret_done)
{
    char lease_id[HC_ID_SIZE], head_id[HC_ID_SIZE], body_id[HC_ID_SIZE], stream_id[HC_ID_SIZE] = "";
    HC_SET(lease_id, lease_id_given);
    HC_SET(head_id, head_id_given);
    *ret_done = false;
    const struct lease *lease = alloc_lease(s->live, lease_id, NULL, NULL);
    if (lease == NULL || lease->head_id[0] != '\0' || lease_is_terminal(lease->state) || !is_head(s->live, head_id) ||
        alloc_head_lease(s->live, head_id) != NULL)
        return HC_OK;                         /* a head holds one lease: what it left elsewhere stays without a head */
    HC_SET(body_id, alloc_lease_body(s->live, lease_id));
    struct body_rec *body = step_edit_body(s, body_id);
    if (body == NULL)
        return HC_ERR_NOMEM;
    struct lease *edit = lease_in(body, lease_id, NULL);
    HC_SET(edit->head_id, head_id);
    edit->head_renewed_at = s->now;
    uint32_t protocol = edit->protocol;
    char experience[HC_NAME_SIZE];
    HC_SET(experience, edit->experience);
    const char *current = alloc_head_stream(s->live, head_id);
    enum hc_err err = alloc_reindex(s->live, REC_BODY, body_id);
    if (current != NULL)
        HC_SET(stream_id, current);
    else if (err == HC_OK)
        err = stream_new(s, head_id, experience, protocol, stream_id);
    if (err == HC_OK)
        err = stream_bound(s, stream_id, lease_id);
    if (err == HC_OK)
        err = stream_live(s, stream_id);
    if (err == HC_OK)
        err = ticket_drop(s, head_id);
    *ret_done = err == HC_OK;
    return err;
}

static enum hc_err attribute(struct step *s, const char *body_id, const struct slot *slot, const struct lease *lease,
                             const struct body_obs *obs)
{
    const struct core_view view = step_view(s);
    const struct body_rec *body = alloc_body(s->live, body_id);
    const char *head = "";
    size_t at = 0;
    for (const struct session_obs *seen; head[0] == '\0' && (seen = session_next(obs, slot->index, &at)) != NULL;)
        if (session_live(seen) && session_names(lease, seen) != SESSION_OTHER && session_refused(&view, body, slot->index, seen) == NULL)
            head = head_of_session(s, body_id, slot, seen);
    bool done;
    return head[0] == '\0' ? HC_OK : adopted_attribute(s, lease->id, head, &done);
}

/* An idle report lays the ghosts that forbid adoption: what comes after it is a new session. */
static enum hc_err lay_ghosts(struct step *s, const char *body_id, uint32_t index, hc_time idle_at)
{
    const struct body_rec *body = alloc_body(s->live, body_id);
    bool any = false;
    for (size_t i = 0; i < body->slots[index].ghost_count; i++)
        any = any || (body->slots[index].ghosts[i].refused && hc_time_before(body->slots[index].ghosts[i].ended_at, idle_at));
    if (!any)
        return HC_OK;
    struct body_rec *edit = step_edit_body(s, body_id);
    if (edit == NULL)
        return HC_ERR_NOMEM;
    struct slot *slot = &edit->slots[index];
    size_t kept = 0;
    for (size_t i = 0; i < slot->ghost_count; i++)
        if (!slot->ghosts[i].refused || !hc_time_before(slot->ghosts[i].ended_at, idle_at))
            slot->ghosts[kept++] = slot->ghosts[i];
    slot->ghost_count = kept;
    return HC_OK;
}

static enum hc_err adopt_first(struct step *s, const char *body_id, const struct slot *slot, const struct body_obs *obs)
{
    const struct core_view view = step_view(s);
    const struct body_rec *body = alloc_body(s->live, body_id);
    size_t at = 0;
    for (const struct session_obs *seen; (seen = session_next(obs, slot->index, &at)) != NULL;) {
        if (seen->state != SESSION_STREAMING || session_refused(&view, body, slot->index, seen) != NULL)
            continue;
        const struct ghost *ghost = ghost_of(slot, seen);
        char lease_id[HC_ID_SIZE];
        return lease_adopt(s, body_id, slot->index, seen, ghost != NULL ? "" : head_of_session(s, body_id, slot, seen), ghost, lease_id);
    }
    return HC_OK;
}

enum hc_err adopt_slot(struct step *s, const char *body_id, uint32_t index)
{
    const struct body_rec *body = alloc_body(s->live, body_id);
    const struct body_obs *obs = observed_body(s->obs, body_id);
    const struct core_view view = step_view(s);
    if (body == NULL || obs == NULL || index >= body->slot_count || index >= BODY_SLOTS_MAX || !body_fresh(&view, body_id))
        return HC_OK;
    enum hc_err err = lay_ghosts(s, body_id, index, obs->idle_at[index]);
    if (err != HC_OK)
        return err;
    const struct slot *slot = &alloc_body(s->live, body_id)->slots[index];
    const struct lease *lease = slot_live_lease(slot);
    if (lease != NULL)
        return lease->state == LEASE_ADOPTED && lease->head_id[0] == '\0' ? attribute(s, body_id, slot, lease, obs) : HC_OK;
    /* Else history has not been written for long, or nodes.yaml lost the body: the slot stays occupied by its session. */
    bool room = slot->lease_count < SLOT_LEASES_MAX && alloc_node(s->live, body_id) != NULL;
    return room && newer_than_ends(slot, obs) ? adopt_first(s, body_id, slot, obs) : HC_OK;
}
