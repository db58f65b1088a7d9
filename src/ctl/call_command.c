/* call_command.c - commands that are one request: what most rows of the table do. */
#include <stdio.h>
#include <string.h>

#include "board.h"
#include "context.h"
#include "plain_text.h"
#include "value_text.h"


static int show_done(const struct context *context)
{
    const struct command *command = context->invocation->command;
    struct hc_buf text = { 0 };
    if (context->invocation->arguments[0] != NULL) {
        plain_add(context->invocation->arguments[0], &text);
        hc_buf_char(&text, ' ');
    }
    hc_buf_str(&text, command->done);
    hc_buf_char(&text, '\n');
    return context_print(&text);
}

/* The server's order is that of ids, which mean nothing to a person. */
static int show_slots(const struct context *context, const json_t *answer)
{
    json_t *rows = board_sorted(answer);
    int code = rows == NULL ? context_complain(EXIT_REFUSED, "out of memory") : context_show(context, &slots_view, rows);
    json_decref(rows);
    return code;
}

/* For a person what was done, and what the server says beyond that; for a program always one value. */
static int show(const struct context *context, const json_t *answer)
{
    const struct command *command = context->invocation->command;
    bool person = context->settings.output <= OUTPUT_WIDE;
    if (!person && answer == NULL) {
        json_t *nothing = json_object();
        static const struct view no_view = { NULL, 0 };
        int code = nothing == NULL ? context_complain(EXIT_REFUSED, "out of memory") : context_show(context, &no_view, nothing);
        json_decref(nothing);
        return code;
    }
    int code = person && command->done != NULL ? show_done(context) : EXIT_GOOD;
    if (code == EXIT_GOOD && answer != NULL && (!person || command->view != NULL))
        code = person && command->view == &slots_view ? show_slots(context, answer) : context_show(context, command->view, answer);
    return code;
}

/* The server gives the newest so many; who sees exactly so many should know that there may be more. */
static void tell_limit(const struct context *context, const json_t *answer)
{
    const struct command *command = context->invocation->command;
    for (size_t i = 0; i < command->flag_count; i++) {
        if (strcmp(command->flags[i].name, "limit") != 0 || !json_is_array(answer))
            continue;
        const char *given = context->invocation->flags[i];
        char full[24];
        (void)snprintf(full, sizeof full, "%zu", json_array_size(answer));
        if (strcmp(full, given == NULL ? "100" : given) == 0)
            (void)fprintf(stderr, "hydractl: these are %s; there may be more: --limit N shows up to 1000\n", full);
    }
}

static int call_path(struct context *context, const char *path_of)
{
    const struct invocation *invocation = context->invocation;
    const struct command *command = invocation->command;
    char *path, *body;
    json_t *answer = NULL;
    int code = wire_body(context, &body);       /* first: a wrong value is told before the server is asked for a node's name */
    if (code == EXIT_GOOD)
        code = wire_path(context, path_of, &path);
    if (code == EXIT_GOOD)
        code = ask(context, command->method, path, body, &answer);
    if (code == EXIT_GOOD)
        code = show(context, answer);
    if (code == EXIT_GOOD)
        tell_limit(context, answer);
    bool asked = command->diverged != NULL && (command->diverged[0] == '\0' || invocation_flag(invocation, command->diverged) != NULL);
    if (code == EXIT_GOOD && asked && json_array_size(answer) > 0)
        code = EXIT_DIVERGED;
    json_decref(answer);
    return code;
}

int run_call(struct context *context)
{
    return call_path(context, NULL);
}

int run_drain(struct context *context)
{
    const struct invocation *invocation = context->invocation;
    bool preview = invocation_flag(invocation, "dry-run") != NULL;
    if (!preview && invocation_flag(invocation, "deadline") == NULL)
        return context_complain(EXIT_USAGE, "drain: needs --deadline TIME, for how long sessions may go on; or --dry-run to look first");
    return call_path(context, NULL);
}

int run_sessions(struct context *context)
{
    const struct invocation *invocation = context->invocation;
    bool history = invocation_flag(invocation, "history") != NULL;
    for (size_t i = 0; i < invocation->command->flag_count; i++)
        if (!history && invocation->flags[i] != NULL)
            return context_complain(EXIT_USAGE, "sessions: --%s goes with --history", invocation->command->flags[i].name);
    return call_path(context, history ? "/api/v1/sessions/history" : NULL);
}

int run_health(struct context *context)
{
    const struct command *command = context->invocation->command;
    json_t *answer = NULL;
    int code = ask(context, command->method, command->path, NULL, &answer);
    if (code == EXIT_GOOD)
        code = context_show(context, command->view, answer);
    if (code == EXIT_GOOD && strcmp(value_str(answer, "status"), "ok") != 0)
        code = EXIT_REFUSED;
    json_decref(answer);
    return code;
}

static int explain_claim(struct context *context)
{
    const struct invocation *invocation = context->invocation;
    const char *protocol = invocation_flag(invocation, "protocol"), *head = invocation->arguments[0];
    if (head == NULL || invocation->arguments[1] == NULL)
        return context_complain(EXIT_USAGE, "explain: needs HEAD and EXPERIENCE behind it, or --lease LEASE");
    if (protocol != NULL && strcmp(protocol, "1") != 0 && strcmp(protocol, "2") != 0)
        return context_complain(EXIT_USAGE, "--protocol: %s is neither 1 nor 2", protocol);
    struct hc_buf path = { 0 };
    json_t *answer = NULL;
    int code = ask_node(context, head, &head);
    hc_buf_str(&path, invocation->command->path);
    hc_buf_str(&path, "?head_id=");
    if (code == EXIT_GOOD)
        wire_escape(head, &path);
    hc_buf_str(&path, "&experience=");
    wire_escape(invocation->arguments[1], &path);
    if (protocol != NULL) {
        hc_buf_str(&path, "&protocol=");
        hc_buf_str(&path, protocol);
    }
    if (code == EXIT_GOOD && path.failed)
        code = context_complain(EXIT_REFUSED, "out of memory");
    if (code == EXIT_GOOD)
        code = ask(context, "GET", path.data, NULL, &answer);
    hc_buf_free(&path);
    if (code == EXIT_GOOD)
        code = context_show(context, &explain_view, answer);
    json_decref(answer);
    return code;
}

int run_explain(struct context *context)
{
    const struct invocation *invocation = context->invocation;
    json_t *answer = NULL;
    char *path;
    if (invocation_flag(invocation, "lease") == NULL)
        return explain_claim(context);
    if (invocation->arguments[0] != NULL || invocation_flag(invocation, "protocol") != NULL)
        return context_complain(EXIT_USAGE, "explain: --lease LEASE stands alone");
    int code = wire_path(context, NULL, &path);
    if (code == EXIT_GOOD)
        code = ask(context, "GET", path, NULL, &answer);
    if (code == EXIT_GOOD)
        code = context_show(context, &explain_lease_view, answer);
    json_decref(answer);
    return code;
}
