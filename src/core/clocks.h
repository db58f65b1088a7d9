/* clocks.h - the absolute clock that on_outage_over() runs before all others. */
#ifndef CORE_CLOCKS_H
#define CORE_CLOCKS_H

#include "core.h"

/* Ends starts whose deadline has passed. One that passed at or after `ours_since` (NEVER: none), or before this daemon started, counts
 * against nobody. */
HC_MUST enum hc_err start_deadlines(struct step *s, const char *body_id, hc_time ours_since);

/* Nothing heard for bodyReportFresh, or its node is offline; never sooner than bodyReportFresh after our start (§4.3). */
bool body_silent(const struct step *s, const char *body_id);

#endif
