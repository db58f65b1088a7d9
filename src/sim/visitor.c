#include "visitor.h"

#define SECOND_MS ((int64_t)1000)
#define TAPS_MAX  4

struct span { int64_t least_ms, most_ms; };
static const struct span away = { 3 * SECOND_MS, 60 * SECOND_MS }, stay = { 20 * SECOND_MS, 120 * SECOND_MS };
static const struct span patience = { 60 * SECOND_MS, 240 * SECOND_MS }, before_tap = { 5 * SECOND_MS, 15 * SECOND_MS };

static int64_t draw(struct visitor *visitor, struct span span)
{
    return rng_between(&visitor->rng, span.least_ms, span.most_ms);
}

void visitor_init(struct visitor *visitor, struct rng rng, int64_t now_ms)
{
    *visitor = (struct visitor){ .rng = rng };
    visitor->comes_at = now_ms + rng_between(&visitor->rng, 1, away.most_ms / 2);
}

static enum visitor_wish leaves(struct visitor *visitor, int64_t now_ms)
{
    visitor->here = false;
    visitor->comes_at = now_ms + draw(visitor, away);
    return VISITOR_LEAVES;
}

enum visitor_wish visitor_step(struct visitor *visitor, enum head_phase phase, int64_t now_ms)
{
    if (phase == HEAD_OFF) {
        visitor->here = false;
        visitor->comes_at = now_ms + away.most_ms;
        return VISITOR_NOTHING;
    }
    if (!visitor->here) {
        if (now_ms < visitor->comes_at)
            return VISITOR_NOTHING;
        visitor->here = true;
        visitor->visits++;
        visitor->taps_left = TAPS_MAX;
        visitor->gives_up_at = now_ms + draw(visitor, patience);
        visitor->taps_at = visitor->leaves_at = 0;
        return VISITOR_ASKS;
    }
    if (phase == HEAD_STREAMING && visitor->leaves_at == 0)
        visitor->leaves_at = now_ms + draw(visitor, stay);
    if ((visitor->leaves_at != 0 && now_ms >= visitor->leaves_at) || (phase != HEAD_STREAMING && now_ms >= visitor->gives_up_at))
        return leaves(visitor, now_ms);
    if (phase != HEAD_ERROR) {
        visitor->taps_at = 0;
        return VISITOR_NOTHING;
    }
    if (visitor->taps_at == 0)
        visitor->taps_at = now_ms + draw(visitor, before_tap);
    if (now_ms < visitor->taps_at)
        return VISITOR_NOTHING;
    if (visitor->taps_left == 0)
        return leaves(visitor, now_ms);
    visitor->taps_left--;
    visitor->taps_at = 0;
    return VISITOR_ASKS;
}
