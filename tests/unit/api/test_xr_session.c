/* POST, GET, DELETE /heads/{id}/xr-session, the XR parts of reports and directives (wire §2, §4). */
#include "fixture.h"

#include <stdio.h>
#include <string.h>

struct scene { char head[HC_ID_SIZE], token[RIG_TOKEN_SIZE], body[HC_ID_SIZE], body_token[RIG_TOKEN_SIZE], path[128]; uint64_t seq; };

/* As the shipped app enrols: through the fleet token, with its type. */
static void enrol_quest(struct rig *r, struct scene *s)
{
    struct reply reply;
    char path[128];
    rig_ask(r, "POST", "/api/v1/heads", RIG_FLEET,
            "{\"name\":\"quest-head-1\",\"type\":\"hydraheadquest\",\"district\":\"" RIG_DISTRICT "\",\"venue\":\"north\"}", &reply);
    assert_int_equal(reply.status, 201);
    HC_SET(s->head, reply_text(&reply, "head_id"));
    HC_SET(s->token, reply_text(&reply, "token"));
    reply_free(&reply);
    (void)snprintf(path, sizeof path, "/api/v1/nodes/%s", s->head);
    rig_expect(r, "PUT", path, RIG_ADMIN, "{\"xr_client_hostname\":\"0529.client\"}", 200, "", "");
    (void)snprintf(s->path, sizeof s->path, "/api/v1/heads/%s/xr-session", s->head);
}

static void body_says(struct rig *r, struct scene *s, const char *xr, const char *drivers, struct reply *ret)
{
    char text[768], path[128];
    struct reply desired;
    (void)snprintf(path, sizeof path, "/api/v1/bodies/%s/desired", s->body);
    rig_ask(r, "GET", path, s->body_token, NULL, &desired);
    (void)snprintf(text, sizeof text,
                   "{\"boot_id\":\"boot-1\",\"report_seq\":%llu,\"provider_uptime_seconds\":3600,"
                   "\"installed_experiences\":[\"" RIG_EXPERIENCE "\"],"
                   "\"slots\":[{\"index\":0,\"state\":\"idle\",\"applied_epoch\":%lld}],%s,\"xr_drivers\":[%s]}",
                   (unsigned long long)++s->seq, (long long)reply_int(&desired, "desired.slots[0].epoch"), xr, drivers);
    reply_free(&desired);
    rig_pass(r, 1000);
    rig_ask(r, "POST", "/api/v1/body/status", s->body_token, text, ret);
    if (ret->status != 200)
        fail_msg("report: %d %s", ret->status, ret->body);
}

static void says(struct rig *r, struct scene *s, const char *xr)
{
    struct reply reply;
    body_says(r, s, xr, "\"alvr\"", &reply);
    reply_free(&reply);
}

static void setup(struct rig *r, struct scene *s)
{
    *s = (struct scene){ .seq = 0 };
    enrol_quest(r, s);
    rig_body(r, "b1", "north", s->body, s->body_token);
    rig_expect(r, "PUT", "/api/v1/experiences/" RIG_EXPERIENCE, RIG_ADMIN, "{\"label\":\"R\",\"stream_mode\":\"xr\"}", 200, "", "");
    says(r, s, "\"xr_state\":\"idle\"");
    says(r, s, "\"xr_state\":\"idle\"");
}

static void start_text(const struct scene *s, char out[256])
{
    (void)snprintf(out, 256, "{\"body_id\":\"%s\",\"experience\":\"" RIG_EXPERIENCE "\","
                   "\"client_hostname\":\"0529.client\",\"client_ip\":null}",
                   s->body);
}

static void start(struct rig *r, const struct scene *s, int status, struct reply *ret)
{
    char text[256];
    start_text(s, text);
    rig_ask(r, "POST", s->path, s->token, text, ret);
    if (ret->status != status)
        fail_msg("POST xr-session: %d %s", ret->status, ret->body);
}

static void check(struct rig *r, const struct scene *s, const char *state, const char *reason)
{
    struct reply reply;
    rig_ask(r, "GET", s->path, s->token, NULL, &reply);
    assert_int_equal(reply.status, 200);
    assert_string_equal(reply_text(&reply, "state"), state);
    assert_string_equal(reply_text(&reply, "reason"), reason);      /* a text, never null: the app would show the word */
    reply_free(&reply);
}

static void test_xr_session__a_whole_visit__is_told_as_the_app_reads_it(void **state)
{
    struct rig *r = *state;
    struct scene s;
    struct reply reply;
    setup(r, &s);
    rig_expect(r, "GET", s.path, s.token, NULL, 404, "not_found", "");
    start(r, &s, 201, &reply);
    assert_string_equal(reply_text(&reply, "state"), "requested");
    assert_string_equal(reply_text(&reply, "body_id"), s.body);
    assert_string_equal(reply_text(&reply, "experience"), RIG_EXPERIENCE);
    assert_true(strlen(reply_text(&reply, "session_id")) > 0);
    assert_string_equal(reply_text(&reply, "reason"), "");
    (void)reply_text(&reply, "body_host");
    reply_free(&reply);
    says(r, &s, "\"xr_state\":\"arming\"");
    check(r, &s, "arming", "");
    says(r, &s, "\"xr_state\":\"armed\"");
    check(r, &s, "armed", "");
    says(r, &s, "\"xr_state\":\"active\"");
    check(r, &s, "active", "");
    rig_ask(r, "GET", "/api/v1/slots", RIG_READ, NULL, &reply);
    assert_string_equal(reply_text(&reply, "[0].lease.mode"), "xr");
    assert_string_equal(reply_text(&reply, "[0].lease.state"), "streaming");
    reply_free(&reply);
    rig_expect(r, "DELETE", s.path, s.token, NULL, 204, "", "");
    rig_expect(r, "DELETE", s.path, s.token, NULL, 204, "", "");
    check(r, &s, "ending", "released");
    says(r, &s, "\"xr_state\":\"idle\"");
    rig_expect(r, "GET", s.path, s.token, NULL, 404, "not_found", "");
    rig_expect(r, "DELETE", s.path, s.token, NULL, 204, "", "");
}

static void test_xr_session__refusals__have_the_shipped_words_in_front(void **state)
{
    struct rig *r = *state;
    struct scene s;
    struct reply reply;
    setup(r, &s);
    start(r, &s, 201, &reply);
    reply_free(&reply);
    start(r, &s, 409, &reply);
    assert_non_null(strstr(reply.body, "head_busy"));
    assert_true(strstr(reply.body, "head_busy") - reply.body < 512);
    reply_free(&reply);
    rig_expect(r, "DELETE", s.path, s.token, NULL, 204, "", "");
    says(r, &s, "\"xr_state\":\"idle\"");
    says(r, &s, "\"xr_state\":\"active\"");
    start(r, &s, 409, &reply);
    assert_non_null(strstr(reply.body, "body_busy"));
    reply_free(&reply);
    body_says(r, &s, "\"xr_state\":\"idle\"", "", &reply);
    reply_free(&reply);
    start(r, &s, 409, &reply);
    assert_non_null(strstr(reply.body, "not_xr_capable"));
    reply_free(&reply);
}

static void test_xr_session__bad_input__names_its_field(void **state)
{
    struct rig *r = *state;
    struct scene s;
    char other[HC_ID_SIZE], other_token[RIG_TOKEN_SIZE];
    setup(r, &s);
    rig_expect(r, "POST", s.path, s.token, "{}", 400, "bad_request", "body_id");
    rig_expect(r, "POST", s.path, s.token, "{\"body_id\":\"b1\"}", 400, "bad_request", "experience");
    rig_expect(r, "POST", s.path, s.token, "{\"body_id\":7,\"experience\":\"e\"}", 400, "bad_request", "body_id");
    rig_expect(r, "POST", s.path, s.token, "{\"body_id\":\"b1\",\"experience\":\"e\",\"client_ip\":[]}", 400, "bad_request", "client_ip");
    rig_expect(r, "POST", s.path, s.token, "{\"body_id\":\"none\",\"experience\":\"" RIG_EXPERIENCE "\"}", 409, "not_xr_capable", "");
    rig_head(r, "h2", "north", other, other_token);
    rig_expect(r, "GET", s.path, other_token, NULL, 403, "forbidden", "");
    rig_expect(r, "DELETE", s.path, RIG_ADMIN, NULL, 403, "forbidden", "");
    rig_expect(r, "PUT", s.path, s.token, "{}", 405, "method_not_allowed", "");
}

static void test_xr_session__directive_and_report__speak_of_the_same(void **state)
{
    struct rig *r = *state;
    struct scene s;
    struct reply reply;
    char session[HC_ID_SIZE], xr[256];
    setup(r, &s);
    body_says(r, &s, "\"xr_state\":\"idle\"", "\"alvr\"", &reply);
    assert_true(reply_null(&reply, "desired.xr"));
    reply_free(&reply);
    start(r, &s, 201, &reply);
    HC_SET(session, reply_text(&reply, "session_id"));
    reply_free(&reply);
    body_says(r, &s, "\"xr_state\":\"idle\"", "\"alvr\"", &reply);
    assert_string_equal(reply_text(&reply, "desired.xr.session_id"), session);
    assert_string_equal(reply_text(&reply, "desired.xr.action"), "arm");
    assert_string_equal(reply_text(&reply, "desired.xr.state"), "requested");
    assert_string_equal(reply_text(&reply, "desired.xr.experience"), RIG_EXPERIENCE);
    assert_string_equal(reply_text(&reply, "desired.xr.client_hostname"), "0529.client");
    assert_true(reply_null(&reply, "desired.xr.client_ip"));
    assert_int_equal(reply_int(&reply, "next_report_seconds"), 5);
    reply_free(&reply);
    (void)snprintf(xr, sizeof xr, "\"xr_state\":\"failed\",\"xr_session_id\":\"%s\",\"xr_reason\":\"no_trust\"", session);
    says(r, &s, xr);
    check(r, &s, "failed", "no_trust");
    body_says(r, &s, "\"xr_state\":\"idle\"", "\"alvr\"", &reply);
    assert_string_equal(reply_text(&reply, "desired.xr.action"), "end");
    reply_free(&reply);
}

static void test_xr_session__store_does_not_save__nothing_is_armed(void **state)
{
    struct rig *r = *state;
    struct scene s;
    char text[256];
    setup(r, &s);
    start_text(&s, text);
    rig_store_fails(r, true);
    rig_expect(r, "POST", s.path, s.token, text, 503, "store_unavailable", "");
    rig_store_fails(r, false);
}

static void test_xr_claim__of_protocol_2__is_a_lease_of_mode_xr(void **state)
{
    struct rig *r = *state;
    struct scene s;
    struct reply reply;
    char path[128];
    setup(r, &s);
    (void)snprintf(path, sizeof path, "/api/v1/heads/%s/slot-claims", s.head);
    rig_ask(r, "POST", path, s.token, "{\"attempt_id\":\"a-1\",\"experience\":\"" RIG_EXPERIENCE
            "\",\"device_uid\":\"0123456789abcdef\",\"protocol_version\":2,\"stream_mode\":\"xr\"}", &reply);
    if (reply.status != 201)
        fail_msg("claim: %d %s", reply.status, reply.body);
    assert_int_equal(reply_int(&reply, "lease.start_deadline_seconds"), 150);
    assert_int_equal(reply_int(&reply, "lease.ttl_seconds"), 180);
    reply_free(&reply);
    check(r, &s, "requested", "");
}

static bool shows_assignment(struct rig *r, const struct scene *s)
{
    struct reply reply;
    char path[128];
    (void)snprintf(path, sizeof path, "/api/v1/heads/%s", s->head);
    rig_ask(r, "GET", path, s->token, NULL, &reply);
    assert_int_equal(reply.status, 200);
    assert_string_equal(reply_text(&reply, "xr_client_hostname"), "0529.client");
    bool shows = json_object_get(reply.json, "stream") != NULL;
    if (shows)
        assert_string_equal(reply_text(&reply, "stream.stream_mode"), "xr");
    reply_free(&reply);
    return shows;
}

static void test_xr_assignment__config_fetch__invites_and_holds_nothing(void **state)
{
    struct rig *r = *state;
    struct scene s;
    struct reply reply;
    char path[128], text[384];
    setup(r, &s);
    (void)snprintf(path, sizeof path, "/api/v1/heads/%s", s.head);
    (void)snprintf(text, sizeof text, "{\"head_body_id\":\"%s\",\"stream\":{\"stream_url\":\"sunshine://10.0.0.5\",\"stream_app_id\":\""
                   RIG_EXPERIENCE "\",\"stream_mode\":\"xr\"}}", s.body);
    rig_expect(r, "PUT", path, RIG_ADMIN, text, 200, "", "");
    assert_true(shows_assignment(r, &s));
    rig_ask(r, "GET", "/api/v1/slots", RIG_READ, NULL, &reply);
    assert_true(reply_null(&reply, "[0].lease"));
    reply_free(&reply);
    start(r, &s, 201, &reply);
    reply_free(&reply);
    assert_true(shows_assignment(r, &s));                        /* its own session is there */
    rig_expect(r, "DELETE", s.path, s.token, NULL, 204, "", "");
    assert_false(shows_assignment(r, &s));                       /* the machine still takes it down */
    says(r, &s, "\"xr_state\":\"idle\"");
    assert_true(shows_assignment(r, &s));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(test_xr_session__a_whole_visit__is_told_as_the_app_reads_it),
        RIG_TEST(test_xr_session__refusals__have_the_shipped_words_in_front),
        RIG_TEST(test_xr_session__bad_input__names_its_field),
        RIG_TEST(test_xr_session__directive_and_report__speak_of_the_same),
        RIG_TEST(test_xr_session__store_does_not_save__nothing_is_armed),
        RIG_TEST(test_xr_assignment__config_fetch__invites_and_holds_nothing),
        RIG_TEST(test_xr_claim__of_protocol_2__is_a_lease_of_mode_xr),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
