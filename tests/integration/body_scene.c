#include "body_scene.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "hydra/base/arena.h"
#include "hydra/base/buf.h"
#include "made_keys.h"

#define PATH_SIZE   512
#define NAME_SIZE   128
#define PORT_SIZE   16

struct body_scene here;

/* ---- begin and end ---- */

static void pick_text(char *out, size_t size, const char *text)
{
    int len = snprintf(out, size, "%s", text);
    assert_true(len >= 0 && (size_t)len < size);
}

int body_scene_open(void **state)
{
    const struct daemon_options options = { .timers = BODY_TIMERS };
    (void)scene_open(state);
    here = (struct body_scene){ .client.out_fd = -1 };
    scene_start(&options);
    char *apps = agent_body_apps(&scene.home, "body-0", 0);
    const struct sunshine_options sunshine = { .username = "venue", .password = "secret-1", .apps = apps };
    sunshine_start(&here.sun, &scene.home, "sun-0", &sunshine);
    hc_free(apps);
    here.body = fleet_body(&scene.daemon, "b1", "north");
    here.head = fleet_head(&scene.daemon, "h1", "north");
    here.other = fleet_head(&scene.daemon, "h2", "north");
    agent_body_make(&here.agent, &scene.home, "body-0", scene.daemon.url, &here.body, &here.sun, 1);
    return 0;
}

int body_scene_open_started(void **state)
{
    (void)body_scene_open(state);
    body_scene_start_agent();
    return 0;
}

int body_scene_close(void **state)
{
    process_end(&here.client);
    bool runs = here.agent.process.pid != 0;
    int code = runs ? agent_body_stop(&here.agent) : 0;         /* whatever it went through, it ends well, and has lost no memory */
    agent_body_end(&here.agent);
    sunshine_end(&here.sun);
    return scene_close(state) != 0 || code != 0 ? -1 : 0;
}

void body_scene_start_agent(void)
{
    agent_body_start(&here.agent);
    if (!body_scene_waits_grantable(true)) {
        struct call slots = fleet_slots(&scene.daemon);
        char *log = agent_body_log(&here.agent);
        fail_msg("the slot is not grantable: %s\n%s", slots.text, log);
    }
}

void body_scene_enforce(void)
{
    char path[PATH_SIZE];
    (void)snprintf(path, sizeof path, "/api/v1/nodes/%s/slots?force=1", here.body.id);
    assert_int_equal(scene_admin("PUT", path, "{\"enforce\":\"enforce\"}"), 200);
}

/* ---- what the cluster shows ---- */

struct row_wish { const char *path, *text; bool grantable; };

static bool row_has(void *ctx)
{
    const struct row_wish *wish = ctx;
    struct call slots = fleet_slots(&scene.daemon);
    struct call row = { .json = fleet_row(&slots, here.body.id) };
    const json_t *value = call_value(&row, wish->path);
    const char *text = json_string_value(value);
    bool same = wish->text == NULL ? value == NULL || json_is_null(value) : text != NULL && strcmp(text, wish->text) == 0;
    call_free(&slots);
    return same;
}

bool body_scene_waits_row(const char *path, const char *text)
{
    struct row_wish wish = { path, text, false };
    return wait_until(row_has, &wish, BODY_WAIT_MS);
}

static bool row_grantable(void *ctx)
{
    const struct row_wish *wish = ctx;
    struct call slots = fleet_slots(&scene.daemon);
    bool grantable = json_is_true(json_object_get(fleet_row(&slots, here.body.id), "grantable"));
    call_free(&slots);
    return grantable == wish->grantable;
}

bool body_scene_waits_grantable(bool grantable)
{
    struct row_wish wish = { NULL, NULL, grantable };
    return wait_until(row_grantable, &wish, BODY_WAIT_MS);
}

static bool is_applied(void *ctx)
{
    (void)ctx;
    struct call slots = fleet_slots(&scene.daemon);
    json_t *row = fleet_row(&slots, here.body.id);
    json_int_t epoch = json_integer_value(json_object_get(row, "epoch"));
    json_int_t applied = json_integer_value(json_object_get(json_object_get(row, "observed"), "applied_epoch"));
    call_free(&slots);
    return epoch > 0 && applied == epoch;
}

void body_scene_claims(const struct node *head)
{
    struct call claim = fleet_claims(&scene.daemon, head, "attempt-1");
    if (claim.status != 201 || !fleet_lease_of(&claim, &here.lease))
        fail_msg("claim: %ld %s", claim.status, claim.text);
    pick_text(here.app_name, sizeof here.app_name, call_str(&claim, "body.app_name"));
    call_free(&claim);
    if (!wait_until(is_applied, NULL, BODY_WAIT_MS)) {
        char *log = agent_body_log(&here.agent);
        fail_msg("the lease's epoch is not applied:\n%s", log);
    }
}

void body_scene_releases(const struct node *head)
{
    assert_int_equal(fleet_releases(&scene.daemon, head, &here.lease, "user_exit"), 204);
}

bool body_scene_waits_event(const char *type)
{
    return fleet_waits_event(&scene.daemon, type, BODY_WAIT_MS);
}

/* ---- the host ---- */

/* The host writes its file in place: half of it is no file. */
static bool whole_apps(void *ctx)
{
    json_t **file = ctx;
    char *text = home_read(&scene.home, "sun-0/apps.json");
    *file = json_loads(text, 0, NULL);
    hc_free(text);
    return *file != NULL;
}

bool body_scene_has_entry(const char *name)
{
    json_t *file = NULL, *app;
    size_t i;
    bool found = false;
    assert_true(wait_until(whole_apps, &file, BODY_WAIT_MS));
    json_array_foreach(json_object_get(file, "apps"), i, app)
        found = found || strcmp(json_string_value(json_object_get(app, "name")), name) == 0;
    json_decref(file);
    return found;
}

struct entry_wish { const char *name; bool there; };

static bool entry_is(void *ctx)
{
    const struct entry_wish *wish = ctx;
    return body_scene_has_entry(wish->name) == wish->there;
}

bool body_scene_waits_entry(const char *name, bool there)
{
    struct entry_wish wish = { name, there };
    return wait_until(entry_is, &wish, BODY_WAIT_MS);
}

static bool log_has(void *ctx)
{
    return agent_body_log_has(&here.agent, ctx);
}

bool body_scene_waits_log(const char *text)
{
    return wait_until(log_has, (void *)(uintptr_t)text, BODY_WAIT_MS);
}

long body_scene_sessions(void)
{
    json_t *status = sunshine_status(&here.sun);
    long count = (long)json_array_size(json_object_get(status, "sessions"));
    json_decref(status);
    return count;
}

static bool host_is_free(void *ctx)
{
    (void)ctx;
    json_t *status = sunshine_status(&here.sun);
    bool is_free = json_integer_value(json_object_get(status, "app")) <= 0;
    json_decref(status);
    return is_free;
}

bool body_scene_waits_host_free(void)
{
    return wait_until(host_is_free, NULL, BODY_WAIT_MS);
}

/* ---- a head ---- */

void body_scene_pairs(const struct node *head)
{
    struct made_key key;
    char line[PATH_SIZE], path[HOME_PATH_SIZE], uuid[SUNSHINE_ANSWER_SIZE];
    made_key_next(MADE_FOR_CLIENT, &key);
    home_write(&scene.home, "client.key", key.key_pem);
    home_write(&scene.home, "client.pem", key.cert_pem);
    made_key_free(&key);
    home_path(&scene.home, "client.pem", path);
    (void)snprintf(line, sizeof line, "pair hydra-%s %s", head->id, path);
    sunshine_ask(&here.sun, line, uuid);
    pick_text(here.client_uuid, sizeof here.client_uuid, uuid);
}

bool body_scene_streams(const char *app)
{
    char program[PATH_SIZE], port[PORT_SIZE], cert[HOME_PATH_SIZE], key[HOME_PATH_SIZE], log[HOME_PATH_SIZE], line[PROCESS_LINE_MAX];
    program_path("STREAM_CLIENT", "stream_client", program, sizeof program);
    (void)snprintf(port, sizeof port, "%u", here.sun.http);
    home_path(&scene.home, "client.pem", cert);
    home_path(&scene.home, "client.key", key);
    home_path(&scene.home, "client.log", log);
    const char *const argv[] = { program, "--host", "127.0.0.1", "--port", port, "--app", app, "--cert", cert, "--key", key, NULL };
    process_end(&here.client);
    process_start(&here.client, argv, NULL, log);
    return process_line(&here.client, line, BODY_WAIT_MS) && strncmp(line, "streaming", strlen("streaming")) == 0;
}

static bool client_is_over(void *ctx)
{
    (void)ctx;
    return !process_running(&here.client);
}

bool body_scene_client_ends(void)
{
    return wait_until(client_is_over, NULL, BODY_WAIT_MS);
}

int body_scene_hook(const char *word, const char *app)
{
    char name[NAME_SIZE + PATH_SIZE], port[PORT_SIZE];
    const char *colon = strrchr(here.agent.url, ':');
    pick_text(port, sizeof port, colon == NULL ? "1" : colon + 1);
    (void)snprintf(name, sizeof name, "SUNSHINE_APP_NAME=%s", app);
    const char *const words[] = { "hook", word, "--slot", "0", "--port", port, NULL };
    const char *const env[] = { name, NULL };
    return agent_body_run(&here.agent, words, env, NULL, 0);
}
