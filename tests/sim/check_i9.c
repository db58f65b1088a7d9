/* check_i9.c - I9: two heads on one slot are rows and a conflict, never a line in a log. I11: only what must end is ended. */
#include "sim.h"

static unsigned live_rows(const struct report *report, uint32_t slot)
{
    unsigned count = 0;
    for (size_t i = 0; i < report->row_count; i++)
        count += report->rows[i].index == slot && (report->rows[i].state == SESSION_STREAMING || report->rows[i].state == SESSION_STARTING)
            ? 1 : 0;
    return count;
}

static void check_slot(struct sim *sim, const struct machine *m, uint32_t slot, struct hc_arena *arena)
{
    struct core_view view = live_view(sim);
    struct slot_filter filter = { .body_id = m->id };
    struct slot_row *rows;
    struct conflict_row *conflicts;
    size_t row_count, conflict_count, here = 0, divergent = 0, told = 0;
    if (query_slots(&view, &filter, arena, &rows, &row_count) != HC_OK || query_conflicts(&view, arena, &conflicts,
                                                                                          &conflict_count) != HC_OK) {
        sim_violation(sim, "query_slots() or query_conflicts() failed");
        return;
    }
    for (size_t i = 0; i < row_count; i++)
        if (rows[i].slot == slot && rows[i].has_observed && !rows[i].observed.from_head) {
            here++;
            divergent += rows[i].divergence != 0 ? 1 : 0;
        }
    for (size_t i = 0; i < conflict_count; i++)
        told += hc_same(conflicts[i].body_id, m->id) && conflicts[i].slot == slot ? 1 : 0;
    if (here < 2 || divergent < 2 || told == 0)
        sim_violation(sim, "I9: two sessions on %s/%u are %zu rows, %zu divergent, %zu conflicts", m->id, slot, here, divergent, told);
}

void sim_check_i9_overlap_is_visible(struct sim *sim, const struct machine *m)
{
    struct hc_arena arena = { 0 };
    if (m->heard_at != sim->now || !m->heard.modern || !sim->cluster.store_ok || alloc_body(sim->cluster.live, m->id) == NULL)
        return;
    for (uint32_t slot = 0; slot < m->slots; slot++)
        if (live_rows(&m->heard, slot) > 1)
            check_slot(sim, m, slot, &arena);
    hc_arena_free(&arena);
}

void sim_check_i9_witness_is_visible(struct sim *sim, const struct head *h, const char *body_id)
{
    const struct body_rec *body = body_id[0] == '\0' ? NULL : alloc_body(sim->cluster.live, body_id);
    bool others = false;
    for (size_t i = 0; body != NULL && i < body->slot_count; i++) {
        const struct lease *lease = slot_live_lease(&body->slots[i]);
        if (lease != NULL && (lease->head_id[0] == '\0' || hc_same(lease->head_id, h->id)))
            return;
        others = others || lease != NULL;
    }
    if (!others || !sim->cluster.store_ok)
        return;
    struct hc_arena arena = { 0 };
    struct core_view view = live_view(sim);
    struct slot_filter filter = { .body_id = body_id };
    struct slot_row *rows;
    struct conflict_row *conflicts;
    size_t row_count = 0, conflict_count = 0, seen = 0, told = 0;
    bool ok = query_slots(&view, &filter, &arena, &rows, &row_count) == HC_OK &&
        query_conflicts(&view, &arena, &conflicts, &conflict_count) == HC_OK;
    for (size_t i = 0; ok && i < row_count; i++)
        seen += rows[i].observed.from_head && hc_same(rows[i].observed.head_id, h->id) && rows[i].divergence != 0 ? 1 : 0;
    for (size_t i = 0; ok && i < conflict_count; i++)
        told += conflicts[i].from_head && hc_same(conflicts[i].observed_head_id, h->id) ? 1 : 0;
    if (!ok || seen == 0 || told == 0)
        sim_violation(sim, "I9: %s says that it streams from %s, which is another's: %zu rows, %zu conflicts", h->id, body_id, seen, told);
    hc_arena_free(&arena);
}

static const struct lease *committed_lease(const struct sim *sim, const char *body_id, uint32_t slot)
{
    const struct body_rec *body = alloc_body(sim->cluster.committed, body_id);
    return body == NULL || slot >= body->slot_count ? NULL : slot_live_lease(&body->slots[slot]);
}

static const char *wrong_end(struct sim *sim, const struct machine *m, uint32_t slot, bool boot)
{
    const struct lease *lease = committed_lease(sim, m->id, slot);
    if (lease != NULL) {
        const struct seen_lease *seen = seen_lease(sim, lease->id);
        if (lease->state != LEASE_DRAINING)
            return "a lease that does not drain";
        return boot && seen != NULL && !seen->asked ? "a drain that nobody asked for since the start" : NULL;
    }
    const struct refusal *refusal = &m->refused[slot];
    if (refusal->is == REFUSED_NO)
        return "a session that nothing was taken from";
    return boot && refusal->is == REFUSED_YES && !refusal->asked ? "an end that nobody asked for since the start" : NULL;
}

static bool boot_mode(const struct sim *sim)
{
    const struct district_rec *district = alloc_district(sim->cluster.committed, SIM_DISTRICT);
    return district != NULL && district->safe_mode == SAFE_BOOT;
}

void sim_check_i11_terminates_what_must_end(struct sim *sim, const struct machine *m, const struct directive *d)
{
    bool boot = boot_mode(sim), slot0_ends = false;
    for (size_t i = 0; i < d->slot_count; i++) {
        const struct directive_slot *row = &d->slots[i];
        const struct lease *lease = committed_lease(sim, m->id, row->index);
        bool ends = row->action == ACTION_TERMINATE;
        slot0_ends = slot0_ends || (ends && row->index == 0);
        if (row->index >= SIM_SLOTS_MAX)
            continue;
        if (!ends && !boot && lease != NULL && lease->state == LEASE_DRAINING)
            sim_violation(sim, "I11: %s/%u drains and is not told to end", m->id, row->index);
        const char *what = ends ? wrong_end(sim, m, row->index, boot) : NULL;
        if (what != NULL)
            sim_violation(sim, "I11: %s/%u is told to end %s", m->id, row->index, what);
    }
    if (d->terminate_stream && (!slot0_ends || m->modern))
        sim_violation(sim, "I11: %s gets terminate_stream %s", m->id, m->modern ? "and is modern" : "and no slot ends");
}
