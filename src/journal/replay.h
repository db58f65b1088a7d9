/* replay.h - the state of a replay under way. */
#ifndef JOURNAL_REPLAY_H
#define JOURNAL_REPLAY_H

#include <stdio.h>

#include "hydra/journal/replay.h"
#include "line.h"

/* Lines of one segment. */
struct segment_in {
    FILE *file; char *line; size_t size, len;
    uint64_t number;                   /* of the line, from 1 */
    char path[REPLAY_PATH_SIZE];
};
enum line_got { LINE_END, LINE_WHOLE, LINE_TORN, LINE_FAILED };
HC_MUST enum hc_err segment_open(struct segment_in *in, const char *path, struct hc_diag *diag);
enum line_got segment_line(struct segment_in *in);
void segment_close(struct segment_in *in);

struct replay {
    const struct replay_config *config;
    struct replay_report *report;
    struct hc_diag *diag;
    struct core_config core;
    struct alloc *live; struct observed *obs;
    struct seal seal; uint64_t sum;
    struct segment_in in;
    uint64_t expected;                 /* number of the next event */
    bool cut;                          /* the state that the segment begins with is not whole */
    bool altered;                      /* the checksum of the line under way does not fit */
};

/* ---- replay_state.c ---- */
/* Head, state and records: what a segment begins with. */
HC_MUST enum hc_err replay_begin(struct replay *r);
/* Compares the records of one kind and says the first that differs. */
bool records_differ(const struct alloc *journal, const struct alloc *file, bool allocation, bool nodes, uint64_t *ret_same,
                    uint64_t *ret_other, char what[REPLAY_WHAT_SIZE]);
/* ---- replay_event.c ---- */
HC_MUST enum hc_err replay_event(struct replay *r, size_t len);
void replay_differs(struct replay *r, uint64_t event, const char *type, const char *format, ...) HC_PRINTF(4, 5);
/* The line under way, in the message of a refusal. */
enum hc_err replay_refuse(struct replay *r, enum hc_err err);

#endif
