/* decision.c - what came out of a step, as the few facts that a line tells and the numbers that stand for the rest. */
#include "line.h"

void decision_of(const struct core_result *result, size_t notes, size_t changed, struct decision *ret)
{
    *ret = (struct decision){
        .answer = result->answer, .deny = result->deny, .wait = result->wait, .retry_after_ms = result->retry_after_ms,
        .lease_state = result->lease.state, .lease_why = result->lease.why, .epoch = result->epoch, .slot = result->slot,
        .position = result->ticket.position, .rows = result->row_count, .notes = notes, .changed = changed,
    };
    HC_SET(ret->lease_id, result->lease.id);
    HC_SET(ret->body_id, result->body.id);
    HC_SET(ret->ticket_id, result->ticket.id);
    HC_SET(ret->id, result->id);
    HC_SET(ret->field, result->field);
}

struct journal_notes journal_notes_of(const struct core_note *notes, size_t count)
{
    struct journal_notes all = { .count = count, .digest = DIGEST_START };
    for (size_t i = 0; i < count; i++) {
        all.digest = table_digest(all.digest, &note_table, &notes[i]);
        if (i < JOURNAL_NOTES_SHOWN)
            all.shown[i] = notes[i].type;
    }
    return all;
}

uint64_t decision_digest(const struct core_result *result, const struct journal_notes *notes)
{
    return digest_number(table_digest(DIGEST_START, &result_table, result), notes->digest);
}

uint64_t record_digest(const struct rec *rec)
{
    const struct journal_table *table = rec == NULL ? NULL : record_rows[rec->kind].table;
    return table == NULL ? 0 : table_digest(DIGEST_START, table, rec);
}
