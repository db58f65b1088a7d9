/* arena.h - memory that is freed as a whole: one arena per HTTP request, per answer, per parsed file.
 *
 * Allocations are aligned for any object, zeroed, and live until hc_arena_free(). NULL means no memory; every caller
 * passes that on as HC_ERR_NOMEM. Not thread-safe: one owner at a time. */
#ifndef HYDRA_BASE_ARENA_H
#define HYDRA_BASE_ARENA_H

#include <stddef.h>

#include "hydra/base/err.h"

struct hc_arena { struct hc_arena_block *head; size_t used_total; };

void *hc_arena_alloc(struct hc_arena *arena, size_t size);
void *hc_arena_array(struct hc_arena *arena, size_t count, size_t size);      /* NULL too when count*size overflows */
char *hc_arena_strdup(struct hc_arena *arena, const char *text);
char *hc_arena_strndup(struct hc_arena *arena, const char *text, size_t len);
char *hc_arena_printf(struct hc_arena *arena, const char *format, ...) HC_PRINTF(2, 3);
void hc_arena_free(struct hc_arena *arena);                                   /* leaves it empty and usable */

/* Tests: let the n-th allocation from now on fail (1 = the next), in every arena and hc_buf; 0 switches it off. */
void hc_alloc_fail_after(unsigned n);
void *hc_alloc(size_t size);                /* zeroed; the counted entry to malloc for base, core, store and engine */
void *hc_realloc(void *old, size_t size);
void hc_free(void *p);                      /* accepts NULL */

#endif
