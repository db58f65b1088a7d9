/* command_words.h - the streaming program's command line: split into arguments once, without a shell, and filled with a visit's facts.
 *
 * Blanks part arguments; 'single' and "double" quotes keep them together; a backslash takes the next character as it is, but not between
 * single quotes. {host} {port} {app} {cert} {key} {pin} {uniqueid} are filled in inside arguments: what is filled in never becomes two
 * arguments. {{ stands for one brace. */
#ifndef HEAD_COMMAND_WORDS_H
#define HEAD_COMMAND_WORDS_H

#include <stddef.h>

#include "hydra/base/arena.h"
#include "hydra/base/err.h"

#define COMMAND_WORDS_MAX 64
#define COMMAND_BYTES_MAX 4096
#define COMMAND_ARG_MAX   8192      /* bytes of one argument when it is filled */

struct command_words { size_t count; const char *words[COMMAND_WORDS_MAX]; };      /* the arena's */
struct command_fact { const char *name, *value; };      /* "host", "10.10.0.7" */

/* HC_ERR_SYNTAX: an open quote, a {name} that is none of the above, no word at all; HC_ERR_LIMIT; HC_ERR_NOMEM. */
HC_MUST enum hc_err command_split(const char *text, struct hc_arena *arena, struct command_words *ret, struct hc_diag *diag);
/* *ret_argv ends with NULL. HC_ERR_CONFIG: a fact that a word asks for is not among them. HC_ERR_LIMIT, HC_ERR_NOMEM. */
HC_MUST enum hc_err command_fill(const struct command_words *words, const struct command_fact *facts, size_t count, struct hc_arena *arena,
                                 char ***ret_argv, struct hc_diag *diag);
/* Where the program is: itself when it has a slash, else the first executable of that name in PATH. HC_ERR_NOTFOUND names it. */
HC_MUST enum hc_err command_find(const char *program, struct hc_arena *arena, const char **ret_path, struct hc_diag *diag);

#endif
