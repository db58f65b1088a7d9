#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hydra/base/arena.h"
#include "hydra/os/clock.h"
#include "hydra/os/file.h"

#define ARGS_MAX 64
#define KILL_MS  5000

/* Cuts `text` into arguments in place; the array ends with NULL. False: too many, or none. */
static bool split(char *text, char *args[ARGS_MAX])
{
    size_t count = 0;
    char *to = text;
    for (const char *from = text; *from != '\0';) {
        if (*from == ' ') {
            from++;
            continue;
        }
        if (count == ARGS_MAX - 1)
            return false;
        args[count++] = to;
        bool quoted = false, more = true;
        while (more) {
            if (*from == '"')
                quoted = !quoted;
            else
                *to++ = *from;
            from++;
            more = *from != '\0' && (quoted || *from != ' ');
        }
        from += *from == ' ';
        *to++ = '\0';
    }
    args[count] = NULL;
    return count > 0;
}

/* Only calls that are safe between fork and exec; what fails is told through `tell`. */
_Noreturn static void become(char *const *args, const char *folder, char *const *env, int tell)
{
    sigset_t none;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)setpgid(0, 0);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null >= 0) {
        (void)dup2(null, STDIN_FILENO);
        (void)dup2(null, STDOUT_FILENO);
    }
    if (folder == NULL || folder[0] == '\0' || chdir(folder) == 0)
        (void)execvpe(args[0], args, env);
    int why = errno;
    ssize_t told = write(tell, &why, sizeof why);
    _exit(told == (ssize_t)sizeof why ? 127 : 126);
}

bool child_start(const char *command, const char *folder, char *const *env, pid_t *ret_pid)
{
    char *args[ARGS_MAX], *text = hc_alloc(strlen(command) + 2);
    int tell[2] = { -1, -1 }, why = 0;
    if (text == NULL)
        return false;
    memcpy(text, command, strlen(command));
    if (!split(text, args) || pipe2(tell, O_CLOEXEC) != 0) {
        hc_free(text);
        return false;
    }
    pid_t pid = fork();
    if (pid == 0)
        become(args, folder, env, tell[1]);
    os_close(&tell[1]);
    bool started = pid > 0 && read(tell[0], &why, sizeof why) == 0;
    if (pid > 0 && !started)
        (void)waitpid(pid, NULL, 0);
    os_close(&tell[0]);
    hc_free(text);
    *ret_pid = pid;
    return started;
}

bool child_wait(pid_t pid, int64_t at_most_ms, int *ret_code)
{
    HC_CLEANUP(os_close) int life = pidfd_open(pid, 0);
    int64_t end = os_monotonic_ms() + at_most_ms;
    struct pollfd poll_fd = { .fd = life, .events = POLLIN };
    int status = 0;
    for (int64_t left = at_most_ms; left >= 0; left = end - os_monotonic_ms())
        if (poll(&poll_fd, 1, (int)left) > 0)
            break;
    if (waitpid(pid, &status, WNOHANG) != pid)
        return false;
    *ret_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return true;
}

void child_end(pid_t pid, int64_t grace_ms)
{
    int code;
    (void)kill(-pid, SIGTERM);
    if (child_wait(pid, grace_ms, &code))
        return;
    (void)kill(-pid, SIGKILL);
    (void)child_wait(pid, KILL_MS, &code);
}
