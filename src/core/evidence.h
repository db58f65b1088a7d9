/* evidence.h - the parts of reconcile_body(). */
#ifndef CORE_EVIDENCE_H
#define CORE_EVIDENCE_H

#include "core.h"

/* What the newest report says about the lease on this slot (§6.2, §6.1, §10.4). */
HC_MUST enum hc_err evidence_boot(struct step *s, const char *body_id);                    /* a new boot_id, §6.2.5 */
HC_MUST enum hc_err evidence_epoch(struct step *s, const char *body_id, uint32_t slot);    /* a regressed epoch, a confirmed one */
HC_MUST enum hc_err evidence_lease(struct step *s, const char *body_id, uint32_t slot);
HC_MUST enum hc_err evidence_conflict(struct step *s, const char *body_id, uint32_t slot); /* slot_conflict once per mismatch */
/* Adopts what runs on a slot without a lease, attributes what was adopted (§10.1, §10.2); forgets ghosts that an idle report has laid. */
HC_MUST enum hc_err adopt_slot(struct step *s, const char *body_id, uint32_t slot);

/* Of a lease whose session runs: the report that shows it renews it; one that shows nothing is the first, or the second, of two (§6.2). */
HC_MUST enum hc_err lease_shown(struct step *s, const char *body_id, const char *lease_id, const struct body_obs *obs);
HC_MUST enum hc_err lease_idle(struct step *s, const char *body_id, const struct lease *lease, const struct body_obs *obs);
enum lease_event drain_done_event(const struct lease *lease);      /* how a drain with this reason is done */

#endif
