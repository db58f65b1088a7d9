/* field.h - one row describes one field: how it is read, written, limited and named, in JSON and in YAML alike.
 *
 * A table describes one C struct. Reading fills the struct by offsets; what a row's type says about its C type is the
 * contract (a mismatch is our bug). Memory for TEXT, LIST, STRS, U64S, RAW comes from the arena given to the reader. */
#ifndef HYDRA_CODEC_FIELD_H
#define HYDRA_CODEC_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hydra/base/arena.h"
#include "hydra/base/buf.h"
#include "hydra/base/err.h"
#include "hydra/base/words.h"

enum codec_type {
    CODEC_STR,       /* char[limit + 1] in the struct; UTF-8 without control characters, at most `limit` bytes */
    CODEC_ID,        /* char[HC_ID_SIZE]; hc_id_ok(), or "" with CODEC_EMPTY_OK */
    CODEC_NAME,      /* char[HC_NAME_SIZE]; hc_name_ok(), or "" with CODEC_EMPTY_OK */
    CODEC_TEXT,      /* const char *; UTF-8, line ends and tabs allowed, at most `limit` bytes */
    CODEC_BOOL,      /* bool */
    CODEC_U32,       /* uint32_t, at most `limit` */
    CODEC_U64,       /* uint64_t, at most `limit` (and 2^53-1 in JSON) */
    CODEC_I64,       /* int64_t, magnitude at most `limit` */
    CODEC_WORD,      /* an enum (int-sized): index into the `words` table; other words are refused */
    CODEC_TIME,      /* hc_time; RFC 3339; HC_TIME_NEVER is written as null or left out */
    CODEC_SECONDS,   /* int64_t milliseconds in memory, whole seconds outside (rounded up; CODEC_PAST: down); negative is written as
                        null; reading: at most `limit` seconds unless `limit` is 0 */
    CODEC_DURATION,  /* int64_t milliseconds in memory, "90s" outside; negative is written as null; reading: at most `limit` ms unless
                        `limit` is 0 */
    CODEC_OBJECT,    /* a struct at the offset; `sub` is its table */
    CODEC_LIST,      /* struct codec_list of structs of `sub`; at most `limit` items */
    CODEC_STRS,      /* struct codec_list of const char *; at most `limit` items of at most `item_limit` bytes, hc_name rules */
    CODEC_U64S,      /* struct codec_list of uint64_t; at most `limit` items */
    CODEC_RAW,       /* const char *: any JSON value, kept as compact text of at most `limit` bytes (JSON only) */
    CODEC_TYPES
};

enum codec_flag {
    CODEC_REQUIRED = 1,      /* absent or null is a refusal */
    CODEC_EMPTY_OK = 2,      /* ID, NAME: "" is allowed */
    CODEC_OMIT_EMPTY = 4,    /* writing: left out when it has no value ("", NULL, HC_TIME_NEVER, negative seconds, false, empty list) */
    CODEC_NULL_EMPTY = 8,    /* writing JSON: such a value is written as null ("" and NULL; empty lists stay []) */
    CODEC_NULLABLE_OBJECT = 16, /* OBJECT: `null_flag` is the offset of a bool that says "there is one"; reading sets it */
    CODEC_ID_ITEMS = 32,     /* STRS: each item is an id rather than a name */
    /* ID, NAME, reading: a text of a stranger that breaks the rules is read as "", and the bool at `null_flag` set */
    CODEC_LENIENT = 128,
    CODEC_PAST = 64          /* SECONDS: an age, written rounded down: 0.6 s have not been a second yet */
};

struct codec_list { void *items; size_t count; };   /* items is NULL when count is 0 */

struct codec_table;
struct codec_field {
    const char *key;
    enum codec_type type;
    size_t offset;
    uint64_t limit;
    unsigned flags;
    const struct codec_table *sub;      /* OBJECT, LIST */
    const struct hc_words *words;       /* WORD */
    size_t item_limit;                  /* STRS */
    size_t null_flag;                   /* CODEC_NULLABLE_OBJECT, CODEC_LENIENT */
};

#define CODEC_NO_PRESENT ((size_t)-1)
struct codec_table {
    const char *name;                   /* for messages: "claim", "lease" */
    const struct codec_field *fields;
    size_t count;                       /* at most 64 rows */
    size_t size;                        /* sizeof the struct */
    size_t present;                     /* offset of a uint64_t: bit i is set when row i was there and not null; CODEC_NO_PRESENT: none */
};
#define CODEC_TABLE(name_, rows_, type_, present_) { name_, rows_, sizeof rows_ / sizeof rows_[0], sizeof(type_), present_ }

/* Is the row with this key set in the struct's present word? Asserts that the table has the row and a present word. */
bool codec_has(const struct codec_table *table, const void *object, const char *key);

/* Index of `word` in the table, or -1. */
int codec_word_index(const struct hc_words *words, const char *word);

#endif
