/* history.h - ended leases: the newest in memory, the rest in the files behind them. Loop thread only. */
#ifndef FEED_HISTORY_H
#define FEED_HISTORY_H

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "hydra/feed/feed.h"

#define HISTORY_ROWS 20000

struct history_facts { bool synced; int64_t end; UT_hash_handle hh; };      /* end: place where its line ends; 0 while unknown */
/* Rows are pushed in front (newest first): rows[first] is the newest, the index wraps. */
struct history {
    struct session_row *rows; struct history_facts *facts; size_t first, count;
    struct history_facts *by_id;
    int64_t floor;                   /* rows that are in a file but not in memory end at or before this place */
    uint32_t live;                   /* the part that sessions.jsonl is, or was a moment ago */
};
HC_MUST enum hc_err history_open(struct history *history);
void history_close(struct history *history);
enum history_known { HISTORY_NEW, HISTORY_UNSYNCED, HISTORY_SYNCED };
enum history_known history_find(const struct history *history, const char *lease_id);
/* In front of all others; the oldest goes when there are HISTORY_ROWS. The lease must be new. HC_ERR_NOMEM: nothing happened. */
HC_MUST enum hc_err history_push(struct history *history, const struct session_row *row, bool synced, int64_t end);
void history_unpush(struct history *history);      /* takes the newest back */
void history_synced(struct history *history, const char *lease_id, int64_t end);
size_t history_recent(const struct history *history, const struct session_row **ret_rows);

/* Newest first, from memory and then from the files. */
struct history_page { struct session_row *rows; size_t count; char more[HC_ID_SIZE]; };
bool history_match(const struct history_filter *filter, const struct session_row *row);
HC_MUST enum hc_err history_query(const struct history *history, int dir_fd, const struct history_filter *filter, struct hc_arena *arena,
                                  struct history_page *page);
/* history_scan.c: adds rows that end at or before the place `upto` to the page, up to the filter's limit and to a bounded amount of
 * reading in one part. */
HC_MUST enum hc_err history_scan(const struct history *history, int dir_fd, const struct history_filter *filter, int64_t upto,
                                 struct history_page *page);

#endif
