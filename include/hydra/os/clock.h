/* clock.h - the only door to the clocks (rules §4.1). */
#ifndef HYDRA_OS_CLOCK_H
#define HYDRA_OS_CLOCK_H

#include "hydra/base/time.h"

/* Fixes wall time now; os_now() is that plus CLOCK_BOOTTIME since. Call once, before threads. */
void os_clock_start(void);
hc_time os_now(void);               /* daemon time */
int64_t os_monotonic_ms(void);      /* CLOCK_BOOTTIME, for deadlines and measuring */
int64_t os_monotonic_us(void);
void os_pause_ms(unsigned ms);      /* at least so long, whatever signals come; never under a lock */
hc_time os_wall(void);              /* CLOCK_REALTIME as it is; for agents' reports of it only */

#endif
