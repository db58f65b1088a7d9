#include "state_tables.h"

static const struct journal_field head_rows[] = {
    J_ROW(struct segment_head, format, J_U32), J_ROW(struct segment_head, number, J_U64), J_ROW(struct segment_head, at, J_TIME),
    J_CHARS_ROW(struct segment_head, version), J_CHARS_ROW(struct segment_head, nonce), J_CHARS_ROW(struct segment_head, check),
};
const struct journal_table segment_head_table = J_TABLE("segment", head_rows, struct segment_head);

static const struct journal_field state_rows[] = {
    J_ROW(struct state_line, generation, J_U64), J_ROW(struct state_line, nodes_generation, J_U64),
    J_ROW(struct state_line, queue_max_tickets, J_U32), J_CHARS_ROW(struct state_line, default_district),
};
const struct journal_table state_line_table = J_TABLE("state", state_rows, struct state_line);

static const struct journal_field caller_rows[] = {
    J_WORD_ROW(struct caller, kind, caller_words), J_CHARS_ROW(struct caller, node_id),
};
const struct journal_table caller_table = J_TABLE("by", caller_rows, struct caller);
