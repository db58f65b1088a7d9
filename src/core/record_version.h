/* record_version.h - what alloc.c and observed.c need beyond record.h: copies of versions, and tables that own references. */
#ifndef CORE_RECORD_VERSION_H
#define CORE_RECORD_VERSION_H

#include "hydra/core/record.h"

/* A deep copy with refs 1; what `struct strings` and `struct text` hold is shared. NULL: no memory. */
struct rec *rec_clone(const struct rec *from);

/* Position of `key`, or where it would stand. */
size_t rec_table_find(const struct rec_table *table, const char *key, bool *ret_found);
HC_MUST enum hc_err rec_table_reserve(struct rec_table *table, size_t more);
/* Takes the caller's reference on success. Never fails after rec_table_reserve(). The key must be absent. */
HC_MUST enum hc_err rec_table_insert(struct rec_table *table, struct rec *rec);
/* another version of the same key; references are the caller's */
void rec_table_set(struct rec_table *table, size_t position, struct rec *rec);
struct rec *rec_table_take(struct rec_table *table, const char *key);      /* out of the table, with its reference; NULL: absent */
/* References to the same versions; `to` is empty before. */
HC_MUST enum hc_err rec_table_share(const struct rec_table *from, struct rec_table *to);
void rec_table_free(struct rec_table *table);

#endif
