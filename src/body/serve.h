/* serve.h - hydrabody at work: agent, local API and loop, until it is told to end. */
#ifndef BODY_SERVE_H
#define BODY_SERVE_H

#include "config.h"

/* Returns the exit code (wire §8). */
int serve(const struct body_config *config);

#endif
