/* measure_opening.c - a venue opens: each of 1,000 heads makes a new TLS connection and claims, spread over a second or at one instant. */
#include "hydra/os/clock.h"

#include "fatal.h"
#include "host.h"
#include "parts.h"

#define HEADS       1000
#define BODIES      1100
#define SPREAD_US   ((int64_t)1000000)
#define PATIENCE_US ((int64_t)20000000)
#define SPREAD_MS   300                 /* architecture §6.2 */
#define AT_ONCE_MS  2000

static struct { struct host *host; struct held held[HEADS]; size_t done, granted, server_errors, other; struct samples took; } run;

static void claim_now(struct wire_conn *conn)
{
    struct job job = { 0 };
    claim_job(&run.host->heads[conn->number], (uint64_t)os_monotonic_us(), &job);
    wire_send(conn, job.method, job.path, job.token, job.body);
}

static void answered(struct wire_conn *conn, unsigned status, const char *body, size_t len, int64_t took_us)
{
    (void)len;
    samples_add(&run.took, took_us);
    if (status == 201 && held_read(body, &run.held[conn->number]))
        run.granted++;
    else if (status >= 500)
        run.server_errors++;
    else
        run.other++;
    conn->wire->stop = ++run.done == HEADS;
}

static void make_release(void *ctx, size_t number, struct job *job)
{
    (void)ctx;
    release_job(&run.host->heads[number], &run.held[number], job);
}

static void check_release(void *ctx, size_t number, unsigned status, const char *body, int64_t took_us)
{
    (void)ctx;
    (void)number;
    (void)took_us;
    if (status != 204)
        fatal("release: %u %s", status, body);
}

static void open_venue(int64_t spread_us)
{
    struct wire wire;
    samples_clear(&run.took);
    run.done = run.granted = run.server_errors = run.other = 0;
    wire_open(&wire, run.host->daemon.url, HEADS);
    int64_t begin = os_monotonic_us() + 1000;
    for (size_t i = 0; i < HEADS; i++) {
        wire.conns[i].answered = answered;
        wire.conns[i].due = claim_now;
        wire_wake_at(&wire.conns[i], begin + spread_us * (int64_t)i / HEADS);
    }
    wire_run(&wire, begin + PATIENCE_US);
    wire_close(&wire);
    if (run.done < HEADS)
        fatal("%zu of %d heads got an answer", run.done, HEADS);
}

void measure_opening(void)
{
    struct host host;
    host_open(&host, HOST_TLS);
    host_grow(&host, BODIES, HEADS);
    run.host = &host;
    double cpu = host_cpu_seconds(&host);
    open_venue(SPREAD_US);
    cpu = host_cpu_seconds(&host) - cpu;
    table_row("opening_spread_p99", "1,000 heads in a second, each a new TLS connection: claim p99", samples_ms(&run.took, 0.99), "ms",
              WANT_AT_MOST, SPREAD_MS, "median %.1f ms, %.2f s of processor", samples_ms(&run.took, 0.5), cpu);
    table_row("opening_spread_refused", "— not granted", (double)(HEADS - run.granted), "", WANT_AT_MOST, 0, "%zu of them 5xx",
              run.server_errors);
    if (run.granted == HEADS)
        jobs_run(host.daemon.url, JOB_LANES, HEADS, make_release, check_release, NULL);
    host_report(&host);
    open_venue(0);
    table_row("opening_at_once_longest", "1,000 heads at the same instant: the last claim", samples_ms(&run.took, 1), "ms", WANT_AT_MOST,
              AT_ONCE_MS, "median %.0f ms", samples_ms(&run.took, 0.5));
    table_row("opening_at_once_refused", "— not granted", (double)(HEADS - run.granted), "", WANT_AT_MOST, 0, "%zu of them 5xx",
              run.server_errors);
    host_close(&host);
    samples_free(&run.took);
}
