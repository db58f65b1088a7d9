/* xr_settle.c - what the newest report and the lease mean for the XR session of a body, until session and lease agree. Level-triggered, as
 * evidence.c: the same report looked at twice changes nothing the second time. */
#include <string.h>

#include "evidence.h"
#include "xr.h"

#define SETTLE_STEPS 8      /* no report and no end leads further: back, armed, active, doffed, over */
#define FOLLOW_STEPS 3      /* held, pairing, starting */
#define NO_EVENT     XEV_COUNT

static const struct xr_word { const char *word; enum xr_event on; } words[] = {
    { "requested", NO_EVENT }, { "arming", XEV_ARMING }, { "armed", XEV_ARMED }, { "active", XEV_ACTIVE }, { "draining", XEV_DOFFED },
    { "ending", XEV_BODY_ENDS }, { "failed", XEV_BODY_FAILS }, { "", XEV_BODY_IDLE }, { "idle", XEV_BODY_IDLE },
};

/* A word that we do not know says nothing, and may be of something that runs: the slot is occupied (I3). */
static enum xr_event event_of(const char *word)
{
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (hc_same(words[i].word, word))
            return words[i].on;
    return NO_EVENT;
}

bool xr_engaged(const struct body_obs *obs)
{
    enum xr_event on = event_of(obs->xr_state);
    return on != XEV_BODY_IDLE && on != XEV_BODY_FAILS;
}

static bool has_edge(enum xr_state from, enum xr_event on)
{
    struct xr_session trial = { .state = from };
    return on != NO_EVENT && xr_apply(&trial, on, HC_TIME_NEVER) == HC_OK;
}

/* Whose state is it? A body that does not say speaks of the one session that it can have. */
static bool speaks_of(const struct body_obs *obs, const struct xr_session *xr)
{
    return obs->xr_session_id[0] == '\0' || hc_same(obs->xr_session_id, xr->session_id);
}

static enum xr_event lease_says(const struct xr_session *xr, const struct lease *lease)
{
    bool over = lease == NULL || lease_is_terminal(lease->state);
    if (xr->state == XR_ENDING)
        return lease != NULL && over && lease->why == WHY_DRAIN_TIMEOUT ? XEV_HOLD_OVER : NO_EVENT;
    if (!xr_is_live(xr->state) || (!over && lease->state != LEASE_DRAINING))
        return NO_EVENT;
    if (!over)
        return XEV_LEASE_DRAINS;
    if (lease != NULL && lease->state == LEASE_FAILED && has_edge(xr->state, XEV_LEASE_FAILED))
        return XEV_LEASE_FAILED;
    if (lease != NULL && lease->why == WHY_BODY_IDLE && has_edge(xr->state, XEV_LEASE_DONE))
        return XEV_LEASE_DONE;
    return XEV_LEASE_OVER;
}

/* The holds are silence clocks: our outages move `since` (record_times.c). A lease that drains has the same clock, and its own exit. */
static enum xr_event hold_says(const struct step *s, const struct xr_session *xr, const struct lease *lease)
{
    int64_t age_ms = hc_time_since(s->now, xr->since);
    bool over = lease == NULL || lease_is_terminal(lease->state);
    if (xr->state == XR_FAILED)
        return age_ms >= s->t->xr_failed_hold_ms ? XEV_HOLD_OVER : NO_EVENT;
    return xr->state == XR_ENDING && over && age_ms >= s->t->xr_ending_hold_ms ? XEV_HOLD_OVER : NO_EVENT;
}

static enum xr_event body_says(const struct step *s, const struct xr_session *xr, const struct body_obs *obs)
{
    bool newer = hc_time_before(xr->since, obs->reported_at), mine = speaks_of(obs, xr);
    enum xr_event on = event_of(obs->xr_state);
    if (!mine)                               /* another session's: if ours has to end, it is gone */
        on = xr->state == XR_ENDING ? XEV_BODY_IDLE : NO_EVENT;
    if (on == XEV_BODY_FAILS && xr->state == XR_REQUESTED && obs->xr_session_id[0] == '\0')
        return NO_EVENT;                     /* old news: what it failed at came before this one */
    if ((on == XEV_BODY_IDLE || on == XEV_BODY_FAILS) && !newer)
        return NO_EVENT;
    bool asked_again = xr->state == XR_ARMING || xr->state == XR_ARMED;
    if (on == XEV_BODY_IDLE && !asked_again && agent_warming(obs, s->t, obs->reported_at))
        return NO_EVENT;                     /* an agent that restarted has not looked yet (§6.2.5) */
    return has_edge(xr->state, on) ? on : NO_EVENT;
}

static const char *reason_of(const struct step *s, const char *body_id, enum xr_state from, enum xr_event on, const struct lease *lease)
{
    const struct body_obs *obs = observed_body(s->obs, body_id);
    const char *told = obs == NULL ? "" : obs->xr_reason;
    switch (on) {
    case XEV_BODY_FAILS:
        return told[0] != '\0' ? told : "body_failed";
    case XEV_BODY_ENDS:
        return told[0] != '\0' ? told : "body_ended";
    case XEV_LEASE_FAILED:
        if (lease->why == WHY_START_TIMEOUT)
            return from == XR_ARMED ? "connect_timeout" : "arm_timeout";
        break;
    case XEV_LEASE_DRAINS:
    case XEV_LEASE_OVER:
        if (lease != NULL && lease->why == WHY_UNATTENDED)
            return "head_lost";
        break;
    default:
        return "";
    }
    return lease == NULL ? "" : word_of(&lease_why_words, (int)lease->why);
}

static enum hc_err lease_follows(struct step *s, const char *session_id, enum xr_state is)
{
    enum hc_err err = HC_OK;
    for (unsigned i = 0; i < FOLLOW_STEPS && err == HC_OK; i++) {
        const struct lease *lease = alloc_lease(s->live, session_id, NULL, NULL);
        const struct xr_follow *row = lease == NULL ? NULL : xr_follow_of(is, lease->state);
        if (row == NULL)
            break;
        bool drained = lease->state == LEASE_DRAINING;
        err = lease_event(s, session_id, drained ? drain_done_event(lease) : row->on, drained ? lease->why : row->why,
                          lease->left_behind ? FATE_KEEP : FATE_BY_WHY);
    }
    return err;
}

/* Who armed in time has as long as any start to put it on (§6.2). */
static void longer_deadline(const struct step *s, struct lease *lease, const struct xr_session *xr)
{
    hc_time until = hc_time_add(xr->created_at, s->t->start_deadline_legacy_ms);
    if (lease != NULL && lease_is_pre_stream(lease->state))
        lease->start_deadline_at = hc_time_later(lease->start_deadline_at, until);
}

static enum hc_err session_moves(struct step *s, const char *body_id, enum xr_event on)
{
    const struct body_rec *known = alloc_body(s->live, body_id);
    const struct lease *lease = body_lease(known, known->xr.session_id, NULL);
    struct xr_session xr = known->xr;
    enum xr_state from = xr.state;
    enum hc_err err = xr_apply(&xr, on, s->now);
    if (err != HC_OK)
        return err;
    if (xr.state == XR_ENDING || xr.state == XR_FAILED)
        HC_SET(xr.reason, reason_of(s, body_id, from, on, lease));
    const char *is = xr.state == XR_NONE ? "over" : word_of(&xr_state_words, (int)xr.state);
    err = step_note(s, NOTE_XR_SESSION, body_id, XR_SLOT, lease, xr.head_id, "%s%s%s", is, xr.reason[0] == '\0' ? "" : ": ",
                    xr.reason);
    struct body_rec *body = err == HC_OK ? step_edit_body(s, body_id) : NULL;
    if (body == NULL)
        return err == HC_OK ? HC_ERR_NOMEM : err;
    if (xr.state == XR_ARMED)
        longer_deadline(s, lease_in(body, xr.session_id, NULL), &xr);
    const struct xr_session none = { 0 };
    body->xr = xr.state == XR_NONE ? none : xr;
    err = xr_mirror(s, body_id);
    return err == HC_OK ? lease_follows(s, xr.session_id, xr.state) : err;
}

/* A lease in doubt comes back with a report newer than the doubt; one whose visitor sits elsewhere goes (§9.3). LEV_COUNT: it stays. */
static enum lease_event doubt_says(const struct step *s, const struct xr_session *xr, const struct lease *lease, const struct body_obs *obs,
                                   enum lease_why *ret_why)
{
    bool engaged = xr_engaged(obs) && speaks_of(obs, xr);
    *ret_why = WHY_NONE;
    if (lease->state != LEASE_UNKNOWN) {
        *ret_why = WHY_REHOMED;
        bool plays = lease->state == LEASE_STREAMING || lease->state == LEASE_ADOPTED;
        return lease->left_behind && plays && engaged ? LEV_DRAIN : LEV_COUNT;
    }
    bool newer = lease->why == WHY_EPOCH_REGRESSED ? hc_time_before(lease->unknown_since, obs->reported_at)
                                                   : !hc_time_before(obs->reported_at, lease->unknown_since);
    if (!newer)
        return LEV_COUNT;
    if (!lease->left_behind || engaged)
        return LEV_BODY_BACK;
    *ret_why = WHY_REHOMED;
    return agent_warming(obs, s->t, obs->reported_at) ? LEV_COUNT : LEV_RELEASE_UNKNOWN;
}

/* The session goes on as it is: a report renews its lease, or says that nothing runs (twice: it is over). */
static enum hc_err goes_on(struct step *s, const char *body_id, const struct xr_session *xr, const struct lease *lease,
                           const struct body_obs *obs)
{
    bool plays = lease->state == LEASE_STREAMING || lease->state == LEASE_ADOPTED;
    if (!plays || !xr_is_live(xr->state))
        return HC_OK;
    if (xr_engaged(obs))
        return speaks_of(obs, xr) ? lease_shown(s, body_id, lease->id, obs) : HC_OK;
    bool newer = hc_time_before(lease->changed_at, obs->reported_at);
    return newer && !agent_warming(obs, s->t, obs->reported_at) ? lease_idle(s, body_id, lease, obs) : HC_OK;
}

static enum hc_err settle_once(struct step *s, const char *body_id, bool *ret_moved)
{
    const struct core_view view = step_view(s);
    const struct body_rec *body = alloc_body(s->live, body_id);
    const struct body_obs *obs = body_fresh(&view, body_id) ? observed_body(s->obs, body_id) : NULL;
    const struct xr_session *xr = &body->xr;
    const struct lease *lease = body_lease(body, xr->session_id, NULL);
    *ret_moved = true;
    enum xr_event on = lease_says(xr, lease);
    if (on == NO_EVENT)
        on = hold_says(s, xr, lease);
    if (on != NO_EVENT)
        return session_moves(s, body_id, on);
    enum lease_why why = WHY_NONE;
    bool live = lease != NULL && !lease_is_terminal(lease->state);
    enum lease_event doubt = live && obs != NULL ? doubt_says(s, xr, lease, obs, &why) : LEV_COUNT;
    if (doubt != LEV_COUNT)
        return lease_event(s, lease->id, doubt, why, lease->left_behind ? FATE_KEEP : FATE_BY_WHY);
    on = obs != NULL && !(live && lease->state == LEASE_UNKNOWN) ? body_says(s, xr, obs) : NO_EVENT;
    if (on != NO_EVENT)
        return session_moves(s, body_id, on);
    *ret_moved = false;
    return live && obs != NULL ? goes_on(s, body_id, xr, lease, obs) : HC_OK;
}

static bool has_session(const struct step *s, const char *body_id)
{
    const struct body_rec *body = alloc_body(s->live, body_id);
    return body != NULL && body->xr.session_id[0] != '\0';
}

enum hc_err xr_settle(struct step *s, const char *body_id_given)
{
    char body_id[HC_ID_SIZE];
    HC_SET(body_id, body_id_given);          /* it may stand in a record that is edited */
    enum hc_err err = HC_OK;
    bool moved = true;
    for (unsigned i = 0; i < SETTLE_STEPS && moved && err == HC_OK && has_session(s, body_id); i++)
        err = settle_once(s, body_id, &moved);
    return err;
}
