/* process_size.h - how large a process is, as /proc says. */
#ifndef PROCESS_SIZE_H
#define PROCESS_SIZE_H

#include <stddef.h>
#include <sys/types.h>

struct process_size { size_t descriptors, resident_kib; };
struct process_size process_size_of(pid_t pid);         /* fails the running test when there is no such process */

#endif
