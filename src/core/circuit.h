/* circuit.h - what the ends of leases tell the circuit beyond core.h. */
#ifndef CORE_CIRCUIT_H
#define CORE_CIRCUIT_H

#include "core.h"

/* The probe of a half-open circuit is over before it streamed: `failed` opens it again, else another may try. Another lease: nothing. */
HC_MUST enum hc_err circuit_probe_over(struct step *s, struct body_rec *body, const char *lease_id, bool failed, enum lease_why why);

#endif
