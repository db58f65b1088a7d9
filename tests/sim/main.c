/* main.c - sim: random fleets, one after the other. `--seed N --hours H` runs one and says what it did; `--seconds S [--seed FIRST]` runs
 * fleets until the time is up. A failure prints its seed, the number of the event and the last lines; the same seed replays it. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "enumerate.h"
#include "sim.h"

#define HOURS_DEFAULT   3
#define HOURS_MAX       1000
#define SEED_FIRST      1

struct options { uint64_t seed, hours, seconds, depth; bool verbose, repeat, any_seed; };

static bool number(const char *text, uint64_t most, uint64_t *ret)
{
    char *end = NULL;
    errno = 0;
    unsigned long long value = text == NULL ? 0 : strtoull(text, &end, 10);
    if (text == NULL || text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || value > most)
        return false;
    *ret = value;
    return true;
}

static int usage(void)
{
    (void)fputs("usage: sim [--seed N] [--hours H] [--seconds S] [--enumerate DEPTH] [--twice] [--verbose]\n", stderr);
    return 2;
}

static bool parse(int argc, char **argv, struct options *o)
{
    *o = (struct options){ .seed = SEED_FIRST, .hours = HOURS_DEFAULT };
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        bool ok = true, takes = true;
        if (strcmp(argv[i], "--seed") == 0)
            ok = number(value, UINT64_MAX / 2, &o->seed);
        else if (strcmp(argv[i], "--hours") == 0)
            ok = number(value, HOURS_MAX, &o->hours);
        else if (strcmp(argv[i], "--seconds") == 0)
            ok = number(value, 86400, &o->seconds);
        else if (strcmp(argv[i], "--enumerate") == 0)
            ok = number(value, ENUMERATE_DEPTH_MAX, &o->depth);
        else if (strcmp(argv[i], "--twice") == 0)
            o->repeat = true, takes = false;
        else if (strcmp(argv[i], "--verbose") == 0)
            o->verbose = true, takes = false;
        else
            ok = false;
        if (!ok)
            return false;
        i += takes ? 1 : 0;
    }
    return true;
}

struct outcome { bool good; uint64_t digest, events, grants; int64_t ms; };

static struct outcome run_fleet(struct sim *sim, uint64_t seed, uint64_t hours, bool verbose)
{
    sim_start(sim, seed, MODE_RANDOM);
    sim->heals_at = (int64_t)hours * HC_HOUR_MS;
    sim->leaves_at = sim->ends_at = INT64_MAX;
    fleet_make(sim);
    struct core_event ev = cluster_event(sim, CORE_START, CALLER_SYSTEM, "");
    sim->cluster.running = true;
    (void)cluster_step(sim, &ev, cluster_seed(sim));
    cluster_first_save(sim);
    size_t told = 0;
    while (sim_step(sim))
        for (; verbose && told < sim->line_count; told++)
            printf("%s\n", sim->lines[told % SIM_TRACE_LINES]);
    struct outcome outcome = { .good = sim->violations == 0, .digest = sim->digest, .events = sim->event_number, .grants = sim->tally[0],
        .ms = sim->now };
    if (!outcome.good) {
        printf("sim: seed %" PRIu64 ", hours %" PRIu64 ", event %" PRIu64 ": %s\n", seed, hours, sim->event_number, sim->violation);
        sim_print_trace(sim);
        printf("replay: sim --seed %" PRIu64 " --hours %" PRIu64 "\n", seed, hours);
    }
    sim_free(sim);
    return outcome;
}

static volatile sig_atomic_t time_is_up;

static void on_alarm(int signal_number)
{
    (void)signal_number;
    time_is_up = 1;
}

static double cpu_seconds(void)
{
    struct rusage used;
    return getrusage(RUSAGE_SELF, &used) != 0 ? 0 : (double)used.ru_utime.tv_sec + (double)used.ru_utime.tv_usec / 1e6;
}

static int run_many(struct sim *sim, const struct options *o)
{
    unsigned passed = 0, failed = 0;
    double hours = 0;
    uint64_t events = 0, grants = 0;
    time_is_up = 0;
    (void)signal(SIGALRM, on_alarm);
    (void)alarm((unsigned)o->seconds);
    for (uint64_t seed = o->seed; !time_is_up && failed == 0; seed++) {
        struct outcome outcome = run_fleet(sim, seed, o->hours, false);
        passed += outcome.good ? 1 : 0;
        failed += outcome.good ? 0 : 1;
        hours += (double)outcome.ms / (double)HC_HOUR_MS;
        events += outcome.events;
        grants += outcome.grants;
    }
    double took = cpu_seconds();
    printf("sim: %.0f fleet-hours in %.1f s of one core (%.1f ms each), %" PRIu64 " events, %" PRIu64 " grants, %u violations\n", hours,
           took,
        hours > 0 ? took * 1000 / hours : 0, events, grants, failed);
    printf("%u passed, %u failed\n", passed, failed);
    return failed == 0 ? 0 : 1;
}

static int run_one(struct sim *sim, const struct options *o)
{
    struct outcome first = run_fleet(sim, o->seed, o->hours, o->verbose);
    bool same = true;
    if (o->repeat) {
        struct outcome second = run_fleet(sim, o->seed, o->hours, false);
        same = second.digest == first.digest && second.events == first.events;
        if (!same)
            printf("sim: seed %" PRIu64 " ran differently the second time: %016" PRIx64 " and %016" PRIx64 "\n", o->seed, first.digest,
                second.digest);
    }
    printf("sim: seed %" PRIu64 ": %.1f fleet-hours, %" PRIu64 " events, %" PRIu64 " grants, digest %016" PRIx64 "\n", o->seed,
        (double)first.ms / (double)HC_HOUR_MS, first.events, first.grants, first.digest);
    bool good = first.good && same;
    printf("%d passed, %d failed\n", good ? 1 : 0, good ? 0 : 1);
    return good ? 0 : 1;
}

int main(int argc, char **argv)
{
    struct options o;
    if (!parse(argc, argv, &o))
        return usage();
    struct sim *sim = malloc(sizeof *sim);
    if (sim == NULL)
        return 1;
    int status = o.depth > 0 ? enumerate(sim, (unsigned)o.depth) : o.seconds > 0 ? run_many(sim, &o) : run_one(sim, &o);
    free(sim);
    return status;
}
