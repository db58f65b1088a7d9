/* park.c - requests that wait for their answer: suspended in the library, each with a deadline in one heap. */
#include "server.h"

#include <assert.h>

static const char *why_word(enum http_park_why why)
{
    static const char *const words[] = { [HTTP_PARK_COMMIT] = "commit", [HTTP_PARK_NEWS] = "news", [HTTP_PARK_SLOT] = "slot" };
    return words[why];
}

static void put(struct http_server *server, size_t at, struct http_request *req)
{
    server->parks[at] = req;
    req->park_at = at;
}

static void sift_up(struct http_server *server, size_t at)
{
    struct http_request *req = server->parks[at];
    while (at > 0 && server->parks[(at - 1) / 2]->park_deadline_ms > req->park_deadline_ms) {
        put(server, at, server->parks[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put(server, at, req);
}

static void sift_down(struct http_server *server, size_t at)
{
    struct http_request *req = server->parks[at];
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= server->park_count)
            break;
        if (child + 1 < server->park_count && server->parks[child + 1]->park_deadline_ms < server->parks[child]->park_deadline_ms)
            child++;
        if (server->parks[child]->park_deadline_ms >= req->park_deadline_ms)
            break;
        put(server, at, server->parks[child]);
        at = child;
    }
    put(server, at, req);
}

void http_park(struct http_request *req, enum http_park_why why, int64_t deadline_ms, void (*late)(struct http_request *req))
{
    struct http_server *server = req->server;
    assert(req->phase == HTTP_PHASE_OWNED && !req->answered && late != NULL && why < HTTP_PARK_WHYS);
    http_unpark(req);
    assert(server->park_count < server->limits.connections);   /* one request per connection */
    req->parked = true;
    req->park_why = why;
    req->park_deadline_ms = deadline_ms;
    req->late = late;
    put(server, server->park_count, req);
    sift_up(server, server->park_count++);
    metrics_add(server->metrics, METRIC_HTTP_PARKED, 1, why_word(why));
}

bool http_parked(const struct http_request *req)
{
    return req->parked;
}

void http_unpark(struct http_request *req)
{
    if (!req->parked)
        return;
    struct http_server *server = req->server;
    size_t at = req->park_at;
    struct http_request *last = server->parks[--server->park_count];
    if (last != req) {
        put(server, at, last);
        sift_up(server, at);
        sift_down(server, last->park_at);
    }
    req->parked = false;
    metrics_add(server->metrics, METRIC_HTTP_PARKED, -1, why_word(req->park_why));
}

static void run_late(struct http_request *req)
{
    http_unpark(req);
    req->late(req);
    assert(req->answered || req->parked);
}

void http_run_late(struct http_server *server, int64_t now_ms)
{
    /* Each of those parked now at most once: `late` may park again with a deadline that has passed. */
    for (size_t left = server->park_count; left > 0 && server->park_count > 0; left--) {
        struct http_request *req = server->parks[0];
        if (req->park_deadline_ms > now_ms)
            return;
        run_late(req);
    }
}

void http_run_all_late(struct http_server *server)
{
    for (struct http_conn *conn = server->conns; conn != NULL; conn = conn->next)
        if (conn->request != NULL && conn->request->parked)
            run_late(conn->request);
}

int64_t http_next_deadline_ms(const struct http_server *server)
{
    return server->park_count > 0 ? server->parks[0]->park_deadline_ms : INT64_MAX;
}

void http_suspend(struct http_request *req)
{
    assert(!req->suspended);
    req->suspended = true;
    MHD_suspend_connection(req->conn->mhd);
}

void http_resume(struct http_request *req)
{
    if (!req->suspended)
        return;
    req->suspended = false;
    req->server->resumed = true;
    MHD_resume_connection(req->conn->mhd);
}
