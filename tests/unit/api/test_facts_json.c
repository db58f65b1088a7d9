#include "fixture.h"

#include <string.h>

#include "../../../src/api/pipeline.h"

static void same(struct hc_buf *json, const char *expected)
{
    assert_false(json->failed);
    assert_string_equal(json->data, expected);
    hc_buf_free(json);
}

static void test_facts__of_nothing__have_every_key_and_null(void **state)
{
    (void)state;
    struct hc_buf json = { 0 };
    struct timers timers;
    struct core_result result = { .ttl_ms = -1, .start_deadline_ms = -1 };
    timers_default(&timers);
    json_lease(&result, &timers, &json);
    same(&json, "{\"id\":\"\",\"epoch\":0,\"slot\":0,\"state\":\"held\",\"claim_token\":null,\"ttl_seconds\":null,"
                "\"renew_after_seconds\":20,\"start_deadline_seconds\":null,\"stream_id\":null}");
    json_body_facts(&result.body, &json);
    same(&json, "{\"id\":\"\",\"name\":null,\"hosts\":{\"lan\":null,\"wireguard\":null,\"same_machine\":false},"
                "\"ports\":{\"gamestream\":null,\"gamestream_tls\":null,\"web\":null},\"app_name\":null,\"sunshine_cert_fp\":null,"
                "\"pair_epoch\":0,\"directive_applied\":false}");
    json_pair(&result.body, &json);
    same(&json, "{\"required\":false,\"reason\":null}");
    result.ticket.eta_ms = -1;
    json_ticket(&result.ticket, &json);
    same(&json, "{\"id\":\"\",\"stream_id\":null,\"position\":0,\"eta_seconds\":null,\"reason\":null,\"created_at\":null,"
                "\"state\":\"waiting\"}");
    result.stream.unattended_ms = -1;
    json_stream(&result.stream, HC_TIME_NEVER, &json);
    same(&json, "{\"id\":\"\",\"head_id\":null,\"experience\":null,\"state\":\"seeking_body\",\"reason\":null,\"created_at\":null,"
                "\"age_seconds\":0,\"lease_id\":null,\"ticket_id\":null,\"unattended_seconds\":null}");
}

static void test_facts__ages__are_whole_seconds_that_have_passed(void **state)
{
    (void)state;
    struct hc_buf json = { 0 };
    struct stream_facts stream = { .created_at = { 1000 }, .unattended_ms = 1999 };
    HC_SET(stream.id, "str-1");
    json_stream(&stream, (hc_time){ 62500 }, &json);
    assert_non_null(strstr(json.data, "\"age_seconds\":61,"));
    assert_non_null(strstr(json.data, "\"unattended_seconds\":1}"));
    assert_non_null(strstr(json.data, "\"created_at\":\"1970-01-01T00:00:01.000Z\""));
    hc_buf_free(&json);
    json_stream(&stream, (hc_time){ 500 }, &json);            /* made by a step that ran a moment later than this view */
    assert_non_null(strstr(json.data, "\"age_seconds\":0,"));
    hc_buf_free(&json);
}

static void test_would__by_answer__is_what_a_claim_would_say(void **state)
{
    (void)state;
    struct hc_buf json = { 0 };
    struct core_result refused = { .answer = ANSWER_REFUSED, .deny = DENY_LEASE_LOST };
    HC_SET(refused.lost_why, "expired");
    json_would(&refused, &json);
    same(&json, "{\"status\":410,\"error\":\"lease_lost\",\"reason\":\"expired\",\"body_id\":null,\"slot\":null,\"position\":null,"
                "\"eta_seconds\":null}");
    struct core_result ticket = { .answer = ANSWER_TICKET, .has_ticket = true, .wait = WAIT_VENUE_CAP };
    ticket.ticket.position = 3;
    ticket.ticket.eta_ms = 61000;
    json_would(&ticket, &json);
    same(&json, "{\"status\":202,\"error\":null,\"reason\":\"venue_cap\",\"body_id\":null,\"slot\":null,\"position\":3,"
                "\"eta_seconds\":61}");
    struct core_result lease = { .answer = ANSWER_LEASE_SAME, .has_lease = true, .has_body = true, .slot = 2 };
    HC_SET(lease.body.id, "b1");
    json_would(&lease, &json);
    same(&json, "{\"status\":200,\"error\":null,\"reason\":null,\"body_id\":\"b1\",\"slot\":2,\"position\":null,\"eta_seconds\":null}");
    lease.answer = ANSWER_LEASE_NEW;
    json_would(&lease, &json);
    assert_non_null(strstr(json.data, "\"status\":201,"));
    hc_buf_free(&json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_facts__of_nothing__have_every_key_and_null),
        cmocka_unit_test(test_facts__ages__are_whole_seconds_that_have_passed),
        cmocka_unit_test(test_would__by_answer__is_what_a_claim_would_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
