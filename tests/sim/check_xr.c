/* check_xr.c - XR sessions: they move along the table only, have slot 0, and each of their states ends. */
#include <string.h>

#include "sim.h"

#define ENDING_MS 900000
#define FAILED_MS 60000
#define WARM_MS   60000
#define TICK_MS   11000

#define BIT(state) (1U << XR_##state)
static const unsigned ways[] = {
    [XR_NONE] = BIT(REQUESTED),
    [XR_REQUESTED] = BIT(ARMING) | BIT(ARMED) | BIT(ACTIVE) | BIT(DRAINING) | BIT(FAILED) | BIT(ENDING),
    [XR_ARMING] = BIT(REQUESTED) | BIT(ARMED) | BIT(ACTIVE) | BIT(DRAINING) | BIT(FAILED) | BIT(ENDING),
    [XR_ARMED] = BIT(REQUESTED) | BIT(ARMING) | BIT(ACTIVE) | BIT(DRAINING) | BIT(FAILED) | BIT(ENDING),
    [XR_ACTIVE] = BIT(DRAINING) | BIT(ENDING) | BIT(FAILED) | BIT(NONE),
    [XR_DRAINING] = BIT(ACTIVE) | BIT(ENDING) | BIT(FAILED) | BIT(NONE),
    [XR_ENDING] = BIT(NONE),
    [XR_FAILED] = BIT(NONE),
};
#undef BIT

static bool is_live(enum xr_state state)
{
    return state != XR_NONE && state != XR_ENDING && state != XR_FAILED;
}

static enum xr_state state_told(const char *detail)
{
    char word[WORD_SIZE];
    size_t len = strcspn(detail, ":");
    len = len < sizeof word ? len : sizeof word - 1;
    memcpy(word, detail, len);
    word[len] = '\0';
    int state = hc_same(word, "over") ? (int)XR_NONE : word_find(&xr_state_words, word);
    return state < 0 ? XR_NONE : (enum xr_state)state;
}

/* Every move that was told is one of the table, and they lead to what the record says. */
void sim_check_xr_moves(struct sim *sim, struct seen_body *seen, const struct body_rec *is, const struct core_result *result)
{
    for (size_t i = 0; i < result->note_count; i++) {
        const struct core_note *note = &result->notes[i];
        if (note->type != NOTE_XR_SESSION || !hc_same(note->body_id, seen->id))
            continue;
        enum xr_state to = state_told(note->detail);
        if ((ways[seen->xr_state] & (1U << to)) == 0)
            sim_violation(sim, "XR: the session on %s goes from %s to %s", seen->id, word_of(&xr_state_words, (int)seen->xr_state),
                          word_of(&xr_state_words, (int)to));
        if (to == XR_REQUESTED && seen->xr_state == XR_NONE)
            sim->tally[1]++;
        seen->xr_state = to;
        seen->xr_since = sim->now;
    }
    if (seen->xr_state != is->xr.state)
        sim_violation(sim, "XR: the session on %s is %s, and nobody was told", seen->id, word_of(&xr_state_words, (int)is->xr.state));
}

/* A session has slot 0; while its head may count on it, it has its lease; the node's record says the same. */
void sim_check_xr_has_slot_0(struct sim *sim, const struct body_rec *body)
{
    const struct xr_session *xr = &body->xr;
    const struct node_rec *node = alloc_node(sim->cluster.live, body->rec.key);
    const struct slot *slot = NULL;
    const struct lease *lease = body_lease(body, xr->session_id, &slot);
    const struct xr_session *copy = node == NULL ? xr : node_xr(node);
    if (!hc_same(copy->session_id, xr->session_id) || copy->state != xr->state)
        sim_violation(sim, "XR: the two records of the session on %s differ", body->rec.key);
    if (xr->session_id[0] == '\0')
        return;
    struct core_view view = live_view(sim);
    if ((slot_why_not(&view, body, 0) & ~(uint32_t)WHY_NOT_PROMISED) == 0)
        sim_violation(sim, "XR: %s has a session, and its slot 0 is free", body->rec.key);
    bool holds = lease != NULL && slot->index == 0 && lease->mode == MODE_XR && !lease_is_terminal(lease->state);
    if (is_live(xr->state) && (!holds || lease->state == LEASE_DRAINING))
        sim_violation(sim, "XR: the session on %s is %s without its lease", body->rec.key, word_of(&xr_state_words, (int)xr->state));
}

/* Slot 0 of a body with a session is given to nobody. */
void sim_check_xr_keeps_slot_0(struct sim *sim, const struct lease *is, const struct body_rec *body, const struct slot *slot)
{
    if (slot->index == 0 && body->xr.session_id[0] != '\0' && !hc_same(is->id, body->xr.session_id))
        sim_violation(sim, "XR: %s has a session, and slot 0 is given to %s of %s", body->rec.key, is->id, is->head_id);
}

/* What ends, ends: the rest is its lease's (I8). */
void sim_check_xr_is_bounded(struct sim *sim)
{
    for (size_t i = 0; i < sim->seen_body_count; i++) {
        const struct seen_body *seen = &sim->seen_bodies[i];
        int64_t most_ms = seen->xr_state == XR_ENDING ? ENDING_MS + WARM_MS : FAILED_MS;
        if ((seen->xr_state == XR_ENDING || seen->xr_state == XR_FAILED) && sim->now - seen->xr_since > most_ms + TICK_MS)
            sim_violation(sim, "XR: the session on %s is %s for ever", seen->id, word_of(&xr_state_words, (int)seen->xr_state));
    }
}
