/* settings.h - whom to ask, with which token, how to show it: from flags, then the environment, then ~/.config/hydractl.yaml.
 *
 * Keys of the file: server, token_file, ca_file, output, insecure_http. A token itself stands in a file of its own, never in an argument,
 * the environment or this file. */
#ifndef CTL_SETTINGS_H
#define CTL_SETTINGS_H

#include "command.h"
#include "hydra/base/arena.h"

#define SETTINGS_SERVER_DEFAULT "http://127.0.0.1:8080"
#define SETTINGS_TOKEN_SIZE     513

enum output_format { OUTPUT_TABLE, OUTPUT_WIDE, OUTPUT_JSON, OUTPUT_YAML, OUTPUT_FORMATS };
extern const struct hc_words output_words;

struct settings {
    const char *server, *token_file, *ca_file;      /* the last two may be NULL; in the arena or in argv */
    enum output_format output;
    bool insecure_http;
    char token[SETTINGS_TOKEN_SIZE];                /* "": none */
};
typedef char *settings_env_fn(const char *name);            /* getenv; tests give their own */
/* HC_ERR_CONFIG, HC_ERR_SCHEMA, HC_ERR_SYNTAX with diag: what, where, what to do. A missing file is no error. Reads no token. */
HC_MUST enum hc_err settings_read(const struct invocation *invocation, settings_env_fn *env, struct hc_arena *arena, struct settings *ret,
                                  struct hc_diag *diag);
/* Reads the token: a regular file that only its owner may read or change, one word in it. Also refuses to send a token unencrypted to
 * another machine (wire §0). HC_ERR_CONFIG. */
HC_MUST enum hc_err settings_token(struct settings *settings, struct hc_diag *diag);
void settings_forget(struct settings *settings);            /* wipes the token */

#endif
