/* lanes.h - threads for what blocks: each lane does its jobs one after the other and hands them back to the loop through one descriptor.
 *
 * A job belongs to the lane from lanes_put() until lanes_done() gives it back. The program's one mutex guards the queues and is never held
 * while a job runs. */
#ifndef HEAD_LANES_H
#define HEAD_LANES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "hydra/base/err.h"

#define LANES_MAX 4

struct job {
    struct job *next;
    void (*run)(struct job *job);       /* on the lane's thread; looks at `stop` while it waits for something */
    void (*free)(struct job *job);      /* of jobs that are still here when the lanes close */
    atomic_bool stop;
};

struct lanes;
HC_MUST enum hc_err lanes_open(unsigned count, struct lanes **ret_lanes, struct hc_diag *diag);
int lanes_fd(const struct lanes *lanes);            /* readable when a job may be done */
void lanes_put(struct lanes *lanes, unsigned lane, struct job *job);
struct job *lanes_done(struct lanes *lanes);        /* NULL: none is done */
/* Asks all jobs, waiting and running, of one lane to end soon; they come back through lanes_done() all the same. */
void lanes_stop_jobs(struct lanes *lanes, unsigned lane);
/* Asks all jobs to end and waits at most so long. False: a thread still runs, and what its job uses must stay as long as the process. */
bool lanes_close(struct lanes *lanes, int64_t most_ms);

#endif
