#include "local_guard.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Our own names: a page that reaches us under another one got that name pointed at us (DNS rebinding). */
static bool is_our_authority(const char *text, uint16_t port)
{
    static const char *const names[] = { "127.0.0.1", "localhost", "[::1]" };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t len = strlen(names[i]);
        char *end = NULL;
        if (strncasecmp(text, names[i], len) == 0 && text[len] == ':')
            return text[len + 1] >= '0' && text[len + 1] <= '9' && strtoul(text + len + 1, &end, 10) == port && *end == '\0';
    }
    return false;
}

static bool is_our_origin(const char *origin, uint16_t port)
{
    static const char scheme[] = "http://";
    return strncasecmp(origin, scheme, sizeof scheme - 1) == 0 && is_our_authority(origin + sizeof scheme - 1, port);
}

static bool is_json(const char *type)
{
    size_t len = strcspn(type, "; \t");
    return len == strlen("application/json") && strncasecmp(type, "application/json", len) == 0;
}

const char *local_guard(const struct local_asked *asked)
{
    if (!asked->loopback || asked->host == NULL || !is_our_authority(asked->host, asked->port))
        return "forbidden";
    if (asked->origin != NULL && !is_our_origin(asked->origin, asked->port))
        return "forbidden";
    /* A browser says by itself where a request comes from; `none` is the address bar. */
    if (asked->fetch_site != NULL && strcasecmp(asked->fetch_site, "same-origin") != 0 && strcasecmp(asked->fetch_site, "none") != 0)
        return "forbidden";
    if (asked->changes && (asked->content_type != NULL ? !is_json(asked->content_type) : asked->body_len > 0))
        return "unsupported_media_type";
    return NULL;
}
