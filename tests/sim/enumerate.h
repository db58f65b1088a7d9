/* enumerate.h - a space small enough to be walked completely: one body, two heads, six kinds of events. */
#ifndef SIM_ENUMERATE_H
#define SIM_ENUMERATE_H

#include "sim.h"

#define ENUMERATE_DEPTH_MAX 10
/* Every sequence of that length, in every setting; prints how many. Returns an exit code. */
int enumerate(struct sim *sim, unsigned depth);

#endif
