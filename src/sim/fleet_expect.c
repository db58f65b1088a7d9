/* fleet_expect.c - what a scenario expects, looked at while it runs, judged at its time. */
#include "fleet.h"

#define LOOK_EVERY_MS 100
enum expect_state { EXPECT_OPEN, EXPECT_MET, EXPECT_UNMET };

static bool pictures(const struct fleet *fleet, const struct plan_expect *e) { return truth_pictures(fleet->truth) == e->count; }
static bool waiting(const struct fleet *fleet, const struct plan_expect *e)
{
    size_t count = 0;
    for (size_t i = 0; i < fleet->scenario->head_count; i++)
        count += fleet->heads[i].place != 0;
    return count == e->count;
}
static bool sees(const struct fleet *fleet, const struct plan_expect *e) { return truth_picture_of(fleet->truth, e->node) != TRUTH_NOBODY; }
static bool sees_from(const struct fleet *fleet, const struct plan_expect *e) { return truth_picture_of(fleet->truth,
        e->node) == e->other; }
static bool dark(const struct fleet *fleet, const struct plan_expect *e) { return !sees(fleet, e); }
static bool in_line(const struct fleet *fleet, const struct plan_expect *e) { return fleet->heads[e->node].place == e->count; }
static bool body_idle(const struct fleet *fleet, const struct plan_expect *e) { return fleet->bodies[e->node].machine.session_count == 0; }
static bool body_shows(const struct fleet *fleet, const struct plan_expect *e) { return truth_picture_of(fleet->truth,
        e->other) == e->node; }

typedef bool holds_fn(const struct fleet *fleet, const struct plan_expect *e);
static holds_fn *const rows[EXPECT_TYPES] = {
    [EXPECT_PICTURES] = pictures, [EXPECT_WAITING] = waiting, [EXPECT_SEES] = sees,           [EXPECT_SEES_FROM] = sees_from,
    [EXPECT_DARK] = dark,         [EXPECT_IN_LINE] = in_line, [EXPECT_BODY_IDLE] = body_idle, [EXPECT_BODY_SHOWS] = body_shows,
};

static void unmet(struct fleet *fleet, size_t i)
{
    fleet->expect_states[i] = EXPECT_UNMET;
    fleet->violations++;
    fleet_say(fleet, "UNMET line %u: %s", fleet->scenario->expects[i].line, fleet->scenario->expects[i].text);
}

void fleet_expect_look(struct fleet *fleet)
{
    if (fleet->now_ms < fleet->expects_at)
        return;
    fleet->expects_at = fleet->now_ms + LOOK_EVERY_MS;
    for (size_t i = 0; i < fleet->scenario->expect_count; i++) {
        const struct plan_expect *expect = &fleet->scenario->expects[i];
        bool late = fleet->now_ms >= expect->by_ms;
        if (fleet->expect_states[i] != EXPECT_OPEN || fleet->now_ms <= expect->from_ms || (expect->at && !late))
            continue;
        if (rows[expect->type](fleet, expect))
            fleet->expect_states[i] = EXPECT_MET;
        else if (late)
            unmet(fleet, i);
    }
}

bool fleet_expect_all_met(const struct fleet *fleet)
{
    for (size_t i = 0; i < fleet->scenario->expect_count; i++)
        if (fleet->expect_states[i] != EXPECT_MET)
            return false;
    return fleet->scenario->expect_count > 0;
}

void fleet_expect_verdicts(struct fleet *fleet)
{
    for (size_t i = 0; i < fleet->scenario->expect_count; i++)
        if (fleet->expect_states[i] == EXPECT_OPEN)
            unmet(fleet, i);
}
