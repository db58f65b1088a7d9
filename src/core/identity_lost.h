/* identity_lost.h - the clients of a head that went with a revoked identity. */
#ifndef CORE_IDENTITY_LOST_H
#define CORE_IDENTITY_LOST_H

#include "core.h"

/* Adds what bodies show of the head now. `identity` is a version that is being made. HC_ERR_NOMEM. */
HC_MUST enum hc_err identity_lose_clients(struct step *s, struct identity_rec *identity);
/* Adds those that another version of the record knows. */
HC_MUST enum hc_err identity_lose_too(struct step *s, struct identity_rec *identity, const struct paired *others);

#endif
