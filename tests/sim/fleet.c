/* fleet.c - venues, bodies and heads of one run; the end of all faults; and what must be true some time after it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim.h"

#define OP_GRACE_MS      120000
#define SIM_STORE_WANTED 100

void fleet_node(struct sim *sim, const char *id, const char *venue, uint32_t roles, const char *kind, uint32_t slots)
{
    struct node_rec *node = (struct node_rec *)rec_new(REC_NODE, id);
    if (node == NULL)
        abort();
    HC_SET(node->name, id);
    HC_SET(node->district, SIM_DISTRICT);
    HC_SET(node->venue, venue);
    HC_SET(node->owner, sim->two_owners && hc_same(venue, sim_venues[2]) ? "umbrella" : "acme");
    HC_SET(node->kind, kind);
    if (hc_same(kind, "hydraheadquest"))
        HC_SET(node->xr_client_hostname, "quest.client");
    node->roles = roles;
    node->approval = APPROVAL_APPROVED;
    node->enrolled_at = daemon_now(sim);
    cluster_put(sim, &node->rec);
    if ((roles & ROLE_BODY) == 0)
        return;
    struct body_rec *body = (struct body_rec *)rec_new(REC_BODY, id);
    if (body == NULL)
        abort();
    body->slots_total = slots;
    body->slot_count = slots;
    body->slots = hc_alloc(slots * sizeof body->slots[0]);
    if (body->slots == NULL)
        abort();
    for (uint32_t i = 0; i < slots; i++)
        body->slots[i].index = i;
    body->home_venue_reserve = RESERVE_AUTO;
    body->observing_since = daemon_now(sim);
    cluster_put(sim, &body->rec);
}

static void make_body(struct sim *sim, size_t number, size_t venues)
{
    char id[HC_ID_SIZE];
    (void)snprintf(id, sizeof id, "b%zu", number + 1);
    const char *venue = sim_venues[chance_between(&sim->chance, 0, (int64_t)venues - 1)];
    bool modern = chance_percent(&sim->chance, 65) || sim->renewed;
    uint32_t slots = modern && chance_percent(&sim->chance, 25) ? 2 : 1;
    int at = machine_add(sim, id, venue, modern, slots, chance_percent(&sim->chance, 80) ? 3 : 1);
    struct machine *m = &sim->bodies[at];
    m->x.capable = modern && chance_percent(&sim->chance, 65);
    m->sends_uptime = chance_percent(&sim->chance, 80);
    m->tells_client = chance_percent(&sim->chance, 80);
    m->tells_lease = chance_percent(&sim->chance, 70);
    m->next_report = sim->now + chance_between(&sim->chance, 500, 20000);
    int64_t strangers = chance_percent(&sim->chance, 20) ? chance_between(&sim->chance, 90, 140) : chance_between(&sim->chance, 0, 4);
    if (strangers > 50 && modern) {             /* heads that paired before all strangers, and come again */
        machine_pairs(m, "uuid-h1", CLIENT_PREFIX "h1");
        machine_pairs(m, "uuid-h2", CLIENT_PREFIX "h2");
        machine_pairs(m, "uuid-h3", CLIENT_PREFIX "h3");
    }
    for (int64_t i = 0; i < strangers && modern; i++) {
        char uuid[HC_ID_SIZE];
        (void)snprintf(uuid, sizeof uuid, "old-%lld", (long long)i);
        machine_pairs(m, uuid, "moonlight");
    }
    fleet_node(sim, id, venue, ROLE_BODY, "hydrabody", slots);
}

static enum head_kind any_kind(struct sim *sim)
{
    int64_t roll = chance_between(&sim->chance, 0, 99);
    if (sim->renewed)
        return HEAD_P2;
    return roll < 25 ? HEAD_IPAD : roll < 40 ? HEAD_GO : roll < 58 ? HEAD_QUEST : roll < 94 ? HEAD_P2 : HEAD_ROGUE;
}

static void make_head(struct sim *sim, size_t number, size_t venues)
{
    static const char *const kinds[HEAD_KINDS] = { "hydraheadipad", "hydraheadflatscreen", "hydraheadquest", "hydraheadflatscreen",
        "hydraheadipad" };
    char id[HC_ID_SIZE];
    (void)snprintf(id, sizeof id, "h%zu", number + 1);
    const char *venue = sim_venues[chance_between(&sim->chance, 0, (int64_t)venues - 1)];
    struct head *h = &sim->heads[head_add(sim, id, venue, any_kind(sim))];
    h->device.pairs2 = sim->renewed || chance_percent(&sim->chance, 50);
    h->stores_attempt = chance_percent(&sim->chance, 70);
    h->next_act = sim->now + chance_seconds(&sim->chance, 1, 240);
    h->next_beat = sim->now + chance_seconds(&sim->chance, 1, 30);
    fleet_node(sim, id, venue, ROLE_HEAD, kinds[h->kind], 0);
}

static void make_venue(struct sim *sim, const char *name)
{
    struct venue_rec *venue = (struct venue_rec *)rec_new(REC_VENUE, name);
    if (venue == NULL)
        abort();
    HC_SET(venue->district, SIM_DISTRICT);
    HC_SET(venue->owner, sim->two_owners && hc_same(name, sim_venues[2]) ? "umbrella" : "acme");
    venue->accept_mode = chance_percent(&sim->chance, 15) ? ACCEPT_CONFIRM : ACCEPT_AUTO;
    cluster_put(sim, &venue->rec);
}

/* A Go head that shows one body's picture and no other. */
static void assign(struct sim *sim)
{
    struct head *h = &sim->heads[0];
    struct machine *m = &sim->bodies[0];
    if (h->kind != HEAD_GO || m->slots > 1)
        return;
    struct node_rec *node = (struct node_rec *)rec_new(REC_NODE, h->id);
    const struct node_rec *old = alloc_node(sim->cluster.live, h->id);
    if (node == NULL)
        abort();
    struct rec rec = node->rec;
    *node = *old;
    node->rec = rec;
    HC_SET(node->head_body_id, m->id);
    node_rare_ref(node->rare);                  /* the old version keeps its own */
    struct stream_block block = *node_stream(node);
    HC_SET(block.stream_app_id, sim_experiences[0]);
    if (node_set_stream(node, &block) != HC_OK)
        abort();
    h->assigned = true;
    cluster_put(sim, &node->rec);
}

void fleet_make(struct sim *sim)
{
    size_t venues = (size_t)chance_between(&sim->chance, 1, 3);
    size_t bodies = (size_t)chance_between(&sim->chance, 2, 5), heads = (size_t)chance_between(&sim->chance, 3, SIM_HEADS_MAX - 2);
    sim->two_owners = chance_percent(&sim->chance, 25);
    sim->calm = chance_percent(&sim->chance, 10);
    sim->renewed = chance_percent(&sim->chance, 15);
    if (chance_percent(&sim->chance, 50))
        sim->cluster.config.timers.device_cert_overlap_ms = 20 * HC_MINUTE_MS;
    for (size_t i = 0; i < venues; i++)
        make_venue(sim, sim_venues[i]);
    for (size_t i = 0; i < bodies; i++)
        make_body(sim, i, venues);
    for (size_t i = 0; i < heads; i++)
        make_head(sim, i, venues);
    struct experience_rec *xr = (struct experience_rec *)rec_new(REC_EXPERIENCE, SIM_XR_EXPERIENCE);
    if (xr == NULL)
        abort();
    HC_SET(xr->stream_mode, "xr");
    cluster_put(sim, &xr->rec);
    if (chance_percent(&sim->chance, 40))
        assign(sim);
    for (size_t i = 0; i < sim->body_count; i++)
        machine_act(sim, (int)i), agent_start(sim, &sim->bodies[i]);
    for (size_t i = 0; i < sim->head_count; i++)
        head_schedule(sim, &sim->heads[i]);
    sim_at(sim, sim->now + 30000, EV_FAULT, 0, 0);
    sim_at(sim, sim->now + 60000, EV_OPERATOR, 0, 0);
    sim_at(sim, sim->now + 1000, EV_HISTORY, 0, 0);
    sim_at(sim, sim->now + 5000, EV_DEVICE, -1, 0);
}

static void heal_body(struct sim *sim, struct machine *m)
{
    m->quiet_until = m->xr_until = 0;
    m->quiet = m->xr = m->misreads = m->lies = false;
    m->refuses_percent = 0;
    struct core_event ev = cluster_event(sim, CORE_UNDRAIN, CALLER_ADMIN, "");
    ev.u.body = (struct body_req){ m->id };
    (void)cluster_step(sim, &ev, cluster_seed(sim));
    ev = cluster_event(sim, CORE_CIRCUIT_RESET, CALLER_ADMIN, "");
    ev.u.body = (struct body_req){ m->id };
    (void)cluster_step(sim, &ev, cluster_seed(sim));
    ev = cluster_event(sim, CORE_SLOTS_PUT, CALLER_ADMIN, "");
    ev.u.slots = (struct slots_req){ .body_id = m->id, .maintenance = { true, false }, .home_venue_reserve = { true, RESERVE_AUTO } };
    (void)cluster_step(sim, &ev, cluster_seed(sim));
}

/* The faults are over: what was broken is mended by people, and from now on everything works. Only when the daemon runs with its disk. */
void fleet_heal(struct sim *sim)
{
    sim->healed = true;
    sim->cluster.cursed_until = 0;
    sim->cluster.next_fate = SAVE_GOOD;
    sim_trace(sim, "the faults are over");
    for (size_t i = 0; i < sim->body_count; i++)
        if (sim->bodies[i].used)
            heal_body(sim, &sim->bodies[i]);
    for (size_t i = 0; i < 3; i++) {
        struct core_event ev = cluster_event(sim, CORE_VENUE_PUT, CALLER_ADMIN, "");
        ev.u.venue = (struct venue_req){ .name = sim_venues[i], .district = SIM_DISTRICT, .owner = "acme", .clear_cap = true };
        (void)cluster_step(sim, &ev, cluster_seed(sim));
    }
    for (size_t i = 0; i < sim->head_count; i++) {
        struct head *h = &sim->heads[i];
        h->quiet_until = 0;
        h->quiet = h->served = false;
        h->gives_up_at = sim->now + 10 * HC_HOUR_MS;
        h->patience = 1000000;
        h->plays_until = sim->now + 30000;
    }
}

/* A venue with heads of its own keeps what it has for them: for one who waits, and for half an hour after one who played (rules §7.6). */
static bool venue_has_heads(const struct sim *sim, const char *venue)
{
    for (size_t i = 0; i < sim->head_count; i++)
        if (sim->heads[i].kind != HEAD_ROGUE && hc_same(sim->heads[i].venue, venue))
            return true;
    return false;
}

/* Is there a body that may serve this head at all, by venue, owner, experience and protocol? */
static bool has_a_body(const struct sim *sim, const struct head *h)
{
    const struct node_rec *head = alloc_node(sim->cluster.live, h->id);
    for (size_t i = 0; i < sim->body_count; i++) {
        const struct machine *m = &sim->bodies[i];
        const struct node_rec *node = m->used ? alloc_node(sim->cluster.live, m->id) : NULL;
        const struct body_rec *body = m->used ? alloc_body(sim->cluster.live, m->id) : NULL;
        if (node == NULL || body == NULL || (h->kind != HEAD_P2 && body->slots_total > 1))
            continue;
        if (h->assigned && !hc_same(head->head_body_id, m->id))
            continue;
        bool near_by = hc_same(node->venue, h->venue) || (hc_same(node->owner, head->owner) && !venue_has_heads(sim, node->venue));
        if (near_by && (m->experiences & (1U << h->experience)) != 0)
            return true;
    }
    return false;
}

void fleet_served(struct sim *sim)
{
    for (size_t i = 0; i < sim->head_count; i++) {
        const struct head *h = &sim->heads[i];
        if (h->kind != HEAD_ROGUE && !h->served && !h->device.revoked && has_a_body(sim, h))
            sim_violation(sim, "progress: %s at %s was not served within %lld minutes without faults", h->id, h->venue,
                (long long)((sim->now - sim->heals_at) / 60000));
    }
}

/* Stores of bodies that listen: no client of a revoked head, and none too many. */
static void stores_are_clean(struct sim *sim)
{
    for (size_t b = 0; b < sim->body_count; b++) {
        const struct machine *m = &sim->bodies[b];
        if (!m->used || !m->modern || alloc_node(sim->cluster.live, m->id) == NULL)      /* an old file does not know it */
            continue;
        for (size_t i = 0; i < m->client_count; i++) {
            const struct head *h = device_of_client(sim, m->clients[i].name);
            if (h != NULL && h->device.revoked)
                sim_violation(sim, "progress: %s still trusts %s, which is revoked", m->id, h->id);
        }
        if (m->client_count > SIM_STORE_WANTED)
            sim_violation(sim, "progress: %s keeps %zu clients", m->id, m->client_count);
    }
    for (size_t i = 0; i < alloc_count(sim->cluster.live, REC_OP); i++) {
        const struct op_rec *op = (const struct op_rec *)alloc_at(sim->cluster.live, REC_OP, i);
        if (op->state == OP_PENDING && hc_time_since(daemon_now(sim), op->asked_at) > OP_GRACE_MS)
            sim_violation(sim, "progress: %s is pending for ever", op->rec.key);
    }
}

void fleet_empty(struct sim *sim)
{
    stores_are_clean(sim);
    struct core_view view = live_view(sim);
    const struct alloc *live = sim->cluster.live;
    for (size_t b = 0; b < alloc_count(live, REC_BODY); b++) {
        const struct body_rec *body = (const struct body_rec *)alloc_at(live, REC_BODY, b);
        for (uint32_t i = 0; i < body->slot_count; i++) {
            uint32_t why_not = slot_why_not(&view, body, i) & ~(uint32_t)WHY_NOT_SLOT_LOWERED;
            if (why_not != 0 && !body->deleted && machine_of(sim, body->rec.key) != NULL)      /* an old file may name one that is gone */
                sim_violation(sim, "progress: all have left, and %s/%u is not free: bits %x", body->rec.key, i, why_not);
        }
        if (body->xr.session_id[0] != '\0' && machine_of(sim, body->rec.key) != NULL)
            sim_violation(sim, "progress: all have left, and %s has an XR session", body->rec.key);
        if (body->deleted)
            sim_violation(sim, "progress: %s was deleted and is still there", body->rec.key);
    }
    if (alloc_count(live, REC_TICKET) > 0)
        sim_violation(sim, "progress: all have left, and %zu still wait", alloc_count(live, REC_TICKET));
}
