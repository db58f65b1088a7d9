/* main.c - hydractl: reads the command line and the settings, runs one command. */
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "context.h"
#include "hydra/os/service.h"

static bool has_value(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0';
}

/* Colour and narrow columns are for people at a terminal; a pipe gets all of it, plain. */
static struct look look_of(const struct settings *settings)
{
    struct look look = { .wide = settings->output == OUTPUT_WIDE };
    struct winsize size;
    if (isatty(STDOUT_FILENO) != 1)
        return look;
    const char *term = getenv("TERM");
    look.colour = !has_value("NO_COLOR") && term != NULL && strcmp(term, "dumb") != 0;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        look.width = size.ws_col;
    return look;
}

static int run(struct context *context)
{
    const struct command *command = context->invocation->command;
    struct hc_diag diag = { "" };
    if (strcmp(command->scope, "none") == 0)
        return command->run(context);
    if (settings_read(context->invocation, getenv, &context->arena, &context->settings, &diag) != HC_OK)
        return context_fail(EXIT_USAGE, &diag);
    if (strcmp(command->scope, "public") != 0 && !command->token_by_itself && settings_token(&context->settings, &diag) != HC_OK)
        return context_fail(EXIT_USAGE, &diag);
    context->look = look_of(&context->settings);
    context->options = (struct client_options){ .server_url = context->settings.server, .ca_file = context->settings.ca_file,
                                                .timeout_ms = CALL_TIMEOUT_MS };
    if (client_open(&context->options, &context->client, &diag) != HC_OK)
        return context_fail(EXIT_USAGE, &diag);
    return command->run(context);
}

static int print_help(const struct command *command)
{
    struct hc_buf text = { 0 };
    if (command == NULL)
        help_all(&text);
    else
        help_of(command, &text);
    return context_print(&text);
}

int main(int argc, char **argv)
{
    struct invocation invocation;
    struct hc_diag diag = { "" };
    struct context context = { .invocation = &invocation };
    (void)setlocale(LC_CTYPE, "C.UTF-8");       /* widths of characters; messages and numbers stay as they are */
    (void)signal(SIGPIPE, SIG_IGN);
    os_no_core_dumps();
    if (invocation_read(argc, argv, &invocation, &diag) != HC_OK)
        return context_fail(EXIT_USAGE, &diag);
    if (invocation.globals[GLOBAL_HELP] != NULL)
        return print_help(invocation.command);
    if (invocation.globals[GLOBAL_VERSION] != NULL)
        return printf("hydractl " HYDRA_VERSION "\n") > 0 ? EXIT_GOOD : EXIT_REFUSED;
    if (invocation.command == NULL)
        return context_complain(EXIT_USAGE, "needs a command behind it; `hydractl --help` lists them");
    int code = run(&context);
    settings_forget(&context.settings);
    context.client = client_close(context.client);
    hc_arena_free(&context.arena);
    return code;
}
