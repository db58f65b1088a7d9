#include "fixture.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "answer_check.h"
#include "hydra/base/log.h"
#include "hydra/crypto/digest.h"
#include "hydra/os/clock.h"
#include "hydra/os/random.h"

#define TURN_MS       20
#define REQUEST_SIZE  (512 * 1024)
#define REPLY_MAX     (9 * 1024 * 1024)
#define STARTED_MS    200
#define PROMISE_TURNS 5               /* until the server has seen it */

const char *const RIG_ADMIN = "admin-token", *const RIG_READ = "read-token", *const RIG_FLEET = "fleet-token";

/* ---- time ---- */

static _Atomic int64_t skew_ms;

hc_time rig_now(void)
{
    return hc_time_add(os_now(), skew_ms);
}

/* ---- the store in memory ---- */

static struct { pthread_mutex_t mutex; pthread_cond_t go; bool fails, hangs; unsigned saves; uint64_t generation; } disk = {
    .mutex = PTHREAD_MUTEX_INITIALIZER, .go = PTHREAD_COND_INITIALIZER,
};

static enum hc_err disk_load(struct store *s, const struct core_config *config, struct alloc **ret_alloc, struct load_facts *ret_facts,
                             struct hc_diag *diag)
{
    (void)s;
    *ret_facts = (struct load_facts){ .saved_at = HC_TIME_NEVER };
    enum hc_err err = alloc_new(config, ret_alloc);
    return err == HC_OK ? err : hc_fail(diag, err, "no memory");
}

static struct save_result disk_save(struct store *s, const struct cut *cut)
{
    (void)s;
    (void)cut;
    (void)pthread_mutex_lock(&disk.mutex);
    while (disk.hangs)
        (void)pthread_cond_wait(&disk.go, &disk.mutex);
    struct save_result result = { .nodes = SAVE_DURABLE, .allocation = SAVE_DURABLE };
    if (disk.fails) {
        result.nodes = result.allocation = SAVE_NOT_WRITTEN;
        (void)hc_fail(&result.diag, HC_ERR_FULL, "the disk is full");
    } else {
        disk.saves++;
        disk.generation++;
    }
    (void)pthread_mutex_unlock(&disk.mutex);
    return result;
}

static uint64_t disk_generation(const struct store *s)
{
    (void)s;
    (void)pthread_mutex_lock(&disk.mutex);
    uint64_t generation = disk.generation;
    (void)pthread_mutex_unlock(&disk.mutex);
    return generation;
}

static const struct store_ops disk_ops = { .load = disk_load, .save = disk_save, .generation = disk_generation };

void rig_store_fails(struct rig *r, bool fails)
{
    (void)r;
    (void)pthread_mutex_lock(&disk.mutex);
    disk.fails = fails;
    (void)pthread_mutex_unlock(&disk.mutex);
}

void rig_store_hangs(struct rig *r, bool hangs)
{
    (void)r;
    (void)pthread_mutex_lock(&disk.mutex);
    disk.hangs = hangs;
    (void)pthread_cond_signal(&disk.go);
    (void)pthread_mutex_unlock(&disk.mutex);
}

unsigned rig_saves(void)
{
    (void)pthread_mutex_lock(&disk.mutex);
    unsigned saves = disk.saves;
    (void)pthread_mutex_unlock(&disk.mutex);
    return saves;
}

/* ---- setup ---- */

static void quiet(const char *line)
{
    (void)line;
}

static bool find_operator(void *ctx, const char *token_hash, struct principal *ret)
{
    static const struct { const char *const *token; enum principal_kind kind; const char *id; } rows[] = {
        { &RIG_ADMIN, PRINCIPAL_ADMIN, "tok-admin" }, { &RIG_READ, PRINCIPAL_READ, "tok-read" },
        { &RIG_FLEET, PRINCIPAL_FLEET, "tok-fleet" },
    };
    const struct rig *r = ctx;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char hash[HC_HASH_SIZE];
        crypto_sha256_hex(*rows[i].token, strlen(*rows[i].token), hash);
        if (!crypto_same_text(hash, token_hash) || rows[i].kind == r->revoked)
            continue;
        ret->kind = rows[i].kind;
        HC_SET(ret->id, rows[i].id);
        return true;
    }
    return false;
}

static bool hash_of_operator(void *ctx, const char *token_id, char ret_hash[HC_HASH_SIZE])
{
    const char *token = strcmp(token_id, "tok-admin") == 0 ? RIG_ADMIN : strcmp(token_id, "tok-read") == 0 ? RIG_READ : NULL;
    struct principal who;
    if (token == NULL)
        return false;
    crypto_sha256_hex(token, strlen(token), ret_hash);
    return find_operator(ctx, ret_hash, &who);
}

/* The first to ask is told to wait for it. */
static enum api_enrolment enrolment(void *ctx, char ret_token[API_TOKEN_SIZE], char ret_id[HC_ID_SIZE])
{
    struct rig *r = ctx;
    if (r->enrolment_fails)
        return API_ENROLMENT_FAILED;
    if (r->enrolment_asked++ == 0 || r->enrolment_hangs)
        return API_ENROLMENT_LATER;
    hc_copy(ret_token, API_TOKEN_SIZE, RIG_FLEET);
    hc_copy(ret_id, HC_ID_SIZE, "enroll-1");
    return API_ENROLMENT_READY;
}

static void open_engine(struct rig *r)
{
    struct hc_diag diag = { "" };
    struct alloc *loaded = NULL;
    struct load_facts facts;
    assert_int_equal(disk_load(NULL, &r->core, &loaded, &facts, &diag), HC_OK);
    struct feed_config feed = { .data_dir = r->data_dir, .keep_events = 10000, .generation = 1, .rotate_bytes = (size_t)1 << 20,
                                .sessions_segment_bytes = SESSIONS_SEGMENT_BYTES, .sessions_keep_bytes = SESSIONS_KEEP_BYTES };
    if (feed_open(&feed, r->wake_fd, &r->feed, &diag) != HC_OK)
        fail_msg("%s", diag.text);
    struct engine_config engine = { .ops = &disk_ops, .core = &r->core, .metrics = r->metrics, .feed = r->feed, .wake_fd = r->wake_fd,
                                    .now = rig_now, .random = os_random };
    if (engine_start(&engine, loaded, &facts, &r->engine, &diag) != HC_OK)
        fail_msg("%s", diag.text);
}

static void open_wire(struct rig *r)
{
    static const struct api_sunshine sunshine[] = { { RIG_DISTRICT, "sunny", "shine" } };
    struct hc_diag diag = { "" };
    r->config = (struct api_config){ .engine = r->engine, .feed = r->feed, .metrics = r->metrics, .core = &r->core,
        .operator_token = find_operator, .operator_hash = hash_of_operator, .operator_ctx = r, .enrolment = enrolment,
                                     .random = os_random, .now = rig_now, .version = "0.0.1", .server_url = "http://cluster.example",
                                         .metrics_on_loopback = true,
                                     .sunshine = sunshine, .sunshine_count = 1, .monotonic_ms = os_monotonic_ms };
    if (api_new(&r->config, &r->api, &diag) != HC_OK)
        fail_msg("%s", diag.text);
    struct http_config http = { .address = "127.0.0.1", .limits = { 256, 256, 7168, 75, 10 } };
    if (http_start(&http, api_owner(r->api), r->metrics, &r->http, &diag) != HC_OK)
        fail_msg("%s", diag.text);
    r->port = http_port(r->http);
}

int rig_setup(void **state)
{
    struct hc_diag diag = { "" };
    struct rig *r = calloc(1, sizeof *r);
    assert_non_null(r);
    assert_int_equal(crypto_start(&diag), HC_OK);
    os_clock_start();
    hc_log_sink_set(quiet);
    skew_ms = 0;
    disk.fails = disk.hangs = false;
    disk.saves = 0;
    disk.generation = 0;
    const char *tmp = getenv("TMPDIR");
    (void)snprintf(r->data_dir, sizeof r->data_dir, "%s/hydra-api-XXXXXX", tmp == NULL ? "/tmp" : tmp);
    assert_non_null(mkdtemp(r->data_dir));
    timers_default(&r->core.timers);
    HC_SET(r->core.default_district, RIG_DISTRICT);
    r->core.queue_max_tickets = QUEUE_TICKETS_DEFAULT;
    memset(r->core.secret, 7, sizeof r->core.secret);
    r->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    r->metrics = metrics_new();
    assert_true(r->wake_fd >= 0 && r->metrics != NULL);
    open_engine(r);
    open_wire(r);
    *state = r;
    return 0;
}

static void remove_dir(const char *path)
{
    static const char *const files[] = { "sessions.jsonl", "events.jsonl", "events.jsonl.1", "events.jsonl.2", "events.jsonl.3",
                                         "events.jsonl.4" };
    char name[512];
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        (void)snprintf(name, sizeof name, "%s/%s", path, files[i]);
        (void)unlink(name);
    }
    (void)rmdir(path);
}

int rig_teardown(void **state)
{
    struct rig *r = *state;
    rig_store_fails(r, false);
    rig_store_hangs(r, false);
    api_stopping(r->api);
    assert_int_equal(engine_stop(r->engine, RIG_WAIT_MS, NULL), HC_OK);
    http_free(r->http);
    api_free(r->api);
    (void)feed_close(r->feed);
    metrics_free(r->metrics);
    (void)close(r->wake_fd);
    remove_dir(r->data_dir);
    free(r);
    hc_log_sink_set(NULL);
    return 0;
}

/* ---- the loop ---- */

void rig_turn(struct rig *r, int most_ms)
{
    struct pollfd fds[] = { { .fd = http_epoll_fd(r->http), .events = POLLIN }, { .fd = r->wake_fd, .events = POLLIN } };
    int64_t wait = http_wait_ms(r->http), due = engine_next_due_ms(r->engine) - os_monotonic_ms();
    wait = due < wait ? due : wait;
    wait = most_ms < wait ? most_ms : wait;
    (void)poll(fds, 2, wait < 0 ? 0 : (int)wait);
    http_turn(r->http);
    engine_dispatch(r->engine);
    engine_tick(r->engine);
    api_turn(r->api);
}

void rig_until(struct rig *r, bool (*is_so)(void *arg), void *arg)
{
    int64_t end_ms = os_monotonic_ms() + RIG_WAIT_MS;
    while (!is_so(arg)) {
        if (os_monotonic_ms() > end_ms)
            fail_msg("waited for too long");
        rig_turn(r, TURN_MS);
    }
}

void rig_pass(struct rig *r, int64_t ms)
{
    (void)r;
    skew_ms += ms;
}

/* ---- requests ---- */

static int dial(const struct rig *r)
{
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)r->port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&to, sizeof to), 0);
    assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
    return fd;
}

static void send_all(struct rig *r, int fd, const char *bytes, size_t len)
{
    int64_t end_ms = os_monotonic_ms() + RIG_WAIT_MS;
    for (size_t sent = 0; sent < len;) {
        ssize_t n = send(fd, bytes + sent, len - sent, MSG_NOSIGNAL);
        if (n > 0) {
            sent += (size_t)n;
            continue;
        }
        if (errno != EAGAIN || os_monotonic_ms() > end_ms)
            return;                   /* the server has had enough; its answer says why */
        rig_turn(r, TURN_MS);
    }
}

static int start_raw(struct rig *r, const char *method, const char *path, const char *token, const char *headers, const char *body,
                     size_t len)
{
    HC_CLEANUP(hc_buf_freep) struct hc_buf text = { 0 };
    hc_buf_printf(&text, "%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n", method, path);
    if (token != NULL)
        hc_buf_printf(&text, "Authorization: Bearer %s\r\n", token);
    if (body != NULL)
        hc_buf_printf(&text, "Content-Length: %zu\r\n", len);
    hc_buf_str(&text, headers);
    hc_buf_str(&text, "\r\n");
    if (body != NULL)
        hc_buf_add(&text, body, len);
    assert_false(text.failed);
    int fd = dial(r);
    send_all(r, fd, text.data, text.len);
    return fd;
}

int rig_start(struct rig *r, const char *method, const char *path, const char *token, const char *body)
{
    const char *headers = body == NULL ? "" : "Content-Type: application/json\r\n";
    return start_raw(r, method, path, token, headers, body, body == NULL ? 0 : strlen(body));
}

int rig_promise(struct rig *r, const char *method, const char *path, const char *token, size_t len)
{
    char headers[64];
    (void)snprintf(headers, sizeof headers, "Content-Length: %zu\r\n", len);
    int fd = start_raw(r, method, path, token, headers, NULL, 0);
    for (unsigned i = 0; i < PROMISE_TURNS; i++)
        rig_turn(r, TURN_MS);
    return fd;
}

void rig_hang_up(struct rig *r, int fd)
{
    (void)close(fd);
    for (unsigned i = 0; i < PROMISE_TURNS; i++)
        rig_turn(r, TURN_MS);
}

bool rig_answered(struct rig *r, int fd)
{
    char c;
    rig_turn(r, TURN_MS);
    return recv(fd, &c, 1, MSG_PEEK) > 0;
}

static void parse_reply(struct hc_buf *text, struct reply *ret)
{
    char *end = text->data == NULL ? NULL : strstr(text->data, "\r\n\r\n");
    if (end == NULL || sscanf(text->data, "HTTP/1.1 %d", &ret->status) != 1)
        fail_msg("no answer: %s", text->data == NULL ? "" : text->data);
    ret->head = strndup(text->data, (size_t)(end - text->data) + 2);
    ret->body_len = text->len - (size_t)(end + 4 - text->data);
    ret->body = calloc(1, ret->body_len + 1);
    assert_true(ret->head != NULL && ret->body != NULL);
    memcpy(ret->body, end + 4, ret->body_len);
    ret->json = ret->body_len == 0 ? NULL : json_loadb(ret->body, ret->body_len, JSON_ALLOW_NUL, NULL);
}

void rig_answer(struct rig *r, int fd, struct reply *ret)
{
    HC_CLEANUP(hc_buf_freep) struct hc_buf text = { 0 };
    char piece[16384];
    int64_t end_ms = os_monotonic_ms() + RIG_WAIT_MS;
    *ret = (struct reply){ 0 };
    for (;;) {
        ssize_t n = recv(fd, piece, sizeof piece, 0);
        if (n > 0) {
            hc_buf_add(&text, piece, (size_t)n);
            assert_true(text.len < REPLY_MAX);
            continue;
        }
        if (n == 0 || (errno != EAGAIN && text.len > 0))
            break;
        if (errno != EAGAIN || os_monotonic_ms() > end_ms)
            fail_msg("no whole answer: %s", text.len == 0 ? "" : text.data);
        rig_turn(r, TURN_MS);
    }
    (void)close(fd);
    parse_reply(&text, ret);
}

void rig_ask_raw(struct rig *r, const char *method, const char *path, const char *token, const char *headers, const char *body, size_t len,
                 struct reply *ret)
{
    rig_answer(r, start_raw(r, method, path, token, headers, body, len), ret);
}

void rig_ask(struct rig *r, const char *method, const char *path, const char *token, const char *body, struct reply *ret)
{
    char why[ANSWER_WHY_SIZE];
    rig_answer(r, rig_start(r, method, path, token, body), ret);
    if (!answer_check(method, path, ret->status, ret->json, ret->body, why, sizeof why))
        fail_msg("%s %s: docs/openapi.yaml says otherwise: %s; %d %s", method, path, why, ret->status, ret->body);
}

void rig_expect(struct rig *r, const char *method, const char *path, const char *token, const char *body, int status, const char *error,
                const char *field)
{
    struct reply reply;
    rig_ask(r, method, path, token, body, &reply);
    json_t *said = json_object_get(reply.json, "error"), *at = json_object_get(reply.json, "field");
    const char *error_said = json_is_string(said) ? json_string_value(said) : "";
    const char *field_said = json_is_string(at) ? json_string_value(at) : "";
    if (reply.status != status || strcmp(error_said, error) != 0 || strcmp(field_said, field) != 0)
        fail_msg("%s %s %s: %d %s", method, path, body == NULL ? "" : body, reply.status, reply.body);
    if (status >= 400)
        assert_int_equal(reply_int(&reply, "code"), status);
    assert_true(reply_has(&reply, "X-Request-Id: "));
    reply_free(&reply);
}

struct parked { struct rig *r; const char *why; unsigned count; };

static bool is_parked(void *arg)
{
    const struct parked *parked = arg;
    HC_CLEANUP(hc_buf_freep) struct hc_buf text = { 0 };
    char line[128];
    metrics_write(parked->r->metrics, &text);
    (void)snprintf(line, sizeof line, "hydracluster_http_parked{why=\"%s\"} %u\n", parked->why, parked->count);
    return text.data != NULL && strstr(text.data, line) != NULL;
}

void rig_parked(struct rig *r, const char *why, unsigned count)
{
    rig_until(r, is_parked, &(struct parked){ r, why, count });
}

/* ---- what was answered ---- */

void reply_free(struct reply *reply)
{
    json_decref(reply->json);
    free(reply->head);
    free(reply->body);
    *reply = (struct reply){ 0 };
}

bool reply_has(const struct reply *reply, const char *text)
{
    return strcasestr(reply->head, text) != NULL;
}

json_t *reply_at(const struct reply *reply, const char *path)
{
    json_t *at = reply->json;
    for (const char *p = path; *p != '\0' && at != NULL;) {
        if (*p == '[') {
            char *end;
            at = json_array_get(at, strtoul(p + 1, &end, 10));
            p = end + 1;
        } else {
            char key[128];
            size_t len = strcspn(p, ".[");
            assert_true(len < sizeof key);
            memcpy(key, p, len);
            key[len] = '\0';
            at = json_object_get(at, key);
            p += len;
        }
        p += *p == '.';
    }
    if (at == NULL)
        fail_msg("no %s in %d %s", path, reply->status, reply->body);
    return at;
}

const char *reply_text(const struct reply *reply, const char *path)
{
    json_t *at = reply_at(reply, path);
    if (!json_is_string(at))
        fail_msg("%s is no text in %s", path, reply->body);
    return json_string_value(at);
}

int64_t reply_int(const struct reply *reply, const char *path)
{
    json_t *at = reply_at(reply, path);
    if (!json_is_integer(at))
        fail_msg("%s is no number in %s", path, reply->body);
    return json_integer_value(at);
}

bool reply_bool(const struct reply *reply, const char *path)
{
    json_t *at = reply_at(reply, path);
    if (!json_is_boolean(at))
        fail_msg("%s is neither true nor false in %s", path, reply->body);
    return json_is_true(at);
}

bool reply_null(const struct reply *reply, const char *path)
{
    return json_is_null(reply_at(reply, path));
}

size_t reply_count(const struct reply *reply, const char *path)
{
    json_t *at = reply_at(reply, path);
    if (!json_is_array(at))
        fail_msg("%s is no array in %s", path, reply->body);
    return json_array_size(at);
}
