#include "asked.h"

#include <string.h>

#include "../../../src/api/pipeline.h"

/* A route whose requests wait for what the test says, and count how often they are looked at. */
static struct { enum wait_kind kind; const char *key; int64_t wait_ms; unsigned looks, lasts; bool answer_on_news; } plan;

static void again(struct call *call, bool last)
{
    plan.looks++;
    plan.lasts += last;
    if (last || plan.answer_on_news)
        call_text(call, 200, NULL, last ? "{\"last\":true}" : "{\"last\":false}");
}

static void wait_for_it(struct call *call)
{
    call_wait(call, plan.kind, plan.key, call->api->config.monotonic_ms() + plan.wait_ms, again);
}

static const struct api_route route = { HTTP_GET, "/wait", SCOPE_PUBLIC, 0, wait_for_it };

static void on_begin(void *api, struct http_request *req)
{
    struct call *call = hc_arena_alloc(http_arena(req), sizeof *call);
    assert_non_null(call);
    *call = (struct call){ .api = api, .req = req, .arena = http_arena(req), .route = &route, .ids = { "", "" } };
    http_set_user(req, call);
}

static void open_stand(struct rig *r, enum wait_kind kind, const char *key, int64_t wait_ms, bool answer_on_news)
{
    struct hc_diag diag = { "" };
    static struct http_owner owner;
    plan.kind = kind;
    plan.key = key;
    plan.wait_ms = wait_ms;
    plan.looks = plan.lasts = 0;
    plan.answer_on_news = answer_on_news;
    owner = (struct http_owner){ .ctx = r->api, .begin = on_begin, .ready = call_ready, .done = call_done };
    struct http_config http = { .address = "127.0.0.1", .limits = { 64, 64, 7168, 75, 10 } };
    http_free(r->http);
    assert_int_equal(http_start(&http, &owner, r->metrics, &r->http, &diag), HC_OK);
    r->port = http_port(r->http);
}

static void expect_last(struct rig *r, int fd, bool last)
{
    struct reply reply;
    rig_answer(r, fd, &reply);
    assert_int_equal(reply.status, 200);
    assert_int_equal(reply_bool(&reply, "last"), last);
    reply_free(&reply);
}

static void test_wait__news_of_its_key__is_looked_at_and_of_others_is_not(void **state)
{
    struct rig *r = *state;
    open_stand(r, WAIT_FOR_BODY, "b1", 300, true);
    int fd = rig_start(r, "GET", "/wait", NULL, NULL);
    rig_parked(r, "news", 1);
    wait_news(r->api, REC_BODY, "b2");
    wait_news(r->api, OBS_BODY, "b2");
    wait_news(r->api, REC_TICKET, "b1");
    wait_news(r->api, REC_KINDS, "");
    expect_last(r, fd, true);
    assert_int_equal(plan.looks, 1);
    plan.wait_ms = RIG_WAIT_MS;
    fd = rig_start(r, "GET", "/wait", NULL, NULL);
    rig_parked(r, "news", 1);
    wait_news(r->api, OBS_BODY, "b1");
    expect_last(r, fd, false);
}

static void test_wait__kinds__hear_what_concerns_them(void **state)
{
    struct rig *r = *state;
    static const struct { enum wait_kind kind; const char *key; enum rec_kind news; const char *news_key; bool heard; } rows[] = {
        { WAIT_FOR_BODY, "b1", REC_BODY,     "b1", true },  { WAIT_FOR_BODY, "b1", REC_NODE,   "b1", true },
        { WAIT_FOR_BODY, "b1", REC_DISTRICT, "d1", true },  { WAIT_FOR_BODY, "b1", REC_STREAM, "s",  false },
        { WAIT_FOR_HEAD, "h1", REC_TICKET,   "h2", true },  { WAIT_FOR_HEAD, "h1", REC_STREAM, "gone", true },
        { WAIT_FOR_HEAD, "h1", REC_BODY,     "gone", true }, { WAIT_FOR_HEAD, "h1", REC_NODE,  "h1", true },
        { WAIT_FOR_HEAD, "h1", REC_NODE,     "h2", false }, { WAIT_FOR_HEAD, "h1", OBS_BODY,   "b1", false },
        { WAIT_FOR_SLOT, "d1", OBS_BODY,     "gone", true }, { WAIT_FOR_SLOT, "d1", REC_BODY,  "gone", true },
        { WAIT_FOR_SLOT, "d1", REC_CAP,      "venue/x", true }, { WAIT_FOR_SLOT, "d1", REC_TICKET, "h2", true },
        { WAIT_FOR_SLOT, "d1", REC_EXPERIENCE, "e", false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        open_stand(r, rows[i].kind, rows[i].key, rows[i].heard ? RIG_WAIT_MS : 60, true);
        int fd = rig_start(r, "GET", "/wait", NULL, NULL);
        rig_parked(r, rows[i].kind == WAIT_FOR_SLOT ? "slot" : "news", 1);
        wait_news(r->api, rows[i].news, rows[i].news_key);
        expect_last(r, fd, !rows[i].heard);
    }
}

static void test_wait__body_of_another_district__is_no_news_of_slots(void **state)
{
    struct rig *r = *state;
    char body[HC_ID_SIZE], token[RIG_TOKEN_SIZE];
    rig_body(r, "pickle", "north", body, token);
    open_stand(r, WAIT_FOR_SLOT, "d2", 100, true);
    int fd = rig_start(r, "GET", "/wait", NULL, NULL);
    rig_parked(r, "slot", 1);
    wait_news(r->api, OBS_BODY, body);
    expect_last(r, fd, true);
}

static void test_wait__stormy_news__is_looked_at_a_few_times_only(void **state)
{
    struct rig *r = *state;
    open_stand(r, WAIT_FOR_BODY, "b1", 400, false);
    int fd = rig_start(r, "GET", "/wait", NULL, NULL);
    rig_parked(r, "news", 1);
    while (plan.lasts == 0) {
        wait_news(r->api, REC_DISTRICT, "d1");
        rig_turn(r, 1);
    }
    assert_true(plan.looks >= 2 && plan.looks <= 12);      /* 400 ms, one in 50, and the last */
    expect_last(r, fd, true);
}

static void test_wait__stormy_news_of_its_own__is_bounded_too(void **state)
{
    struct rig *r = *state;
    open_stand(r, WAIT_FOR_BODY, "b1", 400, false);
    int fd = rig_start(r, "GET", "/wait", NULL, NULL);
    rig_parked(r, "news", 1);
    while (plan.lasts == 0) {
        wait_news(r->api, REC_BODY, "b1");
        rig_turn(r, 1);
    }
    assert_true(plan.looks >= 2 && plan.looks <= 52);      /* 400 ms, one in 10, and the last */
    expect_last(r, fd, true);
}

static bool looked_again(void *arg)
{
    (void)arg;
    return plan.looks == 2;
}

/* Nothing else may happen for a long time: the loop itself has to know when the look is due. */
static void test_wait__news_right_after_a_look__wakes_the_loop_in_time(void **state)
{
    struct rig *r = *state;
    open_stand(r, WAIT_FOR_BODY, "b1", RIG_WAIT_MS, false);
    int fd = rig_start(r, "GET", "/wait", NULL, NULL);
    rig_parked(r, "news", 1);
    wait_news(r->api, REC_BODY, "b1");
    rig_turn(r, 0);
    assert_int_equal(plan.looks, 1);
    wait_news(r->api, REC_DISTRICT, "d1");
    rig_turn(r, 0);
    assert_in_range(http_wait_ms(r->http), 0, 50);
    wait_news(r->api, REC_BODY, "b1");              /* its own: a visitor waits, and it is looked at before the others' is due */
    rig_turn(r, 0);
    assert_in_range(http_wait_ms(r->http), 0, 10);
    rig_until(r, looked_again, NULL);
    assert_int_equal(plan.lasts, 0);
    plan.answer_on_news = true;
    wait_news(r->api, REC_BODY, "b1");
    expect_last(r, fd, false);
}

static void test_wait__stop__answers_all_and_empties_the_lists(void **state)
{
    struct rig *r = *state;
    struct reply reply;
    open_stand(r, WAIT_FOR_SLOT, "d1", RIG_WAIT_MS, true);
    int first = rig_start(r, "GET", "/wait", NULL, NULL), second = rig_start(r, "GET", "/wait", NULL, NULL);
    rig_parked(r, "slot", 2);
    assert_non_null(r->api->waiting[WAIT_FOR_SLOT]);
    assert_non_null(r->api->waiting[WAIT_FOR_SLOT]->next);
    api_stopping(r->api);
    http_quiesce(r->http);
    rig_answer(r, first, &reply);
    assert_int_equal(reply.status, 503);
    assert_string_equal(reply_text(&reply, "error"), "stopping");
    assert_true(reply_has(&reply, "Retry-After: "));
    reply_free(&reply);
    rig_answer(r, second, &reply);
    assert_int_equal(reply.status, 503);
    reply_free(&reply);
    assert_null(r->api->waiting[WAIT_FOR_SLOT]);
    assert_null(r->api->waiting_last[WAIT_FOR_SLOT]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(test_wait__news_of_its_key__is_looked_at_and_of_others_is_not),
        RIG_TEST(test_wait__kinds__hear_what_concerns_them),
        RIG_TEST(test_wait__body_of_another_district__is_no_news_of_slots),
        RIG_TEST(test_wait__stormy_news__is_looked_at_a_few_times_only),
        RIG_TEST(test_wait__stormy_news_of_its_own__is_bounded_too),
        RIG_TEST(test_wait__news_right_after_a_look__wakes_the_loop_in_time),
        RIG_TEST(test_wait__stop__answers_all_and_empties_the_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
