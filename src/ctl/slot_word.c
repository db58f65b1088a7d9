#include "slot_word.h"

#include <string.h>

#include "value_text.h"

/* Why a slot without a lease is not given, as far as that says what may run there. */
static const char *const not_known[] = { "no_report", "stale_report", "not_named", "offline", "slot_lowered" };

const char *slot_word(const json_t *row)
{
    const json_t *lease = value_at(row, "lease"), *why_not = value_at(row, "why_not"), *divergence = value_at(row, "divergence");
    if (json_is_object(lease))
        return value_true(lease, "left_behind") ? "left_behind" : value_str(lease, "state");
    if (value_holds(divergence, "unauthorized_stream") || value_holds(divergence, "unknown_body"))
        return "foreign";
    for (size_t i = 0; i < sizeof not_known / sizeof not_known[0]; i++)
        if (value_holds(why_not, not_known[i]))
            return "unknown";
    if (value_true(row, "occupied"))
        return "busy";
    return value_true(row, "grantable") && json_array_size(why_not) == 0 ? "free" : "closed";
}

#define GREEN   "\033[32m"
#define YELLOW  "\033[33m"
#define BLUE    "\033[34m"
#define MAGENTA "\033[35m"
#define CYAN    "\033[36m"

const char *state_colour(const char *word)
{
    static const struct { const char *word, *colour; } rows[] = {
        { "free", GREEN },       { "streaming", BLUE },    { "adopted", BLUE },      { "held", CYAN },
        { "pairing", CYAN },     { "starting", CYAN },     { "draining", YELLOW },   { "closed", YELLOW },
        { "busy", YELLOW },      { "left_behind", MAGENTA }, { "unknown", MAGENTA }, { "foreign", COLOUR_FAULT },
        { "ok", GREEN },         { "degraded", COLOUR_FAULT }, { "approved", GREEN }, { "pending", YELLOW },
        { "denied", COLOUR_FAULT }, { "open", COLOUR_FAULT }, { "failed", COLOUR_FAULT }, { "revoked", COLOUR_FAULT },
        { "waiting", YELLOW },   { "promoted", GREEN },    { "confirm_required", CYAN }, { "down", COLOUR_FAULT },
        { "failing", COLOUR_FAULT }, { "seeking_body", YELLOW }, { "done", GREEN }, { "expired", COLOUR_FAULT },
        { "older", COLOUR_FAULT }, { "gone", COLOUR_FAULT }, { "same", GREEN },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].word, word) == 0)
            return rows[i].colour;
    return "";
}
