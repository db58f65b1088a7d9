/* main.c - hydrasim: reads the command line and the scenario, runs the fleet. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fleet.h"
#include "hydra/crypto/digest.h"
#include "hydra/os/clock.h"
#include "hydra/os/file.h"
#include "hydra/os/service.h"
#include "options.h"

#define TOKEN_FILE_MAX  ((size_t)4096)
#define FOOTER_FILE_MAX ((size_t)4096)

static int fail(int code, const struct hc_diag *diag)
{
    (void)fprintf(stderr, "hydrasim: %s\n", diag->text);
    return code;
}

static bool read_token(const char *file, char ret_token[FLEET_TOKEN_SIZE], struct hc_diag *diag)
{
    char *text = NULL;
    size_t len = 0;
    if (os_file_read(AT_FDCWD, file, TOKEN_FILE_MAX, &text, &len, NULL, diag) != HC_OK) {
        char why[sizeof diag->text];
        HC_SET(why, diag->text);
        (void)hc_fail(diag, HC_ERR_CONFIG, "--admin-token-file: %s", why);
        return false;
    }
    size_t first = strspn(text, " \t\r\n"), count = strcspn(text + first, " \t\r\n");
    bool ok = count > 0 && count < FLEET_TOKEN_SIZE && text[first + count + strspn(text + first + count, " \t\r\n")] == '\0';
    if (ok)
        (void)snprintf(ret_token, FLEET_TOKEN_SIZE, "%.*s", (int)count, text + first);
    else
        (void)hc_fail(diag, HC_ERR_CONFIG, "--admin-token-file: %s does not hold one token and nothing else", file);
    hc_free(text);
    return ok;
}

static int play(const struct options *options, const struct fleet_options *fleet_options, const struct scenario *scenario)
{
    struct hc_diag diag = { "" };
    HC_CLEANUP(os_close) int signal_fd = -1;
    if (crypto_start(&diag) != HC_OK || os_signals(&signal_fd, &diag) != HC_OK)
        return fail(EXIT_FAILED, &diag);
    struct fleet *fleet = NULL;
    enum hc_err err = fleet_open(scenario, fleet_options, &fleet, &diag);
    if (err != HC_OK)
        return fail(err == HC_ERR_CONFIG ? EXIT_USAGE : EXIT_FAILED, &diag);
    fleet->screen = !options->plain && isatty(STDOUT_FILENO) == 1;
    if (fleet->screen)
        (void)fputs("\033[H\033[2J", stdout);
    int code = fleet_run(fleet, signal_fd);
    (void)fleet_close(fleet);
    return code;
}

static int run(const struct options *options, const struct scenario *scenario)
{
    struct hc_diag diag = { "" };
    struct fleet_options fleet_options = { .server_url = options->server, .ca_file = options->ca_file, .insecure = options->insecure,
                                           .plain = options->plain, .keep = options->keep, .verbose = options->verbose };
    if (!read_token(options->admin_token_file, fleet_options.admin_token, &diag))
        return fail(EXIT_USAGE, &diag);
    char *footer = NULL;
    size_t footer_len;
    if (options->footer_file != NULL && os_file_read(AT_FDCWD, options->footer_file, FOOTER_FILE_MAX, &footer, &footer_len, NULL,
                                                     &diag) != HC_OK)
        return fail(EXIT_USAGE, &diag);
    fleet_options.footer = footer;
    int code = play(options, &fleet_options, scenario);
    hc_free(footer);
    return code;
}

static int check(const struct options *options, const struct scenario *scenario)
{
    (void)printf("%s is usable: %zu bodies, %zu heads, %zu steps, %zu expectations\n",
                 options->scenario_file == NULL ? "the fleet" : options->scenario_file, scenario->body_count, scenario->head_count,
                 scenario->step_count, scenario->expect_count);
    return EXIT_GOOD;
}

int main(int argc, char **argv)
{
    struct hc_diag diag = { "" };
    struct options options;
    if (!options_parse(argc, argv, &options, &diag))
        return fail(EXIT_USAGE, &diag);
    if (options.help || options.version) {
        if (options.help)
            options_help();
        else
            (void)printf("hydrasim " HYDRA_VERSION "\n");
        return EXIT_GOOD;
    }
    os_clock_start();
    struct scenario scenario;
    int code = EXIT_USAGE;
    if (!options_scenario(&options, &scenario, &diag))
        (void)fail(code, &diag);
    else
        code = options.check ? check(&options, &scenario) : run(&options, &scenario);
    scenario_free(&scenario);
    return code;
}
