/* local_guard.h - who may use the local API: programs and pages of this machine, no page of another origin that a browser here shows. */
#ifndef HEAD_LOCAL_GUARD_H
#define HEAD_LOCAL_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct local_asked {
    bool loopback;              /* the socket's other end */
    const char *host, *origin, *fetch_site, *content_type;      /* headers; NULL: absent */
    bool changes;               /* POST */
    size_t body_len;
    uint16_t port;              /* ours */
};
/* NULL: fine. Else the word of the refusal: `forbidden` (403: another machine, another name for us, another origin) or
 * `unsupported_media_type` (415). A POST without a body needs no type. */
const char *local_guard(const struct local_asked *asked);

#endif
