#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "append_file.h"
#include "history.h"
#include "hydra/os/file.h"
#include "session_line.h"

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

static void go_on_from(struct history_page *page, int64_t upto)
{
    if (upto > 0)
        (void)snprintf(page->more, sizeof page->more, "@%" PRId64, upto);
}

static void scan_text(const struct history *history, const char *text, size_t len, int64_t offset, const struct history_filter *filter,
                      struct history_page *page)
{
    unsigned parsed = 0;
    while (len > 0) {
        if (page->count == filter->limit || parsed == SCAN_PARSED) {
            go_on_from(page, offset + (int64_t)len);
            return;
        }
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
    go_on_from(page, offset);
}

enum hc_err history_scan(const struct history *history, int dir_fd, const char *name, const struct history_filter *filter, int64_t upto,
                         struct history_page *page)
{
    HC_CLEANUP(os_close) int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return HC_OK;                         /* the operator moved it away: what is in memory is all there is */
    char *text;
    size_t len;
    int64_t offset;
    enum hc_err err = append_before(fd, upto, SCAN_BYTES, &text, &len, &offset);
    if (err != HC_OK)
        return err == HC_ERR_IO ? HC_OK : err;      /* shorter than it was: as above */
    scan_text(history, text == NULL ? "" : text, len, offset, filter, page);
    hc_free(text);
    return HC_OK;
}
