/* board.h - what `watch` shows: all slots and the queue on one screen, and the lines of what changed. Pure. */
#ifndef CTL_BOARD_H
#define CTL_BOARD_H

#include <jansson.h>

#include "view.h"

struct board {
    const char *server;
    const json_t *slots, *queue;        /* answers of /slots and /queue; NULL: none yet */
    int64_t lost_ms;                    /* 0: connected; else for how long what stands there may be untrue */
    const char *why;                    /* of the lost connection */
};
/* The rows in the order in which people look for a slot: by district, venue, body. A new reference; NULL: no memory. */
json_t *board_sorted(const json_t *slots);
/* At most `height` lines (0: all); what has no room is told. */
void board_write(const struct board *board, const struct look *look, size_t height, struct hc_buf *out);
/* Appends a line for each slot that is new, gone or different (state, head, divergence) since `before`, an object that this keeps: give
 * json_object() first. False: no memory. */
bool board_changes(const json_t *slots, json_t *before, struct hc_buf *out);

#endif
