/* docs/STATES.md and docs/lease-states.svg show the table of transitions as it is. HYDRA_GOLDEN_UPDATE=1 (make graphs) writes them anew. */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lease_graph.h"
#include "../../../src/core/core.h"

#define PAGE     "docs/STATES.md"
#define PICTURE  "docs/lease-states.svg"
#define FILE_MAX ((size_t)256 * 1024)
#define BEGIN    "<!-- states: begin -->\n"
#define END      "<!-- states: end -->\n"

static bool updates(void)
{
    const char *update = getenv("HYDRA_GOLDEN_UPDATE");
    return update != NULL && strcmp(update, "1") == 0;
}

static char *read_file(const char *path)
{
    char *text = calloc(1, FILE_MAX);
    FILE *in = fopen(path, "r");
    if (in == NULL || text == NULL)
        fail_msg("%s is missing: run this at the top of the tree", path);
    assert_true(fread(text, 1, FILE_MAX - 1, in) < FILE_MAX - 1);
    assert_int_equal(fclose(in), 0);
    return text;
}

static void write_file(const char *path, const char *text)
{
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
}

static void test_states_page__between_its_marks__is_the_table(void **state)
{
    (void)state;
    struct hc_buf table = { 0 }, page = { 0 };
    char *text = read_file(PAGE), *begin = strstr(text, BEGIN), *end = strstr(text, END);
    assert_true(begin != NULL && end != NULL && begin < end);
    hc_buf_add(&page, text, (size_t)(begin - text) + strlen(BEGIN));
    lease_graph_markdown(&table);
    hc_buf_str(&page, table.data);
    hc_buf_str(&page, end);
    assert_false(page.failed);
    if (updates())
        write_file(PAGE, page.data);
    else
        assert_string_equal(text, page.data);
    hc_buf_free(&table);
    hc_buf_free(&page);
    free(text);
}

static void test_states_picture__is_the_table(void **state)
{
    (void)state;
    struct hc_buf picture = { 0 };
    lease_graph_svg(&picture);
    assert_false(picture.failed);
    if (updates())
        write_file(PICTURE, picture.data);
    char *text = read_file(PICTURE);
    assert_string_equal(text, picture.data);
    hc_buf_free(&picture);
    free(text);
}

/* No row may be lost on its way into the page. */
static void test_states_page__every_row__stands_in_it(void **state)
{
    (void)state;
    struct hc_buf table = { 0 };
    lease_graph_markdown(&table);
    for (int on = 0; on < LEV_COUNT; on++) {
        char quoted[96];
        size_t rows = 0, told = 0;
        (void)snprintf(quoted, sizeof quoted, "`%s`", lease_event_name((enum lease_event)on));
        for (size_t i = 0; i < lease_edge_count; i++)
            rows += lease_edges[i].on == (enum lease_event)on;
        for (const char *at = strstr(table.data, quoted); at != NULL; at = strstr(at + 1, quoted))
            told++;
        assert_true(rows > 0);
        assert_int_equal(told, rows);
    }
    hc_buf_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_states_page__between_its_marks__is_the_table),
        cmocka_unit_test(test_states_picture__is_the_table),
        cmocka_unit_test(test_states_page__every_row__stands_in_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
