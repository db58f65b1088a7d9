/* record.h - versions of records, and the set that holds them (architecture §2).
 *
 * A record version is immutable once the step that made it is over, and counted: the live state, the committed state, a cut on its
 * way to the disk and a snapshot for a list may all hold the same version. Counts are changed only under the engine's mutex (the core
 * itself has no threads). Records name each other by id, never by pointer.
 *
 * struct alloc is one state of all *saved* records. The live one also remembers what the current step replaced (undo) and what changed
 * since the last cut (what to save, what to roll back). Tables are in key order: whatever iterates, iterates in key order. */
#ifndef HYDRA_CORE_RECORD_H
#define HYDRA_CORE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hydra/base/err.h"
#include "hydra/base/id.h"
#include "hydra/base/time.h"

enum rec_kind {
    /* allocation.yaml */
    REC_BODY, REC_STREAM, REC_TICKET, REC_DISTRICT, REC_CAP, REC_DEMOTION, REC_ATTEMPTS,
    REC_OP, REC_IDENTITY,
    /* nodes.yaml */
    REC_NODE, REC_VENUE, REC_ORG, REC_EXPERIENCE,
    REC_SAVED_KINDS,
    /* observed: never saved, survives a roll-back */
    OBS_BODY = REC_SAVED_KINDS, OBS_NODE, OBS_CLOCK, OBS_POOL, OBS_OP,
    REC_KINDS
};
static inline bool rec_in_nodes_file(enum rec_kind kind) { return kind >= REC_NODE && kind <= REC_EXPERIENCE; }

#define REC_KEY_SIZE 200        /* two ids, or a word and a name */

/* First member of every record. `hash` is the key's FNV-1a, as rec_new() leaves it. */
struct rec { enum rec_kind kind; uint32_t refs; uint64_t step, hash; char key[REC_KEY_SIZE]; };

struct rec *rec_new(enum rec_kind kind, const char *key);      /* zeroed, refs 1; NULL: no memory */
struct rec *rec_ref(struct rec *rec);
void rec_unref(struct rec *rec);                               /* accepts NULL */

struct rec_place { uint64_t hash; struct rec *rec; };
struct rec_table {
    struct rec **at; size_t count, size;                        /* sorted by strcmp of the keys */
    /* the same versions by hash of the key: decisions look up far more than they change */
    struct rec_place *places; size_t place_count;
};
struct rec *rec_table_get(const struct rec_table *table, const char *key);     /* NULL: absent */
/* The one with the key of `like`, of whatever kind that is: a body's node, what is observed of it. Costs less than the key. */
struct rec *rec_table_like(const struct rec_table *table, const struct rec *like);

struct rec_change { enum rec_kind kind; char key[REC_KEY_SIZE]; struct rec *old; };   /* old version, NULL: there was none */

struct core_config;             /* core/config.h: timers, secret, limits; set at start, never saved */
struct alloc_index;
struct alloc {
    const struct core_config *config;            /* borrowed */
    struct rec_table tables[REC_SAVED_KINDS];
    struct alloc_index *index;                   /* derived from the tables at each put */
    uint64_t generation;                         /* of allocation.yaml: as loaded or last saved; an input to epochs (rules §6.1) */
    uint64_t nodes_generation;
    uint64_t step;                               /* number of the step under way */
    struct rec_change *step_changes; size_t step_count, step_size, last_count;   /* last_count: of the step that ended last */
    struct rec_change *dirty; size_t dirty_count, dirty_size;   /* since the last cut, each (kind, key) once; `old` unused here (NULL) */
    struct alloc_dirty_index *dirty_index;
};

HC_MUST enum hc_err alloc_new(const struct core_config *config, struct alloc **ret_alloc);
void alloc_free(struct alloc *alloc);                                       /* accepts NULL */
/* Reading never yields a mutable record. NULL: absent. */
const struct rec *alloc_get(const struct alloc *alloc, enum rec_kind kind, const char *key);
const struct rec *alloc_like(const struct alloc *alloc, enum rec_kind kind, const struct rec *like);      /* as rec_table_like() */
size_t alloc_count(const struct alloc *alloc, enum rec_kind kind);
const struct rec *alloc_at(const struct alloc *alloc, enum rec_kind kind, size_t i);      /* in key order */
/* The only way to a mutable record: a deep copy made for this step (once per step and record), marked changed. NULL: absent, or no memory
 * (then *ret_err, if given, says HC_ERR_NOMEM; else HC_ERR_NOTFOUND). Pointers from alloc_get for that key are stale afterwards. */
struct rec *alloc_edit(struct alloc *alloc, enum rec_kind kind, const char *key);
struct rec *alloc_create(struct alloc *alloc, enum rec_kind kind, const char *key);       /* must be absent (asserts); NULL: no memory */
HC_MUST enum hc_err alloc_remove(struct alloc *alloc, enum rec_kind kind, const char *key);   /* absent: HC_OK */

/* A step happens whole or not at all. begin/end are core_step's; undo is the caller's when it failed or was a dry run. */
void alloc_begin_step(struct alloc *alloc);
void alloc_undo_step(struct alloc *alloc);
/* Moves the step's changes into `dirty`; returns whether there were any. Also re-indexes edited bodies and streams: the index is exact
 * between steps, and within a step after alloc_reindex(). HC_ERR_NOMEM leaves the step for undo. */
HC_MUST enum hc_err alloc_end_step(struct alloc *alloc, bool *ret_changed);
/* What the step that ended last changed, kind and key (`old` is NULL): valid until the next step begins. */
size_t alloc_last_step(const struct alloc *alloc, const struct rec_change **ret_changes);
HC_MUST enum hc_err alloc_reindex(struct alloc *alloc, enum rec_kind kind, const char *key);

/* For the engine: put a version (or NULL: remove) outside any step, without marking it dirty: commit, roll-back,
 * load. Takes a reference. */
HC_MUST enum hc_err alloc_put(struct alloc *alloc, enum rec_kind kind, const char *key, struct rec *version);
/* A read-only state with references to the same versions; free with alloc_free. Has its own index. */
HC_MUST enum hc_err alloc_snapshot(const struct alloc *from, struct alloc **ret_snapshot);
/* Marks a record dirty without a step: a load that clamped, a merge. */
HC_MUST enum hc_err alloc_mark_dirty(struct alloc *alloc, enum rec_kind kind, const char *key);
void alloc_clear_dirty(struct alloc *alloc);                                /* the cut has taken the list */

/* Index lookups. All return NULL when there is none. */
const char *alloc_lease_body(const struct alloc *alloc, const char *lease_id);   /* body that has this lease, or a ghost of it */
/* id of its non-terminal lease that is not left behind and does not drain */
const char *alloc_head_lease(const struct alloc *alloc, const char *head_id);
const char *alloc_head_stream(const struct alloc *alloc, const char *head_id);   /* id of its stream that is not ended */
/* Ids of all non-terminal leases of the head (also draining, left behind): at most `size`, returns the number. */
size_t alloc_head_leases(const struct alloc *alloc, const char *head_id, const char **ret_ids, size_t size);

/* Observed records: same versions, other container: no undo, no dirty list. */
struct observed {
    struct rec_table tables[REC_KINDS - REC_SAVED_KINDS];
    hc_time started_at;               /* of this daemon: no lease changes state for want of a report within bodyReportFresh of it (§4.3) */
    hc_time store_down_since;         /* HC_TIME_NEVER while saves succeed */
    uint32_t memory_mb_most;          /* no body ever reported more: observed_memory() */
};
HC_MUST enum hc_err observed_new(struct observed **ret_observed);
void observed_free(struct observed *obs);
const struct rec *observed_get(const struct observed *obs, enum rec_kind kind, const char *key);
const struct rec *observed_like(const struct observed *obs, enum rec_kind kind, const struct rec *like);
/* creates when absent; copies when a snapshot holds it; NULL: no memory */
struct rec *observed_edit(struct observed *obs, enum rec_kind kind, const char *key);
/* For a replay: a version as it was written down, of a key that is absent. Takes a reference. */
HC_MUST enum hc_err observed_put(struct observed *obs, struct rec *version);
void observed_remove(struct observed *obs, enum rec_kind kind, const char *key);
size_t observed_count(const struct observed *obs, enum rec_kind kind);
const struct rec *observed_at(const struct observed *obs, enum rec_kind kind, size_t i);
HC_MUST enum hc_err observed_snapshot(const struct observed *from, struct observed **ret_snapshot);

#endif
