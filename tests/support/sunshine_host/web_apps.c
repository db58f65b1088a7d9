#include "web.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hydra/os/clock.h"
#include "app.h"
#include "apps.h"
#include "log.h"
#include "session.h"

#define MINUS_ONE_MS 2000               /* how long currentgame is -1 after an app was closed under a young session */
#define YOUNG_MS     5000

json_t *web_apps_get(const struct web_call *call)
{
    json_t *json = apps_file(call->host);
    return json == NULL ? web_error(call, 400, "apps.json cannot be parsed") : json;
}

/* What follows every change of the list: it is parsed again, and the app that ran is nobody's any more. */
static void refresh(struct host *host)
{
    (void)pthread_mutex_lock(&host->app_mutex);
    host_lock(host);
    app_forget(host);
    apps_parse(host);
    host_unlock(host);
    (void)pthread_mutex_unlock(&host->app_mutex);
}

static int by_name(const void *a, const void *b)
{
    json_t *const *one = a, *const *two = b;
    return strcmp(apps_text(*one, "name"), apps_text(*two, "name"));
}

static json_t *sorted(json_t *apps)
{
    json_t *rows[HOST_APPS_MAX] = { NULL }, *copy = json_array();
    size_t count = json_array_size(apps);
    for (size_t i = 0; i < count; i++)
        rows[i] = json_array_get(apps, i);
    qsort(rows, count, sizeof rows[0], by_name);
    for (size_t i = 0; i < count; i++)
        (void)json_array_append(copy, rows[i]);
    return copy;
}

/* The list of the file; older releases write an empty one as "". */
static json_t *list_of(json_t *file)
{
    json_t *apps = json_object_get(file, "apps");
    if (!json_is_array(apps)) {
        apps = json_array();
        (void)json_object_set_new(file, "apps", apps);
    }
    return apps;
}

json_t *web_apps_post(const struct web_call *call)
{
    struct host *host = call->host;
    const char *const lists[] = { "prep-cmd", "detached" };
    if (!json_is_string(json_object_get(call->body, "name"))) {
        log_line("Fatal", "assertion failed: no name");
        abort();                                        /* the real one goes down here too */
    }
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        if (host->version->needs_prep_list && json_object_get(call->body, lists[i]) == NULL)
            return web_error(call, 400, "No such node");
    json_t *file = apps_file(host), *app = json_deep_copy(call->body);
    long index = apps_number(call->body, "index", -1);
    (void)json_object_del(app, "index");
    if (file == NULL || json_array_size(json_object_get(file, "apps")) >= HOST_APPS_MAX) {
        json_decref(file);
        json_decref(app);
        return web_error(call, 400, "apps.json cannot be changed");
    }
    json_t *apps = list_of(file);
    if (index < 0)
        (void)json_array_append_new(apps, app);
    else if ((size_t)index < json_array_size(apps))
        (void)json_array_set_new(apps, (size_t)index, app);
    else
        json_decref(app);                               /* past the end: nothing changes, and the answer is the same */
    if (host->version->sorts_apps)
        (void)json_object_set_new(file, "apps", sorted(apps));
    apps_save(host, file);
    refresh(host);
    return web_status(true);
}

json_t *web_apps_delete(const struct web_call *call)
{
    char text[64], *rest;
    const char *digits = strrchr(call->request->path, '/') + 1;
    long index = strtol(digits, &rest, 10);
    json_t *file = apps_file(call->host);
    if (file == NULL || *rest != '\0' || index < 0 || (size_t)index >= json_array_size(json_object_get(file, "apps"))) {
        json_decref(file);
        return web_error(call, 400, "index out of range");
    }
    (void)json_array_remove(json_object_get(file, "apps"), (size_t)index);
    apps_save(call->host, file);
    refresh(call->host);
    (void)snprintf(text, sizeof text, "application %ld deleted", index);
    return json_pack("{s:s, s:b}", "result", text, "status", 1);
}

json_t *web_apps_close(const struct web_call *call)
{
    struct host *host = call->host;
    bool young = false;
    host_lock(host);
    for (size_t i = 0; i < HOST_SESSIONS_MAX; i++)
        young |= host->sessions[i].number != 0 && os_monotonic_ms() - host->sessions[i].since_ms < YOUNG_MS;
    host_unlock(host);
    if (app_terminate(host) && young) {
        host_lock(host);
        host->minus_one_until_ms = os_monotonic_ms() + MINUS_ONE_MS;
        host_unlock(host);
    }
    return web_status(true);
}
