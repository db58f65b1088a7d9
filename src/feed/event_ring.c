#include "event_ring.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NOWHERE SIZE_MAX

enum hc_err event_ring_open(struct event_ring *ring, size_t keep, uint64_t generation)
{
    assert(keep > 0);
    *ring = (struct event_ring){ .size = keep, .generation = generation };
    ring->at = hc_alloc(keep * sizeof ring->at[0]);       /* whole at once: later nothing can fail; pages come as they are used */
    return ring->at == NULL ? HC_ERR_NOMEM : HC_OK;
}

void event_ring_close(struct event_ring *ring)
{
    hc_free(ring->at);
    *ring = (struct event_ring){ 0 };
}

/* i = 0 is the oldest. */
static const struct feed_event *event_at(const struct event_ring *ring, size_t i)
{
    assert(i < ring->count);
    return &ring->at[(ring->next + ring->size - ring->count + i) % ring->size];
}

static bool parse_number(const char **text, uint64_t *ret)
{
    uint64_t value = 0;
    const char *p = *text;
    if (*p < '0' || *p > '9')
        return false;
    for (; *p >= '0' && *p <= '9'; p++) {
        if (value > (UINT64_MAX - 9) / 10)
            return false;
        value = value * 10 + (uint64_t)(*p - '0');
    }
    *text = p;
    *ret = value;
    return true;
}

static bool parse_id(const char *id, uint64_t *ret_generation, uint64_t *ret_n)
{
    if (!parse_number(&id, ret_generation) || *id != '-')
        return false;
    id++;
    return parse_number(&id, ret_n) && *id == '\0';
}

static void push(struct event_ring *ring, const struct feed_event *event)
{
    ring->at[ring->next] = *event;
    ring->next = (ring->next + 1) % ring->size;
    if (ring->count < ring->size)
        ring->count++;
}

void event_ring_load(struct event_ring *ring, const struct feed_event *event)
{
    uint64_t generation, n;
    if (!parse_id(event->id, &generation, &n))
        return;
    if (ring->count > 0 && hc_same(event_at(ring, ring->count - 1)->id, event->id))
        return;
    if (generation == ring->generation && n > ring->last_n)
        ring->last_n = n;                     /* files of an older generation were restored: ids stay unique all the same */
    push(ring, event);
}

void event_ring_id(const struct event_ring *ring, uint64_t ahead, char out[EVENT_ID_SIZE])
{
    int len = snprintf(out, EVENT_ID_SIZE, "%" PRIu64 "-%" PRIu64, ring->generation, ring->last_n + ahead);
    assert(len > 0 && len < EVENT_ID_SIZE);
    (void)len;
}

void event_ring_add(struct event_ring *ring, const struct core_note *note)
{
    struct feed_event event = { .note = *note };
    event_ring_id(ring, 1, event.id);
    ring->last_n++;
    push(ring, &event);
}

const char *event_ring_last_id(const struct event_ring *ring)
{
    return ring->count == 0 ? "" : event_at(ring, ring->count - 1)->id;
}

/* Events of this run stand without gaps at the end: a follower's id is found without a walk. */
static size_t position_of(const struct event_ring *ring, const char *id)
{
    uint64_t generation, n;
    if (!parse_id(id, &generation, &n))
        return NOWHERE;
    if (generation == ring->generation && n <= ring->last_n && ring->last_n - n < ring->count) {
        size_t i = ring->count - 1 - (size_t)(ring->last_n - n);
        if (hc_same(event_at(ring, i)->id, id))
            return i;
    }
    for (size_t i = ring->count; i > 0; i--)
        if (hc_same(event_at(ring, i - 1)->id, id))
            return i - 1;
    return NOWHERE;
}

static bool given(const char *text) { return text != NULL && text[0] != '\0'; }

enum hc_err event_ring_query(const struct event_ring *ring, const struct event_query *query, struct hc_arena *arena,
                             const struct feed_event **ret_events, size_t *ret_count, char ret_more[EVENT_ID_SIZE])
{
    bool forward = given(query->since);
    size_t start = given(query->cursor) ? position_of(ring, query->cursor) : forward ? position_of(ring, query->since) : NOWHERE;
    size_t wanted = query->limit < ring->count ? query->limit : ring->count;
    struct feed_event *events = hc_arena_array(arena, wanted + 1, sizeof events[0]);
    if (events == NULL)
        return HC_ERR_NOMEM;
    size_t count = 0;
    /* left: how many to look at; forward from behind `start` (unknown: from the oldest), back from before it (none: from the newest). */
    size_t left = forward ? ring->count - (start == NOWHERE ? 0 : start + 1) : start == NOWHERE ? ring->count : start;
    if (!forward && given(query->cursor) && start == NOWHERE)
        left = 0;                             /* what came before an event that has left the ring has left it too */
    ret_more[0] = '\0';
    for (; left > 0; left--) {
        const struct feed_event *event = event_at(ring, forward ? ring->count - left : left - 1);
        if (given(query->type) && !hc_same(word_of(&note_words, (int)event->note.type), query->type))
            continue;
        if (count == wanted) {
            if (count > 0)
                hc_copy(ret_more, EVENT_ID_SIZE, events[count - 1].id);
            break;
        }
        events[count++] = *event;
    }
    *ret_events = events;
    *ret_count = count;
    return HC_OK;
}

enum hc_err event_ring_of_lease(const struct event_ring *ring, const char *lease_id, size_t limit, struct hc_arena *arena,
                                const struct feed_event **ret_events, size_t *ret_count)
{
    size_t total = 0, count = 0;
    for (size_t i = 0; i < ring->count; i++)
        total += hc_same(event_at(ring, i)->note.lease_id, lease_id);
    size_t skip = total > limit ? total - limit : 0;
    struct feed_event *events = hc_arena_array(arena, total - skip + 1, sizeof events[0]);
    if (events == NULL)
        return HC_ERR_NOMEM;
    for (size_t i = 0; i < ring->count; i++)
        if (hc_same(event_at(ring, i)->note.lease_id, lease_id) && (skip == 0 || skip-- == 0))
            events[count++] = *event_at(ring, i);
    *ret_events = events;
    *ret_count = count;
    return HC_OK;
}
