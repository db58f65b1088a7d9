#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../../src/ctl/sse.h"

static char heard[1024];

static void on_event(void *ctx, const char *data)
{
    (void)ctx;
    assert_true(strlen(heard) + strlen(data) + 2 < sizeof heard);
    strncat(heard, data, sizeof heard - strlen(heard) - 1);
    strncat(heard, ";", sizeof heard - strlen(heard) - 1);
}

static enum hc_err feed(struct sse *sse, const char *text)
{
    return sse_feed(sse, text, strlen(text), on_event, NULL);
}

#define STREAM ": still here\n\nid: 1-1\nevent: a\ndata: {\"x\":1}\n\nid: 1-2\ndata: two\ndata: lines\n\nretry: 5\r\n\r\ndata:tight\n\n"

static void test_sse__whole_stream__events_and_the_last_id(void **state)
{
    (void)state;
    struct sse sse = { 0 };
    heard[0] = '\0';
    assert_int_equal(feed(&sse, STREAM), HC_OK);
    assert_string_equal(heard, "{\"x\":1};two\nlines;tight;");
    assert_string_equal(sse.id, "1-2");
    sse_free(&sse);
}

static void test_sse__cut_anywhere__the_same(void **state)
{
    (void)state;
    for (size_t cut = 0; cut <= strlen(STREAM); cut++) {
        struct sse sse = { 0 };
        heard[0] = '\0';
        assert_int_equal(sse_feed(&sse, STREAM, cut, on_event, NULL), HC_OK);
        assert_int_equal(feed(&sse, &STREAM[cut]), HC_OK);
        assert_string_equal(heard, "{\"x\":1};two\nlines;tight;");
        sse_free(&sse);
    }
}

/* What was not heard to its end is asked for again: its id does not count. */
static void test_sse__connection_lost_in_an_event__forgotten_with_its_id(void **state)
{
    (void)state;
    struct sse sse = { 0 };
    heard[0] = '\0';
    assert_int_equal(feed(&sse, "id: 1-1\ndata: one\n\nid: 1-2\ndata: tw"), HC_OK);
    sse_reset(&sse);
    assert_string_equal(sse.id, "1-1");
    assert_int_equal(feed(&sse, "data: again\n\n"), HC_OK);
    assert_string_equal(heard, "one;again;");
    assert_string_equal(sse.id, "1-1");
    sse_free(&sse);
}

static void test_sse__longer_than_the_limit__refused(void **state)
{
    (void)state;
    char *line = calloc(1, SSE_LINE_MAX + 2);
    struct sse sse = { 0 };
    assert_non_null(line);
    memset(line, 'x', SSE_LINE_MAX + 1);
    assert_int_equal(feed(&sse, line), HC_ERR_LIMIT);
    sse_reset(&sse);
    enum hc_err err = HC_OK;
    line[1000] = '\n';
    memcpy(line, "data: ", 6);
    for (int i = 0; i < 100 && err == HC_OK; i++)       /* many lines of one event */
        err = sse_feed(&sse, line, 1001, on_event, NULL);
    assert_int_equal(err, HC_ERR_LIMIT);
    sse_reset(&sse);
    assert_int_equal(feed(&sse, "id: this-id-is-much-longer-than-any-that-a-daemon-gives-0123456789012345678901234567890\n\n"), HC_OK);
    assert_string_equal(sse.id, "");
    sse_free(&sse);
    free(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sse__whole_stream__events_and_the_last_id),
        cmocka_unit_test(test_sse__cut_anywhere__the_same),
        cmocka_unit_test(test_sse__connection_lost_in_an_event__forgotten_with_its_id),
        cmocka_unit_test(test_sse__longer_than_the_limit__refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
