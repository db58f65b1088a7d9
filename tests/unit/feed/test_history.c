#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "feed_fixture.h"

#define ROTATE_NEVER ((size_t)64 * 1024 * 1024)

static void open_feed(struct feed_fixture *f) { fixture_open(f, 1, 10, ROTATE_NEVER); }

static void add(struct feed_fixture *f, const char *lease_id, const char *head_id, int64_t ended_ms)
{
    struct session_row row = fixture_row(lease_id, head_id, ended_ms);
    assert_int_equal(feed_history_add(f->feed, &row, 1), HC_OK);
}

static const char *leases(struct feed_fixture *f, const struct history_filter *filter, char more[HC_ID_SIZE])
{
    static char joined[8192];
    struct hc_arena arena = { 0 };
    struct session_row *rows;
    size_t count, at = 0;
    assert_int_equal(feed_history(f->feed, filter, &arena, &rows, &count, more), HC_OK);
    joined[0] = '\0';
    for (size_t i = 0; i < count; i++)
        at += (size_t)snprintf(joined + at, sizeof joined - at, "%s%s", i == 0 ? "" : ",", rows[i].lease_id);
    hc_arena_free(&arena);
    return joined;
}

static size_t lines_in(struct feed_fixture *f, const char *name)
{
    size_t len, lines = 0;
    char *text = fixture_read(f, name, &len);
    for (size_t i = 0; i < len; i++)
        lines += text[i] == '\n';
    hc_free(text);
    return lines;
}

static void test_history__added__synced_listed_and_there_after_a_restart(void **state)
{
    (void)state;
    struct feed_fixture f;
    fixture_make(&f);
    open_feed(&f);
    add(&f, "lse-1", "head-1", 1000000);
    add(&f, "lse-2", "head-2", 2000000);
    fixture_await_synced(&f, 2);
    const struct history_filter all = { .limit = 10 };
    char more[HC_ID_SIZE];
    assert_string_equal(leases(&f, &all, more), "lse-2,lse-1");
    fixture_close(&f);
    open_feed(&f);
    assert_string_equal(leases(&f, &all, more), "lse-2,lse-1");
    const struct session_row *rows;
    assert_int_equal(feed_recent_sessions(f.feed, &rows), 2);
    const struct session_row was = fixture_row("lse-2", "head-2", 2000000);
    assert_memory_equal(&rows[0], &was, sizeof was);
    fixture_drop(&f);
}

static void test_history__same_lease_again__one_line_and_told_again_once_synced(void **state)
{
    (void)state;
    struct feed_fixture f;
    fixture_make(&f);
    open_feed(&f);
    add(&f, "lse-1", "head-1", 1000000);
    add(&f, "lse-1", "head-1", 1000000);
    fixture_await_synced(&f, 1);
    add(&f, "lse-1", "head-1", 1000000);
    fixture_await_synced(&f, 1);
    fixture_close(&f);
    open_feed(&f);
    add(&f, "lse-1", "head-1", 1000000);      /* the store still has it after a crash: its line is there */
    fixture_await_synced(&f, 1);
    fixture_close(&f);
    assert_int_equal(lines_in(&f, "sessions.jsonl"), 1);
    fixture_drop(&f);
}

static void test_history__torn_last_line__cut_at_open(void **state)
{
    (void)state;
    struct feed_fixture f;
    fixture_make(&f);
    open_feed(&f);
    add(&f, "lse-1", "head-1", 1000000);
    add(&f, "lse-2", "head-1", 1000000);
    fixture_close(&f);
    size_t len;
    char *text = fixture_read(&f, "sessions.jsonl", &len);
    text[len - 20] = '\0';
    fixture_write(&f, "sessions.jsonl", text);
    hc_free(text);
    open_feed(&f);
    const struct history_filter all = { .limit = 10 };
    char more[HC_ID_SIZE];
    assert_string_equal(leases(&f, &all, more), "lse-1");
    add(&f, "lse-3", "head-1", 1000000);
    fixture_close(&f);
    text = fixture_read(&f, "sessions.jsonl", &len);
    assert_null(strstr(text, "lse-2"));
    assert_int_equal(lines_in(&f, "sessions.jsonl"), 2);
    hc_free(text);
    open_feed(&f);
    assert_string_equal(leases(&f, &all, more), "lse-3,lse-1");
    fixture_drop(&f);
}

static void test_history__no_line_end_at_all__only_a_short_file_is_cut(void **state)
{
    (void)state;
    struct feed_fixture f;
    fixture_make(&f);
    fixture_write(&f, "sessions.jsonl", "{\"lease_id\":\"l");
    open_feed(&f);
    fixture_close(&f);
    assert_int_equal(lines_in(&f, "sessions.jsonl"), 0);
    static char long_text[40000];
    memset(long_text, 'x', sizeof long_text - 1);
    fixture_write(&f, "sessions.jsonl", long_text);
    struct feed_config config = { f.dir, 10, 1, ROTATE_NEVER, SESSIONS_SEGMENT_BYTES, SESSIONS_KEEP_BYTES };
    struct hc_diag diag = { "" };
    assert_int_equal(feed_open(&config, f.wake_fd, &f.feed, &diag), HC_ERR_SYNTAX);
    assert_non_null(strstr(diag.text, "sessions.jsonl"));
    fixture_drop(&f);
}

static void test_history__filters_and_pages__newest_first(void **state)
{
    (void)state;
    struct feed_fixture f;
    fixture_make(&f);
    open_feed(&f);
    for (int i = 1; i <= 6; i++) {
        char id[16];
        (void)snprintf(id, sizeof id, "lse-%d", i);
        add(&f, id, i % 2 == 0 ? "even" : "odd", i * 1000000);
    }
    char more[HC_ID_SIZE];
    struct history_filter filter = { .head = "even", .limit = 2 };
    assert_string_equal(leases(&f, &filter, more), "lse-6,lse-4");
    assert_string_equal(more, "lse-4");
    filter.cursor = more;
    assert_string_equal(leases(&f, &filter, more), "lse-2");
    assert_string_equal(more, "");
    const struct history_filter late = { .since = { 5000000 }, .limit = 10 };
    assert_string_equal(leases(&f, &late, more), "lse-6,lse-5");
    const struct history_filter by_head_venue = { .venue = "sint-niklaas", .limit = 1 };
    const struct history_filter by_body_venue = { .venue = "rupelmonde", .limit = 1 };
    const struct history_filter elsewhere = { .venue = "gent", .limit = 1 }, other_body = { .body = "body-2", .limit = 1 };
    assert_string_equal(leases(&f, &by_head_venue, more), "lse-6");
    assert_string_equal(leases(&f, &by_body_venue, more), "lse-6");
    assert_string_equal(leases(&f, &elsewhere, more), "");
    assert_string_equal(leases(&f, &other_body, more), "");
    fixture_drop(&f);
}

#define MANY 24000
static void test_history__more_than_memory_holds__pages_go_on_in_the_file(void **state)
{
    (void)state;
    struct feed_fixture f;
    fixture_make(&f);
    open_feed(&f);
    for (int i = 1; i <= MANY; i++) {
        char id[16];
        (void)snprintf(id, sizeof id, "lse-%06d", i);
        add(&f, id, i == 7 ? "rare" : "head-1", i * 1000);
        if (i % 8000 == 0)
            fixture_await_synced(&f, 8000);
    }
    /* All of it, page by page, each row once, in order; and a rare one deep in the file. */
    for (unsigned round = 0; round < 2; round++) {
        char cursor[HC_ID_SIZE] = "", more[HC_ID_SIZE];
        int expected = MANY;
        for (unsigned page = 0; page < 1000 && expected > 0; page++) {
            struct hc_arena arena = { 0 };
            struct session_row *rows;
            size_t count;
            const struct history_filter filter = { .limit = 1000, .cursor = cursor };
            assert_int_equal(feed_history(f.feed, &filter, &arena, &rows, &count, more), HC_OK);
            for (size_t i = 0; i < count; i++, expected--) {
                char id[16];
                (void)snprintf(id, sizeof id, "lse-%06d", expected);
                assert_string_equal(rows[i].lease_id, id);
            }
            hc_arena_free(&arena);
            HC_SET(cursor, more);
            if (more[0] == '\0')
                break;
        }
        assert_int_equal(expected, 0);
        assert_string_equal(cursor, "");
        char found[32] = "";
        for (unsigned page = 0; page < 1000 && found[0] == '\0'; page++) {
            const struct history_filter rare = { .head = "rare", .limit = 5, .cursor = cursor };
            HC_SET(found, leases(&f, &rare, more));
            HC_SET(cursor, more);
        }
        assert_string_equal(found, "lse-000007");
        fixture_close(&f);
        open_feed(&f);
    }
    fixture_drop(&f);
}

static void test_history__cursor_from_outside__never_out_of_the_file(void **state)
{
    (void)state;
    struct feed_fixture f;
    fixture_make(&f);
    open_feed(&f);
    add(&f, "lse-1", "head-1", 1000000);
    static const char *const cursors[] = { "@99999999999999999999", "@-5", "@", "@12x", "unknown" };
    for (size_t i = 0; i < sizeof cursors / sizeof cursors[0]; i++) {
        char more[HC_ID_SIZE];
        const struct history_filter filter = { .limit = 10, .cursor = cursors[i] };
        assert_string_equal(leases(&f, &filter, more), "");
        assert_string_equal(more, "");
    }
    fixture_drop(&f);
}

static void test_history__disk_refuses__not_ok_then_all_lines_appended_again(void **state)
{
    (void)state;
    struct feed_fixture f;
    fixture_make(&f);
    open_feed(&f);
    add(&f, "lse-1", "head-1", 1000000);
    fixture_await_synced(&f, 1);
    size_t len;
    hc_free(fixture_read(&f, "sessions.jsonl", &len));
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = len + 100;               /* the next line is written in part, then refused */
    (void)signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    add(&f, "lse-2", "head-1", 1000000);
    add(&f, "lse-3", "head-1", 1000000);
    fixture_await_health(&f, false);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    fixture_await_synced(&f, 2);
    assert_true(feed_history_ok(f.feed));
    fixture_close(&f);
    open_feed(&f);
    const struct history_filter all = { .limit = 10 };
    char more[HC_ID_SIZE];
    assert_string_equal(leases(&f, &all, more), "lse-3,lse-2,lse-1");
    fixture_drop(&f);
}

static void test_history__file_removed_under_us__made_again(void **state)
{
    (void)state;
    struct feed_fixture f;
    fixture_make(&f);
    open_feed(&f);
    add(&f, "lse-1", "head-1", 1000000);
    fixture_await_synced(&f, 1);
    char path[128];
    fixture_path(&f, "sessions.jsonl", path);
    assert_int_equal(remove(path), 0);
    add(&f, "lse-2", "head-1", 1000000);
    fixture_await_synced(&f, 1);
    fixture_close(&f);
    assert_int_equal(lines_in(&f, "sessions.jsonl"), 1);
    fixture_drop(&f);
}

static void test_history_add__every_allocation_failing__never_half(void **state)
{
    (void)state;
    struct feed_fixture f;
    fixture_make(&f);
    open_feed(&f);
    struct session_row row = fixture_row("lse-1", "head-1", 1000000);
    enum hc_err err = HC_ERR_NOMEM;
    unsigned n;
    for (n = 1; n < 100 && err != HC_OK; n++) {
        hc_alloc_fail_after(n);
        err = feed_history_add(f.feed, &row, 1);
        hc_alloc_fail_after(0);
        const struct session_row *rows;
        assert_int_equal(feed_recent_sessions(f.feed, &rows), err == HC_OK ? 1 : 0);
    }
    assert_true(n > 2);
    fixture_await_synced(&f, 1);
    fixture_close(&f);
    assert_int_equal(lines_in(&f, "sessions.jsonl"), 1);
    fixture_drop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_history__added__synced_listed_and_there_after_a_restart),
        cmocka_unit_test(test_history__same_lease_again__one_line_and_told_again_once_synced),
        cmocka_unit_test(test_history__torn_last_line__cut_at_open),
        cmocka_unit_test(test_history__no_line_end_at_all__only_a_short_file_is_cut),
        cmocka_unit_test(test_history__filters_and_pages__newest_first),
        cmocka_unit_test(test_history__more_than_memory_holds__pages_go_on_in_the_file),
        cmocka_unit_test(test_history__cursor_from_outside__never_out_of_the_file),
        cmocka_unit_test(test_history__disk_refuses__not_ok_then_all_lines_appended_again),
        cmocka_unit_test(test_history__file_removed_under_us__made_again),
        cmocka_unit_test(test_history_add__every_allocation_failing__never_half),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
