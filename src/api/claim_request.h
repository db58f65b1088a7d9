/* claim_request.h - the body of a claim, for the routes that make one: slot-claims and streams. */
#ifndef API_CLAIM_REQUEST_H
#define API_CLAIM_REQUEST_H

#include "call.h"

/* Reads the body into op.ev (CORE_CLAIM); false: answered. */
bool claim_request(struct call *call);
/* {"stream","lease","ticket","body"} of a result, each null when there is none: admission and streams (wire §3). */
void admission_json(const struct call *call, const struct core_result *result, struct hc_buf *out);

#endif
