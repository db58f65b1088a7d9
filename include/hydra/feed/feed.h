/* feed.h - what leaves after the commit: events (ring with ids, events.jsonl rotated by size), session history (sessions.jsonl and its
 * older parts, together below a size) and the counters that reports need. Architecture §2, §4; rules §3.10.
 *
 * Threads: feed_publish, feed_events, feed_history..., feed_denied: loop thread. The writer thread inside feed/ owns the files; it talks to
 * the loop through a queue of its own and an eventfd that the owner gives. Nothing here blocks the loop on I/O. */
#ifndef HYDRA_FEED_FEED_H
#define HYDRA_FEED_FEED_H

#include "hydra/base/arena.h"
#include "hydra/base/buf.h"
#include "hydra/core/query.h"

#define EVENT_ID_SIZE 42           /* <generation>-<n> */
struct feed_event { char id[EVENT_ID_SIZE]; struct core_note note; };

struct feed;
#define SESSIONS_SEGMENT_BYTES ((uint64_t)64 * 1024 * 1024)      /* defaults of the configuration */
#define SESSIONS_KEEP_BYTES    ((uint64_t)1024 * 1024 * 1024)
struct feed_config {
    const char *data_dir; size_t keep_events; uint64_t generation; size_t rotate_bytes;     /* 10,000; 64 MiB */
    uint64_t sessions_segment_bytes, sessions_keep_bytes;      /* sessions.jsonl begins anew at the one, its parts stay below the other */
};
/* Reads the tail of events.jsonl into the ring, cuts a torn last line of sessions.jsonl, reads the history's last lines (of older parts
 * too) for /sessions/history and pools. */
HC_MUST enum hc_err feed_open(const struct feed_config *config, int wake_fd, struct feed **ret_feed, struct hc_diag *diag);
/* Writes and syncs what it has; then nothing more may be added. False: the disk hangs, and it is not done within `most_ms`; the feed must
 * then stay as long as the process. Accepts NULL. */
bool feed_stop(struct feed *feed, int64_t most_ms);
struct feed *feed_close(struct feed *feed);        /* feed_stop() if that was not called, at most 10 s; accepts NULL, returns NULL */

/* Committed notes, in order. Gives each event its id. */
HC_MUST enum hc_err feed_publish(struct feed *feed, const struct core_note *notes, size_t count);
/* Events after `since` ("" or NULL: the newest `limit`), oldest first when since is given, else newest first; type "" any. `ret_more`:
 * the id to go on from, "" end.
 * An id that the ring does not have any more: from its oldest. */
HC_MUST enum hc_err feed_events(struct feed *feed, const char *since, const char *type, size_t limit, const char *cursor,
                                struct hc_arena *arena,
                                const struct feed_event **ret_events, size_t *ret_count, char ret_more[EVENT_ID_SIZE]);
const char *feed_last_id(const struct feed *feed);
/* Those of one lease that are still in memory, oldest first, at most `limit`: the newest. */
HC_MUST enum hc_err feed_lease_events(const struct feed *feed, const char *lease_id, size_t limit, struct hc_arena *arena,
                                      const struct feed_event **ret_events, size_t *ret_count);

/* History: rows of terminal leases, repeats by lease id dropped. Written and synced by the writer thread at most every 200 ms. */
HC_MUST enum hc_err feed_history_add(struct feed *feed, const struct session_row *rows, size_t count);
/* Lease ids whose lines were synced since the last call (for CORE_HISTORY_WRITTEN). */
HC_MUST enum hc_err feed_history_synced(struct feed *feed, struct hc_arena *arena, const char *const **ret_ids, size_t *ret_count);
/* NULL or "": any */
struct history_filter { const char *head, *body, *venue; hc_time since; size_t limit; const char *cursor, *lease; };
/* Newest first, from memory (the newest 20,000 lines) and the files behind them. A cursor stays good when a new part begins; one into a
 * part that is not kept any more is the end of the history. */
HC_MUST enum hc_err feed_history(struct feed *feed, const struct history_filter *filter, struct hc_arena *arena,
                                 struct session_row **ret_rows, size_t *ret_count,
                                 char ret_more[HC_ID_SIZE]);
/* Median and so on per pool are the core's; at start the engine asks for the newest sessions to fill OBS_POOL. Newest first. */
size_t feed_recent_sessions(const struct feed *feed, const struct session_row **ret_rows);
bool feed_history_ok(const struct feed *feed);     /* false while sessions.jsonl cannot be written */

/* Denials of the last hour by reason and on both axes (I10), waits per pool and venue. Minute buckets; loop thread only. */
struct denial_count { char word[HC_NAME_SIZE]; uint64_t count; };
enum denial_axis { DENIAL_BY_REASON, DENIAL_BY_HEAD_VENUE, DENIAL_BY_BODY_VENUE };
void feed_denied(struct feed *feed, hc_time now, const char *reason, const char *head_venue, const char *body_venue);
HC_MUST enum hc_err feed_denials(const struct feed *feed, hc_time now, enum denial_axis axis, struct hc_arena *arena,
                                 struct denial_count **ret, size_t *ret_count);
void feed_waited(struct feed *feed, const char *pool, const char *venue, int64_t waited_ms);
/* Median and p90 of the last 200 waits of a pool or venue ("pool/..." or "venue/..."); negative: none. */
void feed_waits(const struct feed *feed, const char *key, int64_t *ret_median_ms, int64_t *ret_p90_ms);

#endif
