/* view.h - how an answer looks to a person: sections of columns, as data, and what draws them.
 *
 * A column says where in a row its value lies and what kind of value that is. `wide` shows all columns of a view at their whole width;
 * `table` leaves out those that are marked, and on a terminal narrows the widest until a line fits: what is cut ends in "…" and is told
 * below. */
#ifndef CTL_VIEW_H
#define CTL_VIEW_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "hydra/base/buf.h"

enum column_kind {
    COLUMN_TEXT,        /* a text, number or boolean as it is; null is "-" */
    COLUMN_STATE,       /* a text with a colour (state_colour.c) */
    COLUMN_SECONDS,     /* a duration: "3m 20s" */
    COLUMN_LIST,        /* texts, joined by commas */
    COLUMN_FAULTS,      /* the same, as what is wrong: in red */
    COLUMN_COUNT,       /* how many items or members there are */
    COLUMN_NODES,       /* of rows with name and reason: "b1 (stale_report), ..." */
    COLUMN_SLOT,        /* the whole row: what the slot is, in one word (slot_word.h) */
    COLUMN_KINDS
};
struct column { const char *title, *path; enum column_kind kind; bool wide; };
/* `path` leads to an array: one line an item; or to an object: one line a member that is neither object nor list of objects. columns NULL:
 * the object's. `empty`: what stands there instead of an empty table. A title ends up above it. */
struct section { const char *title, *path, *empty; const struct column *columns; size_t count; };
struct view { const struct section *sections; size_t count; };

struct look { bool wide, colour; size_t width /* of the terminal; 0: as wide as it must be */; };

/* Appends all sections; true: something had to be cut. */
bool view_write(const struct view *view, const json_t *answer, const struct look *look, struct hc_buf *out);
/* One table; at most `lines_max` rows (0: all), then a line that says how many are left out. */
bool table_write(const struct section *section, const json_t *rows, const struct look *look, size_t lines_max, struct hc_buf *out);
/* "3d 4h", "3m 20s", "8s"; negative: "-" */
void add_seconds(json_int_t seconds, struct hc_buf *out);

extern const struct view slots_view, queue_view, allocation_view, conflicts_view, explain_view, explain_lease_view, streams_view,
    sessions_view,
    events_view, nodes_view, node_view, bodies_view, venues_view, venue_view, orgs_view, org_view, experiences_view, experience_view,
    district_view, migration_view, pairing_view, health_view, drain_view, lease_view, settings_view, operation_view, enrolled_view,
        identity_view,
    restore_view;
extern const struct section board_slots, board_queue;      /* of watch */

#endif
