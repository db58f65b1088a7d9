#include "hydra/os/service.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "fault.h"
#include "hydra/os/file.h"

enum hc_err os_signals(int *ret_fd, struct hc_diag *diag)
{
    sigset_t set;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGTERM);
    (void)sigaddset(&set, SIGINT);
    (void)sigaddset(&set, SIGHUP);
    errno = pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (errno != 0)
        return os_fail(diag, "block", "signals");
    /* A peer that hangs up is an error of one connection, not the end of the process. */
    if (signal(SIGPIPE, SIG_IGN) == SIG_ERR)
        return os_fail(diag, "ignore", "SIGPIPE");
    int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (fd < 0)
        return os_fail(diag, "receive", "signals");
    *ret_fd = fd;
    return HC_OK;
}

int os_signal_next(int fd)
{
    struct signalfd_siginfo info;
    ssize_t got;
    do
        got = read(fd, &info, sizeof info);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof info ? (int)info.ssi_signo : 0;
}

void os_notify(const char *state)
{
    (void)sd_notify(0, state);    /* without a manager, or with one that is gone, there is nobody to tell */
}

int64_t os_watchdog_ms(void)
{
    uint64_t usec = 0;
    return sd_watchdog_enabled(0, &usec) > 0 ? (int64_t)(usec / 1000 / 3) : 0;
}

enum hc_err os_descriptors_at_least(unsigned count, struct hc_diag *diag)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
        return os_fail(diag, "read", "the limit of open files");
    if (limit.rlim_cur >= count)
        return HC_OK;
    if (limit.rlim_max < count)
        return hc_fail(diag, HC_ERR_LIMIT,
                       "%u open files are needed, the hard limit is %llu: raise it (LimitNOFILE= of the unit, or ulimit -Hn) "
                       "or lower limits.connections", count, (unsigned long long)limit.rlim_max);
    limit.rlim_cur = count;
    if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
        return os_fail(diag, "raise", "the limit of open files");
    return HC_OK;
}

void os_no_core_dumps(void)
{
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    (void)setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
}

long os_resident_kib(void)
{
    static const char key[] = "VmRSS:";
    char text[4096];    /* the line stands within the first 1.5 KiB */
    HC_CLEANUP(os_close) int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (got <= 0)
        return 0;
    text[got] = '\0';
    const char *at = strstr(text, key);
    return at == NULL ? 0 : strtol(at + sizeof key - 1, NULL, 10);
}

void os_give_back_memory(void)
{
    (void)malloc_trim(0);
}
