/* operator.c - people with a console: drains, cordons, the hand on a lease, slots, caps, reserves, bodies that come and go. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim.h"

static void step(struct sim *sim, struct core_event *ev, const char *what, const char *about)
{
    sim_trace(sim, "operator: %s %s", what, about);
    (void)cluster_step(sim, ev, cluster_seed(sim));
}

static struct machine *any_body(struct sim *sim)
{
    struct machine *m = &sim->bodies[chance_between(&sim->chance, 0, (int64_t)sim->body_count - 1)];
    return m->used ? m : NULL;
}

static const struct seen_lease *any_lease(struct sim *sim)
{
    if (sim->lease_count == 0)
        return NULL;
    const struct seen_lease *lease = &sim->leases[chance_between(&sim->chance, 0, (int64_t)sim->lease_count - 1)];
    return lease_is_terminal(lease->state) ? NULL : lease;
}

static void end_lease(struct sim *sim)
{
    const struct seen_lease *lease = any_lease(sim);
    if (lease == NULL)
        return;
    char id[HC_ID_SIZE];
    HC_SET(id, lease->id);
    struct core_event ev = cluster_event(sim, CORE_LEASE_END, CALLER_ADMIN, "");
    ev.u.lease_end = (struct lease_end_req){ id, chance_percent(&sim->chance, 50), "wanted" };
    step(sim, &ev, ev.u.lease_end.revoke ? "revokes" : "releases", id);
}

static void drain(struct sim *sim, struct machine *m)
{
    struct core_event ev = cluster_event(sim, CORE_DRAIN, CALLER_ADMIN, "");
    ev.u.drain = (struct drain_req){ m->id, chance_seconds(&sim->chance, 0, 400) };
    ev.dry_run = chance_percent(&sim->chance, 20);
    step(sim, &ev, "drains", m->id);
}

static void undrain(struct sim *sim, struct machine *m)
{
    struct core_event ev = cluster_event(sim, CORE_UNDRAIN, CALLER_ADMIN, "");
    ev.u.body = (struct body_req){ m->id };
    step(sim, &ev, "takes the drain back of", m->id);
}

static void put_slots(struct sim *sim, struct machine *m)
{
    struct core_event ev = cluster_event(sim, CORE_SLOTS_PUT, CALLER_ADMIN, "");
    struct slots_req *req = &ev.u.slots;
    *req = (struct slots_req){ .body_id = m->id, .force = chance_percent(&sim->chance, 50) };
    switch (chance_between(&sim->chance, 0, 3)) {
    case 0:
        req->maintenance = (struct opt_bool){ true, chance_percent(&sim->chance, 40) };
        break;
    case 1:
        req->home_venue_reserve = (struct opt_i32){ true, (int32_t)chance_between(&sim->chance, -1, 2) };
        break;
    case 2:
        req->set_enforce = true;
        req->enforce = chance_percent(&sim->chance, 50) ? ENFORCE_ENFORCE : ENFORCE_OBSERVE;
        break;
    default:
        if (!m->modern)
            return;
        req->slots_total = (struct opt_u32){ true, (uint32_t)chance_between(&sim->chance, 1, 2) };
        m->slots = req->slots_total.value > m->slots ? req->slots_total.value : m->slots;
        break;
    }
    step(sim, &ev, "sets slots of", m->id);
}

static void circuit_reset(struct sim *sim, struct machine *m)
{
    struct core_event ev = cluster_event(sim, CORE_CIRCUIT_RESET, CALLER_ADMIN, "");
    ev.u.body = (struct body_req){ m->id };
    step(sim, &ev, "resets the circuit of", m->id);
}

static void put_venue(struct sim *sim)
{
    const char *venue = sim_venues[chance_between(&sim->chance, 0, 2)];
    struct core_event ev = cluster_event(sim, CORE_VENUE_PUT, CALLER_ADMIN, "");
    ev.u.venue = (struct venue_req){ .name = venue, .district = SIM_DISTRICT, .owner = "acme", .set_accept_mode = true,
        .accept_mode = chance_percent(&sim->chance, 20) ? ACCEPT_CONFIRM : ACCEPT_AUTO };
    if (chance_percent(&sim->chance, 25))
        ev.u.venue.cap = (struct opt_u32){ true, (uint32_t)chance_between(&sim->chance, 1, 3) };
    else
        ev.u.venue.clear_cap = true;
    step(sim, &ev, "sets the venue", venue);
}

/* A body leaves the house, another comes: its machine gets the id that the daemon gave. */
static void replace_body(struct sim *sim, struct machine *m)
{
    char old[HC_ID_SIZE], venue[HC_NAME_SIZE];
    uint32_t experiences = m->experiences, slots = m->slots;
    bool modern = m->modern;
    HC_SET(old, m->id);
    HC_SET(venue, m->venue);
    for (size_t i = 0; i < sim->head_count; i++)
        if (sim->heads[i].body == (int)(m - sim->bodies) || sim->heads[i].assigned)
            return;                          /* one with a visitor, or with a head of its own, stays */
    struct core_event ev = cluster_event(sim, CORE_NODE_DELETE, CALLER_ADMIN, "");
    ev.u.node_delete = (struct node_delete_req){ old, true };
    step(sim, &ev, "deletes", old);
    if (sim->cluster.last.answer == ANSWER_REFUSED)
        return;
    m->used = false;
    ev = cluster_event(sim, CORE_NODE_ENROL, CALLER_ADMIN, "");
    ev.u.enrol = (struct enrol_req){ .name = old, .kind = "hydrabody", .district = SIM_DISTRICT, .venue = venue, .owner = "acme",
        .machine_id = "", .ip = "10.0.0.1", .wireguard_ip = "", .token_hash = "x", .roles = ROLE_BODY, .legacy_names = true };
    step(sim, &ev, "enrols a body in the place of", old);
    if (sim->cluster.last.answer != ANSWER_NODE)
        return;
    int at = machine_add(sim, sim->cluster.last.id, venue, modern, slots, experiences);
    sim->bodies[at].next_report = sim->now + 1000;
    machine_act(sim, at);
    agent_start(sim, &sim->bodies[at]);
}

static void ask_dry(struct sim *sim)
{
    struct head *h = &sim->heads[chance_between(&sim->chance, 0, (int64_t)sim->head_count - 1)];
    struct core_event ev = cluster_event(sim, CORE_CLAIM, CALLER_ADMIN, "");
    ev.dry_run = true;
    ev.u.claim = (struct claim_req){ .head_id = h->id, .attempt_id = "dry", .experience = sim_experiences[0], .stream_mode = "",
        .device_uid = "",
        .prefer_body_id = "", .claim_token = "", .stream_id = "", .content_digest = "", .protocol_version = 2, .no_attempt = true,
        .legacy = h->kind != HEAD_P2 };
    step(sim, &ev, "asks what would be for", h->id);
    if (sim->cluster.last.dirty)
        sim_violation(sim, "a dry run changed something");
}

void operator_act(struct sim *sim)
{
    sim_at(sim, sim->now + chance_seconds(&sim->chance, 30, 900), EV_OPERATOR, 0, 0);
    struct machine *m = any_body(sim);
    if (!sim->cluster.running || sim->healed || m == NULL)
        return;
    switch (chance_between(&sim->chance, 0, 11)) {
    case 0: case 1:
        end_lease(sim);
        break;
    case 2:
        drain(sim, m);
        break;
    case 3: case 4: case 5:
        undrain(sim, m);
        break;
    case 6: case 7:
        put_slots(sim, m);
        break;
    case 8:
        circuit_reset(sim, m);
        break;
    case 9:
        put_venue(sim);
        break;
    case 10:
        replace_body(sim, m);
        break;
    default:
        ask_dry(sim);
    }
}
