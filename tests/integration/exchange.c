#include "exchange.h"

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <cmocka.h>

#include "answer_check.h"
#include "exchange_view.h"
#include "hydra/base/arena.h"
#include "hydra/os/clock.h"
#include "raw.h"

#define EXCHANGES_MAX 160
#define PIECE         16384
#define BLANK         "\r\n\r\n"

static struct { char *route, *text; } kept[EXCHANGES_MAX];
static size_t kept_count;

void exchange_start(void)
{
    for (size_t i = 0; i < kept_count; i++) {
        free(kept[i].route);
        hc_free(kept[i].text);
    }
    kept_count = 0;
}

size_t exchange_count(void)
{
    return kept_count;
}

const char *exchange_route(size_t i)
{
    return kept[i].route;
}

const char *exchange_text(const char *route)
{
    for (size_t i = 0; i < kept_count; i++)
        if (strcmp(kept[i].route, route) == 0)
            return kept[i].text;
    return NULL;
}

/* ---- the request ---- */

static void fill_path(const struct asked *asked, char out[512])
{
    struct hc_buf path = { 0 };
    size_t next = 0;
    for (const char *at = strchr(asked->route, ' ') + 1; *at != '\0';) {
        const char *end = *at == '{' ? strchr(at, '}') : NULL;
        if (end == NULL) {
            hc_buf_char(&path, *at++);
            continue;
        }
        if (next == 2 || asked->ids[next] == NULL)
            fail_msg("%s: an id is missing", asked->route);
        hc_buf_str(&path, asked->ids[next++]);
        at = end + 1;
    }
    hc_buf_str(&path, asked->query == NULL ? "" : asked->query);
    assert_true(!path.failed && path.len < 512);
    (void)snprintf(out, 512, "%s", path.data);
    hc_buf_free(&path);
}

static void send_bytes(int fd, const char *bytes, size_t len)
{
    for (size_t sent = 0; sent < len;) {
        ssize_t got = send(fd, bytes + sent, len - sent, MSG_NOSIGNAL);
        assert_true(got > 0);
        sent += (size_t)got;
    }
}

void exchange_begin(const struct asked *asked, struct exchange_under_way *ret)
{
    struct hc_buf head = { 0 };
    char *body = asked->json == NULL ? NULL : json_dumps(asked->json, JSON_COMPACT);
    const char *bytes = body == NULL ? asked->bytes : body, *type = body == NULL ? asked->type : "application/json";
    size_t len = body == NULL ? asked->len : strlen(body);
    *ret = (struct exchange_under_way){ .asked = *asked };
    fill_path(asked, ret->path);
    hc_buf_printf(&head, "%.*s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n", (int)strcspn(asked->route, " "), asked->route, ret->path,
                  strstr(scene.daemon.url, "//") + 2);
    if (asked->token != NULL)
        hc_buf_printf(&head, "Authorization: Bearer %s\r\n", asked->token);
    if (type != NULL)
        hc_buf_printf(&head, "Content-Type: %s\r\n", type);
    if (strncmp(asked->route, "GET ", 4) != 0)
        hc_buf_printf(&head, "Content-Length: %zu\r\n", len);
    hc_buf_str(&head, "\r\n");
    assert_false(head.failed);
    ret->fd = raw_connect(scene.daemon.url);
    send_bytes(ret->fd, head.data, head.len);
    if (len > 0)
        send_bytes(ret->fd, bytes, len);
    hc_buf_free(&head);
    free(body);
}

/* ---- the answer ---- */

static void read_all(int fd, struct hc_buf *out)
{
    char piece[PIECE];
    int64_t end = os_monotonic_ms() + DAEMON_CALL_MS;
    for (ssize_t got = 1; got > 0;) {
        struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
        int64_t left = end - os_monotonic_ms();
        if (poll(&poll_fd, 1, left < 0 ? 0 : (int)left) <= 0)
            fail_msg("no answer in time");
        got = recv(fd, piece, sizeof piece, 0);
        if (got > 0)
            hc_buf_add(out, piece, (size_t)got);
    }
    assert_false(out->failed);
}

static struct view_answer parse(const struct exchange_under_way *under_way, struct hc_buf *bytes)
{
    char *blank = bytes->data == NULL ? NULL : strstr(bytes->data, BLANK);
    if (blank == NULL || strncmp(bytes->data, "HTTP/1.1 ", 9) != 0)
        fail_msg("%s: no answer of HTTP", under_way->path);
    size_t head_len = (size_t)(blank - bytes->data) + strlen(BLANK);
    struct view_answer answer = { .status = strtol(bytes->data + 9, NULL, 10), .head = bytes->data + 9, .body = bytes->data + head_len,
                                  .len = bytes->len - head_len };
    *blank = '\0';
    if (strcasestr(answer.head, "transfer-encoding") != NULL)
        fail_msg("%s is answered in pieces", under_way->path);
    answer.json = answer.len == 0 ? NULL : json_loadb(answer.body, answer.len, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
    return answer;
}

static void keep(const struct exchange_under_way *under_way, const struct view_answer *answer)
{
    assert_true(kept_count < EXCHANGES_MAX);
    if (exchange_text(under_way->asked.route) != NULL)
        fail_msg("%s is asked twice", under_way->asked.route);
    kept[kept_count].route = strdup(under_way->asked.route);
    kept[kept_count].text = exchange_view(&under_way->asked, under_way->path, answer);
    assert_non_null(kept[kept_count].route);
    kept_count++;
}

static void check(const struct exchange_under_way *under_way, const struct view_answer *answer, const char *text)
{
    char why[ANSWER_WHY_SIZE], method[16];
    (void)snprintf(method, sizeof method, "%.*s", (int)strcspn(under_way->asked.route, " "), under_way->asked.route);
    if (!answer_check(method, under_way->path, answer->status, answer->json, text, why, sizeof why))
        fail_msg("%s %s: docs/openapi.yaml says otherwise: %s; %ld %s", method, under_way->path, why, answer->status, text);
    if ((answer->status < 200 || answer->status > 299) && answer->status != 303)
        fail_msg("%s %s: %ld %s", method, under_way->path, answer->status, text);
}

static struct view_answer answer_of(struct exchange_under_way *under_way, struct hc_buf *bytes)
{
    read_all(under_way->fd, bytes);
    raw_close(&under_way->fd);
    return parse(under_way, bytes);
}

struct call exchange_end(struct exchange_under_way *under_way)
{
    struct hc_buf bytes = { 0 };
    struct view_answer answer = answer_of(under_way, &bytes);
    if (answer.status == under_way->asked.again) {
        const struct asked asked = under_way->asked;
        json_decref(answer.json);
        hc_buf_clear(&bytes);
        exchange_begin(&asked, under_way);
        answer = answer_of(under_way, &bytes);
    }
    struct call call = { .status = answer.status, .retry_after_seconds = -1, .json = answer.json, .text = hc_alloc(answer.len + 1) };
    assert_non_null(call.text);
    memcpy(call.text, answer.body, answer.len);
    check(under_way, &answer, call.text);
    keep(under_way, &answer);
    json_decref(under_way->asked.json);
    hc_buf_free(&bytes);
    return call;
}

struct call exchange(const struct asked *asked)
{
    struct exchange_under_way under_way;
    exchange_begin(asked, &under_way);
    return exchange_end(&under_way);
}
