/* entries.h - which application entries a host publishes for a slot: pure (rules §13.4, §13.6; seed E3).
 *
 * The directive's list is complete. Entries whose name is neither an experience of this body, nor one with a token, nor Desktop are not
 * ours and stay as they are. The caller changes entries only while the host is idle: a change while an application runs ends every
 * stream. */
#ifndef BODY_ENTRIES_H
#define BODY_ENTRIES_H

#include "hydra/base/arena.h"
#include "hydra/proto/directive.h"

struct entries_facts {
    const char *const *wanted; size_t wanted_count;             /* app_entries of the slot's directive */
    const char *const *published; size_t published_count;       /* names as the host lists them, doubles too */
    const char *const *experiences; size_t experience_count;    /* of which this agent keeps a pattern; Desktop among them if it has one */
};
struct entry_change { bool add; const char *name, *pattern; };  /* add: like the pattern, under this name; else: remove one of that name */
/* Removals first. An entry without a pattern cannot be added: it is in *ret_missing instead (a name, or NULL). */
HC_MUST enum hc_err entries_plan(const struct entries_facts *facts, struct hc_arena *arena, struct entry_change **ret_changes,
                                 size_t *ret_count, const char **ret_missing);

#endif
