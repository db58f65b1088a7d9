#include "scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "hydra/base/arena.h"
#include "hydra/base/buf.h"

struct scene scene;

int scene_open(void **state)
{
    (void)state;
    home_init(&scene.home);
    return 0;
}

int scene_open_started(void **state)
{
    (void)scene_open(state);
    scene_start(NULL);
    return 0;
}

int scene_close(void **state)
{
    (void)state;
    daemon_end(&scene.daemon);
    home_remove(&scene.home);
    return 0;
}

void scene_start(const struct daemon_options *options)
{
    daemon_start(&scene.daemon, &scene.home, options);
}

void scene_stop(void)
{
    assert_int_equal(daemon_stop(&scene.daemon), 0);
}

void scene_restart_killed(const struct daemon_options *options)
{
    daemon_kill(&scene.daemon);
    scene_start(options);
}

void scene_edit(const char *name, const char *from, const char *to)
{
    char *text = home_read(&scene.home, name), *at = strstr(text, from);
    if (at == NULL)
        fail_msg("%s has no `%s`:\n%s", name, from, text);
    struct hc_buf edited = { 0 };
    hc_buf_add(&edited, text, (size_t)(at - text));
    hc_buf_str(&edited, to);
    hc_buf_str(&edited, at + strlen(from));
    assert_false(edited.failed);
    home_write(&scene.home, name, edited.data);
    hc_buf_free(&edited);
    hc_free(text);
}

void scene_next_generation(const char *name)
{
    static const char key[] = "generation: ";
    char *text = home_read(&scene.home, name), old[64], fresh[64];
    assert_int_equal(strncmp(text, key, strlen(key)), 0);
    unsigned long long generation = strtoull(text + strlen(key), NULL, 10);
    hc_free(text);
    (void)snprintf(old, sizeof old, "generation: %llu\n", generation);
    (void)snprintf(fresh, sizeof fresh, "generation: %llu\n", generation + 1);
    scene_edit(name, old, fresh);
    (void)snprintf(old, sizeof old, "\nend: %llu\n", generation);
    (void)snprintf(fresh, sizeof fresh, "\nend: %llu\n", generation + 1);
    scene_edit(name, old, fresh);
}

bool scene_log_has(const char *text)
{
    char *log = home_read(&scene.home, "daemon.log");
    bool has = strstr(log, text) != NULL;
    hc_free(log);
    return has;
}

unsigned scene_parked(const char *why)
{
    char name[64];
    unsigned count = 0;
    (void)snprintf(name, sizeof name, "hydracluster_http_parked{why=\"%s\"} ", why);
    struct call call = daemon_call(&scene.daemon, scene.home.admin_token, "GET", "/metrics", NULL);
    const char *at = call.text == NULL ? NULL : strstr(call.text, name);
    if (at != NULL)
        count = (unsigned)strtoul(at + strlen(name), NULL, 10);
    call_free(&call);
    return count;
}

long scene_admin(const char *method, const char *path, const char *body)
{
    struct call call = daemon_call(&scene.daemon, scene.home.admin_token, method, path, body);
    long status = call.status;
    call_free(&call);
    return status;
}

void scene_expect(struct call call, long status, const char *error)
{
    const json_t *word = json_object_get(call.json, "error");
    const char *said = json_is_string(word) ? json_string_value(word) : "";
    if (call.status != status || strcmp(said, error) != 0)
        fail_msg("expected %ld %s, got %ld %s", status, error, call.status, call.text);
    call_free(&call);
}
