/* head_p2.c - protocol 2: claim, renew, release, wait by long-poll, accept (wire §3, rules §13.9). */
#include <stdio.h>

#include "head_parts.h"

#define RETRY_MS         2000      /* when the answer names no time */
#define READY_POLL_MS    1000
#define READY_MOST_MS    10000     /* a directive that nobody confirms: it launches and sees */
#define LOST_TOLD_MS     1500      /* between "lost" and the claim that seeks again */
#define GIVE_UP_MS       10000

static void new_attempt(struct head *h)
{
    (void)snprintf(h->attempt_id, sizeof h->attempt_id, "att-%u-%016llx", ++h->attempts, (unsigned long long)rng_next(&h->rng));
}

static void claim(struct turn *t, bool with_token)
{
    struct head *h = t->head;
    if (h->phase != HEAD_ASKING)
        head_phase_is(t, HEAD_ASKING);
    h->phase_at = h->poll_at = 0;
    struct head_args *args = head_send(t, HEAD_CLAIM);
    HC_SET(args->experience, h->experience);
    HC_SET(args->attempt_id, h->attempt_id);
    HC_SET(args->stream_id, h->stream_id);
    if (with_token)
        HC_SET(args->claim_token, h->claim_token);
}

static void claim_later(struct turn *t, int64_t in_ms)
{
    head_phase_is(t, HEAD_ASKING);
    t->head->phase_at = t->now_ms + (in_ms > 0 ? in_ms : RETRY_MS);
}

static void begin(struct turn *t)
{
    struct head *h = t->head;
    h->round++;
    h->pair_tries = 0;
    h->ticket = false;
    new_attempt(h);
    claim(t, false);
}

/* The lease is gone; the stream goes on with another (rules §9). */
static void seek_again(struct turn *t, int64_t in_ms)
{
    struct head *h = t->head;
    head_drops(t);
    h->round++;
    h->pair_tries = 0;
    h->renew_at = h->poll_at = 0;
    new_attempt(h);
    claim_later(t, in_ms);
}

static void ready(struct turn *t)
{
    t->head->poll_at = 0;
    head_pairs(t);
}

static void got_lease(struct turn *t, const struct head_answer *answer)
{
    struct head *h = t->head;
    HC_SET(h->body_id, answer->body_id);
    HC_SET(h->lease_id, answer->lease_id);
    HC_SET(h->claim_token, answer->claim_token);
    HC_SET(h->app, answer->app);
    if (answer->stream_id[0] != '\0')
        HC_SET(h->stream_id, answer->stream_id);
    h->slot = answer->slot;
    h->ticket = false;
    h->hold_until_ms = answer->asked_ms + answer->ttl_ms;
    h->renew_every_ms = answer->renew_ms > 0 ? answer->renew_ms : head_real_ms(h, 20000);
    h->renew_at = answer->asked_ms + h->renew_every_ms;
    h->ready_by_ms = t->now_ms + READY_MOST_MS;
    struct head_act *act = head_act(t, HEAD_ACT_HOLDS);
    HC_SET(act->args.body_id, h->body_id);
    HC_SET(act->args.lease_id, h->lease_id);
    act->slot = h->slot;
    act->until_ms = h->hold_until_ms;
    act->asked_ms = answer->asked_ms;
    head_phase_is(t, HEAD_READYING);
    if (answer->directive_applied)
        ready(t);
    else
        h->poll_at = t->now_ms + READY_POLL_MS;
}

static void poll_admission(struct turn *t, bool long_poll)
{
    struct head_args *args = head_send(t, HEAD_ADMISSION);
    HC_SET(args->attempt_id, t->head->attempt_id);
    args->long_poll = long_poll;
}

static void wait_in_line(struct turn *t, const struct head_answer *answer)
{
    struct head *h = t->head;
    if (answer->stream_id[0] != '\0')
        HC_SET(h->stream_id, answer->stream_id);
    if (h->phase != HEAD_WAITING) {
        head_says(t, HEAD_NEWS_QUEUED, answer->reason);
        head_phase_is(t, HEAD_WAITING);
    }
    h->ticket = true;
    h->poll_at = t->now_ms + 1;
}

/* Another lease is ours already: its token makes it ours again; without one we end it first. */
static void head_is_busy(struct turn *t)
{
    struct head *h = t->head;
    if (h->claim_token[0] != '\0') {
        claim(t, true);
        h->claim_token[0] = '\0';
        return;
    }
    h->round++;
    h->stream_id[0] = h->lease_id[0] = '\0';
    head_phase_is(t, HEAD_IDLE);
    head_farewell(t, HEAD_STOP, NULL);
}

static void give_up(struct turn *t, const struct head_answer *answer)
{
    head_says(t, HEAD_NEWS_REFUSED, answer->error[0] != '\0' ? answer->error : "refused");
    t->head->wants = false;
    head_phase_is(t, HEAD_ERROR);
}

static void claim_refused(struct turn *t, const struct head_answer *answer)
{
    struct head *h = t->head;
    switch (answer->status) {
    case 403:
        h->stream_id[0] = '\0';
        seek_again(t, RETRY_MS);
        break;
    case 409:
        if (hc_same(answer->error, "head_busy"))
            head_is_busy(t);
        else if (hc_same(answer->error, "attempt_reused"))
            seek_again(t, RETRY_MS);
        else
            seek_again(t, GIVE_UP_MS);
        break;
    case 410:
        seek_again(t, RETRY_MS);
        break;
    case 0:                                        /* lost: the same attempt_id brings the same lease */
    case 429:
    case 500:
    case 503:
        claim_later(t, answer->retry_ms);
        break;
    default:
        give_up(t, answer);
        break;
    }
}

static void claim_answered(struct turn *t, const struct head_answer *answer)
{
    if (t->head->phase != HEAD_ASKING)
        return;
    if ((answer->status == 200 || answer->status == 201) && answer->has_lease)
        got_lease(t, answer);
    else if (answer->status == 202)
        wait_in_line(t, answer);
    else
        claim_refused(t, answer);
}

static void admission_answered(struct turn *t, const struct head_answer *answer)
{
    struct head *h = t->head;
    if (h->phase == HEAD_READYING) {
        if (answer->directive_applied || t->now_ms >= h->ready_by_ms)
            ready(t);
        else
            h->poll_at = t->now_ms + READY_POLL_MS;
        return;
    }
    if (h->phase != HEAD_WAITING)
        return;
    if (answer->status != 200) {
        h->poll_at = t->now_ms + (answer->retry_ms > 0 ? answer->retry_ms : RETRY_MS);
        return;
    }
    if (answer->has_lease && answer->claim_token[0] != '\0')
        got_lease(t, answer);
    else if (answer->must_accept)
        (void)head_send(t, HEAD_ACCEPT);
    else if (answer->has_ticket)
        h->poll_at = t->now_ms + head_real_ms(h, 200);     /* something changed, our place did not */
    else
        seek_again(t, RETRY_MS);
}

static void accept_answered(struct turn *t, const struct head_answer *answer)
{
    struct head *h = t->head;
    if (h->phase != HEAD_WAITING)
        return;
    if (answer->status == 200 && answer->has_lease)
        got_lease(t, answer);
    else if (answer->status == 410)
        seek_again(t, RETRY_MS);
    else
        h->poll_at = t->now_ms + RETRY_MS;
}

/* A picture that lives plays on whatever became of the lease, unless it was taken away on purpose (rules §13.9). */
static bool taken_away(const char *reason)
{
    static const char *const words[] = { "revoked", "superseded" };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (hc_same(words[i], reason))
            return true;
    return false;
}

static void renew_answered(struct turn *t, const struct head_answer *answer)
{
    struct head *h = t->head;
    bool streams = h->phase == HEAD_STREAMING;
    if (!streams && !head_holds(h))
        return;
    if (answer->status == 200) {
        h->hold_until_ms = answer->asked_ms + answer->ttl_ms;
        h->renew_at = answer->asked_ms + h->renew_every_ms;
        if (answer->lease_id[0] != '\0')
            HC_SET(h->lease_id, answer->lease_id);
        struct head_act *act = head_act(t, HEAD_ACT_RENEWED);
        act->asked_ms = answer->asked_ms;
        act->until_ms = h->hold_until_ms;
        bool heard = h->phase == HEAD_STARTING && h->starting_heard_ms <= t->now_ms;
        if (heard && answer->asked_ms >= h->starting_heard_ms)
            head_launches(t);
        else if (heard)
            h->renew_at = t->now_ms;           /* this one was asked for before */
        return;
    }
    if (answer->status != 410 && answer->status != 403) {
        h->renew_at = t->now_ms + RETRY_MS;
        return;
    }
    h->renew_at = 0;
    head_says(t, HEAD_NEWS_LEASE_LOST, answer->reason);
    if (streams && !taken_away(answer->reason))
        return;
    if (streams || h->phase == HEAD_LAUNCHING)
        (void)head_act(t, HEAD_ACT_CLOSE);
    h->lease_id[0] = h->claim_token[0] = '\0';
    seek_again(t, RETRY_MS);
}

static void beat_heard(struct turn *t)
{
    struct head *h = t->head;
    if (h->phase != HEAD_STARTING || !h->starting_told)
        return;
    h->starting_heard_ms = t->now_ms;
    h->renew_at = t->now_ms;
}

static void answered(struct turn *t, const struct head_answer *answer)
{
    switch (answer->call) {
    case HEAD_CLAIM:     claim_answered(t, answer); break;
    case HEAD_ADMISSION: admission_answered(t, answer); break;
    case HEAD_ACCEPT:    accept_answered(t, answer); break;
    case HEAD_RENEW:     renew_answered(t, answer); break;
    case HEAD_BEAT:      beat_heard(t); break;
    default:             break;
    }
}

/* This body does not work for us: another one. The release says so, and the next claim begins when it is heard. */
static void try_another(struct turn *t)
{
    struct head *h = t->head;
    head_phase_is(t, HEAD_IDLE);
    head_farewell(t, HEAD_RELEASE, "unreachable");
    head_drops(t);
    h->round++;
    h->renew_at = 0;
    h->lease_id[0] = h->stream_id[0] = h->claim_token[0] = '\0';
}

/* Before it launches it says so and hears that the lease is still its own: a lease that is `starting` is not given to anybody else (rules
 * §7.7), one that only pairs may have been. */
static void tell_starting(struct turn *t)
{
    struct head *h = t->head;
    if (h->phase != HEAD_STARTING) {
        head_phase_is(t, HEAD_STARTING);
        h->starting_told = false;
        h->starting_heard_ms = INT64_MAX;
    }
    h->beat_at = t->now_ms;
    h->phase_at = t->now_ms + RETRY_MS;
}

static void pairing_done(struct turn *t)
{
    if (head_pair_works(t)) {
        tell_starting(t);
        return;
    }
    head_says(t, HEAD_NEWS_PAIR_FAILED, "");
    try_another(t);
}

static void renew_due(struct turn *t)
{
    struct head *h = t->head;
    if ((h->under_way & HEAD_BIT(HEAD_RENEW)) != 0)
        return;
    struct head_args *args = head_send(t, HEAD_RENEW);
    HC_SET(args->lease_id, h->lease_id);
    HC_SET(args->claim_token, h->claim_token);
}

static void poll_due(struct turn *t)
{
    struct head *h = t->head;
    if ((h->under_way & HEAD_BIT(HEAD_ADMISSION)) != 0)
        h->poll_at = t->now_ms + READY_POLL_MS;            /* an old long-poll has not come back yet */
    else
        poll_admission(t, h->phase == HEAD_WAITING);
}

static void hold_over(struct turn *t)
{
    head_says(t, HEAD_NEWS_LEASE_LOST, "not renewed in time");
    if (t->head->phase == HEAD_LAUNCHING)
        (void)head_act(t, HEAD_ACT_CLOSE);
    seek_again(t, 1);
}

static void phase_due(struct turn *t)
{
    struct head *h = t->head;
    if (h->phase == HEAD_PAIRING)
        pairing_done(t);
    else if (h->phase == HEAD_STARTING)
        tell_starting(t);
    else if (h->phase == HEAD_ASKING && (h->under_way & HEAD_BIT(HEAD_CLAIM)) == 0)
        claim(t, false);
}

static void launched(struct turn *t)
{
    head_phase_is(t, HEAD_STREAMING);
}

static void refused(struct turn *t)
{
    head_says(t, HEAD_NEWS_BUSY_HOST, "");
    try_another(t);
}

static void lost(struct turn *t)
{
    struct head *h = t->head;
    head_says(t, HEAD_NEWS_INTERRUPTED, "");
    seek_again(t, LOST_TOLD_MS);
    h->lost_told = true;
}

static void leave(struct turn *t)
{
    struct head *h = t->head;
    if ((h->under_way & (HEAD_BIT(HEAD_CLAIM) | HEAD_BIT(HEAD_ACCEPT))) != 0)
        h->stops_when_answered = true;
    else if (h->lease_id[0] != '\0' && h->claim_token[0] != '\0' && h->phase != HEAD_WAITING)
        head_farewell(t, HEAD_RELEASE, "user_exit");
    else
        head_farewell(t, HEAD_STOP, NULL);
}

const struct head_ways head_p2_ways = {
    .begin = begin, .answered = answered, .phase_due = phase_due, .hold_over = hold_over, .renew_due = renew_due, .poll_due = poll_due,
    .launched = launched, .refused = refused, .lost = lost, .leave = leave,
};
