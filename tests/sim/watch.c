/* watch.c - what changed with the leases since the last event, and which checks that calls for. */
#include <string.h>

#include "sim.h"

#define TICK_SLACK_MS 11000
#define FUTURE_MS     60000
#define BOOT_SAVED_MS 65000      /* by then a boot_id has reached the disk */

struct seen_lease *seen_lease(struct sim *sim, const char *lease_id)
{
    for (size_t i = 0; i < sim->lease_count; i++)
        if (strcmp(sim->leases[i].id, lease_id) == 0)
            return &sim->leases[i];
    return NULL;
}

struct slot_epochs *epochs_of(struct sim *sim, const char *body_id)
{
    for (size_t i = 0; i < sim->epoch_count; i++)
        if (strcmp(sim->epochs[i].body_id, body_id) == 0)
            return &sim->epochs[i];
    size_t at = sim->epoch_count < sizeof sim->epochs / sizeof sim->epochs[0] ? sim->epoch_count++ : (size_t)(sim->number % SIM_BODIES_MAX);
    sim->epochs[at] = (struct slot_epochs){ .version = NULL };
    HC_SET(sim->epochs[at].body_id, body_id);
    return &sim->epochs[at];
}

static void take_facts(struct seen_lease *seen, const struct lease *lease)
{
    HC_SET(seen->head_id, lease->head_id);
    HC_SET(seen->stream_id, lease->stream_id);
    seen->state = lease->state;
    seen->came_from = lease->came_from;
    seen->why = lease->why;
    seen->left_behind = lease->left_behind;
    seen->uncollected = lease->uncollected;
    seen->xr = lease->mode == MODE_XR;
    seen->there = true;
}

static struct seen_lease *remember(struct sim *sim, const struct lease *lease, const char *body_id, uint32_t slot)
{
    if (sim->lease_count == SIM_LEASES_MAX) {
        sim_violation(sim, "more than %d leases at once: ended ones are not let go", SIM_LEASES_MAX);
        sim->lease_count = 0;
    }
    struct seen_lease *seen = &sim->leases[sim->lease_count++];
    *seen = (struct seen_lease){ .slot = slot, .protocol = lease->protocol, .grant_epoch = lease->grant_epoch, .source = lease->source,
        .quest = lease->quest, .granted_at = sim->now, .deadline_from = sim->now, .since = sim->now, .renewed_at = sim->now,
        .shown_at = sim->now, .silent_from = sim->now };
    HC_SET(seen->id, lease->id);
    HC_SET(seen->body_id, body_id);
    take_facts(seen, lease);
    return seen;
}

/* Ends that say nothing about whether its head still plays. */
static bool taken_away(enum lease_why why)
{
    return why != WHY_BODY_IDLE && why != WHY_RELEASED && why != WHY_USER_EXIT && why != WHY_ABANDON && why != WHY_MADE_EXPLICIT;
}

static void let_go(struct sim *sim, const struct seen_lease *was, const struct lease *is)
{
    struct machine *m = machine_of(sim, was->body_id);
    for (size_t i = 0; i < sim->head_count; i++) {
        struct head *h = &sim->heads[i];
        if (!hc_same(h->id, is->head_id))
            continue;
        h->standing = h->standing && !hc_same(h->held_id, is->id);
        for (size_t k = 0; m != NULL && k < SIM_SESSIONS_MAX && taken_away(is->why); k++)
            if (m->sessions[k].on && m->sessions[k].head == (int)i && m->sessions[k].slot == was->slot)
                m->sessions[k].admitted = false;
    }
}

static bool asked_for(enum lease_why why)
{
    return why == WHY_RELEASED || why == WHY_USER_EXIT || why == WHY_ERROR || why == WHY_ABANDON || why == WHY_UNREACHABLE ||
        why == WHY_INTERRUPTED || why == WHY_EXPERIENCE_CHANGED || why == WHY_OPERATOR_RELEASE || why == WHY_OPERATOR_REVOKE ||
        why == WHY_DRAINED || why == WHY_NODE_DELETED || why == WHY_NODE_DENIED || why == WHY_IDENTITY_REVOKED;
}

/* What the newest report shows on the slot; NULL: nothing. */
static const struct session_obs *shown_on(const struct machine *m, uint32_t slot)
{
    static const struct session_obs legacy = { .state = SESSION_STREAMING };
    if (m->heard_at == 0)
        return NULL;
    if (!m->heard.modern)
        return slot == 0 && m->heard.streaming ? &legacy : NULL;
    for (size_t i = 0; i < m->heard.row_count; i++)
        if (m->heard.rows[i].index == slot && (m->heard.rows[i].state == SESSION_STREAMING || m->heard.rows[i].state == SESSION_STARTING))
            return &m->heard.rows[i];
    return NULL;
}

static void note_refusal(struct sim *sim, const struct seen_lease *was, const struct lease *is)
{
    struct machine *m = machine_of(sim, was->body_id);
    bool refuses = is->state == LEASE_REVOKED || is->why == WHY_DRAIN_TIMEOUT;
    if (m == NULL || !refuses || was->slot >= SIM_SLOTS_MAX)
        return;
    const struct session_obs *shown = shown_on(m, was->slot);
    struct refusal *refusal = &m->refused[was->slot];
    /* What is shown may not be this lease's own: then nobody can say whether it will be adopted. */
    bool sure = shown != NULL && hc_same(shown->launch_id, is->launch_id) && is->launch_id[0] != '\0';
    *refusal = (struct refusal){ .is = sure ? REFUSED_YES : REFUSED_UNSURE, .asked = asked_for(is->why) };
    HC_SET(refusal->launch_id, is->launch_id);
}

static void moved(struct sim *sim, struct seen_lease *was, const struct lease *is)
{
    if (was->state != is->state) {
        sim_trace(sim, "%s of %s on %s/%u: %s -> %s %s", was->id + 4, is->head_id[0] == '\0' ? "nobody" : is->head_id, was->body_id,
                  was->slot,
            word_of(&lease_state_words, (int)was->state), word_of(&lease_state_words, (int)is->state),
            word_of(&lease_why_words, (int)is->why));
        if (lease_is_terminal(was->state))
            sim_violation(sim, "I4: lease %s came back from %s", was->id, word_of(&lease_state_words, (int)was->state));
        sim_check_i5_only_its_own(sim, was, is);
        sim_check_i8_not_before_its_time(sim, was, is);
        sim_check_i3_ended_was_really_gone(sim, was, is);
        sim_check_i10_never_taken_from_a_picture(sim, was, is);
        if (is->state == LEASE_DRAINING || is->state == LEASE_REVOKED)
            was->asked = asked_for(is->why);
        if (lease_is_terminal(is->state)) {
            let_go(sim, was, is);
            note_refusal(sim, was, is);
        }
        bool begins = is->state == LEASE_STREAMING || is->state == LEASE_ADOPTED;
        if (begins)
            was->shown_at = sim->now;
        if (was->state == LEASE_UNKNOWN && lease_is_pre_stream(is->state))
            was->renewed_at = was->deadline_from = sim->now;      /* its clocks did not run meanwhile; the next tick looks */
        if (begins && was->state == LEASE_DRAINING)
            was->silent_from = sim->now;
        if (lease_is_pre_stream(is->state) != lease_is_pre_stream(was->state) || !lease_is_pre_stream(is->state))
            was->since = sim->now;
    } else if (!hc_same(was->head_id, is->head_id) || was->left_behind != is->left_behind) {
        sim_check_i5_only_its_own(sim, was, is);
        if (is->left_behind && !was->left_behind)
            let_go(sim, was, is);
        if (was->head_id[0] == '\0')
            was->silent_from = sim->now;     /* attributed: its head is heard of */
    }
    if (was->uncollected && !is->uncollected)
        was->deadline_from = was->renewed_at = was->silent_from = sim->now;
    take_facts(was, is);
}

static void new_lease(struct sim *sim, const struct lease *is, const char *body_id, uint32_t slot, uint64_t epoch_before)
{
    struct machine *m = machine_of(sim, body_id);
    sim_trace(sim, "%s of %s on %s/%u: new, %s, epoch %llu", is->id + 4, is->head_id[0] == '\0' ? "nobody" : is->head_id, body_id, slot,
        word_of(&lease_state_words, (int)is->state), (unsigned long long)is->grant_epoch);
    sim_check_i4_grant_is_above_all(sim, is, body_id, slot);
    if (is->source == SOURCE_ADOPTED) {
        struct refusal *refusal = m == NULL || slot >= SIM_SLOTS_MAX ? NULL : &m->refused[slot];
        if (refusal != NULL && refusal->is == REFUSED_YES && hc_same(is->launch_id, refusal->launch_id))
            sim_violation(sim, "I11: the session %s on %s/%u was taken away and is adopted again", is->launch_id, body_id, slot);
    } else {
        sim->tally[0]++;
        sim_check_i3_granted_was_known_idle(sim, is, body_id, slot, epoch_before);
        if (sim->grant_count < sizeof sim->grant_ids / sizeof sim->grant_ids[0])
            HC_SET(sim->grant_ids[sim->grant_count++], is->id);
        for (size_t i = 0; i < sim->head_count; i++) {
            const struct head *h = &sim->heads[i];
            if (h->standing && h->body >= 0 && !hc_same(h->id, is->head_id) && hc_same(sim->bodies[h->body].id, body_id) && h->slot == slot)
                sim_violation(sim, "I1: %s/%u goes to %s while %s holds what it was granted there", body_id, slot, is->head_id, h->id);
        }
    }
    (void)remember(sim, is, body_id, slot);
}

static void walk_slot(struct sim *sim, const struct body_rec *body, const struct slot *slot, uint64_t epoch_before)
{
    for (size_t k = 0; k < slot->lease_count; k++) {
        const struct lease *lease = &slot->leases[k];
        struct seen_lease *seen = seen_lease(sim, lease->id);
        if (seen == NULL)
            new_lease(sim, lease, body->rec.key, slot->index, epoch_before);
        else
            moved(sim, seen, lease);
    }
}

static void walk_body(struct sim *sim, const struct body_rec *body)
{
    struct slot_epochs *epochs = epochs_of(sim, body->rec.key);
    if (epochs->version == body && epochs->step == body->rec.step)
        return;
    epochs->version = body;
    epochs->step = body->rec.step;
    for (size_t i = 0; i < sim->lease_count; i++)
        if (hc_same(sim->leases[i].body_id, body->rec.key))
            sim->leases[i].there = false;
    for (size_t i = 0; i < body->slot_count && i < SIM_SLOTS_MAX; i++)
        walk_slot(sim, body, &body->slots[i], epochs->live[i]);
    for (size_t i = 0; i < sim->lease_count; i++) {
        struct seen_lease *seen = &sim->leases[i];
        if (seen->there || !hc_same(seen->body_id, body->rec.key))
            continue;
        if (!lease_is_terminal(seen->state))
            sim_violation(sim, "I8: lease %s vanished in state %s", seen->id, word_of(&lease_state_words, (int)seen->state));
        *seen = sim->leases[--sim->lease_count];
        i--;
    }
    sim_check_i4_epochs_grow(sim, body, false);
}

static bool leisure(const char *status)
{
    return hc_same(status, "idle") || hc_same(status, "self-service") || hc_same(status, "error");
}

/* What renews a lease, by the table of rules §6.2. */
static void beat_renews(struct sim *sim, const struct heartbeat_req *req, struct seen_lease *lease)
{
    bool names = hc_same(req->lease_id, lease->id), streaming = hc_same(req->status, "streaming");
    bool elsewhere = req->body_id[0] != '\0' && !hc_same(req->body_id, lease->body_id);
    if (req->lease_state == HEAD_LEASE_LOST)
        return;
    if (lease->xr && !lease->uncollected) {
        bool there = streaming || hc_same(req->status, "pairing") || hc_same(req->status, "starting") ||
            hc_same(req->status, "streaming-xr");
        if ((there && !elsewhere) || (names && !leisure(req->status)))
            lease->silent_from = sim->now;
        return;
    }
    if (lease_is_pre_stream(lease->state)) {
        bool ends = hc_same(req->status, "error");       /* and without a store it is said again with the next one */
        if (lease->source == SOURCE_IMPLICIT ? !ends : names && !lease->uncollected) {
            lease->renewed_at = sim->now;
            lease->rolled = true;
        }
    } else if (!leisure(req->status) && ((streaming && !elsewhere) || names)) {
        lease->silent_from = sim->now;
    }
}

static void renewals(struct sim *sim, const struct core_event *ev, const struct core_result *result)
{
    for (size_t i = 0; i < sim->lease_count; i++) {
        struct seen_lease *lease = &sim->leases[i];
        if (lease_is_terminal(lease->state) || !hc_same(lease->head_id, sim->step_head) || lease->left_behind ||
            lease->state == LEASE_DRAINING)
            continue;
        if (ev->type == CORE_HEARTBEAT)
            beat_renews(sim, &ev->u.heartbeat, lease);
        if (ev->type == CORE_XR_POLL && result->answer == ANSWER_XR && hc_same(result->xr.session_id, lease->id))
            lease->silent_from = sim->now;
        bool same = result->has_lease && hc_same(result->lease.id, lease->id) && result->answer == ANSWER_LEASE_SAME;
        if ((ev->type == CORE_RENEW || ev->type == CORE_CONFIG_FETCH) && same) {
            lease->renewed_at = lease->silent_from = sim->now;
            lease->rolled = true;
        }
    }
}

/* Does the newest report show a picture that may be this lease's? Another client's is none (rules §10.4). */
static bool shows_lease(const struct sim *sim, const struct machine *m, const struct seen_lease *lease)
{
    for (size_t i = 0; m->heard.modern && i < SIM_SESSIONS_MAX; i++) {
        const struct session *session = &m->sessions[i];
        bool its = lease->head_id[0] == '\0' || (session->head >= 0 && hc_same(sim->heads[session->head].id, lease->head_id));
        bool told = false;
        for (size_t k = 0; k < m->heard.row_count; k++)
            told = told || (hc_same(m->heard.rows[k].launch_id, session->launch_id) && m->heard.rows[k].state == SESSION_STREAMING);
        if (its && told && session->slot == lease->slot)
            return true;
    }
    return !m->heard.modern && lease->slot == 0 && m->heard.streaming;
}

static void shown(struct sim *sim, const struct machine *m)
{
    for (size_t i = 0; i < sim->lease_count; i++)
        if (hc_same(sim->leases[i].body_id, m->id) && shows_lease(sim, m, &sim->leases[i]))
            sim->leases[i].shown_at = sim->now;
}

/* An idle report closes what was taken away. */
static void refusals_end(struct machine *m)
{
    for (uint32_t slot = 0; slot < SIM_SLOTS_MAX; slot++) {
        bool idle = m->heard.modern ? false : slot == 0 && !m->heard.streaming, other = false;
        for (size_t i = 0; m->heard.modern && i < m->heard.row_count; i++)
            if (m->heard.rows[i].index == slot) {
                idle = idle || m->heard.rows[i].state == SESSION_IDLE;
                other = other || m->heard.rows[i].state != SESSION_IDLE;
            }
        if (idle && !other)
            m->refused[slot].is = REFUSED_NO;
    }
}

/* The line and the reserve, when all that the step gives is given. */
static void check_grants(struct sim *sim)
{
    for (size_t i = 0; i < sim->grant_count; i++) {
        const struct body_rec *body;
        const struct slot *slot;
        const struct lease *lease = alloc_lease(sim->cluster.live, sim->grant_ids[i], &body, &slot);
        if (lease == NULL)
            continue;
        sim_check_i10_first_come(sim, lease, body->rec.key, slot->index);
        if (sim->grant_count == 1)
            sim_check_i10_home_is_kept(sim, lease, body->rec.key);
    }
}

static const char *head_of_ticket(const struct alloc *live, const char *ticket_id)
{
    for (size_t i = 0; i < alloc_count(live, REC_TICKET); i++)
        if (hc_same(((const struct ticket_rec *)alloc_at(live, REC_TICKET, i))->id, ticket_id))
            return alloc_at(live, REC_TICKET, i)->key;
    return "";
}

/* What the step will change and the checks must know: promises, and whether a claim is made over the head's own hold. */
void watch_before(struct sim *sim, const struct core_event *ev)
{
    const struct alloc *live = sim->cluster.live;
    size_t promises = 0;
    for (size_t i = 0; i < sizeof sim->promised_to / sizeof sim->promised_to[0]; i++)
        sim->promised_to[i][0] = '\0';
    sim->made_explicit[0] = '\0';
    if (ev->type == CORE_CLAIM) {
        const char *own = alloc_head_lease(live, ev->u.claim.head_id);
        const struct lease *lease = own == NULL ? NULL : alloc_lease(live, own, NULL, NULL);
        if (lease != NULL && lease->source == SOURCE_IMPLICIT && lease_is_pre_stream(lease->state))
            HC_SET(sim->made_explicit, lease->head_id);
    }
    for (size_t b = 0; alloc_count(live, REC_TICKET) > 0 && b < alloc_count(live, REC_BODY); b++) {
        const struct body_rec *body = (const struct body_rec *)alloc_at(live, REC_BODY, b);
        for (size_t i = 0; i < body->slot_count; i++)
            if (body->slots[i].promise_ticket_id[0] != '\0' && promises < sizeof sim->promised_to / sizeof sim->promised_to[0])
                HC_SET(sim->promised_to[promises++], head_of_ticket(live, body->slots[i].promise_ticket_id));
    }
}

void watch_step(struct sim *sim, const struct core_event *ev, const struct core_result *result)
{
    struct machine *m = ev->type == CORE_BODY_REPORT ? machine_of(sim, ev->u.report.body_id) : NULL;
    if (m != NULL && m->heard_at == sim->now) {
        shown(sim, m);
        if (!machine_may_seem_warming(sim, m))
            refusals_end(m);
    }
    const struct alloc *live = sim->cluster.live;
    sim->grant_count = 0;
    for (size_t i = 0; result->dirty && i < alloc_count(live, REC_BODY); i++)
        walk_body(sim, (const struct body_rec *)alloc_at(live, REC_BODY, i));
    check_grants(sim);
    if (sim->mode == MODE_RANDOM)
        watch_pairing_step(sim, ev, result);
    if (sim->step_head[0] != '\0')
        renewals(sim, ev, result);
    if (result->dirty)
        sim_check_i1_slot_exclusive(sim);
    if (!sim->cluster.store_ok || sim->now < sim->clock_slack_until)
        return;
    for (size_t i = 0; i < sim->lease_count; i++)
        if (!lease_is_terminal(sim->leases[i].state))
            sim_check_i8_lease_is_bounded(sim, &sim->leases[i]);
    if (ev->type == CORE_TICK)
        sim_check_i8_queue_is_bounded(sim);
}

static void was_acknowledged(struct sim *sim, const struct seen_lease *lease)
{
    for (size_t i = 0; i < sim->head_count; i++)
        if (sim->heads[i].standing && hc_same(sim->heads[i].held_id, lease->id))
            sim_violation(sim, "I1: %s was told that it has %s, and the store has lost it", sim->heads[i].id, lease->id);
}

/* Files that another process wrote, or an old copy of them: what they do not have is not held any more (rules §3.3). */
void watch_replaced(struct sim *sim)
{
    watch_pairing_lost(sim, true);
    for (size_t i = 0; i < sim->body_count; i++)
        sim->bodies[i].boot_unsure = true;
    for (size_t i = 0; i < sim->lease_count; i++) {
        struct seen_lease *lease = &sim->leases[i];      /* as old as the file says, and clamped anew */
        lease->since = lease->renewed_at = lease->silent_from = lease->deadline_from = lease->shown_at = sim->now;
        lease->rolled = true;
    }
    for (size_t i = 0; i < sim->head_count; i++) {
        struct head *h = &sim->heads[i];
        const char *own = alloc_head_lease(sim->cluster.live, h->id);
        const char *body_id = own == NULL ? "" : alloc_lease_body(sim->cluster.live, own);
        h->standing = h->standing && hc_same(own, h->held_id);
        for (size_t b = 0; b < sim->body_count; b++)
            for (size_t k = 0; k < SIM_SESSIONS_MAX; k++)
                if (sim->bodies[b].sessions[k].head == (int)i && !hc_same(sim->bodies[b].id, body_id))
                    sim->bodies[b].sessions[k].admitted = false;
    }
}

/* A state that nobody was told of is gone, another one is back. */
void watch_lost(struct sim *sim)
{
    const struct alloc *live = sim->cluster.live;
    for (size_t i = 0; i < sim->lease_count; i++)
        sim->leases[i].there = false;
    for (size_t b = 0; b < alloc_count(live, REC_BODY); b++) {
        const struct body_rec *body = (const struct body_rec *)alloc_at(live, REC_BODY, b);
        struct slot_epochs *epochs = epochs_of(sim, body->rec.key);
        epochs->version = body;
        epochs->step = body->rec.step;
        for (size_t i = 0; i < body->slot_count && i < SIM_SLOTS_MAX; i++) {
            epochs->live[i] = body->slots[i].epoch;
            for (size_t k = 0; k < body->slots[i].lease_count; k++) {
                const struct lease *lease = &body->slots[i].leases[k];
                struct seen_lease *seen = seen_lease(sim, lease->id);
                if (seen == NULL) {
                    seen = remember(sim, lease, body->rec.key, (uint32_t)i);
                    seen->rolled = true;     /* nobody knows whether a heartbeat prolonged it */
                }
                if (seen->state != lease->state)
                    seen->since = seen->renewed_at = seen->deadline_from = seen->silent_from = seen->shown_at = sim->now;
                seen->stepped = true;
                take_facts(seen, lease);
            }
        }
    }
    for (size_t i = 0; i < sim->lease_count; i++)
        if (!sim->leases[i].there) {
            was_acknowledged(sim, &sim->leases[i]);
            sim->leases[i--] = sim->leases[--sim->lease_count];
        }
    for (size_t i = 0; i < sim->body_count; i++) {
        struct machine *m = &sim->bodies[i];
        bool young = sim->now - m->boot_heard_at < BOOT_SAVED_MS || sim->now - m->seems_boot_at < BOOT_SAVED_MS;
        m->boot_unsure = m->boot_unsure || young;
        for (size_t k = 0; k < SIM_SLOTS_MAX; k++)
            m->refused[k].is = REFUSED_UNSURE;
    }
    watch_pairing_lost(sim, false);
    sim->clock_slack_until = sim->now + TICK_SLACK_MS;
}

/* A body that was deleted is forgotten with its epochs; one that comes back tells what it has seen. */
static void forget_bodies(struct sim *sim, const struct alloc *in)
{
    for (size_t i = 0; i < sim->epoch_count; i++)
        if (alloc_body(in, sim->epochs[i].body_id) == NULL)
            sim->epochs[i--] = sim->epochs[--sim->epoch_count];
}

void watch_committed(struct sim *sim)
{
    const struct alloc *committed = sim->cluster.committed;
    forget_bodies(sim, committed);
    for (size_t i = 0; i < alloc_count(committed, REC_BODY); i++) {
        const struct body_rec *body = (const struct body_rec *)alloc_at(committed, REC_BODY, i);
        struct slot_epochs *epochs = epochs_of(sim, body->rec.key);
        if (epochs->committed_version == body && epochs->committed_step == body->rec.step)
            continue;
        epochs->committed_version = body;
        epochs->committed_step = body->rec.step;
        sim_check_i4_epochs_grow(sim, body, true);
    }
}

static void move_on(int64_t *at, int64_t by_ms, int64_t now)
{
    *at = *at + by_ms > now ? now : *at + by_ms;
}

/* Our outage counts for nobody; the absolute deadline runs on. */
void watch_outage(struct sim *sim, int64_t outage_ms)
{
    for (size_t i = 0; i < sim->lease_count; i++) {
        struct seen_lease *lease = &sim->leases[i];
        move_on(&lease->since, outage_ms, sim->now);
        move_on(&lease->renewed_at, outage_ms, sim->now);
        move_on(&lease->silent_from, outage_ms, sim->now);
    }
    watch_pairing_outage(sim, outage_ms);
    sim->clock_slack_until = sim->now + TICK_SLACK_MS;
}

void watch_restart(struct sim *sim, int64_t outage_ms, bool stepped, bool restored)
{
    if (restored)
        watch_replaced(sim);
    watch_lost(sim);
    for (size_t i = 0; i < sim->lease_count; i++) {
        struct seen_lease *lease = &sim->leases[i];
        lease->asked = false;
        lease->stepped = true;               /* renewals since the last save are forgotten: clocks may be seconds early */
    }
    watch_outage(sim, outage_ms);
    if (stepped || restored)
        watch_pairing_stepped(sim);
    /* Up to a minute ahead of the new clock is tolerated and stays so (rules §4.2). */
    for (size_t i = 0; i < sim->lease_count && (stepped || restored); i++) {
        struct seen_lease *lease = &sim->leases[i];
        lease->since = lease->renewed_at = lease->silent_from = lease->deadline_from = sim->now + FUTURE_MS;
    }
    for (size_t i = 0; i < sim->body_count; i++)
        for (size_t k = 0; k < SIM_SLOTS_MAX; k++)
            sim->bodies[i].refused[k].asked = false;
    if (!restored)
        return;
    for (size_t i = 0; i < sim->epoch_count; i++)
        for (size_t k = 0; k < SIM_SLOTS_MAX; k++)
            sim->epochs[i].committed[k] = sim->epochs[i].granted[k] = 0;
}
