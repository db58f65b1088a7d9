/* actions.c - what head_decide() wants, asked of the lanes; and what they bring back. */
#include "agent.h"

#include <assert.h>
#include <string.h>

#include "hydra/base/log.h"
#include "hydra/os/clock.h"

static const struct { enum head_action_type action; enum ask_kind kind; } asked[] = {
    { ACT_CLAIM, DO_CLAIM },     { ACT_ADMISSION, DO_ADMISSION }, { ACT_ACCEPT, DO_ACCEPT }, { ACT_REGISTER, DO_REGISTER },
    { ACT_VERIFY, DO_VERIFY },   { ACT_REPIN, DO_REPIN },         { ACT_PAIR, DO_PAIR },     { ACT_PROBE, DO_PROBE },
    { ACT_RENEW, DO_RENEW },     { ACT_RELEASE, DO_RELEASE },     { ACT_LEAVE_QUEUE, DO_LEAVE },
};

/* In the order of enum head_release. */
static const char *const reasons[] = { "", "user_exit", "error", "abandon", "unreachable", "interrupted" };

bool agent_ask(struct agent *a, struct ask *ask)
{
    if (ask == NULL) {
        hc_log(HC_LOG_ERR, "no_memory", "detail=%s", hc_logq("a question to the cluster or a host is left out"));
        return false;
    }
    ask->round = a->round;
    if (ask->kind == DO_RELEASE || ask->kind == DO_LEAVE)
        a->ending++;
    lanes_put(a->lanes, ask_lane(ask->kind), &ask->job);
    return true;
}

/* The visitor's leaving and ours are told apart: somebody may look for who ends visits at noon. */
static const char *reason_of(const struct agent *a)
{
    enum head_release why = a->head.release;
    return reasons[a->stopping && why == RELEASE_USER_EXIT ? RELEASE_INTERRUPTED : why];
}

static void drop_calls(struct agent *a)
{
    a->round++;
    for (unsigned lane = 0; lane < LANE_COUNT; lane++)
        if (lane != LANE_BEAT)
            lanes_stop_jobs(a->lanes, lane);
}

static void ask_for(struct agent *a, const struct head_state *before, enum ask_kind kind)
{
    struct ask *ask = ask_new(kind, &a->reach, &a->head, a->identity);
    if (ask != NULL && kind == DO_RELEASE)
        ask->reason = reason_of(a);
    if (ask != NULL && kind == DO_REGISTER)
        ask->claim_waits = true;
    if (ask != NULL && kind == DO_LEAVE)
        HC_SET(ask->stream_id, before->stream_id);      /* the visit is over: its state knows nothing of it any more */
    if (!agent_ask(a, ask) && kind == DO_RELEASE)
        agent_give(a, &(struct head_event){ .type = HEV_RELEASED });       /* the cluster's clocks do it */
}

void agent_act(struct agent *a, const struct head_state *before, enum head_action_type action)
{
    switch (action) {
    case ACT_SAVE:                          /* done before any of them */
        return;
    case ACT_DROP_CALLS:
        drop_calls(a);
        return;
    case ACT_SPAWN:
        agent_spawn(a);
        return;
    case ACT_END_CHILD:
        if (a->child.pid > 0)
            child_end(&a->child, os_monotonic_ms(), a->config->stop_grace_ms);
        else
            agent_give(a, &(struct head_event){ .type = HEV_CHILD_ENDED, .clean = true });
        return;
    default:
        break;
    }
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++)
        if (asked[i].action == action) {
            ask_for(a, before, asked[i].kind);
            return;
        }
    assert(false);                          /* an action without a row */
}

/* ---- what comes back ---- */

static void take_identity(struct agent *a, struct ask *ask)
{
    struct identity_use *fresh = ask->has_fresh ? identity_use_new(&ask->fresh) : NULL;
    if (fresh != NULL) {
        (void)identity_use_drop(a->identity);
        a->identity = fresh;
        hc_log(HC_LOG_WARNING, "identity_renewed", "fingerprint=%.16s detail=%s", fresh->identity.fingerprint,
               hc_logq("another head has registered this device's certificate: it was cloned; hosts must be paired anew"));
    }
}

static const char *verdict_word(const struct head_event *ev)
{
    static const char *const words[] = { [HOST_YES] = "ok", [HOST_NO] = "no", [HOST_ROTATED] = "other_certificate", [HOST_RETRY] = "retry",
                                         [HOST_UNKNOWN] = "unknown" };
    return words[ev->verdict];
}

static void take_host(struct agent *a, const struct ask *ask)
{
    HC_SET(a->host_id, ask->host_id);
    HC_SET(a->host_name, ask->host_name);
    HC_SET(a->host_verdict, verdict_word(&ask->event));
    hc_log(ask->event.verdict == HOST_YES ? HC_LOG_INFO : HC_LOG_NOTICE, "host", "step=%s verdict=%s body=%s address=%s detail=%s",
           ask_word(ask->kind), a->host_verdict, hc_logq(ask->head.body.id), hc_logq(ask->head.body.address), hc_logq(ask->event.sentence));
}

static void take_answer(struct agent *a, struct ask *ask)
{
    bool late = ask->round != a->round;
    if (ask_lane(ask->kind) != LANE_HOST)
        agent_beat_heard(a, ask);
    switch (ask->kind) {
    case DO_BEAT:
    case DO_OFFERS:
    case DO_RECOVER:
        agent_beat_answer(a, ask);
        return;
    case DO_REGISTER:
        take_identity(a, ask);
        agent_beat_answer(a, ask);
        late = late || !ask->claim_waits;
        break;
    case DO_RELEASE:
    case DO_LEAVE:
        a->ending--;
        late = false;
        if (ask->status == 0)
            hc_log(HC_LOG_WARNING, "release_unanswered", "lease=%s detail=%s", hc_logq(ask->head.lease.id),
                   hc_logq("the cluster did not answer; its own clocks will free the slot"));
        break;
    case DO_REPIN:
        hc_log(ask->why.text[0] == '\0' ? HC_LOG_NOTICE : HC_LOG_ERR, "host_pinned_anew", "body=%s detail=%s", hc_logq(ask->head.body.id),
               hc_logq(ask->why.text));
        return;
    case DO_VERIFY:
    case DO_PAIR:
    case DO_PROBE:
        if (!late)
            take_host(a, ask);
        break;
    default:
        break;
    }
    if (ask->has_event && !late)
        agent_give(a, &ask->event);
}

/* ---- one turn ---- */

static void begin_next(struct agent *a)
{
    bool over = a->head.phase == HEAD_IDLE || a->head.phase == HEAD_FAILED;
    if (a->wish[0] == '\0' || a->recovery != AGENT_RECOVERED || !over || a->ending > 0 || a->stopping)
        return;
    struct head_event ev = { .type = HEV_START };
    HC_SET(ev.experience, a->wish);
    a->wish[0] = '\0';
    agent_give(a, &ev);
}

void agent_turn(struct agent *a)
{
    for (struct job *job; (job = lanes_done(a->lanes)) != NULL;) {
        struct ask *ask = (struct ask *)job;
        take_answer(a, ask);
        ask_free(ask);
    }
    int64_t now_ms = os_monotonic_ms();
    agent_child_turn(a, now_ms);
    if (now_ms >= head_due(&a->head))
        agent_give(a, &(struct head_event){ .type = HEV_TIME });
    /* A claim that nobody answered is not asked again while we go: what it may have made ends with its stream. */
    if (a->stopping && a->head.phase == HEAD_RETRYING)
        agent_give(a, &(struct head_event){ .type = HEV_STOP });
    begin_next(a);
    agent_beat_turn(a, now_ms);
}

static int64_t sooner(int64_t a, int64_t b) { return a < b ? a : b; }

int64_t agent_due(const struct agent *a)
{
    int64_t due = sooner(head_due(&a->head), agent_beat_due(a));
    if (a->child.pid > 0) {
        due = sooner(due, child_due(&a->child));
        if (!a->plays_told)
            due = sooner(due, a->child.started_ms + a->config->plays_after_ms);
    }
    return due;
}
