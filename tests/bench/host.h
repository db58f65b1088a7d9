/* host.h - one daemon to be measured: its folder, its machines, its share of the processor; and many calls made fast. */
#ifndef BENCH_HOST_H
#define BENCH_HOST_H

#include "daemon.h"
#include "hydra/base/id.h"

#include "table.h"
#include "wire.h"

#define EXPERIENCE    "rupelmonde"
#define JOB_LANES     128               /* connections that a preparation uses */
#define JOB_PATH_SIZE 256
#define JOB_BODY_SIZE 512
#define ASK_MS        30000             /* the longest that any single answer may take */

struct unit { char id[HC_ID_SIZE], token[HOME_TOKEN_SIZE]; };
struct host {
    struct home home;
    struct daemon daemon;
    struct unit *bodies, *heads;
    size_t body_count, head_count;
};
enum { HOST_TLS = 1, HOST_FAULTS = 2 };

void host_open(struct host *host, unsigned how);        /* a fresh folder; the claim throttle is off */
void host_start(struct host *host, unsigned how);       /* again, on the same folder */
void host_close(struct host *host);
void host_remove_all(void);                             /* for fatal(): whatever is open */

/* Enrols until there are so many, and lets the bodies report idle. They are legacy: nothing has to confirm an epoch. */
void host_grow(struct host *host, size_t bodies, size_t heads);
void host_report(struct host *host);                    /* every body: idle; reports are fresh for 90 s */
size_t host_file_size(const struct host *host);         /* allocation.yaml */

double host_cpu_seconds(const struct host *host);       /* user and system, of all its threads, so far */
double host_rss_mib(const struct host *host);
/* The value of a line of /metrics that begins with this; 0: no such line. */
double host_metric(struct host *host, const char *name);
double host_metric_less(struct host *host, const char *name, const char *less);      /* the difference of two, of one scrape */

/* Calls number 0 .. count-1, over so many connections at once. */
struct job { const char *method, *token; char path[JOB_PATH_SIZE], body[JOB_BODY_SIZE]; };      /* body "": none */
typedef void job_make_fn(void *ctx, size_t number, struct job *job);
typedef void job_done_fn(void *ctx, size_t number, unsigned status, const char *body, int64_t took_us);
void jobs_run(const char *url, size_t lanes, size_t count, job_make_fn *make, job_done_fn *done, void *ctx);

/* One call, waited for. The status; `took_us` may be NULL. */
unsigned ask(struct wire_conn *conn, const char *method, const char *path, const char *token, const char *body, int64_t *took_us);
/* What ask() was answered; until the next one. */
const char *asked_text(void);

void claim_job(const struct unit *head, uint64_t attempt, struct job *job);
/* Copies the text behind `key` up to the next quote. False: not there. */
bool text_after(const char *json, const char *key, char *out, size_t size);
struct held { char lease[HC_ID_SIZE], token[HOME_TOKEN_SIZE]; };
bool held_read(const char *json, struct held *ret);     /* of a claim's answer */
void release_job(const struct unit *head, const struct held *held, struct job *job);

/* The bare server and the disk. */
struct bare { struct process process; char url[DAEMON_URL_SIZE]; };
void bare_open(struct bare *bare, const struct home *home);
/* Requests per second of claim-sized calls at so many connections for so long. */
double bare_rate(const struct bare *bare, size_t connections, int64_t for_ms, size_t answer_size, struct samples *took);
int64_t save_cycle_us(const struct host *host);         /* one: write, fsync, rename, fsync of a file like allocation.yaml beside it */
double save_rate(const struct host *host, int64_t for_ms);

#endif
