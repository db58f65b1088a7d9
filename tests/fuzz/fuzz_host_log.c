/* fuzz_host_log.c - sunshine.log, followed while it is written: whatever stands in it, the lines come whole and once, an event holds what
 * its kind may hold, and no log makes a slot's sessions anything but a known state. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../src/body/log_follow.h"
#include "../../src/body/sessions.h"
#include "fuzz_target.h"

#define PATH_SIZE 64
#define STEP_MS   1000

struct seen { struct sessions sessions; size_t lines; int64_t now_ms; };

static void check_view(const struct seen *seen)
{
    struct sessions_view view;
    sessions_look(&seen->sessions, seen->now_ms, &view);
    bool whole = view.row_count >= 1 && view.row_count <= SESSIONS_ROWS_MAX && !(view.host_idle && view.app_runs);
    for (size_t i = 0; whole && i < view.row_count; i++)
        whole = view.rows[i].state <= SLOT_FAILED;
    if (!whole)
        abort();
}

static void on_line(void *ctx, const char *line, size_t len)
{
    struct seen *seen = ctx;
    struct log_event event;
    seen->lines++;
    if (len > LOG_FOLLOW_LINE_MAX || memchr(line, '\n', len) != NULL)
        abort();
    if (!log_line_read(line, len, &event))
        return;
    if (event.kind >= LOG_KINDS || event.level > LOG_FATAL || event.number > LOG_COUNT_MAX || event.number < -LOG_COUNT_MAX ||
        (event.kind == LOG_SESSION_STARTED && event.number < 1))
        abort();
    (void)log_kind_word(event.kind);
    (void)sessions_log(&seen->sessions, &event, seen->now_ms);
    check_view(seen);
    seen->now_ms += STEP_MS;
}

/* Lines that the follower must tell: whole ones that are not too long. */
static size_t lines_in(const uint8_t *data, size_t size)
{
    size_t lines = 0, from = 0;
    for (size_t i = 0; i < size; i++)
        if (data[i] == '\n') {
            lines += i - from <= LOG_FOLLOW_LINE_MAX;
            from = i + 1;
        }
    return lines;
}

static void append(int fd, const uint8_t *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = write(fd, data + done, size - done);
        if (n <= 0)
            abort();
        done += (size_t)n;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct log_follow follow;
    struct seen seen = { .now_ms = STEP_MS };
    char path[PATH_SIZE];
    int fd = memfd_create("sunshine.log", MFD_CLOEXEC);
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (fd < 0 || log_follow_open(&follow, path) != HC_OK)
        abort();
    (void)log_follow_poll(&follow, on_line, &seen);
    for (size_t part = 0; part < 2; part++) {           /* the host is read in the middle of a line */
        append(fd, data + part * (size / 2), part == 0 ? size / 2 : size - size / 2);
        while (log_follow_poll(&follow, on_line, &seen).more)
            continue;
    }
    if (seen.lines != lines_in(data, size))
        abort();                                        /* a line was lost, cut in two, or told twice */
    log_follow_close(&follow);
    (void)close(fd);
    return 0;
}
