/* main.c - `make bench`: the daemon's numbers beside a bare libmicrohttpd and the disk of the same run.
 * Usage: bench [--json FILE] [--doc FILE] [PART ...]; without parts all. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "hydra/os/clock.h"

#include "fatal.h"
#include "host.h"
#include "parts.h"

#define DESCRIPTORS 8192

static const struct part { const char *name; void (*measure)(void); } parts[] = {
    { "claims", measure_claims }, { "one", measure_one },     { "opening", measure_opening }, { "slots", measure_slots },
    { "fleet", measure_fleet },   { "start", measure_start }, { "hang", measure_hang },       { "half-open", measure_half_open },
};
#define PART_COUNT (sizeof parts / sizeof parts[0])

static const struct part *part_named(const char *name)
{
    for (size_t i = 0; i < PART_COUNT; i++)
        if (strcmp(parts[i].name, name) == 0)
            return &parts[i];
    (void)fprintf(stderr, "bench: no part \"%s\"; there are:", name);
    for (size_t i = 0; i < PART_COUNT; i++)
        (void)fprintf(stderr, " %s", parts[i].name);
    (void)fputs("\n", stderr);
    exit(2);
}

static void run(const struct part *part)
{
    (void)fprintf(stderr, "-- %s\n", part->name);
    part->measure();
}

int main(int argc, char **argv)
{
    const char *json = NULL, *doc = NULL;
    int at = 1;
    (void)signal(SIGPIPE, SIG_IGN);          /* a daemon that closes is told as a failure, with words */
    for (; at + 1 < argc && strncmp(argv[at], "--", 2) == 0; at += 2) {
        if (strcmp(argv[at], "--json") == 0)
            json = argv[at + 1];
        else if (strcmp(argv[at], "--doc") == 0)
            doc = argv[at + 1];
        else
            return 2;
    }
    for (int i = at; i < argc; i++)
        (void)part_named(argv[i]);
    struct rlimit files = { .rlim_cur = DESCRIPTORS, .rlim_max = DESCRIPTORS };
    struct rlimit had;
    if (getrlimit(RLIMIT_NOFILE, &had) != 0 || (had.rlim_cur < DESCRIPTORS && had.rlim_max >= DESCRIPTORS &&
        (files.rlim_max = had.rlim_max, setrlimit(RLIMIT_NOFILE, &files)) != 0) || had.rlim_max < DESCRIPTORS)
        fatal("%d descriptors are needed", DESCRIPTORS);
    at_fatal(host_remove_all);
    int64_t begin = os_monotonic_us();
    double load = 0;
    if (getloadavg(&load, 1) != 1)
        fatal("the machine does not say how busy it is");
    for (size_t i = 0; at == argc && i < PART_COUNT; i++)
        run(&parts[i]);
    for (int i = at; i < argc; i++)
        run(part_named(argv[i]));
    table_print();
    if (json != NULL)
        table_write_json(json, (double)(os_monotonic_us() - begin) / 1e6);
    if (doc != NULL)
        table_write_doc(doc, load);
    return table_all_ok() ? EXIT_SUCCESS : EXIT_FAILURE;
}
