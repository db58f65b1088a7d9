/* field.h - tables of fields over the structs of the core, and what is done by them: one line of JSON out and in, a digest, a comparison
 * that names the first difference.
 *
 * The wire's and the store's tables describe what others may see; these describe everything, as it stands in memory, so that a state can
 * be written down and taken up again exactly. A key is the member's own name. A field that has no value is not written. */
#ifndef JOURNAL_FIELD_H
#define JOURNAL_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hydra/base/arena.h"
#include "hydra/base/buf.h"
#include "hydra/base/words.h"
#include "seal.h"

#define FIELD_ITEMS_MAX 65536            /* elements of one array */
#define FIELD_PATH_MAX  160

enum journal_type {
    J_CHARS,          /* char[size], NUL-terminated */
    J_TEXT,           /* const char *: "" is no value, NULL is written as null */
    J_COUNTED_TEXT,   /* struct text *, NULL is no value */
    J_BOOL, J_U32, J_I32, J_U64, J_I64,
    J_TIME,           /* hc_time, in ms */
    J_WORD,           /* an enum: its word in `words`; a number when the list has none */
    J_PART,           /* a struct of `sub` at the offset */
    J_INLINE,         /* an array of `sub` at the offset with room for `size`; how many is at `count_at`, without one all of them */
    J_ARRAY,          /* a pointer to an array of `sub`; how many is at `count_at` */
    J_LIST,           /* const char *const *, how many is at `count_at` */
    J_STRINGS,        /* struct strings *, NULL is no value */
    J_PAIRED,         /* struct paired *, NULL is no value */
    J_RARE            /* struct node_rare *, NULL is no value */
};
#define J_NO_COUNT ((size_t)-1)

struct journal_table;
struct journal_field {
    const char *key;
    enum journal_type type;
    size_t offset, size, count_at;
    bool secret;                         /* CHARS, TEXT, COUNTED_TEXT: sealed on its way to the disk */
    const struct journal_table *sub;
    const struct hc_words *words;
};
struct journal_table {
    const char *name;
    const struct journal_field *fields;
    size_t count, size;
    size_t begin;                        /* the fields describe the bytes from here to `size` */
    bool bare;                           /* one field, whose value stands for the whole */
    const struct journal_table *(*brief)(const void *object);   /* what the digest covers of this one; NULL: all */
};

#define J_AT(T, member) .key = #member, .offset = offsetof(T, member)
#define J_SIZEOF(T, member) sizeof(((T *)0)->member)
#define J_CHARS_ROW(T, member)        { J_AT(T, member), .type = J_CHARS, .size = J_SIZEOF(T, member) }
#define J_SECRET_ROW(T, member)       { J_AT(T, member), .type = J_CHARS, .size = J_SIZEOF(T, member), .secret = true }
#define J_TEXT_ROW(T, member)         { J_AT(T, member), .type = J_TEXT }
#define J_SECRET_TEXT_ROW(T, member)  { J_AT(T, member), .type = J_TEXT, .secret = true }
#define J_ROW(T, member, type_)       { J_AT(T, member), .type = type_ }
#define J_WORD_ROW(T, member, words_) { J_AT(T, member), .type = J_WORD, .words = &words_ }
#define J_PART_ROW(T, member, sub_)   { J_AT(T, member), .type = J_PART, .sub = &sub_ }
#define J_INLINE_ROW(T, member, count_, sub_) \
    { J_AT(T, member), .type = J_INLINE, .size = J_SIZEOF(T, member) / sizeof(((T *)0)->member[0]), .count_at = offsetof(T, count_), \
      .sub = &sub_ }
#define J_FIXED_ROW(T, member, sub_) \
    { J_AT(T, member), .type = J_INLINE, .size = J_SIZEOF(T, member) / sizeof(((T *)0)->member[0]), .count_at = J_NO_COUNT, .sub = &sub_ }
#define J_ARRAY_ROW(T, member, count_, sub_) { J_AT(T, member), .type = J_ARRAY, .count_at = offsetof(T, count_), .sub = &sub_ }
#define J_LIST_ROW(T, member, count_) { J_AT(T, member), .type = J_LIST, .count_at = offsetof(T, count_) }
#define J_TABLE(name_, rows_, T)      { .name = name_, .fields = rows_, .count = sizeof rows_ / sizeof rows_[0], .size = sizeof(T) }
#define J_BARE(name_, rows_, size_)   { .name = name_, .fields = rows_, .count = 1, .size = size_, .bare = true }

/* ---- field.c ---- */
size_t field_count(const struct journal_field *field, const void *object);           /* elements of an array */
const char *field_element(const struct journal_field *field, const void *object, size_t i);
bool field_has_value(const struct journal_field *field, const void *object);
bool table_has_value(const struct journal_table *table, const void *object);
size_t field_span(const struct journal_field *field);                                /* bytes of the struct that it takes */

/* ---- field_write.c ---- */
/* {"key":value,...}, or the value alone of a bare table. Secrets are sealed by `seal`. */
void table_write(const struct journal_table *table, const void *object, struct seal *seal, struct hc_buf *out);

/* ---- field_read.c ---- */
struct text_in {
    const char *at, *end;
    struct hc_arena *arena;              /* for what an event points to; NULL: arrays and texts are of the heap, as records own them */
    struct seal *seal;
    struct hc_diag *diag;                /* says what and where */
};
/* Fills a zeroed object. HC_ERR_SYNTAX, HC_ERR_SCHEMA, HC_ERR_NOMEM; what was read until then is consistent, so that it can be freed. */
HC_MUST enum hc_err table_read(const struct journal_table *table, struct text_in *in, void *object);

/* ---- field_digest.c ---- */
#define DIGEST_START UINT64_C(0x9e3779b97f4a7c15)
uint64_t digest_bytes(uint64_t digest, const void *bytes, size_t len);
uint64_t digest_number(uint64_t digest, uint64_t number);
uint64_t table_digest(uint64_t digest, const struct journal_table *table, const void *object);

/* ---- field_differ.c ---- */
/* Path of the first field that differs and both values, as "slots[0].epoch: 7, not 8" with `b`'s value first; false: all are equal. */
bool table_differ(const struct journal_table *table, const void *a, const void *b, char out[FIELD_PATH_MAX]);

#endif
