/* trust.h - which entries of a host's client list go: pure (rules §12.8; seed I7). */
#ifndef BODY_TRUST_H
#define BODY_TRUST_H

#include "hydra/base/arena.h"
#include "hydra/proto/directive.h"

struct host_client { const char *uuid, *name; bool enabled; };          /* in the host's own order: the newest last */
struct trust_facts {
    const struct host_client *clients; size_t client_count;
    bool known;                         /* the list came as a list: else nothing is removed */
    const struct trust *trust;          /* NULL: not told yet */
    const char *const *in_use; size_t in_use_count;     /* clients of live sessions and of the slot's lease: never touched */
};
/* Uuids to remove, one call each: those that the cluster names; and of several entries of one hydra-<head> all but the newest and those
 * that the cluster wants. Whoever is in neither list stays. Borrowed from the facts; the array is the arena's. */
HC_MUST enum hc_err trust_removals(const struct trust_facts *facts, struct hc_arena *arena, const char *const **ret_uuids,
                                   size_t *ret_count);
#define OUR_CLIENT_PREFIX "hydra-"      /* and the head's id: the name that the cluster gives a head's client (rules §12.6) */

#endif
