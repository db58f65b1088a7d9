/* fuzz_routes.c - the whole route table through the real server, pipeline, engine and core, over a store in memory that is new for each
 * input. An input is requests, one after the other, with lines "----" between them:
 *
 *     POST /api/v1/heads/{head}/slot-claims head
 *     {"attempt_id":"a1","experience":"rupelmonde"}
 *     ----
 *     ADMIN|READ|FLEET|HEAD|BODY|NOBODY alone in the first line: the body is sent to every route of the table by this caller
 *     {}
 *
 * {head}, {body}, {lease}, {token} and {stream} stand for what the answers before named, in paths and bodies. Nothing may die or answer
 * 500, every refusal says what it is, and in the end the daemon still shows its lists. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../unit/api/fixture.h"
#include "fuzz_target.h"

#define REQUESTS_MAX  16
#define LINE_SIZE     1024
#define BODY_SIZE     ((size_t)64 * 1024)
#define ANSWER_MAX    ((size_t)4 * 1024 * 1024)
#define TURN_MS       10
#define WAITS_MAX     8          /* turns without a byte: what is parked for longer has lost its visitor */

struct fleet { char head[HC_ID_SIZE], head_token[RIG_TOKEN_SIZE], body[HC_ID_SIZE], body_token[RIG_TOKEN_SIZE], lease[HC_ID_SIZE],
    token[RIG_TOKEN_SIZE], stream[HC_ID_SIZE]; };
struct target { struct rig *rig; struct fleet fleet; };
struct request { char method[LINE_SIZE], path[LINE_SIZE], who[LINE_SIZE]; const char *body; size_t body_len; };

static const char *token_of(const struct fleet *fleet, const char *who)
{
    const struct { const char *who, *token; } rows[] = {
        { "admin", RIG_ADMIN }, { "read", RIG_READ }, { "fleet", RIG_FLEET }, { "head", fleet->head_token }, { "body", fleet->body_token },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcasecmp(rows[i].who, who) == 0)
            return rows[i].token;
    return NULL;
}

/* Puts in what {names} stand for. An unknown one stays. */
static void fill(const struct fleet *fleet, const char *text, size_t len, struct hc_buf *out)
{
    const struct { const char *name, *value; } rows[] = {
        { "{head}", fleet->head }, { "{body}", fleet->body }, { "{lease}", fleet->lease }, { "{token}", fleet->token },
        { "{stream}", fleet->stream }, { "{lease_id}", fleet->lease }, { "{stream_id}", fleet->stream },
    };
    for (size_t at = 0; at < len && out->len < BODY_SIZE;) {
        size_t i = 0, count = sizeof rows / sizeof rows[0];
        while (i < count && (len - at < strlen(rows[i].name) || memcmp(text + at, rows[i].name, strlen(rows[i].name)) != 0))
            i++;
        hc_buf_add(out, i == count ? text + at : rows[i].value, i == count ? 1 : strlen(rows[i].value));
        at += i == count ? 1 : strlen(rows[i].name);
    }
}

/* ---- one request on a connection of its own ---- */

static int send_request(const struct target *t, const struct request *request)
{
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)t->rig->port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    HC_CLEANUP(hc_buf_freep) struct hc_buf text = { 0 };
    HC_CLEANUP(hc_buf_freep) struct hc_buf body = { 0 };
    HC_CLEANUP(hc_buf_freep) struct hc_buf path = { 0 };
    const char *token = token_of(&t->fleet, request->who);
    fill(&t->fleet, request->body, request->body_len, &body);
    fill(&t->fleet, request->path, strlen(request->path), &path);
    hc_buf_printf(&text, "%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n", request->method,
                  path.len == 0 ? "/" : path.data);
    if (token != NULL)
        hc_buf_printf(&text, "Authorization: Bearer %s\r\n", token);
    hc_buf_printf(&text, "Content-Length: %zu\r\n\r\n", body.len);
    hc_buf_add(&text, body.len == 0 ? "" : body.data, body.len);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (const struct sockaddr *)&to, sizeof to) != 0 || text.failed)
        abort();
    (void)send(fd, text.data, text.len, MSG_NOSIGNAL);
    return fd;
}

/* Until the answer is whole. False: it waits, or streams, for longer than we do. */
static bool receive(const struct target *t, int fd, struct hc_buf *out)
{
    char piece[16384];
    for (int waits = 0; waits < WAITS_MAX && out->len < ANSWER_MAX;) {
        ssize_t n = recv(fd, piece, sizeof piece, MSG_DONTWAIT);
        if (n > 0)
            hc_buf_add(out, piece, (size_t)n);
        if (n == 0 || (n < 0 && errno != EAGAIN))
            return true;
        if (n > 0)
            continue;
        rig_turn(t->rig, TURN_MS);
        waits += poll(&(struct pollfd){ .fd = fd, .events = POLLIN }, 1, 0) == 0;
    }
    return false;
}

static void remember(char *to, size_t size, const json_t *json, const char *key)
{
    const char *said = json_string_value(json_object_get(json, key));
    if (said != NULL && strlen(said) < size)
        hc_copy(to, size, said);
}

static void judge(struct target *t, const struct request *request, const struct hc_buf *answer)
{
    int status = 0;
    const char *end = answer->len == 0 ? NULL : strstr(answer->data, "\r\n\r\n");
    if (answer->len == 0)
        return;                                         /* what is no HTTP may be hung up on */
    if (end == NULL || sscanf(answer->data, "HTTP/1.1 %d", &status) != 1)
        abort();
    bool json_said = strcasestr(answer->data, "\r\nContent-Type: application/json") != NULL;
    size_t len = answer->len - (size_t)(end + 4 - answer->data);
    json_t *json = json_said ? json_loadb(end + 4, len, JSON_ALLOW_NUL | JSON_DECODE_ANY, NULL) : NULL;
    bool silent = strcmp(request->method, "HEAD") == 0 || len == 0;
    if (status == 500 || (json_said && json == NULL && !silent))
        abort();
    if (json != NULL && status >= 400 && (!json_is_string(json_object_get(json, "error")) ||
                                          json_integer_value(json_object_get(json, "code")) != status))
        abort();
    remember(t->fleet.lease, sizeof t->fleet.lease, json, "lease_id");
    remember(t->fleet.token, sizeof t->fleet.token, json, "claim_token");
    remember(t->fleet.stream, sizeof t->fleet.stream, json, "stream_id");
    json_decref(json);
}

static bool ask(struct target *t, const struct request *request)
{
    HC_CLEANUP(hc_buf_freep) struct hc_buf answer = { 0 };
    int fd = send_request(t, request);
    bool whole = receive(t, fd, &answer);
    (void)close(fd);
    if (whole)
        judge(t, request, &answer);
    rig_turn(t->rig, 0);
    return whole;
}

/* ---- inputs ---- */

/* {id} means whoever the path speaks of; any other {name} is filled like those of an input. */
static void pattern_path(const char *pattern, char out[LINE_SIZE])
{
    const char *id = strstr(pattern, "{id}");
    bool of_body = strstr(pattern, "/bodies/") != NULL || strstr(pattern, "/nodes/") != NULL;
    if (id == NULL)
        (void)snprintf(out, LINE_SIZE, "%s", pattern);
    else
        (void)snprintf(out, LINE_SIZE, "%.*s%s%s", (int)(id - pattern), pattern, of_body ? "{body}" : "{head}", id + 4);
}

static void ask_every_route(struct target *t, const struct request *request)
{
    static const char *const methods[HTTP_METHODS] = { "GET", "HEAD", "POST", "PUT", "DELETE", "PATCH" };
    const struct api_route_doc *routes;
    size_t count = api_routes(&routes);
    for (size_t i = 0; i < count; i++) {
        struct request one = *request;
        (void)snprintf(one.method, sizeof one.method, "%s", methods[routes[i].method]);
        pattern_path(routes[i].pattern, one.path);
        (void)ask(t, &one);
    }
}

/* The first line is "METHOD PATH WHO" or "WHO"; false: neither. */
static bool take_line(const char *line, size_t len, struct request *ret)
{
    char text[LINE_SIZE];
    int at = 0;
    if (len == 0 || len >= sizeof text)
        return false;
    memcpy(text, line, len);
    text[len] = '\0';
    if (sscanf(text, "%1023s %1023s %1023s %n", ret->method, ret->path, ret->who, &at) == 3)
        return at >= 0;
    ret->method[0] = '\0';
    return sscanf(text, "%1023s %n", ret->who, &at) == 1 && text[at] == '\0';
}

static void run(struct target *t, const char *text, size_t len)
{
    const char *end = text + len;
    for (int i = 0; i < REQUESTS_MAX && text < end; i++) {
        const char *stop = memmem(text, (size_t)(end - text), "\n----\n", 6), *next = stop == NULL ? end : stop + 6;
        stop = stop == NULL ? end : stop;
        const char *line_end = memchr(text, '\n', (size_t)(stop - text));
        line_end = line_end == NULL ? stop : line_end;
        struct request request = { .body = line_end < stop ? line_end + 1 : stop };
        request.body_len = (size_t)(stop - request.body);
        if (!take_line(text, (size_t)(line_end - text), &request))
            return;
        if (request.method[0] == '\0')
            ask_every_route(t, &request);
        else
            (void)ask(t, &request);
        text = next;
    }
}

static void look_around(struct target *t)
{
    static const char *const lists[] = { "/api/v1/slots", "/api/v1/allocation" };
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        struct request request = { .method = "GET", .who = "admin", .body = "" };
        HC_SET(request.path, lists[i]);
        if (!ask(t, &request))
            abort();                                    /* a list waits for nothing but its commit */
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct target t = { .rig = NULL };
    void *state = NULL;
    /* The fixture's own checks die here, where no test is there to fail. */
    if (setenv("CMOCKA_TEST_ABORT", "1", 1) != 0 || (access("/dev/shm", W_OK) == 0 && setenv("TMPDIR", "/dev/shm", 1) != 0))
        abort();
    (void)rig_setup(&state);
    t.rig = state;
    rig_body(t.rig, "b1", "north", t.fleet.body, t.fleet.body_token);
    rig_head(t.rig, "h1", "north", t.fleet.head, t.fleet.head_token);
    rig_report(t.rig, t.fleet.body);
    run(&t, (const char *)data, size);
    look_around(&t);
    (void)rig_teardown(&state);
    return 0;
}
