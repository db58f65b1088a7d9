/* context.h - one run of a command: what it asks the server and how it shows the answer. */
#ifndef CTL_CONTEXT_H
#define CTL_CONTEXT_H

#include <jansson.h>

#include "command.h"
#include "hydra/base/arena.h"
#include "hydra/client/client.h"
#include "settings.h"

#define CALL_TIMEOUT_MS 30000           /* longer than any wait of the server's own */

struct context {
    const struct invocation *invocation;
    struct settings settings;
    struct client *client;
    struct client_options options;
    struct look look;
    struct hc_arena arena;              /* texts of this run */
};

/* ---- context.c ---- */
/* `hydractl: WHAT` on stderr, made safe for a terminal; returns the code. */
int context_fail(enum exit_code code, const struct hc_diag *diag);
int context_complain(enum exit_code code, const char *format, ...) HC_PRINTF(2, 3);
/* Writes all of it to stdout and frees it. EXIT_GOOD; EXIT_REFUSED when that fails, for instance because the disk is full. */
int context_print(struct hc_buf *text);
/* The answer in the chosen format; in tables through the view, and on stderr what was cut. */
int context_show(const struct context *context, const struct view *view, const json_t *answer);
/* A line on stderr that says what is waited for, replaced by the next; only on a terminal. "" removes it. */
void context_progress(const char *text);

/* ---- ask.c ---- */
/* One call. EXIT_GOOD: 2xx, *ret_answer is the parsed answer, for the caller to json_decref; NULL when it was empty. Else what is wrong was
 * said on stderr: EXIT_REFUSED, EXIT_UNREACHABLE. */
int ask(struct context *context, const char *method, const char *path, const char *body, json_t **ret_answer);
/* The same, with the answer as it came, to be freed with client_answer_free(). */
int ask_raw(struct context *context, const char *method, const char *path, const char *body, struct client_answer *ret_answer);
/* What went wrong, without saying it: "" and EXIT_GOOD, or the exit code with diag. For those that go on trying. */
int ask_quietly(struct context *context, const char *path, json_t **ret_answer, struct hc_diag *diag);
/* The id of a node that is named by id or by name. EXIT_REFUSED: none or several have it. `ret_id` is in the arena. */
int ask_node(struct context *context, const char *id_or_name, const char **ret_id);

/* ---- wire_text.c ---- */
/* The command's path with its arguments and the flags that go into the query. `path` NULL: the command's own. */
int wire_path(struct context *context, const char *path, char **ret_path);
/* The members that the command's own text and its flags put into a body, in braces; NULL: there is none. */
int wire_body(struct context *context, char **ret_body);
void wire_escape(const char *text, struct hc_buf *out);        /* percent-encoding of all but unreserved characters */

#endif
