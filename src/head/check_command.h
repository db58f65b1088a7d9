/* check_command.h - `hydrahead check`: everything a visit needs, one line each: `ok WHAT` or `FAILED WHAT: what to do`. */
#ifndef HEAD_CHECK_COMMAND_H
#define HEAD_CHECK_COMMAND_H

#include "config.h"

/* Changes nothing but what a start would make: the state folder. Exit 1: something failed. */
int check_command(const struct head_config *config);

#endif
