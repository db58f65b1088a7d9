/* request.c - requests of heads and operators: one core event each, answered when what it could have seen is durable. */
#include <stdlib.h>
#include <string.h>

#include "sim.h"

#define CLAIM_WAIT_MS   8000
#define PARK_LOOK_MS    400

struct op *op_new(struct sim *sim, enum core_event_type type, int head)
{
    for (size_t i = 0; i < SIM_OPS_MAX; i++) {
        struct op *op = &sim->ops[i];
        if (op->used)
            continue;
        *op = (struct op){ .used = true, .type = type, .head = head, .number = ++sim->number, .asked_at = sim->now };
        if (head >= 0) {
            HC_SET(op->caller, sim->heads[head].id);
            HC_SET(op->head_id, sim->heads[head].id);
        }
        return op;
    }
    abort();                                 /* more requests under way than heads can have */
}

void op_free(struct op *op)
{
    op->used = op->waiting = op->parked = false;
}

static struct core_event claim_event(struct core_event ev, const struct op *op)
{
    ev.u.claim = (struct claim_req){ .head_id = op->head_id, .attempt_id = op->attempt_id, .experience = op->experience,
        .stream_mode = op->mode, .device_uid = "", .prefer_body_id = op->prefer, .claim_token = op->token, .stream_id = op->stream_id,
        .content_digest = op->experience, .protocol_version = 2, .legacy = op->legacy };
    return ev;
}

static struct core_event beat_event(struct core_event ev, const struct op *op)
{
    ev.u.heartbeat = (struct heartbeat_req){ .head_id = op->head_id, .status = op->status, .body_id = op->body_id, .lease_id = op->lease_id,
        .stream_id = op->stream_id, .address = op->address, .version = "", .lease_state = op->lease_state };
    if (op->modern_beat)
        ev.u.heartbeat.protocol_version = (struct opt_u32){ true, 2 };
    if (op->pairing_protocol > 0)
        ev.u.heartbeat.pairing_protocol = (struct opt_u32){ true, op->pairing_protocol };
    return ev;
}

/* What is about identities, pairing and operations. */
static struct core_event pairing_event(struct sim *sim, struct core_event ev, const struct op *op)
{
    const struct machine *m = op->agent > 0 ? &sim->bodies[op->agent - 1] : NULL;
    bool listed = m != NULL && op->operation == OP_LIST_CLIENTS && op->how <= ANSWERS_LATE;
    switch (op->type) {
    case CORE_IDENTITY_PUT:
        ev.u.identity = (struct identity_req){ op->head_id, "0123456789abcdef", op->fingerprint, "certificate",
            hc_time_add(ev.now, 3650 * HC_DAY_MS) };
        break;
    case CORE_IDENTITY_REVOKE:
        ev.u.identity_revoke = (struct identity_revoke_req){ op->head_id };
        break;
    case CORE_PAIR_LEASE:
        ev.u.pair = (struct pair_req){ op->head_id, op->body_id, op->slot };
        break;
    case CORE_PAIR_RELEASE:
        ev.u.pair_release = (struct pair_release_req){ op->head_id, op->lease_id };
        break;
    case CORE_OP_ASK:
        ev.u.op_ask = (struct op_ask_req){ .node_id = op->body_id, .op = op->operation, .uuid = op->operation == OP_UNPAIR ? "old-1" : "",
            .pin = op->operation == OP_SUBMIT_PIN ? "4711" : "", .name = op->relay || op->operation != OP_SUBMIT_PIN ? "" : "hydra-x",
            .asked_by = op->relay ? op->head_id : "admin t1", .relay = op->relay };
        break;
    case CORE_OP_NEXT:
        ev.u.op_next = (struct op_next_req){ op->caller };
        break;
    case CORE_OP_RESULT:
        ev.u.op_result = (struct op_result_req){ .node_id = op->caller, .op_id = op->op_id, .failed = op->how == ANSWERS_FAILURE,
            .error = "", .verdict = op->how <= ANSWERS_LATE ? OP_VERDICT_TRUE : op->how == ANSWERS_NO ? OP_VERDICT_FALSE : OP_VERDICT_NONE,
            .has_clients = listed, .clients = sim->listing, .client_count = listed ? agent_lists(sim, m) : 0 };
        break;
    default:
        abort();                             /* not a request that waits for its answer */
    }
    return ev;
}

static struct core_event event_of(struct sim *sim, const struct op *op, bool last_chance)
{
    struct core_event ev = cluster_event(sim, op->type, op->admin ? CALLER_ADMIN : CALLER_NODE, op->admin ? "" : op->caller);
    ev.dry_run = op->dry_run;
    switch (op->type) {
    case CORE_CLAIM:
        return claim_event(ev, op);
    case CORE_HEARTBEAT:
        return beat_event(ev, op);
    case CORE_READ:
        ev.u.read = (struct read_req){ .head_id = op->head_id, .district = "", .venue = "", .experience = op->experience,
            .stream_mode = op->mode, .protocol2 = op->protocol2, .last_chance = last_chance };
        break;
    case CORE_CONFIG_FETCH:
        ev.u.fetch = (struct fetch_req){ op->head_id, last_chance };
        break;
    case CORE_RENEW:
        ev.u.renew = (struct renew_req){ op->head_id, op->lease_id, op->token };
        break;
    case CORE_RELEASE:
        ev.u.release = (struct release_req){ op->head_id, op->lease_id, op->token, op->why };
        break;
    case CORE_STREAM_STOP:
        ev.u.stream_stop = (struct stream_stop_req){ op->head_id, op->body_id };
        break;
    case CORE_STREAM_END:
        ev.u.stream_end = (struct stream_end_req){ op->head_id, op->stream_id };
        break;
    case CORE_ADMISSION:
        ev.u.admission = (struct admission_req){ op->head_id, op->attempt_id };
        break;
    case CORE_ACCEPT:
        ev.u.accept = (struct accept_req){ op->head_id };
        break;
    case CORE_XR_START:
        ev.u.xr_start = (struct xr_start_req){ op->head_id, op->body_id, op->experience, "quest.client", "" };
        break;
    case CORE_XR_POLL:
    case CORE_XR_END:
        ev.u.xr = (struct xr_req){ op->head_id };
        break;
    case CORE_LEASE_END:
        ev.u.lease_end = (struct lease_end_req){ op->lease_id, op->revoke, "" };
        break;
    default:
        return pairing_event(sim, ev, op);
    }
    return ev;
}

static void take_answer(struct sim *sim, struct op *op)
{
    const struct core_result *last = &sim->cluster.last;
    struct answer *a = &op->answer;
    *a = (struct answer){ .answer = last->answer, .deny = last->deny, .wait = last->wait, .has_lease = last->has_lease,
        .rows = (uint32_t)last->row_count, .epoch = last->epoch, .slot = last->slot, .has_op = last->has_op, .given = last->op,
        .pair = last->pair, .xr = last->xr };
    HC_SET(a->lost_why, last->lost_why);
    HC_SET(a->token, last->claim_token);
    if (last->has_lease) {
        HC_SET(a->lease_id, last->lease.id);
        HC_SET(a->stream_id, last->lease.stream_id);
        a->state = last->lease.state;
        a->uncollected = last->lease.uncollected;
    }
    if (last->has_body) {
        HC_SET(a->body_id, last->body.id);
        HC_SET(a->app, last->body.app_name);
    }
    if (last->row_count > 0) {
        HC_SET(a->body_id, last->rows[0].id);
        a->stream_count = last->rows[0].stream_count;
    }
    if (last->has_ticket) {
        a->position = last->ticket.position;
        a->ticket = last->ticket.state;
        HC_SET(a->stream_id, last->ticket.stream_id);
    } else if (last->has_stream && a->stream_id[0] == '\0') {
        HC_SET(a->stream_id, last->stream.id);
    }
}

static void deliver(struct sim *sim, struct op *op)
{
    bool lost_read = op->answer.store_down && op->type == CORE_READ && sim->cluster.running;
    op->waiting = false;
    if (lost_read) {
        struct core_event ev = cluster_event(sim, CORE_ANSWER_LOST, CALLER_SYSTEM, "");
        ev.u.answer_lost = (struct answer_lost_req){ op->head_id };
        (void)cluster_step(sim, &ev, cluster_seed(sim));
    }
    op->answer.arrived = !op->lost;
    if (op->agent > 0 && sim->mode == MODE_RANDOM)
        agent_answered(sim, op);
    else if (op->type >= CORE_OP_ASK && sim->mode == MODE_RANDOM)
        device_answered(sim, op);
    else if (op->head >= 0 && op->answer.arrived && sim->mode == MODE_RANDOM)
        head_answered(sim, op);
    if (sim->mode == MODE_RANDOM)
        op_free(op);
}

void op_run(struct sim *sim, struct op *op, bool last_chance)
{
    struct core_event ev = event_of(sim, op, last_chance);
    if (cluster_step(sim, &ev, op->seed) != HC_OK)
        return;
    take_answer(sim, op);
    op->wait_seq = sim->cluster.live_seq;
    op->parked = op->answer.answer == ANSWER_WAIT_SLOT;
    op->waiting = !op->parked;
}

static void settle(struct sim *sim, struct op *op)
{
    if (op->used && op->waiting && op->wait_seq <= sim->cluster.durable_seq && !sim->cluster.forward_only)
        deliver(sim, op);
}

void op_submit(struct sim *sim, struct op *op)
{
    if (!sim->cluster.running) {
        op_free(op);                         /* nobody listens: the head's own time-out tells it */
        return;
    }
    op->seed = cluster_seed(sim);
    op->parked_until = sim->now + CLAIM_WAIT_MS;
    op_run(sim, op, false);
    if (op->parked) {
        sim_at(sim, sim->now + PARK_LOOK_MS, EV_PARKED, (int)(op - sim->ops), op->number);
        return;
    }
    settle(sim, op);
}

void op_parked(struct sim *sim, struct op *op)
{
    if (!op->used || !op->parked || !sim->cluster.running)
        return;
    op->seed = cluster_seed(sim);            /* a new event: what the first one did stands */
    op_run(sim, op, sim->now >= op->parked_until);
    if (op->parked)
        sim_at(sim, sim->now + PARK_LOOK_MS, EV_PARKED, (int)(op - sim->ops), op->number);
    else
        settle(sim, op);
}

/* In the order in which they asked. */
static struct op *next_waiting(struct sim *sim, uint64_t after)
{
    struct op *next = NULL;
    for (size_t i = 0; i < SIM_OPS_MAX; i++) {
        struct op *op = &sim->ops[i];
        if (op->used && op->waiting && op->number > after && (next == NULL || op->number < next->number))
            next = op;
    }
    return next;
}

void cluster_take_answers(struct sim *sim)
{
    uint64_t after = 0;
    for (struct op *op; (op = next_waiting(sim, after)) != NULL;) {
        after = op->number;
        settle(sim, op);
    }
}

void cluster_fail_answers(struct sim *sim)
{
    uint64_t after = 0;
    for (struct op *op; (op = next_waiting(sim, after)) != NULL;) {
        after = op->number;
        op->answer = (struct answer){ .store_down = true, .answer = ANSWER_REFUSED, .deny = DENY_STORE };
        deliver(sim, op);
    }
}

void cluster_run_again(struct sim *sim)
{
    uint64_t after = 0;
    for (struct op *op; (op = next_waiting(sim, after)) != NULL;) {
        after = op->number;
        op_run(sim, op, true);
    }
}
