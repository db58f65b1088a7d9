/* device.c - heads as devices: they register certificates, renew them, are cloned and revoked; they pair ahead with pair leases and
 * PINs. */
#include <stdio.h>
#include <string.h>

#include "sim.h"

enum { DEVICE_SENDS_PIN = 1, DEVICE_LEAVES };

void device_uuid(const struct head *h, char out[HC_ID_SIZE])
{
    if (h->device.certificate == 0)
        (void)snprintf(out, HC_ID_SIZE, "uuid-%.32s", h->id);
    else
        (void)snprintf(out, HC_ID_SIZE, "uuid-%.32s-%u", h->id, h->device.certificate);
}

struct head *device_of_client(struct sim *sim, const char *name)
{
    size_t len = sizeof CLIENT_PREFIX - 1;
    for (size_t i = 0; i < sim->head_count && strncmp(name, CLIENT_PREFIX, len) == 0; i++)
        if (hc_same(sim->heads[i].id, name + len))
            return &sim->heads[i];
    return NULL;
}

static void fingerprint_of(struct sim *sim, const struct head *h, uint32_t certificate, char out[HC_HASH_SIZE])
{
    (void)snprintf(out, HC_HASH_SIZE, "%032x%032x", (unsigned)head_index(sim, h) + 1U, certificate);
}

static struct op *request(struct sim *sim, struct head *h, enum core_event_type type, bool admin)
{
    struct op *op = op_new(sim, type, head_index(sim, h));
    op->admin = admin;
    op->lost = !admin && head_answer_lost(sim);
    h->device.asking = true;
    if (!admin)
        h->heard_at = sim->now;
    return op;
}

static void put(struct sim *sim, struct head *h, const char *fingerprint, bool admin)
{
    struct op *op = request(sim, h, CORE_IDENTITY_PUT, admin);
    HC_SET(op->fingerprint, fingerprint);
    sim_trace(sim, "%s registers %.32s %s", h->id, fingerprint, fingerprint + 56);
    if (admin)
        h->device.revoked = false;           /* from now on it may be good again */
    op_submit(sim, op);
}

static void put_new(struct sim *sim, struct head *h, bool admin)
{
    char fingerprint[HC_HASH_SIZE];
    fingerprint_of(sim, h, ++h->device.certificates, fingerprint);
    put(sim, h, fingerprint, admin);
}

void device_register(struct sim *sim, struct head *h)
{
    char fingerprint[HC_HASH_SIZE];
    if (h->device.asking || !sim->cluster.running || !head_sends(sim, h))
        return;
    if (h->device.certificates == 0)
        h->device.certificates = 1;
    fingerprint_of(sim, h, h->device.certificates, fingerprint);
    put(sim, h, fingerprint, false);
}

static void revoke(struct sim *sim, struct head *h)
{
    sim_trace(sim, "operator: revokes the identity of %s", h->id);
    op_submit(sim, request(sim, h, CORE_IDENTITY_REVOKE, true));
}

static void pair(struct sim *sim, struct head *h)
{
    const struct machine *m = &sim->bodies[chance_between(&sim->chance, 0, (int64_t)sim->body_count - 1)];
    if (!m->used || !head_sends(sim, h))
        return;
    struct op *op = request(sim, h, CORE_PAIR_LEASE, false);
    HC_SET(op->body_id, m->id);
    op->slot = (uint32_t)chance_between(&sim->chance, 0, m->slots > 1 ? 1 : 0);
    op_submit(sim, op);
}

static void send_pin(struct sim *sim, struct head *h)
{
    if (!head_sends(sim, h))
        return;
    struct op *op = request(sim, h, CORE_OP_ASK, false);
    HC_SET(op->body_id, h->device.pair_body);
    op->operation = OP_SUBMIT_PIN;
    op->relay = true;
    sim_trace(sim, "%s sends a PIN to %s", h->id, op->body_id);
    op_submit(sim, op);
}

static void leave(struct sim *sim, struct head *h)
{
    if (!head_sends(sim, h) || h->device.pair_id[0] == '\0')
        return;
    struct op *op = request(sim, h, CORE_PAIR_RELEASE, false);
    HC_SET(op->lease_id, h->device.pair_id);
    h->device.pair_id[0] = '\0';
    op_submit(sim, op);
}

/* An admin takes the latch back, or lets it be set again. */
static void latch(struct sim *sim)
{
    struct core_event ev = cluster_event(sim, CORE_LATCH_CLEAR, CALLER_ADMIN, "");
    ev.u.latch = (struct latch_req){ SIM_DISTRICT, chance_percent(&sim->chance, 60) };
    sim_trace(sim, "operator: %s per_device_identity", ev.u.latch.allow ? "allows" : "clears");
    (void)cluster_step(sim, &ev, cluster_seed(sim));
}

static void operation(struct sim *sim)
{
    if (chance_percent(&sim->chance, 25)) {
        latch(sim);
        return;
    }
    const struct machine *m = &sim->bodies[chance_between(&sim->chance, 0, (int64_t)sim->body_count - 1)];
    if (!m->used)
        return;
    struct op *op = op_new(sim, CORE_OP_ASK, -1);
    op->admin = true;
    HC_SET(op->body_id, m->id);
    op->operation = (enum op_kind)chance_between(&sim->chance, OP_LIST_CLIENTS, OP_RESTART);
    op_submit(sim, op);
}

static void any_act(struct sim *sim, struct head *h)
{
    const struct head *other = &sim->heads[chance_between(&sim->chance, 0, (int64_t)sim->head_count - 1)];
    switch (chance_between(&sim->chance, 0, 9)) {
    case 0: case 1:
        device_register(sim, h);
        break;
    case 2:
        if (h->device.registered && head_sends(sim, h))
            put_new(sim, h, false);
        break;
    case 3:
        if (other->device.registered && other != h)      /* a restored backup: the other's certificate */
            put(sim, h, other->device.fingerprint, false);
        break;
    case 4:
        if (chance_percent(&sim->chance, 40))
            revoke(sim, h);
        break;
    case 5:
        if (h->device.revoked)
            put_new(sim, h, true);
        break;
    case 6:
        h->device.clone_until = sim->now + chance_seconds(&sim->chance, 60, 300);
        h->device.pairs2 = true;
        break;
    case 7: case 8:
        pair(sim, h);
        break;
    default:
        operation(sim);
    }
}

/* People mend what was revoked, but for some devices that were really lost. */
static void mend(struct sim *sim)
{
    for (size_t i = 0; i < sim->head_count; i++) {
        struct head *h = &sim->heads[i];
        const struct identity_rec *identity = alloc_identity(sim->cluster.live, h->id);
        h->device.clone_until = 0;
        if (!h->device.asking)               /* a request may have been told that it failed, and was done nevertheless */
            h->device.revoked = identity != NULL && hc_time_set(identity->revoked_at);
        if (h->device.revoked && !h->device.asking && i % 3 != 0)
            put_new(sim, h, true);
    }
}

void device_act(struct sim *sim, int head, uint64_t what)
{
    bool able = sim->cluster.running;
    if (head < 0)
        sim_at(sim, sim->now + chance_seconds(&sim->chance, 5, sim->healed ? 60 : 40), EV_DEVICE, -1, 0);
    if (!able)
        return;
    if (head < 0 && sim->healed) {
        mend(sim);
        return;
    }
    struct head *h = &sim->heads[head < 0 ? chance_between(&sim->chance, 0, (int64_t)sim->head_count - 1) : head];
    if (h->device.asking || h->phase == PHASE_DEAD || h->quiet)
        return;
    if (head < 0 && (h->kind == HEAD_P2 || h->kind == HEAD_QUEST))
        any_act(sim, h);
    else if (what == DEVICE_SENDS_PIN)
        send_pin(sim, h);
    else if (what == DEVICE_LEAVES)
        leave(sim, h);
}

static void registered(struct sim *sim, struct head *h, const struct op *op)
{
    struct device *d = &h->device;
    bool ours = true;
    char fingerprint[HC_HASH_SIZE];
    for (uint32_t i = 1; i <= d->certificates; i++) {
        fingerprint_of(sim, h, i, fingerprint);
        ours = hc_same(fingerprint, op->fingerprint);
        d->certificate = ours && i > d->certificate ? i : d->certificate;
    }
    if (hc_same(d->fingerprint, op->fingerprint) || hc_same(d->predecessor, op->fingerprint))
        return;                              /* a repeat */
    HC_SET(d->predecessor, d->registered && !op->admin ? d->fingerprint : "");
    /* An earlier request that was told to have failed may have begun the overlap already: nobody knows when it ends. */
    d->overlap_until = d->unsure ? 0 : sim->now + sim->cluster.config.timers.device_cert_overlap_ms;
    HC_SET(d->fingerprint, op->fingerprint);
    d->registered = true;
    d->registered_at = sim->now;
}

void device_answered(struct sim *sim, struct op *op)
{
    if (op->head < 0)
        return;
    struct head *h = &sim->heads[op->head];
    const struct answer *a = &op->answer;
    bool good = a->answer != ANSWER_REFUSED;
    h->device.asking = false;
    h->device.unsure = h->device.unsure || a->store_down;      /* it may have been done nevertheless */
    if (op->type == CORE_IDENTITY_PUT && good)
        registered(sim, h, op);
    else if (op->type == CORE_IDENTITY_REVOKE && good)
        h->device.revoked = true;
    else if (op->type == CORE_PAIR_LEASE && good && a->arrived) {
        HC_SET(h->device.pair_id, a->pair.mode == MODE_PAIR ? a->pair.id : "");
        HC_SET(h->device.pair_body, a->pair.body_id);
        sim_at(sim, sim->now + chance_between(&sim->chance, 200, 9000), EV_DEVICE, op->head, DEVICE_SENDS_PIN);
        if (chance_percent(&sim->chance, 60))
            sim_at(sim, sim->now + chance_seconds(&sim->chance, 10, 50), EV_DEVICE, op->head, DEVICE_LEAVES);
    }
}
