#include "op_asks.h"

#include <stdio.h>
#include <string.h>

#define LIST_MAX 1024

struct core_result *ask_op(struct fleet *f, const char *node_id, enum op_kind op, bool force)
{
    struct core_event ev = fleet_event(f, CORE_OP_ASK, CALLER_ADMIN, "");
    ev.u.op_ask = (struct op_ask_req){ .node_id = node_id, .op = op, .uuid = op == OP_UNPAIR ? "u1" : "",
                                       .pin = op == OP_SUBMIT_PIN ? "4711" : "",
                                       .name = op == OP_SUBMIT_PIN ? "hydra-x" : "", .force = force, .asked_by = "admin t1" };
    return fleet_step(f, &ev);
}

struct core_result *ask_pin(struct fleet *f, const char *head_id, const char *body_id)
{
    struct core_event ev = fleet_event(f, CORE_OP_ASK, CALLER_NODE, head_id);
    ev.u.op_ask = (struct op_ask_req){ .node_id = body_id, .op = OP_SUBMIT_PIN, .uuid = "", .pin = "4711", .name = "", .asked_by = head_id,
                                       .relay = true };
    return fleet_step(f, &ev);
}

struct core_result *poll_op(struct fleet *f, const char *node_id)
{
    struct core_event ev = fleet_event(f, CORE_OP_NEXT, CALLER_NODE, node_id);
    ev.u.op_next = (struct op_next_req){ node_id };
    return fleet_step(f, &ev);
}

static struct core_result *answer(struct fleet *f, const struct op_result_req *req)
{
    struct core_event ev = fleet_event(f, CORE_OP_RESULT, CALLER_NODE, req->node_id);
    ev.u.op_result = *req;
    return fleet_step(f, &ev);
}

struct core_result *answer_op(struct fleet *f, const char *node_id, const char *op_id, bool failed, enum op_verdict verdict)
{
    const char *output = verdict == OP_VERDICT_TRUE ? "{\"status\":true}" : "{\"status\":false}";
    const struct op_result_req req = { .node_id = node_id, .op_id = op_id, .failed = failed, .output = output, .output_len = strlen(output),
                                       .error = failed ? "no answer" : "", .verdict = verdict };
    return answer(f, &req);
}

struct core_result *answer_list(struct fleet *f, const char *node_id, const char *op_id, unsigned first, size_t count)
{
    static struct client_obs clients[LIST_MAX];
    assert_true(count <= LIST_MAX);
    for (size_t i = 0; i < count; i++) {
        (void)snprintf(clients[i].uuid, sizeof clients[i].uuid, "u%03u", first + (unsigned)i);
        HC_SET(clients[i].name, "roth");
    }
    const struct op_result_req req = { .node_id = node_id, .op_id = op_id, .error = "", .has_clients = true, .clients = clients,
                                       .client_count = count, .verdict = OP_VERDICT_TRUE };
    return answer(f, &req);
}

struct core_result *ask_pair(struct fleet *f, const char *head_id, const char *body_id, uint32_t slot)
{
    struct core_event ev = fleet_event(f, CORE_PAIR_LEASE, CALLER_NODE, head_id);
    ev.u.pair = (struct pair_req){ head_id, body_id, slot };
    return fleet_step(f, &ev);
}

struct core_result *leave_pair(struct fleet *f, const char *head_id, const char *lease_id)
{
    struct core_event ev = fleet_event(f, CORE_PAIR_RELEASE, CALLER_NODE, head_id);
    ev.u.pair_release = (struct pair_release_req){ head_id, lease_id };
    return fleet_step(f, &ev);
}

const char *given_op(struct fleet *f, const char *node_id, enum op_kind op)
{
    static char id[HC_ID_SIZE];
    const struct core_result *r = poll_op(f, node_id);
    if (!r->has_op || r->op.op != op)
        return "";
    HC_SET(id, r->op.id);
    return id;
}

const struct op_rec *fleet_op(struct fleet *f, const char *op_id)
{
    const struct op_rec *op = alloc_op(f->alloc, op_id);
    assert_non_null(op);
    return op;
}
