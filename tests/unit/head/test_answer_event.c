#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../../../src/head/answer_event.h"

#define LEASE \
    "{\"lease\":{\"id\":\"lse-1\",\"epoch\":42,\"slot\":1,\"state\":\"granted\",\"claim_token\":\"tok\",\"ttl_seconds\":90," \
    "\"renew_after_seconds\":20,\"start_deadline_seconds\":90,\"stream_id\":\"str-1\"},\"body\":{\"id\":\"b1\",\"name\":\"boom\"," \
    "\"hosts\":{\"lan\":\"192.168.1.40\",\"wireguard\":\"10.10.0.7\",\"same_machine\":false}," \
    "\"ports\":{\"gamestream\":48089,\"gamestream_tls\":null,\"web\":47990},\"app_name\":\"Rupelmonde#7c1e\"," \
    "\"sunshine_cert_fp\":\"9a1b\",\"pair_epoch\":3,\"directive_applied\":true},\"pair\":{\"required\":true,\"reason\":\"new\"}}"
#define TICKET \
    "{\"ticket\":{\"id\":\"tkt-1\",\"stream_id\":\"str-1\",\"position\":2,\"eta_seconds\":null,\"reason\":\"no_slot\"," \
    "\"created_at\":\"2026-09-04T10:02:00Z\",\"state\":\"waiting\"},\"retry_after_seconds\":5}"
#define ERROR(word) "{\"error\":\"" word "\",\"code\":1,\"detail\":\"Why.\",\"retry_after_seconds\":7}"

static struct head_event ask(enum head_question question, long status, const char *body)
{
    struct head_event ev;
    answer_event(question, status, body, strlen(body), false, &ev);
    return ev;
}

static void test_answer__lease__every_fact_taken(void **state)
{
    (void)state;
    struct head_event ev = ask(ASK_CLAIM, 201, LEASE);
    assert_int_equal(ev.type, HEV_GRANTED);
    assert_string_equal(ev.lease.claim_token, "tok");
    assert_int_equal(ev.lease.slot, 1);
    assert_int_equal(ev.lease.renew_after_ms, 20000);
    assert_string_equal(ev.body.address, "192.168.1.40");
    assert_int_equal(ev.body.http_port, 48089);
    assert_int_equal(ev.body.https_port, 47984);            /* not told: the host's own */
    assert_true(ev.body.pair_required && ev.body.directive_applied);
    struct head_event far;
    answer_event(ASK_ADMISSION, 200, LEASE, strlen(LEASE), true, &far);
    assert_string_equal(far.body.address, "10.10.0.7");
}

static void test_answer__ticket__place_and_no_guess_of_time(void **state)
{
    (void)state;
    struct head_event ev = ask(ASK_CLAIM, 202, TICKET);
    assert_int_equal(ev.type, HEV_WAITING);
    assert_int_equal(ev.ticket.position, 2);
    assert_int_equal(ev.ticket.eta_ms, -1);
    assert_int_equal(ev.ticket.retry_after_ms, 5000);
    assert_string_equal(ev.ticket.stream_id, "str-1");
}

static void test_answer__refusals__each_its_next_step(void **state)
{
    (void)state;
    static const struct { long status; const char *body; enum head_refusal refusal; } rows[] = {
        { 409, ERROR("head_busy"), REFUSE_BUSY }, { 409, ERROR("attempt_reused"), REFUSE_ATTEMPT },
        { 409, ERROR("identity_unknown"), REFUSE_IDENTITY }, { 409, ERROR("identity_revoked"), REFUSE_FOREVER },
        { 409, ERROR("duplicate_head_identity"), REFUSE_FOREVER }, { 410, ERROR("lease_lost"), REFUSE_ATTEMPT },
        { 403, ERROR("not_your_stream"), REFUSE_STREAM }, { 403, ERROR("forbidden"), REFUSE_FOREVER }, { 401, ERROR("unauthorized"),
            REFUSE_FOREVER },
        { 422, ERROR("experience_unavailable"), REFUSE_FOREVER }, { 429, ERROR("claim_throttled"), REFUSE_LATER },
        { 429, ERROR("queue_full"), REFUSE_LATER }, { 503, ERROR("reconciling"), REFUSE_LATER }, { 503, ERROR("store_unavailable"),
            REFUSE_LATER },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct head_event ev = ask(ASK_CLAIM, rows[i].status, rows[i].body);
        if (ev.type != HEV_REFUSED || ev.refusal != rows[i].refusal)
            fail_msg("%ld %s: %d", rows[i].status, rows[i].body, ev.refusal);
        assert_int_equal(ev.retry_after_ms, 7000);
        assert_string_equal(ev.sentence, "Why.");
    }
}

static void test_answer__renewal__200_410_and_what_says_nothing(void **state)
{
    (void)state;
    struct head_event ev = ask(ASK_RENEW, 200, "{\"ttl_seconds\":90,\"epoch\":5,\"lease_id\":\"lse-2\"}");
    assert_int_equal(ev.type, HEV_RENEWED);
    assert_string_equal(ev.lease.id, "lse-2");
    assert_int_equal(ev.lease.ttl_ms, 90000);
    static const struct { const char *body; bool ordered; } lost[] = {
        { "{\"error\":\"lease_lost\",\"reason\":\"revoked\"}", true }, { "{\"error\":\"lease_lost\",\"reason\":\"superseded\"}", true },
        { "{\"error\":\"lease_lost\",\"reason\":\"expired\"}", false }, { "{\"error\":\"lease_lost\",\"reason\":\"body_idle\"}", false },
        { "{\"error\":\"lease_lost\"}", false },
    };
    for (size_t i = 0; i < sizeof lost / sizeof lost[0]; i++) {
        ev = ask(ASK_RENEW, 410, lost[i].body);
        assert_int_equal(ev.type, HEV_LOST);
        assert_int_equal(ev.ordered, lost[i].ordered);
    }
    assert_int_equal(ask(ASK_RENEW, 503, ERROR("store_unavailable")).type, HEV_RENEW_FAILED);
    assert_int_equal(ask(ASK_RENEW, 403, ERROR("wrong_claim_token")).type, HEV_RENEW_FAILED);
}

static void test_answer__not_the_clusters__is_no_answer(void **state)
{
    (void)state;
    static const struct { long status; const char *body; } rows[] = {
        { 0, "" }, { 200, "<html>Sign in</html>" }, { 410, "<html>Gone</html>" }, { 410, "{}" }, { 502, ERROR("bad_gateway") },
        { 200, "{}" }, { 301, "" }, { 409, "{\"error\":7}" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(ask(ASK_CLAIM, rows[i].status, rows[i].body).type, HEV_NO_ANSWER);
        if (rows[i].status != 200 && rows[i].status != 301)
            assert_int_equal(ask(ASK_RENEW, rows[i].status, rows[i].body).type, HEV_RENEW_FAILED);
    }
    assert_int_equal(ask(ASK_RELEASE, 0, "").type, HEV_RELEASED);          /* the cluster's clocks do the rest */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answer__lease__every_fact_taken),
        cmocka_unit_test(test_answer__ticket__place_and_no_guess_of_time),
        cmocka_unit_test(test_answer__refusals__each_its_next_step),
        cmocka_unit_test(test_answer__renewal__200_410_and_what_says_nothing),
        cmocka_unit_test(test_answer__not_the_clusters__is_no_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
