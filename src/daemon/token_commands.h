/* token_commands.h - `init` and `token new|list|revoke`: they work on the data folder, beside a running daemon (wire §8). */
#ifndef DAEMON_TOKEN_COMMANDS_H
#define DAEMON_TOKEN_COMMANDS_H

#include "options.h"

/* Each returns the exit code and prints its result to stdout, its complaint to stderr. Tokens are shown once and stored as digests only. */
int command_init(const char *data_dir);
int command_token_new(const char *data_dir, const char *kind);
int command_token_list(const char *data_dir);
int command_token_revoke(const char *data_dir, const char *token_id);

#endif
