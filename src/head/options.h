/* options.h - the command line of hydrahead (wire §8). */
#ifndef HEAD_OPTIONS_H
#define HEAD_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "hydra/base/err.h"

/* Exit codes (wire §8). */
enum head_exit { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

enum head_command { HEAD_COMMAND_SERVE, HEAD_COMMAND_PAIR, HEAD_COMMAND_STATUS, HEAD_COMMAND_CHECK };
struct head_options {
    enum head_command command;
    const char *config_file;            /* NULL: the usual one */
    const char *body;                   /* pair: id, name or address */
    uint16_t port;                      /* pair: the host's HTTP port; 0: 47989 */
    bool once, help, version;
};
/* False: `diag` says what is wrong with which word (exit 2). */
bool head_options_parse(int argc, char **argv, struct head_options *ret, struct hc_diag *diag);
void head_options_help(void);

#endif
