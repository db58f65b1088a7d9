/* check_i1.c - I1: one lease, one admitted picture on a slot. I2: nothing that a body shows is unaccounted for. */
#include "sim.h"

void sim_check_i1_slot_exclusive(struct sim *sim)
{
    const struct alloc *live = sim->cluster.live;
    for (size_t b = 0; b < alloc_count(live, REC_BODY); b++) {
        const struct body_rec *body = (const struct body_rec *)alloc_at(live, REC_BODY, b);
        for (size_t i = 0; i < body->slot_count; i++) {
            unsigned held = 0;
            for (size_t k = 0; k < body->slots[i].lease_count; k++)
                held += lease_is_terminal(body->slots[i].leases[k].state) ? 0 : 1;
            if (held > 1)
                sim_violation(sim, "I1: %u leases at once on %s/%zu", held, body->rec.key, i);
        }
    }
    for (size_t h = 0; h < sim->head_count; h++) {
        unsigned held = 0;
        for (size_t i = 0; i < sim->lease_count; i++) {
            const struct seen_lease *lease = &sim->leases[i];
            held += hc_same(lease->head_id, sim->heads[h].id) && !lease_is_terminal(lease->state) && !lease->left_behind &&
                lease->state != LEASE_DRAINING ? 1 : 0;
        }
        if (held > 1)
            sim_violation(sim, "I1: %s has %u leases at once", sim->heads[h].id, held);
    }
}

void sim_check_i1_one_admitted_session(struct sim *sim, const struct machine *m)
{
    for (uint32_t slot = 0; slot < m->slots; slot++) {
        unsigned admitted = 0;
        for (size_t i = 0; i < SIM_SESSIONS_MAX; i++) {
            const struct session *session = &m->sessions[i];
            admitted += session->on && !session->ending && session->slot == slot && session->admitted ? 1 : 0;
        }
        if (admitted > 1)
            sim_violation(sim, "I1: %u admitted pictures at once on %s/%u", admitted, m->id, slot);
    }
}

/* The session that the newest report shows on the slot is the lease's, or one of the rows of the slot says that something is wrong. */
static bool accounted(const struct slot_row *rows, size_t count, const struct session_obs *seen)
{
    for (size_t i = 0; i < count; i++) {
        if (rows[i].slot != seen->index)
            continue;
        bool same = seen->launch_id[0] == '\0' || hc_same(rows[i].observed.launch_id, seen->launch_id);
        if (same && (rows[i].lease != NULL || rows[i].divergence != 0))
            return true;
    }
    return false;
}

static bool slot_has_lease(const struct sim *sim, const char *body_id, uint32_t slot)
{
    const struct body_rec *body = alloc_body(sim->cluster.live, body_id);
    return body != NULL && slot < body->slot_count && slot_live_lease(&body->slots[slot]) != NULL;
}

static void check_row(struct sim *sim, const struct machine *m, const struct session_obs *seen, const struct slot_row *rows, size_t count)
{
    const struct body_rec *body = alloc_body(sim->cluster.live, m->id);
    if (seen->state != SESSION_STREAMING && seen->state != SESSION_STARTING)
        return;
    if (!accounted(rows, count, seen))
        sim_violation(sim, "I2: %s/%u shows %s, and nothing accounts for it", m->id, seen->index, seen->launch_id);
    bool ours = seen->index < SIM_SLOTS_MAX && seen->index < body->slot_count;
    if (ours && seen->state == SESSION_STREAMING && !slot_has_lease(sim, m->id, seen->index) && m->refused[seen->index].is == REFUSED_NO &&
        body->slots[seen->index].ghost_count == 0)
        sim_violation(sim, "I2: %s/%u streams without a lease and was not adopted", m->id, seen->index);
}

void sim_check_i2_reported_is_accounted(struct sim *sim, const struct machine *m)
{
    static const struct session_obs legacy = { .state = SESSION_STREAMING };
    struct hc_arena arena = { 0 };
    struct slot_row *rows;
    size_t count;
    bool shows = m->heard.streaming;
    for (size_t i = 0; i < m->heard.row_count; i++)
        shows = shows || m->heard.rows[i].state != SESSION_IDLE;
    if (m->heard_at != sim->now || !sim->cluster.store_ok || !shows || alloc_body(sim->cluster.live, m->id) == NULL)
        return;
    struct core_view view = live_view(sim);
    struct slot_filter filter = { .body_id = m->id };
    if (query_slots(&view, &filter, &arena, &rows, &count) != HC_OK) {
        sim_violation(sim, "query_slots() failed");
        return;
    }
    for (size_t i = 0; m->heard.modern && i < m->heard.row_count; i++)
        check_row(sim, m, &m->heard.rows[i], rows, count);
    if (!m->heard.modern && m->heard.streaming)
        check_row(sim, m, &legacy, rows, count);
    hc_arena_free(&arena);
}
