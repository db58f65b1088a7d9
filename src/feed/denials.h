/* denials.h - how often was "no" said within the last hour, by reason and on both axes (I10): minute buckets per word. */
#ifndef FEED_DENIALS_H
#define FEED_DENIALS_H

#include "hydra/feed/feed.h"

#define DENIAL_AXES      3
#define DENIAL_MINUTES   60
#define DENIAL_WORDS_MAX 512          /* per axis; over it words that have no count left make room, else "other" counts */

struct denial_word { char word[HC_NAME_SIZE]; int64_t minute[DENIAL_MINUTES]; uint64_t count[DENIAL_MINUTES]; };
struct denials { struct denial_word *words[DENIAL_AXES][DENIAL_WORDS_MAX]; size_t count[DENIAL_AXES]; };
void denials_free(struct denials *denials);
void denials_add(struct denials *denials, hc_time now, enum denial_axis axis, const char *word);      /* "" is not counted */
HC_MUST enum hc_err denials_query(const struct denials *denials, hc_time now, enum denial_axis axis, struct hc_arena *arena,
                                  struct denial_count **ret, size_t *ret_count);

#endif
