/* jobs.c - calls made fast: many at once for a preparation, one at a time for a measurement. */
#include "host.h"

#include <stdio.h>
#include <string.h>

#include "hydra/base/arena.h"
#include "hydra/os/clock.h"

#include "fatal.h"

struct lane { size_t number; struct job job; };
struct jobs { size_t count, next, done_count; job_make_fn *make; job_done_fn *done; void *ctx; struct lane *lanes; };

static void send_job(struct wire_conn *conn, const struct job *job)
{
    wire_send(conn, job->method, job->path, job->token, job->body[0] == '\0' ? NULL : job->body);
}

static void next_job(struct wire_conn *conn)
{
    struct jobs *jobs = conn->user;
    struct lane *lane = &jobs->lanes[conn->number];
    if (jobs->next == jobs->count)
        return;
    lane->number = jobs->next++;
    lane->job = (struct job){ 0 };
    jobs->make(jobs->ctx, lane->number, &lane->job);
    send_job(conn, &lane->job);
}

static void job_answered(struct wire_conn *conn, unsigned status, const char *body, size_t len, int64_t took_us)
{
    struct jobs *jobs = conn->user;
    (void)len;
    jobs->done(jobs->ctx, jobs->lanes[conn->number].number, status, body, took_us);
    jobs->done_count++;
    conn->wire->stop = jobs->done_count == jobs->count;
    next_job(conn);
}

void jobs_run(const char *url, size_t lanes, size_t count, job_make_fn *make, job_done_fn *done, void *ctx)
{
    struct wire wire;
    lanes = lanes < count ? lanes : count;
    if (count == 0)
        return;
    struct jobs jobs = { .count = count, .make = make, .done = done, .ctx = ctx, .lanes = need(hc_alloc(lanes * sizeof(struct lane))) };
    wire_open(&wire, url, lanes);
    for (size_t i = 0; i < lanes; i++) {
        wire.conns[i].user = &jobs;
        wire.conns[i].answered = job_answered;
        next_job(&wire.conns[i]);
    }
    wire_run(&wire, os_monotonic_us() + (int64_t)ASK_MS * 1000 * 2);
    if (jobs.done_count < count)
        fatal("%zu of %zu calls were answered in time", jobs.done_count, count);
    wire_close(&wire);
    hc_free(jobs.lanes);
}

/* ---- one at a time ---- */

static struct { unsigned status; int64_t took_us; struct hc_buf text; } asked;

static void ask_answered(struct wire_conn *conn, unsigned status, const char *body, size_t len, int64_t took_us)
{
    asked.status = status;
    asked.took_us = took_us;
    hc_buf_clear(&asked.text);
    hc_buf_add(&asked.text, body, len);
    conn->wire->stop = true;
}

unsigned ask(struct wire_conn *conn, const char *method, const char *path, const char *token, const char *body, int64_t *took_us)
{
    conn->answered = ask_answered;
    wire_send(conn, method, path, token, body);
    wire_run(conn->wire, os_monotonic_us() + (int64_t)ASK_MS * 1000);
    if (conn->waits || asked.status == 0)
        fatal("%s %s: no answer", method, path);
    if (took_us != NULL)
        *took_us = asked.took_us;
    return asked.status;
}

const char *asked_text(void)
{
    return asked.text.data;
}

/* ---- claims ---- */

bool text_after(const char *json, const char *key, char *out, size_t size)
{
    const char *at = strstr(json, key);
    if (at == NULL)
        return false;
    at += strlen(key);
    size_t len = strcspn(at, "\"");
    if (len >= size)
        return false;
    memcpy(out, at, len);
    out[len] = '\0';
    return true;
}

bool held_read(const char *json, struct held *ret)
{
    return text_after(json, "\"lease\":{\"id\":\"", ret->lease, sizeof ret->lease) &&
           text_after(json, "\"claim_token\":\"", ret->token, sizeof ret->token);
}

void claim_job(const struct unit *head, uint64_t attempt, struct job *job)
{
    job->method = "POST";
    job->token = head->token;
    (void)snprintf(job->path, sizeof job->path, "/api/v1/heads/%s/slot-claims", head->id);
    (void)snprintf(job->body, sizeof job->body, "{\"attempt_id\":\"a-%llu\",\"experience\":\"" EXPERIENCE "\","
                   "\"device_uid\":\"0123456789abcdef\",\"protocol_version\":2}", (unsigned long long)attempt);
}

void release_job(const struct unit *head, const struct held *held, struct job *job)
{
    job->method = "DELETE";
    job->token = head->token;
    (void)snprintf(job->path, sizeof job->path, "/api/v1/heads/%s/slot-claims/%s", head->id, held->lease);
    (void)snprintf(job->body, sizeof job->body, "{\"claim_token\":\"%s\",\"reason\":\"user_exit\"}", held->token);
}
