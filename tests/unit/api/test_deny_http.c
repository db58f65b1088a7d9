#include "fixture.h"

#include "../../../src/api/pipeline.h"

static void test_deny__every_reason__has_a_status_of_a_refusal(void **state)
{
    (void)state;
    for (int deny = DENY_NONE + 1; deny < DENY_REASONS; deny++) {
        unsigned status = deny_status((enum deny_reason)deny);
        if (status < 400 || status > 503 || status == 500)
            fail_msg("%s: %u", word_of(&deny_words, deny), status);
    }
}

static void test_deny__reasons_of_the_wire__have_the_status_it_says(void **state)
{
    (void)state;
    static const struct { enum deny_reason deny; unsigned status; } rows[] = {
        { DENY_NO_SLOT, 409 },       { DENY_RESERVED, 409 },         { DENY_RECONCILING, 503 },      { DENY_HEAD_BUSY, 409 },
        { DENY_ATTEMPT_REUSED, 409 }, { DENY_IDENTITY_UNKNOWN, 409 }, { DENY_IDENTITY_REVOKED, 409 }, { DENY_DUPLICATE_HEAD, 409 },
        { DENY_LEASE_LOST, 410 },    { DENY_NOT_YOUR_STREAM, 403 },  { DENY_WRONG_TOKEN, 403 },      { DENY_EXPERIENCE, 422 },
        { DENY_THROTTLED, 429 },     { DENY_QUEUE_FULL, 429 },       { DENY_STORE, 503 },            { DENY_NOT_FOUND, 404 },
        { DENY_BAD_REQUEST, 400 },   { DENY_FORBIDDEN, 403 },        { DENY_NODE_HAS_LEASE, 409 },   { DENY_ENFORCE_NOT_READY, 409 },
        { DENY_SLOT_HELD, 409 },     { DENY_IDENTITY_IN_USE, 409 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(deny_status(rows[i].deny), rows[i].status);
}

/* ---- every refusal, as a request would be answered ---- */

static struct core_result refusal;
static void refuse(struct call *call)
{
    call_refuse(call, &refusal);
}

static const struct api_route route = { HTTP_GET, "/refuse", SCOPE_PUBLIC, 0, refuse };

static void on_begin(void *api, struct http_request *req)
{
    struct call *call = hc_arena_alloc(http_arena(req), sizeof *call);
    assert_non_null(call);
    *call = (struct call){ .api = api, .req = req, .arena = http_arena(req), .route = &route, .ids = { "", "" } };
    http_set_user(req, call);
}


static void ask(struct rig *r, struct reply *ret)
{
    rig_ask_raw(r, "GET", "/refuse", NULL, "", NULL, 0, ret);          /* no route of the API: its description has none such */
}

static void open_stand(struct rig *r)
{
    struct hc_diag diag = { "" };
    static struct http_owner owner;
    owner = (struct http_owner){ .ctx = r->api, .begin = on_begin, .ready = call_ready, .done = call_done };
    struct http_config http = { .address = "127.0.0.1", .limits = { 64, 64, 7168, 75, 10 } };
    http_free(r->http);
    assert_int_equal(http_start(&http, &owner, r->metrics, &r->http, &diag), HC_OK);
    r->port = http_port(r->http);
}

static void test_deny__every_reason__answers_its_word_with_retry_where_it_must(void **state)
{
    struct rig *r = *state;
    open_stand(r);
    for (int deny = DENY_NONE + 1; deny < DENY_REASONS; deny++) {
        struct reply reply;
        refusal = (struct core_result){ .answer = ANSWER_REFUSED, .deny = (enum deny_reason)deny };
        ask(r, &reply);
        assert_int_equal(reply.status, deny_status((enum deny_reason)deny));
        assert_string_equal(reply_text(&reply, "error"), word_of(&deny_words, deny));
        assert_int_equal(reply_int(&reply, "code"), reply.status);
        if (reply.status == 429 || reply.status == 503) {
            assert_true(reply_int(&reply, "retry_after_seconds") > 0);
            assert_true(reply_has(&reply, "Retry-After: "));
        }
        reply_free(&reply);
    }
}

static void test_deny__members__say_what_the_core_found(void **state)
{
    struct rig *r = *state;
    struct reply reply;
    open_stand(r);
    refusal = (struct core_result){ .answer = ANSWER_REFUSED, .deny = DENY_SLOT_HELD, .has_lease = true };
    HC_SET(refusal.lease.head_id, "h-1");
    HC_SET(refusal.lease.device_uid, "0123456789abcdef");
    ask(r, &reply);
    assert_string_equal(reply_text(&reply, "holder.head_id"), "h-1");
    assert_string_equal(reply_text(&reply, "holder.device_uid"), "0123456789abcdef");
    reply_free(&reply);
    refusal.lease.head_id[0] = refusal.lease.device_uid[0] = '\0';
    ask(r, &reply);
    assert_string_equal(reply_text(&reply, "holder.head_id"), "unknown");
    assert_true(reply_null(&reply, "holder.device_uid"));
    reply_free(&reply);
    refusal = (struct core_result){ .answer = ANSWER_REFUSED, .deny = DENY_THROTTLED, .retry_after_ms = 1 };
    ask(r, &reply);
    assert_int_equal(reply_int(&reply, "retry_after_seconds"), 1);
    reply_free(&reply);
    refusal = (struct core_result){ .answer = ANSWER_REFUSED, .deny = DENY_BAD_REQUEST };
    HC_SET(refusal.field, "roles");
    HC_SET(refusal.detail, "No.");
    ask(r, &reply);
    assert_string_equal(reply_text(&reply, "field"), "roles");
    assert_string_equal(reply_text(&reply, "detail"), "No.");
    reply_free(&reply);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deny__every_reason__has_a_status_of_a_refusal),
        cmocka_unit_test(test_deny__reasons_of_the_wire__have_the_status_it_says),
        RIG_TEST(test_deny__every_reason__answers_its_word_with_retry_where_it_must),
        RIG_TEST(test_deny__members__say_what_the_core_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
