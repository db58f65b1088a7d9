/* safe_mode.h - safe modes of a district (rules §8), for the files that enter and leave them. */
#ifndef CORE_SAFE_MODE_H
#define CORE_SAFE_MODE_H

#include "core.h"

/* Enters `kind` in every district that awaits bodies (boot), or that has a body at all (downgrade). `stopped`: when this store was last
 * served. */
HC_MUST enum hc_err safe_mode_enter_all(struct step *s, enum safe_mode kind, hc_time stopped);
/* A body has reported, or is awaited no longer: it leaves the list, and the last one ends the mode. */
HC_MUST enum hc_err safe_mode_heard(struct step *s, const char *body_id);

/* Made when it is not there. NULL: no memory. */
struct district_rec *district_edit(struct step *s, const char *district);

#endif
