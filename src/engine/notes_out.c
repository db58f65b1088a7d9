/* notes_out.c - notes are held with the sequence of their step, go out when it is durable, and are dropped when it is rolled back. */
#include <assert.h>
#include <stdio.h>

#include "engine_state.h"
#include "hydra/base/arena.h"
#include "hydra/base/log.h"

void notes_push(struct note_queue *queue, struct note_batch *batch)
{
    batch->next = NULL;
    if (queue->tail == NULL)
        queue->head = batch;
    else
        queue->tail->next = batch;
    queue->tail = batch;
    queue->notes += batch->count;
}

static struct note_batch *pop(struct note_queue *queue)
{
    struct note_batch *batch = queue->head;
    queue->head = batch->next;
    if (queue->head == NULL)
        queue->tail = NULL;
    queue->notes -= batch->count;
    return batch;
}

static void batch_free(struct note_batch *batch)
{
    hc_free(batch->notes);
    hc_free(batch);
}

void notes_free(struct note_queue *queue)
{
    while (queue->head != NULL)
        batch_free(pop(queue));
}

void notes_release(struct engine *e)
{
    while (e->notes_held.head != NULL && e->notes_held.head->seq <= e->durable_seq)
        notes_push(&e->notes_out, pop(&e->notes_held));
}

void notes_drop_after(struct engine *e, uint64_t seq)
{
    struct note_queue kept = { NULL, NULL, 0 };
    while (e->notes_held.head != NULL) {
        struct note_batch *batch = pop(&e->notes_held);
        if (batch->seq <= seq)
            notes_push(&kept, batch);
        else
            batch_free(batch);
    }
    e->notes_held = kept;
}

void notes_hold(struct engine *e, struct core_result *result)
{
    if (result->note_count == 0)
        return;
    struct note_batch *batch = e->spare;
    assert(batch != NULL);
    e->spare = NULL;
    *batch = (struct note_batch){ .seq = e->live_seq, .notes = result->notes, .count = result->note_count };
    result->notes = NULL;
    result->note_count = result->note_size = 0;
    if (batch->seq <= e->durable_seq) {
        notes_push(&e->notes_out, batch);
        engine_wake_loop(e);
        return;
    }
    while (e->notes_held.notes > NOTES_HELD_MAX) {      /* a save has hung for long: people miss the oldest, the history does not */
        batch_free(pop(&e->notes_held));
        e->rescan = true;
    }
    notes_push(&e->notes_held, batch);
}

void notes_hold_outage(struct engine *e, hc_time now)
{
    struct core_note *notes = hc_alloc(2 * sizeof notes[0]);
    if (notes == NULL || !engine_spare(e)) {
        hc_free(notes);
        return;                           /* log and metrics have told it */
    }
    for (size_t i = 0; i < 2; i++)
        notes[i] = (struct core_note){ .type = i == 0 ? NOTE_STORE_DOWN : NOTE_STORE_UP, .at = i == 0 ? e->down_at : now, .slot = -1,
                                       .waited_ms = -1, .eta_ms = -1 };
    (void)snprintf(notes[0].detail, sizeof notes[0].detail, "%.*s", (int)sizeof notes[0].detail - 1, e->detail);
    (void)snprintf(notes[1].detail, sizeof notes[1].detail, "after %lld ms", (long long)hc_time_since(now, e->down_at));
    struct core_result carrier = { .note_count = 2, .note_size = 2, .notes = notes };
    notes_hold(e, &carrier);
}

void notes_publish(struct engine *e, int64_t now_ms)
{
    if (now_ms < e->next_publish_ms)
        return;
    engine_lock(e);
    struct note_queue out = e->notes_out;
    e->notes_out = (struct note_queue){ NULL, NULL, 0 };
    engine_unlock(e);
    struct note_queue told = { NULL, NULL, 0 };
    while (out.head != NULL && feed_publish(e->config.feed, out.head->notes, out.head->count) == HC_OK) {
        tally_notes(e, out.head->notes, out.head->count);
        notes_push(&told, pop(&out));
    }
    if (told.head != NULL)
        history_ended(e, told.head);
    notes_free(&told);
    if (out.head == NULL)
        return;
    engine_lock(e);                       /* no memory: in front of what has come since, and again within a second */
    while (e->notes_out.head != NULL)
        notes_push(&out, pop(&e->notes_out));
    e->notes_out = out;
    engine_unlock(e);
    e->next_publish_ms = now_ms + PROBE_EVERY_MS;
}
