/* fleet_bodies.c - bodies: their reports, polls and questions on the wire; their pictures for the heads and for the truth. */
#include "fleet.h"

enum body_call { BODY_CALL_REPORT, BODY_CALL_DESIRED, BODY_CALL_ADMIT, BODY_CALL_OPS_NEXT, BODY_CALL_OP_RESULT };

static void directive_answered(struct fleet *fleet, const struct flight *flight, const struct client_answer *answer)
{
    struct body_directive directive = { .status = 0 };
    const char *text = answer == NULL || answer->body.len == 0 ? "" : answer->body.data;
    if (answer != NULL && !wire_directive(answer->status, text, answer->body.len, fleet->scenario->scale, &directive)) {
        fleet->counts[COUNT_BAD_ANSWERS]++;
        fleet->violations++;
        fleet_say(fleet, "CHECK %s: the directive does not read: %.80s", fleet->bodies[flight->node].plan->name, text);
        directive = (struct body_directive){ .status = 0 };
    }
    const struct body_event event = { .type = flight->what == BODY_CALL_REPORT ? BODY_REPORTED : BODY_DESIRED, .directive = &directive };
    fleet_body_event(fleet, flight->node, &event);
}

/* No answer, or one that says nothing about the launch, lets it in (I11). */
static void admit_answered(struct fleet *fleet, const struct flight *flight, const struct client_answer *answer)
{
    char lease_id[HC_ID_SIZE] = "";
    bool said = answer != NULL && (answer->status == 201 || answer->status == 409);
    if (said)
        wire_admitted(answer->status, answer->body.data == NULL ? "" : answer->body.data, answer->body.len, lease_id);
    const struct body_event event = { .type = BODY_ADMITTED, .launch = { .head = flight->other },
                                      .admitted_lease = said ? lease_id : NULL };
    fleet_body_event(fleet, flight->node, &event);
}

static void op_answered(struct fleet *fleet, const struct flight *flight, const struct client_answer *answer)
{
    struct body_op op;
    bool given = answer != NULL && answer->status == 200;
    if (given && !wire_operation(answer->body.data, answer->body.len, &op)) {
        fleet->counts[COUNT_BAD_ANSWERS]++;
        fleet->violations++;
        fleet_say(fleet, "CHECK %s: the operation does not read: %.80s", fleet->bodies[flight->node].plan->name, answer->body.data);
        given = false;
    }
    const struct body_event event = { .type = BODY_OPS_ANSWERED, .op = given ? &op : NULL, .agent = flight->round,
                                      .heard = given || (answer != NULL && answer->status == 204) };
    fleet->counts[COUNT_OPERATIONS] += given;
    fleet_body_event(fleet, flight->node, &event);
}

static void op_told(struct fleet *fleet, const struct flight *flight, const struct client_answer *answer)
{
    (void)answer;
    const struct body_event event = { .type = BODY_OP_TOLD, .agent = flight->round };
    fleet_body_event(fleet, flight->node, &event);
}

static fleet_answered_fn *const answered_rows[] = {
    [BODY_CALL_REPORT] = directive_answered, [BODY_CALL_DESIRED] = directive_answered, [BODY_CALL_ADMIT] = admit_answered,
    [BODY_CALL_OPS_NEXT] = op_answered,      [BODY_CALL_OP_RESULT] = op_told,
};

static void send_call(struct fleet *fleet, size_t number, enum body_call call, size_t head, struct wire_request *request)
{
    struct fleet_body *body = &fleet->bodies[number];
    const struct flight flight = { .peer = &body->peer, .node = number, .what = (int)call, .other = head,
                                   .round = body->machine.agents, .lane = call == BODY_CALL_OPS_NEXT ? body->ops_lane : 0,
                                   .answered = answered_rows[call] };
    fleet_call(fleet, &flight, request, body->peer.token);
    wire_request_free(request);
}

static void do_report(struct fleet *fleet, size_t number, const struct body_act *act)
{
    (void)act;
    struct fleet_body *body = &fleet->bodies[number];
    const struct wire_body what = { .gpu = "simulated", .memory_mb = body->plan->memory_mb, .experiences = fleet->experiences,
                                    .experience_count = fleet->scenario->experience_count, .scale = fleet->scenario->scale };
    struct wire_request request;
    wire_report(&what, &body->machine, fleet->now_ms, &request);
    body_notes_told(&body->machine);
    send_call(fleet, number, BODY_CALL_REPORT, 0, &request);
}

static void do_poll(struct fleet *fleet, size_t number, const struct body_act *act)
{
    (void)act;
    struct wire_request request;
    wire_desired(&fleet->bodies[number].machine, &request);
    send_call(fleet, number, BODY_CALL_DESIRED, 0, &request);
}

static void do_ops_poll(struct fleet *fleet, size_t number, const struct body_act *act)
{
    (void)act;
    struct wire_request request;
    wire_ops_next(&fleet->bodies[number].machine, &request);
    send_call(fleet, number, BODY_CALL_OPS_NEXT, 0, &request);
}

static void do_op_result(struct fleet *fleet, size_t number, const struct body_act *act)
{
    (void)act;
    struct wire_request request;
    wire_op_result(&fleet->bodies[number].machine, &request);
    send_call(fleet, number, BODY_CALL_OP_RESULT, 0, &request);
}

static void do_admit(struct fleet *fleet, size_t number, const struct body_act *act)
{
    const struct session *session = body_session_of(&fleet->bodies[number].machine, act->head);
    if (session == NULL)
        return;
    struct wire_request request;
    wire_admit(&fleet->bodies[number].machine, session, &request);
    send_call(fleet, number, BODY_CALL_ADMIT, act->head, &request);
}

static void do_picture(struct fleet *fleet, size_t number, const struct body_act *act)
{
    struct fleet_head *head = &fleet->heads[act->head];
    if (head->machine.phase != HEAD_LAUNCHING)
        return;
    struct truth_conflict conflict;
    bool second = truth_sees(fleet->truth, act->head, number, act->slot, fleet->now_ms, &conflict);
    truth_drops(fleet->truth, act->head);              /* from here on the picture is its claim to the slot */
    fleet->counts[COUNT_PICTURES]++;
    head->since_ms = fleet->now_ms;
    head->place = 0;
    if (fleet->bodies[number].plan->slots > 1)
        fleet_news(fleet, "%s sees a picture from %s slot %u", head->plan->name, fleet->bodies[number].plan->name, act->slot);
    else
        fleet_news(fleet, "%s sees a picture from %s", head->plan->name, fleet->bodies[number].plan->name);
    if (second)
        fleet_conflict(fleet, &conflict);
    const struct head_event event = { .type = HEAD_LAUNCHED };
    fleet_head_event(fleet, act->head, &event);
}

static void do_refused(struct fleet *fleet, size_t number, const struct body_act *act)
{
    (void)number;
    const struct head_event event = { .type = HEAD_REFUSED };
    fleet_head_event(fleet, act->head, &event);
}

static void do_dark(struct fleet *fleet, size_t number, const struct body_act *act)
{
    if (truth_picture_of(fleet->truth, act->head) != number)
        return;                                        /* it had gone before */
    truth_dark(fleet->truth, act->head);
    fleet_news(fleet, "%s sees no picture from %s any more", fleet->heads[act->head].plan->name, fleet->bodies[number].plan->name);
    const struct head_event event = { .type = HEAD_LOST };
    fleet_head_event(fleet, act->head, &event);
}

typedef void act_fn(struct fleet *fleet, size_t number, const struct body_act *act);
static act_fn *const act_rows[BODY_ACTS] = {
    [BODY_ACT_REPORT] = do_report,   [BODY_ACT_POLL] = do_poll,       [BODY_ACT_ADMIT] = do_admit,
    [BODY_ACT_PICTURE] = do_picture, [BODY_ACT_REFUSED] = do_refused, [BODY_ACT_DARK] = do_dark,
    [BODY_ACT_OPS_POLL] = do_ops_poll, [BODY_ACT_OP_RESULT] = do_op_result,
};

void fleet_body_event(struct fleet *fleet, size_t number, const struct body_event *event)
{
    struct body_acts acts;
    struct body *machine = &fleet->bodies[number].machine;
    body_step(machine, event, fleet->now_ms, &acts);
    for (size_t i = 0; i < acts.count; i++)
        act_rows[acts.list[i].type](fleet, number, &acts.list[i]);
    due_set(fleet->due, fleet_due_body(fleet, number), body_next(machine));
}

void fleet_conflict(struct fleet *fleet, const struct truth_conflict *conflict)
{
    fleet->violations++;
    fleet_say(fleet, "CONFLICT %s and %s on %s slot %u: %s", fleet->heads[conflict->head].plan->name,
              fleet->heads[conflict->other].plan->name,
              fleet->bodies[conflict->body].plan->name, conflict->slot, truth_words[conflict->kind]);
}
