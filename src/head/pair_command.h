/* pair_command.h - `hydrahead pair --body HOST`: a pairing ahead of the first visit, under a pair lease (rules §12.7). */
#ifndef HEAD_PAIR_COMMAND_H
#define HEAD_PAIR_COMMAND_H

#include "config.h"
#include "options.h"

int pair_command(const struct head_config *config, const struct head_options *options);

#endif
