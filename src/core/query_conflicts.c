/* query_conflicts.c - GET /conflicts: live mismatches, by body and slot. */
#include "slot_sessions.h"
#include "view.h"

struct conflicts { const struct core_view *v; struct hc_arena *arena; struct conflict_row *rows; size_t count, size; };

static struct conflict_row *add_row(struct conflicts *list)
{
    if (list->count == list->size) {
        size_t size = list->size == 0 ? 16 : list->size * 2;
        struct conflict_row *rows = hc_arena_array(list->arena, size, sizeof rows[0]);
        if (rows == NULL)
            return NULL;
        for (size_t i = 0; i < list->count; i++)
            rows[i] = list->rows[i];
        list->rows = rows;
        list->size = size;
    }
    return &list->rows[list->count++];
}

static struct conflict_row *start_row(struct conflicts *list, const struct body_rec *body, uint32_t slot, const struct lease *lease,
    enum conflict_kind kind)
{
    struct conflict_row *row = add_row(list);
    if (row == NULL)
        return NULL;
    HC_SET(row->body_id, body->rec.key);
    row->slot = slot;
    row->kind = kind;
    row->since_ms = -1;
    if (lease != NULL) {
        HC_SET(row->lease_id, lease->id);
        HC_SET(row->holder_head_id, lease->head_id);
    }
    return row;
}

static enum conflict_kind kind_of(const struct slot_sessions *sessions, const struct slot_extra *extra)
{
    if (extra->wrong_client)
        return CONFLICT_WRONG_CLIENT;
    return sessions->live_count > 1 ? CONFLICT_SECOND_LAUNCH : CONFLICT_UNAUTHORIZED;
}

static enum hc_err add_sessions(struct conflicts *list, const struct body_rec *body, uint32_t slot, const struct slot_sessions *sessions)
{
    const struct body_obs *obs = body_observed(list->v->obs, body);
    for (size_t i = 0; i < sessions->extra_count; i++) {
        const struct session_obs *seen = sessions->extras[i].session;
        struct conflict_row *row = start_row(list, body, slot, sessions->lease, kind_of(sessions, &sessions->extras[i]));
        if (row == NULL)
            return HC_ERR_NOMEM;
        HC_SET(row->observed_head_id, session_head(seen));
        HC_SET(row->client_uuid, seen->client_uuid);
        HC_SET(row->client_name, seen->client_name);
        row->expected_legacy = head_is_legacy(list->v, row->observed_head_id);
        if (seen->since_ms >= 0)
            row->since_ms = seen->since_ms + hc_time_since(list->v->now, obs->reported_at);
        else if (hc_time_set(obs->session_since[slot]))
            row->since_ms = hc_time_since(list->v->now, obs->session_since[slot]);
    }
    /* A launch that the body refused left no session: the event alone tells of it. */
    if (!sessions->second_launch || sessions->live_count > 1)
        return HC_OK;
    struct conflict_row *row = start_row(list, body, slot, sessions->lease, CONFLICT_SECOND_LAUNCH);
    if (row == NULL)
        return HC_ERR_NOMEM;
    row->since_ms = hc_time_since(list->v->now, obs->second_launch_at[slot]);
    return HC_OK;
}

static enum hc_err add_witnesses(struct conflicts *list, const struct body_rec *body, uint32_t slot, const struct lease *lease,
                                 const struct witness *all, size_t count)
{
    const struct witness *first;
    size_t here = witnesses_of(all, count, body->rec.key, slot, &first);
    for (size_t i = 0; i < here; i++) {
        struct conflict_row *row = start_row(list, body, slot, lease, CONFLICT_UNAUTHORIZED);
        if (row == NULL)
            return HC_ERR_NOMEM;
        const struct node_obs *head = first[i].head;
        HC_SET(row->observed_head_id, head->rec.key);
        row->from_head = true;
        row->expected_legacy = head_is_legacy(list->v, head->rec.key);
        if (hc_time_set(head->status_since))
            row->since_ms = hc_time_since(list->v->now, head->status_since);
    }
    return HC_OK;
}

enum hc_err query_conflicts(const struct core_view *v, struct hc_arena *arena, struct conflict_row **ret_rows, size_t *ret_count)
{
    struct conflicts list = { .v = v, .arena = arena };
    struct witness *all;
    size_t witness_count;
    enum hc_err err = witnesses(v, arena, &all, &witness_count);
    for (size_t i = 0; i < alloc_count(v->saved, REC_BODY) && err == HC_OK; i++) {
        const struct body_rec *body = (const struct body_rec *)alloc_at(v->saved, REC_BODY, i);
        bool fresh = body_fresh(v, body->rec.key);          /* an old report is no live mismatch */
        uint32_t count = slots_shown(v, body);
        for (uint32_t slot = 0; slot < count && err == HC_OK; slot++) {
            struct slot_sessions sessions;
            slot_sessions(v, body, slot, &sessions);
            if (fresh)
                err = add_sessions(&list, body, slot, &sessions);
            if (err == HC_OK)
                err = add_witnesses(&list, body, slot, sessions.lease, all, witness_count);
        }
    }
    if (err != HC_OK)
        return err;
    *ret_rows = list.rows;
    *ret_count = list.count;
    return HC_OK;
}
