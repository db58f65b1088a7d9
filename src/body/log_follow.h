/* log_follow.h - follows the host's log file while it is written, moved away, cut, removed and made anew (rules §13.3).
 *
 * The host begins a new file at each start, so the file holds what this run of the host has said. What stands in it when it is first opened
 * is read too, at most LOG_FOLLOW_PAST_MAX bytes from its end: an agent that starts beside a running stream learns how many view it. Never
 * blocks longer than a read of a file; one thread at a time. */
#ifndef BODY_LOG_FOLLOW_H
#define BODY_LOG_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hydra/base/err.h"

#define LOG_FOLLOW_LINE_MAX   4096                      /* bytes of a line; a longer one is skipped whole */
#define LOG_FOLLOW_PAST_MAX   ((int64_t)1024 * 1024)
#define LOG_FOLLOW_POLL_MAX   ((size_t)256 * 1024)      /* bytes read by one poll; the rest by the next */

struct log_follow {                     /* begin with log_follow_open(); fields are log_follow.c's */
    char *path;
    int fd;                             /* -1: none is open */
    uint64_t device, inode;
    int64_t at;
    char line[LOG_FOLLOW_LINE_MAX]; size_t len;
    bool skipping, opened_once;
};
struct log_polled {
    bool readable;                      /* the file is there and is being read; false: what viewers do is not known */
    bool restarted;                     /* another file stands there, or it was cut: counts from before say nothing any more */
    bool more;                          /* LOG_FOLLOW_POLL_MAX was reached: poll again at once */
};
/* `path` is copied. A missing file is no error: it may appear. HC_ERR_NOMEM. */
HC_MUST enum hc_err log_follow_open(struct log_follow *follow, const char *path);
void log_follow_close(struct log_follow *follow);       /* accepts one that is all zero or closed */
/* Calls `each` for every whole line since the last poll, without its line end (LF or CRLF), any bytes. When `restarted` is true, the lines
 * of the new file come with the next poll: the caller has forgotten the old counts by then. */
struct log_polled log_follow_poll(struct log_follow *follow, void (*each)(void *ctx, const char *line, size_t len), void *ctx);

#endif
