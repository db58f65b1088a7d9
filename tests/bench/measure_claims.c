/* measure_claims.c - durable requests a second: every connection is a head that claims and releases without a pause. */
#include <stdio.h>
#include <string.h>

#include "hydra/os/clock.h"

#include "fatal.h"
#include "host.h"
#include "parts.h"

#define HEADS       256
#define BODIES      320                 /* always more slots than heads: nobody queues */
#define WARM_UP_MS  500
#define FOR_MS      3000
#define BARE_MS     700                 /* before and after; the mean counts */
#define SAVES_MS    700                 /* the same */
#define DRAIN_MS    15000
#define BOUND_AT    64                  /* connections at which architecture §6.1 wants its rate */
#define BARE_SHARE  0.15
#define SAVES_TIMES 8.0

struct claimer { const struct unit *head; struct held held; bool holds, done; };
static struct {
    struct claimer claimers[HEADS];
    struct samples claims;
    uint64_t requests, attempt;
    int64_t from_us, until_us;
    size_t done;
    size_t answer_size;
} run;

static void next(struct wire_conn *conn)
{
    struct claimer *claimer = conn->user;
    struct job job = { 0 };
    if (!claimer->holds && os_monotonic_us() >= run.until_us) {
        claimer->done = true;
        conn->wire->stop = ++run.done == conn->wire->count;
        return;
    }
    if (claimer->holds)
        release_job(claimer->head, &claimer->held, &job);
    else
        claim_job(claimer->head, ++run.attempt, &job);
    wire_send(conn, job.method, job.path, job.token, job.body);
}

static void answered(struct wire_conn *conn, unsigned status, const char *body, size_t len, int64_t took_us)
{
    struct claimer *claimer = conn->user;
    if (status != (claimer->holds ? 204 : 201) || (!claimer->holds && !held_read(body, &claimer->held)))
        fatal("a %s was answered %u %s", claimer->holds ? "release" : "claim", status, body);
    int64_t now = os_monotonic_us();
    if (now >= run.from_us && now < run.until_us) {
        run.requests++;
        if (!claimer->holds)
            samples_add(&run.claims, took_us);
    }
    if (!claimer->holds)
        run.answer_size = len;
    claimer->holds = !claimer->holds;
    next(conn);
}

static double claim_rate(struct host *host, size_t connections)
{
    struct wire wire;
    samples_clear(&run.claims);
    run.requests = 0;
    run.done = 0;
    wire_open(&wire, host->daemon.url, connections);
    run.from_us = os_monotonic_us() + (int64_t)WARM_UP_MS * 1000;
    run.until_us = run.from_us + (int64_t)FOR_MS * 1000;
    for (size_t i = 0; i < connections; i++) {
        run.claimers[i] = (struct claimer){ .head = &host->heads[i] };
        wire.conns[i].user = &run.claimers[i];
        wire.conns[i].answered = answered;
        next(&wire.conns[i]);
    }
    wire_run(&wire, run.until_us + (int64_t)DRAIN_MS * 1000);
    if (run.done < connections)
        fatal("%zu of %zu heads came to an end", run.done, connections);
    wire_close(&wire);
    return (double)run.requests * 1e3 / FOR_MS;
}

/* Texts that a row keeps. */
static const struct level { size_t connections; const char *rate_key, *rate_text, *p50_key, *p99_key; } levels[] = {
    { 1, "claims_1_rate", "claims and releases a second, 1 connection", "claims_1_p50", "claims_1_p99" },
    { 16, "claims_16_rate", "claims and releases a second, 16 connections", "claims_16_p50", "claims_16_p99" },
    { 64, "claims_64_rate", "claims and releases a second, 64 connections", "claims_64_p50", "claims_64_p99" },
    { 256, "claims_256_rate", "claims and releases a second, 256 connections", "claims_256_p50", "claims_256_p99" },
};

static void measure(struct host *host, const struct bare *bare, const struct level *level)
{
    host_report(host);
    size_t answer_size = run.answer_size == 0 ? 700 : run.answer_size;
    double cycles = save_rate(host, SAVES_MS), before = bare_rate(bare, level->connections, BARE_MS, answer_size, NULL);
    double cpu = host_cpu_seconds(host), saves_before = host_metric(host, "hydracluster_store_saves_total{outcome=\"durable\"}");
    double rate = claim_rate(host, level->connections);
    cpu = host_cpu_seconds(host) - cpu;
    double saves = host_metric(host, "hydracluster_store_saves_total{outcome=\"durable\"}") - saves_before;
    double echo = (before + bare_rate(bare, level->connections, BARE_MS, run.answer_size, NULL)) / 2;
    cycles = (cycles + save_rate(host, SAVES_MS)) / 2;         /* before and after, as the file grew in between */
    double share = BARE_SHARE * echo, times = SAVES_TIMES * cycles;
    bool bound = level->connections == BOUND_AT;
    table_row(level->rate_key, level->rate_text, rate, "/s", bound ? WANT_AT_LEAST : WANT_NOTHING, share < times ? share : times,
              "%.0f %% of the bare echo (%.0f/s); %.1f × the save cycles (%.0f/s of %zu KiB)", 100 * rate / echo, echo, rate / cycles,
              cycles, host_file_size(host) / 1024);
    table_row(level->p50_key, "— a claim, median", samples_ms(&run.claims, 0.5), "ms", WANT_NOTHING, 0, "%.0f saves, %.2f s of processor",
              saves, cpu);
    table_row(level->p99_key, "— p99", samples_ms(&run.claims, 0.99), "ms", WANT_NOTHING, 0, "%s", "");
}

void measure_claims(void)
{
    struct host host;
    struct bare bare;
    host_open(&host, 0);
    host_grow(&host, BODIES, HEADS);
    bare_open(&bare, &host.home);
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++)
        measure(&host, &bare, &levels[i]);
    process_end(&bare.process);
    host_close(&host);
    samples_free(&run.claims);
}
