/* clocks.c - what time alone does to a body and its leases: absolute clocks first, then rolling ones (rules §4.4, §6.2). */
#include <string.h>

#include "clocks.h"

struct due { enum lease_event on; enum lease_why why; };

static bool accepts_by_hand(const struct alloc *live, const char *head_id)
{
    const struct node_rec *head = alloc_node(live, head_id);
    const struct venue_rec *venue = head == NULL || head->venue[0] == '\0' ? NULL : alloc_venue(live, head->venue);
    return venue != NULL && venue->accept_mode == ACCEPT_CONFIRM;
}

/* A deadline that ran out before this daemon had started is our fault. While the store was down on_outage_over() looks first. */
static bool ran_out_in_our_absence(const struct step *s, hc_time deadline)
{
    return !hc_time_before(s->obs->started_at, deadline);
}

/* Silent: nothing heard for bodyReportFresh, counted from our own start at the earliest (§4.3). */
bool body_silent(const struct step *s, const char *body_id)
{
    const struct body_obs *obs = observed_body(s->obs, body_id);
    hc_time heard = hc_time_later(obs == NULL ? HC_TIME_NEVER : obs->reported_at, s->obs->started_at);
    const struct core_view view = step_view(s);
    bool started_long_ago = hc_time_since(s->now, s->obs->started_at) > s->t->body_report_fresh_ms;
    return hc_time_since(s->now, heard) > s->t->body_report_fresh_ms || (started_long_ago && !body_online(&view, body_id));
}

static bool pre_stream_due(const struct step *s, const struct lease *lease, struct due *ret)
{
    struct lease_clock clock = lease_clock(s->obs, lease);
    if (lease->mode == MODE_XR && !lease->uncollected) {
        *ret = (struct due){ LEV_HEAD_RELEASE, WHY_UNATTENDED };      /* what its body has set up must be taken down */
        return hc_time_since(s->now, clock.head_renewed_at) >= s->t->xr_head_stale_ms;
    }
    if (!hc_time_due(clock.expires_at, s->now))
        return false;
    if (lease->uncollected && lease->state == LEASE_GRANTED)
        *ret = (struct due){ LEV_WASTED, accepts_by_hand(s->live, lease->head_id) ? WHY_NOT_ACCEPTED : WHY_PROMOTION_WASTED };
    else
        *ret = (struct due){ LEV_SILENCE, lease->source == SOURCE_IMPLICIT ? WHY_SILENCE : WHY_TTL };
    return true;
}

/* What the rolling clocks say; false: nothing. */
static bool rolling_due(const struct step *s, const char *body_id, const struct lease *lease, struct due *ret)
{
    struct lease_clock clock = lease_clock(s->obs, lease);
    const struct body_obs *obs = observed_body(s->obs, body_id);
    bool xr = lease->mode == MODE_XR;
    switch (lease->state) {
    case LEASE_STREAMING:
    case LEASE_ADOPTED:
        *ret = (struct due){ LEV_UNATTENDED, WHY_UNATTENDED };
        if (hc_time_since(s->now, clock.head_renewed_at) >= (xr ? s->t->xr_head_stale_ms : s->t->max_unattended_ms))
            return true;
        *ret = (struct due){ LEV_BODY_SILENT, WHY_BODY_SILENT };
        return body_silent(s, body_id);
    case LEASE_DRAINING:
        *ret = (struct due){ LEV_DRAIN_TIMEOUT, WHY_DRAIN_TIMEOUT };
        /* The clock waits while the agent warms up, and then gives it its grace to show what is there. A quarter of an hour is grace
         * enough: it is not begun anew with each agent. */
        if (xr)
            return hc_time_due(hc_time_later(hc_time_add(lease->drain_since, s->t->xr_ending_hold_ms), agent_warm_at(obs, s->t)), s->now);
        return hc_time_since(s->now, hc_time_later(lease->drain_since, agent_warm_at(obs, s->t))) >= s->t->drain_grace_ms;
    case LEASE_UNKNOWN:
        *ret = (struct due){ LEV_UNKNOWN_HOLD, WHY_UNKNOWN_HOLD };
        return hc_time_since(s->now, lease->unknown_since) >= s->t->unknown_hold_ms;
    default:
        return lease_is_pre_stream(lease->state) && pre_stream_due(s, lease, ret);
    }
}

/* The live lease of a slot by id; "" when there is none. */
static const struct lease *live_lease(const struct step *s, const char *body_id, size_t slot)
{
    const struct body_rec *body = alloc_body(s->live, body_id);
    return body == NULL || slot >= body->slot_count ? NULL : slot_live_lease(&body->slots[slot]);
}

static size_t slots_of(const struct step *s, const char *body_id)
{
    const struct body_rec *body = alloc_body(s->live, body_id);
    return body == NULL ? 0 : body->slot_count;
}

enum hc_err start_deadlines(struct step *s, const char *body_id, hc_time ours_since)
{
    enum hc_err err = HC_OK;
    for (size_t i = 0; i < slots_of(s, body_id) && err == HC_OK; i++) {
        const struct lease *lease = live_lease(s, body_id, i);
        if (lease == NULL || !lease_is_pre_stream(lease->state) || !hc_time_due(lease->start_deadline_at, s->now))
            continue;
        bool ours = ran_out_in_our_absence(s, lease->start_deadline_at) ||
                    (hc_time_set(ours_since) && !hc_time_before(lease->start_deadline_at, ours_since));
        err = ours ? lease_event_uncounted(s, lease->id, LEV_START_DEADLINE, WHY_START_TIMEOUT)
                   : lease_event(s, lease->id, LEV_START_DEADLINE, WHY_START_TIMEOUT, FATE_BY_WHY);
    }
    return err;
}

static enum hc_err rolling_clocks(struct step *s, const char *body_id)
{
    enum hc_err err = HC_OK;
    struct due due = { 0 };
    for (size_t i = 0; i < slots_of(s, body_id) && err == HC_OK; i++) {
        const struct lease *lease = live_lease(s, body_id, i);
        if (lease != NULL && rolling_due(s, body_id, lease, &due))
            err = lease_event(s, lease->id, due.on, due.why, FATE_BY_WHY);
    }
    return err;
}

enum hc_err clocks_body(struct step *s, const char *body_id_given)
{
    if (!s->ev->store_ok)
        return HC_OK;
    char body_id[HC_ID_SIZE];
    HC_SET(body_id, body_id_given);                /* it may stand in the record that is edited */
    enum hc_err err = start_deadlines(s, body_id, HC_TIME_NEVER);
    if (err == HC_OK)
        err = drain_clock(s, body_id);
    if (err == HC_OK)
        err = circuit_clock(s, body_id);
    if (err == HC_OK)
        err = pair_clock(s, body_id);
    return err == HC_OK ? rolling_clocks(s, body_id) : err;
}
