/* options.h - the command line of hydrabody (wire §8). Flags are rows of a table; --help is written from it. */
#ifndef BODY_OPTIONS_H
#define BODY_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "hydra/base/err.h"

/* Exit codes (wire §8). Those of the hook are hook.h's. */
enum exit_code { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

enum command { COMMAND_SERVE, COMMAND_CHECK, COMMAND_HOOK_STARTED, COMMAND_HOOK_ENDED };
struct options {
    enum command command;
    const char *config_file;        /* never NULL */
    bool slot_told, port_told;
    uint32_t slot;                  /* hook: which Sunshine */
    uint16_t port;                  /* hook: of the agent's local API, on loopback */
    bool version, help;
};
/* False: `diag` says what is wrong with which word (exit 2). */
bool options_parse(int argc, char **argv, struct options *ret, struct hc_diag *diag);
void options_help(void);

#endif
