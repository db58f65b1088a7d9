#include "peer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "hydra/http/http.h"

static const uint8_t v4_prefix[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };

bool http_address_of(const struct sockaddr *from, struct http_address *ret_address)
{
    if (from->sa_family == AF_INET) {
        struct sockaddr_in v4;
        memcpy(&v4, from, sizeof v4);
        memcpy(ret_address->bytes, v4_prefix, sizeof v4_prefix);
        memcpy(ret_address->bytes + sizeof v4_prefix, &v4.sin_addr, sizeof v4.sin_addr);
        return true;
    }
    if (from->sa_family == AF_INET6) {
        struct sockaddr_in6 v6;
        memcpy(&v6, from, sizeof v6);
        memcpy(ret_address->bytes, &v6.sin6_addr, sizeof ret_address->bytes);
        return true;
    }
    return false;
}

bool http_address_parse(const char *text, struct http_address *ret_address)
{
    struct in_addr v4;
    struct in6_addr v6;
    if (inet_pton(AF_INET, text, &v4) == 1) {
        memcpy(ret_address->bytes, v4_prefix, sizeof v4_prefix);
        memcpy(ret_address->bytes + sizeof v4_prefix, &v4, sizeof v4);
        return true;
    }
    if (inet_pton(AF_INET6, text, &v6) != 1)
        return false;
    memcpy(ret_address->bytes, &v6, sizeof ret_address->bytes);
    return true;
}

bool http_address_ok(const char *text)
{
    struct http_address address;
    return http_address_parse(text, &address);
}

static bool is_v4(const struct http_address *address)
{
    return memcmp(address->bytes, v4_prefix, sizeof v4_prefix) == 0;
}

void http_address_format(const struct http_address *address, char out[HTTP_ADDRESS_TEXT_SIZE])
{
    const char *done = is_v4(address) ? inet_ntop(AF_INET, address->bytes + sizeof v4_prefix, out, HTTP_ADDRESS_TEXT_SIZE)
                                      : inet_ntop(AF_INET6, address->bytes, out, HTTP_ADDRESS_TEXT_SIZE);
    if (done == NULL)
        out[0] = '\0';
}

bool http_address_same(const struct http_address *a, const struct http_address *b)
{
    return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

bool http_address_is_loopback(const struct http_address *address)
{
    static const uint8_t v6_loopback[16] = { [15] = 1 };
    if (is_v4(address))
        return address->bytes[sizeof v4_prefix] == 127;
    return memcmp(address->bytes, v6_loopback, sizeof v6_loopback) == 0;
}

bool http_address_among(const struct http_address *address, const struct http_address *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (http_address_same(address, &list[i]))
            return true;
    return false;
}

bool http_forwarded_for(const char *forwarded, const struct http_address *proxies, size_t count, struct http_address *ret_address)
{
    /* Each proxy appends whom it saw, so only the end is theirs to vouch for: everything left of the first stranger is hearsay. */
    for (size_t end = strlen(forwarded); end > 0;) {
        size_t start = end;
        while (start > 0 && forwarded[start - 1] != ',')
            start--;
        size_t from = start, to = end;
        while (from < to && (forwarded[from] == ' ' || forwarded[from] == '\t'))
            from++;
        while (to > from && (forwarded[to - 1] == ' ' || forwarded[to - 1] == '\t'))
            to--;
        char text[HTTP_ADDRESS_TEXT_SIZE];
        if (to - from >= sizeof text)
            return false;
        memcpy(text, forwarded + from, to - from);
        text[to - from] = '\0';
        struct http_address address;
        if (!http_address_parse(text, &address))
            return false;
        if (!http_address_among(&address, proxies, count)) {
            *ret_address = address;
            return true;
        }
        end = start > 0 ? start - 1 : 0;
    }
    return false;
}
