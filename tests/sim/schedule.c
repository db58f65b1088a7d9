/* schedule.c - what will happen, in order of time; ties in order of insertion. */
#include <assert.h>

#include "sim.h"

static bool before(const struct sim_event *a, const struct sim_event *b)
{
    return a->at != b->at ? a->at < b->at : a->order < b->order;
}

void sim_at(struct sim *sim, int64_t at, enum sim_event_kind kind, int who, uint64_t number)
{
    assert(sim->event_count < SIM_EVENTS_MAX);
    struct sim_event ev = { .at = at < sim->now ? sim->now : at, .order = sim->order++, .kind = kind, .who = who, .number = number };
    size_t i = sim->event_count++;
    for (; i > 0 && before(&ev, &sim->events[(i - 1) / 2]); i = (i - 1) / 2)
        sim->events[i] = sim->events[(i - 1) / 2];
    sim->events[i] = ev;
}

bool sim_pop(struct sim *sim, struct sim_event *ret)
{
    if (sim->event_count == 0)
        return false;
    *ret = sim->events[0];
    struct sim_event last = sim->events[--sim->event_count];
    size_t i = 0;
    for (size_t child = 1; child < sim->event_count; child = 2 * i + 1) {
        if (child + 1 < sim->event_count && before(&sim->events[child + 1], &sim->events[child]))
            child++;
        if (!before(&sim->events[child], &last))
            break;
        sim->events[i] = sim->events[child];
        i = child;
    }
    sim->events[i] = last;
    return true;
}
