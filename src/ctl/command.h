/* command.h - what hydractl can do, as data: usage, help, completion and the checks of the man page come from these rows. */
#ifndef CTL_COMMAND_H
#define CTL_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "hydra/base/err.h"
#include "view.h"

/* Scripts use these. */
enum exit_code {
    EXIT_GOOD = 0,
    EXIT_REFUSED = 1,           /* the server said no, or it failed */
    EXIT_USAGE = 2,             /* command line, configuration, token file */
    EXIT_UNREACHABLE = 3,       /* no answer */
    EXIT_DIVERGED = 4           /* asked about divergence, and there is one */
};

enum flag_kind {
    FLAG_SWITCH,
    FLAG_TEXT,                  /* 1 to 1024 bytes; what it may hold the server knows */
    FLAG_COUNT,                 /* a whole number of at most nine digits */
    FLAG_COUNT_AUTO,            /* the same, or the word auto */
    FLAG_DURATION,              /* 90s, 5min, 2h; sent in seconds */
    FLAG_NODE,                  /* a node's id or its name */
    FLAG_WORDS,                 /* words separated by commas, sent as a list */
    FLAG_FILE,
    FLAG_KINDS
};
enum flag_place { FLAG_LOCAL, FLAG_QUERY, FLAG_BODY, FLAG_PLACES };
/* `key` is the name on the wire. */
struct flag { const char *name; char letter; const char *argument, *help; enum flag_kind kind; enum flag_place place; const char *key; };

enum argument_kind { ARGUMENT_NODE /* id or name */, ARGUMENT_TEXT, ARGUMENT_FILE, ARGUMENT_WORD };
/* `words`: for WORD, and to be completed; separated by blanks. */
struct argument { const char *name; enum argument_kind kind; bool optional; const char *words; };

#define ARGUMENTS_MAX 2
#define FLAGS_MAX     12
struct context;
struct command;
typedef int command_handler(struct context *context);
struct command {
    const char *words, *also;               /* "nodes list"; "nodes" is the same */
    const char *help;                       /* one line */
    const char *scope;                      /* read: any operator's token; admin; public and none: no token */
    command_handler *run;
    struct argument arguments[ARGUMENTS_MAX];
    const struct flag *flags;               /* `flag_count` of them, at most FLAGS_MAX */
    size_t flag_count;
    /* for call_command.c; each {} of the path is the next argument */
    const char *method, *path;
    const char *body;                       /* members that always go with it; NULL: none */
    const struct view *view;                /* of the answer; NULL: it has none */
    const char *done;                       /* a sentence about the first argument once it is so; NULL: the answer says it */
    bool token_by_itself;                   /* the handler reads the token, for it may need none */
    /* rows in the answer mean divergence, exit code 4: always (""), or when this flag is given; NULL: they do not */
    const char *diverged;
};
extern const struct command commands[];
extern const size_t command_count;
extern const struct flag global_flags[];
extern const size_t global_flag_count;
enum global_flag { GLOBAL_SERVER, GLOBAL_TOKEN_FILE, GLOBAL_CA_FILE, GLOBAL_OUTPUT, GLOBAL_INSECURE_HTTP, GLOBAL_VERSION, GLOBAL_HELP,
                   GLOBALS };

/* The command line, read: what points into argv stays there. */
struct invocation {
    const struct command *command;          /* NULL: only global flags */
    const char *arguments[ARGUMENTS_MAX];   /* NULL: not given */
    const char *flags[FLAGS_MAX];           /* in the order of command->flags; NULL: not given; a switch is "" */
    const char *globals[GLOBALS];
};
/* HC_ERR_CONFIG with diag: what is wrong with the command line and where help is. */
HC_MUST enum hc_err invocation_read(int argc, char **argv, struct invocation *ret, struct hc_diag *diag);
/* Value of the command's flag of that name; NULL: not given. Asserts that the command has it. */
const char *invocation_flag(const struct invocation *invocation, const char *name);

/* ---- handlers ---- */
int run_call(struct context *context);              /* call_command.c: one request, its answer shown */
int run_drain(struct context *context);
int run_explain(struct context *context);
int run_sessions(struct context *context);
int run_health(struct context *context);
int run_node_token(struct context *context);        /* token_command.c */
int run_enrol(struct context *context);
int run_events(struct context *context);            /* events_command.c */
int run_watch(struct context *context);             /* watch_command.c */
int run_operation(struct context *context);         /* operation_command.c */
int run_backup(struct context *context);            /* backup_command.c */
int run_restore(struct context *context);           /* restore_command.c */
int run_completion(struct context *context);        /* completion.c */
int run_help(struct context *context);              /* help.c */

/* ---- texts made from the rows ---- */
void help_all(struct hc_buf *out);
void help_of(const struct command *command, struct hc_buf *out);
void help_usage(const struct command *command, struct hc_buf *out);      /* "drain NODE --deadline TIME [--dry-run]" */
bool completion_write(const char *shell, struct hc_buf *out);            /* false: no such shell */

#endif
