/* alloc_index.h - where a lease or a head is, without walking every body.
 *
 * Maps hold a 64-bit hash of the name and the key of the record to look in; the record itself is the truth, so a clash of hashes costs a
 * look and nothing else. The maps speak of the records between steps: what the step under way changed is looked at directly (alloc_find.c).
 * When memory for a map runs out the maps are dropped and lookups walk the tables until they can be built again. */
#ifndef CORE_ALLOC_INDEX_H
#define CORE_ALLOC_INDEX_H

#include "hydra/core/records.h"
#include "roster.h"

struct map_entry { uint64_t hash; uint32_t count; char key[HC_ID_SIZE]; };       /* count 0: free */
struct multimap { struct map_entry *at; size_t size, used; };                     /* open addressing; size is a power of two */

/* Where (kind, key) stands in an array of rec_change: positions + 1. Entries that the array does not confirm are stale. */
struct change_index { uint32_t *at; size_t size, used; };

struct alloc_index {
    bool built;
    struct multimap leases;        /* lease id (also of ghosts) -> body */
    struct multimap heads;         /* head id -> body with a non-terminal lease of it */
    struct multimap streams;       /* head id -> stream that is not ended */
    struct change_index step;
    struct roster roster;
};
struct alloc_dirty_index { struct change_index dirty; };

HC_MUST enum hc_err index_new(struct alloc_index **ret_index);
void index_free(struct alloc_index *index);
bool index_build(const struct alloc *alloc);                   /* false: no memory, nothing is built */
/* One record went from `old` to `now` (either may be NULL). Out of memory drops the maps. */
void index_replace(struct alloc_index *index, enum rec_kind kind, const struct rec *old, const struct rec *now);
/* The keys that `hash` may mean, in no order: starts at *at = 0, ends with NULL. */
const char *index_next(const struct multimap *map, uint64_t hash, size_t *at);
uint64_t index_hash(const char *text);

/* Position in `changes`, or SIZE_MAX. */
size_t change_find(const struct change_index *index, const struct rec_change *changes, size_t count, enum rec_kind kind, const char *key);
HC_MUST enum hc_err change_reserve(struct change_index *index, const struct rec_change *changes, size_t count, size_t more);
void change_add(struct change_index *index, const struct rec_change *changes, size_t position);      /* reserved before */
void change_clear(struct change_index *index);
void change_free(struct change_index *index);

#endif
