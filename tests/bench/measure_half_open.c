/* measure_half_open.c - 200 clients that send six bytes of a ClientHello and then nothing. */
#include <poll.h>

#include "hydra/os/clock.h"
#include "hydra/os/file.h"

#include "fatal.h"
#include "host.h"
#include "parts.h"
#include "raw.h"

#define CLIENTS      200
#define ALONE_MS     4000               /* both together: the daemon lets them wait for 10 s */
#define BESIDE_MS    4000
#define PAUSE_MS     100
#define CORE_PERCENT 10                 /* architecture §6.7 */

static double core_percent(const struct host *host, struct wire_conn *prober, int64_t for_ms, struct samples *took)
{
    int64_t begin = os_monotonic_us(), end = begin + for_ms * 1000, us;
    double cpu = host_cpu_seconds(host);
    while (os_monotonic_us() < end) {
        if (prober != NULL && ask(prober, "GET", "/health", NULL, NULL, &us) != 200)
            fatal("/health: %s", asked_text());
        if (prober != NULL)
            samples_add(took, us);
        (void)poll(NULL, 0, PAUSE_MS);
    }
    cpu = host_cpu_seconds(host) - cpu;
    return 100 * cpu / ((double)(os_monotonic_us() - begin) / 1e6);
}

void measure_half_open(void)
{
    struct host host;
    int fds[CLIENTS];
    struct wire wire;
    struct samples took = { 0 };
    char plain[DAEMON_URL_SIZE];
    host_open(&host, HOST_TLS);
    (void)snprintf(plain, sizeof plain, "http%.100s", host.daemon.url + 5);
    for (size_t i = 0; i < CLIENTS; i++) {
        fds[i] = raw_connect(plain);
        raw_send(fds[i], "\x16\x03\x01\x02\x01\x01");
    }
    wire_open(&wire, host.daemon.url, 1);
    table_row("half_open_cpu", "200 half-open TLS clients: processor, of one core", core_percent(&host, NULL, ALONE_MS, &took), "%",
              WANT_AT_MOST, CORE_PERCENT, "%s", "");
    double busy = core_percent(&host, &wire.conns[0], BESIDE_MS, &took);
    table_row("half_open_beside", "— while somebody asks for /health every 100 ms", busy, "%", WANT_NOTHING, 0,
              "/health: median %.2f ms, longest %.1f ms", samples_ms(&took, 0.5), samples_ms(&took, 1));
    for (size_t i = 0; i < CLIENTS; i++)
        raw_close(&fds[i]);
    wire_close(&wire);
    samples_free(&took);
    host_close(&host);
}
