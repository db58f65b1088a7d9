/* test_access.c - who is let in on 47984, what is said to the others, and how the port is served, in every release. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "hydra/base/arena.h"
#include "stage.h"

#define INFO    "/serverinfo?uniqueid=x&uuid=y"
#define REFUSAL "The client is not authorized. Certificate verification failed."
#define BLOCKED_MS 300                      /* silence that long: nobody is served */

static void assert_refused(const struct peer *peer)
{
    struct reply reply;
    char text[256];
    peer_https(&stage.host, peer, INFO, &reply);
    assert_true(reply.answered);
    assert_int_equal(reply.http, 200);
    assert_int_equal(reply_root(&reply), 401);
    reply_element(&reply, "status_message", text, sizeof text);
    assert_string_equal(text, REFUSAL);
}

static void update(const char *name, bool enabled)
{
    struct reply reply;
    char body[256];
    size_t index;
    json_t *row, *json = web_ask(&stage.host, "GET", "/api/clients/list", NULL, NULL, &reply);
    json_array_foreach(json_object_get(json, "named_certs"), index, row)
        if (strcmp(json_string_value(json_object_get(row, "name")), name) == 0) {
            (void)snprintf(body, sizeof body, "{\"uuid\":\"%s\",\"enabled\":%s}", json_string_value(json_object_get(row, "uuid")),
                           enabled ? "true" : "false");
            assert_true(web_says_true(&stage.host, "POST", "/api/clients/update", body));
        }
    json_decref(json);
}

static void test_https__no_certificate__an_alert_and_no_answer(void **state)
{
    (void)state;
    struct reply reply;
    struct tls tls = tls_open(NULL, stage.host.https, false);
    assert_true(tls.handshake);                                     /* TLS 1.3: the client believes that it is through */
    tls_send(&tls, "GET " INFO " HTTP/1.1\r\n\r\n");
    tls_read(&tls, &reply, PEER_WAIT_MS);
    assert_false(reply.answered);
    assert_true(reply.refused_by_alert);
    tls_close(&tls);
    tls = tls_open(NULL, stage.host.https, true);
    assert_false(tls.handshake);
    assert_true(tls.alert);
    tls_close(&tls);
}

static void test_https__unknown_certificate__refused_before_it_asks(void **state)
{
    (void)state;
    struct reply reply;
    stage_store(&stage.one, "one");
    struct tls tls = tls_open(&stage.stranger, stage.host.https, false);
    assert_true(tls.handshake);
    tls_read(&tls, &reply, PEER_WAIT_MS);                           /* not a byte was sent */
    assert_int_equal(reply_root(&reply), 401);
    tls_close(&tls);
    assert_refused(&stage.stranger);
    assert_int_equal(sunshine_number(&stage.host, "requests https refused /"), 2);
    assert_int_equal(sunshine_number(&stage.host, "requests https GET /serverinfo"), 0);
    sunshine_say(&stage.host, "fault reset 1");
    peer_https(&stage.host, &stage.stranger, INFO, &reply);
    assert_false(reply.answered);
}

static void test_https__disabled_client__refused_like_an_unknown_one(void **state)
{
    (void)state;
    if (!stage_since("v2026.516"))
        return;
    stage_store(&stage.one, "one");
    assert_true(peer_is_in(&stage.host, &stage.one));
    update("one", false);
    assert_refused(&stage.one);
    sunshine_kill(&stage.host);
    sunshine_again(&stage.host);
    assert_refused(&stage.one);
    update("one", true);
    assert_true(peer_is_in(&stage.host, &stage.one));
}

static void test_https__leaf_of_an_unknown_ca__let_in_by_the_old_ones(void **state)
{
    (void)state;
    struct certificate issuer;
    struct peer leaf;
    assert_true(certificate_make("some authority", NULL, &issuer));
    peer_make(&leaf, &issuer);
    assert_refused(&leaf);                                          /* nobody is paired yet */
    stage_store(&stage.one, "one");
    assert_int_equal(peer_is_in(&stage.host, &leaf), !stage_since("v2026.516"));
    assert_refused(&stage.stranger);
    peer_free(&leaf);
    certificate_free(&issuer);
}

static void test_https__client_that_does_not_close__blocks_all_others(void **state)
{
    (void)state;
    struct reply reply;
    stage_store(&stage.one, "one");
    struct tls rude = tls_open(&stage.one, stage.host.https, false);
    tls_send(&rude, "GET " INFO " HTTP/1.1\r\n\r\n");
    tls_read(&rude, &reply, PEER_WAIT_MS);                          /* the host says that it is done; this client keeps its socket */
    assert_int_equal(reply_root(&reply), 200);
    peer_http(&stage.host, INFO, &reply);                           /* the other ports say nothing about it */
    assert_int_equal(reply_root(&reply), 200);
    assert_int_equal(tls_is_served(stage.host.https, BLOCKED_MS), !stage_since("v2025.118"));
    tls_close(&rude);
    assert_true(peer_is_in(&stage.host, &stage.one));
}

static void test_https__host_key_changed__old_clients_still_let_in(void **state)
{
    (void)state;
    struct reply before, after, web;
    char fingerprint[SUNSHINE_ANSWER_SIZE];
    stage_store(&stage.one, "one");
    peer_https(&stage.host, &stage.one, INFO, &before);
    sunshine_ask(&stage.host, "fingerprint", fingerprint);
    assert_string_equal(before.fingerprint, fingerprint);
    sunshine_ask(&stage.host, "rotate", fingerprint);
    peer_https(&stage.host, &stage.one, INFO, &after);
    assert_string_equal(after.fingerprint, fingerprint);
    assert_string_not_equal(after.fingerprint, before.fingerprint);
    assert_int_equal(reply_number(&after, "PairStatus"), 1);
    json_decref(web_ask(&stage.host, "GET", "/api/config", NULL, NULL, &web));
    assert_string_equal(web.fingerprint, fingerprint);              /* the same certificate on both TLS ports */
}

static void test_serverinfo__both_ports__what_differs(void **state)
{
    (void)state;
    struct reply reply;
    char plain[64], secure[64];
    stage_store(&stage.one, "one");
    peer_https(&stage.host, &stage.one, INFO, &reply);
    assert_int_equal(reply_number(&reply, "PairStatus"), 1);
    reply_element(&reply, "mac", secure, sizeof secure);
    peer_https(&stage.host, &stage.one, "/serverinfo", &reply);     /* without uniqueid */
    assert_int_equal(reply_number(&reply, "PairStatus"), 0);
    peer_http(&stage.host, INFO, &reply);
    assert_int_equal(reply_number(&reply, "PairStatus"), 0);
    assert_int_equal(reply_number(&reply, "currentgame"), 0);
    assert_int_equal(reply_number(&reply, "HttpsPort"), stage.host.https);
    reply_element(&reply, "mac", plain, sizeof plain);
    assert_string_equal(plain, "00:00:00:00:00:00");
    assert_string_not_equal(plain, secure);
    assert_int_equal(strstr(reply.body, "SupportedDisplayMode") != NULL, !stage_since("v2025.118"));
    assert_null(strstr(reply.text, "Content-Type"));
    assert_null(strstr(reply.text, "Connection"));
}

static void test_ports__unknown_paths_and_methods__404_in_200_or_a_close(void **state)
{
    (void)state;
    struct reply reply;
    stage_store(&stage.one, "one");
    static const char *const paths[] = { "/unpair?uniqueid=x", "/whatever", "/" };
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        peer_http(&stage.host, paths[i], &reply);
        assert_int_equal(reply.http, 200);
        assert_int_equal(reply_root(&reply), 404);
        peer_https(&stage.host, &stage.one, paths[i], &reply);
        assert_int_equal(reply.http, 200);
        assert_int_equal(reply_root(&reply), 404);
    }
    assert_true(peer_is_in(&stage.host, &stage.one));               /* /unpair changed nothing */
    peer_http(&stage.host, "/applist", &reply);
    assert_int_equal(reply_root(&reply), 404);
    peer_bytes(stage.host.http, NULL, false, "POST /serverinfo HTTP/1.1\r\nContent-Length: 0\r\n\r\n", &reply);
    assert_int_equal(reply.len, 0);
    peer_bytes(stage.host.https, &stage.one, true, "PUT /serverinfo HTTP/1.1\r\nContent-Length: 0\r\n\r\n", &reply);
    assert_int_equal(reply.len, 0);
}

static void test_https__blocked__silent_until_it_is_not(void **state)
{
    (void)state;
    struct reply reply;
    stage_store(&stage.one, "one");
    sunshine_say(&stage.host, "fault block 1");
    peer_http(&stage.host, INFO, &reply);
    assert_int_equal(reply_root(&reply), 200);
    assert_false(tls_is_served(stage.host.https, BLOCKED_MS));
    sunshine_say(&stage.host, "fault block 0");
    assert_true(peer_is_in(&stage.host, &stage.one));
}

#define ROWS(word)                                                                 \
    STAGE_ROW(test_https__disabled_client__refused_like_an_unknown_one, word),     \
    STAGE_ROW(test_https__leaf_of_an_unknown_ca__let_in_by_the_old_ones, word),    \
    STAGE_ROW(test_https__client_that_does_not_close__blocks_all_others, word),    \
    STAGE_ROW(test_serverinfo__both_ports__what_differs, word),
#define ENDS_ROWS(word)                                                               \
    STAGE_ROW(test_https__no_certificate__an_alert_and_no_answer, word),              \
    STAGE_ROW(test_https__unknown_certificate__refused_before_it_asks, word),         \
    STAGE_ROW(test_https__host_key_changed__old_clients_still_let_in, word),          \
    STAGE_ROW(test_ports__unknown_paths_and_methods__404_in_200_or_a_close, word),    \
    STAGE_ROW(test_https__blocked__silent_until_it_is_not, word),
int main(void)
{
    const struct CMUnitTest tests[] = { STAGE_TESTED(ROWS) STAGE_ENDS(ENDS_ROWS) };
    return cmocka_run_group_tests(tests, stage_open, stage_close);
}
