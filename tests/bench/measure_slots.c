/* measure_slots.c - GET /slots of 10, 100 and 1,000 bodies, half of them leased, and a request of somebody else right behind it. */
#include "hydra/os/clock.h"

#include "fatal.h"
#include "host.h"
#include "parts.h"

#define READS       200
#define HEADS       500
#define TOOK_MS     50                  /* architecture §6.4 */
#define DELAY_MS    5
#define PATIENCE_US ((int64_t)10000000)
#define HELD_ALL    "hydracluster_mutex_held_seconds_count"
#define HELD_2_MS   "hydracluster_mutex_held_seconds_bucket{le=\"0.002\"}"

static struct { struct samples slots, alone, behind; struct samples *health_to; size_t bytes, open; } run;

static void answered(struct wire_conn *conn, unsigned status, const char *body, size_t len, int64_t took_us)
{
    if (status != 200)
        fatal("%u %s", status, body);
    if (conn->number == 0) {
        samples_add(&run.slots, took_us);
        run.bytes = len;
    } else {
        samples_add(run.health_to, took_us);
    }
    conn->wire->stop = --run.open == 0;
}

/* The other request leaves as soon as the large one has: it waits for the whole of it. */
static void read_once(struct wire *wire, const struct host *host, bool slots)
{
    run.open = slots ? 2 : 1;
    run.health_to = slots ? &run.behind : &run.alone;
    if (slots)
        wire_send(&wire->conns[0], "GET", "/api/v1/slots", host->home.admin_token, NULL);
    wire_send(&wire->conns[1], "GET", "/health", NULL, NULL);
    wire_run(wire, os_monotonic_us() + PATIENCE_US);
    if (run.open > 0)
        fatal("no answer to /slots or /health");
}

static void make_claim(void *ctx, size_t number, struct job *job)
{
    const struct host *host = ctx;
    claim_job(&host->heads[number], (uint64_t)os_monotonic_us(), job);
}

static void check_claim(void *ctx, size_t number, unsigned status, const char *body, int64_t took_us)
{
    (void)ctx;
    (void)number;
    (void)took_us;
    if (status != 201 && status != 409)             /* 409: a head that holds one since a smaller size */
        fatal("claim: %u %s", status, body);
}

static const struct size { size_t bodies; const char *key, *text, *delay_key, *delay_text; } sizes[] = {
    { 10, "slots_10", "/slots of 10 bodies, p99", "slots_10_delay", "— another request is delayed, p99" },
    { 100, "slots_100", "/slots of 100 bodies, p99", "slots_100_delay", "— another request is delayed, p99" },
    { 1000, "slots_1000", "/slots of 1,000 bodies, p99", "slots_1000_delay", "— another request is delayed, p99" },
};

static void measure(struct host *host, const struct size *size)
{
    struct wire wire;
    samples_clear(&run.slots);
    samples_clear(&run.alone);
    samples_clear(&run.behind);
    host_grow(host, size->bodies, HEADS);
    jobs_run(host->daemon.url, JOB_LANES, size->bodies / 2, make_claim, check_claim, host);
    wire_open(&wire, host->daemon.url, 2);
    wire.conns[0].answered = wire.conns[1].answered = answered;
    double over = host_metric_less(host, HELD_ALL, HELD_2_MS), cpu = host_cpu_seconds(host);
    for (unsigned i = 0; i < READS; i++) {
        read_once(&wire, host, false);
        read_once(&wire, host, true);
    }
    cpu = host_cpu_seconds(host) - cpu;
    over = host_metric_less(host, HELD_ALL, HELD_2_MS) - over;
    wire_close(&wire);
    double delay = samples_ms(&run.behind, 0.99) - samples_ms(&run.alone, 0.99);
    delay = delay > 0 ? delay : 0;           /* a machine that is busy elsewhere delays those alone as well */
    table_row(size->key, size->text, samples_ms(&run.slots, 0.99), "ms", WANT_AT_MOST, TOOK_MS,
              "median %.2f ms, %zu KiB, %.2f ms of processor", samples_ms(&run.slots, 0.5), run.bytes / 1024, cpu * 1000 / READS);
    table_row(size->delay_key, size->delay_text, delay, "ms", WANT_AT_MOST, DELAY_MS, "answered after: median %.2f ms, p99 %.2f ms;"
              " alone: %.2f ms, %.2f ms", samples_ms(&run.behind, 0.5), samples_ms(&run.behind, 0.99), samples_ms(&run.alone, 0.5),
              samples_ms(&run.alone, 0.99));
    if (size->bodies == sizes[2].bodies)
        table_row("slots_mutex", "— holds of the mutex above 2 ms", over, "", WANT_AT_MOST, 0, "%d reads", READS);
}

void measure_slots(void)
{
    struct host host;
    host_open(&host, 0);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        measure(&host, &sizes[i]);
    host_close(&host);
    samples_free(&run.slots);
    samples_free(&run.alone);
    samples_free(&run.behind);
}
