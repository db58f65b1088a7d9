/* agent.c - a body's agent as far as pairing goes: its Sunshine's trust store, and the operations that it takes and answers: well, twice,
 * late, with garbage, or never. */
#include <string.h>

#include "sim.h"

#define POLL_MS         20000
#define POLL_TIMEOUT_MS 35000
#define LATE_MS         65000

void machine_unpairs(struct machine *m, const char *uuid)
{
    size_t kept = 0;
    for (size_t i = 0; i < m->client_count; i++)
        if (!hc_same(m->clients[i].uuid, uuid))
            m->clients[kept++] = m->clients[i];
    m->client_count = kept;
}

/* A client that pairs again keeps its place; a store that is full here forgets its oldest. */
void machine_pairs(struct machine *m, const char *uuid, const char *name)
{
    for (size_t i = 0; i < m->client_count; i++)
        if (hc_same(m->clients[i].uuid, uuid))
            return;
    if (m->client_count == SIM_CLIENTS_MAX)
        machine_unpairs(m, m->clients[0].uuid);
    struct machine_client *client = &m->clients[m->client_count++];
    HC_SET(client->uuid, uuid);
    HC_SET(client->name, name);
    m->pairings++;
}

size_t agent_lists(struct sim *sim, const struct machine *m)
{
    for (size_t i = 0; i < m->client_count; i++) {
        sim->listing[i] = (struct client_obs){ .slot = CLIENT_OF_BODY };
        HC_SET(sim->listing[i].uuid, m->clients[i].uuid);
        HC_SET(sim->listing[i].name, m->clients[i].name);
    }
    return m->client_count;
}

static int index_of(const struct sim *sim, const struct machine *m)
{
    return (int)(m - sim->bodies);
}

static void wake(struct sim *sim, struct machine *m, int64_t in_ms)
{
    sim_at(sim, sim->now + in_ms, EV_AGENT, index_of(sim, m), ++m->agent.wakes);
}

void agent_start(struct sim *sim, struct machine *m)
{
    m->agent = (struct agent){ .wakes = m->agent.wakes };
    if (m->modern)
        wake(sim, m, chance_between(&sim->chance, 500, POLL_MS));
}

static struct op *request(struct sim *sim, struct machine *m, enum core_event_type type)
{
    struct op *op = op_new(sim, type, -1);
    op->agent = index_of(sim, m) + 1;
    op->lost = head_answer_lost(sim);
    HC_SET(op->caller, m->id);
    return op;
}

static void poll(struct sim *sim, struct machine *m)
{
    m->agent.asking = true;
    m->agent.asked_at = sim->now;
    op_submit(sim, request(sim, m, CORE_OP_NEXT));
}

/* What it does with Sunshine, before it says so. */
static void do_it(struct sim *sim, struct machine *m, const struct op_facts *what)
{
    const struct head *h = device_of_client(sim, what->name);
    char uuid[HC_ID_SIZE];
    if (what->op == OP_UNPAIR)
        machine_unpairs(m, what->uuid);
    if (what->op != OP_SUBMIT_PIN || h == NULL)
        return;
    device_uuid(h, uuid);
    machine_pairs(m, uuid, what->name);
}

static void answer(struct sim *sim, struct machine *m)
{
    struct agent *a = &m->agent;
    if (a->how <= ANSWERS_LATE)
        do_it(sim, m, &a->op);
    struct op *op = request(sim, m, CORE_OP_RESULT);
    op->operation = a->op.op;
    op->how = a->how;
    HC_SET(op->op_id, a->op.id);
    a->works = --a->answers > 0;
    a->answers_at = sim->now + chance_between(&sim->chance, 10, 3000);
    sim_trace(sim, "%s answers %s of %s, way %d", m->id, word_of(&op_words, (int)a->op.op), a->op.id, (int)a->how);
    op_submit(sim, op);
}

void agent_act(struct sim *sim, int body)
{
    struct machine *m = &sim->bodies[body];
    struct agent *a = &m->agent;
    if (!m->used || !m->modern)
        return;
    if (!m->agent_up || !m->powered)
        *a = (struct agent){ .wakes = a->wakes };      /* it forgets what it was given */
    bool reaches = m->agent_up && m->powered && !m->quiet && sim->cluster.running;
    if (reaches && a->works && a->answers_at <= sim->now)
        answer(sim, m);
    else if (reaches && !a->works && (!a->asking || sim->now - a->asked_at >= POLL_TIMEOUT_MS))
        poll(sim, m);
    wake(sim, m, a->works ? (a->answers_at > sim->now ? a->answers_at - sim->now : 1000) : POLL_MS);
}

static bool knows(const struct agent *a, const char *op_id)
{
    for (size_t i = 0; i < SIM_AGENT_KNOWS; i++)
        if (hc_same(a->known[i], op_id))
            return true;
    return false;
}

static enum agent_answer any_answer(struct sim *sim)
{
    int64_t roll = chance_between(&sim->chance, 0, 99);
    if (sim->healed || sim->calm || roll < 72)
        return ANSWERS_WELL;
    return roll < 78 ? ANSWERS_TWICE : roll < 82 ? ANSWERS_LATE : roll < 88 ? ANSWERS_HTML : roll < 92 ? ANSWERS_FAILURE : roll < 96
        ? ANSWERS_NO : ANSWERS_NEVER;
}

static void takes(struct sim *sim, struct machine *m, const struct op_facts *given)
{
    struct agent *a = &m->agent;
    if (knows(a, given->id))
        return;                              /* a repeat */
    HC_SET(a->known[a->next_known++ % SIM_AGENT_KNOWS], given->id);
    a->op = *given;
    a->how = any_answer(sim);
    a->works = a->how != ANSWERS_NEVER;
    a->answers = a->how == ANSWERS_TWICE ? 2 : 1;
    a->answers_at = sim->now + (a->how == ANSWERS_LATE ? LATE_MS : chance_between(&sim->chance, 20, 1500));
    wake(sim, m, a->works ? a->answers_at - sim->now : 1000);
}

void agent_answered(struct sim *sim, struct op *op)
{
    struct machine *m = &sim->bodies[op->agent - 1];
    bool refused = op->answer.answer == ANSWER_REFUSED;
    if (op->type == CORE_OP_RESULT && !refused)
        sim_check_op_has_one_result(sim, op->op_id);
    if (!m->used || !hc_same(m->id, op->caller))
        return;
    if (op->type == CORE_OP_NEXT)
        m->agent.asking = false;
    if (op->type == CORE_OP_NEXT && op->answer.arrived && op->answer.has_op && m->agent_up && !m->agent.works)
        takes(sim, m, &op->answer.given);
    else if (op->type == CORE_OP_RESULT && !m->agent.works)
        wake(sim, m, chance_between(&sim->chance, 10, 100));
}

/* Long-polls answer when there is something to do. */
void agents_hear_news(struct sim *sim)
{
    const struct alloc *committed = sim->cluster.committed;
    if (sim->mode == MODE_SCRIPT)
        return;
    for (size_t i = 0; i < alloc_count(committed, REC_OP); i++) {
        const struct op_rec *op = (const struct op_rec *)alloc_at(committed, REC_OP, i);
        struct machine *m = op->state == OP_PENDING ? machine_of(sim, op->node_id) : NULL;
        if (m != NULL && m->modern && !m->agent.asking && !m->agent.works && !knows(&m->agent, op->rec.key))
            wake(sim, m, chance_between(&sim->chance, 5, 300));
    }
}
