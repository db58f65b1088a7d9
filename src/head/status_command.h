/* status_command.h - `hydrahead status`: what the running agent does, as its local API says it. */
#ifndef HEAD_STATUS_COMMAND_H
#define HEAD_STATUS_COMMAND_H

#include "config.h"
#include "options.h"

/* On a terminal one line that changes while the visitor waits; else, or with --once, one line. Exit 1: the agent does not answer. */
int status_command(const struct head_config *config, const struct head_options *options);

#endif
