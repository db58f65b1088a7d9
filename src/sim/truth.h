/* truth.h - what really happens on the slots, known because heads and bodies live in this process; and the judge of it.
 *
 * A head *holds* a slot from the answer that gave it until it gives it up or its own clock says that it may have lost it; it *sees a
 * picture* while its client runs there. Two heads with a picture from one slot, two that hold it, or one that holds what another looks
 * at, are a conflict. A protocol-2 head can be told that its lease was taken (preempted, revoked), and launches on a free host only: it is
 * contested until a renewal sent later says that it still has it. */
#ifndef TRUTH_H
#define TRUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hydra/base/err.h"

#define TRUTH_SLOTS_MAX 16                 /* of a body */
#define TRUTH_HEADS_MAX 8                  /* on one slot at once */
#define TRUTH_NOBODY    SIZE_MAX

enum truth_kind { TRUTH_TWO_PICTURES, TRUTH_TWO_HOLDERS, TRUTH_HELD_WHILE_SEEN, TRUTH_KINDS };
extern const char *const truth_words[TRUTH_KINDS];

struct truth_conflict { enum truth_kind kind; size_t head, other, body; uint32_t slot; int64_t at_ms; };

struct truth;
HC_MUST enum hc_err truth_new(size_t bodies, size_t heads, struct truth **ret_truth);
struct truth *truth_free(struct truth *truth);

struct truth_hold { size_t head, body; uint32_t slot; int64_t until_ms; bool can_be_told; };
/* Each returns true when it made a conflict, and fills *ret_conflict then. Instants are simulated milliseconds. */
bool truth_holds(struct truth *truth, const struct truth_hold *hold, int64_t now_ms, struct truth_conflict *ret_conflict);
/* A renewal asked for at `asked_ms` was granted. */
bool truth_renewed(struct truth *truth, size_t head, int64_t asked_ms, int64_t until_ms, struct truth_conflict *ret_conflict);
bool truth_sees(struct truth *truth, size_t head, size_t body, uint32_t slot, int64_t now_ms, struct truth_conflict *ret_conflict);
void truth_dark(struct truth *truth, size_t head);                 /* no picture any more; a hold stays */
void truth_drops(struct truth *truth, size_t head);                /* the hold is given up; a picture stays */

/* The n-th head with a picture from this slot, TRUTH_NOBODY when there are not so many. */
size_t truth_viewer(const struct truth *truth, size_t body, uint32_t slot, size_t n);
size_t truth_picture_of(const struct truth *truth, size_t head);   /* the body; TRUTH_NOBODY */
uint64_t truth_conflicts(const struct truth *truth);
size_t truth_pictures(const struct truth *truth);

#endif
