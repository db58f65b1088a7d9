#include "request.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "hydra/base/arena.h"

#define HEAD_END "\r\n\r\n"

static const char *find_head_end(const char *text, size_t len)
{
    return memmem(text, len, HEAD_END, strlen(HEAD_END));
}

static int64_t content_length(const char *head, size_t len)
{
    static const char name[] = "\r\ncontent-length:";
    for (size_t i = 0; i + sizeof name - 1 <= len; i++)
        if (strncasecmp(head + i, name, sizeof name - 1) == 0) {
            char *end;
            long value = strtol(head + i + sizeof name - 1, &end, 10);
            return value < 0 || value > (long)REQUEST_MAX ? -1 : value;
        }
    return 0;
}

int64_t request_length(const char *text, size_t len)
{
    const char *end = find_head_end(text, len);
    if (end == NULL)
        return len >= REQUEST_MAX ? -1 : 0;
    size_t head = (size_t)(end - text) + strlen(HEAD_END);
    int64_t body = content_length(text, head);
    if (body < 0 || head + (size_t)body > REQUEST_MAX)
        return -1;
    return len >= head + (size_t)body ? (int64_t)(head + (size_t)body) : 0;
}

static int digit(char c)
{
    const char *digits = "0123456789abcdef", *found = c == '\0' ? NULL : strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c);
    return found == NULL ? -1 : (int)(found - digits);
}

static void percent_decode(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0'; from++) {
        if (*from == '%' && digit(from[1]) >= 0 && digit(from[2]) >= 0) {
            *to++ = (char)(digit(from[1]) * 16 + digit(from[2]));
            from += 2;
        } else {
            *to++ = *from == '+' ? ' ' : *from;
        }
    }
    *to = '\0';
}

static bool read_query(char *query, struct request *request)
{
    char *rest = query;
    for (char *pair = strsep(&rest, "&"); pair != NULL; pair = strsep(&rest, "&")) {
        if (*pair == '\0')
            continue;
        if (request->param_count == REQUEST_PARAMS_MAX)
            return false;
        char *name = strsep(&pair, "=");
        static char nothing[] = "";
        char *value = pair == NULL ? nothing : pair;
        percent_decode(name);
        percent_decode(value);
        request->params[request->param_count].name = name;
        request->params[request->param_count++].value = value;
    }
    return true;
}

static void read_header(char *line, struct request *request)
{
    char *value = strchr(line, ':');
    if (value == NULL)
        return;
    *value++ = '\0';
    value += strspn(value, " \t");
    if (strcasecmp(line, "Origin") == 0)
        request->origin = value;
    else if (strcasecmp(line, "Referer") == 0)
        request->referer = value;
    else if (strcasecmp(line, "Content-Type") == 0)
        request->content_type = value;
    else if (strcasecmp(line, "Authorization") == 0)
        request->authorization = value;
    else if (strcasecmp(line, "X-CSRF-Token") == 0)
        request->csrf_token = value;
}

bool request_read(const char *text, size_t len, struct request *request)
{
    *request = (struct request){ 0 };
    request->text = hc_alloc(len + 1);
    if (request->text == NULL)
        return false;
    memcpy(request->text, text, len);
    char *end = memmem(request->text, len, HEAD_END, strlen(HEAD_END));
    if (end == NULL || memchr(text, '\0', len) != NULL)
        return false;
    request->body = end + strlen(HEAD_END);
    request->body_len = len - (size_t)(request->body - request->text);
    *end = '\0';
    char *rest = request->text, *line = strsep(&rest, "\r\n");
    request->method = strsep(&line, " ");
    char *target = strsep(&line, " "), *query = target;
    if (target == NULL || line == NULL || strncmp(line, "HTTP/1.", 7) != 0)
        return false;
    char *path = strsep(&query, "?");
    percent_decode(path);
    if (strlen(path) >= sizeof request->path)
        return false;
    memcpy(request->path, path, strlen(path) + 1);
    for (char *header = strsep(&rest, "\r\n"); header != NULL; header = strsep(&rest, "\r\n"))
        read_header(header, request);
    return query == NULL || read_query(query, request);
}

void request_release(struct request *request)
{
    hc_free(request->text);
    request->text = NULL;
}

const char *request_param(const struct request *request, const char *name)
{
    for (size_t i = 0; i < request->param_count; i++)
        if (strcasecmp(request->params[i].name, name) == 0)
            return request->params[i].value;
    return NULL;
}

long request_number(const struct request *request, const char *name, long otherwise)
{
    const char *text = request_param(request, name);
    return text == NULL ? otherwise : strtol(text, NULL, 10);
}

static const char *status_word(int status)
{
    switch (status) {
    case 200: return "OK";
    case 307: return "Temporary Redirect";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    default:  return "Internal Server Error";
    }
}

void answer_write(const struct answer *answer, struct hc_buf *out)
{
    hc_buf_printf(out, "HTTP/1.1 %d %s\r\n", answer->status, status_word(answer->status));
    if (answer->type != NULL)
        hc_buf_printf(out, "Content-Type: %s\r\n", answer->type);
    hc_buf_printf(out, "%sContent-Length: %zu\r\n\r\n", answer->more, answer->body.len);
    hc_buf_add(out, answer->body.data == NULL ? "" : answer->body.data, answer->body.len);
}
