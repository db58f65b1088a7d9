/* POST, GET, DELETE device-identity, the latch and GET /migration (wire §3, §5; rules §12). */
#include "asked.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "certificates.h"
#include "hydra/crypto/digest.h"

static void uid_of(const char *head_id, char out[DEVICE_UID_SIZE])
{
    char digest[HC_HASH_SIZE];
    crypto_sha256_hex(head_id, strlen(head_id), digest);
    digest[DEVICE_UID_SIZE - 1] = '\0';
    hc_copy(out, DEVICE_UID_SIZE, digest);
}

/* A body of POST device-identity; it lives until the next but three calls. */
static const char *with(const char *uid, const char *fingerprint, const char *pem, const char *not_after)
{
    static char *kept[4];
    static unsigned next;
    json_t *json = json_pack("{s:s,s:s,s:s,s:s}", "device_uid", uid, "cert_fingerprint", fingerprint, "cert_pem", pem, "not_after",
                             not_after);
    assert_non_null(json);
    free(kept[next % 4]);
    kept[next % 4] = json_dumps(json, 0);
    json_decref(json);
    return kept[next++ % 4];
}

static const char *good(const char *head_id, const struct test_certificate *certificate)
{
    char uid[DEVICE_UID_SIZE];
    uid_of(head_id, uid);
    return with(uid, certificate->fingerprint, certificate->pem, CERTIFICATE_NOT_AFTER);
}

static const char *route(const char *head_id)
{
    return asked_path("/api/v1/heads/%s/device-identity", head_id);
}

static void test_register__repeat_and_rotation__as_the_wire_says(void **state)
{
    struct rig *r = *state;
    char head[HC_ID_SIZE], token[RIG_TOKEN_SIZE], first[HC_TIME_TEXT_SIZE];
    struct reply reply;
    rig_head(r, "h1", "north", head, token);
    rig_ask(r, "POST", route(head), token, good(head, &certificate_one), &reply);
    assert_int_equal(reply.status, 201);
    HC_SET(first, reply_text(&reply, "registered_at"));
    assert_null(json_object_get(reply.json, "supersedes_fingerprint"));
    assert_null(json_object_get(reply.json, "overlap_until"));
    reply_free(&reply);
    rig_pass(r, 5000);
    rig_ask(r, "POST", route(head), token, good(head, &certificate_one), &reply);
    assert_int_equal(reply.status, 201);
    assert_string_equal(reply_text(&reply, "registered_at"), first);
    reply_free(&reply);
    rig_ask(r, "POST", route(head), RIG_ADMIN, good(head, &certificate_two), &reply);
    assert_int_equal(reply.status, 201);
    assert_string_equal(reply_text(&reply, "supersedes_fingerprint"), certificate_one.fingerprint);
    hc_time until;
    assert_int_equal(hc_time_parse(reply_text(&reply, "overlap_until"), &until), HC_OK);
    assert_true(hc_time_since(until, rig_now()) > 6 * HC_DAY_MS);
    reply_free(&reply);
    rig_ask(r, "GET", route(head), RIG_READ, NULL, &reply);
    assert_string_equal(reply_text(&reply, "fingerprint"), certificate_two.fingerprint);
    assert_string_equal(reply_text(&reply, "predecessor.fingerprint"), certificate_one.fingerprint);
    assert_true(reply_null(&reply, "revoked_at"));
    reply_free(&reply);
}

static void test_register__certificate_in_upper_case_hex__is_the_same(void **state)
{
    struct rig *r = *state;
    char head[HC_ID_SIZE], token[RIG_TOKEN_SIZE], uid[DEVICE_UID_SIZE], upper[HC_HASH_SIZE];
    struct reply reply;
    rig_head(r, "h1", "north", head, token);
    uid_of(head, uid);
    for (size_t i = 0; i < HC_HASH_SIZE; i++)
        upper[i] = (char)(certificate_one.fingerprint[i] >= 'a' ? certificate_one.fingerprint[i] - 32 : certificate_one.fingerprint[i]);
    rig_expect(r, "POST", route(head), token, with(uid, upper, certificate_one.pem, "2100-01-01T00:00:00.000Z"), 201, "", "");
    rig_ask(r, "GET", route(head), token, NULL, &reply);
    assert_string_equal(reply_text(&reply, "fingerprint"), certificate_one.fingerprint);
    assert_string_equal(reply_text(&reply, "device_uid"), uid);
    reply_free(&reply);
}

static void test_register__each_thing_amiss__is_400_with_its_field(void **state)
{
    struct rig *r = *state;
    char head[HC_ID_SIZE], token[RIG_TOKEN_SIZE], uid[DEVICE_UID_SIZE], two[2048], big[10000];
    rig_head(r, "h1", "north", head, token);
    uid_of(head, uid);
    (void)snprintf(two, sizeof two, "%s%s", certificate_one.pem, certificate_two.pem);
    memset(big, 'a', sizeof big - 1);
    big[sizeof big - 1] = '\0';
    const struct { const char *uid, *fingerprint, *pem, *not_after, *field; } rows[] = {
        { "0123456789abcdef", certificate_one.fingerprint, certificate_one.pem, CERTIFICATE_NOT_AFTER, "device_uid" },
        { "", certificate_one.fingerprint, certificate_one.pem, CERTIFICATE_NOT_AFTER, "device_uid" },
        { "0123456789abcdef0", certificate_one.fingerprint, certificate_one.pem, CERTIFICATE_NOT_AFTER, "device_uid" },
        { uid, certificate_two.fingerprint, certificate_one.pem, CERTIFICATE_NOT_AFTER, "cert_fingerprint" },
        { uid, "abc", certificate_one.pem, CERTIFICATE_NOT_AFTER, "cert_fingerprint" },
        { uid, big, certificate_one.pem, CERTIFICATE_NOT_AFTER, "cert_fingerprint" },
        { uid, certificate_one.fingerprint, certificate_one.pem, "2099-12-31T23:59:59Z", "not_after" },
        { uid, certificate_one.fingerprint, certificate_one.pem, "tomorrow", "not_after" },
        { uid, certificate_expired.fingerprint, certificate_expired.pem, "2001-01-01T00:00:00Z", "not_after" },
        { uid, certificate_early.fingerprint, certificate_early.pem, CERTIFICATE_NOT_AFTER, "cert_pem" },
        { uid, certificate_weak_rsa.fingerprint, certificate_weak_rsa.pem, CERTIFICATE_NOT_AFTER, "cert_pem" },
        { uid, certificate_weak_ec.fingerprint, certificate_weak_ec.pem, CERTIFICATE_NOT_AFTER, "cert_pem" },
        { uid, certificate_one.fingerprint, two, CERTIFICATE_NOT_AFTER, "cert_pem" },
        { uid, certificate_one.fingerprint, "garbage", CERTIFICATE_NOT_AFTER, "cert_pem" },
        { uid, certificate_one.fingerprint, big, CERTIFICATE_NOT_AFTER, "cert_pem" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        rig_expect(r, "POST", route(head), token, with(rows[i].uid, rows[i].fingerprint, rows[i].pem, rows[i].not_after), 400,
                   "bad_request", rows[i].field);
    rig_expect(r, "POST", route(head), token, "{}", 400, "bad_request", "device_uid");
    const struct test_certificate *edwards = &certificate_ed25519;
    rig_expect(r, "POST", route(head), token, with(uid, edwards->fingerprint, edwards->pem, CERTIFICATE_NOT_AFTER), 201, "", "");
}

static void test_register__scopes_and_conflicts__are_typed(void **state)
{
    struct rig *r = *state;
    char head[HC_ID_SIZE], token[RIG_TOKEN_SIZE], other[HC_ID_SIZE], other_token[RIG_TOKEN_SIZE];
    rig_head(r, "h1", "north", head, token);
    rig_head(r, "h2", "north", other, other_token);
    rig_expect(r, "POST", route(head), other_token, good(head, &certificate_one), 403, "forbidden", "");
    rig_expect(r, "POST", route(head), RIG_READ, good(head, &certificate_one), 403, "forbidden", "");
    rig_expect(r, "DELETE", route(head), token, NULL, 403, "forbidden", "");
    rig_expect(r, "DELETE", route(head), RIG_ADMIN, NULL, 404, "not_found", "");
    rig_expect(r, "GET", route(head), RIG_READ, NULL, 404, "not_found", "");
    rig_expect(r, "POST", route("node-00000000"), RIG_ADMIN, good("node-00000000", &certificate_one), 404, "node_not_found", "");
    rig_expect(r, "POST", route(head), token, good(head, &certificate_one), 201, "", "");
    rig_expect(r, "POST", route(other), other_token, good(other, &certificate_one), 409, "identity_in_use", "");
    rig_expect(r, "DELETE", route(head), RIG_ADMIN, NULL, 204, "", "");
    rig_expect(r, "DELETE", route(head), RIG_ADMIN, NULL, 204, "", "");
    rig_expect(r, "POST", route(head), token, good(head, &certificate_two), 409, "identity_revoked", "");
    rig_expect(r, "POST", route(head), RIG_ADMIN, good(head, &certificate_two), 201, "", "");
}

static void test_register__store_fails__is_503_and_nothing_stays(void **state)
{
    struct rig *r = *state;
    char head[HC_ID_SIZE], token[RIG_TOKEN_SIZE];
    rig_head(r, "h1", "north", head, token);
    rig_store_fails(r, true);
    rig_expect(r, "POST", route(head), token, good(head, &certificate_one), 503, "store_unavailable", "");
    rig_expect(r, "GET", route(head), RIG_READ, NULL, 404, "not_found", "");
    rig_store_fails(r, false);
}

static void tell_clients(struct rig *r, const char *body_token, const char *clients, struct reply *reply)
{
    char body[1024];
    static unsigned seq = 1000;
    (void)snprintf(body, sizeof body,
                   "{\"boot_id\":\"boot-9\",\"report_seq\":%u,\"provider_uptime_seconds\":900,\"slots\":[{\"index\":0,\"state\":\"idle\"}],"
                   "\"paired_digest\":\"d%u\",\"paired_clients\":[%s]}", seq, seq, clients);
    seq++;
    rig_ask(r, "POST", "/api/v1/body/status", body_token, body, reply);
    assert_int_equal(reply->status, 200);
}

/* Revoked: the long-poll of a body that shows the client answers at once, the removal stands until it is shown no more. */
static void test_revoke__body_shows_the_client__is_told_at_once_until_it_is_gone(void **state)
{
    struct rig *r = *state;
    char head[HC_ID_SIZE], token[RIG_TOKEN_SIZE], body[HC_ID_SIZE], body_token[RIG_TOKEN_SIZE], client[256];
    struct reply reply;
    rig_head(r, "h1", "north", head, token);
    rig_body(r, "b1", "north", body, body_token);
    rig_expect(r, "POST", route(head), token, good(head, &certificate_one), 201, "", "");
    (void)snprintf(client, sizeof client, "{\"uuid\":\"u-1\",\"name\":\"hydra-%s\"},{\"uuid\":\"u-2\",\"name\":\"roth\"}", head);
    tell_clients(r, body_token, client, &reply);
    assert_string_equal(reply_text(&reply, "trust.desired_clients[0].uuid"), "u-1");
    assert_int_equal(reply_count(&reply, "trust.desired_clients"), 1);
    char digest[64];
    HC_SET(digest, reply_text(&reply, "desired.digest"));
    reply_free(&reply);
    int fd = rig_start(r, "GET", asked_path("/api/v1/bodies/%s/desired?since=%s&wait=25", body, digest), body_token, NULL);
    rig_parked(r, "news", 1);
    rig_expect(r, "DELETE", route(head), RIG_ADMIN, NULL, 204, "", "");
    rig_answer(r, fd, &reply);
    assert_int_equal(reply.status, 200);
    assert_string_equal(reply_text(&reply, "trust.remove[0]"), "u-1");
    assert_int_equal(reply_count(&reply, "trust.desired_clients"), 0);
    assert_true(strcmp(reply_text(&reply, "desired.digest"), digest) != 0);
    reply_free(&reply);
    rig_ask(r, "GET", route(head), RIG_READ, NULL, &reply);
    assert_string_equal(reply_text(&reply, "shown_by[0]"), body);
    assert_false(reply_null(&reply, "revoked_at"));
    reply_free(&reply);
    tell_clients(r, body_token, "{\"uuid\":\"u-2\",\"name\":\"roth\"}", &reply);
    assert_int_equal(reply_count(&reply, "trust.remove"), 0);
    reply_free(&reply);
    rig_ask(r, "GET", route(head), RIG_READ, NULL, &reply);
    assert_int_equal(reply_count(&reply, "shown_by"), 0);
    reply_free(&reply);
    rig_ask(r, "POST", asked_path("/api/v1/heads/%s/slot-claims", head), token,
            "{\"attempt_id\":\"a1\",\"experience\":\"" RIG_EXPERIENCE "\",\"device_uid\":\"x\",\"protocol_version\":2}", &reply);
    assert_int_equal(reply.status, 409);
    assert_string_equal(reply_text(&reply, "error"), "identity_revoked");
    reply_free(&reply);
}

static void beats(struct rig *r, const char *head, const char *token)
{
    rig_expect(r, "PUT", asked_path("/api/v1/heads/%s", head), token,
               "{\"status\":\"idle\",\"body_id\":\"\",\"protocol_version\":2,\"pairing_protocol\":2}", 200, "", "");
}

static void test_latch__district_is_ready__config_serves_it_and_no_credentials(void **state)
{
    struct rig *r = *state;
    char head[HC_ID_SIZE], token[RIG_TOKEN_SIZE], body[HC_ID_SIZE], body_token[RIG_TOKEN_SIZE];
    static const char latch[] = "/api/v1/districts/" RIG_DISTRICT "/per-device-identity";
    struct reply reply;
    rig_head(r, "h1", "north", head, token);
    rig_body(r, "b1", "north", body, body_token);
    rig_report(r, body);
    beats(r, head, token);
    rig_ask(r, "GET", "/api/v1/districts/" RIG_DISTRICT, RIG_READ, NULL, &reply);
    assert_true(reply_bool(&reply, "per_device_identity"));
    assert_false(reply_null(&reply, "per_device_identity_at"));
    assert_int_equal(reply_count(&reply, "held_back_by"), 0);
    reply_free(&reply);
    rig_ask(r, "GET", asked_path("/api/v1/heads/%s", head), token, NULL, &reply);
    assert_true(reply_bool(&reply, "per_device_identity"));
    assert_null(strstr(reply.body, "shine"));
    reply_free(&reply);
    rig_claim(r, head, token, "a1", 409, &reply);
    assert_string_equal(reply_text(&reply, "error"), "identity_unknown");
    reply_free(&reply);
    rig_expect(r, "DELETE", latch, RIG_READ, NULL, 403, "forbidden", "");
    rig_expect(r, "DELETE", latch, RIG_ADMIN, NULL, 204, "", "");
    rig_ask(r, "GET", "/api/v1/districts/" RIG_DISTRICT, RIG_READ, NULL, &reply);
    assert_false(reply_bool(&reply, "per_device_identity"));
    assert_string_equal(reply_text(&reply, "held_back_by[0].reason"), "cleared_by_admin");
    assert_true(reply_null(&reply, "held_back_by[0].node_id") && reply_null(&reply, "held_back_by[0].role"));
    reply_free(&reply);
    rig_ask(r, "GET", asked_path("/api/v1/heads/%s", head), token, NULL, &reply);
    assert_string_equal(reply_text(&reply, "sunshine_password"), "shine");
    reply_free(&reply);
    rig_expect(r, "PUT", latch, RIG_ADMIN, NULL, 204, "", "");
    rig_ask(r, "GET", "/api/v1/districts/" RIG_DISTRICT, RIG_READ, NULL, &reply);
    assert_true(reply_bool(&reply, "per_device_identity"));
    reply_free(&reply);
    rig_expect(r, "PUT", "/api/v1/districts/nowhere/per-device-identity", RIG_ADMIN, NULL, 404, "not_found", "");
}

static void test_migration__fleet__nine_steps_with_who_holds_them_back(void **state)
{
    struct rig *r = *state;
    char head[HC_ID_SIZE], token[RIG_TOKEN_SIZE], body[HC_ID_SIZE], body_token[RIG_TOKEN_SIZE];
    struct reply reply;
    rig_head(r, "h1", "north", head, token);
    rig_body(r, "b1", "north", body, body_token);
    rig_ask(r, "GET", "/api/v1/migration?district=" RIG_DISTRICT, RIG_READ, NULL, &reply);
    assert_int_equal(reply.status, 200);
    assert_string_equal(reply_text(&reply, "district"), RIG_DISTRICT);
    assert_int_equal(reply_count(&reply, "steps"), 9);
    assert_true(reply_bool(&reply, "steps[0].done"));
    assert_int_equal(reply_int(&reply, "steps[8].step"), 9);
    assert_string_equal(reply_text(&reply, "steps[2].bodies[0].node_id"), body);
    assert_string_equal(reply_text(&reply, "steps[2].bodies[0].reason"), "no_report");
    assert_string_equal(reply_text(&reply, "steps[3].heads[0].name"), "h1");
    assert_false(reply_bool(&reply, "steps[8].done"));
    assert_false(reply_bool(&reply, "retirement.holds"));
    assert_true(reply_null(&reply, "retirement.since"));
    assert_int_equal(reply_int(&reply, "retirement.days_required"), 30);
    reply_free(&reply);
    beats(r, head, token);
    rig_ask(r, "GET", "/api/v1/migration", RIG_ADMIN, NULL, &reply);
    assert_true(reply_bool(&reply, "steps[3].done"));
    assert_false(reply_bool(&reply, "steps[8].done"));       /* nobody holds it back, but the days are not over */
    assert_int_equal(reply_count(&reply, "steps[8].heads"), 0);
    assert_true(reply_bool(&reply, "retirement.holds"));
    assert_int_equal(reply_int(&reply, "retirement.consecutive_days"), 0);
    reply_free(&reply);
    rig_expect(r, "GET", "/api/v1/migration?district=nowhere", RIG_READ, NULL, 404, "not_found", "");
    rig_expect(r, "GET", "/api/v1/migration?district=a%01b", RIG_READ, NULL, 400, "bad_request", "district");
}

static void test_maintenance_clients__put__are_shown_and_bounded(void **state)
{
    struct rig *r = *state;
    char body[HC_ID_SIZE], body_token[RIG_TOKEN_SIZE];
    struct reply reply;
    rig_body(r, "b1", "north", body, body_token);
    rig_ask(r, "PUT", asked_path("/api/v1/nodes/%s/slots", body), RIG_ADMIN, "{\"maintenance_clients\":[\"laptop\",\"u-9\"]}", &reply);
    assert_int_equal(reply.status, 200);
    assert_string_equal(reply_text(&reply, "maintenance_clients[0]"), "laptop");
    assert_int_equal(reply_count(&reply, "maintenance_clients"), 2);
    reply_free(&reply);
    rig_ask(r, "PUT", asked_path("/api/v1/nodes/%s/slots", body), RIG_ADMIN, "{\"maintenance_clients\":[]}", &reply);
    assert_int_equal(reply_count(&reply, "maintenance_clients"), 0);
    reply_free(&reply);
    rig_expect(r, "PUT", asked_path("/api/v1/nodes/%s/slots", body), RIG_ADMIN, "{\"maintenance_clients\":[1]}", 400, "bad_request",
               "maintenance_clients[0]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(test_register__repeat_and_rotation__as_the_wire_says),
        RIG_TEST(test_register__certificate_in_upper_case_hex__is_the_same),
        RIG_TEST(test_register__each_thing_amiss__is_400_with_its_field),
        RIG_TEST(test_register__scopes_and_conflicts__are_typed),
        RIG_TEST(test_register__store_fails__is_503_and_nothing_stays),
        RIG_TEST(test_revoke__body_shows_the_client__is_told_at_once_until_it_is_gone),
        RIG_TEST(test_latch__district_is_ready__config_serves_it_and_no_credentials),
        RIG_TEST(test_migration__fleet__nine_steps_with_who_holds_them_back),
        RIG_TEST(test_maintenance_clients__put__are_shown_and_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
