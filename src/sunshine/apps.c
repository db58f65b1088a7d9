/* apps.c - the application entries. Changing one while an application runs ends every stream, so each change asks whether the host is idle
 * right before it, and reads the list right before it: the host sorts it anew with every change. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "web.h"

#define PATH_SIZE  64
#define NEW_ENTRY  (-1)

static enum sunshine_outcome unknown(struct sunshine_api *s, struct hc_diag *diag)
{
    (void)hc_fail(diag, HC_OK, "Sunshine's list of applications is no list that we know");
    s->version_known = false;
    return SUNSHINE_UNKNOWN;
}

/* An array; the early JSON of all texts writes an empty one as "". */
bool web_has_apps(const json_t *answer)
{
    const json_t *apps = json_object_get(answer, "apps");
    const char *text = json_string_value(apps);
    bool list = (json_is_array(apps) && json_array_size(apps) <= SUNSHINE_APPS_MAX) || (text != NULL && text[0] == '\0');
    for (size_t i = 0; list && i < json_array_size(apps); i++)
        list = json_is_string(json_object_get(json_array_get(apps, i), "name"));
    return list;
}

bool web_app_rows(const json_t *answer, struct hc_arena *arena, struct sunshine_app **ret_apps, size_t *ret_count)
{
    const json_t *list = json_object_get(answer, "apps");
    size_t count = json_array_size(list);
    struct sunshine_app *apps = hc_arena_array(arena, count + 1, sizeof *apps);
    bool ok = apps != NULL;
    for (size_t i = 0; ok && i < count; i++) {
        const json_t *app = json_array_get(list, i);
        char *text = json_dumps(app, JSON_COMPACT);
        apps[i] = (struct sunshine_app){ .index = i, .name = hc_arena_strdup(arena, json_string_value(json_object_get(app, "name"))),
                                         .json = text == NULL ? NULL : hc_arena_strdup(arena, text) };
        free(text);
        ok = apps[i].name != NULL && apps[i].json != NULL;
    }
    *ret_apps = apps;
    *ret_count = count;
    return ok;
}

static enum sunshine_outcome get_apps(struct sunshine_api *s, json_t **ret_answer, struct hc_diag *diag)
{
    enum sunshine_outcome outcome = web_ready(s, diag);
    if (outcome == SUNSHINE_OK)
        outcome = web_call(s, "GET", "/api/apps", NULL, ret_answer, NULL, diag);
    if (outcome != SUNSHINE_OK)
        return outcome;
    if (web_has_apps(*ret_answer))
        return SUNSHINE_OK;
    json_decref(*ret_answer);
    *ret_answer = NULL;
    return unknown(s, diag);
}

enum sunshine_outcome sunshine_apps(struct sunshine_api *s, struct hc_arena *arena, const struct sunshine_app **ret_apps, size_t *ret_count,
                                    struct hc_diag *diag)
{
    json_t *answer = NULL;
    struct sunshine_app *apps = NULL;
    enum sunshine_outcome outcome = get_apps(s, &answer, diag);
    if (outcome != SUNSHINE_OK)
        return outcome;
    bool ok = web_app_rows(answer, arena, &apps, ret_count);
    json_decref(answer);
    if (!ok) {
        (void)hc_fail(diag, HC_OK, "no memory for Sunshine's list of applications");
        return SUNSHINE_AWAY;
    }
    *ret_apps = apps;
    return SUNSHINE_OK;
}

static enum sunshine_outcome only_idle(struct sunshine_api *s, struct hc_diag *diag)
{
    if (s->idle != NULL && s->idle(s->idle_ctx))
        return SUNSHINE_OK;
    (void)hc_fail(diag, HC_OK, "an application runs, or may run: entries are changed when the host is idle");
    return SUNSHINE_BUSY;
}

/* -1: none of that name. */
static int position_of(const json_t *answer, const char *name)
{
    const json_t *apps = json_object_get(answer, "apps");
    for (size_t i = 0; i < json_array_size(apps); i++)
        if (strcmp(json_string_value(json_object_get(json_array_get(apps, i), "name")), name) == 0)
            return (int)i;
    return NEW_ENTRY;
}

/* Versions up to v2025.122 fail without these lists. */
static bool complete(json_t *entry, const char *name)
{
    bool ok = json_object_set_new(entry, "name", json_string(name)) == 0 && json_object_set_new(entry, "index",
                                                                                                json_integer(NEW_ENTRY)) == 0;
    static const char *const lists[] = { "prep-cmd", "detached" };
    for (size_t i = 0; ok && i < sizeof lists / sizeof lists[0]; i++)
        if (!json_is_array(json_object_get(entry, lists[i])))
            ok = json_object_set_new(entry, lists[i], json_array()) == 0;
    return ok;
}

enum sunshine_outcome sunshine_app_add(struct sunshine_api *s, const char *pattern_json, const char *name, struct hc_diag *diag)
{
    json_t *entry = json_loads(pattern_json, 0, NULL);
    enum sunshine_outcome outcome = SUNSHINE_OK;
    if (!json_is_object(entry) || name[0] == '\0') {        /* an entry without a name brings the host down */
        (void)hc_fail(diag, HC_OK, "the entry's pattern is no JSON object, or its name is empty");
        outcome = SUNSHINE_REFUSED;
    }
    if (outcome == SUNSHINE_OK)
        outcome = web_ready(s, diag);
    if (outcome == SUNSHINE_OK)
        outcome = only_idle(s, diag);
    if (outcome == SUNSHINE_OK && !complete(entry, name)) {
        (void)hc_fail(diag, HC_OK, "no memory for the entry, or its name is not UTF-8");
        outcome = SUNSHINE_AWAY;
    }
    if (outcome == SUNSHINE_OK)
        outcome = web_order(s, "POST", "/api/apps", entry, diag);
    json_decref(entry);
    return outcome;
}

enum sunshine_outcome sunshine_app_remove(struct sunshine_api *s, const char *name, struct hc_diag *diag)
{
    json_t *answer = NULL;
    enum sunshine_outcome outcome = get_apps(s, &answer, diag);
    int position = outcome == SUNSHINE_OK ? position_of(answer, name) : NEW_ENTRY;
    json_decref(answer);
    if (outcome != SUNSHINE_OK || position == NEW_ENTRY)
        return outcome;
    outcome = only_idle(s, diag);
    if (outcome != SUNSHINE_OK)
        return outcome;
    char path[PATH_SIZE];
    (void)snprintf(path, sizeof path, "/api/apps/%d", position);
    return web_order(s, "DELETE", path, NULL, diag);
}

enum sunshine_outcome sunshine_close_app(struct sunshine_api *s, struct hc_diag *diag)
{
    enum sunshine_outcome outcome = web_ready(s, diag);
    return outcome != SUNSHINE_OK ? outcome : web_order(s, "POST", "/api/apps/close", NULL, diag);
}

enum sunshine_outcome sunshine_restart(struct sunshine_api *s, struct hc_diag *diag)
{
    enum sunshine_outcome outcome = web_ready(s, diag);
    if (outcome == SUNSHINE_OK)
        outcome = web_order(s, "POST", "/api/restart", NULL, diag);
    s->version_known = false;
    return outcome;
}
