#include "failing_disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct { unsigned countdown, count; int errnum; } calls[DISK_CALLS];
static void (*after_rename)(void *);
static void *after_ctx;

void disk_fail(enum disk_call call, unsigned n, int errnum)
{
    calls[call].countdown = n;
    calls[call].errnum = errnum;
}

void disk_heal(void)
{
    for (int i = 0; i < DISK_CALLS; i++)
        calls[i].countdown = calls[i].count = 0;
    after_rename = NULL;
}

unsigned disk_count(enum disk_call call)
{
    return calls[call].count;
}

void disk_after_rename(void (*then)(void *), void *ctx)
{
    after_rename = then;
    after_ctx = ctx;
}

static bool fails(enum disk_call call)
{
    calls[call].count++;
    if (calls[call].countdown == 0 || --calls[call].countdown != 0)
        return false;
    errno = calls[call].errnum;
    return true;
}

int openat(int dir_fd, const char *name, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    mode_t mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
    va_end(args);
    return (flags & O_EXCL) != 0 && fails(DISK_CREATE) ? -1 : (int)syscall(SYS_openat, dir_fd, name, flags, mode);
}

ssize_t write(int fd, const void *bytes, size_t len)
{
    struct stat st;
    bool file = fd > STDERR_FILENO && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    return file && fails(DISK_WRITE) ? -1 : syscall(SYS_write, fd, bytes, len);
}

int fsync(int fd)
{
    struct stat st;
    bool folder = fstat(fd, &st) == 0 && S_ISDIR(st.st_mode);
    return fails(folder ? DISK_SYNC_FOLDER : DISK_SYNC_FILE) ? -1 : (int)syscall(SYS_fsync, fd);
}

int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
    if (fails(DISK_RENAME))
        return -1;
    int got = (int)syscall(SYS_renameat2, from_dir, from, to_dir, to, 0);
    void (*then)(void *) = after_rename;
    after_rename = NULL;
    if (then != NULL)
        then(after_ctx);
    return got;
}
