/* main.c - hydrahead: reads the command line and the configuration, does one command or serves. */
#include <stdio.h>

#include "hydra/os/clock.h"

#include "check_command.h"
#include "config.h"
#include "loop.h"
#include "options.h"
#include "pair_command.h"
#include "status_command.h"

static int run(const struct head_options *options, const struct head_config *config)
{
    switch (options->command) {
    case HEAD_COMMAND_SERVE:
        return head_serve(config);
    case HEAD_COMMAND_PAIR:
        return pair_command(config, options);
    case HEAD_COMMAND_STATUS:
        return status_command(config, options);
    case HEAD_COMMAND_CHECK:
        return check_command(config);
    }
    return EXIT_USAGE;
}

int main(int argc, char **argv)
{
    struct hc_diag diag = { "" };
    struct head_options options;
    if (!head_options_parse(argc, argv, &options, &diag)) {
        (void)fprintf(stderr, "hydrahead: %s\n", diag.text);
        return EXIT_USAGE;
    }
    if (options.help) {
        head_options_help();
        return EXIT_OK;
    }
    if (options.version) {
        (void)printf("hydrahead " HYDRA_VERSION "\n");
        return EXIT_OK;
    }
    os_clock_start();
    struct head_config config;
    int code = EXIT_USAGE;
    if (head_config_load(options.config_file, &config, &diag) == HC_OK)
        code = run(&options, &config);
    else if (options.command == HEAD_COMMAND_CHECK)
        (void)printf("FAILED configuration: %s\n", diag.text);
    else
        (void)fprintf(stderr, "hydrahead: %s\n", diag.text);
    head_config_free(&config);
    return code;
}
