/* kept_slots.h - for lists of many slots: is this free one kept for somebody who waits (§7.1)? Who would get what is worked out once for
 * each district. */
#ifndef CORE_KEPT_SLOTS_H
#define CORE_KEPT_SLOTS_H

#include "core.h"

struct kept_district;
/* Begin with view and arena alone. `err` in the end: HC_ERR_NOMEM, and the answers were incomplete. */
struct kept_slots { const struct core_view *v; struct hc_arena *arena; struct kept_district *first; enum hc_err err; };
/* Of a slot that is grantable otherwise; `node` is the body's. */
bool kept_for_older(struct kept_slots *kept, const struct body_rec *body, const struct node_rec *node, uint32_t slot);

#endif
