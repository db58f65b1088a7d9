#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hydra/base/time.h"

#define BODIES_DEFAULT 4
#define HEADS_DEFAULT  9
#define SHARE_MAX      100000
static const uint32_t mix_default[HEAD_KINDS] = { [HEAD_IPAD] = 4, [HEAD_GO] = 2, [HEAD_QUEST] = 1, [HEAD_P2] = 2 };

enum flag_kind { FLAG_TEXT, FLAG_SWITCH };
struct flag_row { const char *name, *argument, *help; enum flag_kind kind; size_t offset; };
#define TEXT(name_, argument_, member_, help_)  { name_, argument_, help_, FLAG_TEXT, offsetof(struct options, member_) }
#define SWITCH(name_, member_, help_)           { name_, NULL, help_, FLAG_SWITCH, offsetof(struct options, member_) }
static const struct flag_row flag_rows[] = {
    TEXT("--server", "URL", server, "the daemon: http://127.0.0.1:8080"),
    TEXT("--admin-token-file", "FILE", admin_token_file, "an admin token in a file of its own, 0600"),
    TEXT("--bodies", "N", bodies, "bodies to deal over venues (4; with a scenario 0)"),
    TEXT("--legacy-bodies", "N", legacy_bodies, "so many of them speak the old report (a quarter)"),
    TEXT("--heads", "M", heads, "heads with visitors that come and go (9; with a scenario 0)"),
    TEXT("--mix", "SHARES", mix, "kinds of heads: ipad=4,go=2,quest=1,p2=2"),
    TEXT("--scenario", "FILE", scenario_file, "play this file; the flags above add to it, the flags below win over it"),
    TEXT("--seed", "N", seed, "same seed: same visitors, pairing times and faults"),
    TEXT("--duration", "TIME", duration, "stop after so many simulated seconds (30, 30s, 5min); 0: when told to"),
    TEXT("--time-scale", "N", time_scale, "run the heads' and bodies' own clocks N times faster; the daemon keeps its own"),
    SWITCH("--faults", faults, "lost answers, partitions, reboots, agent restarts, crashes, heads that vanish, at random"),
    TEXT("--ca-file", "FILE", ca_file, "certificates to trust for https"),
    SWITCH("--insecure", insecure, "accept any certificate"),
    TEXT("--footer", "FILE", footer_file, "lines to stand below the live screen"),
    SWITCH("--plain", plain, "lines instead of the live screen"),
    SWITCH("--verbose", verbose, "every line also in a large fleet"),
    SWITCH("--keep", keep, "leave the nodes enrolled at the end"),
    SWITCH("--check", check, "read the scenario, say what is in it, and stop"),
    SWITCH("--version", version, "print the version and stop"),
    SWITCH("--help", help, "print this and stop"),
};

static bool usage(struct hc_diag *diag, const char *format, const char *name, const char *value)
{
    (void)hc_fail(diag, HC_ERR_CONFIG, format, name, value);
    return false;
}

bool options_parse(int argc, char **argv, struct options *ret, struct hc_diag *diag)
{
    *ret = (struct options){ 0 };
    for (int i = 1; i < argc; i++) {
        const struct flag_row *row = NULL;
        for (size_t k = 0; k < sizeof flag_rows / sizeof flag_rows[0] && row == NULL; k++)
            if (strcmp(flag_rows[k].name, argv[i]) == 0)
                row = &flag_rows[k];
        if (row == NULL)
            return usage(diag, "%s: no such option; --help lists them%s", argv[i], "");
        void *to = (char *)ret + row->offset;
        if (row->kind == FLAG_SWITCH) {
            *(bool *)to = true;
            continue;
        }
        if (i + 1 >= argc || argv[i + 1][0] == '\0')
            return usage(diag, "%s: needs %s behind it", row->name, row->argument);
        *(const char **)to = argv[++i];
    }
    if (ret->help || ret->version)
        return true;
    if (!ret->check && ret->server == NULL)
        return usage(diag, "%s: is needed%s; --help lists the options", "--server", "");
    if (!ret->check && ret->admin_token_file == NULL)
        return usage(diag, "%s: is needed%s; --help lists the options", "--admin-token-file", "");
    return true;
}

static bool take_count(const char *name, const char *text, uint64_t most, uint64_t *ret, struct hc_diag *diag)
{
    if (text == NULL)
        return true;
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || value > most) {
        (void)hc_fail(diag, HC_ERR_CONFIG, "%s: %s is no number from 0 to %llu", name, text, (unsigned long long)most);
        return false;
    }
    *ret = value;
    return true;
}

static int kind_of(const char *word, size_t len)
{
    for (int i = 0; i < HEAD_KINDS; i++)
        if (strlen(head_kinds[i].word) == len && strncmp(head_kinds[i].word, word, len) == 0)
            return i;
    return -1;
}

bool options_mix(const char *text, uint32_t ret_mix[HEAD_KINDS], struct hc_diag *diag)
{
    uint64_t total = 0;
    memset(ret_mix, 0, HEAD_KINDS * sizeof ret_mix[0]);
    for (const char *at = text;;) {
        size_t word = strcspn(at, "=,");
        int kind = kind_of(at, word);
        if (kind < 0 || at[word] != '=')
            return usage(diag, "%s: %s: write ipad=N,go=N,quest=N,p2=N", "--mix", at);
        const char *number = at + word + 1;
        size_t len = strcspn(number, ",");
        char digits[16];
        uint64_t share = 0;
        (void)snprintf(digits, sizeof digits, "%.*s", (int)(len < 15 ? len : 15), number);
        if (!take_count("--mix", digits, SHARE_MAX, &share, diag))
            return false;
        ret_mix[kind] = (uint32_t)share;
        total += share;
        if (number[len] == '\0')
            break;
        at = number + len + 1;
    }
    return total > 0 ? true : usage(diag, "%s: %s: at least one kind needs a share", "--mix", text);
}

static bool take_duration(const char *text, int64_t *ret_ms, struct hc_diag *diag)
{
    if (text == NULL)
        return true;
    char with_unit[32];
    bool bare = strspn(text, "0123456789") == strlen(text);
    (void)snprintf(with_unit, sizeof with_unit, bare ? "%ss" : "%s", text);
    if (strlen(text) < sizeof with_unit - 1 && hc_duration_parse(with_unit, ret_ms) == HC_OK)
        return true;
    return usage(diag, "%s: %s is no duration like 30, 30s or 5min", "--duration", text);
}

static bool deal(const struct options *options, struct scenario *ret, struct hc_diag *diag)
{
    bool alone = options->scenario_file == NULL;
    uint64_t bodies = alone ? BODIES_DEFAULT : 0, heads = alone ? HEADS_DEFAULT : 0;
    if (!take_count("--bodies", options->bodies, SCENARIO_BODIES_MAX - ret->body_count, &bodies, diag) ||
        !take_count("--heads", options->heads, SCENARIO_HEADS_MAX - ret->head_count, &heads, diag))
        return false;
    uint64_t legacy = bodies / 4;
    if (!take_count("--legacy-bodies", options->legacy_bodies, bodies, &legacy, diag))
        return false;
    struct fleet_plan plan = { .bodies = (uint32_t)bodies, .heads = (uint32_t)heads, .legacy_bodies = (uint32_t)legacy };
    memcpy(plan.mix, mix_default, sizeof plan.mix);
    if (options->mix != NULL && !options_mix(options->mix, plan.mix, diag))
        return false;
    if (bodies + heads > 0 && scenario_plan(ret, &plan) != HC_OK)
        return usage(diag, "%s: no memory for this fleet%s", "--heads", "");
    if (alone)
        (void)snprintf(ret->title, sizeof ret->title, "%u bodies, %u heads", plan.bodies, plan.heads);
    return true;
}

bool options_scenario(const struct options *options, struct scenario *ret, struct hc_diag *diag)
{
    scenario_init(ret);
    ret->seed = 1;
    if (options->scenario_file != NULL && scenario_read(ret, options->scenario_file, diag) != HC_OK)
        return false;
    uint64_t scale = ret->scale;
    if (!deal(options, ret, diag) || !take_count("--seed", options->seed, UINT64_MAX, &ret->seed, diag) ||
        !take_count("--time-scale", options->time_scale, SCENARIO_SCALE_MAX, &scale, diag) ||
        !take_duration(options->duration, &ret->duration_ms, diag))
        return false;
    if (scale == 0)
        return usage(diag, "%s: %s: at least 1", "--time-scale", options->time_scale);
    ret->scale = (uint32_t)scale;
    ret->random_faults = ret->random_faults || options->faults;
    return true;
}

static const char scenario_help[] =
    "\nscenario files: one statement a line, # begins a comment, times are simulated\n"
    "  title TEXT | seed N | time-scale N | duration TIME | end when-expected | visits random | faults random\n"
    "  org NAME [cap N]   venue NAME [owner ORG] [cap N] [accept auto|confirm]   experience NAME\n"
    "  body NAME venue VENUE [kind modern|legacy] [slots N] [memory-mb N] [enforce yes|no]      bodies COUNT PREFIX venue ...\n"
    "  head NAME venue VENUE [kind ipad|go|quest|p2]                                            heads COUNT PREFIX venue ...\n"
    "  at TIME head NAME asks EXPERIENCE | leaves | vanishes | returns | cannot-pair | can-pair | loses-answers N | partitioned-for TIME\n"
    "  at TIME heads NAME NAME ... ask EXPERIENCE | leave | ...\n"
    "  at TIME body NAME reboots-for TIME | restarts-agent | app-crashes | loses-answers N | partitioned-for TIME\n"
    "  expect by TIME WHAT    at some moment after all that stands above it and up to TIME;    expect at TIME WHAT    at TIME\n"
    "      WHAT: pictures N | waiting N | head NAME sees-a-picture [from BODY] | head NAME sees-nothing | head NAME in-line N |\n"
    "            body NAME idle | body NAME shows HEAD\n"
    "\nexit codes: 0 no two heads held one slot and every expectation was met, 1 otherwise or the server failed, 2 usage or scenario\n";

void options_help(void)
{
    (void)printf("hydrasim " HYDRA_VERSION " - a fleet in one process: bodies and heads of every kind on a daemon's real wire\n\n"
                 "  hydrasim --server URL --admin-token-file FILE --bodies N --heads M [options]\n"
                 "  hydrasim --server URL --admin-token-file FILE --scenario FILE [options]\n\noptions:\n");
    for (size_t i = 0; i < sizeof flag_rows / sizeof flag_rows[0]; i++) {
        char form[48];
        (void)snprintf(form, sizeof form, "%s %s", flag_rows[i].name, flag_rows[i].argument == NULL ? "" : flag_rows[i].argument);
        (void)printf("  %-26s %s\n", form, flag_rows[i].help);
    }
    (void)fputs(scenario_help, stdout);
}
