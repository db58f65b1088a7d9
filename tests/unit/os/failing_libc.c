#include "failing_libc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct { unsigned countdown, count; int errnum; } calls[LIBC_CALLS];
static unsigned long write_most;

void libc_fail(enum libc_call call, unsigned n, int errnum)
{
    calls[call].countdown = n;
    calls[call].errnum = errnum;
}

void libc_reset(void)
{
    for (int i = 0; i < LIBC_CALLS; i++)
        calls[i].countdown = calls[i].count = 0;
    write_most = 0;
}

unsigned libc_count(enum libc_call call)
{
    return calls[call].count;
}

void libc_write_at_most(unsigned long bytes)
{
    write_most = bytes;
}

static bool fails(enum libc_call call)
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
    return fails(LIBC_OPENAT) ? -1 : (int)syscall(SYS_openat, dir_fd, name, flags, mode);
}

ssize_t write(int fd, const void *bytes, size_t len)
{
    if (fails(LIBC_WRITE))
        return -1;
    return syscall(SYS_write, fd, bytes, write_most != 0 && len > write_most ? write_most : len);
}

int fsync(int fd)
{
    return fails(LIBC_FSYNC) ? -1 : (int)syscall(SYS_fsync, fd);
}

int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
    return fails(LIBC_RENAMEAT) ? -1 : (int)syscall(SYS_renameat2, from_dir, from, to_dir, to, 0);
}
