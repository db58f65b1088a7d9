#include "options.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"

#define WORDS_MAX 4
#define PORT_MAX  65535

static bool take_config(struct options *ret, const char *text)
{
    ret->config_file = text;
    return text[0] != '\0';
}

/* Digits only, at most `most`. */
static bool read_number(const char *text, unsigned long most, unsigned long *ret)
{
    char *end = NULL;
    unsigned long value = text[0] < '0' || text[0] > '9' ? most + 1 : strtoul(text, &end, 10);
    *ret = value;
    return value <= most && *end == '\0';
}

static bool take_slot(struct options *ret, const char *text)
{
    unsigned long value = 0;
    ret->slot_told = read_number(text, DIRECTIVE_SLOTS_MAX - 1, &value);
    ret->slot = ret->slot_told ? (uint32_t)value : 0;
    return ret->slot_told;
}

static bool take_port(struct options *ret, const char *text)
{
    unsigned long value = 0;
    ret->port_told = read_number(text, PORT_MAX, &value) && value > 0;
    ret->port = ret->port_told ? (uint16_t)value : 0;
    return ret->port_told;
}

struct flag_row { const char *name, *argument, *help; bool (*take)(struct options *ret, const char *text); size_t offset; };
static const struct flag_row flag_rows[] = {
    { "--config", "FILE", "configuration (" BODY_CONFIG_FILE ")", take_config, 0 },
    { "--slot", "N", "hook: the slot whose Sunshine calls (0, or HYDRABODY_SLOT)", take_slot, 0 },
    { "--port", "N", "hook: where the agent listens on loopback (47991, or HYDRABODY_PORT)", take_port, 0 },
    { "--version", NULL, "print the version and stop", NULL, offsetof(struct options, version) },
    { "--help", NULL, "print this and stop", NULL, offsetof(struct options, help) },
};

struct command_row { const char *first, *second; enum command command; const char *help; };
static const struct command_row command_rows[] = {
    { "check", NULL, COMMAND_CHECK, "look at everything that the agent needs, a line each; exit 1 when something is missing" },
    { "hook", "started", COMMAND_HOOK_STARTED, "called by Sunshine before an application starts; not 0 only when it must not" },
    { "hook", "ended", COMMAND_HOOK_ENDED, "called by Sunshine when the application is over" },
};

static bool take_flag(int argc, char **argv, int *at, struct options *ret, struct hc_diag *diag)
{
    const char *word = argv[*at];
    const struct flag_row *row = NULL;
    for (size_t i = 0; i < sizeof flag_rows / sizeof flag_rows[0] && row == NULL; i++)
        row = strcmp(flag_rows[i].name, word) == 0 ? &flag_rows[i] : NULL;
    if (row == NULL) {
        (void)hc_fail(diag, HC_ERR_CONFIG, "%s: no such option; --help lists them", word);
        return false;
    }
    ++*at;
    if (row->take == NULL) {
        *(bool *)((char *)ret + row->offset) = true;
        return true;
    }
    const char *text = *at < argc ? argv[(*at)++] : "";
    if (row->take(ret, text))
        return true;
    (void)hc_fail(diag, HC_ERR_CONFIG, "%s: needs %s behind it, not '%s'", word, row->argument, text);
    return false;
}

static bool take_command(char **words, size_t count, struct options *ret, struct hc_diag *diag)
{
    for (size_t i = 0; i < sizeof command_rows / sizeof command_rows[0]; i++) {
        const struct command_row *row = &command_rows[i];
        size_t own = row->second == NULL ? 1 : 2;
        if (count != own || strcmp(words[0], row->first) != 0 || (own == 2 && strcmp(words[1], row->second) != 0))
            continue;
        ret->command = row->command;
        return true;
    }
    (void)hc_fail(diag, HC_ERR_CONFIG, "%s%s%s: no such command; --help lists them", words[0], count > 1 ? " " : "",
                  count > 1 ? words[1] : "");
    return false;
}

bool options_parse(int argc, char **argv, struct options *ret, struct hc_diag *diag)
{
    char *words[WORDS_MAX];
    size_t count = 0;
    *ret = (struct options){ .config_file = BODY_CONFIG_FILE };
    for (int at = 1; at < argc;) {
        if (argv[at][0] == '-') {
            if (!take_flag(argc, argv, &at, ret, diag))
                return false;
            continue;
        }
        if (count == WORDS_MAX) {
            (void)hc_fail(diag, HC_ERR_CONFIG, "%s: too many words", argv[at]);
            return false;
        }
        words[count++] = argv[at++];
    }
    return ret->help || ret->version || count == 0 || take_command(words, count, ret, diag);
}

void options_help(void)
{
    (void)printf("hydrabody " HYDRA_VERSION " - the agent beside Sunshine: reports what runs, applies what the cluster decides\n\n"
                 "  %-40s %s\n", "hydrabody [options]", "serve");
    for (size_t i = 0; i < sizeof command_rows / sizeof command_rows[0]; i++) {
        const struct command_row *row = &command_rows[i];
        char form[64];
        (void)snprintf(form, sizeof form, "hydrabody %s%s%s", row->first, row->second == NULL ? "" : " ",
                       row->second == NULL ? "" : row->second);
        (void)printf("  %-40s %s\n", form, row->help);
    }
    (void)printf("\noptions:\n");
    for (size_t i = 0; i < sizeof flag_rows / sizeof flag_rows[0]; i++) {
        char form[32];
        (void)snprintf(form, sizeof form, "%s %s", flag_rows[i].name, flag_rows[i].argument == NULL ? "" : flag_rows[i].argument);
        (void)printf("  %-16s %s\n", form, flag_rows[i].help);
    }
    (void)printf("\nexit codes: 0 stopped as asked, 1 failure, 2 usage or configuration; hook: 0 the launch goes on, 1 it must not\n");
}
