/* due.h - who is to be woken when: a heap of at most one instant for each number. Simulated milliseconds. */
#ifndef DUE_H
#define DUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hydra/base/err.h"

struct due;
HC_MUST enum hc_err due_new(size_t numbers, struct due **ret_due);
struct due *due_free(struct due *due);                   /* accepts NULL, returns NULL */
void due_set(struct due *due, size_t number, int64_t at_ms);     /* 0: not at all; replaces what was set */
int64_t due_next(const struct due *due);                 /* 0: nothing is set */
/* The earliest number that is due at `now_ms`, taken out; false: none. */
bool due_take(struct due *due, int64_t now_ms, size_t *ret_number);

#endif
