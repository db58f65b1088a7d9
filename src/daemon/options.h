/* options.h - the command line of hydraclusterd (wire §8). Flags are rows of a table; --help is written from it. */
#ifndef DAEMON_OPTIONS_H
#define DAEMON_OPTIONS_H

#include "config.h"

/* Exit codes (wire §8). */
enum exit_code { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_LOCKED = 3, EXIT_REFUSED = 4 };

enum command { COMMAND_SERVE, COMMAND_INIT, COMMAND_TOKEN_NEW, COMMAND_TOKEN_LIST, COMMAND_TOKEN_REVOKE, COMMAND_REPLAY };
struct options {
    enum command command;
    struct config_flags flags;
    bool check_config, version, help;
    const char *argument;        /* token new KIND, token revoke ID, replay JOURNAL */
    const char *store, *nodes, *secret;      /* replay */
};
/* False: `diag` says what is wrong with which word (exit 2). */
bool options_parse(int argc, char **argv, struct options *ret, struct hc_diag *diag);
void options_help(void);

#endif
