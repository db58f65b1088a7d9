/* venue_label.c - which venues have series of their own. A head may be enrolled as standing anywhere, by everybody who has the fleet token:
 * names that no admin has PUT and where no body stands share one series, so that metrics are bounded by venues and bodies. */
#include <string.h>

#include "engine_state.h"
#include "hydra/base/id.h"
#include "hydra/os/clock.h"

#define REMEMBER_MS 10000         /* a venue that was PUT has its series after so long at the latest */

static bool look(struct engine *e, const char *venue)
{
    engine_lock(e);
    bool known = venue_is_known(e->committed, venue);
    engine_unlock(e);
    return known;
}

const char *venue_label(struct engine *e, const char *venue)
{
    if (venue[0] == '\0')
        return venue;
    struct venue_answer *answer = &e->venues[hc_fnv1a64(HC_FNV1A64_START, venue) % VENUES_REMEMBERED];
    int64_t now_ms = os_monotonic_ms();
    if (strcmp(answer->venue, venue) != 0 || now_ms >= answer->until_ms) {
        HC_SET(answer->venue, venue);
        answer->known = look(e, venue);
        answer->until_ms = now_ms + REMEMBER_MS;
    }
    return answer->known ? venue : VENUE_OTHER;
}
