/* line.h - the lines of a segment: its head, the state it begins with, events. Each ends with a checksum over itself and the line
 * before. */
#ifndef JOURNAL_LINE_H
#define JOURNAL_LINE_H

#include "hydra/journal/journal.h"
#include "tables.h"

#define LINE_BYTES_MAX   ((size_t)16 * 1024 * 1024)     /* of one line */
#define JOURNAL_FORMAT   1
#define CHANGES_SHOWN_MAX 16384                          /* records that one event names */
#define HEX64_SIZE       17

struct segment_head { uint32_t format; uint64_t number; hc_time at; char version[WORD_SIZE], nonce[2 * SEAL_NONCE_SIZE + 1],
    check[SEAL_CHECK_SIZE]; };
struct record_line { enum rec_kind kind; char key[REC_KEY_SIZE]; };
struct event_line {
    uint64_t n, generation; hc_time down;
    struct core_event ev;               /* what it points to is the arena's */
    struct decision decision;
    uint64_t digest;
    size_t change_count; struct { char name[REC_KEY_SIZE + 32]; uint64_t digest; } *changes;    /* arena */
};

uint64_t line_sum_start(const struct seal *seal);        /* of the first line */
/* Appends the checksum and the line end to what stands in `out` from `start`; moves *sum on. */
void line_finish(struct hc_buf *out, size_t start, uint64_t *sum);
/* Does the line (without its end) carry the right checksum? Moves *sum on to what the line says, and *len to before the checksum. False
 * with *ret_none: it has none. */
bool line_sum_ok(const char *line, size_t *len, uint64_t *sum, bool *ret_none);

void head_write(const struct segment_head *head, struct hc_buf *out);
HC_MUST enum hc_err head_read(const char *line, size_t len, struct segment_head *ret, struct hc_diag *diag);
/* Timers, limits and scalars of the state. */
void state_write(const struct alloc *saved, const struct observed *obs, struct hc_buf *out);
HC_MUST enum hc_err state_read(const char *line, size_t len, struct core_config *config, struct alloc *saved, struct observed *obs,
                               struct hc_diag *diag);
void state_record_write(const struct rec *rec, struct seal *seal, struct hc_buf *out);
/* A record of refs 1; *ret NULL with *ret_end: that was the end of the state, *ret_count records. */
HC_MUST enum hc_err state_record_read(const char *line, size_t len, struct seal *seal, struct rec **ret, bool *ret_end, uint64_t *ret_count,
                                struct hc_diag *diag);
void state_end_write(uint64_t records, struct hc_buf *out);

void decision_of(const struct core_result *result, size_t notes, size_t changed, struct decision *ret);
uint64_t decision_digest(const struct core_result *result, const struct journal_notes *notes);
uint64_t record_digest(const struct rec *rec);           /* NULL: removed */
/* An event of a type without a table: false, nothing is written. */
bool event_write(const struct journal_step *step, uint64_t n, struct seal *seal, struct hc_buf *out);
HC_MUST enum hc_err event_read(const char *line, size_t len, struct seal *seal, struct hc_arena *arena, struct event_line *ret,
                               struct hc_diag *diag);

#endif
