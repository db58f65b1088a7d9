/* record_times.c - every instant of every saved record, what kind it is and how long its rule lets it be: one walk for clamp and shift. */
#include "record_times.h"

#define FUTURE_TOLERATED_MS (60 * HC_SECOND_MS)      /* rules §4.2 */

enum time_kind {
    TIME_PAST,            /* it happened */
    TIME_BEFORE_US,       /* it happened, and is compared with our start: no future at all is tolerated */
    TIME_SILENCE,         /* it happened, and a clock counts from it */
    TIME_UNTIL,           /* an absolute deadline */
    TIME_ROLLING          /* a deadline that renewals move */
};
struct time_walk {
    const struct timers *t;
    hc_time now, saved_at;
    hc_time started_at;   /* of this daemon: another's file asks for no end after it, so what cannot have been yet was before (§8.1) */
    int64_t outage_ms;    /* 0: clamp; else shift */
    bool write;           /* false: only look whether something would change */
    bool changes;
};

static hc_time clamped(const struct time_walk *w, hc_time t, enum time_kind kind, int64_t full_ms)
{
    if (kind == TIME_BEFORE_US)
        return hc_time_before(w->now, t) ? hc_time_earlier(w->started_at, w->now) : t;
    if (kind == TIME_PAST || kind == TIME_SILENCE)
        return hc_time_since(t, w->now) > FUTURE_TOLERATED_MS ? w->now : t;
    if (hc_time_since(t, w->now) <= full_ms)
        return t;
    int64_t left_ms = hc_time_set(w->saved_at) ? hc_time_since(t, w->saved_at) : full_ms;
    left_ms = left_ms < 0 ? 0 : left_ms;
    return hc_time_add(w->now, left_ms < full_ms ? left_ms : full_ms);
}

static hc_time shifted(const struct time_walk *w, hc_time t, enum time_kind kind, int64_t full_ms)
{
    hc_time moved = hc_time_add(t, w->outage_ms);
    if (kind == TIME_SILENCE)
        return hc_time_later(t, hc_time_earlier(moved, w->now));
    if (kind == TIME_ROLLING)
        return hc_time_later(t, hc_time_earlier(moved, hc_time_add(w->now, full_ms)));
    return t;
}

static void visit(struct time_walk *w, hc_time *t, enum time_kind kind, int64_t full_ms)
{
    if (!hc_time_set(*t))
        return;
    hc_time want = w->outage_ms > 0 ? shifted(w, *t, kind, full_ms) : clamped(w, *t, kind, full_ms);
    if (want.ms == t->ms)
        return;
    w->changes = true;
    if (w->write)
        *t = want;
}

/* The longest rolling clock that this lease may have. */
static int64_t rolling_ms(const struct timers *t, const struct lease *lease)
{
    if (lease->uncollected)
        return t->collect_window_ms;
    if (lease->source != SOURCE_IMPLICIT)
        return t->lease_ttl_ms;
    if (lease->quest)
        return t->soft_hold_quest_ms;
    return t->soft_hold_initial_ms > t->soft_hold_rolling_ms ? t->soft_hold_initial_ms : t->soft_hold_rolling_ms;
}

/* The longest time that its start may take. */
static int64_t start_ms(const struct timers *t, const struct lease *lease)
{
    if (lease->mode == MODE_XR)
        return t->xr_arm_ms > t->start_deadline_legacy_ms ? t->xr_arm_ms : t->start_deadline_legacy_ms;
    return lease->protocol >= 2 ? t->start_deadline_ms : t->start_deadline_legacy_ms;
}

static void visit_lease(struct time_walk *w, struct lease *lease)
{
    bool over = lease_is_terminal(lease->state);
    enum time_kind silence = over ? TIME_PAST : TIME_SILENCE;
    visit(w, &lease->granted_at, TIME_PAST, 0);
    visit(w, &lease->streaming_at, TIME_PAST, 0);
    visit(w, &lease->changed_at, TIME_BEFORE_US, 0);
    visit(w, &lease->renewed_at, silence, 0);
    visit(w, &lease->head_renewed_at, silence, 0);
    visit(w, &lease->idle_since, silence, 0);
    visit(w, &lease->drain_since, silence, 0);
    visit(w, &lease->unknown_since, silence, 0);
    if (over)
        return;
    visit(w, &lease->start_deadline_at, TIME_UNTIL, start_ms(w->t, lease));
    visit(w, &lease->expires_at, TIME_ROLLING, rolling_ms(w->t, lease));
    if (w->write && hc_time_set(lease->expires_at) && hc_time_set(lease->start_deadline_at))
        lease->expires_at = hc_time_earlier(lease->expires_at, lease->start_deadline_at);      /* nobody renews past it (I8) */
}

static void visit_slot(struct time_walk *w, struct slot *slot)
{
    visit(w, &slot->promise_until, TIME_ROLLING, w->t->promise_window_ms);
    visit(w, &slot->silent_until, TIME_ROLLING, w->t->silent_head_backoff_ms);
    visit(w, &slot->pair.granted_at, TIME_PAST, 0);
    visit(w, &slot->pair.expires_at, TIME_ROLLING, w->t->pair_lease_ttl_ms);
    for (size_t i = 0; i < slot->ghost_count; i++)
        visit(w, &slot->ghosts[i].ended_at, TIME_BEFORE_US, 0);
    for (size_t i = 0; i < slot->lease_count; i++)
        visit_lease(w, &slot->leases[i]);
}

/* The list is shared with other versions: a changed one is a new one. Without memory it stays as it was read. */
static void visit_paired(struct time_walk *w, struct paired **list)
{
    bool changed = false;
    for (size_t i = 0; *list != NULL && i < (*list)->count; i++) {
        hc_time seen = (*list)->at[i].first_seen;
        struct time_walk one = *w;
        one.write = true;
        visit(&one, &seen, TIME_PAST, 0);
        changed = changed || seen.ms != (*list)->at[i].first_seen.ms;
    }
    w->changes = w->changes || changed;
    struct paired *copy = changed && w->write ? paired_new((*list)->at, (*list)->count) : NULL;
    if (copy == NULL)
        return;
    for (size_t i = 0; i < copy->count; i++)
        visit(w, &copy->at[i].first_seen, TIME_PAST, 0);
    paired_unref(*list);
    *list = copy;
}

static void visit_op(struct time_walk *w, struct op_rec *op)
{
    visit(w, &op->asked_at, TIME_PAST, 0);
    visit(w, &op->finished_at, TIME_PAST, 0);
    if (op->state == OP_PENDING)
        visit(w, &op->expires_at, TIME_ROLLING, w->t->op_ttl_ms);
}

static void visit_body(struct time_walk *w, struct body_rec *body)
{
    visit_paired(w, &body->paired);
    visit(w, &body->custodian_last_success_at, TIME_PAST, 0);
    visit(w, &body->cert_rotated_at, TIME_PAST, 0);
    for (size_t i = 0; i < body->eviction_count; i++)
        visit(w, &body->evictions[i].at, TIME_PAST, 0);
    visit(w, &body->last_body_confirmation_at, TIME_SILENCE, 0);
    visit(w, &body->last_unauthorized_at, TIME_PAST, 0);
    visit(w, &body->observing_since, TIME_PAST, 0);
    visit(w, &body->xr.created_at, TIME_PAST, 0);
    visit(w, &body->xr.since, TIME_SILENCE, 0);
    visit(w, &body->circuit.until, TIME_UNTIL, w->t->circuit_open_max_ms);
    for (size_t i = 0; i < body->circuit.failure_count; i++)
        visit(w, &body->circuit.failures[i].at, TIME_PAST, 0);
    for (size_t i = 0; i < body->slot_count; i++)
        visit_slot(w, &body->slots[i]);
}

static void visit_ticket(struct time_walk *w, struct ticket_rec *ticket)
{
    visit(w, &ticket->created_at, TIME_PAST, 0);
    visit(w, &ticket->renewed_at, TIME_SILENCE, 0);
    visit(w, &ticket->asked_at, TIME_SILENCE, 0);
    visit(w, &ticket->confirm_by, TIME_ROLLING, w->t->confirm_window_ms);
}

static void visit_identity(struct time_walk *w, struct identity_rec *identity)
{
    visit(w, &identity->registered_at, TIME_PAST, 0);
    visit(w, &identity->revoked_at, TIME_PAST, 0);
    visit(w, &identity->predecessor.registered_at, TIME_PAST, 0);
    visit(w, &identity->predecessor.overlap_until, TIME_UNTIL, w->t->device_cert_overlap_ms);
    visit_paired(w, &identity->lost);
}

static void visit_record(struct time_walk *w, struct rec *rec)
{
    switch (rec->kind) {
    case REC_BODY:
        visit_body(w, (struct body_rec *)rec);
        break;
    case REC_STREAM:
        visit(w, &((struct stream_rec *)rec)->created_at, TIME_PAST, 0);
        visit(w, &((struct stream_rec *)rec)->ended_at, TIME_PAST, 0);
        break;
    case REC_TICKET:
        visit_ticket(w, (struct ticket_rec *)rec);
        break;
    case REC_DISTRICT:
        visit(w, &((struct district_rec *)rec)->safe_since, TIME_SILENCE, 0);
        visit(w, &((struct district_rec *)rec)->per_device_identity_at, TIME_PAST, 0);
        visit(w, &((struct district_rec *)rec)->per_device_identity_off_at, TIME_PAST, 0);
        visit(w, &((struct district_rec *)rec)->retirement_since, TIME_PAST, 0);
        break;
    case REC_IDENTITY:
        visit_identity(w, (struct identity_rec *)rec);
        break;
    case REC_DEMOTION:
        visit(w, &((struct demotion_rec *)rec)->until, TIME_UNTIL, w->t->demotion_window_ms);
        break;
    case REC_ATTEMPTS:
        for (size_t i = 0; i < ((struct attempts_rec *)rec)->count; i++)
            visit(w, &((struct attempts_rec *)rec)->at[i].until, TIME_UNTIL, w->t->attempt_memory_ms);
        break;
    case REC_OP:
        visit_op(w, (struct op_rec *)rec);
        break;
    case REC_NODE:
        visit(w, &((struct node_rec *)rec)->enrolled_at, TIME_PAST, 0);
        visit(w, &((struct node_rec *)rec)->last_seen, TIME_PAST, 0);
        break;
    default:
        break;            /* the other kinds hold no instants */
    }
}

static enum hc_err walk(struct step *s, struct time_walk *w)
{
    for (int kind = 0; kind < REC_SAVED_KINDS; kind++)
        for (size_t i = 0; i < alloc_count(s->live, (enum rec_kind)kind); i++) {
            const struct rec *rec = alloc_at(s->live, (enum rec_kind)kind, i);
            w->write = w->changes = false;
            visit_record(w, (struct rec *)rec);      /* looks only: nothing is written */
            if (!w->changes)
                continue;
            struct rec *edit = alloc_edit(s->live, (enum rec_kind)kind, rec->key);
            if (edit == NULL)
                return HC_ERR_NOMEM;
            w->write = true;
            visit_record(w, edit);
        }
    return HC_OK;
}

enum hc_err times_clamp(struct step *s, hc_time saved_at)
{
    struct time_walk w = { .t = s->t, .now = s->now, .saved_at = saved_at, .started_at = s->obs->started_at };
    return walk(s, &w);
}

static enum hc_err shift_observed(struct step *s, struct time_walk *w)
{
    w->write = true;
    for (size_t i = 0; i < observed_count(s->obs, OBS_CLOCK); i++) {
        char lease_id[REC_KEY_SIZE];
        HC_SET(lease_id, observed_at(s->obs, OBS_CLOCK, i)->key);
        const struct lease *lease = alloc_lease(s->live, lease_id, NULL, NULL);
        struct clock_obs *clock = lease == NULL ? NULL : step_edit_clock(s, lease_id);
        if (lease == NULL)
            continue;
        if (clock == NULL)
            return HC_ERR_NOMEM;
        visit(w, &clock->renewed_at, TIME_SILENCE, 0);
        visit(w, &clock->head_renewed_at, TIME_SILENCE, 0);
        visit(w, &clock->expires_at, TIME_ROLLING, rolling_ms(s->t, lease));
        if (hc_time_set(lease->start_deadline_at))
            clock->expires_at = hc_time_earlier(clock->expires_at, lease->start_deadline_at);
    }
    for (size_t i = 0; i < alloc_count(s->live, REC_TICKET); i++) {
        const char *head_id = alloc_at(s->live, REC_TICKET, i)->key;
        const struct node_obs *known = observed_node(s->obs, head_id);
        struct node_obs *head = known == NULL ? NULL : step_edit_node_obs(s, head_id);
        if (known == NULL)
            continue;
        if (head == NULL)
            return HC_ERR_NOMEM;
        visit(w, &head->ticket_renewed_at, TIME_SILENCE, 0);
    }
    return HC_OK;
}

enum hc_err times_shift(struct step *s, int64_t outage_ms, bool observed)
{
    if (outage_ms <= 0)
        return HC_OK;
    struct time_walk w = { .t = s->t, .now = s->now, .outage_ms = outage_ms };
    enum hc_err err = walk(s, &w);
    return err == HC_OK && observed && !s->ev->dry_run ? shift_observed(s, &w) : err;
}
