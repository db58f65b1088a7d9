/* test_replay.c - what was decided is decided again; what was altered is found where it was altered. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../../src/journal/line.h"
#include "recorded.h"

static struct recorded r;

static int open_fleet(void **state)
{
    (void)state;
    recorded_open(&r, 1024 * 1024 * 1024, UINT64_C(8) * 1024 * 1024 * 1024);
    recorded_fleet(&r);
    return 0;
}

static int close_fleet(void **state)
{
    (void)state;
    recorded_close(&r);
    return 0;
}

static void test_replay__a_life_of_a_fleet__every_decision_is_the_same(void **state)
{
    (void)state;
    recorded_life(&r, 200);
    uint64_t events = r.events;
    struct replay_report report = recorded_replay(&r);
    if (report.verdict != REPLAY_SAME)
        fail_msg("%s:%llu: %s: %s", report.file, (unsigned long long)report.line, report.type, report.what);
    assert_int_equal(report.events, events);
    assert_int_equal(report.segments, 1);
    assert_false(report.torn);
    assert_true(events > 1000);
}

/* Replaces `from` in the n-th event of that type; with the checksums of all lines behind it made anew, as a forger would, or not. */
static uint64_t alter(const char *type, unsigned nth, const char *from, const char *to, bool forge)
{
    size_t len;
    char *text = segment_text(&r, 1, &len), want[64];
    struct hc_buf out = { 0 };
    struct seal seal = { .line = 0 };
    struct segment_head head;
    struct hc_diag diag;
    uint64_t line = 0, found = 0, sum = 0;
    bool none;
    (void)snprintf(want, sizeof want, "\"type\":\"%s\"", type);
    char *rest = text;
    for (char *at = strsep(&rest, "\n"); at != NULL && at[0] != '\0'; at = strsep(&rest, "\n")) {
        size_t line_len = strlen(at);
        uint64_t ignored = 0;
        line++;
        if (line == 1) {
            (void)line_sum_ok(at, &line_len, &ignored, &none);
            assert_int_equal(head_read(at, line_len, &head, &diag), HC_OK);
            for (size_t i = 0; i < SEAL_NONCE_SIZE; i++) {
                unsigned byte;
                assert_int_equal(sscanf(head.nonce + 2 * i, "%2x", &byte), 1);
                seal.nonce[i] = (uint8_t)byte;
            }
            sum = line_sum_start(&seal);
        }
        char *hit = strstr(at, want) != NULL && strstr(at, from) != NULL && --nth == 0 ? strstr(at, from) : NULL;
        size_t start = out.len;
        if (hit != NULL) {
            found = line;
            hc_buf_add(&out, at, (size_t)(hit - at));
            hc_buf_str(&out, to);
            hc_buf_str(&out, hit + strlen(from));
        } else {
            hc_buf_str(&out, at);
        }
        if (forge && strncmp(at, "{\"n\":", 5) == 0) {
            out.len -= strlen(",\"sum\":\"0123456789abcdef\"}");
            hc_buf_char(&out, '}');
            line_finish(&out, start, &sum);
        } else {
            hc_buf_char(&out, '\n');
        }
    }
    assert_int_not_equal(found, 0);
    segment_put(&r, 1, out.data, out.len);
    hc_buf_free(&out);
    hc_free(text);
    return found;
}

static void check_altered(const char *type, const char *from, const char *to, const char *what)
{
    recorded_life(&r, 30);
    recorded_stop(&r);
    uint64_t line = alter(type, 5, from, to, false);
    struct replay_report report = recorded_replay(&r);
    assert_int_equal(report.verdict, REPLAY_DIFFERS);
    assert_int_equal(report.line, line);
    assert_string_equal(report.type, type);
    if (strstr(report.what, "checksum") == NULL || strstr(report.what, what) == NULL)
        fail_msg("told as: %s", report.what);
}

static void test_replay__a_claim_for_another_experience__reported_there_with_what_differs(void **state)
{
    (void)state;
    check_altered("claim", "\"experience\":\"rupelmonde\"", "\"experience\":\"elsewhere\"", "decision: ");
}

static void test_replay__a_time_moved_by_a_millisecond__reported_there(void **state)
{
    (void)state;
    check_altered("tick", "000,\"generation\"", "001,\"generation\"", "the decision is the same");
}

static void test_replay__a_seed_changed__reported_there(void **state)
{
    (void)state;
    check_altered("claim", "000000\",\"by\"", "000001\",\"by\"", "decision: ");
}

/* Who makes the checksums anew is found by the decision. */
static void test_replay__a_forged_claim__reported_at_its_decision(void **state)
{
    (void)state;
    recorded_life(&r, 30);
    recorded_stop(&r);
    uint64_t line = alter("claim", 5, "\"experience\":\"rupelmonde\"", "\"experience\":\"elsewhere\"", true);
    struct replay_report report = recorded_replay(&r);
    assert_int_equal(report.verdict, REPLAY_DIFFERS);
    assert_int_equal(report.line, line);
    assert_null(strstr(report.what, "checksum"));
    assert_non_null(strstr(report.what, "decision: answer: \"refused\", not \"lease_new\""));
}

static void test_replay__a_forged_release_without_its_token__refused_this_time(void **state)
{
    (void)state;
    recorded_life(&r, 30);
    recorded_stop(&r);
    uint64_t line = alter("release", 3, "\"claim_token\":\"", "\"stream_id\":\"", true);
    struct replay_report report;
    struct hc_diag diag;
    const struct replay_config config = { .path = r.journal_dir, .secret = r.core.secret };
    assert_int_equal(recorded_replay_with(&r, &config, &report, &diag), HC_ERR_SCHEMA);       /* no such key: refused by name */
    assert_non_null(strstr(diag.text, "release"));
    char place[32];
    (void)snprintf(place, sizeof place, ":%llu: ", (unsigned long long)line);
    assert_non_null(strstr(diag.text, place));
}

static void test_replay__an_event_left_out__reported_at_the_next(void **state)
{
    (void)state;
    recorded_life(&r, 10);
    recorded_stop(&r);
    size_t len;
    char *text = segment_text(&r, 1, &len), *line = strstr(text, "{\"n\":20,");
    assert_non_null(line);
    char *next = strchr(line, '\n') + 1;
    memmove(line, next, strlen(next) + 1);
    segment_put(&r, 1, text, strlen(text));
    hc_free(text);
    struct replay_report report = recorded_replay(&r);
    assert_int_equal(report.verdict, REPLAY_DIFFERS);
    assert_int_equal(report.event, 21);
}

static void test_replay__the_last_line_torn__said_and_the_rest_replayed(void **state)
{
    (void)state;
    recorded_life(&r, 10);
    uint64_t events = r.events;
    recorded_stop(&r);
    size_t len;
    char *text = segment_text(&r, 1, &len);
    segment_put(&r, 1, text, len - 30);
    hc_free(text);
    struct replay_report report = recorded_replay(&r);
    assert_int_equal(report.verdict, REPLAY_SAME);
    assert_true(report.torn);
    assert_int_equal(report.events, events - 1);
}

static void check_refused(const char *text, size_t len, const char *what)
{
    struct replay_report report;
    struct hc_diag diag;
    char path[160];
    segment_put(&r, 1, text, len);
    segment_path(&r, 1, path, sizeof path);
    const struct replay_config config = { .path = path, .secret = r.core.secret };
    enum hc_err err = recorded_replay_with(&r, &config, &report, &diag);
    if (err == HC_OK || strstr(diag.text, what) == NULL)
        fail_msg("%s: told as %s", what, diag.text);
}

static void test_replay__what_is_no_journal__refused_with_its_line(void **state)
{
    (void)state;
    recorded_stop(&r);
    check_refused("", 0, ":0: not a journal");
    check_refused("hello\n", 6, ":1: not a journal");
    check_refused("{\"segment\":{},\"sum\":\"0123456789abcdef\"}\n", 40, ":1: ");
}

static void test_replay__another_secret__refused(void **state)
{
    (void)state;
    uint8_t other[32] = { 1 };
    struct replay_report report;
    struct hc_diag diag;
    const struct replay_config config = { .path = r.journal_dir, .secret = other };
    assert_int_equal(recorded_replay_with(&r, &config, &report, &diag), HC_ERR_CONFIG);
    assert_non_null(strstr(diag.text, "another secret"));
}

static void test_replay__every_byte_lost_or_changed__never_the_same_never_a_crash(void **state)
{
    (void)state;
    recorded_life(&r, 1);
    recorded_stop(&r);
    size_t len;
    char *text = segment_text(&r, 1, &len);
    for (size_t at = 0; at < len; at += 7) {
        char *copy = malloc(len);
        struct replay_report report;
        struct hc_diag diag;
        const struct replay_config config = { .path = r.journal_dir, .secret = r.core.secret };
        assert_non_null(copy);
        memcpy(copy, text, len);
        copy[at] = copy[at] == '0' ? '1' : '0';
        segment_put(&r, 1, copy, len);
        free(copy);
        enum hc_err err = journal_replay(&config, &report, &diag);
        if (err == HC_OK && report.verdict == REPLAY_SAME)
            fail_msg("byte %zu ('%c') changed: nothing was said", at, text[at]);
    }
    hc_free(text);
}

static void test_replay__secrets__stand_nowhere_in_clear(void **state)
{
    (void)state;
    char token[CLAIM_TOKEN_SIZE] = "";
    recorded_life(&r, 5);
    struct core_event ev = { .type = CORE_RENEW, .caller = { .kind = CALLER_ADMIN } };
    ev.u.renew = (struct renew_req){ r.head[0], "lse-1", "a-claim-token-in-clear" };
    (void)recorded_step(&r, &ev);
    HC_SET(token, r.claim_token);
    journal_want(r.journal);              /* a state with leases and nodes in it */
    recorded_life(&r, 2);
    recorded_stop(&r);
    assert_int_not_equal(token[0], '\0');
    for (uint64_t i = 1; i <= 2; i++) {
        size_t len;
        char *text = segment_text(&r, i, &len);
        assert_null(strstr(text, "sha256-of-a-node-token"));
        assert_null(strstr(text, "a-claim-token-in-clear"));
        assert_null(strstr(text, token));
        hc_free(text);
    }
}

static void test_replay__a_store_of_the_beginning__taken_and_compared(void **state)
{
    (void)state;
    struct alloc *store;
    struct replay_report report;
    struct hc_diag diag;
    recorded_life(&r, 3);
    assert_int_equal(alloc_new(&r.core, &store), HC_OK);
    store->generation = 7;
    struct replay_config config = { .path = r.journal_dir, .secret = r.core.secret, .store = store };
    assert_int_equal(recorded_replay_with(&r, &config, &report, &diag), HC_OK);
    assert_int_equal(report.verdict, REPLAY_SAME);
    assert_true(report.store_used);
    struct rec *cap = rec_new(REC_CAP, "venue/north");
    assert_int_equal(alloc_put(store, REC_CAP, cap->key, cap), HC_OK);
    rec_unref(cap);
    assert_int_equal(journal_replay(&config, &report, &diag), HC_OK);
    assert_int_equal(report.verdict, REPLAY_DIFFERS);
    assert_non_null(strstr(report.what, "cap venue/north: in the file, not in the journal"));
    store->generation = 9999;
    assert_int_equal(journal_replay(&config, &report, &diag), HC_OK);
    assert_int_equal(report.verdict, REPLAY_SAME);
    assert_false(report.store_used);
    assert_true(report.store_other > 0);
    alloc_free(store);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_fleet, close_fleet)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_replay__a_life_of_a_fleet__every_decision_is_the_same),
        TEST(test_replay__a_claim_for_another_experience__reported_there_with_what_differs),
        TEST(test_replay__a_time_moved_by_a_millisecond__reported_there),
        TEST(test_replay__a_seed_changed__reported_there),
        TEST(test_replay__a_forged_claim__reported_at_its_decision),
        TEST(test_replay__a_forged_release_without_its_token__refused_this_time),
        TEST(test_replay__an_event_left_out__reported_at_the_next),
        TEST(test_replay__the_last_line_torn__said_and_the_rest_replayed),
        TEST(test_replay__what_is_no_journal__refused_with_its_line),
        TEST(test_replay__another_secret__refused),
        TEST(test_replay__every_byte_lost_or_changed__never_the_same_never_a_crash),
        TEST(test_replay__secrets__stand_nowhere_in_clear),
        TEST(test_replay__a_store_of_the_beginning__taken_and_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
