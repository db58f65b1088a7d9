/* fatal.h - a measurement that cannot be made ends the whole run: a number that is half true is worse than none. */
#ifndef BENCH_FATAL_H
#define BENCH_FATAL_H

#include "hydra/base/err.h"

_Noreturn void fatal(const char *format, ...) HC_PRINTF(1, 2);      /* says why, removes what the run has made, exits 1 */
void *need(void *memory);                                           /* memory, or fatal() */
void at_fatal(void (*clean)(void));                                 /* what to do before the exit; NULL: nothing */

#endif
