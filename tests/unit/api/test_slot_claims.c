#include "asked.h"

#include <stdio.h>
#include <string.h>

struct fleet {
    char body[HC_ID_SIZE], body_token[RIG_TOKEN_SIZE], head[HC_ID_SIZE], token[RIG_TOKEN_SIZE];
    char other[HC_ID_SIZE], other_token[RIG_TOKEN_SIZE];
};

static void make_fleet(struct rig *r, struct fleet *f)
{
    rig_body(r, "pickle", "north", f->body, f->body_token);
    rig_head(r, "tablet", "north", f->head, f->token);
    rig_head(r, "other", "north", f->other, f->other_token);
    rig_report(r, f->body);
}

#define CONTENT "\"experience\":\"" RIG_EXPERIENCE "\",\"device_uid\":\"0123456789abcdef\",\"protocol_version\":2"

static void test_claim__granted__says_all_that_a_head_needs(void **state)
{
    struct rig *r = *state;
    struct fleet f;
    struct reply reply;
    make_fleet(r, &f);
    rig_claim(r, f.head, f.token, "a-1", 201, &reply);
    assert_true(reply_int(&reply, "lease.epoch") > 0);
    assert_int_equal(reply_int(&reply, "lease.slot"), 0);
    assert_string_equal(reply_text(&reply, "lease.state"), "granted");
    assert_int_equal(strlen(reply_text(&reply, "lease.claim_token")), 43);
    assert_int_equal(reply_int(&reply, "lease.ttl_seconds"), 90);
    assert_int_equal(reply_int(&reply, "lease.renew_after_seconds"), 20);
    assert_int_equal(reply_int(&reply, "lease.start_deadline_seconds"), 90);
    assert_true(strlen(reply_text(&reply, "lease.id")) > 0 && strlen(reply_text(&reply, "lease.stream_id")) > 0);
    assert_string_equal(reply_text(&reply, "body.id"), f.body);
    assert_string_equal(reply_text(&reply, "body.name"), "pickle");
    assert_string_equal(reply_text(&reply, "body.hosts.lan"), "192.168.1.40");
    assert_true(reply_null(&reply, "body.hosts.wireguard"));
    assert_false(reply_bool(&reply, "body.hosts.same_machine"));
    assert_int_equal(reply_int(&reply, "body.ports.gamestream"), 47989);
    assert_int_equal(reply_int(&reply, "body.ports.gamestream_tls"), 47984);
    assert_int_equal(reply_int(&reply, "body.ports.web"), 47990);
    assert_true(strncmp(reply_text(&reply, "body.app_name"), RIG_EXPERIENCE "#", strlen(RIG_EXPERIENCE) + 1) == 0);
    assert_true(reply_null(&reply, "body.sunshine_cert_fp"));
    assert_int_equal(reply_int(&reply, "body.pair_epoch"), 0);
    assert_false(reply_bool(&reply, "body.directive_applied"));
    assert_true(reply_bool(&reply, "pair.required"));
    assert_true(strlen(reply_text(&reply, "pair.reason")) > 0);
    assert_true(reply_has(&reply, "Cache-Control: no-store"));
    reply_free(&reply);
}

static void claim_with(struct rig *r, const struct fleet *f, const char *members, int status, const char *error)
{
    char body[512];
    (void)snprintf(body, sizeof body, "{%s}", members);
    rig_expect(r, "POST", asked_path("/api/v1/heads/%s/slot-claims", f->head), f->token, body, status, error, "");
}

static void test_claim__same_attempt__same_content_is_200_other_content_is_not(void **state)
{
    struct rig *r = *state;
    struct fleet f;
    struct reply first, again;
    make_fleet(r, &f);
    rig_claim(r, f.head, f.token, "a-1", 201, &first);
    rig_claim(r, f.head, f.token, "a-1", 200, &again);
    assert_string_equal(reply_text(&first, "lease.id"), reply_text(&again, "lease.id"));
    assert_string_equal(reply_text(&first, "lease.claim_token"), reply_text(&again, "lease.claim_token"));
    /* What is no content: the token, district and venue. */
    claim_with(r, &f, "\"attempt_id\":\"a-1\",\"claim_token\":\"x\",\"venue\":\"south\",\"district\":\"d9\"," CONTENT, 200, "");
    claim_with(r, &f, "\"attempt_id\":\"a-1\",\"stream_mode\":\"flat\"," CONTENT, 200, "");
    static const char *const others[] = {
        "\"attempt_id\":\"a-1\",\"experience\":\"other\",\"device_uid\":\"0123456789abcdef\",\"protocol_version\":2",
        "\"attempt_id\":\"a-1\",\"experience\":\"" RIG_EXPERIENCE "\",\"device_uid\":\"fedcba9876543210\",\"protocol_version\":2",
        "\"attempt_id\":\"a-1\",\"experience\":\"" RIG_EXPERIENCE "\",\"device_uid\":\"0123456789abcdef\",\"protocol_version\":3",
        "\"attempt_id\":\"a-1\",\"prefer_body_id\":\"b\"," CONTENT,
        "\"attempt_id\":\"a-1\",\"stream_id\":\"str-1\"," CONTENT,
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        claim_with(r, &f, others[i], 409, "attempt_reused");
    reply_free(&first);
    reply_free(&again);
}

static void test_claim__second_attempt__is_head_busy_or_adopts_with_the_token(void **state)
{
    struct rig *r = *state;
    struct fleet f;
    char body[512];
    struct reply first, reply;
    make_fleet(r, &f);
    rig_claim(r, f.head, f.token, "a-1", 201, &first);
    rig_claim(r, f.head, f.token, "a-2", 409, &reply);
    assert_string_equal(reply_text(&reply, "error"), "head_busy");
    assert_string_equal(reply_text(&reply, "lease.id"), reply_text(&first, "lease.id"));
    assert_true(reply_null(&reply, "lease.claim_token"));
    reply_free(&reply);
    (void)snprintf(body, sizeof body, "{\"attempt_id\":\"a-2\",\"claim_token\":\"%s\"," CONTENT "}",
                   reply_text(&first, "lease.claim_token"));
    rig_ask(r, "POST", asked_path("/api/v1/heads/%s/slot-claims", f.head), f.token, body, &reply);
    assert_int_equal(reply.status, 200);
    assert_string_equal(reply_text(&reply, "lease.id"), reply_text(&first, "lease.id"));
    reply_free(&reply);
    reply_free(&first);
}

static void test_claim__none_free__is_202_with_a_ticket_and_promoted_in_its_turn(void **state)
{
    struct rig *r = *state;
    struct fleet f;
    char path[256], body[128];
    struct reply holder, reply;
    make_fleet(r, &f);
    rig_claim(r, f.other, f.other_token, "a-1", 201, &holder);
    rig_claim(r, f.head, f.token, "a-2", 202, &reply);
    assert_int_equal(reply_int(&reply, "ticket.position"), 1);
    assert_string_equal(reply_text(&reply, "ticket.reason"), "no_slot");
    assert_string_equal(reply_text(&reply, "ticket.state"), "waiting");
    assert_true(reply_null(&reply, "ticket.eta_seconds"));
    assert_true(strlen(reply_text(&reply, "ticket.id")) > 0 && strlen(reply_text(&reply, "ticket.stream_id")) > 0);
    assert_false(reply_null(&reply, "ticket.created_at"));
    assert_int_equal(reply_int(&reply, "retry_after_seconds"), 5);
    reply_free(&reply);

    int fd = rig_start(r, "GET", asked_path("/api/v1/heads/%s/admission?attempt_id=a-2&wait=25", f.head), f.token, NULL);
    rig_parked(r, "news", 1);
    (void)snprintf(path, sizeof path, "/api/v1/heads/%s/slot-claims/%s", f.other, reply_text(&holder, "lease.id"));
    (void)snprintf(body, sizeof body, "{\"claim_token\":\"%s\",\"reason\":\"user_exit\"}", reply_text(&holder, "lease.claim_token"));
    rig_expect(r, "DELETE", path, f.other_token, body, 204, "", "");
    rig_report(r, f.body);
    rig_answer(r, fd, &reply);
    assert_int_equal(reply.status, 200);
    assert_string_equal(reply_text(&reply, "lease.state"), "granted");
    assert_int_equal(strlen(reply_text(&reply, "lease.claim_token")), 43);
    assert_string_equal(reply_text(&reply, "stream.state"), "binding");
    assert_string_equal(reply_text(&reply, "body.id"), f.body);
    assert_true(reply_null(&reply, "ticket"));
    reply_free(&reply);
    reply_free(&holder);
}

static void test_claim__dry_run__says_what_would_be_and_changes_nothing(void **state)
{
    struct rig *r = *state;
    struct fleet f;
    struct reply reply;
    static const char body[] = "{\"attempt_id\":\"a-1\"," CONTENT "}", unheard[] = "{\"attempt_id\":\"a-1\",\"experience\":\"unheard\","
                               "\"device_uid\":\"0123456789abcdef\",\"protocol_version\":2}";
    make_fleet(r, &f);
    const char *path = asked_path("/api/v1/heads/%s/slot-claims?dry_run=1", f.head);
    for (int i = 0; i < 2; i++) {
        rig_ask(r, "POST", path, f.token, body, &reply);
        assert_int_equal(reply.status, 200);
        assert_int_equal(reply_int(&reply, "would.status"), 201);
        assert_true(reply_null(&reply, "would.error") && reply_null(&reply, "would.reason") && reply_null(&reply, "would.position"));
        assert_string_equal(reply_text(&reply, "would.body_id"), f.body);
        assert_int_equal(reply_int(&reply, "would.slot"), 0);
        reply_free(&reply);
    }
    rig_ask(r, "POST", path, f.token, unheard, &reply);
    assert_int_equal(reply_int(&reply, "would.status"), 422);
    assert_string_equal(reply_text(&reply, "would.error"), "experience_unavailable");
    reply_free(&reply);
    rig_claim(r, f.other, f.other_token, "a-2", 201, &reply);
    reply_free(&reply);
    rig_ask(r, "POST", path, f.token, body, &reply);
    assert_int_equal(reply_int(&reply, "would.status"), 202);
    assert_int_equal(reply_int(&reply, "would.position"), 1);
    assert_string_equal(reply_text(&reply, "would.reason"), "no_slot");
    assert_true(reply_null(&reply, "would.body_id") && reply_null(&reply, "would.slot") && reply_null(&reply, "would.eta_seconds"));
    reply_free(&reply);
}

static void test_claim__sixth_grant_in_a_minute__is_throttled(void **state)
{
    struct rig *r = *state;
    struct fleet f;
    char attempt[16], path[256], body[128];
    struct reply reply;
    make_fleet(r, &f);
    for (int i = 0; i < 5; i++) {
        (void)snprintf(attempt, sizeof attempt, "a-%d", i);
        rig_claim(r, f.head, f.token, attempt, 201, &reply);
        (void)snprintf(path, sizeof path, "/api/v1/heads/%s/slot-claims/%s", f.head, reply_text(&reply, "lease.id"));
        (void)snprintf(body, sizeof body, "{\"claim_token\":\"%s\"}", reply_text(&reply, "lease.claim_token"));
        rig_expect(r, "DELETE", path, f.token, body, 204, "", "");
        rig_report(r, f.body);
        reply_free(&reply);
    }
    rig_claim(r, f.head, f.token, "a-9", 429, &reply);
    assert_string_equal(reply_text(&reply, "error"), "claim_throttled");
    assert_true(reply_int(&reply, "retry_after_seconds") > 0);
    assert_true(reply_has(&reply, "Retry-After: "));
    reply_free(&reply);
    rig_claim(r, f.head, RIG_ADMIN, "a-9", 201, &reply);              /* an operator's claims are not counted */
    reply_free(&reply);
}

static void test_renew_and_release__with_the_token__200_410_403(void **state)
{
    struct rig *r = *state;
    struct fleet f;
    char path[256], renew[300], body[128], stream[HC_ID_SIZE];
    struct reply claimed, reply;
    make_fleet(r, &f);
    rig_claim(r, f.head, f.token, "a-1", 201, &claimed);
    (void)snprintf(path, sizeof path, "/api/v1/heads/%s/slot-claims/%s", f.head, reply_text(&claimed, "lease.id"));
    (void)snprintf(renew, sizeof renew, "%s/renew", path);
    (void)snprintf(body, sizeof body, "{\"claim_token\":\"%s\"}", reply_text(&claimed, "lease.claim_token"));
    hc_copy(stream, sizeof stream, reply_text(&claimed, "lease.stream_id"));
    rig_ask(r, "POST", renew, f.token, body, &reply);
    assert_int_equal(reply.status, 200);
    assert_int_equal(reply_int(&reply, "ttl_seconds"), 90);
    assert_int_equal(reply_int(&reply, "epoch"), reply_int(&claimed, "lease.epoch"));
    assert_string_equal(reply_text(&reply, "lease_id"), reply_text(&claimed, "lease.id"));
    reply_free(&reply);
    rig_expect(r, "POST", renew, f.token, "{\"claim_token\":\"x\"}", 403, "wrong_claim_token", "");
    rig_expect(r, "POST", renew, f.token, "{}", 400, "bad_request", "claim_token");
    rig_expect(r, "DELETE", path, f.token, "{\"claim_token\":\"x\"}", 403, "wrong_claim_token", "");
    rig_expect(r, "DELETE", path, f.token, "{\"reason\":\"boredom\"}", 400, "bad_request", "reason");
    rig_expect(r, "POST", renew, f.other_token, body, 403, "forbidden", "");
    rig_expect(r, "DELETE", path, f.token, body, 204, "", "");
    rig_expect(r, "DELETE", path, f.token, body, 204, "", "");
    rig_ask(r, "POST", renew, f.token, body, &reply);
    assert_int_equal(reply.status, 410);
    assert_string_equal(reply_text(&reply, "error"), "lease_lost");
    assert_string_equal(reply_text(&reply, "reason"), "released");
    assert_string_equal(reply_text(&reply, "stream_id"), stream);
    reply_free(&reply);
    rig_claim(r, f.head, f.token, "a-1", 410, &reply);
    assert_string_equal(reply_text(&reply, "error"), "lease_lost");
    assert_string_equal(reply_text(&reply, "stream_id"), stream);
    reply_free(&reply);
    rig_expect(r, "POST", asked_path("/api/v1/heads/%s/slot-claims/none/renew", f.head), f.token, body, 404, "not_found", "");
    reply_free(&claimed);
}

static void test_claims__bad_input__is_refused_by_field(void **state)
{
    struct rig *r = *state;
    struct fleet f;
    make_fleet(r, &f);
#define P "/api/v1/heads/{h}/slot-claims"
    const struct asked rows[] = {
        { "POST", P, f.token, NULL,                                                   400, "bad_request", "attempt_id" },
        { "POST", P, f.token, "{" CONTENT "}",                                        400, "bad_request", "attempt_id" },
        { "POST", P, f.token, "{\"attempt_id\":\"a b\"," CONTENT "}",                 400, "bad_request", "attempt_id" },
        { "POST", P, f.token, "{\"attempt_id\":null," CONTENT "}",                    400, "bad_request", "attempt_id" },
        { "POST", P, f.token, "{\"attempt_id\":\"a\",\"device_uid\":\"d\",\"protocol_version\":2}", 400, "bad_request", "experience" },
        { "POST", P, f.token, "{\"attempt_id\":\"a\",\"experience\":\"e\",\"protocol_version\":2}", 400, "bad_request", "device_uid" },
        { "POST", P, f.token, "{\"attempt_id\":\"a\",\"experience\":\"e\",\"device_uid\":\"d\"}", 400, "bad_request", "protocol_version" },
        { "POST", P, f.token, "{\"attempt_id\":\"a\",\"experience\":\"e\",\"device_uid\":\"\",\"protocol_version\":2}", 400, "bad_request",
          "device_uid" },
        { "POST", P, f.token, "{\"attempt_id\":\"a\",\"experience\":\"e\",\"device_uid\":\"01234567890123456\",\"protocol_version\":2}",
          400, "bad_request", "device_uid" },
        { "POST", P, f.token, "{\"attempt_id\":\"a\",\"stream_mode\":\"xr\"," CONTENT "}",      400, "bad_request", "stream_mode" },
        { "POST", P, f.token, "{\"attempt_id\":\"a\",\"stream_mode\":\"deep\"," CONTENT "}",    400, "bad_request", "stream_mode" },
        { "POST", P, f.token, "{\"attempt_id\":\"a\",\"prefer_body_id\":\"a b\"," CONTENT "}",  400, "bad_request", "prefer_body_id" },
        { "POST", P, f.token, "{\"attempt_id\":\"a\",\"stream_id\":7," CONTENT "}",             400, "bad_request", "stream_id" },
        { "POST", P, f.token, "{\"attempt_id\":\"a\",\"claim_token\":[]," CONTENT "}",          400, "bad_request", "claim_token" },
        { "POST", P, f.token, "{\"attempt_id\":\"a\",\"experience\":\"unheard\",\"device_uid\":\"d\",\"protocol_version\":2}", 422,
          "experience_unavailable", "" },
        { "POST", "/api/v1/heads/none/slot-claims", RIG_ADMIN, "{}",                  404, "node_not_found", "" },
        { "POST", "/api/v1/heads/{b}/slot-claims", RIG_ADMIN, "{}",                   404, "node_not_found", "" },
        { "POST", P, RIG_READ, "{}",                                                  403, "forbidden", "" },
        { "GET",  "/api/v1/heads/{h}/admission?wait=26", f.token, NULL,               400, "bad_request", "wait" },
        { "GET",  "/api/v1/heads/{h}/admission?wait=-1", f.token, NULL,               400, "bad_request", "wait" },
        { "GET",  "/api/v1/heads/{h}/admission?attempt_id=a%20b", f.token, NULL,      400, "bad_request", "attempt_id" },
    };
#undef P
    asked_all(r, rows, sizeof rows / sizeof rows[0], f.head, f.body);
}

static void test_claim__stream_of_another_head__is_403(void **state)
{
    struct rig *r = *state;
    struct fleet f;
    char members[256];
    struct reply reply;
    make_fleet(r, &f);
    rig_claim(r, f.other, f.other_token, "a-1", 201, &reply);
    (void)snprintf(members, sizeof members, "\"attempt_id\":\"a-2\",\"stream_id\":\"%s\"," CONTENT,
                   reply_text(&reply, "lease.stream_id"));
    claim_with(r, &f, members, 403, "not_your_stream");
    reply_free(&reply);
}

static void test_admission__of_nothing__has_every_key_null(void **state)
{
    struct rig *r = *state;
    struct fleet f;
    struct reply reply;
    make_fleet(r, &f);
    rig_ask(r, "GET", asked_path("/api/v1/heads/%s/admission", f.head), f.token, NULL, &reply);
    assert_int_equal(reply.status, 200);
    assert_true(reply_null(&reply, "stream") && reply_null(&reply, "lease") && reply_null(&reply, "ticket") && reply_null(&reply, "body"));
    reply_free(&reply);
    rig_ask(r, "GET", asked_path("/api/v1/heads/%s/admission?wait=1", f.head), f.token, NULL, &reply);       /* and at the end of a wait */
    assert_int_equal(reply.status, 200);
    assert_true(reply_null(&reply, "lease"));
    reply_free(&reply);
    rig_expect(r, "POST", asked_path("/api/v1/heads/%s/admission/accept", f.head), f.token, NULL, 410, "lease_lost", "");
}

static void test_accept__venue_that_confirms__collects_the_promotion(void **state)
{
    struct rig *r = *state;
    struct fleet f;
    char path[256], body[128];
    struct reply holder, reply;
    make_fleet(r, &f);
    rig_expect(r, "PUT", "/api/v1/venues/north", RIG_ADMIN, "{\"queue_accept_mode\":\"confirm\"}", 200, "", "");
    rig_claim(r, f.other, f.other_token, "a-1", 201, &holder);
    rig_claim(r, f.head, f.token, "a-2", 202, &reply);
    reply_free(&reply);
    rig_ask(r, "POST", asked_path("/api/v1/heads/%s/admission/accept", f.head), f.token, NULL, &reply);
    assert_int_equal(reply.status, 202);                              /* renewed in place */
    assert_int_equal(reply_int(&reply, "ticket.position"), 1);
    reply_free(&reply);
    (void)snprintf(path, sizeof path, "/api/v1/heads/%s/slot-claims/%s", f.other, reply_text(&holder, "lease.id"));
    (void)snprintf(body, sizeof body, "{\"claim_token\":\"%s\"}", reply_text(&holder, "lease.claim_token"));
    rig_expect(r, "DELETE", path, f.other_token, body, 204, "", "");
    rig_report(r, f.body);
    rig_ask(r, "GET", asked_path("/api/v1/heads/%s/admission?attempt_id=a-2&wait=25", f.head), f.token, NULL, &reply);
    assert_string_equal(reply_text(&reply, "ticket.state"), "promoted");
    assert_true(reply_null(&reply, "lease.claim_token"));
    reply_free(&reply);
    rig_ask(r, "POST", asked_path("/api/v1/heads/%s/admission/accept", f.head), f.token, NULL, &reply);
    assert_int_equal(reply.status, 200);
    assert_int_equal(strlen(reply_text(&reply, "lease.claim_token")), 43);
    assert_string_equal(reply_text(&reply, "body.id"), f.body);
    reply_free(&reply);
    reply_free(&holder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(test_claim__granted__says_all_that_a_head_needs),
        RIG_TEST(test_claim__same_attempt__same_content_is_200_other_content_is_not),
        RIG_TEST(test_claim__second_attempt__is_head_busy_or_adopts_with_the_token),
        RIG_TEST(test_claim__none_free__is_202_with_a_ticket_and_promoted_in_its_turn),
        RIG_TEST(test_claim__dry_run__says_what_would_be_and_changes_nothing),
        RIG_TEST(test_claim__sixth_grant_in_a_minute__is_throttled),
        RIG_TEST(test_renew_and_release__with_the_token__200_410_403),
        RIG_TEST(test_claims__bad_input__is_refused_by_field),
        RIG_TEST(test_claim__stream_of_another_head__is_403),
        RIG_TEST(test_admission__of_nothing__has_every_key_null),
        RIG_TEST(test_accept__venue_that_confirms__collects_the_promotion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
