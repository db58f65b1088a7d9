/* value.h - what JSON and YAML share: does a value suit its row, and into the struct with it; and what counts as no value. */
#ifndef HYDRA_CODEC_VALUE_H
#define HYDRA_CODEC_VALUE_H

#include "hydra/codec/field.h"

#define VALUE_JSON_INTEGER_MAX ((((uint64_t)1) << 53) - 1)    /* what every JSON reader keeps exactly */

/* The rest of a sentence that begins with the field: "is longer than 64 bytes". */
struct value_fault { char text[200]; };
enum hc_err value_refuse(struct value_fault *fault, const char *format, ...) HC_PRINTF(2, 3);    /* returns HC_ERR_SCHEMA */

static inline void *value_at(const struct codec_field *row, void *object) { return (char *)object + row->offset; }
static inline const void *value_of(const struct codec_field *row, const void *object) { return (const char *)object + row->offset; }

bool value_is_text(enum codec_type type);       /* STR, ID, NAME, TEXT, WORD, TIME, DURATION */
bool value_is_integer(enum codec_type type);    /* U32, U64, I64, SECONDS */

/* Check and store. HC_ERR_SCHEMA with `fault` filled, HC_ERR_NOMEM. */
HC_MUST enum hc_err value_set_text(const struct codec_field *row, const char *text, struct hc_arena *arena, void *object,
                                   struct value_fault *fault);
HC_MUST enum hc_err value_set_integer(const struct codec_field *row, bool negative, uint64_t magnitude, void *object,
                                      struct value_fault *fault);
/* LIST, STRS, U64S: checks the count, gives the list zeroed items (*ret_items; NULL when there are none). */
HC_MUST enum hc_err value_set_list(const struct codec_field *row, size_t count, struct hc_arena *arena, void *object, void **ret_items,
                                   struct value_fault *fault);
HC_MUST enum hc_err value_item_text(const struct codec_field *row, const char *text, struct hc_arena *arena, const char **ret_item,
                                    struct value_fault *fault);
HC_MUST enum hc_err value_item_integer(bool negative, uint64_t magnitude, uint64_t *ret_item, struct value_fault *fault);
/* An OBJECT is there: says so in its null_flag. */
void value_set_there(const struct codec_field *row, void *object);
void value_set_present(const struct codec_table *table, size_t row, void *object);

/* No value: "", NULL, never, negative time, false, an empty list, an object that is not there. Numbers always are values. */
bool value_empty(const struct codec_field *row, const void *object);
const char *value_word(const struct codec_field *row, const void *object);
int64_t value_seconds(const struct codec_field *row, int64_t ms);    /* rounded as the row says */
void value_write_duration(int64_t ms, struct hc_buf *out);          /* "90s": the largest unit that divides it */

#endif
