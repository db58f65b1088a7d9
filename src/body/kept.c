#include "kept.h"

#include <assert.h>

void *kept_new(size_t size)
{
    struct kept *kept = hc_alloc(size);
    if (kept != NULL)
        kept->users = 1;
    return kept;
}

void kept_use(struct kept *kept)
{
    assert(kept->users > 0);
    kept->users++;
}

void kept_drop(struct kept *kept)
{
    if (kept == NULL)
        return;
    assert(kept->users > 0);
    if (--kept->users > 0)
        return;
    hc_arena_free(&kept->arena);
    hc_free(kept);
}
