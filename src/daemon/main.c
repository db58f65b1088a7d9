/* main.c - hydraclusterd: reads the command line, does one command or serves. */
#include <stdio.h>

#include "hydra/os/clock.h"
#include "hydra/crypto/digest.h"

#include "options.h"
#include "replay_command.h"
#include "serve.h"
#include "token_commands.h"

static int run(const struct options *options, struct daemon_config *config)
{
    switch (options->command) {
    case COMMAND_INIT:
        return command_init(config->data_dir);
    case COMMAND_TOKEN_NEW:
        return command_token_new(config->data_dir, options->argument);
    case COMMAND_TOKEN_LIST:
        return command_token_list(config->data_dir);
    case COMMAND_TOKEN_REVOKE:
        return command_token_revoke(config->data_dir, options->argument);
    case COMMAND_REPLAY:
        return command_replay(options);
    case COMMAND_SERVE:
        return serve(options, config);
    }
    return EXIT_USAGE;
}

/* Names each file that was read. */
static int say_usable(const struct daemon_config *config)
{
    bool timers = config->timers_file != NULL;
    int len = printf("configuration is usable: %s%s%s\n", config->file == NULL ? "defaults" : config->file,
                     timers ? ", timers of " : "", timers ? config->timers_file : "");
    return len < 0 ? EXIT_FAILED : EXIT_OK;
}

int main(int argc, char **argv)
{
    struct hc_diag diag = { "" };
    struct options options;
    if (!options_parse(argc, argv, &options, &diag)) {
        (void)fprintf(stderr, "hydraclusterd: %s\n", diag.text);
        return EXIT_USAGE;
    }
    if (options.help) {
        options_help();
        return EXIT_OK;
    }
    if (options.version) {
        (void)printf("hydraclusterd " HYDRA_VERSION "\n");
        return EXIT_OK;
    }
    os_clock_start();
    struct daemon_config config;
    int code = EXIT_USAGE;
    if (config_load(&options.flags, &config, &diag) != HC_OK)
        (void)fprintf(stderr, "hydraclusterd: %s\n", diag.text);
    else if (options.check_config)
        code = say_usable(&config);
    else
        code = run(&options, &config);
    config_free(&config);
    return code;
}
