/* test_session_parts.c - sessions.jsonl becomes sessions.jsonl.N when it is full: no line is lost, none is told twice, the oldest go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "feed_fixture.h"

#define ROTATE_NEVER ((size_t)64 * 1024 * 1024)
#define ONE_LINE     100                  /* shorter than any: each line fills its file */
#define TURNS_MAX    2000

static void open_feed(struct feed_fixture *f) { fixture_open(f, 1, 10, ROTATE_NEVER); }

static int setup(void **state)
{
    static struct feed_fixture f;
    fixture_make(&f);
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    fixture_drop(*state);
    return 0;
}

/* In one call: the writer is woken once, and takes them together. */
static void add(struct feed_fixture *f, unsigned from, unsigned to)
{
    size_t count = to - from + 1;
    struct session_row *rows = hc_alloc(count * sizeof rows[0]);
    assert_non_null(rows);
    for (unsigned i = 0; i < count; i++) {
        char id[16];
        (void)snprintf(id, sizeof id, "lse-%06u", from + i);
        rows[i] = fixture_row(id, "head-1", (int64_t)(from + i) * 1000);
    }
    assert_int_equal(feed_history_add(f->feed, rows, count), HC_OK);
    hc_free(rows);
}

/* Each gets a file of its own. */
static void add_each(struct feed_fixture *f, unsigned from, unsigned to)
{
    for (unsigned i = from; i <= to; i++) {
        add(f, i, i);
        fixture_await_synced(f, 1);
    }
}

/* One page from `cursor`, which becomes the next one; the number of its rows, whose numbers go down from `newest`. */
static unsigned page_of(struct feed_fixture *f, char cursor[HC_ID_SIZE], size_t limit, unsigned newest)
{
    struct hc_arena arena = { 0 };
    struct session_row *rows;
    size_t count;
    char more[HC_ID_SIZE];
    const struct history_filter filter = { .limit = limit, .cursor = cursor };
    assert_int_equal(feed_history(f->feed, &filter, &arena, &rows, &count, more), HC_OK);
    for (unsigned i = 0; i < count; i++) {
        char id[16];
        (void)snprintf(id, sizeof id, "lse-%06u", newest - i);
        assert_string_equal(rows[i].lease_id, id);
    }
    hc_arena_free(&arena);
    hc_copy(cursor, HC_ID_SIZE, more);
    return (unsigned)count;
}

/* The history is newest..oldest, each once; pages go on from `cursor`. */
static void expect_all(struct feed_fixture *f, const char *from, unsigned newest, unsigned oldest)
{
    char cursor[HC_ID_SIZE];
    HC_SET(cursor, from);
    for (unsigned turn = 0; turn < TURNS_MAX && (turn == 0 || cursor[0] != '\0'); turn++)
        newest -= page_of(f, cursor, 1000, newest);
    assert_int_equal(newest, oldest - 1);
    assert_string_equal(cursor, "");
}

static bool there(const struct feed_fixture *f, const char *name)
{
    char path[128];
    fixture_path(f, name, path);
    FILE *file = fopen(path, "re");
    if (file != NULL)
        (void)fclose(file);
    return file != NULL;
}

/* The file is `count` lines, the first of the lease `first`. */
static void expect_file(struct feed_fixture *f, const char *name, size_t count, unsigned first)
{
    size_t len, lines = 0;
    char id[32], *text = fixture_read(f, name, &len);
    for (size_t i = 0; i < len; i++)
        lines += text[i] == '\n';
    (void)snprintf(id, sizeof id, "{\"lease_id\":\"lse-%06u\"", first);
    if (lines != count || (count > 0 && strncmp(text, id, strlen(id)) != 0))
        fail_msg("%s has %zu lines and begins '%.40s'; wanted %zu, the first of %u", name, lines, text, count, first);
    hc_free(text);
}

static void move(const struct feed_fixture *f, const char *from, const char *to)
{
    char from_path[128], to_path[128];
    fixture_path(f, from, from_path);
    fixture_path(f, to, to_path);
    assert_int_equal(rename(from_path, to_path), 0);
}

static void test_parts__full_file__gets_its_number_and_all_is_there_after_a_restart(void **state)
{
    struct feed_fixture *f = *state;
    f->segment_bytes = ONE_LINE;
    open_feed(f);
    add_each(f, 1, 3);
    expect_all(f, "", 3, 1);
    fixture_close(f);
    expect_file(f, "sessions.jsonl", 0, 0);
    expect_file(f, "sessions.jsonl.1", 1, 1);
    expect_file(f, "sessions.jsonl.3", 1, 3);
    open_feed(f);
    expect_all(f, "", 3, 1);
    const struct session_row *rows;
    assert_int_equal(feed_recent_sessions(f->feed, &rows), 3);
    assert_string_equal(rows[0].lease_id, "lse-000003");
    add_each(f, 4, 4);
    fixture_close(f);
    expect_file(f, "sessions.jsonl.4", 1, 4);
}

#define MANY  14000U                    /* more than is read at start */
#define BATCH 2000U                     /* each gets a file of its own */
static void test_parts__more_than_is_read_at_start__pages_go_over_the_seams(void **state)
{
    struct feed_fixture *f = *state;
    char early[HC_ID_SIZE] = "", cursor[HC_ID_SIZE] = "";
    f->segment_bytes = (uint64_t)512 * 1024;
    open_feed(f);
    for (unsigned i = 0; i < MANY; i += BATCH) {
        add(f, i + 1, i + BATCH);
        fixture_await_synced(f, BATCH);
    }
    fixture_close(f);
    expect_file(f, "sessions.jsonl.7", BATCH, MANY - BATCH + 1);
    open_feed(f);
    expect_all(f, "", MANY, 1);
    /* A cursor into a file, taken before the next part begins and used afterwards. */
    unsigned left = MANY;
    for (unsigned turn = 0; turn < TURNS_MAX && cursor[0] != '@'; turn++)
        left -= page_of(f, cursor, 1000, left);
    assert_int_equal(cursor[0], '@');
    HC_SET(early, cursor);
    add(f, MANY + 1, MANY + BATCH);
    fixture_await_synced(f, BATCH);
    add(f, MANY + BATCH + 1, MANY + BATCH + 1);
    fixture_await_synced(f, 1);
    assert_true(there(f, "sessions.jsonl.8"));
    expect_all(f, early, left, 1);
    fixture_close(f);
    open_feed(f);
    expect_all(f, "", MANY + BATCH + 1, 1);
}

static void test_parts__above_keep_bytes__the_oldest_go_and_a_cursor_into_them_is_the_end(void **state)
{
    struct feed_fixture *f = *state;
    f->segment_bytes = ONE_LINE;
    f->keep_bytes = 1500;                 /* three lines of 400 bytes, and the new file's */
    open_feed(f);
    add_each(f, 1, 6);
    expect_all(f, "", 6, 1);              /* memory has them all */
    fixture_close(f);
    assert_false(there(f, "sessions.jsonl.3"));
    expect_file(f, "sessions.jsonl.4", 1, 4);
    expect_file(f, "sessions.jsonl.6", 1, 6);
    open_feed(f);
    expect_all(f, "", 6, 4);
    char cursor[HC_ID_SIZE] = "@2199023255952";       /* in part 2 */
    assert_int_equal(page_of(f, cursor, 10, 0), 0);
    assert_string_equal(cursor, "");
}

static void test_parts__one_file_above_keep_bytes__is_not_thrown_away_at_once(void **state)
{
    struct feed_fixture *f = *state;
    open_feed(f);
    add(f, 1, 50);                        /* it grew before there was a bound */
    fixture_await_synced(f, 50);
    fixture_close(f);
    f->segment_bytes = 1000;
    f->keep_bytes = 2000;
    open_feed(f);
    add_each(f, 51, 51);
    fixture_close(f);
    expect_file(f, "sessions.jsonl.1", 51, 1);
    open_feed(f);
    expect_all(f, "", 51, 1);
}

/* kill -9 after the old file got its number, before the new one began. */
static void test_parts__killed_between_the_steps__no_line_twice_and_none_lost(void **state)
{
    struct feed_fixture *f = *state;
    open_feed(f);
    add(f, 1, 3);
    fixture_await_synced(f, 3);
    fixture_close(f);
    move(f, "sessions.jsonl", "sessions.jsonl.1");
    open_feed(f);
    expect_all(f, "", 3, 1);
    add(f, 3, 3);                         /* the store still has the lease: its line is in the older part */
    fixture_await_synced(f, 1);
    add(f, 4, 4);
    fixture_await_synced(f, 1);
    fixture_close(f);
    expect_file(f, "sessions.jsonl.1", 3, 1);
    expect_file(f, "sessions.jsonl", 1, 4);
    open_feed(f);
    expect_all(f, "", 4, 1);
}

/* kill -9 after the new file began, before the oldest were removed. */
static void test_parts__killed_before_the_oldest_went__they_go_with_the_next(void **state)
{
    struct feed_fixture *f = *state;
    f->segment_bytes = ONE_LINE;
    open_feed(f);
    add_each(f, 1, 5);
    fixture_close(f);
    f->keep_bytes = 1500;
    open_feed(f);
    expect_all(f, "", 5, 1);
    add_each(f, 6, 6);
    fixture_close(f);
    assert_false(there(f, "sessions.jsonl.1"));
    assert_false(there(f, "sessions.jsonl.3"));
    open_feed(f);
    expect_all(f, "", 6, 4);
}

static void test_parts__a_file_in_the_way__is_not_written_over(void **state)
{
    struct feed_fixture *f = *state;
    f->segment_bytes = ONE_LINE;
    open_feed(f);
    fixture_write(f, "sessions.jsonl.1", "somebody's\n");
    add_each(f, 1, 2);
    fixture_close(f);
    expect_file(f, "sessions.jsonl", 2, 1);
    open_feed(f);                         /* which counts on from it */
    expect_all(f, "", 2, 1);
    add_each(f, 3, 3);
    fixture_close(f);
    expect_file(f, "sessions.jsonl.2", 3, 1);
    size_t len;
    char *text = fixture_read(f, "sessions.jsonl.1", &len);
    assert_string_equal(text, "somebody's\n");
    hc_free(text);
}

static void test_parts__names_that_are_not_ours__neither_counted_nor_removed(void **state)
{
    static const char *const names[] = { "sessions.jsonl.0", "sessions.jsonl.01", "sessions.jsonl.20261130", "sessions.jsonl.1.gz",
                                         "sessions.jsonl.bak", "sessions.jsonl." };
    struct feed_fixture *f = *state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        fixture_write(f, names[i], "{\"lease_id\":\"x\"}\n");
    f->segment_bytes = ONE_LINE;
    f->keep_bytes = 2 * ONE_LINE;
    open_feed(f);
    add_each(f, 1, 3);
    fixture_close(f);
    expect_file(f, "sessions.jsonl.3", 1, 3);
    assert_false(there(f, "sessions.jsonl.2"));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_true(there(f, names[i]));
}

static void test_parts__one_taken_away__ends_the_history_there(void **state)
{
    struct feed_fixture *f = *state;
    f->segment_bytes = ONE_LINE;
    open_feed(f);
    add_each(f, 1, 4);
    fixture_close(f);
    move(f, "sessions.jsonl.2", "elsewhere");
    open_feed(f);
    expect_all(f, "", 4, 3);
    add_each(f, 5, 5);
    expect_all(f, "", 5, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_parts__full_file__gets_its_number_and_all_is_there_after_a_restart, setup, teardown),
        cmocka_unit_test_setup_teardown(test_parts__more_than_is_read_at_start__pages_go_over_the_seams, setup, teardown),
        cmocka_unit_test_setup_teardown(test_parts__above_keep_bytes__the_oldest_go_and_a_cursor_into_them_is_the_end, setup, teardown),
        cmocka_unit_test_setup_teardown(test_parts__one_file_above_keep_bytes__is_not_thrown_away_at_once, setup, teardown),
        cmocka_unit_test_setup_teardown(test_parts__killed_between_the_steps__no_line_twice_and_none_lost, setup, teardown),
        cmocka_unit_test_setup_teardown(test_parts__killed_before_the_oldest_went__they_go_with_the_next, setup, teardown),
        cmocka_unit_test_setup_teardown(test_parts__a_file_in_the_way__is_not_written_over, setup, teardown),
        cmocka_unit_test_setup_teardown(test_parts__names_that_are_not_ours__neither_counted_nor_removed, setup, teardown),
        cmocka_unit_test_setup_teardown(test_parts__one_taken_away__ends_the_history_there, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
