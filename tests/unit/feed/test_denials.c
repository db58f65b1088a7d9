#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "feed_fixture.h"

#define ROTATE_NEVER ((size_t)64 * 1024 * 1024)

static uint64_t denied(const struct feed *feed, hc_time now, enum denial_axis axis, const char *word)
{
    struct hc_arena arena = { 0 };
    struct denial_count *rows;
    size_t count;
    uint64_t found = 0;
    assert_int_equal(feed_denials(feed, now, axis, &arena, &rows, &count), HC_OK);
    for (size_t i = 0; i < count; i++)
        if (hc_same(rows[i].word, word))
            found += rows[i].count;
    hc_arena_free(&arena);
    return found;
}

static void test_denials__both_axes__counted_for_an_hour(void **state)
{
    (void)state;
    struct feed_fixture f;
    fixture_make(&f);
    fixture_open(&f, 1, 10, ROTATE_NEVER);
    hc_time start = { 1788522198042 };
    feed_denied(f.feed, start, "no_slot", "sint-niklaas", "rupelmonde");
    feed_denied(f.feed, hc_time_add(start, 30 * HC_MINUTE_MS), "no_slot", "sint-niklaas", "");
    feed_denied(f.feed, hc_time_add(start, 30 * HC_MINUTE_MS), "venue_cap", "rupelmonde", "");
    hc_time later = hc_time_add(start, 31 * HC_MINUTE_MS), after = hc_time_add(start, 61 * HC_MINUTE_MS);
    hc_time next_day = hc_time_add(start, HC_DAY_MS);
    assert_int_equal(denied(f.feed, later, DENIAL_BY_REASON, "no_slot"), 2);
    assert_int_equal(denied(f.feed, later, DENIAL_BY_REASON, "venue_cap"), 1);
    assert_int_equal(denied(f.feed, later, DENIAL_BY_HEAD_VENUE, "sint-niklaas"), 2);
    assert_int_equal(denied(f.feed, later, DENIAL_BY_BODY_VENUE, "rupelmonde"), 1);
    assert_int_equal(denied(f.feed, later, DENIAL_BY_BODY_VENUE, ""), 0);
    assert_int_equal(denied(f.feed, after, DENIAL_BY_REASON, "no_slot"), 1);
    assert_int_equal(denied(f.feed, after, DENIAL_BY_BODY_VENUE, "rupelmonde"), 0);
    assert_int_equal(denied(f.feed, next_day, DENIAL_BY_REASON, "no_slot"), 0);
    feed_denied(f.feed, hc_time_add(start, HC_HOUR_MS), "no_slot", "", "");       /* the same bucket as the first, an hour on */
    assert_int_equal(denied(f.feed, hc_time_add(start, HC_HOUR_MS), DENIAL_BY_REASON, "no_slot"), 2);
    fixture_drop(&f);
}

static void test_denials__more_words_than_room__the_rest_is_other(void **state)
{
    (void)state;
    struct feed_fixture f;
    fixture_make(&f);
    fixture_open(&f, 1, 10, ROTATE_NEVER);
    hc_time now = { 1788522198042 };
    char word[32];
    for (unsigned i = 0; i < 600; i++) {
        (void)snprintf(word, sizeof word, "venue-%u", i);
        feed_denied(f.feed, now, "", word, "");
    }
    assert_int_equal(denied(f.feed, now, DENIAL_BY_HEAD_VENUE, "venue-0"), 1);
    assert_int_equal(denied(f.feed, now, DENIAL_BY_HEAD_VENUE, "venue-510"), 1);
    assert_int_equal(denied(f.feed, now, DENIAL_BY_HEAD_VENUE, "other"), 600 - 511);
    hc_time later = hc_time_add(now, 2 * HC_HOUR_MS);
    feed_denied(f.feed, later, "", "venue-599", "");
    assert_int_equal(denied(f.feed, later, DENIAL_BY_HEAD_VENUE, "venue-599"), 1);
    fixture_drop(&f);
}

static void test_waits__last_200__median_and_p90(void **state)
{
    (void)state;
    struct feed_fixture f;
    fixture_make(&f);
    fixture_open(&f, 1, 10, ROTATE_NEVER);
    int64_t median, p90;
    feed_waits(f.feed, "pool/north/rupelmonde-owned", &median, &p90);
    assert_int_equal(median, -1);
    assert_int_equal(p90, -1);
    feed_waited(f.feed, "north/rupelmonde-owned", "sint-niklaas", 5000);
    feed_waits(f.feed, "venue/sint-niklaas", &median, &p90);
    assert_int_equal(median, 5000);
    assert_int_equal(p90, 5000);
    for (int i = 1; i <= 200; i++)
        feed_waited(f.feed, "north/rupelmonde-owned", "", 1000 * ((i * 7) % 200 + 1));      /* each of 1..200 s once, mixed */
    feed_waits(f.feed, "pool/north/rupelmonde-owned", &median, &p90);
    assert_int_equal(median, 100000);
    assert_int_equal(p90, 180000);
    feed_waits(f.feed, "venue/sint-niklaas", &median, &p90);
    assert_int_equal(median, 5000);
    fixture_drop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_denials__both_axes__counted_for_an_hour),
        cmocka_unit_test(test_denials__more_words_than_room__the_rest_is_other),
        cmocka_unit_test(test_waits__last_200__median_and_p90),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
