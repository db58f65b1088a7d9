/* lease_end.c - an event on a lease, with all that follows from it: epoch, memory of slot and attempt, circuit, stream, notes. */
#include <assert.h>
#include <string.h>

#include "circuit.h"
#include "lease_fate.h"

struct lease *lease_in(struct body_rec *body, const char *lease_id, struct slot **ret_slot)
{
    for (size_t i = 0; i < body->slot_count; i++)
        for (size_t k = 0; k < body->slots[i].lease_count; k++)
            if (hc_same(body->slots[i].leases[k].id, lease_id)) {
                if (ret_slot != NULL)
                    *ret_slot = &body->slots[i];
                return &body->slots[i].leases[k];
            }
    return NULL;
}

/* What the clocks say at a change of state: renewals that were only observed become part of the record. */
static void lease_times(struct step *s, struct lease *lease, enum lease_state from)
{
    struct lease_clock clock = lease_clock(s->obs, lease);
    lease->renewed_at = clock.renewed_at;
    lease->head_renewed_at = clock.head_renewed_at;
    bool begins = lease_is_pre_stream(from) && !lease_is_pre_stream(lease->state);
    if (begins || lease_is_terminal(lease->state))
        lease->expires_at = HC_TIME_NEVER;
    switch (lease->state) {
    case LEASE_DRAINING:
        lease->drain_since = s->now;
        break;
    case LEASE_UNKNOWN:
        lease->unknown_since = s->now;
        break;
    case LEASE_STREAMING:
    case LEASE_ADOPTED:
        if (!hc_time_set(lease->streaming_at))
            lease->streaming_at = s->now;
        if (from == LEASE_DRAINING)
            lease->head_renewed_at = s->now;      /* its head has spoken */
        lease->renewed_at = s->now;
        lease->drain_since = lease->unknown_since = HC_TIME_NEVER;
        lease->uncollected = false;
        break;
    default:
        break;
    }
    if (lease->state != from)
        lease->idle_since = HC_TIME_NEVER;        /* idle is confirmed anew (§6.2) */
}

static enum hc_err edge_error(struct step *s, const char *lease_id, const struct lease *lease, enum lease_event on)
{
    const char *body_id = alloc_lease_body(s->live, lease_id);
    return step_note(s, NOTE_EDGE_ERROR, body_id == NULL ? "" : body_id, -1, lease, "", "%s of %s in state %s", lease_event_name(on),
                     lease_id, lease == NULL ? "absent" : word_of(&lease_state_words, (int)lease->state));
}

/* After a `legacy` lease that fell silent the slot ranks last for a while: its head cannot be told and may still launch (§6.2.6). */
static bool may_still_launch(const struct lease *lease, enum lease_state from)
{
    bool silent = lease->state == LEASE_EXPIRED && lease_is_pre_stream(from);
    return lease->protocol < 2 && (silent || lease->why == WHY_START_TIMEOUT);
}

static enum hc_err note_change(struct step *s, const char *body_id, uint32_t slot, const struct lease *lease, enum lease_state from)
{
    enum note_type type = NOTE_LEASE_ENDED;
    const char *detail = word_of(&lease_why_words, (int)lease->why);
    if (lease->state == LEASE_DRAINING)
        type = NOTE_LEASE_DRAINING;
    else if (lease->state == LEASE_UNKNOWN)
        type = NOTE_LEASE_UNKNOWN;
    else if (lease->state == LEASE_STREAMING || lease->state == LEASE_ADOPTED) {
        type = NOTE_LEASE_STREAMING;
        detail = lease->experience;
        if (from == LEASE_UNKNOWN)
            detail = "the body is back";
        else if (from == LEASE_DRAINING)
            detail = "its head is back";
    } else if (!lease_is_terminal(lease->state))
        return HC_OK;
    return step_note(s, type, body_id, (int32_t)slot, lease, "", "%s", detail);
}

static enum hc_err note_alarm(struct step *s, const char *body_id, uint32_t slot, const struct lease *lease, enum lease_event on)
{
    enum note_type type;
    if (on == LEV_UNATTENDED)
        type = NOTE_UNATTENDED_EXPIRED;
    else if (on == LEV_UNKNOWN_HOLD)
        type = NOTE_UNKNOWN_EXPIRED;
    else if (on == LEV_WASTED)
        type = NOTE_PROMOTION_WASTED;
    else
        return HC_OK;
    return step_note(s, type, body_id, (int32_t)slot, lease, "", "%s", word_of(&lease_why_words, (int)lease->why));
}

/* What is remembered when a lease is gone, and who may have its place. */
static enum hc_err lease_over(struct step *s, const char *body_id, const struct lease *lease)
{
    enum hc_err err = attempt_remember(s, lease);
    if (err == HC_OK && hc_time_set(lease->streaming_at))
        err = pool_session_ended(s, lease, body_id);
    const struct node_rec *body = alloc_node(s->live, body_id);
    bool waits = alloc_count(s->live, REC_TICKET) > 0;
    return err == HC_OK && body != NULL && waits ? step_queue_changed(s, body->district) : err;      /* caps and reserves may have moved */
}

/* The consequences beyond the slot's own record. `lease` is a copy. */
static enum hc_err follow(struct step *s, const struct ended *end, const struct lease *lease, enum stream_fate fate)
{
    enum hc_err err = note_change(s, end->body_id, end->slot, lease, end->from);
    if (err == HC_OK)
        err = note_alarm(s, end->body_id, end->slot, lease, end->on);
    bool plays = lease->state == LEASE_STREAMING || lease->state == LEASE_ADOPTED;
    if (err == HC_OK && plays && !lease->left_behind && lease->stream_id[0] != '\0')      /* §9.3: its stream seeks elsewhere */
        err = stream_live(s, lease->stream_id);
    if (err == HC_OK && lease_is_terminal(lease->state))
        err = lease_over(s, end->body_id, lease);
    return err == HC_OK && fate == FATE_BY_WHY ? stream_follows(s, end, lease) : err;
}

static enum hc_err happen(struct step *s, const char *lease_id, enum lease_event on, enum lease_why why, enum stream_fate fate,
                          bool counted)
{
    struct ended end = { .on = on, .counted = counted };
    const struct lease *known = alloc_lease(s->live, lease_id, NULL, NULL);
    struct lease trial = { 0 };
    if (known != NULL)
        trial = *known;
    if (known == NULL || lease_apply(&trial, on, why, s->now) != HC_OK)
        return edge_error(s, lease_id, known, on);
    char id[HC_ID_SIZE];
    HC_SET(id, lease_id);
    HC_SET(end.body_id, alloc_lease_body(s->live, id));
    struct body_rec *body = step_edit_body(s, end.body_id);
    if (body == NULL)
        return HC_ERR_NOMEM;
    struct slot *slot = NULL;
    struct lease *lease = lease_in(body, id, &slot);
    assert(lease != NULL);
    end.slot = slot->index;
    end.from = lease->state;
    end.why_before = lease->why;
    end.drain_since = lease->drain_since;
    enum hc_err err = lease_apply(lease, on, why, s->now);
    if (err != HC_OK)
        return err;
    lease_times(s, lease, end.from);
    s->rights_changed |= lease->state == LEASE_DRAINING || lease_is_terminal(lease->state);
    if (lease_is_terminal(lease->state)) {
        slot->epoch = epoch_next(s->live, slot, observed_body(s->obs, end.body_id));
        if (lease->mode != MODE_XR)               /* what goes on after it is the XR session's to end */
            ghost_remember(s, slot, lease);
        if (may_still_launch(lease, end.from))
            slot->silent_until = hc_time_add(s->now, s->t->silent_head_backoff_ms);
    }
    struct lease copy = *lease;                   /* what follows may move the records */
    if (lease->state == LEASE_STREAMING && lease_is_pre_stream(end.from))
        err = circuit_streamed(s, body, copy.id);
    if (err == HC_OK)
        err = failure_counts(s, body, &end, &copy);
    return err == HC_OK ? follow(s, &end, &copy, fate) : err;
}

enum hc_err lease_event(struct step *s, const char *lease_id, enum lease_event on, enum lease_why why, enum stream_fate fate)
{
    return happen(s, lease_id, on, why, fate, true);
}

enum hc_err lease_event_uncounted(struct step *s, const char *lease_id, enum lease_event on, enum lease_why why)
{
    return happen(s, lease_id, on, why, FATE_BY_WHY, false);
}

/* §6.2 point 2: nothing of this lease can still appear on the slot. */
static bool ends_at_once(const struct step *s, const char *body_id, uint32_t slot, const struct lease *lease)
{
    const struct body_obs *obs = observed_body(s->obs, body_id);
    const struct node_obs *head = observed_node(s->obs, lease->head_id);
    const struct core_view view = step_view(s);
    if (obs == NULL || slot >= BODY_SLOTS_MAX)
        return false;
    hc_time beat = head == NULL ? HC_TIME_NEVER : head->starting_beat_at;
    if (hc_time_set(obs->idle_at[slot]) && hc_time_before(beat, obs->idle_at[slot]))
        return true;
    return obs->modern && body_fresh(&view, body_id) && slot_idle(obs, slot) && !agent_warming(obs, s->t, obs->reported_at);
}

static bool by_its_head(enum lease_why why)
{
    return why == WHY_RELEASED || why == WHY_USER_EXIT || why == WHY_ERROR || why == WHY_ABANDON || why == WHY_UNREACHABLE ||
        why == WHY_INTERRUPTED;
}

enum hc_err lease_release(struct step *s, const char *lease_id, enum lease_why why, enum stream_fate fate)
{
    const struct slot *slot = NULL;
    const struct lease *lease = alloc_lease(s->live, lease_id, NULL, &slot);
    if (lease == NULL || lease_is_terminal(lease->state))
        return HC_OK;
    struct ended end = { .from = lease->state, .why_before = lease->why };
    if (lease->state == LEASE_DRAINING) {          /* it drains already: only the visit ends */
        struct lease copy = *lease;
        copy.why = why;
        return fate == FATE_BY_WHY ? stream_follows(s, &end, &copy) : HC_OK;
    }
    if (lease->state == LEASE_UNKNOWN)
        return lease_event(s, lease_id, LEV_RELEASE_UNKNOWN, why, fate);
    enum lease_event gone = lease->source == SOURCE_IMPLICIT && by_its_head(why) ? LEV_HEAD_ABANDON : LEV_HEAD_GONE;
    bool xr = lease->mode == MODE_XR && !lease->uncollected;      /* its body may have begun: it says when it has taken all down */
    bool at_once = lease_is_pre_stream(lease->state) && !xr && ends_at_once(s, alloc_lease_body(s->live, lease_id), slot->index, lease);
    return lease_event(s, lease_id, at_once ? gone : LEV_HEAD_RELEASE, why, fate);
}
