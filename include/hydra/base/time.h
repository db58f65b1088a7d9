/* time.h - an instant is a struct, a duration is an int64_t whose name ends in _ms (rules §4).
 *
 * hc_time is daemon time: UTC in milliseconds at start plus CLOCK_BOOTTIME since, so a clock step moves nothing.
 * The zero value means "never" or "not set". Nothing here reads a clock; os/clock.h does. */
#ifndef HYDRA_BASE_TIME_H
#define HYDRA_BASE_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hydra/base/err.h"

typedef struct { int64_t ms; } hc_time;

#define HC_SECOND_MS ((int64_t)1000)
#define HC_MINUTE_MS ((int64_t)60 * HC_SECOND_MS)
#define HC_HOUR_MS   ((int64_t)60 * HC_MINUTE_MS)
#define HC_DAY_MS    ((int64_t)24 * HC_HOUR_MS)
#define HC_TIME_NEVER ((hc_time){ 0 })

static inline bool hc_time_set(hc_time t) { return t.ms != 0; }
static inline hc_time hc_time_add(hc_time t, int64_t d_ms) { return (hc_time){ t.ms + d_ms }; }
static inline int64_t hc_time_since(hc_time now, hc_time then) { return now.ms - then.ms; }   /* now - then, in ms */
static inline bool hc_time_before(hc_time a, hc_time b) { return a.ms < b.ms; }
static inline bool hc_time_due(hc_time deadline, hc_time now) { return deadline.ms != 0 && deadline.ms <= now.ms; }
static inline hc_time hc_time_later(hc_time a, hc_time b) { return a.ms >= b.ms ? a : b; }
static inline hc_time hc_time_earlier(hc_time a, hc_time b) { return a.ms <= b.ms ? a : b; }

/* RFC 3339 UTC with milliseconds, e.g. 2026-09-04T11:43:18.042Z. The size has room for the year 9999 and the NUL. */
#define HC_TIME_TEXT_SIZE 25
void hc_time_format(hc_time t, char out[HC_TIME_TEXT_SIZE]);
/* Accepts ...Z with 0 to 3 fraction digits. HC_ERR_SYNTAX or HC_ERR_RANGE otherwise. */
HC_MUST enum hc_err hc_time_parse(const char *text, hc_time *ret_time);

/* "90s", "250ms", "10min", "24h", "7d" (wire §8). A bare 0 is allowed. HC_ERR_SYNTAX, HC_ERR_RANGE (above 10 years). */
HC_MUST enum hc_err hc_duration_parse(const char *text, int64_t *ret_ms);

#endif
