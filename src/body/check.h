/* check.h - `hydrabody check`: looks at everything that the agent needs and says what is missing, a line each. */
#ifndef BODY_CHECK_H
#define BODY_CHECK_H

#include <stdbool.h>

#include "config.h"

/* Writes `ok WHAT` or `FAILED WHAT: what to do` to stdout. True: everything is there. Changes nothing. */
bool check_all(const struct body_config *config);

#endif
