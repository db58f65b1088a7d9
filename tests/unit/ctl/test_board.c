#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "../../../src/ctl/board.h"

static struct hc_buf out;

static int set_up(void **state)
{
    (void)state;
    out = (struct hc_buf){ 0 };
    hc_buf_str(&out, "");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    hc_buf_free(&out);
    return 0;
}

static json_t *parse(const char *text)
{
    json_t *value = json_loads(text, 0, NULL);
    assert_non_null(value);
    return value;
}

static size_t lines_of(const char *text)
{
    size_t lines = 0;
    for (; *text != '\0'; text++)
        lines += *text == '\n';
    return lines;
}

#define FREE_SLOT(venue, \
    body) "{\"venue\":\"" venue "\",\"body_name\":\"" body "\",\"slot\":0,\"grantable\":true,\"occupied\":false,\"why_not\":[]," \
                               "\"divergence\":[],\"lease\":null}"
#define FOREIGN "{\"venue\":\"a\",\"body_name\":\"b0\",\"slot\":1,\"occupied\":true,\"why_not\":[\"not_idle\"]," \
                "\"divergence\":[\"unauthorized_stream\"],\"lease\":null}"

static void test_board__slots__by_place_with_counts_and_banner(void **state)
{
    (void)state;
    json_t *slots = parse("[" FREE_SLOT("south", "b9") "," FREE_SLOT("north", "b2") "," FOREIGN "]"), *queue = parse("[]");
    const struct board board = { .server = "http://x", .slots = slots, .queue = queue };
    const struct look look = { 0 };
    board_write(&board, &look, 0, &out);
    assert_non_null(strstr(out.data, "slots 3   occupied 1   free 2   unknown 0   waiting 0"));
    assert_non_null(strstr(out.data, "connected, live"));
    assert_non_null(strstr(out.data, "DIVERGENCE: b0/1 unauthorized_stream\n"));
    const char *a = strstr(out.data, "b0  "), *n = strstr(out.data, "b2"), *s = strstr(out.data, "b9");
    assert_true(a != NULL && a < n && n < s);
    assert_non_null(strstr(out.data, "nobody waits"));
    assert_null(strchr(out.data, '\033'));
    json_decref(slots);
    json_decref(queue);
}

static void test_board__connection_lost__says_since_when_and_why(void **state)
{
    (void)state;
    json_t *slots = parse("[" FREE_SLOT("north", "b2") "]"), *queue = parse("[]");
    const struct board board = { .server = "http://x", .slots = slots, .queue = queue, .lost_ms = 65000, .why = "refused\033[2J" };
    const struct look look = { 0 };
    board_write(&board, &look, 0, &out);
    assert_non_null(strstr(out.data, "NOT CONNECTED for 1m 5s"));
    assert_non_null(strstr(out.data, "refused\\x1b[2J"));
    assert_null(strstr(out.data, "connected, live"));
    json_decref(slots);
    json_decref(queue);
}

/* However many slots and tickets there are, and however low the window is: nothing scrolls away, and what has no room is told. */
static void test_board__more_than_the_window__fits_and_tells(void **state)
{
    (void)state;
    json_t *slots = json_array(), *queue = json_array();
    for (int i = 0; i < 100; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "b%03d", i);
        assert_int_equal(json_array_append_new(slots, json_pack("{s:s, s:i, s:b, s:[], s:[s]}", "body_name", name, "slot", 0, "grantable",
                                                                1,
                                                                "why_not", "divergence", "second_launch")), 0);
        assert_int_equal(json_array_append_new(queue, json_pack("{s:i, s:s}", "position", i + 1, "head_name", name)), 0);
    }
    for (size_t height = 12; height < 60; height++) {
        const struct board board = { .server = "http://x", .slots = slots, .queue = queue };
        const struct look look = { .width = 80 };
        hc_buf_clear(&out);
        board_write(&board, &look, height, &out);
        if (lines_of(out.data) > height)
            fail_msg("%zu lines in a window of %zu:\n%s", lines_of(out.data), height, out.data);
        assert_non_null(strstr(out.data, "\xe2\x80\xa6 and "));
        assert_non_null(strstr(out.data, "DIVERGENCE, 100 rows: b000/0 second_launch"));
    }
    json_decref(slots);
    json_decref(queue);
}

static void test_changes__first_look_then_only_what_differs(void **state)
{
    (void)state;
    json_t *before = json_object(), *slots = parse("[" FREE_SLOT("n", "b1") "," FREE_SLOT("n", "b2") "]");
    assert_true(board_changes(slots, before, &out));
    assert_string_equal(out.data, "b1/0  free\nb2/0  free\n");
    hc_buf_clear(&out);
    hc_buf_str(&out, "");
    assert_true(board_changes(slots, before, &out));
    assert_string_equal(out.data, "");
    json_decref(slots);
    slots = parse("[{\"body_name\":\"b1\",\"slot\":0,\"lease\":{\"state\":\"streaming\",\"head_name\":\"h\\u001b1\",\"experience\":\"m\"},"
                  "\"divergence\":[\"stale_report\",\"wrong_client\"]}]");
    assert_true(board_changes(slots, before, &out));
    assert_string_equal(out.data, "b1/0  streaming  head=h\\x1b1  experience=m  divergence=stale_report,wrong_client\nb2/0  gone\n");
    json_decref(slots);
    json_decref(before);
}

static void test_changes__two_sessions_on_a_slot__one_line_with_both(void **state)
{
    (void)state;
    json_t *before = json_object(), *slots = parse("[" FREE_SLOT("n", "b1") "," FREE_SLOT("n", "b1") "]");
    assert_true(board_changes(slots, before, &out));
    assert_string_equal(out.data, "b1/0  free  and  free\n");
    json_decref(slots);
    json_decref(before);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
int main(void)
{
    (void)setlocale(LC_CTYPE, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        TEST(test_board__slots__by_place_with_counts_and_banner),
        TEST(test_board__connection_lost__says_since_when_and_why),
        TEST(test_board__more_than_the_window__fits_and_tells),
        TEST(test_changes__first_look_then_only_what_differs),
        TEST(test_changes__two_sessions_on_a_slot__one_line_with_both),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
