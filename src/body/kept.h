/* kept.h - what one thread of the agent reads and others use: immutable once it is shown, counted, freed with its last user.
 *
 * Counting happens under the agent's mutex; reading needs no lock. */
#ifndef BODY_KEPT_H
#define BODY_KEPT_H

#include "hydra/base/arena.h"
#include "hydra/proto/directive.h"

#include "trust.h"

struct kept { unsigned users; struct hc_arena arena; };

struct kept_directive {
    struct kept kept;
    struct directive_answer answer;
    int64_t received_ms;            /* os_monotonic_ms(); with answer.desired.issued_ago_ms it says how old the directive is */
    uint64_t generation;            /* of the experiences that the cluster had been told of when this was asked for */
};
struct kept_clients {
    struct kept kept;
    const struct host_client *clients; size_t count;
    struct host_client *working;    /* the slot thread's own copy, in which it enters what it has changed */
};
struct kept_names { struct kept kept; const char **names; size_t count; };

/* New with one user and an empty arena, zeroed; NULL: no memory. `size` is that of the struct that begins with `kept`. */
void *kept_new(size_t size);
void kept_use(struct kept *kept);
void kept_drop(struct kept *kept);          /* accepts NULL */

#endif
