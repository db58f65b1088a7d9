#include "options.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"

enum flag_kind { FLAG_TEXT, FLAG_PORT, FLAG_SWITCH };
struct flag_row { const char *name, *argument, *help; enum flag_kind kind; size_t offset; };
static const struct flag_row flag_rows[] = {
    { "--config", "FILE", "configuration (" HEAD_CONFIG_FILE ")", FLAG_TEXT, offsetof(struct head_options, config_file) },
    { "--body", "HOST", "pair: the body's id, name or address", FLAG_TEXT, offsetof(struct head_options, body) },
    { "--port", "PORT", "pair: the HTTP port of the body's Sunshine (47989)", FLAG_PORT, offsetof(struct head_options, port) },
    { "--once", NULL, "status: say it once, also on a terminal", FLAG_SWITCH, offsetof(struct head_options, once) },
    { "--version", NULL, "print the version and stop", FLAG_SWITCH, offsetof(struct head_options, version) },
    { "--help", NULL, "print this and stop", FLAG_SWITCH, offsetof(struct head_options, help) },
};

static const struct { const char *word, *help; enum head_command command; } command_rows[] = {
    { "pair", "pair with a body ahead of a visit: takes a pair lease, pairs, gives it back", HEAD_COMMAND_PAIR },
    { "status", "say what the running agent does; follows a wait in the line", HEAD_COMMAND_STATUS },
    { "check", "look at everything a visit needs; one line each", HEAD_COMMAND_CHECK },
};

static bool take_port(const char *text, uint16_t *ret_port)
{
    char *end = NULL;
    unsigned long port = text[0] < '0' || text[0] > '9' ? 0 : strtoul(text, &end, 10);
    if (port == 0 || port > UINT16_MAX || *end != '\0')
        return false;
    *ret_port = (uint16_t)port;
    return true;
}

static const struct flag_row *find_flag(const char *word)
{
    for (size_t i = 0; i < sizeof flag_rows / sizeof flag_rows[0]; i++)
        if (strcmp(flag_rows[i].name, word) == 0)
            return &flag_rows[i];
    return NULL;
}

static bool take_flag(int argc, char **argv, int *at, struct head_options *ret, struct hc_diag *diag)
{
    const char *word = argv[*at], *value = *at + 1 < argc ? argv[*at + 1] : "";
    const struct flag_row *row = find_flag(word);
    if (row == NULL) {
        (void)hc_fail(diag, HC_ERR_CONFIG, "%.100s: no such option; --help lists them", word);
        return false;
    }
    void *to = (char *)ret + row->offset;
    *at += row->kind == FLAG_SWITCH ? 1 : 2;
    if (row->kind == FLAG_SWITCH) {
        *(bool *)to = true;
        return true;
    }
    if (value[0] == '\0' || (row->kind == FLAG_PORT && !take_port(value, to))) {
        (void)hc_fail(diag, HC_ERR_CONFIG, "%s: needs %s behind it", word,
                      row->kind == FLAG_PORT ? "a port from 1 to 65535" : row->argument);
        return false;
    }
    if (row->kind == FLAG_TEXT)
        *(const char **)to = value;
    return true;
}

static bool take_command(const char *word, struct head_options *ret, struct hc_diag *diag)
{
    for (size_t i = 0; ret->command == HEAD_COMMAND_SERVE && i < sizeof command_rows / sizeof command_rows[0]; i++)
        if (strcmp(command_rows[i].word, word) == 0) {
            ret->command = command_rows[i].command;
            return true;
        }
    (void)hc_fail(diag, HC_ERR_CONFIG, "%.100s: no such command; --help lists them", word);
    return false;
}

bool head_options_parse(int argc, char **argv, struct head_options *ret, struct hc_diag *diag)
{
    *ret = (struct head_options){ 0 };
    for (int at = 1; at < argc;) {
        if (argv[at][0] == '-') {
            if (!take_flag(argc, argv, &at, ret, diag))
                return false;
        } else if (!take_command(argv[at++], ret, diag)) {
            return false;
        }
    }
    if (ret->help || ret->version)
        return true;
    if ((ret->command == HEAD_COMMAND_PAIR) != (ret->body != NULL)) {
        (void)hc_fail(diag, HC_ERR_CONFIG, ret->body == NULL ? "pair: needs --body HOST, the body's id, name or address"
                                                              : "--body: belongs to the command `pair`");
        return false;
    }
    return true;
}

void head_options_help(void)
{
    (void)printf("hydrahead " HYDRA_VERSION " - the agent of a flatscreen: claims a body, pairs, streams, and gives it back\n\n"
                 "  hydrahead [--config FILE]          serve\n");
    for (size_t i = 0; i < sizeof command_rows / sizeof command_rows[0]; i++)
        (void)printf("  hydrahead %-24s %s\n", command_rows[i].word, command_rows[i].help);
    (void)printf("\noptions:\n");
    for (size_t i = 0; i < sizeof flag_rows / sizeof flag_rows[0]; i++) {
        char form[48];
        (void)snprintf(form, sizeof form, "%s %s", flag_rows[i].name, flag_rows[i].argument == NULL ? "" : flag_rows[i].argument);
        (void)printf("  %-16s %s\n", form, flag_rows[i].help);
    }
    (void)printf("\nexit codes: 0 stopped as asked, or done; 1 failure; 2 usage or configuration\n");
}
