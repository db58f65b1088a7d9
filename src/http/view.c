/* view.c - what a request says. */
#include "server.h"

#include <assert.h>
#include <string.h>

#include "hydra/os/clock.h"

enum http_method http_method(const struct http_request *req)
{
    return req->method;
}

const char *http_path(const struct http_request *req)
{
    return req->target.path;
}

const char *http_query(const struct http_request *req, const char *key)
{
    for (size_t i = 0; i < req->target.count; i++)
        if (strcmp(req->target.params[i].key, key) == 0)
            return req->target.params[i].value;
    return NULL;
}

bool http_query_next(const struct http_request *req, size_t *at, const char **ret_key, const char **ret_value)
{
    if (*at >= req->target.count)
        return false;
    *ret_key = req->target.params[*at].key;
    *ret_value = req->target.params[*at].value;
    (*at)++;
    return true;
}

const char *http_header(const struct http_request *req, const char *name)
{
    return MHD_lookup_connection_value(req->conn->mhd, MHD_HEADER_KIND, name);
}

const char *http_body(const struct http_request *req, size_t *ret_len)
{
    assert(req->phase == HTTP_PHASE_OWNED);
    *ret_len = req->body_len;
    return req->body == NULL ? "" : req->body;
}

const char *http_peer(const struct http_request *req)
{
    return req->peer;
}

bool http_peer_is_loopback(const struct http_request *req)
{
    return req->conn->loopback;
}

const char *http_request_id(const struct http_request *req)
{
    return req->id;
}

int64_t http_age_us(const struct http_request *req)
{
    return os_monotonic_us() - req->start_us;
}

struct hc_arena *http_arena(struct http_request *req)
{
    return &req->arena;
}

void http_set_user(struct http_request *req, void *user)
{
    req->user = user;
}

void *http_user(const struct http_request *req)
{
    return req->user;
}

void http_set_route(struct http_request *req, const char *route)
{
    req->route = route;
}

void http_set_body_limit(struct http_request *req, size_t limit)
{
    assert(req->begun && req->phase == HTTP_PHASE_BODY && req->body_len == 0);
    req->body_limit = limit;
}
