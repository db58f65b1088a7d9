#include "host.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "hydra/base/arena.h"
#include "hydra/os/file.h"

#include "certificate.h"
#include "fatal.h"

#define HOSTS_MAX  4
#define PROC_SIZE  4096
#define CERT_NAME  "cert.pem"
#define KEY_NAME   "key.pem"

static struct host *open_hosts[HOSTS_MAX];

void host_start(struct host *host, unsigned how)
{
    char cert[HOME_PATH_SIZE], key[HOME_PATH_SIZE];
    home_path(&host->home, CERT_NAME, cert);
    home_path(&host->home, KEY_NAME, key);
    const char *const tls[] = { "--tls-cert", cert, "--tls-key", key, NULL };
    const struct daemon_options options = { .args = (how & HOST_TLS) != 0 ? tls : NULL, .timers = "claimThrottleWindow: 0s\n",
                                            .faults = (how & HOST_FAULTS) != 0 };
    daemon_start(&host->daemon, &host->home, &options);
}

void host_open(struct host *host, unsigned how)
{
    *host = (struct host){ 0 };
    size_t at = 0;
    while (at < HOSTS_MAX && open_hosts[at] != NULL)
        at++;
    if (at == HOSTS_MAX)
        fatal("more than %d daemons at once", HOSTS_MAX);
    open_hosts[at] = host;
    home_init(&host->home);
    if ((how & HOST_TLS) != 0)
        certificate_write(&host->home, CERT_NAME, KEY_NAME);
    host_start(host, how);
}

void host_close(struct host *host)
{
    for (size_t i = 0; i < HOSTS_MAX; i++)
        if (open_hosts[i] == host)
            open_hosts[i] = NULL;
    daemon_end(&host->daemon);
    home_remove(&host->home);
    hc_free(host->bodies);
    hc_free(host->heads);
    *host = (struct host){ 0 };
}

void host_remove_all(void)
{
    for (size_t i = 0; i < HOSTS_MAX; i++)
        if (open_hosts[i] != NULL)
            host_close(open_hosts[i]);
}

/* ---- machines ---- */

struct growth { struct host *host; struct unit *units; size_t first; bool bodies; };

static void make_unit(void *ctx, size_t number, struct job *job)
{
    const struct growth *growth = ctx;
    size_t at = growth->first + number;
    job->method = "POST";
    job->token = growth->bodies ? growth->host->home.admin_token : growth->host->home.fleet_token;
    (void)snprintf(job->path, sizeof job->path, growth->bodies ? "/api/v1/nodes" : "/api/v1/heads");
    (void)snprintf(job->body, sizeof job->body, growth->bodies ? "{\"name\":\"b%zu\",\"roles\":[\"body\"],\"venue\":\"hall\"}"
                                                               : "{\"name\":\"h%zu\",\"venue\":\"hall\"}", at);
}

static void keep_unit(void *ctx, size_t number, unsigned status, const char *body, int64_t took_us)
{
    const struct growth *growth = ctx;
    struct unit *unit = &growth->units[growth->first + number];
    (void)took_us;
    if (status != 201 || !text_after(body, growth->bodies ? "\"node_id\":\"" : "\"head_id\":\"", unit->id, sizeof unit->id) ||
        !text_after(body, "\"token\":\"", unit->token, sizeof unit->token))
        fatal("enrolment: %u %s", status, body);
}

static struct unit *grow(struct host *host, struct unit *units, size_t have, size_t want, bool bodies)
{
    if (want <= have)
        return units;
    units = need(hc_realloc(units, want * sizeof units[0]));
    struct growth growth = { host, units, have, bodies };
    jobs_run(host->daemon.url, JOB_LANES, want - have, make_unit, keep_unit, &growth);
    return units;
}

static void make_report(void *ctx, size_t number, struct job *job)
{
    const struct host *host = ctx;
    job->method = "POST";
    job->token = host->bodies[number].token;
    (void)snprintf(job->path, sizeof job->path, "/api/v1/body/status");
    (void)snprintf(job->body, sizeof job->body, "{\"stream_status\":\"idle\",\"installed_experiences\":[\"" EXPERIENCE "\"]}");
}

static void check_report(void *ctx, size_t number, unsigned status, const char *body, int64_t took_us)
{
    (void)ctx;
    (void)number;
    (void)took_us;
    if (status != 200)
        fatal("report: %u %s", status, body);
}

void host_report(struct host *host)
{
    jobs_run(host->daemon.url, JOB_LANES, host->body_count, make_report, check_report, host);
}

void host_grow(struct host *host, size_t bodies, size_t heads)
{
    host->bodies = grow(host, host->bodies, host->body_count, bodies, true);
    host->body_count = bodies > host->body_count ? bodies : host->body_count;
    host->heads = grow(host, host->heads, host->head_count, heads, false);
    host->head_count = heads > host->head_count ? heads : host->head_count;
    host_report(host);
}

/* ---- what the kernel and the daemon say about it ---- */

size_t host_file_size(const struct host *host)
{
    char path[HOME_PATH_SIZE];
    struct stat st;
    home_path(&host->home, "data/allocation.yaml", path);
    if (stat(path, &st) != 0)
        fatal("%s is missing", path);
    return (size_t)st.st_size;
}

static void read_proc(const struct host *host, const char *name, char text[PROC_SIZE])
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%d/%s", (int)host->daemon.process.pid, name);
    HC_CLEANUP(os_close) int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = fd < 0 ? -1 : read(fd, text, PROC_SIZE - 1);
    if (len <= 0)
        fatal("%s cannot be read", path);
    text[len] = '\0';
}

double host_cpu_seconds(const struct host *host)
{
    char text[PROC_SIZE];
    unsigned long user = 0, system = 0;
    read_proc(host, "stat", text);
    const char *behind_name = strrchr(text, ')');
    if (behind_name == NULL || sscanf(behind_name + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system) != 2)
        fatal("/proc/PID/stat is of another shape");
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

double host_rss_mib(const struct host *host)
{
    char text[PROC_SIZE];
    read_proc(host, "status", text);
    const char *line = strstr(text, "VmRSS:");
    if (line == NULL)
        fatal("no VmRSS");
    return (double)strtoul(line + strlen("VmRSS:"), NULL, 10) / 1024;
}

static double metric_in(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    const char *space = at == NULL ? NULL : strchr(at + strlen(name) - 1, ' ');
    return space == NULL ? 0 : strtod(space + 1, NULL);
}

double host_metric_less(struct host *host, const char *name, const char *less)
{
    struct call call = daemon_call(&host->daemon, host->home.admin_token, "GET", "/metrics", NULL);
    double value = call.status == 200 ? metric_in(call.text, name) - (less == NULL ? 0 : metric_in(call.text, less)) : 0;
    call_free(&call);
    return value;
}

double host_metric(struct host *host, const char *name)
{
    return host_metric_less(host, name, NULL);
}
