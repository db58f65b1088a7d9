/* fragment.h - the text of every record, formatted once, and the files put together from it (architecture §2, §6.5).
 *
 * A `fragments` holds the texts of one kind of record in key order. fragments_merge() gives what it will be after a save, without touching
 * it:
 *
 *   fragments_merge(&cache, changes, count, &next)     the caller formats the file from `next` and writes it
 *   fragments_adopt(&cache, changes, count, &next)     renamed: the cache is `next`, replaced texts are freed
 *   fragments_drop(&next)                              not renamed: the cache is as it was; the changes' own texts are the caller's */
#ifndef STORE_FRAGMENT_H
#define STORE_FRAGMENT_H

#include "hydra/base/buf.h"
#include "hydra/core/record.h"
#include "section.h"

/* `bytes`: the parts one after the other, then the key. */
struct fragment { struct { size_t len, lines; } parts[RECORD_PARTS]; const char *key; char bytes[]; };
struct fragments { struct fragment **at; size_t count; };
/* text NULL: removed. `old` is filled by the merge: what the cache has under that key. */
struct fragment_change { enum rec_kind kind; const char *key; struct fragment *text, *old; };

/* `scratch` is cleared. NULL: no memory. */
struct fragment *fragment_new(const struct rec *rec, struct hc_buf *scratch);

/* Changes are of one kind, sorted by key, each key once. */
HC_MUST enum hc_err fragments_merge(const struct fragments *cache, struct fragment_change *changes, size_t count,
                                    struct fragments *ret_next);
void fragments_adopt(struct fragments *cache, const struct fragment_change *changes, size_t count, struct fragments *next);
void fragments_drop(struct fragments *next);
void fragments_free(struct fragments *cache);                   /* with the texts */
/* All records of these sections; `kinds` has REC_SAVED_KINDS tables, those of other files are left alone. */
HC_MUST enum hc_err fragments_of(const struct alloc *from, const struct file_sections *sections, struct fragments *kinds);

/* Appends a whole file: head, sections in order, end. kinds[k] may be NULL only if no section has kind k. */
void file_write(const struct file_sections *sections, const struct fragments *const kinds[REC_SAVED_KINDS], uint64_t generation,
                hc_time saved_at, struct hc_buf *out);

#endif
