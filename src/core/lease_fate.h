/* lease_fate.h - what the end of a lease leaves behind, in the parts that lease_end.c puts together. */
#ifndef CORE_LEASE_FATE_H
#define CORE_LEASE_FATE_H

#include "core.h"

/* A change that has just been applied, as it was before. */
struct ended {
    char body_id[HC_ID_SIZE]; uint32_t slot;
    enum lease_event on;
    enum lease_state from;
    enum lease_why why_before;
    hc_time drain_since;
    bool counted;                 /* false: the fault is ours (§4.3) */
};
/* The slot remembers a lease whose session may show up again (§6.2.3, §6.2.4). */
void ghost_remember(struct step *s, struct slot *slot, const struct lease *lease);
HC_MUST enum hc_err attempt_remember(struct step *s, const struct lease *lease);                                  /* §6.5.2 */
/* §11 */
HC_MUST enum hc_err failure_counts(struct step *s, struct body_rec *body, const struct ended *end, const struct lease *lease);
HC_MUST enum hc_err stream_follows(struct step *s, const struct ended *end, const struct lease *lease);           /* §7.9, §9.2 */

#endif
