/* openapi.c - the document: paths with their operations, and the parts that they name. */
#include "openapi.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hydra/web/web.h"

#define WORD_SIZE_MAX  64
#define TEXT_SIZE_MAX  256
#define BASE           "/api/v1/"

/* What any route may answer: the HTTP server's own refusals, and failures. */
#define ANY_ERRORS     "bad_request body_too_large headers_too_large internal busy stopping"
/* Those of the pipeline before a handler is asked. */
#define TOKEN_ERRORS   "unauthorized forbidden node_denied not_approved"

struct route { struct api_route_doc doc; bool page; };

/* Refusals that many routes have in common stand once, under a name. */
static const struct { const char *name, *status, *words; } shared[] = {
    { "BadRequest", "400", "bad_request" },
    { "NoToken", "401", "unauthorized" },
    { "WrongToken", "403", "forbidden node_denied not_approved" },
    { "WrongTokenOrOrigin", "403", "forbidden node_denied not_approved other_origin" },
    { "NotThere", "404", "not_found" },
    { "NoNode", "404", "node_not_found" },
    { "NotThereOrNoNode", "404", "not_found node_not_found" },
    { "TooLarge", "413", "body_too_large" },
    { "NoJson", "415", "unsupported_media_type" },
    { "HeadersTooLarge", "431", "headers_too_large" },
    { "Failed", "500", "internal" },
    { "AskAgain", "503", "busy stopping" },
    { "StoreOrAskAgain", "503", "store_unavailable busy stopping" },
};
#define SHARED (sizeof shared / sizeof shared[0])

static const char *const methods[HTTP_METHODS] = { [HTTP_GET] = "get", [HTTP_HEAD] = "head", [HTTP_POST] = "post", [HTTP_PUT] = "put",
                                                   [HTTP_DELETE] = "delete" };
static const struct { unsigned scope; const char *name, *says; } scopes[] = {
    { SCOPE_FLEET, "fleet", "The fleet's enrolment token." },
    { SCOPE_NODE, "node", "The token of any approved node." },
    { SCOPE_SELF, "self", "The token of the node that {id} names." },
    { SCOPE_BODY, "body", "The token of an approved node with role body." },
    { SCOPE_ADMIN, "admin", "An admin's token." },
    { SCOPE_READ, "read", "A read-only operator's token: what an admin may GET, without secrets." },
};
#define SCOPES (sizeof scopes / sizeof scopes[0])

static void set(json_t *object, const char *key, json_t *value)
{
    int failed = json_object_set_new(object, key, value);
    assert(failed == 0 && value != NULL);
}

static void add(json_t *array, json_t *value)
{
    int failed = json_array_append_new(array, value);
    assert(failed == 0 && value != NULL);
}

/* The next piece of `*at` before one of `ends`; false: there is none. */
static bool next_piece(const char **at, const char *ends, char out[TEXT_SIZE_MAX])
{
    *at += strspn(*at, ends);
    size_t len = strcspn(*at, ends);
    assert(len < TEXT_SIZE_MAX);
    memcpy(out, *at, len);
    out[len] = '\0';
    *at += len;
    return len > 0;
}

/* ---- answers ---- */

static const struct error_word *error_row(const char *word)
{
    const struct error_word *row = error_words;
    while (row->word != NULL && strcmp(row->word, word) != 0)
        row++;
    return row->word == NULL ? NULL : row;
}

static unsigned status_of(const char *word)
{
    const struct error_word *row = error_row(word);
    int deny = word_find(&deny_words, word);
    if (row != NULL && row->status != 0)
        return row->status;
    if (deny < 0)
        (void)fprintf(stderr, "nothing is refused with %s\n", word);
    assert(deny >= 0);
    return deny_status((enum deny_reason)deny);
}

/* The response of a status, made when there is none. `schemas` of its JSON are collected in "schemas" until finish(). */
static json_t *response(json_t *responses, unsigned status)
{
    char key[16];
    (void)snprintf(key, sizeof key, "%u", status);
    json_t *found = json_object_get(responses, key);
    if (found == NULL) {
        found = json_pack("{s:s, s:{}, s:[]}", "description", "", "content", "schemas");
        set(responses, key, found);
    }
    return found;
}

static void describe(json_t *answer, const char *text)
{
    char all[TEXT_SIZE_MAX * 4];
    const char *so_far = json_string_value(json_object_get(answer, "description"));
    (void)snprintf(all, sizeof all, "%s%s%s", so_far, so_far[0] == '\0' ? "" : ", ", text);
    set(answer, "description", json_string(all));
}

static void add_errors(json_t *responses, const char *words)
{
    char piece[TEXT_SIZE_MAX], name[TEXT_SIZE_MAX + WORD_SIZE_MAX];
    for (const char *at = words; next_piece(&at, " ", piece);) {
        char *slash = strchr(piece, '/');
        if (slash != NULL)
            *slash = '\0';
        json_t *answer = response(responses, slash != NULL ? (unsigned)strtoul(slash + 1, NULL, 10) : status_of(piece));
        (void)snprintf(name, sizeof name, "Error-%s", piece);
        describe(answer, piece);
        add(json_object_get(answer, "schemas"), schema_ref(name));
    }
}

static const char *reason_of(unsigned status)
{
    static const struct { unsigned status; const char *text; } rows[] = {
        { 200, "It is so" }, { 201, "It was made" }, { 202, "It is under way" }, { 204, "It is done" }, { 303, "Look there" },
        { 304, "As you know it" }, { 401, "Not a token of an operator" }, { 403, "Not from the page itself" },
        { 429, "Too many wrong ones" }, { 503, "One reason a line" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].status == status)
            return rows[i].text;
    assert(false && "a status with a reason");
    return "";
}

static void add_answer(json_t *responses, const char *text)
{
    char piece[TEXT_SIZE_MAX];
    const char *at = text;
    bool first = next_piece(&at, " ", piece);
    assert(first);
    unsigned status = (unsigned)strtoul(piece, NULL, 10);
    json_t *answer = response(responses, status);
    describe(answer, reason_of(status));
    while (next_piece(&at, " ", piece)) {
        if (piece[0] == '@')
            set(json_object_get(answer, "content"), piece + 1, json_pack("{s:{s:s}}", "schema", "type", "string"));
        else
            add(json_object_get(answer, "schemas"), schema_of_type(piece));
    }
}

/* The shared response that says the same; NULL: none does. */
static json_t *shared_like(const char *status, const json_t *answer)
{
    static const char start[] = "#/components/responses/";
    char words[TEXT_SIZE_MAX * 4] = "", path[TEXT_SIZE_MAX];
    const char *says = json_string_value(json_object_get(answer, "description"));
    size_t len = 0;
    for (; *says != '\0' && len < sizeof words - 1; says++)
        if (*says != ',')
            words[len++] = *says;
    for (size_t i = 0; i < SHARED; i++) {
        if (strcmp(shared[i].status, status) != 0 || strcmp(shared[i].words, words) != 0)
            continue;
        (void)snprintf(path, sizeof path, "%s%s", start, shared[i].name);
        return json_pack("{s:s}", "$ref", path);
    }
    return NULL;
}

static void finish(json_t *responses, bool pages)
{
    const char *status;
    json_t *answer;
    json_object_foreach(responses, status, answer) {
        json_t *found = json_object_get(answer, "schemas"), *content = json_object_get(answer, "content");
        if (json_array_size(found) > 0) {
            json_t *schema = json_array_size(found) == 1 ? json_incref(json_array_get(found, 0)) : json_pack("{s:O}", "oneOf", found);
            set(content, "application/json", json_pack("{s:o}", "schema", schema));
        }
        (void)json_object_del(answer, "schemas");
        if (json_object_size(content) == 0)
            (void)json_object_del(answer, "content");
        if (strcmp(status, "429") == 0 || strcmp(status, "503") == 0)
            set(answer, "headers", json_pack("{s:{s:s}}", "Retry-After", "$ref", "#/components/headers/Retry-After"));
        if (strcmp(status, "200") == 0 && pages)
            set(answer, "headers", json_pack("{s:{s:s}}", "X-Next-Cursor", "$ref", "#/components/headers/X-Next-Cursor"));
    }
}

static int by_status(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static json_t *in_order(json_t *responses)
{
    const char *keys[32], *key;
    size_t count = 0;
    json_t *answer, *sorted = json_object();
    json_object_foreach(responses, key, answer) {
        assert(count < sizeof keys / sizeof keys[0]);
        keys[count++] = key;
    }
    qsort(keys, count, sizeof keys[0], by_status);
    for (size_t i = 0; i < count; i++) {
        answer = json_object_get(responses, keys[i]);
        json_t *like = shared_like(keys[i], answer);
        set(sorted, keys[i], like != NULL ? like : json_incref(answer));
    }
    json_decref(responses);
    return sorted;
}

static bool has_param(const char *pattern, const char *key)
{
    const struct query_param *params;
    size_t count = query_params(&params);
    for (size_t i = 0; i < count; i++)
        if (strcmp(params[i].pattern, pattern) == 0 && (key == NULL || strcmp(params[i].key, key) == 0))
            return true;
    return false;
}

static bool changes(const struct route *route)
{
    return route->doc.method != HTTP_GET && route->doc.method != HTTP_HEAD;
}

static json_t *responses_of(const struct route *route, const struct route_answers *row)
{
    const unsigned flags = route->doc.flags;
    json_t *responses = json_object();
    char piece[TEXT_SIZE_MAX];
    for (const char *at = row->answers; next_piece(&at, ";", piece);)
        add_answer(responses, piece);
    add_errors(responses, row->errors);
    if ((route->doc.scopes & SCOPE_PUBLIC) == 0)
        add_errors(responses, TOKEN_ERRORS);
    if ((route->doc.scopes & (SCOPE_ADMIN | SCOPE_READ)) != 0 && changes(route))
        add_errors(responses, "other_origin");
    if ((flags & (ROUTE_HEAD_EXISTS | ROUTE_NODE_EXISTS | ROUTE_BODY_EXISTS)) != 0)
        add_errors(responses, "node_not_found");
    if (!route->page && changes(route) && (flags & ROUTE_OWN_BODY) == 0)
        add_errors(responses, "unsupported_media_type");
    add_errors(responses, ANY_ERRORS);
    finish(responses, has_param(route->doc.pattern, "cursor"));
    return in_order(responses);
}

/* ---- requests ---- */

static json_t *security_of(const struct route *route)
{
    json_t *any = json_array();
    unsigned mask = route->doc.scopes;
    if ((mask & (SCOPE_PUBLIC | SCOPE_LOOPBACK)) != 0)
        add(any, json_object());
    for (size_t i = 0; i < SCOPES; i++)
        if ((mask & scopes[i].scope) != 0)
            add(any, json_pack("{s:[]}", scopes[i].name));
    if ((mask & (SCOPE_ADMIN | SCOPE_READ)) != 0)
        add(any, json_pack("{s:[]}", (mask & SCOPE_READ) != 0 ? "page" : "admin_page"));
    return any;
}

static bool needs_body(const struct codec_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        if ((table->fields[i].flags & CODEC_REQUIRED) != 0)
            return true;
    return false;
}

/* NULL: none that means anything. */
static json_t *body_of(const struct route *route)
{
    const struct codec_table *const *tables = route_bodies(route->doc.method, route->doc.pattern);
    if ((route->doc.flags & ROUTE_PICTURE) != 0)
        return json_pack("{s:b, s:{s:{s:{s:s, s:s}}}}", "required", 1, "content", "image/jpeg", "schema", "type", "string", "format",
                         "binary");
    if (route->page && strcmp(route->doc.pattern, "/login") == 0 && route->doc.method == HTTP_POST)
        return json_pack("{s:b, s:{s:{s:{s:s, s:[s], s:{s:{s:s}, s:{s:s}}}}}}", "required", 1, "content",
                         "application/x-www-form-urlencoded", "schema", "type", "object", "required", "token", "properties", "token",
                         "type", "string", "next", "type", "string");
    if (tables == NULL && (route->doc.flags & ROUTE_OWN_BODY) != 0)
        return json_pack("{s:b, s:{s:{s:{s:s, s:i}}}}", "required", 0, "content", "text/plain", "schema", "type", "string", "maxLength",
                         WIREGUARD_MAX);
    assert((tables != NULL) == ((route->doc.flags & ROUTE_BODY) != 0) || (route->doc.flags & ROUTE_OWN_BODY) != 0);
    if (tables == NULL)
        return NULL;
    json_t *schema = schema_of_table(tables[0]);
    if (tables[1] != NULL)
        schema = json_pack("{s:[o, o]}", "anyOf", schema, schema_of_table(tables[1]));
    return json_pack("{s:b, s:{s:{s:o}}}", "required", needs_body(tables[0]), "content", "application/json", "schema", schema);
}

static void operation_id(const struct route *route, char out[TEXT_SIZE_MAX])
{
    const char *path = route->doc.pattern;
    bool based = strncmp(path, BASE, strlen(BASE)) == 0;
    int len = snprintf(out, TEXT_SIZE_MAX, "%s_%s%s", methods[route->doc.method], based || route->page ? "" : "root_",
                       based ? path + strlen(BASE) : strcmp(path, "/") == 0 ? "page" : path + 1);
    assert(len > 0 && len < TEXT_SIZE_MAX);
    char *to = out;
    for (const char *at = out; *at != '\0'; at++)
        if (*at != '{' && *at != '}')
            *to++ = isalnum((unsigned char)*at) ? *at : '_';
    *to = '\0';
}

static json_t *operation_of(const struct route *route)
{
    const struct route_answers *row = route_answers;
    while (row->pattern != NULL && (row->method != route->doc.method || strcmp(row->pattern, route->doc.pattern) != 0))
        row++;
    if (row->pattern == NULL)
        (void)fprintf(stderr, "openapi_answers.c does not say what %s %s answers\n", methods[route->doc.method], route->doc.pattern);
    assert(row->pattern != NULL);
    char id[TEXT_SIZE_MAX];
    operation_id(route, id);
    json_t *operation = json_pack("{s:s, s:s, s:o}", "operationId", id, "summary", row->summary, "security", security_of(route));
    json_t *body = body_of(route);
    if (body != NULL)
        set(operation, "requestBody", body);
    set(operation, "responses", responses_of(route, row));
    return operation;
}

/* ---- paths ---- */

/* {venue}, {org}, {name} and {district} are names, all others ids. */
static json_t *path_param(const char *name)
{
    static const char *const names[] = { "venue", "org", "name", "district" };
    struct query_param as = { .kind = PARAM_ID };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], name) == 0)
            as.kind = PARAM_NAME;
    return json_pack("{s:s, s:s, s:b, s:o}", "name", name, "in", "path", "required", 1, "schema", schema_of_param(&as));
}

/* Of all methods of the path: that is how query_params.c checks them. */
static json_t *params_of(const char *pattern)
{
    json_t *list = json_array();
    for (const char *at = strchr(pattern, '{'); at != NULL; at = strchr(at + 1, '{')) {
        char name[WORD_SIZE_MAX];
        (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(at + 1, "}"), at + 1);
        add(list, path_param(name));
    }
    const struct query_param *params;
    size_t count = query_params(&params);
    for (size_t i = 0; i < count; i++)
        if (strcmp(params[i].pattern, pattern) == 0)
            add(list, json_pack("{s:s, s:s, s:o}", "name", params[i].key, "in", "query", "schema", schema_of_param(&params[i])));
    return list;
}

static int by_path(const void *a, const void *b)
{
    const struct route *x = a, *y = b;
    int order = strcmp(x->doc.pattern, y->doc.pattern);
    return order != 0 ? order : (int)x->doc.method - (int)y->doc.method;
}

static struct route *all_routes(size_t *ret_count)
{
    const struct api_route_doc *own, *pages;
    size_t own_count = api_routes(&own), page_count = web_routes(&pages);
    struct route *all = calloc(own_count + page_count, sizeof *all);
    assert(all != NULL);
    for (size_t i = 0; i < own_count + page_count; i++)
        all[i] = i < own_count ? (struct route){ own[i], false } : (struct route){ pages[i - own_count], true };
    qsort(all, own_count + page_count, sizeof *all, by_path);
    *ret_count = own_count + page_count;
    return all;
}

static json_t *paths(void)
{
    size_t count;
    struct route *all = all_routes(&count);
    json_t *found = json_object();
    for (size_t i = 0; i < count; i++) {
        json_t *item = json_object_get(found, all[i].doc.pattern);
        if (item == NULL) {
            item = json_object();
            set(found, all[i].doc.pattern, item);
            json_t *params = params_of(all[i].doc.pattern);
            if (json_array_size(params) > 0)
                set(item, "parameters", params);
            else
                json_decref(params);
        }
        set(item, methods[all[i].doc.method], operation_of(&all[i]));
    }
    free(all);
    return found;
}

/* ---- parts ---- */

static void add_error_schema(json_t *schemas, const char *word)
{
    char name[TEXT_SIZE_MAX], fields[TEXT_SIZE_MAX];
    const struct error_word *row = error_row(word);
    const char *more = row == NULL ? "" : row->members;
    (void)snprintf(name, sizeof name, "Error-%s", word);
    if (json_object_get(schemas, name) != NULL)
        return;
    int len = snprintf(fields, sizeof fields, "error:=%s code:int detail%s%s", word, more[0] == '\0' ? "" : " ", more);
    assert(len > 0 && (size_t)len < sizeof fields);
    set(schemas, name, schema_of_fields(fields));
}

static json_t *schemas_of_all(void)
{
    json_t *schemas = json_object();
    char piece[TEXT_SIZE_MAX];
    for (const struct shape *row = shapes; row->name != NULL; row++)
        set(schemas, row->name, schema_of_fields(row->fields));
    for (const char *at = ANY_ERRORS " " TOKEN_ERRORS " other_origin node_not_found unsupported_media_type"; next_piece(&at, " ", piece);)
        add_error_schema(schemas, piece);
    for (const struct route_answers *row = route_answers; row->pattern != NULL; row++)
        for (const char *at = row->errors; next_piece(&at, " ", piece);) {
            piece[strcspn(piece, "/")] = '\0';
            add_error_schema(schemas, piece);
        }
    return schemas;
}

static json_t *shared_responses(void)
{
    json_t *all = json_object();
    for (size_t i = 0; i < SHARED; i++) {
        json_t *one = json_object();
        add_errors(one, shared[i].words);
        finish(one, false);
        set(all, shared[i].name, json_incref(json_object_get(one, shared[i].status)));
        json_decref(one);
    }
    return all;
}

static json_t *security_schemes(void)
{
    json_t *schemes = json_object();
    for (size_t i = 0; i < SCOPES; i++)
        set(schemes, scopes[i].name, json_pack("{s:s, s:s, s:s}", "type", "http", "scheme", "bearer", "description", scopes[i].says));
    set(schemes, "page", json_pack("{s:s, s:s, s:s, s:s}", "type", "apiKey", "in", "cookie", "name", AUTH_COOKIE_NAME, "description",
                                   "The operator page's session, of an admin's or a read-only token."));
    set(schemes, "admin_page",
        json_pack("{s:s, s:s, s:s, s:s}", "type", "apiKey", "in", "cookie", "name", AUTH_COOKIE_NAME, "description",
                  "The operator page's session, of an admin's token, from the page itself."));
    return schemes;
}

json_t *openapi_document(void)
{
    json_t *headers = json_pack("{s:{s:s, s:{s:s}}, s:{s:s, s:{s:s}}}", "Retry-After", "description", "Seconds.", "schema", "type",
                                "integer", "X-Next-Cursor", "description", "Where the next page begins; absent on the last.", "schema",
                                "type", "string");
    json_t *info = json_pack("{s:s, s:s, s:s}", "title", "hydracluster", "version", HYDRA_VERSION, "description",
                             "Exclusive leases on the slots of GPU machines. docs/API.md tells it in words. Every answer has X-Request-Id; "
                             "an unknown path is 404 not_found, another method 405 method_not_allowed with Allow; a GET has its HEAD; a "
                             "trailing slash is accepted; unknown keys of a request are ignored, and null there is the same as absent. "
                             "Requests that are no HTTP are refused by the HTTP library, with a body in HTML.");
    json_t *components = json_pack("{s:o, s:o, s:o, s:o}", "securitySchemes", security_schemes(), "headers", headers, "responses",
                                   shared_responses(), "schemas", schemas_of_all());
    json_t *document = json_pack("{s:s, s:o, s:o, s:o}", "openapi", "3.0.3", "info", info, "paths", paths(), "components", components);
    assert(document != NULL);
    return document;
}
