/* test_requests.c - what goes to the cluster, word by word; and the command line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "../../../src/head/options.h"
#include "../../../src/head/requests.h"

static struct head_state head;
static struct request_text request;

static int set_up(void **state)
{
    (void)state;
    head_init(&head, false);
    HC_SET(head.experience, "Rupel\"monde");
    HC_SET(head.attempt_id, "a-1");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    request_drop(&request);
    return 0;
}

static void expect(const char *method, const char *path, const char *body)
{
    assert_false(request_failed(&request));
    assert_string_equal(request.method, method);
    assert_string_equal(request.path.data, path);
    assert_string_equal(request.body.data == NULL ? "" : request.body.data, body);
    request_drop(&request);
}

static void take_lease(void)
{
    head.has_lease = true;
    HC_SET(head.lease.id, "lse-1");
    HC_SET(head.lease.claim_token, "tok");
    HC_SET(head.body.id, "b1");
    HC_SET(head.stream_id, "str-1");
}

static void test_request__claim__names_its_stream_and_token_when_it_has_them(void **state)
{
    (void)state;
    request_claim("h1", &head, "uid", &request);
    expect("POST", "/api/v1/heads/h1/slot-claims",
           "{\"attempt_id\":\"a-1\",\"experience\":\"Rupel\\\"monde\",\"device_uid\":\"uid\",\"protocol_version\":2}");
    take_lease();
    HC_SET(head.claim_stream_id, "str-0");
    request_claim("h1", &head, "uid", &request);
    expect("POST", "/api/v1/heads/h1/slot-claims",
           "{\"attempt_id\":\"a-1\",\"experience\":\"Rupel\\\"monde\",\"device_uid\":\"uid\",\"protocol_version\":2,"
           "\"claim_token\":\"tok\",\"stream_id\":\"str-0\"}");
}

static void test_request__heartbeat__protocol_2_with_its_lease(void **state)
{
    (void)state;
    request_beat("h1", &head, "{}", &request);
    expect("PUT", "/api/v1/heads/h1",
           "{\"status\":\"self-service\",\"body_id\":\"\",\"protocol_version\":2,\"pairing_protocol\":2,\"version\":\"" HYDRA_VERSION
           "\",\"diagnostics\":{}}");
    take_lease();
    head.phase = HEAD_PAIRING;
    request_beat("h1", &head, "{\"a\":1}", &request);
    expect("PUT", "/api/v1/heads/h1",
           "{\"status\":\"starting\",\"body_id\":\"b1\",\"lease_id\":\"lse-1\",\"lease_state\":\"pairing\",\"stream_id\":\"str-1\","
           "\"protocol_version\":2,\"pairing_protocol\":2,\"version\":\"" HYDRA_VERSION "\",\"diagnostics\":{\"a\":1}}");
}

static void test_request__the_others__as_the_wire_has_them(void **state)
{
    (void)state;
    take_lease();
    request_admission("h1", "a-1", 20, &request);
    expect("GET", "/api/v1/heads/h1/admission?attempt_id=a-1&wait=20", "");
    request_accept("h1", &request);
    expect("POST", "/api/v1/heads/h1/admission/accept", "");
    request_renew("h1", &head.lease, &request);
    expect("POST", "/api/v1/heads/h1/slot-claims/lse-1/renew", "{\"claim_token\":\"tok\"}");
    request_release("h1", &head.lease, "b1", "unreachable", &request);
    expect("DELETE", "/api/v1/heads/h1/slot-claims/lse-1", "{\"claim_token\":\"tok\",\"reason\":\"unreachable\"}");
    head.lease.claim_token[0] = '\0';
    request_release("h1", &head.lease, "b1", "error", &request);
    expect("DELETE", "/api/v1/heads/h1/stream", "{\"body_id\":\"b1\"}");
    request_leave("h1", "str-1", &request);
    expect("DELETE", "/api/v1/heads/h1/streams/str-1", "{}");
    request_leave("h1", "", &request);
    expect("DELETE", "/api/v1/heads/h1/stream", "{}");
    request_offers("h1", &request);
    expect("GET", "/api/v1/heads/h1/experiences", "");
    request_pin("b1", "0042", &request);
    expect("POST", "/api/v1/nodes/b1/sunshine-pin", "{\"pin\":\"0042\"}");
    request_pair_lease("h1", "b1", &request);
    expect("POST", "/api/v1/heads/h1/pair-leases", "{\"body_id\":\"b1\"}");
    request_pair_release("h1", "lse-2", &request);
    expect("DELETE", "/api/v1/heads/h1/pair-leases/lse-2", "");
    request_bodies("h1", &request);
    expect("GET", "/api/v1/bodies/eligible?protocol=2&head_id=h1", "");      /* an empty experience: a pure read */
}

static bool parse(struct head_options *options, struct hc_diag *diag, const char *a, const char *b, const char *c)
{
    char *argv[] = { (char *)(uintptr_t)"hydrahead", (char *)(uintptr_t)a, (char *)(uintptr_t)b, (char *)(uintptr_t)c };
    int argc = a == NULL ? 1 : b == NULL ? 2 : c == NULL ? 3 : 4;
    diag->text[0] = '\0';
    return head_options_parse(argc, argv, options, diag);
}

static void test_options__commands__and_what_belongs_to_them(void **state)
{
    (void)state;
    struct head_options options;
    struct hc_diag diag;
    assert_true(parse(&options, &diag, NULL, NULL, NULL));
    assert_int_equal(options.command, HEAD_COMMAND_SERVE);
    assert_true(parse(&options, &diag, "--config", "x.yaml", NULL));
    assert_string_equal(options.config_file, "x.yaml");
    assert_true(parse(&options, &diag, "pair", "--body", "b1"));
    assert_int_equal(options.command, HEAD_COMMAND_PAIR);
    assert_string_equal(options.body, "b1");
    assert_true(parse(&options, &diag, "status", "--once", NULL));
    assert_true(options.once);
    static const char *const bad[][3] = { { "pair", NULL, NULL }, { "--body", "b1", NULL }, { "fly", NULL, NULL },
                                          { "--config", NULL, NULL },
                                          { "--wings", NULL, NULL }, { "status", "check", NULL }, { "--port", "0", NULL },
                                          { "--port", "65536", NULL }, { "--port", "1x", NULL } };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(parse(&options, &diag, bad[i][0], bad[i][1], bad[i][2]));
        assert_non_null(strstr(diag.text, i == 5 ? "check" : bad[i][0]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_request__claim__names_its_stream_and_token_when_it_has_them, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_request__heartbeat__protocol_2_with_its_lease, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_request__the_others__as_the_wire_has_them, set_up, tear_down),
        cmocka_unit_test(test_options__commands__and_what_belongs_to_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
