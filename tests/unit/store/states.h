/* states.h - random whole states with every field and every awkward text in them, and what it means that two are the same. */
#ifndef TESTS_UNIT_STORE_STATES_H
#define TESTS_UNIT_STORE_STATES_H

#include <stdbool.h>
#include <stdint.h>

#include "hydra/core/records.h"

struct dice { uint64_t state; };
uint32_t dice_below(struct dice *dice, uint32_t limit);

/* A record of that kind with random content, refs 1. `n` makes its key different from others'. */
struct rec *random_record(struct dice *dice, enum rec_kind kind, unsigned n);
/* `count` records of each kind; alloc_free() it. */
struct alloc *random_state(uint64_t seed, unsigned count);

/* NULL: the same; else what differs, in a static text. Records are compared field by field, not as text. */
const char *records_differ(const struct rec *a, const struct rec *b);
const char *states_differ(const struct alloc *a, const struct alloc *b, bool allocation, bool nodes);

#endif
