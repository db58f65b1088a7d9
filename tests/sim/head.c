/* head.c - what all heads have in common: their network, their heartbeat, their picture. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "sim.h"

#define ANSWER_TIMEOUT_MS 15000

int head_index(const struct sim *sim, const struct head *h)
{
    return (int)(h - sim->heads);
}

int head_add(struct sim *sim, const char *id, const char *venue, enum head_kind kind)
{
    assert(sim->head_count < SIM_HEADS_MAX);
    struct head *h = &sim->heads[sim->head_count];
    *h = (struct head){ .used = true, .kind = kind, .body = -1, .op = -1, .phase = PHASE_AWAY };
    HC_SET(h->id, id);
    HC_SET(h->venue, venue);
    return (int)sim->head_count++;
}

void head_phase(struct sim *sim, struct head *h, enum head_phase phase)
{
    static const char *const names[PHASES] = { "away", "asking", "waiting", "preparing", "playing", "error", "dead" };
    h->phase = phase;
    h->phase_since = sim->now;
    sim_trace(sim, "%s is %s", h->id, names[phase]);
}

void head_schedule(struct sim *sim, struct head *h)
{
    int64_t at = h->next_act;
    if (h->phase != PHASE_DEAD && h->next_beat < at)
        at = h->next_beat;
    if (h->phase != PHASE_DEAD && h->next_renew != 0 && h->next_renew < at)
        at = h->next_renew;
    sim_at(sim, at, EV_HEAD, head_index(sim, h), ++h->wakes);
}

bool head_sends(struct sim *sim, const struct head *h)
{
    bool lost = !sim->healed && !sim->calm && chance_percent(&sim->chance, 2);
    return !h->quiet && !lost;
}

bool head_answer_lost(struct sim *sim)
{
    return !sim->healed && !sim->calm && chance_percent(&sim->chance, 2);
}

/* A request that the head waits for; NULL: it did not get through, or one is under way. */
struct op *head_asks(struct sim *sim, struct head *h, enum core_event_type type)
{
    if (h->op >= 0)
        return NULL;
    h->asked_at = sim->now;
    if (!head_sends(sim, h))
        return NULL;
    struct op *op = op_new(sim, type, head_index(sim, h));
    op->lost = head_answer_lost(sim);
    h->op = (int)(op - sim->ops);
    h->heard_at = sim->now;
    return op;
}

void head_beat(struct sim *sim, struct head *h, const char *status, const char *body_id, enum head_lease_state state)
{
    if (!head_sends(sim, h) || !sim->cluster.running)
        return;
    struct op *op = op_new(sim, CORE_HEARTBEAT, head_index(sim, h));
    HC_SET(op->status, status);
    HC_SET(op->body_id, body_id);
    if (h->kind == HEAD_P2) {
        HC_SET(op->lease_id, h->lease_id);
        HC_SET(op->stream_id, h->stream_id);
        op->modern_beat = true;
        op->lease_state = state;
        op->pairing_protocol = h->device.pairs2 ? 2 : 0;
        h->device.other = h->device.clone_until > sim->now && !h->device.other;
        HC_SET(op->address, h->device.other ? "10.9.0.2" : "10.9.0.1");
    }
    op->lost = true;                         /* no head looks at what a heartbeat answers */
    h->heard_at = sim->now;
    op_submit(sim, op);
    if (op->used && hc_same(status, "streaming"))
        sim_check_i9_witness_is_visible(sim, h, body_id);
}

/* It was told that it has this lease; an end may have overtaken the answer. */
void head_holds(struct sim *sim, struct head *h, const char *lease_id)
{
    const struct lease *lease = alloc_lease(sim->cluster.live, lease_id, NULL, NULL);
    h->standing = lease != NULL && !lease_is_terminal(lease->state);
    HC_SET(h->held_id, lease_id);
}

struct session *head_session(struct sim *sim, struct head *h)
{
    return h->body < 0 ? NULL : machine_session_of(&sim->bodies[h->body], head_index(sim, h));
}

bool head_launch(struct sim *sim, struct head *h)
{
    struct machine *m = h->body < 0 ? NULL : &sim->bodies[h->body];
    if (m == NULL || !m->used || !m->powered)
        return false;
    /* Protocol 2 launches on a free host only; a shipping head resumes whatever runs. */
    if (h->kind == HEAD_P2 && machine_busy(m, h->slot))
        return false;
    if (chance_percent(&sim->chance, m->refuses_percent))
        return false;
    const char *app = h->app[0] != '\0' ? h->app : sim_experiences[h->experience];
    if (machine_launch(sim, m, h->slot, head_index(sim, h), h->kind == HEAD_P2 ? h->lease_id : "", app) == NULL)
        return false;
    if (h->kind == HEAD_P2 && m->modern) {   /* verified, or paired before */
        char uuid[HC_ID_SIZE], name[HC_NAME_SIZE];
        device_uuid(h, uuid);
        (void)snprintf(name, sizeof name, CLIENT_PREFIX "%.60s", h->id);
        machine_pairs(m, uuid, name);
    }
    return true;
}

/* The picture goes; what it was shown on closes the app. */
void head_stops(struct sim *sim, struct head *h)
{
    struct session *session = head_session(sim, h);
    if (session != NULL)
        machine_end(sim, &sim->bodies[h->body], session, chance_between(&sim->chance, 100, 5000));
    h->body = -1;
}

static void time_out(struct sim *sim, struct head *h)
{
    if (sim->now - h->asked_at < ANSWER_TIMEOUT_MS)
        return;
    if (h->op >= 0 && sim->ops[h->op].used && sim->ops[h->op].head == head_index(sim, h)) {
        sim->ops[h->op].lost = true;         /* it may still come true */
        sim->ops[h->op].head = -1;
    }
    h->op = -1;
    if (h->phase == PHASE_ASKING) {
        head_phase(sim, h, PHASE_ERROR);
        h->next_act = sim->now + chance_seconds(&sim->chance, 3, 40);
    }
}

/* Power off, a crash, a visitor who closes the lid: nothing more is said, and the picture goes when the network notices. */
static void dies(struct sim *sim, struct head *h)
{
    struct session *session = head_session(sim, h);
    if (session != NULL && !chance_percent(&sim->chance, 10))      /* one in ten plays on with nobody there */
        machine_end(sim, &sim->bodies[h->body], session, chance_seconds(&sim->chance, 10, 45));
    xr_gone(sim, h);
    h->body = -1;
    h->op = -1;
    if (!h->stores_attempt)
        h->attempt_id[0] = h->lease_id[0] = '\0';
    head_phase(sim, h, PHASE_DEAD);
    h->next_renew = 0;
    h->next_act = sim->now + chance_seconds(&sim->chance, 20, 900);
}

void head_leaves(struct sim *sim, struct head *h)
{
    h->body = -1;
    h->app[0] = '\0';
    h->lost = false;
    h->next_renew = 0;
    head_phase(sim, h, PHASE_AWAY);
    h->next_act = sim->now + (sim->leaving || (sim->healed && h->served) ? 10 * HC_HOUR_MS : sim->healed ? chance_seconds(&sim->chance,
                                                                                                                          5, 60)
                                                                          : chance_seconds(&sim->chance, 10, 600));
}

void head_act(struct sim *sim, int head)
{
    struct head *h = &sim->heads[head];
    if (!h->used)
        return;
    time_out(sim, h);
    bool busy = h->phase == PHASE_PREPARING || h->phase == PHASE_PLAYING || h->phase == PHASE_WAITING;
    if (busy && !sim->healed && !sim->calm && chance_next(&sim->chance) % 2000 < 3)
        dies(sim, h);
    if (h->phase == PHASE_DEAD && h->next_act <= sim->now) {
        head_phase(sim, h, PHASE_AWAY);
        h->next_act = sim->now + chance_seconds(&sim->chance, 1, 60);
    }
    if (h->phase != PHASE_DEAD) {
        if (h->kind == HEAD_ROGUE)
            rogue_act(sim, h);
        else if (h->kind == HEAD_P2)
            p2_act(sim, h);
        else if (h->xr.on)
            xr_act(sim, h);
        else
            legacy_act(sim, h);
    }
    head_schedule(sim, h);
}

void head_answered(struct sim *sim, struct op *op)
{
    struct head *h = &sim->heads[op->head];
    if (h->op < 0 || &sim->ops[h->op] != op || op->type == CORE_HEARTBEAT)
        return;
    h->op = -1;
    if (h->phase == PHASE_DEAD || h->quiet)
        return;
    if (h->kind == HEAD_P2)
        p2_answered(sim, h, op);
    else if (h->xr.on)
        xr_answered(sim, h, op);
    else if (h->kind != HEAD_ROGUE)
        legacy_answered(sim, h, op);
    head_schedule(sim, h);
}
