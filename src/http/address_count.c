#include "address_count.h"

#include <assert.h>
#include <string.h>

#include "hydra/base/arena.h"
#include "hydra/os/random.h"

/* Open addressing, at most half full, so that every probe ends soon. The start value is random: peers choose their addresses. */
struct place { struct http_address address; unsigned count; };   /* count 0: empty */
struct address_count { size_t mask; size_t used, room; uint64_t start; struct place places[]; };

struct address_count *address_count_new(unsigned addresses)
{
    size_t size = 16;
    while (size < 2 * (size_t)addresses)
        size *= 2;
    struct address_count *counts = hc_alloc(sizeof *counts + size * sizeof counts->places[0]);
    if (counts == NULL)
        return NULL;
    counts->mask = size - 1;
    counts->room = size / 2;
    os_random(&counts->start, sizeof counts->start);
    return counts;
}

void address_count_free(struct address_count *counts)
{
    hc_free(counts);
}

static size_t home_of(const struct address_count *counts, const struct http_address *address)
{
    uint64_t halves[2];
    memcpy(halves, address->bytes, sizeof halves);
    uint64_t mixed = counts->start ^ halves[0];
    mixed = (mixed ^ (mixed >> 32)) * UINT64_C(0x9fb21c651e98df25);
    mixed ^= halves[1];
    mixed = (mixed ^ (mixed >> 29)) * UINT64_C(0x9fb21c651e98df25);
    return (size_t)(mixed ^ (mixed >> 32)) & counts->mask;
}

/* The address's place, or the empty place where it belongs. */
static size_t place_of(const struct address_count *counts, const struct http_address *address)
{
    size_t at = home_of(counts, address);
    while (counts->places[at].count != 0 && !http_address_same(&counts->places[at].address, address))
        at = (at + 1) & counts->mask;
    return at;
}

unsigned address_count_get(const struct address_count *counts, const struct http_address *address)
{
    return counts->places[place_of(counts, address)].count;
}

void address_count_add(struct address_count *counts, const struct http_address *address)
{
    struct place *place = &counts->places[place_of(counts, address)];
    if (place->count == 0) {
        assert(counts->used < counts->room);
        place->address = *address;
        counts->used++;
    }
    place->count++;
}

void address_count_drop(struct address_count *counts, const struct http_address *address)
{
    size_t hole = place_of(counts, address);
    assert(counts->places[hole].count > 0);
    if (--counts->places[hole].count > 0)
        return;
    counts->used--;
    /* Close the gap: whatever follows and could not be found past the hole moves into it. */
    for (size_t at = (hole + 1) & counts->mask; counts->places[at].count != 0; at = (at + 1) & counts->mask) {
        size_t home = home_of(counts, &counts->places[at].address);
        if (((at - home) & counts->mask) >= ((at - hole) & counts->mask)) {
            counts->places[hole] = counts->places[at];
            counts->places[at].count = 0;
            hole = at;
        }
    }
}
