/* json.h - JSON by field table (wire §0). jansson parses; text is written straight from the tables. */
#ifndef HYDRA_CODEC_JSON_H
#define HYDRA_CODEC_JSON_H

#include "hydra/codec/field.h"

#define JSON_NESTING_MAX 32
#define JSON_REFUSAL_MAX 200

/* `field` is a path: slots[2].state; "" for the whole. `detail` is one sentence for a person. */
struct json_refusal { char field[JSON_REFUSAL_MAX]; char detail[JSON_REFUSAL_MAX]; };

/* Reads `len` bytes. Unknown keys are ignored; null is absent; repeated keys, malformed text, deep nesting, NUL, a wrong type or a value
 * over its limit are refused: HC_ERR_SYNTAX or HC_ERR_SCHEMA with `ret_refusal` filled. `object` is zeroed first. An empty text
 * (len 0) reads as {} only when `empty_ok`. HC_ERR_NOMEM. */
HC_MUST enum hc_err json_read(const struct codec_table *table, const char *text, size_t len, bool empty_ok, struct hc_arena *arena,
                              void *object, struct json_refusal *ret_refusal);

/* The same for a line of our own files, much faster: keys in the order of the rows, plain texts, whole numbers, booleans. HC_ERR_SYNTAX
 * for whatever looks otherwise, also when it is good JSON: then json_read() says what it is. What is read here, json_read() reads alike. */
HC_MUST enum hc_err json_read_own(const struct codec_table *table, const char *line, size_t len, struct hc_arena *arena, void *object);

/* Appends one object in the order of the rows. Every row is written unless CODEC_OMIT_EMPTY says otherwise. */
void json_write(const struct codec_table *table, const void *object, struct hc_buf *out);
/* Appends the members only, without braces; for objects put together from several tables. `first`: no leading comma. Returns
 * false when nothing was written. */
bool json_write_members(const struct codec_table *table, const void *object, bool first, struct hc_buf *out);
/* Appends a bare array of `count` structs of table->size bytes each. */
void json_write_array(const struct codec_table *table, const void *objects, size_t count, struct hc_buf *out);

#endif
