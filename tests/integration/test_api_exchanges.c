/* test_api_exchanges.c - docs/API-EXAMPLES.md has one exchange for every route that the program serves, and each is what a real daemon
 * answers. HYDRA_GOLDEN_UPDATE=1 writes the page. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "exchange_page.h"
#include "hydra/api/api.h"
#include "hydra/web/web.h"
#include "story.h"

#define ROUTES_MAX 160

static const char *const method_words[HTTP_METHODS] = { "GET", "HEAD", "POST", "PUT", "DELETE", "?" };

static int by_path(const void *a, const void *b)
{
    const struct api_route_doc *x = a, *y = b;
    int order = strcmp(x->pattern, y->pattern);
    return order != 0 ? order : (int)x->method - (int)y->method;
}

/* In the order of the table in docs/API.md, which test_api_doc writes. */
static void add_routes(const struct api_route_doc *docs, size_t count, bool of_page, struct page_route routes[ROUTES_MAX], size_t *total)
{
    struct api_route_doc sorted[ROUTES_MAX];
    assert_true(*total + count <= ROUTES_MAX);
    memcpy(sorted, docs, count * sizeof docs[0]);
    qsort(sorted, count, sizeof sorted[0], by_path);
    for (size_t i = 0; i < count; i++) {
        struct page_route *route = &routes[(*total)++];
        int len = snprintf(route->route, sizeof route->route, "%s %s", method_words[sorted[i].method], sorted[i].pattern);
        assert_true(len > 0 && (size_t)len < sizeof route->route);
        route->of_page = of_page;
    }
}

/* An exchange says in which scope its caller asked: it must be one of the route's. */
static void check_scopes(const struct api_route_doc *docs, size_t count)
{
    static const struct { unsigned scope; const char *word; } words[] = {
        { SCOPE_PUBLIC, "public" }, { SCOPE_FLEET, "fleet" }, { SCOPE_NODE, "node" }, { SCOPE_SELF, "self" },
        { SCOPE_BODY, "body" },     { SCOPE_ADMIN, "admin" }, { SCOPE_READ, "read" }, { SCOPE_LOOPBACK, "loopback" },
    };
    for (size_t i = 0; i < count; i++) {
        char route[160], said[64];
        bool found = false;
        (void)snprintf(route, sizeof route, "%s %s", method_words[docs[i].method], docs[i].pattern);
        const char *text = exchange_text(route);
        for (size_t w = 0; w < sizeof words / sizeof words[0] && text != NULL; w++) {
            (void)snprintf(said, sizeof said, "`\n\n*%s*: ", words[w].word);
            found |= (docs[i].scopes & words[w].scope) != 0 && strstr(text, said) != NULL;
        }
        if (text != NULL && !found)
            fail_msg("%s is asked in a scope that it is not open to: %.200s", route, text);
    }
}

static void test_exchanges__every_route__is_shown_as_it_is_answered(void **state)
{
    (void)state;
    static struct page_route routes[ROUTES_MAX];
    const struct api_route_doc *docs;
    size_t total = 0, count = api_routes(&docs);
    add_routes(docs, count, false, routes, &total);
    count = web_routes(&docs);
    add_routes(docs, count, true, routes, &total);
    story_registry();
    story_pairing();
    story_visits();
    story_headset();
    story_operator();
    story_farewell();
    story_page();
    check_scopes(docs, count);
    count = api_routes(&docs);
    check_scopes(docs, count);
    exchange_page_check(routes, total);
}

static int tear_down(void **state)
{
    exchange_start();
    return scene_close(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_exchanges__every_route__is_shown_as_it_is_answered, story_open, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
