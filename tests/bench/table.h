/* table.h - what was measured: one row a number, with the bound of the architecture where there is one. */
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hydra/base/err.h"

enum row_want { WANT_NOTHING, WANT_AT_MOST, WANT_AT_LEAST };

struct samples { int64_t *us; size_t count, size; bool sorted; };
void samples_add(struct samples *samples, int64_t us);
double samples_ms(struct samples *samples, double part);        /* 0.5: the median; 1: the longest; 0 when there is none */
void samples_clear(struct samples *samples);
void samples_free(struct samples *samples);

/* `key` names it in the JSON; `text` is for people. The beside column says what the number stands next to, in the same run. */
void table_row(const char *key, const char *text, double value, const char *unit, enum row_want want, double bound, const char *beside, ...)
    HC_PRINTF(7, 8);
void table_print(void);                                         /* markdown, to stdout */
void table_write_json(const char *path, double seconds);
void table_write_doc(const char *path, double load_before);     /* between the lines of the markers */
bool table_all_ok(void);

#endif
