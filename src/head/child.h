/* child.h - the streaming program as a child: a process group of its own, what it says as lines, ended with SIGTERM and then SIGKILL. It
 * dies with us. One thread. */
#ifndef HEAD_CHILD_H
#define HEAD_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "hydra/base/err.h"

#define CHILD_LINE_MAX 1024            /* a longer line is told in pieces */

struct child {
    pid_t pid;                          /* 0: none */
    int life_fd, out_fd;                /* to wait on: it has ended; it says something. -1: none */
    char line[CHILD_LINE_MAX + 1];
    size_t line_len;
    int64_t started_ms, kill_at_ms;     /* kill_at_ms INT64_MAX: it was not told to end */
};
#define CHILD_NONE { .life_fd = -1, .out_fd = -1, .kill_at_ms = INT64_MAX }

typedef void child_line_fn(void *ctx, const char *line);

/* argv[0] is the program's path. HC_ERR_IO with the reason when it cannot be run; then there is no child. */
HC_MUST enum hc_err child_start(struct child *child, char *const *argv, int64_t now_ms, struct hc_diag *diag);
/* What it has said since, line by line; bytes that are no text come as '?'. */
void child_read(struct child *child, child_line_fn *line, void *ctx);
/* SIGTERM to the group; SIGKILL follows at child_due() in child_turn(). A second call changes nothing. */
void child_end(struct child *child, int64_t now_ms, int64_t grace_ms);
int64_t child_due(const struct child *child);
void child_turn(struct child *child, int64_t now_ms);
/* True once, when it has ended: *ret_clean is exit code 0, or the end by our own SIGTERM; `ret_why` is for people. What is left of its
 * group is killed, its last lines are read. */
bool child_over(struct child *child, child_line_fn *line, void *ctx, bool *ret_clean, struct hc_diag *ret_why);
/* SIGKILL and gone. */
void child_kill(struct child *child);

#endif
