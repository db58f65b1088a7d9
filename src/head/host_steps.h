/* host_steps.h - what a head does with a body's host before it streams, each step as its event for head_decide(): verify, pin anew, pair,
 * look whether it is free (rules §12, §13.8, §13.9). Blocking; one thread. */
#ifndef HEAD_HOST_STEPS_H
#define HEAD_HOST_STEPS_H

#include <stdatomic.h>

#include "hydra/base/buf.h"
#include "hydra/gamestream/pair.h"
#include "hydra/gamestream/serverinfo.h"

#include "cluster.h"
#include "head_decide.h"
#include "identity.h"

/* What one step leaves for the next. */
struct host_memory {
    char unique_id[HC_ID_SIZE], name[GS_TEXT_SIZE];     /* of the host that was asked last; "" : it has not said */
    struct hc_buf shown_cert;                           /* of a host that showed another certificate than its pin */
};
struct host_step {
    const struct identity *identity;
    const struct head_body *body;
    int pins_fd;
    struct cluster_line *line;          /* for the PIN */
    struct host_memory *memory;
    const atomic_bool *stop;
};

void host_verify(const struct host_step *step, struct head_event *ret_event);
/* Stores the certificate that the last host_verify() was shown. HC_ERR_STATE: there is none. */
HC_MUST enum hc_err host_repin(const struct host_step *step, struct hc_diag *diag);
/* With a random PIN that the cluster submits under this head's name. */
void host_pair(const struct host_step *step, struct head_event *ret_event);
/* HOST_YES: nothing runs there, or the application of our own token. */
void host_probe(const struct host_step *step, struct head_event *ret_event);
void host_memory_free(struct host_memory *memory);

#endif
