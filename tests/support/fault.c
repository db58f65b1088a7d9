#include "fault.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "hydra/base/arena.h"
#include "process.h"

void fault_environment(struct fault_environment *env, const struct home *home, bool faults)
{
    *env = (struct fault_environment){ .vars = { NULL } };
    if (!faults)
        return;
    char library[512], control[HOME_PATH_SIZE];
    program_path("HYDRA_FAULTFS", "faultfs.so", library, sizeof library);
    home_path(home, "faults", control);
    const char *asan = getenv("ASAN_OPTIONS");
    (void)snprintf(env->preload, sizeof env->preload, "LD_PRELOAD=%s", library);
    (void)snprintf(env->file, sizeof env->file, "HYDRA_FAULT_FILE=%s", control);
    /* The address sanitizer wants to be the first library; it works behind ours too. */
    (void)snprintf(env->sanitizer, sizeof env->sanitizer, "ASAN_OPTIONS=%s%sverify_asan_link_order=0", asan == NULL ? "" : asan,
                   asan == NULL ? "" : ":");
    env->vars[0] = env->preload;
    env->vars[1] = env->file;
    env->vars[2] = env->sanitizer;
}

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
