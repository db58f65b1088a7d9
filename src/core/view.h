/* view.h - small questions to a view that the lists ask. */
#ifndef CORE_VIEW_H
#define CORE_VIEW_H

#include "hydra/core/query.h"

/* How long the body of a live stream has vouched for it alone (§9.5): the head missed 2.5 of its 30 s ticks. Negative: attended, or not
 * live. */
int64_t lease_unattended_ms(const struct core_view *v, const struct lease *lease);
bool head_is_legacy(const struct core_view *v, const char *head_id);       /* known, and has not reported protocol_version >= 2 (§10.5) */
bool node_online(const struct core_view *v, const struct node_rec *node);
bool report_fresh(const struct core_view *v, const struct body_obs *obs);  /* NULL is not */

#endif
