#include "hydra/core/records.h"

#include <stdlib.h>
#include <string.h>

#include "hydra/base/arena.h"

#include "counted.h"

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

struct strings *strings_new(const char *const *items, size_t count)
{
    struct strings *s = hc_alloc(sizeof *s + count * sizeof s->at[0]);
    if (s == NULL)
        return NULL;
    s->refs = 1;
    for (size_t i = 0; i < count; i++) {
        size_t len = strlen(items[i]);
        char *copy = hc_alloc(len + 1);
        if (copy == NULL) {
            strings_unref(s);
            return NULL;
        }
        memcpy(copy, items[i], len + 1);
        s->at[s->count++] = copy;
    }
    if (s->count > 1)
        qsort(s->at, s->count, sizeof s->at[0], by_text);
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (kept > 0 && strcmp(s->at[kept - 1], s->at[i]) == 0)
            hc_free(s->at[i]);
        else
            s->at[kept++] = s->at[i];
    }
    s->count = kept;
    return s;
}

struct strings *strings_ref(struct strings *s)
{
    return counted_ref(s);
}

void strings_unref(struct strings *s)
{
    if (!counted_was_last(s))
        return;
    for (size_t i = 0; i < s->count; i++)
        hc_free(s->at[i]);
    hc_free(s);
}

bool strings_has(const struct strings *s, const char *item)
{
    size_t low = 0, high = s == NULL ? 0 : s->count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        int order = strcmp(s->at[mid], item);
        if (order == 0)
            return true;
        if (order < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return false;
}

bool strings_same(const struct strings *a, const struct strings *b)
{
    size_t count = a == NULL ? 0 : a->count;
    if (a == b)
        return true;
    if (count != (b == NULL ? 0 : b->count))
        return false;
    for (size_t i = 0; i < count; i++)
        if (strcmp(a->at[i], b->at[i]) != 0)
            return false;
    return true;
}

struct text *text_new(const char *bytes, size_t len)
{
    struct text *t = hc_alloc(sizeof *t + len + 1);
    if (t == NULL)
        return NULL;
    t->refs = 1;
    t->len = len;
    if (len > 0)
        memcpy(t->bytes, bytes, len);
    return t;
}

struct text *text_ref(struct text *t)
{
    return counted_ref(t);
}

void text_unref(struct text *t)
{
    if (counted_was_last(t))
        hc_free(t);
}
