/* report_of.h - from a body's report as it came to the core's event (wire §4). */
#ifndef API_REPORT_OF_H
#define API_REPORT_OF_H

#include "hydra/core/event.h"
#include "hydra/proto/body_status.h"

#define REPORT_FIELD_SIZE 40

/* Fills everything but body_id; what it points to is in `body` and `arena`. HC_ERR_RANGE: an epoch above the wire's limit, `ret_field`
 * says which. HC_ERR_NOMEM. */
HC_MUST enum hc_err report_of(const struct body_status *body, struct hc_arena *arena, struct report_req *ret,
                              char ret_field[REPORT_FIELD_SIZE]);

#endif
