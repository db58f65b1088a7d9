/* merge_identity.h - the part of a merge with a foreign file that is about identities. */
#ifndef CORE_MERGE_IDENTITY_H
#define CORE_MERGE_IDENTITY_H

#include "safe_mode.h"

HC_MUST enum hc_err merge_identities(struct step *s, const struct alloc *committed);
HC_MUST enum hc_err merge_latches(struct step *s, const struct alloc *committed);

/* identity_revoke.c: the head's leases end, its stream, its place in the line. */
HC_MUST enum hc_err identity_leaves(struct step *s, const char *head_id);

#endif
