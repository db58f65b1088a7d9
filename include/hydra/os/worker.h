/* worker.h - a thread whose end is awaited with a bound: one that hangs in a system call must not keep the process from ending. */
#ifndef HYDRA_OS_WORKER_H
#define HYDRA_OS_WORKER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "hydra/base/err.h"

struct os_worker { pthread_t thread; int over_fd; bool running; void (*run)(void *arg); void *arg; };      /* zeroed before the start */

/* Runs run(arg) in a thread that takes no signals: those are the loop's. HC_ERR_NOMEM; then os_worker_end() is true at once. */
HC_MUST enum hc_err os_worker_start(struct os_worker *worker, void (*run)(void *arg), void *arg);
/* Waits at most `most_ms` for the thread, which has been told to end. False: it still runs, and what it uses, the worker itself among
 * it, must stay as long as the process. True also for one that was never started. */
bool os_worker_end(struct os_worker *worker, int64_t most_ms);

#endif
