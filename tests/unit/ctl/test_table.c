#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <string.h>
#include <cmocka.h>

#include "../../../src/ctl/plain_text.h"
#include "../../../src/ctl/view.h"
#include "hydra/base/arena.h"

static const struct column columns[] = {
    { "NAME", "name", COLUMN_TEXT, false }, { "STATE", "state", COLUMN_STATE, false }, { "AGE", "age", COLUMN_SECONDS, false },
    { "WHY", "why", COLUMN_LIST, false },   { "NOTE", "note", COLUMN_TEXT, true },
};
static const struct section rows_section = { NULL, "", "nothing\n", columns, sizeof columns / sizeof columns[0] };
static const struct view rows_view = { &rows_section, 1 };

static char *shown(const char *json, const struct view *view, struct look look, bool *ret_cut)
{
    static char text[8192];
    struct hc_buf out = { 0 };
    json_t *answer = json_loads(json, 0, NULL);
    assert_non_null(answer);
    hc_buf_str(&out, "");
    bool cut = view_write(view, answer, &look, &out);
    assert_false(out.failed);
    assert_true(out.len < sizeof text);
    memcpy(text, out.data, out.len + 1);
    hc_buf_free(&out);
    json_decref(answer);
    if (ret_cut != NULL)
        *ret_cut = cut;
    return text;
}

#define TWO "[{\"name\":\"b1\",\"state\":\"free\",\"age\":200,\"why\":[],\"note\":\"n\"}," \
            "{\"name\":\"a longer name\",\"state\":null,\"age\":null,\"why\":[\"x\",\"y\"],\"note\":true}]"

static void test_table__rows__aligned_without_the_wide_columns(void **state)
{
    (void)state;
    assert_string_equal(shown(TWO, &rows_view, (struct look){ 0 }, NULL), "NAME           STATE  AGE     WHY\n"
                                                                          "b1             free   3m 20s  -\n"
                                                                          "a longer name  -      -       x, y\n");
}

static void test_table__wide__all_columns_at_any_width(void **state)
{
    (void)state;
    bool cut = true;
    const char *text = shown(TWO, &rows_view, (struct look){ .wide = true, .width = 20 }, &cut);
    assert_false(cut);
    assert_non_null(strstr(text, "WHY   NOTE\n"));
    assert_non_null(strstr(text, "x, y  yes\n"));
}

static void test_table__narrow_terminal__widest_column_cut_with_its_sign(void **state)
{
    (void)state;
    bool cut = false;
    const char *text = shown(TWO, &rows_view, (struct look){ .width = 32 }, &cut);
    assert_true(cut);
    assert_non_null(strstr(text, "a longer n\xe2\x80\xa6"));
    for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1) {
        char one[256] = "";
        memcpy(one, line, (size_t)(strchr(line, '\n') - line));
        assert_true(plain_width(one) <= 32);
    }
}

static void test_table__colour__only_when_asked(void **state)
{
    (void)state;
    assert_null(strchr(shown(TWO, &rows_view, (struct look){ 0 }, NULL), '\033'));
    assert_non_null(strstr(shown(TWO, &rows_view, (struct look){ .colour = true }, NULL), "\033[32mfree \033[0m"));
}

static void test_table__escape_codes_in_a_cell__shown(void **state)
{
    (void)state;
    const char *text = shown("[{\"name\":\"\\u001b[2Jx\\ny\",\"why\":[\"\\u009b\"]}]", &rows_view, (struct look){ 0 }, NULL);
    assert_non_null(strstr(text, "\\x1b[2Jx\\ny"));
    assert_non_null(strstr(text, "\\u{009b}"));
    assert_null(strchr(text, '\033'));
}

static void test_table__no_rows__says_so(void **state)
{
    (void)state;
    assert_string_equal(shown("[]", &rows_view, (struct look){ 0 }, NULL), "nothing\n");
}

static void test_table__more_rows_than_lines__how_many_are_left_out(void **state)
{
    (void)state;
    struct hc_buf out = { 0 };
    json_t *rows = json_loads(TWO, 0, NULL);
    const struct look look = { 0 };
    (void)table_write(&rows_section, rows, &look, 1, &out);
    assert_non_null(strstr(out.data, "b1"));
    assert_null(strstr(out.data, "longer"));
    assert_non_null(strstr(out.data, "and 1 more\n"));
    hc_buf_free(&out);
    json_decref(rows);
}

static void test_record__members__lines_and_sections_of_their_own(void **state)
{
    (void)state;
    const char *text = shown("{\"head_id\":\"h1\",\"experience\":\"m\",\"would\":{\"status\":200,\"slot\":null},\"candidates\":[]}",
                             &explain_view,
                             (struct look){ 0 }, NULL);
    assert_string_equal(text,
                        "head_id     h1\nexperience  m\n\nA claim would get\nstatus  200\nslot    -\n\nEvery body\nno body is known\n");
}

static void test_seconds__sizes(void **state)
{
    (void)state;
    static const struct { json_int_t seconds; const char *text; } rows[] = {
        { -1, "-" }, { 0, "0s" }, { 59, "59s" }, { 60, "1m 0s" }, { 3599, "59m 59s" }, { 3600, "1h 0m" }, { 86399, "23h 59m" }, { 90000,
            "1d 1h" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct hc_buf out = { 0 };
        add_seconds(rows[i].seconds, &out);
        assert_string_equal(out.data, rows[i].text);
        hc_buf_free(&out);
    }
}

static void test_views__each_allocation_fails__told_and_no_leak(void **state)
{
    (void)state;
    json_t *rows = json_loads(TWO, 0, NULL), *record = json_loads("{\"a\":1,\"b\":[\"x\"],\"would\":{\"c\":\"d\"}}", 0, NULL);
    const struct look look = { .colour = true, .width = 20 };
    bool done = false;
    for (unsigned n = 1; !done; n++) {
        struct hc_buf out = { 0 };
        hc_alloc_fail_after(n);
        (void)view_write(&rows_view, rows, &look, &out);
        (void)view_write(&explain_view, record, &look, &out);
        hc_alloc_fail_after(0);
        done = !out.failed;
        assert_true(n < 1000);
        hc_buf_free(&out);
    }
    json_decref(rows);
    json_decref(record);
}

/* Whatever a server answers, a view draws it: no shape is taken for granted. */
static void test_views__any_answer__is_drawn(void **state)
{
    (void)state;
    static const char *const answers[] = { "[]", "{}", "[[]]", "[1,null,\"x\"]",
                                           "{\"lease\":7,\"would\":[],\"steps\":{},\"candidates\":[{}]}",
                                           "[{\"lease\":{\"id\":\"\"},\"why_not\":\"x\",\"divergence\":[null,{}],\"\":\"\"}]" };
    static const struct view *const views[] = {
        &slots_view, &queue_view, &allocation_view, &conflicts_view, &explain_view, &explain_lease_view, &streams_view, &sessions_view,
            &events_view,
        &nodes_view, &node_view, &bodies_view, &venues_view, &experiences_view, &district_view, &migration_view, &pairing_view,
            &health_view,
        &drain_view, &lease_view, &operation_view, &restore_view,
    };
    for (size_t v = 0; v < sizeof views / sizeof views[0]; v++)
        for (size_t a = 0; a < sizeof answers / sizeof answers[0]; a++)
            (void)shown(answers[a], views[v], (struct look){ .colour = true, .width = 40 }, NULL);
}

int main(void)
{
    (void)setlocale(LC_CTYPE, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table__rows__aligned_without_the_wide_columns),
        cmocka_unit_test(test_table__wide__all_columns_at_any_width),
        cmocka_unit_test(test_table__narrow_terminal__widest_column_cut_with_its_sign),
        cmocka_unit_test(test_table__colour__only_when_asked),
        cmocka_unit_test(test_table__escape_codes_in_a_cell__shown),
        cmocka_unit_test(test_table__no_rows__says_so),
        cmocka_unit_test(test_table__more_rows_than_lines__how_many_are_left_out),
        cmocka_unit_test(test_record__members__lines_and_sections_of_their_own),
        cmocka_unit_test(test_seconds__sizes),
        cmocka_unit_test(test_views__each_allocation_fails__told_and_no_leak),
        cmocka_unit_test(test_views__any_answer__is_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
