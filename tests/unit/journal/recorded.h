/* recorded.h - a small fleet whose every event goes through core_step() and into a journal, in a temporary folder. */
#ifndef TEST_JOURNAL_RECORDED_H
#define TEST_JOURNAL_RECORDED_H

#include "hydra/journal/replay.h"

#define RECORDED_CHANGES 64

struct recorded {
    char dir[64], journal_dir[80];
    struct core_config core;
    struct alloc *alloc; struct observed *obs;
    struct journal *journal;
    hc_time now; uint64_t events;
    struct core_result last;
    size_t released;                      /* states that came back from the journal's thread */
    char body[HC_ID_SIZE], head[3][HC_ID_SIZE];
    char lease_id[HC_ID_SIZE], claim_token[CLAIM_TOKEN_SIZE]; unsigned attempt, head_at;
};

/* An open journal with segments of that size, and an empty state after CORE_START. */
void recorded_open(struct recorded *r, size_t segment_bytes, size_t keep_bytes);
void recorded_close(struct recorded *r);                                /* everything, the folder too */
struct core_result *recorded_step(struct recorded *r, struct core_event *ev);      /* asserts HC_OK */
void recorded_fleet(struct recorded *r);                                /* a body that reports, three heads */
void recorded_life(struct recorded *r, unsigned rounds);                /* claims, queues, renewals, releases, reports, ticks */
void recorded_stop(struct recorded *r);                                 /* what waits is on the disk; frees the state */
/* The folder replayed; asserts that it is not refused. */
struct replay_report recorded_replay(struct recorded *r);
enum hc_err recorded_replay_with(struct recorded *r, const struct replay_config *config, struct replay_report *ret, struct hc_diag *diag);
void segment_path(const struct recorded *r, uint64_t number, char *out, size_t size);
char *segment_text(const struct recorded *r, uint64_t number, size_t *ret_len);     /* malloc */
void segment_put(const struct recorded *r, uint64_t number, const char *text, size_t len);
size_t segment_count(const struct recorded *r, uint64_t *ret_first, uint64_t *ret_bytes);

#endif
