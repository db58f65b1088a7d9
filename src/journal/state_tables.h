/* state_tables.h - the few lines of a segment that are not records or events, as tables. */
#ifndef JOURNAL_STATE_TABLES_H
#define JOURNAL_STATE_TABLES_H

#include "line.h"

struct state_line { uint64_t generation, nodes_generation; uint32_t queue_max_tickets; char default_district[HC_NAME_SIZE]; };
extern const struct journal_table segment_head_table, state_line_table, caller_table;

#endif
