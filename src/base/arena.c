#include "hydra/base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_MIN 4064
#define ALIGN     _Alignof(max_align_t)

struct hc_arena_block { struct hc_arena_block *next; size_t used, size; max_align_t data[]; };

/* Armed by tests only, before threads exist; a plain counter is enough. */
static _Thread_local unsigned fail_countdown;

void hc_alloc_fail_after(unsigned n)
{
    fail_countdown = n;
}

static int must_fail(void)
{
    return fail_countdown != 0 && --fail_countdown == 0;
}

void *hc_alloc(size_t size)
{
    return must_fail() ? NULL : calloc(1, size == 0 ? 1 : size);
}

void *hc_realloc(void *old, size_t size)
{
    return must_fail() ? NULL : realloc(old, size == 0 ? 1 : size);
}

void hc_free(void *p)
{
    free(p);
}

void *hc_arena_alloc(struct hc_arena *arena, size_t size)
{
    if (size > SIZE_MAX / 2)
        return NULL;
    size = (size + ALIGN - 1) / ALIGN * ALIGN;
    struct hc_arena_block *block = arena->head;
    if (block == NULL || block->size - block->used < size) {
        size_t want = size > BLOCK_MIN ? size : BLOCK_MIN;
        block = hc_alloc(sizeof *block + want);
        if (block == NULL)
            return NULL;
        block->size = want;
        /* A large allocation gets a block of its own behind the current one, whose rest stays usable. */
        if (arena->head != NULL && size > BLOCK_MIN) {
            block->next = arena->head->next;
            arena->head->next = block;
        } else {
            block->next = arena->head;
            arena->head = block;
        }
    }
    void *p = (char *)block->data + block->used;
    block->used += size;
    arena->used_total += size;
    return p;
}

void *hc_arena_array(struct hc_arena *arena, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size)
        return NULL;
    return hc_arena_alloc(arena, count * size);
}

char *hc_arena_strndup(struct hc_arena *arena, const char *text, size_t len)
{
    char *copy = hc_arena_alloc(arena, len + 1);
    if (copy != NULL)
        memcpy(copy, text, len);
    return copy;
}

char *hc_arena_strdup(struct hc_arena *arena, const char *text)
{
    return hc_arena_strndup(arena, text, strlen(text));
}

char *hc_arena_printf(struct hc_arena *arena, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = len < 0 ? NULL : hc_arena_alloc(arena, (size_t)len + 1);
    if (text != NULL)
        (void)vsnprintf(text, (size_t)len + 1, format, again);
    va_end(again);
    return text;
}

void hc_arena_free(struct hc_arena *arena)
{
    for (struct hc_arena_block *block = arena->head; block != NULL;) {
        struct hc_arena_block *next = block->next;
        hc_free(block);
        block = next;
    }
    *arena = (struct hc_arena){ 0 };
}
