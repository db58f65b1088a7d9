#include "head_rig.h"

#define STEP_MS 100

static void take(struct head_rig *rig)
{
    for (size_t i = 0; i < rig->acts.count; i++) {
        const struct head_act *act = &rig->acts.list[i];
        switch (act->type) {
        case HEAD_ACT_CALL:
            assert_true(rig->call_count < RIG_CALLS_MAX);
            rig->calls[rig->call_count++] = act->args;
            break;
        case HEAD_ACT_LAUNCH:  rig->launches++; HC_SET(rig->app, act->app); break;
        case HEAD_ACT_CLOSE:   rig->closes++; break;
        case HEAD_ACT_DROPS:   rig->drops++; break;
        case HEAD_ACT_HOLDS:   rig->holds++; rig->last_until_ms = act->until_ms; break;
        case HEAD_ACT_RENEWED: rig->renewals++; rig->last_until_ms = act->until_ms; break;
        case HEAD_ACT_SAYS:    break;
        case HEAD_ACT_HANDSHAKE: rig->handshakes++; HC_SET(rig->paired_with, act->args.body_id); break;
        case HEAD_ACT_PAIRED:  rig->pairings++; assert_string_equal(rig->paired_with, act->args.body_id); break;
        }
    }
}

static void step(struct head_rig *rig, const struct head_event *event)
{
    head_step(&rig->head, event, rig->now_ms, &rig->acts);
    take(rig);
}

void rig_make(struct head_rig *rig, enum head_kind kind)
{
    *rig = (struct head_rig){ .now_ms = 1000 };
    head_init(&rig->head, kind, "node-1", rng_of(7, 1), 1, rig->now_ms);
}

void rig_event(struct head_rig *rig, enum head_event_type type)
{
    const struct head_event event = { .type = type };
    step(rig, &event);
}

void rig_ask(struct head_rig *rig)
{
    const struct head_event event = { .type = HEAD_ASK, .experience = "mercator-talks" };
    step(rig, &event);
}

static void answer_small_talk(struct head_rig *rig)
{
    static const enum head_call small[] = { HEAD_BEAT, HEAD_CONFIG, HEAD_COMMANDS };
    for (size_t i = 0; i < sizeof small / sizeof small[0]; i++)
        if ((rig->head.under_way & (1u << small[i])) != 0)
            rig_answer(rig, small[i], 200, "");
}

static void run_due(struct head_rig *rig)
{
    unsigned steps = 0;
    while (head_next(&rig->head) != 0 && head_next(&rig->head) <= rig->now_ms) {
        rig_event(rig, HEAD_TIMER);
        assert_true(++steps < 50);           /* a timer that is due for ever would spin the fleet */
    }
    answer_small_talk(rig);
}

void rig_pass(struct head_rig *rig, int64_t ms)
{
    for (int64_t end = rig->now_ms + ms; rig->now_ms < end;) {
        run_due(rig);
        rig->now_ms += STEP_MS;
    }
    run_due(rig);
}

void rig_until(struct head_rig *rig, enum head_phase phase, int64_t most_ms)
{
    for (int64_t end = rig->now_ms + most_ms; rig->head.phase != phase; rig->now_ms += STEP_MS) {
        if (rig->now_ms > end)
            fail_msg("still in phase %s, not %s", head_phase_words[rig->head.phase], head_phase_words[phase]);
        run_due(rig);
    }
}

void rig_renew(struct head_rig *rig)
{
    rig_answer_full(rig, (struct head_answer){ .call = HEAD_RENEW, .status = 200, .ttl_ms = 90000 });
}

void rig_until_launch(struct head_rig *rig)
{
    rig_until(rig, HEAD_STARTING, 10000);
    rig_pass(rig, 300);
    rig_renew(rig);
    assert_int_equal(rig->head.phase, HEAD_LAUNCHING);
}

const struct head_args *rig_last(const struct head_rig *rig, enum head_call call)
{
    for (size_t i = rig->call_count; i > 0; i--)
        if (rig->calls[i - 1].call == call)
            return &rig->calls[i - 1];
    return NULL;
}

size_t rig_count(const struct head_rig *rig, enum head_call call)
{
    size_t count = 0;
    for (size_t i = 0; i < rig->call_count; i++)
        count += rig->calls[i].call == call;
    return count;
}

void rig_answer_full(struct head_rig *rig, struct head_answer answer)
{
    const struct head_args *asked = rig_last(rig, answer.call);
    assert_non_null(asked);
    answer.round = asked->round;
    if (answer.asked_ms == 0)
        answer.asked_ms = rig->now_ms;
    const struct head_event event = { .type = HEAD_ANSWERED, .answer = &answer };
    step(rig, &event);
}

void rig_answer(struct head_rig *rig, enum head_call call, long status, const char *error)
{
    struct head_answer answer = { .call = call, .status = status };
    HC_SET(answer.error, error);
    rig_answer_full(rig, answer);
}

void rig_give_body(struct head_rig *rig)
{
    rig_answer_full(rig, (struct head_answer){ .call = HEAD_READ, .status = 200, .has_body = true, .body_id = "b1" });
}

void rig_give_lease(struct head_rig *rig, enum head_call call, const char *lease_id, bool applied)
{
    struct head_answer answer = { .call = call, .status = call == HEAD_CLAIM ? 201 : 200, .has_body = true, .has_lease = true,
                                  .body_id = "b1",
                                  .stream_id = "str-1", .claim_token = "secret", .app = "mercator-talks#0123", .ttl_ms = 90000,
                                  .renew_ms = 20000, .directive_applied = applied };
    HC_SET(answer.lease_id, lease_id);
    rig_answer_full(rig, answer);
}
