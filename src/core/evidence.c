/* evidence.c - a body is the only authority on whether a stream runs: what its newest report means for the leases on it (rules §6.2, §10).
 * Level-triggered: the same report looked at twice changes nothing the second time. */
#include <inttypes.h>
#include <string.h>

#include "clocks.h"
#include "evidence.h"

static const struct lease *live_lease(const struct step *s, const char *body_id, uint32_t slot)
{
    const struct body_rec *body = alloc_body(s->live, body_id);
    return body == NULL || slot >= body->slot_count ? NULL : slot_live_lease(&body->slots[slot]);
}

static bool streams(const struct lease *lease)
{
    return lease->state == LEASE_STREAMING || lease->state == LEASE_ADOPTED;
}

enum hc_err evidence_boot(struct step *s, const char *body_id)
{
    const struct body_rec *body = alloc_body(s->live, body_id);
    const struct body_obs *obs = observed_body(s->obs, body_id);
    if (body == NULL || obs == NULL || !obs->modern || hc_same(obs->boot_id, body->boot_id))
        return HC_OK;
    bool rebooted = body->boot_id[0] != '\0' && obs->uptime_ms >= s->t->agent_warmup_ms;
    struct body_rec *edit = step_edit_body(s, body_id);
    if (edit == NULL)
        return HC_ERR_NOMEM;
    HC_SET(edit->boot_id, obs->boot_id);
    enum hc_err err = HC_OK;
    for (uint32_t i = 0; rebooted && i < edit->slot_count && err == HC_OK; i++) {
        const struct lease *lease = live_lease(s, body_id, i);
        if (lease != NULL && streams(lease))
            err = lease_event(s, lease->id, LEV_BODY_SILENT, WHY_BODY_REBOOT, FATE_BY_WHY);
    }
    return err;
}

static const struct session_obs *row_confirming(const struct body_obs *obs, uint32_t slot, uint64_t epoch)
{
    for (size_t i = 0; i < obs->session_count; i++)
        if (obs->sessions[i].index == slot && obs->sessions[i].has_applied_epoch && obs->sessions[i].applied_epoch >= epoch)
            return &obs->sessions[i];
    return NULL;
}

static bool lease_named(const struct body_obs *obs, uint32_t slot, const struct lease *lease)
{
    size_t at = 0;
    for (const struct session_obs *seen; (seen = session_next(obs, slot, &at)) != NULL;)
        if (session_names(lease, seen) == SESSION_OWN)
            return true;
    return false;
}

enum hc_err evidence_epoch(struct step *s, const char *body_id, uint32_t index)
{
    const struct body_rec *body = alloc_body(s->live, body_id);
    const struct body_obs *obs = observed_body(s->obs, body_id);
    if (obs == NULL || body == NULL || index >= body->slot_count)
        return HC_OK;
    uint64_t seen = index < obs->max_epoch_count ? obs->max_epoch_seen[index] : 0;
    const struct slot *slot = &body->slots[index];
    bool regressed = seen > slot->epoch;
    bool confirmed = slot->epoch_regressed && !regressed && (!obs->modern || row_confirming(obs, index, slot->epoch) != NULL);
    if (!regressed && !confirmed)
        return HC_OK;
    struct body_rec *edit = step_edit_body(s, body_id);
    if (edit == NULL)
        return HC_ERR_NOMEM;
    edit->slots[index].epoch_regressed = regressed;
    if (!regressed)
        return HC_OK;
    uint64_t had = slot->epoch;
    edit->slots[index].epoch = epoch_above(seen);
    edit->slots[index].max_epoch_seen = seen;
    enum hc_err err = step_note(s, NOTE_EPOCH_REGRESSED, body_id, (int32_t)index, NULL, "", "%" PRIu64 " here, %" PRIu64 " there", had,
                                seen);
    const struct lease *lease = live_lease(s, body_id, index);
    if (err == HC_OK && lease != NULL && streams(lease) && !lease_named(obs, index, lease))
        err = lease_event(s, lease->id, LEV_BODY_SILENT, WHY_EPOCH_REGRESSED, FATE_BY_WHY);
    return err;
}

/* What the report shows of this lease. */
struct shown {
    const struct session_obs *live;        /* its session, streaming before starting; NULL: none */
    bool streaming, failed, other;
};

/* Names another, or is known to be one that was taken away. A session without any name is taken for the lease's. */
static bool is_other(const struct core_view *v, const struct body_rec *body, uint32_t slot, const struct lease *lease,
                     const struct session_obs *seen)
{
    enum session_claim claim = session_names(lease, seen);
    bool named = seen->launch_id[0] != '\0' || seen->client_uuid[0] != '\0';
    return claim == SESSION_OTHER || (claim == SESSION_SILENT && named && session_refused(v, body, slot, seen) != NULL);
}

static struct shown look(const struct step *s, const char *body_id, uint32_t slot, const struct lease *lease, const struct body_obs *obs)
{
    const struct core_view view = step_view(s);
    const struct body_rec *body = alloc_body(s->live, body_id);
    struct shown shown = { 0 };
    size_t at = 0;
    for (const struct session_obs *seen; (seen = session_next(obs, slot, &at)) != NULL;) {
        if (is_other(&view, body, slot, lease, seen)) {
            shown.other = shown.other || session_live(seen);
            continue;
        }
        shown.failed = shown.failed || seen->state == SESSION_FAILED;
        bool streaming = seen->state == SESSION_STREAMING;
        if (session_live(seen) && (shown.live == NULL || (streaming && !shown.streaming))) {
            shown.live = seen;
            shown.streaming = streaming;
        }
    }
    return shown;
}

/* Names that only the body can tell: learnt once, kept with the lease. */
static enum hc_err learn(struct step *s, const char *body_id, const char *lease_id, const struct session_obs *seen)
{
    const struct lease *lease = alloc_lease(s->live, lease_id, NULL, NULL);
    bool uuid = seen->client_uuid[0] != '\0' && !hc_same(seen->client_uuid, lease->sunshine_client_uuid);
    bool launch = seen->launch_id[0] != '\0' && !hc_same(seen->launch_id, lease->launch_id);
    if (!uuid && !launch)
        return HC_OK;
    struct body_rec *body = step_edit_body(s, body_id);
    if (body == NULL)
        return HC_ERR_NOMEM;
    struct lease *edit = lease_in(body, lease_id, NULL);
    if (uuid)
        HC_SET(edit->sunshine_client_uuid, seen->client_uuid);
    if (launch)
        HC_SET(edit->launch_id, seen->launch_id);
    return HC_OK;
}

static enum hc_err pre_stream_evidence(struct step *s, const char *body_id, const struct lease *lease, const struct shown *shown)
{
    char lease_id[HC_ID_SIZE];
    HC_SET(lease_id, lease->id);
    if (shown->streaming) {
        enum hc_err err = learn(s, body_id, lease_id, shown->live);
        return err == HC_OK ? lease_event(s, lease_id, LEV_BODY_STREAM, WHY_NONE, FATE_BY_WHY) : err;
    }
    return shown->failed && shown->live == NULL ? lease_event(s, lease_id, LEV_LAUNCH_FAILED, WHY_LAUNCH_FAILED, FATE_BY_WHY) : HC_OK;
}

/* Until when a head that was handed this lease again may still launch; HC_TIME_NEVER: it was not. A legacy head cannot be told that the
 * slot went to another (§6.3.4); one that claims anew (§6.5.2) was told yes, and an idle report of that moment says nothing of what it
 * does next. */
static hc_time starts_until(const struct step *s, const struct lease *lease)
{
    const struct node_obs *head = lease->head_id[0] == '\0' ? NULL : observed_node(s->obs, lease->head_id);
    if (head == NULL || !hc_same(head->handed_lease_id, lease->id))
        return HC_TIME_NEVER;
    if (lease->protocol >= 2)
        return hc_time_add(head->handed_at, s->t->start_deadline_ms);
    /* It asks while it plays too: since its body showed it last. Not since it was seen idle: a body that boots is silent for minutes. */
    const struct clock_obs *clock = (const struct clock_obs *)observed_get(s->obs, OBS_CLOCK, lease->id);
    hc_time shown_at = hc_time_later(lease->streaming_at, clock == NULL ? HC_TIME_NEVER : clock->shown_at);
    return hc_time_before(shown_at, head->handed_at) ? hc_time_add(head->handed_at, s->t->start_deadline_legacy_ms) : HC_TIME_NEVER;
}

/* It gets the time of a start, once per idle stretch, however often it asks (I8). */
static bool on_its_way(const struct step *s, const struct lease *lease, hc_time at)
{
    hc_time start_by = starts_until(s, lease);
    int64_t start_ms = lease->protocol >= 2 ? s->t->start_deadline_ms : s->t->start_deadline_legacy_ms;
    hc_time at_most = hc_time_add(lease->idle_since, s->t->body_idle_confirm_ms + start_ms);
    return hc_time_set(start_by) && hc_time_before(at, hc_time_earlier(start_by, at_most));
}

/* Two idle reports, first to last at least bodyIdleConfirm apart; none while the agent warms up. */
enum hc_err lease_idle(struct step *s, const char *body_id, const struct lease *lease, const struct body_obs *obs)
{
    hc_time at = obs->reported_at;
    if (hc_time_set(lease->idle_since)) {
        bool long_enough = hc_time_since(at, lease->idle_since) >= s->t->body_idle_confirm_ms;
        return long_enough && !on_its_way(s, lease, at) ? lease_event(s, lease->id, LEV_BODY_IDLE, WHY_BODY_IDLE, FATE_BY_WHY) : HC_OK;
    }
    char lease_id[HC_ID_SIZE];
    HC_SET(lease_id, lease->id);
    struct body_rec *body = step_edit_body(s, body_id);
    if (body == NULL)
        return HC_ERR_NOMEM;
    lease_in(body, lease_id, NULL)->idle_since = at;
    return HC_OK;
}

static enum hc_err not_idle(struct step *s, const char *body_id, const char *lease_id)
{
    const struct lease *lease = alloc_lease(s->live, lease_id, NULL, NULL);
    if (lease == NULL || !hc_time_set(lease->idle_since))
        return HC_OK;
    struct body_rec *body = step_edit_body(s, body_id);
    if (body == NULL)
        return HC_ERR_NOMEM;
    lease_in(body, lease_id, NULL)->idle_since = HC_TIME_NEVER;
    return HC_OK;
}

static enum hc_err renew_by_body(struct step *s, const char *lease_id, hc_time at)
{
    if (s->ev->dry_run)
        return HC_OK;
    struct clock_obs *clock = step_edit_clock(s, lease_id);
    if (clock == NULL)
        return HC_ERR_NOMEM;
    clock->renewed_at = hc_time_later(clock->renewed_at, at);
    clock->shown_at = hc_time_later(clock->shown_at, at);
    return HC_OK;
}

enum hc_err lease_shown(struct step *s, const char *body_id, const char *lease_id_given, const struct body_obs *obs)
{
    char lease_id[HC_ID_SIZE];
    HC_SET(lease_id, lease_id_given);
    enum hc_err err = renew_by_body(s, lease_id, obs->reported_at);
    return err == HC_OK ? not_idle(s, body_id, lease_id) : err;
}

static enum hc_err streaming_evidence(struct step *s, const char *body_id, uint32_t slot, const struct lease *lease,
                                      const struct shown *shown, const struct body_obs *obs)
{
    char lease_id[HC_ID_SIZE];
    HC_SET(lease_id, lease->id);
    if (shown->live != NULL) {
        if (lease->left_behind)                  /* its visitor sits elsewhere (§9.3) */
            return lease_event(s, lease_id, LEV_DRAIN, WHY_REHOMED, FATE_KEEP);
        enum hc_err err = learn(s, body_id, lease_id, shown->live);
        return err == HC_OK ? lease_shown(s, body_id, lease_id, obs) : err;
    }
    if (shown->other)
        return not_idle(s, body_id, lease_id);      /* a stranger's session renews nothing, but the slot is not idle */
    bool newer = hc_time_before(lease->changed_at, obs->reported_at);      /* the report that made it stream is not yet one that it ended */
    if (!newer || !slot_idle(obs, slot) || agent_warming(obs, s->t, obs->reported_at))
        return HC_OK;
    return lease_idle(s, body_id, lease, obs);
}

enum lease_event drain_done_event(const struct lease *lease)
{
    bool by_head = lease->why == WHY_RELEASED || lease->why == WHY_USER_EXIT || lease->why == WHY_ERROR || lease->why == WHY_ABANDON ||
                   lease->why == WHY_UNREACHABLE || lease->why == WHY_INTERRUPTED;
    if (lease->why == WHY_UNATTENDED)
        return LEV_DRAIN_UNATTENDED;
    return lease->source == SOURCE_IMPLICIT && lease_is_pre_stream(lease->came_from) && by_head ? LEV_DRAIN_ABANDONED : LEV_DRAIN_DONE;
}

static enum hc_err draining_evidence(struct step *s, uint32_t slot, const struct lease *lease, const struct shown *shown,
                                     const struct body_obs *obs)
{
    bool newer = hc_time_before(lease->drain_since, obs->reported_at);
    if (!newer || shown->live != NULL || !slot_named(obs, slot) || agent_warming(obs, s->t, obs->reported_at))
        return HC_OK;
    return lease_event(s, lease->id, drain_done_event(lease), lease->why, FATE_BY_WHY);
}

/* The body is back when a report newer than our doubt names the slot (§6.2); the report that raised the doubt may settle it, but for a
 * regressed epoch. */
static enum hc_err unknown_evidence(struct step *s, uint32_t slot, const struct lease *lease, const struct shown *shown,
                                    const struct body_obs *obs)
{
    bool newer = lease->why == WHY_EPOCH_REGRESSED ? hc_time_before(lease->unknown_since, obs->reported_at)
                                                   : !hc_time_before(obs->reported_at, lease->unknown_since);
    if (!newer || !slot_named(obs, slot))
        return HC_OK;
    if (!lease->left_behind || shown->live != NULL)
        return lease_event(s, lease->id, LEV_BODY_BACK, WHY_NONE, FATE_BY_WHY);
    bool gone = slot_idle(obs, slot) && !agent_warming(obs, s->t, obs->reported_at);
    return gone ? lease_event(s, lease->id, LEV_RELEASE_UNKNOWN, WHY_REHOMED, FATE_KEEP) : HC_OK;
}

static enum hc_err evidence_once(struct step *s, const char *body_id, uint32_t slot, const struct body_obs *obs)
{
    const struct lease *lease = live_lease(s, body_id, slot);
    if (lease == NULL)
        return HC_OK;
    struct shown shown = look(s, body_id, slot, lease, obs);
    switch (lease->state) {
    case LEASE_STREAMING:
    case LEASE_ADOPTED:
        return streaming_evidence(s, body_id, slot, lease, &shown, obs);
    case LEASE_DRAINING:
        return draining_evidence(s, slot, lease, &shown, obs);
    case LEASE_UNKNOWN:
        return unknown_evidence(s, slot, lease, &shown, obs);
    default:
        return pre_stream_evidence(s, body_id, lease, &shown);
    }
}

#define EVIDENCE_STEPS 4      /* unknown, back, streaming, draining: no report leads further */

enum hc_err evidence_lease(struct step *s, const char *body_id, uint32_t slot)
{
    const struct body_obs *obs = observed_body(s->obs, body_id);
    const struct core_view view = step_view(s);
    bool fresh = obs != NULL && body_fresh(&view, body_id);
    enum hc_err err = HC_OK;
    const struct lease *lease = live_lease(s, body_id, slot);
    if (lease != NULL && lease->mode == MODE_XR)
        return HC_OK;                            /* its body tells of it in other words: xr_settle() */
    for (unsigned i = 0; i < EVIDENCE_STEPS && fresh && lease != NULL && err == HC_OK; i++) {
        enum lease_state before = lease->state;
        err = evidence_once(s, body_id, slot, obs);
        lease = live_lease(s, body_id, slot);
        if (lease == NULL || lease->state == before)
            break;
    }
    /* What its head took back from a drain while its body says nothing is in doubt at once. */
    bool doubted = err == HC_OK && lease != NULL && streams(lease) && lease->changed_at.ms == s->now.ms && body_silent(s, body_id);
    if (doubted)
        return lease_event(s, lease->id, LEV_BODY_SILENT, WHY_BODY_SILENT, FATE_BY_WHY);
    /* What came back to a start that is over by now (a merge had doubted it) does not start again. */
    bool over = err == HC_OK && lease != NULL && lease_is_pre_stream(lease->state) && lease->changed_at.ms == s->now.ms &&
                hc_time_due(lease->start_deadline_at, s->now);
    return over ? lease_event_uncounted(s, lease->id, LEV_START_DEADLINE, WHY_START_TIMEOUT) : err;
}

/* A session on the slot that its lease does not cover, or that must not be there: NULL when all is well. */
static const struct session_obs *mismatch(const struct step *s, const struct body_rec *body, uint32_t slot, const struct body_obs *obs)
{
    const struct core_view view = step_view(s);
    const struct lease *lease = slot_live_lease(&body->slots[slot]);
    size_t at = 0, covered = 0;
    for (const struct session_obs *seen; (seen = session_next(obs, slot, &at)) != NULL;) {
        if (!session_live(seen))
            continue;
        if (lease == NULL ? session_refused(&view, body, slot, seen) != NULL : is_other(&view, body, slot, lease, seen))
            return seen;
        if (lease != NULL && covered++ > 0)
            return seen;                     /* two sessions on one slot are two rows (§10.5) */
    }
    return NULL;
}

static const char *client_text(const struct session_obs *seen)
{
    if (seen->client_name[0] != '\0')
        return seen->client_name;
    return seen->client_uuid[0] != '\0' ? seen->client_uuid : "unknown";
}

enum hc_err evidence_conflict(struct step *s, const char *body_id, uint32_t slot)
{
    const struct body_rec *body = alloc_body(s->live, body_id);
    const struct body_obs *obs = observed_body(s->obs, body_id);
    if (s->ev->dry_run || body == NULL || obs == NULL || slot >= body->slot_count || slot >= BODY_SLOTS_MAX)
        return HC_OK;
    const struct session_obs *seen = mismatch(s, body, slot, obs);
    bool told = hc_time_set(obs->conflict_told_at[slot]);
    if ((seen != NULL) == told)
        return HC_OK;
    enum hc_err err = HC_OK;
    if (seen != NULL)
        err = step_note(s, NOTE_SLOT_CONFLICT, body_id, (int32_t)slot, slot_live_lease(&body->slots[slot]), session_head(seen),
                        "client %s, launch %s", client_text(seen), seen->launch_id[0] != '\0' ? seen->launch_id : "unknown");
    struct body_obs *edit = err == HC_OK ? step_edit_body_obs(s, body_id) : NULL;
    if (edit == NULL)
        return err == HC_OK ? HC_ERR_NOMEM : err;
    edit->conflict_told_at[slot] = seen != NULL ? s->now : HC_TIME_NEVER;
    return HC_OK;
}
