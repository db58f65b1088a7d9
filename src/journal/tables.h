/* tables.h - the tables of everything that a journal holds: records, what is observed, events, what was decided. */
#ifndef JOURNAL_TABLES_H
#define JOURNAL_TABLES_H

#include "field.h"
#include "hydra/core/step.h"

/* ---- bare_tables.c: elements that are one value ---- */
extern const struct journal_table id_element, time_element, u64_element, i64_element;
extern const struct journal_table opt_u32_table, opt_i32_table, opt_bool_table;

/* ---- saved_tables.c, observed_tables.c ---- */
extern const struct journal_table whole_lease_table, stream_block_table, ports_table, session_table, client_table;
extern const struct journal_table body_rec_table, stream_rec_table, ticket_rec_table, district_rec_table, cap_rec_table, demotion_rec_table,
    attempts_rec_table, node_rec_table, venue_rec_table, op_rec_table, identity_rec_table, org_rec_table, experience_rec_table;
extern const struct journal_table body_obs_table, node_obs_table, clock_obs_table, pool_obs_table, op_obs_table, observed_table;
/* By kind; the bytes behind struct rec. NULL: nobody wrote one yet. */
struct record_row { const char *name; const struct journal_table *table; };
extern const struct record_row record_rows[REC_KINDS];
int record_kind_find(const char *name);                       /* -1: none */

/* ---- event_tables.c: by type; the table describes the member of `u` at `offset`. NULL: nobody wrote one yet. ---- */
struct event_row { const struct journal_table *table; size_t offset; };
extern const struct event_row event_rows[CORE_EVENT_TYPES];
int event_type_find(const char *name);                        /* -1: none */
extern const struct hc_words caller_words;

/* ---- result_tables.c ---- */
extern const struct journal_table result_table;               /* all that the answer is made of: for the digest */
extern const struct journal_table note_table;
/* What a line says of the decision in clear. */
struct decision {
    enum core_answer answer; enum deny_reason deny; enum wait_why wait; int64_t retry_after_ms;
    char lease_id[HC_ID_SIZE]; enum lease_state lease_state; enum lease_why lease_why; uint64_t epoch; uint32_t slot;
    char body_id[HC_ID_SIZE], ticket_id[HC_ID_SIZE]; uint32_t position;
    char id[HC_ID_SIZE], field[WORD_SIZE];
    uint64_t rows, notes, changed;
};
extern const struct journal_table decision_table;

#endif
