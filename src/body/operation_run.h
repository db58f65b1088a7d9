/* operation_run.h - typed operations of the cluster, carried out on this body's Sunshines (wire §4). No shell, nothing else than these.
 *
 * An operation names no slot: a list is of all of them, a client is unpaired where it is, a PIN goes to the Sunshine that waits for one. */
#ifndef BODY_OPERATION_RUN_H
#define BODY_OPERATION_RUN_H

#include "hydra/proto/operation.h"

#include "agent_state.h"

#define OPERATION_PIN_MS   5000         /* how long a PIN is offered: the head's request may still be on its way */
#define OPERATION_CALL_MS  8000         /* of one call: an application takes 5 s to end */

struct operation_hands { struct agent *agent; struct sunshine_api *apis[DIRECTIVE_SLOTS_MAX]; };
/* HC_ERR_NOMEM with diag. Close also after a failure. */
HC_MUST enum hc_err operation_hands_open(struct agent *agent, struct operation_hands *ret, struct hc_diag *diag);
void operation_hands_close(struct operation_hands *hands);

/* What became of it. `output` is a JSON object, "" none. No PIN stands in either. */
struct operation_became { enum operation_end state; struct hc_buf output; char error[HC_NAME_SIZE]; };
void operation_run(struct operation_hands *hands, const struct operation_ask *ask, struct operation_became *ret);

#endif
