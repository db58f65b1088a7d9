/* POST /body/status, admit-observed, GET /bodies. */
#include "fixture.h"

#include <stdio.h>
#include <string.h>

struct body { char id[HC_ID_SIZE], token[RIG_TOKEN_SIZE]; };
struct head { char id[HC_ID_SIZE], token[RIG_TOKEN_SIZE]; };

static const char modern_idle[] =
    "{\"gpu\":\"RTX 4090\",\"provider_status\":\"ok\",\"installed_experiences\":[\"" RIG_EXPERIENCE "\"],"
    "\"boot_id\":\"boot-9\",\"report_seq\":%d,"
    "\"provider_uptime_seconds\":3600,\"slots_total\":1,\"slots\":[{\"index\":0,\"state\":\"%s\",\"applied_epoch\":%lld%s}],"
    "\"gpu_memory_total_mb\":24564,\"hydrabody_version\":\"1.2.3\","
    "\"ports\":{\"gamestream\":47989,\"gamestream_tls\":47984,\"web\":47990}}";

static void report(struct rig *r, const struct body *b, int seq, const char *slot_state, long long epoch, const char *more,
                   struct reply *ret)
{
    char text[2048];
    (void)snprintf(text, sizeof text, modern_idle, seq, slot_state, epoch, more);
    rig_ask(r, "POST", "/api/v1/body/status", b->token, text, ret);
    if (ret->status != 200)
        fail_msg("%d %s", ret->status, ret->body);
}

static void test_body_status__idle_modern_body__is_told_its_free_slot(void **state)
{
    struct rig *r = *state;
    struct body b;
    struct reply reply;
    rig_body(r, "b1", "north", b.id, b.token);
    report(r, &b, 1, "idle", 0, "", &reply);
    assert_null(json_object_get(reply.json, "terminate_stream"));
    assert_int_equal(strlen(reply_text(&reply, "desired.digest")), 16);
    assert_string_equal(reply_text(&reply, "desired.enforce"), "observe");
    assert_false(reply_bool(&reply, "desired.maintenance"));
    assert_int_equal(reply_count(&reply, "desired.slots"), 1);
    assert_int_equal(reply_int(&reply, "desired.slots[0].index"), 0);
    assert_string_equal(reply_text(&reply, "desired.slots[0].action"), "free");
    assert_true(reply_null(&reply, "desired.slots[0].lease_id"));
    assert_int_equal(reply_int(&reply, "desired.epoch_floor"), reply_int(&reply, "desired.slots[0].epoch"));
    assert_string_equal(reply_text(&reply, "desired.slots[0].app_entries[0]"), RIG_EXPERIENCE);
    assert_string_equal(reply_text(&reply, "desired.slots[0].gate.mode"), "observe");
    assert_int_equal(reply_count(&reply, "desired.slots[0].gate.enabled"), 0);
    assert_int_equal(reply_count(&reply, "desired.slots[0].evict"), 0);
    assert_int_equal(reply_int(&reply, "desired.issued_at_seconds_ago"), 0);
    assert_int_equal(reply_count(&reply, "trust.desired_clients"), 0);
    assert_int_equal(reply_count(&reply, "trust.remove"), 0);
    assert_int_equal(reply_int(&reply, "trust.max_clients"), 150);
    assert_true(reply_int(&reply, "next_report_seconds") > 0);
    reply_free(&reply);
}

static void test_body_status__leased_slot__is_told_the_lease(void **state)
{
    struct rig *r = *state;
    struct body b;
    struct head h;
    struct reply reply;
    rig_body(r, "b1", "north", b.id, b.token);
    rig_head(r, "h1", "north", h.id, h.token);
    report(r, &b, 1, "idle", 99, "", &reply);
    reply_free(&reply);
    rig_claim(r, h.id, h.token, "a-1", 201, &reply);
    char lease_id[HC_ID_SIZE], app[256];
    HC_SET(lease_id, reply_text(&reply, "lease.id"));
    HC_SET(app, reply_text(&reply, "body.app_name"));
    int64_t epoch = reply_int(&reply, "lease.epoch");
    reply_free(&reply);
    report(r, &b, 2, "idle", epoch, "", &reply);
    assert_string_equal(reply_text(&reply, "desired.slots[0].action"), "serve");
    assert_string_equal(reply_text(&reply, "desired.slots[0].lease_id"), lease_id);
    assert_string_equal(reply_text(&reply, "desired.slots[0].head_id"), h.id);
    assert_int_equal(reply_int(&reply, "desired.slots[0].epoch"), epoch);
    assert_int_equal(reply_int(&reply, "desired.slots[0].protocol"), 2);
    assert_string_equal(reply_text(&reply, "desired.slots[0].app_entries[1]"), app);
    assert_true(strchr(app, '#') != NULL);
    reply_free(&reply);
}

static void test_body_status__legacy_report__is_understood(void **state)
{
    struct rig *r = *state;
    struct body b;
    struct reply reply;
    rig_body(r, "b1", "north", b.id, b.token);
    rig_expect(r, "POST", "/api/v1/body/status", b.token,
               "{\"gpu\":\"RTX\",\"provider_status\":\"running\",\"provider_version\":\"v1\",\"stream_status\":\"streaming\","
               "\"xr_state\":null,"
               "\"installed_experiences\":[\"a\"],\"xr_drivers\":[],\"some_new_thing\":{\"x\":1}}", 200, "", "");
    rig_ask(r, "GET", "/api/v1/bodies", RIG_READ, NULL, &reply);
    assert_int_equal(reply_count(&reply, ""), 1);
    assert_string_equal(reply_text(&reply, "[0].id"), b.id);
    assert_string_equal(reply_text(&reply, "[0].stream_status"), "streaming");
    assert_false(reply_bool(&reply, "[0].modern"));
    assert_true(reply_bool(&reply, "[0].online"));
    assert_string_equal(reply_text(&reply, "[0].home_venue_reserve"), "auto");
    assert_string_equal(reply_text(&reply, "[0].installed_experiences[0]"), "a");
    assert_true(reply_null(&reply, "[0].boot_id"));
    reply_free(&reply);
}

static void test_body_status__report_sequence_that_is_not_new__changes_nothing(void **state)
{
    struct rig *r = *state;
    struct body b;
    struct reply reply;
    rig_body(r, "b1", "north", b.id, b.token);
    report(r, &b, 5, "idle", 99, "", &reply);
    reply_free(&reply);
    report(r, &b, 5, "streaming", 99, "", &reply);
    reply_free(&reply);
    report(r, &b, 4, "streaming", 99, "", &reply);
    reply_free(&reply);
    rig_ask(r, "GET", "/api/v1/slots", RIG_READ, NULL, &reply);
    assert_string_equal(reply_text(&reply, "[0].observed.state"), "idle");
    assert_int_equal(reply_int(&reply, "[0].observed.report_seq"), 5);
    reply_free(&reply);
}

static void test_body_status__malformed__is_refused_by_field(void **state)
{
    static const struct { const char *body, *field; } cases[] = {
        { "{\"gpu\":7}", "gpu" },
        { "{\"gpu\":\"a\\nb\"}", "gpu" },
        { "{\"provider_version\":\"123456789012345678901234567890123\"}", "provider_version" },
        { "{\"stream_status\":\"paused\"}", "stream_status" },
        { "{\"installed_experiences\":\"a\"}", "installed_experiences" },
        { "{\"installed_experiences\":[\"a\",1]}", "installed_experiences[1]" },
        { "{\"boot_id\":\"has space\"}", "boot_id" },
        { "{\"report_seq\":-1}", "report_seq" },
        { "{\"report_seq\":1.5}", "report_seq" },
        { "{\"provider_uptime_seconds\":\"1\"}", "provider_uptime_seconds" },
        { "{\"slots_total\":17}", "slots_total" },
        { "{\"slots\":{}}", "slots" },
        { "{\"slots\":[{\"state\":\"idle\"}]}", "slots[0].index" },
        { "{\"slots\":[{\"index\":0}]}", "slots[0].state" },
        { "{\"slots\":[{\"index\":16,\"state\":\"idle\"}]}", "slots[0].index" },
        { "{\"slots\":[{\"index\":0,\"state\":\"idle\"},{\"index\":0,\"state\":\"asleep\"}]}", "slots[1].state" },
        { "{\"slots\":[{\"index\":0,\"state\":\"idle\",\"applied_epoch\":9007199254740991}]}", "slots[0].applied_epoch" },
        { "{\"slots\":[{\"index\":0,\"state\":\"idle\",\"lease_id\":\"a b\"}]}", "slots[0].lease_id" },
        { "{\"slots\":[{\"index\":0,\"state\":\"idle\",\"launch_id\":\"\\u0000\"}]}", "slots[0].launch_id" },
        { "{\"slots\":[{\"index\":0,\"state\":\"idle\",\"client_name\":\"\\t\"}]}", "slots[0].client_name" },
        { "{\"slots\":[{\"index\":0,\"state\":\"idle\",\"ports\":{\"web\":65536}}]}", "slots[0].ports.web" },
        { "{\"slots\":[{\"index\":0,\"state\":\"idle\",\"gate\":{\"mode\":\"open\"}}]}", "slots[0].gate.mode" },
        { "{\"slots\":[{\"index\":0,\"state\":\"idle\",\"paired_clients\":[{}]}]}", "slots[0].paired_clients[0].uuid" },
        { "{\"max_epoch_seen\":[1,9007199254740991]}", "max_epoch_seen[1]" },
        { "{\"max_epoch_seen\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]}", "max_epoch_seen" },
        { "{\"paired_clients\":[{\"uuid\":\"u\",\"name\":1}]}", "paired_clients[0].name" },
        { "{\"sunshine_cert_fp\":\"01234567890123456789012345678901234567890123456789012345678901234\"}", "sunshine_cert_fp" },
        { "{\"events\":[{\"slot\":0}]}", "events[0].type" },
        { "{\"ports\":{\"gamestream\":\"47989\"}}", "ports.gamestream" },
        { "{\"gpu\":\"a\",\"gpu\":\"b\"}", "body" },
        { "[]", "body" },
        { "{", "body" },
    };
    struct rig *r = *state;
    struct body b;
    struct reply reply;
    rig_body(r, "b1", "north", b.id, b.token);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        rig_expect(r, "POST", "/api/v1/body/status", b.token, cases[i].body, 400, "bad_request", cases[i].field);
    rig_ask(r, "GET", "/api/v1/bodies", RIG_READ, NULL, &reply);
    assert_true(reply_null(&reply, "[0].reported_at"));
    reply_free(&reply);
}

static void test_body_status__of_others__is_refused(void **state)
{
    struct rig *r = *state;
    struct head h;
    rig_head(r, "h1", "north", h.id, h.token);
    rig_expect(r, "POST", "/api/v1/body/status", NULL, "{}", 401, "unauthorized", "");
    rig_expect(r, "POST", "/api/v1/body/status", "nobody", "{}", 401, "unauthorized", "");
    rig_expect(r, "POST", "/api/v1/body/status", h.token, "{}", 403, "forbidden", "");
    rig_expect(r, "POST", "/api/v1/body/status", RIG_ADMIN, "{}", 403, "forbidden", "");
    rig_expect(r, "GET", "/api/v1/body/status", RIG_ADMIN, NULL, 405, "method_not_allowed", "");
    rig_expect(r, "GET", "/api/v1/bodies", h.token, NULL, 403, "forbidden", "");
}

static void test_body_status__store_fails__is_answered_with_the_committed_directive(void **state)
{
    struct rig *r = *state;
    struct body b;
    struct reply reply;
    rig_body(r, "b1", "north", b.id, b.token);
    rig_store_fails(r, true);
    report(r, &b, 1, "idle", 0, "", &reply);
    assert_string_equal(reply_text(&reply, "desired.slots[0].action"), "free");
    reply_free(&reply);
    report(r, &b, 2, "streaming", 0, "", &reply);
    reply_free(&reply);
    rig_ask(r, "GET", "/api/v1/slots", RIG_READ, NULL, &reply);
    assert_string_equal(reply_text(&reply, "[0].observed.state"), "streaming");
    reply_free(&reply);
}

static void test_body_status__store_hangs__is_answered_within_its_wait(void **state)
{
    struct rig *r = *state;
    struct body b;
    struct reply reply;
    rig_body(r, "b1", "north", b.id, b.token);
    rig_store_hangs(r, true);
    int64_t start_ms = r->config.monotonic_ms();
    report(r, &b, 1, "idle", 0, "", &reply);
    int64_t took_ms = r->config.monotonic_ms() - start_ms;
    reply_free(&reply);
    assert_true(took_ms >= 900 && took_ms < 5000);
    rig_store_hangs(r, false);
}

static void test_admit_observed__free_slot__is_adopted(void **state)
{
    struct rig *r = *state;
    struct body b;
    struct head h;
    struct reply reply;
    char path[160], text[512];
    rig_body(r, "b1", "north", b.id, b.token);
    rig_head(r, "h1", "north", h.id, h.token);
    rig_report(r, b.id);
    (void)snprintf(path, sizeof path, "/api/v1/bodies/%s/admit-observed", b.id);
    (void)snprintf(text, sizeof text,
                   "{\"client_uuid\":\"u-1\",\"named_cert_name\":\"hydra-%s\",\"slot\":0,\"app_name\":\"%s\",\"launch_id\":\"l-1\"}",
                   h.id, RIG_EXPERIENCE);
    rig_ask(r, "POST", path, b.token, text, &reply);
    if (reply.status != 201)
        fail_msg("%d %s", reply.status, reply.body);
    assert_true(reply_text(&reply, "lease.id")[0] != '\0');
    assert_int_equal(reply_int(&reply, "lease.slot"), 0);
    assert_true(json_object_get(json_object_get(reply.json, "lease"), "claim_token") == NULL || reply_null(&reply, "lease.claim_token"));
    reply_free(&reply);
    rig_ask(r, "GET", "/api/v1/slots", RIG_READ, NULL, &reply);
    assert_string_equal(reply_text(&reply, "[0].lease.state"), "adopted");
    assert_string_equal(reply_text(&reply, "[0].lease.head_id"), h.id);
    reply_free(&reply);
}

static void test_admit_observed__slot_of_another_head__is_held(void **state)
{
    struct rig *r = *state;
    struct body b;
    struct head h1, h2;
    struct reply reply;
    char path[160], text[512];
    rig_body(r, "b1", "north", b.id, b.token);
    rig_head(r, "h1", "north", h1.id, h1.token);
    rig_head(r, "h2", "north", h2.id, h2.token);
    rig_report(r, b.id);
    rig_claim(r, h1.id, h1.token, "a-1", 201, &reply);
    reply_free(&reply);
    (void)snprintf(path, sizeof path, "/api/v1/bodies/%s/admit-observed", b.id);
    (void)snprintf(text, sizeof text, "{\"named_cert_name\":\"hydra-%s\",\"slot\":0}", h2.id);
    rig_ask(r, "POST", path, b.token, text, &reply);
    assert_int_equal(reply.status, 409);
    assert_string_equal(reply_text(&reply, "error"), "slot_held");
    assert_string_equal(reply_text(&reply, "holder.head_id"), h1.id);
    assert_string_equal(reply_text(&reply, "holder.device_uid"), "0123456789abcdef");
    reply_free(&reply);
}

static void test_admit_observed__wrong_caller_or_field__is_refused(void **state)
{
    struct rig *r = *state;
    struct body b, other;
    struct head h;
    char path[160], head_path[160];
    rig_body(r, "b1", "north", b.id, b.token);
    rig_body(r, "b2", "north", other.id, other.token);
    rig_head(r, "h1", "north", h.id, h.token);
    (void)snprintf(path, sizeof path, "/api/v1/bodies/%s/admit-observed", b.id);
    (void)snprintf(head_path, sizeof head_path, "/api/v1/bodies/%s/admit-observed", h.id);
    rig_expect(r, "POST", path, other.token, "{}", 403, "forbidden", "");
    rig_expect(r, "POST", path, RIG_ADMIN, "{}", 403, "forbidden", "");
    rig_expect(r, "POST", head_path, h.token, "{}", 404, "node_not_found", "");
    rig_expect(r, "POST", path, b.token, "{\"slot\":16}", 400, "bad_request", "slot");
    rig_expect(r, "POST", path, b.token, "{\"slot\":3}", 400, "bad_request", "slot");
    rig_expect(r, "POST", path, b.token, "{\"client_uuid\":\"a b\"}", 400, "bad_request", "client_uuid");
    rig_expect(r, "POST", path, b.token, "{\"launch_id\":7}", 400, "bad_request", "launch_id");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(test_body_status__idle_modern_body__is_told_its_free_slot),
        RIG_TEST(test_body_status__leased_slot__is_told_the_lease),
        RIG_TEST(test_body_status__legacy_report__is_understood),
        RIG_TEST(test_body_status__report_sequence_that_is_not_new__changes_nothing),
        RIG_TEST(test_body_status__malformed__is_refused_by_field),
        RIG_TEST(test_body_status__of_others__is_refused),
        RIG_TEST(test_body_status__store_fails__is_answered_with_the_committed_directive),
        RIG_TEST(test_body_status__store_hangs__is_answered_within_its_wait),
        RIG_TEST(test_admit_observed__free_slot__is_adopted),
        RIG_TEST(test_admit_observed__slot_of_another_head__is_held),
        RIG_TEST(test_admit_observed__wrong_caller_or_field__is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
