#include "target.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "hydra/base/id.h"

#define FIELD_MAX 64

/* In place. NULL, or what is wrong. A slash that was written as %2F would look like a border between two parts of the path. */
static const char *decode(char *text, bool is_path)
{
    char *to = text;
    for (const char *from = text; *from != '\0'; from++) {
        if (*from == '+' && !is_path) {
            *to++ = ' ';
            continue;
        }
        if (*from != '%') {
            *to++ = *from;
            continue;
        }
        int high = hc_hex_digit(from[1]);
        int low = high < 0 ? -1 : hc_hex_digit(from[2]);
        if (low < 0)
            return "The target has a percent sign without two hexadecimal digits.";
        char c = (char)(high * 16 + low);
        if (c == '\0')
            return "The target has a NUL character.";
        if (c == '/' && is_path)
            return "The path has an encoded slash.";
        *to++ = c;
        from += 2;
    }
    *to = '\0';
    return NULL;
}

/* An absolute target ("GET http://host/path") is legal towards any server: the path is what counts. NULL: no path in it. */
static char *after_authority(char *raw)
{
    static const char *const schemes[] = { "http://", "https://" };
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
        size_t len = strlen(schemes[i]);
        if (strncasecmp(raw, schemes[i], len) != 0)
            continue;
        char *path = raw + len + strcspn(raw + len, "/?");
        return *path == '/' ? path : NULL;
    }
    return raw;
}

/* A parameter as the field of a refusal; what is no plain name is not repeated to the peer. */
static const char *field_of(const char *key)
{
    size_t len = strspn(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.");
    return len > 0 && len <= FIELD_MAX && key[len] == '\0' ? key : "query";
}

static const char *parse_params(char *query, struct http_target *target, const char **ret_field)
{
    for (char *at = query; at != NULL;) {
        char *next = strchr(at, '&');
        if (next != NULL)
            *next++ = '\0';
        if (*at != '\0') {
            char *value = strchr(at, '=');
            if (value != NULL)
                *value++ = '\0';
            const char *fault = decode(at, false);
            *ret_field = fault != NULL ? "query" : field_of(at);
            if (fault == NULL && value != NULL)
                fault = decode(value, false);
            if (fault != NULL)
                return fault;
            target->params[target->count++] = (struct http_param){ at, value == NULL ? "" : value };
        }
        at = next;
    }
    return NULL;
}

enum hc_err http_target_parse(struct hc_arena *arena, char *raw, struct http_target *ret_target, const char **ret_detail,
                              const char **ret_field)
{
    struct http_target target = { 0 };
    *ret_field = "path";
    for (const char *c = raw; *c != '\0'; c++)
        if ((unsigned char)*c <= 0x20 || *c == 0x7f) {
            *ret_detail = "The target has a control character.";
            return HC_ERR_SYNTAX;
        }
    char *path = after_authority(raw);
    if (path == NULL || path[0] != '/') {
        *ret_detail = "The target is not a path.";
        return HC_ERR_SYNTAX;
    }
    char *query = strchr(path, '?');
    if (query != NULL)
        *query++ = '\0';
    size_t len = strlen(path);
    if (len > 1 && path[len - 1] == '/')
        path[len - 1] = '\0';
    target.path = path;
    *ret_detail = decode(path, true);
    if (*ret_detail != NULL)
        return HC_ERR_SYNTAX;
    if (query != NULL && *query != '\0') {
        size_t most = 1;
        for (const char *c = query; *c != '\0'; c++)
            most += *c == '&';
        if (most > HTTP_PARAMS_MAX) {
            *ret_detail = "The query has more than 64 parameters.";
            *ret_field = "query";
            return HC_ERR_LIMIT;
        }
        target.params = hc_arena_array(arena, most, sizeof target.params[0]);
        if (target.params == NULL)
            return HC_ERR_NOMEM;
        *ret_detail = parse_params(query, &target, ret_field);
        if (*ret_detail != NULL)
            return HC_ERR_SYNTAX;
    }
    *ret_target = target;
    return HC_OK;
}
