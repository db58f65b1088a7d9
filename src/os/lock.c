#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fault.h"
#include "hydra/os/clock.h"
#include "hydra/os/file.h"

#define OPEN_TRIES    8                  /* somebody may remove the file between our open and our flock */
#define WAIT_STEP_MS  5
#define PID_TEXT_SIZE 24

static pid_t read_pid(int fd)
{
    char text[PID_TEXT_SIZE] = "";
    ssize_t got = pread(fd, text, sizeof text - 1, 0);
    if (got <= 0)
        return 0;
    text[got] = '\0';
    char *end;
    errno = 0;
    long pid = strtol(text, &end, 10);
    return errno == 0 && end != text && *end == '\n' && pid > 0 && pid <= INT_MAX ? (pid_t)pid : 0;
}

/* The PID is for people; the lock is what counts. So a full disk does not stop us here. */
static void write_pid(int fd)
{
    char text[PID_TEXT_SIZE];
    int len = snprintf(text, sizeof text, "%ld\n", (long)getpid());
    if (ftruncate(fd, 0) == 0 && pwrite(fd, text, (size_t)len, 0) != len)
        (void)!ftruncate(fd, 0);         /* half a number would name a stranger */
}

static bool still_named(int dir_fd, const char *name, int fd)
{
    struct stat ours, named;
    return fstat(fd, &ours) == 0 && fstatat(dir_fd, name, &named, 0) == 0 && ours.st_ino == named.st_ino && ours.st_dev == named.st_dev;
}

enum hc_err os_lock_take(int dir_fd, const char *name, int *ret_fd, pid_t *ret_pid, struct hc_diag *diag)
{
    for (int i = 0; i < OPEN_TRIES; i++) {
        HC_CLEANUP(os_close) int fd = openat(dir_fd, name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (fd < 0)
            return os_fail(diag, "open the lock file", name);
        if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
            if (errno != EWOULDBLOCK)
                return os_fail(diag, "lock", name);
            pid_t pid = read_pid(fd);
            if (ret_pid != NULL)
                *ret_pid = pid;
            return pid == 0 ? hc_fail(diag, HC_ERR_LOCKED, "%s is locked by another process", name)
                            : hc_fail(diag, HC_ERR_LOCKED, "%s is locked by process %ld", name, (long)pid);
        }
        if (!still_named(dir_fd, name, fd))
            continue;                    /* a lock on a removed file locks out nobody */
        write_pid(fd);
        *ret_fd = fd;
        fd = -1;
        return HC_OK;
    }
    return hc_fail(diag, HC_ERR_IO, "cannot lock %s: it is removed again and again", name);
}

enum hc_err os_lock_wait(int dir_fd, const char *name, int64_t wait_ms, int *ret_fd, struct hc_diag *diag)
{
    int64_t deadline_ms = os_monotonic_ms() + wait_ms;
    for (;;) {                           /* ends at deadline_ms */
        enum hc_err err = os_lock_take(dir_fd, name, ret_fd, NULL, diag);
        if (err != HC_ERR_LOCKED || os_monotonic_ms() >= deadline_ms)
            return err;
        /* flock() itself cannot be told to give up, so we ask again in short steps. */
        os_pause_ms(WAIT_STEP_MS);
    }
}
