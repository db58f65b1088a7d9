/* measure_fleet.c - 1,000 bodies and 5,000 heads at their cadence over TLS that is kept alive.
 *
 * A body reports every 30 s, and every 5 s while it streams (what the daemon tells it). A head asks for commands every 3 s and sends its
 * heartbeat every 30 s, every 5 s while it streams. A tenth of the heads stream. */
#include <stdio.h>

#include "hydra/os/clock.h"

#include "fatal.h"
#include "host.h"
#include "parts.h"

#define BODIES        1000
#define HEADS         5000
#define STREAMING     500
#define WARM_UP_US    ((int64_t)35000000)      /* everybody has connected and spoken */
#define FOR_US        ((int64_t)30000000)
#define IDLE_US       ((int64_t)30000000)
#define BUSY_US       ((int64_t)5000000)
#define COMMANDS_US   ((int64_t)3000000)
#define CORE_PERCENT  25                      /* architecture §6.4 */
#define RSS_MIB       192
#define SAVES         "hydracluster_store_saves_total{outcome=\"durable\"}"

struct peer { bool body, streams; const struct unit *unit; char body_id[HC_ID_SIZE]; int64_t next_us, commands_us; };
static struct { struct host *host; struct peer peers[BODIES + HEADS]; uint64_t answers, failed; int64_t from_us; struct samples took; } run;

static void plan(struct wire_conn *conn)
{
    const struct peer *peer = conn->user;
    int64_t at = peer->body || peer->next_us < peer->commands_us ? peer->next_us : peer->commands_us;
    wire_wake_at(conn, at);
}

static void speak(struct wire_conn *conn)
{
    struct peer *peer = conn->user;
    char path[JOB_PATH_SIZE], body[JOB_BODY_SIZE];
    int64_t now = os_monotonic_us();
    if (conn->waits) {
        wire_wake_at(conn, now + 1000);               /* its answer is late; that is seen in `took` */
    } else if (peer->body) {
        (void)snprintf(body, sizeof body, "{\"stream_status\":\"%s\",\"installed_experiences\":[\"" EXPERIENCE "\"]}",
                       peer->streams ? "streaming" : "idle");
        peer->next_us += peer->streams ? BUSY_US : IDLE_US;
        wire_send(conn, "POST", "/api/v1/body/status", peer->unit->token, body);
    } else if (peer->next_us <= now) {
        (void)snprintf(path, sizeof path, "/api/v1/heads/%s", peer->unit->id);
        (void)snprintf(body, sizeof body, peer->streams ? "{\"status\":\"streaming\",\"body_id\":\"%s\"}"
                                                        : "{\"status\":\"idle\",\"body_id\":\"%s\"}", peer->body_id);
        peer->next_us += peer->streams ? BUSY_US : IDLE_US;
        wire_send(conn, "PUT", path, peer->unit->token, body);
    } else {
        (void)snprintf(path, sizeof path, "/api/v1/heads/%s/commands", peer->unit->id);
        peer->commands_us += COMMANDS_US;
        wire_send(conn, "GET", path, peer->unit->token, NULL);
    }
    if (conn->heap_at == SIZE_MAX)
        plan(conn);
}

static void answered(struct wire_conn *conn, unsigned status, const char *body, size_t len, int64_t took_us)
{
    (void)conn;
    (void)body;
    (void)len;
    run.failed += status != 200;
    if (os_monotonic_us() < run.from_us)
        return;
    run.answers++;
    samples_add(&run.took, took_us);
}

static void make_claim(void *ctx, size_t number, struct job *job)
{
    (void)ctx;
    claim_job(&run.host->heads[number], 1, job);
}

/* The head streams from the body that it got. */
static void keep_claim(void *ctx, size_t number, unsigned status, const char *body, int64_t took_us)
{
    struct peer *head = &run.peers[BODIES + number];
    (void)ctx;
    (void)took_us;
    if (status != 201 || !text_after(body, "\"body\":{\"id\":\"", head->body_id, sizeof head->body_id))
        fatal("claim: %u %s", status, body);
    head->streams = true;
    for (size_t i = 0; i < BODIES; i++)
        run.peers[i].streams |= hc_same(run.peers[i].unit->id, head->body_id);
}

static void assemble(struct wire *wire)
{
    int64_t begin = os_monotonic_us();
    for (size_t i = 0; i < BODIES + HEADS; i++) {
        struct peer *peer = &run.peers[i];
        struct wire_conn *conn = &wire->conns[i];
        int64_t period = peer->streams ? BUSY_US : IDLE_US;
        /* 7,919 is prime to both counts: neighbours do not speak in a row. */
        peer->next_us = begin + period * (int64_t)(i * 7919 % (BODIES + HEADS)) / (BODIES + HEADS);
        peer->commands_us = begin + COMMANDS_US + COMMANDS_US * (int64_t)(i * 7919 % (BODIES + HEADS)) / (BODIES + HEADS);
        conn->user = peer;
        conn->answered = answered;
        conn->due = speak;
        plan(conn);
    }
    run.from_us = begin + WARM_UP_US;
}

static void add_rows(struct host *host, double cpu, double saves)
{
    double seconds = (double)FOR_US / 1e6;
    table_row("fleet_cpu", "1,000 bodies and 5,000 heads over TLS: processor, of one core", 100 * cpu / seconds, "%", WANT_AT_MOST,
              CORE_PERCENT, "%.0f requests/s, %.1f saves/s, %.0f µs of processor a request", (double)run.answers / seconds, saves / seconds,
              cpu * 1e6 / (double)run.answers);
    table_row("fleet_rss", "— memory (RSS)", host_rss_mib(host), "MiB", WANT_AT_MOST, RSS_MIB, "%d connections", BODIES + HEADS);
    table_row("fleet_p99", "— an answer, p99", samples_ms(&run.took, 0.99), "ms", WANT_NOTHING, 0, "median %.2f ms, longest %.1f ms",
              samples_ms(&run.took, 0.5), samples_ms(&run.took, 1));
    table_row("fleet_failed", "— answers that were not 200", (double)run.failed, "", WANT_AT_MOST, 0, "of %llu",
              (unsigned long long)run.answers);
}

void measure_fleet(void)
{
    struct host host;
    struct wire wire;
    host_open(&host, HOST_TLS);
    host_grow(&host, BODIES, HEADS);
    run.host = &host;
    for (size_t i = 0; i < BODIES + HEADS; i++)
        run.peers[i] = (struct peer){ .body = i < BODIES, .unit = i < BODIES ? &host.bodies[i] : &host.heads[i - BODIES] };
    jobs_run(host.daemon.url, JOB_LANES, STREAMING, make_claim, keep_claim, NULL);
    wire_open(&wire, host.daemon.url, BODIES + HEADS);
    assemble(&wire);
    wire_run(&wire, run.from_us);
    double saves = host_metric(&host, SAVES), cpu = host_cpu_seconds(&host);
    wire_run(&wire, run.from_us + FOR_US);
    cpu = host_cpu_seconds(&host) - cpu;
    add_rows(&host, cpu, host_metric(&host, SAVES) - saves);
    wire_close(&wire);
    host_close(&host);
    samples_free(&run.took);
}
