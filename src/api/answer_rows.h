/* answer_rows.h - rows of answers over core structs, and the members that no row can write: masks of words, numbers that may be unknown.
 *
 * "Every key is always there; unknown values are null" (wire §5): texts, words and lists of these rows say null when they are empty. */
#ifndef API_ANSWER_ROWS_H
#define API_ANSWER_ROWS_H

#include "hydra/base/time.h"
#include "hydra/codec/json.h"

#define OUT(type_, key_, kind_, member_) { .key = (key_), .type = (kind_), .offset = offsetof(type_, member_), .flags = CODEC_NULL_EMPTY }
#define OUT_TEXT(type_, key_, member_)    OUT(type_, key_, CODEC_STR, member_)
#define OUT_BOOL(type_, key_, member_)    OUT(type_, key_, CODEC_BOOL, member_)
#define OUT_U32(type_, key_, member_)     OUT(type_, key_, CODEC_U32, member_)
#define OUT_U64(type_, key_, member_)     OUT(type_, key_, CODEC_U64, member_)
#define OUT_TIME(type_, key_, member_)    OUT(type_, key_, CODEC_TIME, member_)
#define OUT_SECONDS(type_, key_, member_) OUT(type_, key_, CODEC_SECONDS, member_)        /* from ms, rounded up; negative: null */
#define OUT_AGE(type_, key_, member_) \
    { .key = (key_), .type = CODEC_SECONDS, .offset = offsetof(type_, member_), .flags = CODEC_NULL_EMPTY | CODEC_PAST }
#define OUT_STRS(type_, key_, member_)    OUT(type_, key_, CODEC_STRS, member_)
#define OUT_WORD(type_, key_, member_, words_) \
    { .key = (key_), .type = CODEC_WORD, .offset = offsetof(type_, member_), .flags = CODEC_NULL_EMPTY, .words = &(words_) }
#define OUT_TABLE(name_, rows_, type_) CODEC_TABLE(name_, rows_, type_, CODEC_NO_PRESENT)

void json_mask(uint32_t mask, const struct hc_words *words, struct hc_buf *out);            /* ["leased","xr"] */
/* Each appends `,"key":` and the value. */
void member_mask(const char *key, uint32_t mask, const struct hc_words *words, struct hc_buf *out);
void member_u64(const char *key, bool known, uint64_t value, struct hc_buf *out);
void member_text(const char *key, const char *text, struct hc_buf *out);                    /* "" and NULL: null */
void member_instant(const char *key, hc_time at, struct hc_buf *out);                          /* NEVER: null */
void member_bool(const char *key, bool value, struct hc_buf *out);

struct strings;
struct codec_list strings_list(const struct strings *strings);                              /* borrowed, for writing; NULL: empty */

#endif
