#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hydra/os/file.h"

#define EXIT_NOT_RUN 127

/* Between fork and exec: calls that are safe there only. What goes wrong is told through `error_fd`, which a good exec closes. */
_Noreturn static void become(char *const *argv, int out_fd, int error_fd, pid_t parent)
{
    static const int usual[] = { SIGPIPE, SIGHUP };
    sigset_t none;
    (void)sigemptyset(&none);
    (void)setpgid(0, 0);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++)
        (void)signal(usual[i], SIG_DFL);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    if (getppid() == parent && dup2(out_fd, STDOUT_FILENO) >= 0 && dup2(out_fd, STDERR_FILENO) >= 0)
        (void)execv(argv[0], argv);
    int error = errno;
    ssize_t n = write(error_fd, &error, sizeof error);
    (void)n;
    _exit(EXIT_NOT_RUN);
}

/* 0: it runs. */
static int wait_for_exec(int error_fd)
{
    int error = 0;
    ssize_t got;
    do
        got = read(error_fd, &error, sizeof error);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof error ? error : 0;
}

static enum hc_err cannot(struct hc_diag *diag, const char *program, int error)
{
    return hc_fail(diag, HC_ERR_IO, "%.200s cannot be started: %s", program, strerror(error));
}

enum hc_err child_start(struct child *child, char *const *argv, int64_t now_ms, struct hc_diag *diag)
{
    HC_CLEANUP(os_close) int out_read = -1;
    HC_CLEANUP(os_close) int out_write = -1;
    HC_CLEANUP(os_close) int error_read = -1;
    HC_CLEANUP(os_close) int error_write = -1;
    int out[2], error[2];
    if (pipe2(out, O_CLOEXEC) < 0)
        return cannot(diag, argv[0], errno);
    out_read = out[0];
    out_write = out[1];
    if (pipe2(error, O_CLOEXEC) < 0)
        return cannot(diag, argv[0], errno);
    error_read = error[0];
    error_write = error[1];
    if (fcntl(out_read, F_SETFL, O_NONBLOCK) < 0)
        return cannot(diag, argv[0], errno);
    pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        become(argv, out_write, error_write, parent);
    if (pid < 0)
        return cannot(diag, argv[0], errno);
    os_close(&error_write);
    int failed = wait_for_exec(error_read);
    int life_fd = failed != 0 ? -1 : (int)syscall(SYS_pidfd_open, pid, 0);
    if (life_fd < 0) {
        failed = failed != 0 ? failed : errno;
        (void)kill(pid, SIGKILL);
        (void)waitpid(pid, NULL, 0);
        return cannot(diag, argv[0], failed);
    }
    (void)setpgid(pid, pid);                /* both sides do it: whoever comes first, it is so from here on */
    *child = (struct child){ .pid = pid, .life_fd = life_fd, .out_fd = out_read, .started_ms = now_ms, .kill_at_ms = INT64_MAX };
    out_read = -1;
    return HC_OK;
}

static void tell(struct child *child, child_line_fn *line, void *ctx)
{
    child->line[child->line_len] = '\0';
    if (child->line_len > 0)
        line(ctx, child->line);
    child->line_len = 0;
}

static void take(struct child *child, const char *bytes, size_t len, child_line_fn *line, void *ctx)
{
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if (c == '\n' || c == '\r') {
            tell(child, line, ctx);
            continue;
        }
        if (child->line_len == CHILD_LINE_MAX)
            tell(child, line, ctx);
        child->line[child->line_len++] = c == '\t' ? ' ' : c < 0x20 || c >= 0x7f ? '?' : (char)c;
    }
}

void child_read(struct child *child, child_line_fn *line, void *ctx)
{
    char bytes[4096];
    while (child->out_fd >= 0) {
        ssize_t got = read(child->out_fd, bytes, sizeof bytes);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && errno == EAGAIN)
            return;
        if (got <= 0) {                     /* it closed its side: nothing more will come */
            tell(child, line, ctx);
            os_close(&child->out_fd);
            return;
        }
        take(child, bytes, (size_t)got, line, ctx);
        if ((size_t)got < sizeof bytes)
            return;                         /* a program that never stops talking does not keep the loop */
    }
}

void child_end(struct child *child, int64_t now_ms, int64_t grace_ms)
{
    if (child->pid <= 0 || child->kill_at_ms != INT64_MAX)
        return;
    (void)kill(-child->pid, SIGTERM);
    child->kill_at_ms = now_ms + grace_ms;
}

int64_t child_due(const struct child *child)
{
    return child->pid > 0 ? child->kill_at_ms : INT64_MAX;
}

void child_turn(struct child *child, int64_t now_ms)
{
    if (child->pid > 0 && now_ms >= child->kill_at_ms) {
        (void)kill(-child->pid, SIGKILL);
        child->kill_at_ms = INT64_MAX - 1;  /* told, and never again */
    }
}

bool child_over(struct child *child, child_line_fn *line, void *ctx, bool *ret_clean, struct hc_diag *ret_why)
{
    siginfo_t info = { 0 };
    if (child->pid <= 0 || waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG) < 0 || info.si_pid == 0)
        return false;
    bool told = child->kill_at_ms != INT64_MAX, exited = info.si_code == CLD_EXITED;
    *ret_clean = exited ? info.si_status == 0 : told;
    if (exited)
        (void)hc_fail(ret_why, HC_OK, "the streaming program ended with exit code %d", info.si_status);
    else
        (void)hc_fail(ret_why, HC_OK, "the streaming program was ended by signal %d", info.si_status);
    (void)kill(-child->pid, SIGKILL);       /* what it has left behind */
    child_read(child, line, ctx);
    tell(child, line, ctx);
    os_close(&child->life_fd);
    os_close(&child->out_fd);
    *child = (struct child)CHILD_NONE;
    return true;
}

void child_kill(struct child *child)
{
    if (child->pid > 0) {
        (void)kill(-child->pid, SIGKILL);
        (void)waitpid(child->pid, NULL, 0);
    }
    os_close(&child->life_fd);
    os_close(&child->out_fd);
    *child = (struct child)CHILD_NONE;
}
