/* filler.h - objects full of values, made by their tables. */
#ifndef TEST_JOURNAL_FILLER_H
#define TEST_JOURNAL_FILLER_H

#include "../../../src/journal/tables.h"

/* Every field gets a value that depends on `seed`. What is pointed to is of `arena`; without one of the heap, as records own it. */
void fill_object(const struct journal_table *table, void *object, uint64_t seed, struct hc_arena *arena);
struct seal some_seal(void);

#endif
