/* fleet_say.c - what a run tells a person: lines, progress, the summary at the end. */
#include "fleet.h"

#include <inttypes.h>
#include <stdarg.h>

#define SMALL_FLEET_HEADS 24

const char *const fleet_counter_words[FLEET_COUNTERS] = {
#define X(id, text) text,
    COUNTER_LIST(X)
#undef X
};

static void tell(struct fleet *fleet, const char *format, va_list args)
{
    if (fleet->closing)
        return;
    char line[sizeof fleet->news[0]];
    (void)vsnprintf(line, sizeof line, format, args);
    if (!fleet->screen) {
        (void)printf("%s\n", line);
        (void)fflush(stdout);
        return;
    }
    if (fleet->news_count == FLEET_NEWS_MAX)
        for (size_t i = 1; i < FLEET_NEWS_MAX; i++)
            HC_SET(fleet->news[i - 1], fleet->news[i]);
    else
        fleet->news_count++;
    HC_SET(fleet->news[fleet->news_count - 1], line);
    fleet->screen_at = 0;
}

void fleet_say(struct fleet *fleet, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tell(fleet, format, args);
    va_end(args);
}

void fleet_news(struct fleet *fleet, const char *format, ...)
{
    if (!fleet->screen && !fleet->options->verbose && fleet->scenario->head_count > SMALL_FLEET_HEADS)
        return;
    va_list args;
    va_start(args, format);
    tell(fleet, format, args);
    va_end(args);
}

const char *fleet_ordinal(uint32_t n, char out[16])
{
    static const char *const ends[] = { "th", "st", "nd", "rd" };
    bool teen = n % 100 / 10 == 1;
    (void)snprintf(out, 16, "%u%s", n, !teen && n % 10 < 4 ? ends[n % 10] : "th");
    return out;
}

void fleet_progress(struct fleet *fleet)
{
    (void)printf("%5" PRId64 " s: %zu pictures from %zu bodies, %zu in line, %" PRIu64 " slots given, %" PRIu64 " pictures so far, %" PRIu64
                 " requests, %" PRIu64 " conflicts\n",
                 fleet->now_ms / 1000, truth_pictures(fleet->truth), fleet->scenario->body_count, fleet->waiting,
                     fleet->counts[COUNT_GRANTS],
                 fleet->counts[COUNT_PICTURES], fleet->counts[COUNT_REQUESTS], truth_conflicts(fleet->truth));
    (void)fflush(stdout);
}

void fleet_summary(struct fleet *fleet)
{
    size_t met = 0;
    for (size_t i = 0; i < fleet->scenario->expect_count; i++)
        met += fleet->expect_states[i] == 1;
    (void)printf("after %" PRId64 " simulated seconds:", fleet->now_ms / 1000);
    for (size_t i = 0; i < FLEET_COUNTERS; i++)
        if (fleet->counts[i] > 0)
            (void)printf(" %" PRIu64 " %s,", fleet->counts[i], fleet_counter_words[i]);
    (void)printf(" %" PRIu64 " conflicts\n", truth_conflicts(fleet->truth));
    if (fleet->scenario->expect_count > 0)
        (void)printf("%zu of %zu expectations met\n", met, fleet->scenario->expect_count);
    (void)printf("%s\n", fleet->violations == 0 ? "no two heads held one slot" : "FAILED: see CONFLICT, CHECK and UNMET above");
    (void)fflush(stdout);
}
