/* head_legacy.c - the claiming read and what shipping heads make of it (wire §2). They are never told that a hold is over. */
#include "head_parts.h"

static void read_eligible(struct turn *t)
{
    struct head *h = t->head;
    h->round++;
    h->pair_tries = 0;
    head_drops(t);
    head_phase_is(t, HEAD_ASKING);
    HC_SET(head_send(t, HEAD_READ)->experience, h->experience);
}

/* A dead end on this body: an error screen, or the next try on the next tick. */
static void fail(struct turn *t)
{
    struct head *h = t->head;
    head_drops(t);
    if (head_kinds[h->kind].error_until_tap) {
        h->wants = false;
        head_phase_is(t, HEAD_ERROR);
        return;
    }
    head_phase_is(t, HEAD_WAITING);
    h->phase_at = t->now_ms + head_kinds[h->kind].beat_ms;
}

static void got_body(struct turn *t, const struct head_answer *answer)
{
    struct head *h = t->head;
    HC_SET(h->body_id, answer->body_id);
    h->slot = answer->slot;
    h->hold_until_ms = answer->asked_ms + head_real_ms(h, head_kinds[h->kind].sure_hold_ms);
    struct head_act *act = head_act(t, HEAD_ACT_HOLDS);
    HC_SET(act->args.body_id, h->body_id);
    act->slot = h->slot;
    act->until_ms = h->hold_until_ms;
    act->asked_ms = answer->asked_ms;
    head_pairs(t);
}

static void answered(struct turn *t, const struct head_answer *answer)
{
    if (answer->call != HEAD_READ || t->head->phase != HEAD_ASKING)
        return;
    if (answer->status == 200 && answer->has_body) {
        got_body(t, answer);
        return;
    }
    const char *why = answer->status == 0 ? "no answer" : answer->error[0] != '\0' ? answer->error : "no free body in the answer";
    head_says(t, answer->status == 409 ? HEAD_NEWS_QUEUED : HEAD_NEWS_REFUSED, why);
    fail(t);
}

static void phase_due(struct turn *t)
{
    struct head *h = t->head;
    if (h->phase == HEAD_WAITING) {
        read_eligible(t);
        return;
    }
    if (h->phase != HEAD_PAIRING)
        return;
    if (head_pair_works(t)) {
        head_launches(t);
        return;
    }
    head_says(t, HEAD_NEWS_PAIR_FAILED, "");
    if (h->pair_tries < head_kinds[h->kind].pair_tries)
        head_pairs(t);
    else
        fail(t);
}

static void launched(struct turn *t)
{
    head_phase_is(t, HEAD_STREAMING);
}

static void refused(struct turn *t)
{
    head_says(t, HEAD_NEWS_BUSY_HOST, "");
    fail(t);
}

/* The app tells the cluster that the session was interrupted; an iPad then shows an error, a flatscreen tries again. */
static void lost(struct turn *t)
{
    struct head *h = t->head;
    head_says(t, HEAD_NEWS_INTERRUPTED, "");
    if (!head_kinds[h->kind].error_until_tap) {
        fail(t);
        return;
    }
    head_farewell(t, HEAD_STOP, NULL);
    fail(t);
}

static void leave(struct turn *t)
{
    struct head *h = t->head;
    if (h->phase == HEAD_ERROR)
        return;
    if ((h->under_way & HEAD_BIT(HEAD_READ)) != 0)
        h->stops_when_answered = true;
    else
        head_farewell(t, HEAD_STOP, NULL);
}

const struct head_ways head_legacy_ways = {
    .begin = read_eligible, .answered = answered, .phase_due = phase_due, .launched = launched, .refused = refused, .lost = lost,
        .leave = leave,
};
