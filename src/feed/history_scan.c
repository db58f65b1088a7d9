#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "history.h"
#include "hydra/os/file.h"
#include "session_line.h"
#include "session_parts.h"

/* One call reads and parses at most this much, for the loop thread waits; the page's cursor goes on from there. */
#define SCAN_BYTES  ((size_t)256 * 1024)
#define SCAN_PARSED 100

/* The last line of text[0..len), len > 0, which ends with a line end; *ret_len without it. */
static const char *last_line(const char *text, size_t len, size_t *ret_len)
{
    const char *before = len < 2 ? NULL : memrchr(text, '\n', len - 1);
    const char *line = before == NULL ? text : before + 1;
    *ret_len = (size_t)(text + len - line) - 1;
    return line;
}

static bool may_match(const char *line, size_t len, const char *wanted)
{
    return wanted == NULL || wanted[0] == '\0' || memmem(line, len, wanted, strlen(wanted)) != NULL;
}

/* Adds what is asked for; the offset in the text up to which lines are left. */
static size_t scan_text(const struct history *history, const char *text, size_t len, const struct history_filter *filter,
                        struct history_page *page)
{
    for (unsigned parsed = 0; len > 0 && page->count < filter->limit && parsed < SCAN_PARSED;) {
        size_t line_len;
        const char *line = last_line(text, len, &line_len);
        len = (size_t)(line - text);
        if (!may_match(line, line_len, filter->lease) || !may_match(line, line_len, filter->head) ||
            !may_match(line, line_len, filter->body))
            continue;
        parsed++;
        struct session_row *row = &page->rows[page->count];
        if (session_line_read(line, line_len, row) != HC_OK || !history_match(filter, row) ||
            history_find(history, row->lease_id) != HISTORY_NEW)
            continue;                         /* not ours, not asked for, or a repeat of one in memory */
        page->count++;
    }
    return len;
}

/* A part that was taken away ends the history: what is older than it is not looked for. */
enum hc_err history_scan(const struct history *history, int dir_fd, const struct history_filter *filter, int64_t upto,
                         struct history_page *page)
{
    uint32_t part = part_of(upto);
    int64_t end = part_offset(upto), offset;
    if (part == 0)
        return HC_OK;                         /* a cursor from outside: no part has this number */
    if (end == 0) {                           /* all of it was told: the whole part before it */
        end = part_bytes(dir_fd, --part);
        if (end <= 0)
            return HC_OK;
    }
    HC_CLEANUP(os_close) int fd = part_open(dir_fd, part, history->live);
    if (fd < 0)
        return HC_OK;
    char *text;
    size_t len;
    enum hc_err err = append_before(fd, end, SCAN_BYTES, &text, &len, &offset);
    if (err != HC_OK)
        return err == HC_ERR_IO ? HC_OK : err;      /* shorter than it was: as above */
    offset += (int64_t)scan_text(history, text == NULL ? "" : text, len, filter, page);
    hc_free(text);
    if (offset > 0 || part_bytes(dir_fd, part - 1) > 0)
        (void)snprintf(page->more, sizeof page->more, "@%" PRId64, part_place(part, offset));
    return HC_OK;
}
