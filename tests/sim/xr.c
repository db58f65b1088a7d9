/* xr.c - XR sessions in random fleets: machines that arm for a headset, and Quest heads that ask, put it on, take it off, come back and
 * end. */
#include <stdio.h>
#include <string.h>

#include "sim.h"

#define DOFF_GRACE_MS 30000
#define POLL_MS       5000
#define BEAT_MS       30000
#define STUBBORN_MS   1000000

static void machine_is(struct sim *sim, struct machine *m, enum xr_state state, int64_t next_in_ms)
{
    m->x.state = state;
    m->x.next_at = next_in_ms == 0 ? 0 : sim->now + next_in_ms;
    m->x.worn = m->x.worn && state == XR_ACTIVE;
    sim_trace(sim, "%s: XR %s", m->id, state == XR_NONE ? "idle" : word_of(&xr_state_words, (int)state));
    machine_report_soon(sim, m, chance_between(&sim->chance, 20, 300));
}

void xr_machine_act(struct sim *sim, struct machine *m)
{
    if (m->x.next_at == 0 || m->x.next_at > sim->now)
        return;
    switch (m->x.state) {
    case XR_ARMING:
        machine_is(sim, m, m->x.breaks ? XR_FAILED : XR_ARMED, 0);
        break;
    case XR_ACTIVE:                          /* nobody wears it any more */
        machine_is(sim, m, XR_DRAINING, DOFF_GRACE_MS);
        break;
    default:
        machine_is(sim, m, XR_NONE, 0);
    }
}

static void arm(struct sim *sim, struct machine *m, const char *session_id)
{
    bool faults = !sim->healed && !sim->calm;
    if (hc_same(m->x.session_id, session_id) && m->x.state != XR_NONE)
        return;
    HC_SET(m->x.session_id, session_id);
    m->x.breaks = faults && chance_percent(&sim->chance, 6);
    machine_is(sim, m, XR_ARMING, faults && chance_percent(&sim->chance, 8) ? STUBBORN_MS : chance_seconds(&sim->chance, 3, 40));
}

/* It reaches the machine, which has the driver. */
void xr_machine_told(struct sim *sim, struct machine *m, const struct directive_xr *xr)
{
    bool ends = xr->present && xr->action == XR_ACTION_END && hc_same(xr->session_id, m->x.session_id);
    if (xr->present && xr->action == XR_ACTION_ARM)
        arm(sim, m, xr->session_id);
    else if ((ends || !xr->present) && m->x.state != XR_NONE && m->x.state != XR_ENDING)
        machine_is(sim, m, XR_ENDING, !sim->healed && chance_percent(&sim->chance, 4) ? STUBBORN_MS : chance_seconds(&sim->chance, 1, 12));
}

void xr_machine_reboots(struct machine *m)
{
    m->x.state = XR_NONE;
    m->x.next_at = 0;
    m->x.worn = false;
}

/* ---- the headset ---- */

static struct machine *machine_for(struct sim *sim, const struct head *h)
{
    size_t first = (size_t)chance_between(&sim->chance, 0, (int64_t)sim->body_count - 1);
    for (size_t i = 0; i < sim->body_count; i++) {
        struct machine *m = &sim->bodies[(first + i) % sim->body_count];
        if (m->used && m->x.capable && hc_same(m->venue, h->venue))
            return m;
    }
    return NULL;
}

bool xr_visit(struct sim *sim, struct head *h)
{
    struct machine *m = h->kind == HEAD_QUEST && chance_percent(&sim->chance, 50) ? machine_for(sim, h) : NULL;
    if (m == NULL)
        return false;
    h->xr = (struct xr_visit){ .on = true, .body = (int)(m - sim->bodies) };
    struct op *op = head_asks(sim, h, CORE_XR_START);
    head_phase(sim, h, PHASE_ASKING);
    h->next_act = sim->now + 15500;
    if (op == NULL)
        return true;
    HC_SET(op->body_id, m->id);
    HC_SET(op->experience, SIM_XR_EXPERIENCE);
    op_submit(sim, op);
    return true;
}

static struct machine *worn_on(struct sim *sim, struct head *h)
{
    struct machine *m = &sim->bodies[h->xr.body];
    return m->used && hc_same(m->x.session_id, h->xr.session_id) ? m : NULL;
}

/* The headset comes off, or its battery is empty. */
void xr_gone(struct sim *sim, struct head *h)
{
    struct machine *m = h->xr.on ? worn_on(sim, h) : NULL;
    h->xr.on = false;
    if (m == NULL || !m->x.worn)
        return;
    m->x.worn = false;
    m->x.next_at = sim->now + 1000;
    machine_report_soon(sim, m, 1500);
}

static void leave(struct sim *sim, struct head *h)
{
    struct op *op = head_sends(sim, h) ? op_new(sim, CORE_XR_END, head_index(sim, h)) : NULL;
    xr_gone(sim, h);
    head_leaves(sim, h);
    if (op == NULL)
        return;
    op->lost = true;
    op_submit(sim, op);
}

static void wear(struct sim *sim, struct head *h)
{
    struct machine *m = worn_on(sim, h);
    bool may = m != NULL && (m->x.state == XR_ARMED || m->x.state == XR_DRAINING);
    if (may && sim->now >= h->xr.puts_on_at) {
        m->x.worn = true;
        machine_is(sim, m, XR_ACTIVE, 0);
        h->xr.takes_off_at = sim->now + chance_seconds(&sim->chance, 20, 300);
    } else if (m != NULL && m->x.worn && sim->now >= h->xr.takes_off_at) {
        m->x.worn = false;
        m->x.next_at = sim->now + 500;
        machine_report_soon(sim, m, 1000);
        h->xr.puts_on_at = sim->now + chance_seconds(&sim->chance, 5, 50);
    }
}

void xr_act(struct sim *sim, struct head *h)
{
    bool holds = h->phase == PHASE_PREPARING || h->phase == PHASE_PLAYING;
    if (h->next_beat <= sim->now) {
        h->next_beat = sim->now + BEAT_MS;
        head_beat(sim, h, h->phase == PHASE_PLAYING ? "streaming-xr" : "pairing", "", HEAD_LEASE_NONE);
    }
    if (!holds && h->phase != PHASE_ASKING)
        h->xr.on = false;                    /* its request timed out */
    if (h->next_act > sim->now || !h->xr.on)
        return;
    h->next_act = sim->now + POLL_MS;
    if (!holds)
        return;
    if (sim->leaving || sim->now >= h->xr.ends_at) {
        leave(sim, h);
        return;
    }
    wear(sim, h);
    struct op *op = head_asks(sim, h, CORE_XR_POLL);
    if (op != NULL)
        op_submit(sim, op);
}

static void started(struct sim *sim, struct head *h, const struct answer *a)
{
    if (a->answer != ANSWER_XR) {
        sim_trace(sim, "%s is told %s for XR", h->id, word_of(&deny_words, (int)a->deny));
        h->xr.on = false;
        head_phase(sim, h, PHASE_ERROR);
        h->next_act = sim->now + chance_seconds(&sim->chance, 3, 30);
        return;
    }
    HC_SET(h->xr.session_id, a->xr.session_id);
    head_phase(sim, h, PHASE_PREPARING);
    h->next_act = sim->now + 1000;
    h->xr.puts_on_at = sim->now + chance_seconds(&sim->chance, 5, sim->healed ? 20 : 70);
    if (!sim->healed && chance_percent(&sim->chance, 7))
        h->xr.puts_on_at = sim->now + STUBBORN_MS;     /* it lies on the table */
    h->xr.ends_at = sim->now + chance_seconds(&sim->chance, 60, sim->healed ? 180 : 700);
}

void xr_answered(struct sim *sim, struct head *h, const struct op *op)
{
    const struct answer *a = &op->answer;
    if (op->type == CORE_XR_START && h->phase == PHASE_ASKING) {
        started(sim, h, a);
        return;
    }
    if (op->type != CORE_XR_POLL || a->store_down)
        return;
    bool over = a->answer != ANSWER_XR || a->xr.state == XR_ENDING || a->xr.state == XR_FAILED;
    if (over) {
        leave(sim, h);
    } else if (a->xr.state == XR_ACTIVE && h->phase != PHASE_PLAYING) {
        head_phase(sim, h, PHASE_PLAYING);
        h->served = true;
    }
}
