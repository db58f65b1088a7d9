/* measure_half_open.c - 200 clients that send six bytes of a ClientHello and then nothing. */
#include <poll.h>

#include "hydra/os/clock.h"
#include "hydra/os/file.h"

#include "fatal.h"
#include "host.h"
#include "parts.h"
#include "raw.h"

#define CLIENTS      200
#define FOR_MS       6000               /* the daemon lets them wait for 10 s */
#define CORE_PERCENT 10                 /* architecture §6.7 */

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
    int64_t begin = os_monotonic_us(), end = begin + (int64_t)FOR_MS * 1000, us;
    double cpu = host_cpu_seconds(&host);
    while (os_monotonic_us() < end) {
        if (ask(&wire.conns[0], "GET", "/health", NULL, NULL, &us) != 200)
            fatal("/health: %s", asked_text());
        samples_add(&took, us);
        (void)poll(NULL, 0, 100);
    }
    cpu = host_cpu_seconds(&host) - cpu;
    double seconds = (double)(os_monotonic_us() - begin) / 1e6;
    table_row("half_open_cpu", "200 half-open TLS clients: processor, of one core", 100 * cpu / seconds, "%", WANT_AT_MOST, CORE_PERCENT,
              "/health beside them: median %.2f ms, longest %.1f ms", samples_ms(&took, 0.5), samples_ms(&took, 1));
    for (size_t i = 0; i < CLIENTS; i++)
        raw_close(&fds[i]);
    wire_close(&wire);
    samples_free(&took);
    host_close(&host);
}
