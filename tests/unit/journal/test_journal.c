/* test_journal.c - segments: how big, how many, when a new one begins; a disk that does not take them. */
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "hydra/os/clock.h"
#include "recorded.h"

#define SEGMENT 20000

static struct recorded r;

static int close_it(void **state)
{
    (void)state;
    recorded_close(&r);
    return 0;
}

/* Two rounds at a time, each on the disk before the next: segments are then little longer than they should be. */
static void live_until_segments(size_t want)
{
    uint64_t first, before, bytes;
    int64_t until_ms = os_monotonic_ms() + 60000;
    size_t last = 0;
    while (last < want && os_monotonic_ms() < until_ms) {
        (void)segment_count(&r, &first, &before);
        recorded_life(&r, 2);
        do
            last = segment_count(&r, &first, &bytes) + first - 1;
        while (bytes == before && poll(NULL, 0, 2) == 0 && os_monotonic_ms() < until_ms);
    }
    assert_true(last >= want);
}

static void test_journal__a_full_segment__another_begins_and_all_are_replayed(void **state)
{
    (void)state;
    recorded_open(&r, SEGMENT, 1000 * SEGMENT);
    recorded_fleet(&r);
    live_until_segments(4);
    uint64_t events = r.events;
    struct replay_report report = recorded_replay(&r);
    if (report.verdict != REPLAY_SAME)
        fail_msg("%s:%llu: %s: %s", report.file, (unsigned long long)report.line, report.type, report.what);
    assert_true(report.segments >= 4);
    assert_int_equal(report.events, events);
    assert_true(report.records > 4);
}

static void test_journal__keep_bytes__the_oldest_go_and_the_rest_is_replayed(void **state)
{
    (void)state;
    uint64_t first, bytes;
    recorded_open(&r, SEGMENT, 6 * SEGMENT);
    recorded_fleet(&r);
    live_until_segments(12);
    recorded_stop(&r);
    (void)segment_count(&r, &first, &bytes);
    assert_true(first > 1);
    assert_true(bytes < 8 * SEGMENT);     /* what was written in one turn of the thread may be above */
    assert_int_equal(recorded_replay(&r).verdict, REPLAY_SAME);
}

static void test_journal__files__nobody_else_may_read_them(void **state)
{
    (void)state;
    struct stat st;
    char path[160];
    recorded_open(&r, SEGMENT, 10 * SEGMENT);
    recorded_stop(&r);
    segment_path(&r, 1, path, sizeof path);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(stat(r.journal_dir, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
}

static void test_journal__wanted__the_next_event_begins_a_segment(void **state)
{
    (void)state;
    recorded_open(&r, 1024 * 1024, 1024 * 1024 * 10);
    recorded_fleet(&r);
    assert_false(journal_wants_segment(r.journal));
    journal_want(r.journal);
    assert_true(journal_wants_segment(r.journal));
    recorded_life(&r, 2);
    assert_false(journal_wants_segment(r.journal));
    uint64_t events = r.events;
    struct replay_report report = recorded_replay(&r);
    assert_int_equal(report.verdict, REPLAY_SAME);
    assert_int_equal(report.segments, 2);
    assert_int_equal(report.events, events);
}

static void test_journal__the_folder_gone__events_are_dropped_and_counted_nobody_waits(void **state)
{
    (void)state;
    uint64_t first, bytes;
    recorded_open(&r, SEGMENT, 10 * SEGMENT);
    recorded_fleet(&r);
    assert_true(journal_health(r.journal).ok);
    (void)segment_count(&r, &first, &bytes);
    char path[160];
    segment_path(&r, 1, path, sizeof path);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(r.journal_dir), 0);
    journal_want(r.journal);              /* the next segment cannot be made */
    int64_t until_ms = os_monotonic_ms() + 20000;
    do
        recorded_life(&r, 1);
    while (journal_health(r.journal).ok && os_monotonic_ms() < until_ms);
    recorded_life(&r, 3);
    struct journal_health health = journal_health(r.journal);
    assert_false(health.ok);
    assert_true(health.dropped > 0);
    assert_false(journal_wants_segment(r.journal));      /* not at once: in ten seconds */
    assert_int_equal(mkdir(r.journal_dir, 0700), 0);
}

static void test_journal__a_folder_that_cannot_be_made__refused(void **state)
{
    (void)state;
    struct journal *journal = NULL;
    struct hc_diag diag = { "" };
    const uint8_t secret[32] = { 0 };
    const struct journal_config config = { .data_dir = "/nonexistent/folder", .secret = secret, .segment_bytes = SEGMENT,
                                           .keep_bytes = SEGMENT, .version = "test" };
    assert_int_not_equal(journal_open(&config, &journal, &diag), HC_OK);
    assert_null(journal);
    assert_int_not_equal(diag.text[0], '\0');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_journal__a_full_segment__another_begins_and_all_are_replayed, close_it),
        cmocka_unit_test_teardown(test_journal__keep_bytes__the_oldest_go_and_the_rest_is_replayed, close_it),
        cmocka_unit_test_teardown(test_journal__files__nobody_else_may_read_them, close_it),
        cmocka_unit_test_teardown(test_journal__wanted__the_next_event_begins_a_segment, close_it),
        cmocka_unit_test_teardown(test_journal__the_folder_gone__events_are_dropped_and_counted_nobody_waits, close_it),
        cmocka_unit_test(test_journal__a_folder_that_cannot_be_made__refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
