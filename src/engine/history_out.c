/* history_out.c - ended leases go to the session history; what is written comes back to the core, which forgets them (rules §3.10). */
#include <string.h>

#include "engine_state.h"
#include "hydra/base/arena.h"

/* Of the committed record where it is there, else of the note alone. The mutex is held. */
static void fill_row(const struct engine *e, const struct core_note *note, struct session_row *row)
{
    HC_SET(row->lease_id, note->lease_id);
    HC_SET(row->head_id, note->head_id);
    HC_SET(row->body_id, note->body_id);
    HC_SET(row->head_venue, note->head_venue);
    HC_SET(row->body_venue, note->venue);
    row->slot = note->slot < 0 ? 0 : (uint32_t)note->slot;
    row->source = note->source;
    row->state = note->state;
    row->why = note->why;
    row->ended_at = note->at;
    const struct body_rec *body = alloc_body(e->committed, note->body_id);
    const struct slot *slot;
    const struct lease *lease = body == NULL ? NULL : body_lease(body, note->lease_id, &slot);
    if (lease == NULL || !lease_is_terminal(lease->state))
        return;
    HC_SET(row->stream_id, lease->stream_id);
    HC_SET(row->head_id, lease->head_id);
    HC_SET(row->experience, lease->experience);
    row->slot = slot->index;
    row->protocol = lease->protocol;
    row->source = lease->source;
    row->mode = lease->mode;
    row->grant_epoch = lease->grant_epoch;
    row->granted_at = lease->granted_at;
    row->streaming_at = lease->streaming_at;
    row->ended_at = lease->changed_at;
    row->state = lease->state;
    row->why = lease->why;
    HC_SET(row->grant_facts, lease->grant_facts);
}

static void ask_for_rescan(struct engine *e)
{
    engine_lock(e);
    e->rescan = true;
    engine_unlock(e);
}

static bool ended_note(const struct core_note *note)
{
    return note->type == NOTE_LEASE_ENDED && note->lease_id[0] != '\0';
}

void history_ended(struct engine *e, const struct note_batch *chain)
{
    size_t ended = 0, filled = 0;
    for (const struct note_batch *batch = chain; batch != NULL; batch = batch->next)
        for (size_t i = 0; i < batch->count; i++)
            ended += ended_note(&batch->notes[i]);
    if (ended == 0)
        return;
    struct session_row *rows = hc_alloc(ended * sizeof rows[0]);
    if (rows == NULL) {
        ask_for_rescan(e);
        return;
    }
    engine_lock(e);
    for (const struct note_batch *batch = chain; batch != NULL; batch = batch->next)
        for (size_t i = 0; i < batch->count; i++)
            if (ended_note(&batch->notes[i]))
                fill_row(e, &batch->notes[i], &rows[filled++]);
    engine_unlock(e);
    if (feed_history_add(e->config.feed, rows, filled) != HC_OK)
        ask_for_rescan(e);
    hc_free(rows);
}

/* Whatever ended and still waits for its line: after a start, a roll-back, a shortage of memory. The feed drops repeats. */
void history_rescan(struct engine *e, int64_t now_ms)
{
    if (now_ms < e->next_rescan_ms)
        return;
    engine_lock(e);
    bool wanted = e->rescan && e->store_ok && engine_usable(e);
    if (wanted)
        e->rescan = false;
    engine_unlock(e);
    if (!wanted)
        return;
    e->next_rescan_ms = now_ms + PROBE_EVERY_MS;
    struct engine_view view;
    struct session_row *rows;
    size_t count;
    struct hc_arena arena = { 0 };
    enum hc_err err = engine_view_take(e, &view);
    if (err == HC_OK) {
        err = query_sessions(&view.view, true, &arena, &rows, &count);
        if (err == HC_OK)
            err = feed_history_add(e->config.feed, rows, count);
        engine_view_free(e, &view);
    }
    hc_arena_free(&arena);
    if (err != HC_OK)
        ask_for_rescan(e);
}

void history_written(struct engine *e)
{
    struct hc_arena arena = { 0 };
    struct core_event ev = { .type = CORE_HISTORY_WRITTEN };
    enum hc_err err = feed_history_synced(e->config.feed, &arena, &ev.u.history.lease_ids, &ev.u.history.count);
    if (err == HC_OK && ev.u.history.count > 0) {
        struct core_result result = { .dirty = false };
        e->config.random(ev.seed, sizeof ev.seed);
        hc_time now = e->config.now();
        engine_lock(e);
        engine_settle(e, now);
        err = e->store_ok && engine_usable(e) ? engine_step(e, &ev, now, &result) : HC_ERR_STATE;
        if (err != HC_OK)
            e->rescan = true;             /* they are found again, and the feed says again that their lines are there */
        engine_unlock(e);
        recorder_write(e);
        core_result_free(&result);
    }
    hc_arena_free(&arena);
}

static void add_length(struct engine *e, const struct session_row *row)
{
    const struct node_rec *body = alloc_node(e->committed, row->body_id);
    if (body == NULL || !hc_time_set(row->streaming_at))
        return;
    char pool[POOL_SIZE];
    body_pool(body, pool);
    const struct pool_obs *known = (const struct pool_obs *)observed_get(e->obs, OBS_POOL, pool);
    if (known != NULL && known->count == POOL_SESSIONS_MAX)
        return;
    struct pool_obs *edit = strlen(pool) >= REC_KEY_SIZE ? NULL : (struct pool_obs *)observed_edit(e->obs, OBS_POOL, pool);
    if (edit == NULL)
        return;                           /* an estimate that starts without a past */
    /* Rows come newest first: they fill the ring from its end, and `next`, where the oldest stands, stays 0. */
    edit->session_ms[POOL_SESSIONS_MAX - 1 - edit->count] = hc_time_since(row->ended_at, row->streaming_at);
    edit->count++;
}

/* A ring that is not full holds its values from 0 on. */
static void settle_pool(struct pool_obs *pool)
{
    memmove(&pool->session_ms[0], &pool->session_ms[POOL_SESSIONS_MAX - pool->count], pool->count * sizeof pool->session_ms[0]);
    pool->next = pool->count % POOL_SESSIONS_MAX;
}

void history_fill_pools(struct engine *e)
{
    const struct session_row *rows;
    size_t count = feed_recent_sessions(e->config.feed, &rows);
    for (size_t i = 0; i < count; i++)
        add_length(e, &rows[i]);
    for (size_t i = 0; i < observed_count(e->obs, OBS_POOL); i++)
        settle_pool((struct pool_obs *)observed_edit(e->obs, OBS_POOL, observed_at(e->obs, OBS_POOL, i)->key));
}
