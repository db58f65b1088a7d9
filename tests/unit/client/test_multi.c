#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "hydra/base/arena.h"
#include "hydra/client/client.h"
#include "raw_server.h"

#define TURNS_MAX 2000
#define TURN_MS   10

static struct raw_server *server;
static struct client_multi *multi;

struct outcome { unsigned times; enum hc_err err; long status; char body[64]; unsigned again; };

static int set_up(void **state)
{
    (void)state;
    server = raw_server_start();
    const struct client_options options = { .server_url = raw_server_url(server), .timeout_ms = 10000 };
    struct hc_diag diag;
    return client_multi_open(&options, &multi, &diag) == HC_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    multi = client_multi_close(multi);
    server = raw_server_stop(server);
    return 0;
}

static void on_done(void *ctx, enum hc_err err, const struct client_answer *answer)
{
    struct outcome *outcome = ctx;
    outcome->times++;
    outcome->err = err;
    outcome->status = answer->status;
    size_t len = answer->body.len < sizeof outcome->body ? answer->body.len : sizeof outcome->body - 1;
    if (len > 0)
        memcpy(outcome->body, answer->body.data, len);
    outcome->body[len] = '\0';
}

static void start(uint64_t lane, const char *path, int64_t timeout_ms, struct outcome *outcome)
{
    assert_int_equal(client_multi_call(multi, lane, "GET", path, "secret-1", NULL, timeout_ms, on_done, outcome), HC_OK);
}

static void turn_until_idle(void)
{
    for (unsigned i = 0; client_multi_under_way(multi) > 0; i++) {
        assert_true(i < TURNS_MAX);
        client_multi_turn(multi, TURN_MS);
    }
}

static void test_multi__calls_of_two_lanes__a_connection_each_kept(void **state)
{
    (void)state;
    struct outcome one = { 0 }, two = { 0 };
    char first_one[64];
    for (unsigned i = 0; i < 3; i++) {
        start(1, "/connection", 0, &one);
        turn_until_idle();
        start(2, "/connection", 0, &two);
        turn_until_idle();
        assert_int_equal(one.err, HC_OK);
        assert_int_equal(one.body[0], '1');
        assert_int_equal(two.body[0], '2');
        memcpy(first_one, one.body, sizeof first_one);
    }
    assert_string_equal(first_one, "1.3");
    assert_int_equal(raw_server_connections(server), 2);
    assert_int_equal(one.times, 3);
}

static void test_multi__lane_zero__shares_whatever_is_free(void **state)
{
    (void)state;
    struct outcome outcome = { 0 };
    for (unsigned i = 0; i < 4; i++) {
        start(0, "/connection", 0, &outcome);
        turn_until_idle();
    }
    assert_string_equal(outcome.body, "1.4");
}

static void test_multi__forty_at_once__each_answered_once(void **state)
{
    (void)state;
    struct outcome outcomes[40] = { { 0 } };
    for (uint64_t i = 0; i < 40; i++)
        start(i + 1, "/connection", 0, &outcomes[i]);
    assert_int_equal(client_multi_under_way(multi), 40);
    turn_until_idle();
    for (size_t i = 0; i < 40; i++) {
        assert_int_equal(outcomes[i].times, 1);
        assert_int_equal(outcomes[i].status, 200);
    }
    assert_int_equal(raw_server_connections(server), 40);
}

static void test_multi__parked_call__does_not_hold_the_others(void **state)
{
    (void)state;
    struct outcome parked = { 0 }, quick = { 0 };
    start(1, "/silent", 10000, &parked);
    start(1, "/connection", 0, &quick);         /* same lane: a second connection, as a device opens one */
    for (unsigned i = 0; quick.times == 0; i++) {
        assert_true(i < TURNS_MAX);
        client_multi_turn(multi, TURN_MS);
    }
    assert_int_equal(quick.err, HC_OK);
    assert_int_equal(parked.times, 0);
    assert_int_equal(client_multi_under_way(multi), 1);
}

static void test_multi__timeout_of_a_call__that_call_only(void **state)
{
    (void)state;
    struct outcome late = { 0 }, fine = { 0 };
    start(1, "/silent", 50, &late);
    start(2, "/connection", 0, &fine);
    turn_until_idle();
    assert_int_equal(late.err, HC_ERR_TIMEOUT);
    assert_int_equal(late.status, 0);
    assert_int_equal(fine.err, HC_OK);
}

static void test_multi__broken_answers__errors_without_content(void **state)
{
    (void)state;
    static const struct { const char *path; enum hc_err err; } cases[] = {
        { "/hang-up", HC_ERR_NET }, { "/cut", HC_ERR_NET }, { "/large", HC_ERR_LIMIT }, { "/endless-head", HC_ERR_LIMIT },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct outcome outcome = { 0 };
        start(7, cases[i].path, 0, &outcome);
        turn_until_idle();
        assert_int_equal(outcome.err, cases[i].err);
        assert_int_equal(outcome.status, 0);
        assert_string_equal(outcome.body, "");
    }
}

static void on_done_again(void *ctx, enum hc_err err, const struct client_answer *answer)
{
    struct outcome *outcome = ctx;
    on_done(ctx, err, answer);
    if (outcome->again == 0)
        return;
    outcome->again--;
    assert_int_equal(client_multi_call(multi, 5, "POST", "/connection", NULL, "{}", 0, on_done_again, outcome), HC_OK);
}

static void test_multi__call_from_inside_done__runs_on(void **state)
{
    (void)state;
    struct outcome outcome = { .again = 9 };
    assert_int_equal(client_multi_call(multi, 5, "GET", "/connection", NULL, NULL, 0, on_done_again, &outcome), HC_OK);
    turn_until_idle();
    assert_int_equal(outcome.times, 10);
    assert_string_equal(outcome.body, "1.10");
}

static void on_done_refused(void *ctx, enum hc_err err, const struct client_answer *answer)
{
    on_done(ctx, err, answer);
    assert_int_equal(client_multi_call(multi, 5, "GET", "/connection", NULL, NULL, 0, on_done, ctx), HC_ERR_NET);
}

static void test_multi__closed_with_calls_under_way__each_told_once(void **state)
{
    (void)state;
    struct outcome outcomes[3] = { { 0 } };
    for (uint64_t i = 0; i < 3; i++)
        assert_int_equal(client_multi_call(multi, i, "GET", "/silent", NULL, NULL, 0, on_done_refused, &outcomes[i]), HC_OK);
    client_multi_turn(multi, TURN_MS);
    multi = client_multi_close(multi);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(outcomes[i].times, 1);
        assert_int_equal(outcomes[i].err, HC_ERR_NET);
    }
}

static void test_multi__bad_token__refused_and_nothing_under_way(void **state)
{
    (void)state;
    struct outcome outcome = { 0 };
    assert_int_equal(client_multi_call(multi, 1, "GET", "/echo", "a\r\nb", NULL, 0, on_done, &outcome), HC_ERR_SYNTAX);
    assert_int_equal(client_multi_under_way(multi), 0);
    assert_int_equal(outcome.times, 0);
}

static void test_multi__each_allocation_fails__no_memory_and_goes_on(void **state)
{
    (void)state;
    unsigned n = 1;
    for (enum hc_err err = HC_ERR_NOMEM; err != HC_OK; n++) {
        assert_true(n < 100);
        struct outcome outcome = { 0 };
        hc_alloc_fail_after(n);
        err = client_multi_call(multi, n, "GET", "/connection", "secret-1", NULL, 0, on_done, &outcome);
        hc_alloc_fail_after(0);
        turn_until_idle();
        if (err != HC_OK)
            assert_int_equal(err, HC_ERR_NOMEM);
        assert_int_equal(outcome.times, err == HC_OK ? 1 : 0);
    }
    assert_true(n > 3);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_multi__calls_of_two_lanes__a_connection_each_kept),
        TEST(test_multi__lane_zero__shares_whatever_is_free),
        TEST(test_multi__forty_at_once__each_answered_once),
        TEST(test_multi__parked_call__does_not_hold_the_others),
        TEST(test_multi__timeout_of_a_call__that_call_only),
        TEST(test_multi__broken_answers__errors_without_content),
        TEST(test_multi__call_from_inside_done__runs_on),
        TEST(test_multi__closed_with_calls_under_way__each_told_once),
        TEST(test_multi__bad_token__refused_and_nothing_under_way),
        TEST(test_multi__each_allocation_fails__no_memory_and_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
