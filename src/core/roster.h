/* roster.h - the bodies at a glance: one small row for each, side by side, so that a search among a thousand reads a few pages and not a
 * thousand records. Derived from the tables, as the maps of alloc_index.h are.
 *
 * Row i speaks of the body that stands at i in the table of bodies. A row only ever says "not this one": what it cannot exclude is looked
 * at in the records. Rows of records that the step under way changed are stale, and exclude nothing, until the step is over. */
#ifndef CORE_ROSTER_H
#define CORE_ROSTER_H

#include "hydra/core/record.h"

struct roster_row {
    uint64_t body;                           /* hash of its key */
    uint32_t district, venue, machine;       /* of its node: roster_name() */
    bool known;                              /* false: stale, or a body without a node */
    bool open;                               /* it has a slot that is not lowered and has no lease */
};
struct roster { struct roster_row *rows; size_t count, size; bool built; };

/* Different numbers are different names; "" is 0. */
uint32_t roster_name(const char *name);
/* NULL: there is none now (no memory, or a step began without one): look at the records. Row i is alloc_at(REC_BODY, i)'s. */
const struct roster_row *roster_rows(const struct alloc *alloc);

/* For alloc.c, which tells of each change to the tables of bodies and nodes. The others are ignored. */
void roster_build(const struct alloc *alloc);
void roster_stale(const struct alloc *alloc, enum rec_kind kind, const char *key);       /* a step edits it */
void roster_refresh(const struct alloc *alloc, enum rec_kind kind, const char *key);     /* it stands as it is now */
void roster_added(const struct alloc *alloc, enum rec_kind kind, const char *key);       /* to the table; stale */
void roster_removed(const struct alloc *alloc, enum rec_kind kind, const char *key);     /* from the table */
void roster_drop(struct roster *roster);

#endif
