/* restore_facts.h - what putting a copy back would do, slot by slot. Pure.
 *
 * A slot is given again only at an epoch above all that its body has seen. A copy whose epoch is lower than the one of now sets the slot
 * back: until its body has confirmed it is shown as epoch_below_floor and given to nobody (rules §6.1). */
#ifndef CTL_RESTORE_FACTS_H
#define CTL_RESTORE_FACTS_H

#include <jansson.h>

#include "hydra/base/err.h"

/* {"BODY/SLOT": {"body_id", "slot", "epoch", "lease"}}: of the text of allocation.yaml with its `generation` and `saved_at` beside it in
 * *ret_head, and of an answer of /slots. HC_ERR_SYNTAX, HC_ERR_SCHEMA with file, line and column; HC_ERR_NOMEM. To be json_decref'd. */
HC_MUST enum hc_err restore_slots_of_file(const char *file, const char *text, size_t len, json_t **ret_slots, json_t **ret_head,
                                          struct hc_diag *diag);
HC_MUST enum hc_err restore_slots_of_answer(const json_t *answer, json_t **ret_slots, struct hc_diag *diag);
/* The answer that is shown: how many slots of the copy are older, gone, the same, and each of them; NULL: no memory. */
json_t *restore_compare(const json_t *copy, const json_t *now);

#endif
