/* test_faults.c - what a test can break in the host: each fault is seen by a client, and gone when it is switched off. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "hydra/base/arena.h"
#include "hydra/os/clock.h"
#include "stage.h"

#define INFO    "/serverinfo?uniqueid=x"
#define SLOW_MS 300

static int set_up(void **state)
{
    (void)stage_set_up(state);
    stage_store(&stage.one, "one");
    return 0;
}

static void test_fault__truncated_and_empty_documents__no_root_to_read(void **state)
{
    (void)state;
    struct reply reply;
    sunshine_say(&stage.host, "fault truncate 1");
    peer_http(&stage.host, INFO, &reply);
    assert_true(reply.answered);
    assert_non_null(strstr(reply.body, "<root "));
    assert_null(strstr(reply.body, "</root>"));
    sunshine_say(&stage.host, "fault truncate 0");
    sunshine_say(&stage.host, "fault empty 1");
    peer_https(&stage.host, &stage.one, INFO, &reply);
    assert_true(reply.answered);
    assert_null(strstr(reply.body, "<root"));
    sunshine_say(&stage.host, "fault empty 0");
    assert_true(peer_is_in(&stage.host, &stage.one));
}

static void test_fault__portal__html_on_every_port_and_a_foreign_certificate(void **state)
{
    (void)state;
    struct reply reply;
    char fingerprint[SUNSHINE_ANSWER_SIZE];
    sunshine_ask(&stage.host, "fingerprint", fingerprint);
    sunshine_say(&stage.host, "fault portal 1");
    peer_http(&stage.host, INFO, &reply);
    assert_int_equal(reply.http, 200);
    assert_non_null(strstr(reply.body, "<html>"));
    peer_https(&stage.host, &stage.one, INFO, &reply);
    assert_non_null(strstr(reply.body, "<html>"));
    assert_string_not_equal(reply.fingerprint, fingerprint);
    json_decref(web_ask(&stage.host, "GET", "/api/clients/list", NULL, NULL, &reply));
    assert_int_equal(reply.http, 200);
    assert_non_null(strstr(reply.body, "<html>"));
    assert_string_not_equal(reply.fingerprint, fingerprint);
    sunshine_say(&stage.host, "fault portal 0");
    peer_https(&stage.host, &stage.one, INFO, &reply);
    assert_string_equal(reply.fingerprint, fingerprint);
}

static void test_fault__foreign_certificate__good_answers_behind_a_wrong_pin(void **state)
{
    (void)state;
    struct reply reply;
    char fingerprint[SUNSHINE_ANSWER_SIZE];
    sunshine_ask(&stage.host, "fingerprint", fingerprint);
    sunshine_say(&stage.host, "fault foreign-certificate 1");
    peer_https(&stage.host, &stage.stranger, INFO, &reply);
    assert_int_equal(reply_number(&reply, "PairStatus"), 1);
    assert_string_not_equal(reply.fingerprint, fingerprint);
}

static void test_fault__slow__answers_take_that_long(void **state)
{
    (void)state;
    struct reply reply;
    char line[64];
    (void)snprintf(line, sizeof line, "fault slow %d", SLOW_MS);
    sunshine_say(&stage.host, line);
    int64_t start = os_monotonic_ms();
    peer_http(&stage.host, INFO, &reply);
    assert_int_equal(reply_root(&reply), 200);
    assert_true(os_monotonic_ms() - start >= SLOW_MS);
    (void)snprintf(line, sizeof line, "fault slow-web %d", SLOW_MS);
    sunshine_say(&stage.host, line);
    start = os_monotonic_ms();
    assert_true(web_says_true(&stage.host, "GET", "/api/config", NULL));
    assert_true(os_monotonic_ms() - start >= SLOW_MS);
}

static void test_fault__list_as_html__only_the_list(void **state)
{
    (void)state;
    struct reply reply;
    sunshine_say(&stage.host, "fault list-html 1");
    json_t *json = web_ask(&stage.host, "GET", "/api/clients/list", NULL, NULL, &reply);
    assert_null(json);
    assert_int_equal(reply.http, 200);
    assert_true(web_says_true(&stage.host, "GET", "/api/config", NULL));
}

static void test_fault__state_broken__clients_credentials_and_id_are_gone(void **state)
{
    (void)state;
    struct reply reply;
    char before[64], after[64];
    peer_http(&stage.host, INFO, &reply);
    reply_element(&reply, "uniqueid", before, sizeof before);
    sunshine_kill(&stage.host);
    sunshine_again(&stage.host);
    peer_http(&stage.host, INFO, &reply);
    reply_element(&reply, "uniqueid", after, sizeof after);
    assert_string_equal(before, after);
    sunshine_say(&stage.host, "break-state");
    assert_true(peer_is_in(&stage.host, &stage.one));               /* not before the next start */
    sunshine_kill(&stage.host);
    sunshine_again(&stage.host);
    assert_false(peer_is_in(&stage.host, &stage.one));
    peer_http(&stage.host, INFO, &reply);
    reply_element(&reply, "uniqueid", after, sizeof after);
    assert_string_not_equal(before, after);
    json_decref(web_ask(&stage.host, "GET", "/api/config", NULL, NULL, &reply));
    assert_int_equal(reply.http, 307);
}

static void test_fault__state_unwritable__pairing_forgotten_at_the_next_start(void **state)
{
    (void)state;
    sunshine_say(&stage.host, "fault state-unwritable 1");
    peer_pair(&stage.host, &stage.two, "2", "two");
    assert_true(peer_is_in(&stage.host, &stage.two));
    sunshine_kill(&stage.host);
    sunshine_again(&stage.host);
    assert_false(peer_is_in(&stage.host, &stage.two));
    assert_true(peer_is_in(&stage.host, &stage.one));
}

static void test_control__words_that_are_none__refused(void **state)
{
    (void)state;
    assert_true(sunshine_refuses(&stage.host, "fault no-such 1"));
    assert_true(sunshine_refuses(&stage.host, "fault slow"));
    assert_true(sunshine_refuses(&stage.host, "whatever"));
    assert_true(sunshine_refuses(&stage.host, "open one"));         /* no app runs */
    assert_true(sunshine_refuses(&stage.host, "close 7"));
    assert_true(sunshine_refuses(&stage.host, "pair x /no/such/file"));
}

#define ROW(function, word) { #function " " word, function, set_up, stage_tear_down, (void *)(uintptr_t)word }
#define ENDS_ROWS(word)                                                                 \
    ROW(test_fault__truncated_and_empty_documents__no_root_to_read, word),              \
    ROW(test_fault__portal__html_on_every_port_and_a_foreign_certificate, word),        \
    ROW(test_fault__foreign_certificate__good_answers_behind_a_wrong_pin, word),        \
    ROW(test_fault__slow__answers_take_that_long, word),                                \
    ROW(test_fault__list_as_html__only_the_list, word),                                 \
    ROW(test_fault__state_broken__clients_credentials_and_id_are_gone, word),           \
    ROW(test_fault__state_unwritable__pairing_forgotten_at_the_next_start, word),       \
    ROW(test_control__words_that_are_none__refused, word),
int main(void)
{
    const struct CMUnitTest tests[] = { STAGE_ENDS(ENDS_ROWS) };
    return cmocka_run_group_tests(tests, stage_open, stage_close);
}
