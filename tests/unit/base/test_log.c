#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "hydra/base/log.h"

static char last_line[4096];
static unsigned line_count;

static void keep_line(const char *line)
{
    (void)snprintf(last_line, sizeof last_line, "%s", line);
    line_count++;
}

static int setup(void **state)
{
    (void)state;
    last_line[0] = '\0';
    line_count = 0;
    hc_log_sink_set(keep_line);
    hc_log_level_set(HC_LOG_INFO);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    hc_log_sink_set(NULL);
    hc_log_level_set(HC_LOG_INFO);
    return 0;
}

static void test_log__each_level__priority_level_event_text(void **state)
{
    (void)state;
    static const struct { enum hc_log_level level; const char *line; } rows[] = {
        { HC_LOG_ERR, "<3>level=error event=store_down n=1" },       { HC_LOG_WARNING, "<4>level=warning event=store_down n=1" },
        { HC_LOG_NOTICE, "<5>level=notice event=store_down n=1" },   { HC_LOG_INFO, "<6>level=info event=store_down n=1" },
        { HC_LOG_DEBUG, "<7>level=debug event=store_down n=1" },
    };
    hc_log_level_set(HC_LOG_DEBUG);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        hc_log(rows[i].level, "store_down", "n=%d", 1);
        assert_string_equal(last_line, rows[i].line);
    }
}

static void test_log__below_the_level__nothing(void **state)
{
    (void)state;
    hc_log(HC_LOG_DEBUG, "x", "n=%d", 1);
    assert_int_equal(line_count, 0);
    hc_log_level_set(HC_LOG_ERR);
    hc_log(HC_LOG_WARNING, "x", "n=%d", 1);
    assert_int_equal(line_count, 0);
    hc_log(HC_LOG_ERR, "x", "n=%d", 1);
    assert_int_equal(line_count, 1);
}

static void test_log__line_over_the_bound__cut(void **state)
{
    (void)state;
    char lengthy[3000];
    memset(lengthy, 'x', sizeof lengthy);
    lengthy[sizeof lengthy - 1] = '\0';
    hc_log(HC_LOG_INFO, "x", "text=%s", lengthy);
    assert_int_equal(line_count, 1);
    assert_int_equal(strlen(last_line), 2047);
}

static void test_logq__values__quoted_when_they_must_be(void **state)
{
    (void)state;
    static const struct { const char *value, *quoted; } rows[] = {
        { "plain", "plain" }, { "node-1a:8080/x", "node-1a:8080/x" }, { "", "\"\"" }, { NULL, "\"\"" }, { "two words", "\"two words\"" },
        { "a=b", "\"a=b\"" }, { "say \"x\"", "\"say \\\"x\\\"\"" }, { "a\\b", "\"a\\\\b\"" },
        { "a\nb", "\"a\\x0ab\"" }, { "\x7f", "\"\\x7f\"" },
        { "Zürich", "Zürich" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_string_equal(hc_logq(rows[i].value), rows[i].quoted);
}

static void test_logq__long_value__ends_in_dots_and_quote(void **state)
{
    (void)state;
    char lengthy[600];
    for (int controls = 0; controls < 2; controls++) {
        memset(lengthy, controls ? '\x01' : 'x', sizeof lengthy);
        lengthy[sizeof lengthy - 1] = '\0';
        const char *quoted = hc_logq(lengthy);
        size_t len = strlen(quoted);
        assert_true(len < 256 && len > 240);
        assert_string_equal(quoted + len - 4, "...\"");
        assert_int_equal(quoted[0], '"');
    }
}

static void test_logq__eight_in_one_line__do_not_overwrite_each_other(void **state)
{
    (void)state;
    hc_log(HC_LOG_INFO, "x", "%s %s %s %s %s %s %s %s", hc_logq("a 1"), hc_logq("a 2"), hc_logq("a 3"), hc_logq("a 4"), hc_logq("a 5"),
           hc_logq("a 6"), hc_logq("a 7"), hc_logq("a 8"));
    assert_non_null(strstr(last_line, "\"a 1\" \"a 2\" \"a 3\" \"a 4\" \"a 5\" \"a 6\" \"a 7\" \"a 8\""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_log__each_level__priority_level_event_text, setup, teardown),
        cmocka_unit_test_setup_teardown(test_log__below_the_level__nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(test_log__line_over_the_bound__cut, setup, teardown),
        cmocka_unit_test(test_logq__values__quoted_when_they_must_be),
        cmocka_unit_test(test_logq__long_value__ends_in_dots_and_quote),
        cmocka_unit_test_setup_teardown(test_logq__eight_in_one_line__do_not_overwrite_each_other, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
