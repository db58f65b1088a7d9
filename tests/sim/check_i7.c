/* check_i7.c - I7 in the trust stores: what must go is told, nothing else is, and the custodian leaves who is needed. */
#include <string.h>

#include "sim.h"

#define STORE_KEPT  100
#define STORE_FLOOR 32
#define SEEN_MS     180000      /* registered and heard of at least so long ago: it is in every file by now */

static bool removes(const struct directive *d, const char *uuid)
{
    for (size_t i = 0; i < d->trust.remove_count; i++)
        if (hc_same(d->trust.remove[i], uuid))
            return true;
    return false;
}

/* It was shown when its head was revoked: it goes for ever, also when the head has another certificate. */
static bool lost(struct sim *sim, const struct machine_client *client)
{
    const struct head *h = device_of_client(sim, client->name);
    const struct identity_rec *committed = h == NULL ? NULL : alloc_identity(sim->cluster.committed, h->id);
    return committed != NULL && paired_find(committed->lost, client->uuid) != NULL;
}

/* A client of a revoked head that a list shows is in `remove`; the newest of a good head is not, nor is the one before it while both
 * count. */
static void check_client(struct sim *sim, const struct machine *m, const struct directive *d, size_t at, size_t newer)
{
    const struct machine_client *client = &m->told[at];
    const struct head *h = device_of_client(sim, client->name);
    bool removed = removes(d, client->uuid);
    const struct identity_rec *committed = h == NULL ? NULL : alloc_identity(sim->cluster.committed, h->id);
    const struct identity_rec *live = h == NULL ? NULL : alloc_identity(sim->cluster.live, h->id);
    bool going = committed != NULL && hc_time_set(committed->revoked_at);
    if (h == NULL && removed)
        sim_violation(sim, "I7: %s is told to remove %s, which is nobody's", m->id, client->uuid);
    if (h == NULL)
        return;
    /* A foreign file may have brought the revocation; a directive says only what is on the disk again. */
    bool under_way = !going && live != NULL && hc_time_set(live->revoked_at);
    if (h->device.revoked && !h->device.asking && !removed && !under_way)
        sim_violation(sim, "I7: %s shows %s of %s, which is revoked, and is not told to remove it", m->id, client->uuid, h->id);
    if (lost(sim, client)) {
        if (!removed)
            sim_violation(sim, "I7: %s shows %s of %s, which was lost, and is not told to remove it", m->id, client->uuid, h->id);
        return;
    }
    bool overlap = h->device.predecessor[0] != '\0' && sim->now < h->device.overlap_until - SEEN_MS && !sim->stepped;
    if (removed && !going && (newer == 0 || (newer == 1 && overlap)))
        sim_violation(sim, "I7: %s is told to remove %s, which %s needs", m->id, client->uuid, h->id);
}

void sim_check_i7_trust(struct sim *sim, struct machine *m, const struct directive *d)
{
    if (!m->told_known && d->trust.remove_count > 0)
        sim_violation(sim, "I7: %s has told nothing of its clients, and is told to remove some", m->id);
    for (size_t i = m->told_known ? m->told_count : 0, looked = 0; i > 0 && looked < SIM_CLIENTS_MAX; i--, looked++) {
        size_t newer = 0;
        for (size_t k = i; k < m->told_count; k++)
            newer += hc_same(m->told[k].name, m->told[i - 1].name) && !lost(sim, &m->told[k]) ? 1 : 0;
        if (strncmp(m->told[i - 1].name, CLIENT_PREFIX, sizeof CLIENT_PREFIX - 1) == 0 || d->trust.remove_count > 0)
            check_client(sim, m, d, i - 1, newer);
    }
}

static bool asked_now(const struct sim *sim, const char *node_id, const char *uuid)
{
    for (size_t i = 0; i < alloc_count(sim->cluster.live, REC_OP); i++) {
        const struct op_rec *op = (const struct op_rec *)alloc_at(sim->cluster.live, REC_OP, i);
        if (op->op == OP_UNPAIR && op->state == OP_PENDING && op->asked_at.ms == daemon_now(sim).ms && hc_same(op->asked_by, "custodian") &&
            hc_same(op->node_id, node_id) && hc_same(op->uuid, uuid))
            return true;
    }
    return false;
}

/* Somebody with a lease anywhere, or with a certificate that counts, who was here in the last 30 days: no run is that long. */
static bool is_needed(struct sim *sim, const struct head *h)
{
    for (size_t i = 0; i < sim->lease_count; i++)
        if (hc_same(sim->leases[i].head_id, h->id) && !lease_is_terminal(sim->leases[i].state))
            return true;
    /* Unsure: a revocation that was told to have failed may have been done nevertheless. */
    bool counts = h->device.registered && !h->device.revoked && !h->device.asking && !h->device.unsure;
    return counts && h->heard_at != 0 && sim->now - h->device.registered_at > SEEN_MS;
}

/* Never below 32, never who is needed, the oldest first, and only by a list that could be read. */
void sim_check_i7_custodian(struct sim *sim, const struct op_result_req *heard)
{
    size_t asked = 0, passed = 0;
    const struct op_rec *op = alloc_op(sim->cluster.live, heard->op_id);
    if (op == NULL || op->op != OP_LIST_CLIENTS)
        return;
    for (size_t i = 0; i < heard->client_count && heard->has_clients; i++) {
        const struct head *h = device_of_client(sim, heard->clients[i].name);
        bool goes = asked_now(sim, heard->node_id, heard->clients[i].uuid);
        asked += goes ? 1 : 0;
        if (goes && h != NULL && is_needed(sim, h))
            sim_violation(sim, "I7: the custodian evicts %s from %s, which %s needs", heard->clients[i].uuid, heard->node_id, h->id);
        if (goes && passed > 0 && !sim->stepped)
            sim_violation(sim, "I7: the custodian evicts %s from %s before an older one", heard->clients[i].uuid, heard->node_id);
        passed += !goes && h == NULL ? 1 : 0;
    }
    size_t left = heard->client_count - asked;
    if (asked > 0 && (left < STORE_FLOOR || left < STORE_KEPT))
        sim_violation(sim, "I7: the custodian leaves %zu clients on %s", left, heard->node_id);
    for (size_t i = 0; i < alloc_count(sim->cluster.live, REC_OP) && !heard->has_clients; i++) {
        const struct op_rec *made = (const struct op_rec *)alloc_at(sim->cluster.live, REC_OP, i);
        if (made->op == OP_UNPAIR && made->asked_at.ms == daemon_now(sim).ms && hc_same(made->asked_by, "custodian") &&
            hc_same(made->node_id, heard->node_id))
            sim_violation(sim, "I7: the custodian evicts by a list that is none");
    }
}
