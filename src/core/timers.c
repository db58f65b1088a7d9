#include "hydra/core/config.h"

#include <string.h>

#define X(field, text, default_ms, why) { text, offsetof(struct timers, field##_ms), default_ms, why },
const struct timer_row timer_rows[] = { TIMER_LIST(X) };
#undef X
const size_t timer_row_count = sizeof timer_rows / sizeof timer_rows[0];

#define TICK_OF_HEADS_MS   30000      /* shipping heads beat that often */
#define GETSERVERCERT_MS   180000     /* a legacy getservercert alone may block that long */
#define BODY_DEDUP_MS      45000      /* a body repeats an unchanged report at the latest after that */
#define BODY_GRACE_MS      30000      /* its reconnect grace */
#define BODY_POST_MS       5000
#define TICK_LEAST_MS      10         /* a tick of 0 would spin; even tests need no shorter one */
#define LEAST_MS           1000       /* of all but claimThrottleWindow, which 0s switches off: what has no time to happen never does */
#define HEAD_TIMEOUT_MS    15000      /* heads give a request up after that */

struct ordering { size_t offset; bool above; int64_t limit_ms; const char *text; };
static const struct ordering orderings[] = {
    { offsetof(struct timers, soft_hold_initial_ms), true, TICK_OF_HEADS_MS,
        "softHoldInitial must be above 30 s, the tick that renews it" },
    { offsetof(struct timers, start_deadline_legacy_ms), true, GETSERVERCERT_MS,
        "startDeadlineLegacy must be above 180 s, a blocking getservercert" },
    { offsetof(struct timers, lease_ttl_ms), true, BODY_DEDUP_MS, "leaseTTL must be above 45 s, the body's dedup ceiling" },
    { offsetof(struct timers, drain_grace_ms), true, BODY_GRACE_MS + BODY_POST_MS,
        "drainGrace must be above 35 s, the body's grace plus one post" },
    { offsetof(struct timers, idempotency_window_ms), false, HEAD_TIMEOUT_MS,
        "implicitIdempotencyWindow must be below 15 s, the heads' time-out" },
    { offsetof(struct timers, claim_wait_ms), false, HEAD_TIMEOUT_MS, "claimWait must be below 15 s, the heads' time-out" },
    { offsetof(struct timers, renew_write_quantum_ms), false, TICK_OF_HEADS_MS, "renewWriteQuantum must be below 30 s" },
};

static int64_t *timer_at(struct timers *timers, size_t offset)
{
    return (int64_t *)(void *)((char *)timers + offset);
}

void timers_default(struct timers *timers)
{
    for (size_t i = 0; i < timer_row_count; i++)
        *timer_at(timers, timer_rows[i].offset) = timer_rows[i].default_ms;
}

enum hc_err timers_set(struct timers *timers, const char *name, int64_t ms, struct hc_diag *diag)
{
    for (size_t i = 0; i < timer_row_count; i++) {
        if (strcmp(timer_rows[i].name, name) != 0)
            continue;
        if (ms < 0)
            return hc_fail(diag, HC_ERR_RANGE, "timer %s: a duration is not negative", name);
        if (timer_rows[i].offset == offsetof(struct timers, watchdog_tick_ms) && ms < TICK_LEAST_MS)
            return hc_fail(diag, HC_ERR_RANGE, "timer %s: at least %d ms", name, TICK_LEAST_MS);
        *timer_at(timers, timer_rows[i].offset) = ms;
        return HC_OK;
    }
    return hc_fail(diag, HC_ERR_NOTFOUND, "no timer is called %.64s", name);
}

enum hc_err timers_check(const struct timers *timers, struct hc_diag *diag)
{
    struct timers copy = *timers;
    for (size_t i = 0; i < timer_row_count; i++) {
        int64_t ms = *timer_at(&copy, timer_rows[i].offset);
        if (ms < LEAST_MS && timer_rows[i].offset != offsetof(struct timers, claim_throttle_window_ms))
            return hc_fail(diag, HC_ERR_CONFIG, "%s must be at least 1 s; it is %lld ms", timer_rows[i].name, (long long)ms);
    }
    for (size_t i = 0; i < sizeof orderings / sizeof orderings[0]; i++) {
        int64_t ms = *timer_at(&copy, orderings[i].offset);
        if (orderings[i].above ? ms <= orderings[i].limit_ms : ms >= orderings[i].limit_ms)
            return hc_fail(diag, HC_ERR_CONFIG, "%s; it is %lld ms", orderings[i].text, (long long)ms);
    }
    return HC_OK;
}
