/* measure_start.c - from exec to 200 on /readyz, with 1,000 bodies and 10,000 lines of history. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "hydra/os/clock.h"
#include "hydra/os/file.h"

#include "fatal.h"
#include "host.h"
#include "parts.h"

#define BODIES      1000
#define HEADS       1000
#define LINES       10000
#define STARTS      5
#define READY_MS    300                 /* architecture §6.6 */
#define TRIES_MAX   10000

static void write_history(const struct host *host)
{
    char path[HOME_PATH_SIZE];
    struct hc_buf text = { 0 };
    for (unsigned i = 0; i < LINES; i++)
        hc_buf_printf(&text, "{\"lease_id\":\"%032x\",\"stream_id\":\"s-%08x\",\"head_id\":\"%s\",\"head_venue\":\"hall\","
                      "\"body_id\":\"%s\",\"body_venue\":\"hall\",\"slot\":0,\"experience\":\"" EXPERIENCE "\","
                      "\"protocol\":2,\"source\":\"explicit\",\"mode\":\"flat\",\"grant_epoch\":%u,"
                      "\"granted_at\":\"2026-08-01T09:00:00.000Z\",\"streaming_at\":\"2026-08-01T09:00:10.000Z\","
                      "\"ended_at\":\"2026-08-01T09:05:00.000Z\",\"state\":\"ended\","
                      "\"reason\":null}\n", i, i, host->heads[i % HEADS].id, host->bodies[i % BODIES].id, i + 1);
    home_path(&host->home, "data/sessions.jsonl", path);
    HC_CLEANUP(os_close) int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (text.failed || fd < 0 || os_write_all(fd, text.data, text.len) != HC_OK || fsync(fd) != 0)
        fatal("the history cannot be written");
    hc_buf_free(&text);
}

static void start_once(struct host *host, struct samples *took)
{
    struct wire wire;
    unsigned status = 0;
    int64_t begin = os_monotonic_us();
    host_start(host, 0);
    wire_open(&wire, host->daemon.url, 1);
    for (unsigned i = 0; i < TRIES_MAX && status != 200; i++)
        status = ask(&wire.conns[0], "GET", "/readyz", NULL, NULL, NULL);
    samples_add(took, os_monotonic_us() - begin);
    if (status != 200)
        fatal("it did not get ready: %s", asked_text());
    wire_close(&wire);
}

void measure_start(void)
{
    struct host host;
    struct samples took = { 0 };
    host_open(&host, 0);
    host_grow(&host, BODIES, HEADS);
    (void)daemon_stop(&host.daemon);
    write_history(&host);
    double rss = 0;
    for (unsigned i = 0; i < STARTS; i++) {
        start_once(&host, &took);
        rss = host_rss_mib(&host);
        if (daemon_stop(&host.daemon) != 0)
            fatal("the daemon did not stop well");
    }
    table_row("start", "start with 1,000 bodies and 10,000 lines of history, to /readyz, median", samples_ms(&took, 0.5), "ms",
              WANT_AT_MOST, READY_MS, "longest of %d: %.0f ms", STARTS, samples_ms(&took, 1));
    table_row("start_rss", "— memory (RSS) then", rss, "MiB", WANT_NOTHING, 0, "%d heads too", HEADS);
    samples_free(&took);
    host_close(&host);
}
