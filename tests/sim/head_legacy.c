/* head_legacy.c - shipping heads. The iPad reads once per tap and shows an error until the next; the Go head tries again on its 30 s tick;
 * the Quest says nothing while it discovers and pairs. None of them can be told anything. */
#include <string.h>

#include "sim.h"

#define BEAT_PLAYING_MS 5000
#define BEAT_MS         30000
#define GO_TICK_MS      30000

static const char *status_of(const struct head *h)
{
    switch (h->phase) {
    case PHASE_ASKING:
    case PHASE_PREPARING:
        return "starting";
    case PHASE_PLAYING:
        return "streaming";
    case PHASE_ERROR:
        return h->kind == HEAD_GO ? "starting" : "error";
    default:
        return "idle";
    }
}

static void beat(struct sim *sim, struct head *h)
{
    bool silent = h->kind == HEAD_QUEST && (h->phase == PHASE_ASKING || h->phase == PHASE_PREPARING);
    bool plays = h->phase == PHASE_PLAYING;
    bool often = plays && h->kind != HEAD_GO;
    h->next_beat = sim->now + (often ? BEAT_PLAYING_MS : BEAT_MS);
    if (!silent)
        head_beat(sim, h, status_of(h), plays && h->body >= 0 ? sim->bodies[h->body].id : "", HEAD_LEASE_NONE);
}

static void tap(struct sim *sim, struct head *h)
{
    struct op *op = head_asks(sim, h, h->assigned && h->kind == HEAD_GO ? CORE_CONFIG_FETCH : CORE_READ);
    if (h->phase != PHASE_ASKING)
        head_phase(sim, h, PHASE_ASKING);
    h->next_act = sim->now + 15500;          /* its own time-out, unless an answer comes first */
    if (op == NULL)
        return;
    HC_SET(op->experience, sim_experiences[h->experience]);
    op_submit(sim, op);
}

static void stop_playing(struct sim *sim, struct head *h)
{
    char body_id[HC_ID_SIZE];
    HC_SET(body_id, h->body < 0 ? "" : sim->bodies[h->body].id);
    head_stops(sim, h);
    struct op *op = head_sends(sim, h) ? op_new(sim, CORE_STREAM_STOP, head_index(sim, h)) : NULL;
    head_leaves(sim, h);
    if (op == NULL)
        return;
    HC_SET(op->body_id, body_id);
    op->lost = true;
    op_submit(sim, op);
}

/* Discovery, pairing and launch did not work. */
static void fails(struct sim *sim, struct head *h)
{
    h->body = -1;
    head_phase(sim, h, PHASE_ERROR);
    h->next_act = h->kind == HEAD_GO ? sim->now + GO_TICK_MS : sim->now + chance_seconds(&sim->chance, 3, 60);
    if (h->kind != HEAD_GO)
        beat(sim, h);                        /* showError() says so at once */
}

static void visitor(struct sim *sim, struct head *h)
{
    if (xr_visit(sim, h))
        return;
    h->patience = (unsigned)chance_between(&sim->chance, 1, sim->healed ? 40 : 8);
    h->experience = (uint32_t)chance_between(&sim->chance, 0, 1);
    tap(sim, h);
}

static void act_playing(struct sim *sim, struct head *h)
{
    if (head_session(sim, h) == NULL) {      /* the picture went away by itself */
        h->body = -1;
        h->next_beat = sim->now;
        head_phase(sim, h, PHASE_ERROR);
        h->next_act = sim->now + chance_seconds(&sim->chance, 5, 60);
        return;
    }
    if (sim->now >= h->plays_until || sim->leaving)
        stop_playing(sim, h);
    else
        h->next_act = sim->now + 5000 < h->plays_until ? sim->now + 5000 : h->plays_until;
}

static void act(struct sim *sim, struct head *h)
{
    switch (h->phase) {
    case PHASE_AWAY:
        if (sim->leaving || (sim->healed && h->served))
            h->next_act = sim->now + HC_HOUR_MS;
        else
            visitor(sim, h);
        break;
    case PHASE_PREPARING:
        if (sim->leaving)
            stop_playing(sim, h);
        else if (head_launch(sim, h)) {
            head_phase(sim, h, PHASE_PLAYING);
            h->served = true;
            h->plays_until = sim->now + chance_seconds(&sim->chance, 20, sim->healed ? 90 : 700);
            h->next_beat = h->next_act = sim->now + 1000;
        } else {
            fails(sim, h);
        }
        break;
    case PHASE_PLAYING:
        act_playing(sim, h);
        break;
    case PHASE_ERROR:
        if (sim->leaving || h->patience == 0) {
            head_leaves(sim, h);
        } else {
            h->patience--;
            tap(sim, h);
        }
        break;
    default:
        h->next_act = sim->now + 1000;
    }
}

void legacy_act(struct sim *sim, struct head *h)
{
    if (h->next_act <= sim->now)
        act(sim, h);
    if (h->next_beat <= sim->now)
        beat(sim, h);
}

static int64_t prepares_for(struct sim *sim, const struct head *h)
{
    if (sim->healed)
        return chance_seconds(&sim->chance, 2, 20);
    if (h->kind == HEAD_QUEST)
        return chance_seconds(&sim->chance, 10, 95);
    return chance_percent(&sim->chance, 10) ? chance_seconds(&sim->chance, 40, 170) : chance_seconds(&sim->chance, 2, 30);
}

void legacy_answered(struct sim *sim, struct head *h, const struct op *op)
{
    const struct answer *a = &op->answer;
    if (h->phase != PHASE_ASKING)
        return;
    struct machine *m = a->has_lease && a->answer != ANSWER_REFUSED ? machine_of(sim, a->body_id) : NULL;
    bool first_free = op->type != CORE_READ || (a->rows == 1 && a->stream_count == 0);      /* they take the first whose count is 0 */
    const struct body_rec *body = m == NULL ? NULL : alloc_body(sim->cluster.committed, m->id);
    bool one_slot = body != NULL && body->slots_total == 1 && body->slot_count == 1;
    if (op->type == CORE_READ && a->answer == ANSWER_ROWS && a->has_lease && !first_free && one_slot)
        sim_violation(sim, "I1/wire 2.1: %s is told stream_count %u for its own hold on %s", h->id, a->stream_count, a->body_id);
    if (m == NULL || !first_free) {
        sim_trace(sim, "%s is told %s %s", h->id, word_of(&deny_words, (int)a->deny), word_of(&wait_words, (int)a->wait));
        fails(sim, h);
        return;
    }
    h->body = (int)(m - sim->bodies);
    h->slot = a->slot;
    head_holds(sim, h, a->lease_id);
    if (head_session(sim, h) != NULL) {      /* it is still playing there */
        head_phase(sim, h, PHASE_PLAYING);
        h->plays_until = sim->now + chance_seconds(&sim->chance, 20, 300);
        h->next_act = h->next_beat = sim->now + 1000;
        return;
    }
    head_phase(sim, h, PHASE_PREPARING);
    h->next_act = sim->now + prepares_for(sim, h);
    if (h->kind != HEAD_QUEST)
        h->next_beat = sim->now + 10;
}
