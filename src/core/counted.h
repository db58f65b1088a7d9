/* counted.h - references of immutable pieces that versions of records share: each begins with its `uint32_t refs`. Counts are changed
 * under the engine's mutex only, like those of records. */
#ifndef CORE_COUNTED_H
#define CORE_COUNTED_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline void *counted_ref(void *piece)              /* accepts NULL */
{
    uint32_t *refs = piece;
    if (refs != NULL)
        (*refs)++;
    return piece;
}

static inline bool counted_was_last(void *piece)          /* gives one back; true: nobody has it any more, free it. Accepts NULL */
{
    uint32_t *refs = piece;
    if (refs == NULL)
        return false;
    assert(*refs > 0);
    return --*refs == 0;
}

#endif
