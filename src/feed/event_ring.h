/* event_ring.h - the newest events in memory, each with its id <generation>-<n>. Loop thread only. */
#ifndef FEED_EVENT_RING_H
#define FEED_EVENT_RING_H

#include "hydra/feed/feed.h"

struct event_ring {
    struct feed_event *at; size_t size, count, next;      /* `next`: where the next one goes */
    uint64_t generation, last_n;
};
HC_MUST enum hc_err event_ring_open(struct event_ring *ring, size_t keep, uint64_t generation);
void event_ring_close(struct event_ring *ring);
/* An event from the file, oldest first; a repeat of the one before is dropped. */
void event_ring_load(struct event_ring *ring, const struct feed_event *event);
/* The id that the `ahead`-th event from now on gets (1 = the next). */
void event_ring_id(const struct event_ring *ring, uint64_t ahead, char out[EVENT_ID_SIZE]);
void event_ring_add(struct event_ring *ring, const struct core_note *note);
const char *event_ring_last_id(const struct event_ring *ring);      /* "" : none */
HC_MUST enum hc_err event_ring_of_lease(const struct event_ring *ring, const char *lease_id, size_t limit, struct hc_arena *arena,
                                        const struct feed_event **ret_events, size_t *ret_count);
struct event_query { const char *since, *type, *cursor; size_t limit; };
HC_MUST enum hc_err event_ring_query(const struct event_ring *ring, const struct event_query *query, struct hc_arena *arena,
                                     const struct feed_event **ret_events, size_t *ret_count, char ret_more[EVENT_ID_SIZE]);

#endif
