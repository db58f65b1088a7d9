/* head.c - what the headers say about the request's own frame, and which frames are refused: no two readers may see different ends. */
#include "server.h"

#include <string.h>
#include <strings.h>

#include "hydra/base/id.h"

#define LINE_END_SIZE 2      /* CR and LF */

struct head_seen {
    unsigned lengths, encodings, entries;
    size_t cookie_bytes;
    bool bad_name, cut;
    uintptr_t end;                  /* of the last value */
    const char *length, *encoding, *expect, *id, *forwarded;
};

/* RFC 9110 token characters. The library accepts a space before the colon and then does not recognise the header. */
static bool is_token(const char *name)
{
    if (*name == '\0')
        return false;
    for (; *name != '\0'; name++) {
        unsigned char c = (unsigned char)*name;
        bool letter = (unsigned char)((c | 0x20) - 'a') < 26;
        if (!letter && !(c >= '0' && c <= '9') && strchr("-_!#$%&'*+.^`|~", c) == NULL)
            return false;
    }
    return true;
}

/* The library ends a value at the first NUL; the rest of its line then stands between that and what comes next. All of the head is one
 * piece of memory in which line ends have become NULs, but for a value that was folded over lines, which is a copy: that is refused too. */
static bool cut_before(const struct head_seen *seen, uintptr_t next, size_t line_ends)
{
    if (next < seen->end || next - seen->end > line_ends * LINE_END_SIZE)
        return true;
    for (const char *at = (const char *)seen->end; (uintptr_t)at < next; at++)
        if (*at != '\0' && *at != '\r' && *at != '\n')
            return true;
    return false;
}

static enum MHD_Result see_header(void *cls, enum MHD_ValueKind kind, const char *name, const char *value)
{
    (void)kind;
    struct head_seen *seen = cls;
    seen->entries++;
    if (!is_token(name))
        seen->bad_name = true;
    seen->cut = seen->cut || (seen->end != 0 && cut_before(seen, (uintptr_t)name, 1));
    if (value != NULL)
        seen->end = (uintptr_t)value + strlen(value);
    switch (strlen(name)) {
    case 6:
        if (strcasecmp(name, "Expect") == 0)
            seen->expect = value;
        else if (strcasecmp(name, "Cookie") == 0)
            seen->cookie_bytes += value == NULL ? 0 : strlen(value);
        break;
    case 12:
        if (strcasecmp(name, "X-Request-Id") == 0)
            seen->id = value;
        break;
    case 14:
        if (strcasecmp(name, "Content-Length") == 0) {
            seen->lengths++;
            seen->length = value;
        }
        break;
    case 15:
        if (strcasecmp(name, "X-Forwarded-For") == 0)
            seen->forwarded = value;
        break;
    case 17:
        if (strcasecmp(name, "Transfer-Encoding") == 0) {
            seen->encodings++;
            seen->encoding = value;
        }
        break;
    default:
        break;
    }
    return MHD_YES;
}

static bool read_length(const char *text, uint64_t *ret_length)
{
    uint64_t length = 0;
    if (text == NULL || *text == '\0')
        return false;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9' || length > (UINT64_MAX - 9) / 10)
            return false;
        length = length * 10 + (uint64_t)(*text - '0');
    }
    *ret_length = length;
    return true;
}

static const char *read_frame(struct http_request *req, const struct head_seen *seen, const char *version)
{
    if (seen->bad_name)
        return "A header has a name that is none.";
    if (seen->cut)
        return "A header's value has a NUL character, or is folded over lines.";
    if (seen->lengths > 1)
        return "Content-Length is repeated.";
    if (seen->encodings > 0 && seen->lengths > 0)
        return "Content-Length and Transfer-Encoding exclude each other.";
    if (seen->encodings > 1 || (seen->encodings == 1 && (seen->encoding == NULL || strcasecmp(seen->encoding, "chunked") != 0)))
        return "The only transfer encoding here is chunked.";
    if (seen->encodings == 1 && strcmp(version, "HTTP/1.0") == 0)
        return "HTTP/1.0 has no transfer encoding.";
    if (seen->lengths == 1 && !read_length(seen->length, &req->length))
        return "Content-Length is not a number.";
    req->chunked = seen->encodings == 1;
    req->has_body = req->chunked || req->length > 0;
    req->expects_continue = seen->expect != NULL && strcasecmp(seen->expect, "100-continue") == 0;
    return NULL;
}

static size_t head_bytes(const struct http_request *req)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(req->conn->mhd, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info == NULL ? 0 : info->header_size;
}

/* The library reads headers, body pieces and writes the response head in one pool: what the headers take must leave room for the rest. */
static bool fits_pool(const struct http_request *req, const struct head_seen *seen)
{
    size_t bytes = head_bytes(req);
    size_t all = bytes + seen->cookie_bytes + seen->entries * (size_t)HTTP_POOL_PER_ENTRY;
    return bytes <= req->server->limits.header_bytes && all <= req->server->pool_bytes - HTTP_POOL_KEEP;
}

static void take_peer(struct http_request *req, const struct head_seen *seen)
{
    struct http_address address;
    req->peer = req->conn->peer;
    if (!req->conn->trusted || seen->forwarded == NULL ||
        !http_forwarded_for(seen->forwarded, req->server->proxies, req->server->proxy_count, &address))
        return;
    char text[HTTP_ADDRESS_TEXT_SIZE];
    http_address_format(&address, text);
    const char *copy = hc_arena_strdup(&req->arena, text);
    if (copy != NULL)
        req->peer = copy;
}

const char *http_head_read(struct http_request *req, const char *version, unsigned *ret_status)
{
    struct head_seen seen = { 0 };
    *ret_status = MHD_HTTP_BAD_REQUEST;
    (void)MHD_get_connection_values(req->conn->mhd, MHD_HEADER_KIND, see_header, &seen);
    int more = MHD_get_connection_values(req->conn->mhd, MHD_GET_ARGUMENT_KIND | MHD_COOKIE_KIND, NULL, NULL);
    seen.entries += more > 0 ? (unsigned)more : 0;
    if (seen.id != NULL && hc_id_ok(seen.id))
        req->id = seen.id;
    seen.cut = seen.cut || (seen.end != 0 && cut_before(&seen, (uintptr_t)req->method_text + head_bytes(req), 2));
    take_peer(req, &seen);
    const char *fault = read_frame(req, &seen, version);
    if (fault != NULL)
        return fault;
    /* The version follows the target in the same line: a NUL in the target ends our copy before that. */
    if ((uintptr_t)version - req->raw_at != req->raw_len + 1)
        return "The target has a NUL character.";
    if (!fits_pool(req, &seen)) {
        *ret_status = MHD_HTTP_REQUEST_HEADER_FIELDS_TOO_LARGE;
        return "The headers are too large.";
    }
    return NULL;
}
