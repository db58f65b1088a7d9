/* docs/openapi.yaml is what the program's tables say (openapi.h), and all that openapi_answers.c and openapi_shapes.c name is in use.
 * HYDRA_GOLDEN_UPDATE=1 writes the file anew. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "hydra/web/web.h"
#include "openapi.h"

#define DOC_PATH "docs/openapi.yaml"
#define DOC_MAX  ((size_t)4 * 1024 * 1024)
#define HEADING  "# Written by tests/unit/web/test_openapi.c (HYDRA_GOLDEN_UPDATE=1) from the program's own tables.\n"

static void made(struct hc_buf *out)
{
    json_t *document = openapi_document();
    hc_buf_str(out, HEADING);
    yaml_write(document, out);
    json_decref(document);
    assert_false(out->failed);
}

static void write_doc(const struct hc_buf *text)
{
    FILE *out = fopen(DOC_PATH, "w");
    assert_non_null(out);
    assert_int_equal(fwrite(text->data, 1, text->len, out), text->len);
    assert_int_equal(fclose(out), 0);
}

static void test_openapi__the_file__is_what_the_tables_say(void **state)
{
    (void)state;
    struct hc_buf text = { 0 };
    made(&text);
    if (getenv("HYDRA_GOLDEN_UPDATE") != NULL)
        write_doc(&text);
    char *found = calloc(1, DOC_MAX);
    FILE *in = fopen(DOC_PATH, "r");
    assert_non_null(found);
    assert_non_null(in);
    size_t len = fread(found, 1, DOC_MAX - 1, in);
    assert_int_equal(fclose(in), 0);
    size_t same = 0, lines = 1;
    for (; same < len && same < text.len && found[same] == text.data[same]; same++)
        lines += found[same] == '\n' ? 1 : 0;
    if (len != text.len || same != len)
        fail_msg("%s differs from line %zu on; HYDRA_GOLDEN_UPDATE=1 writes it anew", DOC_PATH, lines);
    free(found);
    hc_buf_free(&text);
}

static bool served(const struct route_answers *row)
{
    const struct api_route_doc *tables[2];
    const size_t counts[2] = { api_routes(&tables[0]), web_routes(&tables[1]) };
    for (size_t t = 0; t < 2; t++)
        for (size_t i = 0; i < counts[t]; i++)
            if (tables[t][i].method == row->method && strcmp(tables[t][i].pattern, row->pattern) == 0)
                return true;
    return false;
}

static void test_openapi__rows_of_answers__are_of_routes_that_are_served(void **state)
{
    (void)state;
    for (const struct route_answers *row = route_answers; row->pattern != NULL; row++)
        if (!served(row))
            fail_msg("openapi_answers.c has a row for %s, which is not served", row->pattern);
}

static void test_openapi__shapes__are_all_named(void **state)
{
    (void)state;
    struct hc_buf text = { 0 };
    made(&text);
    for (const struct shape *row = shapes; row->name != NULL; row++) {
        char ref[128];
        (void)snprintf(ref, sizeof ref, "schemas/%s\"", row->name);
        if (strstr(text.data, ref) == NULL)
            fail_msg("nothing answers the shape %s", row->name);
    }
    hc_buf_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_openapi__the_file__is_what_the_tables_say),
        cmocka_unit_test(test_openapi__rows_of_answers__are_of_routes_that_are_served),
        cmocka_unit_test(test_openapi__shapes__are_all_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
