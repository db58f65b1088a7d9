/* fleet_faults.c - what a scenario makes happen, and what happens at random in a fleet with faults. */
#include "fleet.h"

static void head_does(struct fleet *fleet, size_t head, enum head_event_type type, const char *experience)
{
    const struct head_event event = { .type = type, .experience = experience };
    fleet_head_event(fleet, head, &event);
}

static void asks(struct fleet *fleet, size_t head, const struct plan_step *step)
{
    head_does(fleet, head, HEAD_ASK, step->experience);
}

static void leaves(struct fleet *fleet, size_t head, const struct plan_step *step)
{
    (void)step;
    head_does(fleet, head, HEAD_LEAVE, NULL);
}

/* Switched off: no picture for anybody, not a word to the cluster; the body notices after a while. */
static void vanishes(struct fleet *fleet, size_t head, const struct plan_step *step)
{
    (void)step;
    truth_dark(fleet->truth, head);
    head_does(fleet, head, HEAD_VANISH, NULL);
    for (size_t i = 0; i < fleet->scenario->body_count; i++) {
        if (body_session_of(&fleet->bodies[i].machine, head) == NULL)
            continue;
        const struct body_event away = { .type = BODY_CLIENT_AWAY, .launch = { .head = head } };
        fleet_body_event(fleet, i, &away);
    }
}

static void returns(struct fleet *fleet, size_t head, const struct plan_step *step)
{
    (void)step;
    head_does(fleet, head, HEAD_RETURN, NULL);
}

static void cannot_pair(struct fleet *fleet, size_t head, const struct plan_step *step)
{
    fleet->heads[head].machine.cannot_pair = step->type == STEP_CANNOT_PAIR;
}

static void head_loses(struct fleet *fleet, size_t head, const struct plan_step *step)
{
    fleet->heads[head].peer.answers_to_lose += step->count;
}

static void head_partition(struct fleet *fleet, size_t head, const struct plan_step *step)
{
    fleet->heads[head].peer.partitioned_until = fleet->now_ms + step->duration_ms;
}

static void reboots(struct fleet *fleet, size_t body, const struct plan_step *step)
{
    const struct body_event event = { .type = BODY_REBOOT, .down_ms = step->duration_ms };
    fleet_body_event(fleet, body, &event);
}

static void restarts_agent(struct fleet *fleet, size_t body, const struct plan_step *step)
{
    (void)step;
    const struct body_event event = { .type = BODY_AGENT_RESTART };
    fleet_body_event(fleet, body, &event);
}

static void app_crashes(struct fleet *fleet, size_t body, const struct plan_step *step)
{
    (void)step;
    const struct body_event event = { .type = BODY_APP_CRASH };
    fleet_body_event(fleet, body, &event);
}

static void body_loses(struct fleet *fleet, size_t body, const struct plan_step *step)
{
    fleet->bodies[body].peer.answers_to_lose += step->count;
}

static void body_partition(struct fleet *fleet, size_t body, const struct plan_step *step)
{
    fleet->bodies[body].peer.partitioned_until = fleet->now_ms + step->duration_ms;
}

typedef void step_fn(struct fleet *fleet, size_t node, const struct plan_step *step);
static const struct { step_fn *run; bool of_body, is_fault; const char *told; } step_rows[STEP_TYPES] = {
    [STEP_ASKS] = { asks, false, false, "asks" },
    [STEP_LEAVES] = { leaves, false, false, "leaves" },
    [STEP_VANISHES] = { vanishes, false, true, "is switched off" },
    [STEP_RETURNS] = { returns, false, false, "is switched on" },
    [STEP_CANNOT_PAIR] = { cannot_pair, false, true, "cannot pair from here on" },
    [STEP_CAN_PAIR] = { cannot_pair, false, false, "can pair again" },
    [STEP_HEAD_LOSES] = { head_loses, false, true, "loses answers" },
    [STEP_HEAD_PARTITION] = { head_partition, false, true, "is cut off from the cluster" },
    [STEP_REBOOTS] = { reboots, true, true, "reboots" },
    [STEP_RESTARTS_AGENT] = { restarts_agent, true, true, "restarts its agent" },
    [STEP_APP_CRASHES] = { app_crashes, true, true, "crashes its app" },
    [STEP_BODY_LOSES] = { body_loses, true, true, "loses answers" },
    [STEP_BODY_PARTITION] = { body_partition, true, true, "is cut off from the cluster" },
};

void fleet_do_step(struct fleet *fleet, const struct plan_step *step)
{
    if (step_rows[step->type].is_fault)
        fleet->counts[COUNT_FAULTS]++;
    for (size_t i = 0; i < step->target_count; i++) {
        size_t node = step->targets[i];
        fleet_news(fleet, "%s %s", step_rows[step->type].of_body ? fleet->bodies[node].plan->name : fleet->heads[node].plan->name,
                   step_rows[step->type].told);
        step_rows[step->type].run(fleet, node, step);
    }
}

/* Bounds keep legacy heads inside what the rules promise them: a head that is cut off longer than its first hold may meet another. */
static const struct { enum step_type type; uint32_t weight; int64_t least_ms, most_ms; uint32_t count; } random_rows[] = {
    { STEP_HEAD_LOSES, 30, 0, 0, 1 },          { STEP_BODY_LOSES, 15, 0, 0, 2 },       { STEP_HEAD_PARTITION, 15, 2000, 12000, 0 },
    { STEP_BODY_PARTITION, 10, 5000, 25000, 0 }, { STEP_RESTARTS_AGENT, 10, 0, 0, 0 }, { STEP_APP_CRASHES, 8, 0, 0, 0 },
    { STEP_REBOOTS, 4, 20000, 60000, 0 },      { STEP_VANISHES, 8, 0, 0, 0 },
};
#define FAULT_LEAST_MS 4000
#define FAULT_MOST_MS  16000

void fleet_random_fault(struct fleet *fleet)
{
    fleet->next_fault_ms = fleet->now_ms + rng_between(&fleet->rng, FAULT_LEAST_MS, FAULT_MOST_MS);
    uint32_t total = 0, row = 0;
    for (size_t i = 0; i < sizeof random_rows / sizeof random_rows[0]; i++)
        total += random_rows[i].weight;
    for (int64_t at = rng_between(&fleet->rng, 0, (int64_t)total - 1); at >= random_rows[row].weight; row++)
        at -= random_rows[row].weight;
    struct plan_step step = { .type = random_rows[row].type, .count = random_rows[row].count, .target_count = 1 };
    step.duration_ms = rng_between(&fleet->rng, random_rows[row].least_ms, random_rows[row].most_ms);
    bool of_body = step_rows[step.type].of_body;
    size_t among = of_body ? fleet->scenario->body_count : fleet->scenario->head_count;
    if (among == 0)
        return;
    size_t node = (size_t)rng_between(&fleet->rng, 0, (int64_t)among - 1);
    step.targets = &node;
    if (step.type == STEP_VANISHES && fleet->heads[node].machine.phase == HEAD_OFF)
        step.type = STEP_RETURNS;
    fleet_do_step(fleet, &step);
}
