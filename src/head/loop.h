/* loop.h - hydrahead as a service: one thread that waits for the kiosk, the lanes, the streaming program, signals and clocks. */
#ifndef HEAD_LOOP_H
#define HEAD_LOOP_H

#include "config.h"

/* Until SIGTERM or SIGINT. Every way out ends the streaming program and gives the lease back, within a bound. An exit code of options.h. */
int head_serve(const struct head_config *config);

#endif
