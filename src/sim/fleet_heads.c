/* fleet_heads.c - heads: their acts on the wire and at bodies, their answers back to the machines. */
#include "fleet.h"

static void answered(struct fleet *fleet, const struct flight *flight, const struct client_answer *answer)
{
    struct head_answer in = { .call = (enum head_call)flight->what };
    if (answer != NULL) {
        const char *text = answer->body.len == 0 ? "" : answer->body.data;
        if (!wire_head_answer(in.call, answer->status, text, answer->body.len, fleet->scenario->scale, &in)) {
            fleet->counts[COUNT_BAD_ANSWERS]++;
            fleet->violations++;
            fleet_say(fleet, "CHECK %s: the answer to %s does not read: %.80s", fleet->heads[flight->node].plan->name,
                      head_call_words[in.call], text);
            in = (struct head_answer){ .call = in.call };
        }
        if (in.retry_ms == 0 && answer->retry_after_seconds > 0)
            in.retry_ms = (int64_t)answer->retry_after_seconds * 1000 * fleet->scenario->scale;
    }
    in.call = (enum head_call)flight->what;
    in.round = flight->round;
    in.asked_ms = flight->asked_ms;
    const struct head_event event = { .type = HEAD_ANSWERED, .answer = &in };
    fleet_head_event(fleet, flight->node, &event);
}

static void do_call(struct fleet *fleet, size_t number, const struct head_act *act)
{
    struct fleet_head *head = &fleet->heads[number];
    const struct wire_head who = { .id = head->peer.id, .district = FLEET_DISTRICT, .venue = head->plan->venue,
                                   .protocol = head_kinds[head->plan->kind].protocol };
    struct wire_request request;
    wire_head_request(&who, &act->args, &request);
    const struct flight flight = { .peer = &head->peer, .node = number, .what = (int)act->args.call, .round = act->args.round,
                                   .answered = answered };
    fleet_call(fleet, &flight, &request, head->peer.token);
    wire_request_free(&request);
}

static size_t body_of(const struct fleet *fleet, const char *id)
{
    return fleet_find(fleet->body_index, fleet->scenario->body_count, id);
}

/* A body that is not in this process cannot be launched on: somebody else's machine, as if it were switched off. */
static void do_launch(struct fleet *fleet, size_t number, const struct head_act *act)
{
    struct fleet_head *head = &fleet->heads[number];
    size_t body = body_of(fleet, act->args.body_id);
    if (body == SIZE_MAX) {
        const struct head_event refused = { .type = HEAD_REFUSED };
        fleet_head_event(fleet, number, &refused);
        return;
    }
    const struct body_event event = { .type = BODY_LAUNCH, .launch = { .head = number, .slot = act->slot, .app = act->app,
        .joins_busy = head_kinds[head->plan->kind].joins_busy, .client_uuid = head->client_uuid, .client_name = head->client_name } };
    fleet_body_event(fleet, body, &event);
}

static void tell_client(struct fleet *fleet, size_t number, const struct head_act *act, enum body_event_type type)
{
    const struct fleet_head *head = &fleet->heads[number];
    size_t body = body_of(fleet, act->args.body_id);
    if (body == SIZE_MAX)
        return;
    const struct body_event event = { .type = type, .launch = { .head = number, .client_uuid = head->client_uuid,
                                                                .client_name = head->client_name } };
    fleet_body_event(fleet, body, &event);
}

static void do_handshake(struct fleet *fleet, size_t number, const struct head_act *act)
{
    tell_client(fleet, number, act, BODY_HANDSHAKE);
}

static void do_paired(struct fleet *fleet, size_t number, const struct head_act *act)
{
    tell_client(fleet, number, act, BODY_PAIRED);
}

static void do_close(struct fleet *fleet, size_t number, const struct head_act *act)
{
    (void)act;
    truth_dark(fleet->truth, number);
    for (size_t i = 0; i < fleet->scenario->body_count; i++) {
        if (body_session_of(&fleet->bodies[i].machine, number) == NULL)
            continue;
        const struct body_event event = { .type = BODY_CLOSE, .launch = { .head = number } };
        fleet_body_event(fleet, i, &event);
    }
}

static void do_holds(struct fleet *fleet, size_t number, const struct head_act *act)
{
    size_t body = body_of(fleet, act->args.body_id);
    fleet->counts[COUNT_GRANTS]++;
    if (body == SIZE_MAX || act->slot >= TRUTH_SLOTS_MAX)
        return;
    const struct truth_hold hold = { .head = number, .body = body, .slot = act->slot, .until_ms = act->until_ms,
                                     .can_be_told = head_kinds[fleet->heads[number].plan->kind].protocol >= 2 };
    struct truth_conflict conflict;
    if (truth_holds(fleet->truth, &hold, fleet->now_ms, &conflict))
        fleet_conflict(fleet, &conflict);
}

static void do_renewed(struct fleet *fleet, size_t number, const struct head_act *act)
{
    struct truth_conflict conflict;
    if (truth_renewed(fleet->truth, number, act->asked_ms, act->until_ms, &conflict))
        fleet_conflict(fleet, &conflict);
}

static void do_drops(struct fleet *fleet, size_t number, const struct head_act *act)
{
    (void)act;
    truth_drops(fleet->truth, number);
}

static const struct { enum fleet_counter counter; const char *text; } news_rows[HEAD_NEWS_COUNT] = {
    [HEAD_NEWS_REFUSED] = { COUNT_REFUSALS, "is refused" },           [HEAD_NEWS_QUEUED] = { COUNT_QUEUED, "waits" },
    [HEAD_NEWS_PAIR_FAILED] = { COUNT_PAIR_FAILED, "cannot pair" },   [HEAD_NEWS_BUSY_HOST] = { COUNT_BUSY_HOSTS,
            "is not let in by the body" },
    [HEAD_NEWS_LEASE_LOST] = { COUNT_LEASES_LOST, "has lost its lease" }, [HEAD_NEWS_INTERRUPTED] = { COUNT_INTERRUPTED, "is interrupted" },
};

static void do_says(struct fleet *fleet, size_t number, const struct head_act *act)
{
    fleet->counts[news_rows[act->news].counter]++;
    fleet_news(fleet, "%s %s%s%s", fleet->heads[number].plan->name, news_rows[act->news].text, act->word[0] == '\0' ? "" : ": ", act->word);
    if (act->news == HEAD_NEWS_QUEUED)
        fleet->queue_at = fleet->now_ms;
}

typedef void act_fn(struct fleet *fleet, size_t number, const struct head_act *act);
static act_fn *const act_rows[] = {
    [HEAD_ACT_CALL] = do_call,       [HEAD_ACT_LAUNCH] = do_launch, [HEAD_ACT_CLOSE] = do_close, [HEAD_ACT_HOLDS] = do_holds,
    [HEAD_ACT_RENEWED] = do_renewed, [HEAD_ACT_DROPS] = do_drops,   [HEAD_ACT_SAYS] = do_says,
    [HEAD_ACT_HANDSHAKE] = do_handshake, [HEAD_ACT_PAIRED] = do_paired,
};

void fleet_head_event(struct fleet *fleet, size_t number, const struct head_event *event)
{
    struct head_acts acts;
    struct head *machine = &fleet->heads[number].machine;
    head_step(machine, event, fleet->now_ms, &acts);
    for (size_t i = 0; i < acts.count; i++)
        act_rows[acts.list[i].type](fleet, number, &acts.list[i]);
    due_set(fleet->due, number, head_next(machine));
}

void fleet_visitor_looks(struct fleet *fleet, size_t number)
{
    struct fleet_head *head = &fleet->heads[number];
    enum visitor_wish wish = visitor_step(&head->visitor, head->machine.phase, fleet->now_ms);
    due_set(fleet->due, fleet_due_visitor(fleet, number), fleet->now_ms + VISITOR_LOOKS_MS);
    if (wish == VISITOR_NOTHING)
        return;
    size_t choices = fleet->scenario->experience_count;
    size_t choice = (size_t)rng_between(&head->visitor.rng, 0, (int64_t)choices - 1);
    const struct head_event event = { .type = wish == VISITOR_ASKS ? HEAD_ASK : HEAD_LEAVE, .experience = fleet->experiences[choice] };
    fleet_head_event(fleet, number, &event);
}
