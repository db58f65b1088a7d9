/* journal.h - the flight recorder: every event that the core decided, with what it decided, so that it can be decided again.
 *
 * A journal is a folder of segments, journal-NNNNNNNNNN.jsonl, one JSON line per event. Each segment begins with the whole state, so that
 * any of them can be replayed alone. A new one begins when the old one is full, and after every change of the state that was no event: a
 * roll-back, a merge with a foreign file.
 *
 * It is no part of what is durable: lines wait in memory for a thread of their own, are not synced, and are dropped - said once, counted -
 * when the disk is slow or full. Nobody waits for it. Secrets are sealed with a key from the server's secret (docs/decisions).
 *
 * Threads: journal_segment, journal_event: loop thread. journal_want: any. */
#ifndef HYDRA_JOURNAL_JOURNAL_H
#define HYDRA_JOURNAL_JOURNAL_H

#include "hydra/core/step.h"

#define JOURNAL_FOLDER        "journal"                        /* in the data folder, 0700 */
#define JOURNAL_SEGMENT_BYTES ((size_t)32 * 1024 * 1024)       /* defaults of the configuration */
#define JOURNAL_KEEP_BYTES    ((size_t)256 * 1024 * 1024)
#define JOURNAL_NOTES_SHOWN   8

struct journal;
struct journal_config {
    const char *data_dir;
    const uint8_t *secret;             /* the server's, 32 bytes */
    size_t segment_bytes, keep_bytes;  /* of one segment beside its state; of all */
    const char *version;
};
HC_MUST enum hc_err journal_open(const struct journal_config *config, struct journal **ret_journal, struct hc_diag *diag);
/* Writes what waits and ends the thread; what came with segments has been given back then. False: a write has not come back within
 * `most_ms`; then the journal, and whoever it would give something back to, must stay as long as the process. Once more is nothing. */
HC_MUST bool journal_stop(struct journal *journal, int64_t most_ms);
void journal_close(struct journal *journal);                    /* accepts NULL */

/* The state is about to be other than events made it, or an event could not be recorded: the next event begins a new segment. */
void journal_want(struct journal *journal);
bool journal_wants_segment(struct journal *journal);
/* Begins one with this state. Takes both snapshots, and gives them back through `release`, on the journal's thread. */
typedef void journal_release_fn(void *ctx, struct alloc *saved, struct observed *obs);
void journal_segment(struct journal *journal, hc_time now, struct alloc *saved, struct observed *obs, journal_release_fn *release,
                     void *ctx);

struct journal_notes { size_t count; uint64_t digest; enum note_type shown[JOURNAL_NOTES_SHOWN]; };
struct journal_notes journal_notes_of(const struct core_note *notes, size_t count);
struct journal_change { enum rec_kind kind; char key[REC_KEY_SIZE]; const struct rec *version; };      /* NULL: removed */
struct journal_step {
    const struct core_event *ev;
    uint64_t generation;               /* of the live state when it ran */
    hc_time store_down_since;
    const struct core_result *result;  /* its notes may be gone */
    struct journal_notes notes;
    const struct journal_change *changes; size_t change_count;
};
void journal_event(struct journal *journal, const struct journal_step *step);

struct journal_health { bool ok; uint64_t events, dropped; };
struct journal_health journal_health(struct journal *journal);

#endif
