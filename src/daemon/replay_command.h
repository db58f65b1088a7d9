/* replay_command.h - `hydraclusterd replay JOURNAL`: the events of a journal, decided again. */
#ifndef DAEMON_REPLAY_COMMAND_H
#define DAEMON_REPLAY_COMMAND_H

#include "options.h"

/* Exit codes: 0 every decision is the same, 1 one differs or an error, 2 usage (no secret, another secret), 4 the journal or a data file is
 * refused. */
int command_replay(const struct options *options);

#endif
