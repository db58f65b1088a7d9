/* serve.h - the daemon itself: opens, wires, loops, stops. The only place that knows everyone. */
#ifndef DAEMON_SERVE_H
#define DAEMON_SERVE_H

#include "options.h"

/* Serves until SIGTERM or SIGINT. Returns the exit code; complaints are on stderr. */
int serve(const struct options *options, struct daemon_config *config);

#endif
