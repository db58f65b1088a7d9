/* scenario_pair.c - pairing in a scenario: agents that take operations, pair leases, PINs; and what must be true of them. */
#include <stdio.h>
#include <string.h>

#include "scenario.h"

#define CLIENTS_MAX 300

static const char *word(const struct words *w, size_t i)
{
    return i < w->count ? w->at[i] : "";
}

static bool step(struct scenario *s, struct core_event *ev)
{
    if (cluster_step(&s->sim, ev, cluster_seed(&s->sim)) != HC_OK)
        return scenario_fail(s, "the step failed");
    const struct core_result *r = &s->sim.cluster.last;
    s->pairing = (struct pairing_answer){ .any = true, .refused = r->answer == ANSWER_REFUSED, .deny = r->deny };
    if (r->answer == ANSWER_OP && !r->has_op)
        HC_SET(s->asked_op, r->id);
    if (r->has_op) {
        HC_SET(s->given_op, r->op.id);
        s->pairing.given = true;
        s->pairing.op = r->op.op;
        HC_SET(s->pairing.name, r->op.name);
    }
    if (r->answer == ANSWER_PAIR)
        HC_SET(s->pair_lease, r->pair.id);
    scenario_settle(s, s->sim.now);
    return true;
}

/* agent B polls */
static bool polls(struct scenario *s, const char *body_id)
{
    struct core_event ev = cluster_event(&s->sim, CORE_OP_NEXT, CALLER_NODE, body_id);
    ev.u.op_next = (struct op_next_req){ body_id };
    return step(s, &ev);
}

/* agent B answers true|false|html|fails | lists N [from K]: what it was given last */
static bool answers(struct scenario *s, const char *body_id, const struct words *w)
{
    static struct client_obs clients[CLIENTS_MAX];
    struct core_event ev = cluster_event(&s->sim, CORE_OP_RESULT, CALLER_NODE, body_id);
    struct op_result_req *req = &ev.u.op_result;
    const char *what = word(w, 3);
    int64_t count = 0, first = 0;
    *req = (struct op_result_req){ .node_id = body_id, .op_id = s->given_op, .error = "", .failed = hc_same(what, "fails") };
    if (hc_same(word(w, 2), "lists")) {
        if (!scenario_number(s, what, &count) || (w->count > 5 && !scenario_number(s, word(w, 5), &first)))
            return false;
        if (count < 0 || count > CLIENTS_MAX)
            return scenario_fail(s, "lists at most %d clients", CLIENTS_MAX);
        for (size_t i = 0; i < (size_t)count; i++) {
            (void)snprintf(clients[i].uuid, sizeof clients[i].uuid, "u%03u", (unsigned)first + (unsigned)i);
            HC_SET(clients[i].name, "roth");
        }
        req->has_clients = true;
        req->clients = clients;
        req->client_count = (size_t)count;
    } else if (hc_same(what, "true") || hc_same(what, "false")) {
        req->verdict = hc_same(what, "true") ? OP_VERDICT_TRUE : OP_VERDICT_FALSE;
    } else if (!hc_same(what, "html") && !req->failed) {
        return scenario_fail(s, "an agent answers true, false, html or fails");
    }
    return step(s, &ev);
}

bool scenario_agent(struct scenario *s, const struct words *w)
{
    struct machine *m = w->count < 3 ? NULL : scenario_body(s, w->at[1]);
    if (m == NULL)
        return s->why[0] != '\0' ? false : scenario_fail(s, "expected: agent BODY polls | answers ... | lists N");
    if (hc_same(w->at[2], "polls"))
        return polls(s, m->id);
    if (hc_same(w->at[2], "answers") || hc_same(w->at[2], "lists"))
        return answers(s, m->id, w);
    return scenario_fail(s, "an agent does not %s", w->at[2]);
}

/* head H pairs with B/N | leaves its pairing | sends a PIN to B */
bool scenario_head_pairs(struct scenario *s, const char *head_id, const struct words *w, bool *ret_mine)
{
    const char *body_id, *verb = word(w, 2);
    uint32_t slot;
    *ret_mine = true;
    if (hc_same(verb, "pairs")) {
        if (!scenario_slot(s, word(w, 4), &body_id, &slot))
            return false;
        struct core_event ev = cluster_event(&s->sim, CORE_PAIR_LEASE, CALLER_NODE, head_id);
        ev.u.pair = (struct pair_req){ head_id, body_id, slot };
        return step(s, &ev);
    }
    if (hc_same(verb, "leaves")) {
        struct core_event ev = cluster_event(&s->sim, CORE_PAIR_RELEASE, CALLER_NODE, head_id);
        ev.u.pair_release = (struct pair_release_req){ head_id, s->pair_lease };
        return step(s, &ev);
    }
    if (hc_same(verb, "sends")) {
        struct core_event ev = cluster_event(&s->sim, CORE_OP_ASK, CALLER_NODE, head_id);
        ev.u.op_ask = (struct op_ask_req){ .node_id = word(w, 6), .op = OP_SUBMIT_PIN, .uuid = "", .pin = "4711", .name = "",
            .asked_by = head_id, .relay = true };
        return step(s, &ev);
    }
    *ret_mine = false;
    return true;
}

/* operator asks OP of B [force] */
bool scenario_operator_asks(struct scenario *s, const struct words *w)
{
    int op = word_find(&op_words, word(w, 2));
    if (op < 0 || w->count < 5)
        return scenario_fail(s, "expected: operator asks OPERATION of BODY [force]");
    struct core_event ev = cluster_event(&s->sim, CORE_OP_ASK, CALLER_ADMIN, "");
    ev.u.op_ask = (struct op_ask_req){ .node_id = word(w, 4), .op = (enum op_kind)op, .uuid = op == OP_UNPAIR ? "u000" : "",
        .pin = op == OP_SUBMIT_PIN ? "4711" : "", .name = op == OP_SUBMIT_PIN ? "hydra-x" : "", .force = hc_same(word(w, 5), "force"),
        .asked_by = "admin t1" };
    return step(s, &ev);
}

/* taken | turned away WORD | given OPERATION [as NAME] | given nothing */
bool scenario_expect_pairing(struct scenario *s, const struct words *w)
{
    const struct pairing_answer *a = &s->pairing;
    if (!a->any)
        return scenario_fail(s, "nobody paired or took an operation");
    if (hc_same(w->at[0], "taken"))
        return !a->refused || scenario_fail(s, "refused: %s", word_of(&deny_words, (int)a->deny));
    if (hc_same(w->at[0], "turned")) {
        const char *is = a->refused ? word_of(&deny_words, (int)a->deny) : "not refused";
        return hc_same(is, word(w, 2)) || scenario_fail(s, "it is %s", is);
    }
    const char *is = a->given ? word_of(&op_words, (int)a->op) : "nothing";
    if (!hc_same(is, word(w, 1)))
        return scenario_fail(s, "it was given %s", is);
    return w->count < 4 || hc_same(a->name, word(w, 3)) || scenario_fail(s, "in the name of %s", a->name);
}

/* operation STATE: the one that was asked for last */
bool scenario_expect_operation(struct scenario *s, const struct words *w)
{
    const struct op_rec *op = alloc_op(s->sim.cluster.live, s->asked_op);
    const char *is = op == NULL ? "gone" : word_of(&op_state_words, (int)op->state);
    return hc_same(is, word(w, 1)) || scenario_fail(s, "the operation is %s", is);
}

/* trust B clients N | evicting N */
bool scenario_expect_paired(struct scenario *s, const struct words *w)
{
    const struct alloc *live = s->sim.cluster.live;
    const struct body_rec *body = alloc_body(live, word(w, 1));
    size_t clients = body == NULL || body->paired == NULL ? 0 : body->paired->count, evicting = 0;
    int64_t number;
    for (size_t i = 0; i < alloc_count(live, REC_OP); i++) {
        const struct op_rec *op = (const struct op_rec *)alloc_at(live, REC_OP, i);
        evicting += op->op == OP_UNPAIR && op->state == OP_PENDING && hc_same(op->node_id, word(w, 1)) ? 1 : 0;
    }
    size_t is = hc_same(word(w, 2), "clients") ? clients : evicting;
    return scenario_number(s, word(w, 3), &number) &&
        ((size_t)number == is || scenario_fail(s, "%s of %s: %zu", word(w, 2), word(w, 1), is));
}
