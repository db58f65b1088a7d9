/* pattern_file.h - the application entries that this host offers, as its operator made them, in patterns.json of the slot's folder.
 *
 * While a lease is served the plain entry is not published (rules §13.6): what it looked like must be known for the entry with the token,
 * and to put it back. So it is kept on disk before anything is taken away, and what its operator changes in Sunshine's page is learned. */
#ifndef BODY_PATTERN_FILE_H
#define BODY_PATTERN_FILE_H

#include <stdbool.h>

#include "hydra/base/arena.h"
#include "hydra/codec/field.h"
#include "hydra/sunshine/sunshine.h"

#define PATTERN_FILE       "patterns.json"
#define PATTERN_FILE_MAX   ((size_t)8 * 1024 * 1024)
#define PATTERN_ENTRY_MAX  ((size_t)32 * 1024)      /* bytes of one entry */
#define PATTERNS_MAX       257                      /* every experience of a body, and Desktop */

struct pattern { const char *name, *entry; };       /* entry: JSON, compact */
struct patterns { struct hc_arena arena; struct pattern rows[PATTERNS_MAX]; size_t count; };

/* A missing file is none. HC_ERR_SYNTAX, HC_ERR_SCHEMA, HC_ERR_IO, HC_ERR_NOMEM: none either, and diag says why. */
HC_MUST enum hc_err patterns_load(int dir_fd, struct patterns *ret, struct hc_diag *diag);
void patterns_free(struct patterns *patterns);

/* What the host lists now. Plain entries are learned; one that was listed before (`before`) and is not now was removed by its operator,
 * unless `own` says that this agent has changed entries since. *ret_changed: save and report it. What has no place or is too large is left
 * out: *ret_left_out (NULL when there is none) names one. HC_ERR_NOMEM: nothing changed. */
struct pattern_news { const struct sunshine_app *apps; size_t count; const char *const *before; size_t before_count; bool own; };
HC_MUST enum hc_err patterns_learn(struct patterns *patterns, const struct pattern_news *news, bool *ret_changed,
                                   const char **ret_left_out);
/* HC_ERR_IO, HC_ERR_NOMEM with diag: what is kept in memory is not on the disk, so nothing may be taken away from the host. */
HC_MUST enum hc_err patterns_save(int dir_fd, const struct patterns *patterns, struct hc_diag *diag);
const char *pattern_of(const struct patterns *patterns, const char *name);      /* the entry; NULL: none */

#endif
