/* help.c - texts for people, made from the table of commands. */
#include <string.h>

#include "context.h"

#define HELP_COLUMN 26

static void pad_to(size_t from, size_t column, struct hc_buf *out)
{
    size_t at = out->len - from;
    if (at + 2 > column) {
        hc_buf_char(out, '\n');
        from = out->len;
        at = 0;
    }
    for (; at < column; at++)
        hc_buf_char(out, ' ');
}

static void add_flags(const struct flag *flags, size_t count, struct hc_buf *out)
{
    for (size_t i = 0; i < count; i++) {
        size_t from = out->len;
        hc_buf_printf(out, "  --%s", flags[i].name);
        if (flags[i].letter != 0)
            hc_buf_printf(out, ", -%c", flags[i].letter);
        if (flags[i].argument != NULL)
            hc_buf_printf(out, " %s", flags[i].argument);
        pad_to(from, HELP_COLUMN, out);
        hc_buf_printf(out, "%s\n", flags[i].help);
    }
}

void help_usage(const struct command *command, struct hc_buf *out)
{
    hc_buf_str(out, command->words);
    for (size_t i = 0; i < ARGUMENTS_MAX && command->arguments[i].name != NULL; i++)
        hc_buf_printf(out, command->arguments[i].optional ? " [%s]" : " %s", command->arguments[i].name);
    for (size_t i = 0; i < command->flag_count; i++) {
        const struct flag *flag = &command->flags[i];
        hc_buf_printf(out, flag->argument == NULL ? " [--%s]" : " [--%s ", flag->name);
        if (flag->argument != NULL)
            hc_buf_printf(out, "%s]", flag->argument);
    }
}

void help_all(struct hc_buf *out)
{
    hc_buf_str(out, "hydractl asks and steers a hydraclusterd.\n\nusage: hydractl [options] COMMAND ...\n\n");
    for (size_t i = 0; i < command_count; i++) {
        size_t from = out->len;
        hc_buf_printf(out, "  %s", commands[i].words);
        for (size_t k = 0; k < ARGUMENTS_MAX && commands[i].arguments[k].name != NULL; k++)
            hc_buf_printf(out, commands[i].arguments[k].optional ? " [%s]" : " %s", commands[i].arguments[k].name);
        pad_to(from, HELP_COLUMN, out);
        hc_buf_printf(out, "%s\n", commands[i].help);
    }
    hc_buf_str(out, "\nA NODE is named by its id or its name. `hydractl COMMAND --help` lists a command's own options.\n\n");
    add_flags(global_flags, global_flag_count, out);
    hc_buf_str(out, "\n~/.config/hydractl.yaml may say server, token_file, ca_file, output and insecure_http.\n"
                    "exit code: 0 done, 1 refused or failed, 2 usage, 3 no answer, 4 there is a divergence\n");
}

void help_of(const struct command *command, struct hc_buf *out)
{
    hc_buf_str(out, "usage: hydractl [options] ");
    help_usage(command, out);
    hc_buf_printf(out, "\n\n%s\n", command->help);
    if (command->also != NULL)
        hc_buf_printf(out, "`hydractl %s` is the same.\n", command->also);
    for (size_t i = 0; i < ARGUMENTS_MAX && command->arguments[i].name != NULL; i++)
        if (command->arguments[i].words != NULL)
            hc_buf_printf(out, "%s is one of: %s\n", command->arguments[i].name, command->arguments[i].words);
    if (strcmp(command->scope, "none") != 0)
        hc_buf_printf(out, "Token: %s.\n", strcmp(command->scope, "public") == 0 ? "none" : strcmp(command->scope,
            "read") == 0 ? "read or admin" : "admin");
    if (command->flag_count > 0)
        hc_buf_char(out, '\n');
    add_flags(command->flags, command->flag_count, out);
}

int run_help(struct context *context)
{
    struct hc_buf text = { 0 };
    (void)context;
    help_all(&text);
    return context_print(&text);
}
