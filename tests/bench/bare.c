/* bare.c - what the daemon stands beside: libmicrohttpd that only echoes, and the disk that only saves. */
#include "host.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "hydra/base/arena.h"
#include "hydra/os/clock.h"
#include "hydra/os/file.h"

#include "fatal.h"

#define START_MS    5000
#define CYCLE_NAME  "bench-cycle"
#define WARM_UP_US  200000

static struct { struct samples *took; uint64_t count; size_t answer_size; int64_t from_us; } echo;
static const struct unit echo_head = { "node-00000000", "0123456789abcdef0123456789abcdef0123456789abcdef" };
static const struct held echo_held = { "0123456789abcdef0123456789abcdef", "0123456789abcdef0123456789abcdef0123456789a" };

void bare_open(struct bare *bare, const struct home *home)
{
    char program[512], line[PROCESS_LINE_MAX];
    int pid = 0;
    program_path("HYDRA_BARE_SERVER", "bare_server", program, sizeof program);
    const char *const argv[] = { program, NULL };
    process_start(&bare->process, argv, NULL, home->log);
    if (!process_line(&bare->process, line, START_MS) || sscanf(line, "ready url=%127s pid=%d", bare->url, &pid) != 2)
        fatal("the bare server does not start");
}

/* As a claimer does: a claim's bytes and its answer's, then a release's and nothing. */
static void send_echo(struct wire_conn *conn)
{
    struct job job = { 0 };
    if (conn->user == NULL) {
        claim_job(&echo_head, 1, &job);
        (void)snprintf(job.path, sizeof job.path, "/%zu", echo.answer_size);
    } else {
        release_job(&echo_head, &echo_held, &job);
        (void)snprintf(job.path, sizeof job.path, "/0");
    }
    wire_send(conn, job.method, job.path, job.token, job.body);
}

static void echo_answered(struct wire_conn *conn, unsigned status, const char *body, size_t len, int64_t took_us)
{
    (void)body;
    (void)len;
    if (status != 200)
        fatal("the bare server said %u", status);
    if (os_monotonic_us() >= echo.from_us) {
        echo.count++;
        if (echo.took != NULL)
            samples_add(echo.took, took_us);
    }
    conn->user = conn->user == NULL ? conn : NULL;
    send_echo(conn);
}

double bare_rate(const struct bare *bare, size_t connections, int64_t for_ms, size_t answer_size, struct samples *took)
{
    struct wire wire;
    wire_open(&wire, bare->url, connections);
    echo.took = took;
    echo.count = 0;
    echo.answer_size = answer_size;
    echo.from_us = os_monotonic_us() + WARM_UP_US;
    for (size_t i = 0; i < connections; i++) {
        wire.conns[i].answered = echo_answered;
        send_echo(&wire.conns[i]);
    }
    wire_run(&wire, echo.from_us + for_ms * 1000);
    int64_t lasted_us = os_monotonic_us() - echo.from_us;
    wire_close(&wire);
    return (double)echo.count * 1e6 / (double)lasted_us;
}

/* ---- the disk ---- */

static void open_folder(const struct host *host, int *ret_fd, char **ret_text, size_t *ret_len)
{
    struct hc_diag diag;
    if (os_dir_open(host->home.data, ret_fd, &diag) != HC_OK ||
        os_file_read(*ret_fd, "allocation.yaml", (size_t)64 * 1024 * 1024, ret_text, ret_len, NULL, &diag) != HC_OK)
        fatal("%s", diag.text);
}

static int64_t cycle(int dir_fd, const char *text, size_t len)
{
    struct os_stamp stamp;
    struct hc_diag diag;
    int64_t begin = os_monotonic_us();
    if (os_file_replace(dir_fd, CYCLE_NAME, text, len, &stamp, &diag) != OS_REPLACE_DURABLE)
        fatal("%s", diag.text);
    return os_monotonic_us() - begin;
}

int64_t save_cycle_us(const struct host *host)
{
    HC_CLEANUP(os_close) int dir_fd = -1;
    char *text;
    size_t len;
    open_folder(host, &dir_fd, &text, &len);
    int64_t took = cycle(dir_fd, text, len);
    hc_free(text);
    return took;
}

double save_rate(const struct host *host, int64_t for_ms)
{
    HC_CLEANUP(os_close) int dir_fd = -1;
    char *text;
    size_t len, count = 0;
    open_folder(host, &dir_fd, &text, &len);
    int64_t begin = os_monotonic_us(), end = begin + for_ms * 1000;
    for (; os_monotonic_us() < end; count++)
        (void)cycle(dir_fd, text, len);
    int64_t lasted_us = os_monotonic_us() - begin;
    hc_free(text);
    return (double)count * 1e6 / (double)lasted_us;
}
