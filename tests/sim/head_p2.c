/* head_p2.c - a head of protocol 2: claims, renews, polls, accepts, releases, and says when its picture is gone. */
#include <stdio.h>
#include <string.h>

#include "sim.h"

#define RENEW_MS   20000
#define BEAT_MS    30000
#define POLL_MS    5000

static enum head_lease_state lease_word(const struct head *h)
{
    if (h->lost)
        return HEAD_LEASE_LOST;
    if (h->phase == PHASE_PREPARING)
        return h->patience % 2 == 0 ? HEAD_LEASE_PAIRING : HEAD_LEASE_STARTING;
    return h->phase == PHASE_PLAYING ? HEAD_LEASE_STREAMING : HEAD_LEASE_NONE;
}

static void beat(struct sim *sim, struct head *h)
{
    bool plays = h->phase == PHASE_PLAYING && !h->lost;
    h->next_beat = sim->now + BEAT_MS;
    head_beat(sim, h, plays ? "streaming" : h->phase == PHASE_PREPARING ? "starting" : "idle",
        plays && h->body >= 0 ? sim->bodies[h->body].id : "", lease_word(h));
}

static void new_attempt(struct head *h)
{
    (void)snprintf(h->attempt_id, sizeof h->attempt_id, "a-%.32s-%llu", h->id, (unsigned long long)++h->attempts);
}

static void claim(struct sim *sim, struct head *h)
{
    struct op *op = head_asks(sim, h, CORE_CLAIM);
    if (h->phase != PHASE_ASKING && h->phase != PHASE_WAITING)
        head_phase(sim, h, PHASE_ASKING);
    h->next_act = sim->now + 15500;
    if (op == NULL)
        return;
    HC_SET(op->attempt_id, h->attempt_id);
    HC_SET(op->experience, sim_experiences[h->experience]);
    HC_SET(op->stream_id, h->stream_id);
    HC_SET(op->token, h->token);
    op_submit(sim, op);
}

static void poll(struct sim *sim, struct head *h)
{
    struct op *op = head_asks(sim, h, CORE_ADMISSION);
    h->next_act = sim->now + POLL_MS;
    if (op == NULL)
        return;
    HC_SET(op->attempt_id, h->attempt_id);
    op_submit(sim, op);
}

static void accept(struct sim *sim, struct head *h)
{
    struct op *op = head_asks(sim, h, CORE_ACCEPT);
    h->next_act = sim->now + POLL_MS;
    if (op != NULL)
        op_submit(sim, op);
}

static void renew(struct sim *sim, struct head *h)
{
    h->next_renew = sim->now + RENEW_MS;
    struct op *op = head_asks(sim, h, CORE_RENEW);
    if (op == NULL)
        return;
    HC_SET(op->lease_id, h->lease_id);
    HC_SET(op->token, h->token);
    op_submit(sim, op);
}

static void release(struct sim *sim, struct head *h, enum lease_why why)
{
    char lease_id[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE];
    HC_SET(lease_id, h->lease_id);
    HC_SET(token, h->token);
    head_stops(sim, h);
    h->lease_id[0] = h->token[0] = h->stream_id[0] = '\0';
    h->next_renew = 0;
    head_leaves(sim, h);
    if (lease_id[0] == '\0' || !head_sends(sim, h))
        return;
    struct op *op = op_new(sim, CORE_RELEASE, head_index(sim, h));
    HC_SET(op->lease_id, lease_id);
    HC_SET(op->token, token);
    op->why = why;
    op->lost = true;
    op_submit(sim, op);
}

static void visitor(struct sim *sim, struct head *h)
{
    h->experience = (uint32_t)chance_between(&sim->chance, 0, 1);
    h->gives_up_at = sim->now + (sim->healed ? HC_HOUR_MS : chance_seconds(&sim->chance, 30, 1500));
    h->patience = (unsigned)chance_between(&sim->chance, 0, 9);
    h->lost = false;
    if (h->attempt_id[0] == '\0' || !h->stores_attempt)
        new_attempt(h);
    claim(sim, h);
}

static void act_playing(struct sim *sim, struct head *h)
{
    if (head_session(sim, h) == NULL) {      /* its picture went: it names its stream and asks again */
        h->lost = true;
        beat(sim, h);
        h->lost = false;
        h->body = -1;
        h->next_renew = 0;
        new_attempt(h);
        claim(sim, h);
        return;
    }
    if (sim->now >= h->plays_until || sim->leaving)
        release(sim, h, WHY_USER_EXIT);
    else
        h->next_act = sim->now + 5000 < h->plays_until ? sim->now + 5000 : h->plays_until;
}

static void act_waiting(struct sim *sim, struct head *h)
{
    if (sim->leaving || sim->now >= h->gives_up_at) {
        struct op *op = head_sends(sim, h) && chance_percent(&sim->chance, 50) ? op_new(sim, CORE_STREAM_END, head_index(sim, h)) : NULL;
        if (op != NULL) {
            HC_SET(op->stream_id, h->stream_id);
            op->lost = true;
        }
        h->attempt_id[0] = h->stream_id[0] = h->lease_id[0] = '\0';
        head_leaves(sim, h);                 /* some say so, others just walk away */
        if (op != NULL)
            op_submit(sim, op);
        return;
    }
    poll(sim, h);
}

static void act(struct sim *sim, struct head *h)
{
    switch (h->phase) {
    case PHASE_AWAY:
    case PHASE_ERROR:
        if (sim->leaving || (sim->healed && h->served))
            release(sim, h, WHY_ABANDON);
        else if (h->phase == PHASE_ERROR && sim->now < h->gives_up_at)
            claim(sim, h);
        else
            visitor(sim, h);
        break;
    case PHASE_WAITING:
        act_waiting(sim, h);
        break;
    case PHASE_PREPARING:
        if (!sim->leaving && head_launch(sim, h)) {
            head_phase(sim, h, PHASE_PLAYING);
            h->served = true;
            h->plays_until = sim->now + chance_seconds(&sim->chance, 20, sim->healed ? 90 : 900);
            h->next_act = sim->now + 5000;
            h->next_beat = sim->now + 1000;
        } else {
            release(sim, h, sim->leaving ? WHY_USER_EXIT : WHY_UNREACHABLE);
        }
        break;
    case PHASE_PLAYING:
        act_playing(sim, h);
        break;
    default:
        h->next_act = sim->now + 1000;
    }
}

void p2_act(struct sim *sim, struct head *h)
{
    if (h->next_act <= sim->now)
        act(sim, h);
    bool holds = h->phase == PHASE_PREPARING || h->phase == PHASE_PLAYING;
    if (holds && h->next_renew != 0 && h->next_renew <= sim->now)
        renew(sim, h);
    if (h->next_renew != 0 && h->next_renew <= sim->now)
        h->next_renew = sim->now + RENEW_MS;
    if (h->next_beat <= sim->now)
        beat(sim, h);
}

static void takes(struct sim *sim, struct head *h, const struct answer *a)
{
    struct machine *m = machine_of(sim, a->body_id);
    HC_SET(h->lease_id, a->lease_id);
    HC_SET(h->stream_id, a->stream_id);
    if (a->token[0] != '\0')
        HC_SET(h->token, a->token);
    HC_SET(h->app, a->app);
    h->slot = a->slot;
    h->body = m == NULL ? -1 : (int)(m - sim->bodies);
    head_holds(sim, h, a->lease_id);
    h->next_renew = sim->now + RENEW_MS;
    if (head_session(sim, h) != NULL) {      /* restarted while its picture played on */
        head_phase(sim, h, PHASE_PLAYING);
        h->plays_until = sim->now + chance_seconds(&sim->chance, 10, 300);
        h->next_act = sim->now + 5000;
        return;
    }
    head_phase(sim, h, PHASE_PREPARING);
    h->next_act = sim->now + (chance_percent(&sim->chance, 4) ? chance_seconds(&sim->chance, 60, 140) : chance_seconds(&sim->chance, 1,
                                                                                                                       20));
}

static void waits(struct sim *sim, struct head *h, const struct answer *a)
{
    if (h->phase != PHASE_WAITING)
        head_phase(sim, h, PHASE_WAITING);
    if (a->stream_id[0] != '\0')
        HC_SET(h->stream_id, a->stream_id);
    h->next_act = sim->now + POLL_MS;
    bool asked = a->ticket == TICKET_CONFIRM || (a->ticket == TICKET_PROMOTED && a->uncollected);
    if (asked && chance_percent(&sim->chance, 80))
        accept(sim, h);
}

static void denied(struct sim *sim, struct head *h, const struct op *op)
{
    const struct answer *a = &op->answer;
    if (a->deny == DENY_LEASE_LOST) {        /* what it had is over: as a visitor who is still there would */
        h->lease_id[0] = h->token[0] = '\0';
        new_attempt(h);
    }
    if (a->deny == DENY_ATTEMPT_REUSED || a->deny == DENY_NOT_YOUR_STREAM) {
        new_attempt(h);
        h->stream_id[0] = '\0';
    }
    if (a->deny == DENY_IDENTITY_UNKNOWN)
        device_register(sim, h);
    sim_trace(sim, "%s is told %s", h->id, word_of(&deny_words, (int)a->deny));
    head_phase(sim, h, PHASE_ERROR);
    h->next_act = sim->now + chance_seconds(&sim->chance, 2, 10);
}

static void renew_answered(struct sim *sim, struct head *h, const struct answer *a)
{
    bool over = a->answer == ANSWER_REFUSED && a->deny == DENY_LEASE_LOST;
    if (a->answer == ANSWER_LEASE_SAME && a->lease_id[0] != '\0')
        HC_SET(h->lease_id, a->lease_id);    /* it may go on under another id */
    if (!over || (h->phase != PHASE_PLAYING && h->phase != PHASE_PREPARING))
        return;
    bool stops = h->phase == PHASE_PREPARING || hc_same(a->lost_why, "revoked") || hc_same(a->lost_why, "superseded");
    if (!stops)
        return;                              /* a head whose picture lives plays on */
    head_stops(sim, h);
    h->lease_id[0] = h->token[0] = '\0';
    h->next_renew = 0;
    new_attempt(h);
    head_phase(sim, h, PHASE_ERROR);
    h->next_act = sim->now + 1000;
}

void p2_answered(struct sim *sim, struct head *h, const struct op *op)
{
    const struct answer *a = &op->answer;
    if (op->type == CORE_RENEW) {
        renew_answered(sim, h, a);
        return;
    }
    if (h->phase != PHASE_ASKING && h->phase != PHASE_WAITING && h->phase != PHASE_ERROR)
        return;
    bool lease = a->has_lease && !a->uncollected && (a->answer == ANSWER_LEASE_NEW || a->answer == ANSWER_LEASE_SAME ||
                                                     (a->answer == ANSWER_STREAM && a->token[0] != '\0'));
    if (lease)
        takes(sim, h, a);
    else if (a->answer == ANSWER_TICKET || (a->answer == ANSWER_STREAM && a->position > 0))
        waits(sim, h, a);
    else if (a->answer == ANSWER_REFUSED)
        denied(sim, h, op);
    else {                                   /* neither lease nor ticket: its visit is over there, not here */
        h->lease_id[0] = '\0';
        new_attempt(h);
        claim(sim, h);
    }
}
