/* check_i10.c - I10: first come, first served; a venue is not starved of its own bodies; a picture is never taken. Who may use a slot is
 * decided here from the records alone, without the core's own ranking and reserve. */
#include "sim.h"

#define TICKET_TTL_MS 45000
#define TICKETS_MAX   SIM_HEADS_MAX
#define FREE_MAX      (SIM_BODIES_MAX * SIM_SLOTS_MAX)

static const char *owner_of(const struct alloc *a, const struct node_rec *node)
{
    const struct venue_rec *venue = alloc_venue(a, node->venue);
    return node->owner[0] != '\0' ? node->owner : venue == NULL ? "" : venue->owner;
}

/* Could this ticket's head be given a slot of this body, if it were free? */
static bool could_use(const struct sim *sim, const struct ticket_rec *ticket, const struct body_rec *body)
{
    const struct alloc *a = sim->cluster.live;
    const struct node_rec *head = alloc_node(a, ticket->rec.key), *node = alloc_node(a, body->rec.key);
    const struct machine *m = machine_of((struct sim *)sim, body->rec.key);
    if (head == NULL || node == NULL || m == NULL || !hc_same(node->district, head->district) || body->maintenance)
        return false;
    if (ticket->protocol < 2 && body->slots_total > 1)
        return false;
    if (head->head_body_id[0] != '\0' && !hc_same(head->head_body_id, body->rec.key))
        return false;
    const char *owner = owner_of(a, head);
    if (!hc_same(node->venue, head->venue) && (owner[0] == '\0' || !hc_same(owner, owner_of(a, node))))
        return false;
    for (uint32_t i = 0; i < 2; i++)
        if (hc_same(ticket->experience, sim_experiences[i]))
            return (m->heard.experiences & (1U << i)) != 0;
    return false;
}

static bool is_home(const struct sim *sim, const char *head_id, const char *body_id)
{
    const struct node_rec *head = alloc_node(sim->cluster.live, head_id), *node = alloc_node(sim->cluster.live, body_id);
    return head != NULL && node != NULL && hc_same(head->venue, node->venue);
}

static bool alive(const struct sim *sim, const struct ticket_rec *ticket)
{
    return hc_time_since(daemon_now(sim), ticket_renewed_at(sim->cluster.obs, ticket)) < TICKET_TTL_MS;
}

static bool any_cap(const struct sim *sim)
{
    return alloc_count(sim->cluster.live, REC_CAP) > 0;
}

/* Slots of it that heads of other venues have: all, or those alone that were given to them. */
static uint32_t foreign_leases(const struct sim *sim, const struct body_rec *body, bool adopted_too)
{
    uint32_t foreign = 0;
    for (size_t i = 0; i < body->slot_count; i++) {
        const struct lease *lease = slot_live_lease(&body->slots[i]);
        bool counts = lease != NULL && lease->head_id[0] != '\0' && (adopted_too || lease->source != SOURCE_ADOPTED);
        foreign += counts && !is_home(sim, lease->head_id, body->rec.key) ? 1 : 0;
    }
    return foreign;
}

/* Neither reserve nor cap may keep this head from this body: then only the line decides. With fewer slots than it had, and a lease on one
 * that goes, even a reserve of 0 keeps others away: they hold all that the body is to have. */
static bool only_the_line(const struct sim *sim, const struct ticket_rec *ticket, const struct body_rec *body)
{
    bool none_kept = body->home_venue_reserve == 0 && foreign_leases(sim, body, true) < body->slots_total;
    return could_use(sim, ticket, body) && !any_cap(sim) && (is_home(sim, ticket->rec.key, body->rec.key) || none_kept);
}

struct free_slot { const struct body_rec *body; int taken_by; };
struct matching {
    const struct sim *sim;
    size_t ticket_count, slot_count;
    const struct ticket_rec *tickets[TICKETS_MAX];
    struct free_slot slots[FREE_MAX];
};

static void gather_free(struct matching *match)
{
    const struct sim *sim = match->sim;
    struct core_view view = live_view(sim);
    for (size_t b = 0; b < alloc_count(sim->cluster.live, REC_BODY); b++) {
        const struct body_rec *body = (const struct body_rec *)alloc_at(sim->cluster.live, REC_BODY, b);
        for (uint32_t i = 0; i < body->slot_count && match->slot_count < FREE_MAX; i++)
            if ((slot_why_not(&view, body, i) & ~(uint32_t)WHY_NOT_PROMISED) == 0)
                match->slots[match->slot_count++] = (struct free_slot){ body, -1 };
    }
}

static bool augment(struct matching *match, int ticket, bool tried[FREE_MAX])
{
    for (size_t i = 0; i < match->slot_count; i++) {
        if (tried[i] || !could_use(match->sim, match->tickets[ticket], match->slots[i].body))
            continue;
        tried[i] = true;
        if (match->slots[i].taken_by < 0 || augment(match, match->slots[i].taken_by, tried)) {
            match->slots[i].taken_by = ticket;
            return true;
        }
    }
    return false;
}

static bool older_than(const struct ticket_rec *ticket, int64_t created_ms)
{
    return ticket->created_at.ms < created_ms;
}

static bool was_promised(const struct sim *sim, const char *head_id)
{
    for (size_t i = 0; i < sizeof sim->promised_to / sizeof sim->promised_to[0]; i++)
        if (hc_same(sim->promised_to[i], head_id))
            return true;
    return false;
}

/* Those who came earlier, and could use what was given, must all find something else that is free and kept for them. */
void sim_check_i10_first_come(struct sim *sim, const struct lease *is, const char *body_id, uint32_t slot)
{
    const struct alloc *live = sim->cluster.live;
    const struct body_rec *body = alloc_body(live, body_id);
    const struct stream_rec *stream = alloc_stream(live, is->stream_id);
    struct matching match = { .sim = sim };
    (void)slot;
    if (body == NULL || stream == NULL || was_promised(sim, is->head_id) || sim->step_type == CORE_START ||
        hc_same(sim->made_explicit, is->head_id))
        return;
    for (size_t i = 0; i < alloc_count(live, REC_TICKET) && match.ticket_count < TICKETS_MAX; i++) {
        const struct ticket_rec *ticket = (const struct ticket_rec *)alloc_at(live, REC_TICKET, i);
        bool before = older_than(ticket, stream->created_at.ms) && alive(sim, ticket) && !hc_same(ticket->rec.key, is->head_id);
        if (before && only_the_line(sim, ticket, body))
            match.tickets[match.ticket_count++] = ticket;
    }
    if (match.ticket_count == 0)
        return;
    gather_free(&match);
    for (size_t i = 0; i < match.ticket_count; i++) {
        bool tried[FREE_MAX] = { false };
        if (!augment(&match, (int)i, tried)) {
            sim_violation(sim, "I10: %s goes to %s, and %s has waited longer for it", body_id, is->head_id, match.tickets[i]->rec.key);
            return;
        }
    }
}

static void check_number(struct sim *sim, const struct body_rec *body)
{
    uint32_t foreign = foreign_leases(sim, body, false);
    if ((int64_t)foreign > (int64_t)body->slots_total - body->home_venue_reserve && foreign > 0)
        sim_violation(sim, "I10: %u slots of %s are with heads of other venues, %d are reserved", foreign, body->rec.key,
            body->home_venue_reserve);
}

/* A head of another venue got a slot: none of the venue's own may be left without one for it. */
void sim_check_i10_home_is_kept(struct sim *sim, const struct lease *is, const char *body_id)
{
    const struct alloc *live = sim->cluster.live;
    const struct body_rec *body = alloc_body(live, body_id);
    struct core_view view = live_view(sim);
    if (body == NULL || is_home(sim, is->head_id, body_id) || hc_same(sim->made_explicit, is->head_id))
        return;
    if (body->home_venue_reserve != RESERVE_AUTO) {
        check_number(sim, body);
        return;
    }
    for (size_t b = 0; b < alloc_count(live, REC_BODY); b++) {
        const struct body_rec *other = (const struct body_rec *)alloc_at(live, REC_BODY, b);
        const struct node_rec *node = alloc_node(live, other->rec.key), *mine = alloc_node(live, body_id);
        if (node == NULL || mine == NULL || !hc_same(node->venue, mine->venue))
            continue;
        for (uint32_t i = 0; i < other->slot_count; i++)
            if (slot_why_not(&view, other, i) == 0)
                return;                      /* one is left for whoever is at home */
    }
    for (size_t i = 0; i < alloc_count(live, REC_TICKET); i++) {
        const struct ticket_rec *ticket = (const struct ticket_rec *)alloc_at(live, REC_TICKET, i);
        if (is_home(sim, ticket->rec.key, body_id) && alive(sim, ticket) && could_use(sim, ticket, body))
            sim_violation(sim, "I10: %s goes to %s of another venue, and %s of its own waits", body_id, is->head_id, ticket->rec.key);
    }
}

void sim_check_i10_never_taken_from_a_picture(struct sim *sim, const struct seen_lease *was, const struct lease *is)
{
    if (is->why != WHY_PREEMPTED)
        return;
    const struct machine *m = machine_of(sim, was->body_id);
    bool may = was->protocol >= 2 && (was->state == LEASE_GRANTED || was->state == LEASE_PAIRING) && m != NULL && m->heard.modern;
    if (!may || is_home(sim, was->head_id, was->body_id))
        sim_violation(sim, "I10: %s of %s was preempted in state %s", was->id, was->head_id, word_of(&lease_state_words, (int)was->state));
}
