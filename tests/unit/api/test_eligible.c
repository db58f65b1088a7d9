#include "asked.h"

#include <string.h>

#define ELIGIBLE "/api/v1/bodies/eligible"
#define CLAIMING ELIGIBLE "?experience=" RIG_EXPERIENCE

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

static void test_eligible__claiming_read__is_one_held_body_with_count_0(void **state)
{
    struct rig *r = *state;
    struct fleet f;
    struct reply reply;
    make_fleet(r, &f);
    rig_read(r, f.token, &reply);
    assert_int_equal(reply_count(&reply, ""), 1);
    assert_string_equal(reply_text(&reply, "[0].id"), f.body);
    assert_string_equal(reply_text(&reply, "[0].name"), "pickle");
    assert_string_equal(reply_text(&reply, "[0].ip"), "192.168.1.40");
    assert_string_equal(reply_text(&reply, "[0].wireguard_ip"), "");
    assert_true(reply_bool(&reply, "[0].same_venue"));
    assert_int_equal(reply_int(&reply, "[0].stream_count"), 0);
    assert_int_equal(reply_count(&reply, "[0].xr_drivers"), 0);
    assert_string_equal(reply_text(&reply, "[0].xr_state"), "");
    assert_int_equal(reply_int(&reply, "[0].slots_total"), 1);
    assert_int_equal(reply_int(&reply, "[0].gpu_memory_total_mb"), 16000);
    assert_false(reply_null(&reply, "[0].reported_at"));
    assert_true(reply_null(&reply, "[0].sunshine_cert_fp"));
    assert_string_equal(reply_text(&reply, "[0].lease.state"), "held");
    assert_true(reply_bool(&reply, "[0].lease.mine"));
    assert_int_equal(reply_int(&reply, "[0].lease.expires_in_s"), 40);
    reply_free(&reply);
}

static void test_eligible__nothing_to_grant__is_409_with_reason_and_retry(void **state)
{
    struct rig *r = *state;
    struct fleet f;
    struct reply reply;
    make_fleet(r, &f);
    rig_read(r, f.other_token, &reply);
    reply_free(&reply);
    rig_ask(r, "GET", CLAIMING, f.token, NULL, &reply);
    assert_int_equal(reply.status, 409);
    assert_string_equal(reply_text(&reply, "error"), "no_slot_available");
    assert_string_equal(reply_text(&reply, "reason"), "no_slot");
    assert_int_equal(reply_int(&reply, "retry_after_seconds"), 10);
    assert_true(reply_has(&reply, "Retry-After: 10\r\n"));
    reply_free(&reply);
}

static void test_eligible__pure_reads__are_200_and_hold_nothing(void **state)
{
    struct rig *r = *state;
    struct fleet f;
    struct reply reply;
    make_fleet(r, &f);
    static const char *const queries[] = { ELIGIBLE, ELIGIBLE "?experience=", CLAIMING "&protocol=2", CLAIMING "&stream_mode=xr",
                                           ELIGIBLE "?experience=unheard" "&protocol=2" };
    static const size_t rows[] = { 1, 1, 1, 0, 0 };
    for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++) {
        rig_ask(r, "GET", queries[i], f.token, NULL, &reply);
        assert_int_equal(reply.status, 200);
        assert_int_equal(reply_count(&reply, ""), rows[i]);
        reply_free(&reply);
    }
    rig_ask(r, "HEAD", CLAIMING, f.token, NULL, &reply);
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
    rig_ask(r, "GET", CLAIMING, RIG_ADMIN, NULL, &reply);
    assert_int_equal(reply_count(&reply, ""), 1);
    assert_true(reply_null(&reply, "[0].lease"));
    reply_free(&reply);
    rig_read(r, f.other_token, &reply);              /* nobody holds it yet */
    reply_free(&reply);
}

static void test_eligible__leased_to_others__is_shown_to_operators_who_ask(void **state)
{
    struct rig *r = *state;
    struct fleet f;
    struct reply reply;
    make_fleet(r, &f);
    rig_read(r, f.other_token, &reply);
    reply_free(&reply);
    rig_ask(r, "GET", ELIGIBLE "?include_leased=1", RIG_READ, NULL, &reply);
    assert_int_equal(reply_count(&reply, ""), 1);
    assert_string_equal(reply_text(&reply, "[0].lease.state"), "held");
    assert_false(reply_bool(&reply, "[0].lease.mine"));
    assert_int_equal(reply_int(&reply, "[0].stream_count"), 1);
    reply_free(&reply);
    rig_ask(r, "GET", ELIGIBLE "?include_leased=1", f.token, NULL, &reply);
    assert_int_equal(reply_count(&reply, ""), 0);
    reply_free(&reply);
    rig_ask(r, "GET", ELIGIBLE "?district=elsewhere", RIG_ADMIN, NULL, &reply);
    assert_int_equal(reply_count(&reply, ""), 0);
    reply_free(&reply);
}

static void test_eligible__wrong_asker_or_query__is_refused(void **state)
{
    struct rig *r = *state;
    struct fleet f;
    make_fleet(r, &f);
    const struct asked rows[] = {
        { "GET", ELIGIBLE, NULL,                                               NULL, 401, "unauthorized", "" },
        { "GET", ELIGIBLE, RIG_FLEET,                                          NULL, 403, "forbidden", "" },
        { "GET", ELIGIBLE "?head_id={b}", f.token,                             NULL, 403, "forbidden", "" },
        { "GET", ELIGIBLE "?head_id={h}", f.token,                             NULL, 200, "", "" },
        { "GET", ELIGIBLE "?head_id=none", RIG_ADMIN,                          NULL, 404, "not_found", "" },
        { "GET", ELIGIBLE "?venue=a%07", f.token,                              NULL, 400, "bad_request", "venue" },
        { "GET", ELIGIBLE "?stream_mode=0123456789012345678901234567890123", f.token, NULL, 400, "bad_request", "stream_mode" },
    };
    asked_all(r, rows, sizeof rows / sizeof rows[0], f.head, f.body);
}

static void test_eligible__slot_on_its_way__read_is_parked_and_gets_it(void **state)
{
    struct rig *r = *state;
    struct fleet f;
    struct reply reply;
    make_fleet(r, &f);
    rig_read(r, f.other_token, &reply);
    reply_free(&reply);
    /* The other lets go: an idle modern body frees the slot at once, but for its epoch, which the next report confirms. */
    rig_expect(r, "DELETE", asked_path("/api/v1/heads/%s/stream", f.other), f.other_token, NULL, 204, "", "");
    int fd = rig_start(r, "GET", CLAIMING, f.token, NULL);
    rig_parked(r, "slot", 1);
    rig_report(r, f.body);
    rig_answer(r, fd, &reply);
    assert_int_equal(reply.status, 200);
    assert_string_equal(reply_text(&reply, "[0].id"), f.body);
    assert_true(reply_bool(&reply, "[0].lease.mine"));
    reply_free(&reply);
    rig_parked(r, "slot", 0);
}

static void test_eligible__parked_to_the_end__is_told_there_is_none(void **state)
{
    struct rig *r = *state;
    struct fleet f;
    struct reply reply;
    r->core.timers.claim_wait_ms = 300;
    make_fleet(r, &f);
    rig_read(r, f.other_token, &reply);
    reply_free(&reply);
    rig_expect(r, "DELETE", asked_path("/api/v1/heads/%s/stream", f.other), f.other_token, NULL, 204, "", "");
    rig_ask(r, "GET", CLAIMING, f.token, NULL, &reply);
    assert_int_equal(reply.status, 409);
    assert_string_equal(reply_text(&reply, "error"), "no_slot_available");
    reply_free(&reply);
}

static void test_eligible__answer_that_was_503__was_never_handed_out(void **state)
{
    struct rig *r = *state;
    struct fleet f;
    char second[HC_ID_SIZE], second_token[RIG_TOKEN_SIZE], first[HC_ID_SIZE];
    struct reply reply;
    make_fleet(r, &f);
    rig_body(r, "second", "north", second, second_token);
    rig_report(r, second);
    r->core.timers.commit_wait_ms = 200;
    rig_store_hangs(r, true);
    rig_ask(r, "GET", CLAIMING, f.token, NULL, &reply);
    assert_int_equal(reply.status, 503);
    assert_string_equal(reply_text(&reply, "error"), "store_unavailable");
    assert_true(reply_has(&reply, "Retry-After: "));
    reply_free(&reply);
    rig_store_hangs(r, false);
    rig_read(r, f.token, &reply);                    /* the hold itself became durable */
    hc_copy(first, sizeof first, reply_text(&reply, "[0].id"));
    reply_free(&reply);
    rig_pass(r, 20 * HC_SECOND_MS);
    rig_report(r, f.body);
    rig_report(r, second);
    rig_read(r, f.token, &reply);                    /* but this is a repeat: the next body */
    assert_string_not_equal(reply_text(&reply, "[0].id"), first);
    reply_free(&reply);
}

static void test_eligible__lost_answer_then_a_late_read__gets_the_same_hold(void **state)
{
    struct rig *r = *state;
    struct fleet f;
    char second[HC_ID_SIZE], second_token[RIG_TOKEN_SIZE], lease[HC_ID_SIZE];
    struct reply reply;
    make_fleet(r, &f);
    rig_body(r, "second", "north", second, second_token);
    rig_report(r, second);
    r->core.timers.commit_wait_ms = 200;
    rig_store_hangs(r, true);
    rig_ask(r, "GET", CLAIMING, f.token, NULL, &reply);
    assert_int_equal(reply.status, 503);
    reply_free(&reply);
    rig_store_hangs(r, false);
    rig_ask(r, "GET", asked_path("/api/v1/heads/%s/admission", f.head), RIG_ADMIN, NULL, &reply);
    hc_copy(lease, sizeof lease, reply_text(&reply, "lease.id"));
    reply_free(&reply);
    rig_pass(r, 15 * HC_SECOND_MS);                  /* after the window: without the word of the loss this were a repeat */
    rig_read(r, f.token, &reply);
    assert_string_equal(reply_text(&reply, "[0].lease.id"), lease);
    reply_free(&reply);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(test_eligible__claiming_read__is_one_held_body_with_count_0),
        RIG_TEST(test_eligible__nothing_to_grant__is_409_with_reason_and_retry),
        RIG_TEST(test_eligible__pure_reads__are_200_and_hold_nothing),
        RIG_TEST(test_eligible__leased_to_others__is_shown_to_operators_who_ask),
        RIG_TEST(test_eligible__wrong_asker_or_query__is_refused),
        RIG_TEST(test_eligible__slot_on_its_way__read_is_parked_and_gets_it),
        RIG_TEST(test_eligible__parked_to_the_end__is_told_there_is_none),
        RIG_TEST(test_eligible__answer_that_was_503__was_never_handed_out),
        RIG_TEST(test_eligible__lost_answer_then_a_late_read__gets_the_same_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
