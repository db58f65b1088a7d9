#include "answer_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "hydra/base/time.h"
#include "yaml_tree.h"

#define DOC_PATH    "docs/openapi.yaml"
#define PLACE_SIZE  256
#define DEPTH_MAX   32

/* Where in the answer, for the message. */
struct look { char place[PLACE_SIZE]; char *why; size_t size; };

const json_t *answer_description(void)
{
    static json_t *document;
    if (document == NULL)
        document = yaml_tree(DOC_PATH);
    if (document == NULL)
        fail_msg("%s cannot be read; tests run from the folder that it is in", DOC_PATH);
    return document;
}

static bool differs(struct look *look, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool differs(struct look *look, const char *format, ...)
{
    char what[PLACE_SIZE];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(what, sizeof what, format, args);
    va_end(args);
    (void)snprintf(look->why, look->size, "%s %s", look->place[0] == '\0' ? "the body" : look->place, what);
    return false;
}

/* ---- a value and its schema ---- */

static bool fits(struct look *look, const json_t *value, const json_t *schema, unsigned depth);

static const json_t *target(const char *ref)
{
    char step[PLACE_SIZE];
    const json_t *at = ref[0] == '#' ? answer_description() : NULL;
    for (ref++; at != NULL && *ref == '/';) {
        size_t len = strcspn(++ref, "/");
        (void)snprintf(step, sizeof step, "%.*s", (int)len, ref);
        at = json_object_get(at, step);
        ref += len;
    }
    return at;
}

static bool fits_at(struct look *look, const char *step, const json_t *value, const json_t *schema, unsigned depth)
{
    struct look inner = { .why = look->why, .size = look->size };
    int len = snprintf(inner.place, sizeof inner.place, "%s%s%s", look->place, look->place[0] == '\0' ? "" : ".", step);
    assert_true(len >= 0);
    return fits(&inner, value, schema, depth + 1);
}

static bool fits_object(struct look *look, const json_t *value, const json_t *schema, unsigned depth)
{
    const json_t *properties = json_object_get(schema, "properties"), *more = json_object_get(schema, "additionalProperties");
    const char *key;
    json_t *member;
    size_t i;
    json_array_foreach((json_t *)(uintptr_t)json_object_get(schema, "required"), i, member)
        if (json_object_get(value, json_string_value(member)) == NULL)
            return differs(look, "lacks %s", json_string_value(member));
    json_object_foreach((json_t *)(uintptr_t)value, key, member) {
        const json_t *of = json_object_get(properties, key);
        if (of == NULL && json_is_false(more))
            return differs(look, "has %s, which is not described", key);
        if (of == NULL)
            of = json_is_object(more) ? more : NULL;
        if (of != NULL && !fits_at(look, key, member, of, depth))
            return false;
    }
    return true;
}

static bool fits_array(struct look *look, const json_t *value, const json_t *schema, unsigned depth)
{
    const json_t *items = json_object_get(schema, "items");
    char step[32];
    for (size_t i = 0; items != NULL && i < json_array_size(value); i++) {
        (void)snprintf(step, sizeof step, "%zu", i);
        if (!fits_at(look, step, json_array_get(value, i), items, depth))
            return false;
    }
    return true;
}

static bool is_type(const json_t *value, const char *type)
{
    return strcmp(type, "object") == 0    ? json_is_object(value)
           : strcmp(type, "array") == 0   ? json_is_array(value)
           : strcmp(type, "string") == 0  ? json_is_string(value)
           : strcmp(type, "integer") == 0 ? json_is_integer(value)
           : strcmp(type, "boolean") == 0 ? json_is_boolean(value)
                                          : false;
}

static bool is_instant(const json_t *value)
{
    hc_time time;
    return hc_time_parse(json_string_value(value), &time) == HC_OK;
}

static bool fits_plain(struct look *look, const json_t *value, const json_t *schema)
{
    const char *type = json_string_value(json_object_get(schema, "type")), *format = json_string_value(json_object_get(schema, "format"));
    const json_t *words = json_object_get(schema, "enum");
    bool found = words == NULL;
    if (type != NULL && !is_type(value, type))
        return differs(look, "is no %s", type);
    for (size_t i = 0; i < json_array_size(words) && !found; i++)
        found = json_equal(json_array_get(words, i), value) != 0;
    if (!found)
        return differs(look, "is %s, which is none of the words", json_is_string(value) ? json_string_value(value) : "no text");
    if (format != NULL && strcmp(format, "date-time") == 0 && !is_instant(value))
        return differs(look, "is no instant: %s", json_string_value(value));
    return true;
}

/* Any of them; `why` is of the one that came furthest, which is the one that says most. */
static bool fits_one(struct look *look, const json_t *value, const json_t *list, unsigned depth)
{
    char best[PLACE_SIZE * 2] = "";
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (fits(look, value, json_array_get(list, i), depth + 1))
            return true;
        if (strlen(look->why) > strlen(best))
            (void)snprintf(best, sizeof best, "%s", look->why);
    }
    (void)snprintf(look->why, look->size, "fits none of %zu; the nearest: %s", json_array_size(list), best);
    return false;
}

static bool fits(struct look *look, const json_t *value, const json_t *schema, unsigned depth)
{
    const char *ref = json_string_value(json_object_get(schema, "$ref"));
    const json_t *all = json_object_get(schema, "allOf"), *one = json_object_get(schema, "oneOf");
    if (depth > DEPTH_MAX || (ref != NULL && target(ref) == NULL))
        return differs(look, "has a schema that leads nowhere: %s", ref == NULL ? "too deep" : ref);
    if (ref != NULL)
        return fits(look, value, target(ref), depth + 1);
    if (json_is_null(value))
        return json_is_true(json_object_get(schema, "nullable")) || differs(look, "is null");
    for (size_t i = 0; i < json_array_size(all); i++)
        if (!fits(look, value, json_array_get(all, i), depth + 1))
            return false;
    if (one != NULL && !fits_one(look, value, one, depth))
        return false;
    if (!fits_plain(look, value, schema))
        return false;
    if (json_is_object(value))
        return fits_object(look, value, schema, depth);
    return !json_is_array(value) || fits_array(look, value, schema, depth);
}

/* ---- a path and its route ---- */

static size_t piece_of(const char *at)
{
    return strcspn(at, "/?");
}

/* How many pieces stand literally in the pattern, and one; 0: another path. */
static unsigned likeness(const char *pattern, const char *path)
{
    unsigned literal = 1;
    const char *want = pattern + 1, *have = path[0] == '/' ? path + 1 : path;
    while (*want != '\0' || (*have != '\0' && *have != '?')) {
        size_t want_len = strcspn(want, "/"), have_len = piece_of(have);
        bool any = want[0] == '{';
        if (have_len == 0 || want_len == 0 || (!any && (want_len != have_len || memcmp(want, have, want_len) != 0)))
            return 0;
        literal += any ? 0 : 1;
        want += want_len + (want[want_len] == '/' ? 1 : 0);
        have += have_len + (have[have_len] == '/' ? 1 : 0);
    }
    return literal;
}

static const json_t *route_of(const char *path)
{
    const json_t *found = NULL;
    unsigned most = 0;
    const char *pattern;
    json_t *item;
    json_object_foreach(json_object_get(answer_description(), "paths"), pattern, item) {
        unsigned like = likeness(pattern, path);
        if (like > most) {
            most = like;
            found = item;
        }
    }
    return found;
}

static bool is_error(const json_t *json, const char *word)
{
    const char *error = json_string_value(json_object_get(json, "error"));
    return error != NULL && strcmp(error, word) == 0;
}

/* The HTTP library's own refusals, before a request is one (wire §0). */
static bool is_librarys(long status, const char *text)
{
    bool may = status == 400 || status == 413 || status == 414 || status == 431 || status == 505;
    return may && text != NULL && strstr(text, "<html>") != NULL;
}

bool answer_check(const char *method, const char *path, long status, const json_t *json, const char *text, char *why, size_t size)
{
    char name[16], key[16];
    size_t len = 0;
    for (; len < sizeof name - 1 && method[len] != '\0'; len++)
        name[len] = (char)(method[len] | 0x20);
    name[len] = '\0';
    (void)snprintf(key, sizeof key, "%ld", status);
    const json_t *route = route_of(path), *operation = json_object_get(route, strcmp(name, "head") == 0 ? "get" : name);
    const json_t *answer = json_object_get(json_object_get(operation, "responses"), key);
    const char *shared = json_string_value(json_object_get(answer, "$ref"));
    if (shared != NULL)
        answer = target(shared);
    struct look look = { .why = why, .size = size };
    why[0] = '\0';
    if (is_librarys(status, text) || strcmp(name, "head") == 0)
        return true;
    if (operation == NULL)
        return (status == (route == NULL ? 404 : 405) && is_error(json, route == NULL ? "not_found" : "method_not_allowed")) ||
               differs(&look, "is of a route that is not described");
    if (answer == NULL)
        return differs(&look, "comes with status %ld, which is not described", status);
    const json_t *schema = json_object_get(json_object_get(json_object_get(answer, "content"), "application/json"), "schema");
    if (json_object_get(answer, "content") == NULL)
        return text == NULL || text[0] == '\0' || differs(&look, "should be empty");
    if (schema == NULL)
        return true;                                    /* no JSON: a page, a picture, text */
    if (json == NULL)
        return json_object_size(json_object_get(answer, "content")) > 1 || differs(&look, "is no JSON");
    if (status >= 400 && json_integer_value(json_object_get(json, "code")) != status)
        return differs(&look, "has another code than its status");
    return fits(&look, json, schema, 0);
}
