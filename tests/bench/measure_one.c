/* measure_one.c - one claim alone, among 10 bodies and among 1,000: each beside a save cycle and an echo of the same moment. */
#include <poll.h>

#include "fatal.h"
#include "host.h"
#include "parts.h"

#define ROUNDS      25
#define PAUSE_MS    250                 /* the history's sync of the round before is over: the claim is alone on the disk */
#define FACTOR      1.5                 /* architecture §6.3 */
#define ANSWER_SIZE 700

struct alone { struct samples claims, cycles, echoes; };

static void round_of(struct host *host, struct wire_conn *conn, const struct bare *bare, unsigned number, struct alone *alone)
{
    struct job job = { 0 };
    struct held held;
    int64_t took;
    (void)poll(NULL, 0, PAUSE_MS);
    samples_add(&alone->cycles, save_cycle_us(host));
    (void)bare_rate(bare, 1, 5, ANSWER_SIZE, &alone->echoes);
    claim_job(&host->heads[0], number, &job);
    if (ask(conn, job.method, job.path, job.token, job.body, &took) != 201 || !held_read(asked_text(), &held))
        fatal("one claim: %s", asked_text());
    samples_add(&alone->claims, took);
    release_job(&host->heads[0], &held, &job);
    if (ask(conn, job.method, job.path, job.token, job.body, NULL) != 204)
        fatal("one release: %s", asked_text());
}

static void alone_free(struct alone *alone)
{
    samples_free(&alone->claims);
    samples_free(&alone->cycles);
    samples_free(&alone->echoes);
}

static double measure(struct host *host, const struct bare *bare, const char *key, const char *text, double *ret_cycle)
{
    struct alone alone = { .claims = { 0 } };
    struct wire wire;
    wire_open(&wire, host->daemon.url, 1);
    for (unsigned i = 0; i < ROUNDS; i++)
        round_of(host, &wire.conns[0], bare, i, &alone);
    wire_close(&wire);
    double claim = samples_ms(&alone.claims, 0.5), cycle = samples_ms(&alone.cycles, 0.5), echo = samples_ms(&alone.echoes, 0.5);
    table_row(key, text, claim, "ms", WANT_AT_MOST, FACTOR * (cycle + echo), "%.2f × (save cycle %.2f ms of %zu KiB + echo %.2f ms)",
              claim / (cycle + echo), cycle, host_file_size(host) / 1024, echo);
    alone_free(&alone);
    *ret_cycle = cycle;
    return claim;
}

void measure_one(void)
{
    struct host host;
    struct bare bare;
    double few_cycle, many_cycle;
    host_open(&host, 0);
    bare_open(&bare, &host.home);
    host_grow(&host, 10, 1);
    double few = measure(&host, &bare, "one_10", "one claim alone, 10 bodies, median", &few_cycle);
    host_grow(&host, 1000, 1);
    double many = measure(&host, &bare, "one_1000", "one claim alone, 1,000 bodies, median", &many_cycle);
    /* What a claim costs above the file that it must write: deciding among, and formatting, a hundred times as many bodies. */
    double growth = (many / few) / (many_cycle / few_cycle);
    table_row("one_growth", "a claim's growth from 10 to 1,000 bodies, against its save cycle's", growth, "×", WANT_AT_MOST, FACTOR,
               "claim × %.2f, save cycle × %.2f", many / few, many_cycle / few_cycle);
    process_end(&bare.process);
    host_close(&host);
}
