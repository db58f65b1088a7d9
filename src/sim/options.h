/* options.h - hydrasim's command line (wire §8). */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "scenario.h"

struct options {
    const char *server, *admin_token_file, *ca_file, *scenario_file, *duration, *seed, *time_scale, *bodies, *legacy_bodies, *heads, *mix,
        *footer_file;
    bool insecure, plain, keep, verbose, faults, check, version, help;
};

#define EXIT_GOOD   0
#define EXIT_FAILED 1
#define EXIT_USAGE  2

bool options_parse(int argc, char **argv, struct options *ret, struct hc_diag *diag);
/* Reads the scenario file, lays flags over it and deals the fleet. */
bool options_scenario(const struct options *options, struct scenario *ret, struct hc_diag *diag);
bool options_mix(const char *text, uint32_t ret_mix[HEAD_KINDS], struct hc_diag *diag);
void options_help(void);

#endif
