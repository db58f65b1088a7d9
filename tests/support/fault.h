/* fault.h - the test's side of faultfs.c: which disk operations of a daemon fail from now on. */
#ifndef FAULT_H
#define FAULT_H

#include "home.h"

#define FAULT_VAR_SIZE 1024
/* What a program's environment has more of, so that it obeys: for process_start(). Without faults vars[0] is NULL. */
struct fault_environment { const char *vars[4]; char preload[FAULT_VAR_SIZE], file[FAULT_VAR_SIZE], sanitizer[FAULT_VAR_SIZE]; };
void fault_environment(struct fault_environment *env, const struct home *home, bool faults);

/* Replaces all rules; lines as faultfs.c explains them, "" for a healthy disk. A daemon started with .faults in its options obeys. */
void fault_set(const struct home *home, const char *rules);
unsigned fault_hits(const struct home *home, const char *hit);                          /* how often `OP NAME ACTION` applied so far */
void fault_wait_hits(const struct home *home, const char *hit, unsigned at_least, int64_t at_most_ms);   /* fails the test when too late */

#endif
