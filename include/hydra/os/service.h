/* service.h - what a service manager and the kernel want from a process: signals, readiness, descriptor limits, no core with secrets. */
#ifndef HYDRA_OS_SERVICE_H
#define HYDRA_OS_SERVICE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "hydra/base/err.h"

/* Blocks SIGTERM, SIGINT, SIGHUP (and ignores SIGPIPE) in the calling thread and those it makes later; *ret_fd is a signalfd for them. */
HC_MUST enum hc_err os_signals(int *ret_fd, struct hc_diag *diag);
int os_signal_next(int fd);                              /* the next signal number, 0 when there is none */
void os_notify(const char *state);                       /* sd_notify("READY=1"); nothing when there is no manager */
int64_t os_watchdog_ms(void);                            /* how often it wants WATCHDOG=1, two may be missed; 0: it does not watch us */
HC_MUST enum hc_err os_descriptors_at_least(unsigned count, struct hc_diag *diag);   /* raises the soft limit; or HC_ERR_LIMIT */
void os_no_core_dumps(void);                             /* PR_SET_DUMPABLE 0 and RLIMIT_CORE 0: secrets stay out of core files */
long os_resident_kib(void);                              /* VmRSS of this process, 0 if unknown */
void os_give_back_memory(void);                          /* the allocator's free pages go to the kernel; may take milliseconds */

#endif
