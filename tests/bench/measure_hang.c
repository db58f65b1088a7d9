/* measure_hang.c - while a save hangs: /health and the bodies' reports go on. */
#include "hydra/os/clock.h"

#include "fatal.h"
#include "fault.h"
#include "host.h"
#include "parts.h"

#define BODIES     100
#define CALLS      1000
#define HANG_MS    10000
#define HEALTH_MS  10                   /* architecture §6.7 */
#define REPORT_MS  1100
#define HANGS      "fsync allocation.yaml hang"

static struct samples reports;
static size_t reported;

static void answered(struct wire_conn *conn, unsigned status, const char *body, size_t len, int64_t took_us)
{
    (void)len;
    if (status != 200)
        fatal("a report while the save hangs: %u %s", status, body);
    samples_add(&reports, took_us);
    conn->wire->stop = ++reported == conn->wire->count;
}

static void ignore(struct wire_conn *conn, unsigned status, const char *body, size_t len, int64_t took_us)
{
    (void)conn;
    (void)status;
    (void)body;
    (void)len;
    (void)took_us;
}

static void report_all(struct host *host)
{
    struct wire wire;
    wire_open(&wire, host->daemon.url, BODIES);
    for (size_t i = 0; i < BODIES; i++) {
        wire.conns[i].answered = answered;
        wire_send(&wire.conns[i], "POST", "/api/v1/body/status", host->bodies[i].token,
                  "{\"stream_status\":\"streaming\",\"installed_experiences\":[\"" EXPERIENCE "\"]}");
    }
    wire_run(&wire, os_monotonic_us() + (int64_t)ASK_MS * 1000);
    if (reported < BODIES)
        fatal("%zu of %d reports were answered", reported, BODIES);
    wire_close(&wire);
}

void measure_hang(void)
{
    struct host host;
    struct wire claimer, prober;
    struct samples health = { 0 };
    struct job job = { 0 };
    host_open(&host, HOST_FAULTS);
    host_grow(&host, BODIES, 1);
    fault_set(&host.home, HANGS "\n");
    wire_open(&claimer, host.daemon.url, 1);
    wire_open(&prober, host.daemon.url, 1);
    claimer.conns[0].answered = ignore;
    claim_job(&host.heads[0], 1, &job);
    wire_send(&claimer.conns[0], job.method, job.path, job.token, job.body);
    wire_run(&claimer, os_monotonic_us() + 50000);
    fault_wait_hits(&host.home, HANGS, 1, HANG_MS);
    for (unsigned i = 0; i < CALLS; i++) {
        int64_t took;
        if (ask(&prober.conns[0], "GET", "/health", NULL, NULL, &took) != 200)
            fatal("/health while the save hangs: %s", asked_text());
        samples_add(&health, took);
    }
    report_all(&host);
    if (!claimer.conns[0].waits)
        fatal("the claim was answered: the save did not hang");
    fault_set(&host.home, "");
    table_row("hang_health", "while a save hangs: /health, p99", samples_ms(&health, 0.99), "ms", WANT_AT_MOST, HEALTH_MS, "median %.2f ms",
              samples_ms(&health, 0.5));
    table_row("hang_report", "— the longest of 100 bodies' reports", samples_ms(&reports, 1), "ms", WANT_AT_MOST, REPORT_MS,
              "median %.0f ms", samples_ms(&reports, 0.5));
    wire_close(&claimer);
    wire_close(&prober);
    samples_free(&health);
    samples_free(&reports);
    host_close(&host);
}
