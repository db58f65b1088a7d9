/* test_pairing.c - the five steps and the table of pending handshakes, in every release. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "raw.h"
#include "stage.h"

#define UID "AAAA000000000001"

static void cancel(const char *uniqueid, struct reply *reply)
{
    char target[256];
    (void)snprintf(target, sizeof target, "/pair?uniqueid=%s&clientpairingsecret=00", uniqueid);
    peer_http(&stage.host, target, reply);
}

static void assert_error(const char *target, long root, const char *message)
{
    struct reply reply;
    char text[256];
    peer_http(&stage.host, target, &reply);
    assert_int_equal(reply.http, 200);
    assert_int_equal(reply_root(&reply), root);
    reply_element(&reply, "status_message", text, sizeof text);
    assert_string_equal(text, message);
}

static long pending(void)
{
    json_t *status = sunshine_status(&stage.host);
    long count = (long)json_integer_value(json_object_get(status, "pending"));
    json_decref(status);
    return count;
}

/* PIN calls that must not wait: once. */
static bool pin_once(const char *pin)
{
    char body[64];
    (void)snprintf(body, sizeof body, "{\"pin\":\"%s\",\"name\":\"n\"}", pin);
    return web_says_true(&stage.host, "POST", "/api/pin", body);
}

static size_t listed(const char *name)
{
    struct reply reply;
    size_t count = 0, index;
    json_t *row, *json = web_ask(&stage.host, "GET", "/api/clients/list", NULL, NULL, &reply);
    json_array_foreach(json_object_get(json, "named_certs"), index, row)
        count += strcmp(json_string_value(json_object_get(row, "name")), name) == 0;
    json_decref(json);
    return count;
}

static void test_pair__right_pin__let_in_under_the_name_of_the_pin_call(void **state)
{
    (void)state;
    assert_false(peer_is_in(&stage.host, &stage.one));
    peer_pair(&stage.host, &stage.one, UID, "hydra-head-1");
    assert_true(peer_is_in(&stage.host, &stage.one));
    assert_false(peer_is_in(&stage.host, &stage.two));
    if (stage_since("v2025.118"))
        assert_int_equal(listed("hydra-head-1"), 1);
    peer_pair(&stage.host, &stage.one, UID, "hydra-head-1");        /* again: a second entry, nothing is replaced */
    if (stage_since("v2025.118"))
        assert_int_equal(listed("hydra-head-1"), 2);
    sunshine_kill(&stage.host);
    sunshine_again(&stage.host);
    assert_true(peer_is_in(&stage.host, &stage.one));
}

static void test_pair__wrong_pin__known_in_step_three_refused_in_step_four(void **state)
{
    (void)state;
    struct pairing pairing;
    struct reply reply;
    pairing_begin(&pairing, &stage.host, &stage.one, UID);
    pin_submit(&stage.host, "9999", "n");                           /* "true" for a wrong PIN as well */
    assert_true(pairing_take_cert(&pairing, "4711"));
    pairing_challenge(&pairing, &reply);
    assert_int_equal(reply_number(&reply, "paired"), 1);
    pairing_response(&pairing, &reply);
    assert_int_equal(reply_number(&reply, "paired"), 1);
    assert_false(pairing_right_pin(&pairing, &reply));
    pairing_secret(&pairing, &reply);
    assert_int_equal(reply_root(&reply), 200);
    assert_int_equal(reply_number(&reply, "paired"), 0);
    assert_int_equal(pending(), 0);
    assert_false(peer_is_in(&stage.host, &stage.one));
    pairing_end(&pairing);
}

static void test_pair__no_pin_yet__held_and_pin_calls_answered(void **state)
{
    (void)state;
    struct pairing pairing;
    assert_false(pin_once("4711"));                                 /* nothing is pending */
    pairing_begin(&pairing, &stage.host, &stage.one, UID);
    assert_true(pairing_is_held(&pairing));
    assert_false(pin_once("471"));                                  /* not four digits; the request stays */
    assert_true(pairing_is_held(&pairing));
    assert_true(pin_once("4711"));
    assert_true(pairing_take_cert(&pairing, "4711"));
    assert_false(pin_once("4711"));                                 /* pending still, but with no open request */
    assert_int_equal(pending(), 1);
    pairing_end(&pairing);
}

static void test_pair__step_three_before_two__refused_by_phase(void **state)
{
    (void)state;
    struct pairing pairing;
    struct reply reply;
    char text[128];
    pairing_begin(&pairing, &stage.host, &stage.one, UID);
    pin_submit(&stage.host, "4711", "n");
    assert_true(pairing_take_cert(&pairing, "4711"));
    pairing_response(&pairing, &reply);
    reply_element(&reply, "status_message", text, sizeof text);
    if (stage_since("v2025.118")) {
        assert_int_equal(reply_root(&reply), 400);
        assert_int_equal(reply_number(&reply, "paired"), 0);
        assert_string_equal(text, "Out of order call to serverchallengeresp");
        assert_int_equal(pending(), 0);
    } else {
        assert_int_equal(reply_root(&reply), 200);
    }
    pairing_end(&pairing);
}

static void leave_behind_step_three(void)
{
    struct pairing pairing;
    struct reply reply;
    pairing_begin(&pairing, &stage.host, &stage.one, UID);
    pin_submit(&stage.host, "9999", "n");
    assert_true(pairing_take_cert(&pairing, "4711"));
    pairing_challenge(&pairing, &reply);
    pairing_response(&pairing, &reply);
    pairing_end(&pairing);
    assert_int_equal(pending(), 1);
}

static void test_pair__entry_left_behind__next_attempt_dies_unless_cancelled(void **state)
{
    (void)state;
    struct pairing pairing;
    struct reply reply;
    leave_behind_step_three();
    if (stage_since("v2025.118")) {
        pairing_begin(&pairing, &stage.host, &stage.one, UID);
        pin_submit(&stage.host, "4711", "n");                       /* says true all the same */
        assert_false(pairing_take_cert(&pairing, "4711"));          /* closed without an answer */
        pairing_end(&pairing);
        assert_int_equal(pending(), 0);
        peer_pair(&stage.host, &stage.one, UID, "n");               /* the attempt after that works */
        leave_behind_step_three();
    }
    cancel(UID, &reply);
    assert_int_equal(reply_number(&reply, "paired"), 0);
    assert_int_equal(pending(), 0);
    peer_pair(&stage.host, &stage.one, UID, "n");
}

static void test_pair__cancelled_while_held__closed_without_an_answer(void **state)
{
    (void)state;
    struct pairing pairing;
    struct reply reply;
    pairing_begin(&pairing, &stage.host, &stage.one, UID);
    assert_true(pairing_is_held(&pairing));
    cancel(UID, &reply);
    assert_true(raw_closed(pairing.held, PEER_WAIT_MS));
    pairing_end(&pairing);
    assert_int_equal(pending(), 0);
    cancel(UID, &reply);
    assert_int_equal(reply_root(&reply), 400);                      /* nothing to cancel: "Invalid uniqueid" */
}

static void test_pair__two_clients_with_one_uniqueid__both_fail(void **state)
{
    (void)state;
    struct pairing first, second;
    struct reply reply;
    pairing_begin(&first, &stage.host, &stage.one, "0123456789ABCDEF");
    assert_true(pairing_is_held(&first));
    pairing_begin(&second, &stage.host, &stage.two, "0123456789ABCDEF");
    assert_true(raw_closed(first.held, PEER_WAIT_MS));
    pin_submit(&stage.host, "4711", "n");
    assert_true(pairing_take_cert(&second, "4711"));
    pairing_challenge(&second, &reply);
    pairing_response(&second, &reply);
    assert_true(pairing_right_pin(&second, &reply));
    pairing_secret(&second, &reply);                                /* the first one's certificate is compared */
    assert_int_equal(reply_root(&reply), 200);
    assert_int_equal(reply_number(&reply, "paired"), 0);
    pairing_end(&first);
    pairing_end(&second);
}

static void test_pair__two_pending__the_pin_goes_to_one_of_them(void **state)
{
    (void)state;
    struct pairing first, second;
    pairing_begin(&first, &stage.host, &stage.one, "1");
    assert_true(pairing_is_held(&first));
    pairing_begin(&second, &stage.host, &stage.two, "2");
    assert_true(pairing_is_held(&second));
    sunshine_say(&stage.host, "fault pin-oldest 1");
    assert_true(pin_once("4711"));
    assert_true(pairing_take_cert(&first, "4711"));
    assert_true(pairing_is_held(&second));
    assert_false(pin_once("4711"));                                 /* the stale entry stands in the way */
    sunshine_say(&stage.host, "fault pin-oldest 0");
    assert_true(pin_once("4711"));
    assert_true(pairing_take_cert(&second, "4711"));
    pairing_end(&first);
    pairing_end(&second);
}

static void test_pair__bad_requests__each_with_its_answer(void **state)
{
    (void)state;
    struct reply reply;
    struct pairing pairing;
    assert_error("/pair?phrase=getservercert", 400, "Missing uniqueid parameter");
    assert_error("/pair?uniqueid=5&clientchallenge=00", 400, "Invalid uniqueid");
    assert_error("/pair?uniqueid=5&phrase=what", 400, "Invalid uniqueid");
    peer_http(&stage.host, "/pair?uniqueid=5&phrase=getservercert&salt=00", &reply);
    assert_string_equal(reply.body, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n");
    pairing_begin(&pairing, &stage.host, &stage.one, "5");
    assert_true(pairing_is_held(&pairing));
    assert_error("/pair?uniqueid=5", 404, "Invalid pairing request");
    pairing_end(&pairing);
    peer_http(&stage.host, "/pair?uniqueid=anybody&phrase=pairchallenge", &reply);          /* proves nothing here */
    assert_int_equal(reply_number(&reply, "paired"), 1);
}

static void test_pair__short_salt__found_when_the_pin_arrives(void **state)
{
    (void)state;
    char url[64];
    (void)snprintf(url, sizeof url, "http://127.0.0.1:%u", stage.host.http);
    int fd = raw_connect(url);
    raw_send(fd, "GET /pair?uniqueid=6&phrase=getservercert&salt=0011&clientcert=00 HTTP/1.1\r\n\r\n");
    pin_submit(&stage.host, "4711", "n");
    assert_true(raw_closed(fd, PEER_WAIT_MS));
    raw_close(&fd);
    assert_int_equal(pending(), 0);
}

static void test_pair__certificate_that_is_none__found_in_step_four(void **state)
{
    (void)state;
    struct peer liar = stage.one;
    struct pairing pairing;
    struct reply reply;
    char text[128], no_certificate[] = "-----BEGIN NOTHING-----\n";
    liar.pem = no_certificate;
    pairing_begin(&pairing, &stage.host, &liar, UID);
    pin_submit(&stage.host, "4711", "n");
    assert_true(pairing_take_cert(&pairing, "4711"));
    pairing_challenge(&pairing, &reply);
    pairing_response(&pairing, &reply);
    pairing_secret(&pairing, &reply);
    reply_element(&reply, "status_message", text, sizeof text);
    assert_int_equal(reply_root(&reply), 400);
    assert_string_equal(text, "Invalid client certificate");
    assert_int_equal(pending(), 0);
    pairing_end(&pairing);
}

#define ROWS(word)                                                                      \
    STAGE_ROW(test_pair__right_pin__let_in_under_the_name_of_the_pin_call, word),       \
    STAGE_ROW(test_pair__wrong_pin__known_in_step_three_refused_in_step_four, word),    \
    STAGE_ROW(test_pair__step_three_before_two__refused_by_phase, word),
#define ENDS_ROWS(word)                                                                   \
    STAGE_ROW(test_pair__no_pin_yet__held_and_pin_calls_answered, word),                  \
    STAGE_ROW(test_pair__entry_left_behind__next_attempt_dies_unless_cancelled, word),    \
    STAGE_ROW(test_pair__cancelled_while_held__closed_without_an_answer, word),           \
    STAGE_ROW(test_pair__two_clients_with_one_uniqueid__both_fail, word),                 \
    STAGE_ROW(test_pair__two_pending__the_pin_goes_to_one_of_them, word),                 \
    STAGE_ROW(test_pair__bad_requests__each_with_its_answer, word),                       \
    STAGE_ROW(test_pair__short_salt__found_when_the_pin_arrives, word),                   \
    STAGE_ROW(test_pair__certificate_that_is_none__found_in_step_four, word),
int main(void)
{
    const struct CMUnitTest tests[] = { STAGE_TESTED(ROWS) STAGE_ENDS(ENDS_ROWS) };
    return cmocka_run_group_tests(tests, stage_open, stage_close);
}
