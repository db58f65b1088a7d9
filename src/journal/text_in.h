/* text_in.h - the JSON of our own lines, read without a tree: the tables say what comes next. Anything else is refused with its place. */
#ifndef JOURNAL_TEXT_IN_H
#define JOURNAL_TEXT_IN_H

#include "field.h"
#include "hydra/base/err.h"

enum hc_err text_fail(struct text_in *in, enum hc_err err, const char *what);        /* returns err, with a piece of the text */
bool text_take(struct text_in *in, char c);                                          /* after spaces; false: something else is there */
HC_MUST enum hc_err text_expect(struct text_in *in, char c);
bool text_take_word(struct text_in *in, const char *word);                           /* true, false, null */
HC_MUST enum hc_err text_i64(struct text_in *in, int64_t *ret);
HC_MUST enum hc_err text_u64(struct text_in *in, uint64_t *ret);
/* A string, unescaped, in a buffer of the heap: the caller frees it. */
HC_MUST enum hc_err text_string(struct text_in *in, char **ret, size_t *ret_len);
/* A short string into `out`; longer is refused. */
HC_MUST enum hc_err text_chars(struct text_in *in, char *out, size_t size);
/* The next key of an object whose '{' has been taken, or its end (*ret_end). `count`: keys so far. Takes the ':' too. */
HC_MUST enum hc_err text_key(struct text_in *in, size_t count, char *out, size_t size, bool *ret_end);
HC_MUST enum hc_err text_end(struct text_in *in);                                    /* nothing but spaces is left */

#endif
