#include "stand_in_body.h"

#include <inttypes.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "hydra/base/arena.h"
#include "hydra/client/client.h"
#include "hydra/os/clock.h"
#include "hydra/sunshine/sunshine.h"

#define USER      "venue"
#define PASSWORD  "secret-1"
#define LOOK_MS   40
#define REPORT_MS 400
#define PIN_MS    10000
#define WAIT_MS   30000
#define PATTERN   "{\"name\":\"x\",\"cmd\":\"/bin/sleep 3600\",\"exit-timeout\":1,\"prep-cmd\":[],\"detached\":[]}"

/* What the thread works with. */
struct work {
    struct stand_in_body *body;
    struct client *client;
    struct sunshine_api *api;
    bool app, session;                      /* on the host */
    const char *state, *told;               /* reported next, reported last */
    char lease_id[HC_ID_SIZE];              /* of the slot, as it was told */
    json_t *entries;                        /* that the slot wants */
    uint64_t epoch, applied;
    int64_t reported_ms;
};

static bool is_idle(void *ctx)
{
    json_t *status = sunshine_status(&((struct stand_in_body *)ctx)->host);
    bool idle = json_integer_value(json_object_get(status, "app")) <= 0;
    json_decref(status);
    return idle;
}

static void look(struct work *w)
{
    json_t *status = sunshine_status(&w->body->host);
    w->app = json_integer_value(json_object_get(status, "app")) > 0;
    w->session = json_array_size(json_object_get(status, "sessions")) > 0;
    json_decref(status);
    if (atomic_load(&w->body->blind))
        w->app = w->session = false;
    w->state = !w->app ? "idle" : w->session ? "streaming" : w->lease_id[0] != '\0' ? "starting" : "ending";
}

/* ---- applying ---- */

static bool wanted(const struct work *w, const char *name)
{
    size_t i;
    json_t *entry;
    json_array_foreach(w->entries, i, entry)
        if (strcmp(json_string_value(entry), name) == 0)
            return true;
    return false;
}

static bool listed(const struct sunshine_app *apps, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(apps[i].name, name) == 0)
            return true;
    return false;
}

/* Entries change while nothing runs, and the epoch is confirmed only when they are in place. */
static void apply(struct work *w)
{
    struct hc_arena arena = { 0 };
    const struct sunshine_app *apps = NULL;
    size_t count = 0, i;
    json_t *entry;
    if (w->applied == w->epoch || w->app || atomic_load(&w->body->blind))
        return;
    bool ok = sunshine_apps(w->api, &arena, &apps, &count, NULL) == SUNSHINE_OK;
    json_array_foreach(w->entries, i, entry)
        if (ok && !listed(apps, count, json_string_value(entry)))
            ok = sunshine_app_add(w->api, PATTERN, json_string_value(entry), NULL) == SUNSHINE_OK;
    for (size_t k = 0; k < count && ok; k++)
        if (strchr(apps[k].name, '#') != NULL && !wanted(w, apps[k].name))
            ok = sunshine_app_remove(w->api, apps[k].name, NULL) == SUNSHINE_OK;
    hc_arena_free(&arena);
    if (ok)
        w->applied = w->epoch;
}

static void take_directive(struct work *w, json_t *answer)
{
    json_t *slot = json_array_get(json_object_get(json_object_get(answer, "desired"), "slots"), 0);
    const char *action = json_string_value(json_object_get(slot, "action")), *lease = json_string_value(json_object_get(slot, "lease_id"));
    if (slot == NULL || action == NULL)
        return;
    json_decref(w->entries);
    w->entries = json_incref(json_object_get(slot, "app_entries"));
    w->epoch = (uint64_t)json_integer_value(json_object_get(slot, "epoch"));
    (void)snprintf(w->lease_id, sizeof w->lease_id, "%s", strcmp(action, "serve") == 0 && lease != NULL ? lease : "");
}

/* ---- over the wire ---- */

static json_t *call(struct work *w, const char *method, const char *path, const char *text)
{
    struct client_answer answer;
    if (client_call(w->client, method, path, w->body->node.token, text, &answer, NULL) != HC_OK)
        return NULL;
    json_t *json = answer.status == 200 ? json_loadb(answer.body.data, answer.body.len, 0, NULL) : NULL;
    client_answer_free(&answer);
    return json;
}

static void report(struct work *w)
{
    struct stand_in_body *body = w->body;
    uint64_t applied = atomic_load(&body->blind) ? w->epoch : w->applied;
    char text[2048], lease[HC_ID_SIZE + 32] = "", fp[128] = "", clients[2 * HC_ID_SIZE + 96] = "";
    if (w->app && w->lease_id[0] != '\0')
        (void)snprintf(lease, sizeof lease, ",\"lease_id\":\"%s\"", w->lease_id);
    (void)pthread_mutex_lock(&body->mutex);
    if (!atomic_load(&body->hides_cert))
        (void)snprintf(fp, sizeof fp, ",\"sunshine_cert_fp\":\"%s\"", body->named_fp);
    if (body->listed_head[0] != '\0')
        (void)snprintf(clients, sizeof clients, ",\"paired_digest\":\"d-1\",\"paired_clients\":[{\"uuid\":\"U-1\",\"name\":\"hydra-%s\"}]",
                       body->listed_head);
    (void)pthread_mutex_unlock(&body->mutex);
    (void)snprintf(text, sizeof text,
                   "{\"stream_status\":\"%s\",\"installed_experiences\":[\"" FLEET_EXPERIENCE "\"],\"boot_id\":\"%s\","
                   "\"report_seq\":%" PRIu64 ",\"provider_uptime_seconds\":3600,\"slots_total\":1%s%s,"
                   "\"ports\":{\"gamestream\":%u,\"gamestream_tls\":%u,\"web\":%u},"
                   "\"slots\":[{\"index\":0,\"state\":\"%s\",\"applied_epoch\":%" PRIu64 "%s}],\"max_epoch_seen\":[%" PRIu64 "]}",
                   w->session ? "streaming" : "idle", body->node.boot_id, ++body->node.report_seq, fp, clients,
                   body->host.http, body->host.https,
                   body->host.web, w->state, applied, lease, applied);
    json_t *answer = call(w, "POST", "/api/v1/body/status", text);
    if (answer == NULL)
        return;
    take_directive(w, answer);
    json_decref(answer);
    w->told = w->state;
    w->reported_ms = os_monotonic_ms();
}

static void submit_pin(struct work *w, const char *op_id, json_t *args)
{
    char pin[8], path[256], result[128];
    const char *name = json_string_value(json_object_get(args, "name")), *given = json_string_value(json_object_get(args, "pin"));
    if (name == NULL || given == NULL)
        return;
    (void)snprintf(pin, sizeof pin, "%s", given);
    if (atomic_load(&w->body->wrong_pins) > 0)
        pin[3] = pin[3] == '9' ? '0' : (char)(pin[3] + 1);
    enum sunshine_outcome outcome = sunshine_pin_until(w->api, pin, name, os_monotonic_ms() + PIN_MS, NULL);
    if (outcome == SUNSHINE_OK) {
        atomic_fetch_add(&w->body->pins, 1);
        if (atomic_load(&w->body->wrong_pins) > 0)
            atomic_fetch_sub(&w->body->wrong_pins, 1);
    }
    (void)snprintf(path, sizeof path, "/api/v1/nodes/%s/ops/%s/result", w->body->node.id, op_id);
    (void)snprintf(result, sizeof result, "{\"state\":\"done\",\"output\":{\"status\":%s}}", outcome == SUNSHINE_OK ? "true" : "false");
    json_decref(call(w, "POST", path, result));
}

static void operate(struct work *w)
{
    char path[256];
    (void)snprintf(path, sizeof path, "/api/v1/nodes/%s/ops/next?wait=0", w->body->node.id);
    json_t *op = call(w, "GET", path, NULL);
    const char *word = json_string_value(json_object_get(op, "op")), *op_id = json_string_value(json_object_get(op, "op_id"));
    if (word != NULL && op_id != NULL && strcmp(word, "sunshine.submit_pin") == 0)
        submit_pin(w, op_id, json_object_get(op, "args"));
    json_decref(op);
}

static bool due(const struct work *w, uint64_t applied_before)
{
    return strcmp(w->state, w->told) != 0 || w->applied != applied_before || os_monotonic_ms() - w->reported_ms >= REPORT_MS;
}

static struct sunshine_access access_of(struct stand_in_body *body)
{
    return (struct sunshine_access){ .address = "127.0.0.1", .port = (uint16_t)body->host.web, .username = USER, .password = PASSWORD,
                                     .timeout_ms = 5000, .idle = is_idle, .idle_ctx = body };
}

static void *main_of_thread(void *arg)
{
    struct stand_in_body *body = arg;
    struct work w = { .body = body, .told = "" };
    const struct client_options options = { .server_url = body->url, .timeout_ms = 2000 };
    const struct sunshine_access access = access_of(body);
    if (client_open(&options, &w.client, NULL) == HC_OK && sunshine_open(&access, &w.api, NULL) == HC_OK)
        while (!atomic_load(&body->stop)) {
            uint64_t applied = w.applied;
            look(&w);
            bool over = w.app && !w.session && w.lease_id[0] == '\0';     /* the visit is; the application would run on */
            if (!over || sunshine_close_app(w.api, NULL) == SUNSHINE_OK)
                apply(&w);
            if (due(&w, applied))
                report(&w);
            operate(&w);
            (void)poll(NULL, 0, LOOK_MS);
        }
    json_decref(w.entries);
    w.api = sunshine_close(w.api);
    w.client = client_close(w.client);
    return NULL;
}

/* ---- for the test ---- */

struct asked { struct daemon *daemon; const struct stand_in_body *body; };
static bool is_grantable(void *ctx)
{
    const struct asked *asked = ctx;
    struct call slots = fleet_slots(asked->daemon);
    bool yes = json_is_true(json_object_get(fleet_row(&slots, asked->body->node.id), "grantable"));
    call_free(&slots);
    return yes;
}

void stand_in_body_start(struct stand_in_body *body, struct daemon *daemon, const char *name, const char *venue)
{
    char path[128];
    *body = (struct stand_in_body){ .node = fleet_body(daemon, name, venue) };
    (void)pthread_mutex_init(&body->mutex, NULL);
    (void)snprintf(path, sizeof path, "/api/v1/nodes/%s", body->node.id);
    struct call call = daemon_call(daemon, daemon->home->admin_token, "PUT", path, "{\"ip\":\"127.0.0.1\"}");
    assert_int_equal(call.status, 200);
    call_free(&call);
    (void)snprintf(body->url, sizeof body->url, "%s", daemon->url);
    const struct sunshine_options options = { .name = name, .username = USER, .password = PASSWORD, .apps = "{\"env\":{},\"apps\":[]}" };
    sunshine_start(&body->host, daemon->home, name, &options);
    stand_in_body_names(body);
    assert_int_equal(pthread_create(&body->thread, NULL, main_of_thread, body), 0);
    body->runs = true;
    struct asked asked = { daemon, body };
    assert_true(wait_until(is_grantable, &asked, WAIT_MS));
}

void stand_in_body_names(struct stand_in_body *body)
{
    char answer[SUNSHINE_ANSWER_SIZE];
    sunshine_ask(&body->host, "fingerprint", answer);
    (void)pthread_mutex_lock(&body->mutex);
    (void)snprintf(body->named_fp, sizeof body->named_fp, "%.64s", answer);
    (void)pthread_mutex_unlock(&body->mutex);
}

void stand_in_body_lists(struct stand_in_body *body, const char *head_id)
{
    (void)pthread_mutex_lock(&body->mutex);
    (void)snprintf(body->listed_head, sizeof body->listed_head, "%s", head_id);
    (void)pthread_mutex_unlock(&body->mutex);
}

void stand_in_body_gates(struct stand_in_body *body, bool open)
{
    const struct sunshine_access access = access_of(body);
    struct sunshine_api *api = NULL;
    struct hc_arena arena = { 0 };
    const struct sunshine_client *clients = NULL;
    size_t count = 0;
    assert_int_equal(sunshine_open(&access, &api, NULL), HC_OK);
    assert_int_equal(sunshine_clients(api, &arena, &clients, &count, NULL, NULL), SUNSHINE_OK);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(sunshine_enable(api, clients[i].uuid, open, NULL), SUNSHINE_OK);
    hc_arena_free(&arena);
    (void)sunshine_close(api);
}

void stand_in_body_end(struct stand_in_body *body)
{
    atomic_store(&body->stop, true);
    if (body->runs)
        (void)pthread_join(body->thread, NULL);
    body->runs = false;
    sunshine_end(&body->host);
}

size_t stand_in_body_sessions(const struct stand_in_body *body)
{
    json_t *status = sunshine_status(&body->host);
    size_t count = json_array_size(json_object_get(status, "sessions"));
    json_decref(status);
    return count;
}
