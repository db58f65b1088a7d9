/* router.c - every route of the daemon as data, and which one a request means. */
#include "pipeline.h"

#include <string.h>

#define ROUTES_MAX 128

static const struct api_route *const tables[] = {
    node_routes, head_routes, slot_claim_routes, stream_routes, eligible_routes, venue_routes, experience_routes, body_routes, slots_routes,
    allocation_routes, queue_routes, event_routes, session_routes, lease_routes, health_routes, district_routes,
    enroll_routes, xr_session_routes,
    device_identity_routes,
    operation_routes, pair_routes, backup_routes, openapi_routes,
};

static const char *const method_words[HTTP_METHODS] = { [HTTP_GET] = "GET", [HTTP_HEAD] = "HEAD", [HTTP_POST] = "POST", [HTTP_PUT] = "PUT",
                                                        [HTTP_DELETE] = "DELETE" };

struct piece { const char *text; size_t len; };

static struct piece next_piece(const char **at)
{
    struct piece piece = { *at, strcspn(*at, "/") };
    *at += piece.len;
    if (**at == '/')
        (*at)++;
    return piece;
}

static bool is_slot(const struct piece *piece)
{
    return piece->len > 2 && piece->text[0] == '{';
}

/* Pieces of the path that stand for the pattern's {ids}; false: another path. An empty piece is no id. */
static bool match(const char *pattern, const char *path, struct piece ret_ids[ROUTE_IDS_MAX])
{
    size_t count = 0;
    const char *want = pattern + 1, *have = path[0] == '/' ? path + 1 : path;
    if (path[0] != '/')
        return false;
    while (*want != '\0') {
        struct piece expected = next_piece(&want), found = next_piece(&have);
        if (found.len == 0)
            return false;
        if (is_slot(&expected)) {
            if (count == ROUTE_IDS_MAX)
                return false;
            ret_ids[count++] = found;
        } else if (expected.len != found.len || memcmp(expected.text, found.text, found.len) != 0) {
            return false;
        }
    }
    return *have == '\0';
}

static bool same_method(enum http_method wanted, enum http_method asked)
{
    return wanted == asked || (asked == HTTP_HEAD && wanted == HTTP_GET);
}

static void add_method(const char *word, char allow[ALLOW_SIZE])
{
    size_t len = strlen(allow);
    if (strstr(allow, word) != NULL || len + strlen(word) + 3 > ALLOW_SIZE)
        return;
    hc_copy(allow + len, ALLOW_SIZE - len, len == 0 ? "" : ", ");
    len = strlen(allow);
    hc_copy(allow + len, ALLOW_SIZE - len, word);
}

static bool copy_ids(const struct piece pieces[ROUTE_IDS_MAX], struct hc_arena *arena, const char *ret_ids[ROUTE_IDS_MAX])
{
    for (size_t i = 0; i < ROUTE_IDS_MAX; i++) {
        ret_ids[i] = pieces[i].len == 0 ? "" : hc_arena_strndup(arena, pieces[i].text, pieces[i].len);
        if (ret_ids[i] == NULL)
            return false;
    }
    return true;
}

enum route_found route_find(enum http_method method, const char *path, struct hc_arena *arena, const struct api_route **ret_route,
                            const char *ret_ids[ROUTE_IDS_MAX], char ret_allow[ALLOW_SIZE])
{
    ret_allow[0] = '\0';
    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++)
        for (const struct api_route *route = tables[t]; route->pattern != NULL; route++) {
            struct piece pieces[ROUTE_IDS_MAX] = { { NULL, 0 } };
            if (!match(route->pattern, path, pieces))
                continue;
            if (same_method(route->method, method)) {
                *ret_route = route;
                return copy_ids(pieces, arena, ret_ids) ? ROUTE_FOUND : ROUTE_NO_MEMORY;
            }
            add_method(method_words[route->method], ret_allow);
            if (route->method == HTTP_GET)
                add_method(method_words[HTTP_HEAD], ret_allow);
        }
    return ret_allow[0] == '\0' ? ROUTE_UNKNOWN : ROUTE_OTHER_METHOD;
}

static bool is_name_slot(const struct piece *piece)
{
    static const char *const names[] = { "{venue}", "{org}", "{name}", "{district}" };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i]) == piece->len && memcmp(names[i], piece->text, piece->len) == 0)
            return true;
    return false;
}

const char *route_bad_id(const struct api_route *route, const char *const ids[ROUTE_IDS_MAX])
{
    static const char *const names[] = { "id", "lease_id", "stream_id", "op_id", "venue", "org", "name", "district" };
    size_t count = 0;
    for (const char *at = route->pattern + 1; *at != '\0';) {
        struct piece piece = next_piece(&at);
        if (!is_slot(&piece))
            continue;
        const char *value = ids[count++];
        if (is_name_slot(&piece) ? hc_name_ok(value) : hc_id_ok(value))
            continue;
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
            if (strlen(names[i]) == piece.len - 2 && memcmp(names[i], piece.text + 1, piece.len - 2) == 0)
                return names[i];
        return "id";
    }
    return NULL;
}

size_t api_routes(const struct api_route_doc **ret_routes)
{
    static struct api_route_doc docs[ROUTES_MAX];
    size_t count = 0;
    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++)
        for (const struct api_route *route = tables[t]; route->pattern != NULL && count < ROUTES_MAX; route++)
            docs[count++] = (struct api_route_doc){ route->method, route->pattern, route->scopes, route->flags };
    *ret_routes = docs;
    return count;
}
