#include "denials.h"

#include <assert.h>
#include <string.h>

#define OTHER_WORD "other"

_Static_assert(DENIAL_BY_BODY_VENUE + 1 == DENIAL_AXES, "one list of words per axis");

void denials_free(struct denials *denials)
{
    for (size_t axis = 0; axis < DENIAL_AXES; axis++)
        for (size_t i = 0; i < denials->count[axis]; i++)
            hc_free(denials->words[axis][i]);
    memset(denials, 0, sizeof *denials);
}

static uint64_t within_hour(const struct denial_word *word, int64_t minute)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < DENIAL_MINUTES; i++)
        if (minute - word->minute[i] < DENIAL_MINUTES)
            sum += word->count[i];
    return sum;
}

static struct denial_word *word_find_in(struct denials *denials, size_t axis, const char *word)
{
    for (size_t i = 0; i < denials->count[axis]; i++)
        if (hc_same(denials->words[axis][i]->word, word))
            return denials->words[axis][i];
    return NULL;
}

static struct denial_word *word_new(struct denials *denials, size_t axis, const char *word)
{
    struct denial_word *made = hc_alloc(sizeof *made);
    if (made == NULL)
        return NULL;
    HC_SET(made->word, word);
    denials->words[axis][denials->count[axis]++] = made;
    return made;
}

/* The last place is kept for "other". */
static struct denial_word *word_make(struct denials *denials, size_t axis, const char *word, int64_t minute)
{
    if (denials->count[axis] + 1 < DENIAL_WORDS_MAX)
        return word_new(denials, axis, word);
    for (size_t i = 0; i < denials->count[axis]; i++) {
        struct denial_word *old = denials->words[axis][i];
        if (within_hour(old, minute) != 0)
            continue;
        memset(old, 0, sizeof *old);
        HC_SET(old->word, word);
        return old;
    }
    struct denial_word *other = word_find_in(denials, axis, OTHER_WORD);
    return other != NULL || denials->count[axis] == DENIAL_WORDS_MAX ? other : word_new(denials, axis, OTHER_WORD);
}

void denials_add(struct denials *denials, hc_time now, enum denial_axis axis, const char *word)
{
    assert((size_t)axis < DENIAL_AXES);
    if (word == NULL || word[0] == '\0')
        return;
    int64_t minute = now.ms / HC_MINUTE_MS;
    struct denial_word *entry = word_find_in(denials, axis, word);
    if (entry == NULL)
        entry = word_make(denials, axis, word, minute);
    if (entry == NULL)
        return;                               /* no memory: a count for people, not worth more */
    size_t bucket = (size_t)(minute % DENIAL_MINUTES);
    if (entry->minute[bucket] != minute) {
        entry->minute[bucket] = minute;
        entry->count[bucket] = 0;
    }
    entry->count[bucket]++;
}

enum hc_err denials_query(const struct denials *denials, hc_time now, enum denial_axis axis, struct hc_arena *arena,
                          struct denial_count **ret, size_t *ret_count)
{
    assert((size_t)axis < DENIAL_AXES);
    struct denial_count *rows = hc_arena_array(arena, denials->count[axis] + 1, sizeof rows[0]);
    if (rows == NULL)
        return HC_ERR_NOMEM;
    size_t count = 0;
    for (size_t i = 0; i < denials->count[axis]; i++) {
        const struct denial_word *word = denials->words[axis][i];
        uint64_t sum = within_hour(word, now.ms / HC_MINUTE_MS);
        if (sum == 0)
            continue;
        HC_SET(rows[count].word, word->word);
        rows[count++].count = sum;
    }
    *ret = rows;
    *ret_count = count;
    return HC_OK;
}
