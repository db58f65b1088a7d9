#include "history.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "session_parts.h"

#define PLACE_MARK '@'          /* of a cursor into the files; no id begins with it */

enum hc_err history_open(struct history *history)
{
    *history = (struct history){ 0 };
    history->rows = hc_alloc(HISTORY_ROWS * sizeof history->rows[0]);       /* pages come as they are used */
    history->facts = hc_alloc(HISTORY_ROWS * sizeof history->facts[0]);
    if (history->rows != NULL && history->facts != NULL)
        return HC_OK;
    history_close(history);
    return HC_ERR_NOMEM;
}

void history_close(struct history *history)
{
    HASH_CLEAR(hh, history->by_id);
    hc_free(history->rows);
    hc_free(history->facts);
    *history = (struct history){ 0 };
}

static struct history_facts *facts_of(const struct history *history, const char *lease_id)
{
    struct history_facts *facts;
    HASH_FIND_STR(history->by_id, lease_id, facts);
    return facts;
}

enum history_known history_find(const struct history *history, const char *lease_id)
{
    const struct history_facts *facts = facts_of(history, lease_id);
    return facts == NULL ? HISTORY_NEW : facts->synced ? HISTORY_SYNCED : HISTORY_UNSYNCED;
}

static void drop_oldest(struct history *history)
{
    struct history_facts *facts = &history->facts[(history->first + history->count - 1) % HISTORY_ROWS];
    if (facts->end > history->floor)
        history->floor = facts->end;
    HASH_DEL(history->by_id, facts);
    history->count--;
}

enum hc_err history_push(struct history *history, const struct session_row *row, bool synced, int64_t end)
{
    assert(history_find(history, row->lease_id) == HISTORY_NEW);
    if (history->count == HISTORY_ROWS)
        drop_oldest(history);
    size_t at = (history->first + HISTORY_ROWS - 1) % HISTORY_ROWS;
    struct history_facts *facts = &history->facts[at];
    history->rows[at] = *row;
    *facts = (struct history_facts){ .synced = synced, .end = end };
    HASH_ADD_KEYPTR(hh, history->by_id, history->rows[at].lease_id, strlen(history->rows[at].lease_id), facts);
    if (facts->hh.tbl == NULL)
        return HC_ERR_NOMEM;
    history->first = at;
    history->count++;
    return HC_OK;
}

void history_unpush(struct history *history)
{
    assert(history->count > 0);
    struct history_facts *facts = &history->facts[history->first];
    HASH_DEL(history->by_id, facts);
    history->first = (history->first + 1) % HISTORY_ROWS;
    history->count--;
}

void history_synced(struct history *history, const char *lease_id, int64_t end)
{
    struct history_facts *facts = facts_of(history, lease_id);
    if (facts == NULL)
        return;
    facts->synced = true;
    facts->end = end;
    history->live = part_of(end) > history->live ? part_of(end) : history->live;
}

size_t history_recent(const struct history *history, const struct session_row **ret_rows)
{
    *ret_rows = &history->rows[history->first];
    size_t before_wrap = HISTORY_ROWS - history->first;
    return history->count < before_wrap ? history->count : before_wrap;
}

static bool same_or_any(const char *wanted, const char *is)
{
    return wanted == NULL || wanted[0] == '\0' || hc_same(wanted, is);
}

bool history_match(const struct history_filter *filter, const struct session_row *row)
{
    return same_or_any(filter->lease, row->lease_id) && same_or_any(filter->head, row->head_id) &&
           same_or_any(filter->body, row->body_id) &&
           (same_or_any(filter->venue, row->head_venue) || same_or_any(filter->venue, row->body_venue)) &&
           !hc_time_before(row->ended_at, filter->since);
}

/* Where in memory a page begins: behind the row that the cursor names. A row that has left memory: only the files are left. */
static size_t start_of(const struct history *history, const char *cursor)
{
    if (cursor == NULL || cursor[0] == '\0')
        return 0;
    const struct history_facts *facts = facts_of(history, cursor);
    if (facts == NULL)
        return history->count;
    size_t at = (size_t)(facts - history->facts);
    return (at + HISTORY_ROWS - history->first) % HISTORY_ROWS + 1;
}

enum hc_err history_query(const struct history *history, int dir_fd, const struct history_filter *filter, struct hc_arena *arena,
                          struct history_page *page)
{
    *page = (struct history_page){ 0 };
    page->rows = hc_arena_array(arena, filter->limit + 1, sizeof page->rows[0]);
    if (page->rows == NULL)
        return HC_ERR_NOMEM;
    int64_t upto = history->floor;
    size_t i = start_of(history, filter->cursor);
    if (filter->cursor != NULL && filter->cursor[0] == PLACE_MARK) {
        upto = strtoll(filter->cursor + 1, NULL, 10);
        i = history->count;
        if (upto < 0 || upto > history->floor)
            upto = history->floor;            /* cursors come from outside: any number is a place to begin */
    }
    for (; i < history->count; i++) {
        const struct session_row *row = &history->rows[(history->first + i) % HISTORY_ROWS];
        if (!history_match(filter, row))
            continue;
        if (page->count == filter->limit) {
            if (page->count > 0)
                HC_SET(page->more, page->rows[page->count - 1].lease_id);
            return HC_OK;
        }
        page->rows[page->count++] = *row;
    }
    return upto <= 0 ? HC_OK : history_scan(history, dir_fd, filter, upto, page);
}
