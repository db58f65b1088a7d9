#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "feed_fixture.h"
#include "hydra/base/log.h"

#define ROTATE_NEVER ((size_t)64 * 1024 * 1024)

static void publish(struct feed_fixture *f, enum note_type type, const char *detail)
{
    struct core_note note = fixture_note(type, detail);
    assert_int_equal(feed_publish(f->feed, &note, 1), HC_OK);
}

static void publish_numbered(struct feed_fixture *f, unsigned count)
{
    for (unsigned i = 1; i <= count; i++) {
        char detail[16];
        (void)snprintf(detail, sizeof detail, "e%u", i);
        publish(f, i % 2 == 0 ? NOTE_NODE_ONLINE : NOTE_LEASE_GRANTED, detail);
    }
}

/* Details of the answer, joined by commas. */
static const char *details(struct feed_fixture *f, const char *since, const char *type, size_t limit, const char *cursor,
                           char more[EVENT_ID_SIZE])
{
    static char joined[4096];
    struct hc_arena arena = { 0 };
    const struct feed_event *events;
    size_t count;
    assert_int_equal(feed_events(f->feed, since, type, limit, cursor, &arena, &events, &count, more), HC_OK);
    joined[0] = '\0';
    size_t at = 0;
    for (size_t i = 0; i < count; i++)
        at += (size_t)snprintf(joined + at, sizeof joined - at, "%s%s", i == 0 ? "" : ",", events[i].note.detail);
    hc_arena_free(&arena);
    return joined;
}

static void test_event_ids__published__generation_and_number(void **state)
{
    (void)state;
    struct feed_fixture f;
    fixture_make(&f);
    fixture_open(&f, 42, 100, ROTATE_NEVER);
    assert_string_equal(feed_last_id(f.feed), "");
    publish_numbered(&f, 3);
    assert_string_equal(feed_last_id(f.feed), "42-3");
    fixture_close(&f);
    fixture_open(&f, 43, 100, ROTATE_NEVER);
    assert_string_equal(feed_last_id(f.feed), "42-3");
    publish(&f, NOTE_STORE_UP, "later");
    assert_string_equal(feed_last_id(f.feed), "43-1");
    char more[EVENT_ID_SIZE];
    assert_string_equal(details(&f, "42-2", "", 100, "", more), "e3,later");
    fixture_drop(&f);
}

static void test_event_ids__same_generation_again__no_id_twice(void **state)
{
    (void)state;
    struct feed_fixture f;
    fixture_make(&f);
    fixture_open(&f, 5, 100, ROTATE_NEVER);
    publish_numbered(&f, 2);
    fixture_close(&f);
    fixture_open(&f, 5, 100, ROTATE_NEVER);
    publish(&f, NOTE_STORE_UP, "third");
    assert_string_equal(feed_last_id(f.feed), "5-3");
    fixture_drop(&f);
}

static void test_events__since__oldest_first_and_resumable(void **state)
{
    (void)state;
    struct feed_fixture f;
    fixture_make(&f);
    fixture_open(&f, 1, 100, ROTATE_NEVER);
    publish_numbered(&f, 6);
    char more[EVENT_ID_SIZE];
    assert_string_equal(details(&f, "1-2", "", 2, "", more), "e3,e4");
    assert_string_equal(more, "1-4");
    assert_string_equal(details(&f, "1-2", "", 2, more, more), "e5,e6");
    assert_string_equal(more, "");
    assert_string_equal(details(&f, "1-6", "", 10, "", more), "");
    assert_string_equal(details(&f, "no-such-id", "", 10, "", more), "e1,e2,e3,e4,e5,e6");
    fixture_drop(&f);
}

static void test_events__no_since__newest_first_with_cursor(void **state)
{
    (void)state;
    struct feed_fixture f;
    fixture_make(&f);
    fixture_open(&f, 1, 100, ROTATE_NEVER);
    publish_numbered(&f, 5);
    char more[EVENT_ID_SIZE];
    assert_string_equal(details(&f, NULL, "", 2, "", more), "e5,e4");
    assert_string_equal(more, "1-4");
    assert_string_equal(details(&f, "", NULL, 2, more, more), "e3,e2");
    assert_string_equal(details(&f, "", NULL, 2, more, more), "e1");
    assert_string_equal(more, "");
    fixture_drop(&f);
}

static void test_events__type_named__only_that_type(void **state)
{
    (void)state;
    struct feed_fixture f;
    fixture_make(&f);
    fixture_open(&f, 1, 100, ROTATE_NEVER);
    publish_numbered(&f, 5);
    char more[EVENT_ID_SIZE];
    assert_string_equal(details(&f, NULL, "node_online", 10, "", more), "e4,e2");
    assert_string_equal(details(&f, "1-1", "lease_granted", 1, "", more), "e3");
    assert_string_equal(more, "1-3");
    assert_string_equal(details(&f, "1-1", "lease_granted", 1, more, more), "e5");
    assert_string_equal(more, "");
    fixture_drop(&f);
}

static void test_events__ring_full__oldest_leave_and_old_ids_start_at_the_oldest(void **state)
{
    (void)state;
    struct feed_fixture f;
    fixture_make(&f);
    fixture_open(&f, 1, 4, ROTATE_NEVER);
    publish_numbered(&f, 9);
    char more[EVENT_ID_SIZE];
    assert_string_equal(details(&f, NULL, "", 100, "", more), "e9,e8,e7,e6");
    assert_string_equal(details(&f, "1-2", "", 100, "", more), "e6,e7,e8,e9");
    assert_string_equal(details(&f, "1-7", "", 100, "", more), "e8,e9");
    fixture_drop(&f);
}

static void test_events__all_fields__survive_the_file(void **state)
{
    (void)state;
    struct feed_fixture f;
    fixture_make(&f);
    fixture_open(&f, 9, 10, ROTATE_NEVER);
    struct core_note notes[2] = { fixture_note(NOTE_SLOT_CONFLICT, "two \"quoted\" \xc3\xa9"), fixture_note(NOTE_STORE_UP, "") };
    notes[0].slot = 0;
    notes[0].expected_legacy = true;
    HC_SET(notes[0].body_id, "body-1");
    HC_SET(notes[0].lease_id, "lse-1");
    HC_SET(notes[0].head_id, "head-1");
    assert_int_equal(feed_publish(f.feed, notes, 2), HC_OK);
    fixture_close(&f);
    size_t len;
    char *text = fixture_read(&f, "events.jsonl", &len);
    assert_non_null(strstr(text, "\"id\":\"9-1\""));
    assert_null(strstr(strchr(text, '\n'), "slot"));
    hc_free(text);
    fixture_open(&f, 10, 10, ROTATE_NEVER);
    struct hc_arena arena = { 0 };
    const struct feed_event *events;
    size_t count;
    char more[EVENT_ID_SIZE];
    assert_int_equal(feed_events(f.feed, NULL, "", 10, "", &arena, &events, &count, more), HC_OK);
    assert_int_equal(count, 2);
    assert_int_equal(events[0].note.slot, -1);
    assert_int_equal(events[1].note.slot, 0);
    assert_int_equal(events[1].note.type, NOTE_SLOT_CONFLICT);
    assert_int_equal(events[1].note.at.ms, notes[0].at.ms);
    assert_true(events[1].note.expected_legacy);
    assert_string_equal(events[1].note.detail, notes[0].detail);
    assert_string_equal(events[1].note.body_id, "body-1");
    assert_string_equal(events[1].note.lease_id, "lse-1");
    assert_string_equal(events[1].note.head_id, "head-1");
    assert_string_equal(events[1].note.district, "north");
    hc_arena_free(&arena);
    fixture_drop(&f);
}

static void test_events__file_over_its_size__rotated_and_read_across_both(void **state)
{
    (void)state;
    struct feed_fixture f;
    fixture_make(&f);
    char more[EVENT_ID_SIZE];
    /* Each run closes the feed, which writes: every run's line fills the file, the next begins a new one. */
    for (uint64_t generation = 1; generation <= 7; generation++) {
        fixture_open(&f, generation, 100, 64);
        publish(&f, NOTE_STORE_UP, generation % 2 == 0 ? "even" : "odd");
        fixture_close(&f);
    }
    static const char *const kept[] = { "events.jsonl.1", "events.jsonl.2", "events.jsonl.3", "events.jsonl.4" };
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        size_t len;
        char *text = fixture_read(&f, kept[i], &len);
        char id[32];
        (void)snprintf(id, sizeof id, "\"id\":\"%zu-1\"", 7 - i);
        assert_non_null(strstr(text, id));
        hc_free(text);
    }
    size_t len;
    char *gone = fixture_read(&f, "events.jsonl.5", &len);
    assert_int_equal(len, 0);
    hc_free(gone);
    fixture_open(&f, 8, 100, 64);
    assert_string_equal(feed_last_id(f.feed), "7-1");
    assert_string_equal(details(&f, NULL, "", 10, "", more), "odd");
    fixture_drop(&f);
}

static atomic_uint told_lines;

static void count_told(const char *line)
{
    if (strstr(line, "event=file_not_rotated file=events.jsonl") != NULL)
        atomic_fetch_add(&told_lines, 1);
}

/* A folder stands where the oldest file is to go. */
static void test_events__file_that_cannot_rotate__grows_and_is_told_once(void **state)
{
    (void)state;
    struct feed_fixture f;
    char blocked[128];
    fixture_make(&f);
    fixture_write(&f, "events.jsonl.3", "");
    fixture_path(&f, "events.jsonl.4", blocked);
    assert_int_equal(mkdir(blocked, 0700), 0);
    atomic_store(&told_lines, 0);
    hc_log_sink_set(count_told);
    fixture_open(&f, 1, 100, 64);
    static const char *const lines[] = { "first", "second", "third", "fourth" };
    for (size_t i = 0; i < 3; i++) {                 /* a line is written after all that was tried with the one before it */
        publish(&f, NOTE_STORE_UP, lines[i]);
        fixture_await_text(&f, "events.jsonl", lines[i]);
    }
    assert_int_equal(atomic_load(&told_lines), 1);
    assert_int_equal(rmdir(blocked), 0);
    publish(&f, NOTE_STORE_UP, lines[3]);
    fixture_close(&f);
    hc_log_sink_set(NULL);
    assert_int_equal(atomic_load(&told_lines), 1);
    /* The third may have been tried again after the folder had gone. */
    size_t len;
    char *newest = fixture_read(&f, "events.jsonl.1", &len), *older = fixture_read(&f, "events.jsonl.2", &len);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        assert_true(strstr(newest, lines[i]) != NULL || strstr(older, lines[i]) != NULL);      /* none was lost meanwhile */
    hc_free(newest);
    hc_free(older);
    fixture_open(&f, 2, 100, ROTATE_NEVER);
    fixture_drop(&f);
}

static void test_events__lines_that_are_not_ours__skipped(void **state)
{
    (void)state;
    struct feed_fixture f;
    fixture_make(&f);
    fixture_write(&f, "events.jsonl",
                  "not json\n\n{\"id\":\"1-1\",\"at\":\"2026-09-04T11:43:18.042Z\",\"type\":\"of_a_later_version\"}\n"
                  "{\"id\":\"1-2\",\"at\":\"2026-09-04T11:43:18.042Z\",\"type\":\"store_up\",\"detail\":\"good\"}\n"
                  "{\"id\":\"1-3\",\"at\":\"20");
    fixture_open(&f, 2, 100, ROTATE_NEVER);
    char more[EVENT_ID_SIZE];
    assert_string_equal(details(&f, NULL, "", 10, "", more), "good");
    fixture_drop(&f);
}

static void test_publish__every_allocation_failing__all_or_nothing(void **state)
{
    (void)state;
    struct feed_fixture f;
    fixture_make(&f);
    fixture_open(&f, 1, 100, ROTATE_NEVER);
    struct core_note notes[3] = { fixture_note(NOTE_STORE_UP, "a"), fixture_note(NOTE_STORE_UP, "b"), fixture_note(NOTE_STORE_UP, "c") };
    enum hc_err err = HC_ERR_NOMEM;
    unsigned n;
    for (n = 1; n < 100 && err != HC_OK; n++) {
        hc_alloc_fail_after(n);
        err = feed_publish(f.feed, notes, 3);
        hc_alloc_fail_after(0);
        assert_true(err == HC_OK || err == HC_ERR_NOMEM);
        assert_string_equal(feed_last_id(f.feed), err == HC_OK ? "1-3" : "");
    }
    assert_true(n > 2);
    assert_int_equal(err, HC_OK);
    fixture_drop(&f);
}

static void test_lease_events__among_others__oldest_first_the_newest_ones(void **state)
{
    (void)state;
    struct feed_fixture f;
    struct hc_arena arena = { 0 };
    const struct feed_event *events;
    size_t count;
    fixture_make(&f);
    fixture_open(&f, 1, 100, ROTATE_NEVER);
    for (unsigned i = 0; i < 12; i++) {
        char detail[16];
        (void)snprintf(detail, sizeof detail, "e%u", i);
        struct core_note note = fixture_note(NOTE_LEASE_STREAMING, detail);
        (void)snprintf(note.lease_id, sizeof note.lease_id, "lse-%u", i % 3);
        assert_int_equal(feed_publish(f.feed, &note, 1), HC_OK);
    }
    assert_int_equal(feed_lease_events(f.feed, "lse-1", 100, &arena, &events, &count), HC_OK);
    assert_int_equal(count, 4);
    assert_string_equal(events[0].note.detail, "e1");
    assert_string_equal(events[3].note.detail, "e10");
    assert_int_equal(feed_lease_events(f.feed, "lse-1", 2, &arena, &events, &count), HC_OK);
    assert_int_equal(count, 2);
    assert_string_equal(events[0].note.detail, "e7");
    assert_int_equal(feed_lease_events(f.feed, "lse-9", 2, &arena, &events, &count), HC_OK);
    assert_int_equal(count, 0);
    hc_arena_free(&arena);
    fixture_drop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lease_events__among_others__oldest_first_the_newest_ones),
        cmocka_unit_test(test_event_ids__published__generation_and_number),
        cmocka_unit_test(test_event_ids__same_generation_again__no_id_twice),
        cmocka_unit_test(test_events__since__oldest_first_and_resumable),
        cmocka_unit_test(test_events__no_since__newest_first_with_cursor),
        cmocka_unit_test(test_events__type_named__only_that_type),
        cmocka_unit_test(test_events__ring_full__oldest_leave_and_old_ids_start_at_the_oldest),
        cmocka_unit_test(test_events__all_fields__survive_the_file),
        cmocka_unit_test(test_events__file_over_its_size__rotated_and_read_across_both),
        cmocka_unit_test(test_events__file_that_cannot_rotate__grows_and_is_told_once),
        cmocka_unit_test(test_events__lines_that_are_not_ours__skipped),
        cmocka_unit_test(test_publish__every_allocation_failing__all_or_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
