/* process.h - a child process of a test: its stdout by the line, its stderr in a file, its end within a bound. */
#ifndef PROCESS_H
#define PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PROCESS_ARGS_MAX 64
#define PROCESS_LINE_MAX 1024

struct process {
    pid_t pid;                              /* 0: none is running */
    int out_fd;                             /* its stdout; -1: closed */
    int life_fd;                            /* readable (end of file) once the process is gone */
    char out[PROCESS_LINE_MAX];             /* bytes of stdout not yet handed out */
    size_t out_len;
};

/* For `env`: built with a sanitizer, the child does not look for leaks at its end. For one that only prepares a test or runs many times:
 * to look takes as long as a short program's whole life. */
#define PROCESS_NO_LEAKS "LSAN_OPTIONS=detect_leaks=0"
/* argv and env end with NULL; env are NAME=VALUE in addition to ours. The child is killed when the test program dies. */
void process_start(struct process *process, const char *const *argv, const char *const *env, const char *stderr_path);
/* The next line of stdout without its end. False: the stream ended, or the time is over. */
bool process_line(struct process *process, char out[PROCESS_LINE_MAX], int64_t at_most_ms);
void process_signal(const struct process *process, int signal);
/* Exit code, or -SIGNAL when a signal ended it. Too late: killed, and the test fails. */
int process_wait(struct process *process, int64_t at_most_ms);
bool process_running(const struct process *process);
void process_end(struct process *process);  /* SIGKILL if it still runs, closes everything; for teardown */

/* The path in the environment variable, else NAME in the folder above the test program's. Fails the test when there is no such file. */
void program_path(const char *variable, const char *name, char *out, size_t size);

#endif
