/* record_times.h - instants in saved records after a time in which we did not look (rules §4.2, §4.3). */
#ifndef CORE_RECORD_TIMES_H
#define CORE_RECORD_TIMES_H

#include "core.h"

/* §4.2: what happened is not in the future, a deadline is no further than its rule allows. `saved_at` NEVER: not known. */
HC_MUST enum hc_err times_clamp(struct step *s, hc_time saved_at);
/* §4.3: rolling and silence clocks move on by the outage. `observed`: those of observed records too (a store outage, not a start). */
HC_MUST enum hc_err times_shift(struct step *s, int64_t outage_ms, bool observed);

#endif
