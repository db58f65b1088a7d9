#include "fault.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "hydra/base/arena.h"

void fault_set(const struct home *home, const char *rules)
{
    home_write(home, "faults", rules);
}

unsigned fault_hits(const struct home *home, const char *hit)
{
    if (!home_has(home, "faults.hits"))
        return 0;
    unsigned count = 0;
    char *text = home_read(home, "faults.hits"), *rest = text;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;)
        count += strcmp(line, hit) == 0;
    hc_free(text);
    return count;
}

struct wanted { const struct home *home; const char *hit; unsigned at_least; };

static bool enough_hits(void *ctx)
{
    const struct wanted *wanted = ctx;
    return fault_hits(wanted->home, wanted->hit) >= wanted->at_least;
}

void fault_wait_hits(const struct home *home, const char *hit, unsigned at_least, int64_t at_most_ms)
{
    struct wanted wanted = { home, hit, at_least };
    if (!wait_until(enough_hits, &wanted, at_most_ms))
        fail_msg("%u of %u times `%s` within %lld ms", fault_hits(home, hit), at_least, hit, (long long)at_most_ms);
}
