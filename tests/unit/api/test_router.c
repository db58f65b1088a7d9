#include "fixture.h"

#include <string.h>

#include "../../../src/api/pipeline.h"

static void find(enum http_method method, const char *path, enum route_found found, const char *pattern, const char *first,
                 const char *second)
{
    struct hc_arena arena = { 0 };
    const struct api_route *route = NULL;
    const char *ids[ROUTE_IDS_MAX] = { NULL, NULL };
    char allow[ALLOW_SIZE];
    enum route_found got = route_find(method, path, &arena, &route, ids, allow);
    if (got != found || (found == ROUTE_FOUND && strcmp(route->pattern, pattern) != 0))
        fail_msg("%s: %d", path, (int)got);
    if (found == ROUTE_FOUND) {
        assert_string_equal(ids[0], first);
        assert_string_equal(ids[1], second);
    }
    hc_arena_free(&arena);
}

static void test_route__path_and_method__find_pattern_and_ids(void **state)
{
    (void)state;
    find(HTTP_GET, "/api/v1/heads", ROUTE_FOUND, "/api/v1/heads", "", "");
    find(HTTP_GET, "/api/v1/heads/", ROUTE_FOUND, "/api/v1/heads", "", "");
    find(HTTP_GET, "/api/v1/heads/h1", ROUTE_FOUND, "/api/v1/heads/{id}", "h1", "");
    find(HTTP_HEAD, "/api/v1/heads/h1", ROUTE_FOUND, "/api/v1/heads/{id}", "h1", "");
    find(HTTP_POST, "/api/v1/heads/h1/slot-claims/l1/renew", ROUTE_FOUND, "/api/v1/heads/{id}/slot-claims/{lease_id}/renew", "h1", "l1");
    find(HTTP_GET, "/api/v1/bodies/eligible", ROUTE_FOUND, "/api/v1/bodies/eligible", "", "");
    find(HTTP_GET, "/health", ROUTE_FOUND, "/health", "", "");
    find(HTTP_GET, "/api/v1/health", ROUTE_FOUND, "/api/v1/health", "", "");
}

static void test_route__unknown_path__is_none(void **state)
{
    (void)state;
    static const char *const paths[] = { "/", "", "/api", "/api/v1", "/api/v2/heads", "/api/v1/heads/h1/nothing", "/api/v1/heads//commands",
                                         "/api/v1/headsx", "/api/v1/head", "api/v1/heads", "/api/v1/heads/h1/slot-claims/l1/renew/x" };
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        find(HTTP_GET, paths[i], ROUTE_UNKNOWN, "", "", "");
}

static void test_route__other_method__says_which_are_allowed(void **state)
{
    (void)state;
    struct hc_arena arena = { 0 };
    const struct api_route *route;
    const char *ids[ROUTE_IDS_MAX];
    char allow[ALLOW_SIZE];
    assert_int_equal(route_find(HTTP_DELETE, "/api/v1/heads/h1", &arena, &route, ids, allow), ROUTE_OTHER_METHOD);
    assert_string_equal(allow, "GET, HEAD, PUT");
    assert_int_equal(route_find(HTTP_OTHER, "/api/v1/nodes/n/drain", &arena, &route, ids, allow), ROUTE_OTHER_METHOD);
    assert_string_equal(allow, "POST, DELETE");
    hc_arena_free(&arena);
}

static void test_route__ids__are_checked_by_the_kind_of_their_place(void **state)
{
    (void)state;
    static const struct api_route id_route = { .pattern = "/a/{id}/b/{lease_id}" }, name_route = { .pattern = "/a/{venue}" };
    const char *good[ROUTE_IDS_MAX] = { "h-1", "l.2" }, *first[ROUTE_IDS_MAX] = { "h 1", "l" }, *second[ROUTE_IDS_MAX] = { "h", "l/" };
    const char *name[ROUTE_IDS_MAX] = { "sint niklaas", "" }, *control[ROUTE_IDS_MAX] = { "a\nb", "" };
    assert_null(route_bad_id(&id_route, good));
    assert_string_equal(route_bad_id(&id_route, first), "id");
    assert_string_equal(route_bad_id(&id_route, second), "lease_id");
    assert_null(route_bad_id(&name_route, name));
    assert_string_equal(route_bad_id(&name_route, control), "venue");
}

static void test_routes__as_data__have_scope_pattern_and_no_double(void **state)
{
    (void)state;
    const struct api_route_doc *docs;
    size_t count = api_routes(&docs);
    assert_true(count > 50);
    for (size_t i = 0; i < count; i++) {
        assert_true(docs[i].pattern[0] == '/' && docs[i].scopes != 0);
        for (size_t k = 0; k < i; k++)
            assert_false(docs[i].method == docs[k].method && strcmp(docs[i].pattern, docs[k].pattern) == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_route__path_and_method__find_pattern_and_ids),
        cmocka_unit_test(test_route__unknown_path__is_none),
        cmocka_unit_test(test_route__other_method__says_which_are_allowed),
        cmocka_unit_test(test_route__ids__are_checked_by_the_kind_of_their_place),
        cmocka_unit_test(test_routes__as_data__have_scope_pattern_and_no_double),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
