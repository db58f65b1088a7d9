#include "options.h"

#include <stdio.h>
#include <string.h>

enum flag_kind { FLAG_TEXT, FLAG_SWITCH };
struct flag_row { const char *name, *argument, *help; enum flag_kind kind; size_t offset; };
static const struct flag_row flag_rows[] = {
    { "--config", "FILE", "configuration; without it " CONFIG_DEFAULT_FILE " if there is one", FLAG_TEXT,
      offsetof(struct options, flags.config_file) },
    { "--data-dir", "DIR", "where the data files are (/var/lib/hydracluster)", FLAG_TEXT, offsetof(struct options, flags.data_dir) },
    { "--listen", "ADDR:PORT", "address to serve on (127.0.0.1:8080); port 0 takes a free one", FLAG_TEXT, offsetof(struct options,
        flags.listen) },
    { "--tls-cert", "FILE", "certificate chain in PEM, together with --tls-key", FLAG_TEXT, offsetof(struct options, flags.tls_cert) },
    { "--tls-key", "FILE", "private key in PEM; an ECDSA P-256 key is much cheaper than RSA", FLAG_TEXT, offsetof(struct options,
        flags.tls_key) },
    { "--insecure-http", NULL, "allow plain HTTP on an address that is not loopback", FLAG_SWITCH, offsetof(struct options,
        flags.insecure_http) },
    { "--timers", "FILE", "YAML map of timer names to durations (leaseTTL: 90s)", FLAG_TEXT, offsetof(struct options, flags.timers_file) },
    { "--unsafe-timers", NULL, "accept timers whose order can hand one slot to two heads; for tests", FLAG_SWITCH,
      offsetof(struct options, flags.unsafe_timers) },
    { "--store", "FILE", "replay: allocation.yaml, of the time when the journal began or later; the secret is looked for beside it",
      FLAG_TEXT, offsetof(struct options, store) },
    { "--nodes", "FILE", "replay: nodes.yaml, of the same time", FLAG_TEXT, offsetof(struct options, nodes) },
    { "--secret", "FILE", "replay: the secret of the server that wrote the journal (DIR/secret beside --store or the journal)", FLAG_TEXT,
      offsetof(struct options, secret) },
    { "--check-config", NULL, "read the configuration, say whether it is usable, and stop", FLAG_SWITCH, offsetof(struct options,
        check_config) },
    { "--version", NULL, "print the version and stop", FLAG_SWITCH, offsetof(struct options, version) },
    { "--help", NULL, "print this and stop", FLAG_SWITCH, offsetof(struct options, help) },
};

struct command_row { const char *first, *second; enum command command; const char *argument, *help; };
static const struct command_row command_rows[] = {
    { "init", NULL, COMMAND_INIT, NULL,
        "make the data folder, its secret, a first admin token and the fleet token; print both tokens once" },
    { "token", "new", COMMAND_TOKEN_NEW, "admin|read|fleet", "add a token and print it once; works beside a running daemon" },
    { "token", "list", COMMAND_TOKEN_LIST, NULL, "list token ids, kinds, when made and last used" },
    { "replay", NULL, COMMAND_REPLAY, "JOURNAL",
        "decide the events of a journal (a file or its folder) again and say the first difference; exit 1 when there is one" },
    { "token", "revoke", COMMAND_TOKEN_REVOKE, "TOKEN_ID", "remove a token; a running daemon notices within 2 s" },
};

static const struct flag_row *find_flag(const char *word)
{
    for (size_t i = 0; i < sizeof flag_rows / sizeof flag_rows[0]; i++)
        if (strcmp(flag_rows[i].name, word) == 0)
            return &flag_rows[i];
    return NULL;
}

/* Takes the flag at argv[*at], moves on. */
static bool take_flag(int argc, char **argv, int *at, struct options *ret, struct hc_diag *diag)
{
    const char *word = argv[*at];
    const struct flag_row *row = find_flag(word);
    if (row == NULL) {
        (void)hc_fail(diag, HC_ERR_CONFIG, "%s: no such option; --help lists them", word);
        return false;
    }
    void *to = (char *)ret + row->offset;
    if (row->kind == FLAG_SWITCH) {
        *(bool *)to = true;
    } else {
        if (*at + 1 >= argc || argv[*at + 1][0] == '\0') {
            (void)hc_fail(diag, HC_ERR_CONFIG, "%s: needs %s behind it", word, row->argument);
            return false;
        }
        *(const char **)to = argv[++*at];
    }
    ++*at;
    return true;
}

static bool take_command(char **words, size_t count, struct options *ret, struct hc_diag *diag)
{
    if (count == 0)
        return true;
    for (size_t i = 0; i < sizeof command_rows / sizeof command_rows[0]; i++) {
        const struct command_row *row = &command_rows[i];
        size_t own = row->second == NULL ? 1 : 2;
        if (count < own || strcmp(words[0], row->first) != 0 || (own == 2 && strcmp(words[1], row->second) != 0))
            continue;
        size_t want = own + (row->argument != NULL);
        if (count != want) {
            (void)hc_fail(diag, HC_ERR_CONFIG, "%s%s%s: takes %s", row->first, own == 2 ? " " : "", own == 2 ? row->second : "",
                          row->argument == NULL ? "nothing behind it" : row->argument);
            return false;
        }
        ret->command = row->command;
        ret->argument = row->argument == NULL ? NULL : words[own];
        return true;
    }
    (void)hc_fail(diag, HC_ERR_CONFIG, "%s: no such command; --help lists them", words[0]);
    return false;
}

#define WORDS_MAX 8
bool options_parse(int argc, char **argv, struct options *ret, struct hc_diag *diag)
{
    char *words[WORDS_MAX];
    size_t count = 0;
    *ret = (struct options){ 0 };
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
    return ret->help || ret->version || take_command(words, count, ret, diag);
}

void options_help(void)
{
    (void)printf("hydraclusterd " HYDRA_VERSION " - the allocation authority for venues that stream GPU-rendered experiences\n\n"
                 "  hydraclusterd [options]            serve\n");
    for (size_t i = 0; i < sizeof command_rows / sizeof command_rows[0]; i++) {
        const struct command_row *row = &command_rows[i];
        char form[80];
        const char *second = row->second != NULL ? row->second : row->argument == NULL ? "--data-dir DIR" : row->argument;
        (void)snprintf(form, sizeof form, "hydraclusterd %s %s %s", row->first, second,
                       row->argument == NULL || second == row->argument ? "" : row->argument);
        (void)printf("  %-44s %s\n", form, row->help);
    }
    (void)printf("\noptions:\n");
    for (size_t i = 0; i < sizeof flag_rows / sizeof flag_rows[0]; i++) {
        char form[48];
        (void)snprintf(form, sizeof form, "%s %s", flag_rows[i].name, flag_rows[i].argument == NULL ? "" : flag_rows[i].argument);
        (void)printf("  %-24s %s\n", form, flag_rows[i].help);
    }
    (void)printf("\nexit codes: 0 stopped as asked, 1 failure, 2 usage or configuration, 3 the data is locked by another process, "
                 "4 a data file is refused\n");
}
