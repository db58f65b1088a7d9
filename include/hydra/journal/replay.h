/* replay.h - the events of a journal, decided again: are the decisions the same? */
#ifndef HYDRA_JOURNAL_REPLAY_H
#define HYDRA_JOURNAL_REPLAY_H

#include "hydra/journal/journal.h"

#define REPLAY_PATH_SIZE 512
#define REPLAY_WHAT_SIZE 600

struct replay_config {
    const char *path;                 /* a segment, or a folder of them: all, in order */
    const uint8_t *secret;            /* the server's, 32 bytes */
    /* What allocation.yaml, and nodes.yaml, said when the journal began; NULL: not given. Of the generation that the first segment begins
     * with, their records are checked against the segment's own and taken in their place. */
    const struct alloc *store; bool has_nodes;
    void (*progress)(void *ctx, const char *segment, uint64_t events); void *ctx;      /* every REPLAY_PROGRESS_EVERY events; NULL: none */
};
#define REPLAY_PROGRESS_EVERY 20000

enum replay_verdict { REPLAY_SAME, REPLAY_DIFFERS };
struct replay_report {
    enum replay_verdict verdict;
    uint64_t segments, events, records;
    bool torn;                        /* the last line of the last segment is cut off: the daemon died while it wrote it */
    bool store_used;                  /* its generation was the journal's first */
    uint64_t store_generation, first_generation, last_generation;
    /* The first difference. */
    char file[REPLAY_PATH_SIZE]; uint64_t line, event; char type[WORD_SIZE], what[REPLAY_WHAT_SIZE];
    /* Of a store that is of a later generation: how many of its records are as the last event left them. */
    uint64_t store_same, store_other;
};
/* HC_OK: `ret` says what came of it. HC_ERR_SYNTAX, HC_ERR_SCHEMA, HC_ERR_CONFIG (another secret), HC_ERR_NOTFOUND, HC_ERR_IO ...: the
 * journal is refused, diag names file and line. */
HC_MUST enum hc_err journal_replay(const struct replay_config *config, struct replay_report *ret, struct hc_diag *diag);

#endif
