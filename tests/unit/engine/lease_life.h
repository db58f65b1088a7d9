/* lease_life.h - one body, heads, and a lease from claim to release, through the engine. */
#ifndef ENGINE_LEASE_LIFE_H
#define ENGINE_LEASE_LIFE_H

#include "rig.h"

#define LIFE_BODY       "b1"
#define LIFE_EXPERIENCE "garden"

void life_open(struct rig *rig);                 /* a store with the body and heads h1, h2; the body has reported */
void life_state(struct rig *rig, struct alloc **ret_loaded);
void life_report(struct rig *rig, struct ask *ask);       /* idle, epoch confirmed */
void life_claim(struct rig *rig, struct ask *ask, const char *head_id, const char *attempt_id);
void life_release(struct rig *rig, struct ask *ask, const char *head_id, const struct ask *claimed);
const struct lease *life_lease(const struct rec *body, const char *lease_id);      /* NULL: the body's record has no such lease */
bool life_has_lease(struct rig *rig, const char *lease_id);                        /* in the committed record */

#endif
