/* docs/API.md must list every route that is served, and no other, each with a link to its exchange in docs/API-EXAMPLES.md.
 * HYDRA_GOLDEN_UPDATE=1 writes the table anew between its markers. */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "hydra/api/api.h"
#include "hydra/auth/auth.h"
#include "hydra/base/buf.h"

#define DOC_PATH  "docs/API.md"
#define EXAMPLES  "API-EXAMPLES.md"
#define DOC_MAX   ((size_t)1024 * 1024)
#define BEGIN     "<!-- routes: begin -->\n"
#define END       "<!-- routes: end -->\n"

static const char *const method_words[HTTP_METHODS] = { "GET", "HEAD", "POST", "PUT", "DELETE", "?" };
static const struct { unsigned scope; const char *word; } scope_words[] = {
    { SCOPE_PUBLIC, "public" }, { SCOPE_FLEET, "fleet" }, { SCOPE_NODE, "node" },         { SCOPE_SELF, "self" },
    { SCOPE_BODY, "body" },     { SCOPE_ADMIN, "admin" }, { SCOPE_READ, "read" },         { SCOPE_LOOPBACK, "loopback" },
};

static int by_path(const void *a, const void *b)
{
    const struct api_route_doc *x = a, *y = b;
    int order = strcmp(x->pattern, y->pattern);
    return order != 0 ? order : (int)x->method - (int)y->method;
}

/* How a heading `METHOD /path` is called in a link: small letters, without the punctuation. */
static void write_anchor(const struct api_route_doc *route, struct hc_buf *out)
{
    char heading[256];
    (void)snprintf(heading, sizeof heading, "%s %s", method_words[route->method], route->pattern);
    for (const char *at = heading; *at != '\0'; at++) {
        if (*at == ' ' || *at == '-' || *at == '_' || isalnum((unsigned char)*at))
            hc_buf_char(out, *at == ' ' ? '-' : (char)tolower((unsigned char)*at));
    }
}

static void write_table(struct hc_buf *out)
{
    const struct api_route_doc *routes;
    size_t count = api_routes(&routes);
    struct api_route_doc *sorted = calloc(count, sizeof *sorted);
    assert_non_null(sorted);
    memcpy(sorted, routes, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_path);
    hc_buf_str(out, "| route | who |\n|---|---|\n");
    for (size_t i = 0; i < count; i++) {
        hc_buf_printf(out, "| [`%s %s`](" EXAMPLES "#", method_words[sorted[i].method], sorted[i].pattern);
        write_anchor(&sorted[i], out);
        hc_buf_str(out, ") |");
        for (size_t w = 0, n = 0; w < sizeof scope_words / sizeof scope_words[0]; w++)
            if ((sorted[i].scopes & scope_words[w].scope) != 0)
                hc_buf_printf(out, "%s%s", n++ == 0 ? " " : ", ", scope_words[w].word);
        hc_buf_str(out, " |\n");
    }
    free(sorted);
    assert_false(out->failed);
}

static void test_api_doc__routes__are_those_that_are_served(void **state)
{
    (void)state;
    char *text = calloc(1, DOC_MAX);
    FILE *in = fopen(DOC_PATH, "r");
    assert_non_null(text);
    assert_non_null(in);
    assert_true(fread(text, 1, DOC_MAX - 1, in) > 0);
    assert_int_equal(fclose(in), 0);
    char *begin = strstr(text, BEGIN), *end = strstr(text, END);
    assert_non_null(begin);
    assert_non_null(end);
    begin += strlen(BEGIN);
    struct hc_buf table = { 0 };
    write_table(&table);
    if (getenv("HYDRA_GOLDEN_UPDATE") != NULL) {
        FILE *out = fopen(DOC_PATH, "w");
        assert_non_null(out);
        (void)fprintf(out, "%.*s%s%s", (int)(begin - text), text, table.data, end);
        assert_int_equal(fclose(out), 0);
    } else {
        *end = '\0';
        assert_string_equal(begin, table.data);
    }
    hc_buf_free(&table);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_api_doc__routes__are_those_that_are_served) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
