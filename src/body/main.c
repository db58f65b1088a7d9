/* main.c - hydrabody: reads the command line, does one command or serves. */
#include <stdio.h>
#include <string.h>

#include "hydra/os/clock.h"
#include "hydra/os/service.h"

#include "check.h"
#include "hook.h"
#include "serve.h"

static int with_config(const struct options *options)
{
    struct hc_diag diag = { "" };
    struct body_config config;
    int code = EXIT_USAGE;
    if (body_config_load(options->config_file, &config, &diag) != HC_OK)
        (void)fprintf(stderr, "hydrabody: %s\n", diag.text);
    else if (options->command == COMMAND_CHECK)
        code = check_all(&config) ? EXIT_OK : EXIT_FAILED;
    else
        code = serve(&config);
    body_config_free(&config);
    return code;
}

/* A hook line with a mistake in it is said, and keeps no visitor from launching. */
static bool is_hook(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "hook") == 0)
            return true;
    return false;
}

int main(int argc, char **argv)
{
    struct hc_diag diag = { "" };
    struct options options;
    os_no_core_dumps();
    os_clock_start();
    if (!options_parse(argc, argv, &options, &diag)) {
        (void)fprintf(stderr, "hydrabody: %s\n", diag.text);
        return is_hook(argc, argv) ? (int)HOOK_GO_ON : (int)EXIT_USAGE;
    }
    if (options.help) {
        options_help();
        return EXIT_OK;
    }
    if (options.version) {
        (void)printf("hydrabody " HYDRA_VERSION "\n");
        return EXIT_OK;
    }
    if (options.command == COMMAND_HOOK_STARTED || options.command == COMMAND_HOOK_ENDED)
        return (int)hook_run(&options);
    return with_config(&options);
}
