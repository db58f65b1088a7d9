/* test_local.c - what the kiosk is told, who may ask, and the visitor's page. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../../../src/head/local_guard.h"
#include "../../../src/head/local_status.h"
#include "../../../src/head/queue_card.h"

static const char *word(enum head_phase phase, bool wanted, bool plays, bool online, bool wish)
{
    struct head_state head;
    static struct local_status status;
    head_init(&head, false);
    head.phase = phase;
    head.wanted = wanted;
    head.plays = plays;
    local_status_of(&head, online, wish, &status);
    return status.status;
}

static void test_status__each_phase__a_word_that_the_kiosk_knows(void **state)
{
    (void)state;
    static const char *const known[] = { "idle", "ready", "finding_body", "pairing", "starting", "streaming", "error" };
    for (unsigned bits = 0; bits < 16; bits++)
        for (int phase = 0; phase < HEAD_PHASES; phase++) {
            const char *said = word((enum head_phase)phase, bits & 1, bits & 2, bits & 4, bits & 8);
            bool is_known = false;
            for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
                is_known |= strcmp(said, known[i]) == 0;
            assert_true(is_known);
        }
    assert_string_equal(word(HEAD_IDLE, false, false, true, false), "ready");
    assert_string_equal(word(HEAD_IDLE, false, false, false, false), "idle");
    assert_string_equal(word(HEAD_IDLE, false, false, true, true), "finding_body");
    assert_string_equal(word(HEAD_QUEUED, true, false, true, false), "finding_body");
    assert_string_equal(word(HEAD_PAIRING, true, false, true, false), "pairing");
    assert_string_equal(word(HEAD_STREAMING, true, false, true, false), "starting");
    assert_string_equal(word(HEAD_STREAMING, true, true, true, false), "streaming");
    assert_string_equal(word(HEAD_RELEASING, false, false, true, false), "ready");
    assert_string_equal(word(HEAD_FAILED, false, false, true, false), "error");
}

static void queued(uint32_t position, int64_t eta_ms, bool confirm, bool accept_by_itself, struct hc_buf *json)
{
    struct head_state head;
    struct local_status status;
    head_init(&head, accept_by_itself);
    head.phase = HEAD_QUEUED;
    head.wanted = true;
    head.ticket = (struct head_ticket){ .position = position, .eta_ms = eta_ms, .confirm_required = confirm };
    local_status_of(&head, true, false, &status);
    hc_buf_clear(json);
    local_status_json(&status, json);
}

static void test_status__queued__finding_body_with_place_and_message(void **state)
{
    (void)state;
    struct hc_buf json = { 0 };
    queued(2, 230000, false, false, &json);
    assert_string_equal(json.data, "{\"status\":\"finding_body\",\"message\":\"You are 2nd in line, about 4 minutes\","
                                   "\"queue\":{\"position\":2,\"eta_seconds\":230,\"confirm\":false}}");
    queued(1, -1, true, false, &json);
    assert_string_equal(json.data, "{\"status\":\"finding_body\",\"message\":\"Are you still there? You are next in line\","
                                   "\"queue\":{\"position\":1,\"eta_seconds\":null,\"confirm\":true}}");
    queued(1, -1, true, true, &json);
    assert_non_null(strstr(json.data, "\"confirm\":false"));        /* the agent answers, nobody taps */
    hc_buf_free(&json);
}

static void test_status__failed__an_error_and_why(void **state)
{
    (void)state;
    struct head_state head;
    struct local_status status;
    struct hc_buf json = { 0 };
    head_init(&head, false);
    head.phase = HEAD_FAILED;
    HC_SET(head.message, "No \"body\" lists it.");
    local_status_of(&head, true, false, &status);
    local_status_json(&status, &json);
    assert_string_equal(json.data, "{\"status\":\"error\",\"error\":\"no_picture\",\"message\":\"No \\\"body\\\" lists it.\"}");
    hc_buf_free(&json);
}

static void test_place__as_people_say_it(void **state)
{
    (void)state;
    static const struct { uint32_t position; int64_t eta_ms; const char *text; } rows[] = {
        { 0, -1, "next in line" }, { 1, 20000, "next in line, about a minute" }, { 2, 61000, "2nd in line, about 2 minutes" },
        { 3, -1, "3rd in line" }, { 4, 0, "4th in line, about a minute" }, { 11, -1, "11th in line" }, { 21, -1, "21st in line" },
        { 112, -1, "112th in line" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[128];
        local_place_text(rows[i].position, rows[i].eta_ms, text, sizeof text);
        assert_string_equal(text, rows[i].text);
    }
}

static struct local_asked asked(void)
{
    return (struct local_asked){ .loopback = true, .host = "127.0.0.1:9740", .port = 9740 };
}

static void test_guard__this_machine__may_ask(void **state)
{
    (void)state;
    struct local_asked ask = asked();
    assert_null(local_guard(&ask));
    ask.host = "localhost:9740";
    assert_null(local_guard(&ask));
    ask.host = "[::1]:9740";
    assert_null(local_guard(&ask));
    ask.changes = true;
    assert_null(local_guard(&ask));                     /* a POST without a body */
    ask.body_len = 2;
    ask.content_type = "application/json; charset=utf-8";
    ask.origin = "http://127.0.0.1:9740";
    ask.fetch_site = "same-origin";
    assert_null(local_guard(&ask));
}

static void test_guard__other_machines_names_and_origins__refused(void **state)
{
    (void)state;
    static const char *const hosts[] = { "evil.example:9740", "127.0.0.1", "127.0.0.1:9741", "127.0.0.1:9740x",
                                         "127.0.0.1.evil.example:9740", "localhost", "", "127.0.0.1: 9740" };
    static const char *const origins[] = { "null", "https://127.0.0.1:9740", "http://evil.example", "http://127.0.0.1:8080",
                                           "http://localhost:9740.evil.example", "" };
    static const char *const sites[] = { "cross-site", "same-site" };
    struct local_asked ask = asked();
    for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++) {
        ask = asked();
        ask.host = hosts[i];
        assert_string_equal(local_guard(&ask), "forbidden");
    }
    for (size_t i = 0; i < sizeof origins / sizeof origins[0]; i++) {
        ask = asked();
        ask.origin = origins[i];
        assert_string_equal(local_guard(&ask), "forbidden");
    }
    for (size_t i = 0; i < sizeof sites / sizeof sites[0]; i++) {
        ask = asked();
        ask.fetch_site = sites[i];
        assert_string_equal(local_guard(&ask), "forbidden");
    }
    ask = asked();
    ask.host = NULL;
    assert_string_equal(local_guard(&ask), "forbidden");
    ask = asked();
    ask.loopback = false;
    assert_string_equal(local_guard(&ask), "forbidden");
}

static void test_guard__post_that_is_not_json__refused(void **state)
{
    (void)state;
    static const char *const types[] = { "text/plain", "application/x-www-form-urlencoded", "multipart/form-data",
                                         "application/jsonx", "" };
    struct local_asked ask = asked();
    ask.changes = true;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        ask.content_type = types[i];
        assert_string_equal(local_guard(&ask), "unsupported_media_type");
    }
    ask.content_type = NULL;
    ask.body_len = 2;
    assert_string_equal(local_guard(&ask), "unsupported_media_type");
}

static void test_card__one_page__strict_and_of_itself(void **state)
{
    (void)state;
    static const char nonce[] = "00112233445566778899aabbccddeeff";
    struct hc_buf html = { 0 }, policy = { 0 };
    queue_card_html(nonce, &html);
    queue_card_policy(nonce, &policy);
    assert_non_null(strstr(policy.data, "default-src 'none'"));
    assert_non_null(strstr(policy.data, "script-src 'nonce-00112233445566778899aabbccddeeff'"));
    assert_null(strstr(policy.data, "unsafe"));
    static const char *const never[] = { "http://", "https://", "//cdn", " style=\"", " onclick", "<link", "<img", "innerHTML", "src=" };
    for (size_t i = 0; i < sizeof never / sizeof never[0]; i++)
        if (strstr(html.data, never[i]) != NULL)
            fail_msg("the page has %s", never[i]);
    static const char *const needed[] = { "lang=\"en\"", "aria-live", "prefers-color-scheme:dark", "focus-visible", ">Cancel</button>",
                                          "<script nonce=\"00112233445566778899aabbccddeeff\">", "<style nonce=\"", "name=\"viewport\"" };
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        if (strstr(html.data, needed[i]) == NULL)
            fail_msg("the page lacks %s", needed[i]);
    hc_buf_free(&html);
    hc_buf_free(&policy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_status__each_phase__a_word_that_the_kiosk_knows),
        cmocka_unit_test(test_status__queued__finding_body_with_place_and_message),
        cmocka_unit_test(test_status__failed__an_error_and_why),
        cmocka_unit_test(test_place__as_people_say_it),
        cmocka_unit_test(test_guard__this_machine__may_ask),
        cmocka_unit_test(test_guard__other_machines_names_and_origins__refused),
        cmocka_unit_test(test_guard__post_that_is_not_json__refused),
        cmocka_unit_test(test_card__one_page__strict_and_of_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
