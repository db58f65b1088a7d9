#include "log_follow.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hydra/base/arena.h"
#include "hydra/os/file.h"

#define READ_MAX ((size_t)16 * 1024)

enum hc_err log_follow_open(struct log_follow *follow, const char *path)
{
    *follow = (struct log_follow){ .fd = -1 };
    size_t size = strlen(path) + 1;
    follow->path = hc_alloc(size);
    if (follow->path == NULL)
        return HC_ERR_NOMEM;
    memcpy(follow->path, path, size);
    return HC_OK;
}

static void leave_file(struct log_follow *follow)
{
    os_close(&follow->fd);
    follow->len = 0;
    follow->skipping = false;
    follow->at = 0;
}

void log_follow_close(struct log_follow *follow)
{
    if (follow->path == NULL)
        return;
    leave_file(follow);
    hc_free(follow->path);
    follow->path = NULL;
}

static bool is_same(const struct log_follow *follow, const struct stat *st)
{
    return follow->device == (uint64_t)st->st_dev && follow->inode == (uint64_t)st->st_ino;
}

/* Opens what stands at the path now; false: nothing that can be followed. O_NONBLOCK: it may be a pipe, and opening one waits. */
static bool enter_file(struct log_follow *follow)
{
    struct stat st;
    int fd = open(follow->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)))
        os_close(&fd);
    if (fd < 0)
        return false;
    leave_file(follow);
    follow->fd = fd;
    follow->device = (uint64_t)st.st_dev;
    follow->inode = (uint64_t)st.st_ino;
    if (st.st_size > LOG_FOLLOW_PAST_MAX) {
        follow->at = (int64_t)st.st_size - LOG_FOLLOW_PAST_MAX;
        follow->skipping = true;                        /* it begins somewhere in a line */
    }
    return true;
}

struct sink { void (*each)(void *ctx, const char *line, size_t len); void *ctx; };

static void end_line(struct log_follow *follow, const struct sink *sink)
{
    size_t len = follow->len;
    if (len > 0 && follow->line[len - 1] == '\r')
        len--;
    if (!follow->skipping)
        sink->each(sink->ctx, follow->line, len);
    follow->len = 0;
    follow->skipping = false;
}

static void take(struct log_follow *follow, const char *bytes, size_t len, const struct sink *sink)
{
    while (len > 0) {
        const char *end = memchr(bytes, '\n', len);
        size_t part = end == NULL ? len : (size_t)(end - bytes);
        if (follow->len + part > sizeof follow->line)
            follow->skipping = true;
        if (!follow->skipping) {
            memcpy(follow->line + follow->len, bytes, part);
            follow->len += part;
        }
        if (end == NULL)
            return;
        end_line(follow, sink);
        bytes += part + 1;
        len -= part + 1;
    }
}

/* Up to the file's end or `most` bytes; returns how many were read. */
static size_t read_on(struct log_follow *follow, size_t most, const struct sink *sink)
{
    char bytes[READ_MAX];
    size_t total = 0;
    while (total < most) {
        ssize_t got = pread(follow->fd, bytes, sizeof bytes, (off_t)follow->at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        follow->at += got;
        total += (size_t)got;
        take(follow, bytes, (size_t)got, sink);
    }
    return total;
}

/* Is what we read still what stands at the path? A file that was moved away is read to its end first: its last lines count. */
enum standing { STANDS, CUT, REPLACED, GONE };
static enum standing standing_of(const struct log_follow *follow)
{
    struct stat st;
    if (stat(follow->path, &st) < 0)
        return GONE;
    if (!is_same(follow, &st))
        return REPLACED;
    return (int64_t)st.st_size < follow->at ? CUT : STANDS;
}

struct log_polled log_follow_poll(struct log_follow *follow, void (*each)(void *ctx, const char *line, size_t len), void *ctx)
{
    const struct sink sink = { each, ctx };
    struct log_polled polled = { 0 };
    if (follow->fd < 0) {
        if (!enter_file(follow))
            return polled;
        polled.restarted = follow->opened_once;
        follow->opened_once = true;
        polled.readable = true;
        polled.more = true;
        if (polled.restarted)
            return polled;
    }
    enum standing standing = standing_of(follow);
    if (standing == CUT) {
        follow->at = 0;
        follow->len = 0;
        follow->skipping = false;
        return (struct log_polled){ .readable = true, .restarted = true, .more = true };
    }
    polled.more = read_on(follow, LOG_FOLLOW_POLL_MAX, &sink) >= LOG_FOLLOW_POLL_MAX;
    polled.readable = true;
    if (standing == STANDS || polled.more)
        return polled;
    /* The old file is read to its end. Without a new one nobody writes for us to see. */
    if (standing == REPLACED && enter_file(follow))
        return (struct log_polled){ .readable = true, .restarted = true, .more = true };
    leave_file(follow);
    return (struct log_polled){ 0 };
}
