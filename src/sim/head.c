/* head.c - what all heads have in common: timers, heartbeats, pairing, farewells. */
#include "head_parts.h"

#include <assert.h>

#define SECOND_MS            ((int64_t)1000)
#define COMMANDS_MS          (3 * SECOND_MS)
#define TICK_MS              (30 * SECOND_MS)
#define FAREWELL_EVERY_MS    (2 * SECOND_MS)
#define FAREWELL_TRIES       5

const struct head_kind_row head_kinds[HEAD_KINDS] = {
    [HEAD_IPAD]  = { .word = "ipad", .node_kind = "hydraheadipad", .protocol = 1, .beat_ms = TICK_MS, .beat_streaming_ms = 5 * SECOND_MS,
                     .commands_ms = COMMANDS_MS, .pair_least_ms = 3 * SECOND_MS, .pair_most_ms = 12 * SECOND_MS, .pair_tries = 1,
                     .error_until_tap = true, .joins_busy = true, .sure_hold_ms = 30 * SECOND_MS },
    [HEAD_GO]    = { .word = "go", .node_kind = "hydraheadflatscreen", .protocol = 1, .beat_ms = TICK_MS, .beat_streaming_ms = TICK_MS,
                     .pair_least_ms = 2 * SECOND_MS, .pair_most_ms = 8 * SECOND_MS, .pair_tries = 1, .joins_busy = true,
                     .sure_hold_ms = 30 * SECOND_MS },
    [HEAD_QUEST] = { .word = "quest", .node_kind = "hydraheadquest", .protocol = 1, .beat_ms = TICK_MS, .beat_streaming_ms = TICK_MS,
                     .commands_ms = COMMANDS_MS, .pair_least_ms = 15 * SECOND_MS, .pair_most_ms = 45 * SECOND_MS, .pair_tries = 2,
                     .silent_while_pairing = true, .error_until_tap = true, .joins_busy = true, .sure_hold_ms = 90 * SECOND_MS },
    [HEAD_P2]    = { .word = "p2", .node_kind = "hydraheadflatscreen", .protocol = 2, .beat_ms = TICK_MS, .beat_streaming_ms = TICK_MS,
                     .pair_least_ms = 1 * SECOND_MS, .pair_most_ms = 3 * SECOND_MS, .pair_tries = 1 },
};

const char *const head_phase_words[HEAD_PHASES] = {
    [HEAD_IDLE] = "idle", [HEAD_ASKING] = "asks", [HEAD_WAITING] = "waits", [HEAD_READYING] = "has a slot", [HEAD_PAIRING] = "pairs",
    [HEAD_STARTING] = "starts", [HEAD_LAUNCHING] = "launches", [HEAD_STREAMING] = "sees a picture", [HEAD_ERROR] = "shows an error",
        [HEAD_OFF] = "is off",
};
const char *const head_call_words[HEAD_CALLS] = {
    [HEAD_BEAT] = "heartbeat", [HEAD_CONFIG] = "config", [HEAD_COMMANDS] = "commands", [HEAD_READ] = "eligible", [HEAD_CLAIM] = "claim",
    [HEAD_RENEW] = "renew", [HEAD_ADMISSION] = "admission", [HEAD_ACCEPT] = "accept", [HEAD_RELEASE] = "release", [HEAD_STOP] = "stop",
};

/* What a heartbeat says in each phase. Flat discovery and pairing are one word on shipping heads: `starting`, without a body. */
static const struct { const char *status, *lease_state; } beat_words[HEAD_PHASES] = {
    [HEAD_IDLE] = { "idle", NULL }, [HEAD_ASKING] = { "starting", NULL }, [HEAD_WAITING] = { "starting", NULL },
    [HEAD_READYING] = { "starting", "pairing" }, [HEAD_PAIRING] = { "starting", "pairing" }, [HEAD_STARTING] = { "starting", "starting" },
    [HEAD_LAUNCHING] = { "starting", "starting" },
    [HEAD_STREAMING] = { "streaming", "streaming" }, [HEAD_ERROR] = { "error", NULL }, [HEAD_OFF] = { "idle", NULL },
};

static const struct head_kind_row *kind_of(const struct head *head)
{
    return &head_kinds[head->kind];
}

static const struct head_ways *ways_of(const struct head *head)
{
    return kind_of(head)->protocol >= 2 ? &head_p2_ways : &head_legacy_ways;
}

int64_t head_real_ms(const struct head *head, int64_t real_ms)
{
    return real_ms * head->scale;
}

struct head_act *head_act(struct turn *t, enum head_act_type type)
{
    assert(t->out->count < HEAD_ACTS_MAX);
    struct head_act *act = &t->out->list[t->out->count++];
    *act = (struct head_act){ .type = type };
    return act;
}

struct head_args *head_send(struct turn *t, enum head_call call)
{
    struct head_args *args = &head_act(t, HEAD_ACT_CALL)->args;
    args->call = call;
    args->round = t->head->round;
    t->head->under_way |= HEAD_BIT(call);
    return args;
}

void head_says(struct turn *t, enum head_news news, const char *why)
{
    struct head_act *act = head_act(t, HEAD_ACT_SAYS);
    act->news = news;
    HC_SET(act->word, why);
}

static bool silent(const struct head *head)
{
    bool pairs = head->phase == HEAD_ASKING || head->phase == HEAD_PAIRING || head->phase == HEAD_LAUNCHING;
    return head->phase == HEAD_OFF || (kind_of(head)->silent_while_pairing && pairs);
}

void head_phase_is(struct turn *t, enum head_phase phase)
{
    t->head->phase = phase;
    t->head->phase_at = 0;
    t->head->beat_at = phase == HEAD_OFF ? 0 : t->now_ms;
}

bool head_holds(const struct head *head)
{
    return head->phase == HEAD_READYING || head->phase == HEAD_PAIRING || head->phase == HEAD_STARTING || head->phase == HEAD_LAUNCHING;
}

void head_drops(struct turn *t)
{
    if (t->head->body_id[0] == '\0')
        return;
    (void)head_act(t, HEAD_ACT_DROPS);
    t->head->body_id[0] = '\0';
    t->head->hold_until_ms = 0;
}

void head_pairs(struct turn *t)
{
    struct head *h = t->head;
    if (h->phase != HEAD_PAIRING)
        head_phase_is(t, HEAD_PAIRING);
    h->pair_tries++;
    HC_SET(head_act(t, HEAD_ACT_HANDSHAKE)->args.body_id, h->body_id);
    h->phase_at = t->now_ms + rng_between(&h->rng, kind_of(h)->pair_least_ms, kind_of(h)->pair_most_ms);
}

bool head_pair_works(struct turn *t)
{
    bool fails = rng_chance(&t->head->rng, t->head->pair_fails_per_mille) || t->head->cannot_pair;
    if (!fails)
        HC_SET(head_act(t, HEAD_ACT_PAIRED)->args.body_id, t->head->body_id);
    return !fails;
}

void head_launches(struct turn *t)
{
    struct head *h = t->head;
    head_phase_is(t, HEAD_LAUNCHING);
    struct head_act *act = head_act(t, HEAD_ACT_LAUNCH);
    HC_SET(act->args.body_id, h->body_id);
    HC_SET(act->args.lease_id, h->lease_id);
    HC_SET(act->app, h->app[0] != '\0' ? h->app : h->experience);
    act->slot = h->slot;
}

static void send_farewell(struct turn *t)
{
    struct head *h = t->head;
    h->farewell_at = 0;
    h->farewell_left--;
    uint32_t round = h->round;
    struct head_args *args = head_send(t, h->farewell.call);
    *args = h->farewell;
    args->round = round;
}

void head_farewell(struct turn *t, enum head_call call, const char *reason)
{
    struct head *h = t->head;
    h->farewell = (struct head_args){ .call = call, .reason = reason };
    HC_SET(h->farewell.body_id, h->body_id);
    HC_SET(h->farewell.lease_id, h->lease_id);
    HC_SET(h->farewell.claim_token, h->claim_token);
    h->farewell_left = FAREWELL_TRIES;
    send_farewell(t);
}

static void farewell_answered(struct turn *t, const struct head_answer *answer)
{
    struct head *h = t->head;
    bool heard = answer->status != 0 && answer->status < 500;
    if (!heard && h->farewell_left > 0) {
        h->farewell_at = t->now_ms + (answer->retry_ms > 0 ? answer->retry_ms : FAREWELL_EVERY_MS);
        return;
    }
    h->farewell_left = 0;
    h->farewell_at = 0;
    if (h->wants && h->phase == HEAD_IDLE)
        ways_of(h)->begin(t);
}

static bool says_farewell(const struct head *head)
{
    return head->farewell_at != 0 || (head->under_way & (HEAD_BIT(HEAD_RELEASE) | HEAD_BIT(HEAD_STOP))) != 0;
}

static void beat(struct turn *t)
{
    struct head *h = t->head;
    const struct head_kind_row *kind = kind_of(h);
    h->beat_at = t->now_ms + (h->phase == HEAD_STREAMING ? kind->beat_streaming_ms : kind->beat_ms);
    if (silent(h) || (h->under_way & HEAD_BIT(HEAD_BEAT)) != 0)
        return;
    struct head_args *args = head_send(t, HEAD_BEAT);
    args->status = beat_words[h->phase].status;
    if (h->phase == HEAD_STREAMING || (kind->protocol >= 2 && head_holds(h)))
        HC_SET(args->body_id, h->body_id);
    if (kind->protocol < 2) {
        if (h->phase == HEAD_IDLE && (h->under_way & HEAD_BIT(HEAD_CONFIG)) == 0)
            (void)head_send(t, HEAD_CONFIG);
        return;
    }
    args->lease_state = h->lost_told ? "lost" : beat_words[h->phase].lease_state;
    if (args->lease_state != NULL)
        HC_SET(args->lease_id, h->lease_id);
    HC_SET(args->stream_id, h->stream_id);
    h->lost_told = false;
    h->starting_told = h->starting_told || h->phase == HEAD_STARTING;
}

static void beat_answered(struct turn *t, const struct head_answer *answer)
{
    struct head *h = t->head;
    if (answer->status / 100 != 2 || !head_holds(h) || answer->round != h->round)
        return;
    if (kind_of(h)->protocol >= 2) {
        ways_of(h)->answered(t, answer);
        return;
    }
    struct head_act *act = head_act(t, HEAD_ACT_RENEWED);
    act->asked_ms = answer->asked_ms;
    act->until_ms = answer->asked_ms + head_real_ms(h, kind_of(h)->sure_hold_ms);
}

static void on_answer(struct turn *t, const struct head_answer *answer)
{
    struct head *h = t->head;
    h->under_way &= ~HEAD_BIT(answer->call);
    if (h->phase == HEAD_OFF)
        return;
    if (answer->call == HEAD_RELEASE || answer->call == HEAD_STOP) {
        farewell_answered(t, answer);
        return;
    }
    bool gives = answer->call == HEAD_READ || answer->call == HEAD_CLAIM || answer->call == HEAD_ACCEPT;
    if (gives && h->stops_when_answered) {
        h->stops_when_answered = false;
        head_farewell(t, HEAD_STOP, NULL);
        return;
    }
    if (answer->call == HEAD_BEAT)
        beat_answered(t, answer);
    else if (answer->round == h->round)
        ways_of(h)->answered(t, answer);
}

static void ask(struct turn *t, const char *experience)
{
    struct head *h = t->head;
    bool free_to = h->phase == HEAD_IDLE || h->phase == HEAD_ERROR;
    if (!free_to)
        return;
    HC_SET(h->experience, experience);
    h->wants = true;
    if (says_farewell(h) || h->stops_when_answered)
        head_phase_is(t, HEAD_IDLE);                 /* it begins when the last visit is told to be over */
    else
        ways_of(h)->begin(t);
}

static void leave(struct turn *t)
{
    struct head *h = t->head;
    if (h->phase == HEAD_OFF)
        return;
    h->wants = false;
    if (h->phase == HEAD_STREAMING || h->phase == HEAD_LAUNCHING)
        (void)head_act(t, HEAD_ACT_CLOSE);
    if (h->phase != HEAD_IDLE)
        ways_of(h)->leave(t);
    h->round++;
    h->renew_at = h->poll_at = 0;
    head_drops(t);
    h->lease_id[0] = h->stream_id[0] = h->claim_token[0] = h->app[0] = '\0';
    h->ticket = h->lost_told = false;
    head_phase_is(t, HEAD_IDLE);
}

static void vanish(struct turn *t)
{
    struct head *h = t->head;
    head_drops(t);
    h->wants = h->ticket = h->lost_told = h->stops_when_answered = false;
    h->round++;
    h->farewell_left = 0;
    h->renew_at = h->poll_at = h->commands_at = h->farewell_at = 0;
    h->lease_id[0] = h->stream_id[0] = h->claim_token[0] = h->app[0] = '\0';
    head_phase_is(t, HEAD_OFF);
}

static void come_back(struct turn *t)
{
    struct head *h = t->head;
    if (h->phase != HEAD_OFF)
        return;
    head_phase_is(t, HEAD_IDLE);
    h->commands_at = kind_of(h)->commands_ms == 0 ? 0 : t->now_ms + kind_of(h)->commands_ms;
}

static bool due(int64_t at_ms, int64_t now_ms)
{
    return at_ms != 0 && at_ms <= now_ms;
}

/* A head gives up by its own clock before it streams: later the slot may be another's (rules §13.9). */
static bool hold_is_over(const struct head *head, int64_t now_ms)
{
    return kind_of(head)->protocol >= 2 && head_holds(head) && due(head->hold_until_ms, now_ms);
}

static bool run_one_timer(struct turn *t)
{
    struct head *h = t->head;
    const struct head_ways *ways = ways_of(h);
    if (hold_is_over(h, t->now_ms)) {
        ways->hold_over(t);
    } else if (due(h->phase_at, t->now_ms)) {
        h->phase_at = 0;
        ways->phase_due(t);
    } else if (due(h->renew_at, t->now_ms)) {
        h->renew_at = 0;
        ways->renew_due(t);
    } else if (due(h->poll_at, t->now_ms)) {
        h->poll_at = 0;
        ways->poll_due(t);
    } else if (due(h->farewell_at, t->now_ms)) {
        send_farewell(t);
    } else if (due(h->beat_at, t->now_ms)) {
        beat(t);
    } else if (due(h->commands_at, t->now_ms)) {
        h->commands_at = t->now_ms + kind_of(h)->commands_ms;
        if ((h->under_way & HEAD_BIT(HEAD_COMMANDS)) == 0)
            (void)head_send(t, HEAD_COMMANDS);
    } else {
        return false;
    }
    return true;
}

void head_step(struct head *head, const struct head_event *event, int64_t now_ms, struct head_acts *ret_acts)
{
    ret_acts->count = 0;
    struct turn t = { head, now_ms, ret_acts };
    bool visible = head->phase == HEAD_LAUNCHING || head->phase == HEAD_STREAMING;
    switch (event->type) {
    case HEAD_ASK:      ask(&t, event->experience); break;
    case HEAD_LEAVE:    leave(&t); break;
    case HEAD_TIMER:    (void)run_one_timer(&t); break;      /* one at a time: the next is due at once */
    case HEAD_ANSWERED: on_answer(&t, event->answer); break;
    case HEAD_LAUNCHED:
        if (head->phase == HEAD_LAUNCHING)
            ways_of(head)->launched(&t);
        break;
    case HEAD_REFUSED:
        if (head->phase == HEAD_LAUNCHING)
            ways_of(head)->refused(&t);
        break;
    case HEAD_LOST:
        if (visible)
            ways_of(head)->lost(&t);
        break;
    case HEAD_VANISH:   vanish(&t); break;
    case HEAD_RETURN:   come_back(&t); break;
    }
}

int64_t head_next(const struct head *head)
{
    const int64_t all[] = { head->beat_at, head->phase_at, head->renew_at, head->poll_at, head->commands_at, head->farewell_at,
                            kind_of(head)->protocol >= 2 && head_holds(head) ? head->hold_until_ms : 0 };
    int64_t next = 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i] != 0 && (next == 0 || all[i] < next))
            next = all[i];
    return next;
}

void head_init(struct head *head, enum head_kind kind, const char *id, struct rng rng, int64_t scale, int64_t now_ms)
{
    *head = (struct head){ .kind = kind, .rng = rng, .scale = scale, .phase = HEAD_IDLE };
    HC_SET(head->id, id);
    const struct head_kind_row *row = kind_of(head);
    head->beat_at = now_ms + rng_between(&head->rng, 1, row->beat_ms);     /* not all at once */
    if (row->commands_ms > 0)
        head->commands_at = now_ms + rng_between(&head->rng, 1, row->commands_ms);
}
