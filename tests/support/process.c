#include "process.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "hydra/os/clock.h"
#include "hydra/os/file.h"

#define ENV_MAX     512
#define KILL_MS     5000
#define UP_MAX      3                   /* folders above the test program where its programs may lie */

extern char **environ;

/* Only calls that are safe between fork and exec. */
_Noreturn static void become(const char *const *argv, char *const *env, int out_fd, int err_fd, pid_t parent)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
    sigset_t none;
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    if (dup2(out_fd, STDOUT_FILENO) >= 0 && dup2(err_fd, STDERR_FILENO) >= 0)
        (void)execve(argv[0], (char *const *)(const void *)argv, env);
    _exit(127);
}

/* Ours, but for the names that `more` sets anew. */
static void build_env(const char *const *more, char *env[ENV_MAX])
{
    size_t count = 0;
    for (size_t i = 0; more != NULL && more[i] != NULL; i++)
        env[count++] = (char *)(uintptr_t)more[i];
    size_t own = count;
    for (char **var = environ; *var != NULL; var++) {
        bool replaced = false;
        for (size_t i = 0; i < own; i++)
            replaced |= strncmp(*var, env[i], (size_t)(strchr(env[i], '=') - env[i]) + 1) == 0;
        assert_true(count < ENV_MAX - 1);
        if (!replaced)
            env[count++] = *var;
    }
    env[count] = NULL;
}

void process_start(struct process *process, const char *const *argv, const char *const *env, const char *stderr_path)
{
    char *whole_env[ENV_MAX];
    int out[2], life[2];
    build_env(env, whole_env);
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    assert_int_equal(pipe2(life, O_CLOEXEC), 0);
    assert_int_equal(fcntl(life[1], F_SETFD, 0), 0);       /* the child holds it to its end without knowing of it */
    HC_CLEANUP(os_close) int err_fd = open(stderr_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    assert_true(err_fd >= 0);
    pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        become(argv, whole_env, out[1], err_fd, parent);
    (void)close(out[1]);
    (void)close(life[1]);
    assert_true(pid > 0);
    *process = (struct process){ .pid = pid, .out_fd = out[0], .life_fd = life[0] };
}

static bool readable(int fd, int64_t at_most_ms)
{
    struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
    int64_t end = os_monotonic_ms() + at_most_ms;
    for (int64_t left = at_most_ms; left >= 0; left = end - os_monotonic_ms()) {
        int got = poll(&poll_fd, 1, (int)left);
        if (got > 0)
            return true;
        assert_true(got == 0 || errno == EINTR);
    }
    return false;
}

bool process_line(struct process *process, char out[PROCESS_LINE_MAX], int64_t at_most_ms)
{
    int64_t end = os_monotonic_ms() + at_most_ms;
    for (;;) {
        char *newline = memchr(process->out, '\n', process->out_len);
        if (newline != NULL) {
            size_t len = (size_t)(newline - process->out);
            memcpy(out, process->out, len);
            out[len] = '\0';
            process->out_len -= len + 1;
            memmove(process->out, newline + 1, process->out_len);
            return true;
        }
        assert_true(process->out_len < sizeof process->out);        /* a line longer than any that we print */
        int64_t left = end - os_monotonic_ms();
        if (left < 0 || process->out_fd < 0 || !readable(process->out_fd, left))
            return false;
        ssize_t got = read(process->out_fd, process->out + process->out_len, sizeof process->out - process->out_len);
        if (got <= 0)
            return false;
        process->out_len += (size_t)got;
    }
}

void process_signal(const struct process *process, int signal)
{
    assert_true(process->pid > 0);
    assert_int_equal(kill(process->pid, signal), 0);
}

bool process_running(const struct process *process)
{
    return process->pid > 0 && !readable(process->life_fd, 0);
}

/* After the end was seen, or SIGKILL sent: waitpid() returns at once. */
static int reap(struct process *process)
{
    int status = 0;
    pid_t got;
    do
        got = waitpid(process->pid, &status, 0);
    while (got < 0 && errno == EINTR);
    os_close(&process->out_fd);
    os_close(&process->life_fd);
    process->pid = 0;
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

int process_wait(struct process *process, int64_t at_most_ms)
{
    assert_true(process->pid > 0);
    pid_t pid = process->pid;
    if (readable(process->life_fd, at_most_ms))
        return reap(process);
    process_end(process);
    fail_msg("process %d did not end within %lld ms", (int)pid, (long long)at_most_ms);
    return -1;
}

void process_end(struct process *process)
{
    if (process->pid <= 0)
        return;
    (void)kill(process->pid, SIGKILL);
    (void)readable(process->life_fd, KILL_MS);
    (void)reap(process);
}

void program_path(const char *variable, const char *name, char *out, size_t size)
{
    const char *given = getenv(variable);
    if (given != NULL) {
        (void)snprintf(out, size, "%s", given);
    } else {
        char self[512];
        ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
        assert_true(len > 0);
        self[len] = '\0';
        out[0] = '\0';
        for (unsigned up = 0; up < UP_MAX && (out[0] == '\0' || access(out, F_OK) != 0); up++) {
            char *slash = strrchr(self, '/');
            assert_non_null(slash);
            *slash = '\0';
            (void)snprintf(out, size, "%s/%s", self, name);
        }
    }
    if (access(out, R_OK) != 0)
        fail_msg("%s is not there: build it, or name it in %s", name, variable);
}
