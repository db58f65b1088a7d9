/* child.h - real processes of the host: hooks and apps. They die with the host. */
#ifndef CHILD_H
#define CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Splits `command` at blanks ("double quotes" keep them) and starts it in a process group of its own; no shell. `env` ends with NULL.
 * False: it cannot be started. */
bool child_start(const char *command, const char *folder, char *const *env, pid_t *ret_pid);
/* True: it ended within the time, *ret_code is its exit code, 128 + N after signal N. */
bool child_wait(pid_t pid, int64_t at_most_ms, int *ret_code);
void child_end(pid_t pid, int64_t grace_ms);            /* SIGTERM to its group, SIGKILL after the grace, and reaped */

#endif
